"""The council's verbs: ``council`` itself, and the reviews that are a council with a purpose."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.agents.presets.loader import (
    PROJECT_FOLDER,
    REVIEWER_CONFIG,
    load_presets,
    load_reviewers,
)
from guildmoot.agents.presets.model import Preset
from guildmoot.agents.roster import told_missing
from guildmoot.api.judge import check_texts, judging_base, relay, tell_notices, with_road
from guildmoot.calls import Watch
from guildmoot.calls.estimate import DryRun
from guildmoot.config import NO_FLAGS, Config, Flags
from guildmoot.errors import UsageError
from guildmoot.guard.settings import settings_for
from guildmoot.guard.trust import brought_files
from guildmoot.model.council import CouncilReport
from guildmoot.packet import PacketRequest, complete, find_root
from guildmoot.packet.request import RECENT
from guildmoot.practices.council.packets import (
    council_packet,
    handed_request,
    packet_json,
    read_handed,
)
from guildmoot.practices.council.plan import (
    CouncilPlan,
    ReadyCouncil,
    packet_request,
    plan_council,
)
from guildmoot.practices.council.request import CouncilOptions, choose_targets, read_words
from guildmoot.practices.council.run import dry_run
from guildmoot.practices.council.selection import why_not
from guildmoot.practices.repository import RepositoryView, view_repository
from guildmoot.runs.index import find_run
from guildmoot.runs.practice import practice
from guildmoot.system.git import project_root
from guildmoot.system.threads import off_loop

Review = Literal["", "vibe", "pre-mortem", "post-mortem"]


class CouncilRequest(NamedTuple):
    """What a council is asked; what is left empty is inferred, or comes from the settings."""

    options: CouncilOptions = CouncilOptions()
    packet: PacketRequest = PacketRequest()
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
    handed: str = ""
    """A ``council_packet`` as JSON text, to be judged in place of what words name."""
    formats: tuple[str, ...] = ()
    """Suffixes the report will be written with; refused early where the task cannot fill one."""
    command: str = ""
    """What the user typed, for the report's head."""


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


async def dry_run_council(request: CouncilRequest) -> DryRun:
    """Who would be asked, what it may cost and what would leave; nothing is called or recorded."""
    return await off_loop(_dry_run(request))


async def _convene(request: CouncilRequest, watch: Watch) -> CouncilReport:
    ready = await _prepare(request)
    tell_notices(ready[1], watch)
    report: CouncilReport = await practice(request.review or "council").run(*ready, watch)
    return report


async def _dry_run(request: CouncilRequest) -> DryRun:
    missing: dict[str, str] = {}

    def available(vendor: str) -> str:
        """A plan needs no key: what is missing is told beside it."""
        if why := why_not(vendor):
            missing[vendor] = why
        return ""

    council, config = await _prepare(request, available)
    if missing:
        notes = (*council.plan.notes, told_missing(missing))
        council = council._replace(plan=council.plan._replace(notes=notes))
    if not request.review:
        return dry_run(council.plan, council.packet, config)
    from guildmoot.practices.reviews.review import check_first, find_review

    return dry_run(council.plan, check_first(find_review(request.review), council)[0], config)


async def _prepare(
    request: CouncilRequest, available: Callable[[str], str] = why_not
) -> tuple[ReadyCouncil, Config]:
    """The plan, the packet's request and the settings."""
    request = _with_handed(request) if request.handed else request
    asked = request.options
    check_texts(words=asked.words, perspectives=asked.perspectives, targets=request.packet.targets)
    if request.review:
        _refuse_tasks(request)
    cwd = request.packet.cwd.absolute()
    root = find_root(cwd) if request.review else project_root(cwd)
    repository = view_repository(root, cwd)
    judged, recent = _judged(request, repository)
    base = judging_base(judged, request.settings, recent)
    brought = brought_files(root, (PROJECT_FOLDER, REVIEWER_CONFIG), base)
    config = with_road(settings_for(root, request.settings, base))
    config = config._replace(notices=(*config.notices, *filter(None, [brought.notice])))
    repository = repository._replace(reviewers=load_reviewers(brought.trusted))
    presets = load_presets(brought.trusted)
    if not request.review:
        plan = _plan(request.options, config, presets, repository, available)
        if plan.task != "validate" and {".sarif", ".xml"} & {*request.formats}:
            raise UsageError(
                f"a {plan.task} has no findings to write one by one",
                "Name a .md, .json or .html file.",
            )
        return await _planned(request, plan, config, root), config
    return await _prepare_review(request, config, root, repository, presets, available)


def _refuse_tasks(request: CouncilRequest) -> None:
    if request.options.mode not in ("", "verdict", "validate") or request.options.technique:
        raise UsageError(
            f"guild {request.review} always gives a verdict; it takes no --mode and no --technique",
            "'guild council' has the other tasks.",
        )


async def print_packet(request: CouncilRequest) -> dict[str, object]:
    """What the judges would be shown, as a ``council_packet``; nothing is called or recorded."""
    return await off_loop(_print_packet(request))


async def _print_packet(request: CouncilRequest) -> dict[str, object]:
    plan, packet = (await _prepare(request, lambda vendor: ""))[0][:2]
    shown = council_packet(plan, packet)
    return packet_json(shown, plan.task, plan.target or shown.target, plan.perspectives)


def _with_handed(request: CouncilRequest) -> CouncilRequest:
    """The request for a packet that was handed over."""
    handed, options = read_handed(request.handed, "the packet"), request.options
    if tuple(options.words) == (handed.task,):  # said twice
        options = options._replace(words=())
    if options.words or options.diff is not None or options.staged:
        raise UsageError(
            "--packet holds what is judged, and something else was named too", "Name one of them."
        )
    angle = (handed.perspective,) if handed.perspective else ()
    return request._replace(
        options=options._replace(
            words=(handed.task, *handed.target.split()),
            given=True,
            perspectives=options.perspectives or angle,
            focus=options.focus or handed.focus,
        ),
        packet=handed_request(handed, request.packet),
        handed="",
    )


def _judged(request: CouncilRequest, repository: RepositoryView) -> tuple[PacketRequest, int]:
    """What is put before the judges, as far as it can be told without any settings; and how many
    commits were asked for."""
    options = request.options
    if request.review:
        from guildmoot.practices.reviews.review import find_review

        spec = tuple(map(str, request.packet.spec))
        options = find_review(request.review).fill(options, spec, True, repository).options
    found = choose_targets(options, read_words(options, repository), repository)
    diff = found.diff if options.diff is None and not options.staged else options.diff
    targets = found.targets if found.targets == (RECENT,) else ()
    return request.packet._replace(diff=diff, staged=options.staged, targets=targets), found.recent


async def _prepare_review(
    request: CouncilRequest,
    config: Config,
    root: Path,
    repository: RepositoryView,
    presets: Mapping[str, Preset],
    available: Callable[[str], str],
) -> tuple[ReadyCouncil, Config]:
    """What a review fills in where nothing was said, before it is planned like any council."""
    from guildmoot.practices.reviews.defaults import is_sized
    from guildmoot.practices.reviews.review import find_review

    sized = request.sized or is_sized(request.options, config)
    spec = tuple(map(str, request.packet.spec))
    filled = find_review(request.review).fill(request.options, spec, sized, repository)
    plan = _plan(filled.options, config, presets, repository, available)
    cwd = request.packet.cwd.absolute()
    here = [os.path.relpath(root / path, cwd).replace(os.sep, "/") for path in filled.paths]
    plan = plan._replace(
        target=filled.target or plan.target,
        targets=tuple(here) or plan.targets,
        notes=(*filled.notes, *plan.notes),
    )
    packet = request.packet._replace(spec=tuple(map(Path, filled.spec)))
    request = request._replace(options=filled.options, packet=packet)
    planned = await _planned(request, plan, config, root)
    return planned._replace(left=filled.left), config


def _plan(
    options: CouncilOptions,
    config: Config,
    presets: Mapping[str, Preset],
    repository: RepositoryView,
    available: Callable[[str], str],
) -> CouncilPlan:
    return plan_council(options, config, presets, available, repository)


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
        command=request.command,
    )
