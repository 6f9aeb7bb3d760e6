"""A pull request by its number, through the user's own ``gh``: fetched, judged, and posted only when that is asked for.

What is posted is a pending review: only the user sees it until they submit it themselves.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from guildmoot.api.judge import validate
from guildmoot.api.runs import compare_recorded
from guildmoot.config import Flags
from guildmoot.errors import GuildmootError, InfrastructureError, UsageError
from guildmoot.model.report import RunReport
from guildmoot.model.verdict import Finding
from guildmoot.packet import PacketRequest
from guildmoot.places.code_hosts import MARK
from guildmoot.practices.panel import PanelRequest
from guildmoot.practices.run_diff import RunDiff
from guildmoot.reports import render
from guildmoot.reports.markdown import inline
from guildmoot.system.files import place_inside, read_own, write_atomic
from guildmoot.system.git import project_root
from guildmoot.text.clean import one_line

_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))")
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ADDRESS = re.compile(r"https://([\w.-]+)/([\w.-]+/[\w.-]+)/pull/\d+")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_FILE = ".guild/reviews.json"
MOST_INLINE = 50
_ODD = "See what 'gh pr view --json number,headRefOid,baseRefOid,title,url' prints."


class PullRequest(NamedTuple):
    """What ``gh`` tells of one."""

    number: int
    head: str
    base: str
    title: str
    url: str


class PullReview(NamedTuple):
    """What came of judging one."""

    pull: PullRequest
    report: RunReport
    since: RunDiff | None
    """What changed since it was judged before; None the first time."""
    unchanged: bool = False
    """The same commit was judged before."""


def find_pull(number: str, cwd: Path) -> PullRequest:
    """The request of that number, address or branch; without one that of this branch."""
    fields = "number,headRefOid,baseRefOid,title,url"
    words = ["pr", "view", *([number] if number else []), "--json", fields]
    told = _asked(cwd, *words)
    try:
        found = PullRequest(
            int(told["number"]), told["headRefOid"], told["baseRefOid"],
            one_line(told["title"]), one_line(told["url"]),
        )  # fmt: skip
        sound = all(_COMMIT.fullmatch(each) for each in (found.head, found.base))
    except (KeyError, TypeError, ValueError, AttributeError):
        sound = False
    if not sound:
        raise InfrastructureError("gh tells of no pull request here", _ODD)
    return found


async def review(
    pull: PullRequest, cwd: Path, settings: Flags, remote: str = "origin"
) -> PullReview:
    """Fetch its commits, judge what it changes, and hold that against the last time."""
    root = project_root(cwd.absolute())
    _run(root, "git", "fetch", "--quiet", "--no-tags", remote, f"refs/pull/{pull.number}/head", pull.base)  # fmt: skip
    request = PacketRequest(diff=f"{pull.base}...{pull.head}", cwd=root)
    report = await validate(PanelRequest(request, settings=settings))
    before = _known(root).get(str(pull.number), {})
    since = None
    if report.run_id:
        since = _compared(root, str(before.get("run_id", "")), report.run_id)
        kept = {"run_id": report.run_id, "head": pull.head}
        rows = {**_known(root), str(pull.number): kept}
        write_atomic(place_inside(root, _FILE), (json.dumps(rows, indent=2) + "\n").encode())
    return PullReview(pull, report, since, before.get("head") == pull.head)


def post(found: PullReview, cwd: Path) -> int:
    """Post it as a pending review in place of an earlier one of ours; how many findings stand beside their lines."""
    pull = found.pull
    try:
        newest = str(_asked(cwd, "api", *api_words(pull))["head"]["sha"])
        rows = _asked(cwd, "api", *api_words(pull, "/reviews?per_page=100"))
        earlier = [dict(row) for row in rows]
    except (KeyError, TypeError, ValueError):
        raise InfrastructureError("nothing was posted: gh answers in another form", _ODD) from None
    if newest != found.pull.head:
        raise InfrastructureError(
            f"nothing was posted: {newest[:12]} was pushed since", "Run it again."
        )
    for row in earlier:
        if row.get("state") == "PENDING" and str(row.get("body", "")).startswith(MARK):
            _run(cwd, "gh", "api", "-X", "DELETE", *api_words(pull, f"/reviews/{row['id']}"))
    known = pull.url if _ADDRESS.fullmatch(pull.url) else str(pull.number)
    shown = changed_lines(_run(cwd, "gh", "pr", "diff", known))
    findings = [*found.report.blocking, *found.report.advisory]
    beside = [each for each in findings if each.line in shown.get(each.path, ())][:MOST_INLINE]
    body = {
        "commit_id": found.pull.head,
        "body": f"{MARK}\n{render(found.report, '.md')}",
        "comments": [
            {"path": each.path, "line": each.line, "side": "RIGHT", "body": comment_of(each)}
            for each in beside
        ],
    }  # without an event it stays pending
    words = ("gh", "api", "-X", "POST", *api_words(pull, "/reviews"), "--input", "-")
    _run(cwd, *words, stdin=json.dumps(body))
    return len(beside)


def api_words(pull: PullRequest, below: str = "") -> tuple[str, ...]:
    """Where gh finds the request: in the repository of its address, which need not be this one. Pure."""
    found = _ADDRESS.fullmatch(pull.url)
    end = f"pulls/{pull.number}{below}"
    if not found:
        return (f"repos/{{owner}}/{{repo}}/{end}",)
    return ("--hostname", found[1], f"repos/{found[2]}/{end}")


def changed_lines(diff: str) -> dict[str, set[int]]:
    """The lines of each new file that a diff shows, where a comment can stand. Pure."""
    found: dict[str, set[int]] = {}
    path, line, old, new = "", 0, 0, 0
    for row in diff.split("\n"):
        mark = row[:1]
        if old > 0 or new > 0:  # within a hunk, whatever else a line looks like
            old -= mark in ("-", " ")
            if mark in ("+", " "):
                found.setdefault(path, set()).add(line)
                line, new = line + 1, new - 1
        elif row.startswith("+++ "):
            path = _plain_name(row[4:]).removeprefix("b/")
        elif hunk := _HUNK.match(row):
            old, line, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
    return found


def _plain_name(told: str) -> str:
    """A path as it is: git ends one that holds a space with a tab, and quotes what is not ASCII or plain."""
    if not told.startswith('"'):
        return told.removesuffix("\t")
    data = os.fsencode(told.strip("\t")[1:-1])
    return os.fsdecode(_ESCAPE.sub(_plain_byte, data))


def _plain_byte(found: re.Match[bytes]) -> bytes:
    octal, letter = found.groups()
    return bytes([int(octal, 8)]) if octal else _LETTERS.get(letter, letter)


def comment_of(finding: Finding) -> str:
    """A finding as it stands beside its line."""
    kind = "Blocking" if finding.blocking else "Advisory"
    rows = [f"**{kind}** {inline(finding.code)}: {inline(finding.title)}"]
    rows += [inline(text) for text in (finding.why, finding.fix and f"Fix: {finding.fix}") if text]
    return "\n\n".join(rows)


def _compared(root: Path, before: str, now: str) -> RunDiff | None:
    try:
        return compare_recorded(root, before, now) if before else None
    except GuildmootError:  # its record was cleared away
        return None


def _known(root: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        rows = json.loads(read_own(root / _FILE) or b"{}")
    except ValueError:
        return {}
    return rows if isinstance(rows, dict) else {}


def _asked(cwd: Path, *words: str) -> Any:  # noqa: ANN401 - JSON of others
    """What ``gh`` answers to these words."""
    try:
        return json.loads(_run(cwd, "gh", *words))
    except ValueError:
        raise InfrastructureError(f"gh {' '.join(words[:2])} prints no JSON", _ODD) from None


def _run(cwd: Path, *words: str, stdin: str = "") -> str:
    try:
        done = subprocess.run(
            words, cwd=cwd, input=stdin, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise UsageError(f"{words[0]} is not installed", "See https://cli.github.com") from None
    if done.returncode:
        why = done.stderr.strip().partition("\n")[0] or f"exit code {done.returncode}"
        raise InfrastructureError(f"{' '.join(words[:3])} failed: {why}")
    return done.stdout
