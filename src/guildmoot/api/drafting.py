"""Models in the work: drafts, challenges and the pre-mortem of a plan. Without a model nothing here is needed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.config import NO_FLAGS, Config, Flags
from guildmoot.errors import GuildmootError, TargetError, UsageError
from guildmoot.guard.settings import settings_for
from guildmoot.lifecycle.drafting import challenge as challenges
from guildmoot.lifecycle.drafting.challenge import ChallengeReport, loop_run
from guildmoot.lifecycle.drafting.desk import open_desk
from guildmoot.lifecycle.drafting.drafts import draft_lanes, draft_spec
from guildmoot.lifecycle.drafting.loop_files import read_loops
from guildmoot.lifecycle.drafting.plan_review import SILENT, PlanReview, keep_review
from guildmoot.lifecycle.gates import content_hash
from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.planning import LaneDraft
from guildmoot.lifecycle.terms import WorkTerms, work_terms
from guildmoot.lifecycle.view import choose_slug, document_text, look
from guildmoot.lifecycle.work_runs import add_part
from guildmoot.packet import PacketRequest
from guildmoot.practices.dispositions import user_name
from guildmoot.system.files import read_text_inside
from guildmoot.system.threads import off_loop

_MOST = 1_000_000


class WorkSite(NamedTuple):
    """A folder with work, and the settings that hold in it."""

    folder: WorkFolder
    config: Config
    terms: WorkTerms


def work_place(cwd: Path, settings: Flags = NO_FLAGS) -> WorkSite:
    """The main checkout that a folder belongs to, with its settings."""
    folder = find_work(cwd)
    config = settings_for(folder.root, settings)
    return WorkSite(folder, config, work_terms(config))


async def refine_spec(slug: str, place: WorkSite) -> tuple[str, ...]:
    """Drafts for what is open, then the challenge of a spec that is whole; what happened, in lines."""
    folder, config, terms = place
    if not terms.model:
        return ()
    notes: tuple[str, ...] = ()
    with open_desk(folder.root, loop_run(folder, slug), config) as desk:
        if look(folder, slug).open_fields:
            notes = await draft_spec(folder, slug, desk, terms, today())
        found = look(folder, slug)
        begun = "clarify" in read_loops(folder, slug)
        if "spec" in terms.loops and not found.open_fields and not found.problems and not begun:
            told = await challenges.challenge(folder, slug, "clarify", desk, terms, today())
            notes += loop_words(told)
    return notes


async def lane_drafts(slug: str, place: WorkSite) -> tuple[dict[str, LaneDraft], tuple[str, ...]]:
    """What the model says of each lane; nothing without one."""
    folder, config, terms = place
    if not terms.model:
        return {}, ()
    with open_desk(folder.root, loop_run(folder, slug), config) as desk:
        drafts, notes = await draft_lanes(folder, slug, desk, terms)
    return dict(drafts), notes


async def refine_plan(slug: str, place: WorkSite, *, review: bool = True) -> tuple[str, ...]:
    """The challenge of a new plan, then its pre-mortem; what happened, in lines."""
    folder, config, terms = place
    notes: tuple[str, ...] = ()
    if look(folder, slug).problems:
        return ()
    if terms.model and "plan" in terms.loops and "plan-review" not in read_loops(folder, slug):
        with open_desk(folder.root, loop_run(folder, slug), config) as desk:
            told = await challenges.challenge(folder, slug, "plan-review", desk, terms, today())
            notes += loop_words(told)
    if review and terms.review != "off":
        notes += await review_plan(slug, place)
    return notes


async def review_plan(slug: str, place: WorkSite) -> tuple[str, ...]:
    """``guild pre-mortem`` on the plan, kept beside it; where it cannot be held, that is told."""
    from guildmoot.api.council import CouncilRequest, pre_mortem
    from guildmoot.practices.council.request import CouncilOptions

    folder, _, terms = place
    run = loop_run(folder, slug)
    digest = content_hash(document_text(folder, "plan", slug))
    vendors = dict.fromkeys(filter(None, (terms.model, terms.challenger)))
    mixed = terms.review == "cross" and len(vendors) > 1
    seats = tuple(vendors) if mixed else tuple(vendors)[:1]
    request = CouncilRequest(
        CouncilOptions(
            words=(f".guild/plan/{slug}.md",), quick=not mixed, mixed=mixed
        ),
        PacketRequest(cwd=folder.root, spec=(Path(f".guild/spec/{slug}.md"),)),
        settings=_judges(seats, folder.root),
        parent=run,
        command="guild work plan",
    )  # fmt: skip
    try:
        report = await pre_mortem(request)
    except GuildmootError as wrong:
        return (f"no pre-mortem: {wrong.message}",)
    checks = tuple(
        f"{name}: {detail}" for name, result, detail in report.checks if result in ("fail", "warn")
    )
    issues = tuple(issue.representative.title for issue in report.issues)
    silent = SILENT if seats else ""
    decision = (report.decision if seats or issues else "") or silent
    review = PlanReview(
        digest, decision, report.verdict or "", issues, checks, report.header.run_id,
    )  # fmt: skip
    keep_review(folder, run, review)
    add_part(folder, run, review.run)
    return ()


def _judges(seats: tuple[str, ...], root: Path) -> Flags:
    """Who sits in the pre-mortem: agents of the user's by name, else models."""
    from guildmoot.agents.registry import load_agents

    if not seats:
        return NO_FLAGS
    known = load_agents(root).agents
    return {"council.agents" if all(each in known for each in seats) else "council.vendors": seats}


def loop_words(report: ChallengeReport) -> tuple[str, ...]:
    """What a challenge came to, in lines."""
    state = report.state
    if state is None:
        return report.notes
    said = {
        "done": "no question is left",
        "escalated": f"a person must decide: {state.why}",
        "force-passed": "passed over by a person",
        "rework": "sent back by a person",
        "": "not at its end",
    }[state.ended]
    rounds = f"{state.rounds} round{'s' * (state.rounds != 1)}"
    return (f"{report.loop}: {said}, after {rounds}", *report.notes)


async def challenge_work(
    gate: str, slug: str = "", cwd: Path = Path(), *, source: str = "", decision: str = "",
    settings: Flags = NO_FLAGS,
) -> ChallengeReport:  # fmt: skip
    """Challenge a spec or a plan: by a model, by a file, or record what a person decides about it."""

    async def work() -> ChallengeReport:
        place = work_place(cwd, settings)
        folder, config, terms = place
        name, loop = choose_slug(folder, slug), challenges.LOOP_OF[gate]
        document_text(folder, "spec" if gate == "spec" else "plan", name)
        if decision:
            told = challenges.decide(folder, name, loop, decision, user_name(folder.root))
            if (told.state and told.state.ended) or not terms.model:
                return told
        if source:
            text, problem = read_text_inside(Path(source), None, _MOST)
            if problem:
                raise TargetError(f"{source} cannot be read: {problem}")
            return challenges.challenge_by_file(folder, name, loop, text, terms)
        if not terms.model:
            raise UsageError(
                "no model is set that could challenge it",
                f"--model claude, work.model in your settings, or --from FILE: guild work challenge {gate} {name}",
            )
        with open_desk(folder.root, loop_run(folder, name), config) as desk:
            return await challenges.challenge(folder, name, loop, desk, terms, today())

    return await off_loop(work())


def today() -> str:
    """The day, as documents write it."""
    return datetime.now(UTC).date().isoformat()
