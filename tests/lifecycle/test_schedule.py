"""The scheduler is a function of the plan and the journal: what starts, what is merged, when it is over."""

from __future__ import annotations

import asyncio
import random

import pytest
from tests.lifecycle.samples import PLAN_HEAD, lane, receipt

from guildmoot.cli.guild.work.live import view_rows
from guildmoot.errors import UsageError
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.execution.checking import ReceiptFacts, judge_receipt
from guildmoot.lifecycle.execution.control import end_words
from guildmoot.lifecycle.execution.journal import fold
from guildmoot.lifecycle.execution.liveness import LaneClock, health, silence_in
from guildmoot.lifecycle.execution.looking import LaneSight
from guildmoot.lifecycle.execution.schedule import (
    base_parts,
    is_due,
    new_lanes,
    next_moves,
    outdated,
    report_of,
)
from guildmoot.lifecycle.execution.turns import Turns
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.execution.workers.choose import pick_rung
from guildmoot.lifecycle.execution.worktrees import LaneDiff
from guildmoot.lifecycle.plan import Plan, read_plan
from guildmoot.lifecycle.proof.claims import read_claim


def plan(**lanes: tuple[str, str]) -> Plan:
    """``T1=("[]", "scope")``"""
    rows = [lane(f"{name}-qa", "qa", waits, scope) for name, (waits, scope) in lanes.items()]
    return read_plan(read_markdown(PLAN_HEAD + "".join(rows)))


def begun(made: Plan) -> dict[str, object]:
    lanes = [
        each._asdict() | {"depends_on": list(each.depends_on), "after": list(each.after)}
        for each in new_lanes(made)
    ]
    return {"event": "begun", "slug": "s", "base": "b0", "branch": "guild/r", "lanes": lanes}  # fmt: skip


def after(made: Plan, *rows: tuple[str, str]) -> RunState:
    told = [{"event": event, "task": f"{task}-qa", "commit": f"c-{task}"} for event, task in rows]
    return fold("r", [begun(made), None, *told])


DIAMOND = plan(
    T1=("[]", "one"), T2=("[T1-qa]", "two"), T3=("[T1-qa]", "three"), T4=("[T2-qa, T3-qa]", "four")
)


def test_lanes_that_can_overlap_do_and_others_wait() -> None:
    assert next_moves(after(DIAMOND)).start == ("T1-qa",)
    first = after(DIAMOND, ("dispatched", "T1"), ("accepted", "T1"))
    assert next_moves(first) == (("T2-qa", "T3-qa"), "T1-qa", False)
    assert next_moves(after(DIAMOND, ("dispatched", "T1"))) == ((), "", False)


def test_lanes_are_merged_in_the_order_of_the_plan() -> None:
    state = after(
        DIAMOND, ("accepted", "T1"), ("merged", "T1"), ("dispatched", "T2"), ("accepted", "T3")
    )
    assert next_moves(state).merge == ""
    assert next_moves(after(DIAMOND, ("merged", "T1"), ("failed", "T2"), ("accepted", "T3"))).merge == "T3-qa"  # fmt: skip


def test_a_lane_builds_on_exactly_what_it_waits_for() -> None:
    state = after(DIAMOND, ("accepted", "T1"), ("accepted", "T2"), ("accepted", "T3"))
    assert base_parts(state, "T4-qa") == ("c-T1", "c-T2", "c-T3")
    assert base_parts(state, "T3-qa") == ("c-T1",)


def test_lanes_with_a_common_place_run_in_turn_and_do_not_need_each_other() -> None:
    made = plan(T1=("[]", "Pages below app/."), T2=("[]", "Also app/x.py."), T3=("[]", "Docs."))
    assert next_moves(after(made)).start == ("T1-qa", "T3-qa")
    assert next_moves(after(made, ("failed", "T1"))).start == ("T2-qa", "T3-qa")
    assert base_parts(after(made, ("accepted", "T1")), "T2-qa") == ("c-T1",)


def test_what_is_built_on_work_that_was_sent_back_is_out_of_date() -> None:
    rows = [{"event": "accepted", "task": "T1-qa", "commit": "c1"},
            {"event": "dispatched", "task": "T2-qa", "on": ["c1"]}]  # fmt: skip
    assert outdated(fold("r", [begun(DIAMOND), *rows])) == ()
    again = [*rows, {"event": "returned", "task": "T1-qa", "by": "merge"}]
    assert outdated(fold("r", [begun(DIAMOND), *again])) == ("T2-qa",)
    anew = [*again, {"event": "accepted", "task": "T1-qa", "commit": "c9"}]
    state = fold("r", [begun(DIAMOND), *anew])
    assert outdated(state) == ("T2-qa",)
    assert is_due(state, "T3-qa", ("c9",))
    assert not is_due(state, "T3-qa", ("c1",))


def test_what_waits_for_a_failed_lane_never_starts_and_says_so() -> None:
    state = after(DIAMOND, ("failed", "T1"))
    assert next_moves(state).over
    report = report_of(state)
    assert report.exit_code == 2
    assert report.lanes[3].reason == "waits for T1-qa, which is failed"


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([("merged", "T1"), ("merged", "T2"), ("merged", "T3"), ("merged", "T4")], 0),
        ([("merged", "T1"), ("merged", "T2"), ("merged", "T3"), ("skipped", "T4")], 0),
        ([("merged", "T1"), ("blocked", "T2"), ("failed", "T3")], 2),
        ([("merged", "T1"), ("blocked", "T2"), ("merged", "T3")], 3),
        ([("merged", "T1"), ("conflict", "T2"), ("merged", "T3")], 3),
    ],
)
def test_exit_codes(rows: list[tuple[str, str]], code: int) -> None:
    assert report_of(after(DIAMOND, *rows)).exit_code == code


def test_an_attempt_that_was_cut_short_does_not_count_and_keeps_what_it_was_told() -> None:
    state = after(DIAMOND, ("dispatched", "T1"), ("interrupted", "T1"), ("dispatched", "T1"))
    assert (state.lane("T1-qa").attempt, state.lane("T1-qa").status) == (1, "running")
    rows = [begun(DIAMOND), *({"event": e, "task": "T1-qa", "reason": r} for e, r in (
        ("dispatched", ""), ("returned", "a.py is claimed"), ("dispatched", ""), ("interrupted", "killed")))]  # fmt: skip
    kept = fold("r", rows).lane("T1-qa")
    assert (kept.attempt, kept.sent_back) == (1, "a.py is claimed")


def test_whatever_the_plan_every_lane_comes_to_an_end() -> None:
    for seed in range(30):
        pick = random.Random(seed)
        count = pick.randint(1, 9)
        waits = {n: [f"T{m}-qa" for m in range(1, n) if pick.random() < 0.3] for n in range(1, count + 1)}  # fmt: skip
        places = ["app/", "docs/", "web/", "none"]
        made = plan(**{f"T{n}": (f"[{', '.join(waits[n])}]", f"Files below {pick.choice(places)}.") for n in waits})  # fmt: skip
        rows: list[dict[str, object] | None] = [begun(made)]
        for _ in range(200):
            state = fold("r", rows)
            moves = next_moves(state)
            if moves.over:
                break
            running = [each.task for each in state.lanes if each.status == "running"]
            options = [("dispatched", t) for t in moves.start] + [("merged", moves.merge)] * bool(moves.merge)  # fmt: skip
            options += [(pick.choice(("accepted", "accepted", "failed", "blocked")), t) for t in running]  # fmt: skip
            event, task = pick.choice(options)
            rows.append({"event": event, "task": task, "commit": "c"})
            lanes = {each.task: each for each in fold("r", rows).lanes}
            if event == "dispatched":
                assert all(lanes[name].status in ("handed-over", "done") for name in lanes[task].depends_on)  # fmt: skip
        assert next_moves(fold("r", rows)).over
        assert not [each for each in fold("r", rows).lanes if each.status == "handed-over"]


@pytest.mark.parametrize(
    ("clock", "now", "expected"),
    [
        (LaneClock(0, picked_up=False, last_sign=0), 59, "fine"),
        (LaneClock(0, picked_up=False, last_sign=0), 61, "not picked up"),
        (LaneClock(0, picked_up=True, last_sign=50), 149, "fine"),
        (LaneClock(0, picked_up=True, last_sign=50), 151, "nudge"),
        (LaneClock(0, picked_up=True, last_sign=50, nudged=151), 200, "fine"),
        (LaneClock(0, picked_up=True, last_sign=50, nudged=151), 202, "silent"),
        (LaneClock(0, picked_up=True, last_sign=160, nudged=151), 270, "nudge"),
    ],
)
def test_one_nudge_then_failure(clock: LaneClock, now: float, expected: str) -> None:
    assert health(clock, now, 100) == expected


def test_a_person_sees_state_time_cost_and_the_last_line_of_each_lane() -> None:
    state = after(DIAMOND, ("merged", "T1"), ("dispatched", "T2"), ("blocked", "T3"))
    rows = view_rows(state, {"T2-qa": LaneSight(61.4, 0.25, ("running tests " * 9,))})
    assert rows[1].startswith("* T1-qa")
    assert rows[2].startswith(">   T2-qa                running       61s  $0.25  running tests")
    assert rows[3].startswith("?   T3-qa")
    assert max(map(len, rows)) <= 80


def test_compacting_is_a_state_and_no_death() -> None:
    assert silence_in(180, "compacting the context") == 600
    assert (silence_in(180, "writing"), silence_in(1200, "compacting")) == (180, 1200)


CONTENT = b"x = 1\n"


def facts(scope: str = "Pages below app/.", **changed: str | None) -> ReceiptFacts:
    import hashlib

    digest = hashlib.sha256(CONTENT).hexdigest()
    shown = {"app/api.py": digest, **{name.replace("__", "/"): value for name, value in changed.items()}}  # fmt: skip
    made = read_plan(read_markdown(PLAN_HEAD + lane("T1-backend", "backend", scope=scope)))
    return ReceiptFacts(made.lanes[0], LaneDiff("tree", shown))


def test_a_receipt_that_git_bears_out_is_accepted() -> None:
    judged = judge_receipt(receipt(CONTENT), facts())
    assert (judged.verdict, judged.differences) == ("accepted", ())
    assert judged.commands == ("python -m unittest",)


def test_a_receipt_may_name_a_file_with_spaces() -> None:
    text = receipt(CONTENT).replace("app/api.py", "app/my file ü.py")
    known = facts()
    shown = {"app/my file ü.py": known.diff.changed["app/api.py"]}
    judged = judge_receipt(text, known._replace(diff=LaneDiff("tree", shown)))
    assert (judged.verdict, judged.differences) == ("accepted", ())


@pytest.mark.parametrize(
    ("text", "known", "told"),
    [
        (receipt(b"other"), facts(), "has SHA-256"),
        (receipt(CONTENT), facts()._replace(diff=LaneDiff("t", {})), "does not differ"),
        (receipt(CONTENT, task_id="T2-qa"), facts(), "this lane is T1-backend"),
        (receipt(CONTENT), facts(web__x="1"), "web/x is outside of the lane's scope"),
        (receipt(CONTENT), facts(auth__x="1"), "the policy says: forbidden: touching auth/"),
        (receipt(CONTENT), facts(**{".guild__plan__p": "1"}), "changes nothing of .guild"),
        (receipt(CONTENT), facts()._replace(rewritten="f" * 40), "history was rewritten"),
        (receipt(CONTENT).replace("- app/api.py\n", "- app/ghost.py\n"), facts(), "app/ghost.py, changed_files"),
        (receipt(CONTENT, extra=1), facts(), "extra is no key"),
        ("no receipt at all", facts(), "cannot be read"),
    ],
)  # fmt: skip
def test_a_receipt_that_says_what_git_does_not_show_goes_back(
    text: str, known: ReceiptFacts, told: str
) -> None:
    judged = judge_receipt(text, known)
    assert judged.verdict == "returned"
    assert any(told in each for each in judged.differences), judged.differences


def test_what_a_lane_may_not_do_it_leaves_to_a_person_in_exact_words() -> None:
    block = '\n```guild.deferral_contract.v1\n{"action": "make deploy", "reason": "it costs", "required": true}\n```\n'
    judged = judge_receipt(receipt(CONTENT) + block, facts())
    assert judged.verdict == "accepted"
    said = "blocking: left to a person: `make deploy` (it costs)"
    assert said in judged.notes
    claim = read_claim(facts().lane, read_markdown(receipt(CONTENT) + block), "r.md", ())
    assert claim.blocking == (said,)
    broken = judge_receipt(receipt(CONTENT) + block.replace("true", '"yes"'), facts())
    assert "needs action, reason and required" in broken.differences[0]


@pytest.mark.parametrize(
    ("mode", "inside", "installed", "terminal", "rung"),
    [
        ("auto", True, True, False, 1), ("auto", False, True, True, 2), ("auto", False, True, False, 4),
        ("auto", False, False, True, 4), ("team", False, True, False, 2), ("team", True, True, True, 1),
        ("subagent", True, True, True, 4),
    ],
)  # fmt: skip
def test_the_ladder_says_which_rung_and_why(
    mode: str, inside: bool, installed: bool, terminal: bool, rung: int
) -> None:
    found, why = pick_rung(mode, inside=inside, installed=installed, terminal=terminal)
    assert (found, bool(why)) == (rung, True)
    with pytest.raises(UsageError, match="tmux is not installed"):
        pick_rung("team", inside=False, installed=False, terminal=True)


def test_a_lane_that_asks_for_help_is_left_to_a_person() -> None:
    text = receipt(CONTENT, status="escalate", escalate_reason="which database?")
    judged = judge_receipt(text.replace("status: completed\n", ""), facts())
    assert (judged.verdict, judged.differences) == ("blocked", ("which database?",))
    confirm = judge_receipt(receipt(CONTENT), facts(**{"app__migrations__1.sql": "1"}))
    assert confirm.verdict == "accepted"  # the policy's "migrations" names no place


def test_results_wait_while_a_worker_is_started_and_not_for_ever() -> None:
    async def story() -> list[str]:
        turns, said = Turns(), []

        async def judge(name: str) -> None:
            async with turns.behind():
                said.append(name)

        with turns.first():
            first = asyncio.create_task(judge("judged"))
            for _ in range(5):
                await asyncio.sleep(0)
            said.append("started")
        await first
        with turns.first():  # a start that hangs
            await asyncio.wait_for(judge("judged all the same"), 30)
        return said

    assert asyncio.run(story()) == ["started", "judged", "judged all the same"]


def test_a_full_disk_is_told_with_the_file_and_what_goes_on() -> None:
    wrong = OSError(28, "No space left on device", "/x/execution.jsonl")
    said = end_words(RunState("run-1", "parcels"), wrong)
    assert "/x/execution.jsonl could not be written or read: No space left on device" in said
    assert said.endswith("Make room, then: guild run --slug parcels")
