"""The four protocols that models are asked in: pure translations, one file each."""

from __future__ import annotations

from collections.abc import Mapping

from guildmoot.backends.http.dialects import anthropic, chat, gemini, responses
from guildmoot.backends.http.dialects.base import Dialect
from guildmoot.backends.providers import DialectName

DIALECTS: Mapping[DialectName, Dialect] = {
    "anthropic": anthropic.DIALECT,
    "responses": responses.DIALECT,
    "chat": chat.DIALECT,
    "gemini": gemini.DIALECT,
}
