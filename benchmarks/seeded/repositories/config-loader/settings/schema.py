"""What settings there are, with their defaults. Safe values are the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Server(NamedTuple):
    """How the server listens."""

    host: str = "127.0.0.1"
    port: int = 8080
    debug: bool = False
    verify_tls: bool = True
    max_upload_mb: int = 10


def server_settings(values: Mapping[str, object]) -> Server:
    """Checked settings of the server; a ValueError names what is wrong."""
    unknown = sorted(set(values) - set(Server._fields))
    if unknown:
        raise ValueError(f"unknown settings: {', '.join(unknown)}")
    server = Server(**values)  # type: ignore[arg-type]
    if not isinstance(server.port, int) or not 1 <= server.port <= 65535:
        raise ValueError(f"port must be between 1 and 65535, not {server.port!r}")
    if server.debug and server.host != "127.0.0.1":
        raise ValueError("debug is only for 127.0.0.1")
    return server
