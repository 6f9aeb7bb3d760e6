"""Names that a change misspelt: one word of a line became another that stands nowhere else. Pure.

Members, keys and macros belong to types that nobody can follow without a compiler. A slip of the hand can be told all
the same: one letter inside of the word is lost, doubled or wrong, or two changed places; the new word stands at this
one place of the whole repository, and the old one is still in use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from guildmoot.agents.parsing.walk import text_of
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import Passage, is_near, passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_TOKEN = lazy(r"\w+|[^\w\s]")
_WORD = lazy(r"[^\W\d]\w*")
_SHORTEST = 4
_MOST_TOKENS = 400
_DECLARES = lazy(
    r"(?:^|_)(?:declaration|definition|item|declarator|parameter|pattern|spec|assignment)$"
)
_NAMES = ("name", "pattern", "declarator", "left", "alias")


class Slip(NamedTuple):
    """A word that was misspelt."""

    name: str
    meant: str
    line: int
    column: int
    """In bytes, from 0."""


def slipped_words(before: str, after: str, others: Callable[[str], list[str]]) -> Iterator[Slip]:
    """Each slip, in a comment or a string too; ``others`` are the other files that hold a word."""
    for passage in passages(before, after):
        was, now = replaced_word(passage)
        if not now or not is_inner_slip(now, was):
            continue
        words = Counter(_WORD.findall(after))
        if words[now] != 1 or now in before or others(now) or not (words[was] or others(was)):
            continue
        for line, text in enumerate(passage.after.split("\n"), passage.first):
            found = re.search(rf"(?<!\w){re.escape(now)}(?!\w)", text)
            if found:
                start = text[: found.start()].encode("utf-8", "surrogatepass")
                yield Slip(now, was, line, len(start))


def slipped_names(
    before: str, after: str, root: Node, others: Callable[[str], list[str]]
) -> Iterator[Slip]:
    """Those that a grammar takes for names, and for no declaration."""
    for slip in slipped_words(before, after, others):
        at = slip.line - 1
        node = root.named_descendant_for_point_range((at, slip.column), (at, slip.column + 1))
        named = node is not None and text_of(node) == slip.name and node.type != "word"
        if node is not None and named and not _is_declared(node):
            yield slip


def is_inner_slip(word: str, meant: str) -> bool:
    """Whether a letter inside differs: its ends, its capitals and its digits are changed on purpose."""
    longest = min(len(word), len(meant))
    return (
        longest >= _SHORTEST
        and word[0] == meant[0]
        and (word[-1] == meant[-1] or sorted(word) == sorted(meant))
        and word.casefold() != meant.casefold()
        and re.sub(r"[^\W\d_]", "", word) == re.sub(r"[^\W\d_]", "", meant)
        and is_near(word, meant)
    )


def replaced_word(passage: Passage) -> tuple[str, str]:
    """The one word that became another, where all else of the lines stayed."""
    old, new = (_TOKEN.findall(text) for text in (passage.before, passage.after))
    if len(old) != len(new) or len(old) > _MOST_TOKENS:
        return "", ""
    changed = [(was, now) for was, now in zip(old, new, strict=True) if was != now]
    return changed[0] if len(changed) == 1 and _WORD.fullmatch(changed[0][1]) else ("", "")


def _is_declared(node: Node) -> bool:
    around = node.parent
    if around is None or not _DECLARES.search(around.type):
        return False
    named = (around.child_by_field_name(field) for field in _NAMES)
    return any(each is not None and each.start_byte == node.start_byte for each in named)
