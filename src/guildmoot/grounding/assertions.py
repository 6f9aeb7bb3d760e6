"""Do a finding's own assertions hold? Off unless programs are allowed by name.

A command comes from a judge, so it is hostile: it is split without a shell, its program must be on the
allow-list by its plain name, and it runs in a throw-away copy of the packet with a scrubbed environment,
in a process group that is killed when its time is up.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.model.verdict import Assertion

_MAX_OUTPUT = 1_000_000
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


class Checked(NamedTuple):
    """What became of one assertion."""

    status: Literal["held", "failed", "refused", "timeout"]
    detail: str = ""


def check_assertion(
    assertion: Assertion, folder: Path, allowed: Collection[str], timeout: float
) -> Checked:
    """Run one assertion on a copy of ``folder``; what is not allowed is refused, never run."""
    try:
        argv = shlex.split(assertion.command)
    except ValueError as error:
        return Checked("refused", f"not a command: {str(error).lower()}")
    refusal = _refusal(argv, allowed)
    if refusal:
        return Checked("refused", refusal)
    with tempfile.TemporaryDirectory(prefix="guildmoot-assert-") as scratch:
        copy = Path(scratch) / "files"
        shutil.copytree(folder, copy, symlinks=True)
        return _run(argv, copy, assertion.expected, timeout)


def _refusal(argv: list[str], allowed: Collection[str]) -> str:
    if not argv:
        return "an empty command"
    if argv[0] not in allowed or os.sep in argv[0]:
        return f"{argv[0]} is not in grounding.allow"
    outside = [word for word in argv[1:] if word.startswith("/") or ".." in word.split(os.sep)]
    return f"{outside[0]} leads out of the packet" if outside else ""


def _run(argv: list[str], cwd: Path, expected: str, timeout: float) -> Checked:
    env = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"HOME": str(cwd)}
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Checked("refused", f"{argv[0]}: {error.strerror}")
    with process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            return Checked("timeout", f"no answer within {timeout:g} s")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return _judge(process.returncode, output[:_MAX_OUTPUT].decode("utf-8", "replace"), expected)


def _judge(code: int, output: str, expected: str) -> Checked:
    if expected:
        held = expected.strip() in output
        return Checked("held" if held else "failed", "" if held else f"did not print {expected!r}")
    return Checked("held") if code == 0 else Checked("failed", f"exit code {code}")
