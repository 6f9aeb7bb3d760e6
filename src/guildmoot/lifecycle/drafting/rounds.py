"""The rounds of a challenge: when one is over, when it is malformed, and when a person must decide. Pure.

Only the challenger ends a challenge, by one exact line; the writer answers or dismisses with a reason.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.lifecycle.documents import TextLine, without_fences
from guildmoot.text.patterns import lazy

SENTINEL = "## NO MORE QUESTIONS"
Loop = Literal["clarify", "plan-review"]
Ended = Literal["", "done", "force-passed", "rework", "escalated"]
MOST_MALFORMED = 2
"""Rounds in a row that cannot be read, after which a person decides."""
_EXTEND = (4, 8, 16)
_BLOCKER = lazy(r"(?:[-*+]|\d+[.)])\s+\**(?:(?i:blocker|must fix|cannot proceed)|MUST|BLOCKING)\b")
_LEFT = lazy(r"\b(?:TODO|FIXME|XXX)\b")
_QUESTION = lazy(r"\?[\"'”’)*_`]*$|^(?:[-*+]|\d+[.)])\s.*\w\?[\"'”’)*_]*\s")
"""A line that ends as a question does, or a point of a list that holds one and says more."""
_MARK = lazy(r"^(?:[-*+]|\d+[.)])\s+")


class ChallengeReply(NamedTuple):
    """What a challenger said, read."""

    kind: Literal["done", "questions", "malformed"]
    why: str = ""
    """Why it cannot be read."""
    questions: tuple[str, ...] = ()


class ChallengeState(NamedTuple):
    """How far a challenge is."""

    loop: Loop
    cap: int
    rounds: int = 0
    malformed: int = 0
    """In a row."""
    ended: Ended = ""
    why: str = ""
    """Why a person must decide."""
    subject: str = ""
    """The hash of the document after the last round."""
    questions: tuple[str, ...] = ()
    """What is still open."""

    @property
    def needs_person(self) -> bool:
        """Whether it waits for one of the three answers."""
        return self.ended == "escalated"


def read_challenge(text: str) -> ChallengeReply:
    """What a challenger's words come to: the end, questions, or neither."""
    rows = text.replace("\r\n", "\n").split("\n")
    outside, _ = without_fences(TextLine(at, row) for at, row in enumerate(rows))
    ends = [line.number for line in outside if line.text.rstrip() == SENTINEL]
    if len(ends) > 1:
        return ChallengeReply("malformed", f"'{SENTINEL}' stands there {len(ends)} times")
    if ends:
        why = _after_end([row.strip() for row in rows[ends[0] + 1 :]])
        return ChallengeReply("malformed", why) if why else ChallengeReply("done")
    asked = tuple(_MARK.sub("", row) for row in map(str.strip, rows) if _QUESTION.search(row))
    if asked:
        return ChallengeReply("questions", questions=asked)
    return ChallengeReply("malformed", f"it asks nothing and does not say '{SENTINEL}'")


def _after_end(rows: list[str]) -> str:
    """What must not stand behind the end of a challenge."""
    for row in rows:
        if row.endswith("?"):
            return f"a question stands behind the end: {row[:60]}"
        if _BLOCKER.match(row):
            return f"a blocker stands behind the end: {row[:60]}"
        if _LEFT.search(row):
            return f"something is left to do behind the end: {row[:60]}"
    return ""


def after_round(state: ChallengeState, reply: ChallengeReply, subject: str) -> ChallengeState:
    """The state after one round; ``subject`` is the hash of the document as it is then."""
    malformed = state.malformed + 1 if reply.kind == "malformed" else 0
    told = state._replace(
        rounds=state.rounds + 1, malformed=malformed, subject=subject, questions=reply.questions
    )
    if reply.kind == "done":
        return told._replace(ended="done", why="")
    if malformed >= MOST_MALFORMED:
        return told._replace(
            ended="escalated", why=f"twice in a row it could not be read: {reply.why}"
        )
    if told.rounds >= state.cap:
        return told._replace(
            ended="escalated", why=f"questions are left after {told.rounds} rounds"
        )
    return told._replace(ended="")


def waits_for_person(state: ChallengeState, subject: str) -> str:
    """Why a document cannot be approved yet; empty where nothing is open. ``subject`` is its hash now."""
    if state.needs_person:
        return state.why
    if state.ended == "rework" and state.subject == subject:
        return "rework was asked for, and it is as it was"
    if state.ended or not state.questions:
        return ""
    return f"the last round left a question open: {state.questions[0][:80]}"


def decide_loop(state: ChallengeState, word: str) -> ChallengeState:
    """The state after a person decided: ``force-pass``, ``extend-cap[=N]`` or ``rework``."""
    name, _, number = word.partition("=")
    if name == "force-pass":
        return state._replace(ended="force-passed")
    if name == "rework":
        return state._replace(ended="rework")
    if name == "extend-cap" and (not number or number.isdecimal()):
        more = int(number or _EXTEND[0])
        if 1 <= more <= 256 - state.cap:
            return state._replace(ended="", malformed=0, cap=state.cap + more)
    raise UsageError(
        f"{word!r} is none of the three answers",
        "force-pass goes on, extend-cap=4 asks for more rounds (256 at most), rework goes back.",
    )
