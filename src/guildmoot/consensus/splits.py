"""Where judges really differ, and what they advise: pure rules over what each of them said.

Not to raise a finding is no disagreement: whoever did not mention it did not deny it. Judges differ where
they hold PASS and FAIL, where one says that it is not so, where they weigh the same issue differently, and where
their remedies clash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from guildmoot.model.council import Disagreement, JointAdvice, Position
from guildmoot.model.council_verdict import COUNCIL_SEVERITIES, FINDING_SEVERITIES, CouncilWord
from guildmoot.model.verdict import Conflict, Issue
from guildmoot.text.opposed.denial import denies

_SMALLEST = frozenset(("a", "an", "and", "in", "of", "on", "the"))
_WORDS: tuple[CouncilWord, ...] = ("PASS", "WARN", "FAIL")


class JudgeSaid(NamedTuple):
    """What one judge holds; tools are not among them."""

    name: str
    word: CouncilWord
    insight: str = ""
    advice: str = ""


def find_disagreements(
    said: Sequence[JudgeSaid], issues: Sequence[Issue], conflicts: Iterable[Conflict] = ()
) -> list[Disagreement]:
    """The verdict where judges hold PASS and FAIL, remedies that clash, issues that weigh differently."""
    words = {each.name: each.word for each in said}
    found = []
    if {"PASS", "FAIL"} <= set(words.values()):
        found.append(Disagreement("the verdict", _by_word(said)))
    for conflict in conflicts:
        positions = (Position((f.seat,), f.fix or f.title) for f in conflict.findings)
        found.append(Disagreement(f"remedies at {conflict.scope}", tuple(positions)))
    found += _denials(issues, words)
    for issue in issues:
        positions_held = _weights(issue, words)
        if len(positions_held) > 1:
            title = f"how severe it is: {issue.representative.title}"
            found.append(Disagreement(title, positions_held))
    return found


def _denials(issues: Sequence[Issue], words: Mapping[str, CouncilWord]) -> Iterator[Disagreement]:
    """Where one judge raises what another says is not so."""
    for one, other in combinations(issues, 2):
        first, second = one.representative, other.representative
        if first.path == second.path and denies(first.title, second.title):
            sides = tuple(tuple(w for w in each.seats if w in words) for each in (one, other))
            if all(sides):
                positions = map(Position, sides, (first.title, second.title))
                yield Disagreement(f"whether it is so: {first.title}", tuple(positions))


def merge_advice(said: Sequence[JudgeSaid], verdict: CouncilWord | None) -> tuple[JointAdvice, ...]:
    """What all judges advise, the same words once; of those that hold the verdict first.

    Advice is short: two that share a verb look alike and ask for different things, so no likeness joins them.
    """
    same: dict[frozenset[str], list[tuple[JudgeSaid, str]]] = {}
    for each in said:
        if text := " ".join(each.advice.split()):
            same.setdefault(_telling(text), []).append((each, text))
    merged = []
    for group in same.values():
        who = tuple(each.name for each, _ in group)
        held = tuple(dict.fromkeys(each.word for each, _ in group))
        text = group[0][1]
        others = tuple((each.name, own) for each, own in group if own != text)
        merged.append(JointAdvice(who, text, held, others))
    return tuple(sorted(merged, key=lambda each: (verdict not in each.words, -len(each.who))))


def _telling(text: str) -> frozenset[str]:
    """All words but the smallest, in any order; of a text without letters the text."""
    return frozenset(re.findall(r"\w+", text.casefold())) - _SMALLEST or frozenset((text,))


def _by_word(said: Sequence[JudgeSaid]) -> tuple[Position, ...]:
    """Each judge's word with its insight, those for the work first."""
    return tuple(
        Position((each.name,), f"{word}: {each.insight}" if each.insight else word)
        for word in _WORDS
        for each in said
        if each.word == word
    )


def _weights(issue: Issue, words: Mapping[str, CouncilWord]) -> tuple[Position, ...]:
    """Who of those that raise the issue calls it how severe; who only passes it is told apart too."""
    severest: dict[str, str] = {}
    for member in sorted(issue.members, key=lambda each: _rank(COUNCIL_SEVERITIES[each.severity])):
        if member.seat in words:
            severest.setdefault(member.seat, COUNCIL_SEVERITIES[member.severity])
    held: dict[str, list[str]] = {}
    for seat, severity in severest.items():
        passes = ", and passes the work" if words[seat] == "PASS" and issue.blocking else ""
        held.setdefault(f"{severity}{passes}", []).append(seat)
    return tuple(Position(tuple(sorted(who)), says) for says, who in held.items())


def _rank(severity: str) -> int:
    return list[str](FINDING_SEVERITIES).index(severity)
