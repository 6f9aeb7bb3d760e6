"""Properties of the counting functions, with published examples worked by hand where there are any."""

from __future__ import annotations

from itertools import zip_longest
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.votes.ballots import Ballot, Probe
from guildmoot.consensus.votes.counting import (
    effective_votes,
    error_correlation,
    krippendorff_alpha,
    wilson,
)

SEATS = ("a", "b", "c", "d", "e")
votes = st.sampled_from([True, False, None])
ballots = st.dictionaries(st.sampled_from(SEATS), votes)
probes = st.lists(st.tuples(ballots, st.booleans()), max_size=25)
families = st.dictionaries(st.sampled_from(SEATS), st.sampled_from(["x", "y", "z"]))


def units(*raters: str) -> list[dict[str, str | None]]:
    """Items from one string of answers per rater, a dot for a missing one."""
    columns = zip_longest(*raters, fillvalue=".")
    return [
        {str(i): None if answer == "." else answer for i, answer in enumerate(column)}
        for column in columns
    ]


def probe(votes: Ballot) -> Probe:
    return votes, True


class TestAlpha:
    def test_two_raters_binary_krippendorff_2011(self) -> None:
        assert krippendorff_alpha(units("0100000010", "1110010000")) == pytest.approx(
            0.095, abs=5e-4
        )

    def test_four_raters_missing_krippendorff_2011(self) -> None:
        items = units("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
        assert krippendorff_alpha(items) == pytest.approx(0.743, abs=5e-4)

    def test_three_raters_missing_wikipedia(self) -> None:
        items = units(".....34121133.3", "1.213343.......", "..21344.21133.4")
        assert krippendorff_alpha(items) == pytest.approx(0.691, abs=5e-4)

    def test_undefined_without_pairs_or_variety(self) -> None:
        assert krippendorff_alpha([]) is None
        assert krippendorff_alpha([{"a": True}, {"a": False, "b": None}]) is None
        assert krippendorff_alpha([{"a": True, "b": True}]) is None

    @given(st.lists(ballots, min_size=1, max_size=20))
    def test_never_above_one_and_order_does_not_matter(self, items: list[Ballot]) -> None:
        alpha = krippendorff_alpha(items)
        turned = krippendorff_alpha([dict([*item.items()][::-1]) for item in items[::-1]])
        assert (alpha is None) == (turned is None)
        if alpha is not None and turned is not None:
            assert alpha <= 1 + 1e-12
            assert isclose(alpha, turned, abs_tol=1e-9)

    @given(st.lists(ballots, max_size=20))
    def test_answers_may_be_renamed(self, items: list[Ballot]) -> None:
        renamed = [
            {seat: None if v is None else ("no", "yes")[v] for seat, v in item.items()}
            for item in items
        ]
        assert krippendorff_alpha(items) == krippendorff_alpha(renamed)


class TestWilson:
    def test_newcombe_1998(self) -> None:
        assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
        assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)

    def test_nothing_tried_nothing_known(self) -> None:
        assert wilson(0, 0) == (0, 1)

    @pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3)])
    def test_impossible_counts(self, successes: int, trials: int) -> None:
        with pytest.raises(ValueError, match="successes"):
            wilson(successes, trials)

    @given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    def test_contains_the_rate_and_mirrors(self, case: tuple[int, int]) -> None:
        successes, trials = case
        low, high = wilson(successes, trials)
        assert 0 <= low <= successes / trials <= high <= 1
        assert wilson(trials - successes, trials) == pytest.approx((1 - high, 1 - low))
        wider, tighter = wilson(successes, trials), wilson(successes * 10, trials * 10)
        assert tighter.high - tighter.low < wider.high - wider.low


class TestErrorCorrelation:
    def test_hand_worked(self) -> None:
        # Errors of a: 1100, of b: 1000; phi = (1*2 - 1*0) / sqrt(2*1*2*3).
        items: list[Probe] = [
            ({"a": False, "b": False}, True),
            ({"a": False, "b": True}, True),
            ({"a": False, "b": False}, False),
            ({"a": True, "b": True}, True),
            ({"a": True, "b": None}, True),
        ]
        phi, shared = error_correlation(items, "a", "b")
        assert phi == pytest.approx(2 / 12**0.5)
        assert shared == 4

    @given(probes)
    def test_symmetric_bounded_and_blind_to_the_names_of_answers(self, items: list[Probe]) -> None:
        one, other = error_correlation(items, "a", "b"), error_correlation(items, "b", "a")
        assert one == other
        assert one.phi is None or -1 - 1e-9 <= one.phi <= 1 + 1e-9
        turned = [
            ({s: None if v is None else not v for s, v in ballot.items()}, not gold)
            for ballot, gold in items
        ]
        assert error_correlation(turned, "a", "b") == one


class TestEffectiveVotes:
    @given(st.sets(st.sampled_from(SEATS), min_size=1))
    def test_one_family_is_one_vote(self, seats: set[str]) -> None:
        assert effective_votes(seats, dict.fromkeys(SEATS, "x")) == 1

    @given(st.sets(st.sampled_from(SEATS), min_size=1), families)
    def test_without_probes_the_number_of_families(
        self, seats: set[str], houses: dict[str, str]
    ) -> None:
        count = len({houses.get(seat, seat) for seat in seats})
        assert effective_votes(seats, houses) == count

    @given(st.lists(st.sampled_from(SEATS), min_size=1), families, probes)
    def test_between_one_and_all_seats(
        self, seats: list[str], houses: dict[str, str], items: list[Probe]
    ) -> None:
        worth = effective_votes(seats, houses, items)
        assert 1 <= worth <= len(set(seats))
        assert worth == pytest.approx(effective_votes(seats[::-1], houses, items[::-1]))

    @given(families, probes)
    def test_an_identical_twin_of_a_lone_seat_adds_nothing(
        self, houses: dict[str, str], items: list[Probe]
    ) -> None:
        houses = {**houses, "a": "lone", "twin": "lone"}
        doubled: list[Probe] = [
            ({**ballot, "twin": ballot.get("a")}, gold) for ballot, gold in items
        ]
        with_twin = effective_votes([*SEATS, "twin"], houses, doubled)
        assert with_twin == pytest.approx(effective_votes(SEATS, houses, items))

    @given(st.integers(1, 60))
    def test_strangers_who_err_together_lose_votes_and_kin_who_err_apart_gain(
        self, copies: int
    ) -> None:
        alike = [probe({"a": v, "b": v}) for v in (True, False)] * copies
        apart = [probe({"a": v, "b": w}) for v in (True, False) for w in (True, False)] * copies
        assert effective_votes("ab", {}, alike) < 2
        assert effective_votes("ab", {}, apart) == pytest.approx(2)
        assert 1 < effective_votes("ab", {"a": "x", "b": "x"}, apart) < 2
        assert effective_votes("ab", {"a": "x", "b": "x"}, alike) == pytest.approx(1)

    def test_a_family_may_bear_the_name_of_a_seat(self) -> None:
        assert effective_votes("ab", {"a": "b"}) == 2

    def test_no_seats_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="at least one seat"):
            effective_votes([], {})
