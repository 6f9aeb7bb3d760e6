"""What of a repository a question is about, where it names no path: files that speak of it, and a small map.

Bounded in files and bytes, not in time, so that the same tree gives the same answer.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from guildmoot.packet.collect import rank
from guildmoot.packet.tree import FilteredTree, open_tree
from guildmoot.text.recall import path_score, rank_texts, telling_words

MOST_FILES = 12
_MOST_SHOWN = 120_000
_MOST_READ = 2_000_000
_MOST_EACH = 60_000
_MOST_LOOKED_AT = 1_500
_MOST_ROWS = 60


def recall_files(root: Path, question: str) -> tuple[str, ...]:
    """The files of the tree that speak of the question, the best first; none when nothing does."""
    tree, asked = open_tree(root), telling_words(question)
    if tree is None or not asked:
        return ()
    texts = _texts(tree, asked)
    found: list[str] = []
    room = _MOST_SHOWN
    for path, _ in rank_texts(question, texts):
        if len(texts[path]) <= room and len(found) < MOST_FILES:
            found.append(path)
            room -= len(texts[path])
    return tuple(found)


def _texts(tree: FilteredTree, asked: frozenset[str]) -> dict[str, str]:
    """What is read to score it: those first whose names fit, then source, prose and data."""
    order = sorted(tree.paths, key=lambda path: (-path_score(path, asked), rank(path), path))
    texts: dict[str, str] = {}
    room = _MOST_READ
    for path in order[:_MOST_LOOKED_AT]:
        text = tree.text(path)
        if text and len(text) <= min(room, _MOST_EACH):
            texts[path] = text
            room -= len(text)
    return texts


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
