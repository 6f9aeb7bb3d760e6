"""Tools that speak their own JSON are run and passed on; their end is the adapter's end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.agents.tools.adapt import read_cargo, read_eslint

ADAPT = [sys.executable, "-P", "-m", "guildmoot.agents.tools.adapt"]


def eslint_result(folder: str, *messages: dict[str, object]) -> str:
    return json.dumps([{"filePath": f"{folder}/src/a.js", "messages": messages}])


def cargo_message(level: str = "warning", code: str | None = "clippy::len_zero") -> str:
    span = {"is_primary": True, "file_name": "src/main.rs", "line_start": 3, "line_end": 4}
    other = {"is_primary": False, "file_name": "src/lib.rs", "line_start": 1, "line_end": 1}
    message = {
        "level": level,
        "message": "m",
        "spans": [other, span],
        "code": code and {"code": code},
    }
    return json.dumps({"reason": "compiler-message", "message": message})


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    """A project with a program of its own called eslint, which prints what lies in ``out``."""
    program = tmp_path / "node_modules" / ".bin" / "eslint"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\ncat out\nexit "$1"\n', encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ADAPT, *words], cwd=folder, capture_output=True, text=True, check=False)


def test_eslint_messages_become_findings() -> None:
    rule = {"ruleId": "no-undef", "severity": 2, "message": "x", "line": 3, "endLine": 4}
    warning = {"ruleId": "no-var", "severity": 1, "message": "y", "line": 5}
    broken = {"ruleId": None, "fatal": True, "severity": 2, "message": "z", "line": 1}
    ignored = {"ruleId": None, "fatal": False, "severity": 1, "message": "File ignored"}
    found = list(read_eslint(eslint_result(os.getcwd(), rule, warning, broken, ignored)))
    assert [(each.code, each.severity, each.path, each.line, each.end_line) for each in found] == [
        ("no-undef", "ERROR", "src/a.js", 3, 4),
        ("no-var", "WARNING", "src/a.js", 5, 0),
        ("parse-error", "ERROR", "src/a.js", 1, 0),
    ]


def test_compiler_messages_become_findings_once() -> None:
    chatter = json.dumps({"reason": "build-finished", "success": True})
    note = cargo_message("failure-note")
    lines = [cargo_message(), "   Compiling x", chatter, cargo_message(), note]
    found = list(read_cargo("\n".join([*lines, cargo_message("error", None)])))
    assert [(each.code, each.severity, each.path, each.line, each.end_line) for each in found] == [
        ("clippy::len_zero", "WARNING", "src/main.rs", 3, 4),
        ("error", "ERROR", "src/main.rs", 3, 4),
    ]


@pytest.mark.parametrize("code", [0, 1])
def test_the_projects_own_program_is_run_and_its_exit_code_kept(tool: Path, code: int) -> None:
    message = {"ruleId": "no-undef", "severity": 2, "message": "x", "line": 3}
    (tool / "out").write_text(eslint_result(str(tool), message), encoding="utf-8")
    done = run(tool, "eslint", "--", "eslint", str(code))
    assert done.returncode == code
    assert json.loads(done.stdout)["location"]["path"] == "src/a.js"


def test_a_tool_that_fails_keeps_its_exit_code_and_its_words(tool: Path) -> None:
    done = run(tool, "eslint", "--", "eslint", "2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "out" in done.stderr


def test_output_that_cannot_be_read_is_no_judgement(tool: Path) -> None:
    (tool / "out").write_text("all is well", encoding="utf-8")
    done = run(tool, "eslint", "--", "eslint", "0")
    assert done.returncode == 2
    assert "not its format" in done.stderr


def test_a_tool_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "cargo", "--", "no-such-tool")
    assert done.returncode == 127
    assert "no-such-tool is not installed" in done.stderr


@pytest.mark.parametrize("words", [[], ["eslint"], ["eslint", "--"], ["other", "--", "x"]])
def test_a_wrong_call_says_how_to_call(tmp_path: Path, words: list[str]) -> None:
    done = run(tmp_path, *words)
    assert done.returncode == 2
    assert "usage:" in done.stderr


def test_ending_the_adapter_ends_the_tool(tool: Path) -> None:
    program = tool / "node_modules" / ".bin" / "eslint"
    program.write_text("#!/bin/sh\necho $$ >&2\nexec sleep 60\n", encoding="utf-8")
    with subprocess.Popen(
        [*ADAPT, "eslint", "--", "eslint"], cwd=tool, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as adapter:
        assert adapter.stderr is not None
        child = int(adapter.stderr.readline())
        adapter.send_signal(signal.SIGTERM)
        adapter.wait(timeout=10)
    assert adapter.returncode == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
