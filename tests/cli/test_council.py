"""``guild council`` as a user meets it: real git, scripted judges, and models on loopback."""

import json
import signal
import subprocess

import pytest

from judges import PRICES, add_council_judge, finding, verdict
from loopback import Rule, serving


@pytest.fixture
def prices(shop):
    shop.write("prices.py", PRICES)
    shop.commit()
    add_council_judge(shop, "kind", verdict("PASS"))
    add_council_judge(shop, "wary", verdict("WARN"))
    add_council_judge(shop, "strict", verdict("FAIL", finding()))
    return shop


@pytest.mark.parametrize(
    ("agents", "more", "outcome", "code"),
    [
        ("kind", (), "PASS", 0),
        ("kind,wary", (), "WARN", 0),
        ("kind,wary", ("--fail-on", "warn"), "WARN", 1),
        ("wary,strict", (), "FAIL", 2),
        ("kind,strict", (), "DISAGREE", 3),
    ],
)
def test_the_exit_code_is_the_outcome(prices, agents, more, outcome, code):
    ran = prices.guild("council", "validate", "prices.py", "--agents", agents, *more, "--json")
    assert (ran.code, ran.json["outcome"], ran.json["exit_code"]) == (code, outcome, code), ran.err
    assert ran.err == ""


def test_the_answer_reads_well_and_names_the_report(prices):
    ran = prices.guild("council", "validate", "prices.py", "--agents", "wary,strict")
    assert ran.code == 2
    assert "FAIL" in ran.out
    assert "totals are halved" in ran.out
    [report] = (prices.root / ".agents" / "council").glob("*.md")
    assert report.name in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_without_a_model_tools_judge_and_it_says_so(prices):
    prices.write("broken.py", "def f():\n    return itmes\n")
    ran = prices.guild("council", "validate", "broken.py", "--json")
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["outcome"] == "FAIL"
    assert any("no model is configured" in note for note in ran.json["notes"])


def test_a_debate_is_held_and_told(prices):
    add_council_judge(prices, "first", [verdict("PASS"), "I hold that it passes.", verdict("PASS")])
    second = [
        verdict("FAIL", finding()),
        "I hold that totals are wrong.",
        verdict("FAIL", finding()),
    ]
    add_council_judge(prices, "second", second)
    agents = ("--agents", "first,second")
    ran = prices.guild("council", "--debate", *agents, "validate", "prices.py", "--json")
    assert ran.code == 3, ran.out + ran.err
    assert ran.json["debate"]["branch"] == "disagreed"
    [folder] = [p for p in (prices.root / ".agents" / "council").iterdir() if p.is_dir()]
    assert (folder / "judge-1-r2.md").is_file()


def test_reports_are_written_where_they_were_asked_for(prices):
    names = ("out.md", "out.json", "out.sarif", "out.html")
    flags = [word for name in names for word in ("--report", name)]
    ran = prices.guild("council", "validate", "prices.py", "--agents", "strict", *flags)
    assert ran.code == 2
    assert all((prices.root / name).stat().st_size > 0 for name in names)


@pytest.mark.parametrize(
    "argv",
    [
        ("--quick", "--debate", "validate", "prices.py"),
        ("--debate", "brainstorm", "caching"),
        ("--technique=scamper", "validate", "prices.py"),
        ("--preset=nobody", "validate", "prices.py"),
        ("--explorers=6", "validate", "prices.py"),
        ("validate", "prices.py", "--report", "out.exe"),
        ("brainstorm", "caching", "--agents", "kind", "--report", "out.sarif"),
        ("validate", "nothing-there.py"),
    ],
)
@pytest.mark.sample(3)
def test_what_cannot_be_done_is_refused_before_anyone_is_asked(prices, argv):
    ran = prices.guild("council", *argv, "--json")
    assert ran.code == 64, ran.out
    assert ran.json["error"]["message"]
    assert not (prices.root / ".guild" / "runs").exists()


def test_a_dry_run_tells_the_roster_and_calls_nobody(prices):
    ran = prices.guild("council", "--dry-run", "validate", "prices.py", "--agents", "kind,wary")
    assert ran.code == 0
    assert "judge-1" in ran.out
    assert "LEAVES THIS MACHINE" in ran.out
    assert not (prices.root / ".guild" / "runs").exists()
    again = prices.guild(
        "council", "--dry-run", "validate", "prices.py", "--agents", "kind", "--json"
    )
    assert again.json["dry_run"] is True


def test_no_record_leaves_nothing_behind(prices):
    ran = prices.guild("council", "validate", "prices.py", "--agents", "kind", "--no-record")
    assert ran.code == 0
    assert not (prices.root / ".agents").exists()
    assert not (prices.root / ".guild" / "runs").exists()


def test_ctrl_c_writes_an_incomplete_report_and_resume_finishes_it(prices):
    add_council_judge(prices, "slow", {"hang": True})
    ran = prices.stop("council", "validate", "prices.py", "--agents", "kind,slow", at="judge-1")
    assert ran.code == 130
    assert "  guild resume " in ran.out
    assert "INCOMPLETE" in ran.out
    [report] = (prices.root / ".agents" / "council").glob("*.md")
    assert "INCOMPLETE" in report.read_text()
    add_council_judge(prices, "slow", verdict("WARN"))
    ran = prices.guild("resume", "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "WARN"), ran.err
    assert "Consensus: WARN" in report.read_text()


def test_kill_in_the_first_round_asks_only_the_missing_judges_again(prices):
    add_council_judge(prices, "slow", {"hang": True})
    words = ("council", "validate", "prices.py", "--agents", "kind,slow")
    prices.stop(*words, at="judge-1", how=signal.SIGKILL)
    # It would fail, if it were asked again.
    add_council_judge(prices, "kind", verdict("FAIL", finding()))
    add_council_judge(prices, "slow", verdict("WARN"))
    ran = prices.guild("resume", "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "WARN"), ran.out


@pytest.mark.slow
def test_models_of_two_vendors_are_asked_with_one_prefix_and_a_schema(prices):
    answer = [Rule(text=verdict("FAIL", finding()), model="gpt"), Rule(text=verdict("PASS"))]
    with serving(answer) as provider:
        ran = prices.guild(
            *("council", "--mixed", "--preset=architecture", "validate", "prices.py", "--json"),
            *("--model", "anthropic:claude-sonnet-4-5,openai:gpt-5"),
            env={**provider.environment(), "NO_PROXY": "127.0.0.1"},
        )
        assert ran.code == 3, ran.out + ran.err
        assert ran.json["outcome"] == "DISAGREE"
        assert [pair["agreed"] for pair in ran.json["pairs"]] == [False] * 3
        prompts = [request.prompt for request in provider.requests]
        prompts = [prompt for prompt in prompts if "You are the chair" not in prompt]
        assert len(prompts) == 6
        heads = {prompt[: prompt.index("You are ")] for prompt in prompts if "You are " in prompt}
        assert len({head[head.index("Everything between") :] for head in heads}) == 1
        assert ran.json["counts"]["effective"] == 2.0


def test_twelve_agents_are_each_called_once(prices):
    with serving([Rule(text=verdict("PASS"))]) as provider:
        ran = prices.guild(
            *("council", "--count=12", "validate", "prices.py", "--json"),
            *("--model", "anthropic:claude-sonnet-4-5"),
            env={**provider.environment(), "NO_PROXY": "127.0.0.1"},
        )
        assert ran.code == 0, ran.out
        assert len(provider.requests) == 12


IDEAS = {
    "options": [{"title": "Cache in Redis", "summary": "s", "pros": ["fast"], "cons": ["ops"]}],
    "recommendation": "Redis",
}


@pytest.mark.parametrize("task", ["brainstorm", "research"])
def test_ideas_are_gathered_and_no_verdict_is_pretended(prices, task):
    add_council_judge(prices, "thinker", json.dumps(IDEAS))
    ran = prices.guild("council", task, "caching", "strategies", "--agents", "thinker", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert (ran.json["outcome"], ran.json["verdict"]) == (None, None)
    [report] = (prices.root / ".agents" / "council").glob("*.md")
    assert f"-{task}-caching-strategies" in report.name
    assert "Council Verdict" not in report.read_text()


def test_a_brainstorm_that_nobody_answers_is_infrastructure(prices):
    add_council_judge(prices, "gone", {"fail": "overloaded"})
    ran = prices.guild("council", "brainstorm", "caching", "--agents", "gone", "--json")
    assert ran.code == 4
    assert "nobody answered" in ran.json["reasons"][0]


def test_a_secret_in_the_question_reaches_neither_judge_nor_file(prices):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    keep = prices.home / "prompt"
    command = f'["sh", "-c", "cat > {keep}; cat {prices.home}/answer"]'
    (prices.home / "answer").write_text(json.dumps(IDEAS))
    add_council_judge(prices, "teller", "", replies=None, backend="command", command=command)
    ran = prices.guild(
        "council", "brainstorm", "rotating", token, "--agents", "teller", "--count=1"
    )
    assert ran.code == 0, ran.err
    written = [path.read_bytes() for path in prices.root.rglob("*") if path.is_file()]
    assert b"rotating" in keep.read_bytes()
    assert all(token.encode() not in text for text in [keep.read_bytes(), *written])


def test_an_angle_that_no_tool_takes_is_named(prices):
    ran = prices.guild("council", "--preset=product", "validate", "prices.py", "--json")
    assert any("user-value" in note for note in ran.json["notes"]), ran.json["notes"]


def test_a_duel_keeps_every_round(prices):
    add_council_judge(prices, "thinker", json.dumps(IDEAS))
    ran = prices.guild("council", "debate", "one", "repository", "--agents", "thinker", "--json")
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["duel"] is not None
    [rounds] = (prices.root / ".agents" / "council").glob("*/rounds")
    assert len([path for path in rounds.iterdir() if path.name.startswith("round1-")]) == 2


@pytest.mark.parametrize(
    "line",
    [
        "--quick validate recent",
        "validate this plan",
        "validate the implementation",
        "--preset=security-audit validate the auth system",
        "--debate validate the auth system",
        "--deep --debate validate the migration plan",
        "recent",
        "",
        "--preset=doc-review validate README.md",
        "--profile=fast validate recent",
        "--perspectives=security-auditor,perf-critic validate .",
    ],
)
@pytest.mark.sample(3)
def test_the_examples_of_the_seed_run_as_written(prices, line):
    prices.write("README.md", "# Prices\n")
    prices.write("PLAN.md", "# Plan\n")
    prices.write("auth.py", "def log_in(user):\n    return user\n")
    prices.commit()
    ran = prices.guild("council", *line.split(), "--agents", "wary", "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "WARN"), ran.out + ran.err


def test_a_sweep_turns_judges_from_searching_to_ruling(shop):
    shop.write("a.py", "def half(x):\n    return x / 2\n")
    shop.write("sweep.md", "1. a.py:2 halves what it should double\n")
    heard = shop.root.parent / "heard"
    shop.agent(
        "ear.md",
        "---\nname: ear\ndescription: listens\nbackend: command\nreply: council\n"
        f"command: [sh, -c, \"cat > '{heard}'; echo no\"]\n---\nJudge.\n",
    )
    shop.commit()
    asked = ("council", "--agents", "ear", "--sweep", "sweep.md", "validate", "a.py")
    shop.guild(*asked)
    prompt = heard.read_text()
    assert "a.py:2 halves what it should double" in prompt
    assert "confirm or reject each" in prompt
    missing = shop.guild(*asked[:4], "none.md", *asked[5:])
    assert missing.code == 64
    assert "sweep file none.md cannot be used" in missing.err


def test_a_silent_side_of_two_named_agents_is_seen_though_they_are_of_one_family(shop):
    shop.write("prices.py", PRICES)
    add_council_judge(shop, "one", verdict("PASS"), family="same")
    add_council_judge(shop, "two", {"fail": "no login"}, family="same")
    shop.commit()
    line = ("council", "--mixed", "--strict-mixed", "--agents", "one,two", "--json")
    ran = shop.guild(*line, "validate", "prices.py")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE"), ran.err
    assert any("no judge of two gave a verdict" in floor for floor in ran.json["floors"])


def test_without_a_model_a_persona_is_empty_and_the_outcome_says_who_could_judge(shop):
    shop.write("README.md", "# Shop\n\nIt sells things.\n")
    shop.commit()
    ran = shop.guild("council", "--preset=doc-review", "validate", "README.md", "--json")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE")
    judges = ran.json["roster"]["judges"]
    assert judges
    assert not any(judge["persona"] or judge["perspective"] for judge in judges)
    assert {judge["label"] for judge in judges} == {judge["seat"]["agent"] for judge in judges}
    [why] = [floor for floor in ran.json["floors"] if floor.startswith("readers")]
    assert "--model claude" in why
    shown = shop.guild("council", "validate", "README.md")
    assert shown.code == 3
    assert "nobody who sits can judge what is written there" in " ".join(shown.out.split())


def test_a_fact_that_blocks_fails_the_work_though_nobody_can_judge_the_question(shop):
    shop.write("app.py", "def f():\n    return undefined_name\n")
    shop.commit()
    ran = shop.guild("council", "--preset=security-audit", "validate", "app.py", "--json")
    assert (ran.code, ran.json["outcome"]) == (2, "FAIL")
    shop.write("app.py", "def f():\n    return 1\n")
    shop.commit()
    assert shop.guild("council", "validate", "app.py", "--json").json["outcome"] == "PASS"
    ran = shop.guild("council", "--preset=security-audit", "validate", "app.py", "--json")
    assert ran.json["outcome"] == "INCOMPLETE"


def test_a_dry_run_needs_no_key_and_names_what_is_missing(shop):
    shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    shop.commit()
    ran = shop.guild("council", "validate", "prices.py", "--model", "anthropic:x", "--dry-run")
    assert ran.code == 0, ran
    assert "judge-1: api anthropic:x" in ran.out
    assert "there is no key for" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    "argv",
    ["recheckk", "candidate list", "Show", "helpp", "list", "bogus", "runs", "-q show last"],
)
@pytest.mark.sample(3)
def test_a_word_that_is_neither_a_verb_nor_work_judges_nothing(prices, argv):
    ran = prices.guild("council", *argv.split())
    assert (ran.code, ran.out) == (64, "")
    assert not (prices.root / ".agents" / "council").exists()


def test_a_report_file_is_written_although_nobody_reads_the_output(prices):
    argv = prices.argv("council", "-q", "validate", "prices.py", "--report", "p.md")
    where = {"cwd": prices.root, "env": prices.env, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, **where) as run:
        assert run.stdout
        run.stdout.close()
        run.wait(timeout=60)
    assert "prices.py" in (prices.root / "p.md").read_text()
