"""Our named tuples are what typing's are, made faster."""

from __future__ import annotations

import pickle
import subprocess
import sys
import typing

import pytest

from guildmoot.codec import from_plain, to_plain
from guildmoot.named import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: tuple[str, ...] = ()

    @property
    def far(self) -> bool:
        return self.x > 9


class Typed(typing.NamedTuple):
    """A place."""

    x: int
    y: tuple[str, ...] = ()


T = typing.TypeVar("T")


class Pair(NamedTuple, typing.Generic[T]):
    """Two of a kind."""

    first: T
    second: T


def test_they_may_be_generic() -> None:
    mine = Pair[int](1, 2)
    assert mine == (1, 2) == Pair(1, 2)
    assert typing.get_origin(Pair[int]) is Pair
    assert type(mine) is Pair


@pytest.mark.parametrize("given", [((1,), {}), ((), {"x": 1, "y": ("a",)}), ((1, ("b",)), {})])
def test_they_are_made_as_those_of_typing_are(given: typing.Any) -> None:
    values, named = given
    mine, theirs = Point(*values, **named), Typed(*values, **named)
    assert mine == theirs
    assert hash(mine) == hash(theirs)
    assert repr(mine) == repr(theirs).replace("Typed", "Point")
    assert mine._asdict() == theirs._asdict()
    assert mine._replace(x=12).far
    assert not mine.far
    assert pickle.loads(pickle.dumps(mine)) == mine
    assert from_plain(Point, to_plain(mine)) == mine


def test_what_does_not_fit_is_an_error_that_names_the_type() -> None:
    with pytest.raises(TypeError, match=r"Point\.__new__.*'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected"):
        Point(1)._replace(z=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Expected 2"):
        Point._make((1,))


def test_they_tell_their_fields_to_patterns_and_to_readers() -> None:
    match Point(1, ("a",)):
        case Point(x, y):
            assert (x, y) == (1, ("a",))
    assert Point._fields == Typed._fields
    assert Point._field_defaults == Typed._field_defaults
    assert typing.get_type_hints(Point) == typing.get_type_hints(Typed)


def test_what_a_judgement_loads_makes_few_of_them_with_typing() -> None:
    count = (
        "import typing\n"
        "made, old = [], typing.NamedTupleMeta.__new__\n"
        "def new(cls, name, *rest): made.append(name); return old(cls, name, *rest)\n"
        "typing.NamedTupleMeta.__new__ = new\n"
        "import guildmoot.api.judge, guildmoot.agents.tools.nursery\n"
        "print(len(made))"
    )
    said = subprocess.run([sys.executable, "-c", count], capture_output=True, check=True)
    assert int(said.stdout) < 30
