"""The files that a request names, and where it names none those that it is about.

Words that are paths; else its words against file names, definitions, headings and texts.

Pure, but for what the repository is asked. Each file comes with why it was chosen, which the report tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import TargetError
from guildmoot.memory.codebase.graph import is_test
from guildmoot.practices.council.target_words import (
    ALL_WORDS,
    JUDGING,
    MERGE,
    POINTS,
    STOP_WORDS,
    TRAILING,
    VAGUE,
)
from guildmoot.practices.council.tasks import Meaning, plain_word
from guildmoot.text.english import word_set
from guildmoot.text.recall import Held, identifiers, words_of

if TYPE_CHECKING:
    from guildmoot.practices.recall import RecalledFile
    from guildmoot.practices.repository import RepositoryView

_MOST_FILES = 40
_MOST_EACH = 12
"""Files called after one word of several."""
_PATH_LIKE = re.compile(
    r"(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*|[\w@+-][\w.@+-]*\.(?!js\b)[a-z]{1,5}"
)
_AROUND = ",;:!?\"'()`."
_SIDES = frozenset(
    ["architecture", "documentation", "performance", "refactoring", "structure", "style"]
)
"""Sides of any work: files may be called so, and where none is, nothing is missing."""
_ARTICLES = (
    "the",
    "our",
    "my",
    "your",
    "this",
    "that",
    "these",
    "those",
    "a",
    "an",
    "its",
    "their",
    "each",
    "every",
)
_GENERIC = word_set(
    "module modules service services class classes function functions method methods component components layer layers"
    " package packages library libraries script scripts interface integration flow process part parts section setup"
    " support subsystem backend frontend engine manager handler new old current existing main legacy own internal"
    " custom different entire whole"
)
"""Words that half of everything is called: alone they name no subject."""


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


def subjects(words: Sequence[str]) -> list[list[str]]:
    """What a question is about: the words that follow its first article, and those joined to them by ``and``.

    ``is the login flow safe against the tide?`` is about the login; words that everything may be called are left out.
    """
    runs: list[list[str]] = [[]]
    joined: list[bool] = [False]
    led: list[bool] = [False]
    before = ""
    for word in words:
        plain = word.strip(_AROUND).casefold()
        own = [each for each in subject_words([word]) if each.casefold() not in _SIDES]
        if own:
            if not runs[-1]:
                led[-1] = before in _ARTICLES
            runs[-1] += [each for each in own if each.casefold() not in _GENERIC]
        ends = word.rstrip()[-1:] in _AROUND.replace(".", "")
        if (not own and plain not in _GENERIC) or ends:
            if runs[-1]:
                runs, joined, led = [*runs, []], [*joined, False], [*led, False]
            joined[-1] = joined[-1] or plain in ("and", "or") or word.endswith(",")
        before = plain
    first = next((at for at, run in enumerate(runs) if run and led[at]), 0)
    last = first + 1
    while last < len(runs) and joined[last]:
        last += 1
    return [run for run in runs[first:last] if run]


def refuse_absent(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where what was found by some word of a subject holds too little of it to be that subject.

    A file must hold the word that the subject begins with (in "the Kafka consumer" it tells which), and half of its
    words by its names or more than half in its text.
    """
    asked = subjects(words)
    if not asked:
        return
    found = list(repository.recall(" ".join(each for run in asked for each in run)))
    paths = {each.path for each in found}
    called = [path for path in called_after(words, repository).files if path not in paths]
    held = [each.holds for each in found]
    held += [Held(frozenset(words_of(path))) for path in called]
    if any(_is_about(run, each) for run in asked for each in held):
        return
    named = " and ".join(repr(" ".join(run)) for run in asked[:3])
    near = ", ".join(f"{each.path} ({each.why})" for each in found[:3]) or ", ".join(called[:3])
    raise TargetError(
        f"no path was named, and no file here is called after, defines or speaks of {named}",
        f"{f'Near it: {near}. ' if near else ''}Name files or folders; 'recent' judges the last commits.",
    )


def _is_about(run: Sequence[str], held: Held) -> bool:
    named = sum(held.has(word, named=True) for word in run)
    spoken = sum(map(held.has, run))
    return held.has(run[0]) and (2 * named >= len(run) or 2 * spoken > len(run))


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


# --- paths by name ---


def named_paths(meaning: Meaning, exists: Callable[[str], bool]) -> tuple[str, ...]:
    """The words that are paths here, and in a request for a verdict those that must be meant as one."""
    words = [word if word == "-" else word.rstrip(TRAILING) for word in meaning.words]
    words = [_without_line(word, exists) for word in words]
    listed = all(_is_path(word, exists) or _PATH_LIKE.fullmatch(word) for word in words)
    strict = meaning.task == "validate"
    found = [
        word
        for word in words
        if _is_path(word, exists) or (strict and (listed or _is_missing(word)))
    ]
    return tuple(dict.fromkeys(found))


def _without_line(word: str, exists: Callable[[str], bool]) -> str:
    """``app.py:18`` names the file."""
    path, _, line = word.partition(":")
    return path if line[:1].isdigit() and exists(path) else word


def _is_path(word: str, exists: Callable[[str], bool]) -> bool:
    if word in (".", "..", "-"):
        return True
    if "*" in word or ("[" in word and "]" in word):
        return word.strip("*") == "" or "/" in word or "." in word
    if not re.search(r"\w", word) or word.casefold() in STOP_WORDS:
        return False
    return exists(word)


def _is_missing(word: str) -> bool:
    """A path that is not there: to be refused by name rather than judged as a phrase."""
    if not _PATH_LIKE.fullmatch(word) or word.casefold() in ("e.g", "i.e"):
        return False
    return word.startswith(("./", "../")) or word.endswith("/") or "." in word[1:]


def said_of(
    named: Sequence[str], words: Sequence[str], exists: Callable[[str], bool]
) -> tuple[str, ...]:
    """A plain word in a sentence that happens to be a path is a guess; a list of paths is none."""
    plain = [word for word in named if word.isalnum() and exists(word)]
    if not plain or len(named) == len(words):
        return ()
    return (f"target: {', '.join(plain)} is a path here, so it is what is judged",)
