"""What a resumed run of a wrapper adds to its report: the same as the run that was stopped."""

from __future__ import annotations

from pathlib import Path

from guildmoot.practices.council.run import Dress
from guildmoot.practices.resuming import restore
from guildmoot.practices.wrappers.convening import dress_with
from guildmoot.practices.wrappers.post_mortem import POST_MORTEM
from guildmoot.practices.wrappers.pre_mortem import PRE_MORTEM
from guildmoot.practices.wrappers.vibe import VIBE
from guildmoot.records.runs import read_part

WRAPPERS = {wrapper.name: wrapper for wrapper in (VIBE, PRE_MORTEM, POST_MORTEM)}


def dress_again(root: Path, folder: Path, *, keep: bool = True) -> Dress | None:
    """The dress of the run in ``folder``; None for a plain council. ``keep`` writes records."""
    wrapper = WRAPPERS.get(str(read_part(folder, "request").get("wrapper", "")))
    if wrapper is None:
        return None
    return dress_with(wrapper, restore(root, folder, {}).packet, root if keep else None)
