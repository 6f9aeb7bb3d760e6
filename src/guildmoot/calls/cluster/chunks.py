"""Texts too long for a row: cut into chunks, named by their SHA-256, kept once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from guildmoot.calls.cluster.rows import LONG
from guildmoot.errors import InfrastructureError

if TYPE_CHECKING:
    from sqlalchemy import Connection

LIMIT = 256 * 1024
"""Characters that a call or a reply may be long to stand in its own row; also a chunk's size."""
_MARK = "@"


def put(connection: Connection, text: str) -> str:
    """What to write in the row: the text itself, or the name under which its chunks are kept."""
    if len(text) <= LIMIT and not text.startswith(_MARK):
        return text
    return _MARK + store(connection, text)


def get(connection: Connection, written: str, most: int = LONG) -> str:
    """The text again."""
    return load(connection, written[1:], most) if written.startswith(_MARK) else written


def store(connection: Connection, text: str) -> str:
    """Keep a text by its content and return its SHA-256."""
    from sqlalchemy import text as sql

    parts = [text[start : start + LIMIT] for start in range(0, len(text), LIMIT)] or [""]
    return str(connection.execute(sql("SELECT guild.keep(:parts)"), {"parts": parts}).scalar_one())


def load(connection: Connection, name: str, most: int = LONG) -> str:
    """The text of that SHA-256, checked."""
    from sqlalchemy import text as sql

    values = {"name": name, "most": most}
    text = connection.execute(sql("SELECT guild.kept(:name, :most)"), values).scalar()
    if text is None or hashlib.sha256(text.encode()).hexdigest() != name:
        raise InfrastructureError(
            f"the engine's database has lost or changed the text {name[:64]}, or it is too long"
        )
    return str(text)
