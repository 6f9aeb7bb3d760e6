"""A summary without a model: sentences of the source itself, which is what it says it is. Pure."""

from __future__ import annotations

import math
from collections import Counter

from guildmoot.memory.recall.words import words
from guildmoot.text.clean import one_line
from guildmoot.text.patterns import lazy

_SENTENCE = lazy(r"[^.!?。！？\n]{25,400}[.!?。！？](?=\s|$)|[^.!?。！？\n]{40,400}$")
_FENCE = lazy(r"(?ms)^(```|~~~).*?^\1")
_HEADING = lazy(r"(?m)^#{1,4}[ \t]+(.{3,100}?)[ \t]*#*$")
_MOST_LOOKED_AT = 200_000
NOTE = "_Sentences of the source, chosen by their words, not by a model._"


def summarise(text: str, most: int = 4) -> list[str]:
    """The sentences that say most of what the text speaks of, in their order."""
    plain = _FENCE.sub("", text[:_MOST_LOOKED_AT])
    sentences = list(
        dict.fromkeys(one_line(hit[0].strip(" -*#>|")) for hit in _SENTENCE.finditer(plain))
    )[:400]
    counts = Counter(term for sentence in sentences for term in set(words(sentence)))
    scored = []
    for at, sentence in enumerate(sentences):
        terms = set(words(sentence))
        if len(terms) >= 4:
            weight = sum(math.log(1 + counts[term]) for term in terms) / math.sqrt(len(terms))
            scored.append((weight / (1 + 0.02 * at), at))
    best = sorted(at for _, at in sorted(scored, reverse=True)[:most])
    return [sentences[at] for at in best]


def key_points(text: str, most: int = 8) -> list[str]:
    """What the headings of the source name."""
    found = dict.fromkeys(one_line(hit[1]) for hit in _HEADING.finditer(text[:_MOST_LOOKED_AT]))
    return list(found)[:most]
