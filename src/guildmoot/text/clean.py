"""Making text safe to show: what judges say, and what they quote, is not ours.

Every renderer for people passes foreign text through here before its own escaping.
"""

from __future__ import annotations

import re

from guildmoot.text.patterns import lazy

_HIDDEN = (
    (0x00, 0x08),  # tab and newline stay
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    *((code, code) for code in (0x00AD, 0x061C, 0x180E, 0xFEFF)),  # soft hyphen, marks, BOM
    (0x200B, 0x200B),
    (0x200E, 0x200F),  # direction marks
    (0x2028, 0x202E),  # line separators, and embeddings that reorder what is read
    (0x2060, 0x206F),  # isolates and invisible operators
    (0xD800, 0xDFFF),  # bytes of a name that is not UTF-8
    (0xFDD0, 0xFDEF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE0FFF),  # tag characters
    *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
)
_UNSAFE = lazy("[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _HIDDEN) + "]")
UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What can hide text from a judge, reorder it or end a line, as a range of a pattern: controls except tab and
newline, bidi and zero-width characters, fillers, tags, variation selectors except the one that makes an emoji."""
_CODE_SPAN = lazy(r"`([^`\n]+)`")


def clean(text: str) -> str:
    """The text with every control, reordering or invisible character written out, e.g. ``\\x1b``.

    Newlines and tabs stay. The result can be encoded as UTF-8 and is legal in XML.
    """
    return _UNSAFE.sub(_spelled, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Clean text on one line, for headings and attributes."""
    return " ".join(clean(text).split())


def spans(text: str) -> list[tuple[bool, str]]:
    """Split at `code` in backticks, which tools use in their messages: (is code, text) pairs."""
    parts = _CODE_SPAN.split(text)
    return [(index % 2 == 1, part) for index, part in enumerate(parts) if part]


def web_address(url: str) -> str:
    """The address when it is an ordinary link, else nothing: it may become a link somewhere."""
    return url if re.fullmatch(r"https?://[!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]+", url) else ""


def count(number: int, noun: str) -> str:
    """``1 file``, ``1,234 files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def seconds(value: float) -> str:
    """A duration for people: ``0.4 s``, ``42 s``, ``2 min``, ``3 min 5 s``."""
    value = max(value, 0.0)  # a clock may be a hair behind
    if value < 10:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{rest} s" if not minutes else f"{minutes} min {rest} s" if rest else f"{minutes} min"


def first_lines(text: str, limit: int) -> tuple[list[str], int]:
    """The first lines of a text, and how many were left out."""
    lines = text.strip("\n").split("\n")
    return lines[:limit], max(len(lines) - limit, 0)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
