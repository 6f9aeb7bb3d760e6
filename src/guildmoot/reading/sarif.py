"""Reads SARIF 2.1.0 of any producer: rules by id or index, base folders, suppressions."""

from __future__ import annotations

import re
from urllib.parse import unquote

from guildmoot.named import NamedTuple
from guildmoot.reading.tool_formats import (
    ToolOutput,
    ToolResult,
    dig,
    line_at,
    list_at,
    load_json,
    text_at,
)

_NOT_FAILURES = ("pass", "notApplicable")
_PLACEHOLDER = re.compile(r"\{(\d{1,3})\}")
_MAX_BASES = 8
"""Base folders may point at one another; a loop must end."""

_TELL_RULES = ("semgrep",)
"""Tools that list every rule they ran with, and not those alone that found something."""


class _Run(NamedTuple):
    """One run with its driver's rules by id, so that many results cost one index."""

    log: object
    rules: dict[str, object]


def read_sarif(text: str) -> ToolOutput:
    """Every result that still stands. A run that did not scan is a problem, not an empty answer."""
    runs = list_at(load_json(text), "runs")
    if not runs:
        return ToolOutput(problem="no SARIF log with a run in it")
    parts = [_read_run(run) for run in runs]
    found = tuple(result for part in parts for result in part.results)
    return ToolOutput(found, next((part.problem for part in parts if part.problem), ""))


def _read_run(log: object) -> ToolOutput:
    results = dig(log, "results")
    if not isinstance(results, list):
        return ToolOutput(problem="a run has no results: the tool did not scan")
    rules = list_at(log, "tool", "driver", "rules")
    run = _Run(log, {text_at(rule, "id"): rule for rule in rules})
    found = tuple(_result(run, result) for result in results if _stands(result))
    strange = any(not isinstance(result, dict) for result in results)
    return ToolOutput(found, "a result is no object" if strange else _failure(log))


def _stands(result: object) -> bool:
    """Whether it is a failure that nobody has waved through and that is still there."""
    if not isinstance(result, dict) or result.get("kind") in _NOT_FAILURES:
        return False
    waved = (dig(entry, "status") for entry in list_at(result, "suppressions"))
    if any(status in (None, "accepted") for status in waved):
        return False
    return result.get("baselineState") != "absent"


def _failure(log: object) -> str:
    for invocation in list_at(log, "invocations"):
        if dig(invocation, "executionSuccessful") is False:
            notes = list_at(invocation, "toolExecutionNotifications")
            said = next(filter(None, (text_at(note, "message", "text") for note in notes)), "")
            return "the tool says that it failed" + (f": {said}" if said else "")
    driver = dig(log, "tool", "driver")
    if text_at(driver, "name").lower().startswith(_TELL_RULES) and not list_at(driver, "rules"):
        return "it ran with no rules, so it judged nothing"
    return ""


def _result(run: _Run, result: object) -> ToolResult:
    rule = _rule(run, result)
    place = dig(result, "locations", 0, "physicalLocation")
    start = line_at(place, "region", "startLine")
    title = _message(dig(result, "message"), rule)
    about = text_at(rule, "fullDescription", "text") or text_at(rule, "shortDescription", "text")
    code = _rule_id(result) or text_at(rule, "id")
    return ToolResult(
        title=title or about or code,
        path=_path(run.log, dig(place, "artifactLocation")),
        line=start,
        end_line=line_at(place, "region", "endLine") or start,
        code=code,
        level=_level(result, rule),
        score=max(_score(rule), _score(result)),
        quote=text_at(place, "region", "snippet", "text"),
        why="" if about == title else _why(about),
        fix=_fix(result),
        url=text_at(rule, "helpUri"),
    )


def _why(about: str) -> str:
    """One paragraph of a rule's documentation: why it matters, where a heading asks that."""
    reason = re.split(r"^#+ Why\b.*$", about, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)[-1]
    paragraphs = (part for part in re.split(r"\n\s*\n", reason) if part.strip())
    first = next((part for part in paragraphs if not part.lstrip().startswith(("#", "```"))), "")
    return " ".join(first.split())


def _rule_id(result: object) -> str:
    return text_at(result, "ruleId") or text_at(result, "rule", "id")


def _rule(run: _Run, result: object) -> object:
    """By index where the result gives one, else by id, where ``a/b`` is a kind of ``a``."""
    extension = dig(result, "rule", "toolComponent", "index")
    tool = ("extensions", extension) if isinstance(extension, int) else ("driver",)
    for index in (dig(result, "ruleIndex"), dig(result, "rule", "index")):
        if isinstance(index, int):
            rule = dig(run.log, "tool", *tool, "rules", index)
            if rule is not None:
                return rule
    wanted = _rule_id(result)
    return run.rules.get(wanted) or run.rules.get(wanted.rpartition("/")[0])


def _message(message: object, rule: object) -> str:
    text = text_at(message, "text") or text_at(message, "markdown")
    if not text:
        text = text_at(rule, "messageStrings", text_at(message, "id"), "text")
    values = list_at(message, "arguments")
    return _PLACEHOLDER.sub(
        lambda hole: str(values[int(hole[1])]) if int(hole[1]) < len(values) else hole[0], text
    )


def _level(result: object, rule: object) -> str:
    if dig(result, "kind") not in (None, "fail"):
        return "note"
    return text_at(result, "level") or text_at(rule, "defaultConfiguration", "level") or "warning"


def _score(holder: object) -> float:
    """The score that code-scanning services read, from 0 to 10; negative when there is none."""
    score = dig(holder, "properties", "security-severity")
    try:
        number = float(score) if isinstance(score, (str, int, float)) else -1.0
    except (ValueError, OverflowError):
        return -1.0
    return number if 0 <= number <= 10 else -1.0


def _fix(result: object) -> str:
    """The first fix in words, or else the text that it would put there."""
    fix = dig(result, "fixes", 0)
    said = text_at(fix, "description", "text")
    change = dig(fix, "artifactChanges", 0, "replacements", 0)
    text = text_at(change, "insertedContent", "text")
    if not text:
        return said
    start = line_at(change, "deletedRegion", "startLine")
    written = f"replace at line {start} with: {text}" if start else f"insert: {text}"
    return f"{said} ({written})" if said else written


def _path(log: object, location: object) -> str:
    """The artifact's path with its chain of base folders put before it."""
    index = dig(location, "index")
    if not text_at(location, "uri") and isinstance(index, int):
        location = dig(log, "artifacts", index, "location")
    path = text_at(location, "uri")
    for _ in range(_MAX_BASES):
        if not path or ":/" in path or path.startswith("/"):
            break
        location = dig(log, "originalUriBaseIds", text_at(location, "uriBaseId"))
        base = text_at(location, "uri")
        path = base.rstrip("/") + "/" + path if base else path
    return unquote(path)
