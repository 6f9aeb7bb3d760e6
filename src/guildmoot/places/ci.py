"""The three steps of a job: say that a verdict is awaited, judge what changed, tell the verdict.

What is judged is the change alone, by the settings of its base. Every file for others is made of one run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from guildmoot.api.judge import validate
from guildmoot.config import Flags, Origin
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.identity import fingerprint
from guildmoot.model.report import RunReport
from guildmoot.packet import PacketRequest
from guildmoot.places.code_hosts import InlineComment, JobChange, JobHost
from guildmoot.places.review import MOST_INLINE, changed_lines, comment_of
from guildmoot.practices.panel import PanelRequest
from guildmoot.reports import render, render_lines
from guildmoot.reports.view import verdict_words
from guildmoot.system.files import refuse_links, write_atomic
from guildmoot.text.clean import count

FOLDER = "guild-report"
_LOCKS = frozenset(("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "Cargo.lock",
                    "go.sum", "Gemfile.lock", "composer.lock", "Pipfile.lock", "bun.lock"))  # fmt: skip
_DOCS = (".md", ".rst", ".adoc")
_TOLD = (
    "readme",
    "license",
    "licence",
    "copying",
    "notice",
    "authors",
    "changes",
    "changelog",
    "news",
)
"""What a .txt is called that people read; others are read by programs, such as requirements.txt and CMakeLists.txt."""
_ORDERS = ("claude.md", "agents.md", "gemini.md", "skill.md")
"""Documents that coding agents obey, as they do all below a folder whose name begins with a dot."""
_GENERATED = re.compile(r"\.min\.(js|css)$|_pb2(_grpc)?\.pyi?$|\.pb\.go$|\.g\.dart$|\.snap$")


_DIFF = ("diff", "--no-ext-diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")


class Skip(NamedTuple):
    """Why models are not asked: all that changed is of these kinds."""

    kinds: tuple[str, ...]

    @property
    def reason(self) -> str:
        return f"models were not asked: nothing but {', '.join(self.kinds)} changed"


def begin(host: JobHost, folder: Path) -> None:
    """A new push: what was said of an older commit, or by an earlier job here, no longer counts."""
    (folder / "verdict.json").unlink(missing_ok=True)
    if host.change.fork:
        return
    short = host.change.head[:12]
    host.set_state("pending", "being judged")
    if host.change.number:
        host.comment(
            f"**Being judged:** commit {short}. What was said of older commits no longer counts."
        )


async def judge(change: JobChange, cwd: Path, settings: Flags) -> tuple[RunReport, str]:
    """The verdict on the change, and why models were left out of it where they were."""
    if not change.base:
        request = PacketRequest(branch=True, cwd=cwd)
    else:
        _check_history(change, cwd)
        request = PacketRequest(diff=f"{change.base}...{change.head}", cwd=cwd)
    skip = skip_reason(changed_files(change, cwd)) if change.base else None
    if skip:
        settings = {**settings, "panel.model": Origin("", "--skip")}
    report = await validate(PanelRequest(request, settings=settings))
    return report, skip.reason if skip else ""


def inline_comments(report: RunReport, diff: str) -> list[InlineComment]:
    """The findings whose lines the diff shows, each once, what blocks first. Pure."""
    shown, found = changed_lines(diff), dict[str, InlineComment]()
    for each in (*report.blocking, *report.advisory):
        if each.line in shown.get(each.path, ()):
            name = fingerprint(each)
            found.setdefault(name, InlineComment(name, each.path, each.line, comment_of(each)))
    return list(found.values())[:MOST_INLINE]


def write_reports(
    report: RunReport, change: JobChange, note: str, folder: Path, cwd: Path = Path()
) -> None:
    """Each form that somebody reads: people, code scanning, reviewdog, GitLab, and the next step."""
    folder.mkdir(parents=True, exist_ok=True)
    _, word, rest = verdict_words(report)
    told = {
        "schema_version": 1, "head": change.head, "base": change.base, "number": change.number,
        "verdict": report.verdict, "headline": f"{word} {rest}".strip(), "note": note,
        "exit_code": report.header.exit_code, "run_id": report.run_id,
    }  # fmt: skip
    diff = _git(cwd, *_DIFF, f"{change.base}...{change.head}") if change.base else ""
    beside = [each._asdict() for each in inline_comments(report, diff)]
    files = {
        "inline.json": json.dumps(beside, indent=2) + "\n",
        "guild.json": render(report, ".json"),
        "guild.md": render(report, ".md"),
        "guild.rdjson": render_lines(report, "rdjson")[0],
        "gl-code-quality-report.json": render_lines(report, "gitlab")[0],
        "verdict.json": json.dumps(told, indent=2) + "\n",
    }
    (folder / "guild.sarif").unlink(missing_ok=True)
    if report.outcome != "nothing":
        files["guild.sarif"] = render(report, ".sarif")
    for name, text in files.items():
        write_atomic(folder / name, text.encode())


def post(host: JobHost, folder: Path, *, inline: bool = False) -> tuple[int, str]:
    """Tell the verdict; the exit code by policy, and one line. InfrastructureError when it could not be told."""
    try:
        told = json.loads((folder / "verdict.json").read_bytes())
        page = (folder / "guild.md").read_text(encoding="utf-8")
        beside = json.loads((folder / "inline.json").read_bytes())
    except (OSError, ValueError) as wrong:
        _tell_failure(host)
        raise InfrastructureError(
            f"there is no verdict to post: {wrong}",
            "What 'guild ci judge' said before tells why; it comes first.",
        ) from None
    if told["head"] != host.change.head:
        raise InfrastructureError(
            f"the verdict is on {told['head'][:12]}, and this job is for {host.change.head[:12]}"
        )
    code, line = int(told["exit_code"]), str(told["headline"])
    bound = f"Commit {told['head'][:12]}. {told['note']}".strip()
    text = f"{page}\n{bound}\n"
    host.summary(text)
    if host.change.fork:
        return code, f"{line} (a fork's job may not post: see the summary)"
    newest = host.newest()
    if newest and newest != host.change.head:
        return code, f"{line} (not posted: {newest[:12]} was pushed since)"
    if host.change.number:
        host.comment(text)
        if inline:
            host.inline([InlineComment(**row) for row in beside])
    host.set_state("failure" if code else "success", f"{line}. {told['note']}".rstrip(". "))
    return code, line


def _tell_failure(host: JobHost) -> None:
    """Nobody waits for a verdict that does not come."""
    short = host.change.head[:12]
    if host.change.fork or host.newest() not in ("", host.change.head):
        return
    if host.change.number:
        host.comment(f"**No verdict** on commit {short}: judging failed. The job's log tells why.")
    host.set_state("error", "no verdict: judging failed")


def changed_files(change: JobChange, cwd: Path) -> list[tuple[str, str]]:
    """Each changed path with git's letter; ``R100`` is a rename without any other change."""
    rows = _git(cwd, "diff", "--name-status", "-M", "-z", f"{change.base}...{change.head}").split(
        "\0"
    )
    found, at = [], 0
    while at < len(rows) - 1:
        moved = rows[at][:1] in ("R", "C")
        found.append((rows[at + 1 + moved], rows[at]))
        at += 2 + moved
    return found


def skip_reason(files: Sequence[tuple[str, str]]) -> Skip | None:
    """The kinds of all files, where none of them is worth a model; anything mixed is judged. Pure."""
    kinds = [_kind(path, letter) for path, letter in files]
    return Skip(tuple(dict.fromkeys(kinds))) if kinds and all(kinds) else None


def _kind(path: str, letter: str) -> str:
    place = PurePosixPath(path)
    if letter == "R100":
        return "exact renames"
    if place.name in _LOCKS:
        return "lock files"
    if _is_document(place):
        return "documents"
    return "generated files" if _GENERATED.search(path) else ""


def _is_document(place: PurePosixPath) -> bool:
    if place.name.lower() in _ORDERS or any(part.startswith(".") for part in place.parts):
        return False
    ending, stem = place.suffix.lower(), place.stem.lower()
    return ending in _DOCS or (ending == ".txt" and (stem in _TOLD or "docs" in place.parts))


def report_folder(env: Mapping[str, str] = os.environ) -> Path:
    """Where the files of a job lie, outside what is judged where the host has such a place."""
    named = env.get("GUILD_REPORT")
    folder = Path(named or Path(env.get("RUNNER_TEMP") or ".") / FOLDER)
    refuse_links(folder)  # on GitLab it lies where the change could put one
    return folder


def _check_history(change: JobChange, cwd: Path) -> None:
    try:
        _git(cwd, "merge-base", change.base, change.head)
    except InfrastructureError:
        raise UsageError(
            f"{change.base[:12]} and {change.head[:12]} have no common history in this checkout",
            "Check out all of it: fetch-depth: 0 (GitHub), GIT_DEPTH: 0 (GitLab).",
        ) from None


def _git(cwd: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, check=False)
    if done.returncode:
        why = os.fsdecode(done.stderr).strip().partition("\n")[0]
        raise InfrastructureError(f"git {words[0]} failed: {why or done.returncode}")
    return os.fsdecode(done.stdout)


def said(report: RunReport, form: str) -> str:
    """What the job's log shows: annotations on GitHub, lines elsewhere; and a count for people."""
    lines, headline = render_lines(report, form)
    return f"{lines}{headline}\n({count(len(report.blocking), 'blocking finding')})\n"
