"""What of a repository a question is about, where it names no path: files that speak of it, and a small map.

Bounded in files and bytes, not in time, so that the same tree gives the same answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from guildmoot.packet.collect import rank
from guildmoot.packet.tree import FilteredTree, open_tree
from guildmoot.system.git import Git, GitError
from guildmoot.text.recall import (
    Held,
    held_in,
    is_named,
    path_score,
    rank_texts,
    telling_words,
    why_found,
)

MOST_FILES = 12
_MOST_SHOWN = 120_000
_MOST_READ = 2_000_000
_MOST_EACH = 60_000
_MOST_LOOKED_AT = 200
_MOST_WORDS = 8
_DEFINING = (
    r"(^|[^A-Za-z])(def|class|func|fun|function|fn|struct|enum|interface|trait|module|type|const|let|var"
    r"|public|private|protected|static|#+)[[:space:]].*"
)
_MOST_ROWS = 60


class RecalledFile(NamedTuple):
    """A file that a question is about."""

    path: str
    why: str
    """By what of it that was told."""
    named: bool
    """Whether a name in it says so, and not its words alone."""
    holds: Held = Held()
    """What of the question it holds."""


def recall_files(root: Path, question: str) -> tuple[RecalledFile, ...]:
    """The files of the tree that speak of the question, the best first and tests last; none when nothing does."""
    tree, asked = open_tree(root), telling_words(question)
    if tree is None or not asked:
        return ()
    texts = _texts(tree, asked)
    found: list[RecalledFile] = []
    room = _MOST_SHOWN
    for path in _ranked(question, texts, len(tree.paths)):
        if len(texts[path]) <= room and len(found) < MOST_FILES:
            told = why_found(question, path, texts[path])
            named = is_named(question, path, texts[path])
            found.append(RecalledFile(path, told, named, held_in(question, path, texts[path])))
            room -= len(texts[path])
    return tuple(found)


def _ranked(question: str, texts: Mapping[str, str], total: int) -> Iterator[str]:
    """Tests are ranked among themselves: they say a name more often than the code that they test."""
    from guildmoot.memory.codebase.graph import is_test  # few requests name no path

    for testing in (False, True):
        held = {path: text for path, text in texts.items() if is_test(path) == testing}
        yield from (path for path, _ in rank_texts(question, held, total - len(held)))


def _texts(tree: FilteredTree, asked: frozenset[str]) -> dict[str, str]:
    """What is read to score it: those first whose names or definitions fit, then those that hold most of the words."""
    held = _holders(tree, asked, "")
    found = [path for path in tree.paths if held[path] or path_score(path, asked)]
    many = len(found) > _MOST_LOOKED_AT
    defined = _holders(tree, asked, _DEFINING) if many else Counter[str]()

    def order(path: str) -> tuple[float, int, int, str]:
        return (-path_score(path, asked) - defined[path], -held[path], rank(path), path)

    texts: dict[str, str] = {}
    room = _MOST_READ
    for path in sorted(found, key=order)[:_MOST_LOOKED_AT]:
        text = tree.text(path)
        if text and len(text) <= min(room, _MOST_EACH):
            texts[path] = text
            room -= len(text)
    return texts


def _holders(tree: FilteredTree, asked: frozenset[str], before: str) -> Counter[str]:
    """How many of the stems each file holds, behind what the pattern ``before`` finds on the same line."""
    git, found = Git(tree.root), Counter[str]()
    for word in sorted(asked, key=lambda word: (-len(word), word))[:_MOST_WORDS]:
        fixed = ("-l", "-z", "-I", "-i", "--untracked", "--no-color", "-E", "-e", before + word)
        try:
            found.update(git.names("grep", *fixed))
        except GitError:  # git calls it a failure when nothing is found
            continue
    return found


def codebase_map(root: Path) -> str:
    """The tree at a glance: folders of two levels with their number of files and kinds; empty without a tree."""
    tree = open_tree(root)
    if tree is None or not tree.paths:
        return ""
    folders: dict[str, Counter[str]] = {}
    for path in tree.paths:
        parts = path.split("/")
        folder = "/".join(parts[:-1][:2]) or "."
        kind = f".{parts[-1].rpartition('.')[2]}" if "." in parts[-1][1:] else parts[-1]
        folders.setdefault(folder, Counter())[kind] += 1
    rows = [
        f"{folder}: {kinds.total()} files ({', '.join(f'{n} {kind}' for kind, n in kinds.most_common(4))})"
        for folder, kinds in sorted(folders.items())
    ]
    more = [f"... and {len(rows) - _MOST_ROWS} more folders"] if len(rows) > _MOST_ROWS else []
    return "\n".join((*rows[:_MOST_ROWS], *more)) + "\n"
