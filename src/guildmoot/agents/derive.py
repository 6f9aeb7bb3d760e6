"""Which evaluators a list of changed files calls for: the rule alone, over tables that are data.

A file has one kind: the most specific matching pattern of the first table that seats somebody for
it. Every matching place adds its judges beside that. Reading tables and files is left to callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from guildmoot.text.globs import matches

REACT = "evaluator-react"


class PanelRule(NamedTuple):
    """Files by pattern, and who judges them."""

    files: tuple[str, ...]
    add: tuple[str, ...]
    why: str = ""


class PanelTable(NamedTuple):
    """One table of rules."""

    name: str
    """For messages: where the rules come from."""
    kinds: tuple[PanelRule, ...] = ()
    places: tuple[PanelRule, ...] = ()
    precedence: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    final: bool = False
    """A kind of this table that adds nobody means nobody; otherwise the next table is asked."""


class Because(NamedTuple):
    """Why an agent was seated; an empty path means that it always sits."""

    path: str
    pattern: str
    table: str
    why: str = ""


class Seating(NamedTuple):
    """One agent of the derived panel with every reason for it."""

    agent: str
    because: tuple[Because, ...]


def derive(
    files: Iterable[str],
    tables: Sequence[PanelTable],
    imports_react: Callable[[str], bool] = lambda path: True,
    applies: Callable[[PanelTable, str], bool] = lambda table, path: True,
) -> tuple[Seating, ...]:
    """The panel, most important first.

    ``imports_react`` is asked for plain TypeScript files, ``applies`` whether a table may be used
    for a file.
    """
    seated: dict[str, list[Because]] = {}
    for table in tables:
        for agent in table.baseline:
            seated.setdefault(agent, []).append(Because("", "", table.name))
    for path in files:
        asked = [table for table in tables if applies(table, path)]
        for agent, because in judges_of(path, asked):
            if agent == REACT and path.endswith(".ts") and not imports_react(path):
                continue
            seated.setdefault(agent, []).append(because)
    ranks = _ranks(tables)
    order = sorted(seated, key=lambda agent: (ranks.get(agent, len(ranks)), agent))
    return tuple(Seating(agent, tuple(seated[agent])) for agent in order)


def judges_of(path: str, tables: Sequence[PanelTable]) -> list[tuple[str, Because]]:
    """Who judges one file, each with the rule that says so."""
    found: list[tuple[str, Because]] = []
    for table in tables:
        kind = best(path, table.kinds)
        if kind and (kind[0].add or table.final):
            found += _seats(path, *kind, table.name)
            break
    for table in tables:
        for rule in table.places:
            hit = best(path, (rule,))
            found += _seats(path, *hit, table.name) if hit else []
    return found


def best(path: str, rules: Sequence[PanelRule]) -> tuple[PanelRule, str] | None:
    """The rule with the most specific matching pattern, and the pattern; of equals the later."""
    winner: tuple[PanelRule, str] | None = None
    highest = -1
    for rule in rules:
        for pattern in rule.files:
            weight = specificity(pattern)
            if weight >= highest and matches(path, (pattern,)):
                winner, highest = (rule, pattern), weight
    return winner


def specificity(pattern: str) -> int:
    """Ten for each character that is no asterisk, and one for each slash."""
    return 10 * len(pattern.replace("*", "")) + pattern.count("/")


def _seats(path: str, rule: PanelRule, pattern: str, table: str) -> list[tuple[str, Because]]:
    return [(agent, Because(path, pattern, table, rule.why)) for agent in rule.add]


def _ranks(tables: Sequence[PanelTable]) -> dict[str, int]:
    """The table that ranks the most names leads; others keep their order behind it."""
    names = [name for table in tables if table.final for name in table.precedence]
    for table in sorted(tables, key=lambda table: -len(table.precedence)):
        names += [name for name in table.precedence if name not in names]
    return {name: rank for rank, name in enumerate(dict.fromkeys(names))}
