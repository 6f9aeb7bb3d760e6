"""The seeds' spawn: prompts, errors and the shape of the result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import UsageError
from guildmoot.model.call import Reply
from guildmoot.practices.spawn import check_request, seed_result, spawn_prompt


def test_a_brief_without_context_is_the_prompt() -> None:
    assert spawn_prompt("Do it.", "a") == "Do it."
    assert spawn_prompt("Do it.", "a", "  \n") == "Do it."


def test_context_stands_under_a_heading_with_the_agents_name() -> None:
    prompt = "Do it.\n\n## Context for evaluator-a\n\nOnly the API.\n"
    assert spawn_prompt("Do it.", "evaluator-a", "Only the API.") == prompt
    assert spawn_prompt("Do it.\n", "evaluator-a", "Only the API.") == prompt


@given(st.text(), st.text())
def test_the_brief_is_kept_verbatim(brief: str, context: str) -> None:
    assert spawn_prompt(brief, "a", context).startswith(brief)


def test_outputs_come_in_input_order_and_a_failure_is_its_reason_alone() -> None:
    replies = [
        Reply("b", "answered", "VERDICT: approved"),
        Reply("a", "failed", "VERDICT: approved", error="the program crashed"),
        Reply("c", "cancelled"),
    ]
    assert seed_result(["b", "a", "c"], replies) == {
        "agents": ["b", "a", "c"],
        "outputs": [
            {"agent": "b", "output": "VERDICT: approved"},
            {"agent": "a", "output": "guild-spawn-error: failed: the program crashed"},
            {"agent": "c", "output": "guild-spawn-error: cancelled"},
        ],
    }


@pytest.mark.parametrize(
    ("agents", "brief", "verb", "message"),
    [
        ([], "x", "guild-spawn", "guild-spawn-error: empty agents list"),
        (["a"], " \n", "guild-spawn", "guild-spawn-error: missing brief"),
        ([], "", "guild-validate", "guild-validate-error: empty agents list"),
    ],
)
def test_a_request_without_agents_or_brief_is_refused_in_the_seeds_words(
    agents: list[str], brief: str, verb: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        check_request(agents, brief, verb)
    assert caught.value.message == message


def test_a_whole_request_is_accepted() -> None:
    check_request(["a"], "Do it.")
