"""What panels, policies and a seat that is asked again make of what was said.

What a policy must learn, the weights of ``weighted`` and the seats that ``veto`` trusts, it learns on
other repositories, never on the one that it rules on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from benchmarks.seeded.hearing import Heard, is_paid
from benchmarks.seeded.scoring import Count, add, counts, is_right, rates

from guildmoot.config import Config, Origin, Value
from guildmoot.consensus.grouping import group_findings
from guildmoot.consensus.votes.ballots import Rule
from guildmoot.consensus.votes.history import CastVote, VoteHistory, fit
from guildmoot.model.agent import Seat
from guildmoot.model.verdict import Finding, Judgement, PanelVerdict
from guildmoot.practices.deliberation import Calibration, rule, weigh

FOLDS = 4
"""The repositories in as many parts; each is ruled on with what the other parts taught."""


class Said(NamedTuple):
    """What somebody says about one case in the end."""

    findings: tuple[Finding, ...]
    verdict: PanelVerdict | None = None
    """None where no rule was applied."""

    @property
    def blocking(self) -> list[Finding]:
        """What would stop the work."""
        return [finding for finding in self.findings if finding.blocking]


class Learnt(NamedTuple):
    """What the other repositories taught."""

    rule: Rule | None = None
    trusted: tuple[str, ...] = ()
    """Seats that blocked rightly more often than wrongly."""


def of_seat(heard: Sequence[Heard], seat: str) -> list[Said]:
    """One seat alone; nothing where it did not sit."""
    return [
        Said(tuple(f for j in each.judgements if j.seat == seat for f in j.findings))
        for each in heard
    ]


def panel_of(heard: Sequence[Heard], *, paid: bool) -> list[Heard]:
    """The same cases before the tools alone, or before everybody else alone."""
    return panel_where(heard, lambda seat: is_paid(seat) == paid)


def panel_where(heard: Sequence[Heard], sits: Callable[[Seat], bool]) -> list[Heard]:
    """The same cases before some of the seats."""
    chosen = []
    for each in heard:
        pairs = [pair for pair in zip(each.seats, each.judgements, strict=True) if sits(pair[0])]
        seats, judgements = tuple(seat for seat, _ in pairs), tuple(j for _, j in pairs)
        chosen.append(each._replace(seats=seats, judgements=judgements))
    return chosen


async def under(policy: str, heard: Sequence[Heard], config: Config) -> list[Said]:
    """What the seats together say under a policy."""
    repositories = sorted({each.case.repository for each in heard})
    fold = {name: number % FOLDS for number, name in enumerate(repositories)}
    learnt = [
        _learn(policy, [each for each in heard if fold[each.case.repository] != number])
        for number in range(FOLDS)
    ]
    return [await _rule(policy, each, config, learnt[fold[each.case.repository]]) for each in heard]


def by_majority(samples: Sequence[Sequence[Judgement]]) -> list[Said]:
    """A seat that was asked several times: what more than half of its answers say stands."""
    return [Said(tuple(_majority(list(each)))) for each in samples]


def together(one: Sequence[Said], other: Sequence[Said]) -> list[Said]:
    """What both say, with what they agree on said once."""
    return [
        Said(
            tuple(
                issue.representative._replace(blocking=issue.blocking)
                for issue in group_findings([*a.findings, *b.findings])
            )
        )
        for a, b in zip(one, other, strict=True)
    ]


def best_seat(heard: Sequence[Heard], seats: Iterable[str], *, blocking: bool = False) -> str:
    """The seat with the highest F1 over these cases; among equals the first by name."""
    found = {
        seat: rates(_total(heard, seat, blocking=blocking))[2] or 0.0 for seat in sorted(seats)
    }
    return max(found, key=lambda seat: found[seat]) if found else ""


def _total(heard: Sequence[Heard], seat: str, *, blocking: bool) -> Count:
    said = zip(heard, of_seat(heard, seat), strict=True)
    return add(
        counts([(each.case, own.blocking if blocking else own.findings) for each, own in said])
    )


def _majority(judgements: list[Judgement]) -> Iterable[Finding]:
    need = len(judgements) / 2
    for issue in group_findings([f for judgement in judgements for f in judgement.findings]):
        say = {finding.seat for finding in issue.members}
        block = {finding.seat for finding in issue.members if finding.blocking}
        if len(say) > need:
            yield issue.representative._replace(blocking=len(block) > need)


async def _rule(policy: str, heard: Heard, config: Config, learnt: Learnt) -> Said:
    here = [seat.name for seat in heard.seats]
    veto = config.strings("policy.veto") or tuple(s for s in learnt.trusted if s in here)
    settings: dict[str, Value] = {"policy.name": policy, "policy.veto": veto}
    values = {key: Origin(value, "the benchmark") for key, value in settings.items()}
    config = config._replace(values={**config.values, **values})
    weighed = await weigh(heard.judgements, heard.packet, config)
    past = Calibration(learnt.rule)
    done = rule(heard.judgements, weighed, here, heard.packet, config, past)
    return Said((*done.result.blocking, *done.result.advisory), done.result.verdict)


def _learn(policy: str, others: Sequence[Heard]) -> Learnt:
    if policy == "weighted":
        votes = [vote for each in others for vote in _votes(each)]
        return Learnt(fit(VoteHistory(tuple(votes))))
    if policy == "veto":
        seats = sorted({seat.name for each in others for seat in each.seats})
        totals = {seat: _total(others, seat, blocking=True) for seat in seats}
        return Learnt(trusted=tuple(s for s, total in totals.items() if total.found > total.alarms))
    return Learnt()


def _votes(heard: Heard) -> Iterable[CastVote]:
    """Every seat's answer to a case as an answer to a probe."""
    defect = heard.case.defect
    for seat, judgement in zip(heard.seats, heard.judgements, strict=True):
        if judgement.outcome not in ("approved", "flagged"):
            continue
        flagged = judgement.outcome == "flagged"
        named = defect is None or any(is_right(f, defect) for f in judgement.findings)
        yield CastVote(
            run="seeded",
            probe=heard.case.name,
            packet=heard.packet.hash,
            gold=defect is not None,
            seat=seat.name,
            agent=seat.agent,
            family=seat.family,
            model=seat.model,
            outcome=judgement.outcome,
            vote=flagged,
            right=flagged == (defect is not None) and named,
        )
