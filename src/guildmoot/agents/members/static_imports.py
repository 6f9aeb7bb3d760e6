"""Calls in Java of what a type no longer has, all of which a file imports (``import static shop.Till.*``). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.typed.java import enclosing
from guildmoot.agents.members.typed.model import Types, Written
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ALL_OF = lazy(r"(?m)^[ \t]*import[ \t]+static[ \t]+([\w.]+)\.\*[ \t]*;")


def lost_calls(
    root: Node, name: str, path: str, then: Types, now: Types
) -> Iterator[tuple[int, str]]:
    """The line of each, and the type that had the method: no other import and no type around a call may have it."""
    text = now.view.text(path)
    one = re.search(
        rf"(?m)^[ \t]*import[ \t]+static[ \t]+[\w.]+\.{re.escape(name[:-2])}[ \t]*;", text
    )
    owners = [Written(each, path) for each in _ALL_OF.findall(text)]
    had = [each for each in owners if name in (then.members(each) or {})]
    if one or not had or not all(_lacks(each, name, now) for each in owners):
        return
    for node in walk(root):
        called = node.child_by_field_name("name") if node.type == "method_invocation" else None
        if called is None or node.child_by_field_name("object") or text_of(called) != name[:-2]:
            continue
        if all(_lacks(Written(each, path), name, now) for each in enclosing(node)):
            yield line_of(called), had[0].name


def _lacks(written: Written, name: str, types: Types) -> bool:
    members = types.members(written)
    return members is not None and name not in members
