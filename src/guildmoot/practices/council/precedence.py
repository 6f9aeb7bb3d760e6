"""Which setting wins, and where it came from.

Strongest first: an environment variable of the council's own, a flag, the profile, the project's or
the user's settings, what is built in. For the number of judges, ``--count`` beats the number of
perspectives, which beats the mode's. A profile named by a flag beats one from the environment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from guildmoot.config import Config
from guildmoot.errors import UsageError

BUILT_IN = "built in"
TWO, THREE = 2, 3


class Profile(NamedTuple):
    """A quality of judging, by one name."""

    name: str
    models: Mapping[str, str]
    """The model of each vendor whose names for models are settled."""
    judges: int
    timeout: float


PROFILES: dict[str, Profile] = {
    "thorough": Profile("thorough", {"claude": "opus"}, THREE, 120.0),
    "balanced": Profile("balanced", {"claude": "sonnet"}, TWO, 120.0),
    "fast": Profile("fast", {"claude": "haiku"}, TWO, 60.0),
}
_TIERS = {"quality": "thorough", "budget": "fast"}
INHERIT = "inherit"
PROFILE_NAMES = (*PROFILES, *_TIERS, INHERIT)


class Choice(NamedTuple):
    """A value and where it came from."""

    value: str
    source: str

    @property
    def number(self) -> float:
        """The value as a number; only for choices that were checked to be one."""
        return float(self.value)


class Settings(NamedTuple):
    """The layers that are asked: environment and configuration; flags are passed with each question."""

    environ: Mapping[str, str]
    config: Config

    def env(self, name: str) -> Choice | None:
        """An environment variable; an empty one counts as unset."""
        value = self.environ.get(name, "").strip()
        return Choice(value, f"${name}") if value else None

    def configured(self, key: str) -> Choice | None:
        """A setting that somebody made; what is built in counts as unset."""
        origin = self.config.values.get(key)
        if origin is None or origin.source == BUILT_IN or origin.value in ("", ()):
            return None
        value = origin.value
        return Choice(",".join(value) if isinstance(value, tuple) else str(value), origin.source)

    def is_on(self, key: str) -> bool:
        """A yes-or-no setting."""
        origin = self.config.values.get(key)
        return bool(origin and origin.value)


def flag(name: str, value: object) -> Choice | None:
    """What was given on the command line; None when it was not."""
    return None if value is None or value == "" else Choice(str(value), name)


def first(*layers: Choice | None, built_in: str = "") -> Choice:
    """The first layer that says something."""
    return next((layer for layer in layers if layer is not None), Choice(built_in, BUILT_IN))


def choose_profile(settings: Settings, profile: str, tier: str) -> tuple[Profile | None, Choice]:
    """The profile that was asked for, under its own name or a tier's; None when none was."""
    if profile and tier and _canonical(profile) != _canonical(tier):
        raise UsageError(f"--profile {profile} and --tier {tier} name two profiles", "Name one.")
    chosen = first(
        flag("--profile", profile),
        flag("--tier", tier),
        settings.env("AGENTOPS_COUNCIL_MODEL_TIER"),
        settings.env("AGENTOPS_MODEL_TIER"),
        settings.configured("council.profile"),
    )
    if not chosen.value:
        return None, chosen
    name = one_of(chosen, PROFILE_NAMES, "profile").casefold()
    if name == INHERIT:
        return None, Choice(INHERIT, chosen.source)
    found = PROFILES[_canonical(name)]
    return found, Choice(found.name, chosen.source)


def choose_judges(
    settings: Settings,
    count: int | None,
    modes: Iterable[str],
    profile: Profile | None,
    perspectives: int,
) -> Choice:
    """Judges for each vendor; ``modes`` are those of ``deep`` and ``mixed`` that were asked for.

    ``--mixed`` with perspectives seats one judge of each vendor for each of them.
    """
    fixed = _whole(settings.env("COUNCIL_JUDGE_COUNT")) or _whole(flag("--count", count))
    if fixed:
        return fixed
    modes = tuple(modes)
    if perspectives and modes == ("mixed",):
        return Choice(str(perspectives), "one for each perspective")
    base = first(
        *(Choice(str(THREE), f"--{mode}") for mode in modes),
        Choice(str(profile.judges), f"profile {profile.name}") if profile else None,
        _whole(settings.configured("council.judges")),
        built_in=str(TWO),
    )
    if perspectives > base.number:
        return Choice(str(perspectives), "one for each perspective")
    return base


def choose_timeouts(
    settings: Settings, timeout: float | None, profile: Profile | None
) -> tuple[Choice, Choice, Choice]:
    """Seconds for a judge, for its second round, and for an explorer."""
    by_flag = flag("--timeout", timeout)
    judge = first(
        settings.env("COUNCIL_TIMEOUT"),
        by_flag,
        Choice(f"{profile.timeout:g}", f"profile {profile.name}") if profile else None,
        settings.configured("council.timeout"),
        built_in="120",
    )
    second = first(
        settings.env("COUNCIL_R2_TIMEOUT"),
        by_flag,
        settings.configured("council.second_timeout"),
        built_in=f"{min(90.0, _seconds(judge).number):g}",
    )
    explorer = first(
        settings.env("COUNCIL_EXPLORER_TIMEOUT"),
        settings.configured("council.explorer_timeout"),
        built_in="60",
    )
    return _seconds(judge), _seconds(second), _seconds(explorer)


def one_of(choice: Choice, known: Iterable[str], what: str) -> str:
    """The value, when it is one of the known ones, upper and lower case alike."""
    names = tuple(known)
    if choice.value.casefold() in names:
        return choice.value.casefold()
    near = get_close_matches(choice.value.casefold(), names, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    said = f"unknown {what} {choice.value!r}"
    raise UsageError(
        said if choice.source.startswith("--") else f"{choice.source}: {said}",
        f"{meant}It is one of: {', '.join(names)}.",
    )


def _canonical(name: str) -> str:
    return _TIERS.get(name.casefold(), name.casefold())


def _whole(choice: Choice | None) -> Choice | None:
    """A number of judges, from 1."""
    if choice is None:
        return None
    if not choice.value.isascii() or not choice.value.isdecimal() or int(choice.value) < 1:
        raise UsageError(
            f"{choice.source} must be a whole number from 1, not {choice.value!r}",
            "It is the number of judges for each vendor.",
        )
    return choice


def _seconds(choice: Choice) -> Choice:
    try:
        seconds = float(choice.value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"{choice.source} must be a number of seconds, not {choice.value!r}")
    return choice
