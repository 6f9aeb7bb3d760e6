"""What a rule is: on lines or on a syntax tree, with its code, its weight and one line on why and what instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from guildmoot.agents.parsing.grammars import language
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node, Query

Weight = Literal["ERROR", "WARNING", "INFO"]
"""ERROR blocks, for harm is nearly certain; WARNING advises; INFO is advice of little weight."""


class Defect(NamedTuple):
    """A place that does harm."""

    line: int
    code: str
    message: str
    weight: Weight


class TreeRule(NamedTuple):
    """What to look for in the syntax trees of some languages."""

    languages: frozenset[str]
    code: str
    query: str
    """Finds the nodes to look at, as ``@x``."""
    look: Callable[[Node], Node | None]
    """The node where the defect is, or None where there is none."""
    message: str
    weight: Weight = "WARNING"


def tree_rule(
    languages: str,
    code: str,
    query: str,
    look: Callable[[Node], Node | None],
    message: str,
    weight: Weight = "WARNING",
) -> TreeRule:
    """A rule; languages are parted by bars."""
    return TreeRule(frozenset(languages.split("|")), code, query, look, message, weight)


def search(rules: Sequence[TreeRule], name: str, root: Node) -> Iterable[Defect]:
    """What the rules find in a tree of the named language; what the parser could not read is left out."""
    from tree_sitter import QueryCursor

    own, query = _compiled(tuple(rules), name)
    if query is None:
        return
    for capture, nodes in QueryCursor(query).captures(root).items():
        rule = own[int(capture[1:])]
        for node in nodes:
            if node.has_error:
                continue
            found = rule.look(node)
            if found is not None:
                line = int(found.start_point[0]) + 1
                yield Defect(line, rule.code, rule.message, rule.weight)


@lru_cache(maxsize=64)
def _compiled(rules: tuple[TreeRule, ...], name: str) -> tuple[list[TreeRule], Query | None]:
    """The rules of a language and one query for all of them."""
    from tree_sitter import Query

    own = [rule for rule in rules if name in rule.languages]
    text = "\n".join(rule.query.replace("@x", f"@r{at}") for at, rule in enumerate(own))
    return own, Query(language(name), text) if own else None
