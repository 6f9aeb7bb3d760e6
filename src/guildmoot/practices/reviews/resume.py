"""What a resumed run of a wrapper adds to its report: the same as the run that was stopped."""

from __future__ import annotations

from pathlib import Path

from guildmoot.practices.council.run import ReportHook
from guildmoot.practices.resuming import restore
from guildmoot.practices.reviews.convene import dress_with
from guildmoot.practices.reviews.post_mortem import POST_MORTEM
from guildmoot.practices.reviews.pre_mortem import PRE_MORTEM
from guildmoot.practices.reviews.vibe import VIBE
from guildmoot.runs.record import read_part

WRAPPERS = {wrapper.name: wrapper for wrapper in (VIBE, PRE_MORTEM, POST_MORTEM)}


def finish_report_again(root: Path, folder: Path, *, keep: bool = True) -> ReportHook | None:
    """The dress of the run in ``folder``; None for a plain council. ``keep`` writes records."""
    wrapper = WRAPPERS.get(str(read_part(folder, "request").get("wrapper", "")))
    if wrapper is None:
        return None
    return dress_with(wrapper, restore(root, folder, {}).packet, root if keep else None)
