"""A project's stream of findings: one JSON line each, appended by any number of writers at once.

The file is ``projects/<slug>/.guild-findings.jsonl``; ``harvest`` takes it into the project's record.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.projects.slugs import stamp
from guildmoot.projects.toml import is_unicode
from guildmoot.system.files import append_rows, read_own, read_rows, refuse_links

if TYPE_CHECKING:
    from guildmoot.projects.store import Project, RecordChange

_JS_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_KEPT = ("evaluator", "code", "evidence", "severity", "signature")


class FindingRow(NamedTuple):
    """One finding as it is kept."""

    slug: str
    evaluator: str
    code: str
    evidence: str
    severity: Literal["blocking", "advisory"] = "blocking"
    branch: str | None = None
    unit: str | None = None


def signature(evaluator: str, code: str, evidence: str) -> str:
    """What makes two findings the same: who, which code, and the evidence whatever its spacing."""
    plain = re.sub(f"[{_JS_SPACE}]+", " ", evidence).strip().lower()
    text = f"{evaluator}\n{code}\n{plain}"
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def stream_path(cwd: Path, slug: str) -> Path:
    """Where the project keeps its stream; a slug that is no plain folder name is refused."""
    if slug in ("", ".", "..") or "/" in slug or "\\" in slug or "\0" in slug:
        raise UsageError(
            f"the slug {slug!r} is not the name of a folder in projects/",
            "Give the folder's own name, without a path.",
        )
    path = cwd / "projects" / slug / ".guild-findings.jsonl"
    refuse_links(path)
    return path


def append(cwd: Path, row: FindingRow, now: datetime) -> str:
    """Add one row and return its signature; the project's folder must be there."""
    path = stream_path(cwd, row.slug)
    if not path.parent.is_dir():
        raise UsageError(f"there is no project folder {path.parent.relative_to(cwd)}")
    mark = signature(row.evaluator, row.code, row.evidence)
    kept = {
        "ts": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03}Z",
        "slug": row.slug,
        "branch": row.branch,
        "unit": row.unit,
        "evaluator": row.evaluator,
        "code": row.code,
        "signature": mark,
        "evidence": row.evidence,
        "severity": row.severity,
    }
    append_rows(path, [kept], json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode)
    return mark


def count(cwd: Path, row: FindingRow) -> int:
    """How many rows are of the same finding; broken lines are skipped, a missing stream has none."""
    path, mark = stream_path(cwd, row.slug), signature(row.evaluator, row.code, row.evidence)
    lines = read_own(path).split(b"\n")
    return sum(_signature_of(line) == mark for line in lines if mark.encode() in line)


def harvest(project: Project, branch: str = "", unit: str = "") -> dict[str, object]:
    """Put the stream's findings on record, each once; the stream stays as it is."""
    rows = list(read_rows(Path(project.folder) / ".guild-findings.jsonl"))

    def make(draft: RecordChange) -> dict[str, object]:
        known = {each["signature"] for each in draft.values["findings"]}
        taken = skipped = 0
        for row in rows:
            if row is not None and (_differs(row, "branch", branch) or _differs(row, "unit", unit)):
                continue
            if row is None or not _is_whole(row) or row["signature"] in known:
                skipped += 1
                continue
            known.add(row["signature"])
            kept = {name: row[name] for name in _KEPT}
            place = {name: row[name] for name in ("branch", "unit") if row.get(name) is not None}
            draft.add("findings", {**kept, "harvested_at": stamp(), **place})
            taken += 1
        return {"section": "findings", "harvested": taken, "skipped": skipped}

    return project.change(make)


def _differs(row: dict[str, object], name: str, wanted: str) -> bool:
    return bool(wanted) and row.get(name) != wanted


def _is_whole(row: dict[str, object]) -> bool:
    texts = [held for held in row.values() if isinstance(held, str)]
    return (
        all(isinstance(row.get(name), str) for name in _KEPT)
        and all(map(is_unicode, texts))
        and row["severity"] in ("blocking", "advisory")
        and all(isinstance(row.get(name), str | None) for name in ("branch", "unit"))
    )


def _signature_of(line: bytes) -> str:
    try:
        row = json.loads(line)
    except ValueError:
        return ""
    found = row.get("signature") if isinstance(row, dict) else None
    return found if isinstance(found, str) else ""
