"""The options of a loop that works alone, ``--mode=auto``, and of a stack of phases."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import add_options, many, number, text

if TYPE_CHECKING:
    from guildmoot.api.loops import ArmedTerms


def add_armed(parser: argparse.ArgumentParser) -> None:
    """What a loop needs to be armed."""
    add_options(
        parser,
        ("--mode", "auto: ask no person anything, within the limits below", {"choices": ("auto",)}),
        ("--scope", "paths that may change, a glob; several may be given", many("GLOB", str)),
        ("--budget-usd", "the most that everything may cost", number(float, "USD")),
        ("--time-limit", "how long it may work: 90m, 2h", text("TIME")),
        ("--expires", "when the arming ends, at most 24h", text("TIME")),
        title="working alone",
    )


def armed_terms(options: argparse.Namespace) -> ArmedTerms | None:
    """The terms that were given; None for a loop that a person sits beside."""
    if options.mode != "auto":
        return None
    from guildmoot.api.loops import make_terms

    return make_terms(options.scope, options.budget_usd, options.time_limit, options.expires)
