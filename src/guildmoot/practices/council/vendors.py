"""Who answers: the vendors of one council, each with its model.

A vendor is a word as ``--model`` takes it: a client (``claude``, ``codex``, ``gemini``, each with
``:MODEL`` if wished), ``provider:model``, or ``tools`` for evidence judges. Nothing is sent to a
vendor that nobody chose. Who is chosen, first rule that applies:

    1. --model A[,B]               5. COUNCIL_CLAUDE_MODEL: claude
    2. --runtime A                 6. panel.model
    3. --claude-model: claude      7. with --mixed: claude
    4. council.vendors             8. nobody: evidence judges

The second side of ``--mixed`` is the second word of the same rule, else codex (claude beside codex).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from guildmoot.agents.binding import ModelBinding, parse_model
from guildmoot.agents.families import default_family
from guildmoot.backends import traits_of
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.practices.council.asked import Asked
from guildmoot.practices.council.plan import Vendor
from guildmoot.practices.council.precedence import Choice, Profile, Settings, first, flag

TOOLS = "tools"
_MODEL_ENV = {"claude": "COUNCIL_CLAUDE_MODEL", "codex": "COUNCIL_CODEX_MODEL"}
_BUILT_IN = {"claude": "sonnet"}


class Sides(NamedTuple):
    """The vendors at the table; none: evidence judges."""

    vendors: tuple[Vendor, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[tuple[str, str, str], ...] = ()


def choose_vendors(
    asked: Asked, settings: Settings, profile: Profile | None, available: Callable[[str], str]
) -> Sides:
    """The sides of the table; UsageError before anything is spent when one cannot answer."""
    words, source = _words(asked, settings)
    if [word.casefold() for word in words] == [TOOLS]:
        _refuse_mixed_tools(asked)
        return Sides(sources=(("vendors", TOOLS, source),))
    words = (*words, _other(words[0]))[:2] if asked.mixed else words[:1]
    sides = [_side(parse_model(word), asked, settings, profile, source) for word in words]
    _refuse_unused(asked, [vendor.name for vendor, _, _ in sides])
    vendors = tuple(vendor for vendor, _, _ in sides)
    notes = tuple(note for _, note, _ in sides if note)
    sources = tuple(
        (f"model of {vendor.name}", choice.value or "the client's own", choice.source)
        for vendor, _, choice in sides
    )
    if asked.mixed:
        _refuse_same(vendors)
    usable, missing = _usable(vendors, asked, available)
    return Sides(usable, (*notes, *missing), (("vendors", ", ".join(words), source), *sources))


def _words(asked: Asked, settings: Settings) -> tuple[tuple[str, ...], str]:
    """The vendors' words and the rule that they come from."""
    claude = settings.env("COUNCIL_CLAUDE_MODEL")
    configured = settings.configured("council.vendors")
    panel = settings.configured("panel.model")
    if asked.model:
        if len(asked.model) > 1 and not asked.mixed:
            raise UsageError(
                "--model names two vendors, and only one judges", "Add --mixed, or name one."
            )
        return asked.model, "--model"
    if asked.runtime:
        return (asked.runtime,), "--runtime"
    if asked.claude_model:
        return (_claude(asked.claude_model),), "--claude-model"
    if configured:
        return tuple(configured.value.split(",")), configured.source
    if claude:
        return (_claude(claude.value),), claude.source
    if panel:
        return (panel.value,), f"panel.model, {panel.source}"
    return (("claude",), "--mixed") if asked.mixed else ((TOOLS,), "built in")


def _claude(model: str) -> str:
    """A bare name is the client's; ``provider:model`` says where else it runs."""
    return model if ":" in model else f"claude:{model}"


def _other(word: str) -> str:
    return "claude" if parse_model(word).backend == "codex" else "codex"


def _side(
    casting: ModelBinding, asked: Asked, settings: Settings, profile: Profile | None, source: str
) -> tuple[Vendor, str, Choice]:
    """One side of the table, what must be said of it, and where its model came from."""
    is_client = traits_of(casting.backend).is_client
    name = casting.backend if is_client else casting.model.partition(":")[0]
    own = casting.model if is_client else casting.model.partition(":")[2]
    by_flag = {"claude": asked.claude_model, "codex": asked.codex_model}.get(name, "")
    typed = source.startswith("--")
    choice = first(
        settings.env(_MODEL_ENV[name]) if name in _MODEL_ENV else None,
        flag(f"--{name}-model", by_flag),
        flag(source, own) if typed else None,
        _of_profile(settings, profile, name),
        _listed(settings).get(name),
        Choice(own, source) if own else None,
        built_in=_BUILT_IN.get(name, ""),
    )
    bare = choice.value.removeprefix(f"{name}:")
    note = ""
    if profile and not _of_profile(settings, profile, name):
        kept = bare or "its own default"
        note = f"profile {profile.name} names no model for {name}: {kept} is used"
    return Vendor(name, casting.backend, bare if is_client else f"{name}:{bare}"), note, choice


def _of_profile(settings: Settings, profile: Profile | None, name: str) -> Choice | None:
    if profile is None:
        return None
    model = profile.models.get(name)
    return _listed(settings).get(f"{profile.name}.{name}") or (
        Choice(model, f"profile {profile.name}") if model else None
    )


def _listed(settings: Settings) -> Mapping[str, Choice]:
    """``council.models``: ``claude=opus``, or ``thorough.codex=MODEL`` for one profile."""
    configured = settings.configured("council.models")
    found: dict[str, Choice] = {}
    for entry in configured.value.split(",") if configured else ():
        key, equals, model = (part.strip() for part in entry.partition("="))
        if not (key and equals and model):
            raise UsageError(
                f"{configured.source if configured else ''}: council.models: {entry!r}"
                " is not VENDOR=MODEL",
                'For example: models = ["claude=opus", "fast.codex=gpt-5-mini"]',
            )
        found[key.casefold()] = Choice(model, configured.source if configured else "")
    return found


def _refuse_mixed_tools(asked: Asked) -> None:
    if asked.mixed:
        raise UsageError(
            "--mixed seats two vendors, and tools are none", "Drop --mixed, or name two vendors."
        )


def _refuse_unused(asked: Asked, names: list[str]) -> None:
    """A flag that would have no effect is a mistake that somebody should hear of."""
    for name, given in (("claude", asked.claude_model), ("codex", asked.codex_model)):
        if given and ":" not in given and name not in names:
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
    vendors: tuple[Vendor, ...], asked: Asked, available: Callable[[str], str]
) -> tuple[tuple[Vendor, ...], tuple[str, ...]]:
    missing = {vendor.name: available(_word(vendor)) for vendor in vendors}
    gone = {name: why for name, why in missing.items() if why}
    if gone and asked.mixed and not asked.degrade:
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
