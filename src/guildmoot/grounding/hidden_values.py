"""What a mask hides, compared by those who may see it: a value that was there is old, another in its place is new."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.text.patterns import lazy

SECRETS = frozenset(("secret", "likely-secret", "possible-secret"))
"""Codes of findings about a value that is masked."""
_MARKER = lazy(r"\[masked:[a-z0-9-]{1,40}\]|\bmasked_[a-z0-9_]{1,40}\b")
_LONGEST = 5_000
"""Letters of a line that is compared; a longer one counts as a whole."""


def brings_a_value(masked: str, real: str, before: str, line: int) -> bool:
    """Whether the line, or the masked ones right below it, hold a value which the text of before does not."""
    return any(value not in before for value in _values(masked, real, line))


def _values(masked: str, real: str, line: int) -> Iterator[str]:
    shown, true = masked.split("\n")[line - 1 :], real.split("\n")[line - 1 :]
    for told, meant in zip(shown, true, strict=False):
        parts = _MARKER.split(told)
        if len(parts) == 1:
            return
        if len(meant) > _LONGEST:
            yield meant
            continue
        found = re.fullmatch("(.+?)".join(map(re.escape, parts)), meant)
        yield from found.groups() if found else (meant,)
