"""``guild pause``, ``guild stop`` and ``guild lane``: a person looks into a run and steps in."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, text
from guildmoot.cli.guild.work.show import short_path, wrapped
from guildmoot.cli.output import emit, shorten
from guildmoot.cli.person import not_in_a_lane
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.lifecycle.execution.control import ControlVerb
    from guildmoot.lifecycle.execution.looking import LaneSight
    from guildmoot.lifecycle.execution.values import LaneState, RunState

_LINES = 10
_PATIENCE = 30.0
"""Seconds for a run to end that was told to stop."""
_ABOUT = {
    "pause": "Starts no more lanes of a run; those at work hand over. 'guild resume RUN' goes on.",
    "stop": "Ends the lanes of a run that are at work, and starts no more. 'guild run' goes on.",
}


def pause(argv: list[str]) -> int:
    """Run ``guild pause``."""
    return _whole_run("pause", argv)


def stop(argv: list[str]) -> int:
    """Run ``guild stop``."""
    return _whole_run("stop", argv)


def _whole_run(verb: ControlVerb, argv: list[str]) -> int:
    parser = Parser(verb, _ABOUT[verb], f"  guild {verb}\n  guild {verb} link-shortener")
    parser.add_argument("run", nargs="?", default="", metavar="RUN", help="a run, or its work")
    if verb == "stop":
        about = "take its worktrees away; what is in them is kept as commits"
        add_options(parser, ("--clean", about, YES))
    add_json(parser)
    options = parser.parse_args(argv)
    state, at_work = _state(options.run)
    if not at_work and state.at_end:
        said = f"{state.run} is at its end already, there is nothing to {verb}: every lane is merged or skipped"
        data = {"run": state.run, "at_work": False, "at_end": True, "asked": verb}
        return emit(data, wrapped(said), as_json=options.json)
    state, at_work = ask(options.run, verb)
    if verb == "stop" and options.clean:
        return _clean(state.run, as_json=options.json)
    words = {"pause": "paused", "stop": "stopped"}[verb]
    said = (
        f"{state.run} is told: it is {words} within a second"
        if at_work
        else f"{state.run} is {words}; nobody carried it out"
    )
    rows = [*wrapped(said), f"go on: guild resume {state.run}"]
    return emit({"run": state.run, "at_work": at_work, "asked": verb}, rows, as_json=options.json)


def _state(run: str) -> tuple[RunState, bool]:
    from guildmoot.api.lifecycle.execution import run_state

    return asyncio.run(run_state(run, Path.cwd()))


def _clean(run: str, *, as_json: bool) -> int:
    """Take the worktrees of a run away as soon as nobody carries it out any more."""
    from guildmoot.api.lifecycle.execution import clear_worktrees, run_state

    until = time.monotonic() + _PATIENCE
    while asyncio.run(run_state(run, Path.cwd()))[1] and time.monotonic() < until:
        time.sleep(0.2)
    kept = asyncio.run(clear_worktrees(run, Path.cwd()))
    rows = [f"{run} is stopped, and its worktrees are gone", *(f"kept: {each}" for each in kept)]
    return emit({"run": run, "kept": kept}, rows, as_json=as_json)


def ask(
    run: str, verb: ControlVerb, task: str = "", why: str = "", places: tuple[str, ...] = ()
) -> tuple[RunState, bool]:
    """Ask something of a run; its state, and whether somebody carries it out now."""
    not_in_a_lane(f"lane {verb}" if task else verb)
    from guildmoot.api.lifecycle.execution import ask_of_run
    from guildmoot.lifecycle.execution.control import ControlRequest

    return asyncio.run(ask_of_run(run, ControlRequest(verb, task, "", why, places), Path.cwd()))


def lane(argv: list[str]) -> int:
    """Run ``guild lane``."""
    parser = Parser(
        "lane",
        "Looks at a lane of a run, or steps in: retry starts it anew with what you say, skip goes on"
        " without it, also where others wait for it, take-over leaves it to you in its worktree; hand-in"
        " has what you did there judged and merged, retry gives it back as it is. allow lets it change"
        " more places than the plan says, and make tests weaker there; what a lane handed over that asked for that"
        " is judged again, and no worker is started for it.",
        "  guild lane show --follow\n  guild lane show T2-qa\n  guild lane retry T2-qa --why 'the key is set now'\n"
        "  guild lane take-over T2-qa\n  guild lane hand-in T2-qa --why 'tests by hand'\n"
        "  guild lane allow T2-qa docs/api.md --why 'the interface changed'",
    )  # fmt: skip
    parser.add_argument(
        "do", choices=("show", "retry", "skip", "take-over", "hand-in", "allow"), metavar="VERB",
        help="show, retry, skip, take-over, hand-in or allow",
    )  # fmt: skip
    parser.add_argument("task", nargs="?", default="")
    parser.add_argument("places", nargs="*", metavar="PLACE", help="allow: files or folders")
    add_options(
        parser,
        ("--run", "which run, or which work; else the one that is open", text("RUN")),
        ("--why", "kept with the lane; a retry is told it", text("TEXT")),
        ("--follow", "show: until nobody is at work", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    if options.do == "show" and options.follow:
        return _follow(options.run)
    if options.do == "show":
        return _show(options.run, options.task, as_json=options.json)
    if not options.task:
        raise UsageError("which lane?", "guild lane show lists them.")
    if options.do == "skip" and not options.why.strip():
        raise UsageError(
            f"why does the work go on without {options.task}? review.md and verify.md tell the reason",
            f"Say it: guild lane skip {options.task} --why TEXT",
        )
    state, at_work = ask(options.run, options.do, options.task, options.why, tuple(options.places))
    place = Path.cwd() / ".guild" / "worktrees" / state.run / options.task
    rows = [f"{options.task}: {'told to whoever carries the run out' if at_work else options.do}"]
    if options.do == "take-over":
        rows += [f"its worktree: {short_path(place)}",
                 f"when it is done: guild lane hand-in {options.task}, and guild run",
                 f"give it back as it is: guild lane retry {options.task}"]  # fmt: skip
    else:
        rows += _allowed_rows(state, options.task, options.places) if options.do == "allow" else []
        rows += [] if at_work else ["go on: guild run"]
    data = {"run": state.run, "task": options.task, "asked": options.do, "at_work": at_work}
    return emit(data, rows, as_json=options.json)


def _allowed_rows(state: RunState, task: str, places: list[str]) -> Iterator[str]:
    """What becomes of a lane that asked for places, or what it asks for beside these."""
    before = state.lane(task)
    after = before.allow(places)
    if after.again:
        yield "what it handed over is judged again, without a worker"
    elif before.asks:
        yield from wrapped(f"it asks for more: {after.answer}")


def team(argv: list[str]) -> int:
    """Run ``guild team attach``."""
    parser = Parser("team", "Shows the panes of a run that is carried out in tmux (--mode team).")
    parser.add_argument("do", choices=("attach",))
    parser.add_argument("run", nargs="?", default="", metavar="RUN")
    options = parser.parse_args(argv)
    from guildmoot.api.lifecycle.execution import run_state
    from guildmoot.lifecycle.execution.workers.tmux import tmux

    state, _ = asyncio.run(run_state(options.run, Path.cwd()))
    session = f"guild-{state.run}"
    if not tmux("list-panes", "-t", f"={session}", "-F", "#{pane_id}"):
        raise UsageError(f"{state.run} has no panes now", "They are there while lanes are at work.")
    if not sys.stdout.isatty():
        return emit({}, [f"tmux attach -t {session}"], as_json=False)
    import subprocess

    return subprocess.run(["tmux", "attach", "-t", f"={session}"], check=False).returncode


def _follow(run: str) -> int:
    """The lanes, drawn again until the run has ended."""
    from guildmoot.api.lifecycle.execution import lanes_at_work, run_state
    from guildmoot.cli.guild.work.live import LiveView, view_rows

    view = LiveView(sys.stdout, lanes_at_work)
    while True:
        state, at_work = asyncio.run(run_state(run, Path.cwd()))
        if not at_work:
            view.end()
            return emit({}, view_rows(state, lanes_at_work(state)), as_json=False)
        view.changed(state)
        time.sleep(1)


def _show(run: str, task: str, *, as_json: bool) -> int:
    from guildmoot.api.lifecycle.execution import lanes_at_work, run_state
    from guildmoot.cli.guild.work.live import view_rows

    state, at_work = asyncio.run(run_state(run, Path.cwd()))
    lanes = [each for each in state.lanes if task in ("", each.task)]
    if task and not lanes:
        names = ", ".join(each.task for each in state.lanes)
        raise UsageError(f"{state.run} has no lane {task}", f"There are: {names or 'none yet'}.")
    seen = lanes_at_work(state, Path.cwd(), _LINES if task else 1)
    rows = [*view_rows(state, seen), f"{'at work' if at_work else 'nobody is at work'}"]
    if task:
        rows = list(_lane_rows(state, lanes[0], seen.get(task)))
    shown = [
        {**each._asdict(), **(seen[each.task]._asdict() if each.task in seen else {})}
        for each in lanes
    ]
    data = {
        "run": state.run, "branch": state.branch, "at_work": at_work, "paused": state.paused,
        "stopped": state.stopped,
        "lanes": shown, "notes": list(state.notes),
    }  # fmt: skip
    return emit(data, rows, as_json=as_json)


def _lane_rows(state: RunState, found: LaneState, sight: LaneSight | None) -> Iterator[str]:
    here = Path(".guild")
    since = f", {sight.seconds:.0f} s" if sight and sight.seconds else ""
    cost = f", ${sight.usd:.2f}" if sight and sight.usd is not None else ""
    yield f"{found.task}: {found.status}{since}{cost}, attempt {found.attempt}, tier {found.tier}"
    if found.reason:
        yield from wrapped(f"  {found.reason}", "  ")
    for name, place in (
        ("attempt", here / "runs" / state.run / "attempts" / f"{found.task}-{found.attempt}"),
        ("worktree", here / "worktrees" / state.run / found.task),
    ):
        if place.exists():
            yield f"  {name}: {place}"
    if found.commit:
        yield f"  git show {found.commit[:12]}"
    for note in (each for each in state.notes if each.startswith(found.task)):
        yield from wrapped(f"  {note}", "    ")
    for row in sight.lines if sight else ():
        yield shorten(f"  | {row}")
