"""Types and members of C, and of C++ where no template, overload of access or base from elsewhere stands between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice

from guildmoot.agents.members.c_others import (
    OTHER_NAMES,
    SPACE,
    STRUCTS,
    TAG,
    add_other,
    is_inner,
)
from guildmoot.agents.members.c_trees import C_ENDINGS, INCLUDED, is_cpp
from guildmoot.agents.members.typed.cpp_calls import makes
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
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARES = frozenset(("declaration", "field_declaration", "parameter_declaration"))
_LISTS = frozenset(("function_declarator", "abstract_function_declarator", "condition_clause"))
_UNREAD = frozenset(
    (
        *("ERROR", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"),
        *("structured_binding_declarator", "lambda_capture_specifier"),
    )
)
"""Where one name may be declared in several ways."""
_INNER = ("parenthesized_expression", "pointer_expression", "subscript_expression")
"""In C++ the last two may be operators of a class."""
_SAYS_TYPE = frozenset(("cast_expression", "compound_literal_expression", "new_expression"))
_OPENS = lazy(
    r"(?m)(?:[;{}:]|\*/|//[^\n]*)\s*^[ \t]*[A-Z][A-Z0-9_]*[ \t]*(?:\([^)\n]*\))?[ \t]*;?[ \t]*\\?$"
    r"|\boperator\s*->|^[ \t]*#[ \t]*include\b"
)
"""Macros on a line of their own, what is asked of another value, and fields from another file."""
_ALIAS = lazy(r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\w+(?:\.|->)\w")
"""Macros that stand for a field of a field."""
_WORD = lazy(r"[^\W\d]\w*")
_TAGS = lazy(r"\b(?:class|struct|union)\b[^;{}()=<>,]*?\b(\w+)\s*(?:final\s*)?(?::[^:;{}]*)?\{")
_SYSTEM = """
stat timeval timespec tm sockaddr sockaddr_in sockaddr_in6 sockaddr_un addrinfo
iovec msghdr dirent pollfd option epoll_event kevent
"""
_DECLARED = r"""(?x)\b{0}\b[^;{{}}()=]*\{{ | (?:\}}|\btypedef\b)[^;{{}}()=]*\b{0}\s*[;,]
    | \btypedef\b[^;{{}}]*\(\s*[*&]+\s*{0}\b | \busing\s+(?:[\w:]*::)?\s*{0}\s*[=;\[] | \#[ \t]*define[ \t]+{0}\b"""
"""Where a tag, a typedef or another name for something may stand."""
_PARAMETERS = {"template_declaration": "parameters", "lambda_expression": "template_parameters"}
_MOST_FILES, _MOST_READ, _AROUND = 20, 300, 400


@lru_cache(maxsize=4096)
def _homes(name: str, view: View) -> list[str]:
    """Wherever the name is used, it is the same files that may declare it.

    A class of C++ that two files declare is one of two: nobody can say which.
    """
    files = [path for path in view.holds(name) if path.endswith((*C_ENDINGS, *INCLUDED))]
    if len(files) > _MOST_READ:
        return []
    declares = re.compile(_DECLARED.format(name))
    homes = [path for path in files if _stands_by(declares, name, view.text(path))]
    if len(homes) > _MOST_FILES:
        return []
    bodies = [path for path in homes if TAG + name in view.shapes(path)]
    return [] if len(bodies) > 1 and any(is_cpp(view.text(path)) for path in bodies) else homes


def _stands_by(pattern: re.Pattern[str], name: str, text: str) -> bool:
    """Whether the pattern is found around the name: a search through the whole of a large header takes long."""
    begin = end = 0
    for each in re.finditer(rf"\b{name}\b", text):
        if each.start() - _AROUND > end:
            if pattern.search(text, begin, end):
                return True
            begin = each.start() - _AROUND
        end = each.end() + _AROUND
    return pattern.search(text, begin, end) is not None


@lru_cache(maxsize=1024)
def _space_homes(name: str, view: View) -> list[str]:
    """A file that opens the namespace, if there is one."""
    opens = re.compile(rf"\bnamespace\b[^;{{}}=]*\b{name}\b[^;{{}}=]*\{{")
    files = (path for path in view.holds(name) if path.endswith((*C_ENDINGS, *INCLUDED)))
    return list(islice((path for path in files if opens.search(view.text(path))), 1))


class CTypes:
    """A tag is looked up as ``struct x``; what several files declare has whatever any of them says."""

    known: Mapping[str, Shape | None] = dict.fromkeys(TAG + each for each in _SYSTEM.split())

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        found: dict[str, Shape] = {}
        aliases = _ALIAS.findall(text_of(root))
        scoped = is_cpp(text_of(root))
        for node in walk(root):
            if node.type in STRUCTS and (body := node.child_by_field_name("body")) is not None:
                name, shape = _tag(node), _shape(node, body, aliases)
                shape = shape._replace(open=shape.open or (scoped and is_inner(node)))
                if name in found:
                    both = {**found[name].members, **shape.members}
                    shape = shape._replace(members=both, makes=None, open=shape.open or scoped)
                if name:
                    found[name] = shape
                    found.setdefault(name.removeprefix(TAG), Shape({}, (name,)))
                _add_names(node, found, shape)
            elif node.type == "type_definition":
                kind = node.child_by_field_name("type")
                if kind is not None and not kind.child_by_field_name("body"):
                    taken = _plain(kind)
                    for each in _names(node):
                        if taken.removeprefix(TAG) != each:
                            other = each in found and found[each].open
                            known = bool(taken) and not (other or is_inner(node))
                            found[each] = Shape({}, (taken,) if taken else (), open=not known)
            elif node.type in OTHER_NAMES:
                add_other(node, found)
        for name in _TAGS.findall(text_of(root)):
            found.setdefault(TAG + name, Shape({}, open=True))  # what the grammar misread
            found.setdefault(name, Shape({}, (TAG + name,)))
        return found

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        for node in walk(root):
            if node.type in ("field_expression", "offsetof_expression"):
                owner = node.child_by_field_name("argument") or node.child_by_field_name("type")
                field = node.child_by_field_name("field") or node.child_by_field_name("member")
            elif node.type == "qualified_identifier":
                owner, field = (node.child_by_field_name(each) for each in ("scope", "name"))
                outer = node.parent is not None and node.parent.type == node.type
                if outer or field is None or owner is None or text_of(field) == text_of(owner):
                    continue
            elif node.type == "field_initializer":
                owner, field = _class_of(node), next(iter(node.named_children), None)
            elif node.type == "initializer_pair":
                owner, field = _designated(node)
            else:
                continue
            if owner is not None and field is not None and _is_word(field) and not node.has_error:
                yield MemberAsk(owner, text_of(field), line_of(field))

    def may_be_narrower(self, owner: Node) -> bool:
        return False

    def homes(self, written: Written, view: View) -> list[str]:
        if written.name.startswith(SPACE):
            return _space_homes(written.name.removeprefix(SPACE), view)
        return _homes(written.name.removeprefix(TAG), view)

    def binds(self, node: Node, name: str) -> NameBinding | None:
        if node.type in _DECLARES or node.type == "optional_parameter_declaration":
            return NameBinding(_declared_type(node, name)) if name in _names(node) else None
        if node.type in _UNREAD:
            return NameBinding() if re.search(rf"(?<!\w){name}(?!\w)", text_of(node)) else None
        if node.type == "identifier" and text_of(node) == name and _is_of_range(node):
            return NameBinding(node.parent and node.parent.child_by_field_name("type"))
        if (
            node.type in _LISTS
            or node.type.endswith("_declarator")
            or node.type == "parameter_list"
        ):
            inner = (self.binds(each, name) for each in node.named_children)
            return next(filter(None, inner), None)
        return None

    def results(self, node: Node, path: str, types: Types) -> Results:
        kind = node.type
        if (
            kind in ("type_identifier", "namespace_identifier", "type_descriptor")
            or kind in STRUCTS
        ):
            return _typed(node, path)
        if kind in _SAYS_TYPE:
            return _typed(node.child_by_field_name("type"), path)
        if kind in _INNER and (path.endswith(".c") or kind == "parenthesized_expression"):
            inner = node.child_by_field_name("argument") or next(iter(node.named_children), None)
            return types.results(inner, path) if inner is not None else ()
        if kind == "field_expression":
            owner, field = (node.child_by_field_name(each) for each in ("argument", "field"))
            of = types.results(owner, path) if owner is not None else ()
            return of_member(types, of, text_of(field), called=False) if field is not None else ()
        if kind == "this":
            return _typed(_class_of(node), path)
        return self._of_name(node, path, types) if kind == "identifier" else ()

    def _of_name(self, node: Node, path: str, types: Types) -> Results:
        name = text_of(node)
        bound = bound_at(node, name, self.binds)
        if bound is None:
            return of_member(types, _typed(_class_of(node), path), name, called=False)
        return _typed(bound.type, path)


def _is_word(node: Node) -> bool:
    return node.type in ("field_identifier", "identifier", "type_identifier")


def _is_of_range(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "for_range_loop"


def _tag(node: Node) -> str:
    name = node.child_by_field_name("name")
    while name is not None and name.type == "qualified_identifier":
        name = name.child_by_field_name("name")
    return TAG + text_of(name) if name is not None and name.type == "type_identifier" else ""


def _plain(node: Node | None) -> str:
    """The name of a type; empty where it is written in another way."""
    if node is not None and node.type == "type_descriptor":
        node = node.child_by_field_name("type")
    if node is None:
        return ""
    if node.type in STRUCTS:
        return _tag(node)
    return text_of(node) if node.type in ("type_identifier", "namespace_identifier") else ""


def _typed(node: Node | None, path: str) -> Results:
    name = _plain(node)
    if node is None or not name or name in _parameters(node):
        return ()
    return (Written(name, path),)


def _parameters(node: Node) -> set[str]:
    """Of the templates around it."""
    found = set[str]()
    around = node.parent
    while around is not None:
        field = _PARAMETERS.get(around.type)
        listed = around.child_by_field_name(field) if field else None
        if listed is not None:
            found |= {text_of(each) for each in walk(listed) if each.type == "type_identifier"}
        around = around.parent
    return found


def _declared(declarator: Node) -> tuple[Node | None, bool]:
    """The name that a declarator declares, and whether it is that of a function."""
    called = False
    inner: Node | None = declarator
    while inner is not None and (inner.type.endswith("_declarator")):
        called = called or inner.type == "function_declarator"
        inner = inner.child_by_field_name("declarator") or next(iter(inner.named_children), None)
    return inner, called


def _names(node: Node) -> list[str]:
    """What a declaration declares."""
    found = (_declared(each)[0] for each in node.children_by_field_name("declarator"))
    return [text_of(each) for each in found if each is not None]


def _declared_type(node: Node, name: str) -> Node | None:
    """The type of a value; of a function or a list of patterns nothing is said."""
    for each in node.children_by_field_name("declarator"):
        inner, called = _declared(each)
        if inner is not None and text_of(inner) == name and not called:
            return node.child_by_field_name("type")
    return None


def _class_of(node: Node) -> Node | None:
    """The class whose method a place stands in: where it is declared, or its name before that of the method."""
    around = node.parent
    while around is not None:
        if around.type in STRUCTS:
            return around
        if around.type == "function_definition":
            named = around.child_by_field_name("declarator")
            inner = _declared(named)[0] if named is not None else None
            scope = inner.child_by_field_name("scope") if inner is not None else None
            if scope is not None:
                return scope
        around = around.parent
    return None


def _shape(node: Node, body: Node, aliases: list[str]) -> Shape:
    members: dict[str, Gives] = {name: Gives(("",)) for name in aliases}
    for each in walk(body):
        if each.type in ("field_identifier", "type_identifier", "identifier") and _is_own(each):
            members.setdefault(text_of(each), Gives(("",)))
    if body.has_error:
        members.update(dict.fromkeys(_WORD.findall(text_of(body)), Gives(("",))))
    for field in (each for each in body.named_children if each.type == "field_declaration"):
        kind = field.child_by_field_name("type")
        for name in _names(field):
            value = _declared_type(field, name) is not None
            members[name] = Gives((_plain(kind) if value else "",))
    bases = [each for each in node.named_children if each.type == "base_class_clause"]
    takes = [_plain(each) for base in bases for each in base.named_children]
    takes = [each for each, of in zip(takes, _bases(bases), strict=True) if of]
    members.update(dict.fromkeys((*takes, _tag(node).removeprefix(TAG)), Gives(("",))))
    outer = node.parent.type if node.parent is not None else ""
    opened = (
        "" in takes
        or outer == "template_declaration"
        or _OPENS.search(text_of(body)) is not None
        or any(_is_unnamed(each) for each in body.named_children)
    )
    is_template = outer == "template_declaration"
    made = None if is_template else makes(_tag(node).removeprefix(TAG), body)
    return Shape(members, tuple(takes), open=opened, makes=made)


def _bases(clauses: list[Node]) -> list[bool]:
    """Which parts of the clauses are types."""
    return [each.type != "access_specifier" for base in clauses for each in base.named_children]


def _is_own(node: Node) -> bool:
    """Whether the name may be declared where it stands."""
    around = node.parent
    if around is None or around.type in (
        *("field_expression", "field_designator", "call_expression", "field_initializer"),
    ):
        return False
    if node.type == "field_identifier":
        return True
    kind = around.type
    return kind in ("enumerator", "alias_declaration", "type_definition", "using_declaration") or (
        kind in (*STRUCTS, "enum_specifier") or kind.endswith("_declarator")
    )


def _is_unnamed(field: Node) -> bool:
    """Whether a field takes all of another type, or a macro stands there."""
    if field.type != "field_declaration" or field.child_by_field_name("declarator") is not None:
        return False
    kind = field.child_by_field_name("type")
    return kind is None or kind.child_by_field_name("body") is None


def _add_names(node: Node, found: dict[str, Shape], shape: Shape) -> None:
    """Names that a typedef gives a struct which it declares itself."""
    around = node.parent
    if around is not None and around.type == "type_definition":
        for each in _names(around):
            tag = _tag(node)
            found[each] = Shape({}, (tag,)) if tag else shape


def _designated(pair: Node) -> tuple[Node | None, Node | None]:
    """The type of a literal, and the field of it that is set."""
    named = pair.children_by_field_name("designator")
    field = named[0].named_children[0] if named and named[0].type == "field_designator" else None
    literal = pair.parent
    holder = literal.parent if literal is not None else None
    if holder is None or field is None:
        return None, None
    if holder.type == "init_declarator":
        declarator = holder.child_by_field_name("declarator")
        if declarator is None or declarator.type != "identifier" or holder.parent is None:
            return None, None
        holder = holder.parent
    elif holder.type != "compound_literal_expression":
        return None, None
    return holder.child_by_field_name("type"), field
