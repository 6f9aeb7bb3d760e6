"""What names a finding: the same for the same problem, whatever moved around it."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

from guildmoot.model.verdict import Finding
from guildmoot.text.pragmas import without_pragmas

_NUMBER = re.compile(r"\b\d+\b")


def fingerprint(finding: Finding) -> str:
    """The same for the same problem after lines above it moved or numbers in its title changed.

    A finding that was grounded carries the text of its line as its quote. A fact is known by its rule, its
    words and that line, a grave one by all of its lines, whatever comments there ask to look away; an opinion
    by its quote, for another judge words it otherwise.
    """
    parts = (finding.code, finding.path, *_claim(finding))
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _claim(finding: Finding) -> tuple[str, ...]:
    said = " ".join(_NUMBER.sub("0", finding.title).split())
    quote = finding.quote.strip()
    if finding.proven:
        return said, _line_of(quote) if not finding.subject else " ".join(finding.subject.split())
    return (" ".join(quote.split()) or said,)


@lru_cache(maxsize=256)
def _line_of(quote: str) -> str:
    """The first line without comments that ask to look away; many findings may lie on one long line."""
    return " ".join(without_pragmas(quote.partition("\n")[0]).split())
