"""Replies that did not come to their own end, over real sockets: none of them approves, a flag in them counts.

A row is a wire, the provider's word for why the model stopped, and what the report says of it. To add one,
add a line to ``STOPS``; what is no word but a whole odd reply goes to ``ODD``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from builders import call
from conftest import Shop
from guildmoot.backends.api import ApiBackend
from guildmoot.backends.claude import read_events
from guildmoot.calls.ledger.ledger import pack, unpack
from guildmoot.model.call import Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.endings import only_flags
from guildmoot.reading.reply import read_reply
from loopback import Provider, Rule, serving

MODELS = {
    "anthropic": "anthropic:claude-sonnet-5-5",
    "responses": "openai:gpt-5",
    "chat": "openai-compatible:local",
    "gemini": "google:gemini-2.5-flash",
}
APPROVED = "VERDICT: approved"
FLAGGED = "VERDICT: flagged\n\nReasons:\n- BLOCKING: sql-injection: the query holds the name"
STOPS = [
    ("anthropic", "max_tokens", "token limit"),
    ("anthropic", "model_context_window_exceeded", "context window"),
    ("anthropic", "pause_turn", "paused"),
    ("anthropic", "tool_use", "tool"),
    ("anthropic", "refusal", "refused"),
    ("anthropic", "stop_sequence", "unknown"),
    ("anthropic", "compaction", "unknown"),
    ("anthropic", "", "does not say"),
    ("responses", "max_output_tokens", "token limit"),
    ("responses", "content_filter", "filter"),
    ("responses", "max_tool_calls", "unknown"),
    ("responses", "", "unknown"),
    ("chat", "length", "token limit"),
    ("chat", "model_length", "token limit"),
    ("chat", "tool_calls", "tool"),
    ("chat", "function_call", "tool"),
    ("chat", "content_filter", "filter"),
    ("chat", "insufficient_system_resource", "unknown"),
    ("chat", "error", "unknown"),
    ("gemini", "MAX_TOKENS", "token limit"),
    ("gemini", "SAFETY", "SAFETY"),
    ("gemini", "RECITATION", "RECITATION"),
    ("gemini", "MALFORMED_FUNCTION_CALL", "MALFORMED"),
    ("gemini", "OTHER", "OTHER"),
    ("gemini", "FINISH_REASON_UNSPECIFIED", "unknown"),
]
_CHOICE = {"message": {"content": APPROVED}, "finish_reason": "stop"}
_TOOL = {"function": {"name": "merge", "arguments": "{}"}}
ODD = [
    ("chat", {"choices": [_CHOICE, {**_CHOICE, "message": {"content": FLAGGED}}]}, "several"),
    ("chat", {"choices": [{**_CHOICE, "index": 1}]}, "several"),
    (
        "chat",
        {"choices": [{**_CHOICE, "message": {"content": APPROVED, "tool_calls": [_TOOL]}}]},
        "tool",
    ),
    (
        "gemini",
        {"candidates": [{"content": {"parts": [{"text": APPROVED}]}, "finishReason": "STOP"}] * 2},
        "several",
    ),
    (
        "gemini",
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": APPROVED}, {"functionCall": {"name": "merge"}}]},
                    "finishReason": "STOP",
                }
            ]
        },
        "tool",
    ),
    (
        "responses",
        {
            "type": "response.completed",
            "response": {"output": [{"type": "function_call", "name": "merge"}]},
        },
        "tool",
    ),
    ("responses", {"type": "response.completed", "response": {"status": "cancelled"}}, "unknown"),
    (
        "responses",
        {
            "type": "response.completed",
            "response": {"output": [{"type": "message", "status": "incomplete"}]},
        },
        "unknown",
    ),
]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "GUILD_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as provider:
        for name, value in provider.environment().items():
            monkeypatch.setenv(name, value)
        yield provider


def reply_over(wire: str) -> Reply:
    return asyncio.run(ApiBackend().call(call("api", "judge this", model=MODELS[wire])))


def judged(reply: Reply) -> Judgement:
    return read_reply(reply, call("api", "judge this"))


@pytest.mark.parametrize(("wire", "stop", "said"), STOPS)
def test_half_a_reply_is_no_vote_unless_it_flags(wire, stop, said, provider):
    provider.rules = [Rule(text=APPROVED, stop=stop)]
    reply = reply_over(wire)
    assert said in reply.ending
    assert judged(reply).outcome == "absent"
    assert said in judged(reply).reason
    provider.rules = [Rule(text=FLAGGED, stop=stop)]
    assert judged(reply_over(wire)).outcome == "flagged"


@pytest.mark.parametrize(("wire", "answer", "said"), ODD)
def test_several_answers_and_calls_of_tools_are_no_vote(wire, answer, said, provider):
    body = json.dumps(answer)
    head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n\r\n"
    provider.rules = [Rule(raw=head + body)]
    reply = reply_over(wire)
    assert said in reply.ending
    assert judged(reply).outcome == "absent"


@pytest.mark.parametrize("wire", MODELS)
def test_a_reply_that_came_to_its_own_end_says_nothing_of_it(wire, provider):
    provider.rules = [Rule(text=FLAGGED)]
    assert reply_over(wire).ending == ""


@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize("verb", ["validate", "council"])
@pytest.mark.sample(3)
def test_a_cut_approval_passes_no_gate_and_the_report_says_why(
    wire: str, verb: str, shop: Shop, provider: Provider
):
    provider.rules = [Rule(text=APPROVED, length=True)]
    shop.write("app.py", "x = 1\n")
    front = f"---\nname: j\ndescription: d\nbackend: api\nmodel: {MODELS[wire]}\n---\nJudge it.\n"
    shop.agent("j.md", front)
    argv = ("validate", ".") if verb == "validate" else ("council", "validate", "app.py")
    ran = shop.guild(*argv, "--agents", "j", env=provider.environment())
    assert ran.code in (2, 3, 4), ran.out + ran.err
    assert "cut off at its token limit" in " ".join(ran.out.split())


def test_the_ending_is_kept_and_older_records_are_read_as_they_were_meant():
    cut = Reply("j", "answered", APPROVED, ending="cut off at its token limit")
    assert unpack(pack(cut)) == cut
    old = Reply("j", "answered", APPROVED, error="the reply was cut at its longest, 32,000 tokens")
    assert only_flags(Judgement("j", "approved"), old).outcome == "absent"
    whole = old._replace(error="a warning of the program")
    assert only_flags(Judgement("j", "approved"), whole).outcome == "approved"


@pytest.mark.parametrize(
    ("stop", "more", "ending"),
    [
        ("end_turn", {}, ""),
        ("max_tokens", {}, "cut off at its token limit"),
        ("tool_use", {}, "ended with a call of a tool"),
        ("tool_use", {"structured_output": {"verdict": "PASS"}}, ""),
        (None, {}, ""),
    ],
)
def test_claude_code_tells_how_its_last_message_ended(stop, more, ending):
    def event(kind: str, **fields: object) -> dict[str, object]:
        return {"type": "stream_event", "event": {"type": kind, **fields}}

    told = read_events(
        [
            event("message_start", message={"model": "m", "usage": {"input_tokens": 1}}),
            event("message_delta", delta={"stop_reason": stop}),
            {"type": "result", "subtype": "success", "result": APPROVED, **more},
        ]
    )
    assert (told.ending, told.error) == (ending, "")
