"""What a wrapper fills in where the user said nothing. Pure; what was guessed is said in notes."""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.errors import TargetError
from guildmoot.practices.reviews.checks.tests import is_test
from guildmoot.practices.reviews.repository import Recent


class Given(NamedTuple):
    """What the user said."""

    targets: tuple[str, ...] = ()
    change: bool = False
    """A diff was named, or what is staged."""
    spec: tuple[str, ...] = ()
    sized: bool = False
    """How many judges, from which angles, was said."""
    deep: bool = False


class Defaults(NamedTuple):
    """The request with the gaps filled; empty where the user's own words stand."""

    words: tuple[str, ...] = ()
    """For the council's own inference."""
    diff: str | None = None
    paths: tuple[str, ...] = ()
    """From the root: what is judged of the change."""
    left: tuple[str, ...] = ()
    target: str = ""
    spec: tuple[str, ...] = ()
    preset: str = ""
    quick: bool = False
    nothing: str = ""
    """Why there is nothing to judge."""
    notes: tuple[str, ...] = ()


def vibe_defaults(given: Given, recent: Recent | None, newest_plan: str) -> Defaults:
    """A change: as named, else the last commits; by its spec where there is one."""
    found = suppose_change(given, recent, newest_plan)
    has_spec = bool(given.spec or found.spec)
    return found._replace(preset="code-review" if has_spec and not given.sized else "")


def post_mortem_defaults(given: Given, recent: Recent | None, newest_plan: str) -> Defaults:
    """Finished work, looked back upon from the three angles of a retrospective."""
    found = suppose_change(given, recent, newest_plan)
    return found._replace(preset="" if given.sized else "retrospective")


def pre_mortem_defaults(given: Given, newest_plan: str) -> Defaults:
    """A plan: as named, else the newest; a quick look unless more was asked for."""
    quick = not given.sized and not given.deep
    preset = "plan-review" if given.deep and not given.sized else ""
    if given.targets or given.change:
        return Defaults(given.targets, preset=preset, quick=quick)
    if not newest_plan:
        raise TargetError(
            "there is no plan here: no file is called plan, spec, design or rfc",
            "Name it: guild pre-mortem docs/sessions.md",
        )
    note = f"target: no plan was named; {newest_plan} is the newest here"
    return Defaults((newest_plan,), preset=preset, quick=quick, notes=(note,))


def suppose_change(given: Given, recent: Recent | None, newest_plan: str) -> Defaults:
    """The change and its spec; ``recent`` is None when the user named what is judged."""
    spec, notes = given.spec, list[str]()
    if not spec and newest_plan and not is_test(newest_plan):
        spec = (newest_plan,)
        notes.append(f"spec: none was named; {newest_plan} is the newest plan")
    if recent is None:
        return Defaults(given.targets, spec=spec, notes=tuple(notes))
    if not recent.paths and not recent.gone:
        return Defaults(target=recent.title, nothing=f"{recent.title} changed no file")
    notes.insert(0, f"target: nothing was named; {recent.title} is judged")
    if recent.untracked:
        notes.append(
            f"{recent.untracked} untracked files are no part of the change; 'git add' them"
        )
    return Defaults(
        words=("recent",) if recent.diff is None else (),
        diff=recent.diff,
        paths=recent.paths if recent.diff is not None else (),
        left=recent.left if recent.diff is not None else (),
        target=recent.title,
        spec=spec,
        notes=tuple(notes),
    )
