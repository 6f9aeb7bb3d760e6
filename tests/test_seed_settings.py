"""The settings file of earlier releases: closed keys, the exact place of what is wrong, and who vouches for it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.config import SETTINGS, check_value
from guildmoot.guard.settings import settings_for
from guildmoot.guard.trust import Trust
from guildmoot.model.seed_settings import SEED_KEYS, read_seed


def read(value: object):
    return read_seed(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ({"rigour": "deep"}, "rigour", "is no key of .guild/settings.json. Did you mean rigor?"),
        ({"models": {"thresholds": {"low": 1}}}, "models.thresholds.low", "is no key of"),
        ({"models": {"thresholds": {"mid": "1"}}}, "models.thresholds.mid", 'a whole number, not "1"'),
        ({"loop_cap": 257}, "loop_cap", "must be from 1 to 256, not 257"),
        ({"loop_cap": True}, "loop_cap", "must be a whole number, not true"),
        ({"auto_approve": ["spec", "qa"]}, "auto_approve", "some of spec, plan, build, all"),
        ({"loops": "spec,security"}, "loops", "must be some of none, spec"),
        ({"models": 3}, "models", "must be an object"),
        ({"defaults": {"wiki": {"autopromote": True}}}, "defaults.wiki.autopromote", "must not be"),
        ({"rigor": None}, "rigor", "must be text, not null"),
        (
            {"defaults": {"cross_host": {"hosts": {"a": {"port": 70000}}}}},
            "defaults.cross_host.hosts.a.port",
            "from 1 to 65535",
        ),
        (
            {"defaults": {"cross_host": {"hosts": {"a": {"password": "x"}}}}},
            "defaults.cross_host.hosts.a.password",
            "is no key",
        ),
        ({"models": {"tiers": {"claude": {"tiny": "x", "mid": "y"}}}}, "models.tiers.claude", "no tier tiny"),
        ([], "", "must be an object"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_whole_path(value, path, message):
    [problem] = read(value).problems
    assert (problem.path, message in problem.message) == (path, True), problem


def test_every_wrong_place_is_told_and_then_nothing_counts():
    found = read({"rigor": "deep", "loop_cap": 0, "nope": 1})
    assert [each.path for each in found.problems] == ["loop_cap", "nope"]
    assert found.values == {}
    assert "twice" in read_seed(b'{"rigor": "deep", "rigor": "quick"}').problems[0].message


def test_keys_become_settings_and_the_others_are_told_as_idle():
    found = read(
        {
            "rigor": "deep", "loops": "spec,plan", "auto_approve": ["spec"], "host": "codex",
            "initiative_default": None,
            "models": {"tiers": {"claude": {"mid": "sonnet"}, "codex": None}, "thresholds": {"mid": 2}},
            "defaults": {"team": {"size": 4}, "index": {}},
        }
    )  # fmt: skip
    assert found.problems == ()
    assert found.values == {
        "work.rigor": "deep",
        "work.loops": ("spec", "plan"),
        "work.auto_approve": ("spec",),
        "work.mid_from": 2,
        "work.team_size": 4,
        "work.tiers": ("mid=claude:sonnet",),
    }
    assert found.idle == ("host",)
    for key, value in found.values.items():
        check_value(key, value, "test")


def test_every_key_that_means_something_here_names_a_setting():
    assert {key.ours for key in SEED_KEYS.values() if key.ours} <= SETTINGS.keys()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([part for key in SEED_KEYS for part in key.split(".")]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON)
def test_no_file_breaks_the_reader_and_what_it_lets_through_can_be_set(value):
    for key, found in read(value).values.items():
        check_value(key, found, "test")


def git(root: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def test_a_repository_sets_nothing_until_somebody_vouches_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    root = tmp_path / "project"
    (root / ".guild").mkdir(parents=True)
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    data = b'{"auto_approve": ["all"], "loop_cap": 3, "host": "auto"}'
    (root / ".guild/settings.json").write_bytes(data)
    before = settings_for(root)
    assert before.strings("work.auto_approve") == ()
    assert "nobody trusted it" in before.unused["work.auto_approve"]
    Trust(root).add({".guild/settings.json": data})
    after = settings_for(root)
    assert after.values["work.auto_approve"] == (("all",), ".guild/settings.json")
    assert after.notices == (".guild/settings.json: no effect here: host",)
    (root / ".guild/settings.json").write_bytes(b'{"loop_cap": 999}')
    broken = settings_for(root)
    assert broken.number("work.loop_cap") == 16
    assert "loop_cap must be from 1 to 256" in broken.notices[0]
