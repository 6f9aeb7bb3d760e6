"""Who judges, and from which perspectives.

The perspectives: flags first, then the preset, then the project's own choice. Who looks from them is a
vendor with its model, or agents that were named. A vendor is a word as ``--model`` takes it: a client
(``claude``, ``codex``, ``gemini``, each with ``:MODEL`` if wished), ``provider:model``, or ``tools`` for
evidence judges. Nothing is sent to a vendor that nobody chose. Who is chosen, first rule that applies:

    1. --model A[,B], --runtime A      4. council.claude_model, where it is set: claude
    2. --claude-model: claude          5. panel.model
    3. council.vendors                 6. claude with --mixed, else nobody: evidence judges

The second vendor of ``--mixed`` is the second word of the same rule, else codex (claude beside codex).
Its model is the one that the strongest layer names; of one layer, ``council.claude_model`` comes
before ``council.models`` before the word itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from guildmoot.agents.binding import ModelBinding, bind_model, parse_model
from guildmoot.agents.families import default_family
from guildmoot.agents.presets.loader import DEFAULT, Reviewers, from_project
from guildmoot.agents.presets.model import Perspective, Preset
from guildmoot.agents.presets.perspectives import check_name, read_perspectives
from guildmoot.backends import get_backend, traits_of
from guildmoot.config import BUILT_IN, FLAG, Config, Origin
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.agent import Agent
from guildmoot.model.council import Task
from guildmoot.model.settings import find_profile
from guildmoot.practices.council.request import CouncilOptions, one_of
from guildmoot.practices.repository import RepositoryView

TOOLS = "tools"
NAMED = "agents"
"""What the vendor is called that stands for the agents of ``--agents``."""
FEWEST_EXPERTS, MOST_EXPERTS = 2, 4
_OWN_MODEL = ("claude", "codex")
"""Vendors whose model is a setting of its own."""
_NO_MODEL = (
    "no model is configured: tools of this machine judge, and nothing is sent anywhere;"
    " --model claude (or codex, gemini, PROVIDER:MODEL) asks one"
)


JUDGE = Agent(
    name="judge",
    description="a judge of the council; its prompt is written for each council",
    body="",
    source="built in",
    reply="council",
)
"""Who sits where no agent was named; bound to a vendor before it is seated."""


class Vendor(NamedTuple):
    """Who answers for one side of a council."""

    name: str
    """As reports call it, e.g. ``claude``, ``codex``, ``tools``, ``scripted``."""
    backend: str
    """``claude``, ``codex``, ``gemini``, ``api``, ``tool`` ... ; empty leaves it to the agent file."""
    model: str = ""
    agent: str = ""
    """A named agent to seat in place of the built-in judge (``--agents``)."""


class Judges(NamedTuple):
    """Who judges; neither vendors nor agents: evidence judges."""

    vendors: tuple[Vendor, ...] = ()
    agents: tuple[str, ...] = ()
    """Agents that take the seats in turn."""
    notes: tuple[str, ...] = ()
    sources: tuple[tuple[str, str, str], ...] = ()


def choose_judges(
    options: CouncilOptions, config: Config, task: Task, available: Callable[[str], str]
) -> Judges:
    """Who judges; an error before anything is spent when one of them cannot answer."""
    agents = _agents(config)
    if agents is None:
        judges = _vendors(options, config, available)
        if not judges.vendors and task != "validate":
            raise UsageError(
                f"{task} needs judges that can think, and no model is configured",
                "Name one: --model claude, --model provider:model,"
                " or --agents with agents of your own.",
            )
        return judges if judges.vendors else judges._replace(notes=(*judges.notes, _NO_MODEL))
    names, source = tuple(_words_of(agents)), agents.source
    named = (("judges are", ", ".join(names), source),)
    if options.mixed:
        if len(names) != 2:
            raise UsageError(
                f"--mixed has two sides, and {source} names {len(names)} agents",
                "Name one agent for each side: --agents A,B",
            )
        return Judges(tuple(Vendor(name, "", agent=name) for name in names), sources=named)
    if _typed(config, "council.vendors", "council.claude_model", but="--runtime"):
        judges = _vendors(options, config, available)
        return judges._replace(agents=names, sources=(*named, *judges.sources))
    return Judges((Vendor(NAMED, ""),), names, sources=named)


def why_not(vendor: str) -> str:
    """Why a vendor (``claude``, ``codex:MODEL``, ``provider:model``) cannot answer now, or nothing."""
    judge = bind_model(JUDGE, parse_model(vendor)._replace(agent=JUDGE.name))
    return get_backend(judge.backend).missing(judge)


def _agents(config: Config) -> Origin | None:
    """Agents that take the seats: named now, or configured unless a vendor is named now."""
    agents = config.given("council.agents")
    if agents and agents.layer != FLAG:
        typed = _typed(config, "council.vendors", "council.claude_model")
        return None if typed else agents._replace(source="council.agents")
    return agents


def _typed(config: Config, *keys: str, but: str = "") -> bool:
    given = [config.given(key, FLAG) for key in keys]
    return any(each for each in given if each and each.source != but)


def _words_of(origin: Origin) -> tuple[str, ...]:
    return origin.value if isinstance(origin.value, tuple) else (str(origin.value),)


def _vendors(options: CouncilOptions, config: Config, available: Callable[[str], str]) -> Judges:
    chosen, source = _choice(options, config)
    words = _words_of(chosen)
    if [word.casefold() for word in words] == [TOOLS]:
        if options.mixed:
            raise UsageError(
                "--mixed seats two vendors, and tools are none",
                "Drop --mixed, or name two vendors.",
            )
        return Judges(sources=(("vendors", TOOLS, source),))
    if options.mixed:
        words = (*words, "claude" if parse_model(words[0]).backend == "codex" else "codex")
    words = words[: 1 + options.mixed]
    sides = [_vendor(parse_model(word), config, chosen) for word in words]
    vendors = tuple(vendor for vendor, _, _ in sides)
    _refuse_unused(config, [vendor.name for vendor in vendors])
    if options.mixed:
        _refuse_same(vendors)
    usable, missing = _usable(vendors, config, available, mixed=options.mixed)
    models = (
        (f"model of {vendor.name}", str(model.value) or "the client's own", model.source)
        for vendor, _, model in sides
    )
    return Judges(
        usable,
        notes=(*(note for _, note, _ in sides if note), *missing),
        sources=(("vendors", ", ".join(words), source), *models),
    )


def _choice(options: CouncilOptions, config: Config) -> tuple[Origin, str]:
    """The vendors' words, and the rule that they come from as reports name it."""
    typed = config.given("council.vendors", FLAG)
    if typed and len(_words_of(typed)) > 1 and not options.mixed:
        raise UsageError(
            f"{typed.source} names two vendors, and only one judges", "Add --mixed, or name one."
        )
    if typed and len(_words_of(typed)) > 2:
        hint = "Name two; or seat agents on any models: --agents a@claude,b@codex,c@gemini."
        raise UsageError(f"{typed.source} names more vendors than the two of --mixed", hint)
    claude, panel = config.given("council.claude_model"), config.given("panel.model")
    word = str(claude.value) if claude else ""
    # A bare name is the client's; ``provider:model`` says where else it runs.
    by_claude = claude and claude._replace(value=(word if ":" in word else f"claude:{word}",))
    chosen = typed or (by_claude if claude and claude.layer == FLAG else None)
    chosen = chosen or config.given("council.vendors") or by_claude
    if chosen:
        return chosen, chosen.source
    if panel:
        return panel, f"panel.model, {panel.source}"
    chosen = Origin(("claude",), "--mixed") if options.mixed else Origin((TOOLS,), BUILT_IN)
    return chosen, chosen.source


def _vendor(binding: ModelBinding, config: Config, chosen: Origin) -> tuple[Vendor, str, Origin]:
    """One vendor, what must be said of it, and where its model came from."""
    is_client = traits_of(binding.backend).bare_models
    name = binding.backend if is_client else binding.model.partition(":")[0]
    word = binding.model if is_client else binding.model.partition(":")[2]
    profile, listed = find_profile(config.text("council.profile")), _listed(config)
    of_profile = listed.get(f"{profile.profile}.{name}") if profile else None
    candidates = [
        config.values[f"council.{name}_model"] if name in _OWN_MODEL else None,
        of_profile,
        listed.get(name),
        chosen._replace(value=word) if word else None,
    ]
    model = max(
        (each for each in candidates if each),
        key=lambda each: each.layer,
        default=Origin("", BUILT_IN),
    )
    bare, note = str(model.value).removeprefix(f"{name}:"), ""
    if profile and name != "claude" and not of_profile:
        kept = bare or "its own default"
        note = f"profile {profile.profile} names no model for {name}: {kept} is used"
    return Vendor(name, binding.backend, bare if is_client else f"{name}:{bare}"), note, model


def _listed(config: Config) -> dict[str, Origin]:
    """``council.models``: ``claude=opus``, or ``thorough.codex=MODEL`` for one profile."""
    models, found = config.values["council.models"], dict[str, Origin]()
    for entry in _words_of(models):
        key, equals, model = (part.strip() for part in entry.partition("="))
        if not (key and equals and model):
            raise UsageError(
                f"{models.source}: council.models: {entry!r} is not VENDOR=MODEL",
                'For example: models = ["claude=opus", "fast.codex=gpt-5-mini"]',
            )
        found[key.casefold()] = models._replace(value=model)
    return found


def _refuse_unused(config: Config, names: list[str]) -> None:
    """A flag that would have no effect is a mistake, so it is refused."""
    for name in _OWN_MODEL:
        given = config.given(f"council.{name}_model", FLAG)
        if given and ":" not in str(given.value) and name not in names:
            raise UsageError(
                f"--{name}-model was given, but {name} does not judge here",
                f"Add --mixed or --runtime={name}, or drop the flag.",
            )


def _refuse_same(vendors: tuple[Vendor, ...]) -> None:
    if len({default_family(each.backend, (), each.model) for each in vendors}) < len(vendors):
        raise UsageError(
            f"--mixed: {' and '.join(vendor.name for vendor in vendors)} are one vendor",
            "Judges of one vendor err together; name another one: --model claude,codex",
        )


def _usable(
    vendors: tuple[Vendor, ...], config: Config, available: Callable[[str], str], *, mixed: bool
) -> tuple[tuple[Vendor, ...], tuple[str, ...]]:
    missing = {vendor.name: available(_word(vendor)) for vendor in vendors}
    gone = {name: why for name, why in missing.items() if why}
    if gone and mixed and config.flag("council.strict_mixed"):
        name, why = next(iter(gone.items()))
        raise UsageError(
            f"--mixed: {name} cannot answer: {why}",
            f"Nothing was called. Make {name} usable, or drop --strict-mixed:"
            " it then goes on with one vendor, and the report says so.",
        )
    if len(gone) == len(vendors):
        name, why = next(iter(gone.items()))
        raise InfrastructureError(
            f"{name} cannot answer: {why}",
            "Nothing was called. --runtime=tools judges with the tools of this machine.",
        )
    notes = (
        f"--mixed: {name} does not judge, for it cannot answer: {why}; one vendor alone is no second"
        " opinion, and --strict-mixed refuses it"
        for name, why in gone.items()
    )
    return tuple(vendor for vendor in vendors if vendor.name not in gone), tuple(notes)


def _word(vendor: Vendor) -> str:
    """The vendor as ``--model`` names it."""
    if not traits_of(vendor.backend).bare_models:
        return vendor.model
    return f"{vendor.backend}:{vendor.model}" if vendor.model else vendor.backend


class ChosenPerspectives(NamedTuple):
    """The perspectives that were chosen, in order; empty: judges without labels."""

    perspectives: tuple[Perspective, ...] = ()
    preset: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()


def choose_perspectives(
    options: CouncilOptions,
    task: Task,
    about_plan: bool,
    experts: tuple[str, ...],
    presets: Mapping[str, Preset],
    repository: RepositoryView,
) -> ChosenPerspectives:
    """The perspectives of one council; ``experts`` are those that the words call upon."""
    reviewers = repository.reviewers
    chosen_here = reviewers.plan_reviewers if about_plan else reviewers.reviewers
    if options.perspectives or options.perspectives_file:
        chosen = _from_flags(options, presets, repository)
    elif task == "debate" and experts:
        called = _named(experts, presets, "the experts")
        chosen = ChosenPerspectives(called, source="the words of the request")
    elif options.preset:
        chosen = _from_preset(options.preset, presets, reviewers)
    elif task == "validate" and chosen_here and not options.quick:
        named = _named(chosen_here, presets, reviewers.source)
        note = f"{reviewers.source} of this repository chose the perspectives"
        chosen = ChosenPerspectives(named, source=reviewers.source, notes=(note,))
        chosen = _without_skipped(chosen, reviewers)
    elif task == "debate" and "duel" in presets:
        own = from_project(presets, "duel")
        source = presets["duel"].source if own else "built in"
        chosen = ChosenPerspectives(presets["duel"].perspectives, "duel", source)
    else:
        chosen = ChosenPerspectives()
    added = _named(options.add_perspective, presets, "--add-perspective")
    chosen = chosen._replace(perspectives=_once((*chosen.perspectives, *added)))
    number = len(chosen.perspectives)
    if task == "debate" and not FEWEST_EXPERTS <= number <= MOST_EXPERTS:
        raise UsageError(
            f"a duel is between {FEWEST_EXPERTS} and {MOST_EXPERTS} experts, not {number}",
            'Name them: --perspectives="first expert,second expert".',
        )
    return chosen._replace(notes=(*_own(chosen, presets), *chosen.notes))


def _from_flags(
    options: CouncilOptions, presets: Mapping[str, Preset], repository: RepositoryView
) -> ChosenPerspectives:
    filed = _filed(options.perspectives_file, repository) if options.perspectives_file else ()
    by_file = {each.name.casefold(): each for each in filed}
    named = _named(options.perspectives, presets, "--perspectives")
    found = _once((*(by_file.get(each.name.casefold(), each) for each in named), *filed))
    notes = (f"--preset={options.preset} gives way to the perspectives that were named",)
    source = "--perspectives" if options.perspectives else "--perspectives-file"
    return ChosenPerspectives(found, source=source, notes=notes if options.preset else ())


def _filed(path: str, repository: RepositoryView) -> tuple[Perspective, ...]:
    try:
        return read_perspectives(repository.read(path), path)
    except OSError as wrong:
        raise UsageError(f"--perspectives-file {path}: {wrong.strerror}") from wrong
    except UnicodeDecodeError as wrong:
        raise UsageError(f"--perspectives-file {path}: it is not UTF-8 text") from wrong


def _from_preset(
    name: str, presets: Mapping[str, Preset], reviewers: Reviewers
) -> ChosenPerspectives:
    name = one_of(name, (*presets, DEFAULT), "preset")
    if name == DEFAULT:
        return ChosenPerspectives(source="--preset=default")
    found = ChosenPerspectives(presets[name].perspectives, name, f"--preset={name}")
    return _without_skipped(found, reviewers)


def _own(chosen: ChosenPerspectives, presets: Mapping[str, Preset]) -> Iterator[str]:
    """Whose words the judges are given is said where they are the repository's."""
    own = {name: preset for name, preset in presets.items() if from_project(presets, name)}
    if chosen.preset in own:
        yield f"the preset {chosen.preset} is this repository's own: {own[chosen.preset].source}"
    sources = {
        perspective: preset.source
        for name, preset in own.items()
        if name != chosen.preset
        for perspective in preset.perspectives
    }
    for each in chosen.perspectives:
        if each in sources:
            yield f"the perspective {each.name} is this repository's own: {sources[each]}"


def _without_skipped(chosen: ChosenPerspectives, reviewers: Reviewers) -> ChosenPerspectives:
    skipped = {name.casefold() for name in reviewers.skip_reviewers}
    kept = tuple(each for each in chosen.perspectives if each.name.casefold() not in skipped)
    gone = ", ".join(each.name for each in chosen.perspectives if each not in kept)
    notes = (f"{reviewers.source} of this repository skips {gone}",) if gone else ()
    return chosen._replace(perspectives=kept, notes=(*chosen.notes, *notes))


def _named(
    names: Iterable[str], presets: Mapping[str, Preset], where: str
) -> tuple[Perspective, ...]:
    """The perspectives of those names in any preset, else ones that are nothing but their name."""
    every = [each for preset in presets.values() for each in preset.perspectives]
    known = {each.name.casefold(): each for each in reversed(every)}
    return _once(
        known.get(name.strip().casefold()) or Perspective(check_name(name.strip(), where))
        for name in names
    )


def _once(perspectives: Iterable[Perspective]) -> tuple[Perspective, ...]:
    """The first of each name."""
    found: dict[str, Perspective] = {}
    for perspective in perspectives:
        found.setdefault(perspective.name.casefold(), perspective)
    return tuple(found.values())
