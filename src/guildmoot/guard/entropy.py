"""Finds runs of characters that look drawn at random, as keys and tokens are.

A run is random-looking when it changes between lower case, upper case and digits far more often
than names made of words do, and when its characters are spread widely. Hashes that name a commit
or a file are left alone: they are public, and judges need them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from math import log2

SHORTEST = 20

# No "=": it is padding at the end of base64, where leaving it tells nothing, and otherwise it
# stands between a name and a value.
_WORD, _JOINT, _MIXED = (
    b"abcdefghijklmnopqrstuvwxyz",
    b"_-",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
)
# Every byte of the alphabet becomes "a" and every other a space, so that one plain search for many
# "a" finds the runs: far faster than a regular expression that retries at each character.
_FLAT = bytes(97 if byte in _WORD + _JOINT + _MIXED else 32 for byte in range(256))
# The same in three classes, to tell a name in small letters from a jumble.
_CLASSES = bytes(
    97 if b in _WORD else 66 if b in _MIXED else 95 if b in _JOINT else 32 for b in range(256)
)
_SHORTEST_RUN = 15
_NEEDLE = b"a" * _SHORTEST_RUN

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_JUMBLED = re.compile(r"[0-9]|[a-z][A-Z]")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PUBLIC_BEFORE = re.compile(
    r"(?:run-|base64,|ssh-[a-z0-9-]+ |ecdsa-[a-z0-9-]+ "
    r"|(?-i:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?:commit|sha-?\d*|tree|parent|head|rev|revision|blob|index|object|hash|digest|checksum"
    r"|integrity|md5|etag|fingerprint|merge|tag|ref)s?[\"'()\]]*[ \t]*[:=@/ -]?[ \t]*[\"']?)\Z",
    re.IGNORECASE,
)
_PUBLIC_STARTS = (
    "AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", "sha256-", "sha384-", "sha512-", "run-",
)  # fmt: skip
_HASH_LENGTHS = (40, 64)


def long_runs(view: bytes) -> list[tuple[int, int]]:
    """Start and end of each run of fifteen or more characters that a key could be.

    Names in small letters, joined by ``_`` or ``-``, are most of the runs of any source and are
    left out, unless they hold a word so long that it is none.
    """
    flat, classes = view.translate(_FLAT), view.translate(_CLASSES)
    runs = []
    start = flat.find(_NEEDLE)
    while start >= 0:
        end = flat.find(b" ", start + _SHORTEST_RUN)
        end = len(flat) if end < 0 else end
        if classes.find(b"B", start, end) >= 0 or classes.find(_NEEDLE, start, end) >= 0:
            runs.append((start, end))
        start = flat.find(_NEEDLE, end)
    return runs


def jumbled_runs(text: str, runs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that hold a digit, or a capital after a small letter."""
    return [run for run in runs if _JUMBLED.search(text, *run)]


def random_runs(text: str, jumbled: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those of the jumbled runs, or their parts, that look random and name nothing public."""
    for start, end in jumbled:
        if end - start < SHORTEST:
            continue
        for first, last in _parts(text, start, end):
            run = text[first:last]
            if looks_random(run) and not _is_public(run, text[max(0, first - 40) : first]):
                yield first, last


def suspicious_runs(text: str, jumbled: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of the jumbled runs that mix letters and digits more than names do."""
    return [
        (start, end)
        for start, end in jumbled
        if len(_DIGIT.findall(text, start, end)) > 1
        and _LETTER.search(text, start, end)
        and _piece_length(text[start:end]) < 4
    ]


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The run itself, or, when its slashes make it a path, each part that is long enough."""
    if text.count("/", start, end) < 2 or _piece_length(text[start:end]) < 2.2:
        yield start, end
        return
    for part in text[start:end].split("/"):
        if len(part) >= SHORTEST:
            yield start, start + len(part)
        start += len(part) + 1


def looks_random(run: str) -> bool:
    """Whether the characters look drawn from a hat rather than written as words."""
    core = run.strip("/+-_")
    if len(core) < 16 or not _LETTER.search(core):
        return False
    if _HEX.fullmatch(core):
        return spread(core) >= 2.9 and len(_LETTER.findall(core)) > 2
    return _piece_length(core) < _longest_piece(core) and spread(core) >= 3.3


def spread(core: str) -> float:
    """Shannon's entropy in bits a character."""
    size = len(core)
    return -sum(n / size * log2(n / size) for n in Counter(core).values())


def _piece_length(core: str) -> float:
    """How many characters of one kind stand together on average: about 2 by chance, 5 in words."""
    pieces = _PIECES.findall(core)
    return sum(map(len, pieces)) / max(1, len(pieces))


def _longest_piece(core: str) -> float:
    if not _DIGIT.search(core):
        return 1.9  # only a jumble of cases: kQzRtYbN, not getUserNameById
    one_case = core.isalnum() and (core.islower() or core.isupper())
    return 4.0 if one_case else 2.6


def _is_public(run: str, before: str) -> bool:
    if len(run) in _HASH_LENGTHS and _HEX.fullmatch(run):
        return True
    if run.startswith(_PUBLIC_STARTS) or _UUID.search(run):
        return True
    return _PUBLIC_BEFORE.search(before) is not None
