"""Starts programs for another process, and ends whatever they started when that process is done or dead.

Run as a program of its own by ``system.process``, once for a process that starts others, so that it is
small and has one thread. For each program it forks a keeper. On Linux all that a keeper's program starts
stays beneath the keeper, whatever session, group or environment it takes (the keeper is a subreaper), and
the keeper ends all of it: when it is told to, or when its socket is closed, which SIGKILL does too. Other
systems have no such thing; there the program's own process group is ended.

Imports little: it is started before the first program runs. POSIX only.
"""

from __future__ import annotations

import array
import os
import select
import signal
import socket
import sys
import time

STARTED, FAILED, EXITED = b"S", b"E", b"X"
"""What a keeper says, each with a number: nothing, the errno, the exit code."""
TERM, KILL = b"T", b"K"
"""What it is told."""
NUMBER = 4
HEAD = 8
"""Bytes of a request's length."""
_FDS = 4
_SET_PDEATHSIG, _SET_SUBREAPER = 1, 36
_FENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fence.py")
_PATIENCE = 10.0
"""Seconds for killed processes to go; what the kernel holds is then left to it."""


def main(handle: int, inside: object = None) -> None:
    """Serve requests until the one who makes them is gone; then end everything.

    ``inside`` may run a command line itself, in the process that is made for it, in place of a program.
    """
    server = _opened(handle)
    _prctl(_SET_SUBREAPER, 1)
    while request := _receive(server):
        payload, handles = request
        inside = inside or _fence(payload)
        if os.fork() == 0:
            server.close()
            _keep(payload, handles, inside)
        for each in handles:
            os.close(each)
        _reap()
    _end_all(0)


def _opened(handle: int) -> socket.socket:
    """One end of a pair; what it is must be said, for a sandbox may not let anybody ask."""
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, handle)


def _fence(payload: bytes) -> object:
    """What puts the fence up in the process that becomes the program: a Python for that costs more than the fence."""
    words = payload.split(b"\0", 6)[3:6]
    if words != [b"-I", b"-S", os.fsencode(_FENCE)]:
        return None
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("fence", _FENCE)
    if spec is None or spec.loader is None:
        return None
    fence = module_from_spec(spec)
    spec.loader.exec_module(fence)

    def put_up(argv: list[bytes], env: dict[bytes, bytes], wake: int) -> None:
        if argv[1:4] == words:
            os.environb.clear()
            os.environb.update(env)
            fence.main([os.fsdecode(each) for each in argv[4:]])

    return put_up


def _receive(server: socket.socket) -> tuple[bytes, list[int]] | None:
    handles = array.array("i")
    room = socket.CMSG_SPACE(_FDS * handles.itemsize)
    head, extra, _, _ = server.recvmsg(HEAD, room)
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            handles.frombytes(data[: len(data) - len(data) % handles.itemsize])
    length, payload = int.from_bytes(head, "big"), b""
    while head and len(payload) < length:
        part = server.recv(length - len(payload))
        if not part:
            return None
        payload += part
    return (payload, list(handles)) if len(handles) == _FDS else None


def pack(argv: list[bytes], cwd: bytes, env: dict[bytes, bytes]) -> bytes:
    """A request; ValueError for what no program can be given."""
    words = [cwd, str(len(argv)).encode(), *argv]
    words += [name + b"=" + value for name, value in env.items()]
    if any(b"\0" in word for word in words) or any(b"=" in name for name in env):
        raise ValueError("an argument or a variable of a program holds a NUL, or a name a =")
    return b"\0".join(words)


def write_all(handle: int, data: bytes) -> None:
    """Write to a socket; a sandbox without network may refuse ``send`` even between processes of its own."""
    while data:
        data = data[os.write(handle, data) :]


def _keep(payload: bytes, handles: list[int], inside: object) -> None:
    """The life of one keeper; it does not return."""
    try:
        _prctl(_SET_SUBREAPER, 1)
        control = _opened(handles.pop())
        heard, wake = os.pipe()  # closed by a successful start
        program = os.fork()
        if program == 0:
            _become(payload, handles, wake, inside)
        for each in (*handles, wake):
            os.close(each)
        wrong = os.read(heard, NUMBER)
        write_all(control.fileno(), FAILED + wrong if wrong else STARTED + bytes(NUMBER))
        if not wrong:
            _watch(control, program)
    finally:
        os._exit(0)


def _become(payload: bytes, handles: list[int], wake: int, inside: object) -> None:
    """Turn this process into the program; it does not return."""
    try:
        cwd, count, *rest = payload.split(b"\0")
        argv, pairs = rest[: int(count)], rest[int(count) :]
        os.setsid()
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for target, handle in enumerate(handles):
            os.dup2(handle, target)
        os.closerange(3, wake)
        os.closerange(wake + 1, max(256, wake + 256))
        os.chdir(cwd)
        env = {name: value for name, _, value in (pair.partition(b"=") for pair in pairs)}
        if inside:
            inside(argv, env, wake)  # type: ignore[operator]
        os.execvpe(argv[0], argv, env)  # noqa: S606 no shell is wanted
    except OSError as error:
        os.write(wake, (error.errno or 0).to_bytes(NUMBER, "big"))
    except SystemExit as ended:  # no fence can be had here, or the program behind it is not there
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    finally:
        os._exit(127)


def _watch(control: socket.socket, program: int) -> None:
    """Tell when the program exits; do as told; when nobody is there to tell, end everything."""
    heard, wake = os.pipe()
    for handle in (heard, wake):
        os.set_blocking(handle, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(heard, select.POLLIN)
    _report(control, _reap()[0].get(program))  # it may have exited before anybody listened
    while True:
        ready = [handle for handle, _ in poll.poll()]
        if heard in ready:
            os.read(heard, 4096)
            _report(control, _reap()[0].get(program))
        if control.fileno() in ready:
            word = control.recv(1)
            if word != TERM:
                _report(control, _end_all(program).get(program))
                return
            _signal_all(signal.SIGTERM, program)


def _report(control: socket.socket, code: int | None) -> None:
    if code is None:
        return
    try:
        write_all(control.fileno(), EXITED + code.to_bytes(NUMBER, "big", signed=True))
    except OSError:  # nobody is there to hear it
        return


def _end_all(program: int) -> dict[int, int]:
    """SIGKILL everything beneath, until nothing is left; the exit codes of those that ended."""
    limit = time.monotonic() + _PATIENCE
    ended, left = _reap()
    while left and time.monotonic() < limit:
        _signal_all(signal.SIGKILL, program)
        time.sleep(0.002)
        more, left = _reap()
        ended |= more
    return ended


def _reap() -> tuple[dict[int, int], bool]:
    """The exit codes of the children that have ended, and whether there are others."""
    ended: dict[int, int] = {}
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return ended, True
            ended[pid] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return ended, False


def _signal_all(number: int, program: int) -> None:
    """Everything beneath this process; where that cannot be listed, the program's own group."""
    if program and not os.path.isdir("/proc/self"):
        _send(os.killpg, program, number)
    for pid in _beneath(os.getpid()):
        _send(os.kill, pid, number)


def _send(how: object, pid: int, number: int) -> None:
    try:
        how(pid, number)  # type: ignore[operator]
    except (ProcessLookupError, PermissionError):
        return


def _beneath(top: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                parent = int(stat.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):  # it has just ended
            continue
        children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    left = [top]
    while left:
        below = children.get(left.pop(), ())
        found += below
        left += below
    return found


def _prctl(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
