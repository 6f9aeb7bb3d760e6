"""English words that carry little meaning of their own, and the stem of a word: the one place for both.

Uses differ in what they may leave out, so the stop words stand in groups: reading an instruction needs
its auxiliaries and prepositions, telling two texts apart needs neither.
"""

from __future__ import annotations

import functools
import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which a list of many reads better as."""
    return frozenset(text.split())


_COMMON = word_set("""
a all also an and any are be been being both do does each instead is it its just more most no not only
or own same so some such than that the their them then there these they this those very was were what
""")
_AUXILIARIES = word_set("""
again as because but can could did done down due either else had has have having if may might must
other rather should up use used using when where which while who will would
""")
_FILLERS = word_set("""
already back every her here his how i less new nor now one ones our please s still too us we why yet
you your
""")
_PLACES = word_set("across around behind every inside outside through within")
"""Prepositions that tell where, and so help to tell two texts apart."""
PREPOSITIONS = _PLACES | word_set("""
about after at before between by during each for from in into of on onto out over per to under via
with without
""")

STOP_WORDS = _COMMON | _AUXILIARIES | (PREPOSITIONS - _PLACES)
"""Left out when texts are compared."""
INSTRUCTION_STOP_WORDS = _COMMON | _FILLERS
"""Left out of what an instruction is about; its grammar has been read before."""
ALL_STOP_WORDS = STOP_WORDS | INSTRUCTION_STOP_WORDS | PREPOSITIONS

_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ied", "y"), ("ed", ""), ("s", ""))


@functools.lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A crude stem: good enough to see that "caching", "cached" and "cache" are one word."""
    w = word.lower()
    for ending, put in _ENDINGS:
        if w.endswith(ending) and len(w) - len(ending) >= 3 and not w.endswith(("ss", "us", "is")):
            w = w[: len(w) - len(ending)] + put
            break
    if len(w) > 3 and w[-1] == w[-2] and w[-1] in "bdgmnprt":
        w = w[:-1]
    return w[:-1] if w.endswith("e") and len(w) > 3 else w


_WORD = re.compile(r"[^\W_][\w.+#/-]*")


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words of a text that carry meaning of their own."""
    words = (word.casefold().rstrip(".-/") for word in _WORD.findall(text))
    return frozenset(stem(word) for word in words if word and word not in ALL_STOP_WORDS)
