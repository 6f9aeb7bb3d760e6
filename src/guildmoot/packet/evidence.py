"""Completes a request: runs its commands, whose results the judges see, and sets its limits."""

from __future__ import annotations

import os
from pathlib import Path

from guildmoot.config import Config
from guildmoot.errors import InfrastructureError
from guildmoot.packet.request import EvidenceResult, Request
from guildmoot.system.process import run_process

_HALF = 32_768
TIMED_OUT = 124  # what timeout(1) reports


async def complete(request: Request, config: Config) -> Request:
    """The request with the results of its commands, and with the limits that the settings give."""
    patience = config.number("verify.timeout")
    results = [await run_evidence(line, request.cwd, patience) for line in request.commands]
    return request._replace(
        cwd=request.cwd.absolute(),
        commands=(),
        evidence_results=(*request.evidence_results, *results),
        max_bytes=int(config.number("packet.max_bytes")),
        max_file_bytes=int(config.number("packet.max_file_bytes")),
        recent=int(config.number("packet.recent")),
    )


async def run_evidence(command: str, cwd: Path, timeout: float) -> EvidenceResult:
    """Run a shell command in its own process group and return its exit code and output.

    Of a long output the beginning and the end are kept. When the time is up, or the command has
    ended, everything that it started is ended too.
    """
    argv = ["/bin/sh", "-c", f"exec 2>&1; {command}"]  # both streams in the order they were written
    ended = await run_process(argv, cwd=str(cwd), env=os.environ, timeout=timeout)
    if ended.error:
        raise InfrastructureError(
            f"The evidence command could not be started: {ended.error}.", f"Command: {command}"
        )
    timed_out = ended.status == "timeout"
    code = TIMED_OUT if timed_out else _exit_code(ended.exit_code or 0)
    return EvidenceResult(command, code, _shortened(ended.stdout + ended.stderr), timed_out)


def _shortened(output: bytes) -> str:
    lost = len(output) - 2 * _HALF
    if lost > 0:
        output = output[:_HALF] + f"\n[{lost} bytes left out]\n".encode() + output[-_HALF:]
    return output.decode("utf-8", "replace")


def _exit_code(code: int) -> int:
    """As a shell reports it: 128 and the number of the signal that ended the command."""
    return 128 - code if code < 0 else code
