"""Properties every aggregator must have, and what the panel rule adds to a plain vote."""

from __future__ import annotations

import random
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.consensus.votes.ballots import Ballot, Probe, SeatMap, WeighedVote
from guildmoot.consensus.votes.calibration import (
    AGGREGATORS,
    CANDIDATES,
    choose,
    error,
    left_out_errors,
)
from guildmoot.consensus.votes.counting import Ability, abilities
from guildmoot.consensus.votes.discriminant import prior_belief, solve, updated

SEATS = ("a0", "a1", "b0", "b1", "c", "d")
PANEL = SeatMap(
    {"a0": "x", "a1": "x", "b0": "x", "b1": "x", "c": "y"},
    {"a0": "a", "a1": "a", "b0": "b", "b1": "b"},
)
ballots = st.dictionaries(st.sampled_from(SEATS), st.sampled_from([True, False, None]))
probe_lists = st.lists(st.tuples(ballots, st.booleans()), max_size=12)
ballot_lists = st.lists(ballots, max_size=8)
every_rule = pytest.mark.parametrize("name", sorted(AGGREGATORS))
four = st.lists(st.floats(-1, 1), min_size=4, max_size=4)
few = settings(max_examples=25, deadline=None)


def turned(ballot: Ballot) -> dict[str, bool | None]:
    return {seat: None if vote is None else not vote for seat, vote in ballot.items()}


def world(
    seed: int,
    skills: dict[str, float],
    items: int,
    orders: int = 1,
    steady: dict[str, float] | None = None,
) -> tuple[list[Probe], SeatMap]:
    """Judges of given accuracy; an unsteady one tosses a coin afresh in some of the orders."""
    lots = random.Random(seed)
    made: list[Probe] = []
    for _ in range(items):
        gold = lots.random() < 0.5
        ballot: dict[str, bool | None] = {}
        for judge, skill in skills.items():
            opinion = gold if lots.random() < skill else not gold
            for order in range(orders):
                firm = lots.random() < (steady or {}).get(judge, 1.0)
                ballot[f"{judge}{order}"] = opinion if firm else lots.random() < 0.5
        made.append((ballot, gold))
    return made, SeatMap(
        {}, {f"{judge}{order}": judge for judge in skills for order in range(orders)}
    )


def accuracy(name: str, probes: list[Probe], tests: list[Probe], panel: SeatMap) -> float:
    rule = AGGREGATORS[name](probes, [ballot for ballot, _ in tests], panel)
    return 1 - sum(error(rule(ballot), gold) for ballot, gold in tests) / len(tests)


class TestEveryRule:
    @every_rule
    @few
    @given(probes=probe_lists, unlabelled=ballot_lists, ballot=ballots)
    def test_both_answers_are_treated_alike(
        self, name: str, probes: list[Probe], unlabelled: list[Ballot], ballot: Ballot
    ) -> None:
        here = AGGREGATORS[name](probes, unlabelled, PANEL)(ballot)
        there = AGGREGATORS[name](
            [(turned(b), not g) for b, g in probes], [turned(b) for b in unlabelled], PANEL
        )
        mirror = there(turned(ballot))
        assert isclose(here.score, -mirror.score, rel_tol=1e-6, abs_tol=1e-8)
        if abs(here.score) > 1e-7:
            assert here.decision is (not mirror.decision)

    @every_rule
    @few
    @given(probes=probe_lists, unlabelled=ballot_lists, ballot=ballots)
    def test_order_of_seats_and_items_does_not_matter(
        self, name: str, probes: list[Probe], unlabelled: list[Ballot], ballot: Ballot
    ) -> None:
        def back(votes: Ballot) -> Ballot:
            return dict([*votes.items()][::-1])

        here = AGGREGATORS[name](probes, unlabelled, PANEL)(ballot)
        there = AGGREGATORS[name](
            [(back(b), g) for b, g in probes[::-1]], [back(b) for b in unlabelled[::-1]], PANEL
        )
        assert isclose(here.score, there(back(ballot)).score, rel_tol=1e-6, abs_tol=1e-8)

    @every_rule
    @few
    @given(probes=probe_lists, unlabelled=ballot_lists, ballot=ballots)
    def test_a_missing_vote_is_an_absent_one(
        self, name: str, probes: list[Probe], unlabelled: list[Ballot], ballot: Ballot
    ) -> None:
        def bare(votes: Ballot) -> Ballot:
            return {seat: vote for seat, vote in votes.items() if vote is not None}

        here = AGGREGATORS[name](probes, unlabelled, PANEL)(ballot)
        there = AGGREGATORS[name](
            [(bare(b), g) for b, g in probes], [bare(b) for b in unlabelled], PANEL
        )(bare(ballot))
        assert isclose(here.score, there.score, rel_tol=1e-6, abs_tol=1e-8)

    @every_rule
    def test_nobody_voting_is_a_tie(self, name: str) -> None:
        probes: list[Probe] = [({"a0": True, "c": False}, True), ({"a0": False}, False)]
        rule = AGGREGATORS[name](probes, [{"c": True}], PANEL)
        assert rule({}) == rule({"c": None}) == WeighedVote(None, 0.0)

    @every_rule
    def test_follows_a_judge_who_is_always_right(self, name: str) -> None:
        items, panel = world(1, {"sage": 1.0, "good": 0.8, "fair": 0.7}, 60)
        assert accuracy(name, items[:20], items[20:], panel) > 0.75


class TestPanelRule:
    def test_without_any_record_it_is_the_majority(self) -> None:
        rule = AGGREGATORS["panel"]([], [], SeatMap())
        assert rule({"a": True, "b": True, "c": False}).decision is True
        assert rule({"a": True, "b": False}).decision is None

    def test_three_seats_of_one_family_do_not_outvote_two_strangers(self) -> None:
        panel = SeatMap({"a": "x", "b": "x", "c": "x"})
        rule = AGGREGATORS["panel"]([], [], panel)
        assert rule({"a": True, "b": True, "c": True, "d": False, "e": False}).decision is False

    def test_a_judge_who_contradicts_himself_has_abstained(self) -> None:
        rule = AGGREGATORS["panel"]([], [], SeatMap({}, {"a0": "a", "a1": "a"}))
        assert rule({"a0": True, "a1": False}).decision is None
        assert rule({"a0": True, "a1": False, "b": True}).decision is True

    def test_asking_one_judge_more_often_adds_no_voice(self) -> None:
        many = {f"a{i}": True for i in range(9)}
        rule = AGGREGATORS["panel"]([], [], SeatMap({}, dict.fromkeys(many, "a")))
        assert rule({**many, "b": False}).decision is None

    def test_steadiness_finds_the_able_judge_without_answers(self) -> None:
        skills = {"able": 0.92, "k": 0.55, "l": 0.55, "m": 0.55, "n": 0.55}
        steady = {"able": 0.95, "k": 0.3, "l": 0.3, "m": 0.3, "n": 0.3}
        items, panel = world(7, skills, 400, orders=2, steady=steady)
        assert accuracy("panel", [], items, panel) > accuracy("majority", [], items, panel) + 0.1

    def test_probes_unmask_a_steady_fool(self) -> None:
        items, panel = world(
            3, {"fool": 0.3, "k": 0.8, "l": 0.8}, 400, orders=2, steady={"k": 0.7, "l": 0.7}
        )
        without = accuracy("panel", [], items[60:], panel)
        assert accuracy("panel", items[:60], items[60:], panel) > without + 0.1

    def test_a_herd_does_not_drown_the_expert(self) -> None:
        lots = random.Random(5)
        items: list[Probe] = []
        for _ in range(300):
            gold, lure = lots.random() < 0.5, lots.random() < 0.5
            herd: dict[str, bool | None] = dict.fromkeys("klmno", lure)
            items.append(({"expert": gold if lots.random() < 0.9 else not gold, **herd}, gold))
        assert accuracy("panel", items[:20], items[20:], SeatMap()) > 0.85

    @few
    @given(probes=probe_lists, unlabelled=ballot_lists)
    def test_a_silent_judge_changes_nothing_but_the_weights_of_others(
        self, probes: list[Probe], unlabelled: list[Ballot]
    ) -> None:
        rule = AGGREGATORS["panel"](probes, unlabelled, PANEL)
        assert rule({"c": True}).score == pytest.approx(
            rule({"c": True, "a0": None, "a1": None}).score
        )
        alone = rule({"c": True})
        assert alone.score == pytest.approx(-rule({"c": False}).score)

    @few
    @given(probes=probe_lists, unlabelled=ballot_lists)
    def test_beliefs_stay_in_bounds(self, probes: list[Probe], unlabelled: list[Ballot]) -> None:
        prior = prior_belief([*(ballot for ballot, _ in probes), *unlabelled], PANEL)
        belief = updated(prior, [(tuple(1.0 for _ in prior.families), 1.0)] * 50)
        assert all(0 < edge <= 0.6 for edge in prior.edges)
        assert all(
            before <= after <= 1 for before, after in zip(prior.edges, belief.edges, strict=True)
        )
        assert all(row[i] > 0 for i, row in enumerate(belief.covariance))

    def test_scores_are_calibrated_on_independent_judges(self) -> None:
        items, panel = world(11, {"k": 0.85, "l": 0.75, "m": 0.65}, 2000)
        rule = AGGREGATORS["panel"](items[:200], [], panel)
        sure = [
            error(verdict, gold)
            for ballot, gold in items[200:]
            if abs((verdict := rule(ballot)).score) > 1.5
        ]
        assert 0.7 < 1 - sum(sure) / len(sure) < 0.98


class TestChoice:
    def test_abilities_count_only_votes_cast(self) -> None:
        probes: list[Probe] = [({"a": True, "b": None}, True), ({"a": False, "b": False}, True)]
        assert abilities(probes) == {"a": Ability(1, 2), "b": Ability(0, 1)}

    def test_left_out_probes_are_not_seen(self) -> None:
        # Each probe contradicts the other: a rule that saw both would be even. Who was wrong weighs nothing.
        probes: list[Probe] = [({"a": True}, True), ({"a": True}, False)]
        assert left_out_errors(AGGREGATORS["weighted"], probes, [], SeatMap()) == [0.5, 1.0]

    def test_the_first_candidate_stays_unless_clearly_beaten(self) -> None:
        items, panel = world(2, {"k": 0.8, "l": 0.8, "m": 0.8}, 20)
        choice = choose(items, [], panel)
        assert choice.name == CANDIDATES[0]
        assert set(choice.errors) == set(CANDIDATES)

    def test_a_clearly_better_candidate_is_chosen(self) -> None:
        items, panel = world(4, {"sage": 1.0, "k": 0.4, "l": 0.4, "m": 0.4, "n": 0.4}, 40)
        assert choose(items, [], panel, ("majority", "pick_best")).name == "pick_best"

    def test_no_probes_choose_the_first(self) -> None:
        assert choose([], [], SeatMap()).name == CANDIDATES[0]

    @pytest.mark.parametrize(("decision", "cost"), [(True, 0.0), (False, 1.0), (None, 0.5)])
    def test_a_tie_costs_half(self, decision: bool | None, cost: float) -> None:
        assert error(WeighedVote(decision, 0.0), gold=True) == cost


@given(st.lists(four, min_size=4, max_size=4), four)
def test_solve_inverts_a_positive_definite_system(
    root: list[list[float]], target: list[float]
) -> None:
    matrix = [
        [sum(a * b for a, b in zip(one, other, strict=True)) + (one is other) for other in root]
        for one in root
    ]
    solution = solve(matrix, target)
    again = [sum(a * x for a, x in zip(row, solution, strict=True)) for row in matrix]
    assert again == pytest.approx(target, abs=1e-6)
