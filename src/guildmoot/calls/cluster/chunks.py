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


def put(connection: Connection, text: str, limit: int = LIMIT) -> str:
    """What to write in the row: the text itself, or the name under which its chunks are kept."""
    if len(text) <= limit and not text.startswith(_MARK):
        return text
    return _MARK + store(connection, text, limit)


def get(connection: Connection, written: str) -> str:
    """The text again."""
    return load(connection, written[1:]) if written.startswith(_MARK) else written


def store(connection: Connection, text: str, size: int = LIMIT) -> str:
    """Keep a text by its content and return its SHA-256."""
    from sqlalchemy import text as sql

    name = hashlib.sha256(text.encode()).hexdigest()
    known = sql("SELECT 1 FROM guild.chunks WHERE sha256 = :name AND part = 0")
    if connection.execute(known, {"name": name}).first() is None:
        parts = [text[start : start + size] for start in range(0, len(text), size)] or [""]
        rows = [{"name": name, "part": part, "data": data} for part, data in enumerate(parts)]
        insert = "INSERT INTO guild.chunks VALUES (:name, :part, :data) ON CONFLICT DO NOTHING"
        connection.execute(sql(insert), rows)
    return name


def load(connection: Connection, name: str) -> str:
    """The text of that SHA-256, checked."""
    from sqlalchemy import text as sql

    size = sql("SELECT coalesce(sum(octet_length(data)), 0) FROM guild.chunks WHERE sha256 = :name")
    if connection.execute(size, {"name": name}).scalar_one() > LONG:
        raise InfrastructureError(f"the text {name[:64]} in the engine's database is too long")
    query = sql("SELECT data FROM guild.chunks WHERE sha256 = :name ORDER BY part")
    text = "".join(connection.execute(query, {"name": name}).scalars())
    if hashlib.sha256(text.encode()).hexdigest() != name:
        raise InfrastructureError(f"the engine's database has lost or changed the text {name[:64]}")
    return text
