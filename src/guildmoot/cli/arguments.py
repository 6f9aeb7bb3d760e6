"""What the verbs' argument parsers have in common."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.config import Value
    from guildmoot.packet import Request


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
        raise UsageError(message, f"'{self.prog} --help' shows the options and examples.")


def names(text: str) -> tuple[str, ...]:
    """A comma-separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def given(options: argparse.Namespace, keys: Mapping[str, str]) -> dict[str, Value]:
    """The settings that were given as flags; ``keys`` maps a setting to its option's name."""
    found = {key: getattr(options, name, None) for key, name in keys.items()}
    return {key: value for key, value in found.items() if value is not None}


def packet_request(options: argparse.Namespace, words: Iterable[str]) -> Request:
    """What the judges are shown beside the targets; standard input is read when a word is ``-``."""
    from guildmoot.packet import Request

    return Request(
        staged=options.staged,
        spec=tuple(Path(name) for name in options.spec),
        decisions=tuple(Path(name) for name in options.decisions),
        commands=tuple(options.run),
        stdin=read_stdin() if "-" in words else None,
        stdin_name=options.stdin_name,
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Every verb can print one JSON document instead of text."""
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")


def read_stdin() -> bytes:
    """Everything on standard input, whatever its size."""
    return sys.stdin.buffer.read()
