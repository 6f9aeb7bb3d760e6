"""One loop at a time in a repository: a dry run changes nothing, and what was cut short is mended first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from guildmoot.errors import UsageError
from guildmoot.loops.confidence.dry_run import show_plan
from guildmoot.loops.confidence.loop import ConfidenceLoop
from guildmoot.loops.workshop import git, mend_landing, own_folder
from guildmoot.system.files import lock

if TYPE_CHECKING:
    from guildmoot.loops.values import LoopReport, LoopRequest, LoopTools


def run_confidence(request: LoopRequest, tools: LoopTools) -> LoopReport:
    """Run the phase, or go on with it: what is ticked in the inventory is not done again."""
    if not git(request.root, "rev-parse", "-q", "--verify", "HEAD", fine=(0, 1, 128)).strip():
        raise UsageError(
            "there is no git repository with a commit here", "The loop works on what is committed."
        )
    if request.dry_run:
        return show_plan(ConfidenceLoop(request, tools))
    handle = lock(own_folder(request.root).parent / "loop.lock", wait=False)
    if handle is None:
        raise UsageError("another loop is at work in this repository", "Wait for it, or stop it.")
    try:
        mended = mend_landing(request.root)
        if mended:
            tools.watcher.tell(mended)
        return ConfidenceLoop(request, tools).run()
    finally:
        os.close(handle)
