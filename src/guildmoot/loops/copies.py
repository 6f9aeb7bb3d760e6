"""What git ignores and a verification needs (packages, an environment), copied into a clone.

It is a copy and never a link: whatever a command does in the clone, the user's files stay as they are, and what
proves a change is what the user had before it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import UsageError
from guildmoot.loops.values import LoopStop
from guildmoot.system.files import linked_part

_MOST_BYTES = 4 << 30
_MOST_FILES = 300_000


def check_copies(root: Path, names: Sequence[str], tracked: Sequence[str]) -> tuple[str, ...]:
    """The names as paths from the root; UsageError for one that is not there, leads out, or is too large."""
    found = []
    for name in names:
        plain = os.path.normpath(name)
        if os.path.isabs(plain) or plain.partition("/")[0] in ("..", ".git", ".guild", "."):
            raise UsageError(f"--with {name}: name a file or folder inside the repository")
        if linked_part(root, plain) or not os.path.lexists(root / plain):
            raise UsageError(f"--with {name}: there is no such file or folder, or it is a link")
        if any(path == plain or path.startswith(f"{plain}/") for path in tracked):
            raise UsageError(f"--with {name}: git tracks it, so every clone has it")
        files, size = _weight(root / plain)
        if files > _MOST_FILES or size > _MOST_BYTES:
            raise UsageError(
                f"--with {name}: it is too large to be copied into every clone",
                f"At most {_MOST_FILES:,} files and {_MOST_BYTES >> 30} GiB.",
            )
        found.append(plain)
    return tuple(found)


def _weight(place: Path) -> tuple[int, int]:
    files = size = 0
    for folder, _, names in os.walk(place):
        files += len(names)
        size += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
        if files > _MOST_FILES or size > _MOST_BYTES:
            break
    return files, size


def hide_copies(folder: Path, names: Sequence[str]) -> None:
    """Git takes no notice of them in the clone, whatever ignores them in the checkout."""
    if names:
        file = folder / ".git" / "info" / "exclude"
        file.parent.mkdir(exist_ok=True)
        plain = (re.sub(r"([\\*?\[\] ])", r"\\\1", name) for name in names)
        file.write_text("".join(f"/{name}\n" for name in plain), encoding="utf-8")


def copy_in(root: Path, folder: Path, names: Sequence[str]) -> None:
    """Copy these from the checkout into a clone that does not have them."""
    for name in names:
        source, target = root / name, folder / name
        if os.path.lexists(target) or linked_part(folder, name):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=_special)
        elif stat.S_ISREG(os.lstat(source).st_mode):
            shutil.copy2(source, target)
        _drop_links_to(root, folder, target)


def check_same(root: Path, names: Sequence[str], before: dict[str, int]) -> None:
    """LoopStop when one of them changed since it was first looked at: what proves a change is what was there before."""
    for name in names:
        now = _stamp(root / name)
        if before.setdefault(name, now) != now:
            raise LoopStop(
                "escalated", f"{name} in the checkout, which --with copies, changed while the loop was at work: by a"
                " command that writes there, or by somebody else; nothing of that unit was taken",
                f"see whether {name} is as it should be, then run the loop again with --resume", gate=True,
            )  # fmt: skip


def _stamp(place: Path) -> int:
    """What the system knows of the files in it; caches change all the time."""
    known = [_known(place)]
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(set(folders) - _CACHES)
        known += [(name, *_known(Path(folder, name))) for name in sorted(names)]
    return hash(tuple(known))


def _known(file: Path) -> tuple[object, ...]:
    at = os.lstat(file)
    if stat.S_ISDIR(at.st_mode):  # a cache in it may come and go
        return (at.st_ino,)
    return (at.st_ino, at.st_size, at.st_mode, at.st_mtime_ns, at.st_ctime_ns)


_CACHES = {"__pycache__", ".cache"}


def _special(folder: str, names: list[str]) -> list[str]:
    """Pipes, sockets and devices are not opened."""
    kinds = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    fine = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    return [name for name, kind in kinds.items() if not any(test(kind) for test in fine)]


def _drop_links_to(root: Path, folder: Path, target: Path) -> None:
    """A link that leads back to the checkout would be a way to change it."""
    for place, folders, names in os.walk(target):
        for name in (*folders, *names):
            file = os.path.join(place, name)
            if os.path.islink(file) and leads_to(file, root) and not leads_to(file, folder):
                os.unlink(file)


def leads_to(file: str | os.PathLike[str], folder: Path) -> bool:
    """Whether a path lies below a folder when every link on its way is followed."""
    return (os.path.realpath(file) + os.sep).startswith(os.path.realpath(folder) + os.sep)
