"""What is asked of one council, and what of it cannot be asked together.

How many judges sit, who they are and how long they may take are settings (``[council]`` and
``panel.degrade``); a command line's flags for them are a layer of :class:`~guildmoot.config.Config`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guildmoot.config import FLAG, Config
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.model.council import Task

TECHNIQUES = ("scamper", "six-hats", "reverse")

# The first two sentences are those that users of the council know; scripts look for them.
_QUICK_DEBATE = "Error: --quick and --debate are incompatible."
_DEBATE_TASK = "Error: --debate is only supported with validate mode."
_TECHNIQUE_TASK = "Error: --technique is only supported with brainstorm mode."


class CouncilOptions(NamedTuple):
    """One request; empty or None where nothing was said."""

    words: tuple[str, ...] = ()
    """A task, paths and plain words, in any order."""
    mode: str = ""
    """The task, where the words are not to choose it."""
    focus: str = ""
    """The subject to look at most."""
    quick: bool = False
    """One judge, asked once."""
    deep: bool = False
    mixed: bool = False
    """Judges of two vendors."""
    preset: str = ""
    perspectives: tuple[str, ...] = ()
    perspectives_file: str = ""
    add_perspective: tuple[str, ...] = ()
    pairing: str = ""
    """With two vendors: ``paired`` or ``split``."""
    technique: str = ""
    hats: str = ""
    """``all`` or ``split``, for six hats."""
    evidence: bool = False
    """Every finding must bring two checks that run."""
    commit_ready: bool = False
    diff: str | None = None
    """A change to judge, as ``packet.PacketRequest.diff``."""
    staged: bool = False


def refuse_conflicts(options: CouncilOptions, config: Config, task: Task) -> None:
    """UsageError for the first thing that contradicts another, before anything is looked up."""
    for wrong, message, hint in _conflicts(options, config, task):
        if wrong:
            raise UsageError(message, hint)
    if options.technique:
        one_of(options.technique, TECHNIQUES, "technique")


def asks_debate(config: Config) -> bool:
    """Whether this very request asks for a second round."""
    debate = config.given("council.debate", FLAG)
    return debate is not None and debate.value in ("on", "auto")


def one_of(value: str, known: Iterable[str], what: str, source: str = "") -> str:
    """The value, when it is one of the known ones, upper and lower case alike."""
    names, word = tuple(known), value.casefold()
    if word in names:
        return word
    where = f"{source}: " if source and not source.startswith("--") else ""
    hint = f"{did_you_mean(word, names)} It is one of: {', '.join(names)}."
    raise UsageError(f"{where}unknown {what} {value!r}", hint.lstrip())


def _conflicts(
    options: CouncilOptions, config: Config, task: Task
) -> Iterator[tuple[bool, str, str]]:
    yield (
        options.quick and asks_debate(config),
        _QUICK_DEBATE,
        "Use --quick for a fast check, or --debate for two rounds.",
    )
    yield (
        asks_debate(config) and task != "validate",
        _DEBATE_TASK,
        f"A {task} gives no verdicts to debate. Drop --debate, or ask to validate.",
    )
    yield (
        bool(options.technique) and task != "brainstorm",
        _TECHNIQUE_TASK,
        f"This is a {task}. Drop --technique, or ask to brainstorm.",
    )
    yield from _of_quick(options, config)
    yield (
        bool(options.pairing) and not options.mixed,
        "--pairing says how two vendors share the perspectives, and only one judges",
        "Add --mixed, or drop --pairing.",
    )
    yield (
        bool(options.hats) and options.technique.casefold() != "six-hats",
        "--hats belongs to --technique=six-hats",
        "Add the technique, or drop --hats.",
    )


def _of_quick(options: CouncilOptions, config: Config) -> Iterator[tuple[bool, str, str]]:
    count = config.given("council.judges", FLAG)
    explorers = config.given("council.explorers", FLAG)
    others = {
        "--deep": options.deep,
        "--mixed": options.mixed,
        "--explorers": bool(explorers and explorers.value),
        "--count": bool(count and count.value != 1),
    }
    for name, given in others.items():
        yield (
            options.quick and given,
            f"--quick and {name} are incompatible: --quick asks one judge, once",
            f"Drop --quick, or {name}.",
        )
