"""Groups what several judges propose or look into: the same option in other words is one option.

Likeness is that of ``text.similar``, with two rules more: two proposals of one judge are never the
same, since it told them apart itself, nor is one that denies another. Nothing is ranked by merit, and nothing is
left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.text.disjoint import DisjointSets
from guildmoot.text.note import Note
from guildmoot.text.opposed.denial import part_denied
from guildmoot.text.similar import group

_NEVER_ONE_JUDGE = 1_000.0


class Proposal(NamedTuple):
    """One option, or one facet, of one judge."""

    by: str
    title: str
    text: str = ""
    """What it is, in a few sentences; helps to tell what is the same."""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()


class OptionGroup(NamedTuple):
    """Proposals that mean the same."""

    title: str
    """Of the one that speaks for all."""
    proposals: tuple[Proposal, ...]
    """In the order they were given."""

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(proposal.by for proposal in self.proposals))


def group_proposals(proposals: Sequence[Proposal]) -> list[OptionGroup]:
    """The groups, those of more judges first, then in the order of their first proposal.

    Who is in which group depends on the set of proposals only, not on their order.
    """
    numbers: dict[Note, list[int]] = {}
    for number, proposal in enumerate(proposals):
        note = Note(title=proposal.title, detail=proposal.text, source=proposal.by)
        numbers.setdefault(note, []).append(number)
    notes = list(numbers)
    found = []
    for each in group(notes, penalty=_NEVER_ONE_JUDGE):
        titles = [notes[member].title for member in each.members]
        for side in part_denied(titles):
            same = [each.members[number] for number in side]
            speaks = each.representative if each.representative in same else same[0]
            members = sorted(number for note in same for number in numbers[notes[note]])
            found.append((notes[speaks].title, members))
    groups = [
        OptionGroup(title, tuple(proposals[number] for number in members))
        for title, members in sorted(_joined(found, proposals), key=lambda each: each[1][0])
    ]
    return sorted(groups, key=lambda each: -len(each.judges))


def _joined(
    found: Sequence[tuple[str, list[int]]], proposals: Sequence[Proposal]
) -> list[tuple[str, list[int]]]:
    """Groups with proposals of the very same title put together, whatever else they say."""
    sets = DisjointSets()
    holder: dict[str, int] = {}
    for number, (_, members) in enumerate(found):
        for title in filter(None, (_plain(proposals[member].title) for member in members)):
            sets.join(number, holder.setdefault(title, number))
    return [
        (found[same[0]][0], sorted(member for number in same for member in found[number][1]))
        for same in sets.sets(range(len(found)))
    ]


def _plain(title: str) -> str:
    return " ".join(title.casefold().split()).strip(" .:;")
