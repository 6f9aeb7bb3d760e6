"""What a debate comes to: which words of each judge count, and the debate as the report tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from guildmoot.consensus.debate import Branch, Move, converged, fresh, why_stopped
from guildmoot.model.call import Reply
from guildmoot.model.council import Debate, Exchange, Shift
from guildmoot.model.verdict import Finding
from guildmoot.practices.council.anonymity import Masks
from guildmoot.practices.council.comparison import Compared, can_answer, word_in
from guildmoot.practices.council.hearing import Heard
from guildmoot.practices.repair import with_repairs

_FIDELITY = (
    "fidelity degraded: no judge was kept alive between the rounds; each was called anew with the"
    " packet and the whole of its first reply, without what it thought but did not say"
)


def counted(one: Compared) -> Heard:
    """What counts of a judge: its second round, or its first where that is missing or weak."""
    heard, second, move = one.heard, one.second, one.move
    paid = _paid(heard.reply, second.replies)
    if second.reading is None or second.judgement is None or move.weak:
        why = _weak(move) if move.weak else second.absent
        return heard._replace(reply=paid, judgement=heard.judgement._replace(reason=why))
    kept = tuple(_left(finding, move) for finding in one.dropped)
    judgement = second.judgement._replace(findings=(*second.judgement.findings, *kept))
    return heard._replace(reply=paid, reading=second.reading, judgement=judgement)


def report_of(
    compared: Sequence[Compared],
    heard: Iterable[Heard],
    branch: Branch,
    masks: Mapping[str, Masks],
    restated: Mapping[str, str],
    seed: str,
) -> Debate:
    """The debate that was held."""
    turns = [one.turn for one in compared]
    moves = [one.move for one in compared]
    return Debate(
        branch=branch,
        fidelity="degraded",
        shifts=tuple(map(_shift, moves)),
        exchanges=tuple(e for one in compared for e in _exchanges(one, masks[one.turn.label])),
        restated=tuple(restated.items()),
        converged=converged(moves),
        dropped=tuple((one.turn.label, finding) for one in compared for finding in one.dropped),
        stopped=why_stopped(moves, len(fresh(turns))),
        seed=seed,
        seen=tuple((label, each.order) for label, each in masks.items()),
        notes=(*_absentees(heard), _FIDELITY),
    )


def not_held(heard: Iterable[Heard], branch: Branch, stopped: str) -> Debate:
    """A debate that was not held: everybody's first verdict, and why it stayed at that."""
    shifts = tuple(
        Shift(one.seat.label, word_in(one), None, False) for one in heard if can_answer(one)
    )
    return Debate(branch, "degraded", shifts, stopped=stopped)


def _weak(move: Move) -> str:
    return f"R1 verdict (R2 said {move.second} and cited nothing new)"


def _left(finding: Finding, move: Move) -> Finding:
    """A dropped finding stays in the report; it blocks as far as the second verdict lets it."""
    blocking = finding.blocking and (move.second == "FAIL" or finding.severity == "critical")
    note = "; ".join(filter(None, (finding.note, "raised in round 1, not mentioned in round 2")))
    return finding._replace(blocking=blocking, note=note)


def _paid(first: Reply, more: Iterable[Reply]) -> Reply:
    """The first reply with what the second round took added to it."""
    named = [reply._replace(seat=f"{first.seat}~round-2") for reply in more]
    return with_repairs([first], named)[0]


def _shift(move: Move) -> Shift:
    return Shift(
        move.label, move.first, move.second, move.changed, move.weak, move.cited, move.reason
    )


def _exchanges(one: Compared, masks: Masks) -> list[Exchange]:
    """Whom a judge answered, by label: the letters were turned back when its reply was read."""
    by, reading = one.turn.label, one.second.reading
    notes = reading.verdict.debate_notes if reading and reading.verdict else None
    if not notes:
        return []
    told = [Exchange(by, _meant(notes.steel_man, masks), "steel-man", notes.steel_man)]
    told += [
        Exchange(by, each.target_judge, "challenge", each.claim, each.response)
        for each in notes.challenges
    ]
    told += [
        Exchange(by, each.source_judge, "acknowledge", each.point, each.impact)
        for each in notes.acknowledgments
    ]
    return [each for each in told if each.claim.strip() or each.response.strip()]


def _meant(steel_man: str, masks: Masks) -> str:
    """Whose argument was made strong, when the judge says so, or when there is only one other."""
    named = [label for label in masks.order if label in steel_man]
    if len(named) == 1:
        return named[0]
    return masks.order[0] if len(masks.order) == 1 else ""


def _absentees(heard: Iterable[Heard]) -> list[str]:
    """Who took no part in the second round, and why."""
    told = []
    for one in heard:
        who = one.seat.label
        if one.judgement.computed:
            told.append(f"{who} is a program: it takes no part in round 2, its findings stand")
        elif not can_answer(one):
            told.append(f"{who} gave no verdict in round 1 and was not asked again")
    return told
