"""What no vote can lift a council's verdict above: the rules of ``consensus.floors`` for its judges."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.consensus.coverage import unjudged_floor
from guildmoot.consensus.floors import (
    Level,
    VerdictFloor,
    change_floors,
    coverage_floor,
    evidence_floor,
    facts_floor,
    flag_floors,
    parsing_floor,
    quorum_floor,
    rigor_floors,
    verification_floor,
)
from guildmoot.model.packet import Packet
from guildmoot.model.report import FileCoverage
from guildmoot.packet import REASONS
from guildmoot.practices.calls import deleted, followers
from guildmoot.practices.council.judge import JudgedReply
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.prompts import gate_applies
from guildmoot.practices.council.seats import Check, SeatedCouncil
from guildmoot.practices.council.target_words import asks_something
from guildmoot.practices.coverage import file_coverage
from guildmoot.reading.council.read import stated_pass
from guildmoot.reading.council.reasons import says_fail
from guildmoot.reading.grammar import READER_CODES, speaks_against
from guildmoot.reading.verdict_line import without_nonce

RECOMMENDED = 0.8
"""Share of the judges below which what the others say decides nothing."""


def council_floors(
    council: SeatedCouncil,
    judged: Sequence[JudgedReply],
    evidence: Sequence[tuple[str, int]],
    checks: Sequence[Check],
) -> list[VerdictFloor]:
    """What no vote can lift the verdict above."""
    packet, plan, config = council.packet, council.plan, council.config
    findings = [finding for one in judged for finding in one.judgement.findings]
    judgements = [one.judgement for one in judged]
    floors = verification_floor(findings) + facts_floor(findings) + parsing_floor(findings)
    floors += flag_floors(judgements) + _refusals(judged)
    floors += _quorum(plan, judged)
    if packet.files or packet.omitted:
        least = config.number("floors.coverage")
        floors += coverage_floor(len(packet.files) + len(packet.checks), packet.omitted, least)
        readers = any(one.vote.word for one in judged if not one.judge.is_tool)
        ruled = {one.name for one in judged if one.vote.word}
        followed = followers(packet) <= ruled
        floors += change_floors(packet, REASONS, readers=readers, followed=followed)
        accepted = config.text("panel.unjudged") == "approve"
        unheard = [one.name for one in judged if _is_silent(one) and not one.judge.is_tool]
        coverage = council_coverage(packet, judged)
        floors += unjudged_floor(coverage, accepted=accepted, silent=unheard)
    floors += evidence_floor(evidence)
    if gate_applies(plan, packet):
        verdicts = [one.verdict for one in judged if one.verdict]
        floors += rigor_floors([dict(each.satisfaction_breakdown or ()) for each in verdicts])
    if packet.alerts:
        paths = ", ".join(alert.path for alert in packet.alerts)
        floors.append(VerdictFloor("settings", "warn", f"the change itself touches {paths}"))
    floors += _vendor_floor(plan, judged) + _reader_floor(council, judged)
    return floors + _escalations(judged) + _check_floors(checks)


def _quorum(plan: CouncilPlan, judged: Sequence[JudgedReply]) -> list[VerdictFloor]:
    """Whether enough judges gave a verdict; of two vendors, whether one of them has enough of its own.

    A vendor that fails wholly is gone on without, so one that fails in part cannot weigh heavier: fewer answers
    would give the better outcome.
    """
    lost = () if plan.strict_mixed else _silent_sides(plan, judged)
    counted = [one for one in judged if _side(plan, one) not in lost]
    found = _quorum_of(counted)
    if not plan.mixed or plan.strict_mixed or not found or found[0].at_least == "warn":
        return found
    sides = {_side(plan, one) for one in counted}
    alone = (_quorum_of([one for one in counted if _side(plan, one) == side]) for side in sides)
    if all(each and each[0].at_least == "undecided" for each in alone):
        return found
    silent = ", ".join(one.name for one in counted if _is_silent(one))
    why = f"{silent} gave no verdict; the other vendor's judges are enough to go on, not for a clean PASS"
    return [VerdictFloor("quorum", "warn", why)]


def _quorum_of(judged: Sequence[JudgedReply]) -> list[VerdictFloor]:
    silent = [one.name for one in judged if _is_silent(one)]
    seated = sum(one.judgement.outcome != "recused" for one in judged)
    return quorum_floor(silent, seated, RECOMMENDED)


def council_coverage(packet: Packet, judged: Sequence[JudgedReply]) -> tuple[FileCoverage, ...]:
    """What the judges did with each file."""
    return file_coverage(packet, ((one.judge.agent, one.judgement) for one in judged))


def reviewed(packet: Packet, judged: Sequence[JudgedReply]) -> tuple[FileCoverage, ...]:
    """What was done with each file, for the report: where tools alone spoke, only what one of them knows is reviewed.

    That no secret was found in a text is no review of it.
    """
    coverage = council_coverage(packet, judged)
    if any(one.vote.word for one in judged if not one.judge.is_tool):
        return coverage
    return tuple(each for each in coverage if each.depth == "checked")


def _is_silent(one: JudgedReply) -> bool:
    """Neither a word, nor an excuse, nor a question for the operator."""
    return not one.vote.word and one.judgement.outcome not in ("recused", "operator-judgment")


def _refusals(judged: Sequence[JudgedReply]) -> list[VerdictFloor]:
    """Whose reply counts as no verdict, yet speaks against the work: its silence is no consent."""
    unread = [one for one in judged if _is_silent(one) and not one.judge.is_tool]
    against = [one.name for one in unread if _is_against(one)]
    why = f"{' and '.join(against)} gave no verdict that counts, but what was said is against it"
    return [VerdictFloor("refusal", "undecided", why)] if against else []


def _is_against(one: JudgedReply) -> bool:
    found = any(f.blocking and f.code not in READER_CODES for f in one.judgement.findings)
    said = [each.text for each in one.raw]
    reading = one.judgement.council
    if reading and reading.failure == "unconfirmed":  # an object's PASS is quoted where it is told
        said = [text for text in said if not stated_pass(text).verdict]
    plain = [without_nonce(text) for text in said]
    return found or any(says_fail(text) or speaks_against(text) for text in plain)


def _side(plan: CouncilPlan, one: JudgedReply) -> str:
    """The vendor that a judge sits for."""
    named = {vendor.agent for vendor in plan.vendors if vendor.agent}
    return one.judge.seat.agent if one.judge.seat.agent in named else one.vote.family


def _silent_sides(plan: CouncilPlan, judged: Sequence[JudgedReply]) -> tuple[str, ...]:
    """Vendors of two none of whose judges gave a word, while the other's did."""
    if not plan.mixed:
        return ()
    sides = [(_side(plan, one), one.vote.word) for one in judged]
    spoke = {side for side, word in sides if word}
    return tuple(sorted({side for side, _ in sides} - spoke)) if spoke else ()


def _vendor_floor(plan: CouncilPlan, judged: Sequence[JudgedReply]) -> list[VerdictFloor]:
    """Two vendors were asked for; without a word of one of them it is no clean PASS, or no verdict."""
    silent = ", ".join(_silent_sides(plan, judged))
    if "mixed" in plan.modes and not plan.mixed and plan.vendors:
        alone = ", ".join(vendor.name for vendor in plan.vendors)
        why = f"two vendors were asked for, and {alone} alone could be called: no second opinion"
        return [VerdictFloor("vendors", "warn", why)]
    if not silent:
        return []
    if plan.strict_mixed:
        why = f"no judge of {silent} gave a verdict, and --strict-mixed needs one of each vendor"
        return [VerdictFloor("vendors", "undecided", why)]
    why = (
        f"no judge of {silent} gave a verdict, so the other vendor's judges are heard alone:"
        " no second opinion (--strict-mixed makes that INCOMPLETE)"
    )
    return [VerdictFloor("vendors", "warn", why)]


def _only_deletes(packet: Packet) -> bool:
    return not packet.files and bool(deleted(packet))


def _asks(plan: CouncilPlan) -> bool:
    """A subject in words is a question, and so is what is asked beside a path or a change."""
    named = plan.diff is None and not plan.recent
    return plan.subject or asks_something(plan.target, plan.targets, named=named)


def _reader_floor(council: SeatedCouncil, judged: Sequence[JudgedReply]) -> list[VerdictFloor]:
    """Nobody who could judge the question gave a verdict: what tools do not find is no answer to it.

    Where whole files of code or a change were named and nothing else was asked, a tool that knows their language can.
    """
    plan, packet = council.plan, council.packet
    readers = [one for one in judged if not one.judge.is_tool]
    spoke = any(one.vote.word for one in judged)
    if not spoke or any(one.vote.word for one in readers):
        return []
    if readers:
        why = (
            "no judge that reads the whole work gave a verdict; tools look for their own rules only"
        )
        return [VerdictFloor("readers", "undecided", why)]
    if plan.perspectives:
        asked = f"from the angle of {', '.join(angle.name for angle in plan.perspectives)}"
    elif gate_applies(plan, packet):
        asked = "a plan"
    elif plan.focus:
        asked = f"it for {plan.focus}"
    elif not council.planned.wrapper and any(each.kind == "spec" for each in packet.sections):
        asked = "it by a spec"
    elif _asks(plan):
        asked = f"the question {plan.target!r}"
    elif not _only_deletes(packet) and not any(
        each.is_code for each in council_coverage(packet, judged)
    ):
        if council.planned.wrapper == "vibe":  # it asks for code
            return []
        asked = "what is written there"
    else:
        return []
    why = (
        f"nobody who sits can judge {asked}: tools look for their own rules only;"
        " a model could, seated by --model claude (or codex, gemini, PROVIDER:MODEL)"
    )
    return [VerdictFloor("readers", "undecided", why)]


def _escalations(judged: Sequence[JudgedReply]) -> list[VerdictFloor]:
    return [
        VerdictFloor("escalation", "undecided", f"{one.name}: {one.judgement.reason}")
        for one in judged
        if one.judgement.outcome == "operator-judgment"
    ]


def _check_floors(checks: Sequence[Check]) -> list[VerdictFloor]:
    """A review's mechanical checks: what a program found to be wrong, no judge can vote away."""
    levels: dict[str, Level] = {"fail": "flagged", "undecided": "undecided", "warn": "warn"}
    return [
        VerdictFloor("check", level, f"{name}: {why}")
        for wanted, level in levels.items()
        for name, found, why in checks
        if found == wanted
    ]
