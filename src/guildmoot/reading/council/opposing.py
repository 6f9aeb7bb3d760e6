"""What a judge's JSON says against its own PASS: other keys, words or severities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from guildmoot.reading.blocks import OWN
from guildmoot.reading.clerk.normal import word_for
from guildmoot.reading.council import finding_names
from guildmoot.reading.council.scales import read_severity, read_share
from guildmoot.reading.council.statements import stated
from guildmoot.reading.json_repair import snake
from guildmoot.reading.list_items import says_none
from guildmoot.reading.reasons import read_marks
from guildmoot.reading.reply_json import as_text, names_in, says_nothing
from guildmoot.reading.verdict_schema import OPEN_ENDS
from guildmoot.reading.words.doubts import denies_approval, doubt, is_grave, is_grave_name, opposes
from guildmoot.reading.words.wording import told_grave

_DEEPEST = 4
_GENERAL = ("debate_notes", "satisfaction_breakdown", "test_assertions")
"""Keys whose parts speak of other verdicts and of checks."""
_WORDS = ("key_insight", "recommendation")
_SPOKEN = tuple((name,) for name in _WORDS)
_MARKED = ("description", "why", "recommendation", "fix")
_UNWRITTEN = ("placeholder", "todo", "tbd", "fill in", "to be written", "...", "…")
_TOLD = ("description", "why")
"""What a finding says of itself; its remedy may name anything."""
_OPEN = tuple((name,) for name in OPEN_ENDS)
_SAYING = frozenset(("findings", *finding_names.ROOT, *sum(finding_names.ROOT.values(), ())))
_HALF = 0.5


def what_opposes(objects: Sequence[Mapping[str, object]], words: bool = True) -> str:
    """Why the objects that state PASS cannot be believed; empty when nothing in them speaks against it.

    Without ``words`` the running words of the insight and the recommendation are left to others.
    """
    for each in objects:
        if "verdict" in names_in(each) and not says_something(each):
            return "the verdict is PASS, yet not a word is said about the work"
        for path, value in _leaves(each, ()):
            found = _opposition(path, value, words)
            if found:
                return f"the verdict is PASS, yet {'.'.join(path)} {found}"
    return ""


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every text, number and truth value with the keys on the way to it."""
    if isinstance(value, dict) and len(path) <= _DEEPEST:
        for key, child in value.items():
            if snake(key) not in _GENERAL:
                yield from _leaves(child, (*path, snake(key)))
    elif isinstance(value, list):
        for child in value:
            yield from _leaves(child, path)
    else:
        yield path, value


def _opposition(path: tuple[str, ...], value: object, words: bool) -> str:
    name = path[-1] if path else ""
    if name == "severity" and value is not None:
        harmless = isinstance(value, str) and not is_grave(value) and read_severity(value)
        return "" if harmless else f"is {value!r}"
    if path[:1] == ("findings",) and len(path) > 1:
        if isinstance(value, str) and _is_marked(name, value):
            return f"is marked as grave: {value!r}"
        grave = name in _TOLD and isinstance(value, str) and told_grave(value)
        return f"tells of something grave: {value!r}" if grave else ""
    if path == ("verdict",):
        return ""
    if path in _OPEN:
        return "" if names_nothing(value) else f"names {value!r}"
    if name == "satisfaction_score" and _is_poor(value):
        return f"is {value!r}"
    if len(path) == 1 and name in _WORDS and isinstance(value, str):
        if _is_unwritten(value):
            return f"was never written: {value!r}"
        if any(said.word != "PASS" for said in stated([(OWN, value)])) or word_for(value):
            return f"states another verdict: {value!r}"
    if value and is_grave_name(name.replace("_", " ")) and not says_none(str(value)):
        return f"lists {value!r}"
    if not words and path in _SPOKEN:
        return ""
    if opposes(name.replace("_", " "), str(value)):
        return f"is {value!r}"
    prose = isinstance(value, str) and len(value.split()) > 2 and name != "confidence"
    return doubt([(OWN, row) for row in str(value).split("\n")], []) if prose else ""


def denied_field(objects: Sequence[Mapping[str, object]]) -> str:
    """The field in which an object says no to its own work, e.g. ``approved: false``; empty where none does."""
    for each in objects:
        for path, value in _leaves(each, ()):
            if path[:1] != ("findings",) and denies_approval(path[-1] if path else "", value):
                return f"{'.'.join(path)}: {str(value).lower()}"
    return ""


def names_nothing(value: object) -> bool:
    """Whether an entry of a list for what is open is empty, or says that nothing is."""
    words = str(value).strip(" .!").casefold().split()
    denied = len(words) <= 2 and words[:1] in (["no"], ["none"], ["nothing"])
    return value is None or not words or denied or says_none(str(value))


def says_something(value: Mapping[str, object]) -> bool:
    """Whether an object with a verdict holds a finding, an insight or a recommendation."""
    told = (each for name, each in value.items() if snake(name) in _SAYING and each)
    texts = (as_text(each).strip() for each in told)
    return any(not says_nothing(text) for text in texts)


def _is_marked(name: str, value: str) -> bool:
    """Whether a part of a minor finding is marked as what blocks, or its category is a grave word."""
    if name == "category":
        return any(read_severity(word) == "critical" for word in value.replace("-", " ").split())
    marks = read_marks(value) if name in _MARKED else None
    return bool(marks and (marks.blocking or marks.severity in ("critical", "high")))


def _is_poor(score: object) -> bool:
    """Less than half of what can be reached; a number above 1 may be of any scale."""
    share = read_share(score)
    return share is not None and share < _HALF and isinstance(score, float | int) and score <= 1


def _is_unwritten(value: object) -> bool:
    return isinstance(value, str) and value.strip(" .:[]<>").casefold() in _UNWRITTEN
