"""``guild work execute``: carries out an approved plan, lane by lane."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, many, number, text
from guildmoot.cli.guild.work.show import wrapped
from guildmoot.cli.output import emit
from guildmoot.errors import Interrupted, UsageError
from guildmoot.text.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guildmoot.api.lifecycle.execution import ExecutionReport
    from guildmoot.config import Origin, Value

_WORDS = {
    "done": "every lane is done and merged",
    "failed": "a lane failed",
    "undecided": "a person must decide",
    "paused": "paused",
    "stopped": "stopped",
    "running": "not at its end",
    "error": "the machine failed",
}


def execute(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "work execute",
        "Carries out an approved plan: every lane in a git worktree of its own, its receipt held against"
        " what git shows, its commit merged into the branch guild/RUN. Nothing lands on your branch."
        " Stopped or killed, the same command goes on.",
        "  guild work execute link-shortener --worker ./specialist.sh --jobs 4\n"
        "  guild work execute link-shortener --json --yes     go on, for scripts\n\n"
        "CMD runs in the worktree with GUILD_BUNDLE (its brief) and GUILD_RECEIPT (what it must write).\n"
        "Exit codes: 0 all lanes are merged, 2 a lane failed, 3 a person must decide, 4 infrastructure.",
    )  # fmt: skip
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser,
        ("--worker", "a command that does a lane's work; remembered for the run", text("CMD")),
        ("--clients", "let the models of work.tiers do it, as headless clients", YES),
        ("--mode", "team (panes of tmux), agent (hand out to the host's agents), subagent",
         {"default": "", "choices": ("", "auto", "team", "agent", "subagent")}),
        ("--jobs", "lanes at once (work.jobs)", {**number(int), "default": 0}),
        ("--check", "a command that must pass after each merge", many("CMD")),
        ("--timeout", "seconds of silence before a lane is nudged", {**number(float, "S"), "default": 0.0}),
        ("--yes", "begin also where the checks fail before anything is done", YES),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    if options.jobs < 0 or options.timeout < 0:
        raise UsageError(
            "--jobs and --timeout are no less than 0", "Leave them away for what is set."
        )
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
    return {
        "run": report.run,
        "status": report.status,
        "branch": report.branch,
        "commit": report.tip,
        "rung": report.rung,
        "why": report.why,
        "lanes": [lane._asdict() for lane in report.lanes],
        "notes": list(report.notes),
    }


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
    asking = next((e for e in report.lanes if e.status in ("blocked", "conflict", "failed")), None)
    if asking:
        yield f"next: guild lane retry {asking.task} --why ANSWER, and guild run"
        yield "  or guild lane skip, take-over; guild approvals lists all that waits"
    if any(lane.status == "done" for lane in report.lanes):
        yield f"on branch {clean(report.branch)}; look at it:"
        yield f"  git diff HEAD...{clean(report.branch)}"
