"""Questions with their answers as people write them in Markdown: a heading, bold words, an item of a list, a row.

    ## How long are drafts kept?        **Q: Do we sign images?** Yes.        1. Where do carts live? - Redis
    14 days.                            A: ...                                | How many replicas? | 3 |

The question is the scope, and what stands first behind it the answer. What follows the answer is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.reading.blocks import OWN, Line, read_title
from guildmoot.reading.stands.moves import read_move
from guildmoot.reading.stands.stated import StatedDecision, make_decision
from guildmoot.text.amounts import split_amounts
from guildmoot.text.english import content_stems

_SHORT = 8
"""Words of an answer in a few words."""
_FORM = re.compile(
    r"\b(?:questions?|answers?|decisions?|positions?|recommendations?|views?|proposals?|section|round|design|plan|"
    r"details?|summary|notes?|thoughts?|approach|overview|part|conclusions?|choices?|votes?|my|our)\b",
    re.IGNORECASE,
)
"""Headings that name a part of the answer and no thing."""
_TELLING = 2
"""Words that tell what a question is about."""
_POINTS = re.compile(r"\b(?:it|its|they|them|their|this|that|these|those|one)\b", re.IGNORECASE)
_ASKS = (
    r"(?:how|what|where|when|which|who|whose|whom|whether|do|does|did|is|are|was|should|shall|can|could|will|would|"
    r"must|may|has|have|in\s+which|on\s+which|at\s+what|until\s+when|since\s+when|for\s+how|by\s+when|to\s+whom)\b"
)
_BOLD = r"(?:\*\*|__)?\s*"
_MARK = rf"(?:\[[ xX]\]\s+)?{_BOLD}(?:Q(?:uestion)?\s*\d*\s*[.:)\u2013\u2014-]\s*|\d{{1,3}}[.)]\s+)?{_BOLD}"
_QUESTION = re.compile(
    rf"\s*(?:(?:[-*+]|\d{{1,3}}[.)])\s+)?{_MARK}(?P<asked>(?!why\b|\[)[^?|\n]{{4,160}}?)\?(?P<rest>(?:\s*(?:\*\*|__)|\s*:|\s|$).*)",
    re.IGNORECASE,
)
_DASHED = re.compile(
    rf"\s*(?:[-*+]|\d{{1,3}}[.)])\s+{_MARK}(?P<asked>{_ASKS}[^?|\n]{{4,160}}?)(?:\*\*|__)?(?:\s+[-\u2013\u2014]+>?|\s*:|\s+\u2192)\s+"
    r"(?P<rest>\S.*)",
    re.IGNORECASE,
)
"""An item without its question mark: "1. How long are drafts kept - 14 days"."""
_PLAIN = re.compile(
    rf"(?P<asked>{_ASKS}[^?|\n]{{4,160}}?)\?\s+(?P<rest>[^\s?]+(?:\s+[^\s?]+){{0,7}})\s*",
    re.IGNORECASE,
)
"""A line of its own: "Do we sign images? No."."""
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")
_SET_OFF = re.compile(
    r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|\*\*|__|Q(?:uestion)?\s*\d*\s*[.:)]|#)", re.IGNORECASE
)
_ANSWER = re.compile(
    r"^[\s*_]*(?:[:=\u2013\u2014\u2192-]+>?\s*)?[*_]*(?:(?:A(?:nswer)?|Decision)\s*\d*\s*[.:)]\s*)?[*_]*\s*",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'*(\d])")
_CLAUSE = re.compile(
    r"\s*[;:(\u2013\u2014]|\s-\s|,?\s(?:because|since|so\s+that|as\s+long\s+as)\b", re.IGNORECASE
)
_YES_NO = re.compile(r"(?:yes|no|ja|nein)", re.IGNORECASE)
_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|%")
_UNDECIDED = re.compile(
    r"(?:open|unknown|undecided|not\s+(?:yet\s+)?(?:decided|known|clear)|(?:I|we)\s+do(?:n't|\s+not)\s+know|"
    r"t\.?b\.?d\.?|to\s+be\s+(?:decided|found\s+out)|no\s+(?:idea|opinion|view)|unclear|it\s+depends|\?+|[-\u2013\u2014]|n/?a)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(r"(?:perhaps|maybe|possibly|probably|either|could\s+be)\b", re.IGNORECASE)
_UNANSWERED = re.compile(
    r"\bopen\b|\bunknowns?\b|\bundecided\b|\bbackground\b|\bcontext\b|\brisks?\b", re.IGNORECASE
)
"""Headings under which questions are only asked."""


def read_answers(lines: list[Line]) -> tuple[list[StatedDecision], list[Line]]:
    """The questions that are answered, in their order, and the lines without them."""
    found: list[StatedDecision] = []
    rest: list[Line] = []
    at, asked_only, about = 0, False, ""
    while at < len(lines):
        kind, row = lines[at]
        level, title = read_title(row) if kind == OWN else (0, "")
        if 0 < level < 7 and "?" not in title:
            asked_only = bool(_UNANSWERED.search(title))
        used = 0
        if kind == OWN and not asked_only:
            made, used = _answered(lines, at)
            found += [each._replace(scope=_whole(each.scope, about)) for each in made]
        about = (not used and "?" not in row and _title_of(row)) or about
        if not used:
            rest.append(lines[at])
        at += used or 1
    return found, rest


def _title_of(row: str) -> str:
    """What the lines below may be about: a heading, words in bold, an item."""
    found = _ITEM.match(row)
    title = read_title(row)[1] or (row[found.end() :].strip(" *_:") if found else "")
    return title if len(title.split()) <= _SHORT and not _FORM.search(title) else ""


def _whole(asked: str, about: str) -> str:
    """A question that says no thing ("How long?", "How long is it kept?") with what it is about."""
    return (
        below(asked, about)
        if not _POINTS.search(asked)
        else f"{about}: {asked}"
        if about
        else asked
    )


def below(scope: str, title: str) -> str:
    """A scope of one word ("TTL") with the heading that it stands under: it may stand under others too."""
    lacking = title and len(content_stems(scope)) < _TELLING and not _FORM.search(title)
    return f"{title}: {scope}" if lacking else scope


def _answered(lines: list[Line], at: int) -> tuple[list[StatedDecision], int]:
    """What is answered from that line on, and how many lines that took; none where it asks nothing."""
    row = lines[at][1]
    if cells := _ROW.fullmatch(row):
        made = _in_cells([cell.strip(" *_") for cell in cells["cells"].split("|")])
        return made, int(bool(made))
    level, title = read_title(row)
    found = _QUESTION.fullmatch(title if 0 < level < 7 else row) if _SET_OFF.match(row) else None
    found = found or _DASHED.fullmatch(row) or _PLAIN.fullmatch(row)
    if not found:
        return [], 0
    asked, said = _asked(found["asked"]), _ANSWER.sub("", found["rest"]).strip()
    behind = _behind(lines, at, row)
    if _PLAIN.fullmatch(row):
        return _taken(asked, [said], 1)
    if said:
        more = [] if level else behind[0]
        return _taken(asked, [" ".join([said, *more])], 1 + len(more))
    texts, used = _below(behind)
    return _taken(asked, texts, 1 + used)


def _asked(words: str) -> str:
    return f"{words.replace('**', '').replace('__', '').strip()}?"


def _behind(lines: list[Line], at: int, row: str) -> tuple[list[str], int]:
    """The lines that belong to a question: below a heading its first paragraph or list, else what goes on."""
    item, blank = bool(_ITEM.match(row)), 0
    taken: list[str] = []
    for number, (kind, next_row) in enumerate(lines[at + 1 :], at + 1):
        asks = _QUESTION.fullmatch(next_row) and _SET_OFF.match(next_row)
        if kind != OWN or read_title(next_row)[0] or asks:
            break
        if not next_row.strip():
            after = next((text for _, text in lines[number:] if text.strip()), "")
            if taken or (item and after[:1] not in (" ", "\t")):
                break
            blank += 1
            continue
        indented = next_row[:1] in " \t"
        if item and not indented and not re.match(r"\s*[*_]*A(?:nswer)?\s*[.:)]", next_row):
            break
        if (
            taken
            and not item
            and bool(_ITEM.match(next_row)) != bool(_ITEM.match(taken[0]))
            and not indented
        ):
            break
        taken.append(next_row)
    return taken, blank


def _below(behind: tuple[list[str], int]) -> tuple[list[str], int]:
    """The answers in the lines below a question: a paragraph is one, a list one an item."""
    taken, blank = behind
    if taken and _ITEM.match(taken[0]):
        texts: list[str] = []
        for row in taken:
            if found := _ITEM.match(row):
                texts.append(row[found.end() :])
            else:
                texts[-1] += f" {row.strip()}"
        return texts, len(taken) + blank
    return ([" ".join(row.strip() for row in taken)] if taken else []), len(taken) + blank


def _taken(asked: str, texts: list[str], used: int) -> tuple[list[StatedDecision], int]:
    said = [_ANSWER.sub("", text).strip() for text in texts]
    made = list(_decide(asked, [text for text in said if text]))
    return made, used if made else 0


def _in_cells(cells: list[str]) -> list[StatedDecision]:
    """A row of a table whose first cell asks and whose second answers."""
    found = (
        _QUESTION.fullmatch(f"- {cells[0]}") if len(cells) > 1 and cells[0].endswith("?") else None
    )
    return list(_decide(_asked(found["asked"]), [cells[1]])) if found and cells[1] else []


def _decide(asked: str, texts: list[str]) -> Iterator[StatedDecision]:
    """A position for each text; only one that stands alone is the answer to the question."""
    for text in texts:
        bare = text.replace("**", "").replace("__", "").strip()
        first = _SENTENCE.split(bare)[0].strip()
        move = read_move(first)
        stance = "open" if _UNDECIDED.match(bare) else "option" if _WEAK.match(bare) else "adopt"
        if move and (move.moves or move.gives_up):
            stance = "withdraw" if move.gives_up else "move"
            bare = first = move.said or first
        answer = in_few_words(first) if len(texts) == 1 and stance in ("adopt", "move") else ""
        cited = move.cited if move else ()
        if made := make_decision(asked, stance, bare.rstrip(" ."), cited, answer):
            yield made


def in_few_words(sentence: str) -> str:
    """The sentence without its reason, where that is short; else nothing."""
    said = _CLAUSE.split(sentence)[0].strip(' .!`*_"')
    head = said.partition(",")[0]
    if _YES_NO.fullmatch(head) or split_amounts(_WORD.findall(head.casefold()))[0] == ("#",):
        return head
    return said if len(said.split()) <= _SHORT else ""
