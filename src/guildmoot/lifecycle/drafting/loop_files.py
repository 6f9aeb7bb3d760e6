"""What a challenge leaves in its run: a state, a file for each turn, the counters and a summary that people read."""

from __future__ import annotations

import json
from pathlib import Path

from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.drafting.rounds import ChallengeState, Ended, Loop
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import runs_of
from guildmoot.system.files import Locked, folder_inside, read_own, read_text_inside

LOOPS: tuple[Loop, ...] = ("clarify", "plan-review")
_COUNTER: dict[str, str] = {"clarify": "l1_round", "plan-review": "l2_round"}
_ENDS: tuple[Ended, ...] = ("done", "force-passed", "rework", "escalated")
_SHOWN = 12_000
"""Letters of earlier rounds that are told again, the last ones."""


def read_loops(folder: WorkFolder, slug: str) -> dict[Loop, ChallengeState]:
    """The newest state of each challenge of a piece of work; what cannot be read is none."""
    found: dict[Loop, ChallengeState] = {}
    for run in runs_of(folder, slug):
        for loop in LOOPS:
            state = _read(folder.run(run.id) / "loops" / f"{loop}.json", loop)
            if state and loop not in found:
                found[loop] = state
    return found


def _read(file: Path, loop: Loop) -> ChallengeState | None:
    try:
        told = json.loads(read_own(file, 1_000_000) or b"null")
        if not isinstance(told, dict):
            return None
        return ChallengeState(
            loop,
            cap=int(told["cap"]),
            rounds=int(told["rounds"]),
            malformed=int(told["malformed"]),
            ended=next((each for each in _ENDS if each == told["ended"]), ""),
            why=str(told["why"]),
            subject=str(told["subject"]),
            questions=tuple(map(str, told["questions"])),
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def keep_state(
    folder: WorkFolder, run: str, state: ChallengeState, notes: tuple[str, ...] = ()
) -> None:
    """Write the state, the counters of the run and the summary."""
    here = folder_inside(folder.root, (folder.run(run) / "loops").relative_to(folder.root))
    plain = {"schema_version": 1, **state._asdict()}
    write_durable(here / f"{state.loop}.json", json.dumps(plain, indent=2) + "\n")
    write_durable(here / f"{state.loop}-summary.md", summary(state, notes))
    counters = folder.run(run) / "counters.json"
    with Locked(counters.with_suffix(".lock")):
        told = _counters(counters)
        told[_COUNTER[state.loop]] = state.rounds
        whole = {"schema_version": 1, "run_id": run, "counters": told}
        write_durable(counters, json.dumps(whole, indent=2) + "\n")


def _counters(file: Path) -> dict[str, object]:
    try:
        found = json.loads(read_own(file, 1_000_000) or b"{}").get("counters")
    except (ValueError, AttributeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def summary(state: ChallengeState, notes: tuple[str, ...] = ()) -> str:
    """A challenge on half a page. Pure."""
    said = {"": "under way", "done": "no question is left", "force-passed": "passed over by a person",
            "rework": "sent back by a person", "escalated": "a person must decide"}  # fmt: skip
    rows = [f"# Challenge: {state.loop}", "", f"- rounds: {state.rounds} of {state.cap}",
            f"- ended: {said[state.ended]}"]  # fmt: skip
    rows += [f"- why: {state.why}"] if state.why else []
    rows += [f"- note: {note}" for note in notes]
    rows += (
        ["", "## Open questions", *(f"- {each}" for each in state.questions)]
        if state.questions
        else []
    )
    return "\n".join(rows) + "\n"


def keep_turn(folder: WorkFolder, run: str, state: ChallengeState, who: str, text: str) -> None:
    """What one side said in a round."""
    place = folder.run(run) / "handoffs" / f"loop-{state.loop}"
    here = folder_inside(folder.root, place.relative_to(folder.root))
    write_durable(here / f"round-{state.rounds + 1:03d}-{who}.md", text.rstrip("\n") + "\n")


def earlier_turns(folder: WorkFolder, run: str, loop: Loop) -> str:
    """What was said so far, the last of it."""
    here = folder.run(run) / "handoffs" / f"loop-{loop}"
    texts = []
    for path in sorted(here.glob("round-*.md")) if here.is_dir() else ():
        text, problem = read_text_inside(path, folder.root, 1_000_000)
        texts += [] if problem else [f"{path.stem}\n{text}"]
    return "\n".join(texts)[-_SHOWN:]
