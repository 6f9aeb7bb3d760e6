"""Names of C and C++ that a file reached by its includes, still uses, and reaches no longer. Pure.

Told only where a file of the repository, or a header everybody knows, surely gave the name before, and where nothing
that is included now may give it: no declaration of whatever kind, no macro, no file from elsewhere that is new.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.members.c_standard import NAMES, STANDARD, SYSTEM, brought_by, given_by
from guildmoot.agents.members.c_trees import c_tree
from guildmoot.agents.members.includes import (
    Reached,
    Side,
    changed_code,
    holders,
    includes_of,
    is_code,
    is_header,
)
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = lazy(r"[^\W\d]\w*")
_INSIDE = frozenset(
    ("linkage_specification", "declaration_list", "namespace_definition", "template_declaration")
)
_TAGS = frozenset(("struct_specifier", "union_specifier", "enum_specifier", "class_specifier"))
_CONDITIONS = frozenset(("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_else"))
_DECLARES = frozenset(("declaration", "function_definition", "type_definition"))
_MACROS = frozenset(("preproc_def", "preproc_function_def"))
_NAMED = frozenset(("identifier", "type_identifier", "namespace_identifier"))
_ASIDE = frozenset(("field_expression", "field_designator", "labeled_statement", "goto_statement"))
_BINDS = frozenset(
    (
        *_MACROS, "enumerator", "preproc_params", "preproc_defined", "alias_declaration", "using_declaration",
        "preproc_call", "ERROR", "type_parameter_declaration", *_CONDITIONS,
    )
)  # fmt: skip
_PLACES = frozenset(
    ("compound_statement", "init_declarator", "parameter_declaration", "declaration")
)
_MESSAGE, _AWAY = (
    "`{}` {} {}, and this line still uses it",
    "was reached by the include that is gone,",
)
Lost = tuple[str, int, str]
_MOST_NAMES, _MOST_USERS, _MOST_UNITS = 60, 40, 60


def gone_by_includes(change: ChangedCode) -> Iterator[Lost]:
    """A file, the line of it that uses such a name, and what is wrong."""
    if not any(map(is_code, change.before)):
        return
    then, now = Side(change, after=False), Side(change, after=True)
    for path in _users(change)[:_MOST_UNITS]:
        old, new = then.reach(path), now.reach(path)
        if old is None or new is None or path not in new.files:
            continue
        yield from _gone(path, old, new, change)
        yield from _gone_of_standard(path, old, new)


def _users(change: ChangedCode) -> list[str]:
    """Changed files, and those that may see another thing of a changed header."""
    found = dict.fromkeys(changed_code(change))
    for path in [each for each in found if is_header(each)]:
        old, new = change.before[path], change.after[path]
        gone = sorted(_declared(path, old).keys() - _declared(path, new).keys())
        if set(includes_of(old)) - set(includes_of(new)):
            gone.append(posixpath.basename(path))
        for users in holders(change, gone[-_MOST_NAMES:]).values():
            found.update(dict.fromkeys(sorted(users, key=is_header)[:_MOST_USERS]))
    return list(found)


def _gone(path: str, old: Reached, new: Reached, change: ChangedCode) -> Iterator[Lost]:
    """Names that files of the repository gave."""
    if new.outside - old.outside or _makes(new) > _makes(old):
        return
    words = set(_WORD.findall(new.files[path]))
    for home, text in old.files.items():
        if new.files.get(home) == text or (home == path and path.endswith(".c")):
            continue  # of itself, a file of C is read with its scopes
        gone = _declared(home, text).keys() - _declared(home, new.files.get(home, "")).keys()
        for name in sorted(gone & words - NAMES):
            line = _used(path, new.files, name)
            if line and not _may_be_given(path, name, new, change):
                why = "is gone from" if home in new.files else _AWAY
                yield path, line, _MESSAGE.format(name, why, home)


def _may_be_given(path: str, name: str, new: Reached, change: ChangedCode) -> bool:
    """Whether some build has it; who includes a header may give more."""
    others = [each for each in holders(change, [name])[name] if each not in new.files]
    texts = {each: change.after.get(each) or change.text(each) for each in others[:_MOST_USERS]}
    if any(_asks_for(text, name) for text in (*texts.values(), *new.files.values())):
        return True
    return is_header(path) and not _used(path, {**new.files, **texts}, name)


def _gone_of_standard(path: str, old: Reached, new: Reached) -> Iterator[Lost]:
    """Names that a standard header gave."""
    lost = (old.sure - new.outside) & STANDARD
    strange = {each for each in new.outside - STANDARD if not each.endswith("config.h")}
    if all(
        map(str.isidentifier, strange)
    ):  # those of C++ bring nothing of the system's files and sockets
        lost &= SYSTEM if strange else STANDARD
    elif strange:
        return
    if not lost or is_header(path):
        return
    given = frozenset[str]().union(*map(brought_by, new.outside & STANDARD))
    words = set(_WORD.findall(new.files[path]))
    for header in sorted(lost):
        for name in sorted((given_by(header) & words) - given):
            if line := _used(path, new.files, name):
                yield path, line, _MESSAGE.format(name, _AWAY, f"<{header}>")


def _asks_for(text: str, name: str) -> bool:
    """Whether a condition asks if there is such a name."""
    return re.search(rf"(?m)^[ \t]*#[ \t]*(?:el)?if[^\n]*\b{name}\b", text) is not None


def _makes(reached: Reached) -> int:
    return sum(text.count("##") for text in reached.files.values())


@lru_cache(maxsize=512)
def _declared(path: str, text: str) -> dict[str, Node]:
    """What a file gives in every build."""
    found: dict[str, Node] = {}
    root = c_tree(path, text)
    waiting = list(root.named_children) if root is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _INSIDE or (node.type == "preproc_ifdef" and _is_guard(node)):
            waiting += node.named_children
        elif node.type in _MACROS:
            found |= {text_of(each): node for each in node.children_by_field_name("name")}
        elif node.type in _DECLARES or node.type in _TAGS:
            found |= dict.fromkeys(_names(node), node)
    return found


def _is_guard(node: Node) -> bool:
    """Whether the condition only keeps a header from being read twice."""
    name, inner = node.child_by_field_name("name"), node.named_children
    body = next((each for each in inner if each.type in _MACROS), None)
    if name is None or body is None or body.child_by_field_name("value") is not None:
        return False
    return text_of(body.child_by_field_name("name") or body) == text_of(name)


def _names(node: Node) -> Iterator[str]:
    """What a declaration at the top gives: itself, types and the constants of an enum; in C++ a tag is a type."""
    for each in node.children_by_field_name("declarator"):
        inner: Node | None = each
        while inner is not None and inner.type.endswith("_declarator"):
            inner = inner.child_by_field_name("declarator")
        if inner is not None and inner.type in _NAMED:
            yield text_of(inner)
    kind = node if node.type in _TAGS else node.child_by_field_name("type")
    body = kind.child_by_field_name("body") if kind is not None else None
    if kind is None or body is None:
        return
    if kind.type == "class_specifier":
        yield from (text_of(each) for each in kind.children_by_field_name("name"))
    if kind.type == "enum_specifier":
        named = (each.child_by_field_name("name") for each in body.named_children)
        yield from (text_of(each) for each in named if each is not None)


def _used(path: str, files: dict[str, str], name: str) -> int:
    """The first line of the file that uses the name; 0 where something may declare it."""
    first = 0
    for each, text in files.items():
        for node in _places(each, text).get(name, ()) if name in text else ():
            kind = _kind(node, name)
            if kind == "declared":
                return 0
            if kind == "used" and each == path:
                first = first or line_of(node)
    return first


@lru_cache(maxsize=256)
def _places(path: str, text: str) -> dict[str, list[Node]]:
    """Where a file has each of its names, also in what macros stand for."""
    found: dict[str, list[Node]] = {}
    root = c_tree(path, text)
    for node in walk(root) if root is not None else ():
        if node.type in _NAMED:
            found.setdefault(text_of(node), []).append(node)
        elif node.type == "preproc_arg":
            for name in _WORD.findall(text_of(node)):
                found.setdefault(name, []).append(node)
    return found


def _kind(node: Node, name: str) -> str:
    """Whether a name is declared there, used, or neither can be said."""
    around = node.parent
    if around is None or node.type == "preproc_arg":
        made = re.search(rf"(?:[(,]\s*|[\w*]\s+\**){name}\b(?!\s*\()", text_of(node))
        return "declared" if made else ""
    if around.type in _ASIDE:
        return "used" if around.child_by_field_name("argument") == node else ""
    if around.type in _TAGS:
        body, cpp = around.child_by_field_name("body"), around.type == "class_specifier"
        return "declared" if body is not None or cpp else ""
    if around.type in _BINDS and around.child_by_field_name("value") != node:
        return "declared"
    declares = around.type.endswith("declarator") or around.type in (
        *_DECLARES,
        "parameter_declaration",
    )
    if declares and node in around.children_by_field_name("declarator"):
        return "declared"
    return _of_place(node)


def _of_place(node: Node) -> str:
    """A use counts in code of every build; a macro at the top of a file may do anything with a name."""
    around, sure, place = node.parent, True, node.type == "type_identifier"
    while around is not None:
        if around.type == "ERROR" and not place:
            return "declared"
        sure = sure and not (around.type in _CONDITIONS and not _is_guard(around))
        place = place or around.type in _PLACES
        around = around.parent
    return ("used" if sure else "") if place else "declared"
