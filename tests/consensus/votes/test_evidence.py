"""Records of families: what probes and people say of them, and what that makes of an issue."""

from guildmoot.consensus.votes.evidence import (
    Context,
    SeatRecord,
    evidence,
    family_record,
    upheld_by_families,
)
from guildmoot.consensus.votes.history import CastVote, Disposition, VoteHistory


def answers(seat, right, of, family="", **fields):
    """So many right answers of a seat to defective probes."""
    made = CastVote("r", "", "h", True, seat, seat, family or seat, "", "flagged", True, True)
    return [
        made._replace(probe=f"p{n}", right=n < right, **{"family": family or seat, **fields})
        for n in range(of)
    ]


def test_a_family_is_as_good_as_its_best_seat_and_few_probes_say_little():
    votes = [*answers("a", 9, 10, "one"), *answers("b", 1, 10, "one"), *answers("c", 4, 4, "two")]
    record = family_record(VoteHistory(tuple(votes)), 0.3, 0.6)
    assert set(record.detects) == {"one"}, "four probes are no basis"
    assert 0.6 < record.detects["one"] < 0.9, "drawn towards the mean"
    assert record.false_share == 0.6


def test_a_seat_that_a_canary_caught_has_no_record_and_both_orders_count_once():
    canary = CastVote(
        "r", "(null)", "h", True, "a", "a", "one", "", "approved", False, False, canary="null"
    )
    fooled = family_record(VoteHistory((*answers("a", 9, 9, "one"), canary)), 0.3, 0.6)
    assert fooled.detects == {}
    twice = [*answers("a", 6, 6), *answers("a", 0, 6, repeat=2)]
    steady = family_record(VoteHistory(tuple(answers("a", 6, 6))), 0.3, 0.6)
    assert family_record(VoteHistory(tuple(twice)), 0.3, 0.6).detects["a"] < steady.detects["a"]


def test_what_people_decided_counts_by_the_number_of_families():
    said = [
        Disposition(f"i{n}", "dismissed" if n % 3 else "accepted", "", ("a", "b"), ("a", "b"))
        for n in range(9)
    ]
    assert upheld_by_families(said) == {2: (3, 9)}
    assert family_record(VoteHistory((), tuple(said)), 0.3, 0.1).false_share > 0.3


def test_who_names_much_says_little_with_it():
    record = SeatRecord({"a": 0.4, "b": 0.4}, 0.67)
    quiet = Context({"a": 1, "b": 1}, 20)
    loud = Context({"a": 15, "b": 1}, 20)
    assert evidence({"a"}, quiet, record) > evidence({"a"}, loud, record)
    assert evidence({"a", "b"}, quiet, record) > evidence({"a"}, quiet, record)
