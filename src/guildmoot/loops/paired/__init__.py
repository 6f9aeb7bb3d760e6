"""The paired loop: one deliverable at a time, each proven before it lands. ``loop`` reads top to bottom."""

from guildmoot.loops.paired.loop import paired_place, run_interactive

__all__ = ["paired_place", "run_interactive"]
