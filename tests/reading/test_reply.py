"""The right reader for each kind of agent."""

from __future__ import annotations

from guildmoot.reading.reply import read_reply
from guildmoot.types import Agent, Call, Reply, Seat

FILES = ("src/net.py", "src/a/util.py", "src/b/util.py")


def call(backend: str) -> Call:
    agent = Agent("judge", "", "", "judge.md", backend=backend, format="exit")
    return Call(Seat("judge", "judge", backend, "vendor"), agent, "prompt", files=FILES)


def paths(text: str) -> list[str]:
    judgement = read_reply(Reply("judge", "answered", text), call("command"))
    return [finding.path for finding in judgement.findings]


def test_a_tool_is_read_by_its_format_and_a_writer_by_the_grammar() -> None:
    assert (
        read_reply(Reply("judge", "answered", "ok", exit_code=0), call("tool")).outcome
        == "approved"
    )
    assert read_reply(Reply("judge", "answered", "ok"), call("command")).outcome == "unreadable"


def test_a_writer_that_did_not_answer_is_absent_whatever_it_wrote() -> None:
    reply = Reply("judge", "timeout", "VERDICT: approved", "no answer in 5 s")
    judgement = read_reply(reply, call("command"))
    assert judgement.outcome == "absent"
    assert "no answer in 5 s" in judgement.reason


def test_a_bare_file_name_means_the_only_file_of_that_name() -> None:
    text = "VERDICT: flagged\n\nReasons:\n- aa-bb: net.py:4\n- cc-dd: util.py:5\n- ee-ff: src/net.py:6\n"
    assert paths(text) == ["src/net.py", "util.py", "src/net.py"]
