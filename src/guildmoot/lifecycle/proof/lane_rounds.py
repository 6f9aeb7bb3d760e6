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
_NOTHING = ("", "none", "nothing", "no findings", "n/a")
_FIELD = lazy(r"(?i)\b(severity|addressed_by_owner)\s*:\s*(\w+)")


_BLOCKS = ("critical", "high")
_UNRATED = "unrated"


class LaneFinding(NamedTuple):
    """Something that a challenger found in a lane's work."""

    text: str
    severity: str
    addressed: bool
    layer: str = ""

    @property
    def blocks(self) -> bool:
        """Whether the lane cannot pass with it."""
        return self.severity in _BLOCKS and not self.addressed

    @property
    def words(self) -> str:
        """As people are told it."""
        return f"{self.layer} {self.severity}: {self.text}"


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
    findings: tuple[LaneFinding, ...] = ()
    """Of all its rounds, each as it was told last."""
    subject: str = ""
    """The hash of the work that they are about."""
    by: str = ""
    """Who challenges."""

    @property
    def left(self) -> tuple[str, ...]:
        """What a person must let stand or have mended."""
        grave = tuple(each.words for each in self.findings if each.blocks)
        return (grave or (self.why,)) if self.ended == "escalated" else ()

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
    """Bullets below Findings, Open issues or Blockers, with how severe they are and whether they were met.

    One that does not say how severe it is starts nothing over, and is kept all the same.
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
                plain = " ".join(_FIELD.sub("", bullet.text).split()).strip(" ,;")[:300]
                whole = len(fields) == 2
                met = whole and fields["addressed_by_owner"] in ("true", "yes")
                severity = fields["severity"] if whole else _UNRATED
                if plain.strip(". ").casefold() not in _NOTHING:
                    found.append(LaneFinding(plain, severity, met))
    return tuple(found)


def _with_findings(
    known: tuple[LaneFinding, ...], layer: Layer, told: tuple[LaneFinding, ...]
) -> tuple[LaneFinding, ...]:
    """What was found so far and now; of the same finding the last word counts."""
    rows = {(each.layer, each.text.casefold()): each for each in known}
    rows |= {(layer, each.text.casefold()): each._replace(layer=layer) for each in told}
    return tuple(rows.values())


def after_turn(
    state: LaneRounds, layer: Layer, text: str, cap: int
) -> tuple[LaneRounds, ChallengeReply]:
    """The state after a challenger spoke, and what it asked.

    A grave finding that the owner did not meet starts the lane over, three times at most; only the challenger ends a
    layer; what cannot be read twice in a row, and what goes on beyond the cap, a person decides.
    """
    at = list(CHALLENGER).index(layer)
    rounds = [count + (i == at) for i, count in enumerate(state.rounds)]
    now = read_findings(text)
    found = _with_findings(state.findings, layer, now)
    told = state._replace(rounds=(rounds[0], rounds[1], rounds[2]), findings=found)
    grave = [each for each in now if each.blocks]
    reply = read_challenge(text)
    if grave:
        why = "; ".join(each.text for each in grave)
        if state.restarts >= MOST_RESTARTS:
            return told._replace(ended="escalated", why=f"a fourth restart: {why}"), reply
        anew = LaneRounds(restarts=state.restarts + 1, ended="restart", why=why, findings=found)
        return anew._replace(subject=state.subject, by=state.by), reply
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
