"""Names that a change leaves without a declaration in their scope, in languages that need one. Pure.

What is new is told: a name that the file had declared, or one that nobody ever did. Who else may give a name differs by
language: the files of a folder in Go, the package and the types above a class in Java, globs in Rust,
headers in C, other parts of a class and its namespaces in C#.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from guildmoot.agents.members.c_trees import c_tree, is_cpp
from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes.names import ScopedFile, Use
from guildmoot.agents.scopes.read import scoped_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_GONE = "`{}` is used here, and what declared it is gone"
_UNKNOWN = "`{}` is used here, and nothing declares it"
LANGUAGES = frozenset(("Go", "Java", "Rust", "C", "C#", "Kotlin"))


def scope_losses(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such name once, at the first line that uses it."""
    if language == "C" and not around.path.endswith(".c") and is_cpp(text_of(after)):
        old, new = (c_tree(around.path, text_of(root)) for root in (before, after))
        language, before, after = "C++", old or before, new or after
    if language not in (*LANGUAGES, "C++"):
        return
    is_given = _givers(language)
    then, now = scoped_names(language, before), scoped_names(language, after)
    known = {use.name for use in then.lost} | then.unread
    file = ScopedFile(around, after, text_of(after), text_of(before), now)
    told: set[str] = set()
    for use in now.lost:
        if use.name in told or use.name in known:
            continue
        # another function's local of that name, which is still there, never was its declaration
        gone = then.declared.get(use.name, 0) > now.declared.get(use.name, 0)
        if not is_given(use, gone, file):
            told.add(use.name)
            name = use.name.removesuffix("()")
            yield name, use.line, (_GONE if gone else _UNKNOWN).format(name)


def _givers(language: str) -> Callable[[Use, bool, ScopedFile], bool]:
    """Tells whether something outside of the file may give the name; loaded with its language."""
    if language == "Go":
        from guildmoot.agents.scopes import go

        return go.is_given
    if language == "Java":
        from guildmoot.agents.scopes import java

        return java.is_given
    if language == "Rust":
        from guildmoot.agents.scopes import rust

        return rust.is_given
    if language == "C#":
        from guildmoot.agents.scopes import csharp

        return csharp.is_given
    if language == "Kotlin":
        from guildmoot.agents.scopes import kotlin

        return kotlin.is_given
    if language == "C++":
        from guildmoot.agents.scopes import cpp

        return cpp.is_given
    from guildmoot.agents.scopes import c

    return c.is_given
