"""Files of C and C++ as trees: macros that only mark what follows are left out, as no grammar knows them. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from guildmoot.agents.parsing.grammars import parser
from guildmoot.text.languages import language_of
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

C_ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh")
INCLUDED = (".inc", ".inl", ".ipp", ".tcc", ".tpp", ".hxx", ".def")
"""Parts of files that others include; by themselves they may be of another language and are not judged."""
_MARKS = lazy(
    r"(?m)^(?:(?:extern|static)[ \t]+)?(?P<first>[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?)"
    r"(?=[ \t]+(?:[a-z]\w*|[A-Z]\w*[a-z]\w*)[ \t*&<])"
    r"|\b(?:class|struct|union)[ \t]+(?P<second>[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?)(?=[ \t]+\w)"
)
_LINES = lazy(
    r"(?m)^[A-Z][A-Z0-9_]{3,}[ \t]*$|^[ \t]*#[ \t]*if(?:def|[ \t]+defined)[ \t(]*__cplusplus\b[^\n]*\n"
    r"[ \t]*(?:extern[ \t]+\"C\"\s*\{|\})[^\n]*\n[ \t]*#[ \t]*endif[^\n]*"
)
"""Marks on a line of their own, and what lets C++ read a header of C."""
_MOST = 1_000_000
_IS_CPP = lazy(r"(?m)^[ \t]*(?:namespace|template|class)\b|^[ \t]*public:|\bstd::")
"""What a header of C does not hold."""


@lru_cache(maxsize=256)
def c_tree(path: str, text: str) -> Node | None:
    """Also of a file that its grammar does not take as a whole: look for what has errors in it."""
    if not text:
        return None
    text = _LINES.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    plain = _MARKS.sub(lambda found: _blanked(found[0], found["first"] or found["second"]), text)
    named = language_of(path).name
    language = "C++" if not path.endswith(".c") and is_cpp(text) else named
    language = "C" if not language and path.endswith(INCLUDED) else language
    data = plain.encode("utf-8", "surrogatepass")
    if language not in ("C", "C++") or len(data) > _MOST:
        return None
    return parser(language).parse(data).root_node


def is_cpp(text: str) -> bool:
    """Whether a header is none of C."""
    return _IS_CPP.search(text) is not None


def _blanked(whole: str, mark: str) -> str:
    """The same number of letters, so that lines and columns stay."""
    return whole.replace(mark, " " * len(mark))
