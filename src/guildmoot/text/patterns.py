"""Regular expressions that are compiled when they are first used: most commands need few of those they load."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import AnyStr, Generic, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_FACTS = ("pattern", "flags", "groups", "groupindex")


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The expression; a wrong one is told by its first use."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


@lru_cache(maxsize=64)
def stands_in(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text has it: a file of many findings is searched once."""
    return pattern.search(text) is not None


class _Lazy(Generic[AnyStr]):
    """Turns into the compiled expression, method by method, when anything of it is asked for."""

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._given: tuple[AnyStr, int] = pattern, flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS and name not in _FACTS:
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        self.__dict__.update({each: getattr(compiled, each) for each in (*_METHODS, *_FACTS)})
        return self.__dict__[name]
