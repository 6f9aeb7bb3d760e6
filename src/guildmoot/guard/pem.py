"""Finds private key blocks, in files of their own, in source, in JSON strings and in diffs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.guard.entropy import looks_random
from guildmoot.guard.families import Span

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----")
# What a line of a key can look like: base64 with a quote, a comment sign or an escaped newline
# beside it, or one of the headers of old formats.
_LINE = re.compile(
    r"[^A-Za-z0-9\n]{0,12}(?P<base64>[A-Za-z0-9+/]+={0,2}|=[A-Za-z0-9+/]{4})?(?:\\[nr])*"
    r"[\"'`,;)\\+ \t\r]{0,8}$"
    r"|[^A-Za-z0-9\n]{0,12}(?P<header>Proc-Type|DEK-Info|Key-Info|Comment|Version|Hash)\b[^\n]*$",
    re.MULTILINE,
)
_RUN = re.compile(r"[A-Za-z0-9+/]{16,}")
_KNOWN_STARTS = ("MII", "MIG", "MC4", "b3BlbnNzaC1r")
_LONGEST = 50_000
_START = 2_000  # a key begins right after its header


def private_key_spans(text: str, view: bytes) -> Iterator[Span]:
    """The lines of every private key block; a lone header, as in a parser's source, is no key."""
    if b"PRIVATE KEY" not in view:
        return
    for begin in _BEGIN.finditer(text):
        end = _block_end(text, begin)
        if end is not None:
            yield from _each_line(text, begin.start(), end)


def _block_end(text: str, begin: re.Match[str]) -> int | None:
    """Where the block ends: at its footer, or after the last line that can belong to it."""
    footer = f"-----END {begin[1]}-----"
    at = text.find(footer, begin.end(), begin.end() + _LONGEST)
    if at >= 0:
        body = text[begin.end() : at]
        return at + len(footer) if _is_key(body) else None
    end = _last_line(text, _line_end(text, begin.end()))
    return end if _has_material(text[begin.end() : end]) else None


def _last_line(text: str, end: int) -> int:
    """Where a block without a footer ends: after the lines that cannot be anything but a key."""
    after_header = False
    while end < len(text) and (line := _LINE.match(text, end + 1)):
        base64 = line["base64"] or ""
        is_last = len(base64) < 16 and base64.endswith("=")
        if len(base64) < 16 and not (is_last or line["header"] or after_header):
            break
        after_header = bool(line["header"])
        end = line.end()
        if is_last:
            break
    return end


def _is_key(body: str) -> bool:
    """Base64 that looks random, or nothing but lines of a key, however short the sample."""
    lines = [line for line in body.split("\n") if line.strip(" \t\r+-")]
    return _has_material(body) or (len(lines) > 1 and all(map(_LINE.match, lines)))


def _has_material(body: str) -> bool:
    # Anywhere in the run: in a JSON string the "n" of an escaped newline stands before it.
    return any(
        looks_random(run) or any(start in run for start in _KNOWN_STARTS)
        for run in _RUN.findall(body[:_START])
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _each_line(text: str, start: int, end: int) -> Iterator[Span]:
    """One span a line, so that masking keeps the number of lines; indentation is kept too."""
    while start < end:
        stop = min(_line_end(text, start), end)
        body = text[start:stop].lstrip(" \t")
        if body.strip():
            yield Span(stop - len(body), stop, "private-key", True)
        start = stop + 1
