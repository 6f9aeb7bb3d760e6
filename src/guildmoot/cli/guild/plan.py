"""``guild plan``: the whiteboard under its newer name."""

from __future__ import annotations

from guildmoot.cli.guild.whiteboard import answer
from guildmoot.practices.whiteboard.boards import PLAN


def main(argv: list[str]) -> int:
    """Run the verb with the newer words."""
    return answer(argv, PLAN)
