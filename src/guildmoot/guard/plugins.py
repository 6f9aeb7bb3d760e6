"""A second opinion from the plugins of detect-secrets, on the few places that look suspicious.

The library takes a fifth of a second to import and reads line by line, so it is imported when a
text gives reason, and sees only what stands around the suspicious run. Nothing is verified over
the network: the plugins' pattern functions are called, never their checks against a service.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from guildmoot.guard.families import Span

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

_LEFT_OUT = frozenset(
    {
        "IPPublicDetector",  # an address is no secret
        "PrivateKeyDetector",  # names the header only; guard.pem masks the key
        "KeywordDetector",  # takes any word for a value; guard.keywords asks for a literal
        "Base64HighEntropyString",  # guard.entropy does both,
        "HexHighEntropyString",  # and knows a commit from a key
    }
)
# Plugins whose pattern ordinary text can meet by chance.
_LOOSE = frozenset(
    {"ArtifactoryDetector", "BasicAuthDetector", "IbmCloudIamDetector", "CloudantDetector",
     "SoftlayerDetector", "TwilioKeyDetector", "AWSKeyDetector", "TelegramBotTokenDetector",
     "IbmCosHmacDetector"}
)  # fmt: skip
_AROUND = 160
_LONGEST = 4096


def plugin_spans(text: str, runs: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """What the plugins take for a secret on the line of each run, near to it."""
    for start, end in runs:
        if end - start <= _LONGEST:
            yield from _around(text, start, end)


def _around(text: str, start: int, end: int) -> Iterator[Span]:
    first = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
    line_end = text.find("\n", end)
    last = min(len(text) if line_end < 0 else line_end, end + _AROUND)
    piece = text[first:last]
    for name, kind, plugin in _plugins():
        for value in plugin.analyze_string(piece):
            at = piece.find(value)
            if at >= 0 and not _is_placeholder(value):
                yield Span(first + at, first + at + len(value), kind, name not in _LOOSE)


def _is_placeholder(value: str) -> bool:
    from detect_secrets.filters import heuristic

    return (
        len(set(value)) < 4
        or heuristic.is_templated_secret(value)
        or heuristic.is_sequential_string(value)
        or heuristic.is_potential_uuid(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
    )


@cache
def _plugins() -> list[tuple[str, str, BasePlugin]]:
    # The package must be imported as a whole first: its modules import one another in a circle.
    import detect_secrets  # noqa: F401
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    found: Iterable[type[BasePlugin]] = get_mapping_from_secret_type_to_class().values()
    return sorted(
        (
            (plugin.__name__, _slug(str(plugin.secret_type)), plugin())
            for plugin in found
            if plugin.__name__ not in _LEFT_OUT
        ),
        key=lambda entry: entry[0],
    )


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
