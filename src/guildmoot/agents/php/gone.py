"""Functions and members of PHP that a change takes away while files that it leaves alone still ask for them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.php.classes import PhpClass, all_members, classes_in
from guildmoot.agents.php.owners import owner_of
from guildmoot.agents.php.reading import (
    FUNCTION,
    MEMBER,
    Head,
    PhpAsk,
    asks_for,
    functions_of,
    read_head,
)
from guildmoot.agents.php.repository import IS_DATA, PhpRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_NAMES, _MOST_USERS, _SHORTEST = 20, 40, 6

Loss = tuple[str, str, int]
"""A name, and the file and line that still use it."""


def gone_php(
    before: Mapping[str, str], after: Mapping[str, str], around_of: Callable[[str], Around]
) -> Iterator[tuple[str, Loss]]:
    """Each with the path that declared it."""
    for path, old in sorted(before.items()):
        new = after.get(path, "")
        if not path.endswith(".php") or not new or IS_DATA.search(path):
            continue
        around = around_of(path)
        for owner, name in _gone(old, new)[:_MOST_NAMES]:
            users = [
                each for each in around.paths(name.removesuffix("()")) if each.endswith(".php")
            ]
            for user in users[:_MOST_USERS] if len(users) <= _MOST_USERS else ():
                line = 0 if IS_DATA.search(user) else _asks(owner, name, user, around_of(user))
                if line:
                    yield path, (name.removesuffix("()"), user, line)
                    break


def _gone(old: str, new: str) -> list[tuple[PhpClass | None, str]]:
    """Functions, and methods and constants with the class that had them and stays."""
    if old == new:
        return []
    then, now = (_classes(text) for text in (old, new))
    found: list[tuple[PhpClass | None, str]] = []
    for name, cls in then.items():
        kept = now.get(name)
        lost = cls.members - kept.members if kept is not None else frozenset[str]()
        found += [(cls, member) for member in sorted(lost) if not member.startswith("__")]
    methods = {member.removesuffix("()") for cls in then.values() for member in cls.members}
    functions = functions_of(old) - functions_of(new) - methods
    return found + [(None, name) for name in sorted(functions)]


def _classes(text: str) -> dict[str, PhpClass]:
    root = _tree(text)
    return {each.name: each for each in classes_in(root, read_head(root)) if each.name}


def _tree(text: str) -> Node:
    return parser("PHP").parse(text.encode("utf-8", "surrogatepass")).root_node


def _asks(cls: PhpClass | None, name: str, user: str, around: Around) -> int:
    """The line on which a file asks for what is gone; 0 where it does not."""
    text = around.text(user)
    root = _tree(text)
    head = read_head(root)
    repository = PhpRepository(around, text)
    word = name.removesuffix("()")
    for ask in asks_for(root, _spelt(text, word)):
        if cls is None:
            if ask.kind == FUNCTION and not ask.imported and not repository.declares_function(word):
                return ask.line
        elif ask.kind == MEMBER and _is_meant(ask, cls, name, head, repository):
            return ask.line
    return 0


def _spelt(text: str, word: str) -> set[str]:
    return set(re.findall(rf"(?i)(?<![\w$]){re.escape(word)}(?!\w)", text))


def _is_meant(ask: PhpAsk, cls: PhpClass, name: str, head: Head, repository: PhpRepository) -> bool:
    """Whether the class is asked, or one below it, and nothing gives the member any more."""
    around = ask.node.parent
    if around is None or around.type.endswith("call_expression") != name.endswith("()"):
        return False
    owner = owner_of(ask.node, head, repository)
    word = name.removesuffix("()")
    if owner is None:
        short = cls.name.rpartition("\\")[2]
        named = re.search(rf"\b{re.escape(short)}\b", repository.own) is not None
        plain = "scope" not in {
            around.field_name_for_child(at) for at in range(len(around.children))
        }
        return named and plain and len(word) >= _SHORTEST and not repository.declares_member(word)
    has = all_members(owner.cls, repository.find_class)
    if has.is_open or name in has.names or cls.name not in has.classes:
        return False
    return owner.is_exact or not repository.declares_member(word)
