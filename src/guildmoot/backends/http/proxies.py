"""The proxy that the environment names for a host, as other programs on the machine would use it."""

from __future__ import annotations

import base64
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Proxy(NamedTuple):
    """A proxy that tunnels by ``CONNECT``."""

    address: tuple[str, int]
    authorization: str

    def greeting(self, host: str, port: int) -> bytes:
        """What asks it for a tunnel."""
        lines = [f"CONNECT {host}:{port} HTTP/1.1", f"host: {host}:{port}"]
        if self.authorization:
            lines.append(f"proxy-authorization: Basic {self.authorization}")
        return "\r\n".join((*lines, "", "")).encode("latin-1")


def proxy_for(host: str) -> Proxy | None:
    """The proxy for TLS to a host, from ``HTTPS_PROXY`` and ``NO_PROXY``; None for none."""
    from urllib.request import getproxies, proxy_bypass  # slow to import, and only TLS needs it

    url = getproxies().get("https", "")
    if not url or proxy_bypass(host):
        return None
    parts = urlsplit(url if "//" in url else f"//{url}")
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    known = base64.b64encode(pair.encode()).decode() if parts.username else ""
    return Proxy((parts.hostname or "", parts.port or 8080), known)
