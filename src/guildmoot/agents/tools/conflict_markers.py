"""Finds merge conflicts that were committed, and code that reads otherwise than it runs, in files of any language.

    python -m guildmoot.agents.tools.conflict_markers FOLDER [MANIFEST]

A conflict is the whole sequence at the start of lines: ``<<<<<<<``, ``=======``, ``>>>>>>>``. One
that stands in an example (a fenced block of a document, a string of a Python file that still
parses) is told apart, and so is a single marker that was left over.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence

from guildmoot.agents.tools.hidden_text import hidden_text, swallowed_code
from guildmoot.agents.tools.rdjsonl import NoJudgementError, ToolFinding, run
from guildmoot.agents.tools.switch_offs import may_hold, switch_offs
from guildmoot.text.languages import without_zeros
from guildmoot.text.patterns import lazy

_OURS = lazy(r"<{7}(?: \S.*)?$")
_MIDDLE = lazy(r"={7}$")
_THEIRS = lazy(r">{7}(?: \S.*)?$")
# Git writes a branch, a commit or a phrase of its own after the marker; mail quotes anything.
_LEFT_OVER = lazy(r"(?:<{7}|>{7}) (?:\S+|[0-9a-f]{7,40} \(.*\)|Stashed changes|Updated upstream)$")
_FENCE = lazy(r"\s*(`{3,}|~{3,})")
_DOCUMENTS = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt")


def find(arguments: Sequence[str], folder: str) -> Iterator[ToolFinding]:
    """What stands in the folder that is named, as seen from the one it is run in."""
    if len(arguments) not in (1, 2) or not os.path.isdir(os.path.join(folder, arguments[0])):
        usage = "usage: python -m guildmoot.agents.tools.conflict_markers FOLDER [MANIFEST]"
        raise NoJudgementError(usage)
    if arguments[1:]:
        yield from _recoded(arguments[1])
    root = os.path.join(folder, arguments[0])
    for path in _files(root):
        data = _read(f"{root}/{path}")
        if b"<<<<<<<" in data or b">>>>>>>" in data:
            yield from conflicts(path, data.decode("utf-8", "replace"))
        text = without_zeros(data)
        if may_hold(text):
            yield from switch_offs(path, text.decode("utf-8", "replace"))
        if b"//" in text and (b"\\\n" in text or b"\\\r\n" in text or b"\\ " in text):
            yield from swallowed_code(path, text.decode("utf-8", "replace"))
        if text and (text is not data or not data.isascii()):
            yield from hidden_text(path, data.decode("utf-8", "replace"))


def _recoded(manifest: str) -> Iterator[ToolFinding]:
    """What the change left in another encoding: the folder holds it as text, the manifest tells of its bytes."""
    try:
        for each in json.loads(_read(manifest)).get("recoded", ()):
            yield ToolFinding(
                each["message"], "not-utf8", each["level"], each["path"], each["line"]
            )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise NoJudgementError(f"{manifest} is no manifest of a packet: {wrong!r}") from None


def conflicts(path: str, text: str) -> Iterator[ToolFinding]:
    """Every conflict in one file, and every marker that belongs to none."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return
    lines = [line.rstrip("\r") for line in text.split("\n")]
    fenced = _fenced(lines) if path.lower().endswith(_DOCUMENTS) else frozenset()
    whole = list(_sequences(lines))
    example = path.endswith((".py", ".pyi")) and bool(whole) and _parses(text)
    for first, last in whole:
        within = example or all(number in fenced for number in range(first, last + 1))
        yield _conflict(path, first, last, lines[first - 1], within)
    covered = {number for first, last in whole for number in range(first, last + 1)}
    for number, line in enumerate(lines, 1):
        if _LEFT_OVER.match(line) and number not in covered and number not in fenced:
            yield ToolFinding(
                "a marker of a merge conflict was left over",
                *("left-over-marker", "WARNING", path, number, number, line),
            )


def _conflict(path: str, first: int, last: int, line: str, example: bool) -> ToolFinding:
    if example:
        message, code, severity = (
            "a merge conflict, in what looks like an example",
            "example",
            "INFO",
        )
    else:
        message, code, severity = "a merge conflict was not resolved", "conflict", "ERROR"
    return ToolFinding(message, f"merge-{code}", severity, path, first, last, line)


def _sequences(lines: list[str]) -> Iterator[tuple[int, int]]:
    """First and last line of each whole conflict; a second beginning starts afresh."""
    first, parted = 0, False
    for number, line in enumerate(lines, 1):
        if _OURS.match(line):
            first, parted = number, False
        elif first and _MIDDLE.match(line):
            parted = True
        elif first and parted and _THEIRS.match(line):
            yield first, number
            first, parted = 0, False


def _fenced(lines: list[str]) -> frozenset[int]:
    """The numbers of the lines that stand inside a fenced block of a document."""
    inside: set[int] = set()
    fence = ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence and mark and mark[1].startswith(fence):
            fence = ""
        elif fence:
            inside.add(number)
        elif mark:
            fence = mark[1]
    return frozenset(inside)


def _parses(text: str) -> bool:
    import ast  # only the rare file that holds markers needs it
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _files(root: str) -> Iterator[str]:
    """The plain files, without those behind links."""
    for where, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(where, name)
            if os.path.isfile(full) and not os.path.islink(full):
                yield os.path.relpath(full, root).replace(os.sep, "/")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(run(find, sys.argv[1:]))
