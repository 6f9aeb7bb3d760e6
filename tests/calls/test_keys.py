"""The name of a call is its content: what can change the answer changes the key, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import paid_call
from guildmoot.calls.keys import call_key, is_shared

CALL = paid_call(prompt="look at this", packet="p")


@pytest.mark.parametrize(
    "other",
    [
        CALL._replace(packet="q"),
        CALL._replace(prompt="look at that"),
        CALL._replace(round=1),
        CALL._replace(attempt=1),
        CALL._replace(schema={"type": "object"}),
        CALL._replace(files=("a.py",)),
        CALL._replace(seat=CALL.seat._replace(name="judge-2")),
        CALL._replace(seat=CALL.seat._replace(model="openai:gpt-6")),
        CALL._replace(seat=CALL.seat._replace(backend="codex")),
        CALL._replace(agent=CALL.agent._replace(tools=("Read",))),
        CALL._replace(agent=CALL.agent._replace(command=("x",))),
    ],
)
def test_what_can_change_the_answer_changes_the_key(other):
    assert call_key(other) != call_key(CALL)


@pytest.mark.parametrize(
    "other",
    [
        CALL._replace(workdir="elsewhere"),
        CALL._replace(manifest="elsewhere"),
        CALL._replace(timeout=9.0),
        CALL._replace(shared=3),
        CALL._replace(seat=CALL.seat._replace(why="named")),
        CALL._replace(agent=CALL.agent._replace(source="moved.md", description="other")),
    ],
)
def test_where_and_how_long_it_runs_does_not(other):
    assert call_key(other) == call_key(CALL)


def test_a_model_is_shared_and_a_tool_or_a_checkout_is_not():
    assert is_shared(CALL)
    assert not is_shared(CALL._replace(agent=CALL.agent._replace(run_in="checkout")))
    for backend in ("tool", "scripted", "command"):
        assert not is_shared(CALL._replace(seat=CALL.seat._replace(backend=backend)))


@given(st.text(), st.text(), st.text(), st.text())
def test_no_two_prompts_or_names_run_into_each_other(seat, prompt, other_seat, other_prompt):
    def key(name: str, words: str) -> str:
        return call_key(CALL._replace(seat=CALL.seat._replace(name=name), prompt=words))

    same = (seat, prompt) == (other_seat, other_prompt)
    assert (key(seat, prompt) == key(other_seat, other_prompt)) is same
