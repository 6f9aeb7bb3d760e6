"""Reads a file scope by scope.

All names of a scope count from its beginning, so that their order need not be known. What a table leaves out counts as
a use: the tables were made by reading what stays unresolved in real repositories.
"""

from __future__ import annotations

import re
from collections import Counter

from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.walk import line_of, text_of
from guildmoot.agents.scopes.go import is_in_own_value
from guildmoot.agents.scopes.names import NameScope, ScopedNames, Use
from guildmoot.agents.scopes.table import HERE, OUTSIDE, WIDE, NameTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_VALUES = frozenset(
    ("right", "default_value", "type", "size", "key", "condition", "parameters", "property")
)
"""Fields of a pattern that bind nothing."""


_NOWHERE = NameScope(None)
"""What can only be reached by way of something else, as what a type of Rust has."""


_WORDS = frozenset(("get", "set", "of", "async", "static", "type", "as", "is", "keyof", "infer"))
"""Words of the language that this grammar takes for no names."""


def scoped_names(language: str, root: Node) -> ScopedNames:
    """What a file declares, and what it uses without a declaration."""
    reader = _Reader(language, _table(language))
    reader.read(root)
    given = KNOWN.get(language, frozenset()) - _WORDS
    lost = [use for use in reader.uses if use.name not in given and not use.is_declared()]
    declared = Counter(name for each in reader.scopes for name in each.names)
    used = frozenset(use.name for use in reader.uses)
    return ScopedNames(declared, tuple(lost), frozenset(reader.unread), used)


def _table(language: str) -> NameTable:
    """Loaded with its language."""
    if language == "Go":
        from guildmoot.agents.scopes.go import TABLE
    elif language == "Java":
        from guildmoot.agents.scopes.java import TABLE
    elif language == "Rust":
        from guildmoot.agents.scopes.rust import TABLE
    elif language == "C#":
        from guildmoot.agents.scopes.csharp import TABLE
    elif language == "Kotlin":
        from guildmoot.agents.scopes.kotlin import TABLE
    elif language == "C++":
        from guildmoot.agents.scopes.cpp import TABLE
    elif language == "C":
        from guildmoot.agents.scopes.c import TABLE
    else:
        from guildmoot.agents.scopes.scripts import TABLE
    return TABLE


class _Reader:
    def __init__(self, language: str, table: NameTable) -> None:
        self._language, self._table = language, table
        self.uses: list[Use] = []
        self.scopes: list[NameScope] = []
        self.unread: set[str] = set()
        self._top = self._open(None, "")

    def _open(self, around: NameScope | None, kind: str) -> NameScope:
        scope = NameScope(around, kind, wide=around is None or kind in self._table.wide)
        self.scopes.append(scope)
        return scope

    def read(self, root: Node) -> None:
        """All of it, by a stack of its own: real files nest deeper than a program may call itself."""
        table = self._table
        waiting: list[tuple[Node, NameScope, NameScope | None, str]] = [(root, self._top, None, "")]
        while waiting:
            node, scope, target, place = waiting.pop()
            kind = node.type
            if kind in table.names and not node.named_child_count:
                self._name(node, scope, target, place)
                continue
            if kind in table.skipped:
                continue
            if kind == "ERROR" or table.is_opaque(node):
                words = set(re.findall(r"[\w$]+", text_of(node)))
                self.unread |= words
                scope.function.names |= words
                continue
            special = table.special.get(kind)
            if special is not None:
                names = special(node)
                if names is not None:
                    scope.names.update(names)
                    continue
            opens = kind in table.scopes and table.opens(node)
            inner = self._open(scope, kind) if opens else scope
            if opens:
                inner.supers += table.supers(node)
            binds, aside = table.binds.get(kind), table.aside.get(kind)
            if kind not in table.patterns:
                target = None
            look = target is not None or binds is not None or aside is not None
            for at, child in enumerate(node.children):
                if not child.is_named:
                    continue
                field = (node.field_name_for_child(at) or "") if look else ""
                if (
                    aside is not None
                    and child.type in table.names
                    and (field in aside or "*" in aside)
                ):
                    continue
                goal = None if field in _VALUES else target
                where = (binds.get(field) or binds.get("*")) if binds else None
                if where and (where := table.where(node, field, where)):
                    outside = scope.outside(table.thin)
                    places = {HERE: inner, OUTSIDE: outside, WIDE: scope.function}
                    goal = places.get(where, _NOWHERE)
                waiting.append((child, inner, goal, f"{kind}:{field}"))

    def _name(self, node: Node, scope: NameScope, target: NameScope | None, place: str) -> None:
        name = text_of(node) + self._table.mark(place)
        if target is not None and self._table.is_bound(node, name, place):
            (target.again if name in target.names else target.names).add(name)
        elif target is None and self._table.is_use(node, name, place):
            is_type = node.type == "type_identifier"
            itself = place.startswith("selector_expression") and is_in_own_value(node, name)
            self.uses.append(Use(name, line_of(node), place, scope, is_type, itself))
