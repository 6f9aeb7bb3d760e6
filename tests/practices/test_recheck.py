"""Looking again at what an earlier council found, in the work as it is now."""

import pytest

from guildmoot.errors import UsageError
from guildmoot.practices.recheck import recheck
from guildmoot.practices.run_diff import load_past_run


def check(command, expected=""):
    return {
        "description": "d",
        "verifies_by": "grep",
        "command": command,
        "expected_result": expected,
    }


def again(moot, *, head=False, **flags):
    return recheck(moot.root, load_past_run(moot.root, "last"), moot.config(**flags), head=head)


def standing(moot, **more):
    [each] = again(moot, **more).issues
    return each.standing


@pytest.fixture
def judged(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()))
    moot.sit()
    return moot


def test_an_untouched_file_leaves_the_finding_as_it_was(judged):
    found = again(judged)
    [each] = found.issues
    assert (each.standing, each.line, found.changed) == ("holds", 2, ())


def test_a_quote_that_moved_is_followed_to_its_line(judged):
    text = (judged.root / "prices.py").read_text()
    judged.shop.write("prices.py", "import os\n\n" + text)
    found = again(judged)
    [each] = found.issues
    assert (each.standing, each.line, found.changed) == ("moved", 4, ("prices.py",))


def test_a_change_elsewhere_in_the_file_leaves_it_standing(judged):
    text = (judged.root / "prices.py").read_text()
    judged.shop.write("prices.py", text + "\n\nEND = 1\n")
    assert standing(judged) == "holds"


def test_what_was_mended_has_vanished(judged):
    judged.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    assert standing(judged) == "vanished"


def test_a_file_that_is_gone_takes_its_findings_along(judged):
    (judged.root / "prices.py").unlink()
    assert standing(judged) == "vanished"


def test_head_is_the_last_commit_and_not_the_working_tree(judged):
    judged.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    assert standing(judged, head=True) == "holds"
    judged.shop.commit("mend")
    assert standing(judged, head=True) == "vanished"


def test_a_finding_without_a_place_cannot_be_checked(moot):
    moot.judge("judge-1", moot.verdict("WARN", moot.finding(place="", severity="significant")))
    moot.sit()
    assert standing(moot) == "unchecked"


def test_a_place_that_was_never_real_cannot_be_checked(moot):
    finding = moot.finding(place="prices.py:900", severity="significant")
    moot.judge("judge-1", moot.verdict("WARN", finding))
    moot.sit()
    [each] = again(moot).issues
    assert each.standing == "unchecked"
    assert "not there then either" in each.detail


def test_assertions_decide_once_their_program_is_allowed(moot):
    held = check("grep -c 'items) / 2' prices.py", "1")
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(place="", test_assertions=[held])))
    moot.sit()
    [each] = again(moot).issues
    assert each.standing == "unchecked"
    assert "grounding.allow" in each.detail
    [each] = again(moot, grounding__allow=("grep",)).issues
    assert (each.standing, each.ran) == ("holds", True)
    moot.shop.write("prices.py", "def total(items):\n    return sum(items)\n")
    [each] = again(moot, grounding__allow=("grep",)).issues
    assert (each.standing, each.ran) == ("vanished", True)


def test_an_assertion_tells_more_than_a_quote(moot):
    """The quoted line stayed, but what made it wrong was mended elsewhere."""
    proof = check("grep -c 'return number / 2' prices.py", "1")
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(test_assertions=[proof])))
    moot.sit()
    text = (moot.root / "prices.py").read_text()
    moot.shop.write("prices.py", text.replace("return number / 2", "return number"))
    assert standing(moot) == "holds"
    assert standing(moot, grounding__allow=("grep",)) == "vanished"


def test_a_command_off_the_list_is_never_run(moot, tmp_path):
    trace = tmp_path / "trace"
    evil = check(f"touch {trace}")
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(test_assertions=[evil])))
    moot.sit()
    [each] = again(moot, grounding__allow=("grep",)).issues
    assert not each.ran
    assert "not in grounding.allow" in each.detail
    assert not trace.exists()


def test_nothing_of_the_repository_is_written_to(judged):
    before = sorted(path for path in judged.root.rglob("*") if path.is_file())
    again(judged, grounding__allow=("grep",))
    assert sorted(path for path in judged.root.rglob("*") if path.is_file()) == before


def test_a_run_without_a_result_is_refused(moot):
    with pytest.raises(UsageError):
        load_past_run(moot.root, "last")


def test_an_assertion_that_does_not_end_proves_nothing(moot):
    slow = check("tail -f prices.py")
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding(test_assertions=[slow])))
    moot.sit()
    [each] = again(moot, grounding__allow=("tail",), grounding__timeout=0.2).issues
    assert (each.standing, each.ran) == ("holds", False)
    assert "an assertion came to no end: no answer within 0.2 s" in each.detail
