"""What a call costs: prices of the public table, or the user's own, and an estimate beforehand.

Prices come from the data that ships with genai-prices: nothing is fetched, so a model newer than
the installed table has no price until the settings give one. Limits are kept elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from guildmoot.backends import traits_of
from guildmoot.config import Config
from guildmoot.errors import ConfigError, did_you_mean
from guildmoot.model.call import Usage
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

SELF_HOSTED = ("ollama", "lmstudio", "vllm", "llama.cpp")
"""Servers that people run themselves; they bill nothing by the token."""

_IN_TABLE = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "google-gla": "google",
    "google-vertex": "google",
    "xai": "x-ai",
    "grok": "x-ai",
    "bedrock": "aws",
}
_DENSE = lazy(rb"\b[A-Za-z0-9+/]{32,}")
_MILLION = 1_000_000


class Rates(NamedTuple):
    """US dollars for a million tokens of each kind."""

    input: float
    output: float
    cache_read: float
    cache_write: float


class Prices(NamedTuple):
    """Where prices are looked up: the user's own first, then the public table and the project's."""

    own: Mapping[str, Rates] = {}
    """By ``provider:model``, or ``provider:*`` for whatever else that provider serves."""
    project: Mapping[str, Rates] = {}
    """A project's: what is known otherwise is never made cheaper by them, for limits go by prices."""

    def price(self, model: str, usage: Usage) -> float | None:
        """US dollars for what was used by ``provider:model``; None when no price is known."""
        usage, provider = _sound(usage), model.partition(":")[0]
        rates = _find(self.own, model)
        if rates is not None:
            return _total(rates, usage)
        known = 0.0 if provider in SELF_HOSTED else _public(model, usage)
        theirs = _find(self.project, model)
        told = None if theirs is None else _total(theirs, usage)
        return max((cost for cost in (known, told) if cost is not None), default=None)

    def uncached(self, model: str, usage: Usage) -> float | None:
        """What the same tokens would have cost without a prompt cache."""
        return self.price(model, usage._replace(cache_read_tokens=0, cache_write_tokens=0))

    def most(self, model: str, input_tokens: int, output_tokens: int) -> float | None:
        """The most that so many tokens can cost: read fresh, or written to a cache at a premium."""
        fresh = Usage(input_tokens, output_tokens)
        written = fresh._replace(cache_write_tokens=input_tokens)
        costs = [self.price(model, usage) for usage in (fresh, written)]
        known = [cost for cost in costs if cost is not None]
        return max(known) if len(known) == len(costs) else None


def _find(rates: Mapping[str, Rates], model: str) -> Rates | None:
    return rates.get(model) or rates.get(f"{model.partition(':')[0]}:*")


def prices_of(config: Config) -> Prices:
    """The prices that hold under these settings."""
    ours = read_prices(config.prices, "[prices]")
    return ours._replace(project=read_prices(config.project_prices, "[prices]").own)


def read_prices(table: Mapping[str, object], source: str) -> Prices:
    """The settings' prices: ``{"provider:model": {"input": 3, "output": 15}}``, dollars a million.

    ``cache_read`` and ``cache_write`` cost what ``input`` does unless they are given.
    """
    return Prices({name: _rates(name, raw, source) for name, raw in table.items()})


def price_name(backend: str, model: str, answered: str = "") -> str:
    """``provider:model`` of a seat, for looking up its price; empty when it runs no priced model.

    ``answered`` is the model that the reply names, which may be a version of the one asked for.
    """
    traits = traits_of(backend)
    provider, asked = traits.provider, model
    if traits.needs == "model":
        provider, _, asked = model.partition(":")
    if not provider:
        return ""
    name = answered.removeprefix(f"{provider}:") or asked
    return f"{provider}:{name}" if name else ""


def estimate_tokens(text: str) -> int:
    """How many tokens a text is at most, near enough, for any vendor's tokenizer.

    Weights by kind of character, set above what the tokenizers of GPT-4, GPT-4o and Claude 2 count:
    by three tenths or more for prose and code, since newer ones may make more of the same text.
    Only text without any pattern, such as random ideographs, is known to come out higher.
    """
    data = text.encode("utf-8", "surrogatepass")
    thin = _DENSE.sub(b"", data)  # keys, hashes, encoded bytes: a token each at worst
    tokens = 1.0 * (len(data) - len(thin))
    for chars, weight in _WEIGHTS:
        rest = thin.translate(None, chars)
        tokens += weight * (len(thin) - len(rest))
        thin = rest
    return math.ceil(tokens)


def _bytes(first: int, last: int) -> bytes:
    return bytes(range(first, last + 1))


_WEIGHTS = (
    (_bytes(0x61, 0x7A), 0.38),  # lower case
    (_bytes(0x41, 0x5A), 0.75),
    (_bytes(0x30, 0x39), 1.15),  # often a token each, and more with what parts them
    (b" \r", 0.2),
    (b"\t", 0.8),
    (b"\n", 1.0),
    (_bytes(0x80, 0xBF), 0.0),  # the further bytes of a character are counted with its first
    (_bytes(0xC0, 0xDF), 1.2),  # Latin with marks, Greek, Cyrillic, Hebrew, Arabic
    (_bytes(0xE0, 0xE2), 3.2),  # Indic, Thai, Ethiopic, symbols: up to one for each byte
    (_bytes(0xE3, 0xEF), 1.6),  # Chinese, Japanese, Korean
    (_bytes(0xF0, 0xFF), 4.0),  # emoji and rare scripts
    (_bytes(0x00, 0x7F), 1.05),  # what is left: punctuation
)


def _sound(usage: Usage) -> Usage:
    """Usage that adds up, whatever a server reported: nothing below 0, the cached part in the input."""
    read, written = max(usage.cache_read_tokens, 0), max(usage.cache_write_tokens, 0)
    return Usage(
        input_tokens=max(usage.input_tokens, read + written),
        output_tokens=max(usage.output_tokens, 0),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _total(rates: Rates, usage: Usage) -> float:
    plain = usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens
    total = plain * rates.input + usage.output_tokens * rates.output
    total += usage.cache_read_tokens * rates.cache_read
    total += usage.cache_write_tokens * rates.cache_write
    return total / _MILLION


@lru_cache(1024)  # the same usage is priced for the ledger, the limits and the reports
def _public(model: str, usage: Usage) -> float | None:
    try:
        import genai_prices
    except ImportError:  # the table is part of the extra "models"
        return None
    said, _, name = model.partition(":")
    provider = _IN_TABLE.get(said, said)
    if not provider or not name:
        return None
    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        found = genai_prices.calc_price(counted, name, provider_id=provider)
    except LookupError:
        return None
    # The table takes any name that holds a vendor's for that vendor; a proxy has prices of its own.
    return float(found.total_price) if found.provider.id == provider else None


def _rates(name: str, raw: object, source: str) -> Rates:
    where = f"{source}: the price of {name!r}"
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise ConfigError(f"{where} needs provider:model as its name", 'For example "openai:gpt-5"')
    if not isinstance(raw, Mapping):
        raise ConfigError(f"{where} must be a table, not {raw!r}", _example(name))
    for key in raw:
        if key not in Rates._fields:
            hint = did_you_mean(str(key), Rates._fields, _example(name))
            raise ConfigError(f"{where} has no {key!r}", hint)
    if "input" not in raw or "output" not in raw:
        raise ConfigError(f"{where} needs both input and output", _example(name))
    given = {str(key): _rate(key, value, where) for key, value in raw.items()}
    return Rates(**{"cache_read": given["input"], "cache_write": given["input"], **given})


def _rate(key: object, value: object, where: str) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1.0
    if not 0 <= number < math.inf:
        raise ConfigError(f"{where}: {key} must be dollars for a million tokens, not {value!r}")
    return float(number)


def _example(name: str) -> str:
    return f'For example: [prices."{name}"] input = 3.0, output = 15.0 (dollars a million tokens)'
