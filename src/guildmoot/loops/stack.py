"""``--phases=all``: one phase after another, each branch cut from the one before, each pull request a draft.

The stack stands in for the merges that the dependencies ask for; nothing is made ready or merged. A phase that does
not come to its end halts the stack there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from guildmoot.errors import UsageError
from guildmoot.projects.phases import read_plan
from guildmoot.projects.plan import parse_plan
from guildmoot.projects.slugs import PLAN, find_project
from guildmoot.projects.store import Project

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record


def stack_order(
    phases: Sequence[Record], depends: Mapping[str, Sequence[str]], first: int
) -> list[int]:
    """The phases from ``first`` on that can be stacked: what each needs is completed or below it."""
    there = {str(phase["number"]) for phase in phases if phase["status"] == "completed"}
    order: list[int] = []
    waiting = sorted(
        int(phase["number"])
        for phase in phases
        if phase["status"] not in ("completed", "blocked") and phase["number"] >= first
    )
    while True:
        ready = [n for n in waiting if set(depends.get(str(n), ())) <= there]
        if not ready:
            return order
        order.append(ready[0])
        there.add(str(ready[0]))
        waiting.remove(ready[0])


def plan_stack(slug: str, first: int) -> list[int]:
    """The same for a project on disk; UsageError when not even the first can start."""
    folder = find_project(slug)
    phases = parse_plan(read_plan(f"{folder}/{PLAN}"))["plan"]["phases"]
    depends = {phase["id"]: phase["dependsOn"] for phase in phases}
    order = stack_order(Project(folder).read()["phases"], depends, first)
    if not order or order[0] != first:
        raise UsageError(f"phase {first} cannot start yet", f"'loom phase ready {slug}' tells why.")
    return order


class _Ended(Protocol):
    @property
    def status(self) -> str: ...

    @property
    def branch(self) -> str: ...


R = TypeVar("R", bound=_Ended)


def run_stack(order: Sequence[int], run: Callable[[int, str], R]) -> tuple[R, ...]:
    """Run phase after phase, each on the branch of the one before, until one does not come to its end."""
    done: list[R] = []
    for number in order:
        done.append(run(number, done[-1].branch if done else ""))
        if done[-1].status != "completed":
            break
    return tuple(done)
