"""Lines whose order of reading is turned around by signs that nobody sees.

Text of a script from right to left needs such signs. There they stand around words alone; those that reach over a
quote, a bracket or the end of a comment, or that turn Latin letters around, are for nothing but deceit.
"""

from __future__ import annotations

from guildmoot.text.patterns import lazy

_TURNS = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
_FORCES = "\u202d\u202e"
_ENDS = {
    **dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"),
    **dict.fromkeys("\u2066\u2067\u2068", "\u2069"),
}
_SIGNS = lazy(r"""["'`;{}()\[\]]|//|/\*|\*/|--|\#""")
_SHOWN = lazy(r"⟦U\+([0-9A-F]{4})⟧")
_LATIN = lazy("[A-Za-z]")


def is_turned(line: str) -> bool:
    """Whether such a sign stands on the line."""
    return any(sign in line for sign in _TURNS)


def is_deceit(line: str) -> bool:
    """Whether one of them does more than words of a text need; a report shows it as ``⟦U+202E⟧``."""
    line = _SHOWN.sub(lambda found: chr(int(found[1], 16)), line)
    return any(sign in _TURNS and not _is_of_words(line, at) for at, sign in enumerate(line))


def _is_of_words(line: str, at: int) -> bool:
    """Whether it turns words of a text alone, as a script from right to left needs."""
    end = line.find(_ENDS[line[at]], at)
    inside = line[at + 1 :] if end < 0 else line[at + 1 : end]
    if _SIGNS.search(inside if end >= 0 else inside.rstrip(" \"'`;,)")):
        return False
    return not ((end < 0 or line[at] in _FORCES) and _LATIN.search(inside))
