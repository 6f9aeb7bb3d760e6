"""What a code host tells a job and is told by it: GitHub and GitLab, over their HTTP interfaces.

A verdict is bound to the commit that was judged. There is one comment of ours, edited in place: it is known by its
mark and by who wrote it, because anybody can write the mark, and could rewrite what was put into a comment of theirs.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from guildmoot.errors import InfrastructureError, UsageError

MARK = "<!-- guild: one comment, edited in place -->"
CONTEXT = "guild"
_PAGES = 20
_SECONDS = 30.0
_WAITS = (0.5, 2.0)
State = Literal["pending", "success", "failure", "error"]


class JobChange(NamedTuple):
    """What a job is to judge."""

    base: str
    head: str
    number: int = 0
    """Of the pull or merge request; 0 where a branch was pushed."""
    fork: bool = False
    """It comes from a repository whose jobs may not write to this one."""


class InlineComment(NamedTuple):
    """A finding beside its line."""

    id: str
    """The finding's own, which stays the same from push to push."""
    path: str
    line: int
    body: str


class JobHost(Protocol):
    """A code host, as one job sees it."""

    change: JobChange

    def comment(self, text: str) -> None:
        """Put our comment there, or this text in place of the old one."""
        ...

    def set_state(self, state: State, text: str) -> None:
        """The verdict on the commit that is judged."""
        ...

    def newest(self) -> str:
        """The commit that the request has now; empty where there is no request."""
        ...

    def summary(self, text: str) -> None:
        """Show a page beside the job, where the host has such a thing."""
        ...

    def inline(self, comments: Sequence[InlineComment]) -> None:
        """Put these beside their lines: one for each finding, however often it is told; those that are gone go."""
        ...

    def output(self, **values: str) -> None:
        """Tell later steps of the job, where the host has such a thing."""
        ...


def host_of(env: Mapping[str, str] = os.environ) -> JobHost:
    """The host that this job runs on."""
    if env.get("GITHUB_ACTIONS"):
        return GitHub(env)
    if env.get("GITLAB_CI"):
        return GitLab(env)
    raise UsageError(
        "this is no job of GitHub or GitLab",
        "Elsewhere: guild validate --diff main...HEAD --report out.sarif --format concise",
    )


class _Api:
    """JSON over HTTP with a token; InfrastructureError when the other side does not do it."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise UsageError(f"{url!r} is no address of a code host")
        self._url, self._headers = url.rstrip("/"), dict(headers)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        refused: tuple[int, ...] = (),
    ) -> Any:  # noqa: ANN401 - JSON of others
        """What the other side answered; None where it refused with one of these codes."""
        request = urllib.request.Request(  # noqa: S310 - the scheme was looked at
            f"{self._url}{path}",
            json.dumps(body).encode() if body is not None else None,
            {**self._headers, "Content-Type": "application/json"},
            method=method,
        )
        data = self._answered(request, refused)
        if data is None:
            return None
        try:
            return json.loads(data or b"null")
        except ValueError:
            raise InfrastructureError(f"{method} {path}: the answer is no JSON") from None

    def _answered(self, request: urllib.request.Request, refused: tuple[int, ...]) -> bytes | None:
        """The bytes of the answer. A host that is down for a moment is asked again, unless it may have
        done already what would then be done twice."""
        method, path = request.get_method(), request.full_url.removeprefix(self._url)
        waits = [0.0] if method == "POST" and "/statuses/" not in path else [*_WAITS, 0.0]
        for wait in waits:
            try:
                with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
                    data: bytes = answer.read(50_000_000)
                    return data
            except urllib.error.HTTPError as wrong:
                if wrong.code in refused:
                    return None
                if wait and wrong.code in (500, 502, 503, 504):
                    time.sleep(wait)
                    continue
                why = wrong.read(300).decode("utf-8", "replace")
                raise InfrastructureError(
                    f"{method} {path}: {wrong.code} {wrong.reason}: {why}",
                    "The verdict was not posted. See what the job's token may do.",
                ) from None
            except (OSError, ValueError) as wrong:
                raise InfrastructureError(f"{method} {path}: {wrong}") from None
        return None  # the last try has ended it already

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """Every row of a list, page by page."""
        for page in range(1, _PAGES + 1):
            rows = self.call("GET", f"{path}?per_page=100&page={page}")
            yield from rows
            if len(rows) < 100:
                return


class GitHub:
    """A job of GitHub Actions."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._repo, self._env = env["GITHUB_REPOSITORY"], env
        try:
            event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_bytes())
            self.change = _github_change(event, env)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as wrong:
            why = f"{type(wrong).__name__}: {wrong}"
            raise InfrastructureError(
                f"the event of this job is none that GitHub writes: {why}",
                "See the file that GITHUB_EVENT_PATH names.",
            ) from None
        token = env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or ""
        self._api = _Api(
            env.get("GITHUB_API_URL") or "https://api.github.com",
            {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
        )

    @cached_property
    def _login(self) -> str:
        """Whose token it is; empty for that of a job or an app, which may not ask and writes as a bot."""
        me = self._api.call("GET", "/user", refused=(401, 403, 404))
        return str(me["login"]) if me else ""

    def _is_ours(self, row: Mapping[str, Any]) -> bool:
        user = row.get("user") or {}
        return bool(user.get("login") == self._login if self._login else user.get("type") == "Bot")

    def comment(self, text: str) -> None:
        place = f"/repos/{self._repo}/issues"
        for row in self._api.pages(f"{place}/{self.change.number}/comments"):
            if str(row.get("body", "")).startswith(MARK) and self._is_ours(row):
                self._api.call("PATCH", f"{place}/comments/{row['id']}", {"body": _marked(text)})
                return
        self._api.call("POST", f"{place}/{self.change.number}/comments", {"body": _marked(text)})

    def set_state(self, state: State, text: str) -> None:
        place = f"/repos/{self._repo}/statuses/{self.change.head}"
        run = f"{self._env.get('GITHUB_SERVER_URL', '')}/{self._repo}/actions/runs/{self._env.get('GITHUB_RUN_ID', '')}"
        url = {"target_url": run} if run.startswith("https://") else {}
        told = {"state": state, "context": CONTEXT, "description": text[:140], **url}
        self._api.call("POST", place, told)

    def newest(self) -> str:
        if not self.change.number:
            return ""
        found = self._api.call("GET", f"/repos/{self._repo}/pulls/{self.change.number}")
        return str(found["head"]["sha"])

    def summary(self, text: str) -> None:
        if file := self._env.get("GITHUB_STEP_SUMMARY"):
            with open(file, "a", encoding="utf-8") as stream:
                stream.write(f"{text}\n")

    def inline(self, comments: Sequence[InlineComment]) -> None:
        place = f"/repos/{self._repo}/pulls"
        wanted = {_inline_mark(each.id): each for each in comments}
        for row in list(self._api.pages(f"{place}/{self.change.number}/comments")):
            mark = str(row.get("body", "")).partition("\n")[0]
            if not (_is_inline(mark) and self._is_ours(row)):
                continue  # somebody else's
            if mark in wanted and row.get("line"):  # it stands, beside a line that is still there
                del wanted[mark]
            else:
                self._api.call("DELETE", f"{place}/comments/{row['id']}")
        for mark, each in wanted.items():
            told = {
                "path": each.path,
                "line": each.line,
                "side": "RIGHT",
                "commit_id": self.change.head,
            }
            body = {**told, "body": f"{mark}\n{each.body}"}
            self._api.call("POST", f"{place}/{self.change.number}/comments", body)

    def output(self, **values: str) -> None:
        if file := self._env.get("GITHUB_OUTPUT"):
            with open(file, "a", encoding="utf-8") as stream:
                stream.writelines(f"{name}={value}\n" for name, value in values.items())


class GitLab:
    """A job of GitLab; its own state is the verdict's, so there is none to set."""

    def __init__(self, env: Mapping[str, str]) -> None:
        number = int(env.get("CI_MERGE_REQUEST_IID") or 0)
        before = env.get("CI_COMMIT_BEFORE_SHA", "")
        base = env.get("CI_MERGE_REQUEST_DIFF_BASE_SHA") or (
            "" if not before.strip("0") else before
        )
        head = env.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or env["CI_COMMIT_SHA"]
        source, target = env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"), env.get("CI_PROJECT_ID", "")
        self.change = JobChange(base, head, number, bool(source and source != target))
        self._place = f"/projects/{target}/merge_requests/{number}"
        token = env.get("GUILD_GITLAB_TOKEN", "")
        self._api = _Api(env.get("CI_API_V4_URL") or "https://gitlab.com/api/v4", {"PRIVATE-TOKEN": token})  # fmt: skip
        self._writes = bool(token)

    @cached_property
    def _me(self) -> object:
        return self._api.call("GET", "/user")["id"]

    def comment(self, text: str) -> None:
        if not self._writes:
            return
        for row in self._api.pages(f"{self._place}/notes"):
            written = row.get("author", {}).get("id") == self._me
            if str(row.get("body", "")).startswith(MARK) and written:
                self._api.call("PUT", f"{self._place}/notes/{row['id']}", {"body": _marked(text)})
                return
        self._api.call("POST", f"{self._place}/notes", {"body": _marked(text)})

    def set_state(self, state: State, text: str) -> None:
        return

    def newest(self) -> str:
        if not (self.change.number and self._writes):
            return ""
        return str(self._api.call("GET", self._place)["sha"])

    def summary(self, text: str) -> None:
        return

    def inline(self, comments: Sequence[InlineComment]) -> None:
        return  # the code quality report stands beside the lines there

    def output(self, **values: str) -> None:
        return


def _inline_mark(name: str) -> str:
    return f"<!-- guild: finding {name} -->"


def _is_inline(mark: str) -> bool:
    return mark.startswith("<!-- guild: finding ") and mark.endswith(" -->")


def _marked(text: str) -> str:
    return f"{MARK}\n{text}"


def _github_change(event: Mapping[str, Any], env: Mapping[str, str]) -> JobChange:
    pull = event.get("pull_request")
    if isinstance(pull, dict):
        head, base = pull["head"], pull["base"]
        names = [(side.get("repo") or {}).get("full_name") for side in (head, base)]
        return JobChange(base["sha"], head["sha"], int(pull["number"]), names[0] != names[1])
    before = str(event.get("before") or "")
    main = (event.get("repository") or {}).get("default_branch")
    if event.get("forced") and main and event.get("ref") != f"refs/heads/{main}":
        before = ""  # what it replaces is in no new clone: judged since it left the default branch
    return JobChange(before if before.strip("0") else "", env["GITHUB_SHA"])
