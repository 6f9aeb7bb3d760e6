"""JSON leaves the program whole, whatever reads it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.system.jsonio import dumps, write

TEXT = st.text(st.characters(exclude_categories=()))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
LARGE = {"findings": [{"number": number, "text": "é" * 100} for number in range(20_000)]}


def joined(value: object) -> object:
    """Two halves of a pair side by side are one character once JSON has carried them."""
    escaped = json.dumps(value)
    return json.loads(escaped)


@given(VALUES)
def test_any_value_comes_back_as_it_was(value: object) -> None:
    out = io.BytesIO()
    assert write(value, out)
    assert json.loads(dumps(value).encode()) == joined(value)
    assert out.getvalue() == dumps(value).encode() + b"\n"


def test_it_is_indented_keeps_the_order_and_leaves_letters_readable() -> None:
    assert dumps({"b": ["é"], "a": {}}) == '{\n  "b": [\n    "é"\n  ],\n  "a": {}\n}'


def test_half_a_character_is_escaped_because_utf8_cannot_hold_it() -> None:
    assert dumps("caf\udce9") == '"caf\\udce9"'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")]])
def test_what_json_has_no_word_for_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        dumps(value)


@pytest.mark.parametrize("buffering", [0, 4096])
def test_a_slow_reader_of_a_non_blocking_pipe_gets_everything(buffering: int) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    received: list[bytes] = []
    with (
        open(writing, "wb", buffering=buffering) as out,
        open(reading, "rb", buffering=0) as source,
    ):
        reader = threading.Thread(
            target=lambda: received.extend(iter(lambda: source.read(999), b""))
        )
        reader.start()
        assert write(LARGE, out)
        out.close()
        reader.join()
    assert json.loads(b"".join(received)) == LARGE


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("length", [3, 200_000])
def test_a_reader_that_hangs_up_is_told_to_the_caller_and_to_nobody_else(
    length: int, unbuffered: str
) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    script = (
        "import sys; from guildmoot.system.jsonio import write; sys.stdin.read()\n"
        f"whole = write(list(range({length})), sys.stdout.buffer)\n"
        "sys.exit(0 if whole else 7)"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=environment, **pipes) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        child.stdin.close()  # now it may write
        assert child.stderr.read() == b""
        assert child.wait() == 7
