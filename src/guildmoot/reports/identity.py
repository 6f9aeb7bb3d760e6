"""What names a file or a rule to the outside: addresses that are safe to follow."""

from __future__ import annotations

import re
from urllib.parse import quote


def path_uri(path: str) -> str:
    """A relative path as a URI reference, with whatever bytes its name has."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        raw = path.encode("utf-8", "replace")
    return quote(raw.lstrip(b"/"), safe="/")


def web_address(url: str) -> str:
    """The address when it is an ordinary link, else nothing: it may become a link somewhere."""
    return url if re.fullmatch(r"https?://[!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]+", url) else ""
