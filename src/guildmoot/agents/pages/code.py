"""Pages whose code stands between marks, as ERB and EJS: the code alone, for the grammar of its language. Pure."""

from __future__ import annotations

import re

from guildmoot.text.patterns import lazy

PAGES = {"ERB": "Ruby", "EJS": "JavaScript"}
"""Languages of pages, and what is written between their marks."""
_PIECE = lazy(rb"<%(?P<sign>[%#=_|-]?)=*(?P<code>.*?)[-_]?%>", re.DOTALL)
_LETTER = lazy(rb"[^\n]")
_INCLUDE = lazy(rb"\s*include\s+[\w./-]+\s*")


def code_of_page(name: str, data: bytes) -> bytes:
    """The pieces of code on their own lines; what is shown is written as a value that is kept."""
    written, at = list[bytes](), 0
    for piece in _PIECE.finditer(data):
        written.append(_LETTER.sub(b"", data[at : piece.start()]))
        at = piece.end()
        code, sign = piece["code"].strip(b" \t"), piece["sign"]
        if sign in (b"%", b"#") or not code.strip() or _INCLUDE.fullmatch(code):
            written.append(_LETTER.sub(b"", piece[0]))
        elif name == "ERB":
            written += [b"_ = " if sign in (b"=", b"|") else b"", code, b" ; "]
        else:
            written.append(_of_script(code, shown=sign in (b"=", b"-")))
    written.append(_LETTER.sub(b"", data[at:]))
    return b"".join(written)


def _of_script(code: bytes, *, shown: bool) -> bytes:
    last = code.rstrip()[-1:]
    if last in b"{(,:[":  # it goes on in another piece
        return code + b" "
    if shown:
        return b"_(" + code.rstrip().rstrip(b";") + b"); "
    return code + (b" " if last in b"};)" else b"; ")
