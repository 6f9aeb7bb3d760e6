"""``guild resume``, ``replay`` and ``rerun``: a recorded run once more, whatever practice made it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from guildmoot.cli.arguments import Parser, add_options, given, listed, number
from guildmoot.cli.output import add_output, judge

if TYPE_CHECKING:
    from guildmoot.api.runs import RunRequest
    from guildmoot.calls import Watch
    from guildmoot.runs.practice import Report

_MOST = ("--max-usd", "refuse what may cost more", number(float, "USD"))
_TIMEOUT = ("--timeout", "seconds for one seat", number(float, "S"))
_POLICY = ("--policy", "the rule; 'guild policies' lists them", {"metavar": "NAME"})
_SETTINGS = {
    "budget.run_usd": "max_usd",
    "panel.timeout": "timeout",
    "policy.name": "policy",
    "panel.fail_on": "fail_on",
}


def resume(argv: list[str]) -> int:
    """Run ``guild resume``."""
    parser = Parser(
        "resume",
        "Go on with a run that was stopped, killed or refused. What was answered stands and costs\n"
        "nothing again; only what is missing is asked. The files may have changed since: what is\n"
        "judged is what was judged then. RUN is an id, the start of one, or 'last'; without it,\n"
        "the newest unfinished run.",
        "  guild resume                       the newest unfinished run\n"
        "  guild resume 20261115-2137\n  guild resume last --max-usd 5",
    )
    parser.add_argument("run", nargs="?", metavar="RUN")
    limit = ("--max-usd", "another limit for the run", number(float, "USD"))
    add_options(parser, limit, _TIMEOUT)
    add_output(parser)
    from guildmoot.api import runs as api

    return _once_more(parser.parse_args(argv), lambda request, watch: api.resume(request, watch))


def replay(argv: list[str]) -> int:
    """Run ``guild replay``."""
    parser = Parser(
        "replay",
        "Weigh the recorded replies of a run again, by the same rule or another. Nothing is called,\n"
        "spent or written. RUN is an id, the start of one, or 'last'.",
        "  guild replay last --policy veto\n  guild replay last --report again.html",
    )
    parser.add_argument("run", metavar="RUN")
    add_options(parser, _POLICY)
    add_output(parser)
    from guildmoot.api import runs as api

    return _once_more(parser.parse_args(argv), lambda request, watch: api.replay(request))


def rerun(argv: list[str]) -> int:
    """Run ``guild rerun``."""
    parser = Parser(
        "rerun",
        "Ask some seats of a recorded run again, on the same packet, as a new run; the other seats\n"
        "keep what they said and cost nothing. RUN is an id, the start of one, or 'last'.",
        "  guild rerun last --seat evaluator-security\n  guild rerun last --seat a,b --max-usd 1",
    )
    parser.add_argument("run", metavar="RUN")
    seats = ("--seat", "whom to ask again", {**listed(default=None), "required": True})
    add_options(parser, seats, _MOST, _TIMEOUT, _POLICY)
    add_output(parser)
    from guildmoot.api import runs as api

    return _once_more(parser.parse_args(argv), lambda request, watch: api.rerun(request, watch))


def _once_more(
    options: argparse.Namespace,
    verb: Callable[[RunRequest, Watch], Coroutine[Any, Any, Report]],
) -> int:
    from guildmoot.api.runs import RunRequest, practice_for

    seats = getattr(options, "seat", ())
    request = RunRequest(options.run or "", given(options, _SETTINGS), seats)
    return judge(options, practice_for(request), lambda watch: verb(request, watch))
