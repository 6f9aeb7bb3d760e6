"""Whether two versions of a file hold the same code, so that only comments or layout changed.

Said only where it is certain: the trees have the same shape, every letter outside comments is the same, no line
was broken or joined where that may matter, and no comment changed that programs read.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from guildmoot.agents.parsing.grammars import GRAMMARS, parser
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_BY_COLUMN = frozenset(("Scala", "Haskell", "OCaml"))
"""Languages in which a column may say where a block ends."""
_FREE = frozenset(("C#", "Zig"))
"""Languages in which a line ends nothing."""
_MOST = 500_000
_ENDS_LINE = lazy("\r(?!\n)|[\v\f\x1c-\x1e\x85\u2028\u2029]|\\\\u|\\\\\r?\n")
"""What ends a line for some compilers and not for a grammar, so that a comment goes on as code."""
_TOLD = lazy(
    r"""\#![^\n]*                            # who runs the file
    |(?://|\#|--|/\*|\{-|\(\*)[/*\#!-]*(?:    # or, right after the sign of a comment:
        [^\s\w/*\#\-=.]                      # `//> using`, `/*!`
        |\w                                  # `#Requires`, `//DEPS`
        |\s*[\w-]+[:=]\S                     # `// swiftlint:disable`, `# guild: ...`
        |\s*[\w-]+-[\w-]+\s*:                # `// swift-tools-version: 5`
        |\s*(?:stack|cabal|NOLINT|Requires)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Comments that a program may read."""


class _Code(NamedTuple):
    parts: list[tuple[str, bytes, int]]
    """Nodes, and what stands between them, with how they are laid out where that counts."""
    comments: Counter[str]


_TEXT = r"""(?:"(?:[\w.:@+,/ -]|\$\w+|\$\{[\w.]+\})*"|'[\w.:@+,/ -]*')"""
_NOTATION = (
    rf"(?:{_TEXT}|(?:libs|projects|deps|versions|rootProject|project)(?:\.\w+)+|project\({_TEXT}\))"
)
_DEPENDENCY = lazy(
    rf"""[ \t]*(?:
        \w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[cC]ompileOnly|[rR]untimeOnly|[kK]apt|[kK]sp|[pP]rovided
            |[aA]nnotationProcessor|classpath|[lL]intChecks|[dD]esugaring)
            (?:[ ]|[ ]?\()[ ]?(?:(?:enforced)?[pP]latform\({_NOTATION}\)|{_NOTATION})\)?
        |(?:id|alias)(?:[ ]|\(){_NOTATION}\)?(?:[ ]version[ ]{_TEXT})?(?:[ ]apply[ ](?:true|false))?
        |(?:ext\.)?\w*[vV]ersion\w*[ ]?=?[ ]?(?:{_TEXT}|\d+)
    )[ \t]*(?://.*)?|[ \t]*""",
    re.VERBOSE,
)
"""A line of a Gradle script that names a dependency, a plugin or a version, and does nothing else."""


def is_of_dependencies(language: str, before: str, after: str) -> bool:
    """Whether a build script changed in nothing but what it depends on."""
    if language != "Groovy":
        return False
    changed = list(passages(before, after))
    lines = (line for each in changed for text in each[2:] for line in text.split("\n"))
    return bool(changed) and all(map(_DEPENDENCY.fullmatch, lines))


def is_same_code(language: str, before: str, after: str) -> bool:
    """Whether both parse to the same tree with the same words, and only plain comments differ."""
    if language not in GRAMMARS or len(before) + len(after) > _MOST:
        return False
    one, other = (_read(language, text) for text in (before, after))
    if one is None or other is None or one.parts != other.parts:
        return False
    changed = (one.comments - other.comments) + (other.comments - one.comments)
    return not any(_TOLD.match(text) or _ENDS_LINE.search(text) for text in changed)


def _read(language: str, text: str) -> _Code | None:
    """The code of a text; None where it does not parse."""
    data = text.encode("utf-8", "surrogatepass")
    root = parser(language).parse(data).root_node
    if root.has_error:
        return None
    parts: list[tuple[str, bytes, int]] = []
    comments = Counter[str]()
    by_column, free = language in _BY_COLUMN, language in _FREE
    at, line = 0, True  # how far it was read, and whether a line has ended since the last word
    nodes: list[tuple[Node, bool]] = [(root, False)]
    while nodes:
        node, ended = nodes.pop()
        if ended:
            line |= _between(data[at : node.end_byte], parts)
            at = max(at, node.end_byte)
            parts.append((f"/{node.type}", b"", 0))
            continue
        line |= _between(data[at : node.start_byte], parts)
        at = max(at, node.start_byte)
        if "comment" in node.type or node.type == "haddock":
            told = data[at : node.end_byte]
            comments[told.decode("utf-8", "replace").rstrip()] += 1
            line |= b"\n" in told
            at = max(at, node.end_byte)
        elif node.child_count:
            parts.append((node.type, b"", 0))
            nodes.append((node, True))
            nodes += ((child, False) for child in reversed(node.children))
        else:
            layout = node.start_point[1] if by_column else 2 * (line and not free)
            if not by_column and not free and data[max(at - 1, 0) : at].isspace():
                layout = max(layout, 1)
            parts.append((node.type, data[at : node.end_byte], layout))
            at, line = max(at, node.end_byte), False
    return _Code(parts, comments)


def _between(gap: bytes, parts: list[tuple[str, bytes, int]]) -> bool:
    """Keeps what stands between nodes and is no white space; whether a line ends in it."""
    if gap.strip(b" \t\r\n"):
        parts.append(("", gap, 0))
    return b"\n" in gap
