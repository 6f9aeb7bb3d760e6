"""What is told of a phase at any end of the loop, also where it stopped before it began: what its branch holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError
from guildmoot.loops.confidence.history import PhaseHistory, read_history
from guildmoot.loops.confidence.inventory import DONE, FLAGGED, OPEN, QUARANTINED, UNCHANGED
from guildmoot.loops.confidence.pull_text import pull_text
from guildmoot.loops.confidence.tiers import HIGHEST
from guildmoot.loops.state import LoopState
from guildmoot.loops.values import LoopReport
from guildmoot.loops.workshop import git, tip_of

if TYPE_CHECKING:
    from guildmoot.loops.phase import PhasePlace


def start_of(root: Path, place: PhasePlace, stacked_on: str = "") -> str:
    """The commit that the work starts from: the tip of the phase's branch; else where the checkout is, unless that is
    another phase's branch and nothing is stacked: then where the work will be merged."""
    tip = tip_of(root, place.branch)
    if tip:
        return tip
    here = git(root, "branch", "--show-current").strip()
    others = here.startswith(f"{place.slug[11:]}.") and here != place.base
    base = tip_of(root, place.base) if others and not stacked_on else ""
    held = f"{base}:{place.inner}"
    if base and git(root, "rev-parse", "-q", "--verify", held, fine=(0, 1, 128)).strip():
        return base
    return git(root, "rev-parse", "HEAD").strip()


def history_of(root: Path, place: PhasePlace) -> PhaseHistory:
    """What the phase's branch holds; nothing where git cannot tell."""
    try:
        return read_history(root, place, start_of(root, place))
    except InfrastructureError:
        return PhaseHistory()


def standing_report(root: Path, place: PhasePlace, status: str, reason: str = "") -> LoopReport:
    """Where a phase stands, by its branch alone."""
    return _told(root, place, history_of(root, place), status, reason)


def pull_body(root: Path, place: PhasePlace, verify: Sequence[str], notes: Sequence[str]) -> str:
    """The text of the phase's pull request."""
    history = history_of(root, place)
    told = _told(root, place, history, "")
    return pull_text(place, verify, told, history.checkins, notes)


def _told(
    root: Path, place: PhasePlace, history: PhaseHistory, status: str, reason: str = ""
) -> LoopReport:
    seen = LoopState(root, place.key).evidence()
    last = history.checkins[-1] if history.checkins else ""
    routed = tuple(i.path for i in history.items if i.tier >= HIGHEST and i.mark == OPEN)
    return LoopReport(
        status, place.plain(), place.branch, history.rows(), history.marked(DONE), history.marked(UNCHANGED),
        by_hand=history.by_hand, quarantined=tuple(history.left_out(QUARANTINED, seen)),
        flagged=tuple(history.left_out(FLAGGED, seen)), routed=routed, last_checkin=last,
        reason=reason, proof=history.proof,
    )  # fmt: skip
