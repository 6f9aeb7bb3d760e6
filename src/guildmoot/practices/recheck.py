"""Do the findings of an earlier run still hold? Their quotes and assertions are tried on the work now.

    holds       the quoted text is where it was, or the finding's own assertions hold
    moved       the quoted text is there, on another line
    vanished    the file or the text is gone, or an assertion of the finding fails
    unchecked   there is nothing to look up: no place, no quote, no assertion that may run

An assertion that ran tells more than a quote. Nobody is asked and nothing is sent; only files that the
run had before it are read, masked as they were then.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.config import Config
from guildmoot.errors import InfrastructureError
from guildmoot.grounding.anchors import Texts, ground
from guildmoot.grounding.proofs import AssertionResult, check_assertion
from guildmoot.model.verdict import UNREAL, Finding, Issue
from guildmoot.packet.contents import Refusal, WorkTree, decode
from guildmoot.packet.egress import Draft, release
from guildmoot.practices.findings import NO_TRIALS, Trials, open_trials
from guildmoot.practices.run_diff import PastRun
from guildmoot.system.git import Git, GitError

Standing = Literal["holds", "moved", "vanished", "unchecked"]
STANDINGS: tuple[Standing, ...] = ("holds", "moved", "vanished", "unchecked")


class Rechecked(NamedTuple):
    """One issue, looked at again."""

    issue: Issue
    standing: Standing
    detail: str
    line: int = 0
    """Where it is now; 0 when it is nowhere, or has no line."""
    ran: bool = False
    """Its own assertions were run."""


class Recheck(NamedTuple):
    """A run, looked at again."""

    run: PastRun
    issues: tuple[Rechecked, ...]
    against: str
    """What it was compared with, in words."""
    changed: tuple[str, ...] = ()
    """Files that differ from what the judges saw, or are gone."""


def recheck(root: Path, run: PastRun, config: Config, *, head: bool = False) -> Recheck:
    """Look every issue up in the working tree, or in the last commit."""
    limit = int(config.number("packet.max_file_bytes"))
    saw = dict(run.files)
    texts = read_head(root, saw, limit) if head else read_tree(root, saw, limit)
    now = release(Draft(str(root), run.target, texts))
    same = {file.path for file in now.files if file.sha256 == saw[file.path]}
    changed = tuple(path for path in saw if path not in same)
    with open_trials(now, config) as trials:
        lines = Texts(now.files)
        issues = tuple(look_again(issue, lines, changed, trials) for issue in run.issues)
    return Recheck(run, issues, "the last commit" if head else "the working tree", changed)


def look_again(
    issue: Issue, texts: Texts, changed: Sequence[str], trials: Trials = NO_TRIALS
) -> Rechecked:
    """What became of one issue: where one judge's place or proof is still there, so is the issue."""
    seen = [_look(issue, finding, texts, changed, trials) for finding in issue.members]
    ran = [each for each in seen if each.ran]
    return min(ran or seen, key=lambda each: STANDINGS.index(each.standing))


def _look(
    issue: Issue, finding: Finding, texts: Texts, changed: Sequence[str], trials: Trials
) -> Rechecked:
    placed = _look_up(issue, finding, texts, changed)
    if not finding.assertions:
        return placed
    if trials.folder is None:
        why = "no assertion was run: grounding.allow names no program"
        return placed._replace(detail=f"{placed.detail}; {why}")
    done = [
        check_assertion(each, trials.folder, trials.allowed, trials.timeout)
        for each in finding.assertions
    ]
    return _weigh(placed, done)


def _weigh(placed: Rechecked, done: Sequence[AssertionResult]) -> Rechecked:
    """The quote's answer, unless assertions ran."""
    failed = [each for each in done if each.status == "failed"]
    held = sum(each.status == "held" for each in done)
    if failed:
        detail = f"its own assertion no longer holds: {failed[0].detail}"
        return placed._replace(standing="vanished", detail=detail, line=0, ran=True)
    if held:
        standing: Standing = "moved" if placed.standing == "moved" else "holds"
        detail = f"its own assertions hold ({held})"
        return placed._replace(standing=standing, detail=detail, ran=True)
    late = next((each for each in done if each.status == "timeout"), None)
    why = f"an assertion came to no end: {late.detail}" if late else ""
    why = why or f"no assertion was run: {done[0].detail}"
    return placed._replace(detail=f"{placed.detail}; {why}")


def _look_up(issue: Issue, finding: Finding, texts: Texts, changed: Sequence[str]) -> Rechecked:
    """The finding's place in the files as they are now."""
    if not finding.path:
        return Rechecked(issue, "unchecked", "it names no place")
    if finding.grounding in UNREAL:
        return Rechecked(issue, "unchecked", "what it names was not there then either")
    if finding.path not in changed:
        return Rechecked(issue, "holds", "the file is as it was", finding.line)
    if texts.lines(finding.path) is None:
        return Rechecked(issue, "vanished", "the file is gone, or can no longer be judged")
    if not finding.quote.strip():
        return Rechecked(issue, "unchecked", "the file changed, and the finding quotes nothing")
    found = ground(finding._replace(proven=False, firm=True), texts)
    if found.grounding == "quote-not-found":
        return Rechecked(issue, "vanished", "the text that it quotes is gone")
    if found.grounding == "moved" and finding.line:
        moved = f"line {finding.line} is now line {found.line}"
        return Rechecked(issue, "moved", moved, found.line)
    return Rechecked(issue, "holds", "the text that it quotes is there", found.line)


def read_tree(root: Path, paths: Iterable[str], limit: int) -> list[tuple[str, str]]:
    """The texts as they lie in the working tree; what cannot be read is left out."""
    tree = WorkTree(os.path.realpath(root), limit)
    found = ((path, tree.read(path)) for path in paths)
    return list(_decoded(found))


def read_head(root: Path, paths: Iterable[str], limit: int) -> list[tuple[str, str]]:
    """The texts as the last commit has them."""
    git = Git(root)
    try:
        listed = git.run("ls-tree", "-r", "-z", "--long", "HEAD").split(b"\0")
    except GitError as error:
        raise InfrastructureError(f"git cannot read the last commit: {error}") from error
    blobs = dict(_blobs(listed, limit))
    with git.blob_reader() as read:
        return list(_decoded((path, read(blobs[path])) for path in paths if path in blobs))


def _blobs(listed: Iterable[bytes], limit: int) -> Iterator[tuple[str, str]]:
    for row in listed:
        facts, _, path = row.partition(b"\t")
        words = facts.split()
        if len(words) == 4 and words[0].startswith(b"100") and int(words[3]) <= limit:
            yield os.fsdecode(path), words[2].decode()


def _decoded(found: Iterable[tuple[str, bytes | Refusal]]) -> Iterator[tuple[str, str]]:
    for path, data in found:
        text = data if isinstance(data, Refusal) else decode(data)
        if not isinstance(text, Refusal):
            yield path, text.text
