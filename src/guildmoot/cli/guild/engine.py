"""``guild engine``: look at a shared engine, drain it, bring its database up to date."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from guildmoot.calls.cluster import check_installed
from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.guild.config import project_root
from guildmoot.cli.output import emit
from guildmoot.config import process_config
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.text.clean import one_line

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from guildmoot.calls.cluster.register import RegisteredWorker
    from guildmoot.calls.cluster.status import Queue, Status


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "engine",
        "Look at the engine that several machines share, or change it. 'status' tells what it does;"
        " 'drain' lets no new call in and has the workers finish and stop; 'migrate' makes or"
        " updates its tables, which nothing else does.",
        "  guild engine status --engine postgresql://guild@db.example.org/guild\n"
        "  guild engine drain --wait\n  guild engine drain --off\n  guild engine migrate",
    )
    parser.add_argument("action", choices=("status", "drain", "migrate"))
    add_engine(parser)
    parser.add_argument("--wait", action="store_true", help="drain: until no worker works")
    parser.add_argument("--off", action="store_true", help="drain: let new calls in again")
    parser.add_argument(
        "--lease", type=float, metavar="S", help="migrate: seconds until silence is death (15)"
    )
    add_json(parser)
    options = parser.parse_args(argv)
    if options.lease is not None and not 1 <= options.lease <= 3600:
        raise UsageError("--lease must be between 1 and 3600 seconds")
    check_installed()
    url = engine_url(options.engine)
    from guildmoot.calls.cluster import database

    engine = database.connect(url, 3)
    if options.action == "migrate":
        return _migrate(engine, url, options.lease, as_json=options.json)
    database.check_reachable(engine, url)
    with database.told(url):
        if options.action == "drain":
            return _drain(engine, on=not options.off, wait=options.wait, as_json=options.json)
        return _status(engine, as_json=options.json)


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Every verb that needs an engine takes its address in the same way."""
    parser.add_argument(
        "--engine", default="", metavar="URL", help="postgresql://... ($GUILD_ENGINE_URL)"
    )


def engine_url(flag: str) -> str:
    """The engine's address from the flag, the environment or the user's settings."""
    from guildmoot.calls.session import engine_url as configured

    url = flag or configured(process_config(project_root()))
    if not url:
        raise UsageError(
            "no engine is named",
            "Give --engine postgresql://user@host/database, or set GUILD_ENGINE_URL.",
        )
    return url


def listed_in(flag: tuple[str, ...] | None, key: str) -> tuple[str, ...]:
    """A list from the flag, else from the setting."""
    return flag if flag is not None else process_config(project_root()).strings(key)


def _migrate(engine: Engine, url: str, lease: float | None, *, as_json: bool) -> int:
    from sqlalchemy.exc import DBAPIError

    from guildmoot.calls.cluster import database, schema

    try:
        before, after = schema.migrate(engine, database.with_driver(url), lease)
    except DBAPIError as error:
        raise InfrastructureError(
            f"the engine at {database.shown(url)} could not be migrated: {database.reason(error)}",
            "See whether Postgres runs there, and whether this role may create schemas.",
        ) from None
    place = database.shown(url)
    moved = f"{place} went from version {before} to {after}"
    row = f"{place} is at version {after} already" if before == after else moved
    return emit({"before": before, "after": after}, [row], as_json=as_json)


def _drain(engine: Engine, *, on: bool, wait: bool, as_json: bool) -> int:
    from guildmoot.calls.cluster import database, register

    database.transact(engine, lambda c: register.set_draining(c, on))
    alive = _alive(engine)
    while on and wait and alive:
        time.sleep(0.5)
        alive = _alive(engine)
    row = f"no new calls are taken; still working: {', '.join(alive)}"
    if not on:
        row = "new calls are taken again; start workers with: guild worker"
    elif not alive:
        row = "no new calls are taken; no worker is working"
    return emit({"draining": on, "workers": alive}, [row], as_json=as_json)


def _alive(engine: Engine) -> list[str]:
    from guildmoot.calls.cluster import database, register

    everybody = database.transact(engine, register.workers)
    return [one_line(each.name) for each in everybody if each.alive]


def _status(engine: Engine, *, as_json: bool) -> int:
    from guildmoot.calls.cluster import database
    from guildmoot.calls.cluster.queues import make_client
    from guildmoot.calls.cluster.status import read_status

    client = make_client(engine)
    found = database.transact(engine, lambda c: read_status(c, client))
    return emit(_as_json(found), _as_rows(found), as_json=as_json)


def _as_json(status: Status) -> dict[str, object]:
    workers = [
        {
            "name": each.name,
            "host": each.host,
            "state": each.state,
            "alive": each.alive,
            "heartbeat_age": round(each.age, 3),
            "serves": each.serves,
            **each.capabilities._asdict(),
            "repositories": [repository._asdict() for repository in each.capabilities.repositories],
        }
        for each in status.workers
    ]
    return {
        **status._asdict(),
        "queues": [queue._asdict() for queue in status.queues],
        "workers": workers,
        "stuck": [each._asdict() for each in status.stuck],
    }


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
        calls = "1 call" if status.unpriced == 1 else f"{status.unpriced} calls"
        lines.append(f"  {calls} without a known price")
    lines.append(f"answers kept: {status.answered}")
    for stuck in status.stuck:
        name = f"{one_line(stuck.key)[:12]} {one_line(stuck.seat)[:24]}"
        queue = one_line(stuck.queue)[:24]
        lines.append(f"stuck: {name} in {queue}, {stuck.seconds:.0f} s: {stuck.why}")
    return lines


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
    words += [f"{one_line(each.path)}@{each.state[:8]}" for each in has.repositories]
    return one_line(" ".join(words))
