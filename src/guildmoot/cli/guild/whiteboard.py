"""``guild whiteboard``: a design by several minds, kept in rounds on a board; ``plan`` says the same.

Kept lean: agents call it on every step, so each action imports only what it needs.
"""

from __future__ import annotations

import sys

from guildmoot.errors import UsageError, did_you_mean
from guildmoot.practices.whiteboard.boards import PLAN, WHITEBOARD, BoardWords

_ACTIONS = {
    "init": ("whiteboard_file", "init"),
    "detect-round": ("whiteboard_file", "detect_round"),
    "read-state": ("whiteboard_file", "read_state"),
    "append": ("whiteboard_file", "append"),
    "decide": ("whiteboard_file", "decide"),
    "run": ("whiteboard_run", "main"),
    "summary": ("whiteboard_file", "summary"),
}
"""Module and function of each action; it is given the words after the action, and the vocabulary."""

_USAGE = """usage: guild {verb} run --engineers A,B --brief TEXT --board PATH
       guild {verb} summary PATH
       guild {verb} decide PATH ID [--choice TEXT] --why TEXT
       guild {verb} init PATH --topic TEXT
       guild {verb} detect-round PATH
       guild {verb} read-state PATH
       guild {verb} append PATH [--round N] < SECTIONS.json

A board is a Markdown file on which several engineers design in rounds.

run           asks the engineers, round by round ('run --help' tells more)
summary       prints decisions, contradictions and open questions
decide        records your choice on the board; the newest one for an ID counts.
              Without --choice it is the decision that has this ID in summary
init          makes a board; one that is there already stays as it is
detect-round  prints the number that the next round gets
read-state    prints the rounds as JSON
append        writes a JSON array of {{"engineer", "section"}} from standard
              input as one round. With --round N, a round that is there is run
              again: a section takes the place of its engineer's earlier one

Every action has --json. Exit code 1 means that it could not be done.

examples:
  guild {verb} init board.md --topic "How should the cache expire?"
  guild {verb} append board.md --round 2 < sections.json
  guild {verb} decide board.md session-store.2 --why "No server keeps it"
  guild {verb} decide board.md c1 --choice "A queue" --why "It drains"
"""


def main(argv: list[str]) -> int:
    """Run the verb with the seeds' words."""
    return answer(argv, WHITEBOARD)


def plan(argv: list[str]) -> int:
    """Run the verb with the newer words."""
    return answer(argv, PLAN)


def answer(argv: list[str], words: BoardWords) -> int:
    """Run the action that comes first; what cannot be done is told in the verb's error words."""
    action = argv[0] if argv else ""
    helps = {"-h", "--help"}.intersection(argv)
    if action in helps or (helps and action not in ("run", "summary")):
        sys.stdout.write(_USAGE.format(verb=words.verb))
        return 0
    try:
        if action not in _ACTIONS:
            hint = did_you_mean(action, _ACTIONS, f"'guild {words.verb} --help' lists the actions")
            raise UsageError(f"unknown action {action!r}" if action else "missing action", hint)
        module, name = _ACTIONS[action]
        found = getattr(__import__(f"guildmoot.cli.guild.{module}", fromlist=[name]), name)
        return int(found(argv[1:], words))
    except UsageError as wrong:
        return _refuse(wrong.message, wrong.hint, argv, words)
    except BrokenPipeError:
        raise
    except OSError as wrong:
        where = f": {wrong.filename}" if wrong.filename else ""
        return _refuse(f"{wrong.strerror or wrong}{where}", "", argv, words)


def _refuse(message: str, hint: str, argv: list[str], words: BoardWords) -> int:
    sys.stderr.write(f"{words.error}: {message}\n" + (f"  {hint}\n" if hint else ""))
    if "--json" in argv:
        from guildmoot.cli.guild.whiteboard_file import write_json

        error = {"message": message, "hint": hint, "exit_code": 1}
        write_json({"schema_version": 1, "error": error})
    return 1
