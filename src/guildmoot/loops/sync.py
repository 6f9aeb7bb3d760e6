"""A checkout and its remote before a phase is dispatched: fetched, moved forward, and nobody's work discarded."""

from __future__ import annotations

from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.guard.undo.snapshot import take_snapshot
from guildmoot.loops.values import Ask, Question
from guildmoot.loops.workshop import dirty_paths, git
from guildmoot.text.clean import count as counted

_OWN = ".claude/settings.local.json"


class RouteStop(Exception):
    """The router ends here, and says why."""

    def __init__(self, status: str, report: str, action: str) -> None:
        super().__init__(report)
        self.status, self.report, self.action = status, report, action


def sync(root: Path, base: str, dirty: str, ask: Ask) -> list[str]:
    """Fetch; on the base branch move forward, or stop; on another tell the gap. What is worth telling."""
    notes = []
    here = git(root, "branch", "--show-current").strip()
    if git(root, "remote").strip():
        try:
            git(root, "fetch", "-q")
        except InfrastructureError as wrong:
            notes.append(f"sync: {wrong.message}")
    notes += _settle_dirty(root, dirty, ask)
    upstream = git(root, "rev-parse", "-q", "--verify", "@{u}", fine=(0, 1, 128)).strip()
    if here == base and upstream:
        try:
            git(root, "merge", "-q", "--ff-only", "@{u}")
        except InfrastructureError:
            raise RouteStop(
                "stopped", f"{base} and its upstream have parted: it is no fast-forward",
                f"git log --oneline {base}...@{{u}}, then merge or rebase by hand",
            ) from None  # fmt: skip
    elif here != base:
        known = git(root, "rev-parse", "-q", "--verify", f"origin/{base}", fine=(0, 1, 128))
        target = f"origin/{base}" if known.strip() else base
        behind = git(root, "rev-list", "--count", f"HEAD..{target}", fine=(0, 128)).strip()
        if behind not in ("", "0"):
            notes.append(f"sync: {here} is {counted(int(behind), 'commit')} behind {target}")
    return notes


def _settle_dirty(root: Path, answer: str, ask: Ask) -> list[str]:
    """Changes in tracked files are somebody's work: nothing is discarded unless that was said."""
    changed = git(root, "diff", "--name-only", "-z", "HEAD").split("\0")
    dirty = [path for path in changed if path and path != _OWN]
    if not dirty:
        new = [path for path in dirty_paths(root) if path != _OWN]
        told = f"sync: not tracked: {', '.join(new[:5])}; a bulk change starts when it is committed, ignored or moved"
        return [told] if new else []
    told = f"not committed: {', '.join(dirty[:5])}"
    question = Question(f"{told}. Go on, and leave them as they are?", "--dirty=continue")
    if answer == "continue" or (not answer and ask(question)):
        return [f"sync: {told}"]
    if answer == "commit":
        git(root, "commit", "-q", "-m", "Work in progress", "--", *dirty)
        return [f"sync: committed {counted(len(dirty), 'file')} as work in progress"]
    if answer == "discard":
        take_snapshot(root, "guild run-phase --dirty=discard")
        git(root, "checkout", "-q", "HEAD", "--", *dirty)
        return [
            f"sync: discarded {counted(len(dirty), 'file')}; 'guild undo restore' brings them back"
        ]
    raise RouteStop(
        "stopped", told, "the same command with --dirty=commit, --dirty=continue or --dirty=discard"
    )
