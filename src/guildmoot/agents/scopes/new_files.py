"""Names that a new file uses and that nobody can give to it. Pure.

Nothing is known of what such a file was before: a name is told only if it stands in no other file of the repository,
and if whatever may give a name unseen, as a class above, an import of all or a header from elsewhere, is known.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from guildmoot.agents.members.c_trees import is_cpp
from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.plain_names import SCRIPTS
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes.names import ScopedFile, Use
from guildmoot.agents.scopes.read import scoped_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_UNKNOWN = "`{}` is used here, and nothing in the repository declares it"
_FEWEST = 3
_MOST_LOST = 60
"""Names without a declaration, from which on the file is of a kind that is not understood."""


def new_losses(language: str, after: Node, around: Around) -> Iterator[Lost]:
    """Each such name once, at the first line that uses it."""
    if after.has_error or around.path.endswith((".kts", ".d.ts")):
        return
    if language == "C" and not around.path.endswith(".c") and is_cpp(text_of(after)):
        language = "C++"
    if language in SCRIPTS:
        found = _of_script(language, after)
    elif language in ("Ruby", "PHP"):
        found = _of_words(language, after, around)
    elif language in _STRICT:
        found = _of_scopes(language, after, around)
    else:
        return
    lines: dict[str, int] = {}
    for name, line in found:
        lines.setdefault(name, line)
    if len(lines) > _MOST_LOST:
        return
    held = around.holders(list(lines)) if lines else {}
    for name, line in lines.items():
        if not held.get(name.lstrip("$")) and not held.get(name):
            yield name, line, _UNKNOWN.format(name)


def _of_script(language: str, after: Node) -> Iterator[tuple[str, int]]:
    from guildmoot.agents.parsing.script_names import undefined_names

    for line, name in undefined_names(after, after.text or b"", language):
        if len(name) >= _FEWEST and name[0].isalpha():
            yield name, line


def _of_words(language: str, after: Node, around: Around) -> Iterator[tuple[str, int]]:
    if language == "Ruby":
        from guildmoot.agents.ruby.losses import new_words

        yield from new_words(after)
        return
    from guildmoot.agents.parsing.grammars import parser
    from guildmoot.agents.php.variables import unset_locals

    yield from unset_locals(parser("PHP").parse(b"").root_node, after, around.held)


def _of_scopes(language: str, after: Node, around: Around) -> Iterator[tuple[str, int]]:
    names = scoped_names(language, after)
    file = ScopedFile(around, after, text_of(after), "", names)
    for use in names.lost:
        plain = len(use.name) >= _FEWEST and use.name not in names.unread
        if plain and not use.is_type and _STRICT[language](use, file):
            yield use.name, use.line


def _is_strange_in_kotlin(use: Use, file: ScopedFile) -> bool:
    from guildmoot.agents.scopes.kotlin import is_unknown

    return use.name[0].islower() and is_unknown(use, file)


def _is_strange_in_csharp(use: Use, file: ScopedFile) -> bool:
    from guildmoot.agents.scopes.csharp import is_unknown

    return is_unknown(use, file)


def _is_strange_in_cpp(use: Use, file: ScopedFile) -> bool:
    from guildmoot.agents.scopes.cpp import is_unknown

    if not (use.name[0].islower() and is_unknown(use, file)):
        return False
    texts = _reach(file)
    return bool(texts) and not any("##" in t or "using namespace" in t for t in texts)


def _is_strange_in_c(use: Use, file: ScopedFile) -> bool:
    from guildmoot.agents.scopes.c import C_GIVEN

    if not use.name[0].islower() or use.name in C_GIVEN or use.name.endswith("_t"):
        return False
    if use.place.startswith(("preproc", "labeled", "goto")) or use.place.endswith(":type"):
        return False
    texts = _reach(file)
    if not texts or any("##" in text for text in texts) or _makes(use.name, file.text):
        return False
    return not (
        use.place.startswith("call_expression") and any("<" in t for t in map(_asks, texts))
    )


_INCLUDE = re.compile(r"(?m)^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)")
_MOST_HEADERS = 40


def _asks(text: str) -> str:
    """The signs of what a text includes."""
    return "".join(sign for sign, _ in _INCLUDE.findall(text))


def _makes(name: str, text: str) -> bool:
    from guildmoot.agents.scopes.c import makings

    return any(True for _ in makings(name, text)) or "using namespace" in text


def _reach(file: ScopedFile) -> list[str]:
    """The file and all it includes; nothing where one of these lies elsewhere and is none of the language's own."""
    from guildmoot.agents.members.c_standard import is_standard

    texts, waiting = list[str](), [(file.around.path, file.text)]
    seen = set[str]()
    while waiting:
        path, text = waiting.pop()
        texts.append(text)
        for sign, name in _INCLUDE.findall(text):
            if sign == "<" and is_standard(name):
                continue
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            said = file.around.text(beside)
            if not said or len(seen) > _MOST_HEADERS:
                return []
            if beside not in seen:
                seen.add(beside)
                waiting.append((beside, said))
    return texts


_STRICT: dict[str, Callable[[Use, ScopedFile], bool]] = {
    "Kotlin": _is_strange_in_kotlin,
    "C#": _is_strange_in_csharp,
    "C++": _is_strange_in_cpp,
    "C": _is_strange_in_c,
}
