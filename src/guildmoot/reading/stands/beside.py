"""What a section says beside the decisions that were read in it: sentences that nobody has read.

A sentence was read when a decision was made of it, or when one decision has nearly all of its words. What an engineer
says there of its own stand, that it moves or withdraws, a program reads; all else is for a clerk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guildmoot.reading.blocks import OWN, Line, read_title
from guildmoot.reading.list_items import bullet_text
from guildmoot.reading.stands.moves import read_move
from guildmoot.reading.stands.sentences import moved, read_sentence
from guildmoot.reading.stands.stated import StatedDecision, one
from guildmoot.text.english import content_stems

_SENTENCE = re.compile(r"(?<=[.!?])[*_]*\s+(?=[A-Z`\"'*(\d])")
_LABEL = re.compile(r"^[^:.?!]{1,60}:[*_]{0,3}\s+")
_RULE = re.compile(r"[\s|:-]+")
_COMMENT = re.compile(r"<!--.*?-->")
_COVERED = 0.8
"""Share of a sentence's words that one decision has, where it says that sentence again."""
_LEADS_UP, _SHORT = 8, 3
"""Words of a line that only leads up to what follows, and of one that says nothing ("My view.")."""
_DENIES = re.compile(
    r"\b(?:no|not|never|without|against|don't|withdraw|drop|move)\b", re.IGNORECASE
)


def sentences(lines: Sequence[Line]) -> Iterator[str]:
    """What the author says in own words, without headings and the marks of lists and tables."""
    part: list[str] = []
    rows = [(_COMMENT.sub("", row).strip() if kind == OWN else "") for kind, row in lines]
    rows.append("")
    for bare, after in zip(rows, [*rows[1:], ""], strict=True):
        cells = [cell.strip() for cell in bare.strip("|").split("|")] if bare[:1] == "|" else []
        item, title = bullet_text(bare), read_title(bare)[0]
        if (not bare or cells or item or title) and part:
            yield from _SENTENCE.split(" ".join(part))
            part = []
        if cells:
            if not (_RULE.fullmatch(bare) or (after[:1] == "|" and _RULE.fullmatch(after))):
                yield f"{cells[0]}: {' - '.join(filter(None, cells[1:]))}"
        elif bare and not title:
            part.append(item or bare)


def beside(
    lines: Sequence[Line], found: Sequence[StatedDecision]
) -> tuple[list[StatedDecision], tuple[str, ...]]:
    """What is said beside decisions of the engineer's own stand, and the sentences that nobody read."""
    more: list[StatedDecision] = []
    unread: list[str] = []
    for sentence in sentences(lines):
        said = sentence.strip(" *_")
        if not said or _is_idle(said) or _is_covered(said, found):
            continue
        move = read_move(said)
        made = moved(move) if move and (move.moves or move.gives_up) else None
        if made and move and move.moves and _has_choice(made, found):
            continue
        if made:
            more.append(made)
        else:
            unread.append(one(said))
    return more, tuple(unread)


def unread_of(lines: Sequence[Line], found: Sequence[StatedDecision]) -> tuple[str, ...]:
    """The sentences of a section without a block of which no decision was made."""
    texts = {each.text for each in found}
    unread = []
    for sentence in sentences(lines):
        said = sentence.strip(" *_")
        words = (said, _LABEL.sub("", said))
        made = [each.text for text in words if text and (each := read_sentence(text))]
        known = any(text in texts for text in made) or any(_is_covered(e, found) for e in words)
        if said and not (known or _is_idle(said)):
            unread.append(one(said))
    return tuple(unread)


def _is_idle(said: str) -> bool:
    """Whether it decides nothing however it is meant."""
    count = len(said.split())
    leads_up = said.endswith(":") and count <= _LEADS_UP and not _DENIES.search(said)
    return leads_up or (count <= _SHORT and not read_sentence(said) and not _DENIES.search(said))


def _is_covered(said: str, found: Sequence[StatedDecision]) -> bool:
    words, denials, bare = content_stems(said), _denials(said), said.casefold().strip(" .!")
    return any(
        each.text.casefold().startswith(bare)
        or (
            words
            and len(words & _words(each)) >= _COVERED * len(words)
            and denials <= _denials(each.text)
        )
        for each in found
    )


def _denials(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _DENIES.findall(text))


def _words(decision: StatedDecision) -> frozenset[str]:
    parts = (decision.scope, decision.text, decision.answer, *decision.rejects, *decision.cited)
    return frozenset(content_stems(" ".join(parts)))


def _has_choice(made: StatedDecision, found: Sequence[StatedDecision]) -> bool:
    """Whether a decision says already where a sentence moves to."""
    words = content_stems(made.text) - content_stems("use")
    return any(each.stance == "adopt" and words <= _words(each) for each in found)
