"""Where a piece of work stands: the first thing that is missing, invalid or not approved. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

Step = Literal[
    "brainstorm", "approve spec", "team", "approve team", "plan", "approve plan", "context",
    "execute", "review", "verify", "done",
]  # fmt: skip
STEPS: tuple[Step, ...] = (
    *("brainstorm", "approve spec", "team", "approve team", "plan", "approve plan", "context"),
    *("execute", "review", "verify", "done"),
)


class WorkFile(NamedTuple):
    """One document of the work as it lies there."""

    exists: bool = False
    problems: int = 0
    approved: bool = False
    was_approved: bool = False
    """Somebody approved an earlier content."""
    refused: str = ""
    """Who said no to this very content, and when."""


class WorkState(NamedTuple):
    """All that decides where the work stands."""

    spec: WorkFile
    team: WorkFile
    plan: WorkFile
    one_lane: bool = False
    """The spec names one owner for all of it, so that there is neither team nor plan."""
    lanes: int = 0
    bundles: int = 0
    receipts: int = 0
    assumptions: bool = False
    review: bool = False
    verify: bool = False
    open_fields: int = 0
    """Fields of the spec that nobody answered."""
    undecided: tuple[tuple[str, str], ...] = ()
    """Documents whose challenge waits for a person, each with the reason."""
    invalid: tuple[str, ...] = ()
    """Files of the run that ``guild lint`` refuses; they count as missing."""


class WorkStanding(NamedTuple):
    """The next step, and why it is that one."""

    step: Step
    why: str
    gate: str
    """The next gate ahead; empty when there is none."""
    blockers: tuple[str, ...] = ()


def standing(state: WorkState) -> WorkStanding:
    """The first missing, invalid or unapproved thing decides; nothing that is there is done again."""
    wanted: tuple[tuple[str, Step, Step, WorkFile], ...] = (
        ("spec", "brainstorm", "approve spec", state.spec),
        ("team", "team", "approve team", state.team),
        ("plan", "plan", "approve plan", state.plan),
    )
    for name, make, approve, artefact in wanted[: 1 if state.one_lane else 3]:
        if not artefact.exists:
            gone = f"the {name} that was approved is gone: put its file back, or write a new one"
            why = gone if artefact.was_approved else f"there is no {name} yet"
            return WorkStanding(make, why, name)
        if artefact.problems:
            why = f"the {name} has {artefact.problems} problem{'s' * (artefact.problems > 1)}"
            return WorkStanding(make, why, name, (why,))
        stuck = dict(state.undecided).get(name, "")
        if (
            stuck or not artefact.approved
        ):  # a question that came after the yes opens the gate again
            changed = artefact.was_approved
            why = (
                f"the {name} changed since it was approved"
                if changed
                else f"nobody approved the {name}"
            )
            if artefact.refused:
                why = f"the {name} was refused by {artefact.refused}"
            if stuck:
                why = f"the challenge of the {name} waits for a person: {stuck}"
            return WorkStanding(approve, why, name, (why,) if stuck else ())
    if state.bundles < max(state.lanes, 1):
        return WorkStanding("context", f"{state.bundles} of {state.lanes} lanes have a bundle", "")
    if state.receipts < state.lanes or not state.assumptions:
        why = f"{state.receipts} of {state.lanes} lanes handed over a receipt"
        return _after_work("execute", why, state)
    if not state.review:
        return _after_work("review", "the lanes were not reviewed", state)
    if not state.verify:
        return _after_work("verify", "the result was not verified", state)
    return WorkStanding("done", "every step is done", "")


def _after_work(step: Step, why: str, state: WorkState) -> WorkStanding:
    refused = tuple(f"guild lint refuses {name}" for name in state.invalid)
    return WorkStanding(step, "; ".join((why, *refused[:1])), "assumptions", refused)


Action = Literal[
    "interview", "team", "plan", "context", "approve", "ask", "decide", "execute", "review",
    "verify", "stop",
]  # fmt: skip


def next_action(
    found: WorkStanding, state: WorkState, covered: Collection[str], *, person: bool
) -> Action:
    """What ``guild run`` does now: write, approve because a setting covers the gate, ask a person, or stop."""
    if found.step == "brainstorm":
        return "interview" if person and state.spec.exists and state.open_fields else "stop"
    if found.step == "team":
        return "stop" if state.team.exists else "team"
    if found.step == "plan":
        return "stop" if state.plan.exists else "plan"
    if found.step == "context":
        return "context"
    if found.step.startswith("approve "):
        gate = found.step.removeprefix("approve ")
        if gate in dict(state.undecided):
            return "decide" if person else "stop"
        refused = {"spec": state.spec, "team": state.team, "plan": state.plan}[gate].refused
        return "approve" if gate in covered and not refused else "ask" if person else "stop"
    if found.step == "execute" or found.step == "review" or found.step == "verify":
        return found.step
    return "stop"


def is_waiting(found: WorkStanding) -> bool:
    """Whether the work waits for a person, or for a document that only a person can mend."""
    return STEPS.index(found.step) < STEPS.index("context")
