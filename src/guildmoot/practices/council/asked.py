"""What was typed, before anything of it is weighed; the flags of both generations under one name."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from guildmoot.errors import UsageError

DEPTHS = ("quick", "standard", "deep")


class Asked(NamedTuple):
    """The words and flags of one request; empty or None where nothing was said."""

    words: tuple[str, ...] = ()
    mode: str = ""
    focus: str = ""
    depth: str = ""
    runtime: str = ""
    """``mixed``, or who judges: a client, or ``tools``."""
    quick: bool = False
    deep: bool = False
    mixed: bool = False
    debate: str = ""
    """``on``, ``off`` or ``auto``."""
    adversarial: bool = False
    judges: int | None = None
    """``--count``: for each vendor."""
    timeout: float | None = None
    preset: str = ""
    perspectives: tuple[str, ...] = ()
    perspectives_file: str = ""
    add_perspective: tuple[str, ...] = ()
    explorers: int | None = None
    explorer_model: str = ""
    technique: str = ""
    hats: str = ""
    profile: str = ""
    tier: str = ""
    model: tuple[str, ...] = ()
    claude_model: str = ""
    codex_model: str = ""
    agents: tuple[str, ...] = ()
    pairing: str = ""
    fit: bool = False
    degrade: bool = False
    evidence: bool = False
    commit_ready: bool = False
    diff: str | None = None
    staged: bool = False


def read_asked(options: argparse.Namespace | Asked) -> Asked:
    """The request in its plain form: aliases and the second generation's knobs are put into flags."""
    if isinstance(options, Asked):
        return _plain(options)
    given = {
        field: value
        for field in Asked._fields
        if (value := getattr(options, field, None)) is not None
    }
    return _plain(Asked(**given))


def _plain(asked: Asked) -> Asked:
    if asked.depth and asked.depth not in DEPTHS:
        raise UsageError(f"unknown depth {asked.depth!r}", f"It is one of: {', '.join(DEPTHS)}.")
    return asked._replace(
        quick=asked.quick or asked.depth == "quick",
        deep=asked.deep or asked.depth == "deep",
        mixed=asked.mixed or asked.runtime == "mixed",
        debate=asked.debate or ("on" if asked.adversarial else ""),
        runtime="" if asked.runtime == "mixed" else asked.runtime,
    )
