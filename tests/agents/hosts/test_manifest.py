"""Manifests as other machines write them: good, old, sloppy and hostile."""

import json
import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents.hosts.folder import load_hosts
from guildmoot.agents.hosts.manifest import KINDS, NEVER, Host, TierModel, read_manifest
from guildmoot.agents.hosts.values import MAX_BYTES

GOOD = {
    "schema_version": "guild.host_capability.v1",
    "host_id": "build-1",
    "host_kind": "codex",
    "agent_api_version": "1",
    "advertised_at": "2026-11-01T10:00:00Z",
    "source": "session-start",
    "supported_tiers": ["cheap", "mid"],
    "tier_models": {
        "cheap": "gpt-mini",
        "mid": {"model": "gpt", "effort": "high"},
        "powerful": None,
    },
    "models": ["gpt-mini", "gpt"],
    "tool_support": {"subagent": True, "agent_team": False, "independent_agents": True},
    "tool_permissions": ["Read", "Bash"],
    "egress": "always-ask",
    "capability_set": {"needs_pr": True, "needs_network": True, "isolation": "worktree"},
}


def read(**changes):
    return read_manifest(json.dumps({**GOOD, **changes}).encode())


def host(**changes):
    found, problems = read(**changes)
    assert problems == []
    return found


def problems(**changes):
    found, wrong = read(**changes)
    assert found is None
    return wrong


def test_a_manifest_says_what_its_host_offers():
    found = host()
    assert (found.host_id, found.kind, found.api_version) == ("build-1", "codex", "1")
    assert found.advertised == datetime(2026, 11, 1, 10, tzinfo=UTC).timestamp()
    assert found.offers == {
        *("cheap", "mid", "subagent", "independent_agents", "parallel"),
        *("pr", "network", "isolation:worktree"),
    }
    assert found.tools == {"Read", "Bash"}
    assert found.models["mid"] == TierModel("gpt", (("effort", "high"),))


def test_the_older_names_of_fields_are_read():
    old = {key: value for key, value in GOOD.items() if key not in ("advertised_at", "tier_models")}
    del old["supported_tiers"]
    old |= {"detected_at": GOOD["advertised_at"], "tiers": {"mid": "gpt", "cheap": None}}
    found, wrong = read_manifest(json.dumps(old).encode())
    assert wrong == []
    assert found.advertised == host().advertised
    assert {"cheap", "mid"} <= found.offers
    assert "powerful" not in found.offers
    assert found.models == {"mid": TierModel("gpt")}


def test_named_backends_stand_for_what_can_be_run_where_nothing_closer_is_said():
    found = host(tool_support=None, supported_backends=["tmux", "remote"])
    assert {"agent_team", "tmux", "parallel"} <= found.offers
    assert "subagent" not in found.offers
    closer = host(supported_backends=["tmux"])
    assert "agent_team" not in closer.offers


@pytest.mark.parametrize("when", ["", "yesterday", "2026-11-01T10:00:00", "9" * 30])
def test_a_time_that_cannot_be_told_reads_as_never(when):
    assert host(advertised_at=when).advertised == NEVER


def test_no_allow_list_is_no_limit_and_an_empty_one_allows_nothing():
    assert host(tool_permissions=None).tools is None
    assert host(tool_permissions=[]).tools == frozenset()


def test_a_host_that_denies_egress_has_no_network_whatever_else_it_says():
    assert "network" in host(egress="allow", capability_set={}).offers
    assert "network" not in host(egress="always-ask", capability_set={}).offers
    assert "network" not in host(egress="deny").offers


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schema_version": "guild.host_capability.v2"}, "must be guild.host_capability.v1"),
        ({"schema_version": None}, "schema_version is missing"),
        ({"host_id": None}, "host_id is missing"),
        ({"host_id": ""}, "host_id is missing"),
        ({"host_id": "../../etc"}, "host_id must be"),
        ({"host_id": "a\nb"}, "host_id must be"),
        ({"host_id": "-rf"}, "host_id must be"),
        ({"host_id": "x" * 65}, "host_id must be"),
        ({"host_id": ["a"]}, "not a list of 1"),
        ({"host_kind": "cluade"}, "claude, codex or gemini, not 'cluade'"),
        ({"advertised_at": 1762000000}, "advertised_at must be text"),
        ({"supported_tiers": "mid"}, "supported_tiers must be a list"),
        ({"supported_tiers": ["mid", "huge"]}, "cheap, mid or powerful, not 'huge'"),
        ({"supported_tiers": []}, "names no tier"),
        ({"supported_tiers": None, "tier_models": {}}, "names no tier"),
        ({"tier_models": {"mid": "--dangerous"}}, "must be a model's name"),
        ({"tier_models": {"mid": {"model": "gpt", "effort": [1]}}}, "tier_models.mid.effort"),
        ({"tier_models": {"mid": 3}}, "tier_models.mid must be"),
        ({"tier_models": ["gpt"]}, "tier_models must be an object"),
        ({"tool_support": {"subagent": "yes"}}, "tool_support.subagent must be true or false"),
        ({"tool_permissions": "Bash"}, "tool_permissions must be a list"),
        ({"tool_permissions": ["Read\x1b[2J"]}, "tool_permissions must be a list"),
        ({"tool_permissions": ["x"] * 257}, "up to 256"),
        ({"supported_backends": ["ssh"]}, "tmux, in-process or remote"),
        ({"egress": "maybe"}, "always-ask, allow or deny"),
        ({"capability_set": {"needs_network": 1}, "egress": "deny"}, "needs_network must be true"),
        ({"source": "a" * 201}, "source must be text"),
        ({"source": "safe\u202etxt"}, "source must be text"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_and_named(changes, says):
    wrong = problems(**changes)
    assert any(says in reason for reason in wrong), wrong
    assert all(reason.isprintable() and len(reason) < 300 for reason in wrong)


def test_every_problem_is_told_at_once():
    assert len(problems(host_kind="x", egress="y", supported_tiers=[1])) >= 3


def test_a_misspelt_key_is_refused_because_an_allow_list_would_vanish():
    assert "did you mean tool_permissions?" in problems(tool_permisions=["Read"])[0]


def test_a_key_of_a_later_version_is_left_alone():
    assert host(zone={"x": 1}) == host()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object"),
        (b"{}", "empty object"),
        (b"null", "must be a JSON object"),
        (b"\xff\xfe{", "not UTF-8"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"host_id": "a", "host_id": "b"}', "stands there twice"),
        (b"[" * 30_000, "nested too deeply"),
        (b'{"a":' * 10_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b" " * (MAX_BYTES + 1), "larger than 64,000 bytes"),
    ],
)
def test_what_is_no_manifest_is_refused_without_a_crash(data, says):
    found, [reason] = read_manifest(data)
    assert found is None
    assert says in reason


def test_a_byte_order_mark_does_no_harm():
    found, _ = read_manifest(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert found == host()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(sorted(GOOD)), ANY, max_size=6))
def test_whatever_the_values_are_the_answer_is_a_host_or_printable_reasons(changes):
    data = json.dumps({**GOOD, **changes}).encode("utf-8", "surrogatepass")
    found, wrong = read_manifest(data)
    assert (found is None) == bool(wrong)
    assert all(reason.isprintable() for reason in wrong)
    if found:
        assert found.kind in KINDS
        assert found.host_id.isascii()


@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(data):
    found, wrong = read_manifest(data)
    assert (found is None) == bool(wrong)


def put(root, name, data):
    file = root / ".guild/hosts" / name / "capability.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return file


def test_a_project_without_hosts_has_none(tmp_path):
    assert load_hosts(tmp_path) == ((), ())


def test_the_hosts_of_a_project_come_by_name_and_bad_ones_with_their_reason(tmp_path):
    for name in ("zeta", "alpha"):
        put(tmp_path, name, {**GOOD, "host_id": name})
    put(tmp_path, "other", {**GOOD, "host_id": "alpha"})
    put(tmp_path, "broken", b"{")
    (tmp_path / ".guild/hosts/empty").mkdir()
    fleet = load_hosts(tmp_path)
    assert [each.host_id for each in fleet.hosts] == ["alpha", "zeta"]
    reasons = {refused.host_id: refused.reasons[0] for refused in fleet.refused}
    assert reasons["other"] == "host_id is 'alpha', but the folder is called 'other'"
    assert "not JSON" in reasons["broken"]
    assert reasons["empty"] == "there is no such file"


def test_a_link_out_of_the_repository_is_not_followed(tmp_path):
    outside = put(tmp_path / "elsewhere", "build-1", GOOD)
    root = tmp_path / "shop"
    (root / ".guild/hosts").mkdir(parents=True)
    (root / ".guild/hosts/build-1").symlink_to(outside.parent)
    [refused] = load_hosts(root).refused
    assert "links of a repository" in refused.reasons[0]


def test_a_pipe_in_place_of_a_manifest_does_not_hang(tmp_path):
    put(tmp_path, "build-1", GOOD).unlink()
    os.mkfifo(tmp_path / ".guild/hosts/build-1/capability.json")
    [refused] = load_hosts(tmp_path).refused
    assert refused.reasons == ("it is no regular file",)


def test_a_folder_in_place_of_a_manifest_and_a_huge_one_are_refused(tmp_path):
    (tmp_path / ".guild/hosts/odd/capability.json").mkdir(parents=True)
    put(tmp_path, "vast", b" " * 5_000_000)
    odd, vast = load_hosts(tmp_path).refused
    assert odd.reasons == ("it is no regular file",)
    assert "larger than" in vast.reasons[0]


def test_a_host_is_plain_data():
    assert isinstance(host(), Host)
    assert host() == host()
