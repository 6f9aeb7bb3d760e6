"""Many calls at once: order, deadlines, partial results, and one seat's trouble stays its own."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import call
from guildmoot.calls import Event, Spawned, spawn
from guildmoot.calls import make_call as call_backend
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply

MakeCall = Callable[..., Call]


class Playing:
    """A backend that does what its prompt says, for things that no script file can ask for."""

    name = "playing"

    def missing(self, agent: Agent) -> str:
        return ""

    async def call(self, call: Call) -> Reply:
        match call.prompt.split():
            case ["sleep", seconds]:
                await asyncio.sleep(float(seconds))
            case ["raise"]:
                raise LookupError("a bug in the backend")
            case ["give-up"]:
                raise asyncio.CancelledError
            case ["none"]:
                return None  # type: ignore[return-value]
            case ["lie"]:
                return Reply("somebody else", "answered", "x", seconds=99)
        return Reply(call.seat.name, "answered", call.prompt)


def playing(_: str) -> Playing:
    return Playing()


played = partial(call_backend, backend_for=playing)


def seats(*prompts: str, timeout: float = 20) -> list[Call]:
    return [call("playing", text, f"seat-{n}", timeout=timeout) for n, text in enumerate(prompts)]


def run(calls: Sequence[Call], **options: object) -> Spawned:
    return asyncio.run(spawn(calls, played, **options))


def statuses(spawned: Spawned) -> list[str]:
    return [reply.status for reply in spawned.replies]


@pytest.fixture
def scripted(make_call: MakeCall, tmp_path: Path) -> Callable[[dict[str, object]], list[Call]]:
    """One scripted seat for each entry, under the entry's name."""

    def calls(replies: dict[str, object]) -> list[Call]:
        path = tmp_path / "replies.json"
        path.write_text(json.dumps({"replies": replies}))
        return [make_call("scripted", seat=name, replies=str(path)) for name in replies]

    return calls


@given(st.lists(st.sampled_from(["sleep 0", "sleep 0.002", "sleep 0.005", "raise"]), max_size=12))
@settings(max_examples=40, deadline=None)
def test_every_call_has_its_reply_in_the_order_of_the_calls(prompts: list[str]) -> None:
    spawned = run(seats(*prompts))
    assert [reply.seat for reply in spawned.replies] == [f"seat-{n}" for n in range(len(prompts))]
    expected = ["failed" if prompt == "raise" else "answered" for prompt in prompts]
    assert statuses(spawned) == expected
    assert not spawned.interrupted


def test_seats_answer_at_once_rather_than_one_after_the_other() -> None:
    began = time.monotonic()
    assert set(statuses(run(seats(*["sleep 0.3"] * 50)))) == {"answered"}
    assert time.monotonic() - began < 12  # one after the other they take 15


def test_no_seat_at_all_is_an_empty_result() -> None:
    assert run([]) == Spawned((), False)


def test_scripted_seats_keep_their_order_and_their_failures(
    scripted: Callable[[dict[str, object]], list[Call]],
) -> None:
    calls = scripted({"slow": {"text": "s", "delay": 0.1}, "broken": {"fail": "no"}, "quick": "q"})
    spawned = asyncio.run(spawn(calls))
    assert [(r.seat, r.status, r.text) for r in spawned.replies] == [
        ("slow", "answered", "s"),
        ("broken", "failed", ""),
        ("quick", "answered", "q"),
    ]


def test_a_backend_that_raises_is_one_failed_seat() -> None:
    spawned = run(seats("raise", "sleep 0.05", "none", "give-up"))
    assert statuses(spawned) == ["failed", "answered", "failed", "failed"]
    assert spawned.replies[0].error == "LookupError: a bug in the backend"
    assert "not a Reply" in spawned.replies[2].error
    assert "gave up" in spawned.replies[3].error
    assert not spawned.interrupted


def test_an_unknown_backend_is_one_failed_seat_with_the_hint(make_call: MakeCall) -> None:
    spawned = asyncio.run(spawn([make_call("scriptd")]))
    assert spawned.replies[0].status == "failed"
    assert "Did you mean 'scripted'?" in spawned.replies[0].error


def test_a_backend_cannot_speak_for_another_seat_or_make_up_its_time() -> None:
    (reply,) = run(seats("lie")).replies
    assert reply.seat == "seat-0"
    assert reply.seconds < 10


@pytest.mark.slow
def test_a_backend_that_forgets_its_deadline_is_held_to_it() -> None:
    spawned = run([*seats("sleep 300", timeout=0.1), *seats("sleep 0.3")], slack=0.05)
    assert statuses(spawned) == ["timeout", "answered"]
    assert spawned.replies[0].error == "no answer within 0.1 s"


def test_the_runs_deadline_keeps_what_was_answered_and_says_who_was_cut_off() -> None:
    spawned = run(seats("sleep 0.01", "sleep 300", "raise"), deadline=1)
    assert statuses(spawned) == ["answered", "timeout", "failed"]
    assert "run's deadline of 1 s" in spawned.replies[1].error
    assert not spawned.interrupted


def test_a_deadline_ends_the_children_of_real_programs(
    make_call: MakeCall, tmp_path: Path, ends: Callable[[int], None]
) -> None:
    command = ("sh", "-c", "sleep 300 & echo $! > pid; wait")
    (reply,) = asyncio.run(spawn([make_call("tool", command=command)], deadline=1.5)).replies
    assert reply.status == "timeout"
    ends(int((tmp_path / "pid").read_text()))


def test_a_seat_that_never_got_its_turn_says_so() -> None:
    spawned = run(seats("sleep 300", "sleep 300"), deadline=0.1, limit=1)
    assert statuses(spawned) == ["timeout", "timeout"]
    assert spawned.replies[0].error.endswith("before it had finished")
    assert spawned.replies[1].error.endswith("before it could start")


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (3, 3), (0, 8)])
def test_no_more_than_the_limit_run_at_a_time(limit: int, most: int) -> None:
    working, seen = 0, []

    def note(event: Event) -> None:
        nonlocal working
        working += 1 if event.kind == "started" else -1
        seen.append(working)

    run(seats(*["sleep 0.01"] * 8), limit=limit, on_event=note)
    assert max(seen) == most


def test_waiting_for_a_turn_does_not_use_up_a_seats_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("guildmoot.calls.fanout.SLACK", 0.0)
    spawned = run(seats(*["sleep 0.5"] * 3, timeout=1.4), limit=1)
    assert statuses(spawned) == ["answered"] * 3


def test_events_tell_each_start_and_each_end_once_and_in_order() -> None:
    events: list[Event] = []
    ticks = iter(range(100))
    run(
        seats("sleep 0.01", "sleep 300", "raise"),
        deadline=1,
        on_event=events.append,
        clock=lambda: float(next(ticks)),
    )
    assert [event.order for event in events] == list(range(6))
    assert [(e.seat, e.kind, e.status) for e in events] == [
        ("seat-0", "started", None),
        ("seat-1", "started", None),
        ("seat-2", "started", None),
        ("seat-2", "finished", "failed"),
        ("seat-0", "finished", "answered"),
        ("seat-1", "finished", "timeout"),
    ]
    assert all(event.seconds > 0 for event in events if event.kind == "finished")


def test_a_cancelled_fan_out_ends_its_children_and_returns_what_it_has(
    make_call: MakeCall, tmp_path: Path, ends: Callable[[int], None]
) -> None:
    async def scenario() -> Spawned:
        command = ("sh", "-c", "sleep 300 & echo $! > new; mv new pid; wait")
        calls = [*seats("quick"), make_call("command", command=command)]
        task = asyncio.create_task(
            spawn(calls, partial(call_backend, backend_for=_playing_or_real))
        )
        while not (tmp_path / "pid").exists():
            await asyncio.sleep(0.01)
        task.cancel()
        return await task

    spawned = asyncio.run(scenario())
    assert spawned.interrupted
    assert statuses(spawned) == ["answered", "cancelled"]
    ends(int((tmp_path / "pid").read_text()))


def test_a_caller_can_go_on_after_an_interruption() -> None:
    async def caller() -> str:
        spawned = await spawn(seats("sleep 300"), played)
        await asyncio.sleep(0)  # must not be cancelled once more
        return "recorded" if spawned.interrupted else "not interrupted"

    async def scenario() -> str:
        task = asyncio.create_task(caller())
        await asyncio.sleep(0.05)
        task.cancel()
        return await task

    assert asyncio.run(scenario()) == "recorded"


def test_a_fan_out_cancelled_before_it_began_has_a_reply_for_every_seat() -> None:
    async def scenario() -> Spawned:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return await spawn(seats("sleep 300", "raise"), played)

    spawned = asyncio.run(scenario())
    assert (statuses(spawned), spawned.interrupted) == (["cancelled"] * 2, True)


def _playing_or_real(name: str) -> object:
    from guildmoot.backends import get_backend

    return Playing() if name == "playing" else get_backend(name)
