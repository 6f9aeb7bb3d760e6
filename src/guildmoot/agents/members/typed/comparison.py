"""A change in one language: both sides of it, and what is new."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeVar

from guildmoot.agents.members.c_trees import C_ENDINGS, c_tree
from guildmoot.agents.members.typed.model import (
    Gives,
    MemberAsk,
    Shape,
    TypedCall,
    TypedLanguage,
    View,
)
from guildmoot.agents.members.typed.repository import RepositoryTypes
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from guildmoot.agents.members.typed.rust_items import ItemAsk

Place = TypeVar("Place", MemberAsk, TypedCall, "ItemAsk")

LANGUAGES: dict[str | tuple[str, ...], str] = {
    ".go": "Go",
    ".java": "Java",
    ".ts": "TypeScript",
    ".tsx": "TSX",
    ".rs": "Rust",
    ".cs": "C#",
    C_ENDINGS: "C",
}
MOST_USERS = 40
_MOST_ASKS = 400
"""New places of one file: more are a new file of a known kind."""


def is_in(change: ChangedCode, ending: str | tuple[str, ...]) -> bool:
    return any(path.endswith(ending) for path in (*change.before, *change.after))


def typed_language(name: str) -> TypedLanguage:
    """Loaded for a change that holds it."""
    if name == "Go":
        from guildmoot.agents.members.typed.go import GoTypes

        return GoTypes()
    if name == "Java":
        from guildmoot.agents.members.typed.java import JavaTypes

        return JavaTypes()
    if name == "Rust":
        from guildmoot.agents.members.typed.rust import RustTypes

        return RustTypes()
    if name == "C#":
        from guildmoot.agents.members.typed.csharp import CSharpTypes

        return CSharpTypes()
    if name == "C":
        from guildmoot.agents.members.typed.c import CTypes

        return CTypes()
    from guildmoot.agents.members.typed.scripts import ScriptTypes

    return ScriptTypes()


class Comparison:
    """The types of both sides."""

    def __init__(
        self,
        name: str,
        ending: str | tuple[str, ...],
        change: ChangedCode,
    ) -> None:
        self.ending, self.change = ending, change
        self.language = language = typed_language(name)
        self.then, self.now = (
            RepositoryTypes(language, _view(name, language, side, change))
            for side in (change.before, change.after)
        )

    def new(self, path: str, places: Callable[[Node], Iterator[Place]]) -> list[Place]:
        """Those on lines that the file did not hold before."""
        now = self.now.view.root(path)
        if now is None:
            return []
        old = set(self.change.before.get(path, "").split("\n"))
        lines = enumerate(self.change.after[path].split("\n"), 1)
        new = {at for at, line in lines if line not in old}
        parts = [part for part in now.named_children if _touches(part, new)]
        asks = (each for part in parts for each in places(part))
        return [each for each in asks if each.line in new][:_MOST_ASKS]

    def altered(self, path: str, places: Callable[[Node], Iterator[Place]]) -> list[Place]:
        """Those of the parts that the file did not hold so before, on whatever line."""
        now, old = self.now.view.root(path), self.change.before.get(path, "")
        parts = now.named_children if now is not None else []
        return [each for part in parts if text_of(part) not in old for each in places(part)]

    def all_of(self, name: str) -> Iterator[Gives]:
        """Members of this name that values of other types may have; one that nobody knows if there are too many."""
        view = self.now.view
        paths = [path for path in view.holds(word_of(name)) if path.endswith(self.ending)]
        if len(paths) > MOST_USERS:
            yield Gives(())
        for path in paths[:MOST_USERS]:
            for shape in view.shapes(path).values():
                if shape.narrow and name in shape.members:
                    yield shape.members[name]

    def is_extension(self, name: str) -> bool:
        """Whether a function of the repository is called as if it were a member."""
        written = re.compile(
            rf"\b{re.escape(name)}\s*(?:<[^;{{}}]*?>)?\s*\(\s*(?:\[[^\]]*\]\s*)?this\s"
            r"|\bextension\s*(?:<[^;{}()]*>\s*)?\([^(){};]*\)\s*(?:where\b[^{};]*)?\{"
        )
        view = self.now.view
        return any(written.search(view.text(path)) for path in view.holds(name))


def word_of(member: str) -> str:
    return member.removesuffix("()").lstrip("#:*")


def _touches(node: Node, lines: set[int]) -> bool:
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    return any(first <= line <= last for line in lines)


def _view(name: str, language: TypedLanguage, side: Mapping[str, str], change: ChangedCode) -> View:
    changed = {*change.before, *change.after}

    def text(path: str) -> str:
        return side.get(path, "") if path in changed else change.text(path)

    @cache
    def holds(word: str) -> list[str]:
        here = [path for path, said in side.items() if word in said]
        return here + [path for path in change.users(word) if path not in changed]

    @cache
    def root(path: str) -> Node | None:
        if name == "C":
            return c_tree(path, text(path))
        if name == "Rust":
            from guildmoot.agents.members.rust_trees import rust_tree

            return rust_tree(path, text(path))
        data = text(path).encode("utf-8", "surrogatepass")
        tree = parse(name, path, data).tree if data else None
        return tree.root_node if tree is not None else None

    @cache
    def shapes(path: str) -> Mapping[str, Shape]:
        at = root(path)
        return language.shapes(at) if at is not None else {}

    return View(text, holds, root, shapes)
