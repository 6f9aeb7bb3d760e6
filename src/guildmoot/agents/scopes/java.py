"""Scopes of Java; its package and the types above a class give it more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.known_names import KNOWN
from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.agents.scopes.names import ScopedFile, Use, is_slip, took_place
from guildmoot.agents.scopes.table import NameTable, kinds, places
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def _java_special(node: Node) -> Iterable[str] | None:
    text = text_of(node).rstrip("; \t")
    name = text.rpartition(".")[2].strip()
    return {name, f"{name}()"} if "static" in text.split() else {name}


def _java_use(node: Node, name: str, place: str) -> bool:
    around = node.parent
    if around is None:
        return False
    kind = around.type
    if kind == "method_invocation" and place.endswith(":name"):
        name = name.removesuffix("()")
        return around.child_by_field_name("object") is None
    if kind == "scoped_type_identifier":
        return around.named_children[0] == node and name[:1].isupper()
    if kind == "method_reference":
        return around.named_children[0] == node
    if kind == "labeled_statement":
        return False
    if kind == "field_access" and name[:1].islower():
        return not _PACKAGE_PATH.match(_chain(around))
    return not (kind == "scoped_identifier" and name[:1].islower())


_PACKAGE_PATH = re.compile(r"[a-z]\w*(?:\s*\.\s*[a-z]\w*)+\s*\.\s*[A-Z]")


def _chain(node: Node) -> str:
    """All of a chain of members."""
    while node.parent is not None and node.parent.type in ("field_access", "method_invocation"):
        if node.parent.child_by_field_name("object") != node:
            break
        node = node.parent
    return text_of(node)


def _java_supers(node: Node) -> list[str]:
    if node.type == "class_body":
        made = node.parent
        node_of = (
            made.child_by_field_name("type")
            if made is not None and made.type == "object_creation_expression"
            else None
        )
        return _types(node_of)
    fields = (node.child_by_field_name(name) for name in ("superclass", "interfaces"))
    found = [name for each in fields for name in _types(each)]
    more = (each for each in node.named_children if each.type == "extends_interfaces")
    return [*found, *(name for each in more for name in _types(each))]


def _types(node: Node | None) -> list[str]:
    """The types that a node names, without their arguments."""
    if node is None:
        return []
    if node.type == "type_identifier":
        return [text_of(node)]
    if node.type == "scoped_type_identifier":
        return [text_of(node).rpartition(".")[2]]
    inner = node.named_children[:1] if node.type == "generic_type" else node.named_children
    return [name for each in inner for name in _types(each)]


TABLE = NameTable(
    names=kinds("identifier type_identifier"),
    scopes=kinds(
        """class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
        class_body interface_body enum_body annotation_type_body method_declaration constructor_declaration
        compact_constructor_declaration lambda_expression block constructor_body for_statement
        enhanced_for_statement catch_clause try_with_resources_statement switch_block switch_rule"""
    ),
    wide=kinds(
        "method_declaration constructor_declaration compact_constructor_declaration lambda_expression class_body"
    ),
    binds=places(
        """class_declaration:name^ interface_declaration:name^ enum_declaration:name^ record_declaration:name^
        annotation_type_declaration:name^ variable_declarator:name formal_parameter:name
        catch_formal_parameter:name enhanced_for_statement:name resource:name lambda_expression:parameters
        inferred_parameters type_parameter method_declaration:name^ enum_constant:name
        instanceof_expression:name~ type_pattern~ record_pattern_component~
        annotation_type_element_declaration:name constant_declaration:name"""
    ),
    patterns=frozenset(),
    aside=places(
        """field_access:field scoped_identifier:name element_value_pair:key constructor_declaration:name
        compact_constructor_declaration:name switch_label break_statement continue_statement
        record_pattern method_invocation:-"""
    ),
    skipped=kinds("comment line_comment block_comment package_declaration module_declaration"),
    special={"import_declaration": _java_special},
    is_use=_java_use,
    is_bound=lambda node, name, place: (
        node.type == "identifier" or place.startswith(("type_parameter", "class", "interface"))
    ),
    supers=_java_supers,
    mark=lambda place: (
        "()" if place in ("method_invocation:name", "method_declaration:name") else ""
    ),
)


_OF_OBJECTS_WORDS = """
getClass hashCode equals toString notify notifyAll wait clone finalize values valueOf ordinal name length
"""
_OF_OBJECTS = frozenset(_OF_OBJECTS_WORDS.split())
_LISTED_WORDS = """
Object Runnable Comparable Serializable Closeable AutoCloseable Callable Iterable Iterator Cloneable Supplier Consumer
Function BiFunction BiConsumer Predicate Comparator Enum Record Override
"""
_LISTED = frozenset(_LISTED_WORDS.split())
"""Types of the language that give a class no fields, and no methods that classes call by their name alone."""
_IMPORT = lazy(r"(?m)^\s*import\s+(static\s+)?([\w.]+)\.([\w*]+)\s*;")
_TOP_TYPE = (
    r"(?m)^(?:[\w@.-]+(?:\([^)\n]*\))?\s+)*(?:class|interface|enum|record|@interface)\s+{}\b"
)
_LOMBOK = lazy(r"\blombok\b|@(?:Slf4j|Log|Data|Getter|UtilityClass|Value|Builder)\b")
_GENERATED = lazy(
    r"R|BuildConfig|Q[A-Z]\w*|(?:AutoValue|Dagger)\w*|\w*_\w*|\w+(?:Grpc|Proto|Impl|Binding|Parser|Lexer|Messages)"
)
"""Types that builds write."""
_OF_ANDROID = lazy(r"R|BuildConfig|Manifest")
"""Those that stand in the package which a module of Android names, and take no import there."""


_UNITS = "NANOSECONDS MICROSECONDS MILLISECONDS SECONDS MINUTES HOURS DAYS values() valueOf() of()"
_ENUMS = {"java.util.concurrent.TimeUnit": frozenset(_UNITS.split())}
"""Types of the language that files take whole, and their static members."""


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    name, around = use.name.removesuffix("()"), file.around
    called = use.name != name
    if (called and name in _OF_OBJECTS) or _LOMBOK.search(file.text):
        return True
    if use.is_type or (name[:1].isupper() and not called):
        return _is_given_type(name, gone, use, file)
    if not called and _is_package(name, file.text):
        return True
    starred = _is_starred(use.name, gone, file)
    if called and (starred or (starred is None and not is_slip(use, file))):
        return True
    inherited = _is_inherited(use.name, use.supers, file.text, around)
    if inherited is None:  # nobody can see all that stands above
        return not gone and not took_place(use, file)
    return inherited


_ROOTS = frozenset(("android", "androidx", "java", "javax", "kotlin"))


def _is_package(name: str, text: str) -> bool:
    """Whether a word begins the name of a package, as in ``android.R.id``: imports here begin with it."""
    return name in _ROOTS or any(
        package.split(".")[0] == name for _, package, _ in _IMPORT.findall(text)
    )


def _is_starred(name: str, gone: bool, file: ScopedFile) -> bool | None:
    """Whether an import of all static members of a type gives the name; None where the type lies elsewhere."""
    types, unknown = _stars(file.text), False
    for owner in types - _ENUMS.keys():
        package, each = _parts(owner)
        home = _in_package(each[0], package, file.around) if each else ""
        if home:
            found = name in _members(home).get(each[-1], ()) or _is_inherited(
                name, _above(each[-1], home), home, file.around
            )
            if found:
                return True
            unknown = unknown or found is None
        elif not gone or name in file.names.declared or owner not in _stars(file.past):
            unknown = True
        else:  # the file had its own beside the very import
            unknown = unknown or not owner.startswith("java.")
    listed = any(name in _ENUMS[owner] for owner in types & _ENUMS.keys())
    return listed or (None if unknown else False)


def _stars(text: str) -> set[str]:
    return {owner for static, owner, what in _IMPORT.findall(text) if static and what == "*"}


def _parts(owner: str) -> tuple[str, list[str]]:
    """The package of a type, and the types that it stands in with itself."""
    words = owner.split(".")
    at = next((at for at, word in enumerate(words) if word[:1].isupper()), len(words))
    return ".".join(words[:at]), words[at:]


def _is_given_type(name: str, gone: bool, use: Use, file: ScopedFile) -> bool:
    """Whether the package, an import of all of one, or a type above may declare the type or constant."""
    around, own = file.around, _package(file.text)
    taken = _homes_before(name, file)
    if not gone and use.is_type and _GENERATED.fullmatch(name):
        return True
    if _OF_ANDROID.fullmatch(name) and (not gone or own in taken):
        return True
    top = re.compile(_TOP_TYPE.format(re.escape(name)))
    own_files = [path for path in around.paths(name) if path.endswith(f"/{name}.java")]
    texts = (*map(around.text, own_files), *around.held(name))
    homes = {_package(text) for text in texts if top.search(text)}
    stars = {package for _, package, what in _IMPORT.findall(file.text) if what == "*"}
    if not use.is_type and name.isupper() and _is_starred(name, gone, file) is False:
        stars = set()  # packages give types, and this is a constant
    if own in homes or stars & (homes | taken):
        return True
    if stars and not taken and not (is_slip(use, file) and not around.held(name)):
        return True
    inherited = _is_inherited(name, use.supers, file.text, around)
    lost = gone or took_place(use, file, KNOWN["Java"])
    if not lost and not homes and not is_slip(use, file):
        return True  # a build may write it
    return bool(inherited) or (inherited is None and not lost)


def _homes_before(name: str, file: ScopedFile) -> set[str]:
    """The packages from which the file imported a type before the change."""
    return {package for _, package, what in _IMPORT.findall(file.past) if what == name}


def _package(text: str) -> str:
    found = re.search(r"(?m)^\s*package\s+([\w.]+)", text)
    return found[1] if found else ""


def _is_inherited(
    name: str, supers: list[str], text: str, around: Around, deep: int = 6
) -> bool | None:
    """Whether a type above one of this text declares the name; None where one of them lies elsewhere."""
    unknown = False
    for each in {*supers} - _LISTED:
        home = _home_of(each, text, around)
        if not home and name[:1].islower() and _is_of_java(each, text):
            unknown = unknown or name.endswith("()") or name in _FIELDS
        elif not home or not deep:
            unknown = True
        elif name in _members(home).get(each, ()):
            return True
        else:
            found = _is_inherited(name, _above(each, home), home, around, deep - 1)
            if found:
                return True
            unknown = unknown or found is None
    return None if unknown else False


_FIELDS_WORDS = """
modCount lock in out buf pos count mark marklimit inf def err cause detailMessage fd source listenerList ui
"""
_FIELDS = frozenset(_FIELDS_WORDS.split())
"""Fields that classes of the language give to those below them."""


def _is_of_java(name: str, text: str) -> bool:
    """Whether the language brings the type, whose fields are few."""
    return any(
        what == name and package.split(".")[0] in ("java", "javax")
        for static, package, what in _IMPORT.findall(text)
        if not static
    )


def _above(name: str, text: str) -> list[str]:
    """The types that a type of this text takes from."""
    found = re.search(rf"\b(?:class|interface|enum|record)\s+{name}\b([^{{]*)\{{", text)
    head = re.sub(r"@[\w.]+", "", found[1]) if found else ""
    while (plain := re.sub(r"<[^<>]*>", "", head)) != head:
        head = plain
    takes = re.search(r"(?s)\b(?:extends|implements)\s+(.+)", head)
    return re.findall(r"\b[A-Z]\w*", takes[1]) if takes else []


@lru_cache(maxsize=64)
def _members(text: str) -> dict[str, set[str]]:
    """What each type of a file declares, methods with brackets after their name."""
    found: dict[str, set[str]] = {}
    for node in walk(parser("Java").parse(text.encode("utf-8", "surrogatepass")).root_node):
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        if body is None or name is None or not node.type.endswith("_declaration"):
            continue
        if node.type not in ("method_declaration", "constructor_declaration"):
            inside = (*body.named_children, *node.named_children)
            rows = [row for each in inside for row in (each, *each.named_children)]
            named = ((row.type, row.child_by_field_name("name")) for row in rows)
            found.setdefault(text_of(name), set()).update(
                text_of(each) + ("()" if kind == "method_declaration" else "")
                for kind, each in named
                if each is not None
            )
    return found


def _home_of(name: str, text: str, around: Around) -> str:
    """The text that declares a type which another text names; empty where it is not here."""
    if re.search(rf"\b(?:class|interface|enum|record)\s+{name}\b", text):
        return text
    imports = _IMPORT.findall(text)
    wanted = {package for _, package, what in imports if what == name} or {
        _package(text),
        *(package for _, package, what in imports if what == "*"),
    }
    return next(filter(None, (_in_package(name, each, around) for each in wanted)), "")


def _in_package(name: str, package: str, around: Around) -> str:
    """The text that declares a type of a package; empty where it is not here."""
    for path in around.paths(name):
        if posixpath.basename(path) == f"{name}.java":
            other = around.text(path)
            if _package(other) == package:
                return other
    return ""
