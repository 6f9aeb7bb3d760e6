"""The pull request of a phase: composed from what is on record, opened or refreshed through ``gh`` or ``glab``.

Nothing here completes a phase: it is completed when its pull request is merged, and ``loom pr discover`` tells that.
Whatever opens a pull request keeps to the limits that were given.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError
from guildmoot.loops.phase import SMALL
from guildmoot.loops.throttle import PullLimits, why_not_now
from guildmoot.loops.workshop import git
from guildmoot.projects.errors import RecordError
from guildmoot.projects.pulls import CodeHost, compose, discover, open_pull, update_pull
from guildmoot.projects.store import Project
from guildmoot.system.files import append_rows, read_rows, write_atomic

if TYPE_CHECKING:
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.projects.manifest import Record

Write = Callable[[Sequence[str]], str]
"""Makes the text, with what was left undecided."""
NOT_NOW = "not opened now"
"""How a note begins where the limits forbid it for a time."""
UNITS_BETWEEN = 5
"""Units after which the pull request is refreshed within a tier."""


def should_checkpoint(tier_finished: bool, units_since: int, *, green: bool) -> bool:
    """Whether the pull request is refreshed now; never while the verification is red."""
    return green and (tier_finished or units_since >= UNITS_BETWEEN)


class PhasePull:
    """The pull request of one phase's branch."""

    def __init__(
        self, root: Path, place: PhasePlace, limits: PullLimits | None, stacked_on: str = "",
        write: Write | None = None,
    ) -> None:  # fmt: skip
        self._write = write
        self._base = stacked_on or place.base
        self._root, self._place, self._limits = root, place, limits or PullLimits()
        self._project = Project(str(root / place.inner), "")
        self._own = root / ".guild" / "loops"

    def state(self) -> str:
        """OPEN, MERGED, CLOSED, or empty when there is none or nobody can tell."""
        if not (self._root / self._place.inner).is_dir():
            return ""
        try:
            found = discover(self._reader(), self._place.branch).get("pr")
        except RecordError:
            return ""
        return str(found.get("state") or "") if found else ""

    def refresh(
        self, notes: Sequence[str], *, draft: bool = False, may_open: bool = True
    ) -> Record:
        """Open the pull request, or give it its new text; what was done, or why not and what to type."""
        try:
            return self._refresh(notes, draft, may_open)
        except (RecordError, InfrastructureError) as wrong:
            return {
                "url": None,
                "note": f"{wrong.message}; nothing was opened",
                **self._by_hand(draft),
            }

    def _refresh(self, notes: Sequence[str], draft: bool, may_open: bool) -> Record:
        body = self._own / f"{self._place.key}.pull-request.md"
        if self._write:
            text = self._write(notes)
        else:
            text = compose(self._reader(), self._place.branch)
            if notes:
                text += "\n".join(("", "## Left out, and why", "", *(f"- {n}" for n in notes), ""))
        write_atomic(body, text.encode("utf-8", "surrogateescape"))
        host = CodeHost(str(self._root / self._place.inner))
        if not host.program:
            note = str(discover(self._reader(), self._place.branch).get("note", "no code host"))
            return {"url": None, "body_file": self._told(body), "note": note}
        found = discover(self._reader(), self._place.branch)
        if "note" in found:
            return {
                "url": None,
                "body_file": self._told(body),
                "note": found["note"],
                **self._by_hand(draft),
            }
        if found["pr"] and found["pr"].get("state") == "OPEN":
            self._push()
            update_pull(self._project, found["pr"]["number"], str(body))
            return {**found["pr"], "body_file": self._told(body), "note": "refreshed"}
        if not may_open:
            return {"url": None, "note": "there is none yet"}
        why = why_not_now(self._limits, datetime.now(), self._opened(), self._open_now(host))
        if why:
            told = f"{NOT_NOW}: {why}"
            return {"url": None, "body_file": self._told(body), "note": told}
        self._push()
        made = open_pull(
            self._project, self._title(), str(body), self._place.branch, self._base, draft
        )
        append_rows(self._log(), [{"at": datetime.now(UTC).isoformat(), "url": made["url"]}])
        return {
            "number": made["pr"], "url": made["url"], "state": "OPEN", "body_file": self._told(body),
            "note": "opened as a draft" if draft else "opened",
        }  # fmt: skip

    def _told(self, body: Path) -> str:
        return str(body.relative_to(self._root))

    def _reader(self) -> Project:
        return Project(str(self._root / self._place.inner), self._place.branch)

    def _title(self) -> str:
        """The phase's name; a change that was made a project for says what it is in its goal."""
        place = self._place
        return f"[{place.slug[11:]}] {place.goal if place.name == SMALL else place.name}"[:100]

    def _by_hand(self, draft: bool) -> Record:
        body, branch = self._own / f"{self._place.key}.pull-request.md", self._place.branch
        words = ["loom", "pr", "open", self._place.slug, f"--title={self._title()}"]
        words += [f"--body-file={self._told(body)}", f"--branch={branch}", f"--base={self._base}"]
        opened = shlex.join([*words, *(["--draft"] if draft else [])])
        return {"command": f"git push -u {self._remote()} {shlex.quote(branch)} && {opened}"}

    def _remote(self) -> str:
        remotes = git(self._root, "remote").split()
        return remotes[0] if remotes and "origin" not in remotes else "origin"

    def _push(self) -> None:
        branch = self._place.branch
        git(
            self._root,
            "push",
            "-q",
            "-u",
            self._remote(),
            f"refs/heads/{branch}:refs/heads/{branch}",
        )

    def _log(self) -> Path:
        return self._own / "pulls.jsonl"

    def _opened(self) -> list[datetime]:
        found = []
        for row in read_rows(self._log()) if self._log().exists() else ():
            try:
                at = datetime.fromisoformat(str((row or {})["at"]))
            except (KeyError, ValueError):
                continue
            found.append(at.astimezone().replace(tzinfo=None))
        return found

    def _open_now(self, host: CodeHost) -> int:
        if not self._limits.max_open:
            return 0
        words = (
            ("mr", "list", "--author=@me", "--output", "json")
            if host.is_lab
            else (
                "pr",
                "list",
                "--author",
                "@me",
                "--state",
                "open",
                "--limit",
                "1000",
                "--json",
                "number",
            )
        )
        try:
            rows = json.loads(host.ask(*words))
        except ValueError:
            raise RecordError(
                "gh-invalid-output", "the list of open pull requests is no JSON"
            ) from None
        return len(rows) if isinstance(rows, list) else 0
