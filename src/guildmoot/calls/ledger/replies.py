"""Replies as the ledger keeps them: JSON, packed; read back exactly as they were."""

from __future__ import annotations

import json
import zlib

from guildmoot.codec import from_plain, to_plain
from guildmoot.model.call import Reply

_SMALL = 512
"""Bytes below which packing saves nothing."""


def pack(reply: Reply) -> bytes:
    """The reply as bytes; whose answer it was is kept beside it, not in it."""
    plain = to_plain(reply)
    del plain["kept"]
    # Plain ASCII: a lone surrogate, which a program may print, survives as its escape.
    data = json.dumps(plain, separators=(",", ":")).encode("ascii")
    return data if len(data) < _SMALL else zlib.compress(data, 1)


def unpack(data: bytes, kept: str = "") -> Reply:
    """The reply again; ``kept`` names the run that got it."""
    plain = json.loads(data if data[:1] == b"{" else zlib.decompress(data))
    return from_plain(Reply, plain)._replace(kept=kept)
