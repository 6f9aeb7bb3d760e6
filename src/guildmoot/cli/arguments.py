"""What the verbs' argument parsers have in common."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import NoReturn

from guildmoot.errors import UsageError


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


def add_json(parser: argparse.ArgumentParser) -> None:
    """Every verb can print one JSON document instead of text."""
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")


def read_stdin() -> bytes:
    """Everything on standard input, whatever its size."""
    return sys.stdin.buffer.read()
