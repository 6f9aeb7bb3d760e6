"""What the verbs' argument parsers have in common."""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from guildmoot.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from guildmoot.config import Origin, Value
    from guildmoot.packet import PacketRequest


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors leave as ours do: one message, exit 64."""

    def __init__(self, verb: str, about: str, examples: str = "") -> None:
        super().__init__(
            prog=f"guild {verb}",
            description=textwrap.fill(" ".join(about.split()), 79),
            epilog=f"examples:\n{examples}" if examples else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Usage errors are raised, so that ``--json`` callers get them as JSON too."""
        hint = f"'{self.prog} --help' shows the options and examples."
        _, unknown, words = message.partition("unrecognized arguments: ")
        if unknown:
            flags = [word.partition("=")[0] for word in words.split() if word.startswith("-")]
            message = (
                f"there is no option {flags[0]}" if flags else f"{words!r} is one word too many"
            )
            known = [flag for action in self._actions for flag in action.option_strings]
            near = did_you_mean(flags[0], known) if flags else ""
            hint = f"{near} {hint}".strip()
        raise UsageError(message, hint)


Kind = dict[str, Any]
"""How one option is read: argparse's keywords."""
YES: Kind = {"action": "store_true"}


def text(metavar: str) -> Kind:
    """An option with a text, empty unless given."""
    return {"default": "", "metavar": metavar}


def at_least_one(metavar: str = "N") -> Kind:
    """An option with a whole number from 1 on; 0 unless given, which nobody can say."""

    def whole(text: str) -> int:
        if (value := int(text)) < 1:
            raise argparse.ArgumentTypeError(f"{text} is less than 1")
        return value

    whole.__name__ = "int"  # argparse names it in its message
    return {"type": whole, "metavar": metavar, "default": 0}


def number(kind: type, metavar: str = "N") -> Kind:
    """An option with a number, None unless given; what is no number, such as nan, is refused."""

    def finite(text: str) -> object:
        value = kind(text)
        if not math.isfinite(value):
            raise ValueError(text)
        return value

    finite.__name__ = kind.__name__  # argparse names it in its message
    return {"type": finite, "metavar": metavar}


def listed(metavar: str = "A,B", default: tuple[str, ...] | None = ()) -> Kind:
    """An option with a comma-separated list."""
    return {"type": names, "default": default, "metavar": metavar}


def many(metavar: str, kind: object = str) -> Kind:
    """An option that can be given several times."""
    return {"action": "append", "default": [], "metavar": metavar, "type": kind}


def add_options(
    parser: argparse._ActionsContainer, *rows: tuple[str, str, Kind], title: str = ""
) -> None:
    """Each row is the option's names, its help and how it is read; ``title`` makes a group of them."""
    group = parser.add_argument_group(title) if title else parser
    for flags, about, kind in rows:
        group.add_argument(*flags.split(), help=about, **kind)


def names(text: str) -> tuple[str, ...]:
    """A comma-separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def given(options: argparse.Namespace, keys: Mapping[str, str]) -> dict[str, Value]:
    """The settings that were given as flags; ``keys`` maps a setting to its option's name."""
    found = {key: getattr(options, name, None) for key, name in keys.items()}
    return {key: value for key, value in found.items() if value is not None}


def packet_request(options: argparse.Namespace, words: Iterable[str]) -> PacketRequest:
    """What the judges are shown beside the targets; standard input is read when a word is ``-``."""
    from guildmoot.packet import PacketRequest

    return PacketRequest(
        staged=options.staged,
        spec=tuple(Path(name) for name in options.spec),
        decisions=tuple(Path(name) for name in options.decisions),
        commands=tuple(options.run),
        stdin=read_stdin() if "-" in words else None,
        stdin_name=options.stdin_name,
    )


HAND_OUT: tuple[str, str, Kind] = (
    "--hand-out",
    "hand the prompts to your own agents; 'guild collect' reads their replies",
    YES,
)


def handed_flags(options: argparse.Namespace, key: str) -> dict[str, Origin]:
    """The setting that ``--hand-out`` makes; nothing without it."""
    if not options.hand_out:
        return {}
    if getattr(options, "no_record", False):
        raise UsageError("--hand-out needs the run's record", "Drop --no-record.")
    from guildmoot.api.handed import flags

    return flags(key)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Every verb can print one JSON document instead of text."""
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")


def project_root() -> Path:
    """The repository's root, or the working folder outside of one."""
    from guildmoot.system import git

    return git.project_root(Path.cwd())


def read_stdin() -> bytes:
    """Everything on standard input, whatever its size."""
    return sys.stdin.buffer.read()
