"""The one place where JSON leaves the program: how it looks, and how it gets out whole.

What goes into it is for the callers; nothing here knows what a verdict is. Imports little, because
verbs that must start fast write through it.
"""

from __future__ import annotations

import json
import os
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)
_quote = json.encoder.encode_basestring
_scalar = json.JSONEncoder(allow_nan=False).encode
_PLAIN = frozenset((str, int, float, bool, type(None)))
_FLAT: dict[str, Callable[[object], str]] = {}
"""Encoders of flat objects, by how far their rows are indented."""
_CHUNKS = 4096  # tokens a write: a few tens of kilobytes, whatever the size of the value


def dumps(value: object) -> str:
    """The value as indented JSON that UTF-8 can carry, without a final newline.

    Keys keep their order. NaN and infinities raise ValueError: JSON has no word for them.
    """
    try:
        return _carriable(pretty(value))
    except (TypeError, RecursionError):  # keys that are no text, endless values: told as ever
        return _carriable(_ENCODER.encode(value))


def pretty(value: object, margin: str = "\n") -> str:
    """What the library's indented encoder gives, several times as fast; ``write_text`` carries it."""
    inner = margin + "  "
    if isinstance(value, dict):
        if value and all(map(_is_plain, value.values())):
            return "{" + inner + _flat(inner)(value)[1:-1] + margin + "}"
        rows = [f"{_quote(key)}: {pretty(held, inner)}" for key, held in value.items()]
        return "{" + inner + ("," + inner).join(rows) + margin + "}" if rows else "{}"
    if isinstance(value, list | tuple):
        rows = [pretty(held, inner) for held in value]
        return "[" + inner + ("," + inner).join(rows) + margin + "]" if rows else "[]"
    return _quote(value) if isinstance(value, str) else _scalar(value)


def _is_plain(value: object) -> bool:
    return type(value) in _PLAIN or value in ([], {})


def _flat(inner: str) -> Callable[[object], str]:
    """Writes an object that holds no other, in one go: the library does that natively."""
    found = _FLAT.get(inner)
    if found is None:
        apart = (f",{inner}", ": ")
        encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=apart)
        found = _FLAT[inner] = encoder.encode
    return found


def write_text(text: str, out: IO[bytes]) -> None:
    """Write a piece of JSON, all of it, however slowly the reader takes it."""
    _write_all(out, _utf8(text))
    _flush(out)


def write(value: object, out: IO[bytes]) -> bool:
    """Write the value and a newline, however slowly the reader takes it.

    False means that the reader hung up; what is left to write then goes nowhere, quietly.
    """
    tokens = _ENCODER.iterencode(value)
    try:
        for text in _joined(tokens):
            _write_all(out, _utf8(text))
        _write_all(out, b"\n")
        _flush(out)
    except BrokenPipeError:
        _discard(out)
        return False
    return True


def _joined(tokens: Iterator[str]) -> Iterator[str]:
    while text := "".join(islice(tokens, _CHUNKS)):
        yield text


def _carriable(text: str) -> str:
    return _utf8(text).decode()


def _utf8(text: str) -> bytes:
    """Names that are not UTF-8 reach us as lone surrogates; JSON can escape them."""
    return text.encode("utf-8", "backslashreplace")


def _write_all(out: IO[bytes], data: bytes) -> None:
    """An unbuffered or non-blocking stream may take a part only; the rest is offered again."""
    rest = memoryview(data)
    while rest:
        try:
            taken = out.write(rest)
        except BlockingIOError as busy:
            taken = busy.characters_written
        if not taken:
            _wait(out)
        rest = rest[taken or 0 :]


def _flush(out: IO[bytes]) -> None:
    while True:
        try:
            return out.flush()
        except BlockingIOError:
            _wait(out)


def _wait(out: IO[bytes]) -> None:
    from select import select

    select([], [out], [])


def _discard(out: IO[bytes]) -> None:
    """Point the stream at nothing, so that the interpreter's own flush at exit cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())
    os.close(nowhere)
