"""Masks secrets in a text, line by line, and lists what it masked.

What counts: tokens of known families, private keys, and values beside a telling name.
That something looks random is no reason by itself: identifiers, hashes and constants stay readable.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator

from guildmoot.guard.blocks import command_spans, crowded_places, private_key_spans, split_spans
from guildmoot.guard.families import SecretSpan, family_spans
from guildmoot.guard.keywords import is_code, is_said, keyword_spans
from guildmoot.guard.values import compiled, looks_random
from guildmoot.model.packet import Masking

_MARKER = r"\[masked:[a-z0-9-]{1,40}\]|\bmasked_[a-z0-9_]{1,40}\b"
_BREAK = "[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+"
_LINE = "[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+"
# A token, or words without signs, as in a pass phrase; anything else could be code.
_PLAIN = r"(?!!)[\w+/=.:@%~^#!*$?,-]+|[^\W_]+(?: [^\W_]+)*"
# A value that is no word of code: digits, small letters and something else.
_DISTINCT = r"(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z!#$%&*?@^])[^\s\"'`]{8,200}"
_TELLING = ("secret", "url-password")
"""Kinds that a name or a place tells, and not the value."""
_ROUNDS = 8
_CROWD = 1 << 15
_LARGE = 4_000_000


def mask(text: str, path: str, told: set[str] | None = None) -> tuple[str, list[Masking]]:
    """The text with every secret replaced by ``[masked:KIND]``, and what was masked where.

    Lines keep their numbers, masking a masked text changes nothing, and code stays code: where an
    unquoted word is a name, the mask is one too. ``path`` tells the kind of file; ``told`` takes the
    values that no other word looks like.
    """
    text, found = _thinned(text, path)
    # What is left beside a marker may be a secret of its own. Each round turns text into markers,
    # which are never looked at again, so the rounds end.
    for _ in range(_ROUNDS if len(text) < _LARGE else 2):
        spans = _merged(text, _find(text, path))
        if not spans:
            break
        found += _listed(text, path, spans)
        if told is not None:
            values = (text[span.start : span.end] for span in spans if span.kind != "private-key")
            told.update(value for value in values if compiled(_DISTINCT).fullmatch(value))
        text = _replaced(text, spans, path)
    return text, sorted(found, key=lambda masking: (masking.line, masking.kind))


def _thinned(text: str, path: str) -> tuple[str, list[Masking]]:
    """Without the stretches of a large text in which every few letters something must be looked at.

    Nobody writes so; line by line they are held back whole, so that they take no time.
    """
    if len(text) < 4 * _CROWD:
        return text, []
    low = text.encode("latin-1", "replace").lower()
    counts = Counter(place // _CROWD for place in crowded_places(low))
    full = sorted(part for part, count in counts.items() if count > _CROWD // 64)
    pieces, found, seen, line = [], [], 0, 1
    for start in (part * _CROWD for part in full):
        line += text.count("\n", seen, start)
        found.append(Masking(path, line, "crowded", certain=False, hides=True))
        crowd = text[start : start + _CROWD]
        pieces += [text[seen:start], compiled(_LINE).sub("[masked:crowded]", crowd)]
        line += crowd.count("\n")
        seen = start + _CROWD
    return "".join(pieces) + text[seen:], found


def _find(text: str, path: str) -> list[SecretSpan]:
    # One byte a character, so that places found in the bytes are places in the text.
    low = text.encode("latin-1", "replace").lower()
    return [
        *family_spans(text),
        *private_key_spans(text),
        *keyword_spans(text, low, path),
        *command_spans(text, low),
        *split_spans(text),
    ]


def _merged(text: str, spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Spans in order, none overlapping, none touching a marker; the surest names a union."""
    merged: list[SecretSpan] = []
    for span in sorted(_outside_markers(text, _within_lines(text, spans))):
        last = merged[-1] if merged else None
        if last and span.start < last.end:
            surest = span if span.certain and not last.certain else last
            merged[-1] = surest._replace(
                start=last.start, end=max(last.end, span.end), hides=last.hides or span.hides
            )
        else:
            merged.append(span)
    return merged


def _within_lines(text: str, spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    for span in spans:
        start = span.start
        for cut in compiled(_BREAK).finditer(text, span.start, span.end):
            if start < cut.start():
                yield span._replace(start=start, end=cut.start())
            start = cut.end()
        if start < span.end:
            yield span._replace(start=start)


def _outside_markers(text: str, spans: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """What is left of the spans when the markers of earlier masking are cut out of them."""
    markers = (
        [match.span() for match in compiled(_MARKER).finditer(text)] if "masked" in text else []
    )
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
        value = text[span.start : span.end]
        hides = span.hides or not compiled(_PLAIN).fullmatch(value)
        random = not span.certain and span.kind in _TELLING and looks_random(value)
        yield Masking(path, line, span.kind, span.certain, hides, random)


def _replaced(text: str, spans: list[SecretSpan], path: str) -> str:
    code = is_code(path)
    pieces, seen = [], 0
    for span in spans:
        bare = code and not is_said(text, span.start)
        mark = f"masked_{span.kind.replace('-', '_')}" if bare else f"[masked:{span.kind}]"
        pieces += [text[seen : span.start], mark]
        seen = span.end
    return "".join(pieces) + text[seen:]
