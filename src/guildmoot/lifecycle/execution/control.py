"""What a person asks of a run: written to a file by whoever types, followed by whoever carries the run out."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterator
from typing import Literal, NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.guard.scrub import append_durable
from guildmoot.lifecycle.execution.journal import Journal, carried_by, now
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.system.files import read_rows

CONTROL = "control.jsonl"
ControlVerb = Literal[
    "pause", "resume", "stop", "retry", "skip", "take-over", "hand-in", "allow", "accept", "dispute"
]  # fmt: skip
_VERBS: tuple[ControlVerb, ...] = (
    "pause", "resume", "stop", "retry", "skip", "take-over", "hand-in", "allow", "accept", "dispute"
)  # fmt: skip
_OPEN = ("blocked", "conflict", "failed")
_WHOLE_RUN = {"pause": "paused", "resume": "resumed", "stop": "stopped"}


class ControlRequest(NamedTuple):
    """One thing that a person asked for."""

    do: ControlVerb
    task: str = ""
    who: str = ""
    why: str = ""
    places: tuple[str, ...] = ()
    """What a lane may change beside its scope; what is let stand."""


def ask_run(folder: WorkFolder, state: RunState, asked: ControlRequest) -> None:
    """Put a request on record; UsageError for a lane that is none, or that cannot be treated so."""
    problem = refusal(state, asked)
    if problem:
        names = ", ".join(lane.task for lane in state.lanes)
        raise UsageError(problem, f"Lanes of {state.run}: {names or 'none yet'}.")
    file = folder.run(state.run) / CONTROL
    # Requests are followed by their number: those of a file that was deleted still count.
    gone = [{"do": "gone"}] * (state.control - sum(1 for _ in read_rows(file)))
    append_durable(file, [*gone, {"ts": now(), **asked._asdict()}])


def stop_unwritten(
    folder: WorkFolder, state: RunState, asked: ControlRequest, wrong: OSError
) -> InfrastructureError:
    """What is told where the disk takes no request; whoever carries the run out is ended all the same by a stop."""
    said = f"{asked.do} could not be written: {wrong.strerror or wrong}"
    process = carried_by(folder, state.run) if asked.do == "stop" else 0
    if process:
        os.kill(process, signal.SIGTERM)  # it ends its lanes, and needs no disk for that
        said += f"; process {process}, which carries {state.run} out, was told to end its lanes"
    return InfrastructureError(said, f"Make room. Then: guild resume {state.slug}")


def end_words(state: RunState, wrong: InfrastructureError | OSError) -> str:
    """What ended a run that can go on: what could not be done, why, and what next. Pure."""
    if isinstance(wrong, InfrastructureError):
        return f"{wrong.message}. {wrong.hint}".strip()
    place = os.fsdecode(wrong.filename) if wrong.filename else f"something of {state.run}"
    said = f"{place} could not be written or read: {wrong.strerror or wrong}"
    if wrong.errno not in (errno.ENOSPC, errno.EDQUOT):
        return said
    return f"{said}. What was handed over is kept. Make room, then: {state.goes_on}"


def refusal(state: RunState, asked: ControlRequest) -> str:
    """Why a request cannot be followed; empty when it can. Pure."""
    if asked.do in (*_WHOLE_RUN, "accept", "dispute"):
        return ""
    lane = next((each for each in state.lanes if each.task == asked.task), None)
    if lane is None:
        return f"{state.run} has no lane {asked.task}"
    if lane.status == "done" and asked.do == "retry":
        at_work = [each.task for each in state.lanes if not each.ended]
        if at_work:
            return (
                f"{asked.task} is merged already; it can be done again once {at_work[0]} has ended"
            )
        how = f"guild lane retry {asked.task} --why WHAT has it done again"
        return "" if asked.why else f"{asked.task} is merged already: {how}"
    if lane.status == "done":
        return f"{asked.task} is merged already"
    if lane.status == "handed-over":
        return f"{asked.task} handed over already, and is about to be merged"
    if asked.do == "hand-in" and (lane.status not in _OPEN or not lane.base):
        return f"{asked.task} is {lane.status}: take it over before you hand it in"
    if asked.do == "allow" and not asked.places:
        return "no place is named that it may change"
    return ""


def pause_before(journal: Journal, task: str, why: str) -> None:
    """The run starts no more lanes until a person has mended what this one lacks."""
    if not journal.state.paused:
        goes_on = f"once that is mended, guild resume {journal.state.slug} goes on"
        journal.add("note", reason=f"paused before {task}: {why}; {goes_on}")
        journal.add("paused", reason=why)


def new_requests(folder: WorkFolder, state: RunState) -> Iterator[tuple[int, ControlRequest]]:
    """What was asked for and not followed yet, each with its number."""
    file = folder.run(state.run) / CONTROL
    if not file.is_file():
        return
    for number, row in enumerate(read_rows(file), 1):
        if number <= state.control or row is None:
            continue
        do = next((verb for verb in _VERBS if verb == row.get("do")), None)
        if do:
            task, who, why = (str(row.get(key) or "") for key in ("task", "who", "why"))
            places = row.get("places")
            named = tuple(map(str, places)) if isinstance(places, list) else ()
            yield number, ControlRequest(do, task, who, why, named)


def follow(journal: Journal, asked: ControlRequest, number: int) -> str:
    """Write what the request makes of the run; why it cannot be followed, or nothing."""
    problem = refusal(journal.state, asked)
    by = f"by {asked.who}" if asked.who else "by a person"
    said = f"{asked.why} ({by})" if asked.why else by
    if problem:
        journal.add("note", asked.task, reason=f"{asked.do} was not followed", control=number)
    elif asked.do in _WHOLE_RUN:
        journal.add(_WHOLE_RUN[asked.do], reason=said, control=number)
    elif asked.do == "accept":
        journal.add("let-stand", reason=said, item=" ".join(asked.places), control=number)
    elif asked.do == "dispute":
        journal.add("disputed", reason=said, item=f"{asked.why} ({by})", control=number)
    elif asked.do == "retry" and journal.state.lane(asked.task).status == "done":
        journal.add("reopened", asked.task, reason=asked.why, by="review", control=number)
    elif asked.do == "retry":
        journal.add("reset", asked.task, reason=asked.why, by="asked", control=number)
    elif asked.do == "skip":
        journal.add("skipped", asked.task, reason=f"skipped {said}", control=number)
    elif asked.do == "hand-in":
        journal.add("handed-in", asked.task, reason=said, by="person", control=number)
    elif asked.do == "allow":
        journal.add("allowed", asked.task, places=list(asked.places), reason=said, control=number)
    else:
        journal.add("blocked", asked.task, reason=f"taken over {said}", by="person", control=number)
    return problem
