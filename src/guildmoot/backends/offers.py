"""Models that are here to be asked: clients that are installed and logged in, keys that are set.

They are offered with what asking them would cost about, and never used unasked. Nothing is started or
reached for this; only the environment and the PATH are looked at, and where there is time for it the keyring.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from guildmoot.backends.programs import find_client, find_program
from guildmoot.backends.registry import CLIENTS, get_backend
from guildmoot.named import NamedTuple


class ModelOffer(NamedTuple):
    """One model that could be asked, as ``--model`` takes it."""

    model: str
    found: str
    """What was found: a client, or the variable that holds a key."""
    input_usd: float = 0.0
    """For a million tokens, as its vendor lists it."""
    output_usd: float = 0.0

    def about_usd(self, lines: int, seats: int) -> float:
        """What so many evaluators of a change would cost about, the second reading from the cache."""
        tokens = lines * _PER_LINE + _PROMPT
        read = tokens * (1 + _CACHED * (seats - 1)) * self.input_usd
        return (read + seats * _ANSWER * self.output_usd) / 1_000_000


_PER_LINE, _PROMPT, _ANSWER, _CACHED = 12, 4_000, 1_500, 0.1
_RATES = {"claude": (3.0, 15.0), "codex": (1.25, 10.0), "gemini": (1.25, 10.0)}
_KEYS = {
    "ANTHROPIC_API_KEY": ("anthropic:claude-sonnet-4-5", "claude"),
    "OPENAI_API_KEY": ("openai:gpt-5", "codex"),
    "GEMINI_API_KEY": ("google:gemini-2.5-pro", "gemini"),
    "OPENROUTER_API_KEY": ("openrouter:anthropic/claude-sonnet-4.5", "claude"),
}


def find_offers(
    environ: Mapping[str, str] | None = None, *, keyring: bool = False
) -> tuple[ModelOffer, ...]:
    """Everything that could be asked now, clients first; ``keyring`` also looks for their keys there."""
    environ = os.environ if environ is None else environ
    there = [
        ModelOffer(name, name, *_RATES.get(name, (0.0, 0.0)))
        for name in CLIENTS
        if find_client(name, environ) and _is_logged_in(name, environ, keyring)
    ]
    keys = [
        ModelOffer(model, variable, *_RATES[like])
        for variable, (model, like) in _KEYS.items()
        if environ.get(variable, "").strip()
    ]
    local = [ModelOffer("ollama:MODEL", "ollama")] if find_program("ollama") else []
    return (*there, *keys, *local)


def _is_logged_in(client: str, environ: Mapping[str, str], keyring: bool) -> bool:
    from guildmoot.backends.clients import ClientBackend  # only where one is installed
    from guildmoot.model.agent import Agent

    backend = get_backend(client)
    if not isinstance(backend, ClientBackend):
        return False
    return not backend.missing(Agent("", "", "", "")) if keyring else backend.at_hand(environ)
