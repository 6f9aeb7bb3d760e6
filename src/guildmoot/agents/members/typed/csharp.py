"""Types and members of C#. Types of one name count as one: parts, and those that differ in their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from guildmoot.agents.members.fit import Forms, Takes, both
from guildmoot.agents.members.typed.model import (
    MADE,
    Gives,
    MemberAsk,
    NameBinding,
    Results,
    Shape,
    Types,
    View,
    Written,
    joined,
    of_member,
)
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.scopes.csharp_types import (
    KINDS,
    DeclaredType,
    declared_types,
    named,
    plain,
    seen,
    types_of,
    usings,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_OF_ALL = (
    "Equals GetHashCode GetType ToString ReferenceEquals MemberwiseClone"
    " Value HasValue GetValueOrDefault"  # of what may be null
)
_OF_RECORDS = "Deconstruct PrintMembers EqualityContract"
_OF_ENUMS = "HasFlag CompareTo GetTypeCode Parse TryParse GetValues GetNames"
_OF_ERRORS = "Message InnerException StackTrace Data HelpLink HResult Source TargetSite GetBaseException GetObjectData"
_FUNCTIONS = frozenset(
    (
        *("method_declaration", "constructor_declaration", "accessor_declaration"),
        *("property_declaration", "operator_declaration", "conversion_operator_declaration"),
        *("indexer_declaration", "field_declaration", "destructor_declaration"),
    )
)
_BINDERS = frozenset(
    (
        *("variable_declarator", "parameter", "declaration_pattern", "declaration_expression"),
        *(
            "catch_declaration",
            "recursive_pattern",
            "foreach_statement",
            "from_clause",
            "join_clause",
        ),
        *(
            "let_clause",
            "join_into_clause",
            "query_expression",
            "tuple_pattern",
            "lambda_expression",
        ),
        *("parameter_list", "var_pattern", "parenthesized_variable_designation", "list_pattern"),
        "local_function_statement",
    )
)


def _given(words: str) -> Shape:
    listed = f"{words} {_OF_ALL}".split()
    return Shape({word: Gives(("",)) for word in listed})


class CSharpTypes:
    """A type is found in the namespaces that the file sees which names it."""

    known: Mapping[str, Shape | None] = {
        **dict.fromkeys(
            ("object", "Object", "ICloneable", "IEquatable", "IComparable"),
            _given("CompareTo Clone"),
        ),
        "IDisposable": _given("Dispose"),
        "IAsyncDisposable": _given("DisposeAsync"),
        **dict.fromkeys(
            ("Exception", "InvalidOperationException", "ArgumentException"),
            _given(f"{_OF_ERRORS} ParamName"),
        ),
    }

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        found: dict[str, Shape] = {}
        for each in declared_types(root):
            shape, past = _shape(each), found.get(each.name)
            if past is not None:
                takes = tuple(dict.fromkeys((*past.takes, *shape.takes)))
                members = {
                    name: joined(past.members.get(name, gives), gives)
                    for name, gives in shape.members.items()
                }
                makes = both(past.makes, shape.makes)
                shape = Shape(
                    {**past.members, **members}, takes, open=past.open or shape.open, makes=makes
                )
            found[each.name] = shape
        return found

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        for node in walk(root):
            if node.type == "member_access_expression":
                owner, name = (node.child_by_field_name(each) for each in ("expression", "name"))
                if owner is not None and name is not None and not node.has_error:
                    word = text_of(name).partition("<")[0]
                    yield MemberAsk(owner, word, line_of(name), extended=_is_called(node))
            elif node.type == "conditional_access_expression" and len(node.named_children) == 2:
                owner, bound = node.named_children
                name = bound.child_by_field_name("name")
                if bound.type == "member_binding_expression" and name is not None:
                    word = text_of(name).partition("<")[0]
                    yield MemberAsk(owner, word, line_of(name), extended=_is_called(node))
            elif node.type == "object_creation_expression":
                yield from _set_there(node)

    def may_be_narrower(self, owner: Node) -> bool:
        return False

    def homes(self, written: Written, view: View) -> list[str]:
        outer, _, name = written.name.rpartition(".")
        text = view.text(written.path)
        here = [each for each in types_of(text) if each.name == name]
        declares = re.compile(
            rf"\b(?:class|struct|interface|enum|record|delegate\b.*)\s+{re.escape(name)}\b"
        )
        files = [
            path
            for path in view.holds(name)
            if path.endswith(".cs") and declares.search(view.text(path))
        ]
        if re.search(rf"(?m)^\s*(?:global\s+)?using\s+{re.escape(name)}\s*=", text):
            return []
        visible = seen(text) | {each.namespace for each in here}
        named_so = [
            (path, each)
            for path in dict.fromkeys((written.path, *files))
            for each in types_of(view.text(path))
            if each.name == name
        ]
        found = {
            path: each
            for path, each in named_so
            if _is_seen(each, outer, visible, path == written.path)
        }
        hidden = any(each.inner and path not in found for path, each in named_so)
        alone = len(found) == 1 and any(each.partial for each in found.values())
        return [] if alone or (hidden and not here) else list(found)

    def binds(self, node: Node, name: str) -> NameBinding | None:
        """Whether a node declares the name; nothing is known of most that do."""
        if node.type not in _BINDERS:
            return None
        kind = node.child_by_field_name("type")
        if node.type == "foreach_statement":
            left = node.child_by_field_name("left")
            return NameBinding(kind) if left is not None and text_of(left) == name else None
        if node.type == "variable_declarator" and named(node) == name:
            kind = node.parent.child_by_field_name("type") if node.parent is not None else None
            implicit = kind is None or kind.type == "implicit_type"
            return NameBinding(
                None if implicit else kind, node.named_children[-1] if implicit else None
            )
        if named(node) == name:
            listed = node.type in ("local_function_statement", "from_clause", "parameter_list")
            return NameBinding(None if listed else kind)
        words = [
            each
            for each in node.named_children
            if each.type in ("identifier", "implicit_parameter")
        ]
        loose = node.type not in (
            "foreach_statement",
            "variable_declarator",
            "parameter",
            "catch_declaration",
        )
        return NameBinding() if loose and name in map(text_of, words) else None

    def results(self, node: Node, path: str, types: Types) -> Results:
        kind = node.type
        if kind in ("parenthesized_expression", "postfix_unary_expression"):
            return types.results(node.named_children[0], path) if node.named_children else ()
        if kind in ("object_creation_expression", "cast_expression"):
            return _typed(node.child_by_field_name("type"), path)
        if kind == "as_expression":
            return _typed(node.child_by_field_name("right"), path)
        if kind == "this":
            return tuple(Written(each, path) for each in enclosing(node)[:1])
        if kind == "identifier":
            return self._of_name(node, path, types)
        if (
            kind == "generic_name"
            and node.parent is not None
            and node.parent.type != "invocation_expression"
        ):
            return _typed(node, path)
        if kind == "member_access_expression":
            return _of_asked(node, path, types, called=False)
        if kind == "invocation_expression":
            function = node.child_by_field_name("function")
            if function is not None and function.type == "member_access_expression":
                return _of_asked(function, path, types, called=True)
            if function is not None and function.type == "identifier":
                bound = self.bound(function, text_of(function))
                own = _own(function, text_of(function), path, types, called=True)
                return own or () if not bound else ()
        return ()

    def _of_name(self, node: Node, path: str, types: Types) -> Results:
        name = text_of(node)
        around = node.parent
        if around is not None and around.type == "object_creation_expression":
            return _typed(node, path)
        bound = self.bound(node, name)
        if len(bound) > 1 and len({text_of(each.type) if each.type else "" for each in bound}) > 1:
            return ()
        if bound:
            if bound[0].type is not None:
                return _typed(bound[0].type, path)
            single = len(bound) == 1 and bound[0].value is not None
            return types.results(bound[0].value, path) if single and bound[0].value else ()
        own = _own(node, name, path, types, called=False)
        if own is None or own:
            return own or ()
        text = types.view.text(path)
        if usings(text, static=True) or any(name in each.split(".") for each in seen(text)):
            return ()
        is_type = name[:1].isupper() and name not in type_parameters(node)
        return (Written(name, path),) if is_type else ()

    def bound(self, node: Node, name: str) -> list[NameBinding]:
        """All that declares the name in the member around it, and in the head of the type."""
        around, found = node.parent, list[NameBinding]()
        while around is not None:
            if around.type in _FUNCTIONS or around.type == "global_statement":
                found += [b for each in walk(around) if (b := self.binds(each, name)) is not None]
            elif around.type in KINDS:
                heads = [each for each in around.named_children if each.type == "parameter_list"]
                parts = [each for head in heads for each in (head, *head.named_children)]
                found += [b for each in parts if (b := self.binds(each, name)) is not None]
            around = around.parent
        return found


def _shape(declared: DeclaredType) -> Shape:
    words = f"{_OF_ALL} {_OF_RECORDS if declared.kind == 'record' else ''}"
    words += f" {_OF_ENUMS}" if declared.kind == "enum" else ""
    members = {word: Gives(("",)) for word in words.split()}
    for name, listed in declared.members.items():
        for each in listed:
            gives = Gives((each.type,), each.called, each.takes, each.own)
            members[name] = joined(members.get(name, gives), gives)
    opened = declared.kind == "delegate" or (declared.partial and declared.made)
    bases = () if declared.kind == "enum" else declared.bases
    return Shape(members, bases, open=opened or "" in bases, makes=_makes(declared))


def _makes(declared: DeclaredType) -> Forms | None:
    """What a type takes to be made; a struct, and a record that may be one, can always be made of nothing."""
    made = declared.partial and declared.made
    if declared.kind not in ("class", "struct", "record") or made:
        return None
    forms: Forms | None = () if declared.kind == "class" else (Takes(0, 0),)
    for each in declared.members.get(MADE, ()):
        forms = both(forms, each.takes)
    return forms


def _is_seen(each: DeclaredType, outer: str, visible: frozenset[str], here: bool) -> bool:
    if outer:
        whole = f".{each.namespace}"
        return whole.endswith(f".{outer}") or (each.inner and here)
    return each.namespace in visible and (here or not each.inner or each.partial)


def _typed(node: Node | None, path: str) -> Results:
    name = plain(node)
    if not name or node is None or name in type_parameters(node):
        return ()
    return (Written(name, path),)


def type_parameters(node: Node) -> set[str]:
    found, around = set[str](), node.parent
    while around is not None:
        for listed in around.named_children:
            if listed.type == "type_parameter_list":
                found |= {named(each) for each in listed.named_children}
        around = around.parent
    return found


def enclosing(node: Node) -> list[str]:
    """The types around it, the nearest first."""
    found, around = list[str](), node.parent
    while around is not None:
        if around.type in KINDS:
            found.append(named(around))
        around = around.parent
    return found


def _own(node: Node, name: str, path: str, types: Types, *, called: bool) -> Results | None:
    """What a member of a type around it gives; None where nobody can say whether one has it."""
    for owner in enclosing(node):
        members = types.members(Written(owner, path))
        if members is None:
            return None
        if name in members:
            return of_member(types, (Written(owner, path),), name, called=called) or None
    return ()


def _of_asked(node: Node, path: str, types: Types, *, called: bool) -> Results:
    owner, name = (node.child_by_field_name(each) for each in ("expression", "name"))
    if owner is None or name is None or name.type != "identifier":
        return ()
    return of_member(types, types.results(owner, path), text_of(name), called=called)


def _is_called(node: Node) -> bool:
    around = node.parent
    return (
        around is not None
        and around.type == "invocation_expression"
        and around.child_by_field_name("function") == node
    )


def _set_there(node: Node) -> Iterator[MemberAsk]:
    """Members that an initializer names."""
    kind, body = (node.child_by_field_name(each) for each in ("type", "initializer"))
    if kind is None or body is None or not plain(kind):
        return
    for each in body.named_children:
        left = each.child_by_field_name("left") if each.type == "assignment_expression" else None
        if left is not None and left.type == "identifier":
            yield MemberAsk(kind, text_of(left), line_of(left))
