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
from guildmoot.cli.arguments import Parser, names
from guildmoot.cli.guild.engine import add_engine, engine_url, listed
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
    parser.add_argument("--name", default="", help="unique in the cluster (this host's name)")
    parser.add_argument(
        "--backends", type=names, default=(), metavar="A,B", help="serve only these (all)"
    )
    parser.add_argument(
        "--provider", type=names, default=(), metavar="A,B", help="only these (all with a key)"
    )
    parser.add_argument(
        "--model", type=names, default=(), metavar="P:M,...", help="models of local servers here"
    )
    parser.add_argument(
        "--repo", action="append", default=[], metavar="PATH", help="a checkout that may be used"
    )
    parser.add_argument(
        "--concurrency",
        type=int,
        default=0,
        metavar="N",
        help="calls at once here (8 to 64 a queue)",
    )
    parser.add_argument(
        "--limit", type=names, default=None, metavar="NAME=N", help="calls at once, all machines"
    )
    parser.add_argument(
        "--rate", type=names, default=None, metavar="NAME=N/S", help="N starts in S seconds"
    )
    parser.add_argument("--verbose", action="store_true", help="tell what goes wrong, as it does")
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
            listed(options.limit, "engine.concurrency"), listed(options.rate, "engine.rate")
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
