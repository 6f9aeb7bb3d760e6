"""What a judge's JSON says against its own PASS: other keys, words or severities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.reading.blocks import OWN
from guildmoot.reading.council.scales import read_severity, read_share
from guildmoot.reading.council.statements import Statement
from guildmoot.reading.json_repair import snake
from guildmoot.reading.list_items import says_none
from guildmoot.reading.words.doubts import doubt, is_grave, is_grave_name, opposes
from guildmoot.reading.words.wording import told_grave

_DEEPEST = 4
_GENERAL = ("debate_notes", "satisfaction_breakdown", "test_assertions")
"""Keys whose parts speak of other verdicts and of checks."""
_UNWRITTEN = ("placeholder", "todo", "tbd", "fill in", "to be written", "...", "…")
_TOLD = ("description", "why")
"""What a finding says of itself; its remedy may name anything."""
_HALF = 0.5


def what_opposes(votes: Sequence[Statement]) -> str:
    """Why the objects that state PASS cannot be believed; empty when nothing in them speaks against it."""
    for vote in votes:
        for path, value in _leaves(vote.value, ()):
            found = _opposition(path, value)
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


def _opposition(path: tuple[str, ...], value: object) -> str:
    name = path[-1] if path else ""
    if name == "severity" and value is not None:
        harmless = isinstance(value, str) and not is_grave(value) and read_severity(value)
        return "" if harmless else f"is {value!r}"
    if path[:1] == ("findings",) and len(path) > 1:
        grave = name in _TOLD and isinstance(value, str) and told_grave(value)
        return f"tells of something grave: {value!r}" if grave else ""
    if path == ("verdict",):
        return ""
    if name == "satisfaction_score" and _is_poor(value):
        return f"is {value!r}"
    if path in (("key_insight",), ("recommendation",)) and _is_unwritten(value):
        return f"was never written: {value!r}"
    if value and is_grave_name(name.replace("_", " ")) and not says_none(str(value)):
        return f"lists {value!r}"
    if opposes(name.replace("_", " "), str(value)):
        return f"is {value!r}"
    prose = isinstance(value, str) and len(value.split()) > 2 and name != "confidence"
    return doubt([(OWN, row) for row in str(value).split("\n")], []) if prose else ""


def _is_poor(score: object) -> bool:
    """Less than half of what can be reached; a number above 1 may be of any scale."""
    share = read_share(score)
    return share is not None and share < _HALF and isinstance(score, float | int) and score <= 1


def _is_unwritten(value: object) -> bool:
    return isinstance(value, str) and value.strip(" .:[]<>").casefold() in _UNWRITTEN
