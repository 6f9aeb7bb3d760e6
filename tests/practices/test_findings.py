"""Between reading and the verdict: a seat's scope, and what a diff did not touch."""

from hypothesis import given
from hypothesis import strategies as st

from builders import call, finding, packet
from guildmoot.model.agent import Seat
from guildmoot.model.packet import PacketFile
from guildmoot.model.verdict import Judgement
from guildmoot.practices.findings import check_findings, touches

FILES = tuple(PacketFile(name, "one\ntwo\nthree\nfour\n", "") for name in ("a.py", "test_a.py"))
SEAT = Seat("tool", "tool", "tool", "ruff")


def fact(path="a.py", line=2, **changes):
    return finding("tool", "F1", "bad", path=path, line=line, proven=True, **changes)


def check(findings, changed=(), scope=("a.py", "test_a.py")):
    judgement = Judgement("tool", "flagged", tuple(findings))
    [checked], old = check_findings(
        [judgement], [call("tool", seat=SEAT, files=scope)], packet(FILES, changed=changed)
    )
    return checked, old


def test_facts_outside_the_changed_lines_are_set_aside_and_counted():
    checked, old = check([fact(line=2), fact(line=4)], changed=(("a.py", ((2, 2),)),))
    assert [f.line for f in checked.findings] == [2]
    assert old == 1


def test_a_seat_left_without_findings_has_nothing_against_the_change():
    checked, old = check([fact(line=4)], changed=(("a.py", ((1, 1),)),))
    assert (checked.outcome, checked.findings, old) == ("approved", (), 1)


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


def test_a_range_touches_when_it_overlaps():
    changed = {"a.py": ((5, 7), (20, 20))}
    assert touches(fact(line=1, end_line=5), changed)
    assert touches(fact(line=20), changed)
    assert not touches(fact(line=8, end_line=19), changed)
    assert touches(fact(line=0), changed)
    assert not touches(fact("b.py", line=0), changed)


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
    [checked], _ = check_findings([flag], calls, packet(FILES, changed=(("a.py", ((1, 1),)),)))
    assert checked.outcome == "flagged"
    assert any(each.blocking for each in checked.findings) or checked.gap


def test_a_fact_about_a_file_that_nobody_knows_is_not_set_aside_as_old():
    checked, old = check([fact("src/b.py")], changed=(("a.py", ((1, 1),)),))
    assert (checked.outcome, old) == ("flagged", 0)
    checked, old = check([fact("src/a.py", line=2)], changed=(("a.py", ((2, 2),)),))
    assert [f.path for f in checked.findings] == ["a.py"]
