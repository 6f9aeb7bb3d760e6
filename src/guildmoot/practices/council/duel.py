"""The duel: two to four named experts take positions, score each other, and have a last word.

    round 1   each writes its opening alone
    round 2   each scores every other from 0 to 1000, anonymous and shuffled; asked once more, for
              candour, when everybody praises everybody
    round 3   each sees what it was given: concessions, defence, revision, and what nobody saw

What it comes to is counted by ``consensus.duel``; no model sums up. An expert that fails is named, and
what it did not score stays missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from guildmoot.backends import traits_of
from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.consensus.duel import is_love_fest, whole_ballots
from guildmoot.errors import UsageError
from guildmoot.model.call import Call, Reply
from guildmoot.model.council import Duel
from guildmoot.model.packet import Packet
from guildmoot.practices.council.anonymity import Masks
from guildmoot.practices.council.duel_outcome import Cast, cast_of, count
from guildmoot.practices.council.duel_prompts import (
    Given,
    Shown,
    ballot_part,
    expert_part,
    item_ids,
    last_part,
    opening_part,
    shared_part,
    tension_of,
)
from guildmoot.practices.council.hearing import judge_call
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.prompts import own_words
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.reading.council.duel import (
    Ballots,
    LastWord,
    Opening,
    read_ballots,
    read_last_word,
    read_opening,
)

FEWEST, MOST = 2, 4
_OPENS, _SCORES, _REVEALS = 1, 2, 3


async def duel(
    session: CallSession,
    plan: CouncilPlan,
    packet: Packet,
    experts: Sequence[CouncilSeat],
    watch: Watch,
    *,
    seed: str = "",
    tension: str = "",
) -> tuple[Duel, tuple[Reply, ...]]:
    """The duel and every reply: ``<label>~round1``, ``~scores``, ``~rescored`` and ``~reveal``.

    Raises UsageError for fewer than 2 or more than 4 experts, or for a program among them, before
    anything is called.
    """
    _check(experts)
    ring = _Ring(session, plan, packet, experts, watch, seed or packet.hash, tension)
    openings = await ring.open()
    standing = [seat for seat in experts if openings[seat.label].recommendations]
    if len(standing) < FEWEST:
        return ring.report(openings, Cast({}, {}, {}), {}), tuple(ring.replies)
    cast = await ring.score(standing, openings)
    labels = [seat.label for seat in standing]
    if is_love_fest(whole_ballots(cast.overall, labels)) and not ring.interrupted:
        ring.notes.append("everybody stood above 800: the ballots were cast again, for candour")
        again = await ring.score(standing, openings, candour=True)
        if len(again.overall) < len(cast.overall):
            ring.notes.append("not all of them could be read then, so the first ones count")
        else:
            cast = again
    last = await ring.reveal(standing, openings, cast)
    return ring.report(openings, cast, last), tuple(ring.replies)


def _check(experts: Sequence[CouncilSeat]) -> None:
    if not FEWEST <= len(experts) <= MOST:
        raise UsageError(
            f"a duel takes {FEWEST} to {MOST} experts, here are {len(experts)}",
            'Name them: guild council --perspectives="a,b" debate "the question"',
        )
    tools = [seat.label for seat in experts if traits_of(seat.agent.backend).is_tool]
    if tools:
        raise UsageError(
            f"a program cannot take a position: {', '.join(tools)}",
            "Configure a model or a client for the experts; see `guild doctor`.",
        )


class _Ring:
    """One duel: who stands in it, what was asked, and what went wrong."""

    def __init__(
        self,
        session: CallSession,
        plan: CouncilPlan,
        packet: Packet,
        experts: Sequence[CouncilSeat],
        watch: Watch,
        seed: str,
        tension: str,
    ) -> None:
        self.table, self.plan, self.packet, self.watch = session, plan, packet, watch
        self.experts, self.seed = experts, seed
        self.tension = tension or tension_of(plan)
        self.shared = shared_part(packet, plan, len(experts), self.tension)
        self.replies: list[Reply] = []
        self.notes: list[str] = []
        self.failed: dict[str, list[str]] = {seat.label: [] for seat in experts}
        self.masks: dict[str, Masks] = {}
        self.interrupted = False

    async def open(self) -> dict[str, Opening]:
        """Every expert's position, each written alone."""
        parts = {seat.label: opening_part() for seat in self.experts}
        texts = await self._ask(parts, _OPENS, "round1", self.plan.timeout)
        openings = {label: read_opening(text) for label, text in texts.items()}
        self._note_problems(openings, "round 1")
        return {seat.label: openings.get(seat.label, Opening()) for seat in self.experts}

    async def score(
        self,
        standing: Sequence[CouncilSeat],
        openings: Mapping[str, Opening],
        candour: bool = False,
    ) -> Cast:
        """Every expert's ballots for the others."""
        labels = [seat.label for seat in standing]
        self.masks = {
            label: Masks("Expert", self.seed, label, [each for each in labels if each != label])
            for label in labels
        }
        parts = {
            label: ballot_part(openings[label], _peers(self.masks[label], openings), candour)
            for label in labels
        }
        kind = "rescored" if candour else "scores"
        texts = await self._ask(parts, _SCORES, kind, self.plan.second_timeout, int(candour))
        read = {
            label: read_ballots(text, _ids(self.masks[label], openings))
            for label, text in texts.items()
        }
        self._note_problems(read, "round 2")
        return cast_of(read, self.masks)

    async def reveal(
        self, standing: Sequence[CouncilSeat], openings: Mapping[str, Opening], cast: Cast
    ) -> dict[str, LastWord]:
        """Every expert's last word; it is never left out, whatever the scores are."""
        if self.interrupted:
            return {}
        parts = {
            seat.label: last_part(openings[seat.label], self._given(seat.label, cast))
            for seat in standing
        }
        texts = await self._ask(parts, _REVEALS, "reveal", self.plan.second_timeout)
        last = {
            label: read_last_word(text, item_ids("Y", openings[label]))
            for label, text in texts.items()
        }
        self._note_problems(last, "round 3")
        return last

    def report(
        self, openings: Mapping[str, Opening], cast: Cast, last: Mapping[str, LastWord]
    ) -> Duel:
        """What the ballots come to, with what went otherwise than asked."""
        found = count(self.experts, openings, cast, last, self.masks)
        contenders = tuple(
            each._replace(failed=tuple(self.failed[each.label])) for each in found.contenders
        )
        failures = [f"{who} failed in {why}" for who, all_ in self.failed.items() for why in all_]
        return found._replace(
            tension=self.tension,
            seed=self.seed,
            contenders=contenders,
            diagnostics=(*found.diagnostics, *self.notes, *failures),
            notes=(*self.notes, *found.notes),
        )

    def _given(self, label: str, cast: Cast) -> list[Given]:
        """What the others gave an expert, under the letters that it knows them by."""
        given = []
        for other in self.masks[label].order:
            items = cast.items.get((other, label), {})
            letter = next(k for k, who in self.masks[other].letters.items() if who == label)
            ballots = cast.read[other].ballots if other in cast.read else ()
            comment = next((ballot.comment for ballot in ballots if ballot.of == letter), "")
            comment = self._seen_by(label, self.masks[other].named(comment))
            scores = {f"Y{number}": score for number, score in items.items()}
            overall = cast.overall.get((other, label))
            given.append(Given(self.masks[label].shown(other), scores, overall, comment))
        return given

    def _seen_by(self, viewer: str, text: str) -> str:
        """A comment with the letters that the viewer knows; its author knew the others by its own."""
        names = {other: self.masks[viewer].shown(other) for other in self.masks[viewer].order}
        for label, name in {**names, viewer: "you"}.items():
            text = re.sub(rf"(?<![\w-]){re.escape(label)}(?![\w-])", name, text)
        return text

    def _note_problems(
        self,
        read: Mapping[str, Opening] | Mapping[str, Ballots] | Mapping[str, LastWord],
        round: str,
    ) -> None:
        for label, each in read.items():
            if each.problem:
                self.failed[label].append(f"{round}: unreadable: {each.problem}")

    async def _ask(
        self, parts: Mapping[str, str], round: int, kind: str, timeout: float, attempt: int = 0
    ) -> dict[str, str]:
        """The texts of those that answered, by label; the others are noted."""
        if not parts or self.interrupted:
            return {}
        calls = [
            self._call(seat, parts[seat.label], round, timeout)._replace(attempt=attempt)
            for seat in self.experts
            if seat.label in parts
        ]
        spawned = await self.table.ask(calls, on_event=self.watch.on_event)
        self.interrupted = spawned.interrupted
        texts = {}
        for reply in spawned.replies:
            self.replies.append(reply._replace(seat=f"{reply.seat}~{kind}"))
            if reply.status == "answered":
                texts[reply.seat] = reply.text
            else:
                why = f": {reply.error}" if reply.error else ""
                self.failed[reply.seat].append(f"round {round}: {reply.status}{why}")
        return texts

    def _call(self, seat: CouncilSeat, part: str, round: int, timeout: float) -> Call:
        """A call that asks for a position; the form of a verdict would be the wrong one."""
        plain = seat._replace(agent=seat.agent._replace(reply="verdict"))
        who = expert_part(seat) + own_words(seat.agent)
        return judge_call(plain, self.shared, who + part, self.packet, timeout, round)


def _peers(masks: Masks, openings: Mapping[str, Opening]) -> list[Shown]:
    return [Shown(letter, openings[label]) for letter, label in masks.letters.items()]


def _ids(masks: Masks, openings: Mapping[str, Opening]) -> dict[str, str]:
    """What is on a ballot: each recommendation and whose it is, by letter."""
    return {item: shown.letter for shown in _peers(masks, openings) for item in shown.ids}
