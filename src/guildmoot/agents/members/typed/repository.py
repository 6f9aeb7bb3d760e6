"""The types of a repository at one time, looked up when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping

from guildmoot.agents.members.fit import both
from guildmoot.agents.members.typed.model import (
    MORE,
    Results,
    Shape,
    TypedLanguage,
    TypeMember,
    View,
    Written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 12
_MOST_LOOKED_UP = 200
"""Types of one change: each costs a search in the repository."""

_UNKNOWN = Shape({})

Found = Mapping[str, TypeMember]
_GUESSED = TypeMember((), False)
"""One of which nothing is known but that it may be there."""
_MORE: Found = {MORE: TypeMember((), True)}


class RepositoryTypes:
    """Answers are kept: a type is read once."""

    def __init__(self, language: TypedLanguage, view: View) -> None:
        self.view = view
        self._language = language
        self._found: dict[Written, Found | None] = {}
        self._declared: dict[Written, list[tuple[str, Shape]]] = {}
        self._under_way = 0

    def members(self, written: Written) -> Found | None:
        if not written.name:
            return None
        if written not in self._found:
            if len(self._found) >= _MOST_LOOKED_UP or self._under_way >= _DEEPEST:
                return None
            self._found[written] = None  # a type that takes from itself
            self._under_way += 1
            self._found[written] = self._look_up(written)
            self._under_way -= 1
        return self._found[written]

    def results(self, node: Node, path: str) -> Results:
        if self._under_way >= _DEEPEST:
            return ()
        self._under_way += 1
        found = self._language.results(node, path, self)
        self._under_way -= 1
        return found

    def _look_up(self, written: Written) -> Found | None:
        declared = self.declared(written)
        found: dict[str, TypeMember] = {}
        for home, shape in declared:
            taken = [self.members(Written(each, home)) for each in shape.takes]
            if shape.open or None in taken:
                return None
            taken += [self.members(Written(each, home)) or _MORE for each in shape.traits]
            for members in taken:
                _add(found, members or {})
        for home, shape in declared:
            _add(found, _with_home(shape, home))
        return found if any(shape.declared for _, shape in declared) else None

    def declared(self, written: Written) -> list[tuple[str, Shape]]:
        """The type as the files declare it that it may stand in."""
        if written not in self._declared:
            self._declared[written] = self._read(written)
        return self._declared[written]

    def _read(self, written: Written) -> list[tuple[str, Shape]]:
        known = self._language.known
        if known.get(written.name, _UNKNOWN) is None:
            return []
        name = written.name.rpartition(".")[2]
        found = [
            (home, shape)
            for home in self._language.homes(written, self.view)
            if (shape := self.view.shapes(home).get(name)) is not None
        ]
        given = known.get(written.name)
        return found or ([("", given)] if given is not None else [])


def _add(found: dict[str, TypeMember], more: Found) -> None:
    """Members of one name may differ in what they give: then nobody can say what a call gives."""
    for name, member in more.items():
        known = found.get(name, member)
        if known == _GUESSED:
            known = member
        elif member == _GUESSED:
            member = known
        results = member.results if _gives(known) == _gives(member) else ()
        found[name] = TypeMember(results, member.called, both(known.takes, member.takes))


def _gives(member: TypeMember) -> tuple[str, ...]:
    return tuple(each.name for each in member.results)


def _with_home(shape: Shape, home: str) -> Found:
    return {
        name: TypeMember(
            tuple(Written(each, home) for each in gives.types), gives.called, gives.takes
        )
        for name, gives in shape.members.items()
    }
