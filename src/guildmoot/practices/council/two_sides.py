"""Two sides that the words of a request hold against each other: ``main and this branch``, ``HEAD against v1``.

What lies between them is one change, from the side that the other one left. The branch that is checked out has
many names in words; it is never taken for the default one because that stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import TargetError
from guildmoot.practices.council import revision_words as said
from guildmoot.text.english import word_set

if TYPE_CHECKING:
    from guildmoot.practices.repository import RepositoryView

_PRESENT = re.compile(
    r"(?:(?:the|this|my|our) )?(?:current |present |checked[- ]out )?branch(?:'s)?|(?:the|this|my|our) (?:current )?pr",
    re.IGNORECASE,
)
"""How people call the branch that is checked out, as whole words."""
_LINKS = word_set(
    "and with to vs vs. versus against than from into onto on or between of compare compared relative diff differ"
    " differs difference"
)
_AGAINST = re.compile(r"^(?!.*\bfrom\b).*\b(?:against|than|to|into|onto|with)\b", re.IGNORECASE)
_LONGEST = 3
"""Words that the present branch is called with, at most."""


class Sides(NamedTuple):
    """One change between two sides, and what the words say beside it."""

    diff: str
    rest: tuple[str, ...]
    note: str


class _Named(NamedTuple):
    name: str
    start: int
    stop: int
    sure: bool


def two_sides(words: Sequence[str], repository: RepositoryView) -> Sides | None:
    """The change between the two revisions that the words name; None where they do not name just two.

    One at least is a branch; a plain word that is also a branch's name counts where it stands by itself.
    """
    text = " ".join(words)
    if said.COUNTED.search(text) or said.NEWEST.search(text) or said.ABSENT.search(text):
        return None
    named = _named(words, repository)
    if (
        len({each.name for each in named}) == 1
        and len(named) == 2
        and named[0].sure != named[1].sure
    ):
        raise TargetError(
            f"{named[0].name!r} is the branch that is checked out, so there is nothing between the two",
            "Name another branch, a range (main...HEAD), or 'the last 3 commits'.",
        )
    rest = tuple(w for at, w in enumerate(words) if not any(n.start <= at < n.stop for n in named))
    telling = {_plain(word).casefold() for word in rest} - said.SMALL - _LINKS - {*said.KINDS, ""}
    if len(named) != 2 or (telling and not any(each.sure for each in named)):
        return None
    left, right = (each.name for each in named)
    if not any(map(repository.is_branch, (left, right))):
        return None
    left, right = _ordered(left, right, text, repository)
    note = f"target: what {right} changes since it left {left} is judged"
    return Sides(f"{left}...{right}", rest, note)


def _named(words: Sequence[str], repository: RepositoryView) -> list[_Named]:
    """Every revision that the words name, in order."""
    found: list[_Named] = []
    at = 0
    while at < len(words):
        size = next((n for n in range(_LONGEST, 0, -1) if _is_present(words, at, n, repository)), 0)
        if size and (name := repository.current_branch()):
            found.append(_Named(name, at, at + size, True))
        elif not size and _is_revision(words, at, repository):
            plain = _plain(words[at])
            found.append(_Named(plain, at, at + 1, said.SURE.fullmatch(plain) is not None))
        at += size or 1
    return found


def _is_present(words: Sequence[str], at: int, size: int, repository: RepositoryView) -> bool:
    """Whether these words call the present branch; ``the branch x`` and ``the x branch`` name another."""
    spoken = " ".join(map(_plain, words[at : at + size]))
    after = _plain(words[at + size]) if at + size < len(words) else ""
    label = spoken.casefold() in ("the branch", "branch")
    if at + size > len(words) or _PRESENT.fullmatch(spoken) is None:
        return False
    return not label or (size > 1 and not repository.commit(after))


def _is_revision(words: Sequence[str], at: int, repository: RepositoryView) -> bool:
    plain = _plain(words[at])
    if not plain or repository.exists(plain) or not repository.commit(plain):
        return False
    if said.SURE.fullmatch(plain) or said.HASH.fullmatch(plain):
        return True
    before, after = (_plain(each).casefold() for each in _around(words, at))
    known = repository.is_branch(plain) or re.search(r"\d", plain)
    beside = _LINKS | {*said.KINDS, ""}
    closed = after in beside | said.SMALL or said.SURE.fullmatch(_around(words, at)[1])
    return bool(known and closed) and before in beside | {"the"}


def _around(words: Sequence[str], at: int) -> tuple[str, str]:
    return words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""


def _ordered(left: str, right: str, text: str, repository: RepositoryView) -> tuple[str, str]:
    """The side that was left, then the one with the change.

    Where both have commits of their own, the default branch was left, else the one that the other is held
    against; ``from`` and ``to`` say it themselves, and else the present branch has the change.
    """
    if not repository.ahead(left, right):
        return right, left
    if not repository.ahead(right, left):
        return left, right
    for base, other in ((left, right), (right, left)):
        if repository.is_branch(base) and not repository.base_branch(base):
            return base, other
    against = _AGAINST.search(text) is not None
    spoken = against or re.search(r"\bfrom\b", text, re.IGNORECASE) is not None
    turned = against if spoken else left == repository.current_branch()
    return (right, left) if turned else (left, right)


def _plain(word: str) -> str:
    return word.strip(said.PUNCTUATION).rstrip(".")
