"""What names a finding: the same for the same problem, whatever moved around it."""

from __future__ import annotations

import re
from hashlib import sha256

from guildmoot.model.verdict import Finding


def fingerprint(finding: Finding) -> str:
    """The same for the same problem after lines above it moved or numbers in its title changed."""
    said = re.sub(r"\d+", "0", finding.title)
    claim = " ".join((finding.quote if finding.quote.strip() else said).split())
    parts = (finding.code, finding.path, claim)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
