"""From what was typed to a plan: every default filled in, every conflict refused, nothing spent.

Read :func:`plan_council` from top to bottom. It is pure: environment, settings, presets, who could
answer and what lies around are all passed in.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Literal

from guildmoot.agents.presets.model import Preset
from guildmoot.config import Config
from guildmoot.errors import TargetError, UsageError
from guildmoot.model.council import Task
from guildmoot.packet import Request
from guildmoot.practices.council.angles import Angles, choose_angles
from guildmoot.practices.council.asked import Asked, read_asked
from guildmoot.practices.council.conflicts import refuse_conflicts
from guildmoot.practices.council.inference import (
    TASKS,
    Found,
    Meaning,
    concerns_plan,
    experts,
    find_targets,
    infer_task,
)
from guildmoot.practices.council.numbers import Table, set_table
from guildmoot.practices.council.plan import CouncilPlan, Vendor
from guildmoot.practices.council.precedence import (
    Choice,
    Profile,
    Settings,
    choose_profile,
    choose_timeouts,
    first,
    flag,
    one_of,
)
from guildmoot.practices.council.repository import NOWHERE, RepositoryView
from guildmoot.practices.council.vendors import Sides, choose_vendors

NAMED = "agents"
"""What the side of the table is called that ``--agents`` fills."""

_HATS = 6
_QUESTIONS = {
    "brainstorm": "brainstorm caching approaches",
    "research": "research upgrade patterns",
    "debate": "debate monorepo or one repository a service",
}
_DEBATES: tuple[Literal["off", "on", "auto"], ...] = ("off", "on", "auto")
_NO_MODEL = (
    "no model is configured: tools of this machine judge, each by its own rules, and nothing is"
    " sent to a vendor; --model claude, or vendors under [council] in guild.toml, seats models"
)


def plan_council(
    options: argparse.Namespace | Asked,
    environ: Mapping[str, str],
    config: Config,
    presets: Mapping[str, Preset],
    available: Callable[[str], str],
    around: RepositoryView = NOWHERE,
) -> CouncilPlan:
    """The council that was asked for; an error before anything is spent when it cannot be.

    ``available(vendor)`` is why that vendor cannot answer now, or empty.
    """
    settings = Settings(environ, config)
    asked = read_asked(options)
    asked = asked._replace(degrade=asked.degrade or settings.is_on("panel.degrade"))
    meaning = _meaning(asked, around)
    refuse_conflicts(asked, meaning.task)
    found = _found(asked, meaning, around)
    text = " ".join(meaning.words) or found.words or ", ".join(found.targets)
    about_plan = meaning.task == "validate" and concerns_plan(text, found.targets)
    angles = choose_angles(asked, meaning.task, about_plan, experts(asked.words), presets, around)
    profile, profiled = choose_profile(settings, asked.profile, asked.tier)
    seated = _seated(asked, settings)
    sides = _sides(asked, settings, profile, available, seated)
    _refuse_thoughtless(meaning.task, sides, seated)
    table = set_table(asked, settings, profile, angles.perspectives, sides.vendors, seated)
    debate = _debate(asked, settings, meaning.task, sides, seated)
    undebated = (
        ("one round only: tools do not debate",)
        if asked.debate in ("on", "auto") and not sides.vendors
        else ()
    )
    if debate.value == "on" and table.total < 2:
        raise UsageError("--debate needs at least two judges", "Drop --debate, or --count=1.")
    plan = CouncilPlan(
        task=meaning.task,
        target=text,
        targets=found.targets,
        vendors=sides.vendors,
        judges=int(table.judges.value),
        perspectives=table.perspectives,
        explorers=table.explorers,
        debate=next(each for each in _DEBATES if each == debate.value),
        pairing="split" if _splits(asked, meaning.task) else "paired",
        technique=asked.technique.casefold(),
        hats=_hats(asked, table),
        profile=profiled.value,
        preset=angles.preset,
        evidence=asked.evidence,
        commit_ready=asked.commit_ready,
        modes=_modes(asked, debate, angles),
        focus=asked.focus,
        notes=(*found.notes, *angles.notes, *sides.notes, *table.notes, *undebated),
        sources=(
            ("judges", *table.judges),
            ("profile", *profiled),
            ("debate", *debate),
            ("perspectives", ", ".join(each.name for each in table.perspectives), angles.source),
            *sides.sources,
        ),
        seated=() if sides.vendors and sides.vendors[0].agent else seated,
        diff=asked.diff if asked.diff is not None else found.diff,
        about_plan=about_plan,
        context=around.reviewers.context,
        degrade=asked.degrade,
        quick=asked.quick,
    )
    return _timed(plan, asked, settings, profile)


def packet_request(plan: CouncilPlan, base: Request) -> Request:
    """``base`` (spec, evidence and limits of the command line) with what the plan judges."""
    diff = base.diff if base.diff is not None or base.staged else plan.diff
    nothing = not plan.targets and diff is None and not base.staged
    question = plan.target if nothing else base.question
    return base._replace(targets=plan.targets, diff=diff, question=question)


def _meaning(asked: Asked, around: RepositoryView) -> Meaning:
    """The task and the words that are left of the request."""
    words = tuple(
        part
        for word in asked.words
        for part in ([word] if around.exists(word) else word.split() or [word])
    )
    meaning = infer_task(words)
    if asked.mode:
        mode = one_of(Choice(asked.mode, "--mode"), TASKS, "mode")
        spoken = words and words[0].casefold() in TASKS
        meaning = Meaning(TASKS[mode], meaning.words if spoken else words, mode)
    if meaning.task == "brainstorm" and asked.focus.casefold() == "research":
        return meaning._replace(task="research")
    return meaning


def _found(asked: Asked, meaning: Meaning, around: RepositoryView) -> Found:
    """What is judged; a change that was named with a flag leaves nothing to guess."""
    if asked.diff is not None or asked.staged:
        bare = around._replace(changed=lambda: False, has_commits=lambda: False)
        found = find_targets(meaning, bare._replace(files=tuple, newest_plan=str))
        return found._replace(words="the change")
    found = find_targets(meaning, around)
    if meaning.task != "validate" and not meaning.words:
        raise UsageError(
            f"a {meaning.task} needs a question",
            f"For example: guild council {_QUESTIONS[meaning.task]}",
        )
    if "recent" in meaning.words and found.targets and found.targets != ("recent",):
        raise UsageError(
            f"'recent' and {found.targets[0]!r} cannot be judged together",
            f"Name the commits: --diff HEAD~1..HEAD {found.targets[0]}",
        )
    if meaning.task == "validate" and not found.targets and found.diff is None:
        raise TargetError(
            "there is nothing to judge: no path was named, and nothing was changed or committed",
            "Name files or folders, e.g. 'guild council validate src/'.",
        )
    return found


def _seated(asked: Asked, settings: Settings) -> tuple[str, ...]:
    """Agents that take the seats: named now, or configured unless a vendor is named now."""
    if asked.agents:
        return asked.agents
    configured = settings.configured("council.agents")
    typed = asked.model or asked.runtime or asked.claude_model
    return tuple(configured.value.split(",")) if configured and not typed else ()


def _sides(
    asked: Asked,
    settings: Settings,
    profile: Profile | None,
    available: Callable[[str], str],
    seated: tuple[str, ...],
) -> Sides:
    if not seated:
        sides = choose_vendors(asked, settings, profile, available)
        return sides if sides.vendors else sides._replace(notes=(*sides.notes, _NO_MODEL))
    source = "--agents" if asked.agents else "council.agents"
    named = (("judges are", ", ".join(seated), source),)
    if asked.mixed:
        if len(seated) != 2:
            raise UsageError(
                f"--mixed has two sides, and {source} names {len(seated)} agents",
                "Name one agent for each side: --agents A,B",
            )
        return Sides(tuple(Vendor(name, "", agent=name) for name in seated), sources=named)
    if asked.model or asked.claude_model:
        model = choose_vendors(asked, settings, profile, available)
        return model._replace(sources=(*named, *model.sources))
    return Sides((Vendor(NAMED, ""),), sources=named)


def _refuse_thoughtless(task: Task, sides: Sides, seated: tuple[str, ...]) -> None:
    """Tools judge; they have no ideas."""
    if task == "validate" or sides.vendors or seated:
        return
    raise UsageError(
        f"a {task} needs judges that can think, and no model is configured",
        "Name one: --model claude, --model provider:model, or --agents with agents of your own.",
    )


def _debate(
    asked: Asked, settings: Settings, task: Task, sides: Sides, seated: tuple[str, ...]
) -> Choice:
    """Whether there is a second round: as asked; else with ``--deep`` where the judges split."""
    configured = settings.configured("council.debate") or Choice("deep", "built in")
    if task != "validate" or asked.quick:
        return Choice("off", "not in this mode")
    if not sides.vendors and not seated:
        return Choice("off", "tools do not debate")
    if asked.debate:
        return Choice(asked.debate, "--debate")
    if configured.value == "deep":
        return Choice("auto", "--deep") if asked.deep else Choice("off", "built in")
    return configured


def _timed(
    plan: CouncilPlan, asked: Asked, settings: Settings, profile: Profile | None
) -> CouncilPlan:
    """The plan with how long each call may take, and what explorers run on."""
    judge, second, explorer = choose_timeouts(settings, asked.timeout, profile)
    model = first(
        settings.env("COUNCIL_EXPLORER_MODEL"),
        flag("--explorer-model", asked.explorer_model),
        settings.configured("council.explorer_model"),
        built_in="sonnet" if any(vendor.name == "claude" for vendor in plan.vendors) else "",
    )
    return plan._replace(
        timeout=judge.number,
        second_timeout=second.number,
        explorer_timeout=explorer.number,
        explorer_model=model.value,
        sources=(
            *plan.sources,
            ("timeout", *judge),
            ("second round's timeout", *second),
            ("explorers' timeout", *explorer),
            ("explorers' model", *model),
        ),
    )


def _splits(asked: Asked, task: Task) -> bool:
    """Experts of a duel sit once each, so two vendors share them."""
    return asked.pairing == "split" or (task == "debate" and asked.mixed)


def _hats(asked: Asked, table: Table) -> Literal["all", "split"]:
    """One hat a judge where there are enough judges, else every judge wears them all."""
    if asked.hats:
        return "split" if asked.hats == "split" else "all"
    return "split" if table.total >= _HATS else "all"


def _modes(asked: Asked, debate: Choice, angles: Angles) -> tuple[str, ...]:
    given = {
        "quick": asked.quick,
        "deep": asked.deep,
        "mixed": asked.mixed,
        "debate": debate.value == "on",
        "debate=auto": debate.value == "auto",
        f"preset={angles.preset}": bool(angles.preset),
        "evidence": asked.evidence,
        "commit-ready": asked.commit_ready,
    }
    return tuple(name for name, on in given.items() if on) or ("default",)
