"""What the judges' words come to: the table, the floors, the buckets, and what is never invented."""

import pytest

from builders import finding, judgement
from guildmoot.agents.presets.model import Perspective, PerspectiveAnswer
from guildmoot.practices.council.judge import council_verdict
from guildmoot.practices.council.selection import Vendor

MIXED = (Vendor("claude", "scripted"), Vendor("codex", "scripted"))
OTHER = "`half` divides by a constant"


def seat_all(moot, *words, **more):
    for number, word in enumerate(words, 1):
        found = [moot.finding()] if word == "FAIL" else []
        moot.judge(f"judge-{number}", moot.verdict(word, *found), **more)


@pytest.mark.parametrize(
    ("words", "outcome", "code"),
    [
        (("PASS", "PASS"), "PASS", 0),
        (("PASS", "WARN"), "WARN", 0),
        (("WARN", "WARN"), "WARN", 0),
        (("WARN", "FAIL"), "FAIL", 2),
        (("PASS", "FAIL"), "FAIL", 2),
    ],
)
def test_the_table_of_one_vendor(moot, words, outcome, code):
    seat_all(moot, *words, family="anthropic")
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == (outcome, code)


def test_a_warn_fails_the_command_only_when_it_was_asked_to(moot):
    seat_all(moot, "WARN")
    assert moot.sit().header.exit_code == 0
    assert moot.sit(flags={"panel__fail_on": "warn"}).header.exit_code == 1


def test_vendors_that_disagree_are_shown_with_both_positions_and_nobody_decides(moot):
    moot.judge("judge-1", moot.verdict("PASS"), family="anthropic")
    moot.judge("codex-1", moot.verdict("FAIL", moot.finding()), family="openai")
    report = moot.sit(moot.plan(vendors=MIXED, modes=("mixed",)))
    assert (report.outcome, report.verdict, report.header.exit_code) == ("DISAGREE", "FAIL", 3)
    [whole] = report.disagreements
    assert [(p.who, p.says) for p in whole.positions] == [
        (("judge-1",), "PASS: it is good, a PASS"),
        (("codex-1",), "FAIL: it is a FAIL"),
    ]
    assert "not raised" not in moot.written(), "who does not mention a finding denies nothing"


def test_a_fail_on_nothing_but_a_minor_finding_is_a_warn_against_judges_that_do_not_fail(moot):
    nit = moot.finding("the name is short", severity="minor", category="style")
    moot.judge("judge-1", moot.verdict("PASS"), family="anthropic")
    moot.judge("codex-1", moot.verdict("FAIL", nit), family="openai")
    plan = moot.plan(vendors=MIXED, modes=("mixed",))
    report = moot.sit(plan)
    assert (report.outcome, report.found[0]) == ("WARN", 0)
    [reason] = [judge.reason for judge in report.judges if judge.label == "codex-1"]
    assert reason == "it said FAIL; counts as WARN because every finding is minor"
    moot.say("codex-1", moot.verdict("FAIL", {**nit, "category": "security"}))
    assert moot.sit(plan).outcome == "DISAGREE", "what is about security outweighs"
    moot.say("codex-1", moot.verdict("FAIL", nit))
    moot.say("judge-1", moot.verdict("FAIL", nit))
    assert moot.sit(plan).outcome == "FAIL", "everybody fails it"


def test_a_pair_that_splits_pass_and_fail_is_a_disagreement_of_its_perspective(moot):
    attack, defend = Perspective("attacker", "Red"), Perspective("defender", "Blue")
    fail = moot.verdict("FAIL", moot.finding())
    moot.judge("judge-attacker", moot.verdict("PASS"), family="anthropic", angle=attack)
    moot.judge("judge-defender", moot.verdict("PASS"), family="anthropic", angle=defend)
    moot.judge("codex-attacker", fail, family="openai", angle=attack)
    moot.judge("codex-defender", moot.verdict("PASS"), family="openai", angle=defend)
    plan = moot.plan(vendors=MIXED, modes=("mixed",), perspectives=(attack, defend))
    report = moot.sit(plan)
    assert report.outcome == "DISAGREE"
    assert [(pair.perspective, pair.agreed) for pair in report.pairs] == [
        ("attacker", False),
        ("defender", True),
    ]


def test_perspectives_that_differ_while_each_pair_agrees_are_no_disagreement(moot):
    attack, defend = Perspective("attacker", "Red"), Perspective("defender", "Blue")
    fail = moot.verdict("FAIL", moot.finding())
    moot.judge("judge-attacker", moot.verdict("PASS"), family="anthropic", angle=attack)
    moot.judge("judge-defender", fail, family="anthropic", angle=defend)
    moot.judge("codex-attacker", moot.verdict("WARN"), family="openai", angle=attack)
    moot.judge("codex-defender", fail, family="openai", angle=defend)
    plan = moot.plan(vendors=MIXED, modes=("mixed",), perspectives=(attack, defend))
    assert moot.sit(plan).outcome == "FAIL"


def test_a_fail_whose_places_do_not_exist_cannot_fail_the_work_alone(moot):
    invented = moot.finding(place="src/nowhere.py:7")
    moot.judge("judge-1", moot.verdict("FAIL", invented), family="anthropic")
    moot.judge("judge-2", moot.verdict("PASS"), family="anthropic")
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == ("INCOMPLETE", 3)
    told = "what judge-1 flagged could not be found in the work: src/nowhere.py:7"
    assert any(told in reason for reason in report.header.reasons)
    assert any("judge-1: none of its reasons to fail stands up" in note for note in report.notes)
    assert report.judges[0].verdict.verdict == "FAIL", "what it said is shown as it was said"


def test_a_line_beyond_the_end_stays_with_its_file_and_a_real_reason_beside_an_invented_one_counts(
    moot,
):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(place="prices.py:900")))
    assert moot.sit().outcome == "FAIL"
    both = (moot.finding(place="src/nowhere.py:9"), moot.finding(OTHER, "prices.py:6"))
    moot.say("judge-1", moot.verdict("FAIL", *both))
    assert moot.sit().outcome == "FAIL"


def test_nobody_passes_what_he_calls_critical(moot):
    """It contradicts itself, also when it is asked once more: that is no vote."""
    moot.judge("judge-1", moot.verdict("PASS", moot.finding()), "VERDICT {nonce}: PASS")
    report = moot.sit()
    assert report.outcome not in ("PASS", "WARN")
    assert "PASS, yet a finding is given as critical" in report.judges[0].reason


def test_a_pass_with_a_significant_finding_is_a_warn_that_says_why(moot):
    moot.judge("judge-1", moot.verdict("PASS", moot.finding(severity="significant")))
    moot.judge("judge-2", moot.verdict("PASS"))
    report = moot.sit()
    assert report.outcome == "WARN"
    assert any("judge-1: it says PASS, yet names something significant" in n for n in report.notes)


def test_what_a_judge_without_a_vote_calls_critical_is_listed_and_holds_the_verdict(moot):
    grave = moot.verdict("PASS", moot.finding())
    moot.judge("judge-1", grave, grave)
    for number in range(2, 7):
        moot.judge(f"judge-{number}", moot.verdict("PASS"))
    report = moot.sit()
    assert report.outcome == "INCOMPLETE"
    [issue] = report.issues
    assert (issue.representative.title, issue.seats) == ("totals are halved", ("judge-1",))


def test_what_was_mended_or_doubtful_in_a_verdict_stands_beside_it(moot):
    mended = moot.verdict("WARN", moot.finding()).replace("}]", "},]")
    moot.judge("judge-1", mended, "VERDICT {nonce}: WARN")
    moot.judge("judge-2", moot.verdict("PASS"))
    one, two = moot.sit().judges
    assert one.notes == (
        "the JSON was mended: a trailing comma",
        "the verdict was asked for once more, in one line",
    )
    assert two.notes == ()


def test_each_finding_is_in_exactly_one_bucket_and_a_lone_view_is_kept_word_for_word(moot):
    lone = "the name `half` says nothing about rounding"
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(), moot.finding(lone, "prices.py:5")))
    moot.judge("judge-2", moot.verdict("FAIL", moot.finding()))
    report = moot.sit()
    assert [issue.representative.title for issue in report.shared] == ["totals are halved"]
    assert [issue.representative.title for issue in report.minority] == [lone]
    assert report.split == ()
    assert {i.id for i in report.issues} == {i.id for i in (*report.shared, *report.minority)}
    assert lone in moot.written()


def test_confidence_is_counted_and_not_what_the_judges_say_of_themselves(moot):
    seat_all(moot, "PASS", "WARN", "WARN", family="anthropic")
    report = moot.sit()
    assert report.confidence.startswith("2 of 3 judges say WARN (67%); how often they are")
    assert "HIGH" not in report.confidence


def test_the_recommendation_is_a_judges_own_with_its_name(moot):
    seat_all(moot, "PASS", "WARN")
    assert moot.sit().recommendation == "judge-2: the next step after WARN"


def test_evidence_mode_holds_a_pass_down_while_a_finding_lacks_its_assertions(moot):
    check = {"description": "d", "verifies_by": "grep", "command": "grep sum prices.py"}
    bare = moot.finding(severity="minor", test_assertions=[{**check, "expected_result": "sum"}])
    moot.judge("judge-1", moot.verdict("PASS", bare))
    report = moot.sit(moot.plan(evidence=True))
    assert report.outcome == "WARN"
    assert [count for _, count in report.evidence] == [1]
    assert any(
        floor.startswith("evidence: fewer than 2 assertions") for floor in report.header.floors
    )
    two = [{**check, "expected_result": "sum"}, {**check, "expected_result": "items"}]
    moot.say("judge-1", moot.verdict("PASS", {**bare, "test_assertions": two}))
    assert moot.sit(moot.plan(evidence=True)).outcome == "PASS"


GATE = {
    "rigor-sequence": 1,
    "rigor-once": 1,
    "rigor-precedence": 1,
    "rigor-conformance": 1,
    "rigor-checkable": 1,
}


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        (GATE, "PASS"),
        ({**GATE, "rigor-once": 0}, "WARN"),
        ({**GATE, "rigor-conformance": 0.5}, "WARN"),
        ({**GATE, "rigor-checkable": 0}, "FAIL"),
        (None, "WARN"),
        ([{"name": name, "score": score} for name, score in GATE.items()], "PASS"),
    ],
)
def test_the_rigor_gate_is_applied_by_code_to_what_judges_answer(moot, answers, outcome):
    moot.shop.write("PLAN.md", "# Plan\n")
    moot.judge("judge-1", moot.verdict("PASS", satisfaction_breakdown=answers))
    report = moot.sit(moot.plan(targets=("PLAN.md",), about_plan=True))
    assert report.outcome == outcome


def test_one_judge_that_finds_an_item_missing_is_enough(moot):
    moot.shop.write("PLAN.md", "# Plan\n")
    moot.judge("judge-1", moot.verdict("PASS", satisfaction_breakdown=GATE))
    low = {**GATE, "rigor-sequence": 0}
    moot.judge("judge-2", moot.verdict("PASS", satisfaction_breakdown=low))
    report = moot.sit(moot.plan(targets=("PLAN.md",), about_plan=True))
    assert report.outcome == "WARN"
    assert "one sequence of change and acknowledgement" in " ".join(report.header.floors)


def test_labelled_answers_of_a_perspective_are_read(moot):
    angle = Perspective(
        "cto", "CTO", answers=(PerspectiveAnswer("BET_QUALITY", ("plausible", "fragile")),)
    )
    said = moot.verdict("WARN", recommendation="BET_QUALITY: fragile. Hold it.")
    moot.judge("judge-cto", said, angle=angle)
    [judge] = moot.sit(moot.plan(perspectives=(angle,))).judges
    assert judge.answers == (("BET_QUALITY", "fragile"),)


@pytest.mark.parametrize(
    ("policy", "outcome"), [("council", "FAIL"), ("panel", "FAIL"), ("agreement", "WARN")]
)
def test_another_policy_decides_when_it_is_named(moot, policy, outcome):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()), family="anthropic")
    moot.judge("judge-2", moot.verdict("WARN"), family="anthropic")
    report = moot.sit(flags={"policy__name": policy})
    assert (report.header.policy, report.outcome) == (policy, outcome)


def test_a_judge_in_the_panels_own_form_takes_part(moot):
    flagged = (
        "VERDICT: flagged\n\nReasons:\n- BLOCKING: wrong: prices.py:2 `/ 2`: totals are halved\n"
    )
    moot.judge("judge-1", flagged, reply="verdict")
    moot.judge(
        "judge-2", "VERDICT: operator-judgment-required\n\nEscalation: who pays?\n", reply="verdict"
    )
    report = moot.sit()
    assert [judge.word for judge in report.judges] == ["FAIL", None]
    assert report.outcome == "FAIL"


def test_a_judge_that_asks_for_a_person_keeps_the_council_from_passing(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    asks = "VERDICT: operator-judgment-required\n\nEscalation: who pays?\n"
    moot.judge("judge-2", asks, reply="verdict")
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == ("INCOMPLETE", 3)


def seat_quiet_tool(moot):
    """A tool beside the first judge that finds nothing."""
    tool = moot.seats[0].agent._replace(
        name="ruff",
        backend="tool",
        command=("true",),
        format="lines",
        pattern=r"(?P<path>x):(?P<line>1)",
        exit_codes=((0, "clean"),),
        family="ruff",
        replies="",
        reply="verdict",
    )
    one = moot.seats[0]
    seat = one.seat._replace(name="judge-2", backend="tool", family="ruff", agent=tool.name)
    moot.seats.append(one._replace(seat=seat, agent=tool))


def test_a_tool_that_found_nothing_takes_no_side(moot):
    moot.judge("judge-1", moot.verdict("WARN"), family="anthropic")
    seat_quiet_tool(moot)
    report = moot.sit()
    assert report.outcome == "WARN"
    assert [judge.computed for judge in report.judges] == [False, True]
    del moot.seats[0]
    assert moot.sit().outcome == "PASS"


def test_a_tool_that_found_nothing_passes_nothing_for_a_judge_that_fell_silent(moot):
    moot.judge("judge-1", "I'm sorry, but I can't help with that.", family="anthropic")
    seat_quiet_tool(moot)
    report = moot.sit()
    assert (report.outcome, report.header.exit_code) == ("INCOMPLETE", 3)
    assert any(floor.startswith("readers: no judge that reads") for floor in report.header.floors)


def test_a_warn_with_a_finding_that_blocks_does_not_say_that_nothing_blocks(moot):
    moot.judge("judge-1", moot.verdict("WARN", moot.finding()))
    assert moot.sit().outcome == "WARN"
    assert "nothing blocks" not in moot.written()
    assert "a finding that blocks is named" in moot.written()


def test_the_headline_of_a_judge_is_its_worst_finding():
    mild = finding("ruff", title="a name is odd", severity="low", blocking=False)
    grave = finding("ruff", title="a name is not defined", severity="high")
    said = council_verdict(judgement("ruff", mild, grave, mild, computed=True))
    assert said
    assert said.key_insight == "a name is not defined"
