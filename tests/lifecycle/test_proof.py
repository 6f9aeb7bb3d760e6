"""Review, verification and reflection: what is shown counts, what is claimed does not."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.lifecycle.commands import missing_programs
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.plan import read_plan
from guildmoot.lifecycle.proof.acts import judges_of
from guildmoot.lifecycle.proof.claims import LaneClaim, read_claim
from guildmoot.lifecycle.proof.commits import lane_files, trailers
from guildmoot.lifecycle.proof.lane_rounds import LaneRounds, after_turn, layers_of, next_layer
from guildmoot.lifecycle.proof.reflect import reflect, write_reflection
from guildmoot.lifecycle.proof.review import (
    LaneReview,
    first_stage,
    left_open,
    overall,
    reviewer_words,
    write_review,
)
from guildmoot.lifecycle.proof.verify import (
    WorkResult,
    check_done,
    write_verification,
)
from guildmoot.lifecycle.results import check_reflection, check_review, check_verify
from guildmoot.lifecycle.spec import read_spec
from guildmoot.loops.values import CommandResult
from guildmoot.model.agent import Seat
from guildmoot.model.report import SeatReport
from lifecycle.samples import PLAN, SPEC

SPEC_READ = read_spec(read_markdown(SPEC))
LANE = read_plan(read_markdown(PLAN)).lanes[0]
RUNS = tuple(
    CommandResult(each, 0, 0.1, "Ran 1 test in 0.1s\n\nOK\n") for each in SPEC_READ.commands
)
UNPROVEN = read_spec(
    read_markdown(SPEC.replace("`python -m unittest discover tests` exits 0 w", "it answers w"))
)


def claim(**more: object) -> LaneClaim:
    made = LaneClaim(LANE, "handoffs/a.md", ("app/a.py",), (), (), ())
    return made._replace(**more)


def result(**more: object) -> WorkResult:
    return WorkResult(SPEC_READ, (claim(),), RUNS, ())._replace(**more)


def test_work_that_is_shown_passes_all_five_and_the_file_is_valid():
    checks = check_done(result(assumptions=("seven letters",), acknowledged="Ada"))
    assert [each.result for each in checks] == ["pass"] * 5
    text = write_verification("run-1", "shop", "a" * 40, "2026-11-01", checks, result())
    assert check_verify(read_markdown(text)) == []
    assert "status: PASS" in text


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (1, {"ran": tuple(each._replace(code=1) for each in RUNS)}),
        (1, {"ran": tuple(each._replace(code=None) for each in RUNS)}),
        (1, {"spec": SPEC_READ._replace(commands=())}),
        (2, {"claims": (claim(files=("billing/x.py",)),)}),
        (3, {"spec": UNPROVEN, "claims": (claim(evidence=("it answers within 30 s: 2 s by `make`",)),)}),
        (4, {"claims": (claim(followups=("BLOCKING: the index is not written",)),)}),
        (5, {"disputed": ("seven letters",), "assumptions": ("seven letters",)}),
    ],
)  # fmt: skip
def test_the_first_check_that_fails_ends_it(number, change):
    checks = check_done(result(**change))
    ended = "undecided" if number == 3 else "fail"  # what nobody showed waits for a person
    assert [each.result for each in checks] == (
        ["pass"] * (number - 1) + [ended] + ["not run"] * (5 - number)
    )
    text = write_verification("run-1", "shop", "a" * 40, "2026-11-01", checks, result(**change))
    assert check_verify(read_markdown(text)) == []
    assert "status: FAIL" in text


def test_what_a_program_prints_does_not_become_a_mark_of_the_file():
    loud = (RUNS[0]._replace(output="## 2. Scope: fail\n0 fail, 3 pass\n```\nfail"),)
    checks = check_done(result(ran=loud))
    text = write_verification("run-1", "shop", "a" * 40, "2026-11-01", checks, result(ran=loud))
    assert check_verify(read_markdown(text)) == []


@pytest.mark.parametrize(
    ("change", "stage"),
    [
        ({}, "pass"),
        ({"files": ("auth/login.py",)}, "fail"),
        ({"files": ("docs/x.md",)}, "pass"),
        ({"files": ("app/migrations/1.py",)}, "pass"),
        (
            {"followups": ("python -m unittest discover tests exits 0 within 30 s: not yet done",)},
            "fail",
        ),
        ({"followups": ("rename the folder later",)}, "pass"),
    ],
)
def test_the_first_stage_is_decided_by_git_and_the_policy(change, stage):
    found = first_stage(claim(**change), SPEC_READ)
    assert found.stage1 == stage
    assert (change.get("files") == ("docs/x.md",)) == ("docs/x.md" in "".join(found.followups))


def test_tests_that_were_made_weaker_wait_for_a_person_in_review_and_verification():
    weaker = claim(weakened=("tests/test_a.py: test_it is gone",))
    good = LaneReview("T1", "backend", "r.md", "pass", "pass")
    found = left_open(good, weaker)
    assert (found.passed, found.stage2) == (False, "undecided")
    assert "test_it is gone" in found.failing[0]
    checks = check_done(result(claims=(weaker,)))
    assert [each.result for each in checks if each.name == "Blocking follow-ups"] == ["fail"]
    fine = weaker._replace(let_stand=weaker.weakened)
    assert left_open(good, fine) == good


def test_a_review_is_as_good_as_its_worst_lane():
    good = LaneReview("T1", "backend", "r.md", "pass", "pass")
    later = good._replace(stage2="follow-up", followups=("a | b",))
    bad = good._replace(stage1="fail", stage2="not run", failing=("x | y", "z"))
    rows = [([good], "pass"), ([good, later], "follow-up"), ([later, bad], "fail")]
    rows.append(([good._replace(stage2="undecided")], "fail"))
    for lanes, verdict in rows:
        text = write_review(("run-1", "shop", "a" * 40), "2026-11-01", "panel", lanes)
        assert overall(lanes) == verdict
        assert check_review(read_markdown(text)) == []


@pytest.mark.parametrize(
    ("seat", "words"),
    [
        (Seat("ruff", "ruff", "tool", "ruff", "opus"), "panel of ruff, no model"),
        (Seat("evaluator", "e", "claude", "anthropic"), "panel of evaluator (claude)"),
        (Seat("evaluator", "e", "codex", "openai", "o5"), "panel of evaluator (codex o5)"),
        (Seat("mine", "m", "command", "mine"), "panel of mine (a command)"),
        (Seat("mine (odd)", "m", "tool", "mine"), "panel of mine (odd), no model"),
    ],
)
def test_a_review_says_who_judged_by_what_each_seat_is(seat, words):
    told = SeatReport(seat, "answered", "approve", 0.1, 0, 0)
    judges = judges_of((told, told._replace(status="missing")))
    lane = LaneReview("T1", "backend", "r.md", "pass", "pass", judges=judges)
    assert reviewer_words("panel", [lane]) == words


@given(st.lists(st.sampled_from(["use guild-plan better", "no designer specialist here", "later"])))
def test_a_reflection_is_always_valid_and_as_grave_as_what_it_proposes(followups):
    lost = {"backend/T1": ["a.md"]} if len(followups) % 2 else {}
    found = reflect([claim(followups=tuple(followups))], lost, ["guild-plan"], [], [])
    text = write_reflection("run-1", "shop", "2026-11-01", found)
    assert check_reflection(read_markdown(text)) == []
    if any("designer" in each for each in followups):
        assert found.significance == "high"
    elif not followups:
        assert found.significance == "low"


def test_a_skill_that_was_named_in_two_earlier_runs_is_grave():
    one = reflect([claim(followups=("guild-plan is unclear",))], {}, ["guild-plan"], [], [])
    old = read_markdown(write_reflection("run-0", "shop", "2026-10-01", one))
    now = reflect([claim(followups=("guild-plan again",))], {}, ["guild-plan"], [], [old, old])
    assert (one.significance, now.significance) == ("medium", "high")


def test_claims_are_read_from_headings_labels_and_the_front_matter():
    text = (
        "---\nspecialist: backend\nevidence:\n  - {kind: command, ref: make test, result: pass}\n---\n"
        "## assumptions\n- one\n- two\n\nfollowups: later\n"
    )
    found = read_claim(LANE, read_markdown(text), "r.md", ())
    assert found.evidence == ("command make test pass",)
    assert found.assumptions[0] == "one"
    assert found.followups == ("later",)


def test_git_says_which_lane_changed_what(tmp_path):
    def git(*words: str) -> str:
        say = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(say, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "base")
    base = git("rev-parse", "HEAD").strip()
    for task, path, run in (
        ("T1-a", "a b.py", "run-1"),
        ("T2-b", "b.py", "run-1"),
        ("T1-a", "c.py", "run-0"),
    ):
        (tmp_path / path).write_text(task + run)
        git("add", "-A")
        git("commit", "-q", "-m", f"work\n\n{trailers(run, task)}")
    found = lane_files(tmp_path, base, "HEAD", "run-1")
    assert found == {"T1-a": ("a b.py",), "T2-b": ("b.py",)}


GRAVE = "## Findings\n- {} can be read. severity: high, addressed_by_owner: false\n## NO MORE QUESTIONS\n"


def test_a_layer_ends_by_the_challengers_word_and_a_lane_by_its_last_layer():
    full = LANE._replace(loops="full")
    state = LaneRounds()
    for layer in ("L3", "L4", "security"):
        assert next_layer(state, layers_of(full)) == layer
        state, reply = after_turn(state, layer, "Is it empty?", 16)
        assert reply.questions == ("Is it empty?",)
        state, _ = after_turn(state, layer, "## NO MORE QUESTIONS\n", 16)
    assert next_layer(state, layers_of(full)) is None
    assert state.counters() == {
        "L3_round": 2, "L4_round": 2, "security_round": 2, "restart_count": 0
    }  # fmt: skip


def test_a_grave_finding_starts_the_lane_over_three_times_and_then_asks_a_person():
    state, seen = LaneRounds(), []
    for each in ("a", "b", "c", "d"):
        state, _ = after_turn(state._replace(ended=""), "L3", GRAVE.format(each), 16)
        seen.append((state.ended, state.restarts, state.counters()["L3_round"]))
    assert seen == [("restart", 1, 0), ("restart", 2, 0), ("restart", 3, 0), ("escalated", 3, 1)]


@pytest.mark.parametrize(
    "text",
    [
        GRAVE.format("x").replace("high", "medium"),
        GRAVE.format("x").replace("false", "true"),
        GRAVE.format("x").replace("severity: high, ", ""),
        GRAVE.format("x").replace("## Findings", "## Praise"),
        "```\n" + GRAVE.format("x") + "```\nAnything else?",
    ],
)
def test_what_is_not_grave_open_or_readable_starts_nothing_over(text):
    assert after_turn(LaneRounds(), "L3", text, 16)[0].ended == ""


def test_rounds_that_cannot_be_read_or_do_not_end_go_to_a_person():
    state = after_turn(LaneRounds(), "L3", "hm", 16)[0]
    assert after_turn(state, "L3", "hm", 16)[0].ended == "escalated"
    assert after_turn(LaneRounds(), "L3", "Why?", 1)[0].ended == "escalated"


def test_a_program_that_the_project_should_bring_is_not_missing_on_the_machine():
    assert missing_programs("no-such-program --x && ./bench.sh") == ["no-such-program"]
    assert missing_programs("X=1 sh bench.sh | cat") == []


def test_a_scope_that_names_no_place_is_told_as_one():
    free = LANE._replace(scope="All of it.", policy=())
    check = check_done(result(claims=(claim(lane=free, files=("web/x.py",)),)))[1]
    assert (check.result, "names no place" in check.evidence[1]) == ("pass", True)
