"""The names that models give to the parts of a finding, in place of those that they were asked for."""

from __future__ import annotations

from collections.abc import Mapping

from guildmoot.reading.json_repair import snake
from guildmoot.reading.reply_json import JsonFields, as_text

ROOT = {
    "key_insight": ("insight", "summary", "headline"),
    "recommendation": ("recommendations", "next_step", "next_steps"),
}
PARTS = {
    "description": (
        *("message", "issue", "title", "finding", "problem", "summary", "detail", "details"),
        *("text", "what", "body", "comment", "name"),
    ),
    "fix": (
        *("suggested_fix", "remediation", "remedy", "suggestion", "solution", "suggested_change"),
        *("proposed_fix", "resolution"),
    ),
    "why": ("rationale", "reason", "impact", "explanation", "consequence"),
    "severity": ("level", "priority", "importance", "criticality"),
    "location": ("place", "loc", "where", "position"),
}
_LISTS = ("issues", "problems", "concerns", "defects", "comments", "reasons", "review_comments")
_TITLES = ("title", "summary", "name", "issue")
_BODIES = ("message", "description", "detail", "details", "body", "text", "explanation")
_PATHS = ("file", "path", "filename", "file_path", "uri")
_LINES = ("line", "line_number", "start_line", "lines", "start", "range")


def listed(value: Mapping[str, object]) -> Mapping[str, object]:
    """The object with its findings under that name, whatever they were called, or wherever they lay."""
    known = {snake(key): key for key in value}
    if "findings" in known:
        return value
    for name in _LISTS:
        if name in known and isinstance(value[known[name]], list):
            return {**_without(value, known[name]), "findings": value[known[name]]}
    for key, inner in value.items():
        rows = inner.get("findings") if isinstance(inner, dict) else None
        if isinstance(rows, list):
            return {**_without(value, key), "findings": rows}
    return value


def named(fields: JsonFields) -> None:
    """Take what stands under other names; a title and a message are both part of the description."""
    title = next((name for name in _TITLES if name in fields), "")
    body = next((name for name in _BODIES if name in fields and name != title), "")
    if title and body:
        said = [as_text(fields.get(name)).strip() for name in (title, body)]
        fields.put("description", ": ".join((said[0].rstrip(".:"), said[1])))
    for name, others in PARTS.items():
        fields.alias(name, others)


def place_of(fields: JsonFields) -> str:
    """``file:line`` of a file and a line that were given apart."""
    path = next((as_text(fields.get(name)) for name in _PATHS if name in fields), "")
    line = next((_line(fields.get(name)) for name in _LINES if name in fields), "")
    end = _line(fields.get("end_line") or fields.get("end")) if path else ""
    span = f"{line}-{end}" if line and end and end != line else line
    return f"{path}:{span}" if path and span else path


def _line(said: object) -> str:
    """A line that was given as a number, a text, or an object that holds one."""
    if isinstance(said, dict):
        return next(
            (_line(said[key]) for key in ("line", "start_line", "start") if key in said), ""
        )
    return "" if said is None else as_text(said)


def _without(value: Mapping[str, object], key: str) -> dict[str, object]:
    return {name: item for name, item in value.items() if name != key}
