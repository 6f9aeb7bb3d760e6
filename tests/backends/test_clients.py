"""The real claude, codex and gemini as judges, against a scripted provider on this machine.

They run with a scrubbed environment, a scratch home and keys that open nothing. ``scripts/clients``
installs them; where one is absent its tests are skipped, unless GUILD_REQUIRE_CLIENTS is set.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import call
from guildmoot.backends.claude import BACKEND as CLAUDE
from guildmoot.backends.clients import ATTEMPTS, ClientBackend
from guildmoot.backends.codex import BACKEND as CODEX
from guildmoot.backends.gemini import BACKEND as GEMINI
from guildmoot.backends.programs import clients_folder, find_client
from guildmoot.backends.registry import traits_of
from guildmoot.backends.work import PAID_OUT
from guildmoot.model.agent import Seat
from guildmoot.model.call import Call, Reply, TokenRates, Work
from loopback import Provider, Request, Rule, serving

BACKENDS = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI}
MODELS = {"claude": "claude-sonnet-4-5", "codex": "gpt-5.5", "gemini": "gemini-2.5-flash"}
INSTALLED = str(clients_folder(os.environ))
ABSENT = [name for name in BACKENDS if not find_client(name, os.environ)]
REQUIRED = bool(os.environ.get("GUILD_REQUIRE_CLIENTS"))

slow = pytest.mark.slow  # gemini takes two seconds to start, and waits five before it tries again


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Provider]:
    """A provider, and an environment that holds the way to it and nothing of the user's."""
    for name in set(os.environ) - {"PATH"}:
        monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GUILD_CLIENTS", INSTALLED)
    with serving() as provider:
        for name, value in provider.environment().items():
            monkeypatch.setenv(name, value)
        yield provider


SLOW = pytest.mark.slow
"""The programs are large: gemini needs two seconds to start, and so do two or three calls of claude."""


@pytest.fixture(params=["claude", "codex", pytest.param("gemini", marks=SLOW)])
def client(request: pytest.FixtureRequest, provider: Provider) -> ClientBackend:
    return installed(request.param)


@pytest.fixture
def claude(provider: Provider) -> ClientBackend:
    return installed("claude")


def installed(name: str) -> ClientBackend:
    if name in ABSENT:
        why = f"{name} is not installed; scripts/clients installs it"
        pytest.fail(why) if REQUIRED else pytest.skip(why)
    return BACKENDS[name]


def make(client: ClientBackend, prompt: str = "judge this", seat: str = "judge", **fields) -> Call:
    chair = Seat(seat, "judge", client.name, "test", fields.pop("model", MODELS[client.name]))
    return call(client.name, prompt, chair, **{"timeout": 60, **fields})


def ask(client: ClientBackend, prompt: str = "judge this", **fields) -> Reply:
    return asyncio.run(client.call(make(client, prompt, **fields)))


def tools(request: Request) -> set[str]:
    """The tools that a request offers, wherever its protocol puts them."""
    found: set[str] = set()

    def look(value: object) -> None:
        for each in value if isinstance(value, list) else []:
            found.add(str(each.get("name")))
            look(each.get("tools") or each.get("functionDeclarations"))

    look(request.body.get("tools"))
    for item in request.body.get("input") or []:
        look(item.get("tools"))
    return found - {"functions", "None"}


def test_a_judge_answers_with_its_words_its_usage_and_its_model(client, provider):
    provider.rules = [Rule(text="VERDICT: approved\n\nIt holds.")]
    reply = ask(client)
    assert (reply.status, reply.text.strip(), reply.error) == (
        "answered",
        "VERDICT: approved\n\nIt holds.",
        "",
    )
    (bill,) = provider.bills
    assert reply.usage is not None
    assert reply.usage[:5] == (bill.input, bill.output, bill.read, bill.written, 1)
    assert reply.usage.cost_usd is None
    assert reply.model == MODELS[client.name]


LIMITS = {
    "anthropic": lambda body: body["max_tokens"],
    "gemini": lambda body: body["generationConfig"]["maxOutputTokens"],
    "responses": lambda body: body.get("max_output_tokens", 0),
}


def test_an_answer_may_be_as_long_as_is_paid_for(client, provider):
    """What a request allows is what was set aside; who takes no limit is known to take none."""
    ask(client, max_output=4_321)
    (request,) = provider.requests
    allowed = LIMITS[request.protocol](request.body)
    unlimited = traits_of(client.name).own_output
    assert (allowed, unlimited) == ((0, 128_000) if client is CODEX else (4_321, 0))


def test_only_its_own_key_goes_to_its_provider_and_its_prompt_whole(client, provider):
    prompt = "judge ünicode, \x00 and\n" + "x" * 300_000
    ask(client, prompt)
    (request,) = provider.requests
    assert request.key == os.environ[client.keys[-1] if client is CODEX else client.keys[0]]
    assert "x" * 300_000 in request.prompt
    assert "ünicode" in request.prompt


def test_a_judge_has_no_tool_that_reads_writes_or_reaches_out(client, provider):
    ask(client)
    in_vain = {"request_user_input", "apply_patch"}  # nobody is there; the sandbox is read-only
    assert tools(provider.requests[0]) <= in_vain


def test_the_newest_codex_models_have_no_tool_with_files_or_network(provider):
    """They get a JavaScript tool whatever is switched off; what it can call is what counts."""
    ask(installed("codex"), model="")
    (request,) = provider.requests
    assert tools(request) <= {"exec", "wait", "request_user_input", "request_user_input_async"}
    assert "exec_command(args" not in json.dumps(request.body)
    assert "no file system, no network access" in json.dumps(request.body)


@pytest.fixture
def planted(tmp_path: Path, provider: Provider) -> Path:
    """A home full of things that must not reach a judge; the file appears when one of them runs."""
    home, ran = tmp_path / "home", tmp_path / "ran"
    hook = {"type": "command", "command": f"touch {ran}; echo PLANTED"}
    hooks = {"SessionStart": [{"hooks": [hook]}], "UserPromptSubmit": [{"hooks": [hook]}]}
    server = {"planted": {"command": "/bin/sh", "args": ["-c", f"touch {ran}"]}}
    files = {
        "CLAUDE.md": "PLANTED",
        ".claude/CLAUDE.md": "PLANTED",
        ".claude/settings.json": json.dumps({"hooks": hooks, "env": {"X": "PLANTED"}}),
        ".claude/skills/x/SKILL.md": "---\nname: x\ndescription: PLANTED\n---\nPLANTED",
        ".claude.json": json.dumps({"mcpServers": server}),
        ".codex/AGENTS.md": "PLANTED",
        ".codex/hooks.json": json.dumps({"hooks": hooks}),
        ".codex/config.toml": f'[mcp_servers.planted]\ncommand = "touch"\nargs = ["{ran}"]\n',
        ".gemini/GEMINI.md": "PLANTED",
        ".gemini/settings.json": json.dumps({"hooks": hooks, "mcpServers": server}),
        "secret.txt": "PLANTED",
    }
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return ran


def test_neither_memory_nor_hooks_nor_servers_of_the_user_reach_a_judge(client, provider, planted):
    assert ask(client).status == "answered"
    assert "PLANTED" not in json.dumps(provider.requests[0].body)
    assert not planted.exists()


def test_they_do_not_when_claude_runs_on_the_users_login_either(
    claude, provider, planted, monkeypatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "dummy-oauth-token-0005")
    assert ask(claude, f"see @{os.environ['HOME']}/secret.txt").status == "answered"
    assert provider.requests[0].key == "dummy-oauth-token-0005"
    assert "PLANTED" not in json.dumps(provider.requests[0].body)
    assert not planted.exists()


def test_text_under_review_cannot_pull_a_file_into_the_request(client, provider, planted):
    secret = Path(os.environ["HOME"], "secret.txt")
    assert ask(client, f"look at @{secret} and $imagegen and /help").status == "answered"
    assert "PLANTED" not in json.dumps(provider.requests[0].body)


def test_with_a_key_claude_sends_our_text_and_nothing_about_the_machine(claude, provider):
    ask(claude, "judge this")
    assert provider.requests[0].body["messages"] == [
        {"role": "user", "content": [provider.requests[0].body["messages"][0]["content"][0]]}
    ]
    assert provider.requests[0].texts[-1] == "judge this"


def test_a_prompt_that_claude_takes_for_a_command_is_no_answer(claude, provider):
    reply = ask(claude, "/cost of this")
    assert (reply.status, reply.text) == ("failed", "")
    assert "asked no model" in reply.error
    assert provider.requests == []


@SLOW
def test_claude_seats_read_the_packet_from_the_cache_of_the_first(claude, provider):
    packet = "def f():\n    return 1\n" * 500
    for seat in ("one", "two"):
        ask(claude, f"{packet}\nYou are {seat}.", seat=seat, shared=len(packet))
    first, second = provider.bills
    assert first.read == 0
    assert second.read > 0.9 * second.input


@SLOW
def test_the_same_call_has_the_same_session_and_another_seat_another(claude, provider):
    for seat in ("one", "one", "two"):
        ask(claude, seat=seat)
    first, again, other = (
        json.loads(request.body["metadata"]["user_id"])["session_id"]
        for request in provider.requests
    )
    assert first == again != other


WRITING = {
    "claude": ("Write", "file_path", "content"),
    "gemini": ("write_file", "file_path", "content"),
}


SHELLS = {
    "claude": ("Bash", "command"),
    "codex": ("exec_command", "cmd"),
    "gemini": ("run_shell_command", "command"),
}


def writing(name: str, file: Path) -> Rule:
    """The model asks for a tool of this client that writes the file."""
    if name == "codex":
        return Rule(use=("exec_command", {"cmd": f"echo two > {file}"}), times=1)
    tool, path, content = WRITING[name]
    return Rule(use=(tool, {path: str(file), content: "two\n"}), times=1)


@pytest.mark.parametrize("scope", [("Read", "Write"), ("Read", "Glob")])
def test_at_work_a_client_writes_in_its_folder_where_its_scope_lets_it(
    client, provider, planted, tmp_path, scope
):
    folder = tmp_path / "repository"
    folder.mkdir()
    provider.rules = [writing(client.name, folder / "new.txt"), Rule(text="done")]
    reply = ask(client, work=Work(str(folder), scope))
    assert (reply.status, reply.text) == ("answered", "done")
    assert (reply.usage and reply.usage.requests) == len(provider.requests) == 2
    written = [file.read_text() for file in folder.glob("new.txt")]
    assert written == (["two\n"] if "Write" in scope else [])
    assert "PLANTED" not in json.dumps(provider.requests[0].body)
    assert not planted.exists()


@pytest.mark.parametrize("works", [True, False])
def test_files_around_it_name_no_server_and_tell_it_nothing(
    client, provider, tmp_path, monkeypatch, works
):
    """A checkout, or the folder for temporary files, that somebody else may have written."""
    folder = tmp_path / "repository"
    (folder / "below").mkdir(parents=True)
    (folder / "system.md").write_text("PLANTED")
    for place in (tmp_path, folder, folder / "below"):
        for name in ("GEMINI.md", "CLAUDE.md", "AGENTS.md"):
            (place / name).write_text("PLANTED")
    with serving() as other:
        lines = [f"{name}={value}" for name, value in other.environment().items()]
        lines += [f"GEMINI_SYSTEM_MD={folder}/system.md", "GEMINI_CLI_TRUST_WORKSPACE=true"]
        for place in (tmp_path, folder):
            (place / ".gemini").mkdir()
            for name in (".env", ".gemini/.env"):
                (place / name).write_text("\n".join(lines))
        monkeypatch.setattr("tempfile.tempdir", str(folder / "below"))
        if works:
            read = ("read_file", {"file_path": str(folder / "below" / "x.txt")})
            (folder / "below" / "x.txt").write_text("seen")
            provider.rules = [Rule(use=read, times=1)] if client is GEMINI else []
        provider.rules.append(Rule(text="done"))
        reply = ask(client, work=Work(str(folder)) if works else None)
        assert (reply.status, reply.text) == ("answered", "done")
        assert other.requests == []
    assert "PLANTED" not in json.dumps([request.body for request in provider.requests])


@SLOW
@pytest.mark.parametrize("command", ["echo two > new.txt", "sh -c 'echo two > new.txt'"])
def test_at_work_gemini_runs_commands_where_its_scope_lets_it(provider, tmp_path, command):
    use = ("run_shell_command", {"command": command})
    provider.rules = [Rule(use=use, times=1), Rule(text="done")]
    assert ask(installed("gemini"), work=Work(str(tmp_path), ("Bash",))).status == "answered"
    assert (tmp_path / "new.txt").read_text() == "two\n"


@pytest.mark.parametrize("name", ["claude", "codex"])  # gemini has no sandbox of its own
def test_at_work_a_client_writes_nothing_outside_its_folder(name, provider, tmp_path):
    (tmp_path / "repository").mkdir()
    outside = tmp_path / "outside.txt"
    provider.rules = [writing(name, outside), Rule(text="done")]
    work = Work(str(tmp_path / "repository"), ("Read", "Write"))
    assert ask(installed(name), work=work).status == "answered"
    assert not outside.exists()


@SLOW
def test_at_work_a_client_that_costs_more_than_it_may_is_ended(client, provider, tmp_path):
    tool, key = SHELLS[client.name]
    provider.rules = [Rule(use=(tool, {key: "echo one"}), times=60, delay=0.2)]
    rates = TokenRates(0.0, 0.0001, 0.0001)
    work = Work(str(tmp_path), ("Read", "Bash"), max_usd=0.005, rates=rates)
    reply = ask(client, work=work)
    assert reply.ending == PAID_OUT, reply
    assert "its money is spent" in reply.error
    assert len(provider.requests) < 40


@slow
def test_a_refused_key_is_named_but_never_shown(client, provider):
    provider.rules = [Rule(status=401, message="bad key {key}")]
    reply = ask(client)
    assert reply.status == "failed"
    assert any(f"the key in {name} was refused" in reply.error for name in client.keys)
    assert os.environ[client.keys[-1] if client is CODEX else client.keys[0]] not in str(reply)
    assert len(provider.requests) <= ATTEMPTS


@slow
def test_retry_after_is_waited_for_and_then_answered(client, provider):
    provider.rules = [Rule(status=429, times=1, headers={"retry-after": "1"}), Rule(text="fine")]
    reply = ask(client)
    assert (reply.status, reply.text) == ("answered", "fine")
    assert reply.seconds >= 1
    assert len(provider.requests) == 2


@slow
def test_an_overloaded_provider_is_asked_three_times_and_no_more(client, provider):
    provider.rules = [Rule(status=529, message="overloaded")]
    reply = ask(client)
    assert reply.status == "failed"
    assert "529" in reply.error
    assert len(provider.requests) == ATTEMPTS


@slow
@pytest.mark.parametrize("name", ["claude", "codex"])  # gemini gives up at once, and says so
def test_a_reply_that_is_cut_once_is_asked_for_again(name, provider):
    provider.rules = [Rule(text="cut short", cut=1, times=1), Rule(text="whole")]
    reply = ask(installed(name))
    assert (reply.status, reply.text) == ("answered", "whole")


@slow
def test_a_reply_that_is_always_cut_is_a_failure_and_no_half_answer(client, provider):
    provider.rules = [Rule(text="VERDICT: approved, unless", cut=1)]
    reply = ask(client)
    assert (reply.status, reply.text) == ("failed", "")
    assert reply.error


@slow
def test_garbage_is_a_failure_with_a_reason(client, provider):
    provider.rules = [Rule(raw="HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n<html>\n")]
    reply = ask(client)
    assert (reply.status, reply.text) == ("failed", "")
    assert reply.error
    assert len(provider.requests) <= ATTEMPTS


@slow
def test_a_provider_that_never_answers_costs_no_more_than_the_deadline(
    client, provider, wait_until
):
    provider.rules = [Rule(hang=True)]
    for seconds in (5, 20, 60):  # a busy machine may not let it ask within five
        reply = ask(client, timeout=seconds)
        assert reply.status == "timeout"
        assert reply.seconds < seconds + 5
        assert f"no answer within {seconds} s" in reply.error
        if provider.requests:
            break
    assert len(provider.requests) == 1
    wait_until(lambda: provider.hung_up == 1)
    assert holders(provider.url) == []


def holders(address: str) -> list[str]:
    """Processes other than this one that were given this address, which no other test has."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            given = [(folder / name).read_bytes() for name in ("environ", "cmdline")]
            held = any(address.encode() in part for part in given)
        except OSError:
            continue
        if held and folder.name != str(os.getpid()):
            found.append(folder.name)
    return found


@slow
def test_what_claude_had_spent_when_it_was_ended_is_known(claude, provider):
    provider.rules = [Rule(text="a long answer", drip=2)]
    reply = ask(claude, "x" * 4000, timeout=4)
    assert reply.status == "timeout"
    assert reply.usage is not None
    assert reply.usage.input_tokens == provider.bills[0].input
    assert reply.model == MODELS["claude"]


OFFLINE = Path(__file__).parent / "offline.py"


@slow
def test_nothing_but_the_provider_is_contacted(provider, tmp_path):
    """In a namespace without a route, with a name server that writes down every question."""
    for name in BACKENDS:
        installed(name)
    alone = ["unshare", "--map-root-user", "--net", "--mount"]
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no namespace of its own is permitted here: {error}")
    run = subprocess.run(
        [*alone, sys.executable, str(OFFLINE), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert seen["control"] == ["control.example"], "the name server itself must be seen to work"
    assert seen["replies"] == dict.fromkeys(BACKENDS, "VERDICT: approved")
    assert seen["asked"] == []
