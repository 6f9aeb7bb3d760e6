"""The seeded defects are what they say they are, and are counted as they say."""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding
from judges import add_judge

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.seeded.cases import (  # noqa: E402
    DEFECTS,
    REPOSITORIES,
    Case,
    CaseError,
    Defect,
    Edit,
    Place,
    apply,
    changed_lines,
    load_cases,
)
from benchmarks.seeded.kinds import WORDS  # noqa: E402
from benchmarks.seeded.releases import of_release, read_rows  # noqa: E402
from benchmarks.seeded.rulings import by_majority  # noqa: E402
from benchmarks.seeded.scoring import RULES, Count, count, counts, gain, is_right, score  # noqa: E402
from benchmarks.seeded.tables import language  # noqa: E402

from guildmoot.guard.secrets import mask  # noqa: E402
from guildmoot.model.verdict import SEVERITIES, Judgement  # noqa: E402

CASES = load_cases()
SEEDED = [case for case in CASES if case.defect]
STRICT = next(rule for rule in RULES if rule.strict)
ANY = next(rule for rule in RULES if rule.lines == 3 and not rule.strict and not rule.old)
DEFECT = Defect("sql-injection", "high", "", Place("a.py", 10, 12))
TIER = "price-service/tier-off-by-one"
FLAG = "VERDICT: flagged\n\nReasons:\n- off-by-one: {place} the bound is wrong\n"


def claim(line=10, end=0, **more):
    return finding(**{"path": "a.py", "line": line, "end_line": end, **more})


def test_there_are_enough_cases_of_every_sort():
    assert len(SEEDED) >= 60
    assert len(CASES) - len(SEEDED) >= 20
    assert len({case.repository for case in CASES}) >= 12
    assert len({language(case) for case in SEEDED}) >= 6
    assert len({case.name for case in CASES}) == len(CASES)


def test_every_repository_is_small_and_has_its_defects_and_controls():
    for folder in REPOSITORIES.iterdir():
        own = [case for case in CASES if case.repository == folder.name]
        assert 3 <= len(own[0].files) <= 8, folder.name
        assert sum(case.defect is None for case in own) >= 2, folder.name
        assert sum(case.defect is not None for case in own) >= 4, folder.name


@pytest.mark.parametrize("case", SEEDED, ids=lambda case: case.name)
def test_a_defect_changes_the_sound_repository_at_its_places(case):
    sound = next(c for c in CASES if c.name == f"{case.repository}/sound")
    changed = {path for path in case.files if case.files[path] != sound.files[path]}
    places = (case.defect.place, *case.defect.others)
    assert changed == {place.path for place in places}
    for place in places:
        assert 1 <= place.first <= place.last <= len(case.files[place.path].splitlines())
        assert place.last - place.first < 16
    assert case.defect.kind in WORDS
    assert case.defect.severity in SEVERITIES
    assert case.defect.about


@pytest.mark.parametrize("old", ["x = 3", "x", ""])
def test_an_edit_must_fit_exactly_once(old):
    with pytest.raises(CaseError, match="not once"):
        apply("case", "x = 1\nx = 2\n", Edit("a.py", old, "y"))


def test_an_edit_must_change_something():
    with pytest.raises(CaseError, match="nothing is changed"):
        apply("case", "x = 1\n", Edit("a.py", "x = 1", "x = 1"))


def test_tokens_are_put_together_at_run_time_and_are_stored_nowhere():
    for file in [*DEFECTS.glob("*.toml"), *REPOSITORIES.rglob("*")]:
        if file.is_file() and "__pycache__" not in file.parts:
            masked = mask(file.read_text(encoding="utf-8"), file.name)[1]
            assert not [each for each in masked if each.certain], file
    leaked = [case for case in SEEDED if case.defect.kind == "leaked-secret"]
    assert len(leaked) >= 3
    for case in leaked:
        path = case.defect.place.path
        assert mask(case.files[path], path)[1], case.name
        assert "@@" not in case.files[path].replace("@database", ""), case.name


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        ("a\nX\nc\nd\n", (2, 2)),
        ("a\nd\n", (1, 2)),
        ("a\nb\nc\nd\ne\n", (5, 5)),
        ("b\nc\nd\n", (1, 1)),
    ],
)
def test_the_place_is_the_changed_lines_or_those_beside_the_gap(after, lines):
    assert changed_lines("a\nb\nc\nd\n", after) == lines


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abc"), min_size=1))
def test_the_place_always_lies_in_the_new_text(old, new):
    before, after = "\n".join(old), "\n".join(new)
    if before != after:
        first, last = changed_lines(before, after)
        assert 1 <= first <= last <= len(new)


@pytest.mark.parametrize(
    ("line", "end", "right"),
    [(10, 0, True), (7, 0, True), (6, 0, False), (15, 0, True), (16, 0, False), (2, 8, True)],
)
def test_a_finding_is_right_within_three_lines_of_the_change(line, end, right):
    assert is_right(claim(line, end), DEFECT, ANY) is right


def test_a_finding_in_another_file_or_without_a_line_is_not_right():
    assert not is_right(claim(path="b.py"), DEFECT, ANY)
    assert not is_right(claim(line=0), DEFECT, ANY)
    elsewhere = DEFECT._replace(others=(Place("b.py", 10, 10),))
    assert is_right(claim(path="b.py"), elsewhere, ANY)


def test_the_strict_rule_also_wants_a_word_of_the_kind():
    assert not is_right(claim(), DEFECT, STRICT)
    assert is_right(claim(title="SQL is built from text"), DEFECT, STRICT)


def test_a_defect_is_found_once_and_everything_elsewhere_is_an_alarm():
    case = Case("r/c", "r", {}, DEFECT)
    said = [claim(title="SQL"), claim(11, title="SQL"), claim(40)]
    assert count(case, said) == Count(seeded=1, found=1, alarms=1)
    assert count(case._replace(defect=None), said) == Count(seeded=0, found=0, alarms=3)


def test_what_is_said_of_the_sound_code_too_finds_nothing_and_is_an_alarm_once():
    text = "".join(f"line {n}\n" for n in range(1, 50))
    sound = Case("r/sound", "r", {"a.py": text})
    bad = Case("r/c", "r", {"a.py": "new\n" + text.replace("line 9\n", "worse\n")}, DEFECT)
    old = claim(9, code="S608", title="SQL")
    moved = claim(10, code="S608", title="SQL")  # the line of the change, which lies deeper now
    assert counts([(sound, [old]), (bad, [moved])]) == [Count(0, 0, 1), Count(1, 0, 0)]
    twice = [moved, claim(11, code="S608", title="SQL")]
    assert counts([(sound, [old]), (bad, twice)])[1] == Count(1, 1, 0)
    other = claim(10, code="B006", title="SQL")
    assert counts([(sound, [old]), (bad, [moved, other])])[1] == Count(1, 1, 0)
    same_line = [claim(1, code="E1"), claim(30, code="E1")]
    after = [claim(2, code="E1"), claim(31, code="E1")]
    assert counts([(sound, same_line), (bad, after)]) == [Count(0, 0, 2), Count(1, 0, 0)]


def test_a_post_without_a_timeout_is_not_found_by_a_rule_that_fires_on_the_sound_code(shop):
    only = "job-queue/post-without-timeout"
    done = run(shop, "--agents", "ruff", "--only", only, "--json")
    assert rows(done)["ruff"]["every"]["found"] == 0


def test_two_releases_make_a_sound_case_and_one_with_the_bug(tmp_path):
    for version, text in (("1.0.0", "a\nb = eval(x)\nc\n"), ("1.0.1", "a\nb = int(x)\nc\n")):
        with tarfile.open(tmp_path / f"thing-{version}.pypi.tgz", "w:gz") as archive:
            member = tarfile.TarInfo(f"thing-{version}/thing.py")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    sums = [
        hashlib.sha256((tmp_path / f"thing-{v}.pypi.tgz").read_bytes()).hexdigest()
        for v in ("1.0.0", "1.0.1")
    ]
    row = {
        "registry": "pypi", "package": "thing", "bad": "1.0.0", "good": "1.0.1", "files": ["thing.py"],
        "bad_sha256": sums[0], "good_sha256": sums[1],
        "kind": "shell-injection", "severity": "high", "about": "it is evaluated",
    }  # fmt: skip
    sound, bug = of_release(row, tmp_path)
    assert sound.defect is None
    assert sound.files["thing.py"] == "a\nb = int(x)\nc\n"
    assert bug.defect.place == Place("thing.py", 2, 2)
    with pytest.raises(CaseError, match="not the archive that was read"):
        list(of_release({**row, "bad_sha256": sums[1]}, tmp_path))


def test_releases_say_what_was_wrong_and_hold_nothing_of_the_packages():
    known = read_rows()
    assert len(known) + sum(bool(case.defect.others) for case in SEEDED) >= 60
    keys = {"registry", "package", "bad", "good", "bad_sha256", "good_sha256", "files", "kind", "severity", "about"}  # fmt: skip
    for row in known:
        assert set(row) == keys
        assert row["kind"] in WORDS
        assert row["severity"] in SEVERITIES
        assert len(row["about"]) < 140
    assert {Path(file).suffix for row in known for file in row["files"]} >= {".py", ".js", ".c"}


def test_scores_are_the_textbook_ones():
    got = score([Count(1, 1, 0), Count(1, 0, 1), Count(1, 1, 0), Count(0, 0, 1)])
    assert (got.seeded, got.found, got.alarms) == (3, 2, 2)
    assert got.precision.value == 1 / 2
    assert got.recall.value == 2 / 3
    assert got.f1.value == pytest.approx(4 / 7)


def test_a_gain_is_measured_over_the_same_cases():
    ours, theirs = [Count(1, 1, 0), Count(1, 0, 0)] * 9, [Count(1, 0, 0), Count(1, 0, 0)] * 9
    assert gain(ours, ours)[:] == (0, 0, 0)
    assert gain(ours, theirs).value == pytest.approx(2 / 3)
    assert gain(ours, theirs).low > 0
    assert gain(theirs, ours).high < 0


def test_nobody_has_a_precision_who_says_nothing():
    got = score([Count(1, 0, 0)])
    assert (got.precision.value, got.recall.value, got.f1.value) == (None, 0, 0)


some_counts = st.tuples(st.booleans(), st.booleans(), st.integers(0, 4)).map(
    lambda t: Count(int(t[0]), int(t[0] and t[1]), t[2])
)


@given(st.lists(some_counts, min_size=1, max_size=20))
def test_intervals_are_ordered_and_the_same_each_time(given_counts):
    got = score(given_counts, resamples=40)
    assert got == score(given_counts, resamples=40)
    for span in (got.precision, got.recall, got.f1):
        if span.low is not None:
            assert 0 <= span.low <= span.high <= 1


def test_self_consistency_keeps_what_more_than_half_of_the_answers_say():
    answers = [
        Judgement(f"s#{n}", "flagged", (claim(seat=f"s#{n}", blocking=n < 2),)) for n in range(2)
    ]
    silent = Judgement("s#2", "approved")
    [kept], [dropped] = (
        by_majority([[*answers, silent]]),
        by_majority([[answers[0], silent]]),
    )
    assert len(kept.findings) == 1
    assert kept.blocking == list(kept.findings)
    assert dropped.findings == ()


def run(shop, *argv):
    env = {**os.environ, **shop.env, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.seeded", *argv],
        cwd=shop.root,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )


def rows(done):
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["rows"]}


@pytest.mark.slow  # whole runs of the benchmark
def test_seats_panels_policies_and_baselines_stand_in_one_table(shop):
    approve = {"text": "VERDICT: approved"}
    found = {"text": FLAG.format(place="shop/pricing.py:27")}
    add_judge(shop, "keen", approve, {f"keen@{TIER}": found}, family="keen")
    alarm = {"text": FLAG.format(place="shop/api.py:3")}
    add_judge(shop, "calm", approve, {"calm@price-service/sound": alarm}, family="calm")
    got = rows(run(shop, "--agents", "keen,calm,secrets", "--only", "price-service", "--json"))
    own = [case for case in SEEDED if case.repository == "price-service"]
    cases = [case for case in CASES if case.repository == "price-service"]
    assert (got["keen"]["blocking"]["found"], got["keen"]["every"]["alarms"]) == (1, 0)
    assert got["keen"]["every"]["recall"]["value"] == 1 / len(own)
    assert (got["calm"]["every"]["found"], got["calm"]["control_alarms"]) == (0, 1)
    assert got["best single seat"]["note"].startswith("keen")
    # Asked a second time, keen approves: one of two answers is no majority.
    assert got["self-consistency"]["every"]["found"] == 0
    assert got["self-consistency"]["paid_calls"] == 2 * len(cases)
    assert got["policy panel"]["paid_calls"] == 2 * len(cases)
    assert got["policy panel"]["blocking"]["found"] == 1
    # One family alone only advises under this policy.
    assert got["policy agreement"]["blocking"]["found"] == 0
    assert got["policy agreement"]["every"]["found"] == 1
    assert {"policy council", "policy weighted", "policy veto", "panel of tools"} <= set(got)


def test_evidence_judges_are_counted_and_the_report_says_how_it_was_made(shop):
    out = shop.root / "out.md"
    argv = ("--only", "price-service/coupon-sql", "--report", str(out))
    done = run(shop, *argv)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^policy panel +1/1 +0 ", done.stdout, re.MULTILINE)
    assert max(len(line) for line in done.stdout.splitlines() if line[:1] != "$") <= 80
    text = out.read_text()
    assert "python -m benchmarks.seeded --only price-service/coupon-sql" in text
    assert re.search(r"^ruff +1/1 +0 ", text, re.MULTILINE)
    assert "a tool says the same each time" in text


@pytest.mark.slow  # several whole runs of the benchmark
def test_a_second_run_asks_nobody_again_unless_told_to(shop):
    log = shop.root / "asked.txt"
    shop.agent(
        "counter.md",
        "---\nname: counter\ndescription: d\nbackend: command\n"
        f"command: [sh, -c, 'cat > /dev/null; echo x >> {log}; echo VERDICT: approved']\n---\nJudge.\n",
    )
    argv = ("--agents", "counter", "--only", "price-service/c", "--json")
    first = rows(run(shop, *argv))
    asked = len(log.read_text().splitlines())
    assert asked == first["counter"]["paid_calls"] > 0
    rows(run(shop, *argv))
    assert len(log.read_text().splitlines()) == asked
    rows(run(shop, *argv, "--fresh"))
    assert len(log.read_text().splitlines()) == 2 * asked


def test_a_seat_without_an_answer_is_told_and_ends_with_code_4(shop):
    add_judge(shop, "absent", {"fail": "gone"}, family="absent")
    done = run(shop, "--agents", "absent", "--only", "price-service/sound")
    assert done.returncode == 4
    assert "absent gave no judgement 1 times" in done.stdout


def test_a_dry_run_calls_nobody(shop):
    add_judge(shop, "keen", {"text": "VERDICT: approved"}, family="keen")
    done = run(shop, "--agents", "keen,secrets", "--only", "price-service/sound", "--dry-run")
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        "1 cases, 1 runs of tools, 1 other calls",
    )
    assert not (shop.root / ".guild/ledger.sqlite3").exists()


def test_a_prefix_that_fits_no_case_is_wrong_usage(shop):
    done = run(shop, "--only", "nonesuch")
    assert (done.returncode, done.stdout) == (64, "")
    assert "no case begins with 'nonesuch'" in done.stderr
