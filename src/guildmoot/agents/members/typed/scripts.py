"""Types and members of TypeScript, where annotations tell them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from guildmoot.agents.members.fit import Forms, Takes, both
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
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = frozenset(("class_declaration", "abstract_class_declaration"))
_TYPES = _CLASSES | {"interface_declaration", "type_alias_declaration", "enum_declaration"}
_OF_ALL = (
    "constructor toString valueOf hasOwnProperty isPrototypeOf toLocaleString propertyIsEnumerable"
    " prototype name length call apply bind should"
)
_OF_ENUMS = (
    "toLowerCase toUpperCase includes startsWith endsWith split replace replaceAll slice indexOf trim at"
    " padStart padEnd charAt charCodeAt concat match substring toFixed localeCompare repeat lastIndexOf"
)
_OPENS = frozenset(
    ("index_signature", "call_signature", "construct_signature", "ERROR", "decorator")
)
_ENDINGS = (".ts", ".tsx", "/index.ts", "/index.tsx")
_FROM = r"""\b(?:import|export)\b[^;'"]*?\{{[^}}]*(?<![\w$]){0}\s*(?:,[^}}]*)?\}}\s*from\s*['"](\.[^'"]*)['"]"""
_DEFAULT = r"""\bimport\s+(?:type\s+)?{0}\s*(?:,\s*\{{[^}}]*\}}\s*)?from\s*['"](\.[^'"]*)['"]"""
_ALL_FROM = re.compile(r"""\bexport\s*\*\s*from\s*['"](\.[^'"]*)['"]""")
_SET = re.compile(r"\bthis\.([\w$#]+)\s*(?:\?\?|\|\|)?=(?!=)")
"""Members that a class gives itself."""
_MOST_STEPS = 3


class ScriptTypes:
    """A type is found in its file, or by relative imports and what these export again."""

    known: Mapping[str, Shape | None] = dict.fromkeys(
        (
            *("string", "number", "Array", "Promise", "Record", "Map", "Set", "Date", "Error"),
            *("Partial", "Readonly", "Function", "Object", "String", "Number", "RegExp"),
        )
    )

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        found: dict[str, Shape] = {}
        others = set(_OTHER.findall(text_of(root)))
        for node in filter(None, map(_declaration, root.named_children)):
            name, shape = _named(node), _shape(node)
            twice = name in found or name in others
            makes = None if twice else shape.makes
            found[name] = shape._replace(open=shape.open or twice, makes=makes)
        return found

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        for node in walk(root):
            if node.type == "member_expression":
                owner, name = (node.child_by_field_name(each) for each in ("object", "property"))
                if owner is not None and name is not None:
                    yield MemberAsk(owner, text_of(name), line_of(name))

    def may_be_narrower(self, owner: Node) -> bool:
        return owner.type != "this" and not (owner.type == "identifier" and _is_upper(owner))

    def homes(self, written: Written, view: View) -> list[str]:
        home = _home(written, view, 0)
        if not home or home.endswith(".d.ts"):
            return []
        adds = re.compile(rf"\binterface\s+{re.escape(written.name)}\b")
        declaring = (view.text(path) for path in view.holds("declare") if path != home)
        return [] if any(map(adds.search, declaring)) else [home]

    def binds(self, node: Node, name: str) -> NameBinding | None:
        kind = node.type
        if kind in ("lexical_declaration", "variable_declaration", "formal_parameters"):
            return next(
                filter(None, (self.binds(each, name) for each in node.named_children)), None
            )
        if kind == "export_statement":
            return next(
                filter(None, (self.binds(each, name) for each in node.named_children)), None
            )
        if kind in ("variable_declarator", "required_parameter", "optional_parameter"):
            return _declared(node, name)
        if kind in ("function_declaration", "generator_function_declaration", "function_signature"):
            return NameBinding() if _named(node) == name else None
        around = node.parent.type if node.parent is not None else ""
        if around in ("arrow_function", "for_in_statement", "catch_clause"):
            return NameBinding() if name in _words(node) and not _is_block(node) else None
        return None

    def results(self, node: Node, path: str, types: Types) -> Results:
        kind = node.type
        if kind in ("parenthesized_expression", "non_null_expression"):
            return types.results(node.named_children[0], path) if node.named_children else ()
        if kind in ("as_expression", "satisfies_expression"):
            return _typed(node.named_children[-1], path)
        if kind == "new_expression":
            made = node.child_by_field_name("constructor")
            plain = made is not None and made.type == "identifier"
            return types.results(made, path) if made is not None and plain else ()
        if kind == "this":
            return tuple(Written(each, path) for each in (_owner(node),) if each)
        if kind == "identifier":
            return self._of_name(node, path, types)
        called = kind == "call_expression"
        asked = node.child_by_field_name("function") if called else node
        if called and asked is not None and asked.type == "identifier":
            return self._of_function(asked, path, types.view)
        if asked is None or asked.type != "member_expression":
            return ()
        owner, name = (asked.child_by_field_name(each) for each in ("object", "property"))
        if owner is None or name is None:
            return ()
        if owner.type == "this" and (value := _called_for(asked, text_of(name))) and not called:
            return types.results(value, path)
        return of_member(types, types.results(owner, path), text_of(name), called=called)

    def _of_name(self, node: Node, path: str, types: Types) -> Results:
        name = text_of(node)
        bound = bound_at(node, name, self.binds)
        if bound is None:
            return (Written(name, path),) if self._is_class(name, path, types.view) else ()
        if bound.type is not None:
            return _typed(bound.type, path)
        return types.results(bound.value, path) if bound.value is not None else ()

    def _of_function(self, called: Node, path: str, view: View) -> Results:
        """What is written that a function gives, which is imported by its own name and declared once."""
        name = text_of(called)
        renamed = re.search(rf"\bas\s+{re.escape(name)}\b", view.text(path))
        if renamed or bound_at(called, name, self.binds) is not None:
            return ()
        found = [
            (home, function)
            for home in imported_from(name, path, view)
            for function in _functions(view.root(home), name)
        ]
        if len(found) != 1:
            return ()
        return _typed(found[0][1].child_by_field_name("return_type"), found[0][0])

    def _is_class(self, name: str, path: str, view: View) -> bool:
        """Whether the name of a value is that of a class or an enumeration."""
        home = _home(Written(name, path), view, 0) if name[:1].isupper() else ""
        return bool(home) and bool(
            re.search(rf"\b(?:class|enum)\s+{re.escape(name)}\b", view.text(home))
        )


_OTHER = re.compile(r"\b(?:const|let|var|function|namespace|module)\s+(\w+)")
"""What else may bear the name of a type, and give it members."""


def _is_upper(node: Node) -> bool:
    return text_of(node)[:1].isupper()


def _named(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None else ""


def _words(node: Node) -> set[str]:
    names = ("identifier", "shorthand_property_identifier_pattern")
    return {text_of(each) for each in walk(node) if each.type in names}


def _is_block(node: Node) -> bool:
    return node.type in ("statement_block", "formal_parameters", "type_parameters")


def _plain(node: Node | None) -> str:
    """The name of a type, without null and undefined; empty for others."""
    while node is not None and node.type in ("type_annotation", "parenthesized_type"):
        node = node.named_children[0] if node.named_children else None
    if node is not None and node.type == "union_type":
        kinds = [each for each in node.named_children if text_of(each) not in ("null", "undefined")]
        return _plain(kinds[0]) if len(kinds) == 1 else ""
    if node is not None and node.type == "generic_type":
        node = node.child_by_field_name("name")
    return text_of(node) if node is not None and node.type == "type_identifier" else ""


def _typed(node: Node | None, path: str) -> Results:
    name = _plain(node)
    if not name or node is None or name in _type_parameters(node):
        return ()
    return (Written(name, path),)


def _type_parameters(node: Node | None) -> set[str]:
    found = set[str]()
    while node is not None:
        listed = node.child_by_field_name("type_parameters")
        found |= {_named(each) for each in listed.named_children} if listed is not None else set()
        node = node.parent
    return found


def _owner(node: Node) -> str:
    """The class whose ``this`` it is."""
    around = node.parent
    while around is not None and around.type not in ("class_body", "object"):
        if around.type.startswith(("function", "generator_function")):
            return ""
        around = around.parent
    owner = around.parent if around is not None and around.type == "class_body" else None
    return _named(owner) if owner is not None and owner.type in _CLASSES else ""


def _called_for(asked: Node, name: str) -> Node | None:
    """The call whose result a class gives its field at once, where no type is written."""
    around = asked.parent
    while around is not None and around.type != "class_body":
        around = around.parent
    for part in around.named_children if around is not None and _owner(asked) else ():
        value = part.child_by_field_name("value")
        plain = _named(part) == name and part.child_by_field_name("type") is None
        if plain and value is not None and value.type == "call_expression":
            return value
    return None


def _functions(root: Node | None, name: str) -> Iterator[Node]:
    for node in root.named_children if root is not None else ():
        inner = node.child_by_field_name("declaration") or node
        if inner.type in ("function_declaration", "function_signature") and _named(inner) == name:
            yield inner


def _declaration(node: Node) -> Node | None:
    """The type that a statement at the top of a file declares."""
    inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
    return inner if inner is not None and inner.type in _TYPES else None


def _declared(node: Node, name: str) -> NameBinding | None:
    pattern = node.child_by_field_name("name") or node.child_by_field_name("pattern")
    if pattern is None or name not in _words(pattern):
        return None
    if pattern.type != "identifier":
        return NameBinding()
    kind = node.child_by_field_name("type")
    return (
        NameBinding(kind)
        if kind is not None
        else NameBinding(value=node.child_by_field_name("value"))
    )


def _shape(node: Node) -> Shape:
    own = _type_parameters(node)
    body = node.child_by_field_name("body") or node.child_by_field_name("value")
    members = {word: Gives(("",)) for word in _OF_ALL.split()}
    if body is None or body.type not in (
        "class_body",
        "interface_body",
        "object_type",
        "enum_body",
    ):
        return Shape({}, open=True)
    if body.type == "enum_body":
        names = [_named(each) or text_of(each) for each in body.named_children]
        return Shape(members | {word: Gives(("",)) for word in (*_OF_ENUMS.split(), *names)})
    opens = any(each.type in _OPENS for each in (*body.named_children, *node.named_children))
    for part in body.named_children:
        for name, gives in _members(part, own):
            same = members.get(name, gives) == gives
            members[name] = gives if same else Gives(("",), gives.called)
    for name in _SET.findall(text_of(body)) if body.type == "class_body" else ():
        members.setdefault(name, Gives(("",)))
    takes = tuple(_supers(node))
    return Shape(members, takes, open=opens or "" in takes, makes=_makes(node, body))


def _makes(node: Node, body: Node) -> Forms | None:
    """What a class takes to be made; one that takes after another may have its constructor."""
    parts = [each for each in body.named_children if _named(each) == "constructor"]
    if body.type != "class_body" or body.has_error or (not parts and list(_supers(node))):
        return None
    forms: Forms | None = ()
    for part in parts:
        forms = both(forms, taken(part))
    return forms


def _members(part: Node, own: set[str]) -> Iterator[tuple[str, Gives]]:
    kind = part.child_by_field_name("type") or part.child_by_field_name("return_type")
    name = _plain(kind)
    gives = "" if name in own | _type_parameters(part) else name
    if part.type in ("method_definition", "method_signature", "abstract_method_signature"):
        getter = any(text_of(each) in ("get", "set") for each in part.children if not each.is_named)
        takes = None if getter or part.child_by_field_name("name") is None else taken(part)
        yield _named(part), Gives((gives,), called=not getter, takes=takes)
        yield from _promoted(part, own) if _named(part) == "constructor" else ()
    elif part.type in ("public_field_definition", "property_signature"):
        value = part.child_by_field_name("value")
        made = value.child_by_field_name("constructor") if value is not None else None
        is_made = kind is None and value is not None and value.type == "new_expression"
        plain = made is not None and made.type == "identifier"
        yield (
            _named(part),
            Gives((text_of(made) if is_made and made is not None and plain else gives,)),
        )


def taken(function: Node) -> Forms | None:
    """How many arguments it takes."""
    listed = function.child_by_field_name("parameters")
    least = most = 0
    for each in listed.named_children if listed is not None else ():
        if each.type == "comment":
            continue
        pattern = each.child_by_field_name("pattern")
        if pattern is None or pattern.type in ("rest_pattern", "this"):
            return None
        kind = each.child_by_field_name("type")
        loose = kind is None or re.search(r"\b(?:void|any|unknown)\b", text_of(kind))
        is_optional = each.type == "optional_parameter" or each.child_by_field_name("value")
        most += 1
        least = least if is_optional or loose else most
    return (Takes(least, most),) if listed is not None else None


def imported_from(name: str, path: str, view: View) -> Iterator[str]:
    """Files that a relative import of the name leads to."""
    found = re.findall(_FROM.format(re.escape(name)), view.text(path))
    return (other for target in found for other in _leads_to(path, target, view))


def _promoted(constructor: Node, own: set[str]) -> Iterator[tuple[str, Gives]]:
    """Parameters that a constructor makes members."""
    listed = constructor.child_by_field_name("parameters")
    for each in listed.named_children if listed is not None else ():
        words = {text_of(part) for part in each.children}
        if words & {"public", "private", "protected", "readonly", "override"}:
            pattern = each.child_by_field_name("pattern")
            name = _plain(each.child_by_field_name("type"))
            if pattern is not None:
                yield text_of(pattern), Gives(("" if name in own else name,))


def _supers(node: Node) -> Iterator[str]:
    for part in node.named_children:
        if part.type == "class_heritage":
            for clause in (each for each in part.named_children if each.type == "extends_clause"):
                value = clause.child_by_field_name("value")
                yield text_of(value) if value is not None and value.type == "identifier" else ""
        elif part.type == "extends_type_clause":
            yield from map(_plain, part.children_by_field_name("type"))


def _home(written: Written, view: View, step: int) -> str:
    """The file that declares a type."""
    name, path = written
    if name in view.shapes(path):
        return path
    text = view.text(path)
    if step >= _MOST_STEPS or not re.fullmatch(r"[\w$]+", name):
        return ""
    forms = (_FROM, _DEFAULT) if step == 0 else (_FROM,)
    found = [each for form in forms for each in re.findall(form.format(re.escape(name)), text)]
    for target in found or (_ALL_FROM.findall(text) if step else ()):
        for other in _leads_to(path, target, view):
            if home := _home(Written(name, other), view, step + 1):
                return home
    return ""


def _leads_to(path: str, target: str, view: View) -> Iterator[str]:
    bare = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    bare = re.sub(r"\.[cm]?[jt]sx?$", "", bare)
    return (f"{bare}{ending}" for ending in _ENDINGS if view.text(f"{bare}{ending}"))
