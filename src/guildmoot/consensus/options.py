"""Groups what several judges propose or look into: the same option in other words is one option.

Likeness is that of findings (``grouping``), with one rule more: two proposals of one judge are never the
same, since it told them apart itself. Nothing is ranked by merit, and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.consensus.grouping import group_findings
from guildmoot.model.verdict import Finding

_NEVER_ONE_JUDGE = 1_000.0


class Proposal(NamedTuple):
    """One option, or one facet, of one judge."""

    by: str
    title: str
    text: str = ""
    """What it is, in a few sentences; helps to tell what is the same."""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()


class Group(NamedTuple):
    """Proposals that mean the same."""

    title: str
    """Of the one that speaks for all."""
    proposals: tuple[Proposal, ...]
    """In the order they were given."""

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(proposal.by for proposal in self.proposals))


def group_proposals(proposals: Sequence[Proposal]) -> list[Group]:
    """The groups, those of more judges first, then in the order of their first proposal.

    Who is in which group depends on the set of proposals only, not on their order.
    """
    firsts: dict[Finding, list[int]] = {}
    for number, proposal in enumerate(proposals):
        firsts.setdefault(_as_finding(proposal), []).append(number)
    found = []
    for issue in group_findings(list(firsts), seat_penalty=_NEVER_ONE_JUDGE):
        numbers = sorted(number for member in issue.members for number in firsts[member])
        found.append((issue.representative.title, numbers))
    groups = [
        Group(title, tuple(proposals[number] for number in numbers))
        for title, numbers in sorted(_joined(found, proposals), key=lambda group: group[1][0])
    ]
    return sorted(groups, key=lambda group: -len(group.judges))


def _joined(
    found: Sequence[tuple[str, list[int]]], proposals: Sequence[Proposal]
) -> list[tuple[str, list[int]]]:
    """Groups with proposals of the very same title put together, whatever else they say."""
    parent = list(range(len(found)))
    holder: dict[str, int] = {}

    def root(number: int) -> int:
        while parent[number] != number:
            number = parent[number]
        return number

    for number, (_, members) in enumerate(found):
        for title in (_plain(proposals[member].title) for member in members):
            parent[root(number)] = root(holder.setdefault(title, number)) if title else number
    merged: dict[int, tuple[str, list[int]]] = {}
    for number, (title, members) in enumerate(found):
        kept = merged.setdefault(root(number), (title, []))
        kept[1].extend(members)
    return [(title, sorted(members)) for title, members in merged.values()]


def _plain(title: str) -> str:
    return " ".join(title.casefold().split()).strip(" .:;")


def _as_finding(proposal: Proposal) -> Finding:
    return Finding(proposal.by, "", proposal.title, why=proposal.text, blocking=False)
