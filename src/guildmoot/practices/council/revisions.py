"""Commits that the words of a request name: a range, a number of commits, a branch, one revision.

``main...HEAD``, ``the last 3 commits``, ``this branch``, ``HEAD~1``, ``since v1.2``. What is named is
judged, or refused with what would work: never something else under the same name. A word that is only
a branch's name is taken for it where nothing else was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import TargetError
from guildmoot.text.english import ALL_STOP_WORDS, word_set

if TYPE_CHECKING:
    from guildmoot.practices.repository import RepositoryView


class SpokenChange(NamedTuple):
    """A change that was named in words."""

    rest: tuple[str, ...]
    """The words that name no commit."""
    diff: str | None = None
    """As git writes a range; None where the last commits are meant."""
    recent: int = 0
    """How many commits; 0 where ``diff`` says it."""
    note: str = ""


_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
} | {"couple of": 2, "dozen": 12}
_MANY = r"\d{1,3}(?:,\d{3})+|\d{1,6}|" + "|".join(_NUMBERS)
_LAST = r"(?:very )?(?:last|latest|past|previous|most recent|recent|newest|top)"
_WHAT = r"(?:commits?|changes|changesets?|revisions?)"
_COUNTED = re.compile(
    rf"\b(?:the |my |our |these |a )?(?:{_LAST} (?P<many>{_MANY}|few|several)(?: {_LAST})?"
    rf"|(?P<first>{_MANY}|few|several) {_LAST}) {_WHAT}\b",
    re.IGNORECASE,
)
_BARE_COUNT = re.compile(
    rf"(?P<many>{_MANY}) commits?|(?:the |my |our )?{_LAST} (?P<first>{_MANY})", re.IGNORECASE
)
_NEWEST = re.compile(
    rf"\b(?:the |my |our )?(?!previous){_LAST} (?:commit|changeset)\b(?!s)", re.IGNORECASE
)
_THIS_BRANCH = re.compile(
    r"(?:\b(?:the |this |my |our )(?:current )?|^(?:current )?|\bcurrent )"
    r"(?P<what>branch|pr|pull request|merge request)\b(?! ?[#!]?\d)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:(?:last|past|previous|this) (?:\w+ )?(?:hours?|days?|weeks?|months?|sprint)"
    r"|since (?:yesterday|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?:today|yesterday)(?:'s)? (?:commits?|changes|work)"
    r"|(?:chang\w+|commit\w*|did|done|wrote|written|made|merged|pushed)(?: \w+){0,3} (?:today|yesterday))\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:(?:first|initial|oldest|earliest|second|third|fourth|fifth|penultimate|next)"
    r"(?:[ -]\w+){0,2} commits?|(?:commits?|ones?) (?:right )?(?:before|prior to|preceding) \S+"
    r"|previous (?:commit|changeset|revision)|commits? #?\d{1,4} (?:of|to|through) #?\d{1,4}"
    r"|(?:last|latest|newest|previous|current) (?:release|tag)(?! ?notes?))\b",
    re.IGNORECASE,
)
_VOCABULARY = re.compile(
    r"\b(?:commits|changesets|revisions)\b|\b(?:the|this|that|a|one|each|every|last) (?:commit|changeset|revision)\b"
    r"|\b(?:pr|mr|pull request|merge request) ?[#!]?\d+|\bbranch$|\bsince (?!(?:the|we|it|i|you|they|this|that)\b)\S+",
    re.IGNORECASE,
)
"""Words that name commits, whatever else is said of them."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+\S*|\w+[-_/]v?\d+(?:\.\d+)*", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{7,40}")
_AFTER = ("after", "past", "beyond", "following")
_ABSENT = re.compile(
    r"\b(?:on|in) (?P<there>\S+) (?:(?:that|which) (?:is|are) |but |and )?not (?:yet )?"
    r"(?:on|in|merged into|merged to) (?P<absent>\S+)",
    re.IGNORECASE,
)
_PAIRS = (("between", "and"), ("from", "to"), ("from", "until"), ("from", "through"))
_TO = ("to", "until", "till", "through")
_NAME = r"[\w@][\w./@{}^~+#-]*"
_RANGE = re.compile(rf"(?P<left>{_NAME}?)(?P<dots>\.\.\.?)(?P<right>{_NAME})?")
_SURE = re.compile(
    r"(?:HEAD|FETCH_HEAD|ORIG_HEAD|@)(?:[~^]\d*|@\{[^}]*\})*|\S+?(?:[~^]\d*)+|\S+@\{\S*\}"
)
_HASH = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{7,40}")
_KINDS = ("branch", "tag", "commit", "revision", "rev", "release")
_SINCE = ("since", "against", "versus", "vs")
_PUNCTUATION = ",;:!?\"'()"
_SMALL = ALL_STOP_WORDS | word_set("my our please code work changes change diff commits")


def find_change(
    words: Sequence[str], repository: RepositoryView, *, strict: bool
) -> SpokenChange | None:
    """The change that the words name; None where they name none.

    TargetError for one that is not there; with ``strict`` off, such words are taken for prose.
    """
    if strict:
        _refuse_placed(words)
    readers = (_range, _span_of_two, _absent, _since, _counted, _revision, _branch)
    for reader in readers:
        found = reader(tuple(words), repository, strict)
        if found:
            if strict:
                _refuse_second(found.rest, repository)
            return found
    return None


def _refuse_second(rest: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where the words name one more commit: half of what was asked is not judged."""
    for word in rest:
        plain = word.strip(_PUNCTUATION)
        sure = _SURE.fullmatch(plain) or _HASH.fullmatch(plain)
        if sure and not repository.exists(plain) and repository.commit(plain):
            raise TargetError(
                f"{plain!r} is named beside other commits, and one change is judged at a time",
                "Name one range, such as main...HEAD, or one commit.",
            )


def refuse_unknown(words: Sequence[str], repository: RepositoryView) -> None:
    """TargetError where words that name commits were not understood: the last one is not judged in their place."""
    text = " ".join(words).strip(_PUNCTUATION + ".")
    plain = [word.strip(_PUNCTUATION) for word in words]
    telling = [word for word in plain if word and word.casefold() not in (*_SMALL, *_KINDS)]
    named = telling if telling and all(map(repository.is_branch, telling)) else []
    alone = telling[0] if len(telling) == 1 else ""
    found = _VOCABULARY.search(text)
    odd = alone if _VERSION.fullmatch(alone) or _HEX.fullmatch(alone) else " ".join(named)
    if found or odd:
        raise TargetError(
            f"{odd or (found[0] if found else text)!r} names no change that is known here",
            "Name a range (main...HEAD), a commit (HEAD~1), 'the last 3 commits', 'this branch', or files.",
        )


def _refuse_placed(words: Sequence[str]) -> None:
    """TargetError where a commit is named by its place among the others, which nobody looks up here."""
    found = _PLACED.search(" ".join(words))
    if found:
        raise TargetError(
            f"{found[0]!r} does not name a commit",
            "Name it: HEAD~1 is the one before the last; see `git log --oneline` and `git tag`.",
        )


def refuse_span(words: Sequence[str]) -> None:
    """TargetError where a span of time is named: which commits it holds depends on clocks."""
    found = _SPAN.search(" ".join(words))
    if found:
        raise TargetError(
            f"{found[0]!r} is a span of time, and commits are judged by their number or their names",
            "For example: 'the last 5 commits', or a range such as v1.2..HEAD.",
        )


def _range(words: tuple[str, ...], repository: RepositoryView, strict: bool) -> SpokenChange | None:
    for at, word in enumerate(words):
        plain = word.strip(_PUNCTUATION)
        found = _RANGE.fullmatch(plain)
        if not found or "/../" in plain or repository.exists(plain):
            continue
        ends = [end for end in (found["left"], found["right"]) if end]
        known = [end for end in ends if repository.commit(end)]
        if len(known) == len(ends) and ends:
            return SpokenChange(_without(words, at), plain)
        if strict and len(ends) == 2:
            missing = next(end for end in ends if end not in known)
            raise TargetError(
                f"{missing!r} of {plain!r} names no commit here",
                "See `git branch -a` and `git tag` for the names there are.",
            )
    return None


def _span_of_two(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``between main and feat``, ``from v1 to v2``, ``HEAD~3 to HEAD``."""
    for at, (first, left, middle, right) in enumerate(_windows(words, 4)):
        ends = left.strip(_PUNCTUATION), right.strip(_PUNCTUATION)
        if (first.casefold(), middle.casefold()) in _PAIRS and all(map(repository.commit, ends)):
            return SpokenChange(_without(words, at, 4), "...".join(ends))
    for at, (left, middle, right) in enumerate(_windows(words, 3)):
        ends = left.strip(_PUNCTUATION), right.strip(_PUNCTUATION)
        paths = any(map(repository.exists, ends))
        if middle.casefold() in _TO and not paths and all(map(repository.commit, ends)):
            return SpokenChange(_without(words, at, 3), "...".join(ends))
    return None


def _absent(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``what is on feat and not on main``."""
    found = _ABSENT.search(" ".join(words))
    ends = [found[name].strip(_PUNCTUATION) for name in ("absent", "there")] if found else []
    if not found or not all(map(repository.commit, ends)):
        return None
    return SpokenChange(_cut(words, found), "...".join(ends))


def _since(words: tuple[str, ...], repository: RepositoryView, strict: bool) -> SpokenChange | None:
    for at, (before, name) in enumerate(_windows(words, 2)):
        plain = name.strip(_PUNCTUATION)
        if before.casefold() in _SINCE and plain.casefold() not in _SMALL:
            if repository.commit(plain):
                return SpokenChange(_without(words, at, 2), f"{plain}...HEAD")
            _refuse_sure(plain, strict)
        if before.casefold() in _AFTER and _is_sure(plain) and repository.commit(plain):
            return SpokenChange(_without(words, at, 2), f"{plain}..HEAD")
    return None


def _counted(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    text = " ".join(words)
    found = _COUNTED.search(text) or _BARE_COUNT.fullmatch(text.strip())
    newest = None if found else _NEWEST.search(text)
    if newest:
        return SpokenChange(_cut(words, newest), recent=1)
    if not found:
        return None
    said = (found["many"] or found["first"]).casefold().replace(",", "")
    number = _NUMBERS.get(said) or (int(said) if said.isdigit() else 0)
    if not number:
        if not strict:
            return None
        raise TargetError(
            f"{found[0]!r} does not say how many commits", "For example: 'the last 3 commits'."
        )
    rest = _cut(words, found)
    for at, (before, name) in enumerate(_windows(rest, 2)):
        branch = name.strip(_PUNCTUATION)
        if before.casefold() in ("on", "of", "in") and repository.is_branch(branch):
            if branch == repository.current_branch():
                break
            if not repository.commit(f"{branch}~{number}"):
                raise TargetError(
                    f"{branch} has not {number} commits that something came before",
                    "Name fewer; `git log --oneline` shows them.",
                )
            return SpokenChange(_without(rest, at, 2), f"{branch}~{number}..{branch}")
    return SpokenChange(rest, recent=number)


def _revision(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """One commit, or a branch by its name."""
    plain = [word.strip(_PUNCTUATION) for word in words]
    telling = [word for word in plain if word and word.casefold() not in (*_SMALL, *_KINDS)]
    for at, word in enumerate(plain):
        if not word or repository.exists(word):
            continue
        kinds = {each.casefold() for each in plain[max(at - 1, 0) : at + 2]} & set(_KINDS)
        sure = _SURE.fullmatch(word) is not None
        alone = telling == [word] and word.casefold() not in _SMALL
        if not (sure or kinds or alone or _HASH.fullmatch(word) or "/" in word):
            continue
        if not strict and not sure and not _HASH.fullmatch(word):
            continue
        if not repository.commit(word):
            if _HASH.fullmatch(word) and ("commit" in kinds or alone):
                _refuse(word, strict)
            _refuse_sure(word, strict)
            continue
        rest = tuple(
            w for w in _without(words, at) if w.strip(_PUNCTUATION).casefold() not in kinds
        )
        if repository.is_branch(word):
            return _of_branch(word, rest, repository)
        return _of_commit(word, rest, repository)
    return None


def _of_commit(word: str, rest: tuple[str, ...], repository: RepositoryView) -> SpokenChange:
    if repository.commit(word) == repository.commit("HEAD"):
        return SpokenChange(rest, recent=1)
    if not repository.commit(f"{word}^"):
        raise TargetError(
            f"{word!r} is the first commit: there is nothing before it to compare with",
            f"For example: {word}..HEAD for what came after it, or name files.",
        )
    note = f"target: {word} is one commit, and what it changed is judged; {word}..HEAD is what came after it"
    return SpokenChange(rest, f"{word}^..{word}", note=note)


def _branch(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``this branch``, and ``this PR`` where a branch is checked out that left another."""
    found = _THIS_BRANCH.search(" ".join(words)) if strict else None
    if not found or not repository.has_commits():
        return None
    current = repository.current_branch()
    if found["what"].casefold() != "branch" and (
        not current or not repository.base_branch(current)
    ):
        return None
    if not current:
        raise TargetError(
            "no branch is checked out, so 'this branch' means nothing",
            "Name a range, e.g. main...HEAD.",
        )
    return _of_branch(current, _cut(words, found), repository)


def _of_branch(name: str, rest: tuple[str, ...], repository: RepositoryView) -> SpokenChange:
    base = repository.base_branch(name)
    if not base:
        raise TargetError(
            f"{name} is the default branch here, or the only one: there is nothing that it left",
            f"Name its commits: 'the last 3 commits', or a range such as {name}~3..{name}.",
        )
    note = f"target: what the branch {name} changes since it left {base} is judged"
    if name == repository.current_branch() and repository.changed():
        note += "; what is not committed is no part of it"
    return SpokenChange(rest, f"{base}...{name}", note=note)


def _is_sure(word: str) -> bool:
    return bool(_SURE.fullmatch(word) or _HASH.fullmatch(word) or _VERSION.fullmatch(word))


def _refuse_sure(word: str, strict: bool) -> None:
    if _SURE.fullmatch(word) and re.search(r"[~^@]|HEAD", word):
        _refuse(word, strict)


def _refuse(word: str, strict: bool) -> None:
    if strict:
        raise TargetError(
            f"{word!r} names no commit here",
            "See `git log --oneline`, `git branch -a` and `git tag` for the names there are.",
        )


def _windows(words: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + size]) for at in range(len(words) - size + 1))


def _without(words: tuple[str, ...], at: int, number: int = 1) -> tuple[str, ...]:
    return (*words[:at], *words[at + number :])


def _cut(words: tuple[str, ...], found: re.Match[str]) -> tuple[str, ...]:
    """The words outside of what was found in all of them, joined by blanks."""
    kept, start = [], 0
    for word in words:
        end = start + len(word)
        if end <= found.start() or start >= found.end():
            kept.append(word)
        start = end + 1
    return tuple(kept)
