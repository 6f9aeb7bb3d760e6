"""A process that has the package imported, and forks a child for each command line that it is sent.

``commands.py`` starts it, and sends on a connection of its own for each: the streams and what else is to be
held open, and in JSON the folder, the environment, the umask and what follows ``python`` on the command line. It is told the
process's number, and, when that has ended, how. End of standard input ends the server.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import shutil
import socket
import struct
import sys
import threading
import time
import types
from contextlib import suppress
from typing import NoReturn

_NUMBER = struct.Struct("i")
_LATE = (
    *("asyncio", "sqlite3", "ssl", "http.client", "urllib.request", "difflib", "tomllib", "ast"),
    *(
        "xml.etree.ElementTree",
        "tempfile",
        "concurrent.futures.thread",
        "_strptime",
        "ctypes",
        "yaml",
    ),
    *("tree_sitter", "platformdirs", "tomlkit"),
)
"""What the package imports where it is used."""
_APART = ("guildmoot.__main__", "guildmoot.calls.cluster")
"""Programs, and what brings threads or a driver along."""


class Server:
    """The connections, and the processes whose end they wait for."""

    def __init__(self, address: str) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(address)
        self.listener.listen(64)
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.children: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> dict | None:
        """Returns a job in the child that is to do it, and nothing at the end."""
        while True:
            for fd in [key.fd for key, _ in self.selector.select()]:
                if fd == 0:
                    return None
                if fd in self.children:
                    self._tell_end(fd)
                elif (job := self._start()) is not None:
                    return job

    def _start(self) -> dict | None:
        line, _ = self.listener.accept()
        head, streams, _, _ = socket.recv_fds(line, _NUMBER.size, 4)
        [size] = _NUMBER.unpack(head)
        job = json.loads(line.recv(size, socket.MSG_WAITALL))
        pid = os.fork()
        if pid == 0:
            self._leave(line)
            for number, fd in enumerate(streams[:3]):
                os.dup2(fd, number)
                os.close(fd)
            return job
        for fd in streams:
            os.close(fd)
        line.sendall(_NUMBER.pack(pid))
        ended = os.pidfd_open(pid)
        self.children[ended] = pid, line
        self.selector.register(ended, selectors.EVENT_READ)
        return None

    def _leave(self, line: socket.socket) -> None:
        """The child has nothing of the server's."""
        self.selector.close()
        self.listener.close()
        line.close()
        for fd, (_, other) in self.children.items():
            os.close(fd)
            other.close()

    def _tell_end(self, fd: int) -> None:
        pid, line = self.children.pop(fd)
        self.selector.unregister(fd)
        os.close(fd)
        _, status = os.waitpid(pid, 0)
        with line, suppress(BrokenPipeError):  # it took too long for whoever asked
            line.sendall(_NUMBER.pack(status))


def preload() -> None:
    """Import the package, so that the children need not."""
    import guildmoot

    for name in _LATE:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(guildmoot.__path__, "guildmoot."):
        if not module.name.startswith(_APART):
            importlib.import_module(module.name)
    _compile()


def _compile() -> None:
    """What is the same for whoever comes, whatever their folder and environment: regular expressions."""
    from guildmoot.guard.secrets import mask
    from guildmoot.text.patterns import lazy

    for name, module in [*sys.modules.items()]:
        if name.startswith("guildmoot."):
            for value in vars(module).values():
                if isinstance(value, type(lazy(""))):
                    str(value.pattern)
    for name in ("password", "passphrase", "secret", "token", "api_key", "auth", "credential"):
        mask(f'{name} = os.environ["{name}"]  # {name.upper()}: "example"\n', "sample.py")


def work(job: dict) -> NoReturn:
    """What ``python -m MODULE`` and ``python -c PROGRAM`` do, also with ``-P`` before it."""
    os.environ.clear()
    os.environ.update(job["env"])
    os.umask(job["umask"])
    os.chdir(job["cwd"])
    time.tzset()
    safe = job["argv"][0] == "-P"
    kind, program, *rest = job["argv"][safe:]
    sys.orig_argv = [sys.executable, *job["argv"]]
    sys.argv = [kind, *rest]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    sys.path[:1] = [] if safe else [os.getcwd() if kind == "-m" else ""]
    try:
        if kind == "-m":
            sys.modules.pop(program, None)  # it is executed as the program, whoever imported it
            runpy._run_module_as_main(program)
        else:
            exec(compile(program, "<string>", "exec"), main.__dict__)
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise  # a sentence, which the interpreter prints
        code = ended.code or 0
    else:
        code = 0
    _end(code)


def _end(code: int) -> NoReturn:
    """As the interpreter does, but for clearing a memory that goes away anyway."""
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # closed, or nobody listens: the interpreter knows what to say
    os._exit(code & 0xFF)


if __name__ == "__main__":
    server = Server(sys.argv[1])
    preload()
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    if (job := server.serve()) is not None:
        work(job)
    shutil.rmtree(os.path.dirname(sys.argv[1]), ignore_errors=True)  # whoever made it may be dead
