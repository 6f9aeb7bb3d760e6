"""Names that a change leaves without a declaration in their scope, in languages that need one. Pure.

What is new is told: a name that the file had declared, or one that nobody ever did. Who else may give a name differs by
language: the files of a folder in Go, the package and the types above a class in Java, globs in Rust, headers in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes import c, go, java, rust
from guildmoot.agents.scopes.names import ScopedFile, Use
from guildmoot.agents.scopes.read import scoped_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_GONE = "`{}` is used here, and what declared it is gone"
_UNKNOWN = "`{}` is used here, and nothing declares it"
_GIVEN: dict[str, Callable[[Use, bool, ScopedFile], bool]] = {
    "Go": go.is_given,
    "Java": java.is_given,
    "Rust": rust.is_given,
    "C": c.is_given,
}
"""Whether something outside of the file may give the name."""
LANGUAGES = frozenset(_GIVEN)


def scope_losses(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such name once, at the first line that uses it."""
    is_given = _GIVEN.get(language)
    if is_given is None:
        return
    then, now = scoped_names(language, before), scoped_names(language, after)
    known = {use.name for use in then.lost} | then.unread
    file = ScopedFile(around, after, text_of(after), text_of(before), now)
    told: set[str] = set()
    for use in now.lost:
        if use.name in told or use.name in known:
            continue
        gone = use.name in then.declared
        if not is_given(use, gone, file):
            told.add(use.name)
            name = use.name.removesuffix("()")
            yield name, use.line, (_GONE if gone else _UNKNOWN).format(name)
