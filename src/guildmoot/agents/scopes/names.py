"""Scopes of a file, and the names that are used in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from guildmoot.agents.parsing.own_names import Around
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import Passage, is_near, passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_TOKEN = lazy(r"\w+|[^\w\s]")


class NameScope:
    """What a part of a file declares, and the part around it."""

    def __init__(self, around: NameScope | None, kind: str = "", *, wide: bool = False) -> None:
        self.around, self.kind, self.wide = around, kind, wide
        self.names: set[str] = set()
        self.again: set[str] = set()
        """Names that are declared there more than once."""
        self.supers: list[str] = []
        """Types from which a class takes names that it does not list."""

    @property
    def function(self) -> NameScope:
        """The nearest function, or the file."""
        scope = self
        while scope.around is not None and not scope.wide:
            scope = scope.around
        return scope

    def outside(self, thin: frozenset[str]) -> NameScope:
        """It, or what is around it where it only holds parameters."""
        scope = self
        while scope.around is not None and scope.kind in thin:
            scope = scope.around
        return scope

    def chain(self) -> Iterator[NameScope]:
        """It and all around it."""
        scope: NameScope | None = self
        while scope is not None:
            yield scope
            scope = scope.around if scope.kind != "mod_item" or "*" in scope.names else None


class Use(NamedTuple):
    """A name that is used, with the part of the file that uses it."""

    name: str
    line: int
    place: str
    """The kind of node around it, and its field there: ``method_invocation:name``."""
    scope: NameScope
    is_type: bool = False
    """Whether the grammar takes it for a type."""
    itself: bool = False
    """Whether it stands in the value of what is declared under the same name: ``view := view.New()``."""

    @property
    def supers(self) -> list[str]:
        """Types whose members the place may see without naming them."""
        return [name for scope in self.scope.chain() for name in scope.supers]

    def is_declared(self) -> bool:
        """Whether something around it declares it."""
        for scope in self.scope.chain():
            if self.name in (scope.again if self.itself and scope is self.scope else scope.names):
                return True
        return False

    def declared(self) -> set[str]:
        """All that is declared where it stands."""
        return set().union(*(scope.names for scope in self.scope.chain()))


class ScopedNames(NamedTuple):
    """A file, read."""

    declared: Mapping[str, int]
    """What is declared anywhere in it, and by how many scopes."""
    lost: tuple[Use, ...]
    """Uses of what is declared nowhere around them."""
    unread: frozenset[str]
    """Words of what its grammar does not take: they count as declared there."""
    used: frozenset[str]


class ScopedFile(NamedTuple):
    """A changed file, and what can be asked."""

    around: Around
    root: Node
    text: str
    past: str
    names: ScopedNames


def is_slip(use: Use, file: ScopedFile) -> bool:
    """Whether it differs by a slip of the hand from what is declared where it stands, or took just its place."""
    near = len(use.name) > 3 and any(
        abs(len(each) - len(use.name)) < 2 and is_near(use.name, each) for each in use.declared()
    )
    return near or took_place(use, file)


def took_place(use: Use, file: ScopedFile, known: frozenset[str] = frozenset()) -> bool:
    """Whether it stands where something that is declared, or known, stood, and all around it stayed."""
    declared = use.declared() | known
    return any(
        each.first <= use.line <= each.last and _replaced(each, use.name) in declared
        for each in passages(file.past, file.text)
    )


def _replaced(passage: Passage, name: str) -> str:
    """The one word that became this name, where all else stayed."""
    old, new = (_TOKEN.findall(text) for text in (passage.before, passage.after))
    if len(old) != len(new):
        return ""
    words = {(was, now) for was, now in zip(old, new, strict=True) if was != now}
    return next(iter(words))[0] if len(words) == 1 and next(iter(words))[1] == name else ""


def has_word(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
