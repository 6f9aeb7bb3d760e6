"""Where the user's own state lies: what no repository may write, and nobody else reads."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def user_state_folder() -> Path:
    """``~/.local/state/guildmoot`` on Linux; it need not exist."""
    from platformdirs import user_state_path

    return user_state_path("guildmoot")


def user_cache_folder() -> Path:
    """``~/.cache/guildmoot`` on Linux; it need not exist."""
    from platformdirs import user_cache_path

    return user_cache_path("guildmoot")


PROOF_KEY = "nonce-key"
"""The secret that proves what this user wrote."""
CACHE_KEY = "cache.key"
"""The secret that seals what was computed before."""
TICKET_KEY = "ticket-key"
"""The secret by which the runs of this user are known to other machines."""
LANES_KEY = "lanes-key"
"""What the owner of several machines puts on each, to seal what they send each other."""
_MADE = (PROOF_KEY, CACHE_KEY, TICKET_KEY)
OPEN_STATE = ("guard", "jobs")
"""Where hooks and tools of a host leave word, also from inside of a lane."""


def own_folders() -> list[str]:
    """What is the user's own, and no work of a lane: guild's state, settings, cache and handlers; git's settings."""
    from platformdirs import user_config_path, user_data_path

    state, config = user_state_folder(), user_config_path("guildmoot")
    cache = user_cache_folder()
    for folder in (state, config, cache, *(state / name for name in OPEN_STATE)):
        try:  # what is not there yet could be put there
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
    git = (Path.home() / ".gitconfig", user_config_path("git"))
    return [str(each) for each in (state, config, cache, user_data_path("guildmoot"), *git)]


def secret_files() -> list[str]:
    """The files of the user's secrets. One that is not there yet is made: who is kept from reading it is so now."""
    for name in _MADE:
        with suppress(OSError):
            user_secret(name)
    state = user_state_folder()
    return [str(state / name) for name in (*_MADE, LANES_KEY) if (state / name).is_file()]


def user_secret(name: str) -> bytes:
    """32 random bytes of this user, made once and kept; OSError where they cannot be."""
    if name not in _MADE:
        raise ValueError(f"{name} is no secret that is kept from who works in a lane")
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
