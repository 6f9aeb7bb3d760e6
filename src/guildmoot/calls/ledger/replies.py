"""Replies as the ledger keeps them: JSON, packed; read back exactly as they were."""

from __future__ import annotations

import json
import zlib
from typing import Any

from guildmoot.model.call import Reply, Usage

_SMALL = 512
"""Bytes below which packing saves nothing."""


def pack(reply: Reply) -> bytes:
    """The reply as bytes; whose answer it was is kept beside it, not in it."""
    plain = reply._asdict()
    del plain["kept"]
    plain["usage"] = reply.usage._asdict() if reply.usage else None
    # Plain ASCII: a lone surrogate, which a program may print, survives as its escape.
    data = json.dumps(plain, separators=(",", ":")).encode("ascii")
    return data if len(data) < _SMALL else zlib.compress(data, 1)


def unpack(data: bytes, kept: str = "") -> Reply:
    """The reply again; ``kept`` names the run that got it."""
    plain: dict[str, Any] = json.loads(data if data[:1] == b"{" else zlib.decompress(data))
    usage = plain.pop("usage")
    known = {name: plain[name] for name in Reply._fields if name in plain}
    return Reply(**known, usage=Usage(**usage) if usage else None, kept=kept)
