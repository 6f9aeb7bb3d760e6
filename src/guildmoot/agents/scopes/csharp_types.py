"""Types that a file of C# declares, and the namespaces whose types it sees. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from guildmoot.agents.members.fit import ANY, Forms, Takes
from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = frozenset(
    (
        *("class_declaration", "struct_declaration", "interface_declaration"),
        *("enum_declaration", "record_declaration", "delegate_declaration"),
    )
)
_BODIES = ("declaration_list", "enum_member_declaration_list")
_NAMESPACES = ("namespace_declaration", "file_scoped_namespace_declaration")
_USING = lazy(
    r"(?m)^[ \t]*(global\s+)?using\s+(static\s+)?(?:\w+\s*=\s*)?(?:global::)?([\w.]+)\s*;"
)
_ALIAS = lazy(r"(?m)^[ \t]*(?:global\s+)?using\s+\w+\s*=")
_NAMESPACE = lazy(r"(?m)^[ \t]*namespace\s+([\w.]+)")
_INCLUDED = lazy(r"<Using\s+Include=[\"']([\w.]+)[\"']")
_IMPLICIT = lazy(r"(?i)<ImplicitUsings>\s*(?:enable|true)")
PROJECTS = (".csproj", ".props", ".targets")
"""How files are called that say what all files of a project take."""
IMPLICIT = frozenset(
    (
        *("System", "System.IO", "System.Linq", "System.Collections.Generic"),
        *("System.Net.Http", "System.Threading", "System.Threading.Tasks"),
    )
)
"""Namespaces that a project may take for all its files."""
_PLAIN_WORDS = """
Obsolete MethodImpl DebuggerDisplay DebuggerStepThrough DebuggerNonUserCode DebuggerBrowsable EditorBrowsable Browsable
DllImport LibraryImport GeneratedRegex LoggerMessage Flags Serializable NonSerialized CLSCompliant AttributeUsage
ThreadStatic Conditional CallerMemberName CallerFilePath CallerLineNumber CallerArgumentExpression NotNull NotNullWhen
NotNullIfNotNull MaybeNull MaybeNullWhen AllowNull DisallowNull MemberNotNull DoesNotReturn ExcludeFromCodeCoverage
SuppressMessage UnconditionalSuppressMessage RequiresUnreferencedCode RequiresDynamicCode DynamicallyAccessedMembers
StructLayout FieldOffset MarshalAs In Out DefaultValue Description Category DisplayName Fact Theory InlineData Test
TestMethod TestClass TestCase Benchmark Pure UsedImplicitly CanBeNull ItemNotNull StringFormatMethod
InterpolatedStringHandler SkipLocalsInit
SecuritySafeCritical SecurityCritical IndexerName CompilerGenerated GeneratedCode SetsRequiredMembers
"""
_MARK = "\ufeff"
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Attributes that make no members."""


class TypeMemberText(NamedTuple):
    """A member of a type."""

    type: str
    """As it is written; empty where it is no plain name."""
    called: bool = False
    takes: Forms | None = None
    """How many arguments a method takes."""
    hides: bool = False
    """Whether a type above has the like: ``override`` and ``new``."""
    own: bool = False
    """Whether nobody else sees it."""


class DeclaredType(NamedTuple):
    """A type, or a part of one."""

    name: str
    namespace: str
    kind: str
    members: dict[str, tuple[TypeMemberText, ...]]
    bases: tuple[str, ...]
    partial: bool
    made: bool
    """Whether attributes may make members."""
    inner: bool
    """Whether it stands in another type."""


def types_of(text: str) -> tuple[DeclaredType, ...]:
    """The types of a file with those in them."""
    return _types_of(text)


@lru_cache(maxsize=256)
def _types_of(text: str) -> tuple[DeclaredType, ...]:
    root = parser("C#").parse(text.encode("utf-8", "surrogatepass")).root_node
    return tuple(declared_types(root))


def declared_types(root: Node) -> Iterator[DeclaredType]:
    whole = next((each for each in root.named_children if each.type == _NAMESPACES[1]), None)
    yield from _below(root, named(whole) if whole is not None else "", inner=False)


def _below(node: Node, namespace: str, *, inner: bool) -> Iterator[DeclaredType]:
    for each in node.named_children:
        if each.type in KINDS:
            yield _declared(each, namespace, inner=inner)
            body = each.child_by_field_name("body")
            if body is not None:
                yield from _below(body, namespace, inner=True)
        elif each.type == _NAMESPACES[0]:
            yield from _below(each, ".".join(filter(None, (namespace, named(each)))), inner=inner)
        elif each.type in _BODIES or each.type.startswith(("preproc_", "ERROR")):
            yield from _below(each, namespace, inner=inner)


def _declared(node: Node, namespace: str, *, inner: bool) -> DeclaredType:
    members: dict[str, tuple[TypeMemberText, ...]] = {}
    body = node.child_by_field_name("body")
    own = _parameters(node)
    parts = list(_parts(body)) if body is not None else []
    for part in parts:
        for name, member in _members(part, own, named(node)):
            members[name] = (*members.get(name, ()), member)
    heads = [each for each in node.named_children if each.type == "parameter_list"]
    for each in (e for head in heads for e in head.named_children if e.type == "parameter"):
        if node.type == "record_declaration":
            kind = _unless(own, plain(each.child_by_field_name("type")))
            members[named(each)] = (TypeMemberText(kind),)
    if any(part.type == "ERROR" for part in parts):
        members["new"] = (*members.get("new", ()), TypeMemberText(named(node), called=True))
    if heads and node.type != "delegate_declaration":
        members["new"] = (
            *members.get("new", ()),
            TypeMemberText(named(node), called=True, takes=bounds(heads[0])),
        )
    return DeclaredType(
        named(node),
        namespace,
        node.type.partition("_")[0],
        members,
        bases_of(node),
        "partial" in modifiers(node),
        _is_made(node) or any(part.type == "ERROR" for part in parts),
        inner,
    )


def _parts(body: Node) -> Iterator[Node]:
    for each in body.named_children:
        if each.type.startswith("preproc_"):
            yield from _parts(each)
        else:
            yield each


def _members(part: Node, own: set[str], owner: str) -> Iterator[tuple[str, TypeMemberText]]:
    hides = bool({"override", "new"} & modifiers(part))
    kind = part.type
    if kind in ("field_declaration", "event_field_declaration"):
        for each in (e for held in part.named_children for e in held.named_children):
            if each.type == "variable_declarator":
                written = plain(part.named_children[-1].child_by_field_name("type"))
                yield named(each), TypeMemberText(_unless(own, written), hides=hides)
    elif kind in ("property_declaration", "event_declaration"):
        written = plain(part.child_by_field_name("type"))
        yield named(part), TypeMemberText(_unless(own, written), hides=hides)
    elif kind == "method_declaration":
        own = own | _parameters(part)
        listed = part.child_by_field_name("parameters")
        takes = bounds(listed) if listed is not None else None
        written = _unless(own, plain(part.child_by_field_name("returns")))
        own_ = not {"public", "protected", "internal", "override"} & modifiers(part)
        yield named(part), TypeMemberText(written, called=True, takes=takes, hides=hides, own=own_)
    elif kind == "constructor_declaration" and "static" not in modifiers(part):
        listed = part.child_by_field_name("parameters")
        takes = bounds(listed) if listed is not None else None
        yield "new", TypeMemberText(owner, called=True, takes=takes)
    elif kind == "enum_member_declaration":
        yield named(part), TypeMemberText(owner)
    elif kind in KINDS:
        yield named(part), TypeMemberText("")


def bounds(parameters: Node) -> Forms | None:
    """How many arguments are taken; None where that cannot be read."""
    kinds = {each.type for each in parameters.named_children}
    if parameters.has_error or any(each.startswith("preproc") for each in kinds):
        return None
    listed = [each for each in parameters.named_children if each.type == "parameter"]
    many = "params" in re.findall(r"\w+", text_of(parameters))
    taken = [each for each in listed if "params" not in modifiers(each)]
    optional = [each for each in taken if any(part.type == "=" for part in each.children)]
    optional += [each for each in taken if "Optional" in text_of(each).partition("]")[0]]
    names = (*map(named, listed), named(parameters))
    return (Takes(len(taken) - len(set(optional)), ANY if many else len(taken), names),)


def modifiers(node: Node) -> set[str]:
    return {text_of(each) for each in node.children if each.type == "modifier"}


def named(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None else ""


def plain(node: Node | None) -> str:
    """The name of a type without its arguments and its question mark; empty for arrays and the like."""
    if node is not None and node.type == "nullable_type" and node.named_children:
        node = node.named_children[0]
    if node is None or node.type not in ("identifier", "generic_name", "qualified_name"):
        return ""
    return text_of(node).partition("<")[0].strip()


def bases_of(node: Node) -> tuple[str, ...]:
    """What a type takes from; empty words for what is no plain name."""
    listed = next((each for each in node.named_children if each.type == "base_list"), None)
    found = list[str]()
    for each in listed.named_children if listed is not None else ():
        given = each.type == "primary_constructor_base_type" and each.named_children
        if each.type != "argument_list" and "comment" not in each.type:
            found.append(plain(each.named_children[0] if given else each))
    return tuple(found)


def _unless(parameters: set[str], name: str) -> str:
    return "" if name in parameters else name


def _parameters(node: Node) -> set[str]:
    lists = (each for each in node.named_children if each.type == "type_parameter_list")
    return {named(each) for found in lists for each in found.named_children}


def _is_made(node: Node) -> bool:
    names = (text_of(each) for each in walk(node) if each.type == "attribute")
    bare = {re.split(r"[(<\s]", name)[0].rpartition(".")[2] for name in names}
    return bool({name.removesuffix("Attribute") for name in bare} - _PLAIN)


# Namespaces


def usings(text: str, *, static: bool = False) -> frozenset[str]:
    """Namespaces that a file takes, or types whose static members it takes."""
    return frozenset(
        name
        for _, is_static, name in _USING.findall(_ALIAS.sub("", text.lstrip(_MARK)))
        if bool(is_static) == static
    )


def seen(text: str) -> frozenset[str]:
    """Namespaces whose types a file sees: its own, those around them, and those it takes."""
    around = {""}
    for each in _NAMESPACE.findall(text):
        words = each.split(".")
        around |= {".".join(words[: at + 1]) for at in range(len(words))}
    taken = usings(text)
    below = {f"{each}.{name}" for each in around if each for name in taken}
    return frozenset(around | taken | below)


def shared(
    paths: Callable[[str], list[str]], text: Callable[[str], str], every: list[str]
) -> frozenset[str]:
    """Namespaces that all files of some project take; ``every`` are the files that may say so."""
    found = set[str]()
    for path in every:
        if path.endswith(PROJECTS):
            said = text(path)
            found |= set(_INCLUDED.findall(said)) | (IMPLICIT if _IMPLICIT.search(said) else set())
    for path in paths("global"):
        if path.endswith(".cs"):
            found |= {
                name for all_, static, name in _USING.findall(text(path)) if all_ and not static
            }
    return frozenset(found)
