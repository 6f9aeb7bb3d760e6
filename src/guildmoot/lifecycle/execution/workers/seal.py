"""A seal on what travels through the shared database: who may write there can then neither change nor invent a job.

The key is a file that the owner puts on each machine; without one nothing is sealed, and nothing can be checked.
"""

from __future__ import annotations

import hmac

from guildmoot.lifecycle.execution.workers.parcel import ParcelError
from guildmoot.system.files import read_own
from guildmoot.system.state import LANES_KEY, user_state_folder

_MARK = "sealed "
_LEAST, _MOST = 16, 4096


def lanes_key() -> bytes:
    """The key of this machine; empty where there is none, ParcelError for one that anybody could guess."""
    file = user_state_folder() / LANES_KEY
    key = read_own(file, _MOST).strip()
    if file.exists() and len(key) < _LEAST:
        raise ParcelError(f"{file} is no key: it needs at least {_LEAST} bytes")
    return key


def sealed(text: str, key: bytes, about: str) -> str:
    """The text under a seal for this purpose alone; as it is without a key. Pure."""
    return f"{_MARK}{_seal(text, key, about)}\n{text}" if key else text


def unsealed(text: str, key: bytes, about: str) -> str:
    """The text again; ParcelError where our key did not seal it for this purpose. Pure."""
    head, _, rest = text.partition("\n") if text.startswith(_MARK) else ("", "", text)
    if key and not hmac.compare_digest(head, f"{_MARK}{_seal(rest, key, about)}"):
        why = "bears a seal of another key, or was changed" if head else "bears no seal"
        raise ParcelError(f"the {about.partition(' ')[0]} {why} ({LANES_KEY})")
    return rest


def _seal(text: str, key: bytes, about: str) -> str:
    said = f"{about}\n{text}".encode("utf-8", "surrogatepass")
    return hmac.new(key, said, "sha256").hexdigest()
