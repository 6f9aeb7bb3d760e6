"""The loops as functions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from guildmoot.api.ask import whiteboard
from guildmoot.api.judge import validate
from guildmoot.calls import Watch
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.errors import Interrupted
from guildmoot.guard.settings import settings_for
from guildmoot.loops.armed import APPROVER, ArmedTerms, make_terms
from guildmoot.loops.auto import run_armed, run_paired_armed
from guildmoot.loops.confidence import run_confidence
from guildmoot.loops.confidence.tiers import TierRule
from guildmoot.loops.forks import Hold
from guildmoot.loops.paired import run_interactive
from guildmoot.loops.paired.pairing import InteractiveReport, InteractiveRequest, PairTools
from guildmoot.loops.phase import find_place
from guildmoot.loops.router import RouteReport, RouteRequest, route
from guildmoot.loops.stack import plan_stack, run_stack
from guildmoot.loops.standing import understander
from guildmoot.loops.throttle import PullLimits
from guildmoot.loops.values import (
    Ask,
    LoopInterrupted,
    LoopReport,
    LoopRequest,
    LoopTools,
    Quarantine,
    Watcher,
    nobody,
)
from guildmoot.memory.traces.rounds import LoopTrace
from guildmoot.model.call import Call, Reply
from guildmoot.model.report import RunReport
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest
from guildmoot.practices.whiteboard.request import WhiteboardRequest
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.system.process import kill_all
from guildmoot.system.threads import off_loop

__all__ = [
    "ArmedTerms",
    "InteractiveReport",
    "InteractiveRequest",
    "LoopReport",
    "LoopRequest",
    "PullLimits",
    "Quarantine",
    "RouteReport",
    "RouteRequest",
    "TierRule",
    "Watcher",
    "loop_confidence",
    "loop_interactive",
    "loop_phases",
    "loop_tools",
    "make_terms",
    "run_phase",
]  # fmt: skip

T = TypeVar("T")
Q = TypeVar("Q")
A = TypeVar("A")
AskText = Callable[[str], str | None]
"""A line from whoever sits at the terminal; None where nobody does."""


async def loop_confidence(
    request: LoopRequest, ask: Ask = nobody, watcher: Watcher | None = None,
    armed: ArmedTerms | None = None,
) -> LoopReport:  # fmt: skip
    """Change many files in tiers, with proof at each step; ``armed`` works alone within its terms."""
    tools = loop_tools(request.root, ask, watcher)
    return await in_thread(tools, lambda: _confidence(request, tools, armed))


async def loop_phases(
    request: LoopRequest, ask: Ask = nobody, watcher: Watcher | None = None,
    armed: ArmedTerms | None = None,
) -> tuple[LoopReport, ...]:  # fmt: skip
    """Run the phase and those after it, as drafts that are stacked on each other."""
    tools = loop_tools(request.root, ask, watcher)

    def one(number: int, below: str) -> LoopReport:
        chosen = request._replace(phase=number, stacked_on=below, draft=True)
        return _confidence(chosen, tools, armed)

    order = plan_stack(request.slug, request.phase)
    return await in_thread(tools, lambda: run_stack(order, one))


async def loop_interactive(
    request: InteractiveRequest, ask: Ask = nobody, ask_text: AskText = lambda question: None,
    watcher: Watcher | None = None, armed: ArmedTerms | None = None,
) -> InteractiveReport:  # fmt: skip
    """Do one phase in pairs, a deliverable at a time, each proven before it lands."""
    tools = _pair_tools(request.root, ask, ask_text, watcher)
    return await in_thread(tools.loop, lambda: _interactive(request, tools, armed))


async def loop_interactive_phases(
    request: InteractiveRequest, ask: Ask = nobody, ask_text: AskText = lambda question: None,
    watcher: Watcher | None = None, armed: ArmedTerms | None = None,
) -> tuple[InteractiveReport, ...]:  # fmt: skip
    """Do the phase and those after it in pairs, as drafts that are stacked on each other."""
    tools = _pair_tools(request.root, ask, ask_text, watcher)

    def one(number: int, below: str) -> InteractiveReport:
        chosen = request._replace(phase=number, stacked_on=below, draft=True)
        return _interactive(chosen, tools, armed)

    order = plan_stack(request.slug, request.phase)
    return await in_thread(tools.loop, lambda: run_stack(order, one))


def _pair_tools(root: Path, ask: Ask, ask_text: AskText, watcher: Watcher | None) -> PairTools:
    tools = loop_tools(root, ask, watcher)
    return PairTools(tools, stoppable(ask_text, tools.stopped), _holder())


def _interactive(
    request: InteractiveRequest, tools: PairTools, armed: ArmedTerms | None
) -> InteractiveReport:
    if armed is None:
        return run_interactive(request, tools)
    return run_paired_armed(request, armed, tools, run_interactive)


async def run_phase(request: RouteRequest, ask: Ask = nobody) -> RouteReport:
    """Look where a project stands, and say which phase goes to which loop; the loop is called by whoever asked."""
    tools = loop_tools(request.root, ask)

    def fits(meaning: str) -> bool:
        packet = PacketRequest(
            ("-",), request.root, stdin=f"{meaning}\n".encode(), stdin_name="meaning.md"
        )
        panel = PanelRequest(packet, (APPROVER,), command="guild run-phase --mode=auto")
        return tools.judge(panel, Watch()).verdict == "approved"

    return await in_thread(tools, lambda: route(request, tools.ask, understander(fits)))


def _holder() -> Hold:
    """Has a whiteboard run on this loop while another thread waits."""
    running = asyncio.get_running_loop()

    def hold(request: WhiteboardRequest) -> BoardReport:
        return asyncio.run_coroutine_threadsafe(whiteboard(request), running).result()

    return hold


def _confidence(request: LoopRequest, tools: LoopTools, armed: ArmedTerms | None) -> LoopReport:
    try:
        if armed is None or request.dry_run:
            return run_confidence(request, tools)
        return run_armed(request, find_place(request), armed, tools, run_confidence)
    except LoopInterrupted as stopped:
        return stopped.report


async def in_thread(tools: LoopTools, run: Callable[[], T]) -> T:
    """Run a loop in a thread; when this is cancelled, the loop ends first, and what it says then is the answer."""
    work = asyncio.ensure_future(asyncio.to_thread(run))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        tools.stopped.set()
        kill_all()
        await asyncio.wait({work})
        return work.result()


def loop_tools(root: Path, ask: Ask = nobody, watcher: Watcher | None = None) -> LoopTools:
    """What a loop in another thread needs of this one: panels, agents at work, somebody to ask."""
    running = asyncio.get_running_loop()

    def wait(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, running).result()

    def employ(call: Call) -> Reply:
        return wait(off_loop(_employ(root, call)))

    stopped = threading.Event()
    trace = LoopTrace(root, root.name)

    def judge(panel: PanelRequest, watch: Watch) -> RunReport:
        return wait(validate(panel._replace(parent=panel.parent or trace.run_id), watch))

    return LoopTools(
        judge, employ, stoppable(ask, stopped), watcher or Watcher(), stopped, trace=trace
    )


def stoppable(ask: Callable[[Q], A], stopped: threading.Event) -> Callable[[Q], A]:
    """The same question, given up when the loop is stopped while nobody answers."""

    def asked(question: Q) -> A:
        answer: Future[A] = Future()

        def wait() -> None:
            try:
                answer.set_result(ask(question))
            except BaseException as wrong:  # noqa: BLE001 (it is raised where it was asked)
                answer.set_exception(wrong)

        threading.Thread(target=wait, daemon=True).start()
        while True:
            try:
                return answer.result(timeout=0.1)
            except TimeoutError:
                if stopped.is_set() and not answer.done():
                    raise Interrupted("stopped at a question", "Nothing was decided.") from None

    return asked


async def _employ(root: Path, call: Call) -> Reply:
    """Have an agent do a piece of work; what it costs is set aside and counted as any call's."""
    run = f"loop-{uuid4()}"
    config = settings_for(root)
    with open_session(root, run, config, reuse=ReusePolicy(only=run)) as session:
        return (await session.ask([call])).replies[0]
