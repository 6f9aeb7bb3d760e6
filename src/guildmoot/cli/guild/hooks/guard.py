"""``guild guard``: what the guard can be told to do; each word is a module's function."""

from __future__ import annotations

import sys

from guildmoot.errors import UsageError, did_you_mean

_WORDS = {
    "install": ("install:install", "put the guard in front of a coding agent"),
    "uninstall": ("install:uninstall", "take it away, and leave the settings as they were"),
    "explain": ("explain:explain", "what would happen to a command, and why"),
    "test": ("explain:test", "judge a table of commands by what is expected of each"),
    "probe": ("probe:main", "drive each installed agent with a canary: is it covered?"),
    "report": ("report:report", "what was denied and asked, and how often overruled"),
    "pin": ("report:pin", "pin what the MCP servers here say of their tools"),
}


def main(argv: list[str]) -> int:
    """Run the word."""
    if not argv or argv[0] in ("-h", "--help"):
        sys.stdout.write(_help())
        return 0
    if argv[0] not in _WORDS:
        hint = did_you_mean(argv[0], _WORDS, "'guild guard --help' lists the words.")
        raise UsageError(f"'guild guard' cannot {argv[0]!r}", hint)
    module, _, name = _WORDS[argv[0]][0].partition(":")
    found = __import__(f"guildmoot.cli.guild.hooks.{module}", fromlist=[name])
    return int(getattr(found, name)(argv[1:]))


def _help() -> str:
    rows = [f"  {word:<10}  {about}" for word, (_, about) in _WORDS.items()]
    examples = (
        "  guild guard install --claude            this project's Claude Code\n"
        "  guild guard install --claude --user     every project of yours\n"
        "  guild guard explain 'rm -rf build'      what would be said, and why\n"
        "  guild guard probe                       what is really covered\n"
        "  guild guard report                      what it did so far\n"
    )
    return "\n".join(
        [
            "usage: guild guard WORD [arguments]",
            "",
            "Stands before every call of a coding agent: denies what cannot be undone, keeps",
            "what could be lost, asks a person about the rest.",
            "",
            *rows,
            "",
            "examples:",
            examples,
        ]
    )
