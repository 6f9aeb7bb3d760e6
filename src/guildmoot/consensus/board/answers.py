"""Two answers to one question: whether they may say one thing.

Engineers are asked to name a scope as a question that has one answer ("Where are sessions stored?") and to write
that answer in a few words. Two answers without a common word may still be two names for one thing ("in git", "in the
repository"), and a scope that is no such question ("retries") may have several side by side: what differs may
contradict, and is sure only where ``firm`` finds it so.
"""

from __future__ import annotations

import re

from guildmoot.consensus.board.positions import BoardPosition, scope_stems
from guildmoot.text.amounts import split_amounts

_WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|%")
YES_NO = re.compile(r"(?P<yes>yes|ja)\b|(?P<no>no|nein)\b(?=\W|$)", re.IGNORECASE)
WHY = "different answers to one question"


def differing_answers(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether both choose, under one scope, and neither answer may be the other in other words."""
    asked = a.scope == b.scope and a.stance == b.stance == "adopt"
    return bool(asked and a.answer and b.answer) and not same_answer(a, b)


def same_answer(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether one answer has all words of the other that are not the question's: "Redis", "the Redis cluster"."""
    said = [YES_NO.match(each.answer) for each in (a, b)]
    if said[0] and said[1] and said[0].lastgroup != said[1].lastgroup:
        return False
    asked = scope_stems(a.scope)
    small, large = sorted((_words(each.answer, asked) for each in (a, b)), key=len)
    return all(any(_one_root(x, y) for y in large) for x in small)


def _words(answer: str, asked: frozenset[str]) -> frozenset[str]:
    """The words that carry meaning, as stems, and the amounts: "two weeks" is "14 days"."""
    words, amounts = split_amounts(_WORD.findall(answer.casefold()))
    said = scope_stems(" ".join(words)) | {f"{each.value:g} {each.kind}" for each in amounts}
    return said - asked or said


def _one_root(a: str, b: str) -> bool:
    """ "Postgres" and "PostgreSQL"."""
    short, long = sorted((a, b), key=len)
    return a == b or (len(short) > 4 and short.isalpha() and long.startswith(short))
