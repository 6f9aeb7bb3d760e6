"""Words that name commits or files in a way in which nothing can be judged: each is refused with what would work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from guildmoot.errors import TargetError
from guildmoot.practices.council import revision_words as said

if TYPE_CHECKING:
    from guildmoot.practices.repository import RepositoryView

_MOST_NAMES = 12


def refuse_second(rest: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where the words name one more commit: half of what was asked is not judged."""
    branches = _branches(rest, repository, alone=False)
    if more := said.UNCOMMITTED.search(" ".join(rest)):
        raise TargetError(
            f"{more[0]!r} is named beside commits, and one change is judged at a time",
            "`guild validate` judges a branch with what is not committed; or name one of the two.",
        )
    for word in rest:
        plain = word.strip(said.PUNCTUATION)
        sure = said.SURE.fullmatch(plain) or said.HASH.fullmatch(plain)
        known = sure and not repository.exists(plain) and repository.commit(plain)
        if known or (plain in branches and plain != repository.current_branch()):
            raise TargetError(
                f"{plain!r} is named beside other commits, and one change is judged at a time",
                "Name one range, such as main...HEAD, or one commit.",
            )


def refuse_unknown(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where words that name commits were not understood: the last one is not judged in their place."""
    text = " ".join(words).strip(said.PUNCTUATION + ".")
    plain = [word.strip(said.PUNCTUATION) for word in words]
    telling = [word for word in plain if word and word.casefold() not in (*said.SMALL, *said.KINDS)]
    named = telling if telling and all(map(repository.is_branch, telling)) else []
    alone = telling[0] if len(telling) == 1 else ""
    found = said.VOCABULARY.search(text)
    odd = alone if said.VERSION.fullmatch(alone) or said.HEX.fullmatch(alone) else " ".join(named)
    odd = odd or " ".join(_branches(words, repository, alone=True))
    if found or odd:
        raise TargetError(
            f"{odd or (found[0] if found else text)!r} names no change that is known here",
            "Name a range (main...HEAD), a commit (HEAD~1), 'the last 3 commits', 'this branch', or files.",
        )


def refuse_placed(words: Sequence[str]) -> None:
    """TargetError where a commit is named by its place among the others, which nobody looks up here."""
    text = " ".join(words).strip(said.PUNCTUATION + ".")
    found = said.PLACED.search(text)
    if found:
        raise TargetError(
            f"{found[0]!r} does not name a commit",
            "Name it: HEAD~1 is the one before the last; see `git log --oneline` and `git tag`.",
        )
    if described := said.DESCRIBED.search(text):
        about = described["about"] or described["topic"]
        raise TargetError(
            f"{described[0]!r} does not name a commit, and commits are not looked up by what they are about",
            f"Name it by its hash: `git log --oneline --grep={about}` finds it.",
        )


def refuse_branch(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where a branch is named that is not there: neither this one nor a file is judged in its place."""
    found = said.SOME_BRANCH.search(" ".join(words).strip(said.PUNCTUATION + "."))
    name = next(filter(None, found.groups()), "") if found and repository.has_commits() else ""
    small = name.casefold() in (*said.SMALL, *said.KINDS)
    if not name or small or repository.exists(name) or repository.commit(name):
        return
    names = list(repository.branches())
    listed = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    raise TargetError(
        f"no branch or commit is called {name!r} here, and no path",
        f"The branches are {listed}; 'this branch' is the one that is checked out.",
    )


def _branches(words: Sequence[str], repository: RepositoryView, *, alone: bool) -> tuple[str, ...]:
    """Branches that the words name as such; ``alone`` asks for a word before that leads to a name."""
    plain = [word.strip(said.PUNCTUATION) for word in words]
    found = []
    for before, word in zip(["", *plain], plain, strict=False):
        leads = before.casefold() in said.BEFORE_NAMES or (not alone and not before)
        if leads and word and repository.is_branch(word) and not repository.exists(word):
            found.append(word)
    return tuple(found)


def refuse_left_out(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where something is to be left out: what was named so is never what is judged."""
    text = " ".join(words)
    for found in said.EXCEPT.finditer(text):
        name = found["what"].strip(said.PUNCTUATION + ".")
        last = re.fullmatch(r"(?:the )?(?:last|first|newest)", name, re.IGNORECASE)
        sure = last or said.ALL_BUT.search(text)
        if name and (sure or repository.exists(name) or repository.commit(name)):
            raise TargetError(
                f"{found[0]!r} leaves something out, and words can only name what is judged",
                "Name the files or folders that are to be judged; .guildignore keeps files out for good.",
            )


def refuse_state(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where files of another time are named: they are judged as they are now."""
    text = " ".join(words)
    named = [found["name"] for found in said.STATE.finditer(text)]
    named += [each["revision"] for word in words if (each := said.IN_REVISION.fullmatch(word))]
    for name in (each.strip(said.PUNCTUATION) for each in named):
        other = not repository.exists(name) and repository.commit(name)
        if other and other != repository.commit("HEAD"):
            raise TargetError(
                f"{name!r} names files as they were, and files are judged as they are now",
                f"`git worktree add ../then {name}` brings them back; {name}..HEAD is what changed since.",
            )


def refuse_span(words: Sequence[str]) -> None:
    """TargetError where a span of time is named: which commits it holds depends on clocks."""
    found = said.SPAN.search(" ".join(words))
    if found:
        raise TargetError(
            f"{found[0]!r} is a span of time, and commits are judged by their number or their names",
            "For example: 'the last 5 commits', or a range such as v1.2..HEAD.",
        )
