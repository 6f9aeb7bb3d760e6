"""How the seats stand on the probes, as a document and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.consensus.votes.history import CastVote
from guildmoot.consensus.votes.standing import ENOUGH, ErrorPair, SeatStanding, Standing
from guildmoot.reports import document as doc
from guildmoot.text.clean import count, one_line

Json = dict[str, object]
SCHEMA_VERSION = 1
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


def run_document(
    run: str, votes: Sequence[CastVote], standing: Standing, costs: Sequence[str] = ()
) -> doc.Document:
    """What one probe run showed; ``costs`` are told as they are."""
    wrong = [vote for vote in votes if vote.right is False and not vote.canary]
    absent = {vote.judge: vote.note for vote in votes if vote.outcome == "absent"}
    blocks = [*_seats(standing.seats)]
    shown = {(vote.judge, vote.probe) for vote in votes if not vote.canary}
    twice = len(shown) < sum(not vote.canary for vote in votes)
    if twice and not any(seat.unsteady for seat in standing.seats):
        blocks.append(doc.Paragraph("No answer changed when a case was shown again."))
    lines = dict.fromkeys(f"{v.judge} on {v.probe}: {v.note}" for v in wrong)
    blocks += _listed("Wrong answers", list(lines))
    if len(standing.seats) > 1:
        blocks += _together(standing)
    blocks += _listed("Cost", costs)
    blocks += _listed("No answer", [f"{seat}: {note}" for seat, note in absent.items()])
    blocks.append(doc.Paragraph("`guild probe report` takes all runs together.", "muted"))
    title = f"probe run {run}"
    return doc.Document(title, tuple(blocks), doc.Banner("", f"{title}: {_counts(standing)}"))


def standing_document(standing: Standing) -> doc.Document:
    """Where the seats stand after all runs and dispositions."""
    title = f"{_counts(standing)}, {count(standing.dispositions, 'disposition')}"
    blocks = (
        *_doubts(standing),
        *_seats(standing.seats),
        *_together(standing),
        *_aggregator(standing),
    )
    return doc.Document(title, blocks, doc.Banner("", title))


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


def _seats(seats: Sequence[SeatStanding]) -> Iterator[doc.Block]:
    """Who was fooled, and how each seat did."""
    fooled = [seat for seat in seats if seat.fooled]
    for seat in fooled:
        yield doc.Paragraph(f"FOOLED  {seat.seat} {', and '.join(seat.caught)}", "callout")
    if fooled:
        yield doc.Paragraph("What such a judge does not report, or denies, counts for nothing.")
    yield doc.SectionHeading("Seats")
    heads = ("seat", "accuracy, 95 %", "right", "missed", "alarms", "canaries", "upheld")
    yield doc.Table(heads, tuple(map(_row, seats)), numbers=range(len(heads) - 5, len(heads)))
    for seat in (seat for seat in seats if seat.asked and not seat.seen):
        yield doc.Paragraph(f"{seat.seat} took no side in any of {count(seat.asked, 'probe')}")
    for seat in (seat for seat in seats if seat.unsteady):
        yield doc.Paragraph(
            f"{seat.seat} gave both answers to {seat.unsteady} of {seat.seen}: asked again, or with"
            " the files in the other order"
        )


def _row(seat: SeatStanding) -> tuple[doc.Text, ...]:
    interval = f"{100 * seat.interval.low:.0f}-{100 * seat.interval.high:.0f}"
    accuracy = f"{_percent(seat.right / seat.seen)} ({interval})" if seat.seen else "-"
    parts = ((seat.right, seat.seen), seat.missed, seat.alarms, seat.canaries, seat.upheld)
    return (seat.seat, accuracy, *(f"{n}/{of}" if of else "-" for n, of in parts))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(title: str, lines: Sequence[str], most: int = _MOST_WRONG) -> Iterator[doc.Block]:
    if not lines:
        return
    yield doc.SectionHeading(title)
    yield doc.Bullets(tuple(lines[:most]))
    if len(lines) > most:
        yield doc.Paragraph(f"and {len(lines) - most} more; --json lists all of them", "muted")


def _together(standing: Standing) -> Iterator[doc.Block]:
    known = sorted((pair for pair in standing.pairs if pair.phi is not None), key=_by_phi)
    pairs = [
        f"{one_line(pair.one)} + {one_line(pair.other)}  {pair.phi:+.2f} on "
        f"{count(pair.shared, 'probe')}"
        for pair in known
    ]
    title = "Errors that go together (1: always together, 0: unrelated)"
    yield from _listed(title, pairs, _MOST_PAIRS)
    silent = len(standing.pairs) - len(known)
    if silent:
        unknown = f"{count(silent, 'pair')} without a correlation"
        yield doc.Paragraph(f"{unknown}: one of the two erred never or always")
    votes, alpha = standing.effective_votes, standing.alpha
    worth = "what the seats are worth as independent votes"
    facts = [("effective votes", f"{votes:.1f}  {worth}" if votes is not None else "")]
    like = "Krippendorff's alpha; 1 always, 0 as by chance"
    facts += [("agreement", f"{alpha:.2f}  {like}" if alpha is not None else "")]
    yield doc.Facts(tuple(facts))


def _by_phi(pair: ErrorPair) -> tuple[float, str, str]:
    return (-(pair.phi or 0.0), pair.one, pair.other)


def _aggregator(standing: Standing) -> Iterator[doc.Block]:
    if standing.choice:
        yield doc.SectionHeading("Rule", remark=f"chosen by leave-one-out: {standing.choice.name}")
        errors = standing.choice.errors.items()
        wrong = tuple(
            (name, f"{_percent(error)} wrong on the probe left out") for name, error in errors
        )
        yield doc.Facts(wrong)


def _doubts(standing: Standing) -> Iterator[doc.Block]:
    if standing.probes < ENOUGH:
        yield doc.Paragraph(
            f"Too few to tell: {count(standing.probes, 'probe')}. Take these numbers for a first "
            f"look; from {ENOUGH} on, half defective and half sound, they begin to mean something."
        )
    if standing.bad:
        yield doc.Paragraph(
            f"{count(standing.bad, 'line')} of the record could not be read or not yours: passed over"
        )
