"""``guild resume``, ``replay`` and ``rerun``: a recorded run once more, whatever practice made it."""

from __future__ import annotations

from guildmoot.cli.arguments import Kind, Parser, add_options, given, listed, number
from guildmoot.cli.output import add_output, judge

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
    from guildmoot.cli.guild.work.execute import resume_run, resumed_run

    named = next((word for word in argv[:1] if not word.startswith("-")), "")
    if not {"-h", "--help"} & {*argv} and (run := resumed_run(named)):
        return resume_run([run, *argv[bool(named) :]])  # of a piece of work: it is carried on
    parser = Parser(
        "resume",
        "Go on with a run that was stopped, killed or refused. What was answered stands and costs\n"
        "nothing again; only what is missing is asked. The files may have changed since: what is\n"
        "judged is what was judged then. RUN is an id, the start of one, 'last', or a piece of work\n"
        "whose run was paused or stopped; without it, such a run, else the newest unfinished one.",
        "  guild resume                       the newest unfinished run\n"
        "  guild resume 20261115-2137\n  guild resume last --max-usd 5",
    )
    parser.add_argument("run", nargs="?", metavar="RUN")
    limit = ("--max-usd", "another limit for the run", number(float, "USD"))
    return _once_more("resume", parser, argv, limit, _TIMEOUT)


def replay(argv: list[str]) -> int:
    """Run ``guild replay``."""
    parser = Parser(
        "replay",
        "Weigh the recorded replies of a run again, by the same rule or another. Nothing is called,\n"
        "spent or written. RUN is an id, the start of one, or 'last'.",
        "  guild replay last --policy veto\n  guild replay last --report again.html",
    )
    parser.add_argument("run", metavar="RUN")
    return _once_more("replay", parser, argv, _POLICY)


def rerun(argv: list[str]) -> int:
    """Run ``guild rerun``."""
    parser = Parser(
        "rerun",
        "Ask some judges of a recorded run again, on the same work, as a new run; the others\n"
        "keep what they said and cost nothing. RUN is an id, the start of one, or 'last'.",
        "  guild rerun last --seat evaluator-security\n  guild rerun last --seat a,b --max-usd 1",
    )
    parser.add_argument("run", metavar="RUN")
    seats = ("--seat", "whom to ask again", {**listed(default=None), "required": True})
    return _once_more("rerun", parser, argv, seats, _MOST, _TIMEOUT, _POLICY)


def _once_more(verb: str, parser: Parser, argv: list[str], *rows: tuple[str, str, Kind]) -> int:
    add_options(parser, *rows)
    add_output(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.runs import RunRequest, practice_for, replay, rerun, resume

    seats = getattr(options, "seat", ())
    request = RunRequest(options.run or "", given(options, _SETTINGS), seats)
    if verb == "replay":
        return judge(options, practice_for(request), lambda watch: replay(request))
    act = resume if verb == "resume" else rerun
    return judge(options, practice_for(request), lambda watch: act(request, watch))
