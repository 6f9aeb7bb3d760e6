"""``guild whiteboard`` and ``guild plan``: the seeds' answers, two vocabularies, and bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VERBS = ("whiteboard", "plan")
DATA = Path(__file__).parents[1] / "data" / "whiteboard" / "whiteboard.jsonl"
VECTORS = [json.loads(line) for line in DATA.read_bytes().splitlines()]
SECTIONS = json.dumps([{"engineer": "a", "section": "x"}]).encode()
BLOCK = "```decisions\n- scope: c1\n  stance: adopt\n  text: A queue\n```"
DECIDING = json.dumps([{"engineer": "a", "section": BLOCK}]).encode()


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def older(text: str) -> str:
    """The newer words replaced by the seeds'."""
    for new, old in (
        ("plan_path", "whiteboard_path"),
        ("# Plan", "# Whiteboard"),
        ("guild-plan-error", "guild-whiteboard-error"),
    ):
        text = text.replace(new, old)
    return text


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_answer_is_that_of_the_seeds(
    vector: dict[str, Any], verb: str, guild: Any, tmp_path: Path
) -> None:
    spoken = older if verb == "whiteboard" else str
    for name, content in vector["files"].items():
        (tmp_path / name).write_bytes(spoken(content).encode())
    ran = guild(verb, *vector["argv"][1:], stdin=vector["stdin"].encode())
    assert ran.code == vector["exit_code"], ran.err
    here = "" if verb == "whiteboard" else f"{tmp_path}/"  # there the path stands as it was given
    assert ran.out == spoken(vector["stdout"]).replace("{CWD}/", here)
    assert spoken(vector["stderr_class"] or "") in ran.err
    for name, want in vector["files_after"].items():
        assert (tmp_path / name).read_bytes() == spoken(want).encode()


def test_the_vectors_are_there() -> None:
    assert len(VECTORS) == 38


BAD = [
    (["append", "w.md"], b"{}", "must be a JSON array"),
    (["append", "w.md"], b"[1]", "entry 0 is not an object"),
    (
        ["append", "w.md"],
        b'[{"engineer": "a", "section": "x"}, {"engineer": "b"}]',
        "entry 1 has no section",
    ),
    (["append", "w.md"], b'[{"engineer": 3, "section": "x"}]', "entry 0 has no engineer"),
    (["append", "w.md"], b"\xef\xbb\xbf[]", "not valid JSON"),
    (["append", "w.md"], b"[" * 100_000, "not valid JSON"),
    (["append", "w.md"], b" \n", "standard input is empty"),
    (["append", ""], SECTIONS, "path"),
    (["append", "w.md", "--round", "0"], SECTIONS, "--round is a number from 1 on"),
    (["append", "w.md", "--round=two"], SECTIONS, "--round is a number from 1 on"),
    (["append", "w.md", "--round"], SECTIONS, "--round is a number from 1 on"),
    (["append", "w.md", "--round=" + "9" * 5000], SECTIONS, "--round is a number from 1 on"),
    (["append", "."], SECTIONS, "is a folder"),
    (["append", "w.md/x.md"], SECTIONS, "w.md"),
    (["append", "/proc/none/w.md"], SECTIONS, "/proc/none"),
    (["detect-round", "."], b"", "is a folder"),
    (["read-state", "."], b"", "is a folder"),
    (["init", ".", "--topic=t"], b"", "is a folder"),
    (["init", "new.md"], b"", "missing topic"),
    (["init", "new.md", "--topic= "], b"", "missing topic"),
    (["init"], b"", "missing topic"),
    (["init", "--topic=t"], b"", "path"),
    (["decide", "w.md"], b"", "missing ID"),
    (["decide", "w.md", "c1", "--why", "y"], b"", "missing choice"),
    (["decide", "w.md", "c1", "--choice", "x"], b"", "missing why"),
    (["decide", "new.md", "c1", "--choice=x", "--why=y"], b"", "there is no"),
    (["explode"], b"", "unknown action 'explode'"),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("argv", "stdin", "said"), BAD)
def test_bad_input_gets_the_error_words_and_leaves_everything_as_it_was(
    verb: str, argv: list[str], stdin: bytes, said: str, guild: Any, tmp_path: Path
) -> None:
    (tmp_path / "w.md").write_text("# Plan: t\n")
    ran = guild(verb, *argv, stdin=stdin)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"guild-{verb}-error: ")
    assert said in ran.err
    assert [file.name for file in tmp_path.iterdir()] == ["w.md"]
    assert (tmp_path / "w.md").read_text() == "# Plan: t\n"
    answer = json.loads(guild(verb, *argv, "--json", stdin=stdin).out)
    assert answer["schema_version"] == 1
    assert said in answer["error"]["message"]


def test_a_mistyped_action_is_told_with_what_is_near(guild: Any) -> None:
    ran = guild("whiteboard", "sumary", "w.md")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("guild-whiteboard-error: unknown action 'sumary'\n")
    assert "Did you mean summary?" in ran.err
    assert "--help' lists the actions" in guild("whiteboard", "explode").err


def test_a_missing_path_is_named_in_the_words_of_the_verb(guild: Any) -> None:
    assert guild("whiteboard", "append").err == "guild-whiteboard-error: missing whiteboard path\n"
    assert guild("plan", "append").err == "guild-plan-error: missing plan path\n"


def test_a_round_is_run_again_by_its_number(guild: Any, tmp_path: Path) -> None:
    for text in ("first", "second"):
        stdin = json.dumps([{"engineer": "Ann Lee", "section": f"{text}\n## Round 9"}]).encode()
        ran = guild("whiteboard", "append", "w.md", "--round", "2", stdin=stdin)
        assert json.loads(ran.out)["round"] == 2
    state = json.loads(guild("whiteboard", "read-state", "w.md").out)
    section = {"engineer": "Ann Lee", "section": "second\n## Round 9"}
    assert state == {"rounds": [{"number": 2, "sections": [section]}]}
    assert guild("plan", "detect-round", "w.md").out == "3\n"


def test_a_decision_is_recorded_on_the_board(guild: Any, tmp_path: Path) -> None:
    guild("plan", "append", "w.md", stdin=DECIDING)
    words = ("decide", "w.md", "c1", "--choice", "A queue", "--why", "It drains")
    assert guild("plan", *words).out == "decision recorded\n"
    assert guild("plan", *words).out == "that is decided already\n"
    answer = json.loads(guild("plan", *words, "--json").out)
    assert (answer["schema_version"], answer["recorded"], answer["id"]) == (1, False, "c1")
    state = json.loads(guild("plan", "read-state", "w.md", "--json").out)
    assert state["decisions"][0]["choice"] == "A queue"
    assert len(state["rounds"]) == 1
    assert "> A queue" in (tmp_path / "w.md").read_text()


def test_a_decision_on_what_the_board_does_not_know_is_refused(guild: Any, tmp_path: Path) -> None:
    guild("plan", "append", "w.md", stdin=DECIDING)
    before = (tmp_path / "w.md").read_bytes()
    ran = guild("plan", "decide", "w.md", "c2", "--choice", "A queue", "--why", "It drains")
    assert ran.code == 1
    assert "the board has no scope with the ID 'c2'" in ran.err
    assert "summary" in ran.err
    assert (tmp_path / "w.md").read_bytes() == before


def test_every_action_answers_in_json(guild: Any) -> None:
    for argv in (["init", "w.md", "--topic=t"], ["detect-round", "w.md"], ["read-state", "w.md"]):
        assert json.loads(guild("plan", *argv, "--json").out)["schema_version"] == 1
    answer = json.loads(guild("plan", "append", "w.md", "--json", stdin=SECTIONS).out)
    assert (answer["schema_version"], answer["round"]) == (1, 1)


def test_flags_that_nobody_knows_are_passed_over(guild: Any, tmp_path: Path) -> None:
    assert guild("plan", "init", "--odd", "-x", "--", "-w.md", "--topic").code == 1
    assert guild("plan", "init", "--topic", "t", "--odd", "--", "-w.md").code == 0
    assert (tmp_path / "-w.md").read_text() == "# Plan: t\n"


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits_a_terminal_and_shows_examples(verb: str, guild: Any) -> None:
    for argv in (["--help"], ["append", "w.md", "-h"]):
        ran = guild(verb, *argv)
        assert ran.code == 0
        assert f"  guild {verb} init board.md" in ran.out
        assert max(map(len, ran.out.splitlines())) <= 80


def test_what_is_not_utf8_and_half_a_surrogate_come_out_as_json(guild: Any, tmp_path: Path) -> None:
    (tmp_path / "w.md").write_bytes(b"## Round 1\n\n### From a\n\n\xff\n")
    assert (
        json.loads(guild("plan", "read-state", "w.md").out)["rounds"][0]["sections"][0]["section"]
        == "\ufffd"
    )
    ran = guild("plan", "append", "w.md", stdin=b'[{"engineer": "a", "section": "\\ud83d"}]')
    assert json.loads(ran.out)["sections"][0]["section"] == "\ud83d"


@pytest.mark.parametrize("action", ["detect-round", "read-state", "append"])
def test_it_imports_nothing_that_makes_it_slow_to_start(action: str, tmp_path: Path) -> None:
    import guildmoot

    source = os.path.dirname(os.path.dirname(guildmoot.__file__))
    program = (
        f"import sys; sys.path.insert(0, {source!r}); from guildmoot.cli.guild.whiteboard import plan as main; "
        f"main([{action!r}, 'w.md']); sys.stderr.write(' '.join(sys.modules))"
    )
    (tmp_path / "w.md").write_text("# Plan: t\n\n## Round 1\n\n### From a\n\nx\n")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=SECTIONS, capture_output=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout
    dear = {"typing", "dataclasses", "argparse", "pathlib", "tempfile", "asyncio", "yaml", "rich"}
    assert dear.isdisjoint(done.stderr.decode().split())
