"""What names a finding, a file or a rule to the outside: fingerprints and addresses."""

from __future__ import annotations

import re
from hashlib import sha256
from urllib.parse import quote

from guildmoot.types import Finding


def fingerprint(finding: Finding) -> str:
    """The same for the same problem after lines above it moved or numbers in its title changed."""
    said = re.sub(r"\d+", "0", finding.title)
    claim = " ".join((finding.quote if finding.quote.strip() else said).split())
    parts = (finding.code, finding.path, claim)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


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
