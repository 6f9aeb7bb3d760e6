"""Masks secrets in a text, line by line, and lists what it masked.

Shapes of known tokens come first, then private keys, values of secret-sounding names,
random-looking runs, and what the plugins of detect-secrets add on the lines that any of these
made suspicious.

That library takes a fifth of a second to import and reads line by line, so it is imported when a text
gives reason, and sees only what stands around the suspicious run. Nothing is verified over the
network: the plugins' pattern functions are called, never their checks against a service.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from guildmoot.guard.entropy import jumbled_runs, long_runs, random_runs, suspicious_runs
from guildmoot.guard.families import SecretSpan, family_spans, private_key_spans
from guildmoot.guard.keywords import keyword_spans, url_password_spans
from guildmoot.model.packet import Masking

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

_MARKER = re.compile(r"\[masked:[a-z0-9-]{1,40}\]")
_LEFT_OUT = frozenset(
    {
        "IPPublicDetector",  # an address is no secret
        "PrivateKeyDetector",  # names the header only; guard.families masks the key
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


def mask(text: str, path: str) -> tuple[str, list[Masking]]:
    """The text with every secret replaced by ``[masked:KIND]``, and what was masked where.

    Lines keep their numbers, and masking a masked text changes nothing. ``path`` tells the kind of
    file, which decides whether ``name = value`` needs quotes to be a literal.
    """
    found: list[Masking] = []
    # What is left beside a marker may be a secret of its own. Each round turns text into markers,
    # which are never looked at again, so the rounds end.
    while spans := _merged(text, _find(text, path)):
        found += _listed(text, path, spans)
        text = _replaced(text, spans)
    return text, sorted(found, key=lambda masking: (masking.line, masking.kind))


def _find(text: str, path: str) -> list[SecretSpan]:
    # One byte a character, so that places found in the bytes are places in the text.
    view = text.encode("latin-1", "replace")
    runs = long_runs(view)
    jumbled = jumbled_runs(text, runs)
    spans = [
        *family_spans(text, view, runs),
        *private_key_spans(text, view),
        *keyword_spans(text, view.lower(), path),
        *url_password_spans(text, view),
    ]
    spans += [
        SecretSpan(start, end, "high-entropy", False) for start, end in random_runs(text, jumbled)
    ]
    spans += plugin_spans(text, suspicious_runs(text, jumbled))
    return spans


def _merged(text: str, spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Spans in order, none overlapping, none touching a marker; the surest names a union."""
    merged: list[SecretSpan] = []
    for span in sorted(_outside_markers(text, spans), key=lambda span: span.start):
        last = merged[-1] if merged else None
        if last and span.start < last.end:
            surest = span if span.certain and not last.certain else last
            merged[-1] = surest._replace(start=last.start, end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _outside_markers(text: str, spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """What is left of the spans when the markers of earlier masking are cut out of them."""
    markers = [match.span() for match in _MARKER.finditer(text)] if "[masked:" in text else []
    ends = [end for _, end in markers]
    for span in spans:
        start = span.start
        for first, last in markers[bisect_right(ends, start) :]:
            if first >= span.end:
                break
            if start < first:
                yield span._replace(start=start, end=first)
            start = last
        if start < span.end:
            yield span._replace(start=start)


def _listed(text: str, path: str, spans: list[SecretSpan]) -> Iterator[Masking]:
    line, seen = 1, 0
    for span in spans:
        line += text.count("\n", seen, span.start)
        seen = span.start
        yield Masking(path, line, span.kind, span.certain)


def _replaced(text: str, spans: list[SecretSpan]) -> str:
    pieces, seen = [], 0
    for span in spans:
        pieces += [text[seen : span.start], f"[masked:{span.kind}]"]
        seen = span.end
    return "".join(pieces) + text[seen:]


# --- a second opinion -----------------------------------------------------------------------------


def plugin_spans(text: str, runs: Iterable[tuple[int, int]]) -> Iterator[SecretSpan]:
    """What the plugins take for a secret on the line of each run, near to it."""
    for start, end in runs:
        if end - start <= _LONGEST:
            yield from _around(text, start, end)


def _around(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    first = max(text.rfind("\n", 0, start) + 1, start - _AROUND)
    line_end = text.find("\n", end)
    last = min(len(text) if line_end < 0 else line_end, end + _AROUND)
    piece = text[first:last]
    for name, kind, plugin in _plugins():
        for value in plugin.analyze_string(piece):
            at = piece.find(value)
            if at >= 0 and not _is_placeholder(value):
                yield SecretSpan(first + at, first + at + len(value), kind, name not in _LOOSE)


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
