"""The right reader for each kind of agent."""

from __future__ import annotations

from functools import partial

from builders import call
from guildmoot.model.call import Reply
from guildmoot.reading.reply import read_reply

FILES = ("src/net.py", "src/a/util.py", "src/b/util.py")


exits = partial(call, format="exit", files=FILES)


def test_a_tool_is_read_by_its_format_and_a_writer_by_the_grammar() -> None:
    assert (
        read_reply(Reply("judge", "answered", "ok", exit_code=0), exits("tool")).outcome
        == "approved"
    )
    assert read_reply(Reply("judge", "answered", "ok"), exits("command")).outcome == "unreadable"


def test_a_writer_that_did_not_answer_is_absent_whatever_it_wrote() -> None:
    reply = Reply("judge", "timeout", "VERDICT: approved", "no answer in 5 s")
    judgement = read_reply(reply, exits("command"))
    assert judgement.outcome == "absent"
    assert "no answer in 5 s" in judgement.reason


def test_a_reply_in_the_councils_json_is_read_as_a_judgement() -> None:
    text = (
        '{"verdict": "FAIL", "confidence": "HIGH", "key_insight": "k", "recommendation": "r",'
        ' "schema_version": 3, "findings": [{"severity": "critical", "category": "Security",'
        ' "description": "SQL from a string", "location": "db.py:4", "recommendation": "bind it",'
        ' "test_assertions": [{"description": "d", "verifies_by": "grep",'
        ' "command": "grep -n execute db.py", "expected_result": "4"}]}]}'
    )
    judgement = read_reply(Reply("a", "answered", text), call("command", files=("db.py",)))
    [finding] = judgement.findings
    assert judgement.outcome == "flagged"
    assert (finding.path, finding.line, finding.severity) == ("db.py", 4, "critical")
    assert finding.assertions[0].command == "grep -n execute db.py"
