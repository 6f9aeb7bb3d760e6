"""What a first reply says that a PASS on the second asking cannot settle.

The second question asks for one line. That line is the vote only where the first reply left the verdict open: in
its own lines stand no other verdict, no place in the work, nothing that speaks against the work, and no approval
with a "but". Whatever else it said stays said: such a judge contradicts itself, and a clerk reads its first reply.
"""

from __future__ import annotations

from guildmoot.reading.blocks import DOUBTFUL, OWN, SPACE, Line, json_fences, lay_out
from guildmoot.reading.places import find_anchor
from guildmoot.reading.sections import ADVISORY, Scan
from guildmoot.reading.words.approval import approves
from guildmoot.reading.words.doubts import doubt, json_doubt
from guildmoot.reading.words.tags import split_tags
from guildmoot.text.clean import one_line
from guildmoot.text.patterns import lazy

_LABEL = lazy(
    r"(?i)[\s#*_>`|•-]{0,20}(?:\d{1,3}[.)]\s{1,4})?[*_]{0,4}"
    r"(?:(?:the|my|our|final|overall|council|panel)\s{1,4}){0,3}verdict[*_`]{0,4}\s{0,4}"
    r"(?:[:：=|→–—-]|->|\bis\b|$)[*_\s|]{0,8}"
)
_OTHER_LABEL = lazy(
    r"[\s#*_>`•-]{0,12}[^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){0,2}[*_`]{0,4}"
    r"\s{0,2}[:：][\s*_`]{0,8}(?=PASS[\s*_`.!。]{0,6}$)"
)
"""A word of another language for "verdict": nothing but the schema's own word stands behind it."""
_CLOSED = lazy(
    r"\b(?:FAIL(?:ED|S|URE)?|WARN(?:ING)?|REJECT(?:ED|S)?|FLAG(?:GED)?|BLOCK(?:ED|ING)|NO-GO|VETO)\b"
    r"|\b[Vv]erdict\b\W{0,6}(?:is )?(?:an? )?(?:fail|warn|reject|flag)\w{0,4}\b"
    r"|\bflagged\b"
)
_YES = lazy(r"\b(?:PASS(?:ED|ES)?|LGTM|APPROVED?)\b")
_ASSENT = lazy(
    r"(?i)\b(?:pass(?:es|ed)?|lgtm|approved?|ship it|looks good|(?:good|ready|safe|fine) (?:to|for) (?:go|merg\w+|ship)"
    r"|ready to merge|thumbs up|no (?:objections|changes (?:required|needed)))\b|👍"
)
_SPOKEN_YES = lazy(r"(?i)\W{0,12}(pass(?:ed|es)?|lgtm|approved?)\b")
_MILD = lazy(r"(?i)[\s*_>`•\[(-]{0,12}(?:minor|nit(?:pick)?|low|info|optional|suggestion)\b")
OTHER_VERDICT = "says another verdict"
_END = lazy(r"(?<=[.!?;])\s+|(?<=confidence):\s+")


def unsettled(text: str) -> str:
    """Why a later PASS is not the vote, told as what the first reply does; empty where it left the verdict open."""
    own, inside = split_tags(text)
    lines = [line for line in lay_out(own)[0] if line[0] in (OWN, DOUBTFUL)]
    notes = {row for part in Scan(lines).of(ADVISORY) for _, row in part.lines}
    notes |= {row for _, row in lines if _MILD.match(row)}
    rest: list[Line] = []
    for kind, row in lines:
        label = _LABEL.match(row) or _OTHER_LABEL.match(row)
        said = _END.split(row[label.end() :] if label else row)
        for number, sentence in enumerate(said):
            if why := _against(sentence, bool(label) and number == 0, row in notes):
                return why
        plain = bool(label) or is_yes(said[0])
        rest.append((kind, " ".join(said[1:] if plain else said)))
    fences = json_fences(lay_out(own)[0])
    shown = next(filter(None, map(json_doubt, fences)), "")
    asides = [line for line in rest if line[1] in notes]
    spoken = [line for line in rest if line[1] not in notes]
    against = shown or doubt([*spoken, *lay_out(inside)[0]], asides)
    return f"says this: {against.removeprefix('it is approved, yet ')}" if against else ""


def states_yes(row: str) -> bool:
    """Whether a line has the word verdict, and behind it a plain approval."""
    label = _LABEL.match(row) or _OTHER_LABEL.match(row)
    return label is not None and is_yes(_END.split(row[label.end() :])[0])


def assents(text: str) -> bool:
    """Whether the reply can be read as a yes, in its own lines."""
    own = split_tags(text)[0]
    return any(_ASSENT.search(row) for kind, row in lay_out(own)[0] if kind in (OWN, DOUBTFUL))


def _against(sentence: str, stated: bool, note: bool) -> str:
    """What one sentence says that is no plain approval.

    ``stated`` where it stands behind the word verdict, ``note`` under a heading for what only advises.
    """
    shown = one_line(sentence)[:120]
    if label := _LABEL.match(sentence):
        sentence, stated = sentence[label.end() :], True
    if _CLOSED.search(sentence):
        return f'{OTHER_VERDICT}: "{shown}"'
    if not note and find_anchor(sentence)[0]:
        return f'names a place in the work: "{shown}"'
    spoken = stated and sentence.strip(SPACE + "*_`|")
    if (spoken or _YES.search(sentence) or _SPOKEN_YES.match(sentence)) and not is_yes(sentence):
        return f'approves with something beside it: "{shown}"'
    return ""


def is_yes(sentence: str) -> bool:
    """A plain approval and nothing that qualifies it."""
    found = _SPOKEN_YES.match(sentence)
    return bool(found and approves(sentence.strip(SPACE + "|"), found[1].lower()))
