"""Values as JSON data and back: the same value, or an error that names the place."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from guildmoot.codec import CodecError, from_plain, to_plain
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply, Usage
from guildmoot.model.council import CouncilReport
from guildmoot.model.report import RunReport


class Inner(NamedTuple):
    name: str
    size: float = 0.0


class Outer(NamedTuple):
    word: Literal["a", "b"]
    inner: tuple[Inner, ...] = ()
    pair: tuple[str, int] = ("", 0)
    maybe: Inner | None = None
    path: Path = Path()
    by_name: Mapping[str, Inner] = {}
    flag: bool | None = None
    anything: object = None
    many: list[int] = []


WHOLE = Outer(
    "b",
    (Inner("x", 1.5), Inner("y", 2)),
    ("p", 7),
    Inner("z"),
    Path("src/a.py"),
    {"k": Inner("v")},
    False,
    {"free": [1, None]},
    [1, 2],
)
AGENT = Agent(
    "n", "d", "b", "s", exit_codes=((1, "clean"),), severities=(("E", "low"),), blocks_at="never"
)


@pytest.mark.parametrize(
    "value",
    [
        WHOLE,
        Outer("a"),
        AGENT,
        Reply("a", "answered", "\ud800 words", usage=Usage(3, cost_usd=0.5)),
        Call(Seat("a", "b", "c", "d"), AGENT, "prompt", files=("x",), schema={"type": ["object"]}),
    ],
)
def test_a_value_comes_back_from_json_as_it_was(value):
    assert from_plain(type(value), json.loads(json.dumps(to_plain(value)))) == value


def test_what_a_newer_version_added_is_left_aside_and_what_is_missing_takes_its_default():
    assert from_plain(Inner, {"name": "x", "colour": "red"}) == Inner("x")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"word": "c"}, "word: 'c' is none of a, b"),
        ({"word": None}, "word: None is none of a, b"),
        ({"inner": {}}, "inner: {} is not a list"),
        ({"inner": [{"name": "x"}, {}]}, "inner[1]: name is missing"),
        ({"inner": [{"name": 1}]}, "inner[0].name: 1 is not a text"),
        ({"inner": [{"name": "x", "size": True}]}, "inner[0].size: True is not a number"),
        ({"pair": ["x"]}, "pair: 1 entries in place of 2"),
        ({"pair": ["x", 1.5]}, "pair[1]: 1.5 is not a whole number"),
        ({"maybe": []}, "maybe: [] is not an object"),
        ({"path": 3}, "path: 3 is not a text"),
        ({"by_name": {"k": {}}}, "by_name.k: name is missing"),
        ({"flag": 1}, "flag: 1 is not true or false"),
    ],
)
def test_what_does_not_fit_is_an_error_that_names_the_place(change, why):
    with pytest.raises(CodecError) as caught:
        from_plain(Outer, {**to_plain(WHOLE), **change})
    assert str(caught.value) == why


def test_the_words_of_the_model_are_checked_although_they_are_made_without_typing():
    plain = {**to_plain(AGENT), "severities": [["E", "terrible"]]}
    with pytest.raises(CodecError, match=r"severities\[0\]\[1\]: 'terrible' is none of critical"):
        from_plain(Agent, plain)


@pytest.mark.parametrize("kind", [Agent, Call, Reply, RunReport, CouncilReport])
def test_every_type_of_the_model_can_be_read(kind):
    with pytest.raises(CodecError, match="is missing"):
        from_plain(kind, {})


def test_what_json_has_no_word_for_is_refused():
    with pytest.raises(TypeError, match="set has no place in JSON"):
        to_plain({1})


def test_importing_it_costs_next_to_nothing():
    program = (
        "import sys, guildmoot.codec; print('typing' in sys.modules, 'pathlib' in sys.modules)"
    )
    argv = [sys.executable, "-S", "-E", "-c", program]
    source = str(Path(__file__).parents[1] / "src")
    done = subprocess.run(argv, capture_output=True, text=True, cwd=source)
    assert done.stdout.split() == ["False", "False"], done.stderr
