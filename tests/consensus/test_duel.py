"""What a duel's ballots come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.duel import (
    Card,
    diagnose,
    is_love_fest,
    missing_ballots,
    rank,
    rate,
    whole_ballots,
)

TWO, THREE = ["a", "b"], ["a", "b", "c"]


@pytest.mark.parametrize(
    ("scores", "conceded", "bucket"),
    [
        ({"b": 700, "c": 650}, False, "winner"),
        ({"b": 900, "c": 600}, False, "contested"),
        ({"b": 100, "c": 300}, False, "kill"),
        ({"b": 700, "c": 650}, True, "kill"),
        ({"b": 550, "c": 500}, False, "open"),
        ({"b": 900}, False, "open"),  # half of the others is not more than half
        ({}, False, "open"),
    ],
)
def test_where_a_recommendation_of_three_experts_ends(scores, conceded, bucket):
    assert rate(Card("a", "x", tuple(scores.items()), conceded), THREE).bucket == bucket


def test_what_the_only_other_expert_rejects_is_contested_until_its_author_concedes():
    assert rate(Card("a", "x", (("b", 200),)), TWO).bucket == "contested"
    assert rate(Card("a", "x", (("b", 200),), conceded=True), TWO).bucket == "kill"
    assert rate(Card("a", "x", (("b", 700),)), TWO).bucket == "winner"


def test_nobody_scores_itself_and_missing_scores_stay_visible():
    rated = rate(Card("a", "x", (("a", 1000), ("b", 400), ("ghost", 900))), THREE)
    assert (rated.scores, rated.mean, rated.missing) == ((("b", 400),), 400.0, ("c",))


def test_the_best_mean_comes_first_and_what_nobody_scored_last():
    cards = [Card("a", "none"), Card("a", "low", (("b", 0),)), Card("b", "high", (("a", 800),))]
    assert [rated.text for rated in rank(cards, TWO)] == ["high", "low", "none"]


def test_whole_ballots_are_means_of_the_others_and_missing_ones_are_named():
    overall = {("a", "b"): 632, ("c", "b"): 600, ("b", "a"): 620, ("a", "a"): 1000}
    assert whole_ballots(overall, THREE) == (("a", 620.0), ("b", 616.0))
    assert missing_ballots(overall, THREE, silent=["c"]) == (("c", "a"),)
    assert ("a", "c") in missing_ballots(overall, THREE)


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ((632, 620), "healthy: the ballots lie within 12 points (12)"),
        ((900, 850), "love-fest: both above 800"),
        ((700, 450), "one-sided: 250 points apart"),
        ((700, 600), "the ballots lie 100 points apart"),
    ],
)
def test_the_numbers_say_how_the_duel_went(means, said):
    ballots = tuple(zip("ab", map(float, means), strict=True))
    assert any(line.startswith(said) for line in diagnose(ballots, {}))


def test_a_love_fest_needs_everybody_above_800():
    assert is_love_fest([("a", 801), ("b", 900)])
    assert not is_love_fest([("a", 800), ("b", 900)])
    assert not is_love_fest([("a", 900)])


@pytest.mark.parametrize(
    ("kills", "said"),
    [({"a": 2, "b": 3}, "healthy"), ({"a": 0, "b": 0}, "suspicious"), ({"a": 0, "b": 2}, "few")],
)
def test_kills_are_counted(kills, said):
    assert diagnose([], kills)[-1].startswith(said)
    assert diagnose([], kills)[0].startswith("too few ballots")


experts = st.sampled_from([TWO, THREE, ["a", "b", "c", "d"]])
scores = st.dictionaries(st.sampled_from("abcdx"), st.integers(-50, 1100), max_size=5)


@given(experts, scores, st.booleans())
def test_means_lie_within_the_scores_and_every_other_expert_is_accounted_for(who, given_, conceded):
    rated = rate(Card("a", "x", tuple(given_.items()), conceded), who)
    assert {name for name, _ in rated.scores} | set(rated.missing) == set(who) - {"a"}
    assert len(rated.scores) + len(rated.missing) == len(who) - 1
    values = [score for _, score in rated.scores]
    assert min(values, default=0) <= rated.mean <= max(values, default=0)
    assert rated.gap == max(values, default=0) - min(values, default=0)
    assert rated.bucket != "winner" or 2 * len(values) > len(who) - 1


@given(
    st.dictionaries(st.tuples(st.sampled_from(THREE), st.sampled_from(THREE)), st.integers(0, 1000))
)
def test_ballots_cast_and_missing_make_up_all_of_them(overall):
    cast = {pair for pair in overall if pair[0] != pair[1]}
    assert len(cast) + len(missing_ballots(overall, THREE)) == 6
    assert all(0 <= mean <= 1000 for _, mean in whole_ballots(overall, THREE))
