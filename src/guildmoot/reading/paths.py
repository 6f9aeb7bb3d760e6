"""Makes the paths that tools print relative to the packet's root; ``grounding`` checks them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from urllib.parse import unquote

_SCHEME = re.compile(r"file:/{0,2}(?:localhost(?=/))?", re.IGNORECASE)
_DRIVE = re.compile(r"/?[A-Za-z]:(?=/)")


def path_of_uri(uri: str) -> str:
    """A file path from a URI reference: scheme dropped, percent-encoding undone."""
    return unquote(uri)


def relative_path(path: str, files: Collection[str], root: str = "") -> str:
    """``path`` as the packet names it; a path that is not in the packet is kept, only tidied.

    Without ``root`` an absolute path is matched to the packet's file with the longest common tail.
    """
    tidy = _tidy(path)
    if tidy in files or not _is_absolute(tidy):
        return tidy
    if root:
        return _below(tidy, _tidy(root)) or tidy
    return _known_tail(tidy, files) or tidy


def known_path(path: str, files: Collection[str]) -> str:
    """The packet's path that a judge who wrote ``path`` meant: itself, or the only one ending in it."""
    if not path or path in files:
        return path
    longer = [file for file in files if file.endswith("/" + path)]
    return longer[0] if len(longer) == 1 else path


def _tidy(path: str) -> str:
    path = path.replace("\\", "/").strip()
    scheme = _SCHEME.match(path)
    if scheme:
        path = path[scheme.end() :]
        drive = _DRIVE.match(path)
        if drive:
            path = path.removeprefix("/")
    if not path:
        return ""
    tidy = posixpath.normpath(path)
    # normpath keeps two leading slashes, which mean nothing in what tools print
    return "" if tidy == "." else ("/" + tidy.lstrip("/") if tidy.startswith("/") else tidy)


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path))


def _below(path: str, root: str) -> str:
    """The part below ``root``, which macOS also reaches through /private; else empty."""
    for spelling in (root, "/private" + root, root.removeprefix("/private")):
        if spelling and path.startswith(spelling.rstrip("/") + "/"):
            return path[len(spelling.rstrip("/")) + 1 :]
    return ""


def _known_tail(path: str, files: Collection[str]) -> str:
    parts = [part for part in path.split("/") if part]
    tails = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((tail for tail in tails if tail in files), "")
