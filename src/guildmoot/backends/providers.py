"""Who is meant by ``provider:model``, and where they are; nothing is sent from here.

A provider that is not in the table is left to pydantic-ai, which knows many more.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from guildmoot.errors import UsageError

DialectName = Literal["anthropic", "responses", "chat", "gemini"]

ALLOW_HTTP = "GUILD_API_ALLOW_HTTP"
"""Hosts, with commas between, that may be reached without encryption."""


class Provider(NamedTuple):
    """One service that answers models."""

    name: str
    dialect: DialectName
    base_url: str
    """Empty when the user must give it."""
    url_variable: str
    key_variables: tuple[str, ...]
    needs_key: bool = True


_TABLE = (
    Provider(
        "anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL",
        ("ANTHROPIC_API_KEY",),
    ),
    Provider(
        "openai", "responses", "https://api.openai.com/v1", "OPENAI_BASE_URL", ("OPENAI_API_KEY",)
    ),
    Provider(
        "openai-chat", "chat", "https://api.openai.com/v1", "OPENAI_BASE_URL", ("OPENAI_API_KEY",)
    ),
    Provider(
        "google", "gemini", "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    Provider(
        "openrouter", "chat", "https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL",
        ("OPENROUTER_API_KEY",),
    ),
    Provider(
        "ollama", "chat", "http://127.0.0.1:11434/v1", "OLLAMA_BASE_URL", ("OLLAMA_API_KEY",),
        needs_key=False,
    ),
    Provider(
        "lmstudio", "chat", "http://127.0.0.1:1234/v1", "LMSTUDIO_BASE_URL", ("LMSTUDIO_API_KEY",),
        needs_key=False,
    ),
    Provider(
        "vllm", "chat", "http://127.0.0.1:8000/v1", "VLLM_BASE_URL", ("VLLM_API_KEY",),
        needs_key=False,
    ),
    Provider(
        "llama.cpp", "chat", "http://127.0.0.1:8080/v1", "LLAMACPP_BASE_URL", ("LLAMACPP_API_KEY",),
        needs_key=False,
    ),
    Provider(
        "openai-compatible", "chat", "", "GUILD_API_BASE_URL", ("GUILD_API_KEY",), needs_key=False
    ),
)  # fmt: skip

PROVIDERS: Mapping[str, Provider] = {each.name: each for each in _TABLE}
_ALIASES = {"gemini": "google", "claude": "anthropic", "lm-studio": "lmstudio"}


def split_model(name: str) -> tuple[str, str]:
    """Provider and model of ``provider:model``; the model may hold further colons."""
    provider, colon, model = name.strip().partition(":")
    if not colon or not provider or not model:
        raise UsageError(
            f"{name!r} does not say whose model it is" if name else "no model is named",
            "Write provider:model, for example anthropic:claude-sonnet-5-5 or ollama:qwen3:8b.",
        )
    return _ALIASES.get(provider.lower(), provider.lower()), model


def base_url(provider: Provider, environ: Mapping[str, str] | None = None) -> str:
    """Where the provider is reached, refused when the way there could be listened to."""
    environ = os.environ if environ is None else environ
    url = (environ.get(provider.url_variable) or provider.base_url).rstrip("/")
    if not url:
        raise UsageError(
            f"{provider.name} has no address of its own",
            f"Set {provider.url_variable}, for example to http://127.0.0.1:8000/v1.",
        )
    check_url(url, provider.url_variable, environ)
    return url


def own_address(provider: str, environ: Mapping[str, str] | None = None) -> str:
    """Where the user had a provider's requests sent instead; empty where that is its usual place."""
    known = PROVIDERS.get(_ALIASES.get(provider, provider))
    named = (
        (os.environ if environ is None else environ).get(known.url_variable, "") if known else ""
    )
    return "" if known and named.rstrip("/") == known.base_url else named.rstrip("/")


def check_url(url: str, variable: str, environ: Mapping[str, str] | None = None) -> None:
    """Refuse an address that is none, that holds a password, or that others could listen to."""
    allowed = (os.environ if environ is None else environ).get(ALLOW_HTTP, "")
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{variable} is not an http or https address")
    if parts.username or parts.password:
        raise UsageError(
            f"{variable} holds a name or password", "Give the key in its own variable instead."
        )
    names = {name.strip().lower() for name in allowed.split(",")}
    if parts.scheme == "http" and not is_loopback(host) and host.lower() not in names:
        raise UsageError(
            f"{variable} leads to {host} without encryption, so the work and the key could be read",
            f"Use https, or allow this host by name: {ALLOW_HTTP}={host}",
        )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine; a name other than localhost could be made to be another."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
