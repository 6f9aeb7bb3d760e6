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
from guildmoot.practices.calls import with_schema
from guildmoot.practices.council.judge import judge_call
from guildmoot.practices.council.prompts import (
    OPENING,
    ballot_part,
    expert_part,
    frameworks_of,
    item_ids,
    last_part,
    own_words,
    persona_of,
    scores_row,
    shared_part,
    tension_of,
)
from guildmoot.practices.council.seats import CouncilSeat, SeatedCouncil
from guildmoot.practices.council.selection import FEWEST_EXPERTS, MOST_EXPERTS
from guildmoot.practices.stage import ReplyReader, ask
from guildmoot.reading.clerk.forms import DUEL_SCHEMAS
from guildmoot.reading.council.duel import (
    Ballots,
    LastWord,
    Opening,
    read_ballots,
    read_last_word,
    read_opening,
)

_Position = TypeVar("_Position", Opening, Ballots, LastWord)
_OPENS, _SCORES, _REVEALS = 1, 2, 3


class CastBallots(NamedTuple):
    """All ballots, by scorer and expert."""

    overall: dict[tuple[str, str], int]
    """The score of the whole."""
    items: dict[tuple[str, str], dict[int, int]]
    """The scores by rank, counted from 1."""
    comments: dict[tuple[str, str], str]


async def duel(
    council: SeatedCouncil, session: CallSession, watch: Watch
) -> tuple[Duel, tuple[Reply, ...]]:
    """The duel and every reply: ``<label>~round1``, ``~scores``, ``~rescored`` and ``~reveal``.

    Raises UsageError for fewer than 2 or more than 4 experts, or for a program among them, before
    anything is called.
    """
    _check(council.seats)
    rounds = _DuelRounds(council, session, watch)
    await rounds.open()
    if len(rounds.standing) >= FEWEST_EXPERTS:
        await rounds.score()
        await rounds.reveal()
    return rounds.report(), tuple(rounds.replies)


def _check(experts: Sequence[CouncilSeat]) -> None:
    if not FEWEST_EXPERTS <= len(experts) <= MOST_EXPERTS:
        raise UsageError(
            f"a duel takes {FEWEST_EXPERTS} to {MOST_EXPERTS} experts, here are {len(experts)}",
            'Name them: guild council --perspectives="a,b" debate "the question"',
        )
    tools = [seat.name for seat in experts if seat.is_tool]
    if tools:
        raise UsageError(
            f"a program cannot take a position: {', '.join(tools)}",
            "Configure a model or a client for the experts; see `guild doctor`.",
        )


class _DuelRounds:
    """One duel: who stands in it, what was asked and said, and what went wrong."""

    def __init__(self, council: SeatedCouncil, session: CallSession, watch: Watch) -> None:
        self.session, self.watch = session, watch
        self.plan, self.packet = council.plan, council.packet
        self.experts = {seat.name: seat for seat in council.seats}
        self.shared = shared_part(self.packet, self.plan, len(self.experts))
        self.openings: dict[str, Opening] = {}
        self.cast = CastBallots({}, {}, {})
        self.last: dict[str, LastWord] = {}
        self.replies: list[Reply] = []
        self.notes: list[str] = []
        self.failed: dict[str, list[str]] = {name: [] for name in self.experts}
        self.peers_seen: dict[str, Anonymity] = {}
        self.interrupted = False

    @property
    def standing(self) -> list[str]:
        """The experts that recommend something."""
        return [name for name in self.experts if self.openings[name].recommendations]

    async def open(self) -> None:
        """Every expert's position, each written alone."""
        parts = dict.fromkeys(self.experts, OPENING)
        said = await self._ask(parts, _OPENS, "round1", lambda label, text: read_opening(text))
        self.openings = {name: said.get(name, Opening()) for name in self.experts}

    async def score(self) -> None:
        """Every expert's ballots for the others; cast again when everybody praises everybody."""
        standing = self.standing
        for name in standing:
            others = [each for each in standing if each != name]
            peers = Anonymity.lettered("Expert", self.packet.hash, name, others)
            self.peers_seen[name] = peers
        self.cast = await self._ballots(candour=False)
        if self.interrupted or not is_love_fest(whole_ballots(self.cast.overall, standing)):
            return
        self.notes.append("everybody stood above 800: the ballots were cast again, for candour")
        again = await self._ballots(candour=True)
        if len(again.overall) < len(self.cast.overall):
            self.notes.append("not all of them could be read then, so the first ones count")
        else:
            self.cast = again

    async def reveal(self) -> None:
        """Every expert's last word; it is never left out, whatever the scores are."""
        parts = {name: last_part(self.openings[name], self._given(name)) for name in self.standing}

        def read(label: str, text: str) -> LastWord:
            return read_last_word(text, item_ids("Y", self.openings[label]))

        self.last = await self._ask(parts, _REVEALS, "reveal", read)

    def report(self) -> Duel:
        """What the ballots come to, and what went otherwise than asked; what nobody said is not there."""
        labels, overall = list(self.experts), self.cast.overall
        silent = [label for label in labels if label not in self.standing]
        missing = missing_ballots(overall, labels, silent)
        ballots = whole_ballots(overall, labels)
        kills = {label: len(self.openings[label].kills) for label in self.standing}
        failures = (f"{who} failed in {why}" for who, all_ in self.failed.items() for why in all_)
        return Duel(
            tension=tension_of(self.plan),
            ballots=ballots,
            matrix=rank([card for label in labels for card in self._cards(label)], labels),
            conceded=self._said(lambda word: [each.text for each in word.concessions]),
            blind_spots=self._said(lambda word: word.blind_spots),
            diagnostics=(*diagnose(ballots, kills), *self.notes, *failures),
            contenders=tuple(map(self._contender, self.experts.values())),
            missing=missing,
            seed=self.packet.hash,
            seen=tuple((label, each.order) for label, each in self.peers_seen.items()),
            notes=(*self.notes, *(f"{who} did not score {whom}" for who, whom in missing)),
        )

    async def _ballots(self, *, candour: bool) -> CastBallots:
        """Ballots for the peers' openings, with labels for letters."""
        shown = {
            name: {letter: self.openings[label] for label, letter in peers.marks.items()}
            for name, peers in self.peers_seen.items()
        }
        parts = {n: ballot_part(self.openings[n], peers, candour) for n, peers in shown.items()}

        def read(label: str, text: str) -> Ballots:
            peers = shown[label].items()
            ids = {item: letter for letter, each in peers for item in item_ids(letter, each)}
            return read_ballots(text, ids)

        cast = CastBallots({}, {}, {})
        given = await self._ask(parts, _SCORES, "rescored" if candour else "scores", read)
        for scorer, read_of in given.items():
            peers = self.peers_seen[scorer]
            letters = {letter: label for label, letter in peers.marks.items()}
            for ballot in read_of.ballots:
                pair = scorer, letters[ballot.of]
                if ballot.overall is not None:
                    cast.overall[pair] = ballot.overall
                cast.items[pair] = {int(item[1:]): score for item, score in ballot.scores}
                cast.comments.setdefault(pair, peers.named(ballot.comment))
        return cast

    def _given(self, label: str) -> list[str]:
        """What the others gave an expert, under the letters that it knows them by."""
        peers, cast = self.peers_seen[label], self.cast
        return [
            scores_row(
                peers.titles[other],
                cast.items.get((other, label), {}),
                cast.overall.get((other, label)),
                peers.hide(cast.comments.get((other, label), ""), {label: "you"}),
            )
            for other in peers.order
        ]

    async def _ask(
        self,
        parts: Mapping[str, str],
        round: int,
        kind: str,
        read: Callable[[str, str], _Position],
    ) -> dict[str, _Position]:
        """What was read of those that answered, by label; who failed is noted."""
        if not parts or self.interrupted:
            return {}
        calls = [
            with_schema(
                self._call(seat, parts[name], round)._replace(attempt=int(kind == "rescored")),
                DUEL_SCHEMAS[kind],
            )
            for name, seat in self.experts.items()
            if name in parts
        ]
        reader = ReplyReader(
            lambda reply, call: (
                read(reply.seat, reply.text) if reply.status == "answered" else None
            ),
        )
        self.watch.on_begin([call.seat.name for call in calls], f"round {round}: {kind}")
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

    def _call(self, seat: CouncilSeat, part: str, round: int) -> Call:
        """A call that asks for a position; the form of a verdict would be the wrong one."""
        own = expert_part(seat) + own_words(seat.agent) + part
        timeout = self.plan.timeout if round == _OPENS else self.plan.second_timeout
        expert = seat.answering("verdict")
        return judge_call(expert, self.shared, own, self.packet, timeout, round)

    def _contender(self, seat: CouncilSeat) -> Contender:
        opening, word = self.openings[seat.name], self.last.get(seat.name, LastWord())
        peers = self.peers_seen.get(seat.name)
        return Contender(
            label=seat.name,
            persona=persona_of(seat),
            frameworks=frameworks_of(seat),
            positioning=opening.positioning,
            risk=opening.risk,
            recommendations=opening.recommendations,
            kills=opening.kills,
            defence=peers.named(word.defence) if peers else "",
            revision=peers.named(word.revision) if peers else "",
            failed=tuple(self.failed[seat.name]),
        )

    def _cards(self, label: str) -> list[Card]:
        """An expert's recommendations with what the others gave them."""
        given_up = {each.item for each in self.last.get(label, LastWord()).concessions}
        return [
            Card(
                by=label,
                text=text,
                scores=tuple(
                    (scorer, scores[number])
                    for (scorer, expert), scores in self.cast.items.items()
                    if expert == label and number in scores
                ),
                conceded=f"Y{number}" in given_up,
            )
            for number, text in enumerate(self.openings[label].recommendations, 1)
        ]

    def _said(self, pick: Callable[[LastWord], Sequence[str]]) -> tuple[tuple[str, str], ...]:
        return tuple(
            (label, self.peers_seen[label].named(text))
            for label, word in self.last.items()
            for text in pick(word)
        )
