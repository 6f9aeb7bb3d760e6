"""Types and members of Rust."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from guildmoot.agents.members.typed.model import (
    MemberAsk,
    Results,
    Shape,
    Types,
    View,
    Written,
)
from guildmoot.agents.members.typed.rust_asks import asks_of, is_type, is_variant
from guildmoot.agents.members.typed.rust_bindings import EACH, HELD, INNER, bound_to
from guildmoot.agents.members.typed.rust_names import (
    FUTURE,
    LISTS,
    MAPS,
    MAYBE,
    Declares,
    crate_of,
    home_of,
    parts_of,
    words,
    written,
)
from guildmoot.agents.members.typed.rust_shapes import (
    functions_of,
    owner_of,
    returned,
    shapes_of,
    type_text,
)
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_FILES = 60
_UNWRAPS = words("unwrap expect unwrap_or unwrap_or_else unwrap_or_default")
_SAME = words("""iter iter_mut into_iter drain rev skip filter cloned copied peekable clone as_ref as_mut take ok ok_or
    ok_or_else map_err or or_else to_vec as_slice to_owned inspect inspect_err""")
_ONE_OF = words(
    "first last get get_mut pop next first_mut last_mut pop_front pop_back find front back"
)
_TYPE_NODES = words(
    "type_identifier scoped_type_identifier generic_type reference_type generic_type_with_turbofish"
)
_KINDS = ("struct", "enum", "union", "trait", "type")
_HOLDERS = {INNER: MAYBE, EACH: LISTS, HELD: MAYBE | LISTS}
_THROUGH = frozenset(("reference_expression", "parenthesized_expression", "unary_expression"))


class RustTypes:
    """A type is declared in one file of its crate, and any file may implement more for it."""

    known: Mapping[str, Shape | None] = {}

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        return shapes_of(root)

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        return asks_of(root)

    def may_be_narrower(self, owner: Node) -> bool:
        """A trait may be implemented for all types at once."""
        return True

    def homes(self, written: Written, view: View) -> list[str]:
        home, name = home_of(written.name, written.path, view, _declares_type(view))
        if not home or name != written.name.rpartition(".")[2]:
            return []
        form = re.compile(rf"\bimpl\b[^;{{]*\b{re.escape(name)}\b")
        files = [each for each in view.holds(name) if each.endswith(".rs") and each != home]
        more = [each for each in files if crate_of(each) == crate_of(home)]
        more = [each for each in more if "impl" in view.text(each) and form.search(view.text(each))]
        return [home, *more] if len(more) <= _MOST_FILES else []

    def results(self, node: Node, path: str, types: Types) -> Results:
        kind = node.type
        if kind in _TYPE_NODES:
            return _result(type_text(node), path)
        if kind == "self":
            return _result(owner_of(node), path)
        if kind in ("identifier", "scoped_identifier"):
            return self._of_name(node, path, types)
        if kind in _THROUGH:
            return types.results(node.named_children[-1], path) if node.named_children else ()
        if kind in ("try_expression", "await_expression"):
            heads = MAYBE if kind == "try_expression" else {FUTURE}
            return _inside(types.results(node.named_children[0], path), heads)
        if kind == "struct_expression":
            return _made(node, path)
        if kind == "type_cast_expression":
            return _result(type_text(node.child_by_field_name("type")), path)
        if kind == "index_expression" and ".." not in text_of(node.named_children[-1]):
            return _inside(types.results(node.named_children[0], path), LISTS)
        if kind == "field_expression":
            return _member(node, path, types, "")
        return self._of_call(node, path, types) if kind == "call_expression" else ()

    def _of_name(self, node: Node, path: str, types: Types) -> Results:
        name = text_of(node)
        if node.type == "scoped_identifier":
            if name.rpartition("::")[2][:1].isupper():
                return _result(written(name), path) if not is_variant(node) else _enum(node, path)
            return ()
        bound = bound_to(node, name)
        if bound is None:
            own = owner_of(node) if name == "Self" else name
            return _result(own, path) if name[:1].isupper() else ()
        if bound.type is not None:
            return _part(_result(type_text(bound.type), path), bound.part)
        return _part(types.results(bound.value, path), bound.part) if bound.value else ()

    def _of_call(self, node: Node, path: str, types: Types) -> Results:
        called = node.child_by_field_name("function")
        if called is not None and called.type == "generic_function":
            called = called.child_by_field_name("function")
        if called is None:
            return ()
        if called.type == "field_expression":
            return _called(called, node, path, types)
        name = text_of(called)
        last = name.rpartition("::")[2]
        if called.type == "scoped_identifier" and not last[:1].isupper():
            owner = called.child_by_field_name("path")
            if owner is not None and is_type(owner):
                return _given(types, types.results(owner, path), f"::{last}")
        if last[:1].isupper():
            return types.results(called, path)
        if called.type not in ("identifier", "scoped_identifier") or bound_to(called, name):
            return ()
        found = function_at(name, path, types.view)
        return _result(returned(found[1]), found[0]) if found is not None else ()


def function_at(name: str, path: str, view: View) -> tuple[str, Node] | None:
    """The one function of the crate that a file calls so."""
    home, last = home_of(name.replace("::", "."), path, view, _declares_function(view))
    root = view.root(home) if home else None
    found = functions_of(root).get(last, []) if root is not None else []
    return (home, found[0]) if len(found) == 1 else None


def _declares_type(view: View) -> Declares:
    def declares(path: str, name: str) -> bool:
        shape = view.shapes(path).get(name) if _says(view.text(path), _KINDS, name) else None
        return shape is not None and shape.declared

    return declares


def _declares_function(view: View) -> Declares:
    def declares(path: str, name: str) -> bool:
        root = view.root(path) if _says(view.text(path), ("fn",), name) else None
        return root is not None and name in functions_of(root)

    return declares


def _says(text: str, kinds: tuple[str, ...], name: str) -> bool:
    return any(f"{kind} {name}" in text for kind in kinds)


def _result(name: str, path: str) -> Results:
    return (Written(name, path),) if name and name != "_" else ()


def _inside(of: Results, heads: frozenset[str] | set[str], at: int = 0) -> Results:
    """What a value of one of these types holds."""
    if len(of) != 1:
        return ()
    head, inner = parts_of(of[0].name)
    return _result(written(inner[at]), of[0].path) if head in heads and len(inner) > at else ()


def _part(of: Results, part: int) -> Results:
    return of if part == 0 else _inside(of, _HOLDERS[part])


def _given(types: Types, of: Results, name: str) -> Results:
    members = types.members(of[0]) if len(of) == 1 else None
    found = members.get(name) if members else None
    return found.results if found is not None else ()


def _member(node: Node, path: str, types: Types, sign: str) -> Results:
    owner, name = (node.child_by_field_name(each) for each in ("value", "field"))
    if owner is None or name is None:
        return ()
    return _given(types, types.results(owner, path), f"{text_of(name)}{sign}")


def _called(method: Node, call: Node, path: str, types: Types) -> Results:
    """What a method gives: those of the library are known by what they do to what a value holds."""
    owner, name = (method.child_by_field_name(each) for each in ("value", "field"))
    of = types.results(owner, path) if owner is not None else ()
    asked = text_of(name) if name is not None else ""
    if len(of) != 1:
        return ()
    head, inner = parts_of(of[0].name)
    if head in MAYBE and asked in _UNWRAPS:
        return _inside(of, MAYBE)
    if head in LISTS | MAYBE and asked in _SAME:
        return of
    plain = ".." not in text_of(call.child_by_field_name("arguments") or call)
    if head in LISTS and asked in _ONE_OF and plain:
        return _result(f"Option<{inner[0]}>", of[0].path) if inner else ()
    if head in MAPS and len(inner) > 1:
        is_one = asked in ("get", "get_mut", "remove")
        kind = "Option" if is_one else "Vec" if asked in ("values", "values_mut") else ""
        return _result(f"{kind}<{inner[1]}>", of[0].path) if kind else ()
    found = _given(types, of, f"{asked}()")
    return of if asked == "clone" and not found and types.members(of[0]) is not None else found


def _enum(node: Node, path: str) -> Results:
    """Of a variant, the type that has it."""
    owner = node.child_by_field_name("path")
    text = text_of(owner) if owner is not None else ""
    return _result(owner_of(node) if text == "Self" else written(text), path)


def _made(node: Node, path: str) -> Results:
    name = node.child_by_field_name("name")
    if name is None:
        return ()
    return _enum(name, path) if is_variant(name) else _result(type_text(name), path)
