"""What in a reply speaks against its approval: an approval is believed only where nothing else is said.

Read are the judge's own lines: other verdict words and labels, boxes, grave headings, marks and severities,
scores, signs, table cells, JSON, and running words (``wording``). Each rule is blind to what says "none".
"""

from __future__ import annotations

from itertools import pairwise

from guildmoot.reading.blocks import DOUBTFUL, OWN, SPACE, Line
from guildmoot.reading.list_items import bullet_text, says_none
from guildmoot.reading.words.lexicon import (
    AFFIRMATIONS,
    CLEAR,
    DECISIONS,
    FAILED,
    FAULTS,
    GRAVE,
    GRAVE_HAN,
    GRAVE_MARKS,
    GRAVE_PHRASES,
    HARMLESS,
    MILD_PHRASES,
    NO,
    NONE,
    RATINGS,
    SCORES,
    UNDONE,
    folded,
    words_of,
)
from guildmoot.reading.words.wording import objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SIGNS = "❌✖✗✘🚫⛔🛑👎🔴🟥🚨💥☠❎🙅🤮💀"
_DENIALS = ("no", "false", "nope", "never", "not", "0")
_COUNTED = tuple("123456789")
_LONGEST_LABEL = 7
_MOST_UNITS = 4_000
_LONGEST_LINE = 20_000


_SURENESS = frozenset(("very", "high", "medium", "moderate", "low"))


class _Unit:
    """One heading, item, table row, label or paragraph, and what stands under it if it is a heading."""

    __slots__ = ("above", "below", "heading", "small", "text", "words")

    def __init__(self, text: str, heading: bool) -> None:
        self.text = text
        self.small = folded(text[:_LONGEST_LINE])
        self.words = words_of(self.small)
        self.heading = heading
        self.below = ""
        self.above = ""
        """The heading that it stands under at once."""


def doubt(lines: list[Line], asides: list[Line], prose: bool = True) -> str:
    """Why the lines cannot stand beside an approval; ``asides``, which advise, may tell of defects.

    Without ``prose`` only their form counts: boxes, tables, headings, signs, ratings, other verdicts.
    """
    said, advice = _units(lines), _units(asides)
    if len(said) + len(advice) > _MOST_UNITS:
        return "it is approved, yet more is said than anybody could weigh"
    found = _first(map(_form, said))
    if prose:
        found = found or _first(_objection(unit, True) for unit in said)
        found = found or _first(_objection(unit, False) for unit in advice)
    return f"it is approved, yet {found}" if found else ""


def _first(found: Iterable[str]) -> str:
    return next(filter(None, found), "")


def _objection(unit: _Unit, defects: bool) -> str:
    if _says_nothing(unit):
        return ""
    if not defects and _rated(unit):
        return f"advice is rated as grave: {_shown(unit.text)}"
    found = objection(unit.text, defects)
    return f"{found}: {_shown(unit.text)}" if found else ""


def _shown(text: str) -> str:
    return " ".join(text.split())[:120]


def _units(lines: list[Line]) -> list[_Unit]:
    """Lines that belong together, code spans left out: they quote."""
    units: list[_Unit] = []
    open_ = False
    for kind, row in lines:
        text = _without_spans(row.strip(SPACE)) if kind in (OWN, DOUBTFUL) else ""
        deep = row[:4] == "    " or row[:1] == "\t"
        if not text or (deep and not open_):  # Markdown quotes code so; in a list it goes on
            open_ = False
            continue
        begins = not open_ or _begins(text)
        if begins:
            units.append(_Unit(text, _is_heading(text)))
        else:
            units[-1] = _Unit(f"{units[-1].text} {text}", False)
        whole = units[-1].heading or _is_word_of_no(units[-1].text)
        open_ = not whole and len(units[-1].text) < _LONGEST_LINE
    for unit, after in pairwise(units):
        unit.below = after.text
        after.above = unit.text if unit.heading else ""
    return units


def _without_spans(text: str) -> str:
    """Without what stands between back-ticks, and without a verdict between quotation marks."""
    for mark in ("`", "'", '"', "“"):
        parts = text.replace("”", "“").split(mark) if mark in text else []
        if len(parts) > 2 and (
            mark == "`"
            or any(part[:7].lower() == "verdict" and part[7:8] == ":" for part in parts[1::2])
        ):
            text = " ".join(parts[::2]).strip()
    return text


def _begins(text: str) -> bool:
    """Whether a line is no continuation of the one before: an item, a row, a heading or a label."""
    head, colon, _ = text.partition(":")
    return (
        bool(bullet_text(text))
        or text[:1] in "#|>*_[{" + _SIGNS
        or (bool(colon) and len(head.split()) <= _LONGEST_LABEL)
        or _is_word_of_no(text)
    )


def _is_word_of_no(text: str) -> bool:
    return len(text) < 30 and folded(text).strip("*_.! ") in NO


def _is_heading(text: str) -> bool:
    bare = text.rstrip(SPACE)
    bold = (
        bare[:2] in ("**", "__")
        and bare.rstrip(":").endswith(("**", "__"))
        and bare.count(bare[:2]) == 2
    )
    return bare[:1] == "#" or bold or (bare.endswith((":", "：")) and len(bare.split()) <= 8)


def _form(unit: _Unit) -> str:
    """What the form of a line says against an approval."""
    shown = _shown(unit.text)
    if _label(unit):
        return f"another verdict is stated: {shown}"
    if _says_nothing(unit) or _is_confidence(unit):
        return ""
    if any(sign in unit.text for sign in _SIGNS):
        return f"a sign says otherwise: {shown}"
    if unit.text.count("|") > 1 and _cells(unit):
        return f"a table says otherwise: {shown}"
    if _is_other_word(unit):
        return f"another verdict is stated: {shown}"
    if unit.words[:1] == ["traceback"]:
        return f"{FAILED}: {shown}"
    if _grave_heading(unit) or _grave_mark(unit) or _rated(unit):
        return f"something grave is listed: {shown}"
    if _counts(unit):
        return f"a number says otherwise: {shown}"
    return json_doubt(unit.text)


def _says_nothing(unit: _Unit) -> bool:
    """``Critical issues: none`` and the like; under a heading, that nothing is listed."""
    _, colon, value = unit.text.replace("：", ":").partition(":")
    said = value if colon and value.strip("*_ ") else unit.below if unit.heading else ""
    bare = said.strip("*_`-•|>() \t.")
    words = words_of(folded(bare[:200]))
    found_none = words[-2:] in (["found", "none"], ["none", "found"], ["not", "found"])
    clean = 0 < len(words) <= 3 and words[0] in NONE and NO.isdisjoint(words[1:])
    return bool(said) and (clean or found_none or (says_none(bare) and bare[:1] not in _COUNTED))


def _is_confidence(unit: _Unit) -> bool:
    """``HIGH`` under the heading ``Confidence``."""
    asked = words_of(folded(unit.above))
    return "confidence" in asked and len(asked) <= 3 and _SURENESS.issuperset(unit.words)


def _cells(unit: _Unit) -> bool:
    cells = [" ".join(words_of(cell)) for cell in unit.small.strip("|").split("|")]
    if any(cell in NONE for cell in cells):
        return False
    grave = GRAVE_MARKS - {"high", "major", "highest"}
    return (
        any(
            cell in grave
            or (cell in NO and cell not in ("no", "not", "false", "operator", "flag", "unknown"))
            for cell in cells
        )
        or (cells[0] in DECISIONS and len(cells) > 1 and cells[1] in NO)
        or ("high" in cells and not any("confidence" in cell for cell in cells) and len(cells) > 2)
    )


def _is_other_word(unit: _Unit) -> bool:
    """A line that says no more than another verdict."""
    words = unit.words[:8]
    return 0 < len(words) <= 2 and words[0] in NO and (NO | {"go"}).issuperset(words)


def _label(unit: _Unit) -> bool:
    """``Decision: reject``, ``VERDICT (final) - flagged``, ``Safe to merge: no``."""
    small = unit.small
    for sign in ("：", "=", " - ", "—", "–", "→", " is "):
        small = small.replace(sign, ":")
    head, colon, value = small.partition(":")
    while colon:
        label, said = words_of(head)[-_LONGEST_LABEL:], words_of(value[:80])
        if _opposes(label, said[:4]):
            return True
        head, colon, value = value.partition(":") if len(label) <= _LONGEST_LABEL else ("", "", "")
    return False


def _opposes(label: list[str], said: list[str]) -> bool:
    """Whether what stands beside a label says no to it."""
    if not said:
        return False
    if not DECISIONS.isdisjoint(label):
        begins = f" {' '.join(said)} "
        first = said[1:2] if said[0] in ("is", "was", "still", "now", "clearly") else said[:1]
        return (not NO.isdisjoint(first) and not begins.startswith(CLEAR)) or begins.startswith(
            UNDONE
        )
    return not AFFIRMATIONS.isdisjoint(label) and said[0] in _DENIALS


def opposes(label: str, value: str) -> bool:
    """Whether a label or key and its value say no to the work."""
    names, said = words_of(folded(label)), words_of(folded(value[:200]))
    return _opposes(names, said[:4])


def denies_approval(name: str, value: object) -> bool:
    """Whether a key asks for a yes to the work, and its value is a plain no."""
    said = folded(value).strip(" .!") if isinstance(value, str) else str(value).lower()
    names = words_of(folded(name.replace("_", " ")))
    asks = not AFFIRMATIONS.isdisjoint(names) and NO.isdisjoint(names)
    return asks and said in ("false", "no", "nope", "never", "not")


def is_grave(value: str) -> bool:
    """Whether a severity is grave, or none that is known to be harmless."""
    words = words_of(folded(value))
    return bool(words) and (words[0] not in HARMLESS or not GRAVE.isdisjoint(words))


def is_grave_name(name: str) -> bool:
    """Whether a key is the name of what must not be there, e.g. ``critical issues``."""
    words = words_of(name)
    return NONE.isdisjoint(words) and not (GRAVE - {"high", "major"}).isdisjoint(words)


def _grave_heading(unit: _Unit) -> bool:
    """A heading, or a label with something after it, that announces what must not be there."""
    head, colon, value = unit.text[:_LONGEST_LINE].replace("：", ":").partition(":")
    label = words_of(folded(head.rpartition(". ")[2]))
    if not NONE.isdisjoint(label[:2]):
        return False
    labelled = bool(colon) and 0 < len(label) <= _LONGEST_LABEL and bool(value.strip("*_ "))
    said = f" {' '.join(label)} "
    if not (unit.heading or labelled) or any(row in said for row in MILD_PHRASES):
        return False
    strong = GRAVE - {"high", "major", "highest", "serious"} if len(label) > 3 else GRAVE
    phrase = any(row in said for row in GRAVE_PHRASES)
    return phrase or not strong.isdisjoint(label) or any(mark in head for mark in GRAVE_HAN)


def _grave_mark(unit: _Unit) -> bool:
    """``[critical] ...``, ``**BLOCKER** ...``, ``P0 - ...`` at the front; or its beginning, cut off."""
    bare = (bullet_text(unit.text) or unit.text).lstrip(SPACE)
    text = bare.lstrip("[(*_")
    length = next((at for at, mark in enumerate(text[:20]) if not mark.isalnum()), len(text[:20]))
    word, after = folded(text[:length]), text[length : length + 1]
    if word in GRAVE_MARKS or (word == "sev" and text[length + 1 : length + 2] in ("0", "1")):
        marked = len(text) < len(bare) and after in ("]", ")", "*", "_", "-")
        return marked or after == ":" or text[:length].isupper()
    begun = "BLOCKING".startswith(text) or "CRITICAL".startswith(text)
    return 2 < length == len(text) and begun


def _rated(unit: _Unit) -> bool:
    """A severity that is not known to be harmless."""
    words = ["", *unit.words, ""]
    label = unit.small.replace("*", "").replace(" ", "").replace("：", ":").replace("=", ":")
    for number, word in enumerate(words):
        if word in RATINGS:
            before, said = words[number - 1], words[number + 1]
            denied = before == "high" and "no" in words[max(0, number - 4) : number]
            if said in GRAVE or (before in GRAVE and not denied):
                return True
            if said and said not in HARMLESS and f"{word}:{said}" in label:
                return True
    return False


def _counts(unit: _Unit) -> bool:
    """``Score: 2/10``, ``37 failed``."""
    words = (
        unit.small.replace("/", " / ")
        .replace("*", " ")
        .replace(",", " ")
        .replace(";", " ")
        .replace(":", " ")
        .split()
    )
    for number, word in enumerate(words):
        follows = words[number + 1] if number + 1 < len(words) else ""
        value = _number(word)
        if value is None:
            continue
        if (
            value >= 1
            and word.isdigit()
            and follows.strip(".)") in FAULTS
            and "of" not in words[number + 1 : number + 4]
        ):
            return True
        rest = words[number + 1 : number + 4]
        most = (
            _number(rest[1])
            if rest[:1] == ["/"] and len(rest) > 1
            else _number(rest[2])
            if rest[:2] == ["out", "of"] and len(rest) > 2
            else None
        )
        if most and value * 2 < most and not SCORES.isdisjoint(unit.words):
            return True
    return False


def _number(word: str) -> float | None:
    word = word.strip("().")
    return (
        float(word)
        if len(word) < 12 and word.isascii() and word.replace(".", "", 1).isdigit()
        else None
    )


def json_doubt(text: str) -> str:
    """``"approved": false``, ``"decision": "reject"``, ``"severity": "fatal"`` in JSON or what looks like it."""
    if '"' not in text or ":" not in text:
        return ""
    import re

    for key, value in re.findall(
        r'"([\w -]{1,40})"\s{0,9}:\s{0,9}("[^"\n]{0,200}|true|false)', text
    ):
        label = key.replace("_", " ")
        rated = not RATINGS.isdisjoint(words_of(folded(label))) and is_grave(value)
        if rated or opposes(label, value):
            return f"JSON says otherwise: {_shown(key)}: {_shown(value)}"
    return ""
