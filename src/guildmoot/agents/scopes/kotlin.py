"""Scopes of Kotlin; its package, the types above a class and the receivers of functions and lambdas give it more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guildmoot.agents.parsing.own_names import Around
from guildmoot.agents.parsing.walk import text_of
from guildmoot.agents.scopes.above import (
    RECEIVER,
    DeclaringFile,
    Homes,
    has_new_type_from_afar,
    is_inherited,
    is_received,
)
from guildmoot.agents.scopes.kotlin_files import (
    asks_member,
    imports_of,
    kotlin_file,
    package_of,
    supers_of,
)
from guildmoot.agents.scopes.kotlin_names import DEFAULT_PACKAGES, GIVEN, PLAIN_LAMBDAS
from guildmoot.agents.scopes.names import ScopedFile, Use, took_place
from guildmoot.agents.scopes.table import NameTable, kinds, places
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ASIDE = frozenset(
    (
        *(
            "return_expression:label",
            "labeled_expression:",
            "this_expression:",
            "super_expression:",
        ),
        *("label:", "annotation:", "modifiers:", "break_expression:", "continue_expression:"),
    )
)
_MOST_USERS = 40
_PLAIN = frozenset(("Any", "Runnable", "Comparable", "Serializable", "Closeable"))
"""Types of the language that give a class nothing to call by its name alone."""
_NOTHING = DeclaringFile("", frozenset(), {}, {}, frozenset())
_CASTS = lazy(r"\bthis\s+(?:is|as)\b|\bwhen\s*\(\s*this\b")
"""Where a class is read as one of those below it."""
_WORD = lazy(r"[^\W\d]\w*")
_OF_PROPERTY = lazy(r"\bva[lr]\s+(?:<[^>\n]*>\s*)?(\w[\w<>?, *.]*)\.\w+\s*[:=]")


def _special(node: Node) -> Iterable[str]:
    return {name for _, name in imports_of(text_of(node))}


def _is_use(node: Node, name: str, place: str) -> bool:
    around = node.parent
    if around is None or not name or name.startswith("`") or place in _ASIDE or around.has_error:
        return False
    kind, inside = around.type, around.named_children
    if kind in ("navigation_expression", "user_type"):
        return inside[0] == node
    if kind == "callable_reference":
        return inside[0] == node and (len(inside) > 1 or not text_of(around).startswith("::"))
    if kind == "infix_expression":
        return len(inside) != 3 or inside[1] != node
    after = node.next_sibling
    return not (kind == "value_argument" and after is not None and after.type == "=")


def _is_bound(node: Node, name: str, place: str) -> bool:
    around = node.parent
    first = (
        next((e for e in around.named_children if e.type == "identifier"), None) if around else None
    )
    return place.endswith((":name", ":type")) or first == node


def _supers(node: Node) -> list[str]:
    """Types above, and a sign where something unknown is asked by whatever stands alone."""
    if node.type in ("class_declaration", "object_declaration", "object_literal"):
        above = supers_of(node)
        parts = (each for each in node.named_children if each.type == "class_body")
        inner = [
            each
            for part in parts
            for each in part.named_children
            if each.type == "companion_object"
        ]
        return [*above, *(name for each in inner for name in supers_of(each))]
    if node.type == "function_declaration":
        name = node.child_by_field_name("name")
        start = name.start_byte if name is not None else 0
        before = (each for each in node.named_children if each.end_byte <= start)
        cast = [RECEIVER] if _CASTS.search(text_of(node)) else []
        return cast + [_plain(text_of(each)) for each in before if each.type.endswith("_type")]
    if node.type in ("getter", "setter"):
        around = node.parent
        head = around.text or b"" if around is not None else b""
        start = node.start_byte - around.start_byte if around is not None else 0
        found = _OF_PROPERTY.search(head[:start].decode("utf-8", "replace"))
        return [_plain(found[1])] if found else []
    if node.type == "lambda_literal":
        return [] if _called(node) in PLAIN_LAMBDAS else [RECEIVER]
    return [RECEIVER] if node.type == "anonymous_function" else []


def _plain(written: str) -> str:
    """A type without its arguments."""
    words = re.findall(r"\w+", written.partition("<")[0])
    return ".".join(words) if words else RECEIVER


def _called(function: Node) -> str:
    """What is given the lambda."""
    node = function.parent
    while node is not None and node.type in (
        "annotated_lambda",
        "value_argument",
        "value_arguments",
    ):
        node = node.parent
    called = node
    while called is not None and called.type == "call_expression" and called.named_children:
        called = called.named_children[0]
    if called is not None and called.type == "navigation_expression":
        called = called.named_children[-1]
    return text_of(called) if called is not None and called.type == "identifier" else ""


TABLE = NameTable(
    names=kinds("identifier"),
    scopes=kinds(
        """class_declaration object_declaration object_literal function_declaration anonymous_function lambda_literal
        block for_statement when_expression when_entry catch_block secondary_constructor getter setter
        anonymous_initializer enum_entry function_type type_alias"""
    ),
    wide=kinds("function_declaration anonymous_function lambda_literal"),
    binds=places(
        """class_declaration:name^ object_declaration:name^ function_declaration:name^ companion_object:name
        class_parameter parameter variable_declaration catch_block setter enum_entry^ type_parameter type_alias:type^"""
    ),
    patterns=frozenset(),
    aside=places(""),
    skipped=kinds("line_comment block_comment comment package_header shebang file_annotation"),
    special={"import": _special},
    is_use=_is_use,
    is_bound=_is_bound,
    supers=_supers,
)


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    name, around = use.name, file.around
    if name in GIVEN or around.path.endswith(".kts") or _is_declared_oddly(name, file.text):
        return True
    stars = {path for path, what in imports_of(file.text) if what == "*"}
    past = imports_of(file.past)
    if stars - {path for path, what in past if what == "*"}:
        return True
    if gone and any(
        path.rpartition(".")[0] in DEFAULT_PACKAGES for path, what in past if what == name
    ):
        return True
    if gone and RECEIVER in use.supers and name[:1].islower() and _is_replaced(name, past, file):
        return True
    paths = around.paths(name)
    if len(paths) > _MOST_USERS or not (gone or _took_place(use, file, paths)):
        return True
    files = [kotlin_file(around.text(path)) for path in paths if path.endswith(".kt")]
    if _is_in_packages(name, {package_of(file.text), *stars}, files, around):
        return True
    foreign = any(not _is_here(star, around) for star in stars)
    if (
        foreign
        and not (gone and any(what == name for _, what in past))
        and not _is_local(name, files, paths)
    ):
        return True
    return _is_received(use, files, paths, file)


def is_unknown(use: Use, file: ScopedFile) -> bool:
    """Whether neither the language, nor a type above, nor an import of all from elsewhere may give the name."""
    name, around = use.name, file.around
    if name in GIVEN or RECEIVER in use.supers or _is_declared_oddly(name, file.text):
        return False
    stars = {path for path, what in imports_of(file.text) if what == "*"}
    if use.place.startswith("user_type") or not all(_is_here(star, around) for star in stars):
        return False
    return is_inherited(name, use.supers, _homes_in(file)) is False


def _is_declared_oddly(name: str, text: str) -> bool:
    """Whether the file may declare it in a way that the grammar loses, as with a receiver that has arguments."""
    word = re.escape(name)
    declares = (
        rf"\bfun\s[^\n(=]*[.>\s]{word}\s*\(|\b(?:class|interface|object|typealias)\s+{word}\b"
    )
    return re.search(declares, text) is not None


def _is_in_packages(
    name: str, packages: set[str], files: list[DeclaringFile], around: Around
) -> bool:
    """Whether a package, or a type that is taken in whole, has it; a file of Java gives its types by its name."""
    for each in files:
        types = {f"{each.package}.{owner}": members for owner, members in each.types.items()}
        if (each.package in packages and name in each.tops) or any(
            name in members for owner, members in types.items() if owner in packages
        ):
            return True
    java = (around.text(path) for path in around.paths(name) if path.endswith(f"/{name}.java"))
    return any(package_of(text.replace(";", "")) in packages for text in java)


def _is_here(package: str, around: Around) -> bool:
    """Whether the package, or the type, that is taken in whole is of this repository."""
    last = package.rpartition(".")[2]
    declares = re.compile(
        rf"(?m)^\s*package\s+{re.escape(package)}\s*;?\s*$|\b(?:object|class)\s+{last}\b"
    )
    return any(map(declares.search, around.held(last)[:_MOST_USERS]))


def _is_local(name: str, files: list[DeclaringFile], paths: list[str]) -> bool:
    """Whether others have it for themselves alone."""
    known = all(name not in each.tops | each.members for each in files)
    return bool(paths) and known and all(path.endswith(".kt") for path in paths)


def _is_replaced(name: str, past: set[tuple[str, str]], file: ScopedFile) -> bool:
    """Whether its import went with others: what was imported may be a member of a receiver by now."""
    moved = past ^ imports_of(file.text)
    return len(moved) > 1 and any(what == name for _, what in moved)


def _took_place(use: Use, file: ScopedFile, paths: list[str]) -> bool:
    """Whether another name stood there, and all around it stayed: a function may be one that nobody lists."""
    if took_place(use, file, GIVEN):
        return True
    return bool(paths) and took_place(use, file, frozenset(_WORD.findall(file.past)))


def _is_received(use: Use, files: list[DeclaringFile], paths: list[str], file: ScopedFile) -> bool:
    name, around = use.name, file.around
    homes = _homes_in(file)
    if has_new_type_from_afar(use.supers, homes, file.past):
        return True
    if name[:1].isupper() and use.place.startswith("user_type"):
        return bool(is_inherited(name, (each for each in use.supers if each != RECEIVER), homes))
    texts = (file.text, file.past, *map(around.text, paths))
    other = any(not path.endswith(".kt") for path in paths)
    return is_received(use, files, homes, lambda: other or any(asks_member(t, name) for t in texts))


def _homes_in(file: ScopedFile) -> Homes:
    imports = imports_of(file.text)

    def homes(named: str) -> Iterator[DeclaringFile]:
        outer, _, owner = named.rpartition(".")
        if owner in _PLAIN:
            yield _NOTHING
        if outer and not any(True for _ in homes(outer)):
            return
        taken = {path for path, what in imports if what == owner}
        paths = [path for path in file.around.paths(owner) if path.endswith(".kt")]
        declares = re.compile(rf"\b(?:class|interface|object)\s+{owner}\b")
        for text in (file.text, *map(file.around.text, paths[:_MOST_USERS])):
            home = kotlin_file(text) if declares.search(text) else _NOTHING
            if owner in home.types and (
                not taken or any(path.startswith(home.package) for path in taken)
            ):
                yield home

    return homes
