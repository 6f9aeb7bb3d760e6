"""What we wrote below a repository earlier, as far as it is this machine's own.

What git tracks was written by whoever wrote the repository: a measure of judges, a decision or a
prediction of theirs is not believed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from guildmoot.system.files import linked_part, read_rows


def own_rows(root: Path, inner: str | os.PathLike[str]) -> Iterator[dict[str, object] | None]:
    """The JSON lines of a record of ours; none behind a link, and none that git tracks."""
    file = root / inner
    if file.exists() and not linked_part(root, inner) and not is_tracked(root, inner):
        yield from read_rows(file)


def is_tracked(root: Path, inner: str | os.PathLike[str]) -> bool:
    """Whether git tracks the file, or a link or submodule in the place of one of its folders."""
    from guildmoot.system.git import Git, GitError

    here = Path(os.path.abspath(root))
    if not any(os.path.lexists(each / ".git") for each in (here, *here.parents)):
        return False  # no repository: no process is started to learn that
    name = os.fspath(inner).replace(os.sep, "/").casefold()
    try:
        tracked = Git(root).tracked(name.partition("/")[0])
    except GitError:
        return False  # no repository, so nobody could have committed it
    # A file system may take other spellings of a name for the same.
    return any(f"{name}/".startswith(f"{each.casefold()}/") for each in tracked)
