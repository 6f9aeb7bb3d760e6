"""Starts a program for which a folder is read-only, but for some places in it: a view of the files of its own.

    python -I -S fence.py FOLDER PLACE... -- PROGRAM ARGUMENT...

A place that is read-only again inside of another has a ``!`` before it.

Linux only: a user and a mount namespace of this user, which need no privilege where the system allows them. Where they
cannot be had nothing is run, and the exit code is 125: the caller looks before whether ``works`` says yes.
Run as a program of its own, so that it imports little.
"""

from __future__ import annotations

import ctypes
import os
import sys

REFUSED = 125
_NEWNS, _NEWUSER = 0x00020000, 0x10000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _REC, _PRIVATE = 32, 4096, 16384, 1 << 18
_KEPT = {os.ST_NOSUID: _NOSUID, os.ST_NODEV: _NODEV, os.ST_NOEXEC: _NOEXEC}


def words(folder: str, places: list[str], program: list[str]) -> list[str]:
    """The command line that runs a program behind the fence."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), folder, *places, "--", *program]


def behind(places: tuple[str, ...], program: list[str]) -> list[str]:
    """The same for a folder and its places in one; the program itself when there are none."""
    return words(places[0], list(places[1:]), program) if places else program


def works(folder: str) -> bool:
    """Whether a fence can be put around a folder here: tried, not guessed."""
    import subprocess  # costs more than the fence

    if not sys.platform.startswith("linux"):
        return False
    probe = f"! touch '{os.path.join(folder, '.fence-probe')}' 2>/dev/null"
    try:
        done = subprocess.run(
            words(folder, [], ["/bin/sh", "-c", probe]), capture_output=True, timeout=20, check=False
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main(argv: list[str]) -> None:
    """Put up the fence and become the program."""
    at = argv.index("--")
    folder, places, program = argv[0], argv[1:at], argv[at + 1 :]
    try:
        _own_view()
        _mount(folder, folder, _BIND | _REC)
        for place in (each.removeprefix("!") for each in places):
            _mount(place, place, _BIND | _REC)
        for place in (folder, *(each[1:] for each in places if each.startswith("!"))):
            _mount("", place, _REMOUNT | _BIND | _RDONLY | _flags(place))
        os.chdir(os.getcwd())  # the way to it leads over the new mounts
        _enter(_NEWUSER)  # in which even root may not mount again
    except OSError as wrong:
        sys.stderr.write(f"the fence cannot be put up: {wrong}\n")
        sys.exit(REFUSED)
    try:
        os.execvp(program[0], program)  # noqa: S606 - that is what it is for
    except OSError as wrong:
        sys.stderr.write(f"{program[0]}: {wrong.strerror}\n")
        sys.exit(127)


def _own_view() -> None:
    """A namespace in which this user may mount, and nobody else sees it."""
    _enter(_NEWUSER | _NEWNS)
    _mount("none", "/", _REC | _PRIVATE)


def _enter(kinds: int) -> None:
    """New namespaces with the same user and group."""
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(kinds))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _flags(folder: str) -> int:
    """What the file system was mounted with may not be taken away."""
    found = os.statvfs(folder).f_flag
    return sum(flag for sign, flag in _KEPT.items() if found & sign)


def _mount(source: str, target: str, flags: int) -> None:
    _check(_libc.mount(source.encode(), os.fsencode(target), None, flags, None))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


_libc = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    main(sys.argv[1:])
