"""Splits a Markdown file into YAML front matter and body, and remembers the line of each value.

A value that only strict YAML refuses is taken as the plain text that its author meant. What the
values mean is left to ``files``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from guildmoot.agents.plainyaml import FrontMatterError, Value, Where, YamlSyntaxError, YamlTree
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

MAX_CHARACTERS = 64_000
"""More than this is no front matter; it keeps a hostile file from costing seconds."""

_ENTRY = lazy(r"(?P<key>[A-Za-z][\w-]*):[ \t]+(?P<value>\S.*)")
_KEY = lazy(r"\s+[A-Za-z][\w-]*:(?:\s|$)")
_STRUCTURE = ("[", "{", "|", ">")


class FrontMatter(NamedTuple):
    """What a file says about itself, and the text below it."""

    data: dict[str, Value]
    lines: dict[Where, int]
    """Line in the file of each value, by its keys and positions; ``()`` is the first line."""
    body: str

    def line_of(self, *where: str | int) -> int:
        """The line of a value, or of the nearest thing around it."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines[where]


def parse(text: str) -> FrontMatter:
    """Read a whole file. Raises :class:`FrontMatterError`."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    opening, closing = _fences(lines)
    written = lines[opening + 1 : closing]
    if sum(map(len, written)) > MAX_CHARACTERS:
        raise FrontMatterError(opening + 1, f"more than {MAX_CHARACTERS:,} characters")
    tree = _load(written, opening + 2)
    return FrontMatter(tree.data, tree.lines, "\n".join(lines[closing + 1 :]).strip("\n"))


def _fences(lines: Sequence[str]) -> tuple[int, int]:
    opening = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if lines[opening].rstrip() != "---":
        raise FrontMatterError(opening + 1, "front matter is missing: the file must begin with ---")
    for at in range(opening + 1, len(lines)):
        if lines[at].rstrip() == "---":
            return opening, at
    raise FrontMatterError(opening + 1, "front matter is never closed: no second ---")


def _load(written: Sequence[str], first: int) -> YamlTree:
    """Strictly first; then with the entries mended that are broken only by their own text."""
    try:
        return YamlTree("\n".join(written), first)
    except YamlSyntaxError:
        mended = _mend(written)
        if mended == list(written):
            raise
        return YamlTree("\n".join(mended), first)


def _mend(written: Sequence[str]) -> list[str]:
    """Quote the one-line values that strict YAML refuses, such as ``description: Use when: ...``.

    Claude Code takes them as plain text, so people write them. The count of lines stays the same.
    """
    mended = list(written)
    for start, end in _entries(written):
        entry = _ENTRY.fullmatch(written[start])
        if (
            entry
            and _is_plain(entry, written[start + 1 : end])
            and not _is_yaml("\n".join(written[start:end]))
        ):
            value = " ".join([entry["value"], *map(str.strip, written[start + 1 : end])]).strip()
            mended[start:end] = [f"{entry['key']}: {json.dumps(value)}", *[""] * (end - start - 1)]
    return mended


def _is_plain(entry: re.Match[str], more: Sequence[str]) -> bool:
    """Whether the value can only be meant as text: no list, no map, no key indented by mistake."""
    listed = entry["value"].startswith(_STRUCTURE) and entry["key"] != "description"
    return not listed and not any(_KEY.match(line) for line in more)


def _entries(written: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First line and end of each top-level entry, with the indented lines that belong to it."""
    starts = [at for at, line in enumerate(written) if line.strip() and not line[0].isspace()]
    yield from pairwise([*starts, len(written)])


def _is_yaml(text: str) -> bool:
    try:
        YamlTree(text, 1)
    except YamlSyntaxError:
        return False
    except FrontMatterError:  # YAML all right, only not such as we take
        return True
    return True
