"""Where a run was made: the repository, the branch and the commit, the time and the command."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from guildmoot.guard.secrets import mask
from guildmoot.model.report import RunOrigin
from guildmoot.system.git import Git, GitError
from guildmoot.text.clean import one_line
from guildmoot.text.patterns import lazy

_MOST = 300
_ADDRESS = lazy(r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:]+)(?::\d+(?=/))?[:/](.+?)(?:\.git)?/?$")


def find_origin(root: Path, base: str, command: str, now: datetime) -> RunOrigin:
    """What is known of the run; nothing in it is secret, and nothing of it is looked up elsewhere."""
    words = _ask(root, "rev-parse", "HEAD", "--abbrev-ref", "HEAD").split()
    commit, branch = words if len(words) == 2 else ("", "")
    address = _ask(root, "config", "--get", "remote.origin.url")
    return RunOrigin(
        repository=one_line(repository_name(address) or root.name),
        branch="" if branch == "HEAD" else one_line(branch),
        commit=commit,
        base=base,
        date=now.strftime("%Y-%m-%d %H:%M UTC"),
        command=one_line(mask(command, "command")[0])[:_MOST],
    )


def repository_name(address: str) -> str:
    """``github.com/owner/name`` of a remote's address, without anybody's name or password in it."""
    found = _ADDRESS.match(address.strip())
    if not found or address.startswith(("/", ".", "file:")):
        return ""
    return f"{found[1]}/{found[2].lstrip('/')}"


def _ask(root: Path, *words: str) -> str:
    try:
        return Git(root).run(*words).decode("utf-8", "replace").strip()
    except GitError:
        return ""
