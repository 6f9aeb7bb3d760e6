"""What one file tells of itself: its language, size, imports and how much it branches. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from guildmoot.text.languages import language_of
from guildmoot.text.patterns import lazy

LONGEST_LINE = 2_000
"""Lines longer than this are data; they are counted and not read."""
MOST_IMPORTS = 500

_PYTHON = lazy(
    r"(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([^\n#]+)|import[ \t]+([\w., \t]+))"
)
_SCRIPT = lazy(r"""\b(?:from|import|require)[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']""")
_GO_BLOCK = lazy(r"(?m)^import[ \t]*\(([^)]*)\)")
_GO_LINE = lazy(r'(?m)^import[ \t]+(?:[\w.]+[ \t]+)?"([^"\n]+)"')
_QUOTED = lazy(r'"([^"\n]+)"')
_DOTTED = lazy(r"(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)")
_RUST = lazy(
    r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?(?:mod[ \t]+(\w+)[ \t]*;|use[ \t]+((?:crate|self|super)[\w:]*))"
)
_RUBY = lazy(r"""(?m)^[ \t]*require(_relative)?[ \t]*\(?[ \t]*["']([^"'\n]+)["']""")
_INCLUDE = lazy(r'(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"')
_PHP = lazy(
    r"""(?m)^[ \t]*(?:use[ \t]+([\w\\]+)|(?:require|include)(?:_once)?[ \t]*\(?[^"'\n]*["']([^"'\n]+)["'])"""
)
_BRANCH = lazy(
    r"\b(?:if|elif|elsif|for|foreach|while|until|case|when|catch|except|rescue|and|or|match)\b|&&|\|\||\?[^.:?]"
)


_INNER_TESTS = lazy(r"(?m)^[ \t]*(?:#\[cfg\(test\)\]|unittest[ \t]*\{|test \"[^\"\n]*\"[ \t]*\{)")


class FileFacts(NamedTuple):
    """What can be told of a file by reading it alone."""

    language: str
    kind: str
    """``code``, ``data``, ``prose`` or ``other``."""
    lines: int
    branches: int
    """Places where it branches: a rough measure of how much must be kept in mind."""
    imports: tuple[str, ...]
    """As they are written; a name taken from a module stands behind a colon, ``pkg.mod:name``."""
    tests_itself: bool = False
    """Its tests stand in the file, as in Rust, D and Zig."""


def facts_of(path: str, text: str) -> FileFacts:
    """The facts of one file."""
    language = language_of(path, text[:200])
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    if language.kind != "code":
        return FileFacts(language.name, language.kind, lines, 0, ())
    read = text
    if any(len(line) > LONGEST_LINE for line in text.split("\n")):
        read = "\n".join(line for line in text.split("\n") if len(line) <= LONGEST_LINE)
    found = dict.fromkeys(_imports(language.name, read))
    return FileFacts(
        language.name,
        "code",
        lines,
        len(_BRANCH.findall(read)),
        tuple(found)[:MOST_IMPORTS],
        bool(_INNER_TESTS.search(read)),
    )


def _imports(language: str, text: str) -> list[str]:
    if language == "Python":
        return _python(text)
    if language in ("JavaScript", "TypeScript", "TSX", "Vue", "Svelte"):
        return _SCRIPT.findall(text)
    if language == "Go":
        blocks = (name for block in _GO_BLOCK.findall(text) for name in _QUOTED.findall(block))
        return [*blocks, *_GO_LINE.findall(text)]
    if language in ("Java", "Kotlin", "Scala", "Groovy"):
        return _DOTTED.findall(text)
    if language == "Rust":
        return [f"mod:{mod}" if mod else use for mod, use in _RUST.findall(text)]
    if language == "Ruby":
        return [f"./{name}" if near else name for near, name in _RUBY.findall(text)]
    if language in ("C", "C++", "Objective-C"):
        return _INCLUDE.findall(text)
    if language == "PHP":
        return [use or file for use, file in _PHP.findall(text)]
    return []


def _python(text: str) -> list[str]:
    found: list[str] = []
    for module, names, plain in _PYTHON.findall(text):
        if plain:
            found += [name.split()[0] for name in plain.split(",") if name.split()]
        else:
            taken = [name.split()[0] for name in names.strip(" ()\\\t").split(",") if name.split()]
            found += [f"{module}:{name}" for name in taken if re.fullmatch(r"\w+|\*", name)] or [
                module
            ]
    return found
