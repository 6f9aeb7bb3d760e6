"""A duel of scripted experts: positions, ballots, last words, and what the program counts."""

import asyncio

import pytest

from guildmoot.agents.presets.model import Perspective
from guildmoot.calls import Watch
from guildmoot.calls.session import open_session
from guildmoot.errors import UsageError
from guildmoot.practices.council.duel import duel
from judges import ballots, last_words, opening


def expert(moot, name, *replies):
    moot.judge(name, *replies, angle=Perspective(name, name.title(), f"the school of {name}"))


def fight(moot, **more):
    async def held():
        plan = moot.plan(task="debate", timeout=5.0, second_timeout=5.0, **more)
        with open_session(None, "run", moot.config()) as real:
            table = moot.listening(real)
            done = await duel(moot.council(plan), table, Watch())
            return *done, table.calls

    return asyncio.run(held())


def pair(moot, first=(632, 700, 300), second=(620, 650, 900), conceded=()):
    expert(moot, "hickey", opening("values", "queues"), ballots(first), last_words())
    expert(moot, "beck", opening("tests", "pairs"), ballots(second), last_words(*conceded))


def test_two_experts_score_each_other_and_the_program_counts(moot):
    pair(moot, conceded=["Y2"])
    done, replies, calls = fight(moot, focus="state is the root of all bugs")
    assert done.ballots == (("hickey", 620.0), ("beck", 632.0))
    told = {(row.by, row.text): (row.scores, row.bucket) for row in done.matrix}
    assert told == {
        ("hickey", "values"): ((("beck", 650),), "winner"),
        ("hickey", "queues"): ((("beck", 900),), "winner"),
        ("beck", "tests"): ((("hickey", 700),), "winner"),
        ("beck", "pairs"): ((("hickey", 300),), "kill"),
    }
    assert [row.mean for row in done.matrix] == [900, 700, 650, 300]
    assert done.conceded == (("beck", "Y2 falls"),)
    assert done.blind_spots[0] == ("hickey", "nobody asked who maintains it")
    assert done.diagnostics[0] == "healthy: the ballots lie within 12 points (12)"
    assert done.diagnostics[1].startswith("healthy: each side kills")
    assert (done.tension, done.missing) == ("state is the root of all bugs", ())
    assert done.seed == calls[0].packet
    assert [reply.seat for reply in replies] == [
        *("hickey~round1", "beck~round1", "hickey~scores", "beck~scores"),
        *("hickey~reveal", "beck~reveal"),
    ]
    assert [call.round for call in calls] == [1, 1, 2, 2, 3, 3]
    assert all("state is the root of all bugs" in call.prompt for call in calls)


def test_nobody_sees_another_before_it_took_its_own_position_nor_anybodys_name(moot):
    pair(moot)
    _, _, calls = fight(moot)
    first = {call.seat.name: call.prompt for call in calls if call.round == 1}
    later = {call.seat.name: call.prompt for call in calls if call.round > 1}
    assert all("positioning: for" not in prompt for prompt in first.values())
    assert "Expert A" in later["hickey"]
    assert "beck" not in later["hickey"].lower()
    assert "the school of hickey" in later["hickey"]


def test_letters_become_labels_in_what_is_told(moot):
    pair(moot)
    done, _, calls = fight(moot)
    hickey = done.contenders[0]
    assert (hickey.label, hickey.persona, hickey.defence) == ("hickey", "Hickey", "beck misread it")
    assert (hickey.recommendations, hickey.revision) == (("values", "queues"), "do the first")
    reveal = next(call.prompt for call in calls if call.round == 3 and call.seat.name == "beck")
    assert "| you says too little" in reveal


def test_three_experts_with_shuffled_ballots(moot):
    for name in ("hickey", "beck", "fowler"):
        expert(moot, name, opening(f"{name}-way"), ballots((700, 700), (700, 700)), last_words())
    done, _, _ = fight(moot)
    assert {row.bucket for row in done.matrix} == {"winner"}
    assert all(len(row.scores) == 2 and row.by not in dict(row.scores) for row in done.matrix)
    assert len(done.seen) == 3


def test_a_contested_call_keeps_both_scores(moot):
    letters = {"hickey": ((900, 900), (500, 500)), "beck": ((200, 200), (500, 500))}
    for name in ("hickey", "beck", "fowler"):
        given = letters.get(name, ((500, 500), (500, 500)))
        expert(moot, name, opening(f"{name}-way"), ballots(*given), last_words())
    done, _, _ = fight(moot)
    gaps = {row.text: (row.gap, row.bucket) for row in done.matrix}
    assert all((gap > 200) == (bucket == "contested") for gap, bucket in gaps.values())
    assert "contested" in {bucket for _, bucket in gaps.values()}


def test_when_everybody_praises_everybody_the_ballots_are_cast_again(moot):
    hugs, candid = ballots((900, 900, 900)), ballots((500, 450, 300))
    expert(moot, "hickey", opening("values", "queues"), hugs, candid, last_words())
    expert(moot, "beck", opening("tests", "pairs"), hugs, candid, last_words())
    done, replies, calls = fight(moot)
    assert done.ballots == (("hickey", 500.0), ("beck", 500.0))
    assert any("cast again, for candour" in note for note in done.diagnostics)
    assert [call.attempt for call in calls if call.round == 2] == [0, 0, 1, 1]
    assert "hickey~rescored" in [reply.seat for reply in replies]


def test_a_love_fest_that_stays_one_is_told(moot):
    hugs = ballots((900, 900))
    for name in ("hickey", "beck"):
        expert(moot, name, opening(f"{name}-way"), hugs, hugs, last_words())
    done, _, _ = fight(moot)
    assert done.diagnostics[0].startswith("love-fest: both above 800")


@pytest.mark.parametrize("step", [{"fail": "overloaded"}, "I have no opinion."])
def test_an_expert_without_an_opening_is_named_and_the_others_go_on(moot, step):
    for name in ("hickey", "beck"):
        expert(moot, name, opening(f"{name}-way"), ballots((500, 500)), last_words())
    expert(moot, "fowler", step)
    done, _, calls = fight(moot)
    assert any(line.startswith("fowler failed in round 1: ") for line in done.diagnostics)
    assert done.contenders[2].failed
    assert all("fowler" in row.missing for row in done.matrix)
    assert ("fowler", "hickey") in done.missing
    assert {call.seat.name for call in calls if call.round > 1} == {"hickey", "beck"}


def test_a_ballot_that_was_not_cast_stays_missing(moot):
    pair(moot)
    moot.say("beck", opening("tests", "pairs"), "no scores from me", last_words())
    done, _, _ = fight(moot)
    assert done.ballots == (("beck", 632.0),)
    assert done.missing == (("beck", "hickey"),)
    assert [row.missing for row in done.matrix if row.by == "hickey"] == [("beck",), ("beck",)]
    assert {row.bucket for row in done.matrix if row.by == "hickey"} == {"open"}
    assert "beck did not score hickey" in done.notes


def test_one_opening_alone_is_no_duel(moot):
    expert(moot, "hickey", opening("values"))
    expert(moot, "beck", {"fail": "gone"})
    done, _, calls = fight(moot)
    assert (len(calls), done.ballots) == (2, ())
    assert done.diagnostics[0].startswith("too few ballots")
    assert [row.text for row in done.matrix] == ["values"]


@pytest.mark.parametrize("count", [1, 5])
def test_the_number_of_experts_is_checked_before_anybody_is_asked(moot, count):
    for number in range(count):
        expert(moot, f"e{number}", opening("x"))
    with pytest.raises(UsageError, match="2 to 4 experts"):
        fight(moot)


def test_a_program_cannot_take_a_position(moot):
    pair(moot)
    seat = moot.seats[1]
    moot.seats[1] = seat._replace(agent=seat.agent._replace(backend="tool"))
    with pytest.raises(UsageError, match="program cannot take a position: beck"):
        fight(moot)
