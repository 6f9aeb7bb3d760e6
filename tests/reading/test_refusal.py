"""What is not a vote is known for what it is, and a vote is never taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.reading.refusal import not_a_vote

PROMPT = "You are a judge.\nRead the work.\nAnswer in this form:\n\nVERDICT: approved or flagged\nReasons:\n- code: path:line why\n"


@pytest.mark.parametrize("text", ["", "  \n\t", "---", "***\n", "\u200b", "```\n```"])
def test_a_reply_without_a_word_is_empty(text: str) -> None:
    assert "empty" in not_a_vote(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I can’t assist with that request.",
        "I cannot provide a review of this code.",
        "I can't continue with this.",
        "Sorry, I won't do that.",
        "I'm unable to help with this request because it may be harmful.",
        "As an AI language model, I cannot evaluate this.",
        "I must decline to answer.",
        "**I cannot comply** with this request.",
        "Unfortunately, I am not able to assist with security exploits.",
        "Your request was blocked by our content safety policy.",
    ],
)
def test_a_refusal_is_known(text: str) -> None:
    assert "refused" in not_a_vote(text)


@pytest.mark.parametrize(
    "text",
    [
        "API Error: 529 overloaded",
        '{"type":"error","error":{"type":"overloaded_error"}}',
        "Invalid API key · Please run /login",
        "Credit balance is too low",
        "Prompt is too long",
        "Claude AI usage limit reached|1763251200",
    ],
)
def test_an_error_of_the_client_is_known(text: str) -> None:
    assert "error message" in not_a_vote(text)


@pytest.mark.parametrize(
    "text",
    [
        "SessionStart hook additional context: be nice",
        "<user-prompt-submit-hook>remember the rules</user-prompt-submit-hook>",
        "[pre-commit-hook] ok",
    ],
)
def test_the_output_of_a_hook_is_known(text: str) -> None:
    assert "hook" in not_a_vote(text)


def test_a_reply_that_repeats_the_prompt_is_an_echo() -> None:
    assert "repeats" in not_a_vote(PROMPT, PROMPT)
    assert "repeats" in not_a_vote(PROMPT + "\nok\n", PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "VERDICT: approved",
        "I cannot approve this.\n\nVERDICT: flagged\nReasons:\n- bug: a.py:1 wrong",
        "I'm sorry, but I can't help finding this good.\n\n**VERDICT:** approved",
        'Sorry for the delay. {"verdict": "PASS"}',
        "The function cannot handle empty input, and the API error is swallowed.",
        "I can't find a problem here.",
        "SessionStart hook output\n\nVERDICT: approved",
    ],
)
def test_a_vote_is_not_taken_for_something_else(text: str) -> None:
    assert not_a_vote(text, PROMPT) == ""


@given(st.text(), st.sampled_from(["approved", "flagged"]))
def test_a_reply_with_a_verdict_of_its_own_is_always_a_vote(talk: str, verdict: str) -> None:
    assert not_a_vote(f"{talk}\nVERDICT: {verdict}\nReasons:\n- own words", "another prompt") == ""


@given(st.text(), st.text())
def test_any_text_can_be_asked_about(text: str, prompt: str) -> None:
    assert isinstance(not_a_vote(text, prompt), str)
