"""Scopes of C; headers give more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from guildmoot.agents.scopes.names import ScopedFile, Use, has_word, is_slip, took_place
from guildmoot.agents.scopes.table import NameTable, kinds, places
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def _c_opens(node: Node) -> bool:
    """Whether it is no list of parameters of the function that is defined there."""
    if node.type != "parameter_list":
        return True
    around = node.parent
    while around is not None and around.type.endswith("_declarator"):
        around = around.parent
    return around is None or around.type != "function_definition"


TABLE = NameTable(
    names=kinds("identifier type_identifier"),
    scopes=kinds("function_definition compound_statement for_statement parameter_list"),
    wide=kinds("function_definition"),
    binds=places(
        """declaration:declarator init_declarator:declarator parameter_declaration:declarator
        type_definition:declarator function_definition:declarator^ enumerator:name~ preproc_def:name~
        preproc_function_def:name~"""
    ),
    patterns=kinds(
        """pointer_declarator array_declarator function_declarator parenthesized_declarator
        attributed_declarator"""
    ),
    aside=places("struct_specifier:name enum_specifier:name union_specifier:name preproc_params"),
    skipped=kinds(
        "comment preproc_arg attribute_specifier ms_declspec_modifier attribute_declaration"
    ),
    special={},
    is_use=lambda node, name, place: True,
    opens=_c_opens,
)


_INCLUDE = lazy(r"(?m)^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)")
_C_HEADERS_WORDS = """
assert ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar unistd fcntl sys/types sys/stat
sys/time sys/wait sys/socket netdb pthread strings dirent poll
"""
_C_HEADERS = frozenset(_C_HEADERS_WORDS.split())
_C_GIVEN_WORDS = """
errno stdin stdout stderr environ optarg optind opterr optopt timezone daylight tzname signgam h_errno true
false bool unix linux noreturn alignas complex thread_local static_assert nullptr typeof asm inline restrict
no_argument required_argument optional_argument stdscr curscr
"""
C_GIVEN = frozenset(_C_GIVEN_WORDS.split())
_MAKING = lazy(r"\b(?:\w*(?i:each|iter|loop|walk|decl)\w*|[A-Z][A-Z0-9_]+)\s*\(")
"""Macros that may declare what they are given."""
_LONGEST = 2_000
"""Letters of a statement that is looked at."""


_C_TYPE = r"\btypedef\b[^;]*\b{0}\b|\}}\s*{0}\s*;|#\s*define\s+{0}\b|\b(?:struct|union|enum|class|using)\s+{0}\b"
_OPERANDS = ("binary_expression", "update_expression", "field_expression", "subscript_expression")
"""Where no function stands by its name, as a library may have any: headers have few variables, and those are known."""
_C_FILES = (".c", ".h", ".cc", ".cpp", ".hpp", ".inc", ".y", ".l")


def is_given(use: Use, gone: bool, file: ScopedFile) -> bool:
    name = use.name
    if gone and name.isupper():
        return _is_given_macro(name, file)
    if gone and use.is_type:
        made = re.compile(_C_TYPE.format(re.escape(name)))
        return any(map(made.search, (file.text, *file.around.held(name)))) or _has_new_include(file)
    if (
        not re.fullmatch(r"[A-Za-z]\w*" if gone else r"[a-z]\w*", name)
        or name in C_GIVEN
        or name[:2] == "yy"
    ):
        return True
    if use.place.endswith(":type") or name.endswith("_t") or use.place.startswith("preproc"):
        return True
    if any(each not in file.past for each in makings(name, file.text)) and not is_slip(use, file):
        return True
    called = use.place.startswith("call_expression")
    paths = [path for path in file.around.paths(name) if path.endswith(_C_FILES)]
    seen = _is_known_to_the_end(file.around.path, file.text, file.around.text, 4)
    if gone or took_place(use, file) or (seen and is_slip(use, file)):
        outside = re.compile(_C_DECLARES.format(re.escape(name)))
        headers = (path for path in paths if not path.endswith(".c"))
        return any(outside.search(file.around.text(path)) for path in headers)
    if paths or called or has_word(file.past, name):
        return True
    if seen:
        return False
    return not use.place.startswith(_OPERANDS) or "##" in file.text or _has_new_include(file)


def makings(name: str, text: str) -> Iterator[str]:
    """Statements in which a macro may declare the name, up to it; looked for from the name, as there are few."""
    for hit in re.finditer(rf"\b{re.escape(name)}\b", text):
        first = max(0, hit.start() - _LONGEST, *(text.rfind(s, 0, hit.start()) for s in ";{}"))
        if macro := _MAKING.search(text, first, hit.start()):
            yield text[macro.start() : hit.end()]


def _has_new_include(file: ScopedFile) -> bool:
    then, now = (set(_INCLUDE.findall(text)) for text in (file.past, file.text))
    return bool(now - then)


def _is_given_macro(name: str, file: ScopedFile) -> bool:
    """Whether a header may define it from now on, or only some builds did."""
    conditional = re.search(rf"#\s*(?:if|elif)[^\n]*\b{name}\b", file.past)
    return bool(_has_new_include(file) or conditional or file.around.paths(name))


_C_DECLARES = r"(?m)^[A-Za-z_][^;{{}}()=\n]*\b{0}\s*[;=\[,(]|#\s*define\s+{0}\b"
"""What a header gives to those who include it."""


def _is_known_to_the_end(path: str, text: str, read: Callable[[str], str], deep: int) -> bool:
    """Whether a file includes only what the language brings and what lies beside it, and makes no names by macros."""
    if not deep or "##" in text:
        return False
    for sign, name in _INCLUDE.findall(text):
        if sign == "<":
            if name.removesuffix(".h") not in _C_HEADERS:
                return False
            continue
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        said = read(beside)
        if not said or not _is_known_to_the_end(beside, said, read, deep - 1):
            return False
    return True
