"""Files of a project that whoever wrote its repository may have put links, pipes or devices in place of."""

from __future__ import annotations

import errno
import os
import stat

from guildmoot.errors import UsageError
from guildmoot.projects.errors import RecordError
from guildmoot.system.files import refuse_links


def refuse_link(path: str) -> None:
    """RecordError ``link-refused`` when a path leads through a link in a repository."""
    try:
        refuse_links(path)
    except UsageError as wrong:
        raise RecordError("link-refused", f"{wrong.message}. {wrong.hint}") from None


def read_held(path: str) -> bytes:
    """What a file of the project holds; never through a link, never from a pipe or a device."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        refuse_link(path)
        if not os.path.isfile(path):
            raise OSError(errno.EINVAL, "no ordinary file", path)
    refuse_link(path)
    with open(path, "rb") as stream:
        return stream.read()
