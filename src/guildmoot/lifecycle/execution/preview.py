"""Everything that carrying out a plan would do, in lines. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guildmoot.lifecycle.execution.liveness import silence_of, whole_time
from guildmoot.lifecycle.execution.schedule import new_lanes
from guildmoot.lifecycle.execution.values import LaneState, RunState
from guildmoot.lifecycle.planning import whole_estimate
from guildmoot.lifecycle.proof.claims import beyond_scope, scope_places
from guildmoot.lifecycle.scoring import Price, estimate
from guildmoot.lifecycle.spec import commands_of
from guildmoot.lifecycle.standing import STEPS
from guildmoot.lifecycle.view import WorkView


def preview_rows(
    view: WorkView, state: RunState, price: Price, models: Mapping[str, str], how: str, jobs: int,
    checks: Sequence[str],
) -> list[str]:  # fmt: skip
    """Steps that are left, then each wave of lanes with tier, model, budget, base and checks.

    ``models`` are those of the tiers; a command that does the lanes has none that is known here.
    """
    left = STEPS[STEPS.index(view.standing.step) :]
    rows = [f"{view.slug}: {view.standing.why}", f"steps left: {', '.join(left)}"]
    if view.plan is None or not view.plan.lanes:
        return [*rows, "there is no plan yet, so nothing is known of its lanes"]
    lanes = state.lanes or new_lanes(view.plan)
    by_task = {lane.task: lane for lane in view.plan.lanes}
    rows += [f"lanes are run by {how}", f"at once: {jobs} at most; branch: {state.branch or 'guild/RUN'}"]  # fmt: skip
    rows += [f"before the first lane, on the base: {command}" for command in checks]
    for number, wave in enumerate(waves(lanes), 1):
        rows.append(f"wave {number}:")
        for task in wave:
            lane, now = by_task[task], next(each for each in lanes if each.task == task)
            if now.ended and now.status != "failed":
                rows.append(f"  {task}: {now.status}, not done again")
                continue
            if now.again:
                rows.append(f"  {task}: what it handed over is judged again, without a worker")
                continue
            model = f" model {models[lane.tier]}," if lane.tier in models else ""
            waits = ", ".join((*now.depends_on, *now.after)) or "the base"
            rows.append(
                f"  {task}: {lane.owner}, tier {lane.tier or 'none: it would not be dispatched'},"
                f"{model} {estimate(lane.tier, price)}, at most {whole_time(lane.tier):.0f} s,"
                f" nudged after {silence_of(lane.tier):.0f} s of silence; starts from {waits}"
            )
            if places := scope_places(lane):
                rows.append(f"    may change: {', '.join(dict.fromkeys(places))}")
            if beyond := beyond_scope(lane):
                rows.append(f"    in its policy, and not in its scope: {', '.join(beyond)}")
            named = dict.fromkeys(c for text in lane.criteria for c in commands_of(text))
            rows += [f"    run again where its receipt says that it passes: {c}" for c in named]
    rows += [f"after each merge: {command}" for command in checks]
    whole = whole_estimate(view.plan, price)
    return [*rows, f"together {whole}", "then: review of each lane, verification, reflection"]


def waves(lanes: Sequence[LaneState]) -> list[list[str]]:
    """Lanes that could run at once, one set after the other."""
    done: set[str] = set()
    left = list(lanes)
    found: list[list[str]] = []
    while left:
        names = {lane.task for lane in left}
        ready = [x for x in left if not names & {*x.depends_on, *x.after}] or left
        found.append([lane.task for lane in ready])
        done |= {lane.task for lane in ready}
        left = [lane for lane in left if lane.task not in done]
    return found
