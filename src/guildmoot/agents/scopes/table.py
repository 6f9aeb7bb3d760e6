"""How a language that needs declarations writes them: which nodes open a scope, bind a name or hold what is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

HERE, OUTSIDE, WIDE, NOWHERE = "here", "outside", "wide", "nowhere"
_WHERE = {"": HERE, "^": OUTSIDE, "~": WIDE}
Places = dict[str, dict[str, str]]


class NameTable(NamedTuple):
    """How one language writes names."""

    names: frozenset[str]
    scopes: frozenset[str]
    wide: frozenset[str]
    """Scopes of functions."""
    binds: Places
    """Kinds of nodes, and of each the fields that hold what it binds; ``*`` for all that has no other field."""
    patterns: frozenset[str]
    """Kinds through which binding goes on."""
    aside: Places
    """Members, labels and keys. ``!`` takes all that lies below them along."""
    skipped: frozenset[str]
    special: dict[str, Callable[[Node], Iterable[str] | None]]
    """Nodes whose names are found in a way of their own; None where they are read as others are."""
    is_use: Callable[[Node, str, str], bool]
    is_bound: Callable[[Node, str, str], bool] = lambda node, name, place: True
    where: Callable[[Node, str, str], str] = lambda node, field, where: where
    """Where a field binds, by the node; empty where it does not."""
    opens: Callable[[Node], bool] = lambda node: True
    supers: Callable[[Node], list[str]] = lambda node: []
    mark: Callable[[str], str] = lambda place: ""
    """What parts names of one kind from others: methods of Java may be called like fields."""
    thin: frozenset[str] = frozenset()
    """Scopes that only hold parameters, as those of a template: what stands in them may be declared around them."""
    is_opaque: Callable[[Node], bool] = lambda node: False
    """Whether it may declare whatever it names, as a macro among items does."""


def places(text: str) -> Places:
    """``kind:field^`` binds outside of the kind, ``kind:field~`` in the whole function."""
    found: Places = {}
    for word in text.split():
        bare = word.rstrip("^~")
        kind, _, field = bare.partition(":")
        found.setdefault(kind, {})[field or "*"] = _WHERE[word[len(bare) :]]
    return found


def kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())
