"""Where a council's words end up: names, folders, clashes, and nothing outside the repository."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.model.agent import Seat
from guildmoot.model.call import Reply
from guildmoot.model.council import Judge
from guildmoot.runs.council_record import is_report_of, judge_text, slug, stem_for, write_council
from made_reports import made_council

DAY = datetime(2026, 3, 1, tzinfo=UTC)
SEAT = Seat("judge-1", "judge", "scripted", "scripted")


report = partial(
    made_council,
    stem="2026-03-01-validate-auth",
    target="auth",
    judges=(Judge("judge-1", SEAT, "answered", text="fine"),),
)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("src/auth/", "src-auth"),
        ("the Auth System!", "the-auth-system"),
        ("Größe über alles", "groe-uber-alles"),
        ("../../etc/passwd", "etc-passwd"),
        ("日本", "work"),
        ("", "work"),
    ],
)
def test_a_target_becomes_a_plain_part_of_a_file_name(target, name):
    assert slug(target) == name


@given(st.text())
def test_no_target_can_leave_the_folder(target):
    name = slug(target)
    assert name
    assert len(name) <= 60
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_the_name_is_date_type_and_target():
    assert stem_for(DAY, "quick", "src/auth") == "2026-03-01-quick-src-auth"


def test_all_files_of_a_council_lie_under_its_name(tmp_path):
    judges = (Judge("judge-1", SEAT, "answered", text="fine", second="still fine"),)
    rounds = (Reply("judge-1~explorer-2", "answered", "it is tested"),)
    done = write_council(tmp_path, report(judges=judges), replies=rounds)
    folder = tmp_path / ".agents" / "council"
    assert done.file == folder / "2026-03-01-validate-auth.md"
    names = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} - {
        ".lock",
        ".gitignore",
    }
    assert names == {
        "2026-03-01-validate-auth.md",
        "2026-03-01-validate-auth.json",
        "2026-03-01-validate-auth/judge-1.md",
        "2026-03-01-validate-auth/judge-1-r2.md",
        "2026-03-01-validate-auth/rounds/explorer-2-judge-1.md",
    }


def test_councils_that_end_at_once_keep_apart(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        ended = [report(run_id=f"20260301-120000-00000{n}") for n in range(8)]
        stems = list(pool.map(lambda each: write_council(tmp_path, each).report.stem, ended))
    assert len(set(stems)) == 8
    assert len(list((tmp_path / ".agents" / "council").glob("*.md"))) == 8


def test_a_run_that_has_a_name_writes_over_its_own_report(tmp_path):
    first = write_council(tmp_path, report())
    again = write_council(tmp_path, report(outcome="FAIL", verdict="FAIL"), stem=first.report.stem)
    assert again.file == first.file
    assert "Consensus: FAIL" in first.file.read_text()


def test_the_committed_copy_is_numbered_on_the_same_day(tmp_path):
    names = [write_council(tmp_path, report(), commit_ready=True).log.name for _ in range(2)]
    assert names == ["2026-03-01-validate-auth.md", "2026-03-01-validate-auth-2.md"]


@given(st.text())
def test_no_word_of_a_judge_begins_a_line_of_its_file(said):
    judge = Judge("judge-1", SEAT, "answered", text=said)
    lines = judge_text(judge, "stem").split("## What it said\n\n")[1].splitlines()
    assert all(line.startswith(">") or line == "Nothing." for line in lines)


def test_a_label_cannot_leave_the_folder(tmp_path):
    judges = (Judge("../../escape", SEAT, "answered", text="x"),)
    write_council(tmp_path, report(judges=judges))
    assert not list(tmp_path.glob("escape*"))
    assert len(list((tmp_path / ".agents" / "council").rglob("*escape.md"))) == 1


def test_what_cannot_be_written_is_told_and_nothing_else_is_lost(tmp_path):
    (tmp_path / ".agents").write_text("in the way")
    done = write_council(tmp_path, report())
    assert done.file is None
    assert "the verdict stands" in done.problem
    assert done.report.outcome == "PASS"


@pytest.mark.parametrize("stem", ["../../outside", "/abs", "a/b", "..", ".hidden"])
def test_a_name_from_a_record_cannot_leave_the_folder(tmp_path, stem):
    root = tmp_path / "a" / "b"
    root.mkdir(parents=True)
    done = write_council(root, report(), stem=stem)
    assert (done.file, "would leave the folder" in done.problem) == (None, True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_report_of_another_run_is_not_this_ones(tmp_path):
    write_council(tmp_path, report(run_id="one"))
    assert is_report_of(tmp_path, "2026-03-01-validate-auth", "one")
    assert not is_report_of(tmp_path, "2026-03-01-validate-auth", "two")
    assert not is_report_of(tmp_path, "2026-03-01-validate-auth", "")
