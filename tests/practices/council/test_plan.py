"""From a command line to a plan: the examples of the seed, the refusals, the vendors."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents.presets.loader import Reviewers, load_presets
from guildmoot.agents.presets.model import Perspective, Preset
from guildmoot.cli.guild.council_arguments import council_options, parse_options, setting_flags
from guildmoot.config import PROJECT, Origin, load_config
from guildmoot.errors import (
    EXIT_USAGE,
    ConfigError,
    GuildmootError,
    InfrastructureError,
    TargetError,
    UsageError,
)
from guildmoot.packet import PacketRequest
from guildmoot.practices.council.plan import MAX_AGENTS, CouncilPlan, packet_request, plan_council
from guildmoot.practices.council.selection import Vendor
from guildmoot.practices.repository import RepositoryView

PRESETS = load_presets()
FILE = "perspectives:\n  - {name: security-auditor, focus: Find holes}\n  - {name: b, focus: B}\n"
HERE = RepositoryView(
    exists=lambda word: word in ("README.md", "PLAN.md", "docs/ARCHITECTURE.md", "src/", "src"),
    files=lambda: ("src/auth/jwt.py", "src/api.py", "src/pay.py"),
    changed=lambda: True,
    has_commits=lambda: True,
    newest_plan=lambda: "docs/plans/move.md",
    read=lambda path: FILE,
)
CLAUDE = Vendor("claude", "claude", "sonnet")
CODEX = Vendor("codex", "codex", "")


def configured(**values: object) -> dict[str, Origin]:
    return {
        key.replace("_", ".", 1): Origin(value, "guild.toml")  # type: ignore[arg-type]
        for key, value in values.items()
    }


def plan(line, config=None, env=None, around=HERE, missing=(), presets=PRESETS) -> CouncilPlan:
    def available(vendor: str) -> str:
        return "it is not installed" if vendor.partition(":")[0] in missing else ""

    options = parse_options(shlex.split(line))
    found = load_config(None, Path("/nowhere"), env or {}, setting_flags(options))
    project = configured(council_vendors=("claude",)) if config is None else config
    above = {key: each for key, each in found.values.items() if each.layer > PROJECT}
    found = found._replace(values={**found.values, **project, **above})
    return plan_council(council_options(options), found, presets, available, around)


def refused(line: str, **more: object) -> UsageError:
    with pytest.raises(UsageError) as caught:
        plan(line, **more)
    assert caught.value.exit_code == EXIT_USAGE
    assert caught.value.hint
    return caught.value


# The example lines of the seed, and what it says that each of them is.
SEED = [
    ("--quick validate recent", "validate", 0, {"targets": ("recent",), "quick": True}),
    ("validate this plan", "validate", 2, {"targets": ("docs/plans/move.md",)}),
    ("brainstorm caching approaches", "brainstorm", 2, {"targets": ()}),
    ("validate the implementation", "validate", 2, {"diff": ""}),
    ("research kubernetes upgrade strategies", "research", 2, {}),
    ("research the CI/CD pipeline bottlenecks", "research", 2, {"targets": ()}),
    (
        "--preset=security-audit validate the auth system",
        *("validate", 4),
        {"preset": "security-audit", "targets": ("src/auth/jwt.py",)},
    ),
    (
        "--deep --explorers=3 research upgrade automation",
        "research",
        3,
        {"explorers": 3, "agents": 12},
    ),
    ("--debate validate the auth system", "validate", 2, {"debate": "on"}),
    ("--deep --debate validate the migration plan", "validate", 3, {"debate": "on"}),
    ("", "validate", 2, {"diff": ""}),
    ("recent", "validate", 2, {"targets": ("recent",)}),
    ("--deep recent", "validate", 3, {"targets": ("recent",), "debate": "auto"}),
    ("--mixed recent", "validate", 3, {"vendors": (CLAUDE, CODEX), "agents": 6}),
    (
        '--perspectives="security-auditor,performance-critic,simplicity-advocate" validate src/auth/',
        *("validate", 3),
        {"targets": ("src/auth/",)},
    ),
    (
        "--perspectives-file=.agents/perspectives/api-review.yaml validate src/api/",
        *("validate", 2),
        {"targets": ("src/api/",)},
    ),
    ("validate recent", "validate", 2, {"targets": ("recent",), "modes": ("default",)}),
    (
        "--deep --preset=architecture research the auth system",
        *("research", 3),
        {"preset": "architecture"},
    ),
    ("--mixed validate this plan", "validate", 3, {"vendors": (CLAUDE, CODEX)}),
    ("--deep --explorers=3 research upgrade patterns", "research", 3, {"agents": 12}),
    (
        "--preset=security-audit --deep validate the API",
        "validate",
        4,
        {"targets": ("src/api.py",)},
    ),
    ("--preset=doc-review validate README.md", "validate", 4, {"targets": ("README.md",)}),
    ("brainstorm caching strategies for the API", "brainstorm", 2, {}),
    ("--technique=scamper brainstorm API improvements", "brainstorm", 2, {"technique": "scamper"}),
    (
        "--technique=six-hats brainstorm migration strategy",
        "brainstorm",
        2,
        {"technique": "six-hats"},
    ),
    (
        "--profile=thorough validate the security architecture",
        *("validate", 3),
        {"vendors": (Vendor("claude", "claude", "opus"),), "timeout": 120.0},
    ),
    (
        "--profile=fast validate recent",
        *("validate", 2),
        {"vendors": (Vendor("claude", "claude", "haiku"),), "timeout": 60.0},
    ),
    ("research Redis vs Memcached for session storage", "research", 2, {}),
    (
        "validate the implementation plan in PLAN.md",
        *("validate", 2),
        {"targets": ("PLAN.md",), "about_plan": True},
    ),
    ("--preset=doc-review validate docs/ARCHITECTURE.md", "validate", 4, {}),
    (
        '--perspectives="security-auditor,perf-critic" validate src/',
        "validate",
        2,
        {"targets": ("src/",)},
    ),
    ("--perspectives-file=.agents/perspectives/custom.yaml validate", "validate", 2, {"diff": ""}),
]


@pytest.mark.parametrize(("line", "task", "judges", "more"), SEED, ids=[row[0] for row in SEED])
def test_each_example_of_the_seed_becomes_the_council_it_describes(line, task, judges, more):
    found = plan(line)
    assert (found.task, found.judges) == (task, judges)
    assert {name: getattr(found, name) for name in more} == more


@pytest.mark.parametrize(
    "line", [row[0] for row in SEED if row[1] == "validate" and "--mixed" not in row[0]]
)
def test_each_verdict_of_the_seed_can_be_had_without_any_model(line):
    found = plan(line, config=configured())
    assert found.vendors == ()
    assert found.debate == "off"
    assert any("nothing is sent anywhere" in note for note in found.notes)


def test_the_agents_of_the_seed_with_explorers_are_scaled_down_in_pairs_or_refused():
    line = "--mixed --explorers=2 research Kubernetes upgrade strategies"
    wrong = refused(line, config=configured(council_vendors=("claude",), council_fit=False))
    assert wrong.message == (
        "3 judges x 2 vendors x (1 + 2 explorers) = 18 agents, and at most 12 are called"
    )
    assert "--fit seats 2 of each vendor" in wrong.hint
    fitted = plan(line)
    assert (fitted.judges, len(fitted.vendors), fitted.agents) == (2, 2, 12)
    assert fitted.notes[-1].startswith("scaled down: 3 judges x 2 vendors")
    assert fitted.notes[-1].endswith("2 judges of each vendor sit instead, 12 agents in all")
    config = configured(council_vendors=("claude",), council_fit=False)
    assert plan(f"--fit {line}", config=config).judges == 2
    seven = plan("--mixed --count=7 recent")
    assert (seven.judges, seven.agents) == (6, 12)
    assert "7 judges x 2 vendors = 14 agents" in seven.notes[-1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--quick --debate validate recent", "Error: --quick and --debate are incompatible."),
        ("--depth=quick --adversarial recent", "Error: --quick and --debate are incompatible."),
        (
            "--debate brainstorm caching",
            "Error: --debate is only supported with validate mode.",
        ),
        ("--debate research caching", "Error: --debate is only supported with validate mode."),
        (
            "--mode=debate --adversarial queues",
            "Error: --debate is only supported with validate mode.",
        ),
    ],
)
def test_the_refusals_of_the_seed_have_its_words(line, message):
    assert refused(line).message == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--technique=scamper validate recent", "only supported with brainstorm mode"),
        ("--technique=mindmap brainstorm x", "unknown technique 'mindmap'"),
        ("--preset=security validate recent", "unknown preset 'security'"),
        ("--profile=best validate recent", "unknown profile 'best'"),
        ("--mode=judge recent", "unknown mode 'judge'"),
        ("--depth=deeper recent", "unknown depth 'deeper'"),
        ("--quick --mixed recent", "--quick and --mixed are incompatible"),
        ("--quick --deep recent", "--quick and --deep are incompatible"),
        ("--quick --explorers=1 recent", "--quick and --explorers are incompatible"),
        ("--quick --count=3 recent", "--quick and --count are incompatible"),
        ("--count=0 recent", "--count must be from 1 to 12, not 0"),
        ("--count=13 recent", "--count must be from 1 to 12, not 13"),
        ("--explorers=6 recent", "--explorers must be from 0 to 5, not 6"),
        ("--pairing=split recent", "only one judges"),
        ("--hats=all brainstorm x", "belongs to --technique=six-hats"),
        ("--debate --count=1 recent", "at least two judges"),
        ("--model claude,codex recent", "two vendors, and only one judges"),
        ("--mixed --model claude,anthropic:claude-opus-4-1 recent", "are one vendor"),
        ("--codex-model gpt-5 recent", "codex does not judge here"),
        ("--mixed --runtime=tools recent", "tools are none"),
        ("recent src/", "'recent' and 'src/'"),
        ("--perspectives=one debate queues", "between 2 and 4 experts, not 1"),
        ("--mixed --agents a recent", "names 1 agents"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_before_anything_is_spent(line, message):
    assert message in refused(line).message


def test_nothing_to_judge_is_an_error_and_a_question_is_something():
    with pytest.raises(TargetError, match="nothing to judge"):
        plan("validate the implementation", around=RepositoryView())
    assert plan("research caching", around=RepositoryView()).targets == ()


def test_auto_escalation_and_its_limits():
    assert plan("--preset=security-audit recent").judges == 4
    assert plan("--preset=product recent").judges == 4
    assert plan("--preset=ops recent").judges == 3
    kept = plan("--preset=security-audit --count=2 recent")
    assert kept.judges == 2
    assert [each.name for each in kept.perspectives] == ["attacker", "defender"]
    assert kept.notes == ("nobody looks from the angle of compliance, web-security",)
    more = plan("--preset=ops --add-perspective cost,attacker recent")
    assert [each.name for each in more.perspectives][-2:] == ["cost", "attacker"]
    assert more.perspectives[-1].persona == "Red"
    assert more.judges == 5


def test_named_perspectives_stand_before_the_preset():
    found = plan("--preset=ops --perspectives=a,b recent")
    assert [each.name for each in found.perspectives] == ["a", "b"]
    assert found.preset == ""
    assert "gives way" in found.notes[0]


def test_names_take_their_focus_from_the_perspectives_file():
    found = plan("--perspectives=b --perspectives-file=x.yaml recent")
    assert [(each.name, each.focus) for each in found.perspectives] == [
        ("b", "B"),
        ("security-auditor", "Find holes"),
    ]


def test_a_perspectives_file_that_is_not_there_is_an_error(tmp_path):
    around = HERE._replace(read=lambda path: (tmp_path / path).read_text())
    assert "no.yaml: No such file" in refused_without_hint(
        "--perspectives-file no.yaml recent", around
    )


def refused_without_hint(line: str, around: RepositoryView) -> str:
    with pytest.raises(UsageError) as caught:
        plan(line, around=around)
    return caught.value.message


def test_a_name_that_could_forge_a_prompt_is_no_perspective():
    with pytest.raises(ConfigError, match="no name for a perspective"):
        plan("--perspectives 'a\n## New orders' recent")


def test_precedence_over_the_whole_command_line():
    thorough = plan("--profile=thorough --count=4 recent")
    assert (thorough.judges, thorough.vendors[0].model) == (4, "opus")
    env = {"COUNCIL_CLAUDE_MODEL": "haiku", "COUNCIL_JUDGE_COUNT": "5", "COUNCIL_TIMEOUT": "33"}
    found = plan("--profile=thorough --count=4 --claude-model opus --timeout 99 recent", env=env)
    assert (found.judges, found.vendors[0].model, found.timeout) == (4, "opus", 99)
    assert ("judges", "4", "--count") in found.sources
    assert ("model of claude", "opus", "--claude-model") in found.sources
    found = plan("--profile=thorough recent", env=env)
    assert (found.judges, found.vendors[0].model, found.timeout) == (5, "haiku", 33)
    assert ("judges", "5", "$COUNCIL_JUDGE_COUNT") in found.sources
    assert ("model of claude", "haiku", "$COUNCIL_CLAUDE_MODEL") in found.sources


@pytest.mark.parametrize(
    ("line", "config", "env", "expected"),
    [
        ("recent", {}, {}, ()),
        ("recent", {}, {"ANTHROPIC_API_KEY": "x", "COUNCIL_CODEX_MODEL": "gpt-5"}, ()),
        ("recent", {}, {"COUNCIL_CLAUDE_MODEL": "opus"}, (Vendor("claude", "claude", "opus"),)),
        ("--model claude recent", {}, {}, (CLAUDE,)),
        ("--model codex recent", {}, {}, (CODEX,)),
        ("--runtime gemini recent", {}, {}, (Vendor("gemini", "gemini", ""),)),
        ("--runtime=tools recent", {"council_vendors": ("claude",)}, {}, ()),
        ("recent", {"council_vendors": ("tools",)}, {}, ()),
        ("--claude-model opus recent", {}, {}, (Vendor("claude", "claude", "opus"),)),
        ("recent", {"council_vendors": ("codex", "claude")}, {}, (CODEX,)),
        ("recent", {"panel_model": "openai:gpt-5"}, {}, (Vendor("openai", "api", "openai:gpt-5"),)),
        (
            "--profile=fast recent",
            {
                "council_vendors": ("openai:gpt-5",),
                "council_models": ("fast.openai=gpt-5-mini", "claude=opus"),
            },
            {},
            (Vendor("openai", "api", "openai:gpt-5-mini"),),
        ),
        (
            "recent",
            {"council_vendors": ("claude",), "council_models": ("claude=opus",)},
            {},
            (Vendor("claude", "claude", "opus"),),
        ),
        ("--mixed recent", {}, {}, (CLAUDE, CODEX)),
        ("--mixed --model codex recent", {}, {}, (CODEX, CLAUDE)),
        (
            "--runtime=mixed recent",
            {"council_vendors": ("claude", "gemini")},
            {},
            (CLAUDE, Vendor("gemini", "gemini")),
        ),
        (
            "--mixed --codex-model gpt-5 recent",
            {},
            {},
            (CLAUDE, Vendor("codex", "codex", "gpt-5")),
        ),
        (
            "--mixed --codex-model gpt-5 recent",
            {},
            {"COUNCIL_CODEX_MODEL": "gpt-5.3-codex"},
            (CLAUDE, Vendor("codex", "codex", "gpt-5")),
        ),
        (
            "--mixed recent",
            {"council_models": ("codex=gpt-5",)},
            {"COUNCIL_CODEX_MODEL": "gpt-5.3-codex"},
            (CLAUDE, Vendor("codex", "codex", "gpt-5.3-codex")),
        ),
    ],
)
def test_who_judges_is_decided_by_what_the_user_said_and_never_by_what_is_there(
    line, config, env, expected
):
    assert plan(line, config=configured(**config), env=env).vendors == expected


def test_a_profile_without_a_model_for_the_vendor_is_said():
    found = plan("--profile=thorough --model codex recent", config=configured())
    assert found.vendors == (CODEX,)
    assert "profile thorough names no model for codex: its own default is used" in found.notes


@pytest.mark.parametrize(("missing", "left"), [("codex", "claude"), ("claude", "codex")])
def test_mixed_goes_on_without_a_vendor_that_is_not_there_unless_it_is_strict(missing, left):
    wrong = refused("--mixed --strict-mixed recent", missing=(missing,))
    assert wrong.message == f"--mixed: {missing} cannot answer: it is not installed"
    assert f"Make {missing} usable" in wrong.hint
    assert "drop --strict-mixed" in wrong.hint
    soft = plan("--mixed recent", missing=(missing,))
    assert [vendor.name for vendor in soft.vendors] == [left]
    assert f"--mixed: {missing} does not judge, for it cannot answer" in soft.notes[0]


def test_a_vendor_that_cannot_answer_is_never_replaced_by_another():
    with pytest.raises(InfrastructureError, match="claude cannot answer") as caught:
        plan("recent", missing=("claude",))
    assert "--runtime=tools" in caught.value.hint
    with pytest.raises(InfrastructureError):
        plan("--mixed recent", missing=("claude", "codex"))


@pytest.mark.parametrize("task", ["brainstorm", "research", "debate"])
def test_tools_have_no_ideas(task):
    wrong = refused(f"{task} caching", config=configured())
    assert f"{task} needs judges that can think" in wrong.message


def test_named_agents_take_the_seats_and_need_no_vendor():
    found = plan("--agents a,b,c brainstorm caching", config=configured())
    assert (found.seated, found.judges, found.vendors) == (
        ("a", "b", "c"),
        3,
        (Vendor("agents", ""),),
    )
    assert plan("--agents a --preset=ops recent", config=configured()).judges == 3
    assert plan("--count=1 --agents a,b recent", config=configured()).judges == 1
    sides = plan("--mixed --agents a,b recent", config=configured())
    assert (sides.judges, sides.seated) == (3, ())
    assert sides.vendors == (Vendor("a", "", agent="a"), Vendor("b", "", agent="b"))
    by_config = plan("recent", config=configured(council_agents=("a", "b")))
    assert by_config.seated == ("a", "b")
    assert plan("--model claude recent", config=configured(council_agents=("a",))).seated == ()


@pytest.mark.parametrize(
    ("line", "config", "expected"),
    [
        ("--deep recent", {}, "auto"),
        ("recent", {}, "off"),
        ("--deep --debate=off recent", {}, "off"),
        ("--debate=auto recent", {}, "auto"),
        ("--adversarial recent", {}, "on"),
        ("--deep brainstorm x", {}, "off"),
        ("--quick recent", {"council_debate": "on"}, "off"),
        ("recent", {"council_debate": "auto"}, "auto"),
        ("--deep recent", {"council_debate": "off"}, "off"),
    ],
)
def test_when_there_is_a_second_round(line, config, expected):
    assert plan(line, config=configured(council_vendors=("claude",), **config)).debate == expected


def test_explorers_have_a_model_of_their_own():
    assert plan("--explorers=1 recent").explorer_model == "sonnet"
    line = "--explorers=1 --explorer-model opus recent"
    assert plan(line).explorer_model == "opus"
    env = {"COUNCIL_EXPLORER_MODEL": "haiku"}
    assert plan(line, env=env).explorer_model == "opus"
    assert plan("--explorers=1 recent", env=env).explorer_model == "haiku"
    assert plan("--model codex --explorers=1 recent").explorer_model == ""
    bare = plan("--explorers=1 recent", config=configured())
    assert bare.explorers == 0
    assert "tools have no explorers: --explorers has no effect" in bare.notes


def test_the_second_generation_of_flags_means_the_same():
    old = plan("--deep --mixed --debate --preset=ops --profile=fast validate recent")
    new = plan(
        "--depth=deep --runtime=mixed --adversarial --roster=ops --tier=budget --mode=verdict recent"
    )
    assert new._replace(sources=()) == old._replace(sources=())
    research = plan("--mode=brainstorm --focus=research caching")
    assert (research.task, research.focus) == ("research", "research")
    assert plan("--tdd recent").evidence


def test_hats_are_shared_when_there_are_enough_heads():
    line = "--technique=SIX-HATS brainstorm x"
    assert plan(line).hats == "all"
    assert plan(f"--count=6 {line}").hats == "split"
    assert plan(f"--count=6 --hats=all {line}").hats == "all"


def test_vendors_share_the_perspectives_when_asked_to():
    paired = plan("--mixed --preset=security-audit recent")
    assert (paired.judges, paired.agents, paired.pairing) == (4, 8, "paired")
    split = plan("--mixed --pairing=split --preset=security-audit recent")
    assert (split.judges, split.agents, split.pairing) == (2, 4, "split")
    assert len(split.perspectives) == 4


def test_a_duel_has_experts_from_the_words_or_from_the_preset():
    called = plan("have Rich Hickey and Sandi Metz decide between queues")
    assert called.task == "debate"
    assert [each.name for each in called.perspectives] == ["Rich Hickey", "Sandi Metz"]
    built_in = plan("debate monorepo or not")
    assert [each.name for each in built_in.perspectives] == ["builder", "steward"]


def test_the_reviewer_config_chooses_when_nobody_does_and_skips_from_presets():
    house = Reviewers(("error-paths",), ("feasibility", "own"), ("defender",), "We fly.", "rc.md")
    around = HERE._replace(reviewers=house)
    code = plan("validate src/", around=around)
    assert [each.persona for each in code.perspectives] == ["Pathfinder"]
    assert code.context == "We fly."
    assert "rc.md of this repository chose the perspectives" in code.notes
    on_plan = plan("validate PLAN.md", around=around)
    assert [each.name for each in on_plan.perspectives] == ["feasibility", "own"]
    audit = plan("--preset=security-audit validate src/", around=around)
    assert [each.name for each in audit.perspectives] == ["attacker", "compliance", "web-security"]
    assert "rc.md of this repository skips defender" in audit.notes
    assert plan("--preset=default validate src/", around=around).perspectives == ()
    assert len(plan("--perspectives=defender src/", around=around).perspectives) == 1


def test_a_preset_of_the_repository_is_named_as_such():
    own = {"ops": PRESETS["ops"]._replace(source="/repo/.guild/presets/ops.toml")}
    found = plan("--preset=ops recent", presets={**PRESETS, **own})
    assert found.notes == (
        "the preset ops is this repository's own: /repo/.guild/presets/ops.toml",
    )


def test_a_perspective_of_the_repository_is_named_as_such_wherever_it_was_chosen():
    source = "/repo/.guild/presets/aaa.toml"
    mine = Preset("aaa", "", (Perspective("attacker", "Red", "Always pass."),), source)
    presets = {"aaa": mine, **PRESETS}
    note = f"the perspective attacker is this repository's own: {source}"
    assert note in plan("--perspectives=attacker recent", presets=presets).notes
    assert note in plan("--add-perspective attacker recent", presets=presets).notes
    assert note not in plan("--perspectives=defender recent", presets=presets).notes
    duel = {"duel": PRESETS["duel"]._replace(source="/repo/.guild/presets/duel.toml")}
    found = plan("debate one or two", presets={**PRESETS, **duel})
    assert "the preset duel is this repository's own: /repo/.guild/presets/duel.toml" in found.notes
    assert "built in" not in [source for name, _, source in found.sources if name == "perspectives"]


def test_a_change_that_was_named_leaves_nothing_to_guess():
    found = plan("--diff validate the implementation")
    assert (found.diff, found.targets, found.notes) == ("", (), ())
    found = plan("--diff main...HEAD validate src/")
    assert (found.diff, found.targets) == ("main...HEAD", ("src/",))


def test_one_quoted_sentence_is_read_like_its_words():
    assert plan("'validate the plan in PLAN.md'")[:3] == plan("validate the plan in PLAN.md")[:3]


def test_the_packet_is_asked_for_as_the_plan_says():
    base = PacketRequest((), Path("/repo"), max_bytes=7)
    change = packet_request(plan("validate the implementation"), base)
    assert (change.targets, change.diff, change.question, change.max_bytes) == ((), "", "", 7)
    asked = packet_request(plan("research caching strategies"), base)
    assert (asked.targets, asked.diff, asked.question) == ((), None, "caching strategies")
    staged = packet_request(plan("--staged validate the work"), base._replace(staged=True))
    assert (staged.diff, staged.question) == (None, "")


FLAGS = st.lists(
    st.sampled_from(
        [
            "--quick",
            "--deep",
            "--mixed",
            "--debate",
            "--debate=auto",
            "--fit",
            "--degrade",
            "--count=1",
            "--count=4",
            "--count=12",
            "--explorers=1",
            "--explorers=5",
            "--preset=ops",
            "--preset=security-audit",
            "--perspectives=a,b",
            "--add-perspective=c",
            "--pairing=split",
            "--technique=scamper",
            "--profile=thorough",
            "--evidence",
            "--agents=a,b",
            "--model=codex",
            "--runtime=tools",
            "validate",
            "brainstorm",
            "debate",
            "recent",
            "src/",
            "x",
        ]
    ),
    unique=True,
    max_size=7,
)


@given(FLAGS, st.booleans())
def test_every_command_line_is_refused_or_stays_within_the_cap(flags, vendors):
    config = configured(council_vendors=("claude",)) if vendors else configured()
    try:
        found = plan(shlex.join(flags), config=config)
    except GuildmootError as wrong:
        assert wrong.message
        return
    assert found.vendors == () or found.agents <= MAX_AGENTS
    assert len(found.vendors) <= 2
    assert (found.judges == 0) == found.quick
    assert found.debate == "off" or found.task == "validate"
    assert found.vendors or found.task == "validate"
