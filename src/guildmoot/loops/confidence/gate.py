"""The gate between two tiers: what closes it, and who may open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.loops.confidence.history import tier_rows
from guildmoot.loops.confidence.inventory import OPEN
from guildmoot.loops.confidence.tiers import HIGHEST
from guildmoot.loops.records import blocker_of
from guildmoot.loops.units import first_red, told_of
from guildmoot.loops.values import LoopStop, Question
from guildmoot.text.clean import count as counted

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


def check_green(loop: ConfidenceLoop, tier: int) -> None:
    """The verification once more, in a clone that is made anew: nothing of what ran in the old one has a part in it."""
    loop.shop.open()
    red = first_red(loop.crew.first.verify())
    loop.shop.reset()
    if red:
        undo = (
            f"'git reset --keep {loop.before_tier[:12]}' takes the tier back"
            if loop.before_tier
            else ""
        )
        raise LoopStop(
            "gated", f"the verification is red after tier {tier}, whose units all passed: {told_of(red)}",
            f"see whether it flips, or looks at what lies outside its clone; {undo}".rstrip("; "), gate=True,
        )  # fmt: skip


def check_changed(loop: ConfidenceLoop) -> None:
    """A phase that changed nothing is done only when the pattern finds nothing more."""
    still = loop.scope.still_matching()
    if loop.scope.inventory.pattern.startswith(("grep:", "ast:")):
        loop.still = still
    if (still or loop.quarantined) and not loop.scope.done():
        why = f"the pattern still finds {counted(len(still), 'item')}"
        reason = f"nothing was changed: {why if still else 'every item is in quarantine'}"
        again = f"mend the transform, then {loop.request.command} --resume"
        raise LoopStop("gated", reason, again, gate=True)


def check_zero_diff(loop: ConfidenceLoop) -> None:
    """A transform that changes its own result again is not done in one go; a person may say that it is meant so.
    What a fixer made is not its own result."""
    changed = loop.second["changed"] if loop.second and not loop.contract.fixer else ()
    if changed:
        count = counted(len(changed), "file")
        told = f"a second application would change {count} again, so one was not enough, or each adds more"
        _ask_at_gate(loop, Question(f"{told}. Leave it so?", "--resume"), loop.request.resume)


def _ask_at_gate(
    loop: ConfidenceLoop, question: Question, given: bool, status: str = "gated"
) -> None:
    """Agreed by a flag or a person; else the gate stays closed."""
    try:
        loop.settle(question, given, status)
    except LoopStop as stop:
        raise LoopStop(stop.status, stop.reason, stop.next_action, gate=True) from None


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
    _ask_at_gate(loop, question, loop.request.flagged == "quarantine", "escalated")
    loop.scope.leave_out(loop.flagged)
    loop.quarantined += loop.flagged
    loop.flagged = []
    loop.scope.put()
    return True
