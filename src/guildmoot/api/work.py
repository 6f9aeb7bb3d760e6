"""The verbs of the lifecycle: from an intent to an approved plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import TypeVar

from guildmoot.api.drafting import (
    lane_drafts,
    refine_plan,
    refine_spec,
    review_plan,
    today,
    work_place,
)
from guildmoot.config import NO_FLAGS, Flags
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.briefing.gathering import RunContext, bundle_text, why_in_bundle
from guildmoot.lifecycle.gates import Gate, GateAnswer
from guildmoot.lifecycle.lint import LintedFile
from guildmoot.lifecycle.lint import lint as lint_files
from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.project.initiatives import add_work, find_initiative, initiative_of
from guildmoot.lifecycle.skill import Skill, shipped_skills
from guildmoot.lifecycle.steps import PlanRequest, SpecRequest, TeamRequest
from guildmoot.lifecycle.team.compose import TeamProposal
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.view import WorkView
from guildmoot.practices.dispositions import user_name
from guildmoot.system.threads import off_loop

T = TypeVar("T")


async def lint(files: Sequence[str], cwd: Path = Path()) -> list[LintedFile]:
    """What is wrong with documents of the lifecycle."""
    return await asyncio.to_thread(lint_files, files, cwd)


async def list_skills() -> list[Skill]:
    """The shipped skills."""
    return await asyncio.to_thread(shipped_skills)


async def work_settings(cwd: Path = Path()) -> WorkTerms:
    """What the settings say about work in a folder."""
    return await _with_terms(cwd, lambda folder, terms: terms)


async def work_status(slug: str = "", cwd: Path = Path()) -> WorkView:
    """Where a piece of work stands; without a name the one that is open."""
    return await _with_terms(
        cwd, lambda folder, terms: view.look(folder, view.choose_slug(folder, slug), terms)
    )


async def list_work(cwd: Path = Path()) -> list[WorkView]:
    """Every piece of work, the one that was touched last first."""
    return await _with_terms(
        cwd,
        lambda folder, terms: [view.look(folder, slug, terms) for slug in view.known_slugs(folder)],
    )


async def brainstorm(
    request: SpecRequest, cwd: Path = Path(), settings: Flags = NO_FLAGS
) -> WorkView:
    """Write a spec from an intent, a brief or answers; with a model, drafts for what is open and a challenge."""

    async def work() -> WorkView:
        place = work_place(cwd, settings)
        if place.terms.initiative:
            find_initiative(place.folder, place.terms.initiative)
        made = steps.make_spec(place.folder, request, today(), place.terms)
        if place.terms.initiative and not initiative_of(place.folder, made.slug):
            add_work(place.folder, place.terms.initiative, made.slug, user_name(place.folder.root))
        notes = await refine_spec(made.slug, place)
        return _with_notes(view.look(place.folder, made.slug, place.terms), notes)

    return await off_loop(work())


async def save_answers(slug: str, fields: Mapping[str, str], cwd: Path = Path()) -> WorkView:
    """Put answers into a spec at once; no model is asked."""
    request = SpecRequest(slug=slug, fields=tuple(fields.items()))
    return await _with_terms(
        cwd, lambda folder, terms: steps.make_spec(folder, request, today(), terms)
    )


async def compose_team(request: TeamRequest, cwd: Path = Path()) -> tuple[WorkView, TeamProposal]:
    """Write the team that an approved spec asks for, and say why each sits."""
    return await _with_terms(cwd, lambda folder, terms: steps.make_team(folder, request, terms))


async def draft_plan(
    request: PlanRequest, cwd: Path = Path(), settings: Flags = NO_FLAGS
) -> WorkView:
    """Write the plan for an approved team; with a model it drafts the lanes, and a pre-mortem looks at the result."""

    async def work() -> WorkView:
        place = work_place(cwd, settings)
        folder, _, terms = place
        slug = view.choose_slug(folder, request.slug)
        steps.check_turn(folder, slug, "plan")
        drafts, notes = ({}, ()) if request.drafts else await lane_drafts(slug, place)
        asked = request._replace(slug=slug, drafts=request.drafts or drafts)
        steps.make_plan(folder, asked, today(), terms)
        notes += await refine_plan(slug, place, review=request.review)
        return _with_notes(view.look(folder, slug, terms), notes)

    return await off_loop(work())


async def review_work(slug: str = "", cwd: Path = Path(), settings: Flags = NO_FLAGS) -> WorkView:
    """Hold the pre-mortem of a plan once more."""

    async def work() -> WorkView:
        place = work_place(cwd, settings)
        name = view.choose_slug(place.folder, slug)
        notes = await review_plan(name, place)
        return _with_notes(view.look(place.folder, name, place.terms), notes)

    return await off_loop(work())


def _with_notes(found: WorkView, notes: tuple[str, ...]) -> WorkView:
    return found._replace(notes=(*notes, *found.notes))


async def approve(
    gate: Gate, slug: str = "", cwd: Path = Path(), *, seen: str = "", yes: bool = True,
    source: str = "user",
) -> WorkView:  # fmt: skip
    """Say yes or no to a document as it is now; ``seen`` is the hash of what was looked at."""

    def answer(folder: WorkFolder, terms: WorkTerms) -> WorkView:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        said = GateAnswer(
            gate, "", "approved" if yes else "rejected", user_name(folder.root), now, source
        )
        done = approval.approve(folder, gate, slug, said, seen)
        return view.look(folder, done.slug, terms)

    return await _with_terms(cwd, answer)


async def make_context(slug: str = "", cwd: Path = Path()) -> tuple[WorkView, RunContext]:
    """Write a context bundle for every lane of an approved plan."""
    return await _with_terms(cwd, lambda folder, terms: steps.make_bundles(folder, slug, terms))


async def explain_context(run: str, lane: str, path: str, cwd: Path = Path()) -> str:
    """Why a page is in a lane's bundle, or why not."""
    return await asyncio.to_thread(why_in_bundle, find_work(cwd), run, lane, path)


async def compare_context(run: str, lane: str, other: str, cwd: Path = Path()) -> list[str]:
    """What differs between the bundles of two lanes, as lines of a diff."""

    def compare() -> list[str]:
        folder = find_work(cwd)
        one, two = (bundle_text(folder, run, name).splitlines() for name in (lane, other))
        return list(unified_diff(one, two, lane, other, lineterm="", n=1))

    return await asyncio.to_thread(compare)


async def restart_work(slug: str = "", cwd: Path = Path()) -> Path | None:
    """Put the documents of a piece of work aside; the folder they are in now, None where there are none."""
    return await asyncio.to_thread(steps.restart, find_work(cwd), slug)


async def _with_terms(cwd: Path, work: Callable[[WorkFolder, WorkTerms], T]) -> T:
    def do() -> T:
        place = work_place(cwd)
        return work(place.folder, place.terms)

    return await asyncio.to_thread(do)
