"""``guild council candidates``, ``recheck`` and ``compare`` as a user meets them."""

import json

import pytest

from judges import PRICES, add_council_judge, finding, verdict

FINDING = finding()
OTHER = {**FINDING, "description": "the currency is never checked", "location": "prices.py:1"}


@pytest.fixture
def prices(shop):
    shop.write("prices.py", PRICES)
    shop.commit()
    return shop


def council(shop, reply, *more):
    add_council_judge(shop, "mine", reply)
    ran = shop.guild("council", "validate", "prices.py", "--agents", "mine", "--json", *more)
    assert ran.code in (0, 2), ran.out + ran.err
    return ran.json


def staged(shop):
    file = shop.root / ".agents" / "council" / "extraction-candidates.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_a_council_that_fails_stages_its_severe_findings_once(prices):
    minor = {**OTHER, "severity": "minor"}
    found = council(prices, verdict("FAIL", FINDING, minor))
    [line] = staged(prices)
    assert list(line) == [
        "date",
        "council_id",
        "finding_description",
        "severity",
        "source_judge",
        "candidate_type",
        "dedup_key",
    ]
    assert line["council_id"] == found["council_id"]
    assert (line["finding_description"], line["source_judge"]) == ("totals are halved", "judge-1")
    council(prices, verdict("FAIL", FINDING, minor), "--fresh")
    assert len(staged(prices)) == 1


@pytest.mark.parametrize(
    "reply",
    [
        verdict("PASS"),
        verdict("WARN", {**FINDING, "severity": "minor"}),
        verdict("WARN", FINDING, confidence="LOW"),
    ],
)
def test_what_passes_is_minor_or_unsure_stages_nothing(prices, reply):
    council(prices, reply)
    assert staged(prices) == []


def test_no_record_stages_nothing(prices):
    council(prices, verdict("FAIL", FINDING), "--no-record")
    assert not (prices.root / ".agents").exists()


def test_candidates_are_listed_accepted_rejected_and_exported(prices):
    council(prices, verdict("FAIL", FINDING, OTHER))
    listed = prices.guild("council", "candidates", "list")
    assert "totals are halved" in listed.out
    assert "the currency is never checked" in listed.out
    assert all(len(line) <= 80 for line in listed.out.splitlines())
    first, second = (line.split()[0] for line in listed.out.splitlines() if line[0] != " ")
    ran = prices.guild("council", "candidates", "accept", first, "--why", "seen twice")
    assert (ran.code, ran.out.startswith("accepted: ")) == (0, True)
    ran = prices.guild(
        "council", "candidates", "reject", second, "--why", "checked above", "--json"
    )
    assert (ran.json["state"], ran.json["why"]) == ("rejected", "checked above")
    assert prices.guild("council", "candidates", "list", "--json").json["candidates"] == []
    exported = prices.guild("council", "candidates", "export").out.splitlines()
    assert [json.loads(line)["dedup_key"][:12] for line in exported] == [first]
    everything = prices.guild("council", "candidates", "list", "--state", "all").out
    assert "seen twice" in everything
    assert "checked above" in everything


def test_a_rejected_candidate_can_be_kept_out_of_vibes_lists(prices):
    council(prices, verdict("FAIL", FINDING))
    key = staged(prices)[0]["dedup_key"]
    argv = ("council", "candidates", "reject", key, "--why", "doubled elsewhere", "--suppress")
    assert prices.guild(*argv).code == 0
    ran = prices.guild("vibe", "prices.py", "--agents", "mine", "--json")
    assert ran.json["suppressed"] == [
        {"finding": "totals are halved", "reason": "doubled elsewhere"}
    ]


@pytest.mark.parametrize(
    "argv",
    [
        ("accept",),
        ("accept", "abcd"),
        ("accept", "abcd", "--why", "x"),
        ("accept", "abcd", "--why", "x", "--suppress"),
        ("accept", "abcd", "--why", "x", "--state", "all"),
        ("list", "abcd"),
        ("list", "--why", "x"),
        ("export", "--suppress"),
        ("explode",),
    ],
)
def test_what_cannot_be_decided_is_refused(prices, argv):
    ran = prices.guild("council", "candidates", *argv, "--json")
    assert (ran.code, bool(ran.json["error"]["message"])) == (64, True)


def test_a_judges_control_characters_do_not_reach_the_terminal(prices):
    council(prices, verdict("FAIL", {**FINDING, "description": "\x1b[2Jhalved\ntotals"}))
    out = prices.guild("council", "candidates", "list").out
    assert "\x1b" not in out
    assert len(out.splitlines()) == 2
    assert "\x1b" not in prices.guild("council", "recheck").out


def test_an_option_before_a_sub_verb_leaves_it_one(prices):
    council(prices, verdict("FAIL", FINDING))
    plain = prices.guild("council", "recheck", "last", "--json")
    assert prices.guild("council", "--json", "recheck", "last").out == plain.out
    reports = sorted((prices.root / ".agents" / "council").iterdir())
    assert prices.guild("council", "-q", "recheck", "x").code == 64
    assert sorted((prices.root / ".agents" / "council").iterdir()) == reports


def test_recheck_tells_drift_after_the_cited_file_changed(prices):
    council(prices, verdict("FAIL", FINDING))
    ran = prices.guild("council", "recheck", "last", "--json")
    assert [each["standing"] for each in ran.json["findings"]] == ["holds"]
    prices.write("prices.py", "import os\n\n" + PRICES)
    moved = prices.guild("council", "recheck")
    assert "1 moved" in moved.out
    assert "prices.py:4" in moved.out
    prices.write("prices.py", "def total(items):\n    return sum(items)\n")
    ran = prices.guild("council", "recheck", "--json")
    assert [each["standing"] for each in ran.json["findings"]] == ["vanished"]
    assert ran.json["changed_files"] == ["prices.py"]
    ran = prices.guild("council", "recheck", "--head", "--json")
    assert [each["standing"] for each in ran.json["findings"]] == ["holds"]


def test_compare_tells_what_was_fixed_and_what_is_new(prices):
    before = council(prices, verdict("FAIL", FINDING))["run_id"]
    prices.write("prices.py", "def total(items):\n    return sum(items)\n")
    now = council(prices, verdict("WARN", OTHER))["run_id"]
    ran = prices.guild("council", "compare", before, now)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("FAIL -> WARN\n")
    assert "- fixed" in ran.out
    assert "+ new" in ran.out
    ran = prices.guild("council", "compare", before, "last", "--json")
    assert sorted(each["fate"] for each in ran.json["issues"]) == ["fixed", "new"]
    assert {"judge": "judge-1", "before": "FAIL", "now": "WARN"} in ran.json["judges"]


def test_a_re_council_of_a_revised_target_tells_what_changed(prices):
    before = council(prices, verdict("FAIL", FINDING))["run_id"]
    prices.write("prices.py", "def total(items):\n    return sum(items)\n")
    found = council(prices, verdict("PASS"), "--follow", before)
    assert found["previous"] == before
    assert {"issue": "Verdict", "before": "FAIL", "now": "PASS"} in found["delta"]
    assert found["delta"][-1]["now"] == "fixed"
    newest = prices.root / ".agents" / "council" / f"{found['council_id']}.md"
    assert "Since the Previous Council" in newest.read_text()


def test_a_commit_ready_report_that_is_not_kept_is_not_promised(prices):
    told = council(prices, verdict("PASS"), "--commit-ready", "--no-record")["notes"]
    assert any("--commit-ready wrote nothing" in note for note in told)
    assert not (prices.root / "docs").exists()


def test_a_secret_in_a_projects_preset_reaches_neither_prompts_nor_records(prices):
    token = "ghp_" + "q7Rk2mXw9Zt4Lb8Nc3Vd6Hf1Js5Py0Gu2AeX"
    prices.write(
        ".guild/presets/own.toml",
        f'name = "own"\n[[perspectives]]\nname = "a"\nfocus = "Log in with {token}."\n',
    )
    assert prices.guild("trust", "--yes").code == 0
    council(prices, verdict("PASS"), "--preset", "own")
    kept = [path for path in prices.root.rglob("*") if path.is_file() and path.suffix != ".toml"]
    assert not [path for path in kept if token.encode() in path.read_bytes()]
