"""Models behind HTTP, asked over real sockets on this machine."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import pytest

from builders import call
from guildmoot.backends.api import ApiBackend
from guildmoot.backends.http.caller import Clock
from guildmoot.backends.http.limits import OPEN_SECONDS, OPENS_AFTER, TRIES
from guildmoot.model.call import Call, Reply
from loopback import Provider, Rule, serving

MODELS = {
    "anthropic": "anthropic:claude-sonnet-5-5",
    "responses": "openai:gpt-5",
    "chat": "openai-compatible:local",
    "gemini": "google:gemini-2.5-flash",
}
OTHER = "heroku:claude"
"""A model of a provider that only pydantic-ai knows; it speaks the chat protocol."""
_if_installed = pytest.mark.skipif(find_spec("pydantic_ai") is None, reason="no pydantic-ai")
every_provider = pytest.mark.parametrize(
    ("protocol", "model"), [*MODELS.items(), pytest.param("chat", OTHER, marks=_if_installed)]
)


def models(*protocols: str) -> pytest.MarkDecorator:
    """Models of these protocols, spoken by ourselves, and one behind pydantic-ai."""
    ours = [MODELS[protocol] for protocol in protocols]
    return pytest.mark.parametrize("model", [*ours, pytest.param(OTHER, marks=_if_installed)])


PACKET = "def f():\n    return 1\n" * 500


def hurried() -> Clock:
    """A clock on which every wait is over at once."""
    skipped = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal skipped
        skipped += seconds
        await asyncio.sleep(0)

    return Clock(now=lambda: time.monotonic() + skipped, sleep=sleep)


@pytest.fixture
def backend() -> ApiBackend:
    return ApiBackend(hurried())


@pytest.fixture(scope="module")
def imported() -> None:
    """A busy machine takes longer to import pydantic-ai than a call may take."""
    if find_spec("pydantic_ai"):
        from pydantic_ai.providers import infer_provider_class

        infer_provider_class("heroku")
        import_module("pydantic_ai.models.openai")


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, imported: None) -> Provider:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "GUILD_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as provider:
        for name, value in provider.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("HEROKU_INFERENCE_URL", provider.url)
        monkeypatch.setenv("HEROKU_INFERENCE_KEY", "dummy-heroku-key-0005")
        yield provider


def make(model: str, prompt: str = "judge this", shared: int = 0, **fields: float) -> Call:
    return call("api", prompt, model=model, shared=shared, **fields)


def run(backend: ApiBackend, *calls: Call) -> list[Reply]:
    async def all_at_once() -> list[Reply]:
        return await asyncio.gather(*(backend.call(call) for call in calls))

    return asyncio.run(all_at_once())


def ask(backend: ApiBackend, model: str, **fields: float) -> Reply:
    return run(backend, make(model, **fields))[0]


@every_provider
def test_every_protocol_brings_the_reply_whole(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(text="VERDICT: flagged\n\nReasons:\n- ünïcode: a.py:1 wrong")]
    reply = ask(backend, model)
    assert (reply.status, reply.error) == ("answered", "")
    assert reply.text == provider.rules[0].text
    assert reply.model == model.partition(":")[2]
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.requests) == (3, 1)
    assert reply.usage.output_tokens == provider.bills[0].output
    assert [request.protocol for request in provider.requests] == [protocol]
    assert provider.requests[0].prompt == "judge this"


@every_provider
def test_the_shared_part_comes_first_and_apart(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    run(backend, make(model, PACKET + "you are the first", len(PACKET)))
    request = provider.requests[0]
    assert request.prompt == PACKET + "you are the first"
    assert request.breakpoints == ((1,) if protocol == "anthropic" else ())


@every_provider
def test_the_second_seat_reads_what_the_first_has_written(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(delay=0.05)]
    calls = [make(model, f"{PACKET}seat {at}", len(PACKET)) for at in range(3)]
    usages = [reply.usage for reply in run(backend, *calls)]
    read = sorted(usage.cache_read_tokens for usage in usages if usage)
    written = sorted(usage.cache_write_tokens for usage in usages if usage)
    size = len(PACKET) // 4
    assert read[0] == 0
    assert all(tokens >= size - 128 for tokens in read[1:])
    assert written == ([0, 0, size] if protocol == "anthropic" else [0, 0, 0])
    assert {usage.input_tokens for usage in usages if usage} == {size + 2}


@every_provider
def test_a_key_that_is_not_accepted_is_told_at_once(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(status=401, message="bad key {key}")]
    reply = ask(backend, model)
    assert reply.status == "failed"
    assert "401" in reply.error
    assert len(provider.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 529])
@every_provider
def test_what_passes_is_tried_again(
    protocol: str, model: str, status: int, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(status=status, times=2), Rule()]
    reply = ask(backend, model)
    assert reply.status == "answered"
    assert reply.usage is not None
    assert reply.usage.requests == 3


@every_provider
def test_what_does_not_pass_is_a_failure_with_its_reason(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(status=529, message="come back later")]
    reply = ask(backend, model)
    assert (reply.status, len(provider.requests)) == ("failed", TRIES)
    assert "529" in reply.error
    assert "come back later" in reply.error


@pytest.mark.parametrize("protocol", ["anthropic", "chat"])
def test_the_wait_that_a_provider_asks_for_is_kept(protocol: str, provider: Provider) -> None:
    provider.rules = [Rule(status=429, headers={"retry-after": "1"}, times=1), Rule()]
    began = time.monotonic()
    reply = ask(ApiBackend(), MODELS[protocol])
    assert reply.status == "answered"
    assert time.monotonic() - began >= 1.0


@models("anthropic")
def test_a_wait_beyond_the_deadline_is_not_begun(
    model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(status=429, headers={"retry-after": "600"})]
    reply = ask(backend, model)
    assert (reply.status, len(provider.requests)) == ("failed", 1)
    assert "600 s" in reply.error


@every_provider
def test_a_cut_stream_is_asked_for_again(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(cut=1, times=1), Rule()]
    reply = ask(backend, model)
    assert (reply.status, reply.text) == ("answered", "VERDICT: approved")
    assert len(provider.requests) == 2


@pytest.mark.parametrize("protocol", MODELS)
def test_a_reply_that_is_always_cut_is_a_failure_and_what_came_is_kept(
    protocol: str, provider: Provider
) -> None:
    cut = {"anthropic": 4, "responses": 4, "chat": 2, "gemini": 1}[protocol]
    provider.rules = [Rule(cut=cut)]
    reply = ask(ApiBackend(hurried()), MODELS[protocol])
    assert (reply.status, reply.text) == ("failed", "VERDICT:")
    assert len(provider.requests) == TRIES


@every_provider
def test_garbage_is_no_reply(
    protocol: str, model: str, backend: ApiBackend, provider: Provider
) -> None:
    page = "<html>gateway</html>"
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(page)}\r\n\r\n"
    )
    provider.rules = [Rule(raw=head + page)]
    assert ask(backend, model).status == "failed"


def test_a_server_that_does_not_speak_http_is_a_failure(
    backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(raw="SSH-2.0-OpenSSH\r\n\r\n")]
    assert ask(backend, MODELS["chat"]).status == "failed"


@pytest.mark.parametrize("protocol", MODELS)
def test_an_empty_reply_is_left_to_the_reader(protocol: str, provider: Provider) -> None:
    provider.rules = [Rule(text="")]
    reply = ask(ApiBackend(), MODELS[protocol])
    assert (reply.status, reply.text) == ("answered", "")


@pytest.mark.parametrize("protocol", MODELS)
def test_a_refusal_is_not_an_answer(protocol: str, provider: Provider) -> None:
    provider.rules = [Rule(text="I cannot", refuse=True)]
    reply = ask(ApiBackend(), MODELS[protocol])
    assert reply.status == "failed"
    assert "refused" in reply.error or "PROHIBITED_CONTENT" in reply.error


@pytest.mark.parametrize("protocol", MODELS)
def test_a_reply_at_its_limit_is_kept_with_a_note(protocol: str, provider: Provider) -> None:
    provider.rules = [Rule(length=True)]
    reply = ask(ApiBackend(), MODELS[protocol])
    assert (reply.status, reply.text) == ("answered", "VERDICT: approved")
    assert "cut" in reply.error


@models("anthropic", "responses", "chat")
def test_overload_in_the_middle_of_a_reply_is_tried_again(
    model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(error_in_stream="overloaded_error", times=1), Rule()]
    assert ask(backend, model).status == "answered"
    assert len(provider.requests) == 2


@models("anthropic")
@pytest.mark.parametrize("rule", [Rule(hang=True), Rule(drip=0.2), Rule(delay=30)])
def test_the_deadline_holds_whatever_the_provider_does(
    rule: Rule,
    model: str,
    backend: ApiBackend,
    provider: Provider,
    wait_until: Callable[..., None],
) -> None:
    provider.rules = [rule]
    began = time.monotonic()
    reply = ask(backend, model, timeout=0.5)
    assert reply.status == "timeout"
    assert time.monotonic() - began < 25
    wait_until(lambda: provider.hung_up == len(provider.requests))  # it may not have got so far


def test_what_a_slow_provider_had_said_is_kept(provider: Provider) -> None:
    provider.rules = [Rule(drip=0.8)]
    reply = ask(ApiBackend(), MODELS["chat"], timeout=1.3)
    assert (reply.status, reply.text) == ("timeout", "VERDICT:")


@models("anthropic")
def test_a_cancelled_call_closes_its_connection(
    model: str,
    backend: ApiBackend,
    provider: Provider,
    wait_until: Callable[..., None],
) -> None:
    provider.rules = [Rule(hang=True)]

    async def cancelled() -> None:
        task = asyncio.create_task(backend.call(make(model)))
        while not provider.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        while not provider.hung_up:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(cancelled(), 20))


def test_connections_are_used_again(provider: Provider) -> None:
    async def twice(backend: ApiBackend) -> None:
        await backend.call(make(MODELS["chat"]))
        await backend.call(make(MODELS["chat"]))

    asyncio.run(twice(ApiBackend()))
    assert (len(provider.requests), provider.connections) == (2, 1)


@models("anthropic", "responses", "gemini")
def test_a_key_that_a_provider_echoes_is_masked(
    model: str, backend: ApiBackend, provider: Provider
) -> None:
    provider.rules = [Rule(status=400, message="you sent {key}")]
    reply = ask(backend, model)
    key = provider.requests[0].key
    assert key.startswith("dummy-")
    assert key not in repr(reply)
    assert "you sent [key]" in reply.error


@models("anthropic", "responses", "gemini")
def test_no_key_is_logged(
    model: str, backend: ApiBackend, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider.rules = [Rule(status=500, times=1), Rule()]
    assert ask(backend, model).status == "answered"
    assert provider.requests[0].key not in caplog.text


def test_a_key_in_a_reply_is_masked(provider: Provider) -> None:
    provider.rules = [Rule(text="the key is dummy-anthropic-key-0001")]
    assert ask(ApiBackend(), MODELS["anthropic"]).text == "the key is [key]"


@models("anthropic")
def test_a_dead_address_is_a_failure(
    model: str,
    backend: ApiBackend,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving() as gone:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", gone.url)
        monkeypatch.setenv("HEROKU_INFERENCE_URL", gone.url)
    reply = ask(backend, model)
    assert (reply.status, reply.usage and reply.usage.requests) == ("failed", TRIES)


def test_a_provider_that_keeps_failing_is_left_alone(provider: Provider) -> None:
    provider.rules = [Rule(status=500)]
    backend = ApiBackend(hurried())
    replies = run(backend, *(make(MODELS["chat"], timeout=OPEN_SECONDS - 1) for _ in range(40)))
    assert {reply.status for reply in replies} == {"failed"}
    assert OPENS_AFTER <= len(provider.requests) < 40 * TRIES
    assert any("left alone" in reply.error for reply in replies)


def test_a_seat_may_name_another_model_than_its_agent(provider: Provider) -> None:
    call = make(MODELS["anthropic"])
    call = call._replace(seat=call.seat._replace(model=MODELS["chat"]))
    assert run(ApiBackend(), call)[0].model == "local"


def test_a_key_that_is_not_set_is_named_before_anything_is_sent(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    backend, call = ApiBackend(), make(MODELS["anthropic"])
    assert "ANTHROPIC_API_KEY" in backend.missing(call.agent)
    assert run(backend, call)[0].status == "missing"
    assert provider.requests == []


def test_an_agent_that_could_answer_misses_nothing(provider: Provider) -> None:
    assert all(ApiBackend().missing(make(model).agent) == "" for model in MODELS.values())


@pytest.mark.parametrize("model", ["", "claude-sonnet-5-5", "nobody:model", ":m", "anthropic:"])
def test_a_model_that_names_no_provider_is_told_with_an_example(model: str) -> None:
    missing = ApiBackend().missing(make(model).agent)
    assert "anthropic" in missing


class TestAProviderThatOnlyPydanticAiKnows:
    """It is reached with the variables that pydantic-ai documents."""

    model = "heroku:claude"

    @pytest.fixture(autouse=True)
    def leads_here(self, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pydantic_ai")
        monkeypatch.setenv("HEROKU_INFERENCE_URL", provider.url)
        monkeypatch.setenv("HEROKU_INFERENCE_KEY", "dummy-heroku-key-0005")

    def test_it_answers(self, provider: Provider) -> None:
        provider.rules = [Rule(status=500, times=1), Rule()]
        reply = ask(ApiBackend(hurried()), self.model)
        assert (reply.status, reply.text) == ("answered", "VERDICT: approved")
        assert len(provider.requests) == 2

    def test_its_key_is_masked(self, provider: Provider) -> None:
        provider.rules = [Rule(status=400, message="you sent {key}")]
        assert "you sent [key]" in ask(ApiBackend(), self.model).error

    def test_its_missing_key_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("HEROKU_INFERENCE_KEY")
        reply = ask(ApiBackend(), self.model)
        assert reply.status == "failed"
        assert "HEROKU_INFERENCE_KEY" in reply.error

    def test_plain_http_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HEROKU_INFERENCE_URL", "http://10.0.0.7")
        assert "without encryption" in ask(ApiBackend(), self.model).error
