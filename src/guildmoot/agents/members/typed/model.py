"""What is known of types, and how a language tells of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from guildmoot.agents.members.fit import Forms, both
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class Written(NamedTuple):
    """A type by its name, as a file writes it."""

    name: str
    path: str


MORE = "*()"
"""The member of a type that may have methods which nobody wrote down."""

MADE = "new"
"""What a constructor is called here."""

Results = tuple[Written, ...]
"""What a value or a call gives; a call of Go may give several. Empty where it is not known."""


class Gives(NamedTuple):
    """What a member gives: the types as they are written, an empty word where that is no plain name."""

    types: tuple[str, ...]
    called: bool = False
    """Whether it does so when it is called."""
    takes: Forms | None = None
    """None where it is not known, or any number will do."""
    own: bool = False
    """Whether it is a method that only its type can call."""


def joined(one: Gives, other: Gives) -> Gives:
    """What a member gives that is declared twice."""
    types = one.types if one.types == other.types else ("",)
    takes = both(one.takes, other.takes)
    return Gives(types, one.called or other.called, takes, one.own and other.own)


class TypeMember(NamedTuple):
    """The same, with where the types are written."""

    results: Results
    called: bool
    takes: Forms | None = None


class Shape(NamedTuple):
    """A type as one file declares it."""

    members: Mapping[str, Gives]
    takes: tuple[str, ...] = ()
    """Types whose members it has as well."""
    open: bool = False
    """It may have members that nobody wrote down."""
    declared: bool = True
    """Whether the file declares the type itself; it may only hold methods of it."""
    inner: bool = False
    """Whether it stands in another type, and so is not seen by its name alone elsewhere."""
    traits: tuple[str, ...] = ()
    """Types whose methods it has as well; what is not known of them leaves the rest known."""
    narrow: bool = True
    """Whether a value of another type may be of this one, too."""
    alone: bool = False
    """Whether what it takes from others hardly has the members that it declares itself."""
    makes: Forms | None = None
    """The forms of its constructor, empty where it declares none; None where that is not known."""


class MemberAsk(NamedTuple):
    """A place that asks for a member."""

    owner: Node
    """A value, or the type itself."""
    name: str
    line: int
    unless: str = ""
    """A member by which a type says that it may have this one as well."""
    extended: bool = False
    """Whether a function from afar may be called as if it were a member: then only one that is gone is told."""


class TypedCall(NamedTuple):
    """A call of a function, or of a member."""

    called: Node
    """The function, or what has the member."""
    name: str
    """Of the member; empty for a function, MADE for a constructor."""
    line: int
    given: int
    unless: str = ""
    """As for a place that asks for the member."""
    named: tuple[str, ...] = ()
    """Arguments that are given by name."""
    of: str = ""
    """What is made, where it is a type by its name."""


class NameBinding(NamedTuple):
    """What a name stands for: a written type, or a part of a value."""

    type: Node | None = None
    value: Node | None = None
    part: int = 0


class View(NamedTuple):
    """The repository at one time."""

    text: Callable[[str], str]
    holds: Callable[[str], list[str]]
    """Files that hold a word."""
    root: Callable[[str], Node | None]
    shapes: Callable[[str], Mapping[str, Shape]]
    """The types of a file."""


class TypedLanguage(Protocol):
    """How a language writes types, members and what is of a type."""

    known: Mapping[str, Shape | None]
    """Types of the language itself, which nobody looks up; None where their members are not listed."""

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        """The types of a file."""

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        """Where members are asked for."""

    def may_be_narrower(self, owner: Node) -> bool:
        """Whether a value may be known to be of a narrower type than is written."""

    def homes(self, written: Written, view: View) -> list[str]:
        """Files that may declare a type; empty where nobody can say."""

    def results(self, node: Node, path: str, types: Types) -> Results:
        """The types of an expression."""


class CallingLanguage(Protocol):
    """How a language writes calls."""

    many: bool
    """Whether a method may have many forms: then only a call that fitted at the base is told."""

    def calls(self, root: Node) -> Iterator[TypedCall]:
        """Those whose arguments can be counted."""

    def functions(self, root: Node) -> Mapping[str, Forms]:
        """What functions at the top of a file take."""

    def function(self, called: Node, path: str, types: Types) -> Forms | None:
        """What the function takes that a name leads to; None where it is not certain."""


class Types(Protocol):
    """The types of a repository at one time."""

    view: View

    def members(self, written: Written) -> Mapping[str, TypeMember] | None:
        """All that a type has; None where it may have more."""

    def results(self, node: Node, path: str) -> Results:
        """The types of an expression."""


def of_member(types: Types, owner: Results, name: str, *, called: bool) -> Results:
    """What a member of a value gives, when it is called or not."""
    members = types.members(owner[0]) if len(owner) == 1 else None
    found = members.get(name) if members else None
    return found.results if found is not None and found.called == called else ()


def taken_around(name: str, owners: list[str], path: str, types: Types) -> Forms | None:
    """What a method takes that the nearest type around a call has; None where nobody can say.

    What only its type can call is known, wherever else the type takes members from.
    """
    for owner in owners:
        members = types.members(Written(owner, path)) if owner else None
        if members is None:
            shape = types.view.shapes(path).get(owner)
            found = shape.members.get(name) if shape is not None else None
            return found.takes if found is not None and found.own else None
        if name in members:
            return members[name].takes
    return ()


def bound_at(
    node: Node, name: str, binds: Callable[[Node, str], NameBinding | None]
) -> NameBinding | None:
    """The nearest binding of a name that stands before the node or around it."""
    child, around = node, node.parent
    while around is not None:
        for beside in reversed(around.named_children):
            if beside.end_byte <= child.start_byte and (found := binds(beside, name)):
                return found
        child, around = around, around.parent
    return None
