"""The verbs that put the guard in front of a coding agent, take it away, and prove what it covers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.guard.hooks.pins import ServerPin, read_pins, server_definitions, write_pins
from guildmoot.guard.install import setup
from guildmoot.guard.install.probe import Probed, probe
from guildmoot.guard.install.servers import ListedServer, command_of, list_server
from guildmoot.guard.install.setup import InstallPlan
from guildmoot.system.git import project_root
from guildmoot.text.clean import count


async def plan_guard(
    hosts: Sequence[str], *, user: bool = False, cwd: Path = Path()
) -> InstallPlan:
    """What an installation would change: of this project, or of the user's own settings."""
    return await asyncio.to_thread(
        lambda: setup.plan_install(hosts, _project(cwd, user), os.environ)
    )


async def install_guard(plan: InstallPlan) -> None:
    """Do what the plan says."""
    await asyncio.to_thread(setup.install, plan, os.environ)


async def plan_unguard(
    hosts: Sequence[str], *, user: bool = False, cwd: Path = Path()
) -> InstallPlan:
    """What taking it away would change."""
    return await asyncio.to_thread(
        lambda: setup.plan_uninstall(hosts, _project(cwd, user), os.environ)
    )


async def uninstall_guard(plan: InstallPlan) -> None:
    """Do what the plan says."""
    await asyncio.to_thread(setup.uninstall, plan, os.environ)


async def guarded_files() -> list[str]:
    """The settings files on this machine that an installation put something into."""
    return await asyncio.to_thread(setup.installed_places, os.environ)


def _project(cwd: Path, user: bool) -> Path | None:
    return None if user else project_root(cwd.absolute())


async def probe_guard(
    hosts: Sequence[str], seconds: float = 90.0, cwd: Path = Path()
) -> list[Probed]:
    """Drive each installed host with a canary: covered, not covered or unknown, surface by surface."""
    return await asyncio.to_thread(
        lambda: probe(hosts, project_root(cwd.absolute()), os.environ, seconds)
    )


class PinResult(NamedTuple):
    """What became of one server's pin."""

    server: str
    state: str
    """pinned, same, differs, unpinned or unknown."""
    detail: str


async def mcp_servers(cwd: Path = Path()) -> dict[str, str]:
    """The servers that the project's and the user's files name, and how each is started."""
    root = await asyncio.to_thread(project_root, cwd.absolute())
    known = server_definitions(str(root), os.environ)
    return {name: " ".join(command_of(each)) for name, each in known.items() if command_of(each)}


async def pin_servers(*, check: bool = False, cwd: Path = Path()) -> list[PinResult]:
    """Start the servers, hash what they say of their tools, and keep or compare the hashes."""
    return await asyncio.to_thread(_pinned, cwd, check)


def _pinned(cwd: Path, check: bool) -> list[PinResult]:
    root = os.path.realpath(project_root(cwd.absolute()))
    known = server_definitions(root, os.environ)
    listed = [list_server(name, each, root, os.environ) for name, each in known.items()]
    pins = read_pins(os.environ).get(root, {})
    if check:
        seen = {
            each.name: pins[each.name]._replace(differs=_other(each.pin, pins[each.name]))
            for each in listed
            if each.pin and each.name in pins
        }
        if any(pin != pins[name] for name, pin in seen.items()):
            write_pins(os.environ, root, pins | seen)
    else:
        write_pins(os.environ, root, pins | {each.name: each.pin for each in listed if each.pin})
    return [_compared(each, pins.get(each.name), check) for each in listed]


def _other(now: ServerPin, pin: ServerPin) -> tuple[str, ...]:
    names = sorted(now.tools.keys() | pin.tools.keys())
    return tuple(name for name in names if now.tools.get(name) != pin.tools.get(name))


def _compared(now: ListedServer, pin: ServerPin | None, check: bool) -> PinResult:
    if now.pin is None:
        return PinResult(now.name, "unknown", now.problem)
    tools = count(len(now.pin.tools), "tool")
    if not check:
        return PinResult(now.name, "pinned", tools)
    if pin is None:
        return PinResult(now.name, "unpinned", tools)
    other = list(_other(now.pin, pin))
    if now.pin.definition != pin.definition:
        other.insert(0, "how it is started")
    return PinResult(now.name, "differs" if other else "same", ", ".join(other) or tools)
