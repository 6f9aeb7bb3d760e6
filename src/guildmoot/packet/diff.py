"""Reads what git prints about a change: which files, whose patch is whose, which lines are new.

Pure functions on text. Running git and deciding what may be shown is for others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

Ranges = tuple[tuple[int, int], ...]

PLAIN, LINK, GITLINK = "100644", "120000", "160000"


class Change(NamedTuple):
    """Two states to compare."""

    title: str
    """In words, for people."""
    revisions: tuple[str, ...]
    """The arguments for git diff."""
    in_worktree: bool
    """The new side is the working tree, so new content is read from there."""
    commits: bool = False
    """There are commits in it, beside what may be uncommitted: then the title says whether anything is."""
    nothing: str = ""
    """What is said where it is empty; else its title."""
    unsure: bool = False
    """What it should be compared with is not known here, so that nothing changed cannot be told."""

    @property
    def base(self) -> str:
        """The revision that is changed."""
        return next(word for word in self.revisions if not word.startswith("--"))


class Entry(NamedTuple):
    """One changed file; ``old`` differs from ``path`` when it was renamed."""

    status: str
    """A added, M modified, D deleted, R renamed, T another kind of file, U unmerged."""
    path: str
    old: str
    mode: str
    """Of the new side; of the old side for a deletion."""
    oid: str
    """The new content; all zeros when it lies in the working tree only."""


class Patch(NamedTuple):
    """The unified diff of one file, with both of its names."""

    path: str
    old: str
    text: str


def parse_diff(said: bytes) -> tuple[list[Entry], str]:
    """``git diff --raw -p -z --no-abbrev``: its entries, sorted by path, each path once; and its patches."""
    entries: dict[str, Entry] = {}
    fields = _fields(said)
    start = 0
    for head, _end in fields:
        if not head.startswith(b":"):
            break
        old_mode, new_mode, _, oid, status = head[1:].decode().split(" ")
        name, start = next(fields)
        old = path = os.fsdecode(name)
        if status[0] in "RC":
            name, start = next(fields)
            path = os.fsdecode(name)
        mode = old_mode if status[0] == "D" else new_mode
        # An unmerged file is listed twice in the working tree; its content is what is judged.
        if path not in entries or entries[path].status == "U":
            entries[path] = Entry(status[0], path, old, mode, oid)
    text = said[start:].removeprefix(b"\0").decode("utf-8", "replace")
    return [entries[path] for path in sorted(entries)], text


def _fields(said: bytes) -> Iterator[tuple[bytes, int]]:
    """What stands before each NUL, and where the next one begins."""
    start = 0
    while (end := said.find(b"\0", start)) >= 0:
        yield said[start:end], end + 1
        start = end + 1


def split_patches(text: str, entries: Iterable[Entry]) -> list[Patch]:
    """One patch a file, in the order of the entries; text that belongs to none of them is dropped.

    A line of content always begins with a blank, a sign or a backslash, so ``diff --git`` at the
    start of a line can only be git's own header.
    """
    heads = {_header(entry): entry for entry in entries}
    pieces: dict[str, list[str]] = {}
    for piece in re.split(r"(?m)^(?=diff --git )", text):
        entry = heads.get(piece.partition("\n")[0])
        if entry:
            pieces.setdefault(entry.path, []).append(_without_stray_lines(piece))
    return [
        Patch(entry.path, entry.old, "".join(pieces[entry.path]))
        for entry in heads.values()
        if entry.path in pieces
    ]


def is_binary(patch: Patch) -> bool:
    """Whether git took the file for binary and does not show its lines; text may be taken for it."""
    return re.search(r"(?m)^Binary files ", patch.text) is not None


def changed_ranges(patch: str) -> Ranges:
    """The lines of the new file that a patch adds or changes.

    A pure deletion marks the line that now stands in its place, so that it is not lost.
    """
    lines: list[int] = []
    number = 0
    in_hunk = False
    for line in patch.split("\n"):
        if hunk := _HUNK.match(line):
            number, in_hunk = int(hunk[1]), True
        elif line.startswith("diff --git "):
            in_hunk = False
        elif in_hunk and line.startswith("-"):
            lines.append(max(1, number))
        elif in_hunk and line.startswith(("+", " ")):
            if line[0] == "+":
                lines.append(number)
            number += 1
    return _joined(sorted(set(lines)))


def clip(ranges: Ranges, last: int) -> Ranges:
    """The ranges within a file of so many lines: a deletion at its end marks its last line."""
    clipped = {(min(start, last), min(end, last)) for start, end in ranges if last}
    return _joined(sorted({n for start, end in clipped for n in range(start, end + 1)}))


def added_patch(path: str, text: str) -> Patch:
    """The patch that git would show for a file it does not track yet."""
    lines = text.split("\n")
    bare_end = lines.pop() if lines[-1] == "" else None
    head = f"{_header_of(path, path)}\nnew file mode 100644\n"
    if not lines:
        return Patch(path, path, head)
    name = quoted(f"b/{path}")
    body = "".join(f"+{line}\n" for line in lines)
    if bare_end is None:
        body += "\\ No newline at end of file\n"
    count = "1" if len(lines) == 1 else f"1,{len(lines)}"
    return Patch(path, path, f"{head}--- /dev/null\n+++ {name}\n@@ -0,0 +{count} @@\n{body}")


_HUNK = lazy(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def quoted(name: str) -> str:
    """A name as git prints it in a patch: in C's quotes when it holds a control character."""
    if not any(ord(char) < 32 or char in '"\\\x7f' for char in name):
        return name
    return '"' + "".join(map(_quoted_char, name)) + '"'


def _quoted_char(char: str) -> str:
    code = ord(char)
    if code in _ESCAPES:
        return "\\" + _ESCAPES[code]
    return f"\\{code:03o}" if code < 32 or code == 127 else char


def _header(entry: Entry) -> str:
    return _header_of(entry.old, entry.path)


def _header_of(old: str, new: str) -> str:
    return f"diff --git {quoted(f'a/{old}')} {quoted(f'b/{new}')}"


def _without_stray_lines(piece: str) -> str:
    """git announces unmerged files between the patches; that line is no part of either."""
    return re.sub(r"(?m)^\* Unmerged path .*\n?", "", piece)


def _joined(lines: Sequence[int]) -> Ranges:
    """Consecutive lines as ranges."""
    ranges: list[tuple[int, int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], line)
        else:
            ranges.append((line, line))
    return tuple(ranges)
