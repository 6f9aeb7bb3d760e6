"""``guild parse-and-aggregate``: judges' outputs on standard input, the panel's result on output.

Kept lean: agents call it on every step, so it imports nothing that it does not need.
"""

from __future__ import annotations

import json
import sys

from guildmoot.consensus.panel import aggregate, seed_shape
from guildmoot.reading.grammar import read_verdict
from guildmoot.system.jsonio import pretty, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from guildmoot.model.verdict import Conflict, Judgement

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
    judgements = [_read(output, agent) for agent, output in outputs]
    wanted = [name for word in argv if word[:9] == "--expect=" for name in word[9:].split(",")]
    conflicts = _conflicts(outputs, judgements)
    result = seed_shape(aggregate(judgements, expected=wanted, conflicts=conflicts))
    write_text(pretty(result) + "\n", sys.stdout.buffer)
    return 0


def _read(output: str, agent: str, places: bool = False) -> Judgement:
    """The judgement in an output; one that the grammar cannot read is looked through for a flag."""
    judgement = read_verdict(output, agent, places=places)
    if judgement.outcome != "unreadable":
        return judgement
    from guildmoot.reading.clerk.normal import normal_form  # most outputs do not need it

    text = normal_form(output, council=False)
    again = read_verdict(text, agent, places=places) if text != output else judgement
    return again if again.outcome == "flagged" else judgement


def _conflicts(
    outputs: Sequence[tuple[str, str]], judgements: Sequence[Judgement]
) -> tuple[Conflict, ...]:
    """Remedies of two agents that cannot both be applied; looked for only where two agents block."""
    blocking = {j.seat for j in judgements if any(f.blocking and f.fix for f in j.findings)}
    if len(blocking) < 2:
        return ()
    from guildmoot.consensus.conflicts import find_conflicts

    read = [_read(output, agent, places=True) for agent, output in outputs if agent in blocking]
    return find_conflicts([f for judgement in read for f in judgement.findings]).conflicts


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
