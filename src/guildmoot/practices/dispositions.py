"""What a person makes of a finding: looks it up in a recorded run and puts the decision on record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.consensus.votes.history import Disposition
from guildmoot.errors import UsageError
from guildmoot.memory.calibration import append
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import Finding
from guildmoot.runs.index import find_run
from guildmoot.runs.record import read_part

Decision = Literal["accepted", "dismissed", "fixed"]
Row = Mapping[str, object]
_SHOWN = 8


class Decided(NamedTuple):
    """Which finding of which run, and what was decided on it."""

    issue: str
    decision: Decision
    why: str
    run: str = "last"


def dispose(root: Path, decided: Decided, now: datetime) -> Disposition:
    """Record the decision; accepted or fixed means that whoever reported it was right."""
    if not decided.why.strip():
        raise UsageError("--why is empty", "Say in a few words why: others will read it.")
    folder = find_run(root, decided.run)
    by_id = _findings(read_part(folder, "result"))
    issue = _pick(by_id, decided.issue, folder.name)
    rows = by_id[issue]
    entry = Disposition(
        issue=issue,
        disposition=decided.decision,
        why=decided.why.strip(),
        seats=_reporters(rows),
        families=_distinct(rows, "family"),
        run=folder.name,
        code=str(rows[0].get("code", "")),
        path=str(rows[0].get("path", "")),
        line=_line(rows[0]),
        title=str(rows[0].get("evidence", "")),
        ts=now.isoformat(timespec="seconds"),
    )
    append(root, [entry])
    return entry


def _findings(result: Row) -> dict[str, list[Row]]:
    """The findings of a result by id; several seats may have reported one."""
    by_id: dict[str, list[Row]] = {}
    for row in _rows(result):
        by_id.setdefault(str(row.get("id") or _identity(row)), []).append(row)
    return by_id


def _rows(result: Row) -> Iterator[Row]:
    for key in ("blocking_findings", "advisory_findings"):
        found = result.get(key, [])
        yield from (row for row in (found if isinstance(found, list) else []) if row)


def _identity(row: Row) -> str:
    """For results written before findings had ids."""
    code, title, path, quote = (
        str(row.get(key, "")) for key in ("code", "evidence", "path", "quote")
    )
    return fingerprint(Finding("", code, title, path=path, quote=quote))


def _pick(by_id: Mapping[str, list[Row]], word: str, run: str) -> str:
    if not by_id:
        raise UsageError(f"the run {run} has no findings", "Name another one with --run.")
    matching = [word] if word in by_id else [i for i in by_id if word and i.startswith(word)]
    if len(matching) == 1:
        return matching[0]
    near = matching or get_close_matches(word, by_id, n=_SHOWN, cutoff=0.5) or list(by_id)
    listed = "\n  ".join(f"{issue}  {_place(by_id[issue][0])}" for issue in near[:_SHOWN])
    more = f"\n  and {len(near) - _SHOWN} more" if len(near) > _SHOWN else ""
    what = "begins several ids" if matching else "is no finding"
    raise UsageError(f"{word!r} {what} of the run {run}", f"It has:\n  {listed}{more}")


def _place(row: Row) -> str:
    where = f"{row.get('path')}:{row.get('line')}" if row.get("path") else "(no place)"
    return f"{where} {row.get('code', '')}"


def _reporters(rows: list[Row]) -> tuple[str, ...]:
    """Who reported it, with those whose words were grouped under another's."""
    others = [row["also"] for row in rows if isinstance(row.get("also"), list)]
    named = {str(seat) for group in others if isinstance(group, list) for seat in group}
    return tuple(sorted({*_distinct(rows, "evaluator"), *named}))


def _distinct(rows: list[Row], key: str) -> tuple[str, ...]:
    return tuple(sorted({str(row.get(key, "")) for row in rows} - {""}))


def _line(row: Row) -> int:
    line = row.get("line", 0)
    return line if isinstance(line, int) else 0
