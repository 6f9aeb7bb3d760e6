"""From what was asked to a plan: every default filled in, every conflict refused, nothing spent.

Read :func:`plan_council` from top to bottom. It is pure: settings (the environment among them), presets,
who could answer and the repository are all passed in.

The council's arithmetic: total = judges x vendors x (1 + explorers), at most 12. Of too many, judges are taken
away until it fits, whole pairs of them with ``--mixed``; without ``council.fit`` it is an error. Tools cost nothing
and are not counted. The number of judges is ``--count``, else three with ``--deep`` or ``--mixed``, else
``council.judges``; all but ``--count`` are raised to the number of perspectives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.agents.presets.model import Perspective, Preset
from guildmoot.config import BUILT_IN, DEFAULT, FLAG, Config, Origin
from guildmoot.errors import UsageError
from guildmoot.model.council import Task
from guildmoot.model.settings import PROFILE_NAMES, find_profile
from guildmoot.packet import PacketRequest
from guildmoot.practices.council.request import (
    CouncilOptions,
    asks_debate,
    choose_targets,
    one_of,
    read_words,
    refuse_conflicts,
)
from guildmoot.practices.council.selection import Judges, Vendor, choose_judges, choose_perspectives
from guildmoot.practices.council.target_words import concerns_plan
from guildmoot.practices.council.tasks import experts
from guildmoot.practices.repository import NOWHERE, RepositoryView
from guildmoot.text.clean import count

DebateWhen = Literal["off", "on", "auto"]
_DEBATES: tuple[DebateWhen, ...] = ("off", "on", "auto")
_HATS = 6
MAX_AGENTS = 12
"""Judges and their explorers together."""
_THREE = 3
_SHOWN = {
    "timeout": "council.timeout",
    "second round's timeout": "council.second_timeout",
    "explorers' timeout": "council.explorer_timeout",
    "explorers' model": "council.explorer_model",
}
"""Settings that a report names beside those that were chosen by several rules."""


class CouncilPlan(NamedTuple):
    """A council that can be convened."""

    task: Task
    target: str
    """In the user's words."""
    targets: tuple[str, ...]
    """Paths, globs, ``recent``; empty when the target is a question."""
    vendors: tuple[Vendor, ...]
    """One, or two with ``--mixed``; none configured seats evidence judges, and ``notes`` says so."""
    judges: int
    """Per vendor; 0 with ``--quick``, which asks one judge inline."""
    perspectives: tuple[Perspective, ...] = ()
    """Empty: independent judges without labels."""
    explorers: int = 0
    explorer_model: str = ""
    debate: DebateWhen = "off"
    pairing: Literal["paired", "split"] = "paired"
    technique: str = ""
    hats: Literal["all", "split"] = "all"
    profile: str = ""
    preset: str = ""
    timeout: float = 120.0
    second_timeout: float = 90.0
    explorer_timeout: float = 60.0
    evidence: bool = False
    commit_ready: bool = False
    modes: tuple[str, ...] = ()
    """What the user asked for, as the report's header shows it."""
    focus: str = ""
    notes: tuple[str, ...] = ()
    """What was decided for the user, e.g. that ``--fit`` took judges away."""
    sources: tuple[tuple[str, str, str], ...] = ()
    """Setting, value and where it came from: env, flag, profile, config or built in."""
    seated: tuple[str, ...] = ()
    """Agents named with ``--agents``, which take the judges' seats in turn."""
    diff: str | None = None
    """A change to judge, as ``packet.PacketRequest.diff``: empty is the working tree against HEAD."""
    recent: int = 0
    """How many commits the target ``recent`` means; 0 is as the settings say."""
    subject: bool = False
    """The targets were found by a subject in words: a question, which no tool answers."""
    about_plan: bool = False
    """A plan, spec or contract is judged, so the rigor gate applies."""
    context: str = ""
    """What the project's reviewer config tells every judge; text of the repository, so data."""
    degrade: bool = False
    """Go on without judges that cannot answer."""
    strict_mixed: bool = False
    """No verdict unless both vendors gave one."""
    quick: bool = False

    @property
    def agents(self) -> int:
        """All agents that it would call, explorers included."""
        return max(self.judges, 1) * max(len(self.vendors), 1) * (1 + self.explorers)

    @property
    def mixed(self) -> bool:
        """Two vendors judge."""
        return len(self.vendors) > 1


def plan_council(
    options: CouncilOptions,
    config: Config,
    presets: Mapping[str, Preset],
    available: Callable[[str], str],
    repository: RepositoryView = NOWHERE,
) -> CouncilPlan:
    """The council that was asked for; an error before anything is spent when it cannot be.

    ``available(vendor)`` is why that vendor cannot answer now, or empty.
    """
    meaning = read_words(options, repository)
    task = meaning.task
    refuse_conflicts(options, config, task)
    found = choose_targets(options, meaning, repository)
    asked = "" if found.instead else " ".join(meaning.words)
    text = asked or found.words or ", ".join(found.targets)
    about_plan = task == "validate" and concerns_plan(text, found.targets)
    seen = choose_perspectives(
        options, task, about_plan, experts(options.words), presets, repository
    )
    profile = _profile(config)
    judges = choose_judges(options, config, task, available)
    size = choose_size(options, config, seen.perspectives, judges)
    debate = _debate(options, config, task, judges)
    if debate.value == "on" and size.total < 2:
        raise UsageError("--debate needs at least two judges", "Drop --debate, or --count=1.")
    strict = config.flag("council.strict_mixed")
    undebated = asks_debate(config) and not judges.vendors
    config = _with_derived(config, judges)
    return CouncilPlan(
        task=task,
        target=text,
        targets=found.targets,
        vendors=judges.vendors,
        judges=size.judges,
        perspectives=size.perspectives,
        explorers=size.explorers,
        explorer_model=config.text("council.explorer_model"),
        debate=next(each for each in _DEBATES if each == debate.value),
        pairing=_pairing(options, task),
        technique=options.technique.casefold(),
        hats=_hats(options, size.total),
        profile=str(profile.value),
        preset=seen.preset,
        timeout=config.number("council.timeout"),
        second_timeout=config.number("council.second_timeout"),
        explorer_timeout=config.number("council.explorer_timeout"),
        evidence=options.evidence,
        commit_ready=options.commit_ready,
        modes=_modes(options, debate, seen.preset),
        focus=options.focus,
        notes=(
            *(*found.notes, *seen.notes, *judges.notes, *size.notes),
            *(("one round only: tools do not debate",) if undebated else ()),
        ),
        sources=(
            ("judges", str(size.judges), size.source),
            ("profile", *_shown(profile)),
            ("debate", *_shown(debate)),
            ("perspectives", ", ".join(each.name for each in size.perspectives), seen.source),
            *judges.sources,
            *((name, *_shown(config.values[key])) for name, key in _SHOWN.items()),
        ),
        seated=judges.agents,
        diff=options.diff if options.diff is not None else found.diff,
        recent=found.recent,
        subject=found.subject,
        about_plan=about_plan,
        context=repository.reviewers.context,
        degrade=config.flag("panel.degrade") or (options.mixed and not strict),
        strict_mixed=options.mixed and strict,
        quick=options.quick,
    )


def packet_request(plan: CouncilPlan, base: PacketRequest) -> PacketRequest:
    """``base`` (spec, evidence and limits of the request) with what the plan judges."""
    diff = base.diff if base.diff is not None or base.staged else plan.diff
    nothing = not plan.targets and diff is None and not base.staged
    question = plan.target if nothing else base.question
    recent = plan.recent or base.recent
    return base._replace(targets=plan.targets, diff=diff, question=question, recent=recent)


def _profile(config: Config) -> Origin:
    """The profile under its own name; empty when none was asked for."""
    given = config.given("council.profile")
    if given is None:
        return Origin("", BUILT_IN)
    name = one_of(str(given.value), PROFILE_NAMES, "profile", given.source)
    tier = find_profile(name)
    return given._replace(value=tier.profile if tier else name)


def _debate(options: CouncilOptions, config: Config, task: Task, judges: Judges) -> Origin:
    """Whether there is a second round: as asked; else with ``--deep`` where the judges split."""
    debate = config.values["council.debate"]
    if task != "validate" or options.quick:
        return Origin("off", "not in this mode")
    if not judges.vendors and not judges.agents:
        return Origin("off", "tools do not debate")
    if debate.value == "deep":
        return Origin("auto", "--deep") if options.deep else Origin("off", BUILT_IN)
    return debate


def _pairing(options: CouncilOptions, task: Task) -> Literal["paired", "split"]:
    """Experts of a duel sit once each, so two vendors share them."""
    shared = options.pairing == "split" or (task == "debate" and options.mixed)
    return "split" if shared else "paired"


def _hats(options: CouncilOptions, total: int) -> Literal["all", "split"]:
    """One hat a judge where there are enough judges, else every judge wears them all."""
    enough = total >= _HATS and not options.hats
    return "split" if options.hats == "split" or enough else "all"


def _with_derived(config: Config, judges: Judges) -> Config:
    """The settings with the defaults that follow from others: a round's time, explorers' model."""
    second, model = config.values["council.second_timeout"], config.given("council.explorer_model")
    derived: dict[str, Origin] = {}
    if second.layer == DEFAULT:
        least = min(config.number("council.second_timeout"), config.number("council.timeout"))
        derived["council.second_timeout"] = Origin(least, BUILT_IN)
    if model is None and any(vendor.name == "claude" for vendor in judges.vendors):
        derived["council.explorer_model"] = Origin("sonnet", BUILT_IN)
    return config._replace(values={**config.values, **derived})


def _shown(origin: Origin) -> tuple[str, str]:
    """A value and its source, as the report shows them."""
    value = origin.value
    return f"{value:g}" if isinstance(value, float) else str(value), origin.source


def _modes(options: CouncilOptions, debate: Origin, preset: str) -> tuple[str, ...]:
    given = {
        "quick": options.quick,
        "deep": options.deep,
        "mixed": options.mixed,
        "debate": debate.value == "on",
        "debate=auto": debate.value == "auto",
        f"preset={preset}": bool(preset),
        "evidence": options.evidence,
        "commit-ready": options.commit_ready,
    }
    return tuple(name for name, on in given.items() if on) or ("default",)


class ReadyCouncil(NamedTuple):
    """A council that can be convened: every default filled in."""

    plan: CouncilPlan
    packet: PacketRequest
    root: Path | None = None
    """Where it is recorded; None records nothing."""
    previous: str = ""
    """The run that this one follows up."""
    fresh: bool = False
    """Ask every judge, even where the ledger has its answer to the same question."""
    parent: str = ""
    """The run that this one is part of."""
    left: tuple[str, ...] = ()
    """What changed but is not judged; a review's checks say so."""
    command: str = ""
    """What the user typed, for the report's head."""


class Size(NamedTuple):
    """The size of the council."""

    judges: int
    """Of each vendor; 0 for the one judge of ``--quick``."""
    source: str
    total: int
    """Judges of all vendors."""
    explorers: int
    perspectives: tuple[Perspective, ...]
    """Those that have a judge."""
    notes: tuple[str, ...] = ()


def choose_size(
    options: CouncilOptions,
    config: Config,
    perspectives: tuple[Perspective, ...],
    judges: Judges,
) -> Size:
    """The size of the council that was asked for; UsageError when it is over the cap."""
    explorers, notes = int(config.number("council.explorers")), tuple[str, ...]()
    if explorers and not judges.vendors:
        explorers, notes = 0, ("tools have no explorers: --explorers has no effect",)
    if options.quick:
        return Size(0, "--quick", 1, 0, perspectives, notes)
    vendors = len(judges.vendors)
    shares = 2 if options.pairing == "split" and vendors > 1 else 1
    modes = [name for name in ("deep", "mixed") if getattr(options, name)]
    number, source = count_judges(config, modes, -(-len(perspectives) // shares))
    fixed = config.given("council.judges", FLAG)
    if vendors < 2 and len(judges.agents) > number and not fixed:
        number, source = len(judges.agents), "one for each agent"
    fitted = _over_cap(number, vendors, explorers, config.flag("council.fit"))
    if fitted:
        number, source = fitting(vendors, explorers), f"at most {MAX_AGENTS} agents"
    places = number * shares
    left = ", ".join(each.name for each in perspectives[places:])
    notes = (*notes, *fitted, *((f"nobody looks from the angle of {left}",) if left else ()))
    return Size(number, source, number * max(vendors, 1), explorers, perspectives[:places], notes)


def count_judges(config: Config, modes: Iterable[str], perspectives: int) -> tuple[int, str]:
    """Judges for each vendor and where the number came from; ``modes`` are ``deep`` and ``mixed``.

    ``--mixed`` with perspectives seats one judge of each vendor for each of them.
    """
    modes, judges = tuple(modes), config.values["council.judges"]
    if modes and judges.layer < FLAG:
        judges = Origin(_THREE, f"--{modes[0]}")
    fixed = config.given("council.judges", FLAG)
    number = int(judges.value) if isinstance(judges.value, int) else 0
    if not fixed and (perspectives > number or (perspectives and modes == ("mixed",))):
        return perspectives, "one for each perspective"
    return number, judges.source


def fitting(vendors: int, explorers: int) -> int:
    """The most judges of each vendor that stay within the cap; pairs of vendors are kept whole."""
    return MAX_AGENTS // (max(vendors, 1) * (1 + explorers))


def _over_cap(number: int, vendors: int, explorers: int, fit: bool) -> tuple[str, ...]:
    """What is said of judges that are taken away; UsageError when none may be."""
    most = fitting(vendors, explorers)
    if not vendors or number <= most:
        return ()
    total = number * vendors * (1 + explorers)
    each = f" x (1 + {explorers} explorers)" if explorers else ""
    sum_of = f"{number} judges{' x 2 vendors' if vendors > 1 else ''}{each} = {total} agents"
    pair = " of each vendor" if vendors > 1 else ""
    if not fit:
        raise UsageError(
            f"{sum_of}, and at most {MAX_AGENTS} are called",
            f"--fit seats {most}{pair} instead; or give fewer --explorers or a smaller --count."
            " council.fit is off in the settings.",
        )
    fitted = most * vendors * (1 + explorers)
    sit = f"{count(most, 'judge')}{pair} {'sits' if most == 1 else 'sit'} instead"
    return (
        f"scaled down: {sum_of}, at most {MAX_AGENTS} are called: {sit}, {fitted} agents in all",
    )
