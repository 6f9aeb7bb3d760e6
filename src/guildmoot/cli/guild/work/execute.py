"""``guild work execute``: carries out an approved plan, lane by lane."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import (
    YES,
    Parser,
    add_json,
    add_options,
    at_least_one,
    many,
    number,
    text,
)
from guildmoot.cli.guild.work.show import wrapped
from guildmoot.cli.output import emit
from guildmoot.errors import (
    EXIT_INTERRUPTED,
    EXIT_UNDECIDED,
    GuildmootError,
    Interrupted,
    UsageError,
)
from guildmoot.text.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guildmoot.api.lifecycle.execution import ExecutionReport
    from guildmoot.config import Origin, Value
    from guildmoot.lifecycle.execution.values import LaneResult
    from guildmoot.lifecycle.proof.verify import DoneCheck

_WORDS = {
    "done": "every lane is done and merged",
    "failed": "a lane failed",
    "undecided": "a person must decide",
    "paused": "paused",
    "stopped": "stopped",
    "running": "not at its end",
    "error": "the machine failed",
}
_OF_LANE = ("task", "status", "attempts", "reason")


def execute(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "work execute",
        "Carries out an approved plan: every lane in a git worktree of its own, its receipt held against"
        " what git shows, its commit merged into the branch guild/RUN. Nothing lands on your branch."
        " Stopped or killed, the same command goes on.",
        "  guild work execute link-shortener --worker ./specialist.sh --jobs 4\n"
        "  guild work execute link-shortener --json --yes     go on, for scripts\n"
        "  guild work execute link-shortener --mode hosts     on other machines\n\n"
        "CMD runs in the worktree with GUILD_BUNDLE (its brief) and GUILD_RECEIPT (what it must write).\n"
        "Exit codes: 0 all lanes are merged, 2 a lane failed, 3 a person must decide, 4 infrastructure.",
    )  # fmt: skip
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        ("--worker", "a command that does a lane's work; remembered for the run", text("CMD")),
        ("--clients", "let the models of work.tiers do it, as headless clients", YES),
        ("--mode", "team (panes of tmux), agent (the host's agents), hosts (guild worker --lanes), subagent",
         {"default": "", "choices": ("", "auto", "team", "agent", "hosts", "subagent")}),
        ("--jobs", "lanes at once (work.jobs)", at_least_one()),
        ("--check", "a command that must pass after each merge", many("CMD")),
        ("--timeout", "seconds of silence before a lane is nudged", {**number(float, "S"), "default": 0.0}),
        ("--yes", "begin also where the checks fail before anything is done", YES),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    if options.timeout < 0:
        raise UsageError("--timeout is no less than 0", "Leave it away for what is set.")
    from guildmoot.api.lifecycle.execution import ExecuteRequest, execute_work, lanes_at_work
    from guildmoot.calls import run_foreground
    from guildmoot.cli.guild.work.live import LiveView

    request = ExecuteRequest(
        options.slug, options.worker.strip(), options.jobs, options.timeout, tuple(options.check), Path.cwd(),
        options.yes,
    )  # fmt: skip
    view = LiveView(sys.stderr, lanes_at_work, quiet=options.json)
    settings: dict[str, Value | Origin] = {}
    if options.clients:
        settings["work.clients"] = True
    if options.mode:
        settings["work.agent_mode"] = options.mode
    try:
        report = run_foreground(execute_work(request, view.changed, settings))
    except Interrupted:
        raise Interrupted(
            "stopped; what was handed over is kept, lanes that were at work begin anew",
            "The same command goes on, or: guild run",
        ) from None
    finally:
        view.end()
    emit(plain_report(report), report_rows(report), as_json=options.json)
    return report.exit_code


def resumed_run(name: str) -> str:
    """The run of a piece of work that ``guild resume`` means: by its id or its work, else one that was halted."""
    import asyncio

    from guildmoot.api.lifecycle.execution import run_state
    from guildmoot.errors import GuildmootError

    try:
        state, _ = asyncio.run(run_state(name, Path.cwd()))
    except GuildmootError:
        return ""
    return state.run if name or state.paused or state.stopped else ""


def resume_run(argv: list[str]) -> int:
    """``guild resume RUN`` of a piece of work: what was paused or stopped goes on."""
    from guildmoot.cli.guild.work.lanes import ask

    state, at_work = ask(argv[0], "resume")
    if at_work:
        return emit({"run": state.run}, [f"{state.run} goes on"], as_json="--json" in argv)
    return execute([state.slug, *argv[1:]])


def dry_run(slug: str, worker: str, jobs: int) -> int:
    """Print what carrying out the plan would do."""
    import asyncio

    from guildmoot.api.lifecycle.execution import preview_work

    rows = asyncio.run(preview_work(slug, worker, jobs, Path.cwd()))
    return emit({}, (each for row in rows for each in wrapped(row, "      ")), as_json=False)


def plain_report(report: ExecutionReport) -> dict[str, object]:
    """As scripts read it."""
    error = {"message": report.error, "hint": "", "exit_code": report.exit_code}
    return {
        "run": report.run,
        "status": report.status,
        "branch": report.branch,
        "commit": report.tip,
        "rung": report.rung,
        "why": report.why,
        "lanes": plain_lanes(report.lanes),
        "notes": list(report.notes),
        **({"error": error} if report.error else {}),
    }


def plain_lanes(lanes: Sequence[LaneResult]) -> list[dict[str, object]]:
    """The lanes as scripts read them."""
    return [dict(zip(_OF_LANE, lane, strict=False)) for lane in lanes]


def failed_fields(verb: str, argv: list[str], code: int, error: Exception) -> dict[str, object]:
    """What the one object of ``execute``, ``review`` and ``verify`` says beside the error that ended it."""
    import asyncio

    from guildmoot.api.lifecycle.execution import run_state
    from guildmoot.lifecycle.execution.schedule import report_of
    from guildmoot.lifecycle.execution.values import RunState
    from guildmoot.lifecycle.proof.verify import AssumptionsWaitError, unmade_checks

    slug = argv[0] if argv and not argv[0].startswith("-") else ""
    try:
        state, _ = asyncio.run(run_state(slug, Path.cwd()))
    except (GuildmootError, OSError, ValueError):  # may be why the command ended
        state = RunState("", slug)
    words = {EXIT_UNDECIDED: "undecided", EXIT_INTERRUPTED: "stopped"}
    status = words.get(code, "error")
    found = error.checks if isinstance(error, AssumptionsWaitError) else unmade_checks(str(error))
    return {
        "run": state.run,
        "status": status.upper() if verb == "verify" else status,
        "branch": state.branch,
        **({"checks": plain_checks(found)} if verb == "verify" else {}),
        "lanes": plain_lanes(report_of(state).lanes),
    }


def plain_checks(checks: Sequence[DoneCheck]) -> list[dict[str, object]]:
    """The five checks as scripts read them."""
    return [
        {"number": c.number, "name": c.name, "result": c.result,
         "passed": c.result == "pass", "evidence": list(c.evidence)}
        for c in checks
    ]  # fmt: skip


def report_rows(report: ExecutionReport) -> Iterator[str]:
    """As people read it."""
    skipped = sum(lane.status == "skipped" for lane in report.lanes)
    left = f", but {skipped} that a person skipped" if skipped and report.status == "done" else ""
    yield f"{report.run}: {_WORDS[report.status]}{left}"
    for lane in report.lanes:
        tries = f"  {lane.attempts} attempts" if lane.attempts > 1 else ""
        yield f"  {lane.task:<20} {lane.status}{tries}"
        if lane.reason:
            yield from (f"    {row}" for row in wrapped(lane.reason, ""))
    for note in report.notes:
        yield from wrapped(f"note: {note}")
    asking = next((lane for lane in report.lanes if lane.answer), None)
    if asking:
        yield f"next: {asking.answer}, and guild run"
        yield "  or guild lane skip TASK --why WHY, take-over; guild approvals lists all that waits"
    elif report.status in ("paused", "stopped"):
        yield f"next: guild resume {report.run}"
    if any(lane.status == "done" for lane in report.lanes):
        yield f"the result is {clean(report.branch)}; look at it:"
        yield f"  git diff HEAD...{clean(report.branch)}"
