"""The files that a request is about which names no path: its words against file names, definitions, headings and texts.

Pure, but for what the repository is asked. Each file comes with why it was chosen, which the report tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import TargetError
from guildmoot.memory.codebase.graph import is_test
from guildmoot.practices.council.target_words import (
    ALL_WORDS,
    JUDGING,
    MERGE,
    POINTS,
    STOP_WORDS,
    VAGUE,
)
from guildmoot.practices.council.tasks import plain_word
from guildmoot.text.recall import identifiers, words_of

if TYPE_CHECKING:
    from guildmoot.practices.recall import RecalledFile
    from guildmoot.practices.repository import RepositoryView

_MOST_FILES = 40
_MOST_EACH = 12
"""Files called after one word of several."""
_AROUND = ",;:!?\"'()`."
_SIDES = frozenset(
    ["architecture", "documentation", "performance", "refactoring", "structure", "style"]
)
"""Sides of any work: files may be called so, and where none is, nothing is missing."""


def subject_words(words: Sequence[str]) -> list[str]:
    """The words that name what is asked about, as they are written, and not how it is to be judged."""
    parts = (
        part for word in words for part in re.split(r"[/\-.]|(?<=\w)\(\)", word.strip(_AROUND))
    )
    asked = STOP_WORDS | VAGUE | ALL_WORDS | JUDGING
    return [
        word
        for word in parts
        if len(word) > 2 and word.isidentifier() and word.casefold() not in asked
    ]


class Called(NamedTuple):
    """The files that are called after words of a request."""

    words: tuple[str, ...]
    """Those that some are called after."""
    files: tuple[str, ...]


def called_after(words: Sequence[str], repository: RepositoryView) -> Called:
    """``the auth system and the carts`` is the folders and files whose names hold one of these words.

    Each word counts; of several one that half of everything is called after tells nothing.
    """
    found: dict[str, list[str]] = {}
    subjects = list(dict.fromkeys(subject_words(words)))
    most = _MOST_FILES if len(subjects) == 1 else _MOST_EACH
    held = {path: frozenset(words_of(path)) for path in repository.files()}
    for word in subjects:
        stems = frozenset(words_of(word))
        files = [path for path, own in held.items() if stems and stems <= own]
        if 0 < len(files) <= most:
            found[word] = files
    called = dict.fromkeys(path for each in found.values() for path in each)
    return Called(tuple(found), tuple(called)[:_MOST_FILES])


def about(words: Sequence[str], repository: RepositoryView) -> list[RecalledFile]:
    """Those whose names, definitions or headings hold a word of the question, and what speaks of it more than they.

    Where only tests hold it, the code too.
    """
    asked = " ".join(subject_words(words))
    names = " ".join(f"{name}()" for name in identifiers(" ".join(words)))
    found = list(repository.recall(f"{asked} {names}")) if asked else []
    code = [each for each in found if not is_test(each.path)]
    named = [each for each in found if each.named]
    if all(is_test(each.path) for each in named):
        return [each for each in found if each.named or not is_test(each.path)] or found
    first = next((at for at, each in enumerate(code) if each.named), 0)
    return [each for each in found if each.named or each in code[:first]]


def tell_files(found: Sequence[RecalledFile]) -> str:
    """What was chosen and why, for the report."""
    number = f"{len(found)} files are" if len(found) > 1 else "1 file is"
    told = ", ".join(f"{each.path} ({each.why})" for each in found)
    return f"target: no path was named; {number} about it: {told}"


def refuse_unfound(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where nothing here has to do with what is named: no other work is judged in its place."""
    text = " ".join(words)
    asked = [] if POINTS.search(text) or MERGE.search(text) else subject_words(words)
    asked = [word for word in asked if word not in _SIDES]
    if asked and (repository.has_commits() or repository.changed()):
        named = ", ".join(map(repr, asked[:5]))
        raise TargetError(
            f"no path was named, and no file here is called after, defines or speaks of {named}",
            "Name files or folders; 'recent' judges the last commits, 'this branch' what the branch changes,"
            " 'the uncommitted changes' what is not committed.",
        )


def refuse_lone(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError for one word that nothing here is called: the last commit is not judged under its name."""
    plain = [plain_word(each) for each in words]
    telling = [each for each in plain if each not in STOP_WORDS]
    word = telling[0] if len(telling) == 1 else ""
    if word.isalpha() and word not in VAGUE | ALL_WORDS and repository.has_commits():
        raise TargetError(
            f"nothing here is called {word!r}",
            "Name files, folders or commits; 'recent' is the last commits, 'this branch' what the branch changes,"
            " 'guild council --help' the verbs.",
        )
