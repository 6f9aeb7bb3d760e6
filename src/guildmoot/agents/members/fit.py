"""Whether a call fits what its function takes, in whatever language. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from guildmoot.named import NamedTuple

ANY = 1 << 30
"""More arguments than anybody writes."""

Given = TypeVar("Given")


class Takes(NamedTuple):
    """What one form of a function takes."""

    least: int
    most: int
    names: tuple[str, ...] = ()
    """Of its parameters, where a call may name them."""


Forms = tuple[Takes, ...]
"""All forms of a function: one where a language knows no others."""


def fits(given: int, named: Collection[str], forms: Forms) -> bool:
    """Whether a form takes so many arguments, and has those that are given by name."""
    return any(
        each.least <= given <= each.most and all(name in each.names for name in named)
        for each in forms
    )


def is_otherwise(given: Given, past: Collection[Given] | None) -> bool:
    """Whether a file called the same thing before, and never gave it this: wherever the lines of the call broke."""
    return bool(past) and past is not None and given not in past


def shown(forms: Forms, named: Collection[str] = ()) -> str:
    """The numbers that would fit, and a name that no form has."""
    numbers = " or ".join(dict.fromkeys(_range(each.least, each.most) for each in sorted(forms)))
    strange = [name for name in named if not any(name in each.names for each in forms)]
    return f"{numbers}, none called `{strange[0]}`" if strange else numbers


def _range(least: int, most: int) -> str:
    if most == ANY:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def both(one: Forms | None, other: Forms | None) -> Forms | None:
    """The forms of two declarations; None where one of them is not known."""
    if one is None or other is None:
        return None
    return tuple(dict.fromkeys((*one, *other)))
