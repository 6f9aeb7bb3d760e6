"""From cases to rows: every seat, the best one, that one asked again, the panels and the policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.seeded.cases import Case
from benchmarks.seeded.hearing import Heard, Table, hear, hear_again, is_paid, prepare
from benchmarks.seeded.rulings import (
    Said,
    best_seat,
    by_majority,
    of_seat,
    panel_of,
    panel_where,
    together,
    under,
)
from benchmarks.seeded.scoring import (
    RULES,
    Count,
    Score,
    Span,
    add,
    count,
    counts,
    gain,
    is_right,
    rates,
    score,
)

from guildmoot.consensus.policies import POLICIES
from guildmoot.model.verdict import Judgement

CONSISTENCY = "self-consistency"
"""The best seat that is no tool, asked as often as the panel asks all of its seats together."""


PANEL = "policy panel"
WITHOUT = "no optional tools"
"""The panel without the tools that are not part of the default install."""


class Row(NamedTuple):
    """One line of the tables."""

    name: str
    group: str
    """``seat``, ``baseline``, ``panel`` or ``policy``."""
    every: Score
    """Counting blocking and advisory findings."""
    blocking: Score
    control_alarms: int
    """How many of the alarms are on controls."""
    different_alarms: int
    """Alarms that differ in repository, file or code: sound code is judged again in every case."""
    judged: int
    """Cases in which it had something to judge."""
    paid_calls: int = 0
    silent: int = 0
    """Calls that gave no judgement."""
    verdicts: tuple[tuple[str, int, int], ...] = ()
    """For a policy: each verdict with the defective cases and the controls that it was given to."""
    note: str = ""


class Sensitivity(NamedTuple):
    """What one rule of matching makes of one row, all findings counted."""

    matching: str
    row: str
    total: Count
    f1: float | None


class Gain(NamedTuple):
    """How much higher the F1 of the panel is than a baseline's, over the same cases."""

    over: str
    every: Span
    blocking: Span


class Measured(NamedTuple):
    """Everything that is reported."""

    cases: tuple[Case, ...]
    rows: tuple[Row, ...]
    gains: tuple[Gain, ...]
    sensitivity: tuple[Sensitivity, ...]
    found_by: dict[str, tuple[str, ...]]
    """The rows that found the defect of a case, by the case's name."""


async def measure(cases: Sequence[Case], table: Table) -> Measured:
    """Ask, rule and count."""
    with prepare(cases, table) as benches:
        heard = await hear(benches, table)
        asked = [sum(is_paid(call.seat) for call in bench.calls.values()) for bench in benches]
        best = best_seat(heard, _seats(heard, paid=True) or _seats(heard))
        times = [max(number - 1, 0) for number in asked]
        more: list[list[Judgement]] = [[] for _ in benches]
        if max(asked):
            more = await hear_again(benches, best, times, table)
    table.on_progress("counting")
    said = await _everybody(heard, best, more, asked, table)
    rows = tuple(_row(line, heard) for line in said)
    gains = _gains(said, heard)
    return Measured(tuple(cases), rows, gains, _sensitivity(said, heard), _found_by(said, heard))


class Line(NamedTuple):
    """What stands behind a row."""

    name: str
    group: str
    said: list[Said]
    judgements: tuple[tuple[Judgement, ...], ...] = ()
    paid_calls: int = 0
    note: str = ""
    blocking: list[Said] | None = None
    """What is counted when only blocking findings are, if that is something else."""


async def _everybody(
    heard: Sequence[Heard],
    best: str,
    more: Sequence[Sequence[Judgement]],
    asked: Sequence[int],
    table: Table,
) -> list[Line]:
    lines = [_seat_line(heard, seat) for seat in _seats(heard)]
    lines += _baselines(heard, best, more, lines)
    panels = {"tools": panel_of(heard, paid=False), "other seats": panel_of(heard, paid=True)}
    if all(any(each.seats for each in panel) for panel in panels.values()):
        for name, panel in panels.items():
            calls = sum(asked) if name != "tools" else 0
            seated = [each for each in panel if each.seats]
            said = iter(await under("panel", seated, table.config))
            filled = [next(said) if each.seats else Said(()) for each in panel]
            lines.append(Line(f"panel of {name}", "panel", filled, paid_calls=calls))
    if table.optional:
        plain = panel_where(heard, lambda seat: seat.agent not in table.optional)
        if any(len(a.seats) != len(b.seats) for a, b in zip(heard, plain, strict=True)):
            said = await under("panel", plain, table.config)
            lines.append(Line(WITHOUT, "panel", said, paid_calls=sum(asked)))
    for policy in POLICIES:
        said_together = await under(policy, heard, table.config)
        lines.append(Line(f"policy {policy}", "policy", said_together, paid_calls=sum(asked)))
    return lines


def _seat_line(heard: Sequence[Heard], seat: str) -> Line:
    own = tuple(tuple(j for j in each.judgements if j.seat == seat) for each in heard)
    calls = sum(
        is_paid(sitter) and judgement.outcome != "recused"
        for each in heard
        for sitter, judgement in zip(each.seats, each.judgements, strict=True)
        if sitter.name == seat
    )
    return Line(seat, "seat", of_seat(heard, seat), own, calls)


def _baselines(
    heard: Sequence[Heard],
    paid_best: str,
    more: Sequence[Sequence[Judgement]],
    seats: Sequence[Line],
) -> list[Line]:
    """The best single seat, and a seat asked as often as the panel asks: what a panel must beat."""
    by_name = {line.name: line for line in seats}
    best, stern = (by_name[best_seat(heard, by_name, blocking=b)] for b in (False, True))
    blocks = any(count(each.case, s.blocking).found for each, s in zip(heard, stern.said))
    blocker = stern.name if blocks else "nobody"
    note = f"{best.name}, of blocking findings {blocker}; chosen in hindsight"
    lines = [
        best._replace(name="best single seat", group="baseline", note=note, blocking=stern.said)
    ]
    once = by_name[paid_best]
    if not any(more):
        why = "the panel asks once" if once.paid_calls else "a tool says the same each time"
        note = f"{paid_best} ({why})"
        return [*lines, once._replace(name=CONSISTENCY, group="baseline", note=note)]
    samples = [[*own, *others] for own, others in zip(once.judgements, more, strict=True)]
    again = Line(
        CONSISTENCY,
        "baseline",
        by_majority(samples),
        tuple(tuple(each) for each in samples),
        once.paid_calls + sum(map(len, more)),
        f"{paid_best}, as many calls as the panel; a majority stands",
    )
    tools = panel_of(heard, paid=False)
    if not any(each.seats for each in tools):
        return [*lines, again]
    facts = [Said(tuple(f for j in each.judgements for f in j.findings)) for each in tools]
    both = again._replace(
        name=f"{CONSISTENCY}+tools", said=together(again.said, facts), judgements=()
    )
    return [*lines, again, both]


def _row(line: Line, heard: Sequence[Heard]) -> Row:
    pairs = [(each.case, said) for each, said in zip(heard, line.said, strict=True)]
    every, blocking = _counts(line, heard)
    outcomes = [j.outcome for own in line.judgements for j in own]
    judged = [any(j.outcome != "recused" for j in own) for own in line.judgements]
    return Row(
        name=line.name,
        group=line.group,
        every=score(every),
        blocking=score(blocking),
        control_alarms=sum(each.alarms for each in every if not each.seeded),
        different_alarms=len(_alarms(pairs)),
        judged=sum(judged) if line.judgements else len(heard),
        paid_calls=line.paid_calls,
        silent=sum(outcome in ("absent", "unreadable") for outcome in outcomes),
        verdicts=_verdicts(pairs) if line.group == "policy" else (),
        note=line.note,
    )


def _counts(line: Line, heard: Sequence[Heard]) -> tuple[list[Count], list[Count]]:
    """What is counted of all findings, and of the blocking ones."""
    stern = line.blocking or line.said
    return (
        counts([(each.case, said.findings) for each, said in zip(heard, line.said)]),
        counts([(each.case, said.blocking) for each, said in zip(heard, stern)]),
    )


def _gains(lines: Sequence[Line], heard: Sequence[Heard]) -> tuple[Gain, ...]:
    panel = next(_counts(line, heard) for line in lines if line.name == PANEL)
    return tuple(
        Gain(line.name, *(gain(a, b) for a, b in zip(panel, _counts(line, heard))))
        for line in lines
        if line.group == "baseline"
    )


def _alarms(pairs: Sequence[tuple[Case, Said]]) -> set[tuple[str, str, str]]:
    return {
        (case.repository, finding.path, finding.code)
        for case, said in pairs
        for finding in said.findings
        if not (case.defect and is_right(finding, case.defect))
    }


def _verdicts(pairs: Sequence[tuple[Case, Said]]) -> tuple[tuple[str, int, int], ...]:
    given = Counter((said.verdict, case.defect is not None) for case, said in pairs)
    names = sorted({str(verdict) for verdict, _ in given})
    return tuple((name, given[name, True], given[name, False]) for name in names)  # type: ignore[index]


def _sensitivity(lines: Sequence[Line], heard: Sequence[Heard]) -> tuple[Sensitivity, ...]:
    """How the baselines and the panel's rule fare when "found" means something else."""
    chosen = [line for line in lines if line.group == "baseline" or line.name == PANEL]
    found = []
    for matching in RULES:
        for line in chosen:
            said = [(each.case, own.findings) for each, own in zip(heard, line.said, strict=True)]
            total = add(counts(said, matching))
            found.append(Sensitivity(matching.name, line.name, total, rates(total)[2]))
    return tuple(found)


def _found_by(lines: Sequence[Line], heard: Sequence[Heard]) -> dict[str, tuple[str, ...]]:
    found = {line.name: _counts(line, heard)[0] for line in lines}
    return {
        each.case.name: tuple(name for name, own in found.items() if own[number].found)
        for number, each in enumerate(heard)
        if each.case.defect
    }


def _seats(heard: Sequence[Heard], *, paid: bool = False) -> list[str]:
    """Everybody who sat somewhere, or only those who are no tools."""
    return sorted({seat.name for each in heard for seat in each.seats if is_paid(seat) or not paid})
