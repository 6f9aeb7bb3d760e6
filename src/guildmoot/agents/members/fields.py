"""Fields that a change asks for and nothing can have, in Go and C. Pure.

A small letter at its beginning keeps a name of Go inside of its package. A struct of C takes nothing from another, so
what stands where a field of this repository stood must be declared in it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from guildmoot.agents.members.slips import replaced_word
from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = {"Go": ("selector_expression", "operand"), "C": ("field_expression", "argument")}
_MESSAGE = "`{}` is asked for here, and nothing declares it"
_WORD = lazy(r"[^\W\d]\w*")
_FIELD = r"[\w*\]]\s+\**{0}\s*(?:\[[^\]]*\]\s*)*[;,:]"


def unknown_fields(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such field once."""
    if language not in _KINDS:
        return
    kind, owner = _KINDS[language]
    then, now = text_of(before), text_of(after)
    new = set(_WORD.findall(now)) - set(_WORD.findall(then))
    asked: dict[str, list[Node]] = {}
    for node in walk(after) if new else ():
        field = node.child_by_field_name("field") if node.type == kind else None
        of = node.child_by_field_name(owner)
        if field is not None and of is not None and text_of(of) != "C" and text_of(field) in new:
            asked.setdefault(text_of(field), []).append(field)
    for name, nodes in asked.items():
        elsewhere = len(re.findall(rf"(?<!\w){name}(?!\w)", now)) > len(nodes)
        given = _go_gives if language == "Go" else _c_gives
        if not elsewhere and not given(name, then, now, around):
            yield name, line_of(nodes[0]), _MESSAGE.format(name)


def _go_gives(name: str, then: str, now: str, around: Around) -> bool:
    """Whether a file of the package holds the name, or it may come from elsewhere."""
    folder = posixpath.dirname(around.path)
    beside = (path for path in around.paths(name) if posixpath.dirname(path) == folder)
    return not name[:1].islower() or "//go:generate" in now or any(beside)


def _c_gives(name: str, then: str, now: str, around: Around) -> bool:
    """Whether the name stands in another file, or took the place of something that this repository does not declare."""
    meant = [was for was, new in map(replaced_word, passages(then, now)) if new == name]
    if len(meant) != 1 or around.paths(name):
        return True
    declares = re.compile(_FIELD.format(re.escape(meant[0])))
    return not any(map(declares.search, (now, *around.held(meant[0]))))
