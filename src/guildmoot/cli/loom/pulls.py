"""``loom pr``."""

from __future__ import annotations

from guildmoot.cli.loom.records import _json_file, _project
from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.cli.loom.main import Words


def _pull(words: Words) -> int:
    words.required("pr")
    return words.number("pr", "invalid-pr", 1) or 0


def pr_discover(words: Words) -> object:
    from guildmoot.projects.pulls import discover

    (branch,) = words.required("branch")
    return discover(_project(words), branch)


def pr_compose(words: Words) -> object:
    from guildmoot.projects.pulls import compose

    (branch,) = words.required("branch")
    words.lines = compose(_project(words), branch).rstrip("\n").split("\n")
    return None


def pr_open(words: Words) -> object:
    from guildmoot.projects.pulls import open_pull

    title, body = words.required("title", "body-file")
    draft = "draft" in words.switches
    return open_pull(_project(words), title, body, words.flag("branch"), words.flag("base"), draft)


def pr_update(words: Words) -> object:
    from guildmoot.projects.pulls import update_pull

    (body,) = words.required("body-file")
    return update_pull(_project(words), _pull(words), body)


def pr_comments(words: Words) -> object:
    from guildmoot.projects.pulls import comments

    return comments(_project(words), _pull(words))


def pr_respond(words: Words) -> object:
    from guildmoot.projects.pulls import respond

    (path,) = words.required("responses-file")
    project = _project(words)
    return respond(project, _json_file(path, "responses-file-unreadable", "invalid-responses-file"))


def pr_wait(words: Words) -> object:
    from guildmoot.projects.pulls import wait

    (branch,) = words.required("branch")
    interval = words.number("interval", "invalid-interval", 1)
    timeout = words.number("timeout", "invalid-timeout", 1)
    if interval is None:
        interval = 30
    if timeout is None:
        timeout = 1800
    if not branch.strip():
        raise RecordError("missing-args", "--branch must be given")
    return wait(_project(words), branch, interval, timeout, "quiet" in words.switches)
