"""Named tuples made without ``typing``, which takes a third of a millisecond for each.

A command loads some two hundred of them and fills few. So a class here begins with its fields alone; what
makes a tuple from arguments is made when the class is first called. To a type checker it is typing's own.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import NamedTuple as NamedTuple
    from typing import Self
else:
    from collections import _tuplegetter
    from functools import cache
    from types import FunctionType

    class _Record(tuple):
        """What all of them can do, as ``collections.namedtuple`` says it."""

        __slots__ = ()

        @classmethod
        def _make(cls, values: Iterable[object]) -> Self:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes: object) -> Self:
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise TypeError(f"Got unexpected field names: {list(changes)!r}")
            return made

        __replace__ = _replace

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            pairs = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join(f'{name}={each!r}' for name, each in pairs)})"

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

    class _Maker(type):
        """Turns a class statement with fields into a named tuple, as typing.NamedTuple does."""

        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, object]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space["__annotations__"])
            defaults = {field: space.pop(field) for field in fields if field in space}
            getters = {field: _tuplegetter(at, "") for at, field in enumerate(fields)}
            facts = {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            new = {"__slots__": (), "__new__": _first_call(fields, defaults)}
            generic = bases[1:]
            return type(name, (_Record, *generic), facts | getters | new | space)

    def _first_call(fields: tuple[str, ...], defaults: dict[str, object]) -> object:
        def first(cls: type, *given: object, **named: object) -> tuple[object, ...]:
            owner = next(each for each in cls.__mro__ if each.__dict__.get("_fields") is fields)
            name = f"{owner.__name__}.__new__"
            code = _constructor(len(fields)).replace(
                co_varnames=("_cls", *fields), co_name="__new__", co_qualname=name
            )
            values = tuple(defaults.values())
            real = FunctionType(code, {"_new": tuple.__new__}, name, values)
            owner.__new__ = staticmethod(real)
            return real(cls, *given, **named)

        return first

    @cache
    def _constructor(count: int) -> CodeType:
        """What makes a tuple of so many fields; compiling is dear, giving the fields other names is not."""
        names = "".join(f"_{each}, " for each in range(count))
        text = f"lambda _cls, {names}: _new(_cls, ({names}))"
        return eval(text).__code__  # noqa: S307 of numbers alone

    class NamedTuple(metaclass=_Maker):
        """Stands in for typing.NamedTuple."""
