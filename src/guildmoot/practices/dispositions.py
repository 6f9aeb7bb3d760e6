"""What a person makes of a finding: looks it up in a recorded run and puts the decision on record."""

from __future__ import annotations

import getpass
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.agents.families import seat_judge
from guildmoot.codec import from_plain
from guildmoot.consensus.grouping import group_findings
from guildmoot.consensus.votes.history import Disposition
from guildmoot.errors import UsageError
from guildmoot.memory.calibration import append, read
from guildmoot.model.agent import Seat
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import Finding
from guildmoot.practices.ignores import recorded_findings
from guildmoot.practices.run_diff import PastRun, load_past_run
from guildmoot.runs.index import find_run
from guildmoot.runs.record import read_part
from guildmoot.system.git import Git, GitError
from guildmoot.text.clean import one_line

DispositionWord = Literal["accepted", "dismissed", "fixed"]
_SHOWN = 8


class DispositionRequest(NamedTuple):
    """Which finding of which run, and what was decided on it."""

    issue: str
    decision: DispositionWord
    why: str
    run: str = "last"


def dispose(root: Path, request: DispositionRequest, now: datetime) -> Disposition:
    """Record the decision; accepted or fixed means that whoever reported it was right."""
    if not request.why.strip():
        raise UsageError("--why is empty", "Say in a few words why: others will read it.")
    taken_back = _taken_back(root, request, now)
    if taken_back:
        append(root, [taken_back])
        return taken_back
    run = load_past_run(root, request.run)
    by_id = _findings(run)
    issue = _pick(by_id, request.issue, run.run_id)
    findings = by_id[issue]
    shown = findings[0]
    recorded = recorded_findings(root, run.run_id)
    prints = [fingerprint(each) for each in _shown(shown, _members(recorded, issue) or findings)]
    # What stood before the change is counted first, so the word for a second copy covers both.
    prints += [name for name in map(fingerprint, run.existing) if name in prints]
    seats = {seat for finding in findings for seat in (finding.seat, *finding.also)}
    entry = Disposition(
        issue=issue,
        disposition=request.decision,
        why=request.why.strip(),
        seats=tuple(sorted(_judges(root, run.run_id, seats - {""}))),
        families=tuple(sorted(_families(seats, [*findings, *recorded]))),
        run=run.run_id,
        code=shown.code,
        path=shown.path,
        line=shown.line,
        title=shown.title,
        ts=now.isoformat(timespec="seconds"),
        who=user_name(root),
        prints=tuple(prints),
    )
    append(root, [entry])
    return entry


def _taken_back(root: Path, request: DispositionRequest, now: datetime) -> Disposition | None:
    """Another word on a finding that is dismissed, which no later run lists among its findings."""
    if request.decision == "dismissed" or not request.issue or request.run != "last":
        return None
    latest = {entry.issue: entry for entry in read(root).dispositions}
    matching = [
        entry
        for issue, entry in latest.items()
        if issue.startswith(request.issue) and entry.disposition == "dismissed"
    ]
    if len(matching) != 1:
        return None
    return matching[0]._replace(
        disposition=request.decision,
        why=request.why.strip(),
        ts=now.isoformat(timespec="seconds"),
        who=user_name(root),
    )


def user_name(root: Path) -> str:
    """Who decides: as git knows the user, else by the account's name."""
    try:
        name = Git(root).run("config", "user.name").decode("utf-8", "replace").strip()
    except GitError:
        name = ""
    return one_line(name) or getpass.getuser()


def _members(recorded: Sequence[Finding], issue: str) -> tuple[Finding, ...]:
    """All findings of the issue; the result of a panel has the one that speaks for them."""
    issues = group_findings(recorded)
    return next((each.members for each in issues if each.id == issue), ())


def _shown(speaker: Finding, members: Sequence[Finding]) -> list[Finding]:
    """What the decision is about: of each seat what it says at the place that was shown, or nearest to it.

    A second statement of one judge that was taken for the same stays: nobody has decided on it.
    """
    by_seat: dict[str, list[Finding]] = {}
    for member in members:
        by_seat.setdefault(member.seat, []).append(member)
    kept = []
    for own in by_seat.values():
        distances = [abs(member.line - speaker.line) for member in own]
        kept += [each for each, far in zip(own, distances, strict=True) if far == min(distances)]
    return kept


def _judges(root: Path, run: str, seats: Collection[str]) -> set[str]:
    """Who sat there, as the record of the run tells: a seat's name is of its run alone."""
    asked = read_part(find_run(root, run), "roster").get("asked") or []
    sat = {seat.name: seat_judge(seat) for seat in from_plain(tuple[Seat, ...], asked)}
    return {sat.get(seat, seat) for seat in seats}


def _families(seats: Collection[str], findings: Iterable[Finding]) -> set[str]:
    """The families of those seats; a seat that found nothing of its own here has none."""
    return {finding.family for finding in findings if finding.seat in seats} - {""}


def _findings(run: PastRun) -> dict[str, list[Finding]]:
    """The run's findings by id, the representative first; older results have no ids."""
    by_id: dict[str, list[Finding]] = {}
    for issue in run.issues:
        others = [member for member in issue.members if member != issue.representative]
        found = by_id.setdefault(issue.id or fingerprint(issue.representative), [])
        found += [issue.representative, *others]
    return by_id


def _pick(by_id: Mapping[str, Sequence[Finding]], word: str, run: str) -> str:
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


def _place(finding: Finding) -> str:
    where = f"{finding.path}:{finding.line}" if finding.path else "(no place)"
    return f"{where} {finding.code}"
