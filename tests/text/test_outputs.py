"""Of what a failing program printed, the lines that say what went wrong are told."""

from __future__ import annotations

from guildmoot.text.outputs import telling_end


def test_the_line_that_names_the_fault_is_told_and_not_only_the_end():
    printed = "start\nTypeError: slug is not a function\n    at x.js:3\n\nNode.js v22\n"
    assert telling_end(printed) == "TypeError: slug is not a function; Node.js v22"
    assert telling_end("") == ""
    assert len(telling_end("error " + "x" * 9000)) <= 400
