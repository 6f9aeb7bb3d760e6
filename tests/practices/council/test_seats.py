"""Who sits: models of one or two vendors, named agents, or tools by their angle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents.presets.loader import load_presets
from guildmoot.agents.presets.model import Perspective
from guildmoot.agents.registry import PACKAGE_FOLDER, Registry, load_agents
from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.model.agent import Agent
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.seats import explorer_for, seat_council, spare_agents
from guildmoot.practices.council.selection import Vendor
from judges import verdict

PRESETS = load_presets()
SHIPPED = load_agents(None, PACKAGE_FOLDER / "nowhere")
CLAUDE = Vendor("claude", "claude", "sonnet")
CODEX = Vendor("codex", "codex")
PATHS = ("src/app.py", "run.sh", "README.md")


def everybody(agent: Agent) -> bool:
    return True


def plan(vendors=(CLAUDE,), judges=2, preset="", task="validate", **more) -> CouncilPlan:
    perspectives = more.pop("perspectives", PRESETS[preset].perspectives if preset else ())
    return CouncilPlan(
        task, "the work", ("recent",), tuple(vendors), judges, perspectives=perspectives, **more
    )


def seats(asked: CouncilPlan, registry: Registry = SHIPPED, able=everybody, paths=PATHS):
    return seat_council(asked, registry, able, paths).seats


def labels(asked: CouncilPlan, **more: object) -> list[str]:
    return [seat.name for seat in seats(asked, **more)]


def agents(**backends: str) -> Registry:
    made = {
        name: Agent(name, name, "Judge.", f"{name}.md", "project", backend=backend, family=backend)
        for name, backend in backends.items()
    }
    return Registry({**SHIPPED.agents, **made})


def test_judges_without_perspectives_are_numbered_and_alike():
    first, second = seats(plan())
    assert (first.name, second.name) == ("judge-1", "judge-2")
    assert first.seat.name == "judge-1"
    assert (first.seat.backend, first.seat.model, first.seat.family) == (
        *("claude", "sonnet"),
        "anthropic",
    )
    assert first.agent == second.agent
    assert first.agent.reply == "council"
    assert first.perspective is None


def test_judges_with_perspectives_carry_their_names():
    found = seats(plan(judges=4, preset="security-audit"))
    assert [seat.name for seat in found] == [
        "judge-attacker",
        "judge-defender",
        "judge-compliance",
        "judge-web-security",
    ]
    assert [seat.perspective.persona for seat in found] == ["Red", "Blue", "Auditor", "WebSec"]
    assert found[0].seat.perspective == "attacker"


def test_a_judge_more_than_perspectives_looks_without_a_label():
    found = seats(plan(judges=3, perspectives=(Perspective("a"), Perspective("b"))))
    assert [seat.name for seat in found] == ["judge-a", "judge-b", "judge-3"]
    assert found[2].perspective is None


@given(st.sampled_from(sorted(PRESETS)), st.integers(1, 6))
def test_mixed_seats_one_judge_of_each_vendor_for_every_perspective(preset, judges):
    asked = plan((CLAUDE, CODEX), judges, preset)
    found = seats(asked)
    assert len(found) == 2 * judges
    assert len({seat.name for seat in found}) == len(found)
    for perspective in asked.perspectives[:judges]:
        pair = [seat for seat in found if seat.perspective == perspective]
        assert [seat.seat.family for seat in pair] == ["anthropic", "openai"]


def test_the_second_vendor_has_labels_of_its_own():
    assert labels(plan((CLAUDE, CODEX))) == ["judge-1", "judge-2", "codex-1", "codex-2"]
    assert labels(plan((CLAUDE, CODEX), preset="ops"))[2] == "codex-reliability"
    assert labels(plan((CODEX,))) == ["judge-1", "judge-2"]
    other = Vendor("openai", "api", "openai:gpt-5")
    assert seats(plan((CLAUDE, other)))[2].seat.model == "openai:gpt-5"


def test_split_vendors_share_the_perspectives():
    found = seats(plan((CLAUDE, CODEX), 2, "ops", pairing="split"))
    assert [(seat.name, seat.seat.backend) for seat in found] == [
        ("judge-reliability", "claude"),
        ("codex-observability", "codex"),
        ("judge-incident-response", "claude"),
    ]


def test_each_expert_of_a_duel_sits_once():
    assert labels(plan(judges=2, preset="duel", task="debate")) == [
        "judge-builder",
        "judge-steward",
    ]
    assert labels(plan((CLAUDE, CODEX), 2, "duel", task="debate")) == [
        "judge-builder",
        "codex-steward",
    ]


def test_quick_seats_one_judge_that_looks_from_every_angle():
    (alone,) = seats(plan(judges=0, quick=True))
    assert (alone.name, alone.perspective) == ("judge-1", None)
    (all_of_them,) = seats(plan(judges=0, quick=True, preset="ops"))
    assert all_of_them.name == "judge-all-angles"
    assert all(each.focus in all_of_them.perspective.focus for each in PRESETS["ops"].perspectives)


def test_free_names_become_labels_that_can_be_file_names():
    names = ("Security Auditor", "../etc & co", "Ärger")
    found = labels(plan(judges=3, perspectives=tuple(map(Perspective, names))))
    assert found == ["judge-security-auditor", "judge-etc-co", "judge-rger"]


def test_two_names_that_come_to_one_label_are_told_apart():
    found = labels(plan(perspectives=(Perspective("a b"), Perspective("a-b"))))
    assert found == ["judge-a-b", "judge-a-b-2"]


def test_named_agents_take_the_seats_in_turn():
    registry = agents(one="scripted", two="scripted", three="scripted")
    asked = plan((Vendor("agents", ""),), 3, seated=("one", "two"))
    assert [seat.agent.name for seat in seats(asked, registry)] == ["one", "two", "one"]
    short = asked._replace(judges=2, seated=("one", "two", "three"))
    assert [seat.agent.name for seat in seats(short, registry)] == ["one", "two"]
    assert seat_council(short, registry, everybody, PATHS).passed_over == (
        ("three", "every seat is taken"),
    )


def test_named_agents_may_be_the_two_sides():
    sides = (Vendor("one", "", agent="one"), Vendor("two", "", agent="two"))
    found = seats(plan(sides), agents(one="scripted", two="scripted"))
    assert [(seat.name, seat.agent.name) for seat in found] == [
        ("judge-1", "one"),
        ("judge-2", "one"),
        ("two-1", "two"),
        ("two-2", "two"),
    ]


def test_an_agent_without_a_model_sits_on_the_one_that_was_given():
    asked = plan((CLAUDE,), 2, seated=("evaluator-security", "ruff"))
    model, tool = seats(asked)
    assert (model.agent.backend, model.agent.model) == ("claude", "sonnet")
    assert tool.agent.backend == "tool"
    word = asked._replace(seated=("evaluator-security@codex",), judges=1)
    assert seats(word)[0].agent.backend == "codex"


def test_a_judge_that_cannot_answer_is_an_error_unless_told_otherwise():
    asked = plan((Vendor("agents", ""),), 2, seated=("one", "two"))
    registry = agents(one="scripted", two="command")

    def able(agent: Agent) -> bool:
        return agent.name != "two"

    with pytest.raises(UsageError, match="two cannot answer, so judge-2 would stay empty"):
        seats(asked, registry, able)
    soft = asked._replace(degrade=True)
    assert labels(soft, registry=registry, able=able) == ["judge-1"]
    assert seat_council(soft, registry, able, PATHS).passed_over == (
        ("judge-2", "left out: it cannot answer"),
    )
    with pytest.raises(InfrastructureError, match="nobody else"):
        seats(soft, registry, lambda agent: False)


def test_a_tool_plays_no_persona_and_says_who_could():
    """Without a model every tool of the file types sits, under its own name and from no angle."""
    for preset in ("security-audit", "doc-review", "product"):
        asked = plan((), 4, preset)
        found = seat_council(asked, SHIPPED, everybody, PATHS)
        assert {seat.perspective for seat in found.seats} == {None}
        assert {seat.seat.perspective for seat in found.seats} == {""}
        assert [seat.name for seat in found.seats] == [seat.agent.name for seat in found.seats]
        untaken = {name: why for name, why in found.passed_over if name.startswith("angle ")}
        assert set(untaken) == {f"angle {each.name}" for each in asked.perspectives}
        assert all("--model claude" in why for why in untaken.values())


def test_a_tool_that_was_named_takes_no_angle_and_sits_once():
    asked = plan((Vendor("agents", ""),), 4, "security-audit", seated=("ruff",))
    found = seat_council(asked, SHIPPED, everybody, PATHS)
    assert [(seat.name, seat.perspective) for seat in found.seats] == [("ruff", None)]
    assert dict(found.passed_over)["angle attacker"]


def test_a_tool_that_is_not_installed_does_not_sit():
    found = seats(plan((), 4, "security-audit"), able=lambda agent: False)
    assert "bandit" not in [seat.agent.name for seat in found]


def test_without_model_and_perspectives_every_tool_of_the_file_types_sits():
    assert {"secrets", "ruff", "shellcheck"} <= set(labels(plan(())))


def test_tools_of_the_repository_never_sit_down_by_themselves(tmp_path):
    folder = tmp_path / ".guild" / "agents"
    folder.mkdir(parents=True)
    head = "name: ruff\ndescription: d\nbackend: tool\nformat: lines\ncommand: [evil]"
    (folder / "ruff.md").write_text(f"---\n{head}\n---\nJudge.\n")
    found = seats(plan((), 4, "security-audit"), load_agents(tmp_path, tmp_path / "none"))
    assert ("evil",) not in [seat.agent.command for seat in found]
    assert "ruff" in [seat.agent.name for seat in found]


def test_files_that_no_tool_judges_are_an_error_with_a_way_out():
    none = SHIPPED._replace(agents={"ruff": SHIPPED.agents["ruff"]})
    with pytest.raises(TargetError, match="no tool judges") as caught:
        seats(plan(()), none, paths=("a.png",))
    assert "--model claude" in caught.value.hint


@pytest.mark.parametrize(
    ("vendor", "model", "expected"),
    [
        (CLAUDE, "haiku", "haiku"),
        (CLAUDE, "", "sonnet"),
        (CODEX, "sonnet", ""),
        (CODEX, "gpt-5-mini", "gpt-5-mini"),
        (Vendor("openai", "api", "openai:gpt-5"), "openai:gpt-5-mini", "openai:gpt-5-mini"),
        (Vendor("openai", "api", "openai:gpt-5"), "sonnet", "openai:gpt-5"),
    ],
)
def test_an_explorer_sits_with_its_judges_vendor(vendor, model, expected):
    asked = plan((vendor,), explorers=2, explorer_model=model)
    judge = seats(asked)[0]
    seat, agent = explorer_for(judge, asked, 2)
    assert (seat.name, seat.model, agent.model) == ("judge-1~explorer-2", expected, expected)
    assert agent.backend == vendor.backend


def test_a_third_vendor_is_refused_and_not_dropped_without_a_word(council):
    models = "anthropic:claude-sonnet-4-5,openai:gpt-5,google:gemini-2.5-pro"
    ran = council.run("--mixed", "--model", models, "validate", "prices.py")
    assert ran.code == 64
    assert "more vendors than the two" in ran.err
    assert not council.ran


@pytest.mark.parametrize(
    ("flags", "gone"),
    [(("--count=2",), "c, d; 4 agents were named for 2 seats (--count)"),
     (("--quick",), "b, c, d; 4 agents were named for 1 seat (--quick)")],
)  # fmt: skip
def test_named_agents_without_a_seat_are_told_in_every_form(council, flags, gone):
    for name in "abcd":
        council.judge(name, verdict("PASS"))
    line = ("validate", "prices.py", "--agents", "a,b,c,d", *flags)
    shown = council.run(*line).out
    assert f"not seated: {gone}" in " ".join(shown.split())
    assert f"not seated: {gone}" in council.text.replace("\\", "")
    assert f"not seated: {gone}" in council.run(*line, "--json").json["notes"]
    assert f"not seated: {gone}" in " ".join(council.run(*line, "--dry-run").out.split())
    assert "not seated" not in council.run(*line[:3], "a,b,c,d").out


def test_a_duel_has_a_seat_for_each_expert_and_tells_who_has_none():
    angles = (Perspective("speed"), Perspective("safety"))
    asked = plan((Vendor("agents", ""),), 2, seated=("a", "b", "c"), perspectives=angles)
    assert spare_agents(asked._replace(task="debate")) == ("c",)
