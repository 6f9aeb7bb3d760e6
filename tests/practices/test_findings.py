"""Between reading and the verdict: a seat's scope, and what a change brought."""

from hypothesis import given
from hypothesis import strategies as st

from builders import call, finding, packet
from guildmoot.model.agent import Seat
from guildmoot.model.packet import BaseFile, PacketFile
from guildmoot.model.verdict import Judgement
from guildmoot.practices.before import Earlier
from guildmoot.practices.findings import NO_TRIALS, check_findings

FILES = tuple(PacketFile(name, "one\ntwo\nthree\nfour\n", "") for name in ("a.py", "test_a.py"))
RENAMED = (BaseFile("a.py", "old.py", ""), BaseFile("test_a.py", "test_a.py", ""))
SEAT = Seat("tool", "tool", "tool", "ruff")


def fact(path="a.py", line=2, **changes):
    return finding("tool", "F1", "bad", path=path, line=line, proven=True, **changes)


def check(findings, changed=(), scope=("a.py", "test_a.py"), before=None, **agent):
    """``before`` is what the same tool said of the base's files; they are the same but for names."""
    judgement = Judgement("tool", "flagged", tuple(findings))
    then = Earlier(
        {"tool": before} if before else {}, packet((*FILES, FILES[0]._replace(path="old.py")))
    )
    asked = call("tool", seat=SEAT, files=scope, **agent)
    found = check_findings(
        [judgement], [asked], packet(FILES, changed=changed, before=RENAMED), NO_TRIALS, then
    )
    return found.judgements[0], len(found.existing)


def said(*findings):
    return Judgement("tool~before", "flagged", findings, computed=True)


def test_what_the_tool_found_before_is_set_aside_and_counted():
    changed = (("a.py", ((4, 4),)),)
    checked, old = check([fact(line=2), fact(line=4)], changed, before=said(fact(line=2)))
    assert [f.line for f in checked.findings] == [4]
    assert old == 1


def test_what_is_new_counts_on_whatever_line_it_stands():
    checked, old = check([fact(line=4)], changed=(("a.py", ((1, 1),)),))
    assert (checked.outcome, [f.line for f in checked.findings], old) == ("flagged", [4], 0)


def test_a_seat_left_without_findings_has_nothing_against_the_change():
    checked, old = check([fact(line=4)], (("a.py", ((1, 1),)),), before=said(fact(line=4)))
    assert (checked.outcome, checked.findings, old) == ("approved", (), 1)


def test_a_file_that_was_renamed_takes_what_was_there_along():
    checked, old = check([fact(line=4)], (("a.py", ((1, 1),)),), before=said(fact("old.py", 4)))
    assert (checked.findings, old) == ((), 1)


def test_when_the_tool_failed_on_the_base_everything_counts_and_says_so():
    failed = Judgement("tool~before", "absent", reason="it failed", computed=True)
    checked, old = check([fact(line=4)], (("a.py", ((1, 1),)),), before=failed)
    assert old == 0
    assert "before the change it failed" in checked.findings[0].note


def test_a_file_that_no_longer_parses_blocks_whatever_its_tool_says():
    broken = fact(line=4)._replace(code="invalid-syntax", blocking=False, severity="low")
    changed = (("a.py", ((1, 1),)),)
    [found] = check([broken], changed)[0].findings
    assert (found.blocking, found.severity) == (True, "high")
    elsewhere = said(broken._replace(line=1, title="other"))
    [stays] = check([broken], changed, before=elsewhere)[0].findings  # nobody can read what is new
    assert (stays.blocking, "did not parse before" in stays.note) == (True, True)
    grammar = broken._replace(code="does-not-parse")  # it may be the grammar that is at fault
    assert check([grammar], changed, before=said(grammar._replace(line=1, title="x")))[1] == 1


def test_a_file_that_parses_again_counts_as_a_whole_where_it_was_broken_for_certain():
    changed, facts = (("a.py", ((1, 1),)),), [fact(line=1), fact(line=4)]
    for code, lines in (("invalid-syntax", [1, 4]), ("may-not-parse", [1])):
        broken = said(fact(line=3)._replace(code=code))
        checked, old = check(facts, changed, before=broken)
        assert ([f.line for f in checked.findings], old) == (lines, 2 - len(lines))


def test_of_a_tool_in_the_checkout_only_the_changed_lines_count():
    changed = (("a.py", ((2, 2),)),)
    facts = [fact(line=1, end_line=2), fact(line=4), fact(line=0), fact("b.py", line=0)]
    checked, old = check(facts, changed, run_in="checkout")
    assert ([(f.path, f.line) for f in checked.findings], old) == ([("a.py", 1), ("a.py", 0)], 2)


def test_an_opinion_about_untouched_lines_is_kept():
    opinion = fact(line=4)._replace(proven=False)
    checked, old = check([opinion], changed=(("a.py", ((1, 1),)),))
    assert len(checked.findings) == 1
    assert old == 0


def test_facts_about_files_the_agent_must_not_judge_are_dropped():
    checked, old = check([fact("a.py"), fact("test_a.py")], scope=("a.py",))
    assert [f.path for f in checked.findings] == ["a.py"]
    assert old == 0


def test_a_failed_verification_names_no_file_and_always_counts():
    checked, _ = check([fact(path="", line=0)], changed=(("a.py", ((1, 1),)),))
    assert checked.outcome == "flagged"


texts = st.text(max_size=60) | st.sampled_from(
    [
        "a.py:2",
        "src/a.py:3 `one`: no",
        "x/ghost.py:9 `…`: no",
        "test_a.py#L99",
        "a.py(1)",
        "`b/a.py`",
    ]
)


@given(texts, texts, texts, st.integers(-9, 999), st.booleans(), st.booleans())
def test_no_words_disarm_a_flag(title, path, quote, line, firm, blocking):
    """Whatever an opinion cites and how it rates it: something of it blocks, or somebody must look."""
    claim = finding("j", "x", title, path=path, quote=quote, line=line, firm=firm)
    flag = Judgement("j", "flagged", (claim._replace(blocking=blocking),))
    seat = SEAT._replace(name="j")
    calls = [call("command", seat=seat, files=("a.py",))]
    changed = (("a.py", ((1, 1),)),)
    [checked] = check_findings([flag], calls, packet(FILES, changed=changed)).judgements
    assert checked.outcome == "flagged"
    assert any(each.blocking for each in checked.findings) or checked.gap


def test_a_fact_about_a_file_that_nobody_knows_is_not_set_aside_as_old():
    checked, old = check([fact("src/b.py")], changed=(("a.py", ((1, 1),)),))
    assert (checked.outcome, old) == ("flagged", 0)
    checked, old = check([fact("src/a.py", line=2)], changed=(("a.py", ((2, 2),)),))
    assert [f.path for f in checked.findings] == ["a.py"]
