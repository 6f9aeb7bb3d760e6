"""The command line of the council: what each word becomes, and what help shows."""

from __future__ import annotations

import shlex

import pytest

from guildmoot.agents.presets.loader import load_presets
from guildmoot.cli.guild.council_arguments import council_options, parse_options, setting_flags
from guildmoot.errors import EXIT_USAGE, UsageError
from guildmoot.practices.council.request import CouncilOptions


def parse(line: str):
    return parse_options(shlex.split(line))


@pytest.mark.parametrize(
    "line",
    [
        "--quick validate recent",
        "validate --quick recent",
        "validate recent --quick",
    ],
)
def test_flags_may_stand_anywhere(line):
    options = parse(line)
    assert (options.quick, options.words) == (True, ("validate", "recent"))


@pytest.mark.parametrize(
    ("line", "debate", "words"),
    [
        ("--debate validate the auth system", "on", ("validate", "the", "auth", "system")),
        ("--debate=auto recent", "auto", ("recent",)),
        ("recent --debate", "on", ("recent",)),
        ("recent", "", ("recent",)),
        ("-- --debate", "", ("--debate",)),
    ],
)
def test_a_bare_debate_takes_no_word(line, debate, words):
    options = parse(line)
    assert (options.debate, options.words) == (debate, words)


@pytest.mark.parametrize(
    ("line", "diff", "words"),
    [
        ("--diff validate src", "", ("validate", "src")),
        ("--diff main...HEAD validate src", "main...HEAD", ("validate", "src")),
        ("--diff=HEAD~3 src", "HEAD~3", ("src",)),
        ("--diff HEAD~3 validate src", "HEAD~3", ("validate", "src")),
        ("--diff v999", "v999", ()),
        ("--diff is this safe", "", ("is", "this", "safe")),
        ("--diff ../lib", "", ("../lib",)),
        ("src --diff", "", ("src",)),
        ("src", None, ("src",)),
    ],
)
def test_a_bare_diff_is_the_working_tree(line, diff, words):
    options = parse(line)
    assert (options.diff, options.words) == (diff, words)


def test_every_flag_of_the_council_is_there():
    line = (
        "--quick --deep --mixed --debate --mode m --focus f --depth deep --runtime r --roster p"
        " --adversarial --timeout 3 --perspectives a,b --perspectives-file f --count 3"
        " --explorers 2 --explorer-model e --technique t --hats all --profile fast --tier budget"
        " --claude-model c --codex-model x --model a,b --agents a,b --evidence --tdd"
        " --commit-ready --fit --degrade --pairing split --add-perspective a --add-perspective b,c"
        " --json --report a.md --max-usd 1 --dry-run --spec s --decisions d --results r --run x"
        " --stdin-name n --recent 3 --staged --previous r --policy p --fail-on warn --all -q --no-record"
    )
    options = parse(line)
    assert options.add_perspective == ("a", "b", "c")
    settings = setting_flags(options)
    assert settings["council.judges"] == (3, "--count")
    assert settings["council.timeout"] == settings["council.second_timeout"] == (3.0, "--timeout")
    assert settings["council.explorers"] == (2, "--explorers")
    assert settings["council.vendors"] == (("a", "b"), "--model")
    assert settings["council.profile"] == ("fast", "--profile")
    asked = council_options(options)
    assert (asked.perspectives, asked.preset) == (("a", "b"), "p")


def test_every_field_of_a_request_can_be_given_on_the_command_line():
    given = {"given"}  # --packet sets it
    assert set(CouncilOptions._fields) - given <= set(vars(parse("")))
    assert setting_flags(parse("")) == {}
    assert council_options(parse("")) == CouncilOptions()


def test_the_other_names_of_a_flag_set_the_same():
    assert setting_flags(parse("--adversarial")) == setting_flags(parse("--debate"))
    assert setting_flags(parse("--runtime=mixed")) == {}
    assert council_options(parse("--runtime=mixed")) == CouncilOptions(mixed=True)
    assert council_options(parse("--depth=quick")) == CouncilOptions(quick=True)
    assert setting_flags(parse("--runtime=codex")) == {"council.vendors": (("codex",), "--runtime")}


@pytest.mark.parametrize(
    "line", ["--count x", "--pairing both", "--debate=maybe", "--nope", "--deb"]
)
def test_a_wrong_flag_is_a_usage_error_with_the_way_to_help(line):
    with pytest.raises(UsageError) as caught:
        parse(line)
    assert caught.value.exit_code == EXIT_USAGE
    assert "guild council --help" in caught.value.hint


def test_help_fits_a_narrow_terminal_and_names_every_preset(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        parse("--help")
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 79
    named = text.partition("presets: ")[2].partition(";")[0].replace("\n", " ")
    assert [name.strip() for name in named.split(",")] == sorted(load_presets())
    assert "\nexamples:\n" in text
