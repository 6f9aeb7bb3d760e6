"""Which setting wins in a council: flag, environment, project, profile, built in."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.cli.guild.council_arguments import council_options, parse_options, setting_flags
from guildmoot.config import Config, Origin, load_config
from guildmoot.errors import UsageError
from guildmoot.practices.council.plan import (
    MAX_AGENTS,
    CouncilPlan,
    count_judges,
    fitting,
    plan_council,
)

NOWHERE = Path("/nowhere/guild.toml")


def settings(*flags: str, env: dict[str, str] | None = None, **project: object) -> Config:
    found = load_config(None, NOWHERE, env or {}, setting_flags(parse_options(flags)))
    below = {key: origin for key, origin in found.values.items() if origin.layer < 3}
    own = {f"council.{key}": Origin(value, "guild.toml") for key, value in project.items()}  # type: ignore[arg-type]
    return found._replace(values={**found.values, **{k: own[k] for k in own if k in below}})


def plan(*flags: str, env: dict[str, str] | None = None, **project: object) -> CouncilPlan:
    config = settings(*flags, env=env, **{"vendors": ("claude",), **project})
    options = council_options(parse_options([*flags, "recent"]))
    return plan_council(options, config, {}, lambda vendor: "")


def strongest(*layers: tuple[bool, object]) -> object:
    return next(value for given, value in layers if given)


LAYERS = list(product((False, True), repeat=4))


@pytest.mark.parametrize("name", ["COUNCIL_TIMEOUT", "GUILD_COUNCIL_TIMEOUT"])
@pytest.mark.parametrize(("flag", "env", "project", "profile"), LAYERS)
def test_a_timeout_is_that_of_the_strongest_layer_that_says_one(name, flag, env, project, profile):
    flags = [*(["--timeout=22"] if flag else []), *(["--profile=fast"] if profile else [])]
    found = plan(*flags, env={name: "11"} if env else {}, **({"timeout": 44.0} if project else {}))
    layers = ((flag, 22), (env, 11), (project, 44), (profile, 60), (True, 120))
    assert found.timeout == strongest(*layers)


def test_the_rounds_after_the_first_have_times_of_their_own():
    def times(*flags, **more):
        found = plan(*flags, **more)
        return found.timeout, found.second_timeout, found.explorer_timeout

    assert times() == (120, 90, 60)
    env = {"COUNCIL_R2_TIMEOUT": "7", "COUNCIL_EXPLORER_TIMEOUT": "8"}
    assert times(env=env) == (120, 7, 8)
    assert ("second round's timeout", "7", "$COUNCIL_R2_TIMEOUT") in plan(env=env).sources
    assert times("--timeout=300") == (300, 300, 60)
    assert times("--timeout=300", env=env) == (300, 300, 8)
    assert times("--profile=fast") == (60, 60, 60)


@pytest.mark.parametrize("value", ["abc", "0", "-1", "inf", "nan"])
def test_a_time_that_is_none_is_refused_by_its_name(value):
    with pytest.raises(UsageError, match="COUNCIL_TIMEOUT"):
        plan(env={"COUNCIL_TIMEOUT": value})
    with pytest.raises(UsageError, match="--timeout"):
        plan(f"--timeout={'0' if value == 'abc' else value}")


@pytest.mark.parametrize(
    ("flag", "mode", "env", "project", "profile"), list(product((False, True), repeat=5))
)
def test_the_number_of_judges_follows_the_same_order(flag, mode, env, project, profile):
    given = {"--count=4": flag, "--deep": mode, "--profile=thorough": profile}
    found = plan(
        *(name for name, on in given.items() if on),
        env={"COUNCIL_JUDGE_COUNT": "5"} if env else {},
        **({"judges": 7} if project else {}),
    )
    layers = ((flag, 4), (mode, 3), (env, 5), (project, 7), (profile, 3), (True, 2))
    assert found.judges == strongest(*layers)


@pytest.mark.parametrize("name", ["COUNCIL_CLAUDE_MODEL", "GUILD_COUNCIL_CLAUDE_MODEL"])
@pytest.mark.parametrize(("flag", "env", "project", "profile"), LAYERS)
def test_a_model_follows_the_same_order(name, flag, env, project, profile):
    given = {"--claude-model=f": flag, "--profile=thorough": profile}
    found = plan(
        *(word for word, on in given.items() if on),
        env={name: "e"} if env else {},
        **({"models": ("claude=p",)} if project else {}),
    )
    layers = ((flag, "f"), (env, "e"), (project, "p"), (profile, "opus"), (True, "sonnet"))
    assert found.vendors[0].model == strongest(*layers)


@pytest.mark.parametrize(
    ("count", "modes", "perspectives", "expected"),
    [
        (None, [], 4, 4),
        (None, ["deep"], 4, 4),
        (None, ["deep"], 2, 3),
        (2, [], 4, 2),
        (6, ["deep"], 4, 6),
        (None, ["mixed"], 0, 3),
        (None, ["mixed"], 4, 4),
        (None, ["mixed"], 2, 2),
        (None, ["deep", "mixed"], 2, 3),
    ],
)
def test_perspectives_raise_the_number_unless_it_was_given(count, modes, perspectives, expected):
    config = settings(*([f"--count={count}"] if count else []))
    assert count_judges(config, modes, perspectives)[0] == expected


@pytest.mark.parametrize("value", ["0", "13", "two", "1.5", "²"])
def test_a_number_of_judges_that_is_none_is_refused(value):
    with pytest.raises(UsageError, match="COUNCIL_JUDGE_COUNT"):
        plan(env={"COUNCIL_JUDGE_COUNT": value})


@pytest.mark.parametrize(
    ("name", "model", "judges", "timeout"),
    [("thorough", "opus", 3, 120), ("balanced", "sonnet", 2, 120), ("fast", "haiku", 2, 60)],
)
def test_a_profile_is_a_model_a_number_and_a_time(name, model, judges, timeout):
    found = plan(f"--profile={name.upper()}")
    assert (found.vendors[0].model, found.judges, found.timeout) == (model, judges, timeout)
    assert (found.profile, ("profile", name, "--profile") in found.sources) == (name, True)


@pytest.mark.parametrize(
    ("tier", "name"), [("quality", "thorough"), ("balanced", "balanced"), ("budget", "fast")]
)
def test_tiers_are_profiles_by_another_name(tier, name):
    both = {"AGENTOPS_MODEL_TIER": "thorough", "AGENTOPS_COUNCIL_MODEL_TIER": tier}
    assert plan(f"--tier={tier}").profile == name
    assert plan(env={"AGENTOPS_MODEL_TIER": tier}).profile == name
    assert plan(env=both).profile == name
    assert plan(profile=tier).profile == name


def test_a_profile_on_the_command_line_beats_one_of_the_environment():
    env = {"AGENTOPS_COUNCIL_MODEL_TIER": "budget"}
    assert plan("--profile=thorough", env=env).profile == "thorough"
    found = plan("--profile=inherit", env=env)
    assert (found.profile, found.timeout) == ("inherit", 120)


def test_an_unknown_profile_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown profile 'fats'") as caught:
        plan("--profile=fats")
    assert "Did you mean fast?" in caught.value.hint
    assert "thorough, balanced, fast, quality, budget, inherit" in caught.value.hint
    with pytest.raises(UsageError, match="AGENTOPS_MODEL_TIER: unknown profile 'x'"):
        plan(env={"AGENTOPS_MODEL_TIER": "x"})
    with pytest.raises(UsageError, match="two profiles"):
        plan("--profile=fast", "--tier=quality")
    assert plan("--profile=fast", "--tier=budget").profile == "fast"


@given(st.integers(1, 2), st.integers(0, 5))
def test_what_fits_is_the_most_that_stays_within_the_cap(vendors, explorers):
    most = fitting(vendors, explorers)
    assert most >= 1
    assert most * vendors * (1 + explorers) <= MAX_AGENTS
    assert (most + 1) * vendors * (1 + explorers) > MAX_AGENTS
