"""In CI, the branch that a change is to be merged into: what it holds was accepted by the project.

The CI service names it, and it is looked up among what was fetched from ``origin`` alone: a branch or a
tag that the change brings along cannot stand in for it, and neither can its fork.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from guildmoot.named import NamedTuple
from guildmoot.system.git import Git, GitError
from guildmoot.text.patterns import lazy

_MARKS = ("CI", "TF_BUILD", "JENKINS_URL")
_TARGETS = {
    "GITHUB_BASE_REF": "GITHUB_REPOSITORY",  # Gitea and Forgejo have the same
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "CI_MERGE_REQUEST_PROJECT_PATH",  # GitLab
    "BITBUCKET_PR_DESTINATION_BRANCH": "BITBUCKET_REPO_FULL_NAME",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "",
    "SYSTEM_PULLREQUEST_TARGETBRANCH": "",  # Azure
    "CHANGE_TARGET": "",  # Jenkins
    "CI_COMMIT_TARGET_BRANCH": "CI_REPO",  # Woodpecker
    "DRONE_TARGET_BRANCH": "DRONE_REPO",
}
"""Where a service names the base branch, and the repository that it is a branch of."""
_COMMITS = ("CI_MERGE_REQUEST_DIFF_BASE_SHA",)
"""Where the service tells the commit itself, for clones that hold no other branch."""
_NAME = lazy(r"[A-Za-z0-9_@][A-Za-z0-9._/@+#-]*")
_COMMIT = lazy(r"[0-9a-f]{40}|[0-9a-f]{64}")


class BaseBranch(NamedTuple):
    """What a change is to be merged into."""

    name: str
    commit: str
    """Empty when this clone does not hold it."""


def base_branch(root: Path, environ: Mapping[str, str] = os.environ) -> BaseBranch | None:
    """The base branch of the change that CI works on; None outside of CI, or where CI names none."""
    if not any(environ.get(mark, "").lower() not in ("", "0", "false") for mark in _MARKS):
        return None
    key = next((key for key in _TARGETS if environ.get(key)), "")
    if not key:
        return None
    name, commit = environ[key].removeprefix("refs/heads/"), ""
    if _NAME.fullmatch(name) and _is_origin(root, environ.get(_TARGETS[key], "")):
        commit = _resolve(root, f"refs/remotes/origin/{name}")
    for key in _COMMITS:
        if not commit and _COMMIT.fullmatch(environ.get(key, "")):
            commit = _resolve(root, environ[key])
    return BaseBranch(name, commit)


def _is_origin(root: Path, repository: str) -> bool:
    """Whether ``origin`` is the repository that CI works for: a job may have checked out a fork of it."""
    if not repository:
        return True
    try:
        url = Git(root).run("config", "--get", "remote.origin.url").decode("utf-8", "replace")
    except GitError:
        return True  # the branches were put there otherwise, which no change can do
    path = url.strip().rstrip("/").removesuffix(".git").replace(":", "/")
    return f"/{path}".casefold().endswith(f"/{repository.strip('/')}".casefold())


def _resolve(root: Path, name: str) -> str:
    try:
        return Git(root).commit(name)
    except GitError:
        return ""
