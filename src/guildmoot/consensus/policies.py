"""Named policies: what must be true of an issue for it to block. Pure, listed, and picked by config.

A policy rules on issues; everything else is the same for all of them: remedies that clash, seats that
did not answer and requests for the operator are settled by ``consensus.panel`` afterwards, and the
floors of ``consensus.floors`` come last. No policy can approve over a blocking issue, and none breaks
a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from guildmoot.consensus.floors import listed
from guildmoot.consensus.opinions import (
    Record,
    SecondLook,
    basis_of,
    context_of,
    holders_of,
    least_families,
    opinion_families,
    told_worth,
    weighed_score,
)
from guildmoot.consensus.panel import has_voted
from guildmoot.consensus.subjects import OF_READERS
from guildmoot.consensus.votes.ballots import Ballot, Rule
from guildmoot.model import settings
from guildmoot.model.verdict import Issue, Judgement
from guildmoot.named import NamedTuple

if TYPE_CHECKING:
    from guildmoot.consensus.votes.evidence import Context, SeatRecord


class PolicyCase(NamedTuple):
    """What a policy rules on."""

    judgements: tuple[Judgement, ...]
    issues: tuple[Issue, ...]
    veto: tuple[str, ...] = ()
    """Seats whose word blocks, for ``veto``."""
    warn_at: int = 2
    block_at: int = 3
    """Families that must agree, for ``agreement``."""
    rule: Rule | None = None
    """Fitted on the probes, for ``weighted``."""
    record: Record = Record()
    """What is known of the families, for ``weighed``."""
    looks: Mapping[str, tuple[SecondLook, ...]] = {}
    """What other families answered when an issue was put to them, by its id; for ``weighed``."""
    unasked: Mapping[str, str] = {}
    """Why an issue that should have been put to them was not, by its id; for ``weighed``."""


class Ruling(NamedTuple):
    """What a policy makes of one issue."""

    issue: Issue
    blocks: bool
    why: str = ""
    """For the reader, when it differs from what the judges said."""


class PolicyResult(NamedTuple):
    """All rulings, and what the policy has to say about the whole."""

    rulings: tuple[Ruling, ...]
    undecided: str = ""
    """Why the policy cannot approve; without a blocking issue the verdict is the operator's."""
    split: str = ""
    """Who disagrees with whom; the verdict is the operator's, whatever blocks."""


class Policy(NamedTuple):
    """A named rule."""

    name: str
    about: str
    rule: Callable[[PolicyCase], PolicyResult]


def weighed(case: PolicyCase) -> PolicyResult:
    """Facts block; opinions are weighed against the families that read the same and did not say so."""
    families = opinion_families(case.judgements, case.record)
    if len(families) < 2:
        return panel(case)
    context = context_of(case.issues, families)
    basis = basis_of(case.record, families)
    rulings = tuple(_weighed(issue, case, context, basis) for issue in case.issues)
    dropped = [r.issue for r in rulings if not r.blocks and r.issue.id in case.unasked]
    return PolicyResult(rulings, _told_unasked(dropped, case) if dropped else "")


def panel(case: PolicyCase) -> PolicyResult:
    """An issue blocks when any judge says so."""
    return PolicyResult(tuple(Ruling(issue, issue.blocking) for issue in case.issues))


def veto(case: PolicyCase) -> PolicyResult:
    """An issue blocks when a seat with a veto says so; the others advise."""
    holders = set(case.veto)
    if not holders:
        return PolicyResult(panel(case).rulings, "the policy 'veto' names no seat: set policy.veto")
    voted = {judgement.seat for judgement in case.judgements if has_voted(judgement)}
    absent = sorted(holders - voted)
    undecided = f"{', '.join(absent)} has a veto and did not judge" if absent else ""
    return PolicyResult(tuple(_veto(issue, holders) for issue in case.issues), undecided)


def agreement(case: PolicyCase) -> PolicyResult:
    """One family advises unless a program proved it, two warn, three block."""
    return PolicyResult(tuple(_agreement(issue, case) for issue in case.issues))


def weighted(case: PolicyCase) -> PolicyResult:
    """The seats' votes weighed by what the probes showed of them decide whether opinions block."""
    if case.rule is None:
        return PolicyResult(
            panel(case).rulings, "the policy 'weighted' needs probes: 'guild probe run'"
        )
    verdict = case.rule(ballot(case.judgements))
    if verdict.decision is None:
        return PolicyResult(panel(case).rulings, "the weighed votes are even")
    if verdict.decision:
        return panel(case)
    why = f"outweighed: log-odds of a defect {verdict.score:+.2f}"
    return PolicyResult(tuple(_outweighed(issue, why) for issue in case.issues))


def council(case: PolicyCase) -> PolicyResult:
    """Any FAIL fails; when families disagree, both positions are shown and the operator decides."""
    sides = positions(case.judgements)
    if len(sides) > 1:  # where a family is at odds with itself, it stands on FAIL
        sides["PASS"] = [family for family in sides["PASS"] if family not in sides["FAIL"]]
        sides = {side: families for side, families in sides.items() if families}
    held = "; ".join(f"{', '.join(families)} said {side}" for side, families in sides.items())
    split = f"families disagree: {held}" if len(sides) > 1 else ""
    return PolicyResult(panel(case).rulings, split=split)


POLICIES: dict[str, Policy] = {
    name: Policy(name, about, globals()[name]) for name, about in settings.POLICIES.items()
}

_TOLD = 3
"""Issues that one reason names."""


def ballot(judgements: tuple[Judgement, ...]) -> Ballot:
    """Each seat's vote on "is this defective"; who did not judge is missing, not for either side."""
    said: Mapping[str, bool | None] = {"flagged": True, "unreadable": True, "approved": False}
    return {
        judgement.seat: said.get(judgement.outcome) if has_voted(judgement) else None
        for judgement in judgements
    }


def positions(judgements: tuple[Judgement, ...]) -> dict[str, list[str]]:
    """PASS and FAIL with the families that hold each; opinions only, for a fact has no opposite side."""
    sides: dict[str, set[str]] = {}
    for judgement in judgements:
        if judgement.outcome in ("approved", "flagged") and not judgement.computed:
            side = "FAIL" if judgement.outcome == "flagged" else "PASS"
            sides.setdefault(side, set()).add(judgement.family or judgement.seat)
    return {side: sorted(families) for side, families in sorted(sides.items())}


def _is_proven(issue: Issue) -> bool:
    """A program computed it, or no policy may outvote it: nobody knows what a judgement meant that was not read."""
    return any(
        finding.blocking and (finding.proven or finding.code in OF_READERS)
        for finding in issue.members
    )


def _veto(issue: Issue, holders: set[str]) -> Ruling:
    blocks = any(
        finding.blocking and (finding.seat in holders or finding.code in OF_READERS)
        for finding in issue.members
    )
    return Ruling(
        issue, blocks, "" if blocks or not issue.blocking else "nobody with a veto says so"
    )


def _told_unasked(issues: Sequence[Issue], case: PolicyCase) -> str:
    by_why: dict[str, list[str]] = {}
    for issue in issues:
        by_why.setdefault(case.unasked[issue.id], []).append(_place(issue))
    told = "; ".join(f"{listed(places, _TOLD)} ({why})" for why, places in by_why.items())
    return f"serious, of one family, and nobody else was asked: {told}"


def told_outvoted(policy: str, result: PolicyResult) -> list[str]:
    """What a judge calls blocking and the policy does not; beside a grave one it is told why, so it is not named."""
    lifted = [r.issue for r in result.rulings if r.issue.blocking and not r.blocks]
    places = [_place(issue) for issue in lifted if issue.severity in ("medium", "low")]
    if not places:
        return []
    return [f"a judge blocks for {listed(places, _TOLD)}, and '{policy}' does not (--all says why)"]


def _place(issue: Issue) -> str:
    said = issue.representative
    place = f"{said.path}:{said.line}" if said.line else said.path
    return " ".join(filter(None, (place, said.code))) or said.title


def _weighed(issue: Issue, case: PolicyCase, context: Context, basis: SeatRecord | None) -> Ruling:
    if not issue.blocking or _is_proven(issue):
        return Ruling(issue, issue.blocking)
    held, looks = holders_of(issue), case.looks.get(issue.id, ())
    sitting = len(held | {*context.findings})  # a tool that says the same is one of them
    agreeing = held | {look.family for look in looks if look.answer == "yes"}
    against = {look.family for look in looks if look.answer == "no"}
    # Who could not be asked after all does not sit in judgement on it: silence is no denial.
    answering = sitting - sum(look.answer == "no answer" for look in looks)
    number, needed = len(agreeing), least_families(answering)
    enough = number >= needed
    if looks:  # asked outright: more must hold it than deny it, and of two the other must deny it
        blocks = (enough or answering <= 2) and number > len(against)
        why = _told_looks(looks, against, blocks=blocks)
    elif basis and number < sitting:
        score = weighed_score(issue, context, basis)
        sign = "for" if score >= 0 else "against"
        blocks, why = score >= 0, f"what probes showed of them speaks {sign} it ({score:+.1f})"
    else:
        blocks, why = enough, "" if enough else f"{needed} must agree for it to block"
    if not blocks and issue.id in case.unasked:
        why = f"nobody else was asked: {case.unasked[issue.id]}"
    worth = "" if looks else told_worth(number, sitting, case.record)
    said = f"{len(held)} of {sitting} model families {'reports' if len(held) == 1 else 'report'} it"
    told = "; ".join(filter(None, (said, why, worth)))
    return Ruling(issue, blocks, f"{'blocks' if blocks else 'does not block'}: {told}")


def _told_looks(looks: Sequence[SecondLook], against: set[str], *, blocks: bool) -> str:
    told = ", ".join(
        f"{look.family} {look.answer}" + (f" ({look.reason})" if look.reason else "")
        for look in looks
    )
    ends = {(True, True): "too few deny it", (True, False): "nobody denies it"}
    end = ends.get((blocks, bool(against)), "denied" if against else "too few confirm it")
    return f"asked whether it is right: {told}; {end}"


def _agreement(issue: Issue, case: PolicyCase) -> Ruling:
    if not issue.blocking or _is_proven(issue):
        return Ruling(issue, issue.blocking)
    count = len({finding.family or finding.seat for finding in issue.members if finding.blocking})
    worth = told_worth(count, len(opinion_families(case.judgements)), case.record)
    said = f"{count} {'family says' if count == 1 else 'families say'} so"
    said += f" ({worth})" if worth else ""
    if count >= case.block_at:
        return Ruling(issue, True, said)
    return Ruling(issue, False, f"{said}: {'a warning' if count >= case.warn_at else 'advice'}")


def _outweighed(issue: Issue, why: str) -> Ruling:
    proven = _is_proven(issue)
    return Ruling(issue, proven, "" if proven or not issue.blocking else why)
