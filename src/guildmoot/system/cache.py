"""What was computed before and may be computed again: files in the user's cache folder.

Each is sealed with a secret of the user's, so nothing that somebody else puts there is believed. A cache
that is missing, damaged or may not be written costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from contextlib import suppress
from functools import cache

from guildmoot.system.files import put_in_place
from guildmoot.system.state import CACHE_KEY, user_cache_folder, user_secret
from guildmoot.version import __version__

MOST_BYTES = 64_000_000
"""Of one file; what is larger is not kept."""
_SEAL = 32


def recall(name: str, key: str) -> bytes | None:
    """What was remembered under the name, if it was for the same key."""
    try:
        handle = os.open(user_cache_folder() / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as stream:
            sealed = stream.read(MOST_BYTES + 1)
        data = sealed[_SEAL:]
        known = len(sealed) <= MOST_BYTES and hmac.compare_digest(
            _seal(name, key, data), sealed[:_SEAL]
        )
    except OSError:
        return None
    return data if known else None


def remember(name: str, key: str, data: bytes) -> None:
    """Keep it in place of what the name stood for; not at all where that cannot be."""
    if len(data) > MOST_BYTES - _SEAL:
        return
    with suppress(OSError):
        folder = user_cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        put_in_place(folder / name, _seal(name, key, data) + data)


def code_version(*rooms: str) -> str:
    """Another one whenever the code of these rooms of the package changes."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = hashlib.sha256(__version__.encode())
    for room in (package, *(os.path.join(package, name) for name in rooms)):
        for each in sorted(os.scandir(room), key=lambda entry: entry.name):
            if each.name.endswith(".py"):
                facts = each.stat()
                found.update(f"{each.path} {facts.st_mtime_ns} {facts.st_size}\0".encode())
    return found.hexdigest()


def sealing_secret() -> bytes:
    """What nobody else knows; empty where it cannot be kept."""
    try:
        return _secret(str(user_cache_folder()))
    except OSError:
        return b""


def _seal(name: str, key: str, data: bytes) -> bytes:
    said = f"{name}\0{key}\0".encode() + hashlib.sha256(data).digest()
    return hmac.digest(_secret(str(user_cache_folder())), said, "sha256")


@cache
def _secret(_folder: str) -> bytes:
    """Looked up once for each place, for tests have several."""
    return user_secret(CACHE_KEY)
