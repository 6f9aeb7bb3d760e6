"""Backends at work: in a folder, with tools, an environment and a scope; small programs stand in."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from builders import call
from guildmoot.backends import BACKENDS, traits_of
from guildmoot.calls import make_call
from guildmoot.calls.estimate import estimate
from guildmoot.calls.keys import is_shared
from guildmoot.calls.pricing import Prices
from guildmoot.calls.session import open_session
from guildmoot.config import load_config
from guildmoot.errors import UsageError
from guildmoot.model.agent import can_write
from guildmoot.model.call import Call, Reply, Work
from guildmoot.system.git import Git

KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
WORKERS = [name for name in BACKENDS if traits_of(name).works and name != "scripted"]
"""Those that start a program."""
SEEN = """
seen = {"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "stdin": sys.stdin.read()}
with open(out + "/seen.jsonl", "a") as file:
    file.write(json.dumps(seen) + "\\n")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder to work in; every client is a program that writes down how it was started."""
    for name in set(os.environ) - {"PATH"}:
        monkeypatch.delenv(name)
    for made in ("home", "bin", "repository"):
        (tmp_path / made).mkdir()
    for name in ("worker", *KEYS):
        program = tmp_path / "bin" / name
        head = f"#!{sys.executable}\nimport json, os, sys\nout = {str(tmp_path)!r}\n"
        program.write_text(head + SEEN + "print('done')\n")
        program.chmod(0o755)
    for variable in KEYS.values():
        monkeypatch.setenv(variable, f"dummy-{variable}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GUILD_CLIENTS", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    return tmp_path / "repository"


def worker(backend: str, work: Work | None) -> Call:
    return call(backend, "mend the parser", command=("worker",), work=work)


def make(backend: str, work: Work | None) -> Reply:
    return asyncio.run(make_call(worker(backend, work)))


def seen(folder: Path) -> list[dict]:
    lines = (folder.parent / "seen.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("backend", WORKERS)
def test_it_runs_in_the_folder_with_its_environment_its_scope_and_the_prompt(backend, folder):
    make(backend, Work(str(folder), ("Read", "Edit"), (("CARGO_TERM_QUIET", "true"),)))
    (started,) = seen(folder)
    assert started["cwd"] == str(folder)
    assert started["env"]["CARGO_TERM_QUIET"] == "true"
    assert json.loads(started["env"]["GUILD_CAPABILITY_SCOPE"]) == ["Read", "Edit"]
    assert "mend the parser" in started["stdin"]
    assert "planted" not in started["env"].values()


@pytest.mark.parametrize("backend", WORKERS)
def test_a_judge_is_still_kept_away_from_the_folder_and_has_no_scope(backend, folder):
    make(backend, None)
    (started,) = seen(folder)
    assert started["cwd"] != str(folder)
    assert "GUILD_CAPABILITY_SCOPE" not in started["env"]
    assert not {"--allowedTools", "workspace-write", "yolo"} & set(started["argv"])


@pytest.mark.parametrize("works", [True, False])
def test_gemini_is_told_every_address_so_that_no_file_can_name_another(works, folder):
    make("gemini", Work(str(folder)) if works else None)
    (started,) = seen(folder)
    env = started["env"]
    assert env["GOOGLE_GEMINI_BASE_URL"] == "https://generativelanguage.googleapis.com"
    assert env["CODE_ASSIST_ENDPOINT"] == "https://cloudcode-pa.googleapis.com"
    assert env["GOOGLE_VERTEX_BASE_URL"] == env["GEMINI_WRITE_SYSTEM_MD"] == ""
    assert bool(env["GEMINI_SYSTEM_MD"]) is not works
    assert env["GEMINI_CLI_TRUST_WORKSPACE"] == "false"
    assert "--skip-trust=false" in started["argv"]


@pytest.mark.parametrize(
    ("scope", "sandbox"), [(("Read", "Grep"), "read-only"), (("Read", "Edit"), "workspace-write")]
)
def test_a_scope_that_may_not_write_is_a_sandbox_that_cannot(scope, sandbox, folder):
    make("codex", Work(str(folder), scope))
    (started,) = seen(folder)
    assert sandbox in started["argv"]


def test_claude_is_given_each_rule_of_the_scope_and_the_limit_on_what_it_costs(folder):
    make("claude", Work(str(folder), ("Read", "Bash(git log *)"), max_usd=0.5))
    argv = seen(folder)[0]["argv"]
    assert argv[argv.index("--tools") + 1] == "Read,Bash"
    at = argv.index("--allowedTools")
    assert argv[at + 1 : at + 3] == ["Read", "Bash(git log *)"]
    assert argv[argv.index("--max-budget-usd") + 1] == "0.5"


@pytest.mark.parametrize("backend", ["codex", "gemini"])
@pytest.mark.parametrize("rule", ["Edit(src/**)", "Telephone"])
def test_a_rule_that_a_client_cannot_be_held_to_is_refused_before_it_starts(backend, rule, folder):
    reply = make(backend, Work(str(folder), ("Read", rule)))
    assert reply.status == "failed"
    assert f"cannot be held to {rule}" in reply.error
    assert not (folder.parent / "seen.jsonl").exists()


NO_RULES = [
    *("--dangerously-skip-permissions", "-p", "--settings", "Read,Bash", "Read Bash", "Read, Edit"),
    *("Read(a),Bash(b)", "Read(a) Bash", "Bash(ls)--x", "Bash(ls", "Bash(a(b))", "", " Read", "**"),
    *("Read\n", "Bash(ls\n)", "Read\0", "Bash(\u202els)", "Réad", "(x)", "Read=x", "mcp__x,y"),
]


@pytest.mark.parametrize("backend", WORKERS)
@pytest.mark.parametrize("rule", NO_RULES)
def test_what_is_no_rule_starts_no_client_and_counts_as_writing(backend, rule, folder):
    work = Work(str(folder), ("Read", rule))
    reply = make(backend, work)
    assert reply.status == "failed"
    assert f"{rule!r} is no rule of a scope" in reply.error
    assert not (folder.parent / "seen.jsonl").exists()
    assert work.writes


@pytest.mark.parametrize(
    ("tools", "writes"),
    [("Read,Bash", True), ("Read Write", True), ("--settings", True), ("Read Grep Glob", False)],
)
def test_several_tools_in_one_can_write_when_one_of_them_can(tools, writes):
    assert can_write(tools) is writes


@pytest.mark.parametrize("rule", ["mcp__a-b__do_it", "mcp__x__*", "Bash(npm run a, b -- --c)"])
def test_a_rule_may_name_any_tool_and_hold_any_pattern(rule, folder):
    make("claude", Work(str(folder), ("Read", rule)))
    argv = seen(folder)[0]["argv"]
    assert argv[argv.index("--allowedTools") + 2] == rule


STEERING = [
    *("PATH", "HOME", "TMPDIR", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "BASH_ENV"),
    *("NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "ANTHROPIC_BASE_URL"),
    *("OPENAI_API_KEY", "GUILD_CAPABILITY_SCOPE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "X_BASE_URL"),
    *("GEMINI_CLI_HOME", "GOOGLE_API_KEY", "XDG_CONFIG_HOME", "SSL_CERT_FILE"),
]


@pytest.mark.parametrize("backend", WORKERS)
@pytest.mark.parametrize("name", [*STEERING, "", "A=B", "A B", "A\0"])
def test_a_variable_that_steers_the_client_or_is_none_starts_nothing(backend, name, folder):
    reply = make(backend, Work(str(folder), environment=(("FINE", "1"), (name, "x"))))
    assert reply.status == "failed"
    assert (f"work may not set {name}" in reply.error) is (name in STEERING)
    assert not (folder.parent / "seen.jsonl").exists()


@pytest.mark.parametrize("backend", WORKERS)
def test_what_guards_a_call_stands_whatever_its_work_sets(backend, folder, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "planted")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "planted")
    make(backend, Work(str(folder), environment=(("TERM", "xterm"), ("NO_COLOR", "0"))))
    (started,) = seen(folder)
    assert (started["env"]["TERM"], started["env"]["NO_COLOR"]) == ("dumb", "1")
    if backend != "command":  # whose home is the user's
        assert "planted" not in started["env"].values()


@pytest.mark.parametrize("backend", KEYS)
@pytest.mark.parametrize("works", [True, False])
def test_a_model_that_is_an_option_starts_nothing(backend, works, folder):
    asked = worker(backend, Work(str(folder)) if works else None)
    asked = asked._replace(seat=asked.seat._replace(model="--version"))
    reply = asyncio.run(make_call(asked))
    assert reply.status == "failed"
    assert "'--version' is no model" in reply.error
    assert not (folder.parent / "seen.jsonl").exists()


@pytest.mark.parametrize("backend", [name for name in BACKENDS if not traits_of(name).works])
def test_a_backend_that_only_judges_is_given_no_work(backend, folder):
    with pytest.raises(UsageError, match=f"the backend {backend} judges and does no work"):
        make(backend, Work(str(folder)))


@pytest.mark.parametrize("backend", ["claude", "codex", "gemini"])
def test_no_other_run_may_use_the_answer_of_work(backend, folder):
    assert is_shared(worker(backend, None))
    assert not is_shared(worker(backend, Work(str(folder))))


def test_the_same_work_is_done_twice_and_the_same_question_asked_once(folder):
    Git(folder).run("init", "-q")
    config = load_config(None, folder / "none.toml", {})

    def ask(work: Work | None) -> list[Reply]:
        replies = []
        for run_id in ("run-1", "run-1", "run-2"):
            with open_session(folder, run_id, config) as session:
                replies += asyncio.run(session.ask([worker("command", work)])).replies
        return replies

    done = ask(Work(str(folder)))
    assert [(reply.status, reply.text, reply.kept) for reply in done] == [
        ("answered", "done\n", "")
    ] * 3
    assert len(seen(folder)) == 3
    judged = ask(None)
    assert [reply.kept for reply in judged] == ["", "run-1", ""]
    assert len(seen(folder)) == 5


def test_what_work_may_cost_is_what_its_owner_allows(folder):
    works = [worker("codex", Work(str(folder), max_usd=most)) for most in (2.0, None)]
    allowed, unknown = estimate(works, Prices(), 1000).seats
    assert (allowed.usd, unknown.usd) == (2.0, None)


@pytest.mark.parametrize(
    ("scope", "writes"),
    [((), False), (("Read", "Bash(git log *)"), False), (("Bash",), True), (("*",), True),
     (("Bash(**)",), True), (("Bash(:*)",), True), (("Bash()",), True), (("mcp__x__y",), False),
     (("Read", "Edit(src/**)"), True)],
)  # fmt: skip
def test_a_scope_writes_when_a_rule_of_it_can(scope, writes):
    assert Work(".", scope).writes is writes


def scripted(folder: Path, step: dict, work: Work, *files: str) -> Reply:
    replies = folder.parent / "replies.json"
    replies.write_text(json.dumps({"replies": {"*": step}}))
    asked = call("scripted", "mend it", replies=str(replies), work=work, files=files)
    return asyncio.run(make_call(asked))


def test_a_scripted_agent_writes_and_replaces_where_its_scope_lets_it(folder):
    (folder / "a.txt").write_text("one two")
    step = {"text": "done", "write": {"b/c.txt": "new"}, "replace": {"two": "three"}}
    reply = scripted(folder, step, Work(str(folder), ("Read",)), "a.txt")
    assert (reply.status, "scope" in reply.error) == ("failed", True)
    assert (folder / "a.txt").read_text() == "one two"
    reply = scripted(folder, step, Work(str(folder), ("Read", "Edit", "Write")), "a.txt")
    assert (reply.status, reply.text) == ("answered", "done")
    assert (folder / "a.txt").read_text() == "one three"
    assert (folder / "b" / "c.txt").read_text() == "new"
    reply = scripted(folder, step, Work(str(folder), ("Bash(ls",)), "a.txt")
    assert "no rule of a scope" in reply.error
