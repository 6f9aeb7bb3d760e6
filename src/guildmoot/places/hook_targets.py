"""What a hook is to judge, in the words of ``guild validate``: what is committed, or what is pushed, no more."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping

from guildmoot.errors import UsageError

WHOLE = (".",)
_USUAL = ("HEAD", "main", "master", "trunk", "develop")
_ANYBODY = ("-c", "user.name=guild", "-c", "user.email=guild@localhost")
Ask = Callable[..., str]
"""Git's answer to some words; empty where it has none."""


def to_commit(env: Mapping[str, str], ask: Ask) -> tuple[str, ...]:
    """What is staged; where the pre-commit program names a range or, without anything staged, all files: those."""
    since, until = env.get("PRE_COMMIT_FROM_REF"), env.get("PRE_COMMIT_TO_REF")
    if since and until:
        return ("--diff", f"{since}...{until}")
    if env.get("PRE_COMMIT") and ask("write-tree") == ask("rev-parse", "HEAD^{tree}"):
        return WHOLE  # it skips the hook in a commit without files, so this is --all-files
    return ("--staged",)


def pushed_commits(lines: Iterable[str], env: Mapping[str, str], ask: Ask) -> list[str]:
    """The commits that are pushed: git tells a line for each branch or tag, the pre-commit program a name."""
    named = env.get("PRE_COMMIT_TO_REF") or env.get("PRE_COMMIT_LOCAL_BRANCH")
    if env.get("PRE_COMMIT") and not named:
        named = "HEAD"  # run by hand, without a push
    told = [named] if named else [row.split()[1] for row in lines if len(row.split()) == 4]
    kept = [name for name in told if name.strip("0")]  # zeros: a branch that goes
    found = [ask("rev-parse", "--verify", "-q", f"{name}^{{commit}}") for name in kept]
    return list(dict.fromkeys(each for each in found if each))


def to_push(commit: str, remote: str, ask: Ask) -> tuple[str, ...]:
    """All that the commit brings since it left the default branch of where it goes; with none there, everything.

    What lies in the working copy counts only where it is what is pushed.
    """
    for name in _USUAL:
        base = ask("rev-parse", "--verify", "-q", f"refs/remotes/{remote}/{name}^{{commit}}")
        if base and ask("merge-base", base, commit):
            return ("--diff", f"{base}...{commit}")
    if ask("rev-parse", "HEAD") == commit and not ask("status", "--porcelain", "-uno"):
        return WHOLE
    empty = ask("hash-object", "-t", "tree", os.devnull)  # by its own name where names are longer
    start = ask(*_ANYBODY, "commit-tree", "-m", "nothing", empty)
    if not start:
        raise UsageError(
            f"nothing is known of {remote or 'the place'} that {commit[:12]} is pushed to",
            "Fetch from there or check it out, then push again.",
        )
    return ("--diff", f"{start}..{commit}")


def ask_git(*words: str) -> str:
    """Git's answer here."""
    done = subprocess.run(["git", *words], capture_output=True, check=False)
    return "" if done.returncode else os.fsdecode(done.stdout).strip()
