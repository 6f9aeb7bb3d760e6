"""``guild vibe``, ``pre-mortem`` and ``post-mortem`` as a user meets them: real git, scripted judges."""

import json
import subprocess
from functools import partial

import pytest

from conftest import mainly
from judges import PRICES, add_council_judge, finding, verdict

PLAN = "# Plan\n\nMove `prices.py` to Redis. The tests must pass before and after.\n"
found = partial(finding, recommendation="mend it", fix="mend it", why="it is wrong")


def judge(shop, name, says):
    """One of the user's own, so that it is no part of the change."""
    add_council_judge(shop, name, says)


@pytest.fixture
def prices(shop):
    shop.git("commit", "-q", "--allow-empty", "-m", "begin")
    shop.git("checkout", "-q", "-b", "work")
    shop.write("prices.py", PRICES)
    shop.write("tests/test_prices.py", "import prices\n\n\ndef test_it():\n    assert prices\n")
    shop.commit()
    judge(shop, "kind", verdict("PASS"))
    judge(shop, "wary", verdict("WARN", found(severity="significant")))
    judge(shop, "strict", verdict("FAIL", found()))
    return shop


def words(ran):
    return ran.json["outcome"], ran.json["wrapper"]["decision"]


def checks(ran):
    return {each["name"]: each["result"] for each in ran.json["wrapper"]["checks"]}


@pytest.mark.parametrize(
    ("agents", "outcome", "decision", "code"),
    [
        ("kind", "PASS", "SHIP", 0),
        ("kind,wary", "WARN", "FIX", 0),
        ("strict", "FAIL", "FIX", 2),
        ("kind,strict", "DISAGREE", "FIX", 3),
    ],
)
def test_a_change_ships_or_is_to_be_fixed(prices, agents, outcome, decision, code):
    ran = prices.guild("vibe", "--agents", agents, "--json")
    assert (ran.code, words(ran)) == (code, (outcome, decision)), ran.out + ran.err
    assert ran.err == ""
    assert checks(ran) == {
        "changed files": "ok",
        "spec found": "skipped",
        "complexity": "ok",
        "tests present": "ok",
        "links resolve": "skipped",
    }


def test_the_report_has_the_heading_that_tools_look_for(prices):
    ran = prices.guild("vibe", "prices.py", "--agents", "strict")
    assert ran.code == 2
    assert "FIX" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    [file] = (prices.root / ".agents" / "council").glob("*-vibe-*.md")
    text = file.read_text()
    assert "\n## Council Verdict: FAIL\n" in text
    assert "## Mechanical Checks" in text
    assert "FINDING: totals are halved | FIX:" in text


def test_without_a_model_tools_judge_the_change_and_it_says_so(prices):
    prices.write("prices.py", "def total(items):\n    return sum(itmes)\n")
    ran = prices.guild("vibe", "--json")
    assert (ran.code, words(ran)) == (2, ("FAIL", "FIX")), ran.out
    assert any("no model is configured" in note for note in ran.json["notes"])
    assert any("uncommitted work" in note for note in ran.json["notes"])


def test_nothing_changed_is_no_pass_and_nobody_is_asked(prices):
    prices.git("reset", "-q", "--hard", "main")
    ran = prices.guild("vibe", "--agents", "strict", "--json")
    assert (ran.code, "Nothing changed" in ran.out) == (0, True), ran
    assert prices.guild("validate").code == 0
    assert not (prices.root / ".guild" / "runs").exists()


def test_without_a_target_the_work_of_the_branch_is_judged_as_by_validate(prices):
    prices.write("later.py", "x = 1\n")
    vibe, validate = (prices.guild(verb, "--json").json for verb in ("vibe", "validate"))
    assert any("branch work: 1 commit since main" in note for note in vibe["notes"])
    assert vibe["packet"]["files"] == validate["packet"]["files"] == 3


def test_a_change_of_documents_has_no_code_to_judge(prices):
    prices.write("README.md", "# Prices\n")
    prices.commit()
    ran = prices.guild("vibe", "recent")
    assert (ran.code, "no code to judge" in ran.out) == (0, True), ran.out
    assert prices.guild("validate", "recent").code == 0


def test_what_the_checks_find_holds_the_verdict_down_and_is_shown_to_the_judges(prices):
    branches = "".join(f"    if a == {n}:\n        return {n}\n" for n in range(25))
    prices.write("prices.py", f"def total(a):\n{branches}")
    prices.write("README.md", "See [the guide](gone.md).\n")
    prices.commit()
    ran = prices.guild("vibe", "recent", "--agents", "kind", "--json")
    assert (ran.code, words(ran)) == (0, ("WARN", "REFACTOR")), ran.out
    assert checks(ran)["complexity"] == checks(ran)["links resolve"] == "warn"
    [table] = ran.json["wrapper"]["tables"]
    assert table["rows"] == [["total", "prices.py:1", "26", "1", "D"]]
    assert "mechanical checks" in ran.json["packet"]["sources"]


def test_a_spec_is_found_and_seats_the_angles_of_a_code_review(prices):
    prices.write("PLAN.md", PLAN)
    prices.commit()
    ran = prices.guild("vibe", "--json")
    assert checks(ran)["spec found"] == "ok"
    assert "preset=code-review" in ran.json["modes"]
    assert "PLAN.md" in ran.json["packet"]["sources"]


def test_more_files_than_one_sitting_takes_are_named(prices):
    for number in range(25):
        prices.write(f"notes/{number}.txt", "n\n")
    prices.commit()
    ran = prices.guild("post-mortem", "--agents", "kind", "--json")
    assert ran.json["packet"]["files"] == 20
    assert (ran.code, checks(ran)["changed files"]) == (3, "undecided")


def test_what_the_project_lives_with_is_left_out_of_the_lists_with_its_reason(prices):
    rule = {"pattern": "totals are halved", "reason": "prices are doubled elsewhere"}
    prices.write(".agents/vibe-suppressions.jsonl", json.dumps({**rule, "action": "suppress"}))
    ran = prices.guild("vibe", "prices.py", "--agents", "strict", "--json")
    assert (ran.code, words(ran)) == (2, ("FAIL", "FIX")), "it never turns a verdict"
    assert ran.json["issues"] == []
    assert ran.json["suppressed"] == [
        {"finding": "totals are halved", "reason": "prices are doubled elsewhere"}
    ]


def test_it_works_from_a_folder_below_the_root(prices):
    prices.write("prices.py", PRICES + "\n")
    done = subprocess.run(
        prices.argv("vibe", "--agents", "kind", "--json"),
        cwd=prices.root / "tests",
        env=prices.env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "prices.py" in json.loads(done.stdout)["packet"]["sources"]


@pytest.mark.parametrize(
    "argv",
    [
        ("vibe", "--mode", "brainstorm"),
        ("vibe", "--technique=scamper"),
        ("vibe", "nothing-there.py"),
        ("vibe", "--report", "out.exe"),
        ("pre-mortem",),
        ("pre-mortem", "--follow", "nobody", "prices.py"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anyone_is_asked(prices, argv):
    ran = prices.guild(*argv, "--json")
    assert ran.code == 64, ran.out
    assert ran.json["error"]["message"]
    assert not (prices.root / ".guild" / "runs").exists()


@pytest.mark.parametrize("verb", ["vibe", "pre-mortem", "post-mortem"])
def test_help_has_examples_and_fits_the_screen(prices, verb):
    ran = prices.guild(verb, "--help")
    assert ran.code == 0
    assert f"guild {verb} " in ran.out
    assert "examples:" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    assert f"  {verb} " in prices.guild("--help").out


def test_a_dry_run_calls_nobody(prices):
    ran = prices.guild("vibe", "--agents", "kind", "--dry-run")
    assert (ran.code, "judge-1" in ran.out) == (0, True)
    assert not (prices.root / ".guild" / "runs").exists()


@pytest.mark.parametrize(
    ("agents", "decision"), [("kind", "PROCEED"), ("wary", "ADDRESS"), ("strict", "RETHINK")]
)
def test_a_plan_proceeds_is_addressed_or_thought_over(prices, agents, decision):
    prices.write("docs/sessions.md", PLAN)
    ran = prices.guild("pre-mortem", "docs/sessions.md", "--agents", agents, "--json")
    wrapper = ran.json["wrapper"]
    assert wrapper["decision"] == decision, ran.out
    assert checks(ran)["plan's claims"] == checks(ran)["plan says how it is checked"] == "ok"
    assert "quick" in ran.json["modes"]


def test_the_newest_plan_is_judged_when_none_is_named(prices):
    prices.write("PLAN.md", PLAN)
    ran = prices.guild("pre-mortem", "--json")
    assert "PLAN.md" in ran.json["packet"]["sources"], ran.out
    assert any("newest" in note for note in ran.json["notes"])
    deep = prices.guild("pre-mortem", "--deep", "--json")
    assert "preset=plan-review" in deep.json["modes"]


def test_predictions_are_kept_and_scored_when_the_work_is_done(prices):
    prices.write("PLAN.md", PLAN)
    retry = "the retry loop never gives up when the payment service is down"
    locks = "the migration locks the orders table for minutes"
    foretold = [found(retry, "PLAN.md:3"), found(locks, "PLAN.md:3")]
    judge(prices, "seer", verdict("WARN", *foretold))
    ran = prices.guild("pre-mortem", "PLAN.md", "--agents", "seer", "--json")
    made = ran.json["wrapper"]["predictions"]
    day = ran.json["date"].replace("-", "")
    assert [each["id"] for each in made] == [f"pm-{day}-001", f"pm-{day}-002"]
    hit = found(f"{retry}, as was feared", "prices.py:2")
    surprise = found("passwords are written to the audit log", "prices.py:1")
    judge(prices, "historian", verdict("WARN", hit, surprise))
    vibe = prices.guild("vibe", "prices.py", "--agents", "historian", "--json")
    assert [t["title"] for t in vibe.json["wrapper"]["tables"]] == ["Predicted by a pre-mortem"]
    late = ("post-mortem", "--spec", "PLAN.md", "--agents", "historian", "--json")
    ran = prices.guild(*late)
    assert ran.json["wrapper"]["decision"] == "FOLLOW-UP", ran.out
    assert "preset=retrospective" in ran.json["modes"]
    assert len(ran.json["roster"]["judges"]) == 3
    [table] = ran.json["wrapper"]["tables"]
    assert sorted(row[1] for row in table["rows"]) == ["HIT", "MISS", "SURPRISE"]
    [row] = [row for row in table["rows"] if row[1] == "HIT"]
    assert row[2] == retry
    again = prices.guild(*late)
    assert again.json["wrapper"]["tables"] == [], "each prediction is scored once"


def test_no_record_leaves_nothing_behind(prices):
    prices.write("PLAN.md", PLAN)
    ran = prices.guild("pre-mortem", "PLAN.md", "--agents", "strict", "--no-record", "--json")
    assert ran.json["wrapper"]["predictions"] == []
    assert not (prices.root / ".agents").exists()
    assert not (prices.root / ".guild").exists()


def test_a_stopped_vibe_is_resumed_to_the_same_word(prices):
    judge(prices, "slow", {"hang": True})
    ran = prices.stop("vibe", "prices.py", "--agents", "strict,slow", at="judge-1")
    assert ran.code == 130
    assert "SHIP" not in ran.out
    judge(prices, "slow", verdict("WARN"))
    ran = prices.guild("resume", "--json")
    assert (ran.code, words(ran)) == (2, ("FAIL", "FIX")), ran.out + ran.err


def test_a_vibe_is_shown_again_with_its_word(prices):
    prices.guild("vibe", "prices.py", "--agents", "strict", "--quiet")
    shown = prices.guild("council", "show", "last", "--json")
    assert (shown.code, shown.json["wrapper"]["decision"]) == (0, "FIX")


def test_a_lock_file_is_compared_and_not_read(prices):
    prices.write("uv.lock", "version = 1\n")
    prices.commit()
    told = prices.guild("vibe").out
    assert "uv.lock (lock-file" in " ".join(told.split()), told


def test_one_word_heads_the_report(prices):
    head = prices.guild("vibe", "--agents", "kind,wary").out.splitlines()[0]
    assert head.startswith("! FIX  ")
    assert "WARN" not in head


@pytest.mark.parametrize("verb", ["vibe", "post-mortem"])
def test_what_git_cannot_do_is_said_and_is_no_error_of_ours(prices, verb):
    old = prices.git("rev-parse", "HEAD:prices.py").strip()
    prices.write("prices.py", "x = 1\n")
    prices.commit()
    (prices.root / ".git" / "objects" / old[:2] / old[2:]).unlink()
    ran = prices.guild(verb, "--diff", "HEAD~1")
    assert ran.code == 4
    assert "git failed in" in ran.err
    assert "internal error" not in ran.err


def test_a_review_speaks_to_editors_and_ci_as_validate_does(prices):
    shop = prices
    shop.write("where.py", "def where():\n    return os.getcwd()\n")
    shop.git("add", "-A")
    ran = shop.guild("vibe", "--format", "concise")
    lines = ran.out.splitlines()
    assert lines[0].startswith("where.py:2:12: error F821 ")
    assert "title=guild%3A FIX" in shop.guild("vibe", "--format", "github").out
    assert shop.guild("vibe", "--report", "out.xml", "--no-record").code == 2
    assert 'failures="' in (shop.root / "out.xml").read_text()
    found = shop.guild("vibe", "--json").json
    assert found["result"] == "flagged"
    [blocking] = found["blocking_findings"]
    assert (blocking["path"], blocking["line"], blocking["code"]) == ("where.py", 2, "F821")
    issue = next(issue for issue in found["issues"] if issue["blocking"])
    assert (issue["path"], issue["line"]) == ("where.py", 2)
    judged = shop.guild("validate", "--json").json
    assert {"result", "blocking_findings", "advisory_findings"} <= {*judged}


LOST_IMPORT = 'package shop\n\nimport (\n\t"fmt"\n\t"regexp"\n)\n\nvar R = regexp.MustCompile("a")\n\nfunc F() {\n\tfmt.Println(R)\n}\n'


@pytest.mark.parametrize(
    "sentence",
    mainly(
        ("vibe", "--diff"),
        ("vibe", "--quick", "--diff"),
        ("vibe", "--agents", "kind,code-changes", "--diff"),
        ("council", "validate", "--diff"),
        ("council", "validate", "--quick", "--diff"),
        ("council", "validate", "--agents", "kind,code-changes", "--diff"),
    ),
    ids=" ".join,
)
def test_what_a_tool_proves_is_not_approved_by_any_practice(prices, sentence):
    prices.write("prices.go", LOST_IMPORT)
    prices.commit("a package of Go")
    prices.write("prices.go", LOST_IMPORT.replace('\t"regexp"\n', ""))
    assert prices.guild("validate", "--json").code == 2
    ran = prices.guild(*sentence, "--json")
    assert (ran.code, ran.json["outcome"], ran.json["result"]) == (2, "FAIL", "flagged"), ran.out
    assert ran.json["exit_code"] == 2
    assert any("regexp" in each["evidence"] for each in ran.json["blocking_findings"])
    shown = prices.guild(*sentence)
    assert shown.code == 2
    assert "FAIL" in shown.out or "FIX" in shown.out
    again = prices.guild("replay", "last", "--json")
    assert again.code == 2, again.out + again.err


def test_one_lost_import_is_one_finding_with_its_places(prices):
    text = (
        "import {a} from './a.js';\n\nexport const b = () => a(1);\nexport const c = () => a(2);\n"
    )
    prices.write("a.js", "export const a = (x) => x;\n")
    prices.write("b.js", text)
    prices.commit("scripts")
    prices.write("b.js", text.partition("\n")[2])
    for sentence in (("vibe", "--diff"), ("council", "validate", "--diff"), ("validate", "--diff")):
        ran = prices.guild(*sentence)
        assert ran.code == 2
        assert ran.out.count("✗ b.js:") == 1, ran.out
        assert "at   :3" in ran.out
    found = prices.guild("validate", "--diff", "--json").json["blocking_findings"]
    assert [each["line"] for each in found] == [2, 3]
