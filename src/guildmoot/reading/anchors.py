"""Finds the place that a sentence names: ``path:line``, ``path#L3-L9``, ``path, lines 3 to 9``.

Careful rather than keen: a place that is not there costs a finding its power to block.
"""

from __future__ import annotations

import re

_FOLDER = r"(?:[\w.@+-]+|\([\w.@+-]+\)|\[+[\w.@+-]+\]+)[/\\]"  # (shop)/ and [slug]/ are routes
_PATH = rf"(?<![\w./:\\@-])((?:{_FOLDER})*\.?[\w@+-][\w.@+-]*"
_ANCHOR = re.compile(
    _PATH + r"(?:\.[A-Za-z]\w{0,9}|(?<=file)|(?<=LICENSE)|(?<=CODEOWNERS)))`?"
    r"(?::|#L|,? \(?(?:at )?lines? |,? ?\(?L)(\d{1,7})"
    r"(?:\s?(?:-|–|to)\s?L?(\d{1,7}))?(?![\w.]*[@/])"
)
_PLAIN_PATH = re.compile(r"`((?:[\w.@+-]+/)+[\w.@+-]*\.[A-Za-z]\w{0,9})`")
_HOSTS = ("com", "org", "net", "io", "dev", "local", "localdomain")
_BESIDE = re.compile(r"[ \t]*(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)[ \t]*:")


def find_anchors(text: str) -> list[tuple[str, int, int]]:
    """Every place that the text names: path, first and last line."""
    found = []
    for match in _ANCHOR.finditer(text):
        path, first, last = match[1], int(match[2]), int(match[3] or 0)
        if path.rpartition(".")[2].lower() not in _HOSTS or "/" in path:
            found.append((_tidy(path), first, max(first, last)))
    return found + [(_tidy(plain[1]), 0, 0) for plain in _PLAIN_PATH.finditer(text)]


def find_anchor(text: str) -> tuple[str, int, int]:
    """The first place with its lines; an empty path when the text names none."""
    return next(iter(find_anchors(text)), ("", 0, 0))


def find_quote(text: str) -> str:
    """The code span right beside the place, which is where a quotation is asked for.

    Any other code in a sentence may be a name, a wish or an example.
    """
    place = _ANCHOR.search(text)
    beside = _BESIDE.match(text, place.end()) if place else None
    return beside[2].strip() if beside and len(beside[2].strip()) > 2 else ""


def _tidy(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")
