"""The degradation table: each row is what the council does when something is missing."""

import asyncio

import pytest

from guildmoot.calls import Watch
from guildmoot.practices.council.selection import Vendor
from guildmoot.runs.index import list_runs
from guildmoot.runs.record import read_part
from security.votes import REFUSALS, SILENCE

MIXED = (Vendor("claude", "scripted"), Vendor("codex", "scripted"))


def test_one_judge_that_times_out_leaves_the_others_and_the_footer_says_so(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    moot.judge("judge-2", moot.verdict("PASS"))
    moot.judge("judge-3", {"hang": True})
    report = moot.sit(moot.plan(timeout=1.0))
    assert (report.outcome, report.header.exit_code) == ("INCOMPLETE", 3)
    assert any("only 2 of 3 judges" in floor for floor in report.header.floors)
    assert report.requested == ("judge-1", "judge-2", "judge-3")
    assert any("judge-3 gave no verdict: timeout" in note for note in report.header.reasons)
    assert "2/3 judges responded" in moot.written()


@pytest.mark.parametrize(
    ("silent", "outcome", "code"), [(0, "PASS", 0), (1, "WARN", 0), (2, "INCOMPLETE", 3)]
)
def test_four_of_five_go_on_but_not_as_a_clean_pass_and_fewer_decide_nothing(
    moot, silent, outcome, code
):
    for number in range(1, 6):
        says = {"fail": "overloaded"} if number <= silent else moot.verdict("PASS")
        moot.judge(f"judge-{number}", says)
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == (outcome, code)
    assert any("quorum" in floor for floor in report.header.floors) == bool(silent)


@pytest.mark.parametrize("said", [*REFUSALS, *SILENCE])
def test_a_reply_that_is_no_verdict_but_speaks_against_the_work_is_not_passed_over(moot, said):
    for number in range(1, 5):
        moot.judge(f"judge-{number}", moot.verdict("PASS"))
    moot.judge("judge-5", said)
    report = moot.sit()
    speaks = said in REFUSALS
    if report.judges[-1].word == "FAIL":  # a verdict after all, though not in the form
        assert said.startswith("FAIL")
        assert report.outcome in ("FAIL", "DISAGREE")
        return
    assert (report.outcome, report.header.exit_code) == (
        ("INCOMPLETE", 3) if speaks else ("WARN", 0)
    )
    told = [floor for floor in report.header.floors if floor.startswith("refusal: judge-5 gave no")]
    assert bool(told) == speaks


def test_who_recused_is_not_missing(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    moot.judge("judge-2", "VERDICT: recused\nReason: not mine\n", reply="verdict")
    assert moot.sit().outcome == "PASS"


def test_a_fail_stays_one_however_few_answer(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()))
    moot.judge("judge-2", {"fail": "overloaded"})
    assert (report := moot.sit()).outcome == "FAIL"
    assert report.header.exit_code == 2


@pytest.mark.parametrize("word", ["PASS", "WARN"])
@pytest.mark.parametrize("strict", [False, True])
def test_without_a_vendor_mixed_goes_on_loudly_and_is_incomplete_when_strict(moot, word, strict):
    for number in (1, 2, 3):
        moot.judge(f"judge-{number}", moot.verdict(word), family="anthropic")
        moot.judge(f"codex-{number}", {"fail": "no login"}, family="openai")
    plan = moot.plan(vendors=MIXED, modes=("mixed",), strict_mixed=strict)
    report = moot.sit(plan)
    expected = ("INCOMPLETE", 3) if strict else ("WARN", 0)
    assert (report.outcome, report.header.exit_code) == expected
    assert any("no judge of openai gave a verdict" in floor for floor in report.header.floors)


def test_fewer_answers_of_a_vendor_never_give_a_better_outcome(moot):
    codes = []
    for lost in range(4):
        for number in (1, 2, 3):
            said = {"fail": "no login"} if number <= lost else moot.verdict("PASS")
            moot.judge(f"judge-{number}", said, family="anthropic")
            moot.judge(f"codex-{number}", moot.verdict("PASS"), family="openai")
        report = moot.sit(moot.plan(vendors=MIXED, modes=("mixed",)))
        codes.append((report.outcome, report.header.exit_code))
    assert codes == [("PASS", 0), ("WARN", 0), ("WARN", 0), ("WARN", 0)]


def test_a_vendor_of_which_a_judge_is_silent_too_has_not_enough_of_its_own(moot):
    moot.judge("judge-1", moot.verdict("PASS"), family="anthropic")
    moot.judge("judge-2", {"fail": "late"}, family="anthropic")
    moot.judge("codex-1", {"fail": "no login"}, family="openai")
    report = moot.sit(moot.plan(vendors=MIXED, modes=("mixed",)))
    assert report.outcome == "INCOMPLETE"
    assert any("only 1 of 2 judges gave a verdict" in floor for floor in report.header.floors)


def test_a_fail_that_did_arrive_fails_even_when_the_other_vendor_is_silent(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()), family="anthropic")
    moot.judge("codex-1", {"missing": "not installed"}, family="openai")
    report = moot.sit(moot.plan(vendors=MIXED, modes=("mixed",)))
    assert (report.outcome, report.header.exit_code) == ("FAIL", 2)


def test_when_all_judges_fail_it_is_infrastructure_and_never_a_fail(moot):
    moot.judge("judge-1", {"hang": True})
    moot.judge("judge-2", {"fail": "overloaded"})
    report = moot.sit(moot.plan(timeout=1.0))
    assert (report.outcome, report.verdict, report.header.exit_code) == ("ERROR", None, 4)
    assert "Council Verdict" not in moot.written()


def test_refusals_and_empty_replies_are_no_votes(moot):
    moot.judge("judge-1", "I'm sorry, but I can't help with that.")
    moot.judge("judge-2", {"malformed": "empty"})
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == ("ERROR", 4)


def test_judges_that_cannot_be_asked_again_have_one_round_and_the_report_says_so(moot):
    """A program would only say the same, so there is nobody to debate with."""
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()))
    moot.judge("judge-2", {"fail": "gone"})
    report = moot.sit(moot.plan(debate="on"))
    assert report.debate is None
    assert any("one round only" in note for note in report.notes)


def test_a_stopped_council_still_writes_its_report_and_calls_it_incomplete(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    moot.judge("judge-2", {"hang": True})

    async def stopped():
        answered = asyncio.Event()

        def hear(event):
            if event.kind == "finished":
                answered.set()

        council = asyncio.create_task(
            moot.holding(moot.plan(timeout=60.0), watch=Watch(on_event=hear))
        )
        await answered.wait()
        council.cancel()
        return await council

    report = asyncio.run(stopped())
    assert (report.outcome, report.verdict, report.header.exit_code) == ("INCOMPLETE", None, 130)
    assert [judge.status for judge in report.judges] == ["answered", "cancelled"]
    text = moot.written()
    assert "INCOMPLETE" in text
    assert "Council Verdict" not in text
    [run] = list_runs(moot.root)
    assert run.state == "interrupted"


def test_a_missing_output_folder_is_made(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    assert not moot.folder.exists()
    moot.sit()
    assert moot.folder.is_dir()


def test_an_output_folder_that_is_a_file_costs_the_report_not_the_verdict(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    moot.shop.write(".agents/council", "in the way")
    report = moot.sit()
    assert (report.outcome, report.verdict, report.header.exit_code) == ("PASS", "PASS", 4)
    assert any("the verdict stands, but its report could not be written" in n for n in report.notes)
    [run] = list_runs(moot.root)
    assert read_part(run.folder, "result")["verdict"] == "PASS"


def test_an_output_folder_that_leads_out_of_the_repository_is_refused(moot, tmp_path):
    moot.judge("judge-1", moot.verdict("PASS"))
    (tmp_path / "elsewhere").mkdir()
    (moot.root / ".agents").symlink_to(tmp_path / "elsewhere")
    report = moot.sit()
    assert report.header.exit_code == 4
    assert not list((tmp_path / "elsewhere").iterdir())


ASKED = [
    ["validate", "whether prices.py is fast enough"],
    ["validate", "prices.py", "--focus=performance"],
    ["validate", "is the code safe against timing attacks? prices.py"],
    ["validate", "prices.py", "--spec", "SPEC.md"],
]


@pytest.mark.parametrize("words", ASKED, ids=lambda words: words[-1])
def test_a_question_that_only_a_reader_could_answer_is_not_passed_by_tools(shop, words):
    shop.write("prices.py", "def total(prices: list[int]) -> int:\n    return sum(prices)\n")
    shop.write("SPEC.md", "# Prices\n\nThe total is a number.\n")
    shop.commit("spec")
    ran = shop.guild("council", *words, "--json", "--no-record")
    assert (ran.code, ran.json["outcome"]) == (3, "INCOMPLETE"), ran.json["reasons"]
    assert "a model could" in " ".join(ran.json["reasons"])


def test_a_file_that_is_only_named_may_pass_by_tools(shop):
    shop.write("prices.py", "def total(prices: list[int]) -> int:\n    return sum(prices)\n")
    shop.commit("prices")
    ran = shop.guild("council", "validate", "prices.py", "--json", "--no-record")
    assert ran.code == 0, ran.json["reasons"]


@pytest.mark.parametrize(
    ("place", "outcome", "code"),
    [("prices.py:2", "FAIL", 2), ("nowhere.py:7", "INCOMPLETE", 3)],
)
def test_what_was_found_decides_though_no_verdict_could_be_read(moot, place, outcome, code):
    """A PASS over something critical is no vote, however often it is asked."""
    said = moot.verdict("PASS", moot.finding(severity="critical", location=place, ref=place))
    for number in (1, 2):
        moot.judge(f"judge-{number}", said, said)
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == (outcome, code)
    assert any("no judge gave a verdict" in reason for reason in report.header.reasons)
    assert any(issue.blocking for issue in report.issues)
