"""Scopes of C++; headers, the class of a member and the types above it give more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from guildmoot.agents.members.c_standard import NAMES, is_standard
from guildmoot.agents.members.c_trees import C_ENDINGS, INCLUDED
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.agents.scopes.above import (
    RECEIVER,
    DeclaringFile,
    Homes,
    has_new_type_from_afar,
    is_received,
)
from guildmoot.agents.scopes.c import C_GIVEN
from guildmoot.agents.scopes.cpp_files import bases_of, cpp_file
from guildmoot.agents.scopes.names import ScopedFile, Use, took_place
from guildmoot.agents.scopes.table import OUTSIDE, NameTable, kinds, places
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_TAGS = ("class_specifier", "struct_specifier", "union_specifier")
_TEMPLATES = ("template_function", "template_type")
_CALLS = ("call_expression", "template_function")
"""Where a library may have any name: by overloads, and in the namespaces of what is given."""
_TYPE_NAMED = r"\b(?:typename|class|struct|union|enum|using|concept)\b(?:\s*\.\.\.)?\s*{0}\b"
_FOLDERS = ("", "include", "src", "inc")
"""In which a build looks for headers, beside a file or above it."""
_INCLUDE = lazy(r"(?m)^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)")
_MOST_USERS = 40
_SOURCES = (".c", ".cc", ".cpp", ".cxx")
_INCLUDES_SOURCE = lazy(r"(?m)^[ \t]*#[ \t]*include[ \t]*[<\"][^>\"]*\.(?:c|cc|cpp|cxx)[>\"]")
_GIVEN_WORDS = """
static_cast dynamic_cast reinterpret_cast const_cast std override final import module co_await co_yield co_return
concept requires this nullptr assert typeid noexcept decltype alignof __func__ __FILE__ __LINE__ __FUNCTION__ NULL
"""
_GIVEN = frozenset(_GIVEN_WORDS.split()) | C_GIVEN | NAMES


def _supers(node: Node) -> list[str]:
    """The class of a member that is defined outside of it, and the types above a class."""
    if node.type in _TAGS:
        return bases_of(node)
    if node.type == "lambda_expression" or node.type != "function_definition":
        return []
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator") or next(
            (each for each in declarator.named_children if "declarator" in each.type), None
        )
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    if name is None or declarator is None:
        return []
    if name.type == "qualified_identifier":
        return [re.sub(r"<.*", "", each) for each in _scopes(text_of(name))]
    made = node.child_by_field_name("type") is None and not _is_inside_class(node)
    if not made:
        return []  # what a macro makes of it, as a test with its fixture
    given = [text_of(each) for each in walk(declarator) if each.type == "type_identifier"]
    return given or [RECEIVER]


def _scopes(name: str) -> list[str]:
    plain = name
    while (inner := re.sub(r"<[^<>]*>", "", plain)) != plain:
        plain = inner
    return [each for each in plain.split("::")[:-1] if each.strip()][-1:]


def _is_inside_class(node: Node) -> bool:
    around = node.parent
    return around is not None and around.type == "field_declaration_list"


def _special(node: Node) -> Iterable[str]:
    return {text_of(node).rstrip("; ").rpartition("::")[2]}


def _is_use(node: Node, name: str, place: str) -> bool:
    around = node.parent
    if around is not None and around.type in _TEMPLATES:  # what a namespace has, with arguments
        scope = around.parent
        if scope is not None and scope.type == "qualified_identifier":
            return False
    while around is not None and around.type.endswith(("expression", "argument_list")):
        around = around.parent
    return around is not None and not around.type.startswith("preproc")


def _where(node: Node, field: str, where: str) -> str:
    """What a template declares, it declares around its parameters."""
    around = node.parent if node.type != "init_declarator" else node.parent and node.parent.parent
    return OUTSIDE if around is not None and around.type == "template_declaration" else where


TABLE = NameTable(
    names=kinds("identifier field_identifier"),
    scopes=kinds(
        """function_definition compound_statement for_statement for_range_loop if_statement while_statement
        switch_statement lambda_expression catch_clause class_specifier struct_specifier union_specifier
        template_declaration parameter_list requires_expression"""
    ),
    wide=kinds("function_definition lambda_expression class_specifier struct_specifier"),
    binds=places(
        """declaration:declarator init_declarator:declarator parameter_declaration:declarator
        optional_parameter_declaration:declarator variadic_parameter_declaration:declarator
        function_definition:declarator^ field_declaration:declarator enumerator:name~ preproc_def:name~
        preproc_function_def:name~ for_range_loop:declarator lambda_capture_initializer:left
        namespace_alias_definition:name concept_definition:name"""
    ),
    patterns=kinds(
        """pointer_declarator reference_declarator array_declarator function_declarator parenthesized_declarator
        attributed_declarator structured_binding_declarator variadic_declarator"""
    ),
    aside=places(
        """qualified_identifier:name qualified_identifier:scope field_expression:field preproc_params field_initializer
        field_designator preproc_ifdef:name template_method:name dependent_name template_argument_list:-
        destructor_name"""
    ),
    skipped=kinds(
        """comment preproc_arg attribute_specifier ms_declspec_modifier attribute_declaration preproc_call
        preproc_defined operator_name literal_suffix"""
    ),
    special={"using_declaration": _special},
    is_use=_is_use,
    where=_where,
    thin=kinds("template_declaration"),
    opens=lambda node: not (_is_of_definition(node) or _is_anonymous(node)),
    supers=_supers,
)


def _is_anonymous(node: Node) -> bool:
    """Whether it is a union or struct without a name, whose members are those of what it stands in."""
    around = node.parent
    if node.type not in _TAGS or node.child_by_field_name("name") is not None or around is None:
        return False
    return around.child_by_field_name("declarator") is None


def _is_of_definition(node: Node) -> bool:
    """Whether they are the parameters of what is defined there."""
    if node.type != "parameter_list":
        return False
    around = node.parent
    while around is not None and around.type.endswith("_declarator"):
        around = around.parent
    return around is not None and around.type in (
        "function_definition",
        "lambda_expression",
        "catch_clause",
    )


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    name, around = use.name, file.around
    if name in _GIVEN or name[:2] in ("__", "yy") or _INCLUDES_SOURCE.search(file.text):
        return True
    if _is_declared_here(name, file):
        return True
    paths = [path for path in around.paths(name) if path.endswith((*C_ENDINGS, *INCLUDED))]
    if len(paths) > _MOST_USERS or not (gone or _took_place(use, file, paths)):
        return True
    if _comes_from_afar(use, file):
        return True
    if gone and name.isupper():
        return True
    files = list[DeclaringFile]()
    for path in paths:
        found = cpp_file(path, around.text(path))
        is_source = path.endswith(_SOURCES)
        tops = found.tops if found is not None else _written(name, around.text(path))
        if name in tops and not is_source:
            return True
        files += [found] if found is not None else []
    texts = (file.text, file.past, *map(around.text, paths))
    asked = re.compile(rf"(?:\.|->|::)\s*{re.escape(name)}\b")
    homes = _homes_in(file)
    if has_new_type_from_afar(use.supers, homes, file.past) or _is_lost_among(use, homes, file):
        return True
    return is_received(use, files, homes, lambda: any(map(asked.search, texts)))


def is_unknown(use: Use, file: ScopedFile) -> bool:
    """Whether a function uses the name, and neither the language nor a type above it may give it."""
    inside = any(scope.kind == "function_definition" for scope in use.scope.chain())
    if not inside or use.name in _GIVEN or use.place.startswith(_CALLS):
        return False
    if _is_declared_here(use.name, file):
        return False
    return not is_received(use, (), _homes_in(file), lambda: True)


def _is_declared_here(name: str, file: ScopedFile) -> bool:
    """Whether the file declares it for all, or may: as a type that is taken for a value, or where it is not read."""
    if re.search(_TYPE_NAMED.format(re.escape(name)), file.text):
        return True
    found = cpp_file(file.around.path, file.text)
    return name in (found.tops if found is not None else _written(name, file.text))


def _comes_from_afar(use: Use, file: ScopedFile) -> bool:
    """Whether a header that the change includes may bring the name: one that the repository does not hold.

    Those of the language bring functions and templates, and these only where their namespace is open.
    """
    new = set(_INCLUDE.findall(file.text)) - set(_INCLUDE.findall(file.past))
    called = use.place.startswith(_CALLS) and "using namespace std" in file.text
    return any(called if is_standard(name) else not _is_held(name, file) for name in new)


def _is_held(header: str, file: ScopedFile) -> bool:
    """Whether it lies beside the file, or where a build looks for it."""
    above = posixpath.dirname(file.around.path)
    while True:
        places = (posixpath.normpath(posixpath.join(above, each, header)) for each in _FOLDERS)
        if any(map(file.around.text, places)):
            return True
        if not above:
            return False
        above = posixpath.dirname(above)


def _written(name: str, text: str) -> frozenset[str]:
    """The name, if a text may declare it where no grammar can say so."""
    plain = rf"(?m)^[ \t]*(?:[A-Za-z_][^;{{}}()=\n]*[ \t*&])?{re.escape(name)}\s*[;=\[,({{}}]"
    made = rf"#\s*define\s+{re.escape(name)}\b"
    return frozenset((name,)) if re.search(f"{plain}|{made}", text) else frozenset()


def _took_place(use: Use, file: ScopedFile, paths: list[str]) -> bool:
    """Whether another name stood there, and all around it stayed: a library may have any function."""
    if use.place.startswith(_CALLS):
        return bool(paths) and took_place(
            use, file, frozenset(re.findall(r"[^\W\d]\w*", file.past))
        )
    return took_place(use, file)


def _homes_in(file: ScopedFile) -> Homes:
    def homes(owner: str) -> Iterator[DeclaringFile]:
        around = file.around
        marked = r"[^;{}()]*(?:\([^()\n]*\)[^;{}()]*)?"  # a macro may say how it is exported
        is_type = re.compile(rf"\b(?:class|struct|union)\s{marked}\b{re.escape(owner)}\b")
        spaces = re.compile(rf"\bnamespace\s+(?:\w+::)*{re.escape(owner)}\b")
        paths = [path for path in around.paths(owner) if path.endswith((*C_ENDINGS, *INCLUDED))]
        paths.sort(key=lambda path: path.endswith(_SOURCES))  # of many, those that declare types
        texts = [
            (around.path, file.text),
            *((path, around.text(path)) for path in paths[:_MOST_USERS]),
        ]
        found = [cpp_file(path, text) for path, text in texts if is_type.search(text)]
        types = [each for each in found if each is not None and owner in each.types]
        yield from types
        if not types and any(spaces.search(text) for _, text in texts):
            yield _SPACE

    return homes


def _is_lost_among(use: Use, homes: Homes, file: ScopedFile) -> bool:
    """Whether so many files name a type above that not all were looked at, and those did not declare it."""
    owners = [each for each in use.supers if each != RECEIVER]
    many = (each for each in owners if len(file.around.paths(each)) > _MOST_USERS)
    return any(not list(homes(each)) for each in many)


_SPACE = DeclaringFile("", frozenset(), {}, {}, frozenset())
"""A namespace, whose names count for all files."""
