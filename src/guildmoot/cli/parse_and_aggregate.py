"""``guild parse-and-aggregate``: judges' outputs on standard input, the panel's result on output.

Kept lean: agents call it on every step, so it imports nothing that it does not need.
"""

from __future__ import annotations

import json
import sys

from guildmoot.consensus.panel import aggregate, seed_shape
from guildmoot.reading.grammar import read_verdict

_ERROR = "parse-and-aggregate-error"
_USAGE = """usage: guild parse-and-aggregate [--expect=A,B] < OUTPUTS.json

With --expect, a named agent that gave no output keeps the panel from approving.

Reads a JSON array of {"agent", "output"} from standard input and prints the
panel's result as JSON: verdict, blocking_findings, advisory_findings,
cli_runs, conflicts, agent_signals. Exit code 1 means that the input could not
be read; the verdict is in the result.
"""


def main(argv: list[str]) -> int:
    """Run the verb; other arguments than ``--help`` and ``--expect=`` are ignored, as in the seeds."""
    if "--help" in argv or "-h" in argv:
        sys.stdout.write(_USAGE)
        return 0
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        outputs = read_outputs(text)
    except ValueError as wrong:
        sys.stderr.write(f"{_ERROR}: {wrong}\n")
        return 1
    judgements = [read_verdict(output, agent, places=False) for agent, output in outputs]
    wanted = [name for word in argv if word[:9] == "--expect=" for name in word[9:].split(",")]
    _write(pretty(seed_shape(aggregate(judgements, expected=wanted))) + "\n")
    return 0


def read_outputs(text: str) -> list[tuple[str, str]]:
    """Agent and output of every entry; ValueError says what is wrong with the input."""
    if not text.strip():
        raise ValueError("empty input; pipe a JSON array of {agent, output} to standard input")
    try:
        entries = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as wrong:
        raise ValueError(f"standard input is not valid JSON: {wrong}") from None
    if not isinstance(entries, list):
        raise ValueError("standard input must be a JSON array of {agent, output}")
    return [_entry(number, entry) for number, entry in enumerate(entries)]


def _entry(number: int, entry: object) -> tuple[str, str]:
    if not isinstance(entry, dict):
        raise ValueError(f"entry {number} is not an object")
    for key in ("agent", "output"):
        if not isinstance(entry.get(key), str):
            raise ValueError(f"entry {number} has no string {key!r}")
    return entry["agent"], entry["output"]


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def pretty(value: object, margin: str = "\n") -> str:
    """JSON with two spaces of indentation; several times as fast as ``json.dumps(indent=2)``."""
    inner = margin + "  "
    if isinstance(value, dict):
        rows = [f"{_quote(key)}: {pretty(held, inner)}" for key, held in value.items()]
        return "{" + inner + ("," + inner).join(rows) + margin + "}"
    if isinstance(value, list):
        rows = [pretty(held, inner) for held in value]
        return "[" + inner + ("," + inner).join(rows) + margin + "]" if rows else "[]"
    return _quote(value) if isinstance(value, str) else json.dumps(value)


_quote = json.encoder.encode_basestring


def _write(text: str) -> None:
    """All of it, as UTF-8; half of a surrogate pair is escaped, as JSON allows."""
    out = sys.stdout.buffer
    rest = memoryview(text.encode("utf-8", "backslashreplace"))
    while rest:  # an unbuffered or non-blocking stream takes a part only
        try:
            taken = out.write(rest)
        except BlockingIOError as busy:
            taken = busy.characters_written
        if not taken:
            _wait_for_reader()
        rest = rest[taken or 0 :]
    out.flush()


def _wait_for_reader() -> None:
    from select import select

    select([], [sys.stdout.buffer], [])
