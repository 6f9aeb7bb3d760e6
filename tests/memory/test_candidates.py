"""Candidates, suppressions and predictions on disk: nothing twice, nothing lost, nothing trusted."""

import json
import subprocess
import sys

import pytest

from builders import finding
from guildmoot.errors import UsageError
from guildmoot.memory.candidates import FILE, STATE_FILE, decide, read_candidates, stage
from guildmoot.memory.extraction import Candidate, dedup_key
from guildmoot.memory.predictions import Prediction, predict, read_predictions, score
from guildmoot.memory.suppressions import FILE as SUPPRESSIONS
from guildmoot.memory.suppressions import (
    Suppression,
    add_suppression,
    read_suppressions,
    suppression_of,
)


def candidate(text="totals are halved", **more):
    row = Candidate("2026-03-01", "stem", text, "critical", "judge-1", "finding", dedup_key(text))
    return row._replace(**more)


def lines(root):
    return [json.loads(line) for line in (root / FILE).read_text().splitlines()]


def test_a_line_has_exactly_the_seven_fields(tmp_path):
    stage(tmp_path, [candidate()], "run")
    assert (tmp_path / FILE).read_text() == json.dumps(candidate()._asdict()) + "\n"


def test_staging_again_adds_nothing(tmp_path):
    first = stage(tmp_path, [candidate(), candidate("the cache is never emptied")], "run")
    assert len(first.added) == 2
    again = stage(tmp_path, [candidate(), candidate("the cache is never emptied")], "other")
    assert (again.added, again.known, again.alike) == ((), 2, 0)
    assert len(lines(tmp_path)) == 2


def test_the_same_in_other_words_is_not_staged_again(tmp_path):
    stage(tmp_path, [candidate("totals are halved in prices.py:2")], "run")
    done = stage(tmp_path, [candidate("in prices.py:40 the total is halved")], "run")
    assert (done.added, done.alike) == ((), 1)


def test_no_candidates_make_no_folder(tmp_path):
    stage(tmp_path, [])
    assert list(tmp_path.iterdir()) == []


def test_lines_of_others_are_read_and_broken_ones_left_alone(tmp_path):
    stage(tmp_path, [candidate()])
    file = tmp_path / FILE
    other = json.dumps(candidate("written by another tool")._asdict())
    file.write_text(file.read_text() + f'{other}\n{{"date": 1}}\nnot json\n{{"cut": "of')
    stage(tmp_path, [candidate("one more thing")])
    found = read_candidates(tmp_path)
    assert [each.candidate.finding_description for each in found.kept] == [
        "totals are halved",
        "written by another tool",
        "one more thing",
    ]
    assert found.broken == 3


def test_what_a_person_decides_is_kept_beside_the_lines(tmp_path):
    stage(tmp_path, [candidate()], "run-7")
    before = (tmp_path / FILE).read_bytes()
    decide(tmp_path, dedup_key("totals are halved")[:6], "rejected", "was fixed", "2026-03-02")
    [kept] = read_candidates(tmp_path).kept
    assert (kept.state, kept.why, kept.decided, kept.run_id) == (
        "rejected",
        "was fixed",
        "2026-03-02",
        "run-7",
    )
    assert (tmp_path / FILE).read_bytes() == before
    assert stage(tmp_path, [candidate()]).known == 1, "what was rejected does not come back"


def test_a_key_that_fits_none_or_several_is_refused_with_examples(tmp_path):
    with pytest.raises(UsageError):
        decide(tmp_path, "ab", "accepted", "w", "d")
    stage(tmp_path, [candidate(), candidate("the cache is never emptied")])
    with pytest.raises(UsageError) as caught:
        decide(tmp_path, "zz", "accepted", "w", "d")
    assert dedup_key("totals are halved")[:12] in caught.value.hint
    with pytest.raises(UsageError):
        decide(tmp_path, "", "accepted", "w", "d")


def test_a_folder_that_leads_out_of_the_repository_is_refused(tmp_path):
    root, outside = tmp_path / "in", tmp_path / "out"
    root.mkdir()
    outside.mkdir()
    (root / ".agents").symlink_to(outside)
    with pytest.raises(UsageError):
        stage(root, [candidate()])
    assert list(outside.iterdir()) == []


def test_many_processes_at_once_stage_each_thing_once(tmp_path):
    script = (
        "import sys; from pathlib import Path\n"
        "from guildmoot.memory.extraction import Candidate, dedup_key\n"
        "from guildmoot.memory.candidates import stage\n"
        "words = ('apple', 'pear', 'plum', 'fig', 'lemon', 'melon', 'grape', 'cherry')\n"
        "rows = [Candidate('d', 'c', w, 'critical', 'j', 'finding', dedup_key(w)) for w in words]\n"
        "stage(Path(sys.argv[1]), rows)\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(6)]
    assert [each.wait(60) for each in running] == [0] * 6
    assert len(lines(tmp_path)) == 8
    assert len((tmp_path / STATE_FILE).read_text().splitlines()) == 8


@pytest.mark.parametrize(
    ("pattern", "hit"),
    [
        ("line too long", True),
        ("e501", True),
        ("src/a.py:3", True),
        ("src/*.py", True),
        ("line*long", True),
        ("long*line", False),
        ("(a+)+$", False),
        ("src/b.py", False),
    ],
)
def test_a_pattern_is_plain_text_with_stars(pattern, hit):
    rule = Suppression(pattern, "we live with it")
    found = finding("judge", "E501", "Line too long", path="src/a.py", line=3)
    assert (suppression_of(found, [rule]) == rule) is hit


def test_suppressions_without_a_reason_or_with_an_unknown_action_do_not_count(tmp_path):
    (tmp_path / ".agents").mkdir()
    rows = [
        {"pattern": "E501", "reason": "tuned", "action": "downgrade"},
        {"pattern": "E501"},
        {"pattern": "E501", "reason": " "},
        {"pattern": "*", "reason": "all of it"},
        {"pattern": "E501", "reason": "r", "action": "explode"},
    ]
    (tmp_path / SUPPRESSIONS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_suppressions(tmp_path)
    assert found.rules == (Suppression("E501", "tuned", "downgrade"),)
    assert found.broken == 4


def test_a_suppression_is_added_once_and_needs_a_reason(tmp_path):
    assert add_suppression(tmp_path, Suppression("E501", "tuned"))
    assert not add_suppression(tmp_path, Suppression("E501", "again"))
    with pytest.raises(UsageError):
        add_suppression(tmp_path, Suppression("E501", ""))
    assert json.loads((tmp_path / SUPPRESSIONS).read_text()) == {
        "pattern": "E501",
        "reason": "tuned",
        "action": "suppress",
    }


def test_predictions_are_numbered_by_day_and_a_resumed_run_keeps_its_own(tmp_path):
    def ids(run, day, *issues):
        made = [Prediction("", run, issue, "PLAN.md", f"{issue} goes wrong") for issue in issues]
        return [each.id for each in predict(tmp_path, day, made)]

    assert ids("r1", "2026-03-01", "a", "b") == ["pm-20260301-001", "pm-20260301-002"]
    assert ids("r2", "2026-03-01", "a") == ["pm-20260301-003"]
    assert ids("r1", "2026-03-01", "b", "c") == ["pm-20260301-002", "pm-20260301-004"]
    assert ids("r3", "2026-03-02", "a") == ["pm-20260302-001"]
    assert len(read_predictions(tmp_path)) == 5


def test_the_last_score_of_a_prediction_counts(tmp_path):
    [made] = predict(tmp_path, "2026-03-01", [Prediction("", "r1", "a", "PLAN.md", "it breaks")])
    score(tmp_path, [(made.id, "MISS")], "r2")
    score(tmp_path, [(made.id, "HIT")], "r3")
    [kept] = read_predictions(tmp_path)
    assert (kept.score, kept.scored_by, kept.foretold) == ("HIT", "r3", "it breaks")


def test_a_link_in_the_folder_is_never_written_through(tmp_path):
    """A repository may bring one along that leads to a file of the user's."""
    root, victim = tmp_path / "repo", tmp_path / "profile"
    (root / FILE).parent.mkdir(parents=True)
    victim.write_text("mine\n")
    (root / FILE).symlink_to(victim)
    with pytest.raises(UsageError, match="is a link"):
        stage(root, [candidate("$(touch pwned)")], "run")
    (root / SUPPRESSIONS).symlink_to(victim)
    with pytest.raises(UsageError, match="is a link"):
        add_suppression(root, Suppression("a", "b"))
    assert victim.read_text() == "mine\n"


def test_what_is_no_file_or_nested_without_end_is_no_rule(tmp_path):
    (tmp_path / SUPPRESSIONS).parent.mkdir()
    (tmp_path / SUPPRESSIONS).symlink_to("/dev/zero")
    assert read_suppressions(tmp_path).rules == ()
    (tmp_path / SUPPRESSIONS).unlink()
    (tmp_path / SUPPRESSIONS).write_text("[" * 200_000 + "\n")
    assert read_suppressions(tmp_path) == ((), 1, "")
