"""``guild worker``: make calls for everybody who shares an engine, until told to stop."""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import socket
import sys
from typing import TYPE_CHECKING

from guildmoot.calls.cluster import check_installed
from guildmoot.cli.arguments import YES, Kind, Parser, add_options, listed, many
from guildmoot.cli.guild.engine import add_engine, engine_url, listed_in
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.calls.cluster.call_runner import Offer

_GRACE = 3600.0
"""Seconds that calls under way get to end; their own time limits end them long before."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "worker",
        "Take calls from the queues of a shared engine and make them on this machine, with this"
        " machine's keys and programs. Any number of workers can share the work. Whoever may write"
        " to the engine's database can have a worker run programs: name --backends to bound that.",
        "  guild worker --engine postgresql://guild@db.example.org/guild\n"
        "  guild worker --backends api --provider anthropic,openai\n"
        "  guild worker --backends tool,command --repo ~/src/shop --name build-1\n"
        "  guild worker --limit anthropic=8 --rate anthropic=50/60",
    )
    add_engine(parser)
    count: Kind = {"type": int, "default": 0, "metavar": "N"}
    add_options(
        parser,
        ("--name", "unique in the cluster (this host's name)", {"default": ""}),
        ("--backends", "serve only these (all)", listed()),
        ("--provider", "only these (all with a key)", listed()),
        ("--model", "models of local servers here", listed("P:M,...")),
        ("--repo", "a checkout that may be used", many("PATH")),
        ("--concurrency", "calls at once here (8 to 64 a queue)", count),
        ("--limit", "calls at once, all machines", listed("NAME=N", None)),
        ("--rate", "N starts in S seconds", listed("NAME=N/S", None)),
        ("--verbose", "tell what goes wrong, as it does", YES),
    )
    options = parser.parse_args(argv)
    check_installed()
    logging.basicConfig(
        level=logging.INFO if options.verbose else logging.ERROR,
        format="%(asctime)s %(name)s: %(message)s",
    )
    from guildmoot.calls.cluster.call_runner import Offer
    from guildmoot.calls.cluster.queues import read_limits

    offer = Offer(
        name=_name(options.name),
        backends=_backends(options.backends),
        providers=options.provider,
        models=options.model,
        repositories=tuple(options.repo),
        concurrency=max(0, options.concurrency),
        limits=read_limits(
            listed_in(options.limit, "engine.concurrency"),
            listed_in(options.rate, "engine.rate"),
        ),
    )
    asyncio.run(_work(engine_url(options.engine), offer))
    return 0


async def _work(url: str, offer: Offer) -> None:
    from guildmoot.calls.cluster import database
    from guildmoot.calls.cluster.worker import Worker

    worker = Worker(url, offer, _say)
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in one

    def stop() -> None:
        """The first signal lets calls end, the second does not."""
        if worker.stopping:
            task.cancel()
        worker.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        with database.told(url):
            await worker.work(_GRACE)
    except asyncio.CancelledError:
        _say("stopped at once; other workers take over what was under way")


def _name(given: str) -> str:
    name = given or re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname().partition(".")[0])
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a worker", "Use letters, digits, - and _.")
    return name


def _backends(given: tuple[str, ...]) -> tuple[str, ...]:
    from guildmoot.backends import BACKENDS

    unknown = sorted(set(given) - set(BACKENDS))
    if unknown:
        raise UsageError(
            f"there is no backend {', '.join(unknown)}",
            f"This version has: {', '.join(sorted(BACKENDS))}.",
        )
    return given


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
