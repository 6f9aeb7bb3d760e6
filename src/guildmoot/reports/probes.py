"""How the seats stand on the probes, as text of at most 80 columns and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from guildmoot.consensus.votes.history import CastVote
from guildmoot.consensus.votes.standing import ENOUGH, ErrorPair, SeatStanding, Standing
from guildmoot.text.clean import count, one_line

Json = dict[str, object]
SCHEMA_VERSION = 1
WIDTH = 80
_NAME_WIDTH = 23
_MOST_PAIRS = 10
_MOST_WRONG = 20


def standing_json(standing: Standing) -> Json:
    """The whole standing as plain data."""
    choice = standing.choice
    return {
        "schema_version": SCHEMA_VERSION,
        "probes": standing.probes,
        "defective": standing.defective,
        "enough": standing.probes >= ENOUGH,
        "seats": [_seat_json(seat) for seat in standing.seats],
        "pairs": [pair._asdict() for pair in standing.pairs],
        "effective_votes": standing.effective_votes,
        "krippendorff_alpha": standing.alpha,
        "aggregator": {"name": choice.name, "left_out_errors": dict(choice.errors)}
        if choice
        else None,
        "dispositions": standing.dispositions,
        "bad_lines": standing.bad,
    }


def run_json(run: str, votes: Sequence[CastVote], standing: Standing, problem: str) -> Json:
    """One probe run: every vote, and where it leaves the seats."""
    return {
        **standing_json(standing),
        "run_id": run,
        "problem": problem,
        "votes": [vote._asdict() for vote in votes],
    }


def render_run(run: str, votes: Sequence[CastVote], standing: Standing) -> str:
    """What one probe run showed."""
    lines = [f"probe run {run}: {_counts(standing)}", ""]
    lines += _fooled(standing.seats)
    lines += _table(standing.seats)
    lines += _wrong(votes)
    lines += _absent(votes)
    lines += ["", "'guild probe report' takes all runs together."]
    return "\n".join(lines) + "\n"


def render_standing(standing: Standing) -> str:
    """Where the seats stand after all runs and dispositions."""
    lines = [f"{_counts(standing)}, {count(standing.dispositions, 'disposition')}", ""]
    lines += _doubts(standing)
    lines += _fooled(standing.seats)
    lines += _table(standing.seats)
    lines += _together(standing)
    lines += _aggregator(standing)
    return "\n".join(lines) + "\n"


def _seat_json(seat: SeatStanding) -> Json:
    return {
        **seat._asdict(),
        "accuracy": seat.right / seat.seen if seat.seen else None,
        "interval": seat.interval._asdict(),
        "missed": {"wrong": seat.missed[0], "of": seat.missed[1]},
        "alarms": {"wrong": seat.alarms[0], "of": seat.alarms[1]},
        "canaries": {"passed": seat.canaries[0], "of": seat.canaries[1]},
        "upheld": {"right": seat.upheld[0], "of": seat.upheld[1]},
        "fooled": seat.fooled,
    }


def _counts(standing: Standing) -> str:
    sound = standing.probes - standing.defective
    kinds = f"{standing.defective} defective, {sound} sound"
    return f"{count(standing.probes, 'probe')} ({kinds}), {count(len(standing.seats), 'seat')}"


def _fooled(seats: Sequence[SeatStanding]) -> Iterator[str]:
    for seat in seats:
        if seat.fooled:
            said = f"FOOLED  {one_line(seat.seat)} {', and '.join(seat.caught)}"
            yield from textwrap.wrap(said, WIDTH, subsequent_indent=" " * 8)
    if any(seat.fooled for seat in seats):
        yield "        Its vote does not count in the policy 'weighted'."
        yield ""


def _table(seats: Sequence[SeatStanding]) -> Iterator[str]:
    yield _row("seat", ("right", "accuracy, 95 %", "missed", "alarms", "canaries", "upheld"))
    for seat in seats:
        yield _row(_cut(one_line(seat.seat)), _cells(seat))


def _row(name: str, cells: tuple[str, ...]) -> str:
    right, accuracy, *rest = cells
    tail = "  ".join(f"{cell:>{width}}" for cell, width in zip(rest, (6, 6, 8, 6), strict=True))
    return f"{name:<{_NAME_WIDTH}}  {right:>5}  {accuracy:<14}  {tail}"


def _cells(seat: SeatStanding) -> tuple[str, ...]:
    accuracy = f"{_percent(seat.right / seat.seen)} ({_interval(seat)})" if seat.seen else "-"
    parts = (seat.missed, seat.alarms, seat.canaries, seat.upheld)
    return (_of((seat.right, seat.seen)), accuracy, *map(_of, parts))


def _of(part: tuple[int, int]) -> str:
    return f"{part[0]}/{part[1]}" if part[1] else "-"


def _interval(seat: SeatStanding) -> str:
    return f"{100 * seat.interval.low:.0f}-{100 * seat.interval.high:.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 3]}..."


def _wrong(votes: Sequence[CastVote]) -> Iterator[str]:
    wrong = [vote for vote in votes if vote.right is False and not vote.canary]
    if wrong:
        yield ""
        yield "wrong answers"
    for vote in wrong[:_MOST_WRONG]:
        said = f"{one_line(vote.seat)} on {one_line(vote.probe)}: {one_line(vote.note)}"
        yield from textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ")
    if len(wrong) > _MOST_WRONG:
        yield f"  and {len(wrong) - _MOST_WRONG} more; --json lists all of them"


def _absent(votes: Sequence[CastVote]) -> Iterator[str]:
    why = {vote.seat: vote.note for vote in votes if vote.outcome == "absent"}
    if why:
        yield ""
        yield "no answer"
    for seat, note in why.items():
        said = f"{one_line(seat)}: {one_line(note)}"
        yield from textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ")


def _together(standing: Standing) -> Iterator[str]:
    known = [pair for pair in standing.pairs if pair.phi is not None]
    if known:
        yield ""
        yield "errors that go together (1: always together, 0: unrelated)"
        yield from map(_pair, sorted(known, key=_by_phi)[:_MOST_PAIRS])
        if len(known) > _MOST_PAIRS:
            yield f"  and {len(known) - _MOST_PAIRS} more pairs; --json lists all of them"
    silent = len(standing.pairs) - len(known)
    if silent:
        yield ""
        said = (
            f"{count(silent, 'pair')} without a correlation: one of the two erred never or always"
        )
        yield from textwrap.wrap(said, WIDTH)
    if standing.effective_votes is not None:
        yield ""
        yield (
            f"effective votes  {standing.effective_votes:.1f}"
            "  what the seats are worth as independent votes"
        )
    if standing.alpha is not None:
        yield (
            f"agreement        {standing.alpha:.2f}  Krippendorff's alpha; 1 always, 0 as by chance"
        )


def _by_phi(pair: ErrorPair) -> tuple[float, str, str]:
    return (-(pair.phi or 0.0), pair.one, pair.other)


def _pair(pair: ErrorPair) -> str:
    names = f"{_cut(one_line(pair.one))} + {_cut(one_line(pair.other))}"
    return f"  {names:<{2 * _NAME_WIDTH + 3}}  {pair.phi:+.2f} on {count(pair.shared, 'probe')}"


def _aggregator(standing: Standing) -> Iterator[str]:
    if not standing.choice:
        return
    yield ""
    yield f"rule chosen by leave-one-out: {standing.choice.name}"
    for name, error in standing.choice.errors.items():
        yield f"  {name:<12} {_percent(error):>5} wrong on the probe left out"


def _doubts(standing: Standing) -> Iterator[str]:
    if standing.probes < ENOUGH:
        said = (
            f"Too few to tell: {count(standing.probes, 'probe')}. Take these numbers for a first "
            f"look; from {ENOUGH} on, half defective and half sound, they begin to mean something."
        )
        yield from textwrap.wrap(said, WIDTH)
        yield ""
    if standing.bad:
        yield f"{count(standing.bad, 'line')} of the record could not be read: passed over"
        yield ""
