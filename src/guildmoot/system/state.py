"""Where the user's own state lies: what no repository may write, and nobody else reads."""

from __future__ import annotations

import os
from pathlib import Path


def user_state_folder() -> Path:
    """``~/.local/state/guildmoot`` on Linux; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path("guildmoot")


def user_secret(name: str) -> bytes:
    """32 random bytes of this user, made once and kept; OSError where they cannot be."""
    file = user_state_folder() / name
    try:
        return _read(file)
    except FileNotFoundError:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{name}.{os.urandom(6).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.write(os.urandom(32))
            stream.flush()
            os.fsync(stream.fileno())
        _link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return _read(file)


def _link(draft: Path, file: Path) -> None:
    """The first of several processes wins; its secret is everybody's."""
    try:
        file.hardlink_to(draft)
    except FileExistsError:
        return
    except OSError:  # no hard links here; a race then ends with the last one's
        draft.replace(file)


def _read(file: Path) -> bytes:
    secret = file.read_bytes()
    if len(secret) != 32:
        raise OSError(f"{file} does not hold 32 bytes; remove it, and it is made anew")
    return secret
