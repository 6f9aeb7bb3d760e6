"""Words that nobody can know beforehand, and that are the same for the same question.

A verdict counts when it carries the nonce of its call. Whoever wrote the work cannot have put it there:
it is keyed with a secret of the user, over a text that holds the work. On one machine the same question
has the same nonce; another machine's differs, and its replies are kept together with it. The same secret
proves what this user wrote below a repository, where a patch may have put anything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from guildmoot.guard.trust import is_brought
from guildmoot.system.state import PROOF_KEY, user_secret, user_state_folder

DIGITS = 8
PROOF = "proof"
"""The name under which a row carries its proof."""


def make_nonce(*parts: str) -> str:
    """Hexadecimal digits over all the parts."""
    return _digest(*parts)[:DIGITS]


def make_proof(row: Mapping[str, object]) -> str:
    """What shows later that this user wrote the row, or file: nobody else can make it."""
    told = {name: value for name, value in row.items() if name != PROOF}
    return _digest("record", json.dumps(told, sort_keys=True))


def is_proven(row: Mapping[str, object]) -> bool:
    """Whether it carries the proof that this user wrote it."""
    proof = row.get(PROOF)
    try:
        return isinstance(proof, str) and hmac.compare_digest(proof, make_proof(row))
    except (TypeError, ValueError, RecursionError):
        return False


def _digest(*parts: str) -> str:
    digest = hmac.new(_key(str(user_state_folder())), digestmod=hashlib.sha256)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


@cache
def _key(folder: str) -> bytes:
    """The user's secret; where none can be kept, or git tracks it, one of this process."""
    file = Path(folder, PROOF_KEY)
    around = next((at for at in file.parents if (at / ".git").exists()), None)
    if around and is_brought(around, file):
        return os.urandom(32)
    try:
        return user_secret(PROOF_KEY)
    except OSError:
        return os.urandom(32)
