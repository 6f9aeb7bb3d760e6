"""Pull requests of a project, through ``gh`` or ``glab``; without either, bodies are written to files.

The state of a pull request is never stored: it is asked for each time.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time

from guildmoot.projects.checkins import list_checkins
from guildmoot.projects.errors import RecordError
from guildmoot.projects.repository import find_checkout
from guildmoot.projects.slugs import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import Project, RecordChange

_MARKER = re.compile(r"<!--\s*loom-pr-checkins:\s*([0-9,\s]*?)\s*-->")
_NUMBER = re.compile(r"/(?:pull|merge_requests)/(\d+)\b")
_FIELDS = "number,url,body,state,mergedAt"
_TIMEOUT = 120
_LAB_STATES = {"opened": "OPEN", "merged": "MERGED", "closed": "CLOSED", "locked": "CLOSED"}


class CodeHostError(RecordError):
    """The program that speaks with the code host said no."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__("gh-failed", f"Command failed: {command}{': ' if reason else ''}{reason}")
        self.command = command
        self.reason = reason

    def says_none(self) -> bool:
        """Whether it said that there is no pull request, or nothing at all."""
        return not self.reason or bool(re.search(r"(?i)\bno (open )?(pull|merge) req", self.reason))


class CodeHost:
    """The program that speaks with the code host: ``gh``, ``glab``, or none."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.program = _program(folder)

    @property
    def is_lab(self) -> bool:
        return self.program == "glab"

    def ask(self, *words: str) -> str:
        """What it prints; CodeHostError when it fails."""
        import subprocess  # only the verbs that ask the host pay for it

        command = " ".join((self.program, *words))
        try:
            done = subprocess.run(
                [self.program, *words],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as wrong:
            raise CodeHostError(command, str(wrong)) from None
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise CodeHostError(command, lines[-1] if lines else "")
        return done.stdout

    def view(self, branch: str) -> Record | None:
        """The pull request of a branch; None when there is none."""
        if branch.startswith("-"):  # it would be taken for a flag
            raise RecordError("invalid-branch", f"{branch!r} cannot be a branch")
        if self.is_lab:
            found = _object(self.ask("mr", "view", branch, "--output", "json"))
            return {
                "number": found.get("iid"), "url": found.get("web_url"),
                "body": found.get("description") or "",
                "state": _LAB_STATES.get(str(found.get("state")), found.get("state")),
                "mergedAt": found.get("merged_at"),
            }  # fmt: skip
        return _object(self.ask("pr", "view", branch, "--json", _FIELDS))


def _program(folder: str) -> str:
    from shutil import which

    remote = _remote(folder)
    if remote is None:
        return ""
    if "gitlab" in remote and which("glab"):
        return "glab"
    return "gh" if which("gh") else ("glab" if which("glab") and "github" not in remote else "")


def _remote(folder: str) -> str | None:
    """The address of the remote; None in a repository that has none, empty outside of git."""
    checkout = find_checkout(folder)
    if checkout is None:
        return ""
    try:
        with open(
            os.path.join(checkout.common, "config"), encoding="utf-8", errors="replace"
        ) as stream:
            found = re.findall(r"^\s*url\s*=\s*(\S+)", stream.read(), re.MULTILINE)
    except OSError:
        return ""
    return found[0] if found else None


def _object(text: str) -> Record:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise RecordError(
            "gh-invalid-output", f"the answer is no JSON object: {text.strip()[:80]!r}"
        )
    return found


def discover(project: Project, branch: str) -> Record:
    """The pull request of a branch, and whether its body names the check-ins that are on record."""
    numbers = [
        int(row["number"])
        for row in list_checkins(project.read(), branch)
        if row["number"].isdecimal()
    ]
    host = CodeHost(project.folder)
    if not host.program:
        return {"checkins": numbers, "marker_state": "new", "pr": None, "note": _no_host(project)}
    try:
        found = host.view(branch)
    except CodeHostError as wrong:
        answer: Record = {"checkins": numbers, "marker_state": "new", "pr": None}
        return (
            answer
            if wrong.says_none()
            else {
                **answer,
                "note": f"{host.program} could not tell whether there is one: {wrong.reason}",
            }
        )
    if not found or found.get("number") is None:
        return {"checkins": numbers, "marker_state": "new", "pr": None}
    pr = {name: found[name] for name in ("number", "url", "state", "mergedAt") if name in found}
    return {
        "checkins": numbers,
        "marker_state": _marker_state(str(found.get("body")), numbers),
        "pr": pr,
    }


def _marker_state(body: str, numbers: Sequence[int]) -> str:
    marker = _MARKER.search(body)
    if marker is None:
        return "new"
    named, there = {int(each) for each in re.findall(r"\d+", marker.group(1))}, set(numbers)
    return "fresh" if named == there else "stale" if named < there else "drift"


def open_pull(
    project: Project, title: str, body_file: str, branch: str, base: str, draft: bool
) -> Record:
    """Open a pull request; without a code host its body is written to a file."""
    host = CodeHost(project.folder)
    if not host.program:
        return {"pr": None, "url": None, **_to_file(project, body_file)}
    if host.is_lab:
        words = ["mr", "create", "--yes", "--title", title, "--description", _text(body_file)]
        words += ["--source-branch", branch] if branch else []
        words += ["--target-branch", base] if base else []
    else:
        words = ["pr", "create", "--title", title, "--body-file", body_file]
        words += ["--head", branch] if branch else []
        words += ["--base", base] if base else []
    printed = host.ask(*words, *(["--draft"] if draft else [])).strip()
    found = _NUMBER.search(printed)
    if not found:
        raise RecordError("invalid-pr-url", f"no address of a pull request in {printed[:120]!r}")
    url = next(word for word in printed.split() if _NUMBER.search(word))
    return {"pr": int(found.group(1)), "url": url}


def update_pull(project: Project, number: int, body_file: str) -> Record:
    """Give a pull request another body."""
    host = CodeHost(project.folder)
    if not host.program:
        return {"pr": number, **_to_file(project, body_file)}
    if host.is_lab:
        host.ask("mr", "update", str(number), "--description", _text(body_file))
    else:
        host.ask("pr", "edit", str(number), "--body-file", body_file)
    return {"pr": number}


def comments(project: Project, number: int) -> Record:
    """What people wrote on a pull request."""
    host = CodeHost(project.folder)
    if not host.program:
        raise RecordError("gh-failed", _no_host(project))
    if host.is_lab:
        found = _object(host.ask("mr", "view", str(number), "--comments", "--output", "json"))
        return {
            "pr": number,
            "branch": found.get("source_branch"),
            "comments": found.get("Notes") or [],
        }
    found = _object(host.ask("pr", "view", str(number), "--json", "headRefName,comments"))
    return {
        "pr": number,
        "branch": found.get("headRefName"),
        "comments": found.get("comments") or [],
    }


def reviews(project: Project, number: int) -> list[Record]:
    """What reviewers demand on a pull request: reviews that ask for changes, and comments on lines."""
    host = CodeHost(project.folder)
    if not host.program or host.is_lab:  # there a review is a comment
        return []
    found = _object(host.ask("pr", "view", str(number), "--json", "reviews")).get("reviews") or []
    rows = [row for row in found if row.get("state") == "CHANGES_REQUESTED"]
    try:
        lines = json.loads(host.ask("api", f"repos/{{owner}}/{{repo}}/pulls/{number}/comments"))
    except ValueError:
        raise RecordError("gh-invalid-output", "the comments on lines are no JSON") from None
    return [*rows, *(row for row in lines if isinstance(row, dict))]


def respond(project: Project, responses: object) -> Record:
    """Keep answers to comments on record; they are not posted."""
    rows = _responses(responses)

    def make(draft: RecordChange) -> Record:
        for row in rows:
            draft.add("replies", {**row, "created": stamp()})
        return {"section": "replies", "count": len(rows)}

    return project.change(make)


def _responses(value: object) -> list[Record]:
    wrong = RecordError(
        "invalid-responses-file",
        'the file holds {"pr": 7, "branch": "b", "responses": [{"comment_id": 1, "body": "..."}]}',
    )
    if not isinstance(value, dict) or not isinstance(value.get("branch"), str):
        raise wrong
    rows = value.get("responses")
    if not isinstance(rows, list) or not isinstance(value.get("pr"), int):
        raise wrong
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("body"), str):
            raise wrong
        if not isinstance(row.get("comment_id"), int) or isinstance(row["comment_id"], bool):
            raise wrong
    return [
        {"comment_id": row["comment_id"], "body": row["body"], "branch": value["branch"]}
        for row in rows
    ]


def wait(project: Project, branch: str, interval: float, timeout: float, quiet: bool) -> Record:
    """Wait until a pull request is merged or closed, or the time is up."""
    host = CodeHost(project.folder)
    if not host.program:
        raise RecordError("pr-not-found", _no_host(project))
    known: Record = {}
    failures, error = 0, ""
    end = time.monotonic() + timeout
    while True:
        try:
            found = host.view(branch)
            failures = 0
        except RecordError as wrong:
            if not known:
                raise RecordError("pr-not-found", f"there is no pull request of {branch}") from None
            found, failures, error = None, failures + 1, wrong.text
        if found:
            known = {name: found[name] for name in ("number", "url", "state") if name in found}
            state = known.get("state")
            if state == "MERGED":
                return {**known, "exitReason": "merged", "mergedAt": found.get("mergedAt")}
            if state == "CLOSED":
                return {**known, "exitReason": "closed"}
        if failures == 3:
            sys.stderr.write(f"pr wait: gh failed 3 consecutive times — {error}\n")
            return {**known, "exitReason": "gh-failed", "lastError": error}
        if time.monotonic() + interval > end:
            return {**known, "exitReason": "timeout"}
        if not quiet:
            sys.stderr.write(f"pr wait: {branch} is {known.get('state', 'unknown')}\n")
            sys.stderr.flush()
        time.sleep(interval)


def compose(project: Project, branch: str) -> str:
    """A body for a pull request out of what is on record: why, what was done, what proved it."""
    values = project.read()
    rows = list_checkins(values, branch)
    title = values["meta"]["title"]
    lines = [
        "> [!NOTE]", f"> Part of **{title}**: `projects/{project.slug}/PLAN.md`", "",
        "## Motivation", "",
    ]  # fmt: skip
    lines += [f"- {row['contract']['goal']}" for row in rows if row["contract"]["goal"]] or ["- "]
    lines += ["", "## Solution", "", "| Action | Subject |", "|---|---|"]
    lines += [
        f"| {_cell(action)} | {_cell(row['unit'])} |"
        for row in rows
        for action in row["execution"]["actions"]
    ]
    lines += ["", "## Verification", ""]
    lines += [f"- [ ] `{command}`" for command in values["config"]["verification"]]
    for row in rows:
        run = row["verdict"].get("run")
        judged = f", run `{run}`" if run else ""
        lines.append(
            f"- check-in {row['number']} {_cell(row['unit'])}: {row['verdict']['result']}{judged}"
        )
    notes = [note for row in rows for note in row["notes_for_pr"]]
    if notes:
        lines += ["", "## Notes", "", *(f"- {note}" for note in notes)]
    numbers = ",".join(row["number"] for row in rows)
    return "\n".join((*lines, "", f"<!-- loom-pr-checkins: {numbers} -->", ""))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _to_file(project: Project, body_file: str) -> Record:
    from guildmoot.projects.documents import write_text

    path = os.path.join(project.folder, "PULL-REQUEST.md")
    write_text(path, _text(body_file))
    return {"body_path": path, "note": _no_host(project)}


def _no_host(project: Project) -> str:
    where = (
        "the repository has no remote"
        if _remote(project.folder) is None
        else "neither gh nor glab is installed"
    )
    return f"{where}; the code host was not asked, and nothing was opened or changed there"


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError as wrong:
        raise RecordError("body-file-not-found", f"{path}: {wrong.strerror}") from None
