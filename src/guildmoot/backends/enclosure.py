"""What who works in a lane or loop may write to; all else of the system is read-only for them, see ``system.fence``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence

from guildmoot.backends.programs import clients_folder
from guildmoot.system import fence

_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - named, not used
_CACHES = (
    *(".cache", ".npm/_cacache", ".npm/_logs", ".cargo/registry", ".cargo/git", "go/pkg"),
    *(".gradle/caches", ".gradle/daemon", ".m2/repository", ".nuget/packages", ".pub-cache"),
    *(".yarn/berry/cache", ".bun/install/cache", ".local/share/pnpm/store", ".ivy2/cache"),
    *(".cabal/packages", ".hex/packages", ".bundle/cache"),
)
"""What tools fill again, below a home; no programs that the user runs by name lie there."""


def lane_view(root: str, open_places: Sequence[str], writable: Iterable[str]) -> tuple[str, ...]:
    """The whole system read-only, but for these places and what the settings name (``work.writable``)."""
    return ("/", *_named(writable), f"!{root}", *open_places)


def command_view(root: str, open_places: Sequence[str], writable: Iterable[str]) -> tuple[str, ...]:
    """The same for a command of the user's own, which may use temporary files and the caches of its tools."""
    home = os.path.expanduser("~")
    temporary = dict.fromkeys((*_TEMPORARY, tempfile.gettempdir()))
    caches = [os.path.join(home, each) for each in _CACHES]
    caches.append(os.environ.get("XDG_CACHE_HOME") or caches[0])
    clients = str(clients_folder(os.environ))
    closed = [f"!{each}" for each in (home, clients) if os.path.isdir(each)]
    whole, *rest = lane_view(root, open_places, writable)
    return (whole, *_there(temporary), *closed, *_there(dict.fromkeys(caches)), *rest)


def enclosed(
    root: str, open_places: Sequence[str], writable: Iterable[str], program: list[str],
    own: list[str] | None = None,
) -> list[str]:  # fmt: skip
    """The command line that runs a command of the user's own so."""
    whole, *places = command_view(root, open_places, writable)
    return fence.words(whole, places, program, own=own)


def _named(writable: Iterable[str]) -> list[str]:
    return _there(os.path.expanduser(each) for each in writable)


def _there(places: Iterable[str]) -> list[str]:
    return [each for each in places if os.path.isabs(each) and os.path.exists(each) and each != "/"]
