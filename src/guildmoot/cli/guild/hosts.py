"""``guild hosts``: which machines could run agents, which manifests are broken, who takes a task."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path

from guildmoot.agents.hosts import (
    Fleet,
    Host,
    HostTask,
    RefusedManifest,
    RouteError,
    RoutingTerms,
    load_hosts,
    route,
)
from guildmoot.agents.hosts.folder import read_file
from guildmoot.agents.hosts.tasks import AFFINITIES, MODES, NEEDS
from guildmoot.cli.arguments import Parser, add_json, names
from guildmoot.cli.guild.agents import shorten
from guildmoot.cli.guild.config import project_root
from guildmoot.cli.guild.hosts_view import (
    host_json,
    is_fresh,
    refused_json,
    route_json,
    write_passed_over,
    write_route,
)
from guildmoot.errors import EXIT_OK, EXIT_USAGE, UsageError
from guildmoot.model.settings import TIERS
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import one_line

ENABLED = "GUILD_CROSS_HOST_ENABLED"
_SWITCH = {"": False, "0": False, "false": False, "1": True, "true": True}
_EXAMPLES = """  guild hosts list
  guild hosts check
  guild hosts check build-1/capability.json
  guild hosts route --tier mid
  guild hosts route --tier cheap --mode agent --prefer codex --cross-host
  guild hosts route --tier mid --cross-host --failed build-1 --json

exit codes of route: 0 a host was found, 4 none may take the task, 64 usage"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    options = _parser().parse_args(argv)
    if options.action == "check" and options.paths:
        read = [read_file(path) for path in options.paths]
        hosts = tuple(each for each in read if isinstance(each, Host))
        fleet = Fleet(hosts, tuple(each for each in read if isinstance(each, RefusedManifest)))
    elif options.paths:
        raise UsageError(f"'{options.action}' takes no FILE", "Only 'check' does.")
    else:
        fleet = load_hosts(project_root())
    act = {"list": _list, "check": _check, "route": _route}[options.action]
    return act(fleet, options)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "hosts",
        "Hosts say what they can do in .guild/hosts/<host-id>/capability.json\n"
        "(guild.host_capability.v1). 'route' says which of them would take a task, who comes\n"
        "next when it fails, and why the others would not. It contacts none of them.",
        _EXAMPLES,
    )
    parser.add_argument("action", choices=("list", "check", "route"))
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="FILE", help="manifests to check (all)"
    )
    task = parser.add_argument_group("what the task asks for, with route")
    task.add_argument("--task", default="task", metavar="ID", help="its name in the answer")
    task.add_argument("--tier", default="", metavar="TIER", help=", ".join(TIERS))
    task.add_argument("--mode", default="auto", metavar="MODE", help=f"{', '.join(MODES)} (auto)")
    task.add_argument("--prefer", default="", metavar="HOST", help="a host's id, or a kind")
    task.add_argument("--affinity", default="", metavar="WORK", help=", ".join(AFFINITIES))
    task.add_argument("--tools", type=names, default=(), metavar="A,B", help="tools it uses")
    task.add_argument("--needs", type=names, default=(), metavar="A,B", help=", ".join(NEEDS))
    task.add_argument("--isolation", default="", metavar="NAME", help="such as worktree")
    terms = parser.add_argument_group("what you allow")
    terms.add_argument(
        "--cross-host", action="store_true", help=f"hosts other than Claude (${ENABLED}=1)"
    )
    terms.add_argument("--escalate", action="store_true", help="one tier higher, if need be")
    terms.add_argument("--degrade", action="store_true", help="a host that lacks something")
    terms.add_argument("--no-claude", action="store_true", help="no falling back to Claude")
    terms.add_argument("--failed", type=names, default=(), metavar="A,B", help="hosts tried before")
    terms.add_argument(
        "--ttl", type=float, default=3600.0, metavar="S", help="seconds a manifest counts (3600)"
    )
    add_json(parser)
    return parser


def _list(fleet: Fleet, options: argparse.Namespace) -> int:
    now = time.time()
    if options.json:
        rows = [host_json(host, now, options.ttl) for host in fleet.hosts]
        return _say({"hosts": rows, "refused": refused_json(fleet)})
    if not fleet.hosts:
        sys.stdout.write("no host has a manifest that can be used\n")
    width = max((len(host.host_id) for host in fleet.hosts), default=0)
    for host in fleet.hosts:
        tiers = " ".join(tier for tier in TIERS if tier in host.offers)
        ways = " ".join(mode for mode, way in MODES.items() if way in host.offers)
        state = "fresh" if is_fresh(host, now, options.ttl) else "stale"
        line = f"{host.host_id:<{width}}  {host.kind:<6}  {state}  {tiers:<18}  {ways}"
        sys.stdout.write(shorten(line.rstrip()) + "\n")
    for refused in fleet.refused:
        sys.stderr.write(f"refused: {one_line(refused.path)}: {one_line(refused.reasons[0])}\n")
    return EXIT_OK


def _check(fleet: Fleet, options: argparse.Namespace) -> int:
    code = EXIT_USAGE if fleet.refused else EXIT_OK
    if options.json:
        body = {"ok": not fleet.refused, "hosts": len(fleet.hosts)}
        _say({**body, "refused": refused_json(fleet)})
        return code
    for refused in fleet.refused:
        for reason in refused.reasons:
            sys.stdout.write(f"{one_line(refused.path)}: {one_line(reason)}\n")
    good, bad = len(fleet.hosts), len(fleet.refused)
    sys.stdout.write(f"{good} {'host' if good == 1 else 'hosts'}, {bad} refused\n")
    if bad:
        sys.stdout.write("Mend each file, or remove its folder; docs/hosts.md has the fields.\n")
    return code


def _route(fleet: Fleet, options: argparse.Namespace) -> int:
    task = HostTask(
        options.task,
        options.tier,
        options.mode,
        options.prefer,
        options.affinity,
        options.tools,
        options.needs,
        options.isolation,
    )
    try:
        found = route(task, fleet.hosts, _terms(options))
    except RouteError as error:
        return _no_route(error, fleet, as_json=options.json)
    if options.json:
        return _say(route_json(found, fleet))
    write_route(found, fleet)
    return EXIT_OK


def _terms(options: argparse.Namespace) -> RoutingTerms:
    said = os.environ.get(ENABLED, "").strip().lower()
    if said not in _SWITCH:
        raise UsageError(f"${ENABLED} must be 1 or 0, not {said!r}", "Unset it, or mend it.")
    if not 0 < options.ttl < math.inf:
        raise UsageError(
            f"--ttl must be a number above 0, not {options.ttl:g}", "Name it in seconds."
        )
    return RoutingTerms(
        now=time.time(),
        cross_host=options.cross_host or _SWITCH[said],
        ttl=options.ttl,
        escalate=options.escalate,
        degrade=options.degrade,
        fallback_to_claude=not options.no_claude,
        failed=frozenset(options.failed),
    )


def _no_route(error: RouteError, fleet: Fleet, *, as_json: bool) -> int:
    """An error like any other, and beside it why each host was passed over."""
    if as_json:
        body = {"message": error.message, "hint": error.hint, "exit_code": error.exit_code}
        rejected = [each._asdict() for each in error.rejected]
        _say({"error": body, "rejected": rejected, "refused": refused_json(fleet)})
        return error.exit_code
    sys.stderr.write(f"guild hosts: {one_line(error.message)}\n  {one_line(error.hint)}\n")
    write_passed_over([(each.host, each.reason) for each in error.rejected], fleet)
    return error.exit_code


def _say(body: dict[str, object]) -> int:
    sys.stdout.write(dumps({"schema_version": 1, **body}) + "\n")
    return EXIT_OK
