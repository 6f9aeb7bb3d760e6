"""Members that a change takes from a type or asks a type for in vain. Pure.

Told is only what a reader could look up: the owner's type is written down (a parameter, a field, a literal, what a
function of the repository gives back), the repository declares that type with all it takes from others, and the
member is not there. What was so before the change is not told.
"""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.members.disowned import is_disowned
from guildmoot.agents.members.typed.comparison import (
    LANGUAGES,
    MOST_USERS,
    Comparison,
    is_in,
    word_of,
)
from guildmoot.agents.members.typed.model import MORE, MemberAsk
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.walk import text_of
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class MissingMember(NamedTuple):
    """A member that is asked for and is not there."""

    path: str
    line: int
    name: str
    owner: str


def missing_members(change: ChangedCode) -> Iterator[MissingMember]:
    """Each member once for each file that asks for it."""
    for ending, name in LANGUAGES.items():
        if is_in(change, ending):
            found = _Losses(name, ending, change).missing()
            yield from {(each.path, each.name): each for each in found}.values()


def missing_items(change: ChangedCode) -> Iterator[MissingMember]:
    """Items of Rust that a module of the crate does not have, each once for each file that asks for it."""
    if is_in(change, ".rs"):
        found = _Losses("Rust", ".rs", change).items()
        yield from {(each.path, each.name): each for each in found}.values()


class _Losses(Comparison):
    """A change in one language."""

    def __init__(self, name: str, ending: str | tuple[str, ...], change: ChangedCode) -> None:
        super().__init__(name, ending, change)
        self._kept: dict[str, list[MemberAsk]] = {}

    def missing(self) -> Iterator[MissingMember]:
        for path in sorted(self.change.after):
            if path.endswith(self.ending):
                yield from self._asked(path, self._new_asks(path), new=True)
        for name in sorted(self._gone()):
            for path in self.now.view.holds(word_of(name))[:MOST_USERS]:
                root = self.now.view.root(path) if path.endswith(self.ending) else None
                meant = [each for each in self._all_asks(path, root) if _is_meant(each, name)]
                yield from self._asked(path, meant)
                if root is not None and self.ending == ".java":
                    yield from self._called_by_import(path, root, name)

    def items(self) -> Iterator[MissingMember]:
        from guildmoot.agents.members.typed.rust_items import item_asks, items_of, lacks

        view, gone = self.now.view, set[str]()
        asked = [(path, self.new(path, item_asks)) for path in sorted(self.change.after)]
        for path in self.change.before.keys() & self.change.after.keys():
            old, new = self.then.view.root(path), view.root(path)
            if path.endswith(".rs") and old is not None and new is not None:
                gone |= items_of(old) - items_of(new)
        for name in sorted(gone):
            for path in view.holds(name)[:MOST_USERS]:
                root = view.root(path) if path.endswith(".rs") else None
                held = item_asks(root) if root is not None else ()
                asked.append((path, [each for each in held if each.name == name]))
        for path, asks in asked:
            for ask in asks if path.endswith(".rs") else ():
                if lacks(ask, path, view):
                    yield MissingMember(path, ask.line, ask.name, "::".join(ask.module))

    def _new_asks(self, path: str) -> list[MemberAsk]:
        return self.new(path, self.language.asks)

    def _all_asks(self, path: str, root: Node | None) -> list[MemberAsk]:
        """Read once, for many names may be gone."""
        if path not in self._kept:
            self._kept[path] = [*self.language.asks(root)] if root is not None else []
        return self._kept[path]

    def _gone(self) -> set[str]:
        """Members of types that the changed files declare no longer."""
        found = set[str]()
        for path in self.change.before:
            then, now = (each.view for each in (self.then, self.now))
            unread = path in self.change.after and now.root(path) is None
            if unread or not path.endswith(self.ending):
                continue
            left, had = now.shapes(path), then.shapes(path)
            new = [left[owner].members.keys() for owner in left if owner not in had]
            for owner, shape in had.items():
                if owner not in left and shape.members.keys() in new:
                    continue  # renamed as it is: that the type is gone is told of those who use it
                kept = left[owner].members if owner in left else {}
                found |= shape.members.keys() - kept.keys()
        return found

    def _asked(
        self, path: str, asks: list[MemberAsk], *, new: bool = False
    ) -> Iterator[MissingMember]:
        for ask in asks:
            of = self.now.results(ask.owner, path)
            if new and ask.extended and of and of[0].name != text_of(ask.owner):
                continue
            members = self.now.members(of[0]) if len(of) == 1 else None
            if len(of) == 1 and members is None and is_disowned(ask, of[0], self.then, self.now):
                yield MissingMember(path, ask.line, ask.name, of[0].name)
            if members is None or ask.name in members or self._may_be(ask):
                continue
            then = self.then.members(of[0]) or {}
            gone = ask.name in then and ask.unless in then  # nothing new that might give it
            if gone or ask.unless not in members:
                yield MissingMember(path, ask.line, ask.name.lstrip(":"), of[0].name)

    def _called_by_import(self, path: str, root: Node, name: str) -> Iterator[MissingMember]:
        from guildmoot.agents.members.static_imports import lost_calls

        for line, owner in lost_calls(root, name, path, self.then, self.now):
            yield MissingMember(path, line, name, owner)

    def _may_be(self, ask: MemberAsk) -> bool:
        """Whether another type has such a member, and the value may be known to be of it."""
        if self.ending == ".cs" and self.is_extension(ask.name):
            return True
        if not self.language.may_be_narrower(ask.owner):
            return False
        return any(True for _ in self.all_of(ask.name))


def _is_meant(ask: MemberAsk, name: str) -> bool:
    """Whether the ask is for the member, or for one that this member may stand for."""
    return ask.name == name or ask.unless == name != MORE
