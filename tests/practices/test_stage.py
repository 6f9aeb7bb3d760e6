"""One stage: everybody is asked, every reply is read, and who cannot be read is asked again."""

import asyncio
import json

import pytest

from guildmoot.calls.session import open_session
from guildmoot.config import load_config
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply, Usage
from guildmoot.practices.stage import ReplyReader, ask, with_usage


class NumbersOnly:
    """Reads a number, and remembers the prompts that were asked."""

    def __init__(self, attempts=2):
        self.kept = []
        self.reader = ReplyReader(self.read, self.problem, attempts=attempts)

    def read(self, reply, call):
        return int(reply.text) if reply.text.isdigit() else None

    def problem(self, reply, value):
        return "" if value is not None or reply.status != "answered" else "it is no number"

    def keep(self, replies):
        self.kept.append([reply.seat for reply in replies])


@pytest.fixture
def stage(tmp_path):
    """Runs a stage of seats that say what they are told, and what was read of them."""

    def run(numbers, **replies):
        calls = []
        for name, said in replies.items():
            file = tmp_path / f"{name}.json"
            file.write_text(json.dumps({"replies": {"*": said}}))
            agent = Agent(name, "d", "", "test", backend="scripted", replies=str(file))
            calls.append(Call(Seat(name, name, "scripted", name), agent, "How many?"))

        async def held():
            config = load_config(None, tmp_path, {}, {})
            with open_session(None, "run", config) as session:
                return await ask(session, calls, numbers.reader, on_replies=numbers.keep)

        return asyncio.run(held())

    return run


def test_who_cannot_be_read_is_asked_again_at_most_twice(stage):
    numbers = NumbersOnly()
    done = stage(numbers, a=["7"], b=["seven", "8"], c=["x", "y", "z", "9"])
    assert done.values == (7, 8, None)
    assert [len(answer.raw) for answer in done.answers] == [1, 2, 3]
    assert [reply.text for reply in done.replies] == ["7", "8", "z"]
    assert [reply.seat for reply in done.by_seat["c"].raw] == ["c", "c~repair-1", "c~repair-2"]
    assert not done.interrupted


def test_replies_are_handed_over_before_anybody_is_asked_again(stage):
    numbers = NumbersOnly()
    stage(numbers, a=["7"], b=["seven", "8"])
    assert numbers.kept == [["a", "b"], ["a", "b", "b~repair-1"]]


def test_who_did_not_answer_is_not_asked_again(stage):
    numbers = NumbersOnly()
    done = stage(numbers, a=[{"fail": "down"}], b=["1"])
    assert done.values == (None, 1)
    assert done.by_seat["a"].reply.status == "failed"
    assert numbers.kept == [["a", "b"]]


def test_a_failed_repair_keeps_what_was_said_first(stage):
    done = stage(NumbersOnly(), a=["seven", {"fail": "down"}, "8"])
    assert done.values == (8,)
    done = stage(NumbersOnly(attempts=1), b=["seven", {"fail": "down"}])
    assert (done.values, done.replies[0].text) == ((None,), "seven")


def test_without_attempts_nobody_is_asked_again(stage):
    assert stage(NumbersOnly(attempts=0), a=["seven", "8"]).values == (None,)


def test_usage_and_seconds_of_all_attempts_are_added_up():
    first = Reply("a", "answered", "x", seconds=1.0, usage=Usage(10, 5, cost_usd=0.5))
    again = Reply("a~repair-1", "answered", "y", seconds=2.0, usage=Usage(20, 6, cost_usd=0.25))
    total = with_usage(first, [again])
    assert (total.seat, total.text, total.seconds) == ("a", "x", 3.0)
    assert (total.usage.input_tokens, total.usage.output_tokens) == (30, 11)
    assert total.usage.cost_usd == 0.75
    unknown = again._replace(usage=Usage(20, 6))
    assert with_usage(first, [unknown]).usage.cost_usd is None
