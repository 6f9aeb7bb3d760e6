"""The gate between two tiers: what closes it, and who may open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.loops.confidence.history import tier_rows
from guildmoot.loops.confidence.inventory import OPEN
from guildmoot.loops.confidence.tiers import HIGHEST
from guildmoot.loops.records import blocker_of
from guildmoot.loops.values import LoopStop, Question

if TYPE_CHECKING:
    from guildmoot.loops.confidence.loop import ConfidenceLoop
    from guildmoot.loops.confidence.scope import PhaseScope
    from guildmoot.projects.manifest import Record


def check_gate(loop: ConfidenceLoop) -> None:
    """A gate that was closed is opened by a person alone; a phase that was merged is done."""
    closed = loop.state.closed
    if closed:
        why = closed.removeprefix("a person must decide: ").removeprefix("not agreed: ")
        question = Question(f"the last run stopped: {why.rstrip('?. ')}. Go on?", "--resume")
        loop.settle(question, loop.request.resume, "gated")
        loop.state.open_gate()
    place = loop.place
    if place.status == "in-progress" and loop.pulls.state() == "MERGED":
        update = f"loom phase update {place.slug} {place.number} --status=completed"
        raise LoopStop("completed", "the pull request of this phase is merged", update)


def is_ahead(scope: PhaseScope, tier: int) -> bool:
    """Whether a later tier waits, behind this one's gate."""
    return any(scope.waiting(other) for other in scope.tiers if other > tier)


def was_cut_short(scope: PhaseScope, tier: int) -> bool:
    """Whether a run may have been killed between the last unit of a tier and its gate: it has not gone past it."""
    begun = any(item.mark != OPEN for item in scope.items if tier < item.tier < HIGHEST)
    return is_ahead(scope, tier) and not begun


def figures_of(scope: PhaseScope, tier: int) -> Record:
    """What became of a whole tier, also of what earlier runs did of it."""
    return next(row for row in tier_rows(scope.items, ()) if row["tier"] == tier)


def blocker_for_next(scope: PhaseScope, tier: int) -> str:
    """Why the next tier must not start; empty when it may, or when there is none."""
    return blocker_of(figures_of(scope, tier)) if is_ahead(scope, tier) else ""


def settle_flagged(loop: ConfidenceLoop) -> bool:
    """What the panel still flags keeps the gate closed, unless a person puts it into quarantine; whether one did."""
    if not loop.flagged:
        return False
    named = "; ".join(f"{each.item}: {each.reason}" for each in loop.flagged[:3])
    count = len(loop.flagged)
    told = f"the panel still flags {'1 item' if count == 1 else f'{count} items'} ({named})"
    if loop.request.flagged == "stop":
        again = f"mend them, then {loop.request.command} --resume"
        raise LoopStop("escalated", told, again, gate=True)
    question = Question(f"{told}. Quarantine them?", "--resume --flagged quarantine")
    try:
        loop.settle(question, loop.request.flagged == "quarantine", "escalated")
    except LoopStop as stop:
        raise LoopStop(stop.status, stop.reason, stop.next_action, gate=True) from None
    loop.scope.leave_out(loop.flagged)
    loop.quarantined += loop.flagged
    loop.flagged = []
    loop.scope.put()
    return True
