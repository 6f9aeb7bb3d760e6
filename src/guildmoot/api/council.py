"""The council's verbs: ``council`` itself, and the reviews that are a council with a purpose."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from guildmoot.agents.presets.loader import load_presets
from guildmoot.api.judge import relay
from guildmoot.calls import Watch
from guildmoot.calls.estimate import DryRun
from guildmoot.config import NO_FLAGS, Config, Flags, process_config
from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport
from guildmoot.packet import Request, complete, find_root
from guildmoot.practices.council.dry_run import dry_run
from guildmoot.practices.council.options import CouncilOptions
from guildmoot.practices.council.plan import (
    CouncilPlan,
    ReadyCouncil,
    packet_request,
    plan_council,
)
from guildmoot.practices.council.repository import RepositoryView, view_repository, why_not
from guildmoot.practices.council.run import COUNCIL
from guildmoot.runs.index import find_run
from guildmoot.runs.practice import practice
from guildmoot.system.git import project_root
from guildmoot.system.threads import off_loop

if TYPE_CHECKING:
    from guildmoot.practices.reviews.defaults import Defaults

Review = Literal["", "vibe", "pre-mortem", "post-mortem"]


class CouncilRequest(NamedTuple):
    """What a council is asked; what is left empty is inferred, or comes from the settings."""

    options: CouncilOptions = CouncilOptions()
    packet: Request = Request()
    """What the judges see beside the targets, which the words of ``options`` name."""
    settings: Flags = NO_FLAGS
    """Settings given for this request alone; they win over all others."""
    review: Review = ""
    sized: bool = False
    """Somebody said how many judges are to look: a review then chooses no size of its own."""
    previous: str = ""
    """The run that this one follows up: an id, the start of one, or ``last``."""
    record: bool = True
    fresh: bool = False
    """Ask every judge, even where the ledger has its answer to the same question."""
    parent: str = ""
    """The run that this one is part of."""
    formats: tuple[str, ...] = ()
    """Suffixes the report will be written with; refused early where the task cannot fill one."""


async def council(request: CouncilRequest, watch: Watch | None = None) -> CouncilReport:
    """Put a plan, a change or a question before several judges; one honest answer."""
    return await off_loop(_convene(request, relay(watch)))


async def vibe(request: CouncilRequest, watch: Watch | None = None) -> CouncilReport:
    """Is this change ready: SHIP, FIX or REFACTOR."""
    return await council(request._replace(review="vibe"), watch)


async def pre_mortem(request: CouncilRequest, watch: Watch | None = None) -> CouncilReport:
    """Is this plan ready: PROCEED, ADDRESS or RETHINK; each issue is kept as a prediction."""
    return await council(request._replace(review="pre-mortem"), watch)


async def post_mortem(request: CouncilRequest, watch: Watch | None = None) -> CouncilReport:
    """What did this work come to, and which predictions came true: CLOSE, FOLLOW-UP or REOPEN."""
    return await council(request._replace(review="post-mortem"), watch)


async def dry_run_council(request: CouncilRequest) -> DryRun | CouncilReport:
    """Who would be asked, what it may cost and what would leave; nothing is called or recorded.

    A review that has nothing to judge is no run: its report says so.
    """
    return await off_loop(_dry_run(request))


class _Ready(NamedTuple):
    """A request with every gap filled."""

    council: ReadyCouncil
    config: Config
    left: tuple[str, ...] = ()
    """What changed but is not judged."""


async def _convene(request: CouncilRequest, watch: Watch) -> CouncilReport:
    ready = await _prepare(request)
    if isinstance(ready, CouncilReport):
        return ready
    if not request.review:
        return await COUNCIL.run(ready.council, ready.config, watch)
    from guildmoot.practices.reviews.resume import ReviewRequest

    asked = ReviewRequest(ready.council, ready.left)
    report: CouncilReport = await practice(request.review).run(asked, ready.config, watch)
    return report


async def _dry_run(request: CouncilRequest) -> DryRun | CouncilReport:
    ready = await _prepare(request)
    if isinstance(ready, CouncilReport):
        return ready
    plan, packet = ready.council.plan, ready.council.packet
    if request.review:
        from guildmoot.practices.reviews.convene import prepare
        from guildmoot.practices.reviews.resume import REVIEWS

        packet = prepare(REVIEWS[request.review], plan, packet, ready.left).request
    return dry_run(plan, packet, ready.config)


async def _prepare(request: CouncilRequest) -> _Ready | CouncilReport:
    """The plan, the packet's request and the settings; a report where there is nothing to judge."""
    cwd = request.packet.cwd.absolute()
    root = find_root(cwd) if request.review else project_root(cwd)
    config = process_config(root, request.settings)
    around = view_repository(root, cwd)
    if not request.review:
        plan = _plan(request.options, config, root, around)
        _check_formats(request.formats, plan)
        return _Ready(await _planned(request, plan, config, root), config)
    return await _prepare_review(request, config, root, around)


async def _prepare_review(
    request: CouncilRequest, config: Config, root: Path, around: RepositoryView
) -> _Ready | CouncilReport:
    """What a review fills in where nothing was said, before it is planned like any council."""
    from guildmoot.practices.reviews.convene import nothing_to_judge

    gaps = _gaps(request, root, around)
    if gaps.nothing:
        return nothing_to_judge(request.review, gaps.target, gaps.nothing)
    options = request.options._replace(
        words=("validate", *gaps.words),
        diff=request.options.diff if request.options.diff is not None else gaps.diff,
        preset=request.options.preset or gaps.preset,
        quick=request.options.quick or gaps.quick,
    )
    plan, cwd = _plan(options, config, root, around), request.packet.cwd.absolute()
    here = [os.path.relpath(root / path, cwd).replace(os.sep, "/") for path in gaps.paths]
    plan = plan._replace(
        target=gaps.target or plan.target,
        targets=tuple(here) or plan.targets,
        notes=(*gaps.notes, *plan.notes),
    )
    spec = tuple(map(Path, gaps.spec)) or request.packet.spec
    request = request._replace(options=options, packet=request.packet._replace(spec=spec))
    return _Ready(await _planned(request, plan, config, root), config, gaps.left)


def _gaps(request: CouncilRequest, root: Path, around: RepositoryView) -> Defaults:
    from guildmoot.practices.reviews import defaults
    from guildmoot.practices.reviews.repository import recent_change

    asked = request.options
    angles = asked.preset or asked.perspectives or asked.perspectives_file
    given = defaults.Given(
        targets=asked.words,
        change=asked.diff is not None or asked.staged,
        spec=tuple(map(str, request.packet.spec)),
        sized=bool(request.sized or angles or asked.quick or "council.judges" in request.settings),
        deep=asked.deep,
    )
    if request.review == "pre-mortem":
        return defaults.pre_mortem_defaults(given, around.newest_plan())
    recent = None if given.targets or given.change else recent_change(root)
    if request.review == "vibe":
        return defaults.vibe_defaults(given, recent, around.newest_plan())
    return defaults.post_mortem_defaults(given, recent, around.newest_plan())


def _plan(
    options: CouncilOptions, config: Config, root: Path, around: RepositoryView
) -> CouncilPlan:
    return plan_council(options, config, load_presets(root), why_not, around)


async def _planned(
    request: CouncilRequest, plan: CouncilPlan, config: Config, root: Path
) -> ReadyCouncil:
    asked = request.options
    base = request.packet._replace(diff=asked.diff, staged=asked.staged)
    keep = config.flag("runs.keep") and request.record and (root / ".git").exists()
    return ReadyCouncil(
        plan,
        packet_request(plan, await complete(base, config)),
        root=root if keep else None,
        previous=find_run(root, request.previous).name if request.previous else "",
        fresh=request.fresh,
        parent=request.parent,
    )


def _check_formats(formats: tuple[str, ...], plan: CouncilPlan) -> None:
    """SARIF holds findings, which only a verdict has."""
    if plan.task != "validate" and ".sarif" in formats:
        raise UsageError(
            f"a {plan.task} has no findings to write as SARIF", "Name a .md, .json or .html file."
        )
