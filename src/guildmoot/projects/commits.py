"""Puts what loom wrote into git, for the verbs that commit, and shares a store that is its own repository."""

from __future__ import annotations

import os

from guildmoot.projects.errors import RecordError
from guildmoot.projects.repository import find_checkout
from guildmoot.projects.slugs import projects_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence

_TIMEOUT = 120


def commit_files(paths: Sequence[str], message: str) -> bool:
    """Commit just these files; False outside of git."""
    checkout = find_checkout(os.path.dirname(paths[0]))
    if checkout is None:
        return False
    _git(checkout.root, "add", "--", *paths)
    done = _git(checkout.root, "commit", "-q", "-m", message, "--only", "--", *paths, fine=(0, 1))
    if (
        done.returncode
        and "nothing to commit" not in done.stdout
        and "nothing added" not in done.stdout
    ):
        raise RecordError("git-commit-failed", _reason(done))
    _share(checkout.root)
    return True


def is_committed(path: str) -> bool:
    """Whether the last commit holds this file."""
    checkout = find_checkout(os.path.dirname(path))
    if checkout is None:
        return False
    inner = os.path.relpath(os.path.realpath(path), os.path.realpath(checkout.root))
    return _git(checkout.root, "cat-file", "-e", f"HEAD:{inner}", fine=(0, 1, 128)).returncode == 0


def _share(root: str) -> None:
    """Projects in a repository of their own are pulled and pushed after each commit, if it has a remote."""
    here = find_checkout(os.getcwd())
    if here is None or os.path.realpath(here.common) == os.path.realpath(_store_common(root)):
        return
    if os.environ.get("LOOM_STORE_NO_PUSH") == "1":
        return
    if _git(root, "rev-parse", "--abbrev-ref", "@{upstream}", fine=(0, 1, 128)).returncode:
        return
    for _ in range(2):
        _git(root, "pull", "--rebase", "--autostash", "-q")
        if not _git(root, "push", "-q", fine=(0, 1, 128)).returncode:
            return
    raise RecordError("store-push-failed", f"{root} was committed but could not be pushed; push it")


def _store_common(root: str) -> str:
    found = find_checkout(root) or find_checkout(projects_root())
    return found.common if found else root


def _git(root: str, *words: str, fine: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    import subprocess  # only the verbs that commit pay for it

    environment = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as wrong:
        raise RecordError("git-commit-failed", f"git could not be run: {wrong}") from None
    if done.returncode not in fine:
        raise RecordError("git-commit-failed", f"git {words[0]}: {_reason(done)}")
    return done


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
