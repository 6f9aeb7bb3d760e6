"""The same option in other words is one option; what one judge told apart stays apart."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.options import Proposal, group_proposals

REDIS = Proposal("judge-1", "Shared Redis cache", "A Redis cache beside the API, filled on a miss")
REDIS_TOO = Proposal("judge-2", "Put Redis in front", "Redis as a cache in front of the database")
ETAGS = Proposal("judge-2", "HTTP caching with ETags", "Clients ask whether their copy is current")
VIEW = Proposal("judge-1", "Materialised view", "Precompute the report in a table every night")
NOTHING = Proposal("judge-3", "Do nothing", "Live with the latency for another quarter")
ALL = (REDIS, VIEW, REDIS_TOO, ETAGS, NOTHING)

PROPOSALS = st.lists(
    st.builds(
        Proposal,
        st.sampled_from(["judge-1", "judge-2", "judge-3"]),
        st.text("abc xyz", max_size=12),
        st.text("abc xyz", max_size=20),
        st.tuples(st.text(max_size=5)),
    ),
    max_size=12,
)


def test_an_option_and_its_denial_are_two():
    said = [Proposal("judge-1", "Ship it today"), Proposal("judge-2", "Do not ship it today")]
    assert [group.judges for group in group_proposals(said)] == [("judge-1",), ("judge-2",)]


def test_two_judges_with_one_idea_are_one_option_with_both_names() -> None:
    first = group_proposals(ALL)[0]
    assert first.judges == ("judge-1", "judge-2")
    assert first.proposals == (REDIS, REDIS_TOO)


def test_different_ideas_stay_different_and_none_is_lost() -> None:
    groups = group_proposals(ALL)
    assert [group.title for group in groups[1:]] == [VIEW.title, ETAGS.title, NOTHING.title]


def test_one_judge_s_options_are_never_joined() -> None:
    twice = (REDIS, REDIS._replace(title="Shared Redis cache, small"))
    assert len(group_proposals(twice)) == 2


def test_the_same_title_is_the_same_whatever_is_said_of_it() -> None:
    other = Proposal("judge-2", "materialised  VIEW.", "wholly other words about nightly tables")
    groups = group_proposals((VIEW._replace(text="x"), other, ETAGS))
    assert groups[0].proposals == (VIEW._replace(text="x"), other)


def test_who_belongs_together_does_not_depend_on_the_order() -> None:
    shuffled = list(ALL)
    random.Random(4).shuffle(shuffled)
    sets = {frozenset(group.proposals) for group in group_proposals(shuffled)}
    assert sets == {frozenset(group.proposals) for group in group_proposals(ALL)}


def test_nothing_gives_nothing() -> None:
    assert group_proposals(()) == []


@given(PROPOSALS)
def test_every_proposal_is_in_exactly_one_group(proposals: list[Proposal]) -> None:
    groups = group_proposals(proposals)
    together = [proposal for group in groups for proposal in group.proposals]
    assert sorted(together) == sorted(proposals)
    assert all(group.title in {each.title for each in group.proposals} for group in groups)


@given(PROPOSALS)
def test_those_of_more_judges_come_first(proposals: list[Proposal]) -> None:
    numbers = [len(group.judges) for group in group_proposals(proposals)]
    assert numbers == sorted(numbers, reverse=True)
