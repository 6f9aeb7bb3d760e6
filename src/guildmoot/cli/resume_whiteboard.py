"""``guild resume`` for a run of a whiteboard: it goes on from what is on the board."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from guildmoot.cli.watching import watch_run
from guildmoot.cli.whiteboard_run import print_board
from guildmoot.config import Value, process_config


def resume(
    root: Path, folder: Path, options: argparse.Namespace, flags: Mapping[str, Value]
) -> int:
    """Go on with the run in ``folder``; ``flags`` were given on the command line."""
    from guildmoot.calls import run_foreground
    from guildmoot.practices.whiteboard.run import resume_whiteboard

    config = process_config(root, flags)
    with watch_run(quiet=options.quiet or options.json) as watch:
        report = run_foreground(resume_whiteboard(root, folder, config, watch))
    return print_board(report, as_json=options.json)
