"""Two councils on one thing: what was mended, what stayed, what is new."""

from hypothesis import given
from hypothesis import strategies as st

from builders import finding, issue
from guildmoot.consensus.grouping import pair_findings
from guildmoot.model.verdict import Finding
from guildmoot.practices.run_diff import (
    PastRun,
    compare_runs,
    delta_rows,
    follow,
    load_past_run,
    past_report,
)


def fates(found):
    return sorted((match.fate, match.issue.representative.title) for match in found.matches)


def test_issues_are_fixed_still_there_or_new(moot):
    cached = moot.finding("the cache key ignores the currency", "prices.py:6", "significant")
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(), cached))
    before = moot.sit()
    fresh = moot.finding("user names are logged in clear text", "prices.py:5", "significant")
    moot.say("judge-1", moot.verdict("WARN", cached, fresh))
    moot.shop.write("prices.py", "# prices\n" + (moot.root / "prices.py").read_text())
    now = moot.sit()
    found = compare_runs(past_report(before), past_report(now))
    assert (found.before.outcome, found.now.outcome) == ("FAIL", "WARN")
    assert fates(found) == [
        ("fixed", "totals are halved"),
        ("new", "user names are logged in clear text"),
        ("still there", "the cache key ignores the currency"),
    ]
    assert found.judges == (("judge-1", "FAIL", "WARN"),)


def test_recorded_runs_compare_as_their_reports_do(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()))
    before = moot.sit()
    moot.say("judge-1", moot.verdict("PASS"))
    moot.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    now = moot.sit()
    recorded = compare_runs(
        *(load_past_run(moot.root, each.header.run_id) for each in (before, now))
    )
    plain = compare_runs(past_report(before), past_report(now))
    assert fates(recorded) == fates(plain) == [("fixed", "totals are halved")]


def test_a_reworded_issue_on_a_changed_line_is_still_the_same(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding("totals are halved by the division")))
    before = moot.sit()
    reworded = moot.finding("the division still halves totals", "prices.py:2")
    moot.say("judge-1", moot.verdict("FAIL", reworded))
    moot.shop.write("prices.py", "def total(items):\n    return sum(items) / 2.0\n")
    now = moot.sit()
    found = compare_runs(past_report(before), past_report(now))
    assert [match.fate for match in found.matches] == ["still there"]


def test_a_follow_up_tells_the_verdicts_first_and_then_the_issues(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()))
    before = moot.sit()
    moot.say("judge-1", moot.verdict("PASS"))
    moot.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    now = moot.sit()._replace(previous=before.header.run_id)
    assert follow(now, moot.root).delta == (
        ("Verdict", "FAIL", "PASS"),
        ("Judge judge-1", "FAIL", "PASS"),
        ("totals are halved (prices.py:2)", "critical", "fixed"),
    )


def test_a_record_that_is_gone_costs_the_comparison_and_not_the_verdict(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    report = moot.sit()._replace(previous="20200101-000000-abcdef")
    after = follow(report, moot.root)
    assert after.outcome == "PASS"
    assert after.delta == ()
    assert any("nothing could be compared" in note for note in after.notes)


def test_a_report_that_follows_nothing_is_left_alone(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    report = moot.sit()
    assert follow(report, moot.root) == report


WORDS = st.sampled_from(["cache", "token", "price", "retry", "index", "query", "login", "queue"])
TITLES = st.lists(WORDS, min_size=2, max_size=5, unique=True).map(" ".join)
ISSUES = st.lists(TITLES, max_size=6, unique=True)


def run_with(titles):
    found = [finding("j", title=t, path="a.py", line=n + 1) for n, t in enumerate(titles)]
    issues = [issue(each, id=each.title) for each in found]
    return PastRun("r", "t", "FAIL", tuple(issues))


@given(ISSUES, ISSUES)
def test_every_issue_of_both_sides_is_told_exactly_once(before, now):
    found = compare_runs(run_with(before), run_with(now))
    olds = [match.before.id for match in found.matches if match.before]
    news = [match.now.id for match in found.matches if match.now]
    assert sorted(olds) == sorted(before)
    assert sorted(news) == sorted(now)
    for match in found.matches:
        assert (
            match.fate
            == {
                (True, True): "still there",
                (True, False): "fixed",
                (False, True): "new",
            }[(match.before is not None, match.now is not None)]
        )
    assert len(list(delta_rows(found))) == 1 + len(found.matches)


@given(ISSUES)
def test_a_run_compared_with_itself_has_only_what_is_still_there(titles):
    found = compare_runs(run_with(titles), run_with(titles))
    assert {match.fate for match in found.matches} <= {"still there"}


@given(ISSUES, ISSUES)
def test_nothing_is_paired_twice(old, new):
    pairs = pair_findings(*([Finding("j", "c", title) for title in side] for side in (old, new)))
    assert len(set(pairs.values())) == len(pairs)
    assert all(n < len(new) and o < len(old) for n, o in pairs.items())
