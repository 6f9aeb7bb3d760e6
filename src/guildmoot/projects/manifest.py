"""What a project's ``manifest.toml`` holds: which sections and fields there are, and of what kind.

Pure: text or values in, values out. Where records are kept and how they get there is the store's.
"""

from __future__ import annotations

from guildmoot.projects.errors import RecordError
from guildmoot.projects.toml import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Record = dict[str, Any]
    Check = Callable[[object], bool]

LISTS = (
    "phases", "events", "checkins", "sessions", "revisions", "retros", "replies", "findings",
)  # fmt: skip
"""The sections that are lists of records, in the order in which a new manifest has them."""
PHASE_STATES = ("not-started", "in-progress", "blocked", "completed")
VERDICTS = ("approved", "flagged")
RETRO_CATEGORIES = ("kept-well", "improvement", "process-change", "follow-up")
SEVERITIES = ("blocking", "advisory")


def _text(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _numbers(value: object) -> bool:
    return isinstance(value, list) and all(map(_number, value))


def _table(value: object) -> bool:
    return isinstance(value, dict)


def _text_table(value: object) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


def _fields(**checks: Check) -> Check:
    def check(value: object) -> bool:
        return isinstance(value, dict) and all(
            name in value and kind(value[name]) for name, kind in checks.items()
        )

    check.fields = tuple(checks)  # type: ignore[attr-defined]
    return check


def _findings(value: object) -> bool:
    row = _fields(category=_text, description=_text)
    return isinstance(value, list) and all(
        row(each) and _text(each.get("evidence", "")) for each in value
    )


_REQUIRED: dict[str, dict[str, Check]] = {
    "meta": {
        "schema_version": _number, "title": _text, "slug": _text, "started": _text, "status": _text,
        "strategy": _text,
    },
    "config": {
        "base_branch": _text, "reviewers": _texts, "labels": _texts, "verification": _texts,
        "worker_bindings": _text_table,
    },
    "phases": {"number": _number, "name": _text, "status": _text},
    "events": {"at": _text, "event": _text, "detail": _table},
    "checkins": {
        "schema_version": _number, "number": _text, "created": _text,
        "phase": _fields(number=_number, name=_text), "branch": _text, "unit": _text,
        "contract": _fields(
            goal=_text, acceptance_criteria=_texts, rules_applied=_texts, disqualifiers=_texts,
            inputs=_texts,
        ),
        "execution": _fields(actions=_texts, files_touched=_texts, corrections=_texts),
        "scope": _texts, "changes_since_previous": _text,
        "verdict": _fields(result=_text, reasons=_texts), "notes_for_pr": _texts,
    },
    "sessions": {
        "schema_version": _number, "date": _text, "letter": _text, "phases_touched": _numbers,
        "checkins_written": _texts, "pr_activity": _texts, "what_happened": _texts,
        "open_threads": _texts, "notes": _texts,
    },
    "revisions": {"timestamp": _text, "target": _text, "seq": _number},
    "retros": {"schema_version": _number, "type": _text, "created": _text, "findings": _findings},
    "replies": {"comment_id": _number, "body": _text, "branch": _text, "created": _text},
    "findings": {
        "evaluator": _text, "code": _text, "evidence": _text, "severity": _text,
        "signature": _text, "harvested_at": _text,
    },
}  # fmt: skip
_OPTIONAL: dict[str, dict[str, Check]] = {
    "meta": {"current_branch": _text, "latest_checkin": _text},
    "phases": {"branch": _text, "latest_checkin": _text, "blocked_reason": _text},
    "retros": {"phase": _number, "tier": _number},
    "findings": {"branch": _text, "unit": _text},
}


def parse(text: str) -> Record:
    """A manifest's values, each list there and checked; RecordError names what is wrong."""
    values = read(text)
    meta = values.get("meta")
    version = meta.get("schema_version") if isinstance(meta, dict) else None
    if _number(version) and version != 1:
        raise RecordError(
            "manifest-unsupported-version",
            f"the manifest is of version {version}, and this loom reads version 1; use a newer one",
        )
    for section in ("meta", "config"):
        if not isinstance(values.get(section), dict):
            raise RecordError("manifest-schema-invalid", f"there is no [{section}]")
        check_record(section, values[section])
    for section in LISTS:
        rows = values.setdefault(section, [])
        if not isinstance(rows, list):
            raise RecordError(
                "manifest-schema-invalid", f"{section} is not written as [[{section}]]"
            )
        for number, row in enumerate(rows, 1):
            check_record(section, row, f"{section} {number}")
    return values


def check_record(section: str, row: object, name: str = "") -> None:
    """RecordError ``manifest-schema-invalid`` when a record lacks a field or has one of another kind."""
    name = name or section
    if not isinstance(row, dict):
        raise RecordError("manifest-schema-invalid", f"{name} is no table")
    for field, kind in _REQUIRED[section].items():
        if field not in row:
            raise RecordError("manifest-schema-invalid", f"{name} has no {field}")
        if not kind(row[field]):
            raise RecordError("manifest-schema-invalid", f"{field} of {name} is of the wrong kind")
    for field, kind in _OPTIONAL.get(section, {}).items():
        if row.get(field) is not None and not kind(row[field]):
            raise RecordError("manifest-schema-invalid", f"{field} of {name} is of the wrong kind")


def check_known(section: str, row: Record, name: str) -> None:
    """RecordError for a field that nobody reads: a slip of the pen, or a verdict bound by hand."""
    kinds = _REQUIRED[section] | _OPTIONAL.get(section, {})
    odd = [field for field in row if field not in kinds]
    for field, kind in kinds.items():
        inner = getattr(kind, "fields", None)
        if inner is not None and isinstance(row.get(field), dict):
            odd += [f"{field}.{each}" for each in row[field] if each not in inner]
    if odd:
        raise RecordError(
            "manifest-write-verify-failed",
            f"{name} has {', '.join(map(repr, odd))}, which no reader of a manifest knows; leave it"
            " away. Nothing was written",
        )


def check_word(code: str, name: str, word: object, known: tuple[str, ...]) -> None:
    """RecordError when a word is none of those that a field may hold."""
    if word not in known:
        raise RecordError(code, f"{name} is {word!r}; it must be one of {', '.join(known)}", known)


def without_nulls(value: object) -> object:
    """The value as TOML can hold it: keys that are null are not there."""
    if isinstance(value, dict):
        return {key: without_nulls(held) for key, held in value.items() if held is not None}
    if isinstance(value, list):
        return [without_nulls(held) for held in value if held is not None]
    return value


def new_manifest(meta: Record, config: Record, phases: list[Record], event: Record) -> str:
    """The text of a new project's manifest."""
    from guildmoot.projects.toml import write_table

    rows = {"phases": phases, "events": [event]}
    leaves = "".join(f"{section} = []\n" for section in LISTS if not rows.get(section))
    parts = [leaves, "[meta]\n" + write_table(meta), "[config]\n" + write_table(config)]
    for section in LISTS:
        parts += (f"[[{section}]]\n" + write_table(row) for row in rows.get(section, ()))
    return "\n".join(part for part in parts if part)
