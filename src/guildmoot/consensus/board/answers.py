"""Two answers to one question: whether both can stand.

Engineers are asked to name a scope as a question that has one answer ("Where are sessions stored?") and to write
that answer in a few words. From the second round on they are given the questions and answers on the board, to be
written letter by letter where they agree: who then writes one without a common word holds another, whatever it
says. Answers that nobody had seen may be two names for one thing ("in git", "in the repository"), and a scope that is
no such question ("retries", "How do we cache?") may have several answers side by side; there only another amount of
the same, yes and no, or an answer that one adopts and another rejects are sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from guildmoot.consensus.board.positions import BoardPosition, remedies, scope_stems
from guildmoot.text.english import stem
from guildmoot.text.opposed.opposition import opposed

_ONE_ANSWER = re.compile(
    r"(?:(?:in|at|on|from|by|to|for|with|after)\s+)?"
    r"(?:where|when|who|whom|whose|which|whether|how\s+(?:many|much|long|often|far|large|big|old|soon))\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"(?P<yes>yes)\b|(?P<no>no)\b(?=\W|$)", re.IGNORECASE)
_WORD = re.compile(r"\d[\d.,_]*|[^\W\d_]+")
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
} | {"once": "1", "twice": "2"}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
WHY = "different answers to one question"


def contrary_answers(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether both were asked one thing and only one of the answers can be followed."""
    if a.scope != b.scope or not (a.answer and b.answer and a.takes_side and b.takes_side):
        return False
    if a.stance != b.stance:
        return _words(a.answer) == _words(b.answer)
    if a.stance == "reject":
        return False
    if _other_amount(a.answer, b.answer):
        return True
    yes_no = [_YES_NO.match(each.answer) for each in (a, b)]
    if yes_no[0] and yes_no[1]:
        return yes_no[0].lastgroup != yes_no[1].lastgroup
    return False


def differing_answers(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether both choose, on a question that has one answer, in words that share nothing."""
    asked = a.scope == b.scope and a.stance == b.stance == "adopt" and a.answer and b.answer
    return bool(asked and _ONE_ANSWER.match(a.scope)) and not same_answer(a, b)


def two_places(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether their words pull apart only by places that are their answers, and may be one place."""
    found = opposed(next(remedies(a)), next(remedies(b))) if differing_answers(a, b) else None
    return found is not None and found.axis == "place"


def seen_apart(a: BoardPosition, b: BoardPosition, earlier: Iterable[BoardPosition]) -> bool:
    """Whether one of them was written when the other's answer stood on the board already, to be taken over."""
    return any(
        each.scope == mine.scope
        and each.stance == "adopt"
        and each.round < other.round
        and _words(each.answer) == _words(mine.answer)
        for mine, other in ((a, b), (b, a))
        for each in earlier
        if each.engineer == mine.engineer
    )


def same_answer(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether the answers may say one thing: they share a word that is not the question's."""
    asked = scope_stems(a.scope)
    one, other = _words(a.answer), _words(b.answer)
    bare = (one - asked or one, other - asked or other)
    return not (bare[0] and bare[1]) or any(_one_root(x, y) for x in bare[0] for y in bare[1])


def _words(answer: str) -> frozenset[str]:
    """The words that carry meaning, as stems; a time in days."""
    said = [_NUMBERS.get(word, word) for word in map(str.casefold, _WORD.findall(answer))]
    for at, (number, unit) in enumerate(pairwise(said)):
        if number.isdigit() and stem(unit) in _DAYS:
            said[at : at + 2] = [str(int(number) * _DAYS[stem(unit)]), "days"]
    numbers = frozenset(word for word in said if word[0].isdigit())
    return numbers | scope_stems(" ".join(said))


def _one_root(a: str, b: str) -> bool:
    """ "Postgres" and "PostgreSQL"; a number is only itself."""
    short, long = sorted((a, b), key=len)
    return a == b or (len(short) > 4 and short[0].isalpha() and long.startswith(short))


def _other_amount(a: str, b: str) -> bool:
    """ "100 requests per minute" and "1000 requests per minute": the same words around another number."""
    one, other = _words(a), _words(b)
    apart = (*(one - other), *(other - one))
    one_each = len(one) == len(other) and len(apart) == 2
    return bool(one & other) and one_each and all(word[0].isdigit() for word in apart)
