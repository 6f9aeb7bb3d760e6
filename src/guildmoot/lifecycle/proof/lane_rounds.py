"""The challenges of a lane's work: which layers it has, what a round comes to, when it starts over. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.lifecycle.documents import FrontMatterError, read_markdown
from guildmoot.lifecycle.drafting.rounds import MOST_MALFORMED, ChallengeReply, read_challenge
from guildmoot.lifecycle.plan import Lane
from guildmoot.text.patterns import lazy

Layer = Literal["L3", "L4", "security"]
CHALLENGER: dict[Layer, str] = {
    "L3": "a tester who looks for inputs and states that break what this lane handed over",
    "L4": "a tester who asks whether what was tested would notice it if this work were wrong",
    "security": "a security engineer who looks for what an attacker could do with this work",
}
MOST_RESTARTS = 3
_LAYERS: dict[str, tuple[Layer, ...]] = {
    "none": (), "l3-only": ("L3",), "l4-only": ("L4",), "both": ("L3", "L4"),
    "full": ("L3", "L4", "security"),
}  # fmt: skip
_BY_OWNER = {
    **dict.fromkeys(("backend", "frontend", "mobile", "devops"), "full"),
    **dict.fromkeys(("qa", "technical-writer", "copywriter", "social-media"), "l4-only"),
}
_HEADS = ("findings", "open issues", "blockers")
_FIELD = lazy(r"(?i)\b(severity|addressed_by_owner)\s*:\s*(\w+)")


class LaneFinding(NamedTuple):
    """Something that a challenger found in a lane's work."""

    text: str
    severity: str
    addressed: bool


class LaneRounds(NamedTuple):
    """How far the challenges of one lane are."""

    done: tuple[Layer, ...] = ()
    rounds: tuple[int, int, int] = (0, 0, 0)
    """Of each layer, in order."""
    malformed: int = 0
    """In a row."""
    restarts: int = 0
    ended: Literal["", "done", "restart", "escalated"] = ""
    why: str = ""

    def counters(self) -> dict[str, int]:
        """As they stand in ``counters.json``."""
        names = ("L3_round", "L4_round", "security_round")
        return {**dict(zip(names, self.rounds, strict=True)), "restart_count": self.restarts}


def layers_of(lane: Lane) -> tuple[Layer, ...]:
    """The layers that a lane asks for, or that its owner has by default."""
    return _LAYERS.get(lane.loops or _BY_OWNER.get(lane.owner, "none"), ())


def next_layer(state: LaneRounds, layers: tuple[Layer, ...]) -> Layer | None:
    """The first layer that is not through."""
    return next((layer for layer in layers if layer not in state.done), None)


def read_findings(text: str) -> tuple[LaneFinding, ...]:
    """Bullets below Findings, Open issues or Blockers that say how severe they are and whether they were met.

    A bullet that lacks either is none: a form that cannot be read starts nothing over.
    """
    try:
        document = read_markdown(f"---\nkind: round\n---\n{text}")
    except FrontMatterError:
        return ()
    found = []
    for section in document.sections:
        if section.title.casefold().strip(": ") in _HEADS:
            for bullet in section.bullets():
                fields = {
                    name.casefold(): word.casefold() for name, word in _FIELD.findall(bullet.text)
                }
                if len(fields) == 2:
                    told = " ".join(bullet.text.split())[:300]
                    met = fields["addressed_by_owner"] == "true"
                    found.append(LaneFinding(told, fields["severity"], met))
    return tuple(found)


def after_turn(
    state: LaneRounds, layer: Layer, text: str, cap: int
) -> tuple[LaneRounds, ChallengeReply]:
    """The state after a challenger spoke, and what it asked.

    A grave finding that the owner did not meet starts the lane over, three times at most; only the challenger ends a
    layer; what cannot be read twice in a row, and what goes on beyond the cap, a person decides.
    """
    at = list(CHALLENGER).index(layer)
    rounds = [count + (i == at) for i, count in enumerate(state.rounds)]
    told = state._replace(rounds=(rounds[0], rounds[1], rounds[2]))
    grave = [each for each in read_findings(text) if each.severity == "high" and not each.addressed]
    reply = read_challenge(text)
    if grave:
        why = "; ".join(each.text for each in grave)
        if state.restarts >= MOST_RESTARTS:
            return told._replace(ended="escalated", why=f"a fourth restart: {why}"), reply
        return LaneRounds(restarts=state.restarts + 1, ended="restart", why=why), reply
    if reply.kind == "done":
        return told._replace(done=(*told.done, layer), malformed=0), reply
    malformed = state.malformed + 1 if reply.kind == "malformed" else 0
    told = told._replace(malformed=malformed)
    if malformed >= MOST_MALFORMED:
        return told._replace(
            ended="escalated", why=f"{layer}: twice in a row it could not be read"
        ), reply
    if rounds[at] >= cap:
        return told._replace(
            ended="escalated", why=f"{layer}: questions are left after {cap} rounds"
        ), reply
    return told, reply
