"""Types and members of Go."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from itertools import chain

from guildmoot.agents.members.fit import Forms, Takes
from guildmoot.agents.members.typed.model import (
    Gives,
    MemberAsk,
    NameBinding,
    Results,
    Shape,
    Types,
    View,
    Written,
    bound_at,
    of_member,
)
from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.package_names import go_import_names
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_AROUND = frozenset(
    ("pointer_type", "parenthesized_type", "parenthesized_expression", "type_elem", "generic_type")
)
_FUNCTIONS = frozenset(("function_declaration", "method_declaration"))
_MOST_FILES = 60


class GoTypes:
    """Files of a folder give each other their types; methods may stand in any of them."""

    known: Mapping[str, Shape | None] = dict.fromkeys(KNOWN["Go"] | {"error", "any", "comparable"})

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        found: dict[str, Shape] = {}
        for node in root.named_children:
            if node.type == "type_declaration":
                for spec in node.named_children:
                    if name := _named(spec):
                        found[name] = _shape(spec)
        for node in root.named_children:
            receiver = node.child_by_field_name("receiver")
            if receiver is not None and receiver.named_children:
                owner = _plain(receiver.named_children[0].child_by_field_name("type"))
                shape = found.get(owner, Shape({}, declared=False))
                gives = _gives(node, _parameters(receiver))
                more = {_named(node): Gives(gives, called=True, takes=taken(node))}
                found[owner] = shape._replace(members={**shape.members, **more})
        return found

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        for node in walk(root):
            if node.type == "selector_expression":
                owner, field = _parts(node)
                if owner is not None and field is not None:
                    yield MemberAsk(owner, text_of(field), line_of(field))
            elif node.type == "composite_literal":
                yield from _keys(node)

    def may_be_narrower(self, owner: Node) -> bool:
        return False

    def homes(self, written: Written, view: View) -> list[str]:
        package, _, name = written.name.rpartition(".")
        folder = posixpath.dirname(written.path)
        files = [path for path in view.holds(name) if path.endswith(".go")]
        if package:
            folder = _folder_of(_imported(package, written.path, view), files)
            if not folder:
                return []
        here = [path for path in files if posixpath.dirname(path) == folder]
        return here if len(here) <= _MOST_FILES else []

    def binds(self, node: Node, name: str) -> NameBinding | None:
        if node.type == "parameter_list":
            return next(
                filter(None, (_parameter(each, name) for each in node.named_children)), None
            )
        if node.type in ("var_declaration", "const_declaration", "var_spec_list"):
            return next(
                filter(None, (self.binds(each, name) for each in node.named_children)), None
            )
        if node.type in ("var_spec", "const_spec"):
            names = list(map(text_of, node.children_by_field_name("name")))
            return _one_of(
                names, name, node.child_by_field_name("type"), node.child_by_field_name("value")
            )
        if node.type == "short_var_declaration":
            left = node.child_by_field_name("left")
            names = [text_of(each) for each in left.named_children] if left is not None else []
            return _one_of(names, name, None, node.child_by_field_name("right"))
        if node.type in ("range_clause", "receive_statement", "type_parameter_list"):
            return NameBinding() if name in _words(node) else None
        around = node.parent.type if node.parent is not None else ""
        is_alias = node.type == "expression_list" and around == "type_switch_statement"
        return NameBinding() if is_alias and name in _words(node) else None

    def results(self, node: Node, path: str, types: Types) -> Results:
        kind = node.type
        if kind in ("type_identifier", "qualified_type", "pointer_type", "generic_type"):
            return _typed(node, path)
        if kind in ("composite_literal", "type_assertion_expression"):
            return _typed(node.child_by_field_name("type"), path)
        if kind == "parenthesized_expression":
            return types.results(node.named_children[0], path) if node.named_children else ()
        if kind == "unary_expression" and text_of(node)[:1] in "&*":
            operand = node.child_by_field_name("operand")
            return types.results(operand, path) if operand is not None else ()
        if kind == "identifier":
            return self._of_name(node, path, types)
        if kind == "selector_expression":
            return _of_selector(node, path, types, called=False)
        return self._of_call(node, path, types) if kind == "call_expression" else ()

    def _of_name(self, node: Node, path: str, types: Types) -> Results:
        bound = bound_at(node, text_of(node), self.binds)
        if bound is None:
            return ()
        if bound.type is not None:
            return _typed(bound.type, path)
        if bound.value is None:
            return ()
        values = bound.value.named_children
        if len(values) == 1:
            found = types.results(values[0], path)
            return found[bound.part : bound.part + 1]
        return types.results(values[bound.part], path) if bound.part < len(values) else ()

    def _of_call(self, node: Node, path: str, types: Types) -> Results:
        called, given = (node.child_by_field_name(each) for each in ("function", "arguments"))
        if called is None:
            return ()
        owner, field = _parts(called)
        far = owner is not None and owner.type == "identifier" and field is not None
        if far and owner is not None and bound_at(owner, text_of(owner), self.binds) is None:
            return self._of_function(text_of(called), path, types.view)
        if called.type == "selector_expression":
            return _of_selector(called, path, types, called=True)
        name = text_of(called)
        if called.type != "identifier" or bound_at(called, name, self.binds) is not None:
            return ()
        if name == "new" and given is not None and given.named_children:
            return _typed(given.named_children[0], path)
        return self._of_function(name, path, types.view)

    def _of_function(self, written: str, path: str, view: View) -> Results:
        found = self.functions(written, path, view)
        if len(found) != 1:
            return ()
        home, function = found[0]
        return tuple(Written(each, home) for each in _gives(function, frozenset()))

    def functions(self, written: str, path: str, view: View) -> list[tuple[str, Node]]:
        """Those of this name at the top of a file."""
        name = written.rpartition(".")[2]
        return [
            (home, function)
            for home in self.homes(Written(written, path), view)
            if (root := view.root(home)) is not None
            for function in root.named_children
            if function.type == "function_declaration" and _named(function) == name
        ]


def _parts(node: Node) -> tuple[Node | None, Node | None]:
    """The owner and the member of a selector."""
    return node.child_by_field_name("operand"), node.child_by_field_name("field")


def _of_selector(node: Node, path: str, types: Types, *, called: bool) -> Results:
    owner, field = _parts(node)
    of = types.results(owner, path) if owner is not None else ()
    return of_member(types, of, text_of(field), called=called) if field is not None else ()


def _named(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None else ""


def _plain(node: Node | None) -> str:
    """The name of a type, of what a pointer leads to, and of a type with parameters; empty for others."""
    while node is not None and node.type in _AROUND and node.named_children:
        node = node.named_children[0]
    if node is None or node.type not in ("type_identifier", "qualified_type", "identifier"):
        return ""
    return text_of(node)


def _typed(node: Node | None, path: str) -> Results:
    name = _plain(node)
    if not name or node is None or name in _type_parameters(node) or _is_local(node, name):
        return ()
    return (Written(name, path),)


def _type_parameters(node: Node) -> frozenset[str]:
    """Of the function or the type around it."""
    around: Node | None = node
    found = set[str]()
    while around is not None:
        listed = around.child_by_field_name("type_parameters")
        found |= _words(listed) if listed is not None else set()
        receiver = around.child_by_field_name("receiver")
        found |= _parameters(receiver) if receiver is not None else set()
        around = around.parent
    return frozenset(found)


def _parameters(receiver: Node) -> frozenset[str]:
    given = [each for each in walk(receiver) if each.type == "type_arguments"]
    return frozenset(chain.from_iterable(map(_words, given)))


def _is_local(node: Node, name: str) -> bool:
    """Whether a function around it declares a type of this name."""
    around = node.parent
    while around is not None and around.type not in _FUNCTIONS:
        around = around.parent
    specs = walk(around) if around is not None else ()
    return any(each.type in ("type_spec", "type_alias") and _named(each) == name for each in specs)


def _words(node: Node) -> set[str]:
    return {text_of(each) for each in walk(node) if each.type in ("identifier", "type_identifier")}


def _gives(function: Node, parameters: frozenset[str]) -> tuple[str, ...]:
    """The types of what a function gives back."""
    result = function.child_by_field_name("result")
    listed = function.child_by_field_name("type_parameters")
    parameters = parameters | (_words(listed) if listed is not None else set())
    if result is None:
        return ()
    if result.type != "parameter_list":
        return (_unless(parameters, _plain(result)),)
    found: list[str] = []
    for each in result.named_children:
        names = each.children_by_field_name("name")
        found += [_unless(parameters, _plain(each.child_by_field_name("type")))] * (len(names) or 1)
    return tuple(found)


def taken(function: Node) -> Forms | None:
    """How many arguments it takes."""
    listed = function.child_by_field_name("parameters")
    kinds = [e for e in listed.named_children if e.type != "comment"] if listed is not None else []
    if listed is None or any(each.type != "parameter_declaration" for each in kinds):
        return None
    count = sum(len(each.children_by_field_name("name")) or 1 for each in kinds)
    return (Takes(count, count),)


def _unless(parameters: frozenset[str], name: str) -> str:
    return "" if name in parameters else name


def _shape(spec: Node) -> Shape:
    kind = spec.child_by_field_name("type")
    listed = spec.child_by_field_name("type_parameters")
    parameters = frozenset(_words(listed)) if listed is not None else frozenset[str]()
    if kind is None or spec.type == "type_alias":
        return Shape({}, open=True)
    if kind.type == "struct_type":
        return _struct(kind, parameters)
    if kind.type == "interface_type":
        methods = [each for each in kind.named_children if each.type == "method_elem"]
        takes = [_plain(each) for each in kind.named_children if each.type == "type_elem"]
        members = {
            _named(each): Gives(_gives(each, parameters), called=True, takes=taken(each))
            for each in methods
        }
        return Shape(members, tuple(takes), open="" in takes, alone=True)
    open_ = kind.type in ("type_identifier", "qualified_type", "generic_type", "pointer_type")
    return Shape({}, open=open_)


def _struct(kind: Node, parameters: frozenset[str]) -> Shape:
    members: dict[str, Gives] = {}
    takes: list[str] = []
    for field in (each for each in walk(kind) if each.type == "field_declaration"):
        if _depth(field, kind) > 1:
            continue
        name = _unless(parameters, _plain(field.child_by_field_name("type")))
        names = field.children_by_field_name("name")
        members.update({text_of(each): Gives((name,)) for each in names})
        if not names:
            takes.append(name)
            members[name.rpartition(".")[2]] = Gives((name,))
    return Shape(members, tuple(takes), open="" in takes)


def _depth(field: Node, kind: Node) -> int:
    """In how many structs of this one a field stands."""
    around, found = field.parent, 0
    while around is not None:
        found += around.type == "struct_type"
        if around == kind:
            return found
        around = around.parent
    return found


def _keys(literal: Node) -> Iterator[MemberAsk]:
    """Fields that a literal of a struct names."""
    kind, body = (literal.child_by_field_name(each) for each in ("type", "body"))
    if kind is None or body is None or not _plain(kind):
        return
    for each in body.named_children:
        key = each.child_by_field_name("key") if each.type == "keyed_element" else None
        inner = key.named_children[0] if key is not None and key.named_children else None
        if inner is not None and inner.type == "identifier":
            yield MemberAsk(kind, text_of(inner), line_of(inner))


def _parameter(node: Node, name: str) -> NameBinding | None:
    if name not in map(text_of, node.children_by_field_name("name")):
        return None
    plain = node.type == "parameter_declaration"
    return NameBinding(node.child_by_field_name("type") if plain else None)


def _one_of(
    names: list[str], name: str, kind: Node | None, value: Node | None
) -> NameBinding | None:
    return NameBinding(kind, value, names.index(name)) if name in names else None


def _folder_of(imported: str, files: list[str]) -> str:
    """The folder of the repository that an import names, if it holds one of the files."""
    folders = {posixpath.dirname(path) for path in files}
    ending = [each for each in folders if each and f"/{imported}".endswith(f"/{each}")]
    return max(ending, key=len, default="")


def _imported(package: str, path: str, view: View) -> str:
    """The path of an import by the name that a file gives it."""
    root = view.root(path)
    for node in walk(root) if root is not None else ():
        if node.type == "import_spec" and package in go_import_names(node):
            written = node.child_by_field_name("path")
            return text_of(written).strip('"`') if written is not None else ""
    return ""
