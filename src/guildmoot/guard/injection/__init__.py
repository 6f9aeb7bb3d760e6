"""Finds text that speaks to a model as if it could give it orders: one rule for ingest, recall and handoff.

Pure: a text in, findings with their places out. What a caller makes of them (pause, quarantine, flag) is for the
caller. Patterns alone, so a clever author gets past it; what is wrapped, escaped and marked as data protects
where this does not. Words of software documentation that merely look alike ("override the default rules", "act
as a proxy") are no findings; how often it errs is measured in ``tests/guard/test_injection.py``.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.guard.injection.rules import BEGINS, RULES
from guildmoot.text.clean import UNSEEN
from guildmoot.text.patterns import lazy


class Injection(NamedTuple):
    """A stretch of text that tries to give orders."""

    start: int
    end: int
    """Places in the text as it was given."""
    kind: str
    """``override``, ``role``, ``reveal``, ``conceal``, ``addressed``, ``verdict``, ``markup``, ``hidden`` or
    ``exfiltrate``."""
    text: str
    """What stands there, at most 200 characters."""


_MOST = 50
"""Findings of one text: more say nothing new."""
_SHOWN = 200
_TAG_TEXT = lazy("[\U000e0020-\U000e007e]{4,}")
"""Letters that no screen shows and that models read."""
_ODD = lazy(
    f"[{UNSEEN}]|[\uff01-\uff5e\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9]"
    r"|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});"
    r"|(?:[*`~^]{1,3}|</?[a-zA-Z][^<>\n]{0,60}>|<!--[^<>\n]{0,60}-->){1,4}(?=[^\W\d_])"
)
"""What is read as something else than it is written: unseen letters, other alphabets' forms, entities, and marks or
tags within a word."""
_UNSEEN = lazy(f"[{UNSEEN}]")
_MAYBE_ODD = lazy(f"[{UNSEEN}\uff01-\uff5e\U0001d400-\U0001d7ff\u2100-\u214f\u24b6-\u24e9&*`~^<]")
_MIXED = lazy(r"(?<![^\W\d_])[^\W\d_]{0,40}?(?:[a-z][\u0370-\u04ff]|[\u0370-\u04ff][a-z])[^\W\d_]*")
_LOOKALIKES = str.maketrans("аеорсухіѕјԁһӏοαενιтмкв", "aeopcyxisjdhloaevitmkb")


def find_injections(text: str) -> tuple[Injection, ...]:
    """The stretches of the text that try to give orders, in order; at most fifty."""
    folded, cuts = _folded(text)
    found = [
        Injection(hit.start(), hit.end(), "hidden", "(invisible text)")
        for hit in _TAG_TEXT.finditer(text)
    ]
    for kind, start, end in _hits(folded):
        first, last = _original(start, cuts), _original(end - 1, cuts) + 1
        found.append(Injection(first, last, kind, " ".join(text[first:last].split())[:_SHOWN]))
    return _outermost(found)[:_MOST]


def as_read(text: str) -> str:
    """A text in small letters, without what no reader sees and with what is written in disguise as it is read."""
    return _folded(text)[0]


def _hits(folded: str) -> Iterator[tuple[str, int, int]]:
    for rule, needles in _PLAIN_RULES if folded.isascii() else _ALL_RULES:
        for needle in needles:
            if needle in folded:
                break
        else:
            continue
        for number, hit in enumerate(rule.pattern.finditer(folded)):
            if number >= _MOST:
                break
            if rule.ordered and not BEGINS.search(folded, max(0, hit.start() - 24), hit.start()):
                continue
            yield rule.kind, hit.start(), hit.end()


_ALL_RULES = tuple((rule, rule.needles) for rule in RULES)
_PLAIN_RULES = tuple(
    (rule, plain) for rule in RULES if (plain := tuple(filter(str.isascii, rule.needles)))
)
"""Those that can match in a text of ASCII letters."""


def _outermost(found: list[Injection]) -> tuple[Injection, ...]:
    """Without those that begin inside another."""
    kept: list[Injection] = []
    for each in sorted(found, key=lambda each: (each.start, -each.end, each.kind)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(kept)


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text as it is read: lower case, without disguises; and where its stretches begin in the original."""
    pieces, cuts, seen, length = [], [(0, 0)], 0, 0
    for odd in _odd(text):
        plain = _plain(odd[0])
        before = text[seen : odd.start()]
        pieces += [before, plain]
        length += len(before) + len(plain)
        seen = odd.end()
        cuts += [(length - len(plain), odd.start())] * bool(plain) + [(length, seen)]
    if not pieces and text.isascii():
        return text.lower(), []
    pieces.append(text[seen:])
    low = "".join(pieces).replace("\u0130", "i").lower()
    if low.isascii():
        return low, cuts
    return _MIXED.sub(lambda word: word[0].translate(_LOOKALIKES), low), cuts


def _odd(text: str) -> Iterator[re.Match[str]]:
    """The disguises of a text; marks and tags count only within a word."""
    end = 0
    for place in _MAYBE_ODD.finditer(text):
        at = place.start()
        if at < end or (place[0] in "*`~^<" and not text[at - 1 : at].isalpha()):
            continue
        found = _ODD.match(text, at)
        if found:
            yield found
            end = found.end()


def _plain(odd: str) -> str:
    """What a reader sees of a disguise."""
    if odd.startswith("&") and len(odd) > 1:
        seen = " " if (seen := html.unescape(odd)).isspace() else seen
        return seen if seen.isprintable() and not _UNSEEN.match(seen) else ""
    if len(odd) > 1 or not odd.isprintable() or odd in "*`~^":
        return ""
    return unicodedata.normalize("NFKC", odd)


def _original(place: int, cuts: list[tuple[int, int]]) -> int:
    if not cuts:
        return place
    folded, original = cuts[bisect_right(cuts, (place, 1 << 62)) - 1]
    return original + place - folded
