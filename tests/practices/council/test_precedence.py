"""Which setting wins: environment, flag, profile, configuration, built in."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.config import Config, Origin
from guildmoot.errors import UsageError
from guildmoot.practices.council.plan import MAX_AGENTS, fitting
from guildmoot.practices.council.precedence import (
    PROFILES,
    Settings,
    choose_judges,
    choose_profile,
    choose_timeouts,
)


def settings(env: dict[str, str] | None = None, **config: object) -> Settings:
    values = {f"council.{key}": Origin(value, "guild.toml") for key, value in config.items()}  # type: ignore[arg-type]
    return Settings(env or {}, Config(values))


@pytest.mark.parametrize(
    ("env", "flag", "profile", "config"), list(product((False, True), repeat=4))
)
def test_a_timeout_is_that_of_the_strongest_layer_that_says_one(env, flag, profile, config):
    asked = settings(
        {"COUNCIL_TIMEOUT": "11"} if env else {}, **({"timeout": 44.0} if config else {})
    )
    judge, _, _ = choose_timeouts(
        asked, 22 if flag else None, PROFILES["fast"] if profile else None
    )
    layers = [(env, 11), (flag, 22), (profile, 60), (config, 44), (True, 120)]
    assert judge.number == next(value for given, value in layers if given)


def test_the_rounds_after_the_first_have_times_of_their_own():
    judge, second, explorer = choose_timeouts(settings(), None, None)
    assert (judge.number, second.number, explorer.number) == (120, 90, 60)
    env = {"COUNCIL_R2_TIMEOUT": "7", "COUNCIL_EXPLORER_TIMEOUT": "8"}
    _, second, explorer = choose_timeouts(settings(env), 300, None)
    assert (second.number, explorer.number) == (7, 8)
    assert second.source == "$COUNCIL_R2_TIMEOUT"
    judge, second, _ = choose_timeouts(settings(), 300, None)
    assert (judge.number, second.number) == (300, 300)
    _, second, _ = choose_timeouts(settings(), None, PROFILES["fast"])
    assert second.number == 60


@pytest.mark.parametrize("value", ["abc", "0", "-1", "inf", "nan"])
def test_a_time_that_is_none_is_refused_by_its_name(value):
    with pytest.raises(UsageError, match="COUNCIL_TIMEOUT"):
        choose_timeouts(settings({"COUNCIL_TIMEOUT": value}), None, None)


@pytest.mark.parametrize(
    ("env", "flag", "mode", "profile", "config"), list(product((False, True), repeat=5))
)
def test_the_number_of_judges_follows_the_same_order(env, flag, mode, profile, config):
    asked = settings(
        {"COUNCIL_JUDGE_COUNT": "5"} if env else {}, **({"judges": 7} if config else {})
    )
    found = choose_judges(
        asked,
        4 if flag else None,
        ["deep"] if mode else [],
        PROFILES["fast"] if profile else None,
        0,
    )
    layers = [(env, 5), (flag, 4), (mode, 3), (profile, 2), (config, 7), (True, 2)]
    assert found.number == next(value for given, value in layers if given)


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
    assert choose_judges(settings(), count, modes, None, perspectives).number == expected


@pytest.mark.parametrize("value", ["0", "two", "1.5", "²"])
def test_a_number_of_judges_that_is_none_is_refused(value):
    with pytest.raises(UsageError, match="COUNCIL_JUDGE_COUNT"):
        choose_judges(settings({"COUNCIL_JUDGE_COUNT": value}), None, [], None, 0)


@pytest.mark.parametrize(
    ("name", "model", "judges", "timeout"),
    [("thorough", "opus", 3, 120), ("balanced", "sonnet", 2, 120), ("fast", "haiku", 2, 60)],
)
def test_a_profile_is_a_model_a_number_and_a_time(name, model, judges, timeout):
    found, choice = choose_profile(settings(), name.upper(), "")
    assert found is not None
    assert (found.models["claude"], found.judges, found.timeout) == (model, judges, timeout)
    assert choice == (name, "--profile")


@pytest.mark.parametrize(
    ("tier", "name"), [("quality", "thorough"), ("balanced", "balanced"), ("budget", "fast")]
)
def test_tiers_are_profiles_by_another_name(tier, name):
    env = {"AGENTOPS_MODEL_TIER": "thorough", "AGENTOPS_COUNCIL_MODEL_TIER": tier}
    for found, _ in (
        choose_profile(settings(), "", tier),
        choose_profile(settings({"AGENTOPS_MODEL_TIER": tier}), "", ""),
        choose_profile(settings(env), "", ""),
        choose_profile(settings(profile=tier), "", ""),
    ):
        assert found == PROFILES[name]


def test_a_profile_on_the_command_line_beats_one_of_the_environment():
    found, _ = choose_profile(settings({"AGENTOPS_COUNCIL_MODEL_TIER": "budget"}), "thorough", "")
    assert found == PROFILES["thorough"]
    assert choose_profile(settings(profile="fast"), "inherit", "")[0] is None


def test_an_unknown_profile_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown profile 'fats'") as caught:
        choose_profile(settings(), "fats", "")
    assert "Did you mean fast?" in caught.value.hint
    assert "thorough, balanced, fast, quality, budget, inherit" in caught.value.hint
    with pytest.raises(UsageError, match="two profiles"):
        choose_profile(settings(), "fast", "quality")
    choose_profile(settings(), "fast", "budget")


@given(st.integers(1, 2), st.integers(0, 5))
def test_what_fits_is_the_most_that_stays_within_the_cap(vendors, explorers):
    most = fitting(vendors, explorers)
    assert most >= 1
    assert most * vendors * (1 + explorers) <= MAX_AGENTS
    assert (most + 1) * vendors * (1 + explorers) > MAX_AGENTS
