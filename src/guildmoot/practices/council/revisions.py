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
from guildmoot.practices.council import revision_words as said
from guildmoot.practices.council.revision_refusals import (
    refuse_branch,
    refuse_left_out,
    refuse_placed,
    refuse_second,
    refuse_state,
)
from guildmoot.practices.council.target_words import merged_branch, two_sides

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


def find_change(
    words: Sequence[str], repository: RepositoryView, *, strict: bool
) -> SpokenChange | None:
    """The change that the words name; None where they name none.

    TargetError for one that is not there; with ``strict`` off, such words are taken for prose.
    """
    if strict:
        refuse_placed(words)
        refuse_branch(words, repository)
        refuse_left_out(words, repository)
        refuse_state(words, repository)
    readers = (
        _range,
        _sides,
        _merged,
        _span_of_two,
        _absent,
        _since,
        _counted,
        _revision,
        _branch,
        _titled,
    )
    for reader in readers:
        found = reader(tuple(words), repository, strict)
        if found:
            if strict:
                refuse_second(found.rest, repository)
            return found
    return None


def _range(words: tuple[str, ...], repository: RepositoryView, strict: bool) -> SpokenChange | None:
    for at, word in enumerate(words):
        plain = word.strip(said.PUNCTUATION)
        found = said.RANGE.fullmatch(plain)
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


def _sides(words: tuple[str, ...], repository: RepositoryView, strict: bool) -> SpokenChange | None:
    """``main and this branch``, whatever is done with them."""
    found = two_sides(words, repository)
    return SpokenChange(found.rest, found.diff, note=found.note) if found else None


def _merged(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``is hotfix safe to merge?``, whatever is checked out."""
    found = merged_branch(words, repository) if strict else None
    if not found or found.name == found.into:
        return None
    if not found.into:
        return _of_branch(found.name, found.rest, repository)
    note = f"target: what the branch {found.name} changes since it left {found.into} is judged"
    return SpokenChange(found.rest, f"{found.into}...{found.name}", note=note)


def _span_of_two(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``between main and feat``, ``from v1 to v2``, ``HEAD~3 to HEAD``."""
    for at, (first, left, middle, right) in enumerate(_windows(words, 4)):
        ends = left.strip(said.PUNCTUATION), right.strip(said.PUNCTUATION)
        if (first.casefold(), middle.casefold()) in said.PAIRS and all(
            map(repository.commit, ends)
        ):
            return SpokenChange(_without(words, at, 4), "...".join(ends))
    for at, (left, middle, right) in enumerate(_windows(words, 3)):
        ends = left.strip(said.PUNCTUATION), right.strip(said.PUNCTUATION)
        paths = any(map(repository.exists, ends))
        if middle.casefold() in said.TO and not paths and all(map(repository.commit, ends)):
            return SpokenChange(_without(words, at, 3), "...".join(ends))
    return None


def _absent(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``what is on feat and not on main``."""
    found = said.ABSENT.search(" ".join(words))
    ends = [found[name].strip(said.PUNCTUATION) for name in ("absent", "there")] if found else []
    if not found or not all(map(repository.commit, ends)):
        return None
    return SpokenChange(_cut(words, found), "...".join(ends))


def _since(words: tuple[str, ...], repository: RepositoryView, strict: bool) -> SpokenChange | None:
    words = _without_fillers(words)
    for at, (before, name) in enumerate(_windows(words, 2)):
        plain = name.strip(said.PUNCTUATION)
        if before.casefold() in said.SINCE and plain.casefold() not in said.SMALL:
            if repository.commit(plain):
                return SpokenChange(_without(words, at, 2), f"{plain}...HEAD")
            _refuse_sure(plain, strict)
        if before.casefold() in said.AFTER and _is_sure(plain) and repository.commit(plain):
            return SpokenChange(_without(words, at, 2), f"{plain}..HEAD")
    return None


def _without_fillers(words: tuple[str, ...]) -> tuple[str, ...]:
    """``since the tag v1`` as ``since v1``."""
    kept: list[str] = []
    for word in words:
        after = kept and kept[-1].casefold() in said.SINCE
        if not (after and word.casefold() in ("the", "tag", "release", "commit", "branch")):
            kept.append(word)
    return tuple(kept)


def _counted(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    text = " ".join(words)
    found = said.COUNTED.search(text) or said.BARE_COUNT.fullmatch(text.strip())
    newest = None if found else said.NEWEST.search(text)
    if newest:
        return _on_branch(_cut(words, newest), 1, repository)
    if not found:
        return None
    count = (found["many"] or found["first"]).casefold().replace(",", "")
    number = said.NUMBERS.get(count) or (int(count) if count.isdigit() else 0)
    if not number:
        if not strict:
            return None
        raise TargetError(
            f"{found[0]!r} does not say how many commits", "For example: 'the last 3 commits'."
        )
    return _on_branch(_cut(words, found), number, repository)


def _on_branch(rest: tuple[str, ...], number: int, repository: RepositoryView) -> SpokenChange:
    """The last commits of the branch that the rest names, or of the one that is checked out."""
    for at, (before, name) in enumerate(_windows(rest, 2)):
        branch = name.strip(said.PUNCTUATION)
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
    plain = [word.strip(said.PUNCTUATION).removesuffix("'s") for word in words]
    telling = [word for word in plain if word and word.casefold() not in (*said.SMALL, *said.KINDS)]
    for at, word in enumerate(plain):
        if not word or repository.exists(word):
            continue
        kinds = {each.casefold() for each in plain[max(at - 1, 0) : at + 2]} & set(said.KINDS)
        sure = said.SURE.fullmatch(word) is not None
        alone = telling == [word] and word.casefold() not in said.SMALL
        if not (sure or kinds or alone or said.HASH.fullmatch(word) or "/" in word):
            continue
        if not strict and not sure and not said.HASH.fullmatch(word):
            continue
        if not repository.commit(word):
            if said.HASH.fullmatch(word) and ("commit" in kinds or alone):
                _refuse(word, strict)
            _refuse_sure(word, strict)
            continue
        rest = tuple(
            w for w in _without(words, at) if w.strip(said.PUNCTUATION).casefold() not in kinds
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
    found = said.THIS_BRANCH.search(" ".join(words)) if strict else None
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


def _titled(
    words: tuple[str, ...], repository: RepositoryView, strict: bool
) -> SpokenChange | None:
    """``commit Add a cap``, ``the "Add a cap" commit``: one commit by its subject."""
    text = " ".join(words).strip(said.PUNCTUATION + ".")
    spoken = said.TITLED.fullmatch(text) if strict and repository.has_commits() else None
    if not spoken:
        return None
    title = (spoken["after"] or spoken["before"]).strip(said.PUNCTUATION)
    found = repository.titled(title)
    if len(found) == 1:
        change = _of_commit(found[0], (), repository)
        told = f"target: {found[0]} has the subject {title!r}; what it changed is judged"
        return change._replace(note=told)
    if not found and spoken["before"]:
        return None
    raise TargetError(
        f"{len(found) or 'no'} commits here have the subject {title!r}",
        "Name one by its hash; `git log --oneline` shows them.",
    )


def change_of_branch(repository: RepositoryView) -> SpokenChange | None:
    """What the branch that is checked out changes; None where it is the default one, or has no commits of its own."""
    name = repository.current_branch()
    base = repository.base_branch(name) if name else ""
    ahead = bool(base) and repository.ahead(base, name)
    return _of_branch(name, (), repository) if ahead else None


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
    return bool(
        said.SURE.fullmatch(word) or said.HASH.fullmatch(word) or said.VERSION.fullmatch(word)
    )


def _refuse_sure(word: str, strict: bool) -> None:
    if said.SURE.fullmatch(word) and re.search(r"[~^@]|HEAD", word):
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
