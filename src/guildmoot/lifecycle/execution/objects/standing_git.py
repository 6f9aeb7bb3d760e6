"""A git that stays: it answers line by line, where a process for each question would cost more than the answer."""

from __future__ import annotations

import os
import secrets
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.system.environment import git_environment


class StandingGit:
    """One command of git's that reads requests from its input until that is closed."""

    def __init__(self, folder: Path, words: Sequence[str]) -> None:
        self._folder, self._words = folder, list(words)
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = threading.Lock()

    def ask(self, request: str, answers: int) -> list[str]:
        """So many lines of answer to a request; InfrastructureError where git refuses it."""
        with self._asking:
            process = self._process or self._start()
            if process.stdin is None or process.stdout is None:  # both are pipes
                raise InfrastructureError("git could not be asked")
            try:
                process.stdin.write(request.encode("utf-8", "surrogateescape"))
                process.stdin.flush()
                lines = [process.stdout.readline() for _ in range(answers)]
            except OSError:
                lines = [b""]
            if not all(lines):
                self._end()
                raise InfrastructureError(f"git {self._words[0]} refused: {request.strip()[:200]}")
            return [line.decode("utf-8", "surrogateescape").rstrip("\n") for line in lines]

    def ask_all(self, request: str) -> str:
        """All that it prints for a request; only of a command that gives back lines which are none for it."""
        mark = f"end-{secrets.token_hex(16)}\n"
        with self._asking:
            process = self._process or self._start()
            if process.stdin is None or process.stdout is None:  # both are pipes
                raise InfrastructureError("git could not be asked")
            said = b""
            try:
                process.stdin.write(f"{request}{mark}".encode("utf-8", "surrogateescape"))
                process.stdin.flush()
                while not said.endswith(mark.encode()) and (
                    more := os.read(process.stdout.fileno(), 65536)
                ):
                    said += more
            except OSError:
                said = b""
            if not said.endswith(mark.encode()):
                self._end()
                raise InfrastructureError(f"git {self._words[-1]} refused: {request.strip()[:200]}")
        return said.decode("utf-8", "surrogateescape").removesuffix(mark)

    def close(self) -> None:
        """It ends when nobody asks any more."""
        with self._asking:
            self._end()

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            ["git", *self._words], cwd=self._folder, env=git_environment(self._folder),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.wait(timeout=30)
