"""Finds the place that a sentence names, and the packet's path that a judge or a tool means.

``path:line``, ``path#L3-L9``, ``path, lines 3 to 9``. Careful rather than keen: a place that is not
there costs a finding its power to block. Whether it is there is checked by ``grounding``. The packet's own
paths are searched for by ``known_paths``, which knows more forms; this is what a text says by itself.
"""

from __future__ import annotations

import posixpath
import re

from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MOST = 4_096
"""Characters of one line, or of one sentence, that are looked at."""

# Every repetition is bounded, so that no text takes longer than its length.
_NAME = r"[\w.@+-]{1,100}"
_FOLDER = rf"(?:{_NAME}|\({_NAME}\)|\[{{1,3}}{_NAME}\]{{1,3}})[/\\]"  # (shop)/, [slug]/: routes
_PATH = rf"(?<![\w./:\\@+-])((?:{_FOLDER}){{0,40}}\.?[\w@+-][\w.@+-]{{0,100}}"
_ANCHOR = lazy(
    _PATH + r"(?:\.[A-Za-z]\w{0,9}|(?<=file)|(?<=LICENSE)|(?<=CODEOWNERS)))`?"
    r"(?::|#L|,? \(?(?:at )?lines? |,? ?\(?L)(\d{1,7})"
    r"(?:\s?(?:-|–|to)\s?L?(\d{1,7}))?(?![\w.]*[@/])"
)
_PLAIN_PATH = lazy(rf"`((?:{_NAME}/){{1,40}}[\w.@+-]{{0,100}}\.[A-Za-z]\w{{0,9}})`")
_SCRATCH = lazy(r"^/.*?/guildmoot-\w+/(?:before/|shown/)?files/")
"""Where ``packet.materialise`` puts files for one run; the name is drawn anew each time."""
_SCHEME = lazy(r"file:/{0,2}(?:localhost(?=/))?", re.IGNORECASE)
_DRIVE = lazy(r"/?[A-Za-z]:(?=/)")
_HOSTS = ("com", "org", "net", "io", "dev", "local", "localdomain")
_BESIDE = lazy(r"[ \t]{0,9}(`{1,9})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)[ \t]{0,9}:")


def find_anchors(text: str) -> list[tuple[str, int, int]]:
    """Every place that the text names: path, first and last line."""
    return [place for line in text.split("\n") for place in _in_line(line[:MOST])]


def _in_line(text: str) -> list[tuple[str, int, int]]:
    found = []
    for match in _ANCHOR.finditer(text):
        path, first, last = match[1], int(match[2]), int(match[3] or 0)
        if path.rpartition(".")[2].lower() not in _HOSTS or "/" in path:
            found.append((_plain_path(path), first, max(first, last)))
    return found + [(_plain_path(plain[1]), 0, 0) for plain in _PLAIN_PATH.finditer(text)]


def find_anchor(text: str) -> tuple[str, int, int]:
    """The first place with its lines; an empty path when the text names none."""
    return next(iter(find_anchors(text)), ("", 0, 0))


def find_quote(text: str) -> str:
    """The code span right beside the place, which is where a quotation is asked for.

    Any other code in a sentence may be a name, a wish or an example.
    """
    text = text[:MOST]
    place = _ANCHOR.search(text)
    beside = _BESIDE.match(text, place.end()) if place else None
    return beside[2].strip() if beside and len(beside[2].strip()) > 2 else ""


def _plain_path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def relative_path(path: str, files: Collection[str], root: str = "") -> str:
    """``path`` as the packet names it; a path that is not in the packet is kept, only tidied.

    ``root`` is the folder that the tool was given now. What it said may be older, or from another
    machine: the packet's files lay in another scratch folder then. Without ``root`` an absolute path
    is matched to the packet's file with the longest common tail.
    """
    tidy = _tidy(path)
    if tidy in files or not _is_absolute(tidy):
        return tidy
    if root:
        return _below(tidy, _tidy(root)) or _SCRATCH.sub("", tidy)
    return _known_tail(tidy, files) or tidy


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
