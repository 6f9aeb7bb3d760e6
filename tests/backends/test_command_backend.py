"""Any program that reads a prompt and prints a reply can judge."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from builders import ask
from guildmoot.backends import get_backend
from guildmoot.model.call import Call

MakeCall = Callable[..., Call]


def test_the_prompt_goes_in_and_the_reply_comes_out(make_call: MakeCall) -> None:
    reply = ask(make_call("command", "judge thïs", command=("cat",)))
    assert (reply.status, reply.text, reply.exit_code) == ("answered", "judge thïs", 0)


def test_any_other_exit_code_is_a_failure_with_its_reason(make_call: MakeCall) -> None:
    reply = ask(make_call("command", command=("sh", "-c", "echo VERDICT; echo why >&2; exit 1")))
    assert (reply.status, reply.text) == ("failed", "VERDICT\n")
    assert reply.error.endswith("exit code 1: why")


def test_an_empty_reply_is_left_to_the_reader(make_call: MakeCall) -> None:
    assert ask(make_call("command", "p", command=("true",)))[1:3] == ("answered", "")


def test_a_large_prompt_passes_whole(make_call: MakeCall) -> None:
    prompt = "line of the work under review\n" * 200_000
    assert ask(make_call("command", prompt, command=("cat",))).text == prompt


def test_a_prompt_with_half_a_character_is_passed_on(make_call: MakeCall) -> None:
    assert ask(make_call("command", "\ud800!", command=("cat",))).text == "\\ud800!"


def test_without_a_packet_folder_it_runs_in_an_empty_one_that_goes_away(
    make_call: MakeCall,
) -> None:
    reply = ask(make_call("command", workdir="", command=("sh", "-c", "ls -A; pwd; touch left")))
    folder = reply.text.strip()
    assert os.path.isabs(folder)
    assert folder != os.getcwd()
    assert not Path(folder).exists()


def test_a_missing_program_is_told_before_anything_is_spent(make_call: MakeCall) -> None:
    call = make_call("command", command=("no-such-model",))
    assert "no-such-model is not installed" in get_backend("command").missing(call.agent)
    assert ask(call).status == "missing"


def test_a_command_that_does_not_answer_in_time_is_ended(make_call: MakeCall) -> None:
    reply = ask(make_call("command", command=("sleep", "300"), timeout=0.2))
    assert reply.status == "timeout"


def test_who_was_too_slow_is_given_a_way_to_more_time_that_exists(make_call: MakeCall) -> None:
    def slow(source: str, origin: str) -> str:
        words = ("sleep", "9")
        made = make_call("command", command=words, timeout=0.1, source=source, origin=origin)
        return ask(made).error

    assert "--timeout" in slow("built in", "package")
    assert "--timeout" in slow("/site-packages/guildmoot/agents/ruff.md", "package")
    assert "`timeout` in /a/judge.md" in slow("/a/judge.md", "user")
