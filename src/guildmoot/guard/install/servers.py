"""Asks MCP servers on this machine what tools they have, over stdio, to pin them."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping
from typing import NamedTuple

from guildmoot.guard.hooks.pins import ServerPin, definition_hash, tool_hash

_SECONDS = 20.0
_MOST = 5_000_000
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "guild-guard", "version": "1"},
}


class ListedServer(NamedTuple):
    """A server as it is now; without a pin where it could not be asked."""

    name: str
    command: str
    pin: ServerPin | None
    problem: str = ""


def command_of(definition: object) -> list[str]:
    """How a server is started; empty where it is none that can be."""
    if not isinstance(definition, dict) or not isinstance(definition.get("command"), str):
        return []
    args = definition.get("args", [])
    return [definition["command"], *(str(each) for each in args if isinstance(args, list))]


def list_server(
    name: str, definition: object, project: str, env: Mapping[str, str], seconds: float = _SECONDS
) -> ListedServer:
    """Start it, ask for its tools, end it."""
    words = command_of(definition)
    shown = " ".join(words)
    if not words:
        return ListedServer(name, shown, None, "it is reached over the network and is not asked")
    own = definition.get("env") if isinstance(definition, dict) else None
    more = {str(k): str(v) for k, v in own.items()} if isinstance(own, dict) else {}
    try:
        process = subprocess.Popen(
            words,
            cwd=project,
            env={**env, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as wrong:
        return ListedServer(name, shown, None, f"it cannot be started: {wrong.strerror}")
    try:
        tools = _tools(process, time.monotonic() + seconds)
    except (OSError, ValueError, TimeoutError) as wrong:
        return ListedServer(name, shown, None, f"it does not list its tools: {wrong}")
    finally:
        process.kill()
        process.communicate()
    return ListedServer(name, shown, ServerPin(definition_hash(definition), tools))


def _tools(process: subprocess.Popen[bytes], until: float) -> dict[str, str]:
    _ask(process, 1, "initialize", _HELLO, until)
    _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    found: dict[str, str] = {}
    cursor: object = None
    for number in range(2, 102):
        given = {"cursor": cursor} if cursor else {}
        answer = _ask(process, number, "tools/list", given, until)
        for tool in answer.get("tools", []):
            found[str(tool["name"])] = tool_hash(
                str(tool.get("description", "")), tool.get("inputSchema")
            )
        cursor = answer.get("nextCursor")
        if not cursor:
            return found
    raise ValueError("it has no end of tools")


def _ask(
    process: subprocess.Popen[bytes], number: int, method: str, given: object, until: float
) -> dict[str, list[dict[str, object]]]:
    _send(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": given})
    while True:
        row = json.loads(_line(process, until))
        if isinstance(row, dict) and row.get("id") == number:
            if not isinstance(row.get("result"), dict):
                raise ValueError(f"it answers {method} with an error")
            result: dict[str, list[dict[str, object]]] = row["result"]
            return result


def _send(process: subprocess.Popen[bytes], row: object) -> None:
    if process.stdin:
        process.stdin.write(json.dumps(row).encode() + b"\n")
        process.stdin.flush()


def _line(process: subprocess.Popen[bytes], until: float) -> bytes:
    out = process.stdout
    if out is None:
        raise ValueError("it has no output")
    data = b""
    with selectors.DefaultSelector() as waiting:
        waiting.register(out, selectors.EVENT_READ)
        while not data.endswith(b"\n"):
            if not waiting.select(max(0.0, until - time.monotonic())):
                raise TimeoutError("it took too long")
            byte = os.read(out.fileno(), 1)
            if not byte or len(data) > _MOST:
                raise ValueError("it hung up")
            data += byte
    return data
