"""The texts beside the files: the ask, specs, earlier decisions, evidence; masked later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from guildmoot.errors import TargetError
from guildmoot.guard.egress import admit
from guildmoot.model.packet import Section
from guildmoot.packet.reading import Refused, decode, read_regular
from guildmoot.packet.reasons import REASONS
from guildmoot.packet.request import EvidenceResult, Request


def make_sections(request: Request, root: Path) -> list[Section]:
    """The sections in their fixed order; the diff comes after them."""
    return list(_sections(request, root))


def _sections(request: Request, root: Path) -> Iterator[Section]:
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


def _document(kind: str, path: Path, request: Request, root: Path) -> Section:
    full = os.path.realpath(request.cwd / path)
    if admit(str(path)) or admit(full):
        raise TargetError(
            f"{path} is a key file: {REASONS['key-file']}.", f"Give another {kind} file."
        )
    data = read_regular(full, request.max_file_bytes)
    found = data if isinstance(data, Refused) else decode(data)
    if isinstance(found, Refused):
        why = found.detail or REASONS[found.reason]
        raise TargetError(
            f"The {kind} file {path} cannot be used: {why}.", "Check the path and the file."
        )
    return Section(kind, _title(full, root), found.text)


def _title(full: str, root: Path) -> str:
    """The path in the repository, or the name alone: where else a file lies is private."""
    prefix = os.path.realpath(root) + "/"
    return full[len(prefix) :] if full.startswith(prefix) else os.path.basename(full)
