"""The texts beside the files: the ask, specs, earlier decisions, evidence; masked later.

Commands are run here too (``complete``), because the judges see their results.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from guildmoot.config import Config
from guildmoot.errors import InfrastructureError, TargetError
from guildmoot.guard.egress import admit
from guildmoot.model.packet import Section
from guildmoot.packet.contents import Refusal, decode, read_regular
from guildmoot.packet.request import REASONS, EvidenceResult, PacketRequest
from guildmoot.system.files import linked_part
from guildmoot.system.git import project_root, refuse_brought_link
from guildmoot.system.process import run_process

_MAX_OUTPUT = 65_536
TIMED_OUT = 124  # what timeout(1) reports


def make_sections(request: PacketRequest, root: Path) -> list[Section]:
    """The sections in their fixed order; the diff comes after them."""
    return list(_sections(request, root))


def _sections(request: PacketRequest, root: Path) -> Iterator[Section]:
    if request.question.strip():
        yield Section("question", "what is asked", request.question)
    if request.ask.strip():
        yield Section("ask", "what was asked", request.ask)
    for path in request.spec:
        yield _document("spec", path, request, root)
    for path in request.decisions:
        yield _document("decision", path, request, root)
    for number, text in enumerate(request.evidence, 1):
        if text.startswith("@"):
            yield _document("evidence", Path(text[1:]), request, root)
        else:
            yield Section("evidence", f"note {number}", text)
    yield from map(_result, request.evidence_results)
    for path in request.sweep:
        yield _document("sweep", path, request, root)
    yield from request.sections


def _result(result: EvidenceResult) -> Section:
    outcome = (
        f"ran out of time (exit code {result.exit_code})"
        if result.timed_out
        else (f"exit code {result.exit_code}")
    )
    return Section("evidence", f"command: {result.command}", f"{outcome}\n{result.output}")


def read_document(cwd: Path, name: str, limit: int) -> str:
    """A file of the project around ``cwd`` that is shown where there is one: no link, no other text."""
    root = project_root(cwd)
    if linked_part(root, name) or not (root / name).is_file():
        return ""
    data = read_regular(os.path.realpath(root / name), limit)
    found = data if isinstance(data, Refusal) else decode(data)
    return "" if isinstance(found, Refusal) else found.text


def _document(kind: str, path: Path, request: PacketRequest, root: Path) -> Section:
    refuse_brought_link(path, request.cwd)
    full = os.path.realpath(request.cwd / path)
    if admit(str(path)) or admit(full):
        raise TargetError(
            f"{path} is a key file: {REASONS['key-file']}.", f"Give another {kind} file."
        )
    data = read_regular(full, request.max_file_bytes)
    found = data if isinstance(data, Refusal) else decode(data)
    if isinstance(found, Refusal):
        why = found.detail or REASONS[found.reason]
        raise TargetError(
            f"The {kind} file {path} cannot be used: {why}.", "Check the path and the file."
        )
    return Section(kind, _title(full, root), found.text)


def _title(full: str, root: Path) -> str:
    """The path in the repository, or the name alone: where else a file lies is private."""
    prefix = os.path.realpath(root) + "/"
    return full[len(prefix) :] if full.startswith(prefix) else os.path.basename(full)


async def complete(request: PacketRequest, config: Config) -> PacketRequest:
    """The request with the results of its commands, and with the limits that the settings give."""
    limit = config.number("verify.timeout")
    results = [await run_evidence(line, request.cwd, limit) for line in request.commands]
    return request._replace(
        cwd=request.cwd.absolute(),
        commands=(),
        evidence_results=(*request.evidence_results, *results),
        max_bytes=int(config.number("packet.max_bytes")),
        max_file_bytes=int(config.number("packet.max_file_bytes")),
        recent=int(config.number("packet.recent")),
        left_out=config.strings("floors.left_out"),
    )


async def run_evidence(command: str, cwd: Path, timeout: float) -> EvidenceResult:
    """Run a shell command of the user's and return its exit code and output.

    Of a long output the beginning and the end are kept. When the time is up, or the command has
    ended, everything that it started is ended too.
    """
    done = await run_process(
        ["/bin/sh", "-c", command],
        cwd=str(cwd),
        env=os.environ,
        timeout=timeout,
        max_output=_MAX_OUTPUT,
        joined=True,
        both_ends=True,
    )
    if done.error:
        raise InfrastructureError(
            f"The evidence command could not be started: {done.error}.", f"Command: {command}"
        )
    output = done.stdout.decode("utf-8", "replace")
    if done.status == "timeout":
        return EvidenceResult(command, TIMED_OUT, output, timed_out=True)
    # As a shell reports it: 128 and the number of the signal that ended the command.
    code = done.exit_code or 0
    return EvidenceResult(command, code if code >= 0 else 128 - code, output)
