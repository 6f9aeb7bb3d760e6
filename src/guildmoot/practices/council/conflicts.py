"""What cannot be asked together; refused before anything is looked up or spent."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.errors import UsageError
from guildmoot.model.council import Task
from guildmoot.practices.council.asked import Asked
from guildmoot.practices.council.plan import MAX_AGENTS, MAX_EXPLORERS
from guildmoot.practices.council.precedence import Choice, one_of

TECHNIQUES = ("scamper", "six-hats", "reverse")

# The first two sentences are those that users of the council know; scripts look for them.
_QUICK_DEBATE = "Error: --quick and --debate are incompatible."
_DEBATE_TASK = "Error: --debate is only supported with validate mode."
_TECHNIQUE_TASK = "Error: --technique is only supported with brainstorm mode."


def refuse_conflicts(asked: Asked, task: Task) -> None:
    """UsageError for the first thing that contradicts another."""
    for wrong, message, hint in _conflicts(asked, task):
        if wrong:
            raise UsageError(message, hint)
    if asked.technique:
        one_of(Choice(asked.technique, "--technique"), TECHNIQUES, "technique")


def _conflicts(asked: Asked, task: Task) -> Iterator[tuple[bool, str, str]]:
    debated = asked.debate in ("on", "auto")
    yield (
        asked.quick and debated,
        _QUICK_DEBATE,
        "Use --quick for a fast check, or --debate for two rounds.",
    )
    yield (
        debated and task != "validate",
        _DEBATE_TASK,
        f"A {task} gives no verdicts to debate. Drop --debate, or ask to validate.",
    )
    yield (
        bool(asked.technique) and task != "brainstorm",
        _TECHNIQUE_TASK,
        f"This is a {task}. Drop --technique, or ask to brainstorm.",
    )
    yield from _of_quick(asked)
    yield from _of_numbers(asked)
    yield (
        bool(asked.pairing) and not asked.mixed,
        "--pairing says how two vendors share the perspectives, and only one judges",
        "Add --mixed, or drop --pairing.",
    )
    yield (
        bool(asked.hats) and asked.technique.casefold() != "six-hats",
        "--hats belongs to --technique=six-hats",
        "Add the technique, or drop --hats.",
    )


def _of_quick(asked: Asked) -> Iterator[tuple[bool, str, str]]:
    others = {
        "--deep": asked.deep,
        "--mixed": asked.mixed,
        "--explorers": bool(asked.explorers),
        "--count": bool(asked.judges and asked.judges > 1),
    }
    for name, given in others.items():
        yield (
            asked.quick and given,
            f"--quick and {name} are incompatible: --quick asks one judge, once",
            f"Drop --quick, or {name}.",
        )


def _of_numbers(asked: Asked) -> Iterator[tuple[bool, str, str]]:
    count, explorers = asked.judges, asked.explorers
    yield (
        count is not None and not 1 <= count <= MAX_AGENTS,
        f"--count must be from 1 to {MAX_AGENTS}, not {count}",
        "It is the number of judges for each vendor.",
    )
    yield (
        explorers is not None and not 0 <= explorers <= MAX_EXPLORERS,
        f"--explorers must be from 0 to {MAX_EXPLORERS}, not {explorers}",
        "Each judge gets that many.",
    )
