"""A judge's two rounds side by side: what changed and on what grounds, what counts, and the report of it.

The rules are those of ``consensus.debate``; the packet says which places and words really exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from guildmoot.consensus.council import word_of
from guildmoot.consensus.debate import (
    Branch,
    JudgeRound,
    PacketLookup,
    Place,
    Turn,
    converged,
    dropped,
    fresh,
    move_of,
    why_stopped,
)
from guildmoot.grounding.anchors import Texts
from guildmoot.model.call import Reply
from guildmoot.model.council import Debate, Exchange, Shift
from guildmoot.model.council_verdict import CouncilVerdict, CouncilWord, DebateNotes
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.practices.anonymity import Anonymity
from guildmoot.practices.council.judge import JudgedReply
from guildmoot.practices.stage import with_usage
from guildmoot.reading.council.debate import read_grounds
from guildmoot.reading.grammar import READER_CODES
from guildmoot.reading.known_paths import KnownPaths
from guildmoot.reading.places import find_anchors

_FIDELITY = (
    "fidelity degraded: no judge was kept alive between the rounds; each was called anew with the"
    " packet and the whole of its first reply, without what it thought but did not say"
)
_WORD = re.compile(r"[^\W\d]\w{3,}")


class SecondRound(NamedTuple):
    """What came of a judge's second round."""

    verdict: CouncilVerdict | None = None
    judgement: Judgement | None = None
    """Checked against the packet; None when there is no second verdict."""
    absent: str = ""
    """Why there is none, e.g. ``R1 verdict (R2 timeout)``."""
    replies: tuple[Reply, ...] = ()
    """All that it took."""
    unread: Judgement | None = None
    """What came in place of a verdict, when it did answer."""


class ComparedRounds(NamedTuple):
    """One judge over both rounds, and what it comes to."""

    first: JudgedReply
    second: SecondRound
    turn: Turn
    move: Shift
    dropped: tuple[Finding, ...]


def first_word(one: JudgedReply) -> CouncilWord | None:
    """The first round's verdict; None when the judge gave none."""
    plain = word_of(one.judgement).word
    return one.verdict.verdict if plain and one.verdict and not one.judgement.computed else plain


def can_answer(one: JudgedReply) -> bool:
    """A judge with a verdict that can be asked again; a program would only say the same."""
    return not one.judgement.computed and first_word(one) is not None


def took_side(one: JudgedReply) -> bool:
    """Whether there is something in it to debate: a program's silence or advice takes no side."""
    return first_word(one) == "FAIL" if one.judgement.computed else can_answer(one)


def compare_rounds(
    able: Sequence[JudgedReply], seconds: Mapping[str, SecondRound], packet: Packet
) -> tuple[ComparedRounds, ...]:
    """Every judge that took part, with its move and what it dropped."""
    reality = reality_of(packet)
    paths = KnownPaths(file.path for file in packet.files)
    compared = []
    for one in able:
        second = seconds[one.name]
        turn = Turn(one.name, _first(one, paths), _last(one, second, paths), second.absent)
        compared.append(ComparedRounds(one, second, turn, move_of(turn, reality), dropped(turn)))
    return tuple(compared)


def reality_of(packet: Packet) -> PacketLookup:
    """What the packet holds: its files' lines, and every word in it."""
    texts = Texts(packet.files)
    shown = [*(file.text for file in packet.files), *(part.text for part in packet.sections)]
    words = {word.lower() for text in shown for word in _WORD.findall(text)}

    def exists(place: Place) -> bool:
        lines = texts.lines(place[0])
        return lines is not None and 1 <= place[1] <= place[2] <= len(lines)

    return PacketLookup(exists, words.__contains__)


def _first(one: JudgedReply, paths: KnownPaths) -> JudgeRound:
    own = one.judgement.findings
    named = [*find_anchors(one.reply.text), *((f.path, f.line, f.end_line) for f in own)]
    return JudgeRound(first_word(one), _claims(own), _places(named, paths), one.reply.text)


def _last(one: JudgedReply, second: SecondRound, paths: KnownPaths) -> JudgeRound | None:
    verdict = second.verdict
    if verdict is None or second.judgement is None:
        return None
    grounds = read_grounds(verdict, one.name)
    return JudgeRound(
        word=verdict.verdict,
        findings=_claims(second.judgement.findings),
        places=_places(grounds.places, paths),
        admitted=grounds.admitted,
        missing=grounds.missing,
        remarks=tuple(f._replace(path=paths.known(f.path)) for f in grounds.remarks),
        reason=grounds.reason,
    )


def _claims(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.code not in READER_CODES)


def _places(named: Sequence[Place], paths: KnownPaths) -> tuple[Place, ...]:
    """The places under the packet's own paths, however short a judge wrote them."""
    return tuple(
        (paths.known(path), first, max(first, last)) for path, first, last in named if path
    )


def counted(one: ComparedRounds) -> JudgedReply:
    """What counts of a judge: its second round, or its first where that is missing or weak."""
    first, second, move = one.first, one.second, one.move
    paid = with_usage(first.reply, second.replies)
    if second.unread and first_word(first) != "FAIL":  # nobody knows whether it still approves
        return first._replace(reply=paid, verdict=None, judgement=second.unread)
    if second.verdict is None or second.judgement is None or move.weak:
        weak = f"R1 verdict (R2 said {move.second} and cited nothing new)"
        why = weak if move.weak else second.absent
        return first._replace(reply=paid, judgement=first.judgement._replace(reason=why))
    kept = tuple(_left(finding, move) for finding in one.dropped)
    judgement = second.judgement._replace(findings=(*second.judgement.findings, *kept))
    return first._replace(reply=paid, verdict=second.verdict, judgement=judgement)


def debate_report(
    compared: Sequence[ComparedRounds],
    first: Iterable[JudgedReply],
    branch: Branch,
    peers_seen: Mapping[str, Anonymity],
    restated: Mapping[str, str],
    seed: str,
) -> Debate:
    """The debate that was held."""
    turns = [one.turn for one in compared]
    moves = [one.move for one in compared]
    return Debate(
        branch=branch,
        fidelity="degraded",
        shifts=tuple(moves),
        exchanges=tuple(e for one in compared for e in _exchanges(one, peers_seen[one.turn.label])),
        restated=tuple(restated.items()),
        converged=converged(moves),
        dropped=tuple((one.turn.label, finding) for one in compared for finding in one.dropped),
        stopped=why_stopped(moves, len(fresh(turns))),
        seed=seed,
        seen=tuple((label, each.order) for label, each in peers_seen.items()),
        notes=(*_absentees(first), _FIDELITY),
    )


def not_held(first: Iterable[JudgedReply], branch: Branch, stopped: str) -> Debate:
    """A debate that was not held: everybody's first verdict, and why it stayed at that."""
    shifts = tuple(
        Shift(one.name, first_word(one), None, False) for one in first if can_answer(one)
    )
    return Debate(branch, "degraded", shifts, stopped=stopped)


def _left(finding: Finding, move: Shift) -> Finding:
    """A dropped finding stays in the report; it blocks as far as the second verdict lets it."""
    blocking = finding.blocking and (move.second == "FAIL" or finding.severity == "critical")
    note = "; ".join(filter(None, (finding.note, "raised in round 1, not mentioned in round 2")))
    return finding._replace(blocking=blocking, note=note)


def _exchanges(one: ComparedRounds, peers: Anonymity) -> list[Exchange]:
    """Whom a judge answered, by label: the letters were turned back when its reply was read."""
    by, verdict = one.turn.label, one.second.verdict
    notes = verdict.debate_notes if verdict else None
    if not notes:
        return []
    told = [Exchange(by, _meant(notes.steel_man, peers), "steel-man", notes.steel_man)]
    told += [
        Exchange(by, each.target_judge, "challenge", each.claim, each.response)
        for each in notes.challenges
    ]
    told += [
        Exchange(by, each.source_judge, "acknowledge", each.point, each.impact)
        for each in notes.acknowledgments
    ]
    return [each for each in told if each.claim.strip() or each.response.strip()]


def _meant(steel_man: str, peers: Anonymity) -> str:
    """Whose argument was made strong, when the judge says so, or when there is only one other."""
    named = [label for label in peers.order if label in steel_man]
    if len(named) == 1:
        return named[0]
    return peers.order[0] if len(peers.order) == 1 else ""


def _absentees(first: Iterable[JudgedReply]) -> Iterator[str]:
    """Who took no part in the second round, and why."""
    for one in first:
        if one.judgement.computed:
            yield f"{one.name} is a program: it takes no part in round 2, its findings stand"
        elif not can_answer(one):
            yield f"{one.name} gave no verdict in round 1 and was not asked again"


def named_finding(finding: Finding, peers: Anonymity) -> Finding:
    """A finding with names for letters."""
    title, why, fix = map(peers.named, (finding.title, finding.why, finding.fix))
    return finding._replace(title=title, why=why, fix=fix)


def named_verdict(verdict: CouncilVerdict, peers: Anonymity) -> CouncilVerdict:
    """A verdict with names for letters, its notes included."""
    named, notes = peers.named, verdict.debate_notes
    findings = (
        each._replace(
            description=named(each.description),
            recommendation=named(each.recommendation),
            why=each.why and named(each.why),
            fix=each.fix and named(each.fix),
        )
        for each in verdict.findings
    )
    return verdict._replace(
        key_insight=named(verdict.key_insight),
        recommendation=named(verdict.recommendation),
        findings=tuple(findings),
        debate_notes=_named_notes(notes, peers) if notes else None,
    )


def _named_notes(notes: DebateNotes, peers: Anonymity) -> DebateNotes:
    named, who = peers.named, peers.who
    challenges = (
        each._replace(
            target_judge=who(each.target_judge),
            claim=named(each.claim),
            response=named(each.response),
        )
        for each in notes.challenges
    )
    acknowledgments = (
        each._replace(
            source_judge=who(each.source_judge), point=named(each.point), impact=named(each.impact)
        )
        for each in notes.acknowledgments
    )
    return notes._replace(
        steel_man=named(notes.steel_man),
        challenges=tuple(challenges),
        acknowledgments=tuple(acknowledgments),
    )
