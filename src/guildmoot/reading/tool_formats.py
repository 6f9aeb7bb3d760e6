"""What a tool printed, as results in its own terms: lines by a pattern, reviewdog's rdjson and rdjsonl.

Every format reader returns a ``ToolOutput``; ``reading.tool`` grades the results, and SARIF is read by
``reading.sarif`` with the same safe ways into JSON. Nothing here raises.
"""

from __future__ import annotations

import json
import re

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_ANSI = lazy(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_NUMBERED_LEVELS = {1: "error", 2: "warning", 3: "info"}

_MOST_TRIES = 100
"""Lines that look like the beginning of an object but are none; a log may hold some."""


class ToolResult(NamedTuple):
    """One result of a tool, in the tool's own terms."""

    title: str
    path: str = ""
    line: int = 0
    end_line: int = 0
    code: str = ""
    level: str = ""
    """The tool's own word for how bad it is; empty when it said nothing."""
    score: float = -1.0
    """A security score from 0 to 10 when the rule carries one, else negative."""
    quote: str = ""
    why: str = ""
    fix: str = ""
    url: str = ""


class ToolOutput(NamedTuple):
    """What could be read, and what could not: a problem means that silence is not approval."""

    results: tuple[ToolResult, ...] = ()
    problem: str = ""


def load_json(text: str) -> object:
    """The JSON object in ``text``, also when a tool chatted around it; None when there is none."""
    text = "\n" + text.lstrip("\ufeff \t\r\n")
    start = -1
    for _ in range(_MOST_TRIES):
        start = text.find("\n{", start + 1)
        if start < 0:
            return None
        try:
            found: object = json.JSONDecoder().raw_decode(text, start + 1)[0]
        except (ValueError, RecursionError):
            continue
        return found
    return None


def dig(value: object, *keys: str | int) -> object:
    """What lies under ``keys``, or None as soon as a step is missing or of the wrong kind."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, dict) else None
        else:
            value = value[key] if isinstance(value, list) and 0 <= key < len(value) else None
    return value


def text_at(value: object, *keys: str | int) -> str:
    """The string under ``keys``, stripped; empty when there is none."""
    found = dig(value, *keys)
    return found.strip() if isinstance(found, str) else ""


def line_at(value: object, *keys: str | int) -> int:
    """The line number under ``keys``; 0 when there is none."""
    found = dig(value, *keys)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def list_at(value: object, *keys: str | int) -> list[object]:
    """The list under ``keys``; empty when there is none."""
    found = dig(value, *keys)
    return found if isinstance(found, list) else []


def plain(text: str) -> str:
    """``text`` without terminal colours and links."""
    return _ANSI.sub("", text)


def read_lines(text: str, pattern: str) -> ToolOutput:
    """One result for each line that the pattern is found in; other lines are chatter."""
    try:
        wanted = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as wrong:
        return ToolOutput(problem=f"the agent's pattern is no regular expression: {wrong}")
    if not pattern:
        return ToolOutput(problem="the agent has no pattern to read lines with")
    found = (wanted.search(line) for line in plain(text).replace("\r\n", "\n").split("\n"))
    return ToolOutput(tuple(_from_match(match) for match in found if match))


def _from_match(match: re.Match[str]) -> ToolResult:
    groups = {name: (value or "").strip() for name, value in match.groupdict().items()}
    start = _number(groups.get("line", ""))
    return ToolResult(
        title=groups.get("message") or match[0].strip(),
        path=groups.get("path", ""),
        line=start,
        end_line=_number(groups.get("end_line", "")) or start,
        code=groups.get("code", ""),
        level=groups.get("severity", ""),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def read_rdjson(text: str) -> ToolOutput:
    """Every diagnostic of a ``DiagnosticResult``."""
    result = load_json(text)
    if not isinstance(result, dict) or not isinstance(result.get("diagnostics"), list):
        return ToolOutput(problem="no JSON object with a list of diagnostics")
    return _output(result["diagnostics"], _level(result), text_at(result, "source", "url"))


def read_rdjsonl(text: str) -> ToolOutput:
    """Every line that is a diagnostic; other lines are chatter, but a broken one is a problem."""
    found: list[object] = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.lstrip().startswith("{"):
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            return _output(found)._replace(problem=f"line {number} is broken JSON")
    return _output(found)


def _output(diagnostics: list[object], level: str = "", url: str = "") -> ToolOutput:
    results = tuple(
        _from_diagnostic(item, level, url) for item in diagnostics if isinstance(item, dict)
    )
    strange = len(diagnostics) - len(results)
    return ToolOutput(results, f"{strange} diagnostics are no objects" if strange else "")


def _from_diagnostic(item: dict[str, object], level: str, url: str) -> ToolResult:
    place = item.get("location")
    start = line_at(place, "range", "start", "line")
    return ToolResult(
        title=text_at(item, "message"),
        path=text_at(place, "path"),
        line=start,
        end_line=line_at(place, "range", "end", "line") or start,
        code=text_at(item, "code", "value"),
        level=_level(item) or level,
        quote=text_at(item, "originalOutput") or text_at(item, "original_output"),
        fix=_fix(item),
        url=text_at(item, "code", "url") or text_at(item, "source", "url") or url,
    )


def _level(item: dict[str, object]) -> str:
    """Protocol buffers allow an enum by name or by number."""
    level = item.get("severity")
    if isinstance(level, int):
        return _NUMBERED_LEVELS.get(level, "")
    return "" if not isinstance(level, str) or level.startswith("UNKNOWN") else level


def _fix(item: dict[str, object]) -> str:
    suggestions = list_at(item, "suggestions")
    if not suggestions or not isinstance(suggestions[0], dict):
        return ""
    first, last = (line_at(suggestions[0], "range", end, "line") for end in ("start", "end"))
    text = suggestions[0].get("text")
    if not isinstance(text, str):
        return ""
    where = f"line {first}" if last in (0, first) else f"lines {first} to {last}"
    return f"replace at {where} with: {text.rstrip()}" if text.strip() else f"remove at {where}"
