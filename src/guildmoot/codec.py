"""Values as plain JSON data and back: the one place that knows how.

A NamedTuple is an object of its fields, a tuple a list, a path a text. Reading is strict: what does
not fit its type raises CodecError, which names the place. A key that the type does not have is left
aside, because a newer version may have written it; a missing one takes the field's default.
"""

from __future__ import annotations

import sys
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
    Decoder = Callable[[object], Any]


class CodecError(ValueError):
    """Data that does not fit its type; the message names the place."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(f"{where}: {problem}" if where else problem)
        self.problem = problem
        self.where = where

    def within(self, place: str) -> CodecError:
        """The same, seen from one level further out."""
        inner = self.where if not self.where or self.where[0] == "[" else f".{self.where}"
        return CodecError(self.problem, f"{place}{inner}")


def to_plain(value: Any) -> Any:  # noqa: ANN401 - any value, any JSON
    """The value as dicts, lists and scalars."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: to_plain(part) for name, part in zip(value._fields, value, strict=True)}
    if isinstance(value, tuple | list):
        return [to_plain(part) for part in value]
    if hasattr(value, "items"):
        return {str(key): to_plain(part) for key, part in value.items()}
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def from_plain(kind: type[T], data: object) -> T:
    """The value of that type which ``to_plain`` made the data from; CodecError when there is none."""
    of: Any = kind
    made: T = _decoder(of)(data)
    return made


@cache
def _decoder(kind: Any) -> Decoder:  # noqa: ANN401 - whatever stands in an annotation
    from collections.abc import Mapping
    from pathlib import Path
    from types import NoneType, UnionType
    from typing import Any, Literal, Union, get_args, get_origin

    origin, inner = get_origin(kind), get_args(kind)
    if kind is object or kind is Any:
        return lambda data: data
    if not isinstance(kind, type) and hasattr(kind, "words"):
        # A Literal of ``model.verdict``, which is made without typing.
        return _one_of(kind.words)
    if origin is Literal:
        return _one_of(inner)
    if origin in (Union, UnionType):
        return _either(inner)
    if origin is tuple and inner[-1:] != (...,):
        return _fixed(inner)
    if origin in (tuple, list):
        return _many(inner[0], origin)
    if origin in (dict, Mapping):
        return _mapping(inner[1])
    if hasattr(kind, "_fields"):
        return _record(kind)
    if kind is Path:
        return lambda data: Path(str(_scalar(str, "a text")(data)))
    scalars = {str: "a text", int: "a whole number", bool: "true or false", NoneType: "null"}
    if kind is float:
        return _scalar((float, int), "a number")
    if kind not in scalars:
        raise TypeError(f"{kind} cannot be read from JSON")
    return _scalar(kind, scalars[kind])


def _scalar(kind: Any, said: str) -> Decoder:  # noqa: ANN401 - a type, or several
    def decode(data: object) -> object:
        if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
            raise CodecError(f"{_shown(data)} is not {said}")
        return data

    return decode


def _one_of(words: tuple[object, ...]) -> Decoder:
    def decode(data: object) -> object:
        for word in words:
            if type(word) is type(data) and word == data:
                return word
        raise CodecError(f"{_shown(data)} is none of {', '.join(map(str, words))}")

    return decode


def _either(kinds: tuple[Any, ...]) -> Decoder:
    decoders = [_decoder(kind) for kind in kinds if kind is not type(None)]

    def decode(data: object) -> object:
        if data is None and len(decoders) < len(kinds):
            return None
        for number, decoder in enumerate(decoders, 1):
            try:
                return decoder(data)
            except CodecError:
                if number == len(decoders):
                    raise
        raise AssertionError("a union has members")

    return decode


def _many(kind: Any, made: Callable[[Any], object]) -> Decoder:  # noqa: ANN401 - an annotation
    decoder = _decoder(kind)

    def decode(data: object) -> object:
        rows = _list(data)
        return made([_at(decoder, row, f"[{number}]") for number, row in enumerate(rows)])

    return decode


def _fixed(kinds: tuple[Any, ...]) -> Decoder:
    decoders = [_decoder(kind) for kind in kinds]

    def decode(data: object) -> object:
        rows = _list(data)
        if len(rows) != len(decoders):
            raise CodecError(f"{len(rows)} entries in place of {len(decoders)}")
        pairs = enumerate(zip(decoders, rows, strict=True))
        return tuple(_at(decoder, row, f"[{number}]") for number, (decoder, row) in pairs)

    return decode


def _mapping(kind: Any) -> Decoder:  # noqa: ANN401 - an annotation
    decoder = _decoder(kind)
    return lambda data: {key: _at(decoder, part, key) for key, part in _object(data).items()}


def _record(kind: Any) -> Decoder:  # noqa: ANN401 - a NamedTuple class
    decoders = {name: _decoder(hint) for name, hint in _hints(kind).items()}
    required = [name for name in kind._fields if name not in kind._field_defaults]

    def decode(data: object) -> object:
        given = _object(data)
        for name in required:
            if name not in given:
                raise CodecError(f"{name} is missing")
        known = {name: given[name] for name in kind._fields if name in given}
        return kind(**{name: _at(decoders[name], part, name) for name, part in known.items()})

    return decode


def _hints(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - a NamedTuple class
    """The fields' types. Modules that start fast import some names for the type checker alone."""
    from collections.abc import Mapping, Sequence
    from typing import Literal

    space = {"Mapping": Mapping, "Sequence": Sequence, "Literal": Literal}
    space |= vars(sys.modules[kind.__module__])
    hints = {}
    for name, hint in kind.__annotations__.items():
        text = getattr(hint, "__forward_arg__", hint)
        hints[name] = eval(text, space) if isinstance(text, str) else hint  # noqa: S307 - our own
    return hints


def _at(decoder: Decoder, data: object, place: str) -> object:
    try:
        return decoder(data)
    except CodecError as error:
        raise error.within(place) from None


def _list(data: object) -> list[object]:
    if not isinstance(data, list | tuple):
        raise CodecError(f"{_shown(data)} is not a list")
    return list(data)


def _object(data: object) -> dict[str, object]:
    if not isinstance(data, dict):
        raise CodecError(f"{_shown(data)} is not an object")
    return data


def _shown(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:39]}…"
