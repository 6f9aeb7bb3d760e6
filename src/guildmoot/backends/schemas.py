"""Who takes a JSON schema for the reply, in whose form, and whether the reply is then sure to fit it.

The schemas themselves are made elsewhere, and where each protocol puts one is in its dialect.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.backends.providers import PROVIDERS, split_model
from guildmoot.backends.registry import traits_of
from guildmoot.text.patterns import lazy

_VENDORS: dict[str, Literal["anthropic", "openai", "google"]] = {
    "anthropic": "anthropic",
    "responses": "openai",
    "chat": "openai",
    "gemini": "google",
}
_ENFORCING = ("anthropic", "openai", "openai-chat", "google")
_TOO_OLD = lazy(
    r"claude-(?:instant|[123]\b|(?:sonnet|opus)-4(?:-0|-\d{8})?$)"
    r"|gpt-3\.5|gpt-4(?:-|$)|gpt-4o-2024-05|o1-(?:mini|preview)|gemini-(?:1\.0|pro)|gemma"
)
"""Models of these vendors that refuse a request with a schema; newer ones all take it."""


class Form(NamedTuple):
    """The form in which a schema is sent; without a vendor none is."""

    vendor: Literal["", "anthropic", "openai", "google"] = ""
    enforced: bool = False
    """The reply fits for sure; otherwise the prompt must ask for it as well."""


def schema_form(backend: str, model: str) -> Form:
    """What this backend does with a schema when it runs that model."""
    support = traits_of(backend).schema
    if support != "model":
        return Form(support, enforced=bool(support))
    provider, name = split_model(model)
    known = PROVIDERS.get(provider)
    if provider in _ENFORCING and _TOO_OLD.match(name):
        return Form()
    vendor = _VENDORS[known.dialect] if known else "openai"
    return Form(vendor, enforced=provider in _ENFORCING)
