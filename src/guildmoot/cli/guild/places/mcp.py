"""``guild mcp``: serve the Model Context Protocol on standard input and output."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from guildmoot.errors import UsageError, did_you_mean
from guildmoot.mcp.server import Server
from guildmoot.mcp.tools import PROFILES

_USAGE = """usage: guild mcp [--profile default|memory|telemetry] [--allow] [--http PORT]

Serve the Model Context Protocol on standard input and output, for Claude Code,
Codex, Gemini CLI and other clients. Tools: validate, council, run, findings,
wiki_search, wiki_get, wiki_list, status.

options:
  --profile P   memory: the three wiki tools alone; telemetry: trace_list_runs,
                trace_summary, trace_query, trace_cost_rollup
  --allow       a call may ask a model, go on with a run that asked one, and
                accept or dismiss findings; without it the server only reads
  --http PORT   serve streamable HTTP on 127.0.0.1 instead, at /mcp; 0 picks a
                port. The token is $GUILD_MCP_TOKEN, or made and printed

examples:
  claude mcp add guild -- guild mcp
  codex mcp add guild -- guild mcp
  gemini mcp add guild guild mcp
"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if {"-h", "--help"} & set(argv):
        sys.stdout.write(_USAGE)
        return 0
    profile, allow, port = _options(argv)
    if port is not None:
        return _serve_http(profile, allow, port)
    out = sys.stdout.buffer

    def send(message: dict[str, Any]) -> None:
        out.write(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        out.flush()

    Server(PROFILES[profile], send, Path.cwd(), allow=allow).serve(sys.stdin.buffer)
    return 0


def _serve_http(profile: str, allow: bool, port: int) -> int:
    import os
    import secrets

    from guildmoot.mcp.http import PATH, serve_http

    given = os.environ.get("GUILD_MCP_TOKEN", "")
    token = given or secrets.token_urlsafe(24)
    try:
        server = serve_http(PROFILES[profile], port, token, Path.cwd(), allow=allow)
    except OSError as wrong:
        raise UsageError(
            f"port {port} cannot be used: {wrong.strerror}", "--http 0 picks one."
        ) from wrong
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}{PATH}\n")
    if not given:
        sys.stdout.write(f"Authorization: Bearer {token}\n")
    sys.stdout.flush()
    with server:
        server.serve_forever()
    return 0


def _options(argv: list[str]) -> tuple[str, bool, int | None]:
    """By hand: a client waits for the first answer, and argparse costs a fifth of it."""
    profile, allow, port, rest = "default", False, None, list(argv)
    while rest:
        word, _, value = rest.pop(0).partition("=")
        if word == "--allow":
            allow = True
        elif word == "--profile":
            profile = value or (rest.pop(0) if rest else "")
        elif word == "--http":
            value = value or (rest.pop(0) if rest else "")
            if not value.isdecimal() or int(value) > 65535:
                raise UsageError(f"--http {value!r} is no port", "--http 0 picks a free one.")
            port = int(value)
        else:
            raise UsageError(
                f"guild mcp does not know {word!r}", "It knows --profile, --allow and --http."
            )
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES, f"There are: {', '.join(PROFILES)}")
        raise UsageError(f"there is no profile {profile!r}", hint)
    return profile, allow, port
