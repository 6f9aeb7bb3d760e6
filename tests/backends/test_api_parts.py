"""The decisions behind a call to a model: addresses, keys, waits, breakers, events."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.backends.api_keys import Key, find_key, scrubbed, secrets
from guildmoot.backends.http.caller import LONGEST_WAIT, Leaders
from guildmoot.backends.http.connections import proxy_for
from guildmoot.backends.http.direct import EventReader
from guildmoot.backends.http.failures import from_event, from_status, retry_after
from guildmoot.backends.http.limits import (
    LONGEST_PAUSE,
    OPEN_SECONDS,
    OPENS_AFTER,
    Bucket,
    Gate,
    Rate,
    pause,
    rates,
)
from guildmoot.backends.providers import PROVIDERS, base_url, split_model
from guildmoot.errors import ConfigError, UsageError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anthropic:claude-sonnet-5-5", ("anthropic", "claude-sonnet-5-5")),
        ("ollama:qwen3:8b", ("ollama", "qwen3:8b")),
        ("Gemini:gemini-2.5-flash", ("google", "gemini-2.5-flash")),
        ("openrouter:anthropic/claude-opus-5", ("openrouter", "anthropic/claude-opus-5")),
    ],
)
def test_a_model_is_named_after_its_provider(name: str, expected: tuple[str, str]) -> None:
    assert split_model(name) == expected


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/v1", "http://[::1]:8000", "http://localhost/v1", "https://x.org"]
)
def test_an_address_that_nobody_can_listen_to_is_taken(url: str) -> None:
    assert base_url(PROVIDERS["vllm"], {"VLLM_BASE_URL": url + "/"}) == url


@pytest.mark.parametrize(
    "url", ["http://10.0.0.7/v1", "http://gpu.example.org", "http://127.0.0.1.example.org/"]
)
def test_plain_http_is_refused_unless_the_host_is_allowed_by_name(url: str) -> None:
    with pytest.raises(UsageError, match="without encryption") as refused:
        base_url(PROVIDERS["vllm"], {"VLLM_BASE_URL": url})
    host = refused.value.hint.rpartition("=")[2]
    allowed = {"VLLM_BASE_URL": url, "GUILD_API_ALLOW_HTTP": f"other,{host}"}
    assert base_url(PROVIDERS["vllm"], allowed)


@pytest.mark.parametrize("url", ["ftp://x", "just words", "https://", "https://me:secret@x.org"])
def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        base_url(PROVIDERS["openai"], {"OPENAI_BASE_URL": url})
    assert "secret" not in str(refused.value)


def test_a_server_without_an_address_asks_for_one() -> None:
    with pytest.raises(UsageError) as refused:
        base_url(PROVIDERS["openai-compatible"], {})
    assert "GUILD_API_BASE_URL" in refused.value.hint


def test_the_first_key_that_is_set_is_taken() -> None:
    both = {"GEMINI_API_KEY": "", "GOOGLE_API_KEY": " second "}
    assert find_key(("GEMINI_API_KEY", "GOOGLE_API_KEY"), both) == "second"


def test_a_key_does_not_show_itself() -> None:
    assert "secret" not in repr((Key("secret-key-value"),))


def test_secrets_of_the_environment_are_masked_whoever_they_are_for() -> None:
    environ = {"SOME_OTHER_TOKEN": "planted-token-value", "LANG": "en_GB.UTF-8", "PIN_KEY": "1"}
    assert scrubbed("got planted-token-value 1!", secrets(environ)) == "got [key] 1!"


@given(st.text("abc-_09", min_size=8), st.text(), st.text())
def test_a_key_never_survives(key: str, before: str, after: str) -> None:
    assert key not in scrubbed(before + key + after, [key])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301])
def test_the_callers_own_fault_is_final(status: int) -> None:
    assert not from_status(status, {}, b"{}").again


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_the_providers_trouble_may_pass(status: int) -> None:
    assert from_status(status, {}, b"<html>").again


def test_an_empty_account_does_not_pass() -> None:
    body = json.dumps({"error": {"type": "insufficient_quota", "message": "pay"}}).encode()
    assert not from_status(429, {}, body).again
    assert not from_event({"type": "billing_error"}).again


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sun, 15 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
        ({"retry-after": "-3"}, 0.0),
    ],
)
def test_the_wait_asked_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, datetime(2026, 11, 15, 12, tzinfo=UTC)) == seconds


@given(st.integers(1, 10), st.floats(0, 1), st.none() | st.floats(0, 100))
def test_a_pause_is_bounded_and_never_shorter_than_asked_for(
    tries: int, chance: float, asked: float | None
) -> None:
    seconds = pause(tries, asked, lambda: chance)
    assert 0 <= seconds <= (LONGEST_PAUSE if asked is None else asked * 1.1)
    assert asked is None or seconds >= asked


def test_limits_are_read_from_the_environment() -> None:
    given_ = {"GUILD_API_LIMITS": "anthropic=50/40000, openai=500"}
    assert rates(given_) == {"anthropic": Rate(50, 40000), "openai": Rate(500, 0)}
    with pytest.raises(ConfigError, match="fast"):
        rates({"GUILD_API_LIMITS": "openai=fast"})


@given(st.lists(st.integers(1, 50), max_size=40))
def test_no_minute_holds_more_than_the_rate_and_one_full_bucket(amounts: list[int]) -> None:
    bucket, now, sent = Bucket(60, 0.0), 0.0, 0
    for amount in amounts:
        now += bucket.take(amount, now)
        sent += amount
        assert sent <= 60 + now + 1e-6


def test_a_bucket_without_a_rate_never_waits() -> None:
    assert Bucket(0, 0.0).take(10**9, 0.0) == 0.0


def test_the_breaker_opens_then_lets_one_call_try_and_closes_when_that_succeeds() -> None:
    gate = Gate(Rate(), 0.0)
    for _ in range(OPENS_AFTER):
        assert gate.closed_for(0.0) == 0.0
        gate.failed(0.0, None)
    assert gate.closed_for(0.0) == OPEN_SECONDS
    assert gate.closed_for(OPEN_SECONDS) == 0.0
    assert [gate.probe(), gate.probe()] == [True, False]
    gate.succeeded()
    assert [gate.probe(), gate.probe()] == [True, True]


def test_a_pause_that_one_call_was_told_holds_for_all() -> None:
    gate = Gate(Rate(), 0.0)
    gate.failed(0.0, 4.0)
    assert gate.closed_for(1.0) == 3.0


EVENTS = [{"type": "a", "text": "é\n\n"}, {"type": "b"}, {"data": "x: y"}]


@given(st.lists(st.integers(0, 200)), st.sampled_from(["\n", "\r\n"]))
def test_events_are_the_same_however_the_bytes_are_cut(cuts: list[int], end: str) -> None:
    lines = [f"event: e{end}data: {json.dumps(event)}{end}{end}" for event in EVENTS]
    stream = f": hello{end}{end}{''.join(lines)}data: [DONE]{end}{end}".encode()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = EventReader()
    found = [event for start, stop in pairwise(edges) for event in reader.feed(stream[start:stop])]
    assert [*found, *reader.finish()] == EVENTS


def test_a_body_that_is_one_object_is_one_event() -> None:
    reader = EventReader()
    assert [*reader.feed(b'{\n "a":\n 1}'), *reader.finish()] == [{"a": 1}]


def test_the_next_leads_when_the_leader_fails() -> None:
    async def panel() -> list[str]:
        leaders, order = Leaders(), []

        async def seat(name: str, works: bool) -> None:
            leads = await leaders.follow("prefix")
            order.append(f"{name} {'leads' if leads else 'follows'}")
            if leads:
                await asyncio.sleep(0)
                (leaders.begun if works else leaders.failed)("prefix")

        await asyncio.gather(seat("a", False), seat("b", True), seat("c", True))
        return order

    assert asyncio.run(panel()) == ["a leads", "b leads", "c follows"]


def test_nobody_waits_for_a_slow_leader_for_ever() -> None:
    async def panel() -> tuple[bool, bool]:
        times = iter([0.0, 0.0, 0.0, LONGEST_WAIT])
        leaders = Leaders(lambda: next(times, LONGEST_WAIT))
        return await leaders.follow("p"), await leaders.follow("p")

    assert asyncio.run(panel()) == (True, False)


def test_the_proxy_of_the_environment_is_used_except_where_it_says_no(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://me:pass%20word@proxy.example.org:3128")
    monkeypatch.setenv("no_proxy", "localhost,.inside.example.org")
    proxy = proxy_for("api.example.com")
    assert proxy is not None
    assert proxy.address == ("proxy.example.org", 3128)
    assert b"Basic bWU6cGFzcyB3b3Jk" in proxy.connect_request("api.example.com", 443)
    assert proxy_for("gpu.inside.example.org") is None
