"""Policies: every one fails closed, none depends on order, and each does what its name says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding, issue, judgement
from guildmoot.consensus.agreement import MEANINGS, tally
from guildmoot.consensus.floors import (
    CHECKABLE,
    ITEMS,
    VerdictFloor,
    coverage_floor,
    evidence_floor,
    rigor_floors,
    verification_floor,
)
from guildmoot.consensus.opinions import (
    Record,
    SecondLook,
    is_open,
    least_families,
    share_questions,
    told_worth,
)
from guildmoot.consensus.outcome import decide, settle
from guildmoot.consensus.policies import POLICIES, PolicyCase, positions, told_outvoted
from guildmoot.consensus.published import AGREEMENT, DATA
from guildmoot.consensus.votes.ballots import WeighedVote
from guildmoot.consensus.votes.evidence import SeatRecord
from guildmoot.model.packet import Omission
from guildmoot.model.report import Counts
from guildmoot.model.verdict import Conflict, Judgement


def rule(policy, judgements, issues, **more):
    case = PolicyCase(tuple(judgements), tuple(issues), **more)
    ruled = POLICIES[policy].rule(case)
    return settle(judgements, ruled, expected=[j.seat for j in judgements])


SAME = [finding(name, family=name) for name in ("claude", "codex", "gemini")]


@pytest.mark.parametrize(("agreeing", "blocks"), [(1, False), (2, False), (3, True)])
def test_agreement_blocks_from_three_families_on(agreeing, blocks):
    members = SAME[:agreeing]
    judges = [judgement(f.seat, f) for f in members]
    judges += [judgement(f"calm-{n}") for n in range(4 - agreeing)]
    result = rule("agreement", judges, [issue(*members)])
    assert bool(result.blocking) == blocks
    [shown] = result.blocking + result.advisory
    assert f"right {AGREEMENT[agreeing, 4][0]:.0%}" in shown.note
    assert DATA in shown.note


def test_agreement_inside_one_family_is_one_vote():
    members = [finding(f"judge-{n}", family="claude") for n in range(5)]
    result = rule("agreement", [judgement(f.seat, f) for f in members], [issue(*members)])
    assert result.verdict == "approved"
    assert "1 family" in result.advisory[0].note


def test_a_proof_blocks_alone_under_agreement():
    fact = finding("ruff", proven=True)
    assert rule("agreement", [judgement("ruff", fact)], [issue(fact)]).verdict == "flagged"


def sitting(held, families, **fields):
    """Families of which the first few hold one opinion; the others approve."""
    names = [f"family-{n}" for n in range(families)]
    said = [finding(name, family=name, **fields) for name in names[:held]]
    judges = [judgement(f.seat, f) for f in said] + [judgement(name) for name in names[held:]]
    return judges, [issue(*said)]


@pytest.mark.parametrize(
    ("held", "families", "verdict"),
    [
        (1, 1, "flagged"),  # a single judge is believed
        (1, 2, "approved"),
        (2, 2, "flagged"),
        (1, 3, "approved"),
        (2, 6, "flagged"),
        (2, 7, "approved"),
        (3, 7, "flagged"),
        (4, 12, "flagged"),
    ],
)
def test_an_opinion_blocks_when_a_third_of_the_families_hold_it_and_at_least_two(
    held, families, verdict
):
    result = rule("weighed", *sitting(held, families))
    assert result.verdict == verdict
    [shown] = result.blocking + result.advisory
    assert (f"{held} of {families} model famil" in shown.note) == (families > 1)


@pytest.mark.parametrize(
    ("severity", "held", "told"),
    [
        ("medium", 1, ["a judge blocks for a.py:3 race, and 'weighed' does not (--all says why)"]),
        ("medium", 2, []),
        ("high", 1, []),
    ],
)
def test_an_approval_over_a_judge_who_blocks_says_so(severity, held, told):
    judges, issues = sitting(held, 4, severity=severity, path="a.py", line=3, code="race")
    ruled = POLICIES["weighed"].rule(PolicyCase(tuple(judges), tuple(issues)))
    assert told_outvoted("weighed", ruled) == told


def test_facts_and_what_could_not_be_read_block_alone_among_many_families():
    for fields in ({"proven": True}, {"code": "parse-failure"}):
        judges, issues = sitting(1, 9, **fields)
        assert rule("weighed", judges, issues).verdict == "flagged"


def test_seats_of_one_family_are_one_voice_and_tools_are_none():
    several = [judgement(f"j{n}", family="claude") for n in range(8)]
    said = finding("j9", family="claude")
    tool = judgement("ruff", computed=True)
    judges = [*several, judgement("j9", said, family="claude"), tool]
    assert rule("weighed", judges, [issue(said)]).verdict == "flagged"


def test_a_tool_that_advises_the_same_stands_by_an_opinion():
    said = finding("a", family="claude")
    advice = finding("ruff", family="ruff", proven=True, blocking=False)
    judges = [
        judgement("a", said, family="claude"),
        judgement("b"),
        judgement("ruff", advice, computed=True),
    ]
    [shown] = rule("weighed", judges, [issue(said, advice)]).blocking
    assert "2 of 3 model families" in shown.note


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        (("yes", "yes"), "flagged"),
        (("yes", "no"), "flagged"),  # two of three hold it
        (("yes", "cannot tell"), "flagged"),
        (("no", "no"), "approved"),
        (("cannot tell", "cannot tell"), "approved"),
        (("no answer", "no answer"), "flagged"),  # nobody could be asked: one family is believed
        (("no answer", "cannot tell"), "flagged"),  # as where two families sit
        (("no answer", "no"), "approved"),
    ],
)
def test_answers_to_is_this_right_are_votes(answers, verdict):
    judges, issues = sitting(1, 3)
    looks = tuple(
        SecondLook(f"family-{n}", answer, "looked") for n, answer in enumerate(answers, 1)
    )
    result = rule("weighed", judges, issues, looks={issues[0].id: looks})
    assert result.verdict == verdict
    [shown] = result.blocking + result.advisory
    assert f"family-1 {answers[0]} (looked)" in shown.note


@pytest.mark.parametrize(
    ("answer", "verdict", "told"),
    [
        ("yes", "flagged", "nobody denies it"),
        ("cannot tell", "flagged", "nobody denies it"),
        ("no", "approved", "denied"),
    ],
)
def test_of_two_families_a_lone_finding_blocks_unless_the_other_denies_it(answer, verdict, told):
    judges, issues = sitting(1, 2)
    looks = {issues[0].id: (SecondLook("family-1", answer, "looked"),)}
    result = rule("weighed", judges, issues, looks=looks)
    assert result.verdict == verdict
    [shown] = result.blocking + result.advisory
    start = "blocks" if verdict == "flagged" else "does not block"
    assert shown.note.startswith(
        f"{start}: 1 of 2 model families reports it; asked whether it is right"
    )
    assert shown.note.endswith(told)


def test_more_must_hold_it_than_deny_it_when_all_are_asked():
    judges, issues = sitting(1, 5)
    said = ("yes", "no", "no", "cannot tell")
    looks = tuple(SecondLook(f"family-{n}", answer) for n, answer in enumerate(said, 1))
    assert rule("weighed", judges, issues, looks={issues[0].id: looks}).verdict == "approved"


@pytest.mark.parametrize(
    ("families", "fields", "asked"),
    [
        (1, {}, False),
        (2, {}, True),
        (5, {}, True),
        (6, {}, False),
        (3, {"severity": "medium"}, False),
        (3, {"grounding": "unchecked"}, False),
        (3, {"proven": True}, False),
    ],
)
def test_the_others_are_asked_about_a_serious_opinion_of_one_family_whose_place_was_found(
    families, fields, asked
):
    _, [lone] = sitting(1, families, **{"severity": "high", "grounding": "grounded", **fields})
    assert is_open(lone, [f"family-{n}" for n in range(families)]) == asked


def test_who_was_caught_by_a_canary_lifts_nothing():
    judges, issues = sitting(1, 3)
    caught = Record(is_fooled=lambda seat: seat in ("family-1", "family-2"))
    assert rule("weighed", judges, issues).verdict == "approved"
    assert rule("weighed", judges, issues, record=caught).verdict == "flagged"
    judges, issues = sitting(2, 7)
    caught = Record(is_fooled=lambda seat: seat == "family-6")
    assert rule("weighed", judges, issues).verdict == "approved"
    assert rule("weighed", judges, issues, record=caught).verdict == "flagged", "2 of 6"


def test_questions_are_shared_between_families_then_by_severity():
    def lone(family, line, severity="high"):
        row = finding(family, f"{family}-{line}", family=family, path="x", line=line)
        return issue(row._replace(severity=severity))

    many = [lone("loud", n, "critical") for n in range(1, 9)]
    asked = share_questions([*many, lone("keen", 99), lone("calm", 50), lone("calm", 60)], 5)
    assert [each.id for each in asked] == ["loud-1", "calm-50", "keen-99", "loud-2", "calm-60"]


@pytest.mark.parametrize("held", [1, 2])
def test_what_was_not_asked_about_is_undecided_unless_it_blocks(held):
    judges, issues = sitting(held, 3)
    result = rule("weighed", judges, issues, unasked={issues[0].id: "too many"})
    assert result.verdict == ("operator-judgment-required" if held == 1 else "flagged")


def test_with_a_record_the_word_of_good_judges_weighs_more():
    names = [f"family-{n}" for n in range(6)]
    keen = Record(SeatRecord(dict.fromkeys(names[:2], 0.9) | dict.fromkeys(names[2:], 0.1), 0.67))
    blind = Record(SeatRecord(dict.fromkeys(names[:2], 0.1) | dict.fromkeys(names[2:], 0.9), 0.67))
    judges, issues = sitting(2, 6)
    assert rule("weighed", judges, issues, record=keen).verdict == "flagged"
    assert rule("weighed", judges, issues, record=blind).verdict == "approved"
    little = Record(SeatRecord({names[0]: 0.1, names[1]: 0.1}, 0.67))
    assert rule("weighed", judges, issues, record=little).verdict == "flagged", "no basis"


def test_what_people_decided_here_replaces_the_published_figures():
    assert DATA in told_worth(2, 5, Record())
    assert DATA in told_worth(2, 5, Record(upheld={2: (3, 9)}))
    assert told_worth(2, 5, Record(upheld={2: (9, 12)})).startswith("9 of 12 such findings")
    assert told_worth(2, 40, Record()) == "", "where there is no data nothing is told"


def test_only_those_with_a_veto_block():
    judges = [judgement("security"), judgement("style", finding("style"))]
    assert rule("veto", judges, [issue(finding("style"))], veto=("security",)).verdict == "approved"
    assert rule("veto", judges, [issue(finding("style"))], veto=("style",)).verdict == "flagged"


def test_a_veto_holder_who_did_not_judge_is_no_approval():
    judges = [judgement("style"), judgement("security", outcome="recused")]
    result = rule("veto", judges, [], veto=("security",))
    assert result.verdict == "operator-judgment-required"
    assert rule("veto", judges, []).verdict == "operator-judgment-required"


@pytest.mark.parametrize(
    ("decision", "verdict"),
    [(True, "flagged"), (False, "approved"), (None, "flagged")],
)
def test_weighed_votes_decide_whether_opinions_block(decision, verdict):
    judges = [judgement("a", finding("a")), judgement("b")]
    fitted = lambda ballot: WeighedVote(decision, 0.0)  # noqa: E731
    assert rule("weighted", judges, [issue(finding("a"))], rule=fitted).verdict == verdict


def test_weighed_votes_cannot_outvote_a_fact_and_an_even_vote_is_no_approval():
    fact = finding("ruff", proven=True)
    outvoted = lambda ballot: WeighedVote(False, -3.0)  # noqa: E731
    even = lambda ballot: WeighedVote(None, 0.0)  # noqa: E731
    judges = [judgement("ruff", fact), judgement("b")]
    assert rule("weighted", judges, [issue(fact)], rule=outvoted).verdict == "flagged"
    assert rule("weighted", [judgement("b")], [], rule=even).verdict == "operator-judgment-required"
    assert rule("weighted", [judgement("b")], []).verdict == "operator-judgment-required"


def test_families_that_disagree_go_to_the_operator_in_a_council():
    judges = [judgement("a", finding("a"), family="claude"), judgement("b", family="codex")]
    result = rule("council", judges, [issue(finding("a"))])
    assert result.verdict == "operator-judgment-required"
    assert "claude said FAIL; codex said PASS" in result.reasons[-1]
    assert result.blocking, "both positions stay visible"


def test_a_tool_that_found_nothing_takes_no_side():
    judges = [judgement("a", finding("a")), judgement("ruff", computed=True)]
    assert positions(tuple(judges)) == {"FAIL": ["a"]}
    assert rule("council", judges, [issue(finding("a"))]).verdict == "flagged"


def test_the_highest_of_the_precedence_speaks_and_the_others_are_named():
    members = [finding("a"), finding("b"), finding("c")]
    case = PolicyCase(tuple(judgement(f.seat, f) for f in members), (issue(*members),))
    ruled = POLICIES["panel"].rule(case)
    result = settle(case.judgements, ruled, expected=["a", "b", "c"], precedence=["c", "a"])
    [shown] = result.blocking
    assert (shown.seat, shown.also, shown.id) == ("c", ("a", "b"), "bad")


def test_clashing_remedies_are_a_conflict_whatever_the_policy():
    one = finding("a")
    for policy in POLICIES:
        case = PolicyCase((judgement("a", one),), (issue(one),), veto=("a",))
        ruled = POLICIES[policy].rule(case)
        conflict = Conflict("x.py:1", ("a", "b"), (one, one))
        result = settle(case.judgements, ruled, expected=["a"], conflicts=[conflict])
        assert result.verdict == "flagged-conflict"


def test_who_contradicts_a_remedy_lifts_nothing_that_blocks():
    members = SAME[:2]
    judges = [judgement(f.seat, f) for f in SAME] + [judgement("calm")]
    conflict = Conflict("x.py:1", ("codex", "gemini"), tuple(SAME[1:]))
    for said, exit_code in ((members, 2), (members[:1], 3)):
        ruled = POLICIES["weighed"].rule(PolicyCase(tuple(judges), (issue(*said),)))
        result = settle(judges, ruled, expected=[], conflicts=[conflict])
        assert result.conflicts == (conflict,)
        assert decide(result, judges).exit_code == exit_code
    failed = [VerdictFloor("verification", "flagged", "tests fail")]
    result = settle(judges, ruled, expected=[], conflicts=[conflict], floors=failed)
    assert decide(result, judges).exit_code == 2


def test_a_failed_verification_blocks_under_every_policy():
    failed = finding("verification", "verification-failed", proven=True)
    judges = [judgement("a"), judgement("verification", failed, computed=True)]
    for policy in POLICIES.values():
        case = PolicyCase(
            tuple(judges), (issue(failed),), veto=("a",), rule=lambda b: WeighedVote(False, -9.0)
        )
        floors = verification_floor([failed])
        result = settle(judges, policy.rule(case), expected=["a", "verification"], floors=floors)
        assert result.verdict == "flagged", policy.name


def test_floors_only_ever_lower_a_verdict():
    judges = [judgement("a")]
    approved = POLICIES["panel"].rule(PolicyCase(tuple(judges), ()))
    for level, verdict in [
        ("warn", "approved"),
        ("undecided", "operator-judgment-required"),
        ("flagged", "flagged"),
    ]:
        result = settle(
            judges, approved, expected=["a"], floors=[VerdictFloor("f", level, "because")]
        )
        assert result.verdict == verdict
    blocked = POLICIES["panel"].rule(PolicyCase(tuple(judges), (issue(finding("a")),)))
    floors = [VerdictFloor("f", "undecided", "because")]
    assert settle(judges, blocked, expected=["a"], floors=floors).verdict == "flagged"


def test_the_floors_say_what_holds_the_verdict_down():
    unseen = [Omission(f"{n}.bin", "too-large") for n in range(3)]
    vendored = [Omission("v.js", "vendored")]
    assert "only 25%" in coverage_floor(1, unseen, 0.5)[0].why
    assert coverage_floor(9, vendored * 50, 0.9) == []
    assert coverage_floor(0, [], 0.5) == []  # only deletions: their diff was read
    assert coverage_floor(0, unseen, 0.5)[0].at_least == "undecided"
    assert evidence_floor([("f1", 2), ("f2", 1)])[0].why.endswith("f2")
    assert evidence_floor([("f1", 2)]) == []
    short = dict.fromkeys((*ITEMS, CHECKABLE), 0.0)
    assert [floor.at_least for floor in rigor_floors([short])] == ["flagged", "warn"]
    assert rigor_floors([dict.fromkeys((*ITEMS, CHECKABLE), 1.0)]) == []


def test_counts_keep_missing_votes_in_the_denominator():
    judges = [
        judgement("a", finding("a"), family="claude"),
        judgement("b", family="claude"),
        judgement("c", outcome="absent", family="codex"),
        judgement("d", outcome="recused", family="gemini"),
    ]
    counts = tally(judges, [issue(finding("a"))], ["a", "b", "c", "d"])
    assert (counts.asked, counts.voted, counts.families) == (4, 2, 1)
    assert counts.effective == 1.0
    assert (counts.flagged, counts.missing) == (0.25, 0.5)
    assert set(MEANINGS) == set(Counts._fields)


seats = st.sampled_from("abcdef")
findings = st.builds(
    lambda seat, code, blocking, family, proven: finding(
        seat, code, blocking=blocking, family=family, proven=proven
    ),
    seats,
    st.sampled_from(["x-one", "y-two"]),
    st.booleans(),
    st.sampled_from(["claude", "codex", "gemini"]),
    st.booleans(),
)
outcomes = st.sampled_from(["approved", "flagged", "recused", "operator-judgment", "absent"])


@st.composite
def panels(draw):
    said = draw(st.lists(findings, max_size=6))
    names = sorted({f.seat for f in said} | set(draw(st.lists(seats, max_size=3))))
    judges = []
    for name in names:
        own = tuple(f for f in said if f.seat == name)
        outcome = "flagged" if any(f.blocking for f in own) else draw(outcomes)
        judges.append(Judgement(name, outcome, own, family=own[0].family if own else name))
    return judges


def grouped(judges):
    """Findings with one code are one issue."""
    said = [f for j in judges for f in j.findings]
    codes = dict.fromkeys(f.code for f in said)
    return [issue(*(f for f in said if f.code == code)) for code in codes]


def run(policy, judges):
    fitted = lambda b: WeighedVote.of(sum(1 if v else -1 for v in b.values() if v is not None))  # noqa: E731
    return rule(policy, judges, grouped(judges), veto=("a", "b"), rule=fitted)


@pytest.mark.parametrize("policy", POLICIES)
@given(panels(), st.randoms())
def test_the_order_of_the_judges_changes_nothing(policy, judges, random):
    shuffled = judges[:]
    random.shuffle(shuffled)
    before, after = run(policy, judges), run(policy, shuffled)
    assert before.verdict == after.verdict
    assert {f.id for f in before.blocking} == {f.id for f in after.blocking}


@pytest.mark.parametrize("policy", POLICIES)
@given(panels())
def test_nothing_is_approved_over_a_blocking_finding_or_a_silent_seat(policy, judges):
    result = run(policy, judges)
    if result.verdict == "approved":
        assert not result.blocking
        assert not any(j.outcome in ("absent", "operator-judgment") for j in judges)
        assert any(j.outcome in ("approved", "flagged") for j in judges)


@pytest.mark.parametrize("policy", POLICIES)
@given(panels())
def test_no_policy_but_a_veto_approves_over_what_a_program_proved(policy, judges):
    proven = any(f.proven and f.blocking for j in judges for f in j.findings)
    if proven and policy != "veto":
        assert run(policy, judges).verdict != "approved"


@given(panels())
def test_one_more_family_that_says_the_same_never_lifts_what_blocks(judges):
    before = {f.id for f in run("weighed", judges).blocking}
    blocking = [f for j in judges for f in j.findings if f.code in before]
    if blocking:
        said = blocking[0]._replace(seat="z", family="other")
        more = [*judges, Judgement("z", "flagged", (said,), family="other")]
        assert said.code in {f.id for f in run("weighed", more).blocking}


@given(st.integers(1, 60))
def test_the_least_number_of_families_grows_with_the_panel_and_is_never_out_of_reach(families):
    least = least_families(families)
    assert least_families(families - 1) <= least <= families
    assert 3 * least >= families


@given(panels())
def test_an_approval_of_a_family_that_sits_already_lifts_nothing(judges):
    """A new family that says nothing makes the rest a smaller share; a second voice of one does not."""
    sat = [j.family for j in judges if j.outcome in ("approved", "flagged")]
    if run("weighed", judges).verdict == "flagged" and sat:
        more = [*judges, Judgement("z", "approved", family=sat[0])]
        assert run("weighed", more).verdict != "approved"


@pytest.mark.parametrize("policy", ["panel", "council", "agreement", "veto"])
@given(panels())
def test_one_more_approval_never_turns_flagged_into_approved(policy, judges):
    if run(policy, judges).verdict == "flagged":
        more = [*judges, Judgement("z", "approved", family="other")]
        assert run(policy, more).verdict != "approved"
