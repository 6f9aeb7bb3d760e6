"""Puts every judge's two rounds side by side, as the rules of the debate and the packet see them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from guildmoot.consensus.council import word_of
from guildmoot.consensus.debate import Move, Place, Reality, Stand, Turn, dropped, move_of
from guildmoot.grounding import Texts
from guildmoot.model.call import Reply
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.practices.council.hearing import Heard
from guildmoot.reading.anchors import find_anchors
from guildmoot.reading.council import CouncilReading
from guildmoot.reading.council.grounds import read_grounds
from guildmoot.reading.grammar import PARSE_FAILURE, WITHOUT_REASONS
from guildmoot.reading.paths import known_path

_NOT_CLAIMED = (PARSE_FAILURE, WITHOUT_REASONS)
"""Findings that a reader made of a reply; no judge raised them, so none can drop them."""
_WORD = re.compile(r"[^\W\d]\w{3,}")


class Second(NamedTuple):
    """What came of a judge's second round."""

    reading: CouncilReading | None = None
    judgement: Judgement | None = None
    """Checked against the packet; None when there is no second verdict."""
    absent: str = ""
    """Why there is none, e.g. ``R1 verdict (R2 timeout)``."""
    replies: tuple[Reply, ...] = ()
    """All that it took."""


class Compared(NamedTuple):
    """One judge over both rounds, and what it comes to."""

    heard: Heard
    second: Second
    turn: Turn
    move: Move
    dropped: tuple[Finding, ...]


def word_in(one: Heard) -> CouncilWord | None:
    """The first round's verdict; None when the judge gave none."""
    plain = word_of(one.judgement).word
    verdict = one.reading.verdict if one.reading else None
    return verdict.verdict if plain and verdict and not one.judgement.computed else plain


def can_answer(one: Heard) -> bool:
    """A judge with a verdict that can be asked again; a program would only say the same."""
    return not one.judgement.computed and word_in(one) is not None


def took_side(one: Heard) -> bool:
    """Whether there is something in it to debate: a program's silence or advice takes no side."""
    return word_in(one) == "FAIL" if one.judgement.computed else can_answer(one)


def compare(
    able: Sequence[Heard], seconds: Mapping[str, Second], packet: Packet
) -> tuple[Compared, ...]:
    """Every judge that took part, with its move and what it dropped."""
    reality = reality_of(packet)
    paths = tuple(file.path for file in packet.files)
    compared = []
    for one in able:
        second = seconds[one.seat.label]
        turn = Turn(one.seat.label, _first(one, paths), _last(one, second, paths), second.absent)
        compared.append(Compared(one, second, turn, move_of(turn, reality), dropped(turn)))
    return tuple(compared)


def reality_of(packet: Packet) -> Reality:
    """What the packet holds: its files' lines, and every word in it."""
    texts = Texts(packet.files)
    shown = [*(file.text for file in packet.files), *(part.text for part in packet.sections)]
    words = {word.lower() for text in shown for word in _WORD.findall(text)}

    def exists(place: Place) -> bool:
        lines = texts.lines(place[0])
        return lines is not None and 1 <= place[1] <= place[2] <= len(lines)

    return Reality(exists, words.__contains__)


def _first(one: Heard, paths: Sequence[str]) -> Stand:
    own = one.judgement.findings
    named = [*find_anchors(one.reply.text), *((f.path, f.line, f.end_line) for f in own)]
    return Stand(word_in(one), _claims(own), _places(named, paths), one.reply.text)


def _last(one: Heard, second: Second, paths: Sequence[str]) -> Stand | None:
    verdict = second.reading.verdict if second.reading else None
    if verdict is None or second.judgement is None:
        return None
    grounds = read_grounds(verdict, one.seat.label)
    return Stand(
        word=verdict.verdict,
        findings=_claims(second.judgement.findings),
        places=_places(grounds.places, paths),
        admitted=grounds.admitted,
        missing=grounds.missing,
        remarks=tuple(f._replace(path=known_path(f.path, paths)) for f in grounds.remarks),
        reason=grounds.reason,
    )


def _claims(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.code not in _NOT_CLAIMED)


def _places(named: Sequence[Place], paths: Sequence[str]) -> tuple[Place, ...]:
    """The places under the packet's own paths, however short a judge wrote them."""
    return tuple(
        (known_path(path, paths), first, max(first, last)) for path, first, last in named if path
    )
