"""What a command-line agent is given and how its output is read; small programs stand in for it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from builders import agent, call
from guildmoot.backends import claude, codex, gemini
from guildmoot.backends.clients import ClientBackend, events, last_object
from guildmoot.model.call import Reply

BACKENDS = {each.BACKEND.name: each.BACKEND for each in (claude, codex, gemini)}
KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


@pytest.fixture(params=BACKENDS)
def client(request, monkeypatch, tmp_path) -> ClientBackend:
    """A client whose program is yet to be written, in an environment with no trace of the user."""
    for name in set(os.environ) - {"PATH"}:
        monkeypatch.delenv(name)
    for folder in ("home", "bin"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GUILD_CLIENTS", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return BACKENDS[request.param]


def become(client: ClientBackend, tmp_path: Path, script: str) -> None:
    program = tmp_path / "bin" / client.name
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\nout = {str(tmp_path)!r}\n{script}\n"
    )
    program.chmod(0o755)


def ask(client: ClientBackend, timeout: float = 20) -> Reply:
    return asyncio.run(client.call(call(client.name, "judge this", timeout=timeout)))


def test_of_all_secrets_a_client_sees_its_own_key_alone(client, tmp_path, monkeypatch):
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "CLAUDECODE", "CLAUDE_CODE_SSE_PORT"):
        monkeypatch.setenv(name, f"planted-{name}")
    for name in KEYS.values():
        monkeypatch.setenv(name, f"dummy-{name}")
    become(client, tmp_path, "json.dump(dict(os.environ), open(out + '/seen.json', 'w'))")
    ask(client)
    seen = json.loads((tmp_path / "seen.json").read_text())
    own = f"dummy-{KEYS[client.name]}"
    assert [value for value in seen.values() if value.startswith(("planted-", "dummy-"))] == [own]
    assert "CLAUDECODE" not in seen


def test_it_runs_in_an_empty_folder_with_a_home_that_is_gone_afterwards(
    client, tmp_path, monkeypatch
):
    monkeypatch.setenv(KEYS[client.name], "dummy-key-0001")
    become(
        client,
        tmp_path,
        "json.dump([os.getcwd(), os.listdir(), os.environ['HOME']], open(out + '/seen.json', 'w'))",
    )
    ask(client)
    folder, listing, home = json.loads((tmp_path / "seen.json").read_text())
    assert listing == []
    assert home != os.environ["HOME"]
    assert not Path(folder).exists()
    assert not Path(home).exists()


def test_the_prompt_is_no_argument_since_all_users_can_read_those(client, tmp_path, monkeypatch):
    monkeypatch.setenv(KEYS[client.name], "dummy-key-0001")
    become(
        client, tmp_path, "open(out + '/seen', 'w').write(f'{sys.argv[1:]}\\n{sys.stdin.read()}')"
    )
    ask(client)
    arguments, _, given_in = (tmp_path / "seen").read_text().partition("\n")
    assert "judge this" not in arguments
    assert "judge this" in given_in


def test_a_program_that_says_nothing_has_not_answered(client, tmp_path, monkeypatch):
    monkeypatch.setenv(KEYS[client.name], "dummy-key-0001")
    become(client, tmp_path, "print('who are you, dummy-key-0001?', file=sys.stderr)")
    reply = ask(client)
    assert (reply.status, reply.text) == ("failed", "")
    assert reply.error == f"{client.name} ended without an answer: who are you, [key]?"


def test_an_option_that_it_does_not_know_is_told_in_its_own_words(client, tmp_path, monkeypatch):
    monkeypatch.setenv(KEYS[client.name], "dummy-key-0001")
    become(client, tmp_path, "print('error: unknown option', file=sys.stderr); sys.exit(2)")
    reply = ask(client)
    assert reply.status == "failed"
    assert reply.error == f"{client.name} failed with exit code 2: error: unknown option"


def test_a_client_that_is_not_installed_says_how_to_get_it(client):
    reply = ask(client)
    assert reply.status == "missing"
    assert f"npm install -g {client.package}" in reply.error


def test_one_in_the_clients_folder_is_found_without_the_path(client, tmp_path, monkeypatch):
    become(client, tmp_path, "")
    monkeypatch.setenv("GUILD_CLIENTS", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "not installed" not in client.missing(agent())


@pytest.mark.skipif(sys.platform == "darwin", reason="there the login may be in the keychain")
def test_without_a_key_or_a_login_it_is_missing_before_anything_is_spent(client, tmp_path):
    become(client, tmp_path, "open(out + '/ran', 'w')")
    reply = ask(client)
    assert reply.status == "missing"
    assert reply.error.startswith(f"{client.name} is not logged in: set {client.keys[0]}, or run")
    assert not (tmp_path / "ran").exists()


def test_an_address_that_could_be_listened_to_is_refused(client, tmp_path, monkeypatch):
    become(client, tmp_path, "open(out + '/ran', 'w')")
    monkeypatch.setenv(KEYS[client.name], "dummy-key-0001")
    monkeypatch.setenv(client.provider.url_variable, "http://models.example/v1")
    reply = ask(client)
    assert reply.status == "missing"
    assert "without encryption" in reply.error
    assert not (tmp_path / "ran").exists()


@pytest.mark.sample(3)
def test_one_that_is_ended_at_its_deadline_tells_complaints_and_no_greetings(
    client, tmp_path, monkeypatch
):
    monkeypatch.setenv(KEYS[client.name], "dummy-key-0001")
    said = "print('Welcome!\\nconnection failed', file=sys.stderr, flush=True)"
    become(client, tmp_path, f"{said}; import time; time.sleep(60)")
    reply = ask(client, timeout=1.5)
    assert reply.status == "timeout"
    assert reply.error.endswith("if it needs one: connection failed")


LOGINS = {"codex": ".codex/auth.json", "gemini": ".gemini/oauth_creds.json"}


@pytest.mark.parametrize("client", LOGINS, indirect=True)
@pytest.mark.parametrize("replaced", [False, True])
def test_a_login_is_lent_and_a_renewed_one_comes_back(client, replaced, tmp_path):
    login = tmp_path / "home" / LOGINS[client.name]
    login.parent.mkdir()
    login.write_text("old")
    login.with_name("planted.md").write_text("memory")
    become(
        client,
        tmp_path,
        f"""
file = os.path.join(os.environ["HOME"], {LOGINS[client.name]!r})
assert open(file).read() == "old"
assert not os.path.exists(os.path.join(os.path.dirname(file), "planted.md"))
if {replaced}:
    os.remove(file)
open(file, "w").write("renewed")""",
    )
    assert "ended without an answer" in ask(client).error
    assert login.read_text() == "renewed"
    assert not login.is_symlink()
    assert sorted(os.listdir(login.parent)) == sorted([login.name, "planted.md"])


def stream(*said: dict) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in said)


def started(**usage: int) -> dict:
    message = {"model": "claude-x", "usage": usage}
    return {"type": "stream_event", "event": {"type": "message_start", "message": message}}


FINISHED = {
    "type": "stream_event",
    "event": {"type": "message_delta", "usage": {"output_tokens": 9}},
}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "fine"}


def test_claude_counts_cached_input_as_input_and_every_request():
    told = claude.read_events(
        [
            started(input_tokens=5, cache_read_input_tokens=30, output_tokens=1),
            started(input_tokens=7, cache_creation_input_tokens=20, output_tokens=1),
            FINISHED,
            RESULT,
        ]
    )
    assert told.text == "fine"
    assert told.usage is not None
    assert told.usage[:5] == (62, 10, 30, 20, 2)


@pytest.mark.parametrize(
    "result",
    [
        {**RESULT, "is_error": True, "result": "API Error: 529"},
        {**RESULT, "subtype": "error_max_turns", "result": None, "errors": ["too many turns"]},
    ],
)
def test_an_error_of_claude_is_no_answer_whatever_it_calls_itself(result):
    told = claude.read_events([started(input_tokens=5), result])
    assert told.text is None
    assert told.error


@given(st.integers(0, 400))
def test_claude_that_was_cut_off_anywhere_has_not_answered(at):
    whole = stream(started(input_tokens=5), FINISHED, RESULT)
    told = claude.read_events(events(whole[: min(at, len(whole) - 2)]))
    assert told.text is None


def test_codex_that_failed_after_a_message_has_failed():
    said = [
        {"type": "item.completed", "item": {"type": "agent_message", "text": "VERDICT: approved"}},
        {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized"}},
    ]
    told = codex.read_events(said, [])
    assert told.refused
    assert told.error


def test_codex_without_an_end_has_not_answered_but_its_log_tells_what_it_spent():
    said = [{"type": "item.completed", "item": {"type": "agent_message", "text": "half"}}]
    log = [
        {"type": "turn_context", "payload": {"model": "gpt-x"}},
        {"type": "token_usage_record", "payload": {"turn_token_usage": {"input_tokens": 11}}},
    ]
    told = codex.read_events(said, log)
    assert told.text is None
    assert told.usage is not None
    assert (told.usage.input_tokens, told.usage.requests, told.model) == (11, 1, "gpt-x")


def test_gemini_adds_thoughts_to_the_output_and_names_the_model_that_answered():
    def model(role: str, **tokens: int) -> dict:
        roles = {role: {"totalRequests": 1}}
        return {"api": {"totalRequests": 1}, "tokens": tokens, "roles": roles}

    models = {
        "lite": model("utility_router", prompt=2, candidates=1),
        "big": model("main", prompt=100, candidates=7, thoughts=20, cached=60),
    }
    said = json.dumps({"response": "fine", "stats": {"models": models}}, indent=2)
    told = gemini.read_output(f"Loaded cached credentials.\n{said}".encode(), b"")
    assert told.usage is not None
    assert (told.text, told.model, told.usage[:5]) == ("fine", "big", (102, 28, 60, 0, 2))


def test_gemini_tells_an_error_in_the_providers_words():
    inner = json.dumps({"error": {"message": "API key not valid. Please pass one.", "code": 400}})
    noise = b"Attempt 1 failed {\n  status: 400\n}\n"
    said = json.dumps({"session_id": "x", "error": {"message": inner, "code": 400}}, indent=2)
    told = gemini.read_output(b"", noise + said.encode())
    assert (told.error, told.refused) == ("API key not valid. Please pass one. (400)", True)


@given(st.binary())
def test_no_output_is_too_strange_to_read(output):
    assert isinstance(events(output), list)
    assert isinstance(last_object(output), dict)
    claude.read_events(events(output))
    gemini.read_output(output, output)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["type", "event", "message", "usage", "error", "item"]), inner
        )
    ),
    max_leaves=8,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["type", "event", "item", "error", "stats"]), JSON))
)
def test_events_of_another_shape_are_no_answer(said):
    assert claude.read_events(said).text is None
    assert codex.read_events(said, said).text is None
    assert all(gemini.read_output(json.dumps(each).encode(), b"").text is None for each in said)


def test_clients_are_told_how_long_and_how_hard_where_they_can_be(tmp_path):
    from guildmoot.backends.claude import BACKEND as CLAUDE
    from guildmoot.backends.clients import Access, ScratchFolders
    from guildmoot.backends.codex import BACKEND as CODEX
    from guildmoot.backends.registry import traits_of

    rooms = ScratchFolders(tmp_path, tmp_path, tmp_path)
    asked = builders.call("claude", max_output=9_000, effort="low")
    env = CLAUDE.start(asked, rooms, Access("ANTHROPIC_API_KEY", "k")).env
    assert env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "9000"
    assert env["CLAUDE_CODE_EFFORT_LEVEL"] == "low"
    assert not traits_of("claude").own_output, "it is held to what it is told"
    CODEX.start(asked, rooms, Access("CODEX_API_KEY", "k"))
    written = (tmp_path / ".codex" / "config.toml").read_text()
    assert 'model_reasoning_effort = "low"' in written
    assert traits_of("codex").own_output > 60_000, "what it may say is set aside"
    limit = {"generateContentConfig": {"maxOutputTokens": 9_000}}
    [override] = gemini.settings("gemini-api-key", (), 9_000)["modelConfigs"]["customOverrides"]
    assert override["modelConfig"] == limit
    assert not traits_of("gemini").own_output
