"""From what the judges said to one verdict: votes, floors, buckets, disagreements, measured confidence.

The rules are pure functions of ``consensus``; here they meet the plan, the packet and the record of
past probes. Nothing is invented: every sentence of the result is a judge's own or a count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from guildmoot.config import Config, Origin
from guildmoot.consensus.buckets import Buckets, sort_issues
from guildmoot.consensus.confidence import as_seated, marks, measured
from guildmoot.consensus.council import CouncilResult, CouncilVote, tally_council, word_of
from guildmoot.consensus.floors import Floor
from guildmoot.consensus.outcome import decide
from guildmoot.consensus.votes.ballots import Rule
from guildmoot.consensus.words import count_word
from guildmoot.model.council import Disagreement, PairView
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet
from guildmoot.model.report import Counts
from guildmoot.model.verdict import Issue, Judgement
from guildmoot.practices.arbitration import Arbiter
from guildmoot.practices.council.floors import council_floors, count_assertions
from guildmoot.practices.council.hearing import Heard
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.remembering import Check
from guildmoot.practices.council.sides import find_disagreements
from guildmoot.practices.deliberation import Calibration, Deliberation, deliberate

POLICY = "council"
QUORUM = 1
"""Judges that must have given a verdict."""
RECOMMENDED = 0.8
"""Share of the judges below which a report says that few answered."""


class Reached(NamedTuple):
    """What a council's judgements come to."""

    result: CouncilResult
    votes: tuple[CouncilVote, ...]
    policy: str
    floors: tuple[str, ...]
    issues: tuple[Issue, ...]
    buckets: Buckets
    disagreements: tuple[Disagreement, ...]
    pairs: tuple[PairView, ...]
    counts: Counts
    confidence: str
    recommendation: str
    evidence: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]


async def reach(
    heard: Sequence[Heard],
    packet: Packet,
    plan: CouncilPlan,
    config: Config,
    past: Calibration,
    arbiter: Arbiter | None = None,
    checks: Sequence[Check] = (),
) -> Reached:
    """One verdict from what everybody said, under the council's table or another named policy."""
    agents = {one.seat.label: one.seat.agent.name for one in heard}
    probes = as_seated(past.probes, agents)
    judgements = [_voting(one.judgement) for one in heard]
    config = with_policy(config)
    weighed = await deliberate(
        judgements,
        list(agents),
        packet,
        config,
        Calibration(_seated_rule(past.rule, agents), tuple(probes)),
        arbiter,
    )
    votes = [cast_vote(one, weighed.issues) for one in heard]
    evidence = count_assertions(heard, weighed.issues) if plan.evidence else ()
    floors = council_floors(heard, votes, packet, plan, config, evidence, checks)
    result = _result(weighed, judgements, votes, plan, heard, floors)
    readers = [vote.seat for vote in votes if vote.word and not vote.computed]
    buckets = sort_issues(weighed.issues, readers)
    return Reached(
        result=result,
        votes=tuple(votes),
        policy=weighed.policy,
        floors=tuple(f"{floor.name}: {floor.why}" for floor in floors),
        issues=weighed.issues,
        buckets=buckets,
        disagreements=tuple(find_disagreements(heard, votes, buckets, weighed.result.conflicts)),
        pairs=pair_views(heard, votes) if _is_paired(plan) else (),
        counts=weighed.counts,
        confidence=measured(result.verdict, votes, marks(past.probes, agents)),
        recommendation=recommend(heard, votes, result.verdict, buckets),
        evidence=evidence,
        notes=tuple(_notes(votes)),
    )


def with_policy(config: Config) -> Config:
    """The settings with the council's own table, unless the user named another policy."""
    if config.values["policy.name"].source != "built in":
        return config
    return config._replace(
        values={**config.values, "policy.name": Origin(POLICY, "the council's own")}
    )


def cast_vote(one: Heard, issues: Sequence[Issue]) -> CouncilVote:
    """The judge's word as it counts; a judge without one keeps its seat and the reason."""
    plain = word_of(_voting(one.judgement))._replace(family=one.seat.seat.family)
    verdict = one.reading.verdict if one.reading else None
    if plain.word is None or (verdict is None and not plain.computed):
        return plain._replace(word=None, reason=plain.reason or "its reply holds no verdict")
    said = verdict.verdict if verdict and not plain.computed else plain.word
    counted = count_word(said, one.judgement.findings, issues)
    return plain._replace(word=counted.word, reason=counted.why)


def pair_views(heard: Sequence[Heard], votes: Sequence[CouncilVote]) -> tuple[PairView, ...]:
    """Each perspective that several vendors judged, with their words."""
    return tuple(
        PairView(
            perspective=name,
            words=tuple((vote.family, vote.word) for vote in pair),
            agreed=len({vote.word for vote in pair}) == 1 and pair[0].word is not None,
        )
        for name, pair in _by_perspective(heard, votes).items()
        if len(pair) > 1
    )


def recommend(
    heard: Sequence[Heard],
    votes: Sequence[CouncilVote],
    verdict: CouncilWord | None,
    buckets: Buckets,
) -> str:
    """The next step as one of the judges put it, with its name; else the fix of the worst issue.

    Of the judges that hold the verdict, the one that raises most of what others raise too speaks;
    where that is even, the first by name, so that the order of the seats decides nothing.
    """
    common = (*buckets.shared, *buckets.split)
    holders = [
        (-sum(one.seat.label in issue.seats for issue in common), one.seat.label, said)
        for one, vote in zip(heard, votes, strict=True)
        if vote.word and vote.word == verdict and (said := _recommended(one))
    ]
    if holders:
        _, label, said = min(holders)
        return f"{label}: {said}"
    fixes = (issue.representative for issue in (*common, *buckets.minority))
    return next((f"{f.seat}: {f.fix}" for f in fixes if f.fix), "")


def _recommended(one: Heard) -> str:
    verdict = one.reading.verdict if one.reading else None
    return " ".join(verdict.recommendation.split()) if verdict else ""


def _voting(judgement: Judgement) -> Judgement:
    """An answer that cannot be read is no vote here: it neither passes nor fails the work."""
    if judgement.outcome != "unreadable":
        return judgement
    return judgement._replace(outcome="absent", findings=())


def _seated_rule(rule: Rule | None, agents: Mapping[str, str]) -> Rule | None:
    """The rule that the probes fit, for seats that are called otherwise; none for an agent twice."""
    if rule is None or len(set(agents.values())) < len(agents):
        return None
    return lambda ballot: rule({agents[label]: vote for label, vote in ballot.items()})


def _result(
    weighed: Deliberation,
    judgements: Sequence[Judgement],
    votes: Sequence[CouncilVote],
    plan: CouncilPlan,
    heard: Sequence[Heard],
    floors: Sequence[Floor],
) -> CouncilResult:
    if weighed.policy == POLICY:
        sides = [vote for vote in votes if not (vote.computed and vote.word == "PASS")]
        counting = sides if any(vote.word for vote in sides) else votes
        pairs = list(_by_perspective(heard, votes).values()) if _is_paired(plan) else []
        return tally_council(counting, quorum=QUORUM, floors=floors, pairs=pairs)
    if not any(vote.word for vote in votes):
        return tally_council(votes, quorum=QUORUM)
    return _by_policy(weighed, judgements, floors)


def _by_policy(
    weighed: Deliberation, judgements: Sequence[Judgement], floors: Sequence[Floor]
) -> CouncilResult:
    """Another policy's result in the council's words; the floors hold under every policy."""
    decision = decide(weighed.result, judgements)
    words: dict[str, CouncilWord] = {"approved": "PASS", "flagged": "FAIL", "conflict": "FAIL"}
    if decision.outcome not in words:
        return CouncilResult("INCOMPLETE", None, False, decision.reasons)
    word = words[decision.outcome]
    if word == "PASS" and weighed.result.advisory:
        word = "WARN"
    vote = CouncilVote(f"policy {weighed.policy}", weighed.policy, word)
    found = tally_council([vote], floors=floors)
    found = found._replace(reasons=(*decision.reasons, *found.reasons[1:]))
    if decision.outcome == "conflict":
        return found._replace(outcome="DISAGREE", disagreement=True)
    return found


def _is_paired(plan: CouncilPlan) -> bool:
    return plan.mixed and plan.pairing == "paired" and bool(plan.perspectives)


def _by_perspective(
    heard: Sequence[Heard], votes: Sequence[CouncilVote]
) -> dict[str, list[CouncilVote]]:
    found: dict[str, list[CouncilVote]] = {}
    for one, vote in zip(heard, votes, strict=True):
        name = one.seat.perspective.name if one.seat.perspective else ""
        found.setdefault(name, []).append(vote)
    return found


def _notes(votes: Sequence[CouncilVote]) -> list[str]:
    """What went otherwise than asked: silent judges, words that count as others, few answers."""
    given = sum(vote.word is not None for vote in votes)
    notes = [f"{vote.seat} gave no verdict: {vote.reason}" for vote in votes if not vote.word]
    notes += [f"{vote.seat}: {vote.reason}" for vote in votes if vote.word and vote.reason]
    if 0 < given < RECOMMENDED * len(votes):
        notes.append(
            f"only {given} of {len(votes)} judges gave a verdict; {RECOMMENDED:.0%} are recommended"
        )
    return notes
