"""Replies from a file, in every way that a judge can go right or wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from guildmoot.backends import get_backend
from guildmoot.backends.scripted import parse_script
from guildmoot.errors import AgentFileError
from guildmoot.model.call import Call, Reply

MakeCall = Callable[..., Call]


@pytest.fixture
def ask(make_call: MakeCall, tmp_path: Path) -> Callable[..., Reply]:
    """Write a script (or keep the last one) and let one seat answer from it."""

    def answer(replies: object = None, seat: str = "judge", **fields: object) -> Reply:
        path = tmp_path / "replies.json"
        if replies is not None:
            path.write_text(json.dumps({"replies": replies}))
        return builders.ask(make_call("scripted", seat=seat, replies=str(path), **fields))

    return answer


Ask = Callable[..., Reply]


def test_a_seat_is_looked_up_by_its_name_then_by_its_agent_then_by_the_star(ask: Ask) -> None:
    assert ask({"second": "mine", "judge": "agent", "*": "all"}, seat="second").text == "mine"
    assert ask({"judge": "agent", "*": "all"}, seat="second").text == "agent"
    assert ask({"*": "all"}, seat="second").text == "all"
    reply = ask({"other": "not you"}, seat="second")
    assert (reply.status, "'second'" in reply.error) == ("failed", True)


def test_a_list_is_answered_in_order_by_each_seat_and_its_last_repeats(ask: Ask) -> None:
    ask({"*": ["one", "two"]}, seat="a")
    assert [ask(seat="a").text for _ in range(2)] == ["two", "two"]
    assert [ask(seat="b").text for _ in range(2)] == ["one", "two"]


def test_a_script_that_changes_starts_again(ask: Ask) -> None:
    ask({"*": ["one", "two"]})
    assert ask({"*": ["first", "second"]}).text == "first"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"fail": "quota used up"}, ("failed", "quota used up", None)),
        ({"missing": "no key"}, ("missing", "no key", None)),
        ({"exit_code": 3}, ("failed", "failed with exit code 3 (scripted)", 3)),
        ({"text": "x", "exit_code": 0}, ("answered", "", 0)),
    ],
)
def test_a_step_can_fail_in_the_ways_a_backend_can(
    ask: Ask, step: object, expected: tuple[str, str, int | None]
) -> None:
    reply = ask({"*": step})
    assert (reply.status, reply.error, reply.exit_code) == expected


def test_an_exit_code_that_the_agent_lists_is_an_answer(ask: Ask) -> None:
    step = {"text": "found", "exit_code": 3}
    assert ask({"*": step}, exit_codes=((3, "findings"),)).status == "answered"


def test_a_delay_takes_its_time(ask: Ask) -> None:
    loop = asyncio.new_event_loop()
    began = loop.time()
    assert ask({"*": {"text": "x", "delay": 0.15}}).status == "answered"
    assert loop.time() - began >= 0.15
    loop.close()


@pytest.mark.parametrize("step", [{"hang": True}, {"delay": 300}])
def test_the_seats_deadline_comes_before_a_hang(ask: Ask, step: object) -> None:
    assert ask({"*": step}, timeout=0.05).status == "timeout"


@pytest.mark.parametrize("kind", ["empty", "truncated", "binary", "garbage", "no-verdict"])
def test_malformed_text_is_an_answer_that_cannot_be_taken_for_a_verdict(
    ask: Ask, kind: str
) -> None:
    reply = ask({"*": {"malformed": kind}})
    assert reply.status == "answered"
    assert "VERDICT: approved" not in reply.text


def test_a_text_can_be_cut_in_half(ask: Ask) -> None:
    assert ask({"*": {"text": "12345678", "malformed": "truncated"}}).text == "1234"


def test_lines_are_steps_and_plain_text_is_the_reply() -> None:
    steps = parse_script('"one"\n\n{"fail": "two"}\n', "r.jsonl")["*"]
    assert (steps[0].text, steps[1].fail) == ("one", "two")
    assert parse_script("VERDICT: approved\n", "r.md")["*"][0].text == "VERDICT: approved\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "`replies`"),
        ('{"replies": []}', "`replies`"),
        ('{"replies": {"a": []}}', "a: the list of replies is empty"),
        ('{"replies": {"a": ["x", 7]}}', "a: reply 2: a reply is a text or an object"),
        ('{"replies": {"a": {"dely": 1}}}', "no field `dely`"),
        ('{"replies": {"a": {"delay": "1"}}}', "`delay` must be int or float"),
        ('{"replies": {"a": {"delay": -1}}}', "seconds from 0"),
        ('{"replies": {"a": {"delay": NaN}}}', "seconds from 0"),
        ('{"replies": {"a": {"delay": true}}}', "`delay` must be"),
        ('{"replies": {"a": {"hang": 1}}}', "`hang` must be bool"),
        ('{"replies": {"a": {"malformed": "odd"}}}', "`malformed` is one of empty"),
    ],
)
def test_a_bad_script_is_named_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(AgentFileError) as caught:
        parse_script(text, "team/replies.json")
    assert caught.value.message.startswith("team/replies.json")
    assert reason in caught.value.message


def test_a_misspelt_field_comes_with_the_nearest_name() -> None:
    with pytest.raises(AgentFileError) as caught:
        parse_script('{"replies": {"a": {"dely": 1}}}', "r.json")
    assert caught.value.hint == "Did you mean `delay`?"


def test_a_script_that_is_not_there_is_told_before_anything_runs(
    make_call: MakeCall, tmp_path: Path
) -> None:
    backend = get_backend("scripted")
    absent = make_call("scripted", replies=str(tmp_path / "absent.json")).agent
    assert "absent.json" in backend.missing(absent)
    assert "needs `replies`" in backend.missing(make_call("scripted").agent)
    (tmp_path / "absent.json").write_text('{"replies": {"*": "here"}}')
    assert backend.missing(absent) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["delay", "text", "hang", "replies", "*"]), inner)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_document_is_a_script_or_an_error_that_names_the_file(document: object) -> None:
    try:
        script = parse_script(json.dumps({"replies": document}), "r.json")
    except AgentFileError as error:
        assert error.message.startswith("r.json")
    else:
        assert all(steps for steps in script.values())
