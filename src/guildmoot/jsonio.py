"""The one place where JSON leaves the program: how it looks, and how it gets out whole.

What goes into it is for the callers; nothing here knows what a verdict is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import IO

_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)
_CHUNKS = 4096  # tokens a write: a few tens of kilobytes, whatever the size of the value


def dumps(value: object) -> str:
    """The value as indented JSON that UTF-8 can carry, without a final newline.

    Keys keep their order. NaN and infinities raise ValueError: JSON has no word for them.
    """
    return _carriable(_ENCODER.encode(value))


def write(value: object, out: IO[bytes]) -> bool:
    """Write the value and a newline, however slowly the reader takes it.

    False means that the reader hung up; what is left to write then goes nowhere, quietly.
    """
    tokens = _ENCODER.iterencode(value)
    try:
        for text in _joined(tokens):
            _write_all(out, _carriable(text).encode())
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
    """Names that are not UTF-8 reach us as lone surrogates; JSON can escape them."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _write_all(out: IO[bytes], data: bytes) -> None:
    """An unbuffered or non-blocking stream may take a part only; the rest is offered again."""
    rest = memoryview(data)
    while rest:
        try:
            taken = out.write(rest)
        except BlockingIOError as busy:
            taken = busy.characters_written
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
