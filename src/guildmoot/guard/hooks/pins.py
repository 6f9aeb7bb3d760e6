"""MCP pinning: description and schema of each tool are hashed, and another hash is asked for.

Hosts do not tell a hook what a tool says of itself. So a server's tools are pinned when a person says so
(``guild guard pin``), from what the server lists; a call is held to the pin where the event carries
description and schema, and else to what the last ``guild guard pin check`` saw and to how the server is
started: a changed command line asks too.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.guard.decision import Decision
from guildmoot.guard.hooks.places import guard_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guildmoot.guard.hooks.events import HookEvent

FILE = "mcp-pins.json"
_MOST = 5_000_000


class ServerPin(NamedTuple):
    """What one server of one project was when it was pinned."""

    definition: str
    tools: dict[str, str]
    differs: tuple[str, ...] = ()
    """Tools that the last check found to be others than pinned; a call of one is asked for."""


def tool_hash(description: str, schema: object) -> str:
    """Over description and schema, however the schema's keys are ordered."""
    plain = json.dumps([description, schema], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(plain.encode()).hexdigest()


def definition_hash(definition: object) -> str:
    """Over how a server is started or reached; the values of its environment are left out."""
    plain = dict(definition) if isinstance(definition, dict) else {"": definition}
    env = plain.get("env")
    if isinstance(env, dict):
        plain["env"] = sorted(env)
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def read_pins(env: Mapping[str, str]) -> dict[str, dict[str, ServerPin]]:
    """Project folder to server to its pin. ValueError when the file cannot be used."""
    file = Path(guard_folder(env)) / FILE
    try:
        if file.stat().st_size > _MOST:
            raise ValueError(f"{file} is too large")
        kept = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as wrong:
        raise ValueError(f"{file} cannot be read: {wrong.strerror}") from wrong
    return {
        project: {
            name: ServerPin(
                str(pin["definition"]),
                {k: str(v) for k, v in pin["tools"].items()},
                tuple(map(str, pin.get("differs", ()))),
            )
            for name, pin in servers.items()
        }
        for project, servers in kept.items()
    }


def write_pins(env: Mapping[str, str], project: str, pins: Mapping[str, ServerPin]) -> Path:
    """Put these in the place of the project's."""
    from guildmoot.system.files import Locked, write_atomic

    folder = Path(guard_folder(env))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with Locked(folder / ".pins.lock"):
        every = read_pins(env) | {project: dict(pins)}
        plain = {
            where: {name: pin._asdict() for name, pin in held.items()}
            for where, held in every.items()
        }
        write_atomic(folder / FILE, json.dumps(plain, indent=1, sort_keys=True).encode())
    return folder / FILE


def server_definitions(project: str, env: Mapping[str, str]) -> dict[str, object]:
    """The servers that the project's and the user's files name; the project's win."""
    found: dict[str, object] = {}
    home = env.get("HOME", "")
    for file in (f"{home}/.claude.json", os.path.join(project, ".mcp.json")):
        try:
            with open(file, "rb") as stream:
                table = json.loads(stream.read(_MOST))
        except (OSError, ValueError):
            continue
        for held in (
            table,
            (table.get("projects") or {}).get(project) if isinstance(table, dict) else None,
        ):
            servers = held.get("mcpServers") if isinstance(held, dict) else None
            found |= servers if isinstance(servers, dict) else {}
    return found


def judge_pin(event: HookEvent) -> Decision | None:
    """A question where the tool is not what was pinned; None where it is, or nothing was pinned."""
    try:
        projects = read_pins(event.env)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        return Decision(
            "ask",
            "mcp-pin-unreadable",
            f"the pins cannot be read ({wrong})",
            "Pin again: guild guard pin.",
        )
    pins = projects.get(os.path.realpath(event.project)) if projects else None
    if not pins:
        return None
    server, tool = split_tool(event.own_tool, list(pins))
    pin = pins.get(server)
    if pin is None:
        return None
    if "tool_description" in event.data:
        now = tool_hash(event.text("tool_description"), event.data.get("tool_schema"))
        if pin.tools.get(tool) != now:
            return _changed(
                event,
                f"the tool {tool} of {server} describes itself otherwise than when it was pinned",
            )
    elif tool in pin.differs:
        return _changed(event, f"the last check found {tool} of {server} to be another than pinned")
    elif tool not in pin.tools:
        return _changed(event, f"{server} had no tool {tool} when it was pinned")
    definition = server_definitions(event.project, event.env).get(server)
    if definition is not None and definition_hash(definition) != pin.definition:
        return _changed(event, f"{server} is started otherwise than when it was pinned")
    return None


def _changed(event: HookEvent, reason: str) -> Decision:
    return Decision(
        "ask", "mcp-pin", reason, "A person looks at it and runs: guild guard pin", event.own_tool
    )


def split_tool(name: str, servers: list[str]) -> tuple[str, str]:
    """Server and tool of ``mcp__server__tool`` or ``mcp_server_tool``."""
    if name.startswith("mcp__"):
        server, _, tool = name[5:].partition("__")
        return server, tool
    rest = name.removeprefix("mcp_")
    known = [server for server in servers if rest.startswith(f"{server}_")]
    server = max(known, key=len, default=rest.partition("_")[0])
    return server, rest[len(server) + 1 :]
