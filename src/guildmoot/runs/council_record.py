"""What a council leaves in the repository: reports under ``.agents/council``, and its log.

    .agents/council/YYYY-MM-DD-<type>-<target>.md     the report; ``-2`` after it on the second of a day
    .agents/council/YYYY-MM-DD-<type>-<target>.json   the same for programs
    .agents/council/YYYY-MM-DD-<type>-<target>/       what each judge said: judge-1.md, judge-1-r2.md;
                                                      under rounds/ explorers and duels
    docs/council-log/YYYY-MM-DD-<mode>-<target>.md    the copy to be committed, when it was asked for

Folders are created. Names are chosen and files written under one lock, so that councils that end at
the same moment keep apart. What a report says is left to ``reports.council``.
"""

from __future__ import annotations

import errno
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import GuildmootError, InfrastructureError
from guildmoot.model.call import Reply
from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.council_verdict import CouncilVerdict, verdict_to_json
from guildmoot.system.files import (
    Locked,
    check_own_folder,
    folder_inside,
    keep_out_of_git,
    place_inside,
    put_in_place,
    read_own,
    write_atomic,
)
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import clean, one_line

FOLDER = Path(".agents", "council")
LOG = Path("docs", "council-log")
LONGEST_SLUG = 60
_HEAD = 200
"""Bytes in which a report names its run."""


class CouncilFiles(NamedTuple):
    """What was written, under which name."""

    report: CouncilReport
    """With the name that it got."""
    file: Path | None
    """The Markdown report; None when nothing was written."""
    log: Path | None = None
    problem: str = ""
    """What could not be written, and why."""
    note: str = ""
    """Where the report is to be had, when its folder is held read-only; the run's record is whole."""


def slug(target: str) -> str:
    """The target as part of a file name: plain letters and digits, joined by hyphens."""
    plain = unicodedata.normalize("NFKD", target).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    return "-".join(words)[:LONGEST_SLUG].strip("-") or "work"


def stem_for(now: datetime, kind: str, target: str) -> str:
    """``YYYY-MM-DD-<type>-<target>``."""
    return f"{now:%Y-%m-%d}-{kind}-{slug(target)}"


def check_places(root: Path, *, commit_ready: bool) -> None:
    """UsageError, before anybody is asked, when a link lies where the report would be written."""
    check_own_folder(root, FOLDER)
    if commit_ready:
        place_inside(root, LOG)


def write_council(
    root: Path,
    report: CouncilReport,
    *,
    stem: str = "",
    commit_ready: bool = False,
    replies: Sequence[Reply] = (),
    log: str = "",
) -> CouncilFiles:
    """Write the report and what each judge said; ``stem`` is the name that the run already has.

    ``log`` is the name of its entry in the council's log, where it has one.

    ``replies`` are further words to be kept: of explorers, and of the rounds of a duel.

    Why a folder could not be written stands in ``problem``, and costs nothing else.
    """
    try:
        _refuse_path(stem or report.stem)
        _refuse_path(log or report.stem)
        folder = folder_inside(root, FOLDER)
        keep_out_of_git(folder)
        with Locked(folder / ".lock"):
            report = report._replace(stem=stem or _free(folder, report.stem, report.header.run_id))
            file = _write_all(folder, report, replies)
            entry = _write_log(root, report, log) if commit_ready else None
    except (OSError, GuildmootError) as error:
        if isinstance(error, OSError) and error.errno == errno.EROFS:  # as a coding agent's sandbox
            how = f"guild replay {report.header.run_id} --report FILE.md"
            told = f"{FOLDER} is read-only here; the report can be written anywhere: {how}"
            return CouncilFiles(report, None, note=told)
        failed = "the verdict stands, but its report could not be written"
        if isinstance(error, OSError):
            failed = f"{failed} to {error.filename or FOLDER}"
        why = error.strerror if isinstance(error, OSError) else error
        return CouncilFiles(report, None, problem=f"{failed}: {why}")
    return CouncilFiles(report, file, entry)


def judge_text(judge: Judge, stem: str, *, second: bool = False) -> str:
    """One judge's file: its verdict as JSON, then its words, each line quoted."""
    verdict = judge.verdict if second else judge.first or judge.verdict
    said = judge.second if second else judge.text
    head = (
        "---",
        f"council: {stem}",
        f"judge: {one_line(judge.label)}",
        f"round: {1 + second}",
        "---",
    )
    blocks = ["\n".join(head), *_verdict_block(verdict), *_words(judge, said)]
    return "\n\n".join(blocks) + "\n"


def reply_text(reply: Reply, stem: str) -> str:
    """One reply of a duel or of an explorer: its words, each line quoted."""
    head = ("---", f"council: {stem}", f"seat: {one_line(reply.seat)}", "---")
    return "\n\n".join(("\n".join(head), _quoted(reply.text or reply.error))) + "\n"


def _verdict_block(verdict: CouncilVerdict | None) -> Iterator[str]:
    if verdict:
        yield f"```json\n{clean(dumps(verdict_to_json(verdict)))}\n```"


def _words(judge: Judge, said: str) -> Iterator[str]:
    if judge.reason:
        yield f"Note: {one_line(judge.reason)}"
    yield "## What it said"
    yield _quoted(said) if said.strip() else "Nothing."


def _quoted(text: str) -> str:
    """Foreign words: quoted line by line, so that none of them can begin a heading or a verdict."""
    return "\n".join(f"> {line}".rstrip() for line in clean(text).strip("\n").split("\n"))


def _refuse_path(stem: str) -> None:
    """A name is one name, also where a record that came with the repository gives it."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", stem):
        raise InfrastructureError(f"its name would leave the folder {FOLDER}")


def is_report_of(root: Path, stem: str, run_id: str) -> bool:
    """Whether the report of that name is this run's, and not another's of the same day."""
    return bool(run_id) and _is_of(root / FOLDER / f"{stem}.json", run_id)


def _free(folder: Path, stem: str, run_id: str = "") -> str:
    """The name, numbered when this day already has a report of that name.

    One that the same run had begun when it was killed is its own.
    """
    number, name = 1, stem
    while any((folder / f"{name}{ending}").exists() for ending in (".md", ".json", "")):
        if run_id and _is_of(folder / f"{name}.json", run_id):
            break
        number += 1
        name = f"{stem}-{number}"
    return name


def _is_of(file: Path, run_id: str) -> bool:
    """Whether a report is that run's; its head tells, for a day may have many reports of one name."""
    return f'"run_id": {json.dumps(run_id)},'.encode() in read_own(file)[:_HEAD]


def _write_all(folder: Path, report: CouncilReport, replies: Sequence[Reply]) -> Path:
    from guildmoot.reports import render

    # First, because it says whose the name is: should this be killed, the run finds it again.
    _write(folder / f"{report.stem}.json", render(report, ".json"))
    inner = folder / report.stem
    inner.mkdir(exist_ok=True)
    for judge in report.judges:
        name = _file_name(judge.label)
        _copy(inner / f"{name}.md", judge_text(judge, report.stem))
        if judge.second:
            _copy(inner / f"{name}-r2.md", judge_text(judge, report.stem, second=True))
    if replies:
        (inner / "rounds").mkdir(exist_ok=True)
    for reply in replies:
        seat, _, stage = reply.seat.rpartition("~")
        name = _file_name(f"{stage}-{seat}" if seat else stage)
        _copy(inner / "rounds" / f"{name}.md", reply_text(reply, report.stem))
    file = folder / f"{report.stem}.md"
    _write(file, render(report, ".md", whole=True))
    return file


def _write_log(root: Path, report: CouncilReport, name: str) -> Path:
    from guildmoot.reports.council.builder import log_entry
    from guildmoot.reports.markdown import to_markdown

    folder = folder_inside(root, LOG)
    kind = report.wrapper or report.task
    name = name or _free(folder, f"{report.date}-{kind}-{slug(report.header.target)}")
    file = folder / f"{name}.md"
    _write(file, to_markdown(log_entry(report)))
    return file


def _file_name(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", label)[:80].lstrip(".") or "judge"


def _write(path: Path, text: str) -> None:
    write_atomic(path, text.encode("utf-8", "surrogatepass"))


def _copy(path: Path, text: str) -> None:
    """Not forced to the disk one by one: the ledger has every reply already."""
    put_in_place(path, text.encode("utf-8", "surrogatepass"))
