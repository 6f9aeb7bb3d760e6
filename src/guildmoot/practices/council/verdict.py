"""From what the judges said to one verdict: votes, floors, buckets, disagreements, measured confidence.

The rules are pure functions of ``consensus``; here they meet the plan, the packet and the record of
past probes. Nothing is invented: every sentence of the result is a judge's own or a count.
"""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.consensus.agreement import Buckets, measured, sort_issues, tally
from guildmoot.consensus.council import (
    CouncilResult,
    CouncilVote,
    tally_council,
    tell_silent,
    weigh_severity,
    word_of,
)
from guildmoot.consensus.count_vote import count_vote
from guildmoot.consensus.floors import (
    VerdictFloor,
    left_out_notes,
)
from guildmoot.consensus.grouping import group_findings
from guildmoot.consensus.opinions import is_placed
from guildmoot.consensus.outcome import decide
from guildmoot.consensus.splits import JudgeSaid, find_disagreements, merge_advice
from guildmoot.consensus.votes.counting import abilities
from guildmoot.model.council import CouncilReport, PairView
from guildmoot.model.council_verdict import CouncilFinding, CouncilWord
from guildmoot.model.report import with_coverage
from guildmoot.model.verdict import Issue, Judgement
from guildmoot.packet import REASONS
from guildmoot.practices.council.floors import council_floors, reviewed
from guildmoot.practices.council.judge import JudgedReply
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.seats import SeatedCouncil
from guildmoot.practices.deliberation import Arbiter, Calibration, Deliberation, rule, weigh
from guildmoot.reading.council.debate import shortened
from guildmoot.reading.council.reasons import all_beside
from guildmoot.reading.grammar import READER_CODES, WITHOUT_REASONS

POLICY = "council"
QUORUM = 1
"""Judges that must have given a verdict."""
_MOST_SAID = 400


async def reach_verdict(
    council: SeatedCouncil,
    report: CouncilReport,
    judged: Sequence[JudgedReply],
    past: Calibration,
    arbiter: Arbiter | None = None,
) -> tuple[CouncilReport, tuple[JudgedReply, ...]]:
    """The report with one verdict from what everybody said, and the judges with their votes.

    The council's table rules, or another policy that the user named; the report's checks are floors.
    """
    plan, packet, config = council.plan, council.packet, council.config
    asked = [one.name for one in judged]
    judgements = [_voting(one.judgement) for one in judged]
    weighed = await weigh(judgements, packet, config, arbiter)
    issues = weighed.issues
    votes = weigh_severity([cast_vote(one, issues) for one in judged])
    judged = tuple(one._replace(vote=vote) for one, vote in zip(judged, votes, strict=True))
    issues = tuple(issue for issue in issues if not _is_remark(issue))
    evidence = count_assertions(judged, issues) if plan.evidence else ()
    floors = council_floors(council, judged, evidence, report.checks)
    named = config.values["policy.name"]
    policy = POLICY if named.source == "built in" else str(named.value)
    if policy == POLICY or not any(vote.word for vote in votes):
        result = _by_findings(_tallied(judged, plan, floors, policy), issues)
    else:
        ruled = rule(judgements, weighed, asked, packet, config, past)
        result = _by_policy(ruled, judgements, floors)
    buckets = sort_issues(issues, [v.seat for v in votes if v.word and not v.computed])
    said = _said(judged)
    decided = None if result.outcome == "INCOMPLETE" else result.verdict
    alerts = tuple(group_findings(packet.alerts))
    header = with_coverage(report.header, reviewed(packet, judged))._replace(
        policy=policy,
        reasons=result.reasons,
        floors=tuple(f"{floor.name}: {floor.why}" for floor in floors),
        counts=tally(judgements, issues, asked, past.probes, past.record.is_fooled),
        exit_code=result.exit_code(fail_on_warn=config.text("panel.fail_on") == "warn"),
    )
    report = report._replace(
        header=header,
        outcome=result.outcome,
        verdict=result.verdict,
        issues=(*alerts, *issues),
        shared=(*alerts, *buckets.shared),
        split=buckets.split,
        minority=buckets.minority,
        disagreements=tuple(find_disagreements(said, issues, weighed.clashes.conflicts)),
        pairs=pair_views(judged) if _is_paired(plan) else (),
        confidence=measured(decided, votes, abilities(past.probes)),
        recommendation=recommend(judged, result.verdict, buckets),
        advice=merge_advice(said, result.verdict),
        evidence=evidence,
        notes=(
            *report.notes,
            *_bare_reasons(judged),
            *_notes(votes, result.reasons),
            *left_out_notes(packet, REASONS),
        ),
    )
    return report, judged


def cast_vote(one: JudgedReply, issues: Sequence[Issue]) -> CouncilVote:
    """The judge's word as it counts; a judge without one keeps its seat and the reason."""
    plain = word_of(_voting(one.judgement))._replace(family=one.judge.seat.family)
    verdict = one.verdict
    if plain.word is None or (verdict is None and not plain.computed):
        return plain._replace(word=None, reason=plain.reason or "its reply holds no verdict")
    said = verdict.verdict if verdict and not plain.computed else plain.word
    counted = count_vote(said, one.judgement.findings, issues)
    found = verdict.findings if verdict else ()
    light = counted.word == "FAIL" and bool(found) and all(map(_is_light, found))
    why = counted.why or (one.judgement.reason if counted.word == "PASS" else "")
    return plain._replace(word=counted.word, reason=why, light=light)


def _is_light(finding: CouncilFinding) -> bool:
    """Minor, and not about security, which outweighs."""
    return finding.severity == "minor" and "secur" not in finding.category.casefold()


def _is_remark(issue: Issue) -> bool:
    """Whether nobody wrote it: it only says that a FAIL names nothing worse than minor, which stands by the vote."""
    return all(member.code == WITHOUT_REASONS for member in issue.members)


def _bare_reasons(judged: Sequence[JudgedReply]) -> list[str]:
    """The own words of judges that say FAIL and name no finding."""
    found: dict[str, list[str]] = {}
    for one in judged:
        if one.vote.word == "FAIL" and one.verdict and not one.verdict.findings:
            own = one.verdict.key_insight or one.verdict.recommendation
            said = own or shortened(all_beside(one.said, one.verdict), _MOST_SAID) or "(nothing)"
            found.setdefault(" ".join(said.split()), []).append(one.name)
    return [
        f'{", ".join(names)} {"name" if len(names) > 1 else "names"} no finding; the reason given: "{said}"'
        for said, names in found.items()
    ]


def pair_views(judged: Sequence[JudgedReply]) -> tuple[PairView, ...]:
    """Each perspective that several vendors judged, with their words."""
    return tuple(
        PairView(
            perspective=name,
            words=tuple((vote.family, vote.word) for vote in pair),
            agreed=len({vote.word for vote in pair}) == 1 and pair[0].word is not None,
        )
        for name, pair in _by_perspective(judged).items()
        if len(pair) > 1
    )


def recommend(judged: Sequence[JudgedReply], verdict: CouncilWord | None, buckets: Buckets) -> str:
    """The next step as one of the judges put it, with its name; else the fix of the worst issue.

    Of the judges that hold the verdict, the one that raises most of what others raise too speaks;
    where that is even, the first by name, so that the order of the seats decides nothing.
    """
    common = (*buckets.shared, *buckets.split)
    holders = [
        (-sum(one.name in issue.seats for issue in common), one.name, said)
        for one in judged
        if one.vote.word and one.vote.word == verdict and one.verdict
        if (said := " ".join(one.verdict.recommendation.split()))
    ]
    if holders:
        _, label, said = min(holders)
        return f"{label}: {said}"
    raised = (*common, *buckets.minority)
    grave = [issue for issue in raised if issue.blocking] or raised
    fixes = (issue.representative for issue in grave)
    return next((f"{f.seat}: {f.fix}" for f in fixes if f.fix), "")


def _voting(judgement: Judgement) -> Judgement:
    """An answer that cannot be read is no vote here; what it gives as blocking is listed all the same."""
    if judgement.outcome != "unreadable":
        return judgement
    given = tuple(f for f in judgement.findings if f.blocking and f.code not in READER_CODES)
    return judgement._replace(outcome="absent", findings=given)


def _tallied(
    judged: Sequence[JudgedReply],
    plan: CouncilPlan,
    floors: Sequence[VerdictFloor],
    policy: str,
) -> CouncilResult:
    """The council's own table; under another policy it only says that nobody voted."""
    votes = [one.vote for one in judged]
    if policy != POLICY:
        return tally_council(votes, quorum=QUORUM)
    sides = [vote for vote in votes if not (vote.computed and vote.word == "PASS")]
    counting = sides if any(vote.word for vote in sides) else votes
    pairs = list(_by_perspective(judged).values()) if _is_paired(plan) else []
    return tally_council(counting, quorum=QUORUM, floors=floors, pairs=pairs)


def _by_findings(result: CouncilResult, issues: Sequence[Issue]) -> CouncilResult:
    """A finding that blocks decides though no judge's verdict could be read; the error is told beside it.

    One whose place was not found is for somebody to look at.
    """
    blocking = [issue for issue in issues if issue.blocking]
    if result.outcome != "ERROR" or not blocking:
        return result
    count = "a finding blocks" if len(blocking) == 1 else f"{len(blocking)} findings block"
    reasons = (f"{count}, whatever else could not be read", *result.reasons)
    if any(is_placed(issue) for issue in blocking):
        return CouncilResult("FAIL", "FAIL", False, reasons)
    return CouncilResult("INCOMPLETE", None, False, reasons)


def _by_policy(
    ruled: Deliberation, judgements: Sequence[Judgement], floors: Sequence[VerdictFloor]
) -> CouncilResult:
    """Another policy's result in the council's words; the floors hold under every policy."""
    decision = decide(ruled.result, judgements)
    words: dict[str, CouncilWord] = {"approved": "PASS", "flagged": "FAIL", "conflict": "FAIL"}
    if decision.outcome not in words:
        return CouncilResult("INCOMPLETE", None, False, decision.reasons)
    word = words[decision.outcome]
    if word == "PASS" and ruled.result.advisory:
        word = "WARN"
    vote = CouncilVote(f"policy {ruled.policy}", ruled.policy, word)
    found = tally_council([vote], floors=floors)
    found = found._replace(reasons=(*decision.reasons, *found.reasons[1:]))
    if decision.outcome == "conflict":
        return found._replace(outcome="DISAGREE", disagreement=True)
    return found


def _is_paired(plan: CouncilPlan) -> bool:
    return plan.mixed and plan.pairing == "paired" and bool(plan.perspectives)


def _by_perspective(judged: Sequence[JudgedReply]) -> dict[str, list[CouncilVote]]:
    found: dict[str, list[CouncilVote]] = {}
    for one in judged:
        name = one.judge.perspective.name if one.judge.perspective else ""
        found.setdefault(name, []).append(one.vote)
    return found


def _notes(votes: Sequence[CouncilVote], told: Sequence[str]) -> list[str]:
    """What went otherwise than asked: silent judges, words that count as others; not what was told."""
    notes = tell_silent(votes)
    counted = (vote for vote in votes if vote.word and vote.reason and not vote.light)
    notes += [f"{vote.seat}: {vote.reason}" for vote in counted]
    return [note for note in notes if note not in told]


def count_assertions(
    judged: Sequence[JudgedReply], issues: Sequence[Issue]
) -> tuple[tuple[str, int], ...]:
    """How many assertions each issue has: the most that one judge gave; facts need none."""
    opinions = {one.name for one in judged if not one.judgement.computed}
    return tuple(
        (issue.id, max(len(member.assertions) for member in issue.members))
        for issue in issues
        if any(member.seat in opinions for member in issue.members)
        and not any(member.proven for member in issue.members)
    )


def _said(judged: Sequence[JudgedReply]) -> list[JudgeSaid]:
    """What the judges that read the whole work hold; a tool holds nothing against anybody."""
    said = []
    for one in judged:
        if one.vote.word and not one.vote.computed:
            insight = one.verdict.key_insight or one.verdict.recommendation if one.verdict else ""
            advice = one.verdict.recommendation if one.verdict else ""
            said.append(JudgeSaid(one.name, one.vote.word, insight, advice))
    return said
