"""What a tool is told of a change in the file beside its packet, and how it looks at the rest of the repository."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from guildmoot.agents.references.compare import (
    MOST_GONE,
    BrokenReference,
    ChangedTree,
    FinderOf,
    broken_references,
    merged,
)
from guildmoot.agents.references.corpus import Corpus
from guildmoot.agents.references.tree import BothTrees, Tree
from guildmoot.agents.tools.rdjsonl import NoJudgementError
from guildmoot.named import NamedTuple
from guildmoot.system.git import Git, GitError
from guildmoot.system.tree import read_tree

_WITHOUT_MARK = "utf-8-sig"
"""A mark at the beginning of a file is no part of its first line: ``#include`` stands there all the same."""
_LONGEST_LINE = 20_000
"""No grammar is given longer ones without a limit of time: the judge of languages has one, and tells of them."""
_LARGEST = 1_000_000
"""Bytes of a file that is parsed; Python is asked for whole, and told of where it is too large."""
_MOST_LOST = 200
_OFTEN, _LONG = 15, 1.0
"""Words, or seconds of looking for them, after which all files are read once: until then git is quicker."""
_MOST_LETTERS, _MOST_BYTES = 40_000_000, 250_000_000
"""Of texts that are kept, and of files that are read for words."""
_PLAIN = "100"
"""How the mode of a file begins; links and other repositories have others."""


class ToldChange(NamedTuple):
    """A change as the file tells it, with where its texts lie."""

    root: str
    base: str
    changed: Mapping[str, tuple[tuple[int, int], ...]]
    renamed: Mapping[str, str]
    """From the name of now to that of before, of every shown file that the base has."""
    touched: frozenset[str]
    gone: tuple[str, ...]
    """What the base has and the change deletes."""
    now: Path
    then: Path

    @property
    def lost(self) -> list[str]:
        """Names that the base has and that lead to nothing now: deleted or moved away."""
        moved = (old for new, old in self.renamed.items() if new != old)
        return sorted({*self.gone, *moved} - self.changed.keys())

    def texts_now(self, paths: Sequence[str]) -> dict[str, str]:
        """Those of the files that are there."""
        return _texts(self.now, paths)

    def texts_then(self, paths: Sequence[str]) -> dict[str, str]:
        """Those that the base has, of the files that are still there."""
        return _texts(self.then, paths)


def read_change(place: Path, folder: str) -> ToldChange:
    """What stands in the file; NoJudgementError where it does not tell of a change."""
    try:
        told = json.loads(place.read_text(encoding="utf-8"))
        return ToldChange(
            root=str(told["root"]),
            base=str(told["base"]),
            changed={
                str(path): tuple((int(first), int(last)) for first, last in lines)
                for path, lines in told["changed"].items()
            },
            renamed={str(new): str(old) for new, old in told["renamed"].items()},
            touched=frozenset(map(str, told["touched"])),
            gone=tuple(map(str, told.get("gone", ()))),
            now=Path(folder),
            then=place.parent / "before" / "files",
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise NoJudgementError(f"{place} does not tell of a change: {wrong!r}") from None


def _texts(folder: Path, paths: Sequence[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        place = folder / path
        if place.is_file() and (path.endswith(".py") or place.stat().st_size < _LARGEST):
            text = place.read_text(encoding=_WITHOUT_MARK, errors="replace").replace("\0", " ")
            if path.endswith(".py") or max(map(len, text.split("\n"))) < _LONGEST_LINE:
                found[path] = text
    return found


def find_broken(
    change: ToldChange,
    others: BaseFiles,
    finder_of: FinderOf,
    judges: Callable[[str], bool],
    more: Callable[[ChangedTree, Sequence[str]], Iterable[BrokenReference]] = lambda tree, lost: (),
) -> Iterator[BrokenReference]:
    """Files that name what is not there, for the changed and lost paths that ``judges`` takes."""
    shown = [path for path in change.changed if judges(path)]
    lost = [path for path in change.lost if judges(path)]
    if not shown and not lost:
        return
    if len(lost) > MOST_GONE:
        said = f"{len(lost):,} files are deleted or moved: who names them was looked for of {MOST_GONE:,}"
        yield BrokenReference([*shown, *lost][0], 0, "not-compared", said, grave=False)
        lost = lost[:MOST_GONE]
    after = change.texts_now(shown)
    entries = read_tree(Git(change.root), change.base).files if change.base else {}
    opaque = [path for path, entry in entries.items() if not entry.mode.startswith(_PLAIN)]
    now = (entries.keys() | change.touched) - set(change.lost)
    tree = ChangedTree(
        where=BothTrees(
            Tree(entries, opaque),
            Tree(now, opaque),
            lambda path: after[path] if path in after else others.text(path),
        ),
        before={
            **change.texts_then(sorted({change.renamed.get(path, path) for path in shown})),
            **{path: others.text(path) for path in lost[:_MOST_LOST]},
        },
        after=after,
        renamed=change.renamed,
        touched=change.touched,
        users=others.users_of_any,
    )
    found = [*broken_references(tree, lost, finder_of), *more(tree, lost)]
    folders = tree.where.now.folders
    asked = [_places(each.targets, folders) for each in found]
    made = _made(change.root, {place for places in asked for place in places})
    yield from merged(
        each for each, places in zip(found, asked, strict=True) if not made.intersection(places)
    )


def _places(targets: Sequence[str], folders: Iterable[str]) -> list[str]:
    """Where a build could put one of them: in a folder of that name, where the repository has it.

    A project may ignore all but what it lists; of a place that no file has, that says nothing.
    """
    found = list[str]()
    for target in targets:
        folder, name = os.path.split(target.removeprefix("**/"))
        if folder and target.startswith("**/") and not name.endswith(".in"):
            homes = (each for each in folders if f"/{each}".endswith(f"/{folder}"))
            found += [f"{each}/{name}" for each in homes]
    return found or list(targets)


def _made(root: str, targets: set[str]) -> set[str]:
    """Those that lie there all the same, or that the project's rules ignore: a build makes them."""
    plain = {target: target.replace("*", "x").rstrip("/") for target in targets}
    found = {each for each, path in plain.items() if os.path.exists(os.path.join(root, path))}
    try:
        ignored = set(Git(root).ignored(plain.values())) if plain else set()
    except GitError:
        return set(plain)
    return found | {each for each, path in plain.items() if path in ignored}


class BaseFiles:
    """The files that the change leaves alone, as the base has them; git is started when one is asked for."""

    def __init__(self, root: str, base: str, endings: tuple[str, ...] = (".py",)) -> None:
        self._git, self._base, self._endings = Git(root), base, endings
        self._stack = ExitStack()
        self._read: Callable[[str], bytes] | None = None
        self._asked, self._looked = 0, 0.0
        self._texts: dict[str, str] = {}
        self._room = _MOST_LETTERS

    def __enter__(self) -> BaseFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def text(self, path: str) -> str:
        """A file's text; empty where there is none. Many rules ask for the same ones."""
        if path in self._texts:
            return self._texts[path]
        text = self._text(path)
        self._room -= len(text)
        if self._room > 0:
            self._texts[path] = text
        return text

    def _text(self, path: str) -> str:
        if not self._base or any(letter.isspace() for letter in path):
            return ""
        if self._read is None:
            self._read = self._stack.enter_context(self._git.blob_reader())
        try:
            return self._read(f"{self._base}:{path}").decode(_WITHOUT_MARK, "replace")
        except GitError:
            return ""

    def paths(self) -> Iterable[str]:
        """All files of the base."""
        return read_tree(self._git, self._base).files if self._base else ()

    def users(self, word: str) -> list[str]:
        """Files of the wanted endings that hold a word."""
        self._asked += 1
        often = self._asked > _OFTEN or self._looked > _LONG
        if often and word.isascii() and word.isidentifier() and self._corpus is not None:
            return self._corpus.users(word)
        began = time.monotonic()
        found = [name for name in self.users_of_any([word]) if name.endswith(self._endings)]
        self._looked += time.monotonic() - began
        return found

    @cached_property
    def _corpus(self) -> Corpus | None:
        """All files of the wanted endings, read once; None where they are too large together."""
        entries = read_tree(self._git, self._base).files if self._base else {}
        wanted = {
            path: entry.oid
            for path, entry in entries.items()
            if path.endswith(self._endings) and entry.mode.startswith(_PLAIN)
        }
        if sum(self._git.sizes([*wanted.values()]).values()) > _MOST_BYTES:
            return None
        with self._git.blob_reader() as read:
            try:
                return Corpus((path, read(oid)) for path, oid in wanted.items())
            except GitError:  # one that is not here: git knows what to make of it
                return None

    def users_of_any(self, words: Sequence[str]) -> list[str]:
        """Files of whatever kind that hold one of the words."""
        asked = [part for word in words for part in ("-e", word)]
        if not asked or not self._base:
            return []
        try:
            found = self._git.names("grep", "-z", "-l", "-I", "-w", "-F", *asked, self._base, "--")
        except GitError:  # also where nothing is found
            return []
        return [os.path.normpath(each.partition(":")[2]) for each in found]

    def holders(self, words: Sequence[str]) -> dict[str, list[str]]:
        """Files of whatever kind that hold each of the words, by one look."""
        asked = [part for word in words for part in ("-e", word)]
        if not asked or not self._base:
            return {}
        try:
            said = self._git.run("grep", "-z", "-o", "-I", "-w", "-F", *asked, self._base, "--")
        except GitError:  # also where nothing is found
            return {}
        found: dict[str, dict[str, None]] = {}
        for line in os.fsdecode(said).split("\n"):
            place, _, word = line.partition("\0")
            found.setdefault(word, {})[os.path.normpath(place.partition(":")[2])] = None
        return {word: list(places) for word, places in found.items()}
