"""Starts a program for which a folder is read-only, but for some places in it: a view of the files of its own.

    python -I -S fence.py FOLDER PLACE... -- PROGRAM ARGUMENT...

A place that is read-only again inside of another has a ``!`` before it, what nobody reads a ``-``: a file is empty
then, and a folder an empty one of the program's own. Variables that lead to the user's own servers are not passed on.
Of several places around a file the innermost says; what is mounted inside of a folder is as read-only as the folder.
With ``/`` all is read-only but for these places, devices and ``/proc``.

Signals stay inside where the kernel has Landlock from Linux 6.12 on.

Linux only: a user and a mount namespace of this user, which need no privilege where the system allows them. Where they
cannot be had nothing is run, and the exit code is 125: the caller looks before whether ``works`` says yes.
Run as a program of its own, so that it imports little.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

REFUSED = 125
_NEWNS, _NEWUSER = 0x00020000, 0x10000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8
_REMOUNT, _BIND, _REC, _PRIVATE = 32, 4096, 16384, 1 << 18
_KEPT = {"nosuid": _NOSUID, "nodev": _NODEV, "noexec": _NOEXEC}
"""What a file system was mounted with may not be taken away."""
_CREATE_RULES, _RESTRICT, _ASK_VERSION = 444, 446, 1
"""Landlock's system calls, which have these numbers everywhere."""
_SIGNALS_FROM, _OF_SIGNALS, _NO_NEW_PRIVILEGES = 6, 2, 38
_SYSTEM = ("/proc", "/dev")
"""Left as it is: a sandbox inside of this one writes there, and it holds no files of anybody."""
_SERVERS = ("TMUX", "TMUX_PANE", "STY", "DBUS_SESSION_BUS_ADDRESS")
_OUT_OF_REACH = (errno.ENOENT, errno.EACCES, errno.EINVAL, errno.ENOTDIR)
"""Of a mount that another one covers, or that this user may not enter."""


def words(
    folder: str, places: list[str], program: list[str], *, own: list[str] | None = None
) -> list[str]:
    """The command line that runs a program behind the fence.

    What guild keeps of the user's own is read-only for it as well, and their keys are not to be read. Who starts
    many programs looks for these places once (``own``).
    """
    own = own_places(folder) if own is None else own
    here = os.path.abspath(__file__)
    return [sys.executable, "-I", "-S", here, folder, *own, *places, "--", *program]


def behind(places: tuple[str, ...], program: list[str]) -> list[str]:
    """The same for a folder and its places in one; the program itself when there are none."""
    return words(places[0], list(places[1:]), program) if places else program


def own_places(folder: str) -> list[str]:
    """The user's state, settings, cache and git settings, read-only; the folders around them cannot be moved away.

    Where hooks and tools leave word for the user, in the state, can be written to.
    """
    from guildmoot.system.scratch import MEMORY
    from guildmoot.system.servers import server_places
    from guildmoot.system.state import OPEN_STATE, own_folders, secret_files, user_state_folder

    state, home = str(user_state_folder()), os.path.expanduser("~")
    closed = [each for each in own_folders() if os.path.lexists(each)]
    around: dict[str, None] = {}
    for place in closed:
        above = os.path.dirname(place)
        while (above + os.sep).startswith(home + os.sep) and not _within(above, folder):
            around[above] = None
            above = os.path.dirname(above)
    kept = (os.path.join(state, name) for name in OPEN_STATE)
    return [
        *sorted(around, key=len),
        *(f"!{each}" for each in closed),
        *(each for each in kept if os.path.isdir(each)),
        *(
            f"-{each}"
            for each in (*secret_files(), *server_places(), *filter(os.path.isdir, [MEMORY]))
        ),
    ]


def _within(place: str, folder: str) -> bool:
    return (place + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


def works(folder: str, *, whole: bool = False) -> bool:
    """Whether a fence can be put around a folder here, or around the whole system: tried, not guessed."""
    import subprocess  # costs more than the fence

    if not sys.platform.startswith("linux"):
        return False
    probe = f"! touch '{os.path.join(folder, '.fence-probe')}' 2>/dev/null"
    try:
        done = subprocess.run(
            words("/" if whole else folder, [], ["/bin/sh", "-c", probe]),
            capture_output=True, timeout=20, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main(argv: list[str]) -> None:
    """Put up the fence and become the program."""
    at = argv.index("--")
    folder, *places = map(_real, argv[:at])
    program = argv[at + 1 :]
    try:
        _own_view()
        named = [each.removeprefix("!") for each in (folder, *places) if each[0] != "-"]
        for place in (folder, *places) if folder != "/" else places:
            if place.startswith("-"):
                if not any(
                    _within(each, place[1:]) for each in named
                ):  # where the work itself lies
                    _hide(place[1:])
            else:
                _mount(place.removeprefix("!"), place.removeprefix("!"), _BIND | _REC)
        _close(folder, places)
        _keep_signals()
        os.chdir(os.getcwd())  # the way to it leads over the new mounts
        _enter(_NEWUSER)  # in which even root may not mount again
    except OSError as wrong:
        sys.stderr.write(f"the fence cannot be put up: {wrong}\n")
        sys.exit(REFUSED)
    for name in _SERVERS:
        os.environ.pop(name, None)
    try:
        os.execvp(program[0], program)  # noqa: S606 - that is what it is for
    except OSError as wrong:
        sys.stderr.write(f"{program[0]}: {wrong.strerror}\n")
        sys.exit(127)


def _real(place: str) -> str:
    """Where a link leads, for mounts are known by that."""
    sign = place[0] if place[0] in "!-" else ""
    return sign + os.path.realpath(place[len(sign) :])


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


def keeps_signals() -> bool:
    """Whether the kernel can keep signals inside."""
    version: int = _libc.syscall(_CREATE_RULES, None, 0, _ASK_VERSION)
    return version >= _SIGNALS_FROM


def _keep_signals() -> None:
    """No signal and no debugger reaches a process outside, where the kernel can do that (Linux 6.12)."""
    if not keeps_signals():
        return
    scoped = (ctypes.c_uint64 * 3)(0, 0, _OF_SIGNALS)
    rules = _libc.syscall(_CREATE_RULES, ctypes.byref(scoped), ctypes.sizeof(scoped), 0)
    _check(min(rules, 0))
    _check(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _check(_libc.syscall(_RESTRICT, rules, 0))
    os.close(rules)


def _hide(place: str) -> None:
    if os.path.isdir(place):
        _mount("none", place, _NOSUID | _NODEV, b"tmpfs", b"size=64m,mode=0700")
    else:
        _mount(os.devnull, place, _BIND)


def _close(folder: str, places: list[str]) -> None:
    """Make read-only what is mounted in the folder, and look whether it is; each mount is as its place says."""
    shut = {folder: True, **(dict.fromkeys(_SYSTEM, False) if folder == "/" else {})}
    for each in places:
        if each[0] != "-":
            shut[each.removeprefix("!")] = each.startswith("!")
        elif os.path.isdir(each[1:]):
            shut[each[1:]] = False
    for place, flags in _mounts():
        around = [each for each in shut if _within(place, each)]
        if around and shut[max(around, key=len)]:
            _seal(place, flags)
    for place in (each for each, closed in shut.items() if closed):
        if not os.statvfs(place).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, f"{place} could still be written to")


def _seal(place: str, flags: int) -> None:
    try:
        _mount("", place, _REMOUNT | _BIND | _RDONLY | flags)
    except OSError as wrong:
        if wrong.errno not in _OUT_OF_REACH:
            raise


def _mounts() -> list[tuple[str, int]]:
    """Every place where something is mounted, with the flags that it must keep."""
    found = []
    with open("/proc/self/mountinfo", "rb") as rows:
        for row in rows:
            words = row.split()
            place = words[4]
            for code in (b"\\040", b"\\011", b"\\012", b"\\134"):
                place = place.replace(code, bytes([int(code[1:], 8)]))
            options = words[5].decode().split(",")
            flags = sum(flag for name, flag in _KEPT.items() if name in options)
            found.append((os.fsdecode(place), flags))
    return found


def _mount(
    source: str, target: str, flags: int, kind: bytes | None = None, how: bytes | None = None
) -> None:
    _check(_libc.mount(source.encode(), os.fsencode(target), kind, flags, how))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


_libc = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    main(sys.argv[1:])
