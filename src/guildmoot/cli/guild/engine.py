"""``guild engine`` and ``guild worker``: look at a shared engine, change it, work for it."""

from __future__ import annotations

import argparse
import signal
import time
from typing import TYPE_CHECKING, Any

from guildmoot.cli.arguments import (
    YES,
    Kind,
    Parser,
    add_json,
    add_options,
    listed,
    many,
    number,
    text,
)
from guildmoot.cli.output import emit, tell, tell_of_interrupts
from guildmoot.codec import to_plain
from guildmoot.text.clean import count, one_line

if TYPE_CHECKING:
    from guildmoot.api.engine import WorkerRequest
    from guildmoot.calls.cluster.register import RegisteredWorker
    from guildmoot.calls.cluster.retention import Cleared
    from guildmoot.calls.cluster.status import Queue, Status


_ENGINE = ("--engine", "postgresql://... ($GUILD_ENGINE_URL)", text("URL"))


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "engine",
        "Look at the engine that several machines share, or change it. 'status' tells what it does;"
        " 'drain' lets no new call in and has the workers finish and stop; 'gc' clears away what"
        " ended long ago; 'migrate' makes or updates its tables, which nothing else does.",
        "  guild engine status --engine postgresql://guild@db.example.org/guild\n"
        "  guild engine drain --wait\n  guild engine drain --off\n  guild engine gc --keep 30\n"
        "  guild engine migrate",
    )
    parser.add_argument("action", choices=("status", "drain", "gc", "migrate"))
    add_options(
        parser,
        _ENGINE,
        ("--wait", "drain: until no worker works", YES),
        ("--off", "drain: let new calls in again", YES),
        ("--keep", "gc: days to keep what is finished (30)", number(float, "DAYS")),
        ("--dry-run", "gc: only tell what would go", YES),
        ("--lease", "migrate: seconds until silence is death (15)", number(float, "S")),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api import engine

    if options.action == "drain":
        return _drain(options)
    if options.action == "gc":
        keep = 30.0 if options.keep is None else options.keep
        return _clear(options, engine.clear(options.engine, keep, dry_run=options.dry_run))
    if options.action == "status":
        found = engine.read_engine(options.engine)
        return emit(_as_json(found), _as_rows(found), as_json=options.json)
    place, before, after = engine.migrate(options.engine, options.lease)
    moved = f"{place} went from version {before} to {after}"
    row = f"{place} is at version {after} already" if before == after else moved
    return emit({"before": before, "after": after}, [row], as_json=options.json)


def _clear(options: argparse.Namespace, cleared: Cleared) -> int:
    counts = ", ".join(f"{number} {name}" for name, number in cleared._asdict().items())
    row = f"{'would clear' if options.dry_run else 'cleared'} {counts}"
    return emit({"dry_run": options.dry_run, **cleared._asdict()}, [row], as_json=options.json)


def _drain(options: argparse.Namespace) -> int:
    from guildmoot.api.engine import drain, read_engine

    on = not options.off
    alive = drain(options.engine, on=on)
    while on and options.wait and alive:
        time.sleep(0.5)
        alive = [each.name for each in read_engine(options.engine).workers if each.alive]
    alive = [one_line(name) for name in alive]
    row = f"no new calls are taken; still working: {', '.join(alive)}"
    if not on:
        row = "new calls are taken again; start workers with: guild worker"
    elif not alive:
        row = "no new calls are taken; no worker is working"
    return emit({"draining": on, "workers": alive}, [row], as_json=options.json)


def _as_json(status: Status) -> dict[str, object]:
    plain: dict[str, Any] = to_plain(status)
    for worker in plain["workers"]:
        worker["heartbeat_age"] = round(worker.pop("age"), 3)
        worker.update(worker.pop("capabilities"))
    return plain


def _as_rows(status: Status) -> list[str]:
    lines = [f"{'draining' if status.draining else 'open'}, tables at version {status.version}"]
    lines += ["", "queue                             waiting  running  limits"]
    lines += [
        f"{one_line(queue.name)[:32]:<32}  {queue.waiting:>7}  {queue.running:>7}  {_limits(queue)}"
        for queue in status.queues
    ] or ["  none yet; the first call makes one"]
    lines += ["", "worker            state      last heard  has"]
    lines += [
        f"{one_line(each.name)[:16]:<16}  {each.state if each.alive else 'gone':<9}"
        f"  {each.age:>8.1f} s  {_has(each)}"
        for each in status.workers
    ] or ["  none; start one with: guild worker"]
    lines += ["", f"today: ${status.spent_usd:.4f} spent, ${status.reserved_usd:.4f} set aside"]
    if status.unpriced:
        lines.append(f"  {count(status.unpriced, 'call')} without a known price")
    lines.append(f"answers kept: {status.answered}")
    for stuck in status.stuck:
        name = f"{one_line(stuck.key)[:12]} {one_line(stuck.seat)[:24]}"
        queue = one_line(stuck.queue)[:24]
        lines.append(f"stuck: {name} in {queue}, {stuck.seconds:.0f} s: {stuck.why}")
    return lines + [f"left aside: {line}" for line in status.unreadable]


def _limits(queue: Queue) -> str:
    words = [f"{queue.concurrency} at once" if queue.concurrency else "any number at once"]
    if queue.per_worker:
        words.append(f"{queue.per_worker} a worker")
    if queue.rate:
        words.append(f"{queue.rate[0]} in {queue.rate[1]:g} s")
    if not queue.workers:
        words.append("nobody serves it")
    return ", ".join(words)


def _has(worker: RegisteredWorker) -> str:
    has = worker.capabilities
    words = [*has.backends, *has.providers, *has.models]
    words += [f"lanes:{has.lanes.slots}"] if has.lanes else []
    words += [f"{one_line(each.path)}@{each.state[:8]}" for each in has.repositories]
    return one_line(" ".join(words))


def worker(argv: list[str]) -> int:
    """Run ``guild worker``."""
    parser = Parser(
        "worker",
        "Take calls from the queues of a shared engine and make them on this machine, with this"
        " machine's keys and programs. Any number of workers can share the work. Whoever may write"
        " to the engine's database can have a worker run programs: name --backends to bound that."
        " With --lanes it does lanes of plans ('guild work execute --mode hosts') by your own command"
        " or clients, which no job can change, and takes calls for named --backends alone.",
        "  guild worker --engine postgresql://guild@db.example.org/guild\n"
        "  guild worker --backends api --provider anthropic,openai\n"
        "  guild worker --backends tool,command --repo ~/src/shop --name build-1\n"
        "  guild worker --limit anthropic=8 --rate anthropic=50/60\n"
        "  guild worker --lanes 2 --worker ./specialist.sh --name build-1",
    )
    most: Kind = {"type": int, "default": 0, "metavar": "N"}
    add_options(
        parser,
        _ENGINE,
        ("--name", "unique in the cluster (from the host's)", {"default": ""}),
        ("--backends", "serve only these (all)", listed()),
        ("--provider", "only these (all with a key)", listed()),
        ("--model", "models of local servers here", listed("P:M,...")),
        ("--repo", "a checkout that may be used", many("PATH")),
        ("--concurrency", "calls at once here (8 to 64 a queue)", most),
        ("--limit", "calls at once, all machines", listed("NAME=N", None)),
        ("--rate", "N starts in S seconds", listed("NAME=N/S", None)),
        ("--lanes", "lanes of plans at once (none)", most),
        ("--worker", "the command that does a lane", text("CMD")),
        ("--clients", "work.tiers of this machine do lanes", YES),
        ("--verbose", "tell what goes wrong, as it does", YES),
    )
    options = parser.parse_args(argv)
    import asyncio
    import logging

    from guildmoot.api.engine import WorkerRequest

    logging.basicConfig(
        level=logging.INFO if options.verbose else logging.ERROR,
        format="%(asctime)s %(name)s: %(message)s",
    )
    request = WorkerRequest(
        options.name,
        options.backends,
        options.provider,
        options.model,
        tuple(options.repo),
        options.concurrency,
        options.limit,
        options.rate,
        options.engine,
        lanes=options.lanes,
        command=options.worker.strip(),
        clients=options.clients,
    )
    tell_of_interrupts()
    asyncio.run(_work(request))
    return 0


async def _work(request: WorkerRequest) -> None:
    """The first signal lets calls end, the second does not; one that the caller ignores stays so."""
    import asyncio

    from guildmoot.api.engine import work

    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in one
    for sign in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(sign) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(sign, task.cancel)
    await work(request, tell)
