"""Names that a file uses and nothing in it declares: what a removed import leaves behind.

Without the rest of the project nobody can say that such a name is wrong. That a change left it without its
declaration can be said: then it was declared before, and the lines that use it are as they were. So these
findings count only in a change (``practices.before``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from guildmoot.agents.parsing.known_names import KNOWN, LENT
from guildmoot.agents.parsing.package_names import go_names, java_names, php_members, rust_names
from guildmoot.agents.parsing.plain_names import LANGUAGES, SCRIPTS, plain_names
from guildmoot.agents.parsing.walk import Names
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import KEYWORDS, is_near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_LINES = 40
_LONGEST, _MOST_DECLARED = 80, 2_000
_FIRST_WORD = lazy(
    r"\s*(?:(?:export|public|private|static|final|abstract|pub|async) )*([a-z]{3,12}) +[\w$(\"']"
)
"""Of a line: where a keyword is misspelt, some grammars take it for a call."""


class UnknownName(NamedTuple):
    """A use of a name that the file does not declare."""

    name: str
    line: int
    sure: bool
    """Whether nothing outside the file is likely to declare it."""


def unknown_names(language: str, root: Node, elsewhere: set[str]) -> Iterator[UnknownName]:
    """Each line that uses a name which is declared neither here nor in a file beside it."""
    for reader in _READERS.get(language, ()):
        names = reader(root)
        known = elsewhere | names.declared | KNOWN.get(language, frozenset())
        if language in SCRIPTS:
            known -= LENT - names.declared - {name for name, _, value in names.used if not value}
        told: dict[str, set[int]] = {}
        declared = frozenset(names.declared)
        for name, line, sure in names.used:
            if names.open and not _is_slip(name, declared):
                continue
            lines = told.setdefault(name, set())
            if name not in known and line not in lines and len(lines) < _MOST_LINES:
                lines.add(line)
                yield UnknownName(name, line, sure)
    text = (root.text or b"").decode("utf-8", "replace")
    for number, line_text in enumerate(text.split("\n"), 1):
        found = _FIRST_WORD.match(line_text)
        if found and found[1] not in KEYWORDS and any(is_near(found[1], k) for k in KEYWORDS):
            yield UnknownName(found[1], number, False)


@lru_cache(maxsize=4096)
def _is_slip(name: str, declared: frozenset[str]) -> bool:
    """Whether a file that takes in names which nobody lists declares one that differs by a slip of the hand."""
    near = (each for each in declared if abs(len(each) - len(name)) < 2 and each[:1] == name[:1])
    return (
        3 < len(name) < _LONGEST
        and len(declared) < _MOST_DECLARED
        and any(is_near(name, each) for each in near)
    )


def declared_names(language: str, root: Node) -> set[str]:
    """What the file declares, for other files of the same change."""
    readers = _READERS.get(language)
    return readers[-1](root).declared if readers else set()


_READERS: dict[str, tuple[Callable[[Node], Names], ...]] = {
    name: (partial(plain_names, name),) for name in LANGUAGES
}
_READERS["Go"] = (go_names,)
_READERS["Java"] += (java_names,)
_READERS["Rust"] += (rust_names,)
_READERS["PHP"] = (php_members, *_READERS["PHP"])
