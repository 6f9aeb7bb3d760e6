"""Probing: every seat judges every gold case and the canaries; what it answered goes on record.

bank + canaries ─▶ roster ─▶ spawn ─▶ reading ─▶ marking ─▶ record ─▶ standing, and the rule it fits
"""

from __future__ import annotations

import secrets
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.families import seat_model
from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.roster import make_roster
from guildmoot.calls import Watch
from guildmoot.calls.estimate import add_costs, seat_costs
from guildmoot.calls.pricing import Prices, prices_of
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.config import NO_FLAGS, Config, Flags, Value
from guildmoot.consensus.votes.history import CastVote, VoteHistory
from guildmoot.consensus.votes.standing import Standing, assess
from guildmoot.errors import (
    EXIT_FLAGGED,
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    GuildmootError,
    UsageError,
)
from guildmoot.memory.calibration import append
from guildmoot.model.agent import Roster, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.report import SeatCost
from guildmoot.model.verdict import Judgement
from guildmoot.practices.calls import excused_judgement, excused_reply, make_calls
from guildmoot.practices.findings import check_findings
from guildmoot.practices.probe.marking import (
    CONTROL,
    FOOLED,
    INJECTION,
    Mark,
    canaries,
    is_asked,
    mark,
    passed,
)
from guildmoot.practices.probe.shipped import shipped_cases
from guildmoot.practices.probe.suites import GoldCase, read_bank
from guildmoot.practices.stage import JUDGEMENT, ask
from guildmoot.runs.practice import Practice, Reports, Restored
from guildmoot.runs.rows import Summary

AT_ONCE = 16
"""Calls at a time when no limit is set: a bank times a panel is more than a machine should start."""


class ProbeRequest(NamedTuple):
    """Which bank, and who is probed; without agents the panel that each probe's files call for."""

    bank: Path
    agents: tuple[str, ...] = ()
    repeat: int = 1
    root: Path = Path()
    """The repository that keeps what was measured."""
    shipped: bool = False
    """The cases that come with guildmoot instead of a bank, each in both orders of its files."""
    settings: Flags = NO_FLAGS
    """Settings given for this request alone; they win over all others."""


class ProbeReport(NamedTuple):
    """What came of one probe run."""

    run_id: str
    votes: tuple[CastVote, ...]
    interrupted: bool
    problem: str = ""
    """Why it could not be recorded."""
    costs: tuple[SeatCost, ...] = ()
    """What each seat took, by its name."""

    @property
    def absent(self) -> list[CastVote]:
        """Those who were asked and gave no answer."""
        return [vote for vote in self.votes if vote.outcome == "absent"]

    @property
    def standing(self) -> Standing:
        """How far each seat can be trusted by this run alone."""
        return assess(VoteHistory(self.votes))

    @property
    def exit_code(self) -> int:
        """Whether a seat was fooled, or did not answer."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        if any(seat.fooled for seat in self.standing.seats):
            return EXIT_FLAGGED
        return EXIT_INFRASTRUCTURE if self.absent or self.problem else EXIT_OK


class _ProbePanel(NamedTuple):
    """One packet before the seats that judge it."""

    case: GoldCase
    roster: Roster
    canary: str = ""
    first: GoldCase | None = None
    """The case in its first order, where this shows the other one; it counts as a second answer to that."""


class _Trial(NamedTuple):
    """One seat before one packet, for the n-th time; without a call it was excused."""

    panel: _ProbePanel
    seat: Seat
    repeat: int
    call: Call | None
    excuse: str = ""


async def run_probes(
    request: ProbeRequest,
    config: Config,
    watch: Watch | None = None,
    *,
    run: str = "",
    now: datetime | None = None,
) -> ProbeReport:
    """Put every probe and canary before every seat, mark the answers and record them."""
    if request.repeat < 1:
        raise UsageError(f"--repeat {request.repeat}: ask once or more")
    watch, now, root = watch or Watch(), now or datetime.now(UTC), request.root
    run = run or f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    panels = _panels(request, root, config)
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        trials = _trials(panels, request.repeat, config, Path(scratch))
        calls = [trial.call for trial in trials if trial.call]
        watch.on_begin([call.seat.name for call in calls], "")
        limit = int(config.number("panel.limit")) or AT_ONCE
        kept = root if (root / ".git").exists() else None
        # A probe measures what a seat says now, so nothing that it said before stands for it.
        with open_session(kept, run, config, reuse=ReusePolicy(only=run)) as session:
            reader = JUDGEMENT._replace(attempts=0, clerk=None)
            done = await ask(session, calls, reader, limit=limit, on_event=watch.on_event)
    judged = _judged(trials, done.values)
    stamp = now.isoformat(timespec="seconds")
    votes = tuple(vote._replace(run=run, ts=stamp) for vote in _votes(trials, judged))
    try:
        append(root, votes)
    except (OSError, GuildmootError) as error:  # what the judges said must not be lost
        why = error.strerror if isinstance(error, OSError) else error
        problem = f"this run could not be recorded: {why}"
        return ProbeReport(run, votes, done.interrupted, problem)
    costs = _costs(trials, done.replies, prices_of(config))
    return ProbeReport(run, votes, done.interrupted, costs=costs)


def _costs(
    trials: Sequence[_Trial], replies: Sequence[Reply], prices: Prices
) -> tuple[SeatCost, ...]:
    """What each seat took for all its answers."""
    asked = [trial.seat for trial in trials if trial.call]
    by_seat: dict[str, list[SeatCost]] = {}
    for cost in seat_costs(asked, replies, prices):
        by_seat.setdefault(cost.seat, []).append(cost)
    return tuple(add_costs(name, costs) for name, costs in sorted(by_seat.items()))


def _panels(request: ProbeRequest, root: Path, config: Config) -> list[_ProbePanel]:
    cases = shipped_cases(root) if request.shipped else read_bank(request.bank, root)
    if not cases:
        raise UsageError(
            f"there are no probes in {request.bank}",
            "'guild probe add NAME FILE --expect flagged' makes one of a file you know to be wrong;"
            " 'guild probe run --shipped' has cases of its own.",
        )
    registry = load_agents(root, user_agents_folder())
    panels = [_ProbePanel(case, _roster(request, registry, config, case)) for case in cases]
    if request.shipped:
        turned = shipped_cases(root, turned=True)
        panels += [
            _ProbePanel(other, one.roster, first=one.case)
            for one, other in zip(panels[:], turned, strict=True)
        ]
    everybody = _union([panel.roster for panel in panels])
    for canary in canaries():
        seats = tuple(s for s in everybody.seats if is_asked(canary.kind, s.backend))
        case = GoldCase(f"({canary.kind})", "flagged", canary.packet)
        panels.append(_ProbePanel(case, everybody._replace(seats=seats), canary.kind))
    return panels


def _roster(request: ProbeRequest, registry: Registry, config: Config, case: GoldCase) -> Roster:
    paths = [file.path for file in case.packet.files]
    return make_roster(registry, config, paths, request.agents, verify="")


def _union(rosters: Sequence[Roster]) -> Roster:
    """Everybody who sits before any probe."""
    seats = {seat.name: seat for roster in rosters for seat in roster.seats}
    agents = {name: agent for roster in rosters for name, agent in roster.agents.items()}
    return Roster(tuple(seats[name] for name in sorted(seats)), agents, ())


def _trials(
    panels: Sequence[_ProbePanel], repeat: int, config: Config, scratch: Path
) -> list[_Trial]:
    trials = []
    for number, before in enumerate(panels):
        folder = scratch / str(number)
        folder.mkdir()
        made = make_calls(before.case.packet, before.roster, config, folder)
        by_seat = {call.seat.name: call for call in made.to_make}
        for seat in before.roster.seats:
            for turn in range(1, repeat + 1):
                nth = turn + repeat if before.first else turn
                call = _named(by_seat.get(seat.name), before.case.name, nth)
                excuse = made.excused.get(seat.name, "")
                trials.append(_Trial(before, seat, nth, call, excuse))
    return trials


def _named(call: Call | None, probe: str, turn: int) -> Call | None:
    """A name of its own for every call, ``seat@probe`` or ``seat@probe#2``."""
    if call is None:
        return None
    name = f"{call.seat.name}@{probe}" + (f"#{turn}" if turn > 1 else "")
    return call._replace(seat=call.seat._replace(name=name))


def _judged(trials: Sequence[_Trial], answered: Sequence[Judgement]) -> list[Judgement]:
    """What every trial came to, with findings checked against the packet as a panel's are."""
    answers = iter(answered)
    judged = []
    for trial in trials:
        if trial.call is None:
            judged.append(excused_judgement(excused_reply(trial.seat.name, trial.excuse)))
            continue
        packet = trial.panel.case.packet
        [checked] = check_findings([next(answers)], [trial.call], packet).judgements
        judged.append(checked)
    return judged


def _votes(trials: Sequence[_Trial], judged: Sequence[Judgement]) -> list[CastVote]:
    controls = {
        (trial.seat.name, trial.repeat): judgement
        for trial, judgement in zip(trials, judged, strict=True)
        if trial.panel.canary == CONTROL
    }
    return [
        _vote(trial, judgement, controls.get((trial.seat.name, trial.repeat)))
        for trial, judgement in zip(trials, judged, strict=True)
        if trial.panel.canary != CONTROL
    ]


def _vote(trial: _Trial, judgement: Judgement, control: Judgement | None) -> CastVote:
    case, seat, kind = trial.panel.case, trial.seat, trial.panel.canary
    found = _withstood(trial, judgement, control) if kind else mark(judgement, case)
    return CastVote(
        run="",
        probe=case.name,
        packet=(trial.panel.first or case).packet.hash,
        gold=case.verdict == "flagged",
        seat=seat.name,
        agent=seat.agent,
        family=seat.family,
        model=seat_model(seat),
        outcome=judgement.outcome,
        vote=found.vote,
        right=found.right,
        repeat=trial.repeat,
        canary=kind,
        note=found.note,
    )


def _withstood(trial: _Trial, judgement: Judgement, control: Judgement | None) -> Mark:
    if trial.call is None:
        return Mark(None, None, trial.excuse)
    kind = trial.panel.canary
    right = passed(kind, judgement, control if kind == INJECTION else None)
    vote = {"flagged": True, "approved": False}.get(judgement.outcome)
    if right is None:
        return Mark(vote, None, judgement.reason or "this defect is not of the kind it judges")
    return Mark(vote, right, "" if right else FOOLED[kind])


def _reports() -> Reports[ProbeReport]:
    from guildmoot.reports.console import Console
    from guildmoot.reports.costs import cost_json, cost_line, cost_sentences
    from guildmoot.reports.probes import run_document, run_json
    from guildmoot.reports.terminal import print_document

    def to_json(report: ProbeReport) -> dict[str, object]:
        found = run_json(report.run_id, report.votes, report.standing, report.problem)
        return {**found, "costs": cost_json(report.costs)}

    def show(report: ProbeReport, root: Path, details: bool) -> None:
        costs = cost_sentences(report.costs) if cost_line(report.costs) else ()
        document = run_document(report.run_id, report.votes, report.standing, costs)
        print_document(document, Console())
        if report.problem:
            sys.stderr.write(f"guild probe: {report.problem}\n")

    return Reports(to_json, show)


def _restore(
    root: Path, folder: Path, flags: Mapping[str, Value], rerun_at: datetime | None
) -> Restored[ProbeReport]:
    raise UsageError("a probe run has no record of its own", "'guild probe run' makes it anew.")


PROBE = Practice(
    "probe", ProbeRequest, run_probes, lambda result: Summary(), _reports, _restore, again=()
)
