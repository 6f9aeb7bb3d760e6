"""Settings: precedence, sources, and errors that name the nearest key."""

from pathlib import Path

import pytest

from guildmoot.config import (
    FLAG,
    SETTINGS,
    Origin,
    check_value,
    env_name,
    load_config,
    process_flag,
    project_table,
    read_table,
)
from guildmoot.errors import ConfigError
from guildmoot.guard.settings import settings_for
from guildmoot.model.settings import ALIASES


def load(tmp_path: Path, *, user="", project="", pyproject="", env=None, flags=None):
    user_file = tmp_path / "user.toml"
    user_file.write_text(user)
    files = {"guild.toml": project, "pyproject.toml": pyproject}
    found = project_table({name: text.encode() for name, text in files.items() if text})
    trusted = read_table(found[1], found[0]) if found else None
    return load_config(trusted, user_file, env or {}, flags or {})


def test_each_layer_beats_the_one_before_it(tmp_path):
    layers = {}
    assert load(tmp_path).values["panel.timeout"].source == "built in"
    layers["user"] = "[panel]\ntimeout = 1.0"
    assert load(tmp_path, **layers).number("panel.timeout") == 1.0
    layers["project"] = "[panel]\ntimeout = 0.5"
    assert load(tmp_path, **layers).number("panel.timeout") == 0.5
    layers["env"] = {"GUILD_PANEL_TIMEOUT": "3"}
    assert load(tmp_path, **layers).number("panel.timeout") == 3.0
    layers["flags"] = {"panel.timeout": 4.0}
    value = load(tmp_path, **layers).values["panel.timeout"]
    assert (value.value, value.source) == (4.0, "command line")


def test_every_value_says_where_it_came_from(tmp_path):
    config = load(tmp_path, project="[panel]\nadd = ['x']", env={"GUILD_VERIFY_COMMAND": "make"})
    assert config.values["panel.add"].source == "guild.toml"
    assert config.values["verify.command"].source == "$GUILD_VERIFY_COMMAND"


def test_pyproject_is_read_and_other_tools_tables_are_left_alone(tmp_path):
    text = "[tool.other]\nx = 1\n[tool.guildmoot.panel]\nskip = ['ruff']\n"
    assert load(tmp_path, pyproject=text).strings("panel.skip") == ("ruff",)


def test_two_project_files_with_settings_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"guild\.toml.*pyproject\.toml"):
        load(tmp_path, project="[panel]\nlimit = 1", pyproject="[tool.guildmoot]\n")


@pytest.mark.parametrize(
    ("layer", "value", "expected"),
    [
        ("project", "[panel]\ntimout = 1", "panel.timeout"),
        ("user", "[packet]\nmax_byte = 1", "packet.max_bytes"),
        ("env", {"GUILD_PANEL_TIMOUT": "1"}, "GUILD_PANEL_TIMEOUT"),
    ],
)
def test_an_unknown_key_is_an_error_with_the_nearest_name(tmp_path, layer, value, expected):
    with pytest.raises(ConfigError) as error:
        load(tmp_path, **{layer: value})
    assert expected in error.value.hint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[panel]\ntimeout = 'soon'", "a number"),
        ("[panel]\ntimeout = 0", "at least"),
        ("[panel]\nlimit = 1.5", "a whole number"),
        ("[panel]\nlimit = true", "a whole number"),
        ("[panel]\nadd = 'x'", "a list of texts"),
        ("[panel]\nfail_on = 'never'", "one of flagged, warn"),
        ("[runs]\nkeep = 'yes'", "true or false"),
        ("panel = [", "not valid TOML"),
        ("panel = 3", "unknown setting panel"),
    ],
)
def test_a_wrong_value_names_the_file_and_what_was_wanted(tmp_path, text, complaint):
    with pytest.raises(ConfigError) as error:
        load(tmp_path, project=text)
    assert complaint in error.value.message
    assert "guild.toml" in error.value.message


def test_every_default_passes_its_own_check():
    for key, setting in SETTINGS.items():
        assert check_value(key, setting.default, "test") == setting.default
        assert env_name(key).startswith("GUILD_")


def test_environment_lists_are_split_on_commas(tmp_path):
    config = load(tmp_path, env={"GUILD_PANEL_AGENTS": "a, b,,"})
    assert config.strings("panel.agents") == ("a", "b")


def test_an_environment_value_of_the_wrong_type_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"\$GUILD_PANEL_TIMEOUT: .*a number"):
        load(tmp_path, env={"GUILD_PANEL_TIMEOUT": "soon"})


ALL_OLD = [(key, name) for key, names in ALIASES.items() for name in names]
OLD_NAMES = [each for each in ALL_OLD if not isinstance(SETTINGS[each[0]].default, tuple)]


@pytest.mark.parametrize(("key", "name"), [each for each in ALL_OLD if each not in OLD_NAMES])
def test_an_older_name_of_a_list_is_read_as_one(tmp_path, key, name):
    first, second = SETTINGS[key].choices[:2]
    found = load(tmp_path, project=f'{key} = ["{second}"]', env={name: f"{first}, {second}"})
    assert found.values[key] == ((first, second), f"${name}")


@pytest.mark.parametrize(("key", "name"), OLD_NAMES)
def test_an_older_name_is_the_environment_of_the_same_setting(tmp_path, key, name):
    section, _, rest = key.partition(".")
    text = isinstance(SETTINGS[key].default, str)
    written = f"{section}.{rest} = {chr(34) + 'p' + chr(34) if text else 2}"
    assert load(tmp_path, project=written, env={name: "5"}).values[key].source == f"${name}"
    both = load(tmp_path, env={name: "5", env_name(key): "6"}).values[key]
    assert (str(both.value).partition(".")[0], both.source) == ("6", f"${env_name(key)}")
    empty = load(tmp_path, project=written, env={name: " "}).values[key]
    assert empty.source == "guild.toml"
    flag = Origin("7" if text else 7, "--flag")
    assert load(tmp_path, env={name: "5"}, flags={key: flag}).values[key].source == "--flag"


def test_a_slip_of_an_older_name_is_told_and_another_programs_variable_is_not(tmp_path):
    environ = {"COUNCIL_TIMEOUTS": "5", "COUNCIL_BLUFFS": "1", "COUNCIL_TIMEOUT": "7"}
    told = load_config(None, tmp_path / "none.toml", environ).notices
    assert told == ("$COUNCIL_TIMEOUTS is no setting: $COUNCIL_TIMEOUT is one",)


def test_of_two_older_names_the_nearer_one_counts(tmp_path):
    env = {"AGENTOPS_MODEL_TIER": "budget", "AGENTOPS_COUNCIL_MODEL_TIER": "quality"}
    config = load(tmp_path, env=env)
    assert config.text("council.profile") == "quality"
    assert config.values["council.claude_model"] == ("opus", "profile thorough")


@pytest.mark.parametrize("layer", ["user", "project", "env", "flags"])
def test_a_profile_fills_in_what_nobody_set_wherever_it_is_named(tmp_path, layer):
    named = {"env": {"GUILD_COUNCIL_PROFILE": "fast"}, "flags": {"council.profile": "fast"}}
    config = load(tmp_path, **{layer: named.get(layer, "council.profile = 'fast'")})
    assert config.values["council.timeout"] == (60.0, "profile fast")
    assert config.values["council.judges"] == (2, "profile fast")
    more = "council.profile = 'fast'\n" if layer == "user" else ""
    own = {**({} if layer == "user" else {layer: named.get(layer, "council.profile = 'fast'")})}
    own["user"] = f"{more}council.timeout = 5.0"
    assert load(tmp_path, **own).number("council.timeout") == 5.0


def test_a_profile_that_nobody_knows_fills_in_nothing(tmp_path):
    config = load(tmp_path, env={"AGENTOPS_MODEL_TIER": "platinum"})
    assert config.values["council.timeout"] == (120.0, "built in")


def test_a_setting_that_somebody_made_is_told_from_what_is_built_in(tmp_path):
    config = load(tmp_path, user="council.judges = 4", flags={"council.timeout": 3.0})
    assert config.given("council.judges") is not None
    assert config.given("council.judges", FLAG) is None
    assert config.given("council.timeout", FLAG) == (3.0, "command line")
    assert config.given("council.explorers") is None


def test_a_flag_before_the_verb_counts_for_that_verb_alone(tmp_path):
    with process_flag("engine.url", "postgresql://here/guild", "--engine"):
        assert settings_for(tmp_path).values["engine.url"].source == "--engine"
    assert settings_for(tmp_path).text("engine.url") == ""


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_number_that_is_none_is_refused(value):
    with pytest.raises(ConfigError, match="--timeout must be at least"):
        check_value("council.timeout", value, "--timeout")


def test_the_view_names_older_variables_and_where_each_value_came_from(shop):
    env = {"COUNCIL_TIMEOUT": "7", "AGENTOPS_MODEL_TIER": "budget"}
    shown = shop.guild("config", "show", "--json", env=env).json["settings"]
    assert shown["council.timeout"] == {
        "value": 7.0,
        "source": "$COUNCIL_TIMEOUT",
        "env": "GUILD_COUNCIL_TIMEOUT",
        "aliases": ["COUNCIL_TIMEOUT"],
    }
    assert shown["council.claude_model"]["source"] == "profile fast"
    assert "aliases" not in shown["panel.timeout"]
    text = shop.guild("config", "show", "--sources", env=env).out
    assert "# seconds that one judge may take ($COUNCIL_TIMEOUT)" in text
    assert 'council.profile = "budget"  # $AGENTOPS_MODEL_TIER' in text


def test_an_engine_on_the_command_line_is_a_flag_like_any_other(shop):
    env = {"GUILD_ENGINE_URL": "postgresql://env/guild"}
    argv = ("--engine", "postgresql://flag/guild", "config", "show", "--json")
    shown = shop.guild(*argv, env=env).json["settings"]["engine.url"]
    assert (shown["value"], shown["source"]) == ("postgresql://flag/guild", "--engine")


def test_an_unknown_name_given_in_code_is_an_error_with_the_nearest_name(tmp_path):
    with pytest.raises(ConfigError, match="unknown setting panel.timout") as raised:
        settings_for(tmp_path, {"panel.timout": 3})
    assert "panel.timeout" in raised.value.hint
