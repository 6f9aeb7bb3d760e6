"""Every example line of the council's seed, as written, with ``guild`` before ``council``: offline.

The judges are named in the project's settings, so that no line needs another flag.
"""

import json
import re
import shlex

import pytest

from judges import finding, verdict
from practices.conftest import headings

IDEAS = json.dumps(
    {
        "options": [
            {"title": "Cache in Redis", "summary": "one store", "pros": ["fast"], "cons": ["ops"]}
        ],
        "facets": [{"facet": "Speed", "findings": ["reads take a millisecond"]}],
        "questions": ["how many readers are there?", "who runs it?", "what may be stale?"],
        "recommendation": "Redis",
    }
)
PERSPECTIVES = "perspectives:\n  - name: contracts\n    focus: what breaks callers\n  - name: {}\n"
FILES = {
    "README.md": "# Shop\n\nSells things.\n",
    "PLAN.md": "# Plan\n\n1. Move the orders.\n",
    "docs/ARCHITECTURE.md": "# Architecture\n\nOne process.\n",
    "docs/migration-plan.md": "# Migration plan\n\n1. Copy, then switch.\n",
    "src/auth/login.py": "def login(user):\n    return True\n",
    "src/api/orders.py": "def orders():\n    return []\n",
    ".agents/perspectives/api-review.yaml": PERSPECTIVES.format("limits"),
    ".agents/perspectives/custom.yaml": PERSPECTIVES.format("naming"),
}

VALIDATE = [
    ("--quick validate recent", 1, "quick-recent", "prices.py"),
    ("validate this plan", 2, "validate-this-plan", "migration-plan.md"),
    ("validate the implementation", 2, "validate-the-implementation", "prices.py"),
    (
        "--preset=security-audit validate the auth system",
        ("attacker", "defender", "compliance", "web-security"),
        "validate-the-auth-system",
        "src/auth/login.py",
    ),
    ("--debate validate the auth system", 2, "validate-the-auth-system", "src/auth/login.py"),
    (
        "--deep --debate validate the migration plan",
        3,
        "validate-the-migration-plan",
        "docs/migration-plan.md",
    ),
    ("", 2, "validate-recent-commits", "prices.py"),
    ("recent", 2, "validate-recent", "prices.py"),
    ("--deep recent", 3, "validate-recent", "prices.py"),
    ("--mixed recent", 6, "validate-recent", "prices.py"),
    (
        '--perspectives="security-auditor,performance-critic,simplicity-advocate" validate src/auth/',
        ("security-auditor", "performance-critic", "simplicity-advocate"),
        "validate-src-auth",
        "src/auth/login.py",
    ),
    (
        "--perspectives-file=.agents/perspectives/api-review.yaml validate src/api/",
        ("contracts", "limits"),
        "validate-src-api",
        "src/api/orders.py",
    ),
    ("validate recent", 2, "validate-recent", "prices.py"),
    ("--mixed validate this plan", 6, "validate-this-plan", "migration-plan.md"),
    (
        "--preset=security-audit --deep validate the API",
        ("attacker", "defender", "compliance", "web-security"),
        "validate-the-api",
        "src/api/orders.py",
    ),
    (
        "--preset=doc-review validate README.md",
        ("clarity-editor", "accuracy-verifier", "completeness-auditor", "audience-advocate"),
        "validate-readme-md",
        "README.md",
    ),
    (
        "--profile=thorough validate the security architecture",
        3,
        "validate-the-security-architecture",
        "docs/ARCHITECTURE.md",
    ),
    ("--profile=fast validate recent", 2, "validate-recent", "prices.py"),
    (
        "validate the implementation plan in PLAN.md",
        2,
        "validate-the-implementation-plan-in-plan-md",
        "PLAN.md",
    ),
    (
        "--preset=doc-review validate docs/ARCHITECTURE.md",
        ("clarity-editor", "accuracy-verifier", "completeness-auditor", "audience-advocate"),
        "validate-docs-architecture-md",
        "docs/ARCHITECTURE.md",
    ),
    (
        '--perspectives="security-auditor,perf-critic" validate src/',
        ("security-auditor", "perf-critic"),
        "validate-src",
        "src/api/orders.py",
    ),
    (
        "--perspectives-file=.agents/perspectives/custom.yaml validate",
        ("contracts", "naming"),
        "validate-recent-commits",
        "prices.py",
    ),
]

IDEA_LINES = [
    ("brainstorm caching approaches", 2, "brainstorm-caching-approaches"),
    ("research kubernetes upgrade strategies", 2, "research-kubernetes-upgrade-strategies"),
    ("research the CI/CD pipeline bottlenecks", 2, "research-the-ci-cd-pipeline-bottlenecks"),
    ("--deep --explorers=3 research upgrade automation", 3, "research-upgrade-automation"),
    (
        "--deep --preset=architecture research the auth system",
        ("scalability", "maintainability", "simplicity"),
        "research-the-auth-system",
    ),
    ("--deep --explorers=3 research upgrade patterns", 3, "research-upgrade-patterns"),
    (
        "brainstorm caching strategies for the API",
        2,
        "brainstorm-caching-strategies-for-the-api",
    ),
    ("--technique=scamper brainstorm API improvements", 2, "brainstorm-api-improvements"),
    ("--technique=six-hats brainstorm migration strategy", 2, "brainstorm-migration-strategy"),
    (
        "research Redis vs Memcached for session storage",
        2,
        "research-redis-vs-memcached-for-session-storage",
    ),
]


@pytest.fixture
def repository(council):
    """What the examples speak of; the last commit changed the prices."""
    council.shop.settings('[council]\nagents = ["calm", "careful"]\n')
    for path, text in FILES.items():
        council.shop.write(path, text)
    council.shop.commit("everything")
    council.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    council.shop.commit("totals are whole")
    return council


def named(judges):
    """The judges' labels, given how many there are or from which angles they look."""
    if isinstance(judges, tuple):
        return [f"judge-{name}" for name in judges]
    if judges == 6:
        return [*(f"judge-{n}" for n in (1, 2, 3)), *(f"careful-{n}" for n in (1, 2, 3))]
    return [f"judge-{number + 1}" for number in range(judges)]


def the_report(council, stem):
    """The report of the one council, under the name that the seed gives it."""
    [file] = council.reports
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d-{stem}\.md", file.name), file.name
    return file.read_text()


@pytest.mark.parametrize(("line", "judges", "stem", "shown"), VALIDATE, ids=lambda each: None)
@pytest.mark.sample(4)
def test_an_example_that_validates_gives_a_verdict_and_its_report(
    repository, line, judges, stem, shown
):
    place = shown if shown.endswith(".py") else f"{shown}:1"
    for name in ("calm", "careful"):
        repository.judge(name, verdict("WARN", finding(place=place, severity="minor")))
    ran = repository.run(*shlex.split(line))
    assert ran.code == 0, ran.out + ran.err
    assert "WARN" in ran.out
    text = the_report(repository, stem)
    kept = json.loads(repository.reports[0].with_suffix(".json").read_text())
    assert kept["roster"]["requested"] == named(judges)
    assert kept["roster"]["missing"] == []
    assert any(source.endswith(shown) for source in kept["packet"]["sources"])
    title = "Council Quick Check" if "--quick" in line else "Council Consensus: WARN"
    assert any(title in heading for heading in headings(text))
    folder = repository.reports[0].with_suffix("")
    files = {f"{label}.md" for label in kept["roster"]["requested"]}
    assert files <= {path.name for path in folder.iterdir()}
    assert bool(kept["debate"]) == ("--debate" in line)


@pytest.mark.parametrize(("line", "judges", "stem"), IDEA_LINES, ids=lambda each: None)
@pytest.mark.sample(3)
def test_an_example_that_gathers_ideas_pretends_no_verdict(repository, line, judges, stem):
    for name in ("calm", "careful"):
        repository.judge(name, IDEAS)
    ran = repository.run(*shlex.split(line))
    assert ran.code == 0, ran.out + ran.err
    text = the_report(repository, stem)
    kept = json.loads(repository.reports[0].with_suffix(".json").read_text())
    assert (kept["outcome"], kept["verdict"]) == (None, None)
    assert kept["roster"]["requested"] == named(judges)
    found = headings(text)
    assert any(heading.startswith(("Council Brainstorm", "Council Research")) for heading in found)
    assert not any("Consensus" in heading or "Verdict" in heading for heading in found)
    if "--explorers=3" in line:
        rounds = list(repository.reports[0].with_suffix("").glob("rounds/*explorer*"))
        assert len(rounds) == 9, "three judges with three explorers each"
    if "the auth system" in line:
        assert "src/auth/login.py" in kept["packet"]["sources"], "who researches it is shown it"
    if "--technique" in line:
        assert kept["technique"] in line


def test_the_example_of_eighteen_agents_is_scaled_down_and_says_so(repository):
    for name in ("calm", "careful"):
        repository.judge(name, IDEAS)
    line = ("--mixed", "--explorers=2", "research", "Kubernetes", "upgrade", "strategies")
    fitted = repository.run(*line, "--json")
    assert fitted.code == 0, fitted.err
    assert fitted.json["roster"]["asked"] == 4, "two of each vendor, with two explorers each: 12"
    assert any("18 agents" in note for note in fitted.json["notes"]), "what was fitted is said"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--quick --debate validate recent", "--quick and --debate are incompatible"),
        ("--debate brainstorm caching", "--debate is only supported with validate mode"),
    ],
)
def test_the_two_errors_of_the_seed_are_told_in_its_words(repository, line, message):
    ran = repository.run(*line.split())
    assert ran.code == 64
    assert message in ran.err
    assert not repository.ran


@pytest.mark.parametrize(
    ("variable", "expected"), [({}, 120), ({"COUNCIL_TIMEOUT": "300"}, 300)], ids=["built", "set"]
)
def test_the_timeout_is_the_seeds_and_its_variable_changes_it(repository, variable, expected):
    repository.judge("calm", verdict("PASS"))
    repository.judge("careful", verdict("PASS"))
    ran = repository.run("validate", "recent", "--json", env=variable)
    [timeout] = [each for each in ran.json["settings"] if each["name"] == "timeout"]
    assert float(timeout["value"]) == expected
