"""Reads the findings of a judge's JSON verdict, and says what was amiss with each.

A finding is never dropped for being incomplete, and one without a severity counts as significant.
"""

from __future__ import annotations

from guildmoot.model.council_verdict import (
    Assertion,
    Confidence,
    CouncilFinding,
    FindingSeverity,
)
from guildmoot.reading.council.coerce import Fields, as_text, kind_of
from guildmoot.reading.council.scales import read_confidence, read_severity

_ALIASES = {
    "description": (
        *("message", "issue", "title", "finding", "problem", "summary"),
        *("detail", "details", "text"),
    ),
    "fix": ("suggested_fix", "remediation", "remedy", "suggestion"),
    "why": ("rationale", "reason", "impact"),
}
_PATHS = ("file", "path", "filename", "file_path")
_LINES = ("line", "line_number", "start_line", "lines")


def read_findings(fields: Fields, medium: FindingSeverity) -> tuple[CouncilFinding, ...]:
    if "findings" not in fields:
        fields.warn("findings are missing")
    grouped = _by_severity(fields.get("findings"), medium)
    items = grouped or [(item, "") for item in fields.items("findings")]
    return tuple(
        _finding(item, severity, f"finding {number}", fields.warnings, medium)
        for number, (item, severity) in enumerate(items, start=1)
        if item not in (None, "", {}, [])
    )


def _by_severity(said: object, medium: FindingSeverity) -> list[tuple[object, str]]:
    """Findings in lists under their severity, as some judges group them."""
    if not isinstance(said, dict) or not said:
        return []
    if not all(read_severity(key, medium) and isinstance(said[key], list) for key in said):
        return []
    return [(item, key) for key, items in said.items() for item in items]


def _finding(
    item: object, severity: str, place: str, warnings: list[str], medium: FindingSeverity
) -> CouncilFinding:
    fields = Fields(item if isinstance(item, dict) else {"description": item}, place, warnings)
    if not isinstance(item, dict):
        fields.warn(f"it is {kind_of(item)}, not an object")
    for name, others in _ALIASES.items():
        fields.alias(name, others)
    brief = not isinstance(item, dict)
    return CouncilFinding(
        severity=_severity(fields, severity, medium),
        category=fields.text("category", required=not brief),
        description=fields.text("description"),
        location=_location(fields),
        recommendation=fields.text("recommendation", required=not (brief or "fix" in fields)),
        fix=fields.optional_text("fix"),
        why=fields.optional_text("why"),
        ref=fields.optional_text("ref"),
        id=_id(fields),
        confidence=confidence_in(fields, required=False),
        test_assertions=_assertions(fields),
        extras=fields.extras(),
    )


def _severity(fields: Fields, grouped: str, medium: FindingSeverity) -> FindingSeverity:
    said = fields.get("severity")
    said = grouped if said is None else said
    read = read_severity(said, medium)
    if read is None:
        given = f"is {as_text(said)!r}, which is unknown" if said else "is missing"
        fields.warn(f"severity {given}; it counts as significant")
        return "significant"
    if read != as_text(said).lower():
        fields.warn(f"severity {as_text(said)!r} was read as {read}")
    return read


def _id(fields: Fields) -> str | None:
    """A bare number is as good an id as any."""
    said = fields.get("id")
    is_number = isinstance(said, int) and not isinstance(said, bool)
    return str(said) if is_number else fields.optional_text("id")


def _location(fields: Fields) -> str:
    """``file:line``, also when file and line were given apart."""
    said = fields.get("location")
    if isinstance(said, dict):
        place = _place(Fields(said, fields.place, fields.warnings))
        if place:
            fields.warn(f"location is an object; read as {place}")
            return place
    if said is None:
        place = _place(fields)
        if place:
            fields.warn(f"location was made of the file and line given apart: {place}")
        return place
    return fields.text("location")


def _place(fields: Fields) -> str:
    path = next((as_text(fields.get(name)) for name in _PATHS if name in fields), "")
    line = next((as_text(fields.get(name)) for name in _LINES if name in fields), "")
    end = as_text(fields.get("end_line")) if "end_line" in fields else ""
    span = f"{line}-{end}" if line and end and end != line else line
    return f"{path}:{span}" if path and span else path


def _assertions(fields: Fields) -> tuple[Assertion, ...]:
    return tuple(
        Assertion(*texts_in(fields, item, "test_assertions", Assertion._fields, "command"))
        for item in fields.items("test_assertions")
    )


def confidence_in(fields: Fields, required: bool) -> Confidence | None:
    said = fields.get("confidence")
    read = read_confidence(said)
    if read is None and said is not None:
        fields.warn(f"confidence is {as_text(said)!r}, which is not HIGH, MEDIUM or LOW")
    elif read is None and required:
        fields.warn("confidence is missing")
    elif read and isinstance(said, int | float):
        fields.warn(f"confidence {said} was read as {read}")
    return read


def texts_in(
    fields: Fields, item: object, place: str, names: tuple[str, ...], lone: str
) -> list[str]:
    """The named texts of an object; a lone text stands for the one called ``lone``."""
    if not isinstance(item, dict):
        fields.warn(f"{place}: an item is {kind_of(item)}, not an object")
        return [as_text(item) if name == lone else "" for name in names]
    parts = Fields(item, f"{fields.place} {place}".strip(), fields.warnings)
    texts = [parts.text(name) for name in names]
    parts.extras()
    return texts
