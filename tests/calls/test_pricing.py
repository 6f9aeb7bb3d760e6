"""What calls cost: by the public prices, by the project's own, and beforehand at most."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.calls.pricing import Prices, estimate_tokens, price_name, read_prices
from guildmoot.errors import ConfigError
from guildmoot.model.call import Usage

SAMPLES = json.loads((Path(__file__).parents[1] / "data/pricing/tokens.json").read_bytes())
DIGESTS = [hashlib.sha256(str(number).encode()).digest() for number in range(40)]
MILLION = 1_000_000


def test_input_and_output_have_the_vendors_prices():
    """Sonnet 4.5: 3 dollars in, 15 out; and the price of a long prompt is another."""
    usage = Usage(input_tokens=100_000, output_tokens=10_000)
    assert Prices().price("anthropic:claude-sonnet-4-5", usage) == pytest.approx(0.45)
    long = Usage(input_tokens=300_000, output_tokens=10_000)
    assert Prices().price("anthropic:claude-sonnet-4-5", long) == pytest.approx(2.025)


def test_anthropics_cache_costs_a_quarter_more_to_write_and_a_tenth_to_read():
    write = Usage(input_tokens=100_000, cache_write_tokens=100_000)
    read = Usage(input_tokens=100_000, cache_read_tokens=100_000)
    price = Prices().price
    assert price("anthropic:claude-sonnet-4-5", write) == pytest.approx(0.30 * 1.25)
    assert price("anthropic:claude-sonnet-4-5", read) == pytest.approx(0.30 * 0.1)


def test_openais_cache_costs_nothing_extra_to_write_and_a_tenth_to_read():
    usage = Usage(input_tokens=MILLION, cache_read_tokens=400_000)
    assert Prices().price("openai:gpt-5", usage) == pytest.approx(0.6 * 1.25 + 0.4 * 0.125)


def test_five_seats_on_one_cached_packet_cost_what_the_vendor_bills():
    """One writes and four read: 1.65 times one seat without a cache, instead of 5 times."""
    model, tokens = "anthropic:claude-sonnet-4-5", 100_000
    prices = Prices()
    written = prices.price(model, Usage(tokens, cache_write_tokens=tokens))
    read = prices.price(model, Usage(tokens, cache_read_tokens=tokens))
    alone = prices.uncached(model, Usage(tokens, cache_read_tokens=tokens))
    assert (written + 4 * read) / alone == pytest.approx(1.65)


@pytest.mark.parametrize(
    "model", ["openai:gpt-99", "nobody:gpt-5", "anthropic:", "anthropic", "", ":gpt-5"]
)
def test_an_unknown_model_has_no_price_rather_than_a_wrong_one(model):
    assert Prices().price(model, Usage(1000, 1000)) is None


@pytest.mark.parametrize(
    "model", ["google:gemini-2.5-pro", "openrouter:anthropic/claude-sonnet-4.5"]
)
def test_other_providers_are_priced_too(model):
    assert Prices().price(model, Usage(1000, 1000)) > 0


@pytest.mark.parametrize("model", ["ollama:llama3:8b", "llama.cpp:any"])
def test_a_server_of_ones_own_bills_nothing(model):
    assert Prices().price(model, Usage(MILLION, MILLION)) == 0


@pytest.mark.parametrize("model", ["openai-compatible:gpt-5", "my-openai-proxy:gpt-5"])
def test_a_server_that_only_sounds_like_a_vendor_has_no_price(model):
    assert Prices().price(model, Usage(MILLION, MILLION)) is None


def test_one_vendors_two_protocols_have_one_price():
    usage = Usage(MILLION, MILLION)
    assert Prices().price("openai-chat:gpt-5", usage) == Prices().price("openai:gpt-5", usage) > 0


def test_the_projects_own_price_goes_before_the_public_one():
    rates = {"input": 2, "output": 10, "cache_read": 0.5, "cache_write": 4}
    prices = read_prices({"openai:gpt-5": rates, "vllm:*": {"input": 1, "output": 1}}, "guild.toml")
    usage = Usage(MILLION, MILLION, cache_read_tokens=200_000, cache_write_tokens=100_000)
    assert prices.price("openai:gpt-5", usage) == pytest.approx(0.7 * 2 + 10 + 0.1 + 0.4)
    assert prices.price("vllm:any/model", Usage(MILLION, MILLION)) == 2
    assert prices.price("openai:gpt-5-mini", Usage(MILLION)) == Prices().price(
        "openai:gpt-5-mini", Usage(MILLION)
    )


def test_cached_tokens_cost_what_others_do_unless_their_price_is_given():
    prices = read_prices({"x:y": {"input": 2, "output": 10}}, "guild.toml")
    usage = Usage(MILLION, cache_read_tokens=300_000, cache_write_tokens=300_000)
    assert prices.price("x:y", usage) == prices.uncached("x:y", usage) == 2


@pytest.mark.parametrize(
    ("name", "raw", "says"),
    [
        ("gpt-5", {"input": 1, "output": 1}, "needs provider:model"),
        ("openai:gpt-5", 3, "must be a table, not 3"),
        ("openai:gpt-5", {"input": 1}, "needs both input and output"),
        ("openai:gpt-5", {"input": 1, "output": 1, "cached_read": 1}, "has no 'cached_read'"),
        ("openai:gpt-5", {"input": -1, "output": 1}, "input must be dollars"),
        ("openai:gpt-5", {"input": 1, "output": True}, "output must be dollars"),
        ("openai:gpt-5", {"input": 1, "output": "5"}, "not '5'"),
        ("openai:gpt-5", {"input": float("nan"), "output": 1}, "not nan"),
    ],
)
def test_a_price_that_makes_no_sense_is_an_error_with_its_place(name, raw, says):
    with pytest.raises(ConfigError, match=says) as wrong:
        read_prices({name: raw}, "guild.toml")
    assert wrong.value.message.startswith("guild.toml: the price of")


def test_usage_that_does_not_add_up_is_charged_for_its_cached_part():
    odd = Usage(input_tokens=10, cache_read_tokens=100_000, output_tokens=-5)
    assert Prices().price("anthropic:claude-sonnet-4-5", odd) == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("backend", "model", "answered", "name"),
    [
        ("api", "anthropic:claude-sonnet-4-5", "", "anthropic:claude-sonnet-4-5"),
        ("api", "openai:gpt-5", "gpt-5-2025-08-07", "openai:gpt-5-2025-08-07"),
        ("api", "openai:gpt-5", "openai:gpt-5", "openai:gpt-5"),
        ("api", "ollama:llama3:8b", "", "ollama:llama3:8b"),
        ("claude", "", "claude-opus-5-5", "anthropic:claude-opus-5-5"),
        ("claude", "claude-haiku-5-5", "", "anthropic:claude-haiku-5-5"),
        ("codex", "gpt-5", "", "openai:gpt-5"),
        ("gemini", "gemini-2.5-flash", "", "google:gemini-2.5-flash"),
        ("claude", "", "", ""),
        ("tool", "", "", ""),
    ],
)
def test_a_seats_price_is_that_of_the_model_which_answered(backend, model, answered, name):
    assert price_name(backend, model, answered) == name


@pytest.mark.parametrize("name", SAMPLES)
def test_no_sample_has_more_tokens_than_estimated(name):
    """Counts were made with the published tokenizers of GPT-4o, GPT-4 and Claude 2."""
    sample = SAMPLES[name]
    real = max(sample["tokens"].values())
    assert real <= estimate_tokens(sample["text"]) <= 3 * real


@pytest.mark.parametrize("name", ["prose", "markdown", "python", "typescript", "c", "diff", "json"])
def test_prose_and_code_leave_room_for_hungrier_tokenizers(name):
    sample = SAMPLES[name]
    assert estimate_tokens(sample["text"]) >= 1.3 * max(sample["tokens"].values())


@pytest.mark.parametrize(
    ("text", "real"),
    [
        (base64.b64encode(b"".join(DIGESTS)).decode(), 1220),
        ("\n".join(digest.hex() for digest in DIGESTS), 1538),
        (
            "\n".join(
                f"{row * 16:08x}  " + " ".join(f"{byte:02x}" for byte in digest[:16])
                for row, digest in enumerate(DIGESTS)
            ),
            1561,
        ),
    ],
    ids=["base64", "hex", "hexdump"],
)
def test_encoded_bytes_are_counted_for_what_they_are(text, real):
    assert real <= estimate_tokens(text) <= 2 * real


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_longer_text_never_has_fewer_tokens(one, two):
    assert estimate_tokens(f"{one}\n{two}") >= max(estimate_tokens(one), estimate_tokens(two))


@given(st.text(st.characters(exclude_categories=()), max_size=100))
def test_any_text_can_be_estimated(text):
    assert (estimate_tokens(text) > 0) == bool(text)


def test_an_estimate_takes_the_dearest_way_to_read_the_prompt():
    prompt = "word " * 20_000
    tokens = estimate_tokens(prompt)
    model = "anthropic:claude-sonnet-4-5"
    most = Prices().most(model, tokens, 1000)
    assert most == pytest.approx(tokens * 3.75 / MILLION + 1000 * 15 / MILLION)
    assert Prices().most("openai:gpt-99", tokens, 1000) is None


@given(st.integers(0, 400_000), st.integers(0, 1000), st.data())
def test_no_mix_of_cached_and_fresh_tokens_costs_more_than_the_estimate(tokens, output, data):
    read = data.draw(st.integers(0, tokens))
    written = data.draw(st.integers(0, tokens - read))
    for model in ("anthropic:claude-sonnet-4-5", "openai:gpt-5", "google:gemini-2.5-pro"):
        cost = Prices().price(model, Usage(tokens, output, read, written))
        assert cost <= Prices().most(model, tokens, output) + 1e-12


def test_pricing_touches_no_network_and_is_not_loaded_before_a_price_is_asked_for():
    program = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise SystemExit('the network was touched')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from guildmoot.calls.pricing import Prices\n"
        "from guildmoot.model.call import Usage\n"
        "assert 'genai_prices' not in sys.modules\n"
        "assert Prices().price('openai:gpt-5', Usage(1000, 1000)) > 0\n"
        "assert Prices().price('openai:gpt-99', Usage(1000, 1000)) is None\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
