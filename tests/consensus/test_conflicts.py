"""Conflicts and undecided pairs among the findings of a panel."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding
from guildmoot.consensus.conflicts import (
    ConflictReport,
    find_conflicts,
    lines_meet,
    propose_pairs,
    ruled,
    settled,
    sharing_a_place,
)
from guildmoot.model.verdict import Finding
from guildmoot.text.note import Note

ADD = "Add a null check around `total`."
REMOVE = "Remove the null check around `total`."


def remedy(seat: str, fix: str, path: str = "src/a.py", line: int = 10, **more) -> Finding:
    return finding(seat, path=path, line=line, fix=fix, **more)


FIXES = st.sampled_from(
    [ADD, REMOVE, "Raise the limit.", "Lower the limit.", "Rename `total`.", ""]
)
FINDINGS = st.lists(
    st.builds(
        remedy,
        seat=st.sampled_from("wxyz"),
        fix=FIXES,
        path=st.sampled_from(["a.py", "b.py", ""]),
        line=st.integers(0, 8),
        blocking=st.booleans(),
    ),
    max_size=12,
)


def test_opposite_remedies_on_near_lines_are_one_conflict():
    a, b = remedy("x", ADD), remedy("y", REMOVE, line=12, end_line=14)
    report = find_conflicts([a, b])
    assert [c.scope for c in report.conflicts] == ["src/a.py:10-14"]
    assert report.conflicts[0].seats == ("x", "y")
    assert set(report.conflicts[0].findings) == {a, b}
    assert report.reasons == ("add / remove: check null",)


def test_three_against_one_is_one_conflict_of_four():
    seats = [remedy(name, ADD) for name in "pqr"]
    report = find_conflicts([*seats, remedy("s", REMOVE)])
    assert len(report.conflicts) == 1
    assert report.conflicts[0].seats == ("p", "q", "r", "s")


def test_advice_is_never_in_conflict():
    assert not find_conflicts([remedy("x", ADD), remedy("y", REMOVE, blocking=False)]).conflicts


def test_one_seat_is_never_in_conflict_with_itself():
    assert not find_conflicts([remedy("x", ADD), remedy("x", REMOVE)]).conflicts


def test_common_words_on_distant_lines_or_in_other_files_are_no_conflict():
    keep, drop = "Keep the header comment.", "Remove the header comment."
    assert not find_conflicts([remedy("x", keep), remedy("y", drop, line=90)]).conflicts
    assert not find_conflicts([remedy("x", keep), remedy("y", drop, path="b.py")]).conflicts


def test_one_symbol_is_one_scope_wherever_it_is_mentioned():
    a = remedy("x", "Rename `load_user` to `fetch_user`.", line=3)
    b = remedy("y", "Rename `load_user` to `read_user`.", line=300)
    c = remedy("z", "Rename `load_user` to `find_user`.", path="src/b.py")
    assert find_conflicts([a, b]).conflicts[0].scope == "src/a.py#load_user"
    assert find_conflicts([a, c]).conflicts[0].scope == "load_user"
    nowhere = a._replace(path="", line=0)
    assert find_conflicts([nowhere, c]).conflicts[0].scope == "src/b.py#load_user"


def test_a_short_name_does_not_tie_two_files_together():
    a = remedy("x", "Rename `id` to `key`.")
    b = remedy("y", "Rename `id` to `number`.", path="src/b.py")
    assert not find_conflicts([a, b]).conflicts


@given(FINDINGS)
def test_only_findings_that_stand_alone_are_passed_over_unread(findings):
    notes = [Note(f.path, f.line, f.end_line, f.fix, source=f.seat) for f in findings]
    company = sharing_a_place(notes)
    meeting = {
        i
        for i, a in enumerate(notes)
        for b in notes
        if a.source != b.source
        and (lines_meet(a, b) or ("`total`" in a.title and "`total`" in b.title))
    }
    assert meeting <= set(company)


def test_without_a_fix_the_title_is_read():
    a = finding("x", "c", "Remove the `beta` flag", path="a.py", line=4)
    b = finding("y", "c", "Keep the `beta` flag", path="a.py", line=4)
    assert find_conflicts([a, b]).conflicts


def test_what_only_seems_to_pull_apart_is_left_undecided():
    a, b = remedy("x", "Raise the memory limit."), remedy("y", "Lower the limit.")
    report = find_conflicts([a, b])
    assert not report.conflicts
    assert [u.findings for u in report.undecided] == [(a, b)]


def test_an_arbiter_settles_an_undecided_pair_and_nobody_else_does():
    a, b = remedy("x", "Raise the memory limit."), remedy("y", "Lower the limit.")
    report = find_conflicts([a, b])
    assert settled(report, [True]).conflicts[0].findings == (a, b)
    assert settled(report, [False]).conflicts == ()
    assert settled(report, [False]).undecided == ()
    assert settled(report, [None]) == report


def test_a_clerk_may_deny_what_words_told_and_then_a_person_decides():
    a = remedy("one", "Sort the rows ascending.")
    b = remedy("two", "Sort the rows descending.")
    report = find_conflicts([a, b])
    [pair] = propose_pairs([a, b], report, 20)
    assert pair.findings == report.conflicts[0].findings
    assert ruled(report, [pair], [True]) == report
    assert ruled(report, [pair], [None]) == report
    denied = ruled(report, [pair], [False])
    assert (denied.conflicts, denied.undecided) == ((), (pair,))


def test_patches_that_were_tried_are_put_to_no_clerk():
    a = remedy("one", "Sort the rows ascending.")._replace(patch="x")
    b = remedy("two", "Sort the rows descending.")._replace(patch="y")
    report = find_conflicts([a, b], lambda *_: True)
    assert len(report.conflicts) == 1
    assert propose_pairs([a, b], report, 20) == ()


def test_patches_that_clash_are_a_conflict_whatever_the_words_say():
    a = remedy("x", "Fix the loop.", patch="p1")
    b = remedy("y", "Rework the bounds.", patch="p2")
    report = find_conflicts([a, b], lambda one, two: True)
    assert report.reasons == ("the two patches cannot both be applied",)


def test_patches_that_get_along_overrule_opposed_words():
    a, b = remedy("x", ADD, patch="p1"), remedy("y", REMOVE, patch="p2")
    assert not find_conflicts([a, b], lambda one, two: False).conflicts


def test_untried_patches_leave_it_to_the_words():
    a, b = remedy("x", ADD, patch="p1"), remedy("y", REMOVE, patch="p2")
    assert find_conflicts([a, b], lambda one, two: None).conflicts


def test_two_patches_for_the_same_remedy_are_no_conflict():
    a = remedy("x", ADD, patch="p1")
    b = remedy("y", "Please add the null check around `total`.", patch="p2")
    report = find_conflicts([a, b], lambda one, two: True)
    assert not report.conflicts
    assert not report.undecided


def test_compatible_remedies_on_one_line_are_no_conflict():
    a, b = remedy("x", "Rename `d` to `days`."), remedy("y", "Add a type to `d`.")
    assert find_conflicts([a, b]) == ConflictReport()


@given(FINDINGS, st.randoms(use_true_random=False))
def test_the_order_of_the_findings_does_not_change_the_report(findings, rng):
    shuffled = list(findings)
    rng.shuffle(shuffled)
    assert find_conflicts(findings) == find_conflicts(shuffled)


@given(FINDINGS)
def test_a_conflict_is_always_between_blocking_findings_of_several_seats(findings):
    for conflict in find_conflicts(findings).conflicts:
        assert len(conflict.seats) > 1
        assert all(f.blocking for f in conflict.findings)


@pytest.mark.slow
def test_thousands_of_findings_on_one_line_take_time_in_proportion():
    def crowd(count: int) -> list[Finding]:
        return [remedy(f"s{i % 2}", f"{(ADD, REMOVE)[i % 2]} {count}.{i}") for i in range(count)]

    def seconds(count: int) -> float:
        findings = crowd(count)
        start = time.process_time()
        (conflict,) = find_conflicts(findings).conflicts
        assert len(conflict.findings) == count
        return time.process_time() - start

    seconds(200)
    assert seconds(2000) < 12 * max(seconds(500), 0.02)


def test_the_report_is_the_same_in_every_process():
    program = """
import hashlib, json, random, sys
from guildmoot.consensus.conflicts import find_conflicts
from guildmoot.model.verdict import Finding
sides = [json.loads(line)[key] for line in open(sys.argv[1]) for key in "ab"]
rng, found = random.Random(0), []
for i in range(500):
    side, line = rng.choice(sides), rng.randint(1, 200)
    path = f"src/f{rng.randrange(5)}.py"
    fix = side["fix"].replace("`", f"`m{rng.randrange(30)}_", 1)
    found.append(Finding(f"seat{i % 12}", "", "", path=path, line=line, fix=fix))
print(hashlib.sha256(repr(find_conflicts(found)).encode()).hexdigest())
"""
    pairs = Path(__file__).parent.parent / "data" / "consensus" / "conflict_pairs.jsonl"
    told = {
        subprocess.run(
            [sys.executable, "-c", program, str(pairs)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
