"""Reads reviewdog's diagnostic format: one object (rdjson) or one a line (rdjsonl)."""

from __future__ import annotations

import json

from guildmoot.reading.claims import Claim, Claims, line_at, list_at, load_json, text_at

_NUMBERED_LEVELS = {1: "error", 2: "warning", 3: "info"}


def read_rdjson(text: str) -> Claims:
    """Every diagnostic of a ``DiagnosticResult``."""
    result = load_json(text)
    if not isinstance(result, dict) or not isinstance(result.get("diagnostics"), list):
        return Claims(problem="no JSON object with a list of diagnostics")
    return _claims(result["diagnostics"], _level(result), text_at(result, "source", "url"))


def read_rdjsonl(text: str) -> Claims:
    """Every line that is a diagnostic; other lines are chatter, but a broken one is a problem."""
    found: list[object] = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.lstrip().startswith("{"):
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            return _claims(found)._replace(problem=f"line {number} is broken JSON")
    return _claims(found)


def _claims(diagnostics: list[object], level: str = "", url: str = "") -> Claims:
    claims = tuple(_claim(item, level, url) for item in diagnostics if isinstance(item, dict))
    strange = len(diagnostics) - len(claims)
    return Claims(claims, f"{strange} diagnostics are no objects" if strange else "")


def _claim(item: dict[str, object], level: str, url: str) -> Claim:
    place = item.get("location")
    start = line_at(place, "range", "start", "line")
    return Claim(
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
