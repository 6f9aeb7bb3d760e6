"""Presets: what ships, what a project adds, and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents.presets.loader import (
    Reviewers,
    from_project,
    load_presets,
    load_reviewers,
    read_preset,
    read_reviewers,
)
from guildmoot.agents.presets.model import PerspectiveAnswer
from guildmoot.agents.presets.perspectives import read_perspectives
from guildmoot.errors import ConfigError
from guildmoot.guard.trust import brought_files

SHIPPED = load_presets()
TABLE = {
    "security-audit": {
        "attacker": "Red",
        "defender": "Blue",
        "compliance": "Auditor",
        "web-security": "WebSec",
    },
    "architecture": {"scalability": "Scale", "maintainability": "Craft", "simplicity": "Razor"},
    "research": {"breadth": "Wide", "depth": "Deep", "contrarian": "Contrarian"},
    "ops": {"reliability": "Uptime", "observability": "Lens", "incident-response": "Oncall"},
    "code-review": {
        "error-paths": "Pathfinder",
        "api-surface": "Surface",
        "spec-compliance": "Spec",
    },
    "plan-review": {
        "missing-requirements": "Gaps",
        "feasibility": "Reality",
        "scope": "Scope",
        "spec-completeness": "Completeness",
    },
    "doc-review": {
        "clarity-editor": "Clarity",
        "accuracy-verifier": "Accuracy",
        "completeness-auditor": "Coverage",
        "audience-advocate": "Audience",
    },
    "retrospective": {"plan-compliance": "Compass", "tech-debt": "Debt", "learnings": "Harvest"},
    "product": {
        "user-value": "Value",
        "adoption-barriers": "Barriers",
        "competitive-position": "Edge",
        "strategic-fit": "North",
    },
    "developer-experience": {
        "api-clarity": "Signal",
        "error-experience": "SOS",
        "discoverability": "Beacon",
    },
    "leadership-quartet": {
        "product-manager": "PM",
        "cto": "CTO",
        "chief-engineer": "Chief",
        "staff-engineer": "Staff",
    },
    "red-team": {
        "panicked-sre": "OnCall",
        "junior-engineer": "NewHire",
        "zero-context-agent": "Agent",
        "first-time-consumer": "Consumer",
    },
}
OWN = """
name = "house"
description = "Our own angles"
[[perspectives]]
name = "kitchen"
persona = "Cook"
focus = "Is it warm?"
"""


@pytest.mark.parametrize("name", TABLE)
def test_every_preset_of_the_council_ships_with_its_perspectives_in_order(name):
    found = {each.name: each.persona for each in SHIPPED[name].perspectives}
    assert list(found.items()) == list(TABLE[name].items())


def test_persona_names_and_perspective_names_are_unique_over_all_presets():
    every = [each for preset in SHIPPED.values() for each in preset.perspectives]
    for field in ("name", "persona"):
        counted = Counter(getattr(each, field) for each in every)
        assert [word for word, number in counted.items() if number > 1] == []


@pytest.mark.parametrize("preset", SHIPPED.values(), ids=SHIPPED)
def test_a_shipped_preset_says_what_it_is_for_and_where_each_judge_looks(preset):
    assert preset.description
    assert all(len(each.focus) > 80 and each.persona for each in preset.perspectives)


def test_leaders_answer_with_a_word_of_their_own():
    cto = next(p for p in SHIPPED["leadership-quartet"].perspectives if p.name == "cto")
    choices = ("compounding", "plausible", "fragile", "value-destructive")
    assert PerspectiveAnswer("BET_QUALITY", choices) in cto.answers
    assert cto.read_budget


def test_a_role_that_is_played_has_its_limits():
    sre = SHIPPED["red-team"].perspectives[0]
    assert dict(sre.constraints)["cannot"] == "read source code; ask the author"


def test_a_project_adds_presets_and_replaces_those_of_the_package():
    own = {"house": OWN, "ops": OWN.replace("house", "ops")}
    files = {f".guild/presets/{name}.toml": text.encode() for name, text in own.items()}
    presets = load_presets({**files, ".guild/agents/other.toml": b"["})
    assert presets["house"].perspectives[0].focus == "Is it warm?"
    assert [each.name for each in presets["ops"].perspectives] == ["kitchen"]
    assert from_project(presets, "ops")
    assert not from_project(presets, "architecture")


def test_a_preset_that_is_a_link_out_of_the_repository_is_refused(tmp_path):
    outside, root = tmp_path / "outside.toml", tmp_path / "root"
    outside.write_text(OWN)
    (root / ".guild" / "presets").mkdir(parents=True)
    (root / ".guild" / "presets" / "house.toml").symlink_to(outside)
    assert brought_files(root, (".guild/presets",)) == ({}, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = ", "not valid TOML"),
        (OWN.replace("house", "My House"), "cannot be the name"),
        (OWN.replace("house", "default"), "cannot be the name"),
        (OWN + "colour = 1", "unknown field colour"),
        ("colour = 1\n" + OWN, "unknown key colour"),
        (OWN.split("[[")[0], "no perspectives"),
        (OWN + OWN.split('angles"')[1], "'kitchen' stands there twice"),
        (OWN.replace("Is it warm?", "\\u001b[31m"), "cannot be printed"),
        (OWN + 'agents = ["ruff"]', "unknown field agents"),
        (OWN + 'answers = {LABEL = ["only"]}', "at least two choices"),
        (OWN + 'answers = {label = ["a", "b"]}', "CAPITALS_LIKE_THIS"),
        (OWN.replace('"kitchen"', '"../../kitchen"'), "no name for a perspective"),
    ],
)
def test_a_bad_preset_is_refused_with_the_file_and_the_reason(text, reason):
    with pytest.raises(ConfigError, match=reason) as caught:
        read_preset(text, "house.toml")
    assert caught.value.message.startswith("house.toml")


def test_a_perspectives_file_in_the_form_of_the_seed_is_read():
    text = """perspectives:
  - name: security-auditor
    focus: Find security vulnerabilities and trust boundary violations
  - name: performance-critic
    focus: Identify performance bottlenecks and scaling risks
"""
    first, second = read_perspectives(text, "custom.yaml")
    assert (first.name, second.name) == ("security-auditor", "performance-critic")
    assert first.focus == "Find security vulnerabilities and trust boundary violations"


def test_a_perspectives_file_may_be_toml_or_a_list_of_names():
    (cook,) = read_perspectives(OWN.split('angles"')[1], "custom.toml")
    assert cook.persona == "Cook"
    names = read_perspectives("perspectives: [a, b]", "custom.yml")
    assert [each.name for each in names] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    ["", "perspectives:", "perspectives: x", "other: 1", "a: b: c", "- a", "perspectives: [1: 2]"],
)
def test_a_perspectives_file_that_holds_none_is_refused_by_name(text):
    with pytest.raises(ConfigError, match=r"custom\.yaml"):
        read_perspectives(text, "custom.yaml")


@given(st.text(max_size=200))
def test_no_perspectives_file_breaks_the_reader(text):
    try:
        found = read_perspectives(f"perspectives:\n  - name: a\n    focus: {text}", "x.yaml")
    except ConfigError:
        return
    assert all(each.focus.isprintable() and "\n" not in each.focus for each in found)


def test_the_reviewer_config_chooses_skips_and_tells():
    assert load_reviewers({}) == Reviewers()
    text = (
        "---\nreviewers: [error-paths, api-surface]\nplan_reviewers:\n  - feasibility\n"
        "skip_reviewers: compliance, scope\n---\nWe write for embedded targets.\n"
    )
    assert load_reviewers({".agents/reviewer-config.md": text.encode()}) == Reviewers(
        ("error-paths", "api-surface"),
        ("feasibility",),
        ("compliance", "scope"),
        "We write for embedded targets.",
        ".agents/reviewer-config.md",
    )


@pytest.mark.parametrize(
    "text", ["no front matter", "---\nreviewers: {a: b}\n---\n", "---\na: [\n---\n"]
)
def test_a_bad_reviewer_config_is_an_error_and_never_ignored(text):
    with pytest.raises(ConfigError, match="reviewer-config"):
        read_reviewers(text, "reviewer-config.md")
