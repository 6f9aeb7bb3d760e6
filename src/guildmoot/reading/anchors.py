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
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_BESIDE = re.compile(r"[ \t]*(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)[ \t]*:")
_CODE = re.compile(r"[()=\[\]{};<>]|\w\.\w+ |\w: ")
_WISH = re.compile(
    r"\b(?:add|adding|be|expected|instead|like|missing|need|needs|of|prefer|replace|suggest|use|using"
    r"|want|with|write|without)\W*$",
    re.IGNORECASE,
)


def find_anchor(text: str) -> tuple[str, int, int]:
    """Path, first and last line; an empty path when the text names no place."""
    for match in _ANCHOR.finditer(text):
        path, first, last = match[1], int(match[2]), int(match[3] or 0)
        if path.rpartition(".")[2].lower() not in _HOSTS or "/" in path:
            return _tidy(path), first, max(first, last)
    plain = _PLAIN_PATH.search(text)
    return (_tidy(plain[1]), 0, 0) if plain else ("", 0, 0)


def find_quote(text: str) -> str:
    """The code span beside the place, or the first that is plainly code from the work.

    A name, a path and what is only wished for are no quotes.
    """
    place = _ANCHOR.search(text)
    beside = _BESIDE.match(text, place.end()) if place else None
    if beside and len(beside[2].strip()) > 2:
        return beside[2].strip()
    for span in _SPAN.finditer(text):
        code = span[2].strip()
        said = len(code) > 5 and _CODE.search(code) and "..." not in code and "…" not in code
        if said and not _WISH.search(text[max(0, span.start() - 24) : span.start()]):
            return "" if _ANCHOR.fullmatch(code) else code
    return ""


def _tidy(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")
