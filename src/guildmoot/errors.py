"""Every error that guildmoot raises on purpose.

GuildmootError
├── UsageError           the request cannot be carried out as asked      exit 64
│   ├── ConfigError      a configuration file or value is wrong
│   ├── AgentFileError   an agent file is wrong
│   ├── TargetError      there is nothing to judge, or it may not be judged
│   │   ├── NothingToJudgeError  nothing changed                          exit 0
│   │   └── NothingJudgedError  of a change nothing reached a judge       exit 3
│   └── BudgetError      a call would cost more than a limit leaves, or nobody knows what it costs
├── InfrastructureError  the machine failed us: disk, program, service   exit 4
└── Interrupted          the user stopped the run                        exit 130
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which costs more than this file to import
if TYPE_CHECKING:
    from collections.abc import Iterable

EXIT_OK = 0
EXIT_WARN = 1
EXIT_FLAGGED = 2
EXIT_UNDECIDED = 3
EXIT_INFRASTRUCTURE = 4
EXIT_USAGE = 64
EXIT_INTERRUPTED = 130


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "", most: int = 1) -> str:
    """A hint that names the nearest of the known words, or ``otherwise`` when none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=most)
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


class GuildmootError(Exception):
    """A failure with a message for the user: what happened, why, and what to do next."""

    exit_code = EXIT_INFRASTRUCTURE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GuildmootError):
    """The request cannot be carried out as asked."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """A configuration file or value is wrong."""


class AgentFileError(UsageError):
    """An agent file is wrong; the message names the file, the line and the reason."""


class TargetError(UsageError):
    """There is nothing to judge, or it may not be judged."""


class NothingToJudgeError(TargetError):
    """Nothing changed: that is no mistake of whoever asks, and no approval either."""

    exit_code = EXIT_OK


class NothingJudgedError(TargetError):
    """Everything that a change touches was left out, so it is neither approved nor flagged."""

    exit_code = EXIT_UNDECIDED


class UndecidedError(GuildmootError):
    """A person must decide before it can go on; the hint is the command that does."""

    exit_code = EXIT_UNDECIDED


class BudgetError(UsageError):
    """A call would cost more than a limit leaves, or nobody knows what it would cost."""


class InfrastructureError(GuildmootError):
    """The machine failed us: disk, program or service."""


class Interrupted(GuildmootError):
    """The user stopped the run."""

    exit_code = EXIT_INTERRUPTED
