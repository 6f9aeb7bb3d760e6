"""One loop at a time in a repository: a dry run changes nothing, and what was cut short is mended first."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import UsageError
from guildmoot.loops.confidence.dry_run import show_plan
from guildmoot.loops.confidence.loop import ConfidenceLoop
from guildmoot.loops.workshop import QUIET, dirty_paths, git, journal_of, own_folder
from guildmoot.system.files import lock, read_own

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


def mend_landing(root: Path) -> str:
    """Finish a landing that was cut short, where every file is as before or after it; what was done."""
    journal = journal_of(root)
    try:
        held = json.loads(read_own(journal))
        before, after = str(held["from"]), str(held["to"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    said = ""
    here = git(root, "rev-parse", "HEAD").strip()
    on_branch = git(root, "branch", "--show-current").strip() == held.get("branch")
    dirty = dirty_paths(root)
    if dirty and on_branch and here in (before, after) and _all_ours(root, dirty, before, after):
        git(root, *QUIET, "reset", "-q", "--hard", after)
        said = "a landing that was cut short is finished"
    journal.unlink(missing_ok=True)
    return said


def _all_ours(root: Path, dirty: Sequence[str], before: str, after: str) -> bool:
    """Whether every file that differs holds what it held before the landing, or holds after it."""
    ours = set(git(root, "diff", "--name-only", "-z", before, after).split("\0"))
    for path in dirty:
        if path not in ours:
            return False
        known = {_blob(root, commit, path) for commit in (before, after)}
        place = root / path
        here = git(root, "hash-object", "--", path).strip() if place.is_file() else ""
        if here not in known:
            return False
    return True


def _blob(root: Path, commit: str, path: str) -> str:
    return git(root, "rev-parse", "-q", "--verify", f"{commit}:{path}", fine=(0, 1, 128)).strip()
