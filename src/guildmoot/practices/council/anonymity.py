"""Who is behind ``Judge A``: peers are shown without names and in an order of each viewer's own.

The letters of one viewer mean nothing to another, so they are turned back into labels before
anything that was said reaches a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_uppercase

from guildmoot.consensus.debate import peer_order
from guildmoot.model.verdict import Finding
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.reading.council import CouncilFinding, CouncilVerdict, DebateNotes


class Masks:
    """The peers of one viewer under letters; ``role`` is what they are called, e.g. ``Judge``."""

    def __init__(self, role: str, seed: str, viewer: str, peers: Iterable[str]) -> None:
        self.role = role
        self.order = peer_order(seed, viewer, peers)
        self.letters = dict(zip(ascii_uppercase, self.order, strict=False))
        self._named = re.compile(rf"\b{role}[ _-]?([A-Z])(?!\w)", re.IGNORECASE)
        self._alone = re.compile(rf"(?:{role})?[\s_-]*([A-Z])", re.IGNORECASE)

    def shown(self, label: str) -> str:
        """The name under which the viewer sees a peer."""
        return f"{self.role} {ascii_uppercase[self.order.index(label)]}"

    def who(self, said: str) -> str:
        """The label of the peer that is meant by ``Judge B`` or ``B``; empty when it is nobody."""
        match = self._alone.fullmatch(said.strip(" \t\n*_`'\".:"))
        found = match or self._named.search(said)
        return self.letters.get(found[1].upper(), "") if found else ""

    def named(self, text: str) -> str:
        """The text with every letter of this viewer turned back into a label."""
        return self._named.sub(lambda found: self.letters.get(found[1].upper(), found[0]), text)

    def finding(self, finding: Finding) -> Finding:
        """A finding with labels for letters."""
        title, why, fix = map(self.named, (finding.title, finding.why, finding.fix))
        return finding._replace(title=title, why=why, fix=fix)

    def verdict(self, verdict: CouncilVerdict) -> CouncilVerdict:
        """A verdict with labels for letters, its notes included."""
        notes = verdict.debate_notes
        return verdict._replace(
            key_insight=self.named(verdict.key_insight),
            recommendation=self.named(verdict.recommendation),
            findings=tuple(map(self._council_finding, verdict.findings)),
            debate_notes=self._notes(notes) if notes else None,
        )

    def _council_finding(self, finding: CouncilFinding) -> CouncilFinding:
        return finding._replace(
            description=self.named(finding.description),
            recommendation=self.named(finding.recommendation),
            why=self.named(finding.why) if finding.why else finding.why,
            fix=self.named(finding.fix) if finding.fix else finding.fix,
        )

    def _notes(self, notes: DebateNotes) -> DebateNotes:
        return notes._replace(
            steel_man=self.named(notes.steel_man),
            challenges=tuple(
                each._replace(
                    target_judge=self.who(each.target_judge),
                    claim=self.named(each.claim),
                    response=self.named(each.response),
                )
                for each in notes.challenges
            ),
            acknowledgments=tuple(
                each._replace(
                    source_judge=self.who(each.source_judge),
                    point=self.named(each.point),
                    impact=self.named(each.impact),
                )
                for each in notes.acknowledgments
            ),
        )


def unsigned(text: str, seat: CouncilSeat) -> str:
    """What a judge said without the names that would give it away."""
    persona = seat.perspective.persona if seat.perspective else ""
    for name in (seat.label, seat.seat.model, seat.agent.name):
        if name:
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "this judge", text)
    if persona:  # a persona may be a common word: only where the judge speaks of itself
        signed = rf"\b(As|as|I am|I['’]m) {re.escape(persona)}\b"
        text = re.sub(signed, r"\1 this judge", text)
    return text
