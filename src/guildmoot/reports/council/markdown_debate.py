"""The second round in Markdown: who moved, on what evidence, and what they said to each other."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import CouncilReport, Debate, Exchange
from guildmoot.reports.council.blocks import bullets, plain_table, quote
from guildmoot.reports.council.view import (
    claim,
    counted,
    moved,
    movement,
    names,
    ref,
    severity,
    speaker,
    spread,
    was_held,
    why_moved,
)
from guildmoot.reports.markdown import code, prose

HOW = {
    "agreed": "All first verdicts were the same, so each judge was asked to argue against itself: "
    "what would a devil's advocate say, and what did everybody overlook?",
    "disagreed": "The first verdicts differed, so each judge had to put the strongest case of "
    "another (steel-man), dispute a claim (challenge) and grant a point (acknowledge).",
}
RULE = (
    "Each judge first wrote its own view down again, and only then saw the others', without names "
    "and in a shuffled order. A changed verdict counts when it cites something new: a place in the "
    "work, an error of its own, or a case that nobody had named. Else it is weak, and the first "
    "verdict counts."
)
_FIDELITY = {
    "full": "full (the same judges spoke in both rounds)",
    "degraded": "degraded (judges were asked anew, with their first answer before them)",
}


def debate_facts(debate: Debate) -> tuple[tuple[str, str], ...]:
    """Lines for the report's header."""
    return (
        ("Mode", "debate"),
        ("Rounds", "2" if was_held(debate) else "1 (there was no second)"),
        ("Fidelity", _FIDELITY[debate.fidelity] if was_held(debate) else ""),
    )


def debate_sections(report: CouncilReport, debate: Debate) -> Iterator[str]:
    """Verdict shifts, then the debate's notes."""
    yield "### Verdict Shifts"
    if not was_held(debate):
        yield bullets(map(prose, (no_debate(debate), *debate.notes)))
        return
    yield (
        f"First round: {spread([shift.first for shift in debate.shifts])}. "
        f"After the debate: {spread([counted(shift) for shift in debate.shifts])}. {moved(debate)}"
    )
    called = names(report)
    yield plain_table(
        ("Judge", "R1", "R2", "Changed?", "Reason"),
        (
            (
                called.get(shift.label, shift.label),
                shift.first or "none",
                shift.second or "none",
                movement(shift),
                why_moved(shift),
            )
            for shift in debate.shifts
        ),
    )
    if debate.converged:
        yield quote(convergence(debate))
    yield "### Debate Notes"
    yield f"{HOW[debate.branch]} {RULE}"
    ended = [f"Ended: {debate.stopped}"] if debate.stopped else []
    if ended or debate.notes:
        yield bullets(map(prose, (*ended, *debate.notes)))
    yield from _before(report, debate)
    yield from _exchanges(report, debate)
    yield from _steel_men(report, debate)
    yield from _dropped(report, debate)


def no_debate(debate: Debate) -> str:
    """Why nobody spoke a second time."""
    return f"There was no second round: {debate.stopped or 'no reason is on record'}"


def convergence(debate: Debate) -> str:
    """A warning to the reader: agreement after a split may be anchoring."""
    weak = sum(shift.weak for shift in debate.shifts)
    changed = sum(shift.changed for shift in debate.shifts)
    return (
        "Convergence: the first round was split, the second is unanimous. That may be agreement, "
        f"or judges leaning on each other; {weak} of {changed} changes cited nothing new."
    )


def _before(report: CouncilReport, debate: Debate) -> Iterator[str]:
    if debate.restated:
        yield "#### Before They Saw Each Other"
        for label, words in debate.restated:
            yield f"**{prose(speaker(report, label))}**:"
            yield quote(words)


def _exchanges(report: CouncilReport, debate: Debate) -> Iterator[str]:
    yield "#### Key Exchanges"
    told = [each for each in debate.exchanges if each.kind != "steel-man"]
    if not told:
        yield "None."
    for each in told:
        yield _exchange(report, each)


def _exchange(report: CouncilReport, each: Exchange) -> str:
    by, to = prose(speaker(report, each.by)), prose(speaker(report, each.to) or "the others")
    verb = "challenged" if each.kind == "challenge" else "granted"
    lines = [f"**{by}** {verb} **{to}**:", quote(each.claim)]
    if each.response.strip():
        label = f"{by} answers it" if each.kind == "challenge" else "What that changes"
        lines.append(f"{label}: {prose(each.response)}")
    return "\n\n".join(lines)


def _steel_men(report: CouncilReport, debate: Debate) -> Iterator[str]:
    yield "#### Steel-Man Highlights"
    told = [each for each in debate.exchanges if each.kind == "steel-man"]
    if not told:
        yield "None."
    for each in told:
        of = f" of **{prose(speaker(report, each.to))}**" if each.to else ""
        yield f"**{prose(speaker(report, each.by))}** on the strongest case{of}:"
        yield quote(each.claim)


def _dropped(report: CouncilReport, debate: Debate) -> Iterator[str]:
    if debate.dropped:
        yield "#### Dropped Without a Word"
        yield "Raised in the first round and no longer mentioned by the same judge:"
        yield bullets(
            f"**{prose(speaker(report, label))}** ({severity(finding)}, {code(ref(finding))}): "
            f"{prose(claim(finding))}"
            for label, finding in debate.dropped
        )
