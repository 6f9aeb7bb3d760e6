"""What a seat itself said, among all replies that it took: the first too, where it was asked once more."""

from __future__ import annotations

from collections.abc import Iterable

from guildmoot.model.call import Reply
from guildmoot.model.verdict import Judgement

REPAIR = "~repair-"
"""Stands after the seat's name, and before a number, in what was asked once more."""
_ONCE_MORE = "\n\n[Asked once more:]\n\n"


def own_replies(seat: str, replies: Iterable[Reply]) -> tuple[Reply, ...]:
    """Those that say something: no clerk's words, and no request to look."""
    own = (each for each in replies if each.seat.partition(REPAIR)[0] == seat)
    return tuple(each for each in own if each.text.strip())


def whole_text(seat: str, replies: Iterable[Reply]) -> str:
    """All that a seat said, word for word; marked where it was asked once more."""
    return _ONCE_MORE.join(each.text for each in own_replies(seat, replies))


def with_own_reasons(judgement: Judgement, replies: Iterable[Reply]) -> Judgement:
    """A council's judgement, with the reasons that only the seat's own lines give."""
    if not judgement.council:
        return judgement
    from guildmoot.reading.council.reasons import with_reasons  # only councils need it

    said = own_replies(judgement.seat, replies)
    return with_reasons(judgement, [each.text for each in said])
