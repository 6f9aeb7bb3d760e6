"""Where a project goes next: what a message asks for, which phase may run, which loop takes it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

MessageKind = Literal["next", "feedback", "save", "archive", "skip", "pause", "unclear"]
LOOPS = ("confidence", "interactive")
DONE = "DONE"
"""In place of a pull request's state: there is none, and the branch holds all that the phase asks for."""
_EVENTS = 20
_MESSAGES: tuple[tuple[MessageKind, str], ...] = (
    (
        "feedback",
        r"#(\d+)|(?:address|look at) (?:the )?(?:feedback|comments?|review(?: comments)?) (?:on|of) (?:pr )?#?(\d+)",
    ),
    ("skip", r"(?:skip|jump|go) (?:ahead )?to phase (\d+)"),
    ("save", r"(?:save|write|record) (?:the |this )?session|wrap (?:it )?up"),
    ("archive", r"archive(?: it| the project| this project)?|close it out"),
    ("pause", r"pause|stop|hold on|wait"),
    ("next", r"continue|go on|carry on|proceed|resume|next(?: phase)?|(?:run|start)(?: the)? next phase"),
)  # fmt: skip
"""Each is the whole message, or it is none: words around it may turn it round."""
_POLITE = re.compile(r"^please,? |,? please$")
_NEGATED = re.compile(r"\b(?:not|never|no|without|cannot)\b|n['’]t\b|\?", re.IGNORECASE)
MEANINGS: dict[MessageKind, str] = {
    "next": "go on with the next phase", "save": "put the session on record and stop",
    "archive": "put the finished project away", "pause": "stop and do nothing",
}  # fmt: skip
"""What an unclear message may be taken for."""


class RouteMessage(NamedTuple):
    """What somebody asks the router for."""

    kind: MessageKind
    number: int = 0
    """Of the pull request or the phase."""


def read_message(text: str) -> RouteMessage:
    """What a message asks for; whatever is not exactly one of the messages is unclear."""
    words = _POLITE.sub("", " ".join(text.split()).rstrip(".!").lower())
    if not words:
        return RouteMessage("next" if not text.strip() else "unclear")
    for kind, pattern in _MESSAGES:
        hit = re.fullmatch(pattern, words)
        if hit:
            return RouteMessage(kind, next((int(each) for each in hit.groups() if each), 0))
    return RouteMessage("unclear")


def may_be_guessed(text: str) -> bool:
    """Whether anybody may say what an unclear message means: not one that forbids or asks."""
    return not _NEGATED.search(text)


class NextStep(NamedTuple):
    """What the state of the project allows."""

    kind: Literal["run", "wait", "investigate", "blocked", "finished"]
    phase: int = 0
    why: str = ""


def next_step(
    phases: Sequence[Record], depends: Mapping[str, Sequence[str]], pulls: Mapping[int, str]
) -> NextStep:
    """The phase under way; else the lowest that may start; else what it waits for."""
    rows = sorted(phases, key=lambda phase: int(phase["number"]))
    states = {str(phase["number"]): str(phase["status"]) for phase in rows}
    under_way = [phase for phase in rows if phase["status"] == "in-progress"]
    for phase in under_way:
        if pulls.get(phase["number"], "") not in ("OPEN", "CLOSED", DONE):
            return NextStep("run", phase["number"], "it is under way")
    for phase in rows:
        needed = depends.get(str(phase["number"]), ())
        if phase["status"] == "not-started" and all(
            states.get(each) == "completed" for each in needed
        ):
            after = f"phase {', '.join(needed)} is completed" if needed else "it needs no other"
            return NextStep("run", phase["number"], after)
    for phase in under_way:
        if pulls.get(phase["number"]) == "CLOSED":
            why = "its pull request was closed without a merge"
            return NextStep("investigate", phase["number"], why)
    if under_way:
        number = under_way[0]["number"]
        done = f"all of it is done on {under_way[0].get('branch')}, which is not merged yet"
        why = done if pulls.get(number) == DONE else "its pull request is open"
        return NextStep("wait", number, why)
    if all(state == "completed" for state in states.values()):
        return NextStep("finished", why="every phase is completed")
    return _blocked(rows, depends, states)


def _blocked(
    rows: Sequence[Record], depends: Mapping[str, Sequence[str]], states: Mapping[str, str]
) -> NextStep:
    for phase in rows:
        if phase["status"] == "blocked":
            why = str(phase.get("blocked_reason") or "no reason is on record")
            return NextStep("blocked", phase["number"], why)
    first = next(phase for phase in rows if phase["status"] != "completed")
    open_ = [e for e in depends.get(str(first["number"]), ()) if states.get(e) != "completed"]
    return NextStep("blocked", first["number"], f"it needs phase {', '.join(open_)}")


def choose_loop(override: str, bindings: Mapping[str, str], phase: Record) -> tuple[str, str]:
    """Which loop takes a phase, and why: the plan's word, the project's binding, else confidence."""
    wrong: list[str] = []
    for part in override.split(";"):
        key, _, value = part.partition("=")
        name = value.strip().removeprefix("ev-loop-")
        if key.strip() == "loop" and name in LOOPS:
            return name, "PLAN.md says so"
        if key.strip() == "loop":
            wrong.append(f"{name!r} in PLAN.md")
    for key in (str(phase["number"]), str(phase["name"]), "default"):
        name = bindings.get(key, "").removeprefix("ev-loop-")
        if name in LOOPS:
            return name, f"worker_bindings.{key}"
        if name:
            wrong.append(f"{name!r} of worker_bindings.{key}")
    told = f"{', '.join(wrong)} is no loop" if wrong else "no other is named"
    return "confidence", told


def _under_way(phase: Record) -> str:
    return f"phase {phase['number']} {phase['name']} is under way"


def open_threads(values: Record) -> tuple[str, ...]:
    """What the last session left open, and is not closed since."""
    if not values["sessions"]:
        return ()
    closed = {_under_way(phase) for phase in values["phases"] if phase["status"] == "completed"}
    told = values["sessions"][-1]["open_threads"]
    return tuple(each for each in told if each not in closed)


def make_session(values: Record, message: str, date: str) -> Record:
    """What happened since the last session, for whoever goes on."""
    since = str(values["sessions"][-1]["date"]) if values["sessions"] else ""
    fresh = [event for event in values["events"] if event["at"] >= since][-_EVENTS:]
    rows = [row for row in values["checkins"] if row["created"] >= since]
    under_way = [phase for phase in values["phases"] if phase["status"] == "in-progress"]
    used = {each["letter"] for each in values["sessions"] if each["date"] == date}
    letter = next(sign for sign in (*"abcdefghijklmnopqrstuvwxyz", "zz") if sign not in used)
    touched = {int(phase["number"]) for phase in under_way}
    threads = [_under_way(phase) for phase in under_way]
    threads += [text for row in rows for text in row["execution"]["corrections"]]
    return {
        "schema_version": 1, "date": date, "letter": letter,
        "phases_touched": sorted(touched | {int(row["phase"]["number"]) for row in rows}),
        "checkins_written": [f"{row['branch']}/{row['number']}" for row in rows], "pr_activity": [],
        "what_happened": [f"{event['event']} at {event['at']}" for event in fresh],
        "open_threads": threads, "notes": [message] if message else [],
    }  # fmt: skip
