"""The duel: two to four named experts take positions, score each other, and have a last word.

    round 1   each writes its opening alone
    round 2   each scores every other from 0 to 1000, anonymous and shuffled; asked once more, for
              candour, when everybody praises everybody
    round 3   each sees what it was given: concessions, defence, revision, and what nobody saw

What it comes to is counted by ``consensus.duel``; no model sums up. An expert that fails is named, and
what it did not score stays missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.consensus.duel import (
    Card,
    diagnose,
    is_love_fest,
    missing_ballots,
    rank,
    whole_ballots,
)
from guildmoot.errors import UsageError
from guildmoot.model.call import Call, Reply
from guildmoot.model.council import Contender, Duel
from guildmoot.practices.anonymity import Anonymity
from guildmoot.practices.council.judge import judge_call
from guildmoot.practices.council.prompts import (
    GivenScores,
    ShownOpening,
    ballot_part,
    expert_part,
    frameworks_of,
    item_ids,
    last_part,
    opening_part,
    own_words,
    persona_of,
    shared_part,
    tension_of,
)
from guildmoot.practices.council.seats import CouncilSeat, SeatedCouncil
from guildmoot.practices.stage import Reader, ask
from guildmoot.reading.council.duel import (
    Ballots,
    LastWord,
    Opening,
    read_ballots,
    read_last_word,
    read_opening,
)

FEWEST, MOST = 2, 4
_Position = TypeVar("_Position", Opening, Ballots, LastWord)
_OPENS, _SCORES, _REVEALS = 1, 2, 3


class CastBallots(NamedTuple):
    """All ballots, by label."""

    read: Mapping[str, Ballots]
    overall: Mapping[tuple[str, str], int]
    """Scorer and expert to the score of the whole."""
    items: Mapping[tuple[str, str], Mapping[int, int]]
    """Scorer and expert to the scores by rank, counted from 1."""


async def duel(
    council: SeatedCouncil, session: CallSession, watch: Watch
) -> tuple[Duel, tuple[Reply, ...]]:
    """The duel and every reply: ``<label>~round1``, ``~scores``, ``~rescored`` and ``~reveal``.

    Raises UsageError for fewer than 2 or more than 4 experts, or for a program among them, before
    anything is called.
    """
    experts = council.seats
    _check(experts)
    rounds = _DuelRounds(council, session, watch)
    openings = await rounds.open()
    standing = [seat for seat in experts if openings[seat.name].recommendations]
    if len(standing) < FEWEST:
        return rounds.report(openings, CastBallots({}, {}, {}), {}), tuple(rounds.replies)
    cast = await rounds.score(standing, openings)
    labels = [seat.name for seat in standing]
    if is_love_fest(whole_ballots(cast.overall, labels)) and not rounds.interrupted:
        rounds.notes.append("everybody stood above 800: the ballots were cast again, for candour")
        again = await rounds.score(standing, openings, candour=True)
        if len(again.overall) < len(cast.overall):
            rounds.notes.append("not all of them could be read then, so the first ones count")
        else:
            cast = again
    last = await rounds.reveal(standing, openings, cast)
    return rounds.report(openings, cast, last), tuple(rounds.replies)


def _check(experts: Sequence[CouncilSeat]) -> None:
    if not FEWEST <= len(experts) <= MOST:
        raise UsageError(
            f"a duel takes {FEWEST} to {MOST} experts, here are {len(experts)}",
            'Name them: guild council --perspectives="a,b" debate "the question"',
        )
    tools = [seat.name for seat in experts if seat.is_tool]
    if tools:
        raise UsageError(
            f"a program cannot take a position: {', '.join(tools)}",
            "Configure a model or a client for the experts; see `guild doctor`.",
        )


class _DuelRounds:
    """One duel: who stands in it, what was asked, and what went wrong."""

    def __init__(self, council: SeatedCouncil, session: CallSession, watch: Watch) -> None:
        self.session, self.watch = session, watch
        self.plan, self.packet, self.experts = council.plan, council.packet, council.seats
        self.tension = tension_of(self.plan)
        self.shared = shared_part(self.packet, self.plan, len(self.experts))
        self.replies: list[Reply] = []
        self.notes: list[str] = []
        self.failed: dict[str, list[str]] = {seat.name: [] for seat in self.experts}
        self.peers_seen: dict[str, Anonymity] = {}
        self.interrupted = False

    async def open(self) -> dict[str, Opening]:
        """Every expert's position, each written alone."""
        parts = {seat.name: opening_part() for seat in self.experts}
        openings = await self._ask(
            parts, _OPENS, "round1", lambda label, text: read_opening(text), self.plan.timeout
        )
        return {seat.name: openings.get(seat.name, Opening()) for seat in self.experts}

    async def score(
        self,
        standing: Sequence[CouncilSeat],
        openings: Mapping[str, Opening],
        candour: bool = False,
    ) -> CastBallots:
        """Every expert's ballots for the others."""
        labels = [seat.name for seat in standing]
        self.peers_seen = {
            label: Anonymity.lettered(
                "Expert", self.packet.hash, label, [each for each in labels if each != label]
            )
            for label in labels
        }
        parts = {
            label: ballot_part(openings[label], _peers(self.peers_seen[label], openings), candour)
            for label in labels
        }

        def read(label: str, text: str) -> Ballots:
            return read_ballots(text, _ids(self.peers_seen[label], openings))

        kind = "rescored" if candour else "scores"
        timeout = self.plan.second_timeout
        ballots = await self._ask(parts, _SCORES, kind, read, timeout, int(candour))
        return cast_of(ballots, self.peers_seen)

    async def reveal(
        self, standing: Sequence[CouncilSeat], openings: Mapping[str, Opening], cast: CastBallots
    ) -> dict[str, LastWord]:
        """Every expert's last word; it is never left out, whatever the scores are."""
        if self.interrupted:
            return {}
        parts = {
            seat.name: last_part(openings[seat.name], self._given(seat.name, cast))
            for seat in standing
        }

        def read(label: str, text: str) -> LastWord:
            return read_last_word(text, item_ids("Y", openings[label]))

        return await self._ask(parts, _REVEALS, "reveal", read, self.plan.second_timeout)

    def report(
        self, openings: Mapping[str, Opening], cast: CastBallots, last: Mapping[str, LastWord]
    ) -> Duel:
        """What the ballots come to, with what went otherwise than asked."""
        found = count_duel(self.experts, openings, cast, last, self.peers_seen)
        contenders = tuple(
            each._replace(failed=tuple(self.failed[each.label])) for each in found.contenders
        )
        failures = [f"{who} failed in {why}" for who, all_ in self.failed.items() for why in all_]
        return found._replace(
            tension=self.tension,
            seed=self.packet.hash,
            contenders=contenders,
            diagnostics=(*found.diagnostics, *self.notes, *failures),
            notes=(*self.notes, *found.notes),
        )

    def _given(self, label: str, cast: CastBallots) -> list[GivenScores]:
        """What the others gave an expert, under the letters that it knows them by."""
        given = []
        peers = self.peers_seen[label]
        for other in peers.order:
            items = cast.items.get((other, label), {})
            letter = self.peers_seen[other].marks[label]
            ballots = cast.read[other].ballots if other in cast.read else ()
            comment = next((ballot.comment for ballot in ballots if ballot.of == letter), "")
            # Its author knew the others by letters of its own.
            comment = peers.hide(self.peers_seen[other].named(comment), {label: "you"})
            scores = {f"Y{number}": score for number, score in items.items()}
            overall = cast.overall.get((other, label))
            given.append(GivenScores(peers.titles[other], scores, overall, comment))
        return given

    async def _ask(
        self,
        parts: Mapping[str, str],
        round: int,
        kind: str,
        read: Callable[[str, str], _Position],
        timeout: float,
        attempt: int = 0,
    ) -> dict[str, _Position]:
        """What was read of those that answered, by label; who failed is noted."""
        if not parts or self.interrupted:
            return {}
        calls = [
            self._call(seat, parts[seat.name], round, timeout)._replace(attempt=attempt)
            for seat in self.experts
            if seat.name in parts
        ]
        reader = Reader(
            lambda reply, call: read(reply.seat, reply.text) if _answered(reply) else None,
            attempts=0,
        )
        done = await ask(self.session, calls, reader, on_event=self.watch.on_event)
        self.interrupted = done.interrupted
        for reply, value, _ in done.answers:
            self.replies.append(reply._replace(seat=f"{reply.seat}~{kind}"))
            if value is None:
                why = f": {reply.error}" if reply.error else ""
                self.failed[reply.seat].append(f"round {round}: {reply.status}{why}")
            elif value.problem:
                self.failed[reply.seat].append(f"round {round}: unreadable: {value.problem}")
        return {each.seat: each.value for each in done.answers if each.value is not None}

    def _call(self, seat: CouncilSeat, part: str, round: int, timeout: float) -> Call:
        """A call that asks for a position; the form of a verdict would be the wrong one."""
        who = expert_part(seat) + own_words(seat.agent)
        expert = seat.answering("verdict")
        return judge_call(expert, self.shared, who + part, self.packet, timeout, round)


def _answered(reply: Reply) -> bool:
    return reply.status == "answered"


def _peers(peers: Anonymity, openings: Mapping[str, Opening]) -> list[ShownOpening]:
    return [ShownOpening(letter, openings[label]) for label, letter in peers.marks.items()]


def _ids(peers: Anonymity, openings: Mapping[str, Opening]) -> dict[str, str]:
    """What is on a ballot: each recommendation and whose it is, by letter."""
    return {item: shown.letter for shown in _peers(peers, openings) for item in shown.ids}


def count_duel(
    experts: Sequence[CouncilSeat],
    openings: Mapping[str, Opening],
    cast: CastBallots,
    last: Mapping[str, LastWord],
    peers_seen: Mapping[str, Anonymity],
) -> Duel:
    """The duel as the numbers give it; what nobody said is not there."""
    labels = [seat.name for seat in experts]
    silent = [label for label in labels if not openings[label].recommendations]
    ballots = whole_ballots(cast.overall, labels)
    missing = missing_ballots(cast.overall, labels, silent)
    kills = {label: len(openings[label].kills) for label in labels if label not in silent}
    cards = [card for label in labels for card in _cards(label, openings[label], cast, last)]
    return Duel(
        tension="",
        ballots=ballots,
        matrix=rank(cards, labels),
        conceded=_said(last, peers_seen, lambda word: [each.text for each in word.concessions]),
        blind_spots=_said(last, peers_seen, lambda word: word.blind_spots),
        diagnostics=diagnose(ballots, kills),
        contenders=tuple(
            _contender(seat, openings[seat.name], last, peers_seen.get(seat.name))
            for seat in experts
        ),
        missing=missing,
        seen=tuple((label, each.order) for label, each in peers_seen.items()),
        notes=tuple(f"{who} did not score {whom}" for who, whom in missing),
    )


def _contender(
    seat: CouncilSeat, opening: Opening, last: Mapping[str, LastWord], peers: Anonymity | None
) -> Contender:
    word = last.get(seat.name, LastWord())
    return Contender(
        label=seat.name,
        persona=persona_of(seat),
        frameworks=frameworks_of(seat),
        positioning=opening.positioning,
        risk=opening.risk,
        recommendations=opening.recommendations,
        kills=opening.kills,
        defence=peers.named(word.defence) if peers else word.defence,
        revision=peers.named(word.revision) if peers else word.revision,
    )


def cast_of(read: Mapping[str, Ballots], peers_seen: Mapping[str, Anonymity]) -> CastBallots:
    """The ballots with labels for letters."""
    overall: dict[tuple[str, str], int] = {}
    items: dict[tuple[str, str], dict[int, int]] = {}
    for scorer, given in read.items():
        letters = {letter: label for label, letter in peers_seen[scorer].marks.items()}
        for ballot in given.ballots:
            expert = letters[ballot.of]
            if ballot.overall is not None:
                overall[scorer, expert] = ballot.overall
            items[scorer, expert] = {int(item[1:]): score for item, score in ballot.scores}
    return CastBallots(read, overall, items)


def _cards(
    label: str, opening: Opening, cast: CastBallots, last: Mapping[str, LastWord]
) -> list[Card]:
    """An expert's recommendations with what the others gave them."""
    word = last.get(label, LastWord())
    given_up = {concession.item for concession in word.concessions if concession.item}
    return [
        Card(
            by=label,
            text=text,
            scores=tuple(
                (scorer, scores[number])
                for (scorer, expert), scores in cast.items.items()
                if expert == label and number in scores
            ),
            conceded=f"Y{number}" in given_up,
        )
        for number, text in enumerate(opening.recommendations, 1)
    ]


def _said(
    last: Mapping[str, LastWord],
    peers_seen: Mapping[str, Anonymity],
    pick: Callable[[LastWord], Sequence[str]],
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (label, peers_seen[label].named(text))
        for label, word in last.items()
        for text in pick(word)
    )
