"""The rules of a debate: what moves a verdict, what does not, and what was left behind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.council import CouncilVote, tally_council
from guildmoot.consensus.debate import (
    JudgeRound,
    PacketLookup,
    Turn,
    branch_of,
    converged,
    dropped,
    fresh,
    move_of,
    peer_order,
    why_not,
    why_stopped,
)
from guildmoot.model.verdict import Finding

WORDS = {"load_config", "handle", "token", "logged", "invoice", "rounding"}
REAL = PacketLookup(
    lambda place: place[0] == "app.py" and 1 <= place[1] <= place[2] <= 20, WORDS.__contains__
)
LEAK = Finding(
    "j", "leak", "the file handle in load_config is never closed", path="app.py", line=3, end_line=3
)
NULL = Finding(
    "j", "null", "get_user may return None and is dereferenced", path="app.py", line=9, end_line=9
)
AGAIN = Finding(
    "j", "leak", "load_config leaks the open file handle", path="app.py", line=3, end_line=3
)


def turn(first="FAIL", second="PASS", label="j", **more):
    before = JudgeRound(first, (LEAK,), (("app.py", 3, 3),), "the handle in load_config leaks")
    return Turn(label, before, JudgeRound(second, **more))


@pytest.mark.parametrize(
    ("words", "branch"),
    [
        (["PASS", "PASS"], "agreed"),
        (["PASS", "WARN"], "disagreed"),
        (["FAIL", None, "FAIL"], "agreed"),
    ],
)
def test_the_branch_is_agreed_when_all_who_spoke_say_the_same(words, branch):
    assert branch_of(words) == branch


def test_auto_debates_only_a_split_and_on_debates_either():
    assert "no split" in why_not("auto", ["PASS", "PASS"], 2)
    assert why_not("auto", ["PASS", "FAIL"], 2) == ""
    assert why_not("on", ["PASS", "PASS"], 2) == ""
    assert why_not("off", ["PASS", "FAIL"], 2)
    assert "here 1" in why_not("on", ["PASS"], 1)


@pytest.mark.parametrize(
    ("grounds", "cited"),
    [
        ({"places": (("app.py", 9, 9),)}, "app.py:9"),
        ({"places": (("app.py", 9, 12),)}, "app.py:9-12"),
        ({"admitted": ("I overlooked that the token is logged",)}, "an error of its own"),
    ],
)
def test_a_change_that_cites_something_new_counts(grounds, cited):
    move = move_of(turn(**grounds), REAL)
    assert (move.changed, move.weak, move.counted) == (True, False, "PASS")
    assert move.cited[0].startswith(cited)


@pytest.mark.parametrize(
    "grounds",
    [
        {},
        {"places": (("app.py", 3, 3),)},  # named in its first round
        {"places": (("app.py", 2, 8),)},  # the same lines and some around them
        {"places": (("app.py", 21, 21),)},  # the file ends before that
        {"places": (("ghost.py", 1, 1),)},
        {"places": (("app.py", 0, 0),)},  # a file is no place
        {"admitted": ("I was wrong, the other judges made good points",)},
        {"admitted": ("I missed the unicorn stampede",)},  # nothing of that is in the packet
        {"missing": ("a test is missing",)},
        {"missing": ("no test for an empty basket",)},  # what the work lacks makes it no better
        {"missing": ("no test that the handle in load_config leaks",)},  # said before
    ],
)
def test_a_change_without_anything_new_is_weak_and_the_first_verdict_counts(grounds):
    move = move_of(turn(**grounds), REAL)
    assert (move.changed, move.weak, move.counted) == (True, True, "FAIL")


def test_a_missing_case_is_a_ground_for_a_harsher_verdict():
    move = move_of(turn("PASS", "FAIL", missing=("no test for an empty basket",)), REAL)
    assert (move.weak, move.counted) == (False, "FAIL")
    assert move.cited[0].startswith("a missing case")


def test_who_confirms_needs_no_ground_and_who_is_absent_keeps_the_first_verdict():
    assert not move_of(turn("WARN", "WARN"), REAL).weak
    gone = Turn("j", JudgeRound("FAIL"), None, "R1 verdict (R2 timeout)")
    move = move_of(gone, REAL)
    assert (move.second, move.counted, move.reason) == (None, "FAIL", "R1 verdict (R2 timeout)")


def test_a_finding_that_the_second_round_does_not_mention_is_dropped():
    first = JudgeRound("FAIL", (LEAK, NULL))
    assert dropped(Turn("j", first, JudgeRound("FAIL", (AGAIN,)))) == (NULL,)
    taken_back = Finding(
        "j", "", "get_user never returns None here, app.py:9", path="app.py", line=9
    )
    assert dropped(Turn("j", first, JudgeRound("FAIL", (AGAIN,), remarks=(taken_back,)))) == ()
    assert dropped(Turn("j", first, None)) == ()


def test_only_what_nobody_said_before_is_new():
    a = Turn("a", JudgeRound("FAIL", (LEAK,)), JudgeRound("FAIL", (LEAK, NULL)))
    b = Turn("b", JudgeRound("PASS"), JudgeRound("FAIL", (AGAIN,)))
    assert fresh([a, b]) == (NULL,)


def test_a_split_that_ends_in_one_voice_is_called_out_even_when_the_flip_is_weak():
    moves = [move_of(turn("FAIL", "PASS"), REAL), move_of(turn("PASS", "PASS"), REAL)]
    assert converged(moves)
    assert not converged([move_of(turn("PASS", "PASS"), REAL)] * 2)


def test_it_says_why_there_is_no_further_round():
    same = [move_of(turn("PASS", "PASS"), REAL)] * 2
    assert why_stopped(same, 0) == "stable: everybody says PASS, and nothing new was raised"
    split = [*same, move_of(turn("FAIL", "FAIL"), REAL)]
    assert why_stopped(split, 0).startswith("stable: nobody moved")
    weak = [*same, move_of(turn("FAIL", "PASS"), REAL)]
    assert why_stopped(weak, 0).startswith("stable: no verdict that counts moved")
    assert why_stopped(split, 1).endswith("raised 1 new finding")


words = st.sampled_from(["PASS", "WARN", "FAIL"])
grounds = st.fixed_dictionaries(
    {
        "places": st.lists(
            st.tuples(st.sampled_from(["app.py", "x.py"]), st.integers(0, 30), st.integers(0, 30)),
            max_size=2,
        ).map(tuple),
        "admitted": st.lists(
            st.sampled_from(["I missed it", "I missed the logged token"]), max_size=2
        ).map(tuple),
    }
)
turns = st.lists(st.tuples(words, words, grounds), min_size=1, max_size=6)


def outcome(cast):
    return tally_council(
        [CouncilVote(f"j{n}", f"f{n}", word) for n, word in enumerate(cast)]
    ).outcome


@given(turns)
def test_weak_flips_never_change_the_outcome(said):
    moves = [move_of(turn(first, second, **more), REAL) for first, second, more in said]
    without = [move.first if move.weak else move.second for move in moves]
    assert outcome([move.counted for move in moves]) == outcome(without)
    assert all(move.cited for move in moves if move.counted != move.first)


@given(turns, st.randoms())
def test_the_order_of_the_judges_changes_no_move_and_no_verdict_on_convergence(said, random):
    given_ = [turn(a, b, f"j{n}", **more) for n, (a, b, more) in enumerate(said)]
    mixed = list(given_)
    random.shuffle(mixed)
    moves, others = ([move_of(each, REAL) for each in turns_] for turns_ in (given_, mixed))
    assert sorted(moves) == sorted(others)
    assert converged(moves) == converged(others)


titles = st.text("abcdefgh ", min_size=1, max_size=30)
findings = st.lists(
    st.builds(lambda t, n: Finding("j", "c", t, path="app.py", line=n), titles, st.integers(0, 20)),
    max_size=6,
).map(tuple)


@given(findings, findings)
def test_who_repeats_everything_drops_nothing(first, more):
    assert dropped(Turn("j", JudgeRound("FAIL", first), JudgeRound("FAIL", (*more, *first)))) == ()


@given(findings, findings)
def test_what_is_dropped_was_there_and_is_not_repeated(first, second):
    gone = dropped(Turn("j", JudgeRound("FAIL", first), JudgeRound("FAIL", second)))
    assert set(gone) <= set(first) - set(second)


@given(st.text(), st.text(), st.sets(st.text(), max_size=8), st.randoms())
def test_peers_come_in_an_order_of_the_seed_and_not_of_the_input(seed, judge, peers, random):
    mixed = sorted(peers)
    random.shuffle(mixed)
    assert peer_order(seed, judge, mixed) == peer_order(seed, judge, peers)
    assert sorted(peer_order(seed, judge, peers)) == sorted(peers)


def test_each_judge_has_an_order_of_its_own():
    peers = [f"p{n}" for n in range(6)]
    orders = {peer_order("seed", judge, peers) for judge in ("a", "b", "c", "d")}
    assert len(orders) == 4
    assert peer_order("seed", "a", peers) != peer_order("other", "a", peers)
