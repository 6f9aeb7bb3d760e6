"""Where a word stands in a file of Ruby, and what it is there. Pure.

Asked word by word, for the few that a change touches: that is quicker than reading all names of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from guildmoot.agents.parsing.walk import line_of
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class WordPart(Enum):
    """What a word is at one place."""

    LOCAL = "a local is bound"
    BARE = "a local is read, or a method is called without saying of whom"
    OWN = "asked of self"
    MEMBER = "asked of something else"
    METHOD = "a method is declared"
    KEY = "a key, or a symbol that declares nothing"
    SET = "a constant or a variable of an object is set"
    READ = "a constant or a variable of an object is read"
    SCOPED = "a constant of a module that is named"
    MAY = "anything else: it may declare a method"


class WordPlace(NamedTuple):
    """A word at one place of a file."""

    node: Node
    part: WordPart

    @property
    def line(self) -> int:
        return line_of(self.node)


_HARD = frozenset(("method", "singleton_method", "class", "module", "singleton_class", "program"))
"""What does not see the locals around it."""
_SOFT = frozenset(("block", "do_block", "lambda"))
_BINDS = frozenset(
    (
        *("method_parameters", "block_parameters", "lambda_parameters", "destructured_parameter"),
        *("splat_parameter", "hash_splat_parameter", "block_parameter", "left_assignment_list"),
        *("destructured_left_assignment", "rest_assignment", "exception_variable"),
        *("array_pattern", "find_pattern", "alternative_pattern", "ERROR"),
    )
)
"""Around a name that is bound, whatever its field."""
_FIELDS = {
    "assignment": "left",
    "operator_assignment": "left",
    "optional_parameter": "name",
    "keyword_parameter": "name",
    "for": "pattern",
    "in_clause": "pattern",
    "match_pattern": "pattern",
    "test_pattern": "pattern",
    "as_pattern": "name",
    "keyword_pattern": "value",
}
_SYMBOLS = frozenset(("simple_symbol", "string_content", "bare_symbol", "bare_string"))
_MIXES = lazy(
    rb"(?m)^\s*(?:include|extend|prepend|delegate\w*|def_\w+|instance_eval|method_missing)\b|method_missing"
)
_GOES_ON = lazy(rb"[\w@$\x80-\xff]")
_ASIDE = frozenset(("comment", "heredoc_end", "heredoc_beginning"))
_NO_MAKERS = frozenset(
    (
        *("double", "instance_double", "class_double", "spy", "instance_spy", "it", "describe"),
        *(
            "context",
            "test",
            "require",
            "require_relative",
            "autoload",
            "load",
            "expect",
            "allow",
            "raise",
            "puts",
            "specify",
        ),
    )
)
"""What makes no method of the text or symbol it is given."""
_MAKERS = frozenset(("new", "define", "define_method", "attribute", "send", "public_send"))


def places(root: Node, data: bytes, word: str) -> list[WordPlace]:
    """Every place but those in comments."""
    found = []
    written = word.encode()
    for hit in re.finditer(re.escape(written) + rb"(?!\w)", data):
        if _GOES_ON.match(data[max(0, hit.start() - 1) : hit.start()]):
            continue
        node = root.descendant_for_byte_range(hit.start(), hit.end())
        if node is not None and node.type not in _ASIDE:
            part = _part(node, word)
            if part is not None:
                found.append(WordPlace(node, part))
    return found


def _part(node: Node, word: str) -> WordPart | None:
    around = node.parent
    if around is None or (node.text or b"").decode("utf-8", "replace") != word:
        return _spelt(node, word)
    if node.type == "identifier":
        return _name(node, around)
    if node.type in ("instance_variable", "class_variable", "global_variable"):
        return WordPart.SET if _is_bound(node, around) else WordPart.READ
    if node.type == "constant":
        return _constant(node, around)
    if node.type == "hash_key_symbol":
        if around.child_by_field_name("value") is not None:
            return WordPart.KEY
        return WordPart.LOCAL if around.type == "keyword_pattern" else WordPart.BARE
    return _spelt(node, word)


def _spelt(node: Node, word: str) -> WordPart | None:
    """A word in a symbol or a text; another name that only begins alike is no place of it."""
    if node.type in ("identifier", "constant", "instance_variable", "class_variable"):
        return None
    if node.type in _SYMBOLS and not _may_declare(node):
        return WordPart.KEY
    return WordPart.MAY


def _may_declare(node: Node) -> bool:
    """Whether a symbol is handed to what makes methods: a call outside of methods, or one that is known to."""
    call: Node | None = node
    while call is not None and call.type not in _HARD:
        if call.type == "call":
            method, of = call.child_by_field_name("method"), call.child_by_field_name("receiver")
            name = (method.text or b"").decode("utf-8", "replace") if method is not None else ""
            if name in _MAKERS:
                return True
            return of is None and name not in _NO_MAKERS and not _in_method(call)
        call = call.parent
    return False


def _in_method(node: Node) -> bool:
    return any(each.type in ("method", "singleton_method") for each in above(node))


def above(node: Node) -> Iterator[Node]:
    """What stands around it, from the nearest."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def _name(node: Node, around: Node) -> WordPart | None:
    kind = around.type
    if kind == "call" and around.child_by_field_name("method") == node:
        of = around.child_by_field_name("receiver")
        if of is None:
            return WordPart.BARE
        return WordPart.OWN if of.type == "self" else WordPart.MEMBER
    if _is_bound(node, around):
        return WordPart.LOCAL
    if kind in ("method", "singleton_method") and around.child_by_field_name("name") == node:
        return WordPart.METHOD
    if kind == "singleton_method" and around.child_by_field_name("object") == node:
        return None  # which the method around it does not hide
    if kind in ("setter", "alias", "undef"):
        return WordPart.METHOD
    return WordPart.MAY if _is_asked_about(node) else WordPart.BARE


def _near(node: Node) -> list[Node]:
    first = node.parent
    second = first.parent if first is not None else None
    return [each for each in (first, second) if each is not None]


def _text(node: Node) -> str:
    return (node.text or b"")[:20].decode("utf-8", "replace")


def _is_asked_about(node: Node) -> bool:
    """Whether it stands in ``defined?``."""
    return any(each.type == "unary" and _text(each).startswith("defined?") for each in _near(node))


def _constant(node: Node, around: Node) -> WordPart:
    if _is_asked_about(node):
        return WordPart.MAY
    if around.type == "scope_resolution" and around.child_by_field_name("name") == node:
        outer = around.parent
        if outer is not None and _declares(around, outer):
            return WordPart.SET
        return WordPart.SCOPED if around.child_by_field_name("scope") is not None else WordPart.READ
    if around.type == "call" and around.child_by_field_name("method") == node:
        return WordPart.MEMBER
    return WordPart.SET if _declares(node, around) else WordPart.READ


def _declares(node: Node, around: Node) -> bool:
    named = around.type in ("class", "module") and around.child_by_field_name("name") == node
    return named or _is_bound(node, around)


def _is_bound(node: Node, around: Node) -> bool:
    if around.type in _BINDS:
        return True
    field = _FIELDS.get(around.type)
    return field is not None and around.child_by_field_name(field) == node


def sees(use: Node, bound: Node) -> bool:
    """Whether a local that is bound there is known here; their order is left out."""
    home = next(each for each in above(bound) if each.type in _HARD or each.type in _SOFT)
    for each in above(use):
        if each.id == home.id:
            return True
        if each.type in _HARD:
            return False
    return False


def is_closed(node: Node) -> bool:
    """Whether a method of a class asks, whose class takes no methods from elsewhere that can be seen."""
    method = False
    for each in above(node):
        if each.type in _SOFT and not method:
            return False  # another self, perhaps
        method = method or each.type in ("method", "singleton_method")
        if each.type in ("class", "module", "singleton_class", "program"):
            return (
                method
                and each.type == "class"
                and each.child_by_field_name("superclass") is None
                and not _MIXES.search(each.text or b"")
            )
    return False


def has_parent(node: Node) -> bool:
    """Whether the class around it takes from another."""
    kinds = (each for each in above(node) if each.type in ("class", "module"))
    home = next(kinds, None)
    return home is not None and home.child_by_field_name("superclass") is not None
