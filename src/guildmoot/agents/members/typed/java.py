"""Types and members of Java. A method is called ``name()`` here: a field may have its name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import chain

from guildmoot.agents.members.typed.java_shapes import (
    OF_ERRORS,
    PLAIN,
    TYPES,
    declarations,
    given,
    named,
    plain,
    shape_of,
)
from guildmoot.agents.members.typed.model import (
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

_PACKAGE = re.compile(r"(?m)^\s*package\s+([\w.]+)\s*;")
_IMPORT = r"(?m)^\s*import\s+(?:static\s+)?([\w.]+)\.{0}\s*;"
_ALL_OF = re.compile(r"(?m)^\s*import\s+(?:static\s+)?([\w.]+)\.\*\s*;")
_PATTERNS = frozenset(("instanceof_expression", "type_pattern", "record_pattern_component"))


_LISTED = {
    **dict.fromkeys(("Serializable", "Cloneable", "Object"), given("")),
    **dict.fromkeys(("AutoCloseable", "Closeable"), given("close()")),
    "Flushable": given("flush()"),
    "Supplier": given("get()"),
    "Callable": given("call()"),
    "Comparable": given("compareTo()"),
    "Runnable": given("run()"),
    "Iterable": given("iterator() forEach() spliterator()"),
    **dict.fromkeys(
        (
            *("Exception", "RuntimeException", "IllegalArgumentException", "Throwable"),
            *("IllegalStateException", "IOException", "Error"),
        ),
        given(OF_ERRORS),
    ),
}
_UNLISTED = dict.fromkeys(
    (
        *("String", "Integer", "Long", "Boolean", "Double", "Class", "List", "Map", "Set"),
        *("Collection", "Iterator", "Optional", "Stream", "StringBuilder", "System", "Math"),
    )
)


class JavaTypes:
    """A type is found by the imports of the file that names it, or in its package."""

    known: Mapping[str, Shape | None] = {**_LISTED, **_UNLISTED}

    def shapes(self, root: Node) -> Mapping[str, Shape]:
        found: dict[str, Shape] = {}
        made = b"lombok" in (root.text or b"")
        for node in declarations(root):
            name = named(node)
            inner = node.parent is not None and node.parent.type != "program"
            shape = shape_of(node)
            hidden = name in found or len(enclosing(node)) > 1
            makes = None if hidden or made else shape.makes
            found[name] = shape._replace(open=shape.open or hidden, inner=inner, makes=makes)
        return {name: shape._replace(open=shape.open or made) for name, shape in found.items()}

    def asks(self, root: Node) -> Iterator[MemberAsk]:
        for node in walk(root):
            if node.type == "method_reference" and len(node.named_children) == 2:
                owner, name = node.named_children
                yield MemberAsk(owner, f"{text_of(name)}()", line_of(name))
            elif node.type in ("method_invocation", "field_access"):
                asked = node.child_by_field_name("object")
                member = node.child_by_field_name("name") or node.child_by_field_name("field")
                if asked is not None and member is not None and member.type == "identifier":
                    call = "()" if node.type == "method_invocation" else ""
                    yield MemberAsk(asked, text_of(member) + call, line_of(member))
            elif node.type == "import_declaration":
                yield from _imported(node)

    def may_be_narrower(self, owner: Node) -> bool:
        return False

    def homes(self, written: Written, view: View) -> list[str]:
        outer, _, name = written.name.rpartition(".")
        if outer:
            is_type = outer.rpartition(".")[2][:1].isupper()
            if is_type:
                return self.homes(Written(outer, written.path), view)
            return files_of(outer, name, view.holds(name))
        if name in view.shapes(written.path):
            return [written.path]
        text = view.text(written.path)
        imported = re.search(_IMPORT.format(re.escape(name)), text)
        folder = _package(text).replace(".", "/")
        beside_it = _beside(written.path, folder, imported[1] if imported else "", name)
        if view.text(beside_it) and _is_outer(name, view.shapes(beside_it)):
            return [beside_it]
        files = view.holds(name)
        if imported:
            return files_of(imported[1], name, files)
        beside = [path for path in files if f"/{path}".endswith(f"/{folder}/{name}.java")]
        near = posixpath.dirname(written.path)
        beside += [path for path in files if posixpath.dirname(path) == near]
        here = [path for path in dict.fromkeys(beside) if _is_outer(name, view.shapes(path))]
        wide = chain.from_iterable(files_of(each, name, files) for each in _ALL_OF.findall(text))
        return here or sorted(set(wide))

    def binds(self, node: Node, name: str) -> NameBinding | None:
        kind = node.type
        if kind in ("local_variable_declaration", "field_declaration", "resource"):
            return _declared(node, name)
        if kind in ("formal_parameters", "resource_specification", "inferred_parameters"):
            return next(
                filter(None, (self.binds(each, name) for each in node.named_children)), None
            )
        if kind in ("formal_parameter", "catch_formal_parameter", "spread_parameter"):
            return _parameter(node, name)
        if kind == "identifier" and text_of(node) == name:
            around = node.parent
            if around is None or around.type in ("lambda_expression", "inferred_parameters"):
                return NameBinding()
            if (
                around.type == "enhanced_for_statement"
                and around.child_by_field_name("name") == node
            ):
                return _of_type(around.child_by_field_name("type"))
        return _pattern(node, name)

    def results(self, node: Node, path: str, types: Types) -> Results:
        kind = node.type
        if kind in ("type_identifier", "scoped_type_identifier", "generic_type"):
            return _typed(node, path)
        if kind == "scoped_identifier":  # of an import
            return (Written(text_of(node), path),)
        if kind == "parenthesized_expression":
            return types.results(node.named_children[0], path) if node.named_children else ()
        if kind == "cast_expression":
            return _typed(node.child_by_field_name("type"), path)
        if kind == "object_creation_expression":
            anonymous = any(each.type == "class_body" for each in node.named_children)
            return () if anonymous else _typed(node.child_by_field_name("type"), path)
        if kind == "this":
            return tuple(Written(each, path) for each in enclosing(node)[:1] if each)
        if kind == "identifier":
            return self._of_name(node, path, types)
        if kind not in ("field_access", "method_invocation"):
            return ()
        return self._of_asked(node, path, types)

    def _of_asked(self, node: Node, path: str, types: Types) -> Results:
        owner = node.child_by_field_name("object")
        called = node.type == "method_invocation"
        member = node.child_by_field_name("name" if called else "field")
        if member is None or (owner is not None and owner.type == "super"):
            return ()
        name = text_of(member) + ("()" if called else "")
        if owner is None:
            return _own(node, name, path, types, called=called)
        if member.type == "this":
            return (Written(text_of(owner), path),)
        return of_member(types, types.results(owner, path), name, called=called)

    def _of_name(self, node: Node, path: str, types: Types) -> Results:
        name = text_of(node)
        bound = bound_at(node, name, self.binds)
        if bound is None:
            own = _own(node, name, path, types, called=False)
            if own or not name[:1].isupper() or name.isupper():
                return own
            return (Written(name, path),) if name not in type_parameters(node) else ()
        if bound.type is not None:
            return _typed(bound.type, path)
        return types.results(bound.value, path) if bound.value is not None else ()


def _imported(node: Node) -> Iterator[MemberAsk]:
    """The member that a static import names: a field, a type, or a method."""
    whole = next((each for each in node.named_children if each.type == "scoped_identifier"), None)
    owner = whole.child_by_field_name("scope") if whole is not None else None
    static = any(each.type == "static" for each in node.children)
    wide = any(each.type == "asterisk" for each in node.named_children)
    if static and not wide and whole is not None and owner is not None:
        name = named(whole)
        yield MemberAsk(owner, name, line_of(node), unless=f"{name}()")


def _typed(node: Node | None, path: str) -> Results:
    name = plain(node)
    if not name or node is None or name in type_parameters(node):
        return ()
    return (Written(name, path),)


def type_parameters(node: Node) -> set[str]:
    found, around = set[str](), node.parent
    while around is not None:
        listed = around.child_by_field_name("type_parameters")
        for each in listed.named_children if listed is not None else ():
            found |= {
                text_of(word) for word in each.named_children if word.type == "type_identifier"
            }
        around = around.parent
    return found


def enclosing(node: Node) -> list[str]:
    """The types around it, the nearest first; empty for one without a name."""
    found, around = list[str](), node.parent
    while around is not None:
        if around.type in TYPES:
            found.append(named(around))
        elif around.type == "class_body" and around.parent and around.parent.type not in TYPES:
            found.append("")
        around = around.parent
    return found


def _own(node: Node, name: str, path: str, types: Types, *, called: bool) -> Results:
    """What a member of a type around it gives; nothing where a nearer one may have it too."""
    for owner in enclosing(node):
        members = types.members(Written(owner, path)) if owner else None
        if members is None:
            return ()
        if name in members:
            return of_member(types, (Written(owner, path),), name, called=called)
    return ()


def _declared(node: Node, name: str) -> NameBinding | None:
    kind = node.child_by_field_name("type")
    for each in [node] if node.type == "resource" else node.children_by_field_name("declarator"):
        if named(each) == name:
            if each.child_by_field_name("dimensions") is not None:
                return NameBinding()
            if kind is not None and text_of(kind) == "var":
                return NameBinding(value=each.child_by_field_name("value"))
            return NameBinding(kind)
    return None


def _parameter(node: Node, name: str) -> NameBinding | None:
    if node.type == "spread_parameter":
        names = [named(each) for each in node.named_children]
        return NameBinding() if name in names else None
    if named(node) != name:
        return None
    if node.type == "catch_formal_parameter":
        kinds = [
            each
            for part in node.named_children
            for each in part.named_children
            if part.type == "catch_type"
        ]
        return NameBinding(kinds[0] if len(kinds) == 1 else None)
    single = node.child_by_field_name("dimensions") is None
    return _of_type(node.child_by_field_name("type")) if single else NameBinding()


def _of_type(kind: Node | None) -> NameBinding:
    return NameBinding() if kind is None or text_of(kind) == "var" else NameBinding(kind)


def _pattern(node: Node, name: str) -> NameBinding | None:
    """A name that a test for a type gives to what it tested."""
    if f" {name}".encode() not in (node.text or b"") or b"instanceof" not in (node.text or b""):
        inner = node.type in ("switch_label", "type_pattern", "pattern")
        if not inner or name.encode() not in (node.text or b""):
            return None
    for each in (found for found in walk(node) if found.type in _PATTERNS):
        words = [part for part in each.named_children if part.type == "identifier"]
        if words and text_of(words[-1]) == name and len(each.named_children) > 1:
            kinds = [part for part in each.named_children if part.type in (*PLAIN, "generic_type")]
            return NameBinding(kinds[0] if len(kinds) == 1 else None)
    return None


def _beside(path: str, folder: str, package: str, name: str) -> str:
    """Where a type would stand that is below the same folder of sources as a file."""
    here = posixpath.dirname(path)
    if not package:
        return posixpath.join(here, f"{name}.java")
    above = here.removesuffix(folder) if folder else here
    return posixpath.join(above, package.replace(".", "/"), f"{name}.java")


def _is_outer(name: str, shapes: Mapping[str, Shape]) -> bool:
    return name in shapes and not shapes[name].inner


def _package(text: str) -> str:
    found = _PACKAGE.search(text)
    return found[1] if found else ""


def files_of(package: str, name: str, files: list[str]) -> list[str]:
    """Files of a type by its package, or by the type that holds it."""
    folder, _, last = package.rpartition(".")
    wanted = {f"{package.replace('.', '/')}/{name}.java"}
    if last[:1].isupper():
        wanted.add(f"{folder.replace('.', '/')}/{last}.java")
    return [path for path in files if any(f"/{path}".endswith(f"/{each}") for each in wanted)]
