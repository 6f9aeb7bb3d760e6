"""What the record says of each seat, and the rule that it fits."""

import pytest

from builders import judgement
from guildmoot.consensus.agreement import tally
from guildmoot.consensus.votes.evidence import family_record
from guildmoot.consensus.votes.history import (
    CastVote,
    Disposition,
    VoteHistory,
    fit,
    fooled_seats,
    seated,
)
from guildmoot.consensus.votes.standing import assess, folded_probes


def cast(seat, probe, right, *, gold=True, run="r1", **more):
    vote = None if right is None else gold == right
    outcome = {True: "flagged", False: "approved", None: "absent"}[vote]
    made = CastVote(
        run, probe, f"hash of {probe}", gold, seat, seat, seat, "", outcome, vote, right
    )
    return made._replace(**more)


def canary(seat, right, run="r1", kind="null"):
    note = "" if right else "approved a packet of empty files"
    return cast(seat, f"({kind})", right, run=run, canary=kind, note=note)


def ledger(*votes, dispositions=()):
    return VoteHistory(tuple(votes), tuple(dispositions))


def seats(standing):
    return {seat.seat: seat for seat in standing.seats}


def many(seat, right, wrong, **more):
    """Answers to as many probes, every other one of them sound."""
    marks = [True] * right + [False] * wrong
    return [cast(seat, f"p{n:02}", mark, gold=n % 2 == 0, **more) for n, mark in enumerate(marks)]


def test_accuracy_has_its_interval_and_tells_misses_from_false_alarms():
    votes = [
        cast("a", "p1", True),
        cast("a", "p2", False),
        cast("a", "p3", True, gold=False),
        cast("a", "p4", False, gold=False),
        cast("a", "p5", None),
    ]
    [seat] = assess(ledger(*votes)).seats
    assert (seat.asked, seat.seen, seat.right) == (5, 4, 2)
    assert (seat.missed, seat.alarms) == ((1, 2), (1, 2))
    assert seat.interval.low == pytest.approx(0.15, abs=0.005)
    assert seat.interval.high == pytest.approx(0.85, abs=0.005)


def test_the_newest_run_counts_and_an_unreachable_seat_keeps_its_last_answer():
    votes = [cast("a", "p", False), cast("a", "p", True, run="r2"), cast("a", "p", None, run="r3")]
    [seat] = assess(ledger(*votes)).seats
    assert (seat.seen, seat.right) == (1, 1)


def test_a_changed_probe_starts_anew():
    changed = [cast("a", "p", True), cast("a", "p", False, run="r2", packet="another hash")]
    assert assess(ledger(*changed)).seats[0].right == 0


def test_models_measured_one_after_the_other_are_all_kept_and_found_again_at_whatever_seat():
    one = [*many("a", 8, 2), canary("a", False)]
    two = [*many("a", 10, 0, run="r2"), canary("a", True, run="r2")]
    one = [vote._replace(model="m1", family="us") for vote in one]
    two = [vote._replace(model="m2", family="them") for vote in two]
    decided = Disposition("i", "fixed", "", ("a@m2",), ("them",))
    history = ledger(*one, *two, dispositions=[decided])
    found = seats(assess(history))
    assert {name: (seat.right, seat.fooled) for name, seat in found.items()} == {
        "a@m1": (8, True),
        "a@m2": (10, False),
    }
    # The second sits first here, the first sits twice behind it, and a newer model is unknown.
    here = seated(history, {"a": "a@m2", "a-2": "a@m1", "a-3": "a@m1", "a-4": "a@m3"})
    is_fooled = fooled_seats(here)
    assert [is_fooled(name) for name in ("a", "a-2", "a-3", "a-4")] == [False, True, True, False]
    assert here.dispositions[0].seats == ("a",)
    # As another agent only the family is known by what its model answered; who is gone counts for nothing.
    other = seated(history, {"b": "b@m2"})
    assert {vote.family for vote in other.votes} == {"them"}
    assert family_record(other, 0.5, 0.5).detects.keys() == {"them"}
    assert seated(history, {"a": "a@m3"}).votes == ()


def test_to_contradict_oneself_evenly_is_not_to_be_right():
    votes = [cast("a", "p", True), cast("a", "p", False, repeat=2)]
    [seat] = assess(ledger(*votes)).seats
    assert (seat.seen, seat.right, seat.unsteady) == (1, 0, 1)
    third = cast("a", "p", True, repeat=3)
    assert assess(ledger(*votes, third)).seats[0].right == 1


def test_right_for_the_wrong_reason_counts_as_wrong_and_is_shown():
    vote = cast("a", "p", False)._replace(outcome="flagged", vote=True)
    [seat] = assess(ledger(vote)).seats
    assert (seat.right, seat.wrong_reason, seat.missed) == (0, 1, (1, 1))


def test_errors_made_together_are_found_and_shrink_the_effective_votes():
    marks = [True, True, True, False, False, True] * 4
    probes = [(f"p{n:02}", mark) for n, mark in enumerate(marks)]
    twins = [cast(seat, probe, mark) for seat in ("a", "b") for probe, mark in probes]
    other = [cast("c", probe, n % 4 != 1) for n, (probe, _) in enumerate(probes)]
    standing = assess(ledger(*twins, *other))
    phi = {(pair.one, pair.other): pair.phi for pair in standing.pairs}
    assert phi["a", "b"] == pytest.approx(1.0)
    assert abs(phi["a", "c"]) < 0.4
    assert standing.effective_votes < 2.5
    assert standing.alpha is not None


def test_a_canary_marks_the_seat_until_a_newer_run_finds_it_sound():
    votes = [cast("a", "p", True), canary("a", False)]
    assert assess(ledger(*votes)).seats[0].caught == ("approved a packet of empty files",)
    later = canary("a", True, run="r2")
    [seat] = assess(ledger(*votes, later)).seats
    assert (seat.fooled, seat.canaries) == (False, (1, 1))


def test_a_reworded_canary_pardons_nobody_who_was_not_tried_again():
    votes = [cast("a", "p", True), canary("a", False), cast("b", "p", True, run="r2")]
    reworded = canary("b", True, run="r2")._replace(packet="another hash")
    found = seats(assess(ledger(*votes, reworded)))
    assert (found["a"].fooled, found["b"].fooled) == (True, False)


def test_a_canary_is_no_probe():
    standing = assess(ledger(cast("a", "p", True), canary("a", True)))
    assert (standing.probes, standing.seats[0].seen) == (1, 1)


def test_no_rule_follows_from_no_probe():
    said = Disposition("x", "accepted", "w", ("a",))
    assert fit(ledger(dispositions=[said])) is None
    assert fit(ledger(canary("a", True))) is None


def test_the_better_seat_outweighs_the_worse_one():
    rule = fit(ledger(*many("good", 20, 0), *many("poor", 11, 9)))
    assert rule({"good": True, "poor": False}).decision is True
    assert rule({"good": False, "poor": True}).decision is False


def test_a_fooled_seat_is_not_heard_however_often_it_was_right():
    votes = [*many("good", 12, 8), *many("fooled", 20, 0), canary("fooled", False)]
    rule = fit(ledger(*votes))
    assert rule({"good": False, "fooled": True}).decision is False
    assert rule({"fooled": True}).decision is None


def test_the_flag_of_a_judge_who_is_always_wrong_never_speaks_for_the_work():
    """On probes it flags the wrong place, which counts as no flag; in a panel its flag is one."""
    for votes in (many("paranoid", 0, 20), [*many("paranoid", 0, 20), *many("coin", 10, 10)]):
        rule = fit(ledger(*votes))
        assert rule({"paranoid": True}).decision is not False
        assert rule({"paranoid": True, "coin": True}).decision is not False


def test_a_panel_is_worth_as_many_votes_as_the_report_says():
    votes = [*many("a", 14, 6), *many("b", 14, 6), *many("c", 20, 0), canary("c", False)]
    votes += [v._replace(repeat=2, right=not v.right) for v in many("b", 14, 6)[::3]]
    history = ledger(*votes)
    judges = [judgement(name) for name in "abc"]
    found = tally(judges, [], ["a", "b", "c"], folded_probes(history), fooled_seats(history))
    assert found.effective == assess(history).effective_votes
    assert found.voted == 3


def test_dispositions_move_the_weight_of_whoever_reported_the_finding():
    votes = [*many("a", 12, 8), *many("b", 12, 8)]
    upheld = [Disposition(f"u{n}", "accepted", "w", ("a",)) for n in range(15)]
    dismissed = [Disposition(f"d{n}", "dismissed", "w", ("b",)) for n in range(15)]
    assert fit(ledger(*votes))({"a": True, "b": False}).decision is None
    rule = fit(ledger(*votes, dispositions=[*upheld, *dismissed]))
    assert rule({"a": True, "b": False}).decision is True
    found = seats(assess(ledger(*votes, dispositions=[*upheld, *dismissed])))
    assert (found["a"].upheld, found["b"].upheld) == ((15, 15), (0, 15))


def test_the_newest_word_on_an_issue_counts():
    said = [Disposition("x", word, "w", ("a",)) for word in ("dismissed", "accepted", "fixed")]
    [seat] = assess(ledger(cast("a", "p", True), dispositions=said)).seats
    assert seat.upheld == (1, 1)


def test_the_order_of_the_probes_changes_nothing():
    votes = [*many("a", 9, 3), *many("b", 7, 5)]
    assert assess(ledger(*votes)) == assess(ledger(*reversed(votes)))


def test_a_seat_known_from_dispositions_alone_is_listed():
    [seat] = assess(ledger(dispositions=[Disposition("x", "fixed", "w", ("a",))])).seats
    assert (seat.seat, seat.seen, seat.upheld) == ("a", 0, (1, 1))
