"""``guild hosts``: which machines could run agents, which manifests are broken, who takes a task."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from guildmoot.agents.hosts.answers import HostDecision, answer_host
from guildmoot.agents.hosts.folder import Fleet, load_hosts, read_manifests
from guildmoot.agents.hosts.manifest import Host
from guildmoot.agents.hosts.routing import is_fresh, route
from guildmoot.agents.hosts.tasks import (
    AFFINITIES,
    ENABLED,
    MODES,
    NEEDS,
    HostOption,
    HostTask,
    Rejection,
    Route,
    RouteError,
    RoutingTerms,
    with_environment,
)
from guildmoot.cli.arguments import (
    YES,
    Kind,
    Parser,
    add_json,
    add_options,
    listed,
    project_root,
    text,
)
from guildmoot.cli.output import emit, shorten
from guildmoot.errors import EXIT_OK, EXIT_USAGE, UsageError
from guildmoot.guard.hooks.channel import agent_above
from guildmoot.model.settings import TIERS
from guildmoot.text.clean import one_line

_SHOWN = 10
_WIDTH = 72
_EXAMPLES = """  guild hosts list
  guild hosts check
  guild hosts check build-1/capability.json
  guild hosts route --tier mid
  guild hosts route --tier cheap --mode agent --prefer codex --cross-host
  guild hosts route --tier mid --cross-host --failed build-1 --json
  guild hosts approve build-1 --yes    lanes may go there; --no: they may not

exit codes of route: 0 a host was found, 4 none may take the task, 64 usage"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    options = _parser().parse_args(argv)
    if options.action == "approve":
        return _approve(options)
    if options.action == "check" and options.paths:
        fleet = read_manifests(options.paths)
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
    parser.add_argument("action", choices=("list", "check", "route", "approve"))
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="FILE", help="manifests to check (all), or a host"
    )
    add_options(
        parser,
        ("--task", "its name in the answer", {"default": "task", "metavar": "ID"}),
        ("--tier", ", ".join(TIERS), text("TIER")),
        ("--mode", f"{', '.join(MODES)} (auto)", {"default": "auto", "metavar": "MODE"}),
        ("--prefer", "a host's id, or a kind", text("HOST")),
        ("--affinity", ", ".join(AFFINITIES), text("WORK")),
        ("--tools", "tools it uses", listed()),
        ("--needs", ", ".join(NEEDS), listed()),
        ("--isolation", "such as worktree", text("NAME")),
        title="what the task asks for, with route",
    )
    ttl: Kind = {"type": float, "default": 3600.0, "metavar": "S"}
    add_options(
        parser,
        ("--cross-host", f"hosts other than Claude (${ENABLED}=1)", YES),
        ("--escalate", "one tier higher, if need be", YES),
        ("--degrade", "a host that lacks something", YES),
        ("--no-claude", "no falling back to Claude", YES),
        ("--failed", "hosts tried before", listed()),
        ("--ttl", "seconds a manifest counts (3600)", ttl),
        title="what you allow",
    )
    add_options(
        parser,
        ("--yes", "lanes may go there, with the files they need", YES),
        ("--no", "they may not", YES),
        title="your answer, with approve",
    )
    add_json(parser)
    return parser


def _approve(options: argparse.Namespace) -> int:
    """A person's word that work may go to a host; it holds for what the manifest says now."""
    if options.yes == options.no or len(options.paths) != 1:
        raise UsageError(
            "an answer names one host and is --yes or --no", "guild hosts approve build-1 --yes"
        )
    if agent := agent_above(os.environ):
        raise UsageError(
            f"an answer is a person's to give, and this comes from an agent: {agent}",
            "Run it in a terminal of your own.",
        )
    root, name = project_root(), str(options.paths[0])
    host = next((each for each in load_hosts(root).hosts if each.host_id == name), None)
    if host is None:
        raise UsageError(f"no host {name!r} has a manifest that can be used", "guild hosts check")
    decision: HostDecision = "approved" if options.yes else "denied"
    when = datetime.now(UTC).isoformat(timespec="seconds")
    answer_host(root, host, decision, getpass.getuser(), when)
    row = f"{name} is {decision} as its manifest is now; a change of it asks again"
    return emit({"host": name, "decision": decision, "at": when}, [row], as_json=options.json)


def _list(fleet: Fleet, options: argparse.Namespace) -> int:
    now = time.time()
    rows = [_host_json(host, now, options.ttl) for host in fleet.hosts]
    data = {"hosts": rows, "refused": _refused_json(fleet)}
    emit(data, _host_rows(fleet, now, options.ttl), as_json=options.json)
    for refused in () if options.json else fleet.refused:
        sys.stderr.write(f"refused: {one_line(refused.path)}: {one_line(refused.reasons[0])}\n")
    return EXIT_OK


def _host_rows(fleet: Fleet, now: float, ttl: float) -> Iterator[str]:
    if not fleet.hosts:
        yield "no host has a manifest that can be used"
    width = max((len(host.host_id) for host in fleet.hosts), default=0)
    for host in fleet.hosts:
        tiers = " ".join(tier for tier in TIERS if tier in host.offers)
        ways = " ".join(mode for mode, way in MODES.items() if way in host.offers)
        state = "fresh" if is_fresh(host, now, ttl) else "stale"
        line = f"{host.host_id:<{width}}  {host.kind:<6}  {state}  {tiers:<18}  {ways}"
        yield shorten(line.rstrip())


def _check(fleet: Fleet, options: argparse.Namespace) -> int:
    good, bad = len(fleet.hosts), len(fleet.refused)
    rows = [
        f"{one_line(refused.path)}: {one_line(reason)}"
        for refused in fleet.refused
        for reason in refused.reasons
    ]
    rows.append(f"{good} {'host' if good == 1 else 'hosts'}, {bad} refused")
    if bad:
        rows.append("Mend each file, or remove its folder; docs/hosts.md has the fields.")
    data = {"ok": not bad, "hosts": good, "refused": _refused_json(fleet)}
    emit(data, rows, as_json=options.json)
    return EXIT_USAGE if bad else EXIT_OK


def _route(fleet: Fleet, options: argparse.Namespace) -> int:
    asked = {field: getattr(options, field) for field in HostTask._fields[1:]}
    task = HostTask(options.task, **asked)
    try:
        found = route(task, fleet.hosts, with_environment(_terms(options)))
    except RouteError as error:
        return _no_route(error, fleet, as_json=options.json)
    return emit(_route_json(found, fleet), _route_rows(found, fleet), as_json=options.json)


def _terms(options: argparse.Namespace) -> RoutingTerms:
    return RoutingTerms(
        now=time.time(),
        cross_host=options.cross_host,
        ttl=options.ttl,
        escalate=options.escalate,
        degrade=options.degrade,
        fallback_to_claude=not options.no_claude,
        failed=frozenset(options.failed),
    )


def _no_route(error: RouteError, fleet: Fleet, *, as_json: bool) -> int:
    """An error like any other, and beside it why each host was passed over."""
    body = {"message": error.message, "hint": error.hint, "exit_code": error.exit_code}
    rejected = [each._asdict() for each in error.rejected]
    data = {"error": body, "rejected": rejected, "refused": _refused_json(fleet)}
    if not as_json:
        sys.stderr.write(f"guild hosts: {one_line(error.message)}\n  {one_line(error.hint)}\n")
    emit(data, _passed_over(error.rejected, fleet), as_json=as_json)
    return error.exit_code


def _route_rows(found: Route, fleet: Fleet) -> Iterator[str]:
    """The route for people: where, why, what differs, who is next, who is not."""
    yield f"{one_line(found.task_id)} -> {_option_text(found.choice)}"
    yield from _rows("why", [found.reason])
    yield from (row for note in found.notes for row in _rows("note", [note]))
    yield from _rows("then", [_option_text(each) for each in found.chain])
    yield from _passed_over(found.rejected, fleet)


def _passed_over(rejected: Iterable[Rejection], fleet: Fleet) -> Iterator[str]:
    """Every host that was passed over, and why; a refused manifest is one."""
    refused = [f"{each.host_id}: refused: {each.reasons[0]}" for each in fleet.refused]
    return _rows("not", [*(f"{each.host}: {each.reason}" for each in rejected), *refused])


def _rows(lead: str, texts: list[str]) -> Iterator[str]:
    more = [f"{len(texts) - _SHOWN:,} more; --json has them all"] if len(texts) > _SHOWN else []
    for said in (*texts[:_SHOWN], *more):
        lines = textwrap.wrap(one_line(said), _WIDTH, break_on_hyphens=False) or [""]
        for number, line in enumerate(lines):
            yield f"  {'' if number else lead:<4}  {line}"


def _option_text(option: HostOption) -> str:
    params = "".join(f" {name}={value}" for name, value in option.model.params)
    model = (option.model.model or "its own default model") + params
    return f"{option.host} ({option.kind}), {option.tier}, {model}"


def _host_json(host: Host, now: float, ttl: float) -> dict[str, object]:
    """One host as it was read."""
    return {
        "host_id": host.host_id,
        "host_kind": host.kind,
        "fresh": is_fresh(host, now, ttl),
        "advertised_at": host.advertised_at,
        "offers": sorted(host.offers),
        "tool_permissions": None if host.tools is None else sorted(host.tools),
        "tier_models": {tier: model.model or None for tier, model in host.models.items()},
        "egress": host.egress,
        "agent_api_version": host.api_version,
        "source": host.source,
    }


def _route_json(found: Route, fleet: Fleet) -> dict[str, object]:
    """The route, and beside it the manifests that were refused."""
    return {
        "task_id": found.task_id,
        **_option_json(found.choice),
        "asked_tier": found.asked_tier,
        "degraded": found.degraded,
        "independence": found.independence,
        "host_diversity": found.host_diversity,
        "fallback_chain": [_option_json(option) for option in found.chain],
        "rejected": [each._asdict() for each in found.rejected],
        "refused": _refused_json(fleet),
        "reason": found.reason,
        "notes": found.notes,
    }


def _option_json(option: HostOption) -> dict[str, object]:
    return {
        "host": option.host,
        "host_kind": option.kind,
        "tier": option.tier,
        "model": option.model.model or None,
        "model_params": dict(option.model.params),
        "affinity_score": option.score,
        "lacks": option.lacks,
    }


def _refused_json(fleet: Fleet) -> list[dict[str, object]]:
    """The manifests that were refused, with every reason."""
    return [refused._asdict() for refused in fleet.refused]
