"""A tool's program runs on the packet's files; anything but a finished run is no answer."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ask
from guildmoot.backends import get_backend
from guildmoot.backends.outcome import reply_from
from guildmoot.backends.programs import find_program, safe_argument
from guildmoot.errors import AgentFileError
from guildmoot.model.call import Call, Reply
from guildmoot.system.process import ProcessResult

MakeCall = Callable[..., Call]
SHOW = "import json, os, sys; print(json.dumps([os.getcwd(), *sys.argv[1:]]))"


def shell(make_call: MakeCall, script: str, **fields: object) -> Reply:
    return ask(make_call("tool", command=("sh", "-c", script), **fields))


def test_the_blanks_of_a_command_are_filled(make_call: MakeCall, tmp_path: Path) -> None:
    command = ("{python}", "-c", SHOW, "--root={root}", "{manifest}", "{files}", "{other}")
    files = ("a b.py", "new\nline.py", "{root}.py")
    reply = ask(make_call("tool", command=command, files=files, manifest="/m.json"))
    assert reply.status == "answered"
    root = str(tmp_path)
    assert json.loads(reply.text) == [root, f"--root={root}", "/m.json", *files, "{other}"]


def test_a_file_name_cannot_pass_for_an_option_or_an_argument_file(make_call: MakeCall) -> None:
    files = ("--config=evil.toml", "@evil", "-", "src/-x.py")
    reply = ask(make_call("tool", command=("{python}", "-c", SHOW, "{files}"), files=files))
    assert json.loads(reply.text)[1:] == ["./--config=evil.toml", "./@evil", "./-", "src/-x.py"]


@given(st.text(min_size=1))
def test_a_safe_argument_names_the_same_file(path: str) -> None:
    safe = safe_argument(path)
    assert not safe.startswith(("-", "@"))
    assert os.path.normpath(safe) == os.path.normpath(path)


@pytest.mark.parametrize(("code", "status"), [(0, "answered"), (1, "answered"), (2, "failed")])
def test_without_a_table_0_and_1_are_answers(make_call: MakeCall, code: int, status: str) -> None:
    reply = shell(make_call, f"echo said; exit {code}")
    assert (reply.status, reply.exit_code, reply.text) == (status, code, "said\n")


@pytest.mark.parametrize(
    ("code", "status"), [(0, "answered"), (3, "answered"), (4, "failed"), (1, "failed")]
)
def test_a_table_of_exit_codes_decides(make_call: MakeCall, code: int, status: str) -> None:
    table = ((0, "clean"), (3, "findings"), (4, "error"))
    reply = shell(make_call, f"echo said; exit {code}", exit_codes=table)
    assert (reply.status, reply.exit_code, reply.text) == (status, code, "said\n")


def test_a_crash_shows_the_last_lines_of_standard_error(make_call: MakeCall) -> None:
    reply = shell(make_call, "seq 1 500 >&2; echo the real reason >&2; exit 2")
    assert "exit code 2" in reply.error
    assert reply.error.endswith("the real reason")
    assert "\n7\n" not in reply.error


def test_standard_error_of_an_answer_is_kept_beside_it(make_call: MakeCall) -> None:
    reply = shell(make_call, "echo found; echo one file was skipped >&2; exit 1")
    assert (reply.text, reply.error) == ("found\n", "one file was skipped\n")


def test_death_by_a_signal_is_a_failure_that_names_it(make_call: MakeCall) -> None:
    reply = shell(make_call, "echo half; kill -SEGV $$")
    assert (reply.status, reply.text) == ("failed", "half\n")
    assert "SIGSEGV" in reply.error


def test_a_timeout_keeps_what_was_said_and_tells_where_to_raise_it(make_call: MakeCall) -> None:
    reply = shell(make_call, "echo half; sleep 300", timeout=1.5, origin="project")
    assert (reply.status, reply.text) == ("timeout", "half\n")
    assert "1.5 s" in reply.error
    assert "agents/judge.md" in reply.error


def test_a_program_that_is_not_installed_is_missing(make_call: MakeCall) -> None:
    call = make_call("tool", command=("no-such-linter", "{files}"), files=("a.py",))
    reply = ask(call)
    assert reply.status == "missing"
    assert "no-such-linter is not installed" in reply.error
    assert get_backend("tool").missing(call.agent) == reply.error


def test_an_agent_without_a_command_says_so(make_call: MakeCall) -> None:
    call = make_call("tool")
    assert "names no command" in get_backend("tool").missing(call.agent)
    assert ask(call).status == "missing"


def test_a_program_that_is_there_is_not_missing(make_call: MakeCall) -> None:
    for command in (("sh",), ("{python}", "-V")):
        assert get_backend("tool").missing(make_call("tool", command=command).agent) == ""


def test_output_that_is_not_utf_8_is_shown_rather_than_lost(make_call: MakeCall) -> None:
    assert shell(make_call, r"printf 'caf\303\251 \377\n'").text == "café \\xff\n"


def test_a_tool_without_files_to_judge_is_not_run_on_everything(make_call: MakeCall) -> None:
    reply = ask(make_call("tool", command=("sh", "-c", "echo ran", "{files}")))
    assert (reply.status, reply.text) == ("failed", "")
    assert "no file of the packet" in reply.error


def test_more_files_than_a_command_line_takes_are_refused_with_the_reason(
    make_call: MakeCall,
) -> None:
    files = tuple(f"src/{'long' * 20}/{n}.py" for n in range(20_000))
    reply = ask(make_call("tool", command=("sh", "-c", "true", "{files}"), files=files))
    assert reply.status == "failed"
    assert "20,000 files" in reply.error


def test_files_mixed_into_another_argument_are_an_error_of_the_agent_file(
    make_call: MakeCall,
) -> None:
    with pytest.raises(AgentFileError, match=r"agents/judge\.md"):
        ask(make_call("tool", command=("sh", "--files={files}"), files=("a.py",)))


def test_a_program_beside_python_comes_before_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("venv", "system"):
        (tmp_path / folder).mkdir()
        _program(tmp_path / folder / "linter")
    _program(tmp_path / "system" / "other")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "system"))
    assert find_program("linter") == str(tmp_path / "venv" / "linter")
    assert find_program("other") == str(tmp_path / "system" / "other")
    assert find_program("neither") == ""


def test_a_relative_program_is_run_from_the_checkout_but_never_from_the_packet(
    make_call: MakeCall, tmp_path: Path
) -> None:
    _program(tmp_path / "check")
    checkout = make_call("tool", command=("./check",), run_in="checkout")
    assert ask(checkout).text == "checked\n"
    assert ask(make_call("tool", command=("./check",), run_in="packet")).status == "missing"


def test_code_under_review_is_not_imported_by_the_judge(
    make_call: MakeCall, tmp_path: Path
) -> None:
    (tmp_path / "json.py").write_text("print('hijacked')\n")
    (tmp_path / "data").write_text("[1]")
    reply = ask(make_call("tool", command=("{python}", "-m", "json.tool", "--compact", "data")))
    assert reply.text == "[1]\n"


def test_a_program_that_floods_is_a_failure_that_keeps_what_there_is(make_call: MakeCall) -> None:
    flooded = ProcessResult("overflow", 0, b"y" * 1000)
    reply = reply_from(make_call("tool", command=("yes",)), flooded, frozenset({0}))
    assert (reply.status, reply.text) == ("failed", "y" * 1000)
    assert "more than may be kept" in reply.error


def _program(path: Path) -> None:
    path.write_text("#!/bin/sh\necho checked\n")
    path.chmod(0o755)
