"""The files that a request is about which names no path: its words against file names, definitions, headings and texts.

Pure, but for what the repository is asked. Each file comes with why it was chosen, which the report tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from guildmoot.practices.recall import RecalledFile
    from guildmoot.practices.repository import RepositoryView

_MOST_FILES = 40
_SIDES = frozenset(
    ["architecture", "documentation", "performance", "refactoring", "structure", "style"]
)
"""Sides of any work: files may be called so, and where none is, nothing is missing."""


def subject_words(words: Sequence[str]) -> list[str]:
    """The words that name what is asked about, and not how it is to be judged."""
    plain = (part for word in words for part in re.split(r"[/\-]|(?<=\w)\(\)", plain_word(word)))
    asked = STOP_WORDS | VAGUE | ALL_WORDS | JUDGING
    return [word for word in plain if len(word) > 2 and word.isidentifier() and word not in asked]


def called_after(words: Sequence[str], repository: RepositoryView) -> tuple[str, list[str]]:
    """``the auth system`` is the folders and files whose names hold that word: the word, and they."""
    for word in subject_words(words):
        part = re.compile(rf"(?:^|[/_.\-]){re.escape(word)}(?:s?(?=[/_.\-]|$))", re.IGNORECASE)
        files = [path for path in repository.files() if part.search(path)]
        if 0 < len(files) <= _MOST_FILES:
            return word, files
    return "", []


def about(words: Sequence[str], repository: RepositoryView) -> list[RecalledFile]:
    """Those whose definitions or headings hold a word of the question; where only tests do, the code too."""
    asked = " ".join(subject_words(words))
    found = list(repository.recall(asked)) if asked else []
    named = [each for each in found if each.named]
    if all(is_test(each.path) for each in named):
        return [each for each in found if each.named or not is_test(each.path)] or found
    return named


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
