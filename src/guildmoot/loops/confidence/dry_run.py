"""What a loop would do: items, tiers, batches, and what every file would hold; kept under an id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from guildmoot.loops.confidence.batches import TOGETHER
from guildmoot.loops.confidence.estimate import count_units
from guildmoot.loops.confidence.preview import blobs_of, keep_patch, keep_preview
from guildmoot.loops.confidence.telling import history_of, start_of
from guildmoot.loops.values import Held, LoopReport, LoopStop
from guildmoot.loops.workshop import git

if TYPE_CHECKING:
    from guildmoot.loops.confidence.loop import ConfidenceLoop


def show_plan(loop: ConfidenceLoop) -> LoopReport:
    """Items, tiers, batches, what it takes, and what every file would hold; or why it cannot be told."""
    try:
        return _show(loop)
    except LoopStop as stop:
        again = stop.next_action.replace(" --resume", "")  # no gate was closed
        return loop.report(stop.status, stop.reason, again)


def _show(loop: ConfidenceLoop) -> LoopReport:
    request, scope = loop.request, loop.scope
    try:
        loop.shop.open(start_of(request.root, loop.place, request.stacked_on))
        scope.take(history_of(request.root, loop.place))
        for item in scope.items:
            loop.tools.watcher.tell(f"tier {item.tier}  {item.path}  {item.note}")
        waiting = scope.waiting()
        after = _try_out(loop, waiting)
        before = blobs_of(loop.shop.folder, waiting, loop.shop.base)
        about = {"transform": loop.contract.transformer.name}
        plan = keep_preview(request.root, before, after, about)
        changes = ""
        if after is not None:
            loop.shop.put(after)
            patch = git(
                loop.shop.folder,
                "diff",
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                loop.shop.base,
            )
            changes = (
                f"; {len(after)} files would change, as in {keep_patch(request.root, plan, patch)}"
            )
    finally:
        loop.crew.close()
    loop.estimate()
    for tier, count in sorted(scope.counts().items()):
        units = count_units(count, tier, request.batch)
        loop.tiers[tier] = {"tier": tier, "items": count, "units": units}
    action = f"{request.command.replace(' --dry-run', '')} --plan {plan}"
    return loop.report("planned", f"nothing was changed{changes}", action)._replace(plan=plan)


def _try_out(loop: ConfidenceLoop, paths: Sequence[str]) -> Held | None:
    """What a command makes of the items; an agent is not asked for a preview."""
    if not loop.contract.transformer.steady:
        return None
    held: Held = {}
    for start in range(0, len(paths), TOGETHER):
        more, bad, _ = loop.crew.first.transform(list(paths[start : start + TOGETHER]))
        held |= more
        loop.quarantined += bad
    return held
