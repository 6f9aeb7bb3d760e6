"""``guild hosts`` as a user meets it, in a real repository."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from guildmoot.agents.hosts.answers import answer_of
from guildmoot.agents.hosts.folder import load_hosts
from guildmoot.guard.hooks.channel import agent_above


def advertise(shop, name, kind="codex", age=60, **more):
    when = datetime.now(UTC) - timedelta(seconds=age)
    manifest = {
        "schema_version": "guild.host_capability.v1",
        "host_id": name,
        "host_kind": kind,
        "advertised_at": when.isoformat(),
        "supported_tiers": ["cheap", "mid"],
        "tool_support": {"subagent": True, "independent_agents": True},
        **more,
    }
    shop.write(f".guild/hosts/{name}/capability.json", json.dumps(manifest))


@pytest.fixture
def fleet(shop):
    advertise(shop, "build-1", tier_models={"mid": {"model": "gpt", "effort": "high"}})
    advertise(shop, "desk", "claude", supported_tiers=["cheap", "mid", "powerful"])
    advertise(shop, "old", age=7200)
    return shop


def test_hosts_are_listed_with_their_state_and_refused_ones_are_told(fleet):
    fleet.write(".guild/hosts/odd/capability.json", '{"host_id": "\\u001b[2J"}')
    ran = fleet.guild("hosts", "list")
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[0] == ["build-1", "codex", "fresh", "cheap", "mid", "agent", "subagent"]
    assert rows[2][:3] == ["old", "codex", "stale"]
    assert "odd/capability.json" in ran.err
    assert "\x1b" not in ran.out + ran.err
    shown = fleet.guild("hosts", "list", "--json").json
    assert shown["schema_version"] == 1
    assert [host["fresh"] for host in shown["hosts"]] == [True, True, False]
    assert shown["refused"][0]["host_id"] == "odd"


def test_a_project_without_hosts_says_so(shop):
    assert "no host" in shop.guild("hosts", "list").out
    assert shop.guild("hosts", "check").out == "0 hosts, 0 refused\n"
    assert shop.guild("hosts", "route", "--tier", "mid").code == 4


def test_check_names_the_file_and_every_reason(fleet):
    assert fleet.guild("hosts", "check").out == "3 hosts, 0 refused\n"
    advertise(fleet, "odd", "cluade", egress="maybe")
    ran = fleet.guild("hosts", "check")
    assert ran.code == 64
    assert "odd/capability.json: host_kind must be claude, codex or gemini" in ran.out
    assert "odd/capability.json: egress must be" in ran.out
    assert "3 hosts, 1 refused" in ran.out
    shown = fleet.guild("hosts", "check", "--json")
    assert (shown.code, shown.json["ok"], len(shown.json["refused"][0]["reasons"])) == (
        64,
        False,
        2,
    )


def test_a_manifest_that_the_repository_brought_counts_when_it_is_trusted(fleet):
    fleet.git("add", "-f", ".guild/hosts/desk")
    fleet.git("commit", "-qm", "brought")
    assert "git tracks it and nobody trusted it here" in fleet.guild("hosts", "list").err
    assert fleet.guild("trust", "--yes").code == 0
    assert fleet.guild("hosts", "list").err == ""


def test_one_file_can_be_checked_before_it_is_put_in_its_place(shop):
    advertise(shop, "draft")
    path = ".guild/hosts/draft/capability.json"
    assert shop.guild("hosts", "check", path).out == "1 host, 0 refused\n"
    ran = shop.guild("hosts", "check", "missing.json")
    assert (ran.code, "no such file" in ran.out) == (64, True)


def test_a_route_says_where_why_who_is_next_and_who_is_not(fleet):
    ran = fleet.guild("hosts", "route", "--tier=mid", "--prefer=codex", "--cross-host", "--task=T1")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "T1 -> build-1 (codex), mid, gpt effort=high",
        "  why   first of 2 that qualify: codex is preferred (100 points)",
        "  then  desk (claude), mid, sonnet",
        "  not   old: stale: its manifest is older than 3600 s",
    ]


def test_a_route_as_json_holds_everything_that_the_text_says(fleet):
    fleet.write(".guild/hosts/odd/capability.json", "{")
    shown = fleet.guild("hosts", "route", "--tier", "mid", "--cross-host", "--json").json
    assert (shown["host"], shown["host_kind"], shown["tier"]) == ("desk", "claude", "mid")
    assert (shown["asked_tier"], shown["degraded"]) == ("mid", False)
    [rung] = shown["fallback_chain"]
    assert (rung["host"], rung["model"], rung["model_params"]) == (
        "build-1",
        "gpt",
        {"effort": "high"},
    )
    assert [each["host"] for each in shown["rejected"]] == ["old"]
    assert [each["host_id"] for each in shown["refused"]] == ["odd"]


def test_cross_host_work_is_off_until_it_is_asked_for_by_flag_or_environment(fleet):
    argv = ("hosts", "route", "--tier", "mid", "--prefer", "codex", "--json")
    assert fleet.guild(*argv).json["host"] == "desk"
    assert fleet.guild(*argv, "--cross-host").json["host"] == "build-1"
    assert fleet.guild(*argv, env={"GUILD_CROSS_HOST_ENABLED": "1"}).json["host"] == "build-1"
    assert fleet.guild(*argv, env={"GUILD_CROSS_HOST_ENABLED": "0"}).json["host"] == "desk"


def test_naming_the_host_that_failed_gives_the_next(fleet):
    argv = ("hosts", "route", "--tier", "mid", "--prefer", "codex", "--cross-host", "--json")
    first = fleet.guild(*argv).json
    after = fleet.guild(*argv, "--failed", first["host"]).json
    assert after["host"] == first["fallback_chain"][0]["host"]
    assert fleet.guild(*argv, "--failed", "build-1", "--no-claude").code == 4


def test_a_substitution_needs_its_flag_and_is_said(fleet):
    argv = ("hosts", "route", "--tier", "mid", "--mode", "team", "--cross-host")
    ran = fleet.guild(*argv)
    assert ran.code == 4
    assert "With 'degrade' desk could take it" in ran.err
    assert "build-1: it does not offer teams of agents" in ran.out
    shown = fleet.guild(*argv, "--json")
    assert (shown.code, shown.json["error"]["exit_code"]) == (4, 4)
    assert len(shown.json["rejected"]) == 3
    allowed = fleet.guild(*argv, "--degrade")
    assert allowed.code == 0
    assert "degraded, as 'degrade' allows: it does not offer teams of agents" in " ".join(
        allowed.out.split()
    )


@pytest.mark.parametrize(
    ("argv", "env", "says"),
    [
        (["route"], {}, "names no tier"),
        (["route", "--tier", "medium"], {}, "'medium' is no tier"),
        (["route", "--tier", "mid", "--ttl", "nan"], {}, "--ttl must be a number above 0"),
        (["route", "--tier", "mid"], {"GUILD_CROSS_HOST_ENABLED": "maybe"}, "must be 1 or 0"),
        (["list", "x.json"], {}, "'list' takes no FILE"),
        (["fly"], {}, "invalid choice"),
    ],
)
def test_bad_input_is_refused_with_a_reason(shop, argv, env, says):
    ran = shop.guild("hosts", *argv, env=env)
    assert ran.code == 64
    assert says in ran.err
    as_json = shop.guild("hosts", *argv, "--json", env=env)
    assert says in as_json.json["error"]["message"]


def test_every_line_fits_a_narrow_terminal(shop):
    for number in range(30):
        advertise(shop, f"{'h' * 50}-{number}", tool_permissions=["Read"])
    argv = ("hosts", "route", "--tier", "mid", "--tools", "Bash", "--cross-host", "--degrade")
    for ran in (shop.guild(*argv), shop.guild("hosts", "list")):
        assert ran.code == 0
        assert all(len(line) <= 80 for line in ran.out.splitlines()[1:])
    assert "more; --json has them all" in shop.guild(*argv).out


def test_a_person_says_whether_lanes_go_to_a_host_and_an_agent_does_not(fleet, monkeypatch):
    for words in ((), ("--yes", "--no"), ("desk", "--yes")):
        assert fleet.guild("hosts", "approve", "build-1", *words).code == 64
    assert fleet.guild("hosts", "approve", "nobody", "--yes").code == 64
    refused = fleet.guild("hosts", "approve", "build-1", "--yes", env={"CLAUDECODE": "1"})
    assert (refused.code, "a person's to give" in refused.err) == (64, True)
    monkeypatch.delenv("XDG_STATE_HOME")  # the user of the commands is the one who looks here
    if agent_above(os.environ):
        pytest.skip("an agent started these tests")
    said = fleet.guild("hosts", "approve", "build-1", "--yes", "--json")
    assert said.json["decision"] == "approved"
    [found] = [host for host in load_hosts(fleet.root).hosts if host.host_id == "build-1"]
    assert answer_of(fleet.root, found) == "approved"
    advertise(fleet, "build-1", age=1, tier_models={"mid": {"model": "gpt", "effort": "high"}})
    [again] = [host for host in load_hosts(fleet.root).hosts if host.host_id == "build-1"]
    assert answer_of(fleet.root, again) == "approved"  # it only advertised itself anew
    assert answer_of(fleet.root, again._replace(tools=None, egress="allow")) is None
    lies = fleet.root / ".guild" / "host-answers.jsonl"
    lies.write_text(lies.read_text().replace("approved", "denied"))
    assert answer_of(fleet.root, again) is None  # nobody said that here
