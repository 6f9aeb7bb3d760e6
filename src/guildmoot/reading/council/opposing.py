"""What a judge's JSON says against its own PASS: other keys, words or severities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.reading.blocks import OWN
from guildmoot.reading.council.scales import read_severity
from guildmoot.reading.council.statements import Statement
from guildmoot.reading.json_repair import snake
from guildmoot.reading.list_items import says_none
from guildmoot.reading.words.doubts import doubt, is_grave, is_grave_name, opposes

_DEEPEST = 4
_GENERAL = ("debate_notes", "satisfaction_breakdown", "test_assertions")
"""Keys whose parts speak of other verdicts and of checks."""


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
    if path == ("verdict",) or (path[:1] == ("findings",) and len(path) > 1):
        return ""
    if value and is_grave_name(name.replace("_", " ")) and not says_none(str(value)):
        return f"lists {value!r}"
    if opposes(name.replace("_", " "), str(value)):
        return f"is {value!r}"
    prose = isinstance(value, str) and len(value.split()) > 2 and name != "confidence"
    return doubt([(OWN, row) for row in str(value).split("\n")], []) if prose else ""
