"""The council's extraction candidates: staged by runs, accepted or rejected by people.

    .agents/council/extraction-candidates.jsonl   the seven fields, for any tool; only appended to
    .agents/council/candidates-state.jsonl        ours: normal keys, where each came from, what was
                                                  decided and why; the last line about a key counts

Both are written under one lock, so that councils that end at the same moment stage nothing twice.
Lines that cannot be read are counted and left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.codec import CodecError, from_plain
from guildmoot.errors import UsageError
from guildmoot.guard.records import own_rows
from guildmoot.memory.extraction import Candidate, is_alike, normal_key
from guildmoot.memory.suppressions import Suppression, add_suppression
from guildmoot.runs.council_record import FOLDER
from guildmoot.system.files import Locked, append_rows, folder_inside

FILE = FOLDER / "extraction-candidates.jsonl"
STATE_FILE = FOLDER / "candidates-state.jsonl"
State = Literal["staged", "accepted", "rejected"]
_LOCK = ".candidates.lock"
_STATES: tuple[State, ...] = ("staged", "accepted", "rejected")


class StagingResult(NamedTuple):
    """What a run added, and what was there already."""

    added: tuple[Candidate, ...]
    known: int
    """On file word for word."""
    alike: int
    """On file in other words."""


class StoredCandidate(NamedTuple):
    """A candidate and what became of it."""

    candidate: Candidate
    state: State = "staged"
    why: str = ""
    decided: str = ""
    """The day on which a person decided."""
    normal_key: str = ""
    run_id: str = ""


class CandidateDecision(NamedTuple):
    """What became of a candidate that a council staged."""

    key: str
    """The start of its key."""
    state: State
    why: str
    suppress: bool = False
    """A rejected one is kept out of reviews' lists too."""


class CandidateList(NamedTuple):
    """What is on file."""

    kept: tuple[StoredCandidate, ...]
    broken: int = 0
    """Lines that are no candidate."""


def stage(root: Path, candidates: Sequence[Candidate], run_id: str = "") -> StagingResult:
    """Append what is not on file yet, in these words or in others."""
    if not candidates:
        return StagingResult((), 0, 0)
    folder = folder_inside(root, FOLDER)
    with Locked(folder / _LOCK):
        mine = {(each.dedup_key, run_id) for each in candidates if run_id}
        kept = [
            each
            for each in read_candidates(root).kept
            if (each.candidate.dedup_key, each.run_id) not in mine
        ]
        keys = {each.candidate.dedup_key for each in kept}
        normal = [each.normal_key for each in kept]
        added, known, alike = [], 0, 0
        for candidate in candidates:
            key = normal_key(candidate.finding_description)
            if candidate.dedup_key in keys:
                known += 1
            elif any(is_alike(key, other) for other in normal):
                alike += 1
            else:
                added.append(candidate)
                keys.add(candidate.dedup_key)
                normal.append(key)
        _append(root, folder, added, run_id)
    return StagingResult(tuple(added), known, alike)


def _append(root: Path, folder: Path, added: Sequence[Candidate], run_id: str) -> None:
    """Write what a run adds; one that was killed here and is gone on with adds nothing twice.

    Whose they are is written first: without that, they would be taken for another run's.
    """
    origins, listed = _states(root)[0], read_candidates(root).kept
    keys = {each.candidate.dedup_key for each in listed}
    told = [each for each in added if origins.get(each.dedup_key, {}).get("run_id") != run_id]
    append_rows(folder / STATE_FILE.name, [_origin(each, run_id) for each in told])
    new = [each._asdict() for each in added if each.dedup_key not in keys]
    append_rows(folder / FILE.name, new)


def decide(root: Path, word: str, state: State, why: str, day: str) -> StoredCandidate:
    """Put down what a person made of the candidate whose key begins with ``word``."""
    folder = folder_inside(root, FOLDER)
    with Locked(folder / _LOCK):
        found = find(read_candidates(root).kept, word)
        decided = found._replace(state=state, why=why, decided=day)
        row = {"dedup_key": found.candidate.dedup_key, "state": state, "why": why, "decided": day}
        append_rows(folder / STATE_FILE.name, [row])
    return decided


def record_decision(root: Path, decision: CandidateDecision, now: datetime) -> StoredCandidate:
    """Accept or reject a candidate; one that is suppressed is kept out of reviews' lists too."""
    if decision.suppress and decision.state != "rejected":
        raise UsageError("--suppress goes with reject")
    kept = decide(root, decision.key, decision.state, decision.why, f"{now:%Y-%m-%d}")
    if decision.suppress:
        add_suppression(root, Suppression(kept.candidate.finding_description, decision.why))
    return kept


def find(kept: Sequence[StoredCandidate], word: str) -> StoredCandidate:
    """The one candidate whose key begins with ``word``."""
    if not kept:
        raise UsageError(
            "there are no candidates here", "A council that ends in WARN or FAIL stages them."
        )
    matching = [each for each in kept if word and each.candidate.dedup_key.startswith(word)]
    if len(matching) == 1:
        return matching[0]
    problem = "begins several keys" if matching else "is no candidate's key"
    shown = ", ".join(each.candidate.dedup_key[:12] for each in (matching or list(kept))[:5])
    raise UsageError(f"{word!r} {problem}", f"For example: {shown}")


def read_candidates(root: Path) -> CandidateList:
    """Everything on file, oldest first; missing files are empty ones."""
    states, broken = _states(root)
    kept: dict[str, StoredCandidate] = {}
    for row in own_rows(root, FILE):
        candidate = _candidate(row)
        if candidate is None:
            broken += 1
            continue
        known = states.get(candidate.dedup_key, {})
        kept.setdefault(candidate.dedup_key, _kept(candidate, known))
    return CandidateList(tuple(kept.values()), broken)


def _kept(candidate: Candidate, known: dict[str, str]) -> StoredCandidate:
    state: State = next((each for each in _STATES if each == known.get("state")), "staged")
    return StoredCandidate(
        candidate,
        state,
        known.get("why", ""),
        known.get("decided", ""),
        normal_key(candidate.finding_description),
        known.get("run_id", ""),
    )


def _origin(candidate: Candidate, run_id: str) -> dict[str, str]:
    return {
        "dedup_key": candidate.dedup_key,
        "normal_key": normal_key(candidate.finding_description),
        "run_id": run_id,
        "state": "staged",
    }


def _states(root: Path) -> tuple[dict[str, dict[str, str]], int]:
    """What is known of each key; later lines stand over earlier ones."""
    found: dict[str, dict[str, str]] = {}
    broken = 0
    for row in own_rows(root, STATE_FILE):
        key = row.get("dedup_key") if row else None
        if row is None or not isinstance(key, str):
            broken += 1
            continue
        plain = {name: value for name, value in row.items() if isinstance(value, str)}
        found[key] = {**found.get(key, {}), **plain}
    return found, broken


def _candidate(row: dict[str, object] | None) -> Candidate | None:
    try:
        return from_plain(Candidate, row)
    except CodecError:
        return None
