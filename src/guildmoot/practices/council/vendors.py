"""Who answers: the vendors of one council, each with its model, or the agents that were named.

A vendor is a word as ``--model`` takes it: a client (``claude``, ``codex``, ``gemini``, each with
``:MODEL`` if wished), ``provider:model``, or ``tools`` for evidence judges. Nothing is sent to a
vendor that nobody chose. Who is chosen, first rule that applies:

    1. --model A[,B], --runtime A      4. council.claude_model, where it is set: claude
    2. --claude-model: claude          5. panel.model
    3. council.vendors                 6. claude with --mixed, else nobody: evidence judges

The second vendor of ``--mixed`` is the second word of the same rule, else codex (claude beside codex).
Its model is the one that the strongest layer names; of one layer, ``council.claude_model`` comes
before ``council.models`` before the word itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from guildmoot.agents.binding import ModelBinding, bind_model, parse_model
from guildmoot.agents.families import default_family
from guildmoot.backends import get_backend, traits_of
from guildmoot.config import BUILT_IN, FLAG, Config, Origin
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.agent import Agent
from guildmoot.model.council import Task
from guildmoot.model.settings import find_profile
from guildmoot.practices.council.options import CouncilOptions

TOOLS = "tools"
NAMED = "agents"
"""What the vendor is called that stands for the agents of ``--agents``."""
_OWN_MODEL = ("claude", "codex")
"""Vendors whose model is a setting of its own."""
_NO_MODEL = (
    "no model is configured: tools of this machine judge, each by its own rules, and nothing is"
    " sent to a vendor; --model claude, or vendors under [council] in guild.toml, seats models"
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
                f"a {task} needs judges that can think, and no model is configured",
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
    words = (*words, _other(words[0]))[:2] if options.mixed else words[:1]
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
    claude, panel = config.given("council.claude_model"), config.given("panel.model")
    by_claude = claude and claude._replace(value=(_claude(str(claude.value)),))
    chosen = typed or (by_claude if claude and claude.layer == FLAG else None)
    chosen = chosen or config.given("council.vendors") or by_claude
    if chosen:
        return chosen, chosen.source
    if panel:
        return panel, f"panel.model, {panel.source}"
    chosen = Origin(("claude",), "--mixed") if options.mixed else Origin((TOOLS,), BUILT_IN)
    return chosen, chosen.source


def _claude(model: str) -> str:
    """A bare name is the client's; ``provider:model`` says where else it runs."""
    return model if ":" in model else f"claude:{model}"


def _other(word: str) -> str:
    return "claude" if parse_model(word).backend == "codex" else "codex"


def _vendor(binding: ModelBinding, config: Config, chosen: Origin) -> tuple[Vendor, str, Origin]:
    """One vendor, what must be said of it, and where its model came from."""
    is_client = traits_of(binding.backend).is_client
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
    families = {default_family(vendor.backend, (), vendor.model) for vendor in vendors}
    if len(families) < len(vendors):
        raise UsageError(
            f"--mixed: {' and '.join(vendor.name for vendor in vendors)} are one vendor",
            "Judges of one vendor err together; name another one: --model claude,codex",
        )


def _usable(
    vendors: tuple[Vendor, ...], config: Config, available: Callable[[str], str], *, mixed: bool
) -> tuple[tuple[Vendor, ...], tuple[str, ...]]:
    missing = {vendor.name: available(_word(vendor)) for vendor in vendors}
    gone = {name: why for name, why in missing.items() if why}
    if gone and mixed and not config.flag("panel.degrade"):
        name, why = next(iter(gone.items()))
        raise UsageError(
            f"--mixed: {name} cannot answer: {why}",
            f"Nothing was called. Make {name} usable, or drop --mixed"
            " (--degrade goes on with one vendor, and the report says so).",
        )
    if len(gone) == len(vendors):
        name, why = next(iter(gone.items()))
        raise InfrastructureError(
            f"{name} cannot answer: {why}",
            "Nothing was called. --runtime=tools judges with the tools of this machine.",
        )
    notes = (
        f"--degrade: {name} does not judge, for it cannot answer: {why}"
        for name, why in gone.items()
    )
    return tuple(vendor for vendor in vendors if vendor.name not in gone), tuple(notes)


def _word(vendor: Vendor) -> str:
    """The vendor as ``--model`` names it."""
    if not traits_of(vendor.backend).is_client:
        return vendor.model
    return f"{vendor.backend}:{vendor.model}" if vendor.model else vendor.backend
