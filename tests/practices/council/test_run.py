"""A council from its packet to its files, with judges that follow a script."""

import asyncio
import json

from guildmoot.calls import Watch
from guildmoot.runs.index import list_runs
from guildmoot.runs.record import read_part
from guildmoot.runs.resume import resume


def test_judges_that_agree_give_their_word_and_the_report_is_written(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    moot.judge("judge-2", moot.verdict("PASS"))
    report = moot.sit()
    assert (report.outcome, report.verdict, report.header.exit_code) == ("PASS", "PASS", 0)
    assert report.stem == "2026-03-01-validate-the-prices"
    text = moot.written()
    assert "## Council Consensus: PASS" in text
    assert "2/2 judges responded" in text
    assert json.loads(moot.written(".json"))["verdict"] == "PASS"


def test_every_judge_is_shown_the_same_packet_first_and_its_own_part_last(moot, tmp_path):
    """A command judge prints what it was given; the common part must be the same, byte for byte."""
    for number in (1, 2):
        keep = tmp_path / f"prompt-{number}"
        moot.judge(f"judge-{number}", moot.verdict("PASS"))
        seat = moot.seats[-1]
        command = ("sh", "-c", f"cat > {keep}; printf '%s' '{moot.verdict('PASS')}'")
        agent = seat.agent._replace(backend="command", command=command, replies="")
        moot.seats[-1] = seat._replace(agent=agent, seat=seat.seat._replace(backend="command"))
    assert moot.sit().outcome == "PASS"
    one, other = ((tmp_path / f"prompt-{number}").read_text() for number in (1, 2))
    shared = one[: one.index("You are judge 1 of 2")]
    assert other.startswith(shared)
    assert "prices.py" in shared
    assert "You are judge 2 of 2" in other


def test_what_each_judge_said_is_kept_beside_the_report(moot):
    moot.judge("judge-1", moot.verdict("WARN", moot.finding(severity="minor")))
    moot.judge("judge-2", "## Council Verdict: PASS\n" + moot.verdict("WARN"))
    report = moot.sit()
    first = (moot.folder / report.stem / "judge-1.md").read_text()
    assert json.loads(first.split("```json\n")[1].split("```")[0])["verdict"] == "WARN"
    second = (moot.folder / report.stem / "judge-2.md").read_text()
    assert "\n## Council Verdict" not in second, "a judge's words cannot become a heading"


def test_an_unreadable_reply_is_asked_for_again_and_never_votes_in_silence(moot):
    moot.judge("judge-1", "It looks fine to me.", moot.verdict("WARN"))
    moot.judge("judge-2", "It looks fine to me.")
    moot.judge("judge-3", f"I say:\n{moot.verdict('WARN')}", "VERDICT {nonce}: WARN")
    report = moot.sit()
    assert report.outcome == "INCOMPLETE"
    assert [judge.word for judge in report.judges] == ["WARN", None, "WARN"]
    assert any("judge-2 gave no verdict" in note for note in report.header.reasons)


def test_the_run_is_recorded_with_every_reply(moot):
    moot.judge("judge-1", moot.verdict("FAIL", moot.finding()))
    report = moot.sit()
    [run] = list_runs(moot.root)
    assert (run.run_id, run.state, run.target) == (report.header.run_id, "complete", "the prices")
    replies = read_part(run.folder, "replies")["replies"]
    assert [reply["seat"] for reply in replies] == ["judge-1"]
    assert read_part(run.folder, "result")["outcome"] == "FAIL"


def test_nothing_is_written_where_nothing_is_kept(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    report = moot.sit(keep=False)
    assert report.outcome == "PASS"
    assert report.header.run_id == ""
    assert not (moot.root / ".agents").exists()
    assert not (moot.root / ".guild").exists()


def test_the_second_council_of_a_day_gets_a_name_of_its_own(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    assert [moot.sit().stem[-10:] for _ in range(3)] == ["the-prices", "e-prices-2", "e-prices-3"]


def test_a_resumed_council_keeps_what_was_said_and_overwrites_its_report(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    moot.judge("judge-2", {"fail": "overloaded"})
    first = moot.sit()
    moot.say("judge-1", moot.verdict("FAIL", moot.finding()))  # must not be asked again
    moot.say("judge-2", moot.verdict("WARN"))
    moot.shop.write("prices.py", "changed = True\n")
    folder = moot.root / ".guild" / "runs" / first.header.run_id
    again = asyncio.run(resume(moot.root, folder, {}, Watch()))
    assert (again.header.run_id, again.stem, again.header.packet_hash) == (
        first.header.run_id,
        first.stem,
        first.header.packet_hash,
    )
    assert [judge.word for judge in again.judges] == ["PASS", "WARN"]
    assert again.outcome == "WARN"
    assert len(list(moot.folder.glob("*.md"))) == 1


def test_a_question_needs_no_file(moot):
    plan = moot.plan(task="brainstorm", target="how to cache", targets=())
    packet = moot.packet(plan, question="how to cache")
    assert packet.files == ()
    assert packet.target == "how to cache"
    assert [section.kind for section in packet.sections] == ["question"]


def test_the_committed_copy_is_written_when_it_was_asked_for(moot):
    moot.judge("judge-1", moot.verdict("WARN", moot.finding(severity="minor")))
    report = moot.sit(moot.plan(commit_ready=True))
    told = "also written to docs/council-log/2026-03-01-validate-the-prices.md, to be committed"
    assert told in report.notes
    [entry] = (moot.root / "docs" / "council-log").glob("*.md")
    assert entry.name == "2026-03-01-validate-the-prices.md"
    assert "verdict: WARN" in entry.read_text()


def test_a_resumed_council_writes_its_entry_in_the_log_again_and_no_second_one(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    report = moot.sit(moot.plan(commit_ready=True))
    folder = moot.root / ".guild" / "runs" / report.header.run_id
    asyncio.run(resume(moot.root, folder, {}, Watch()))
    assert len(list((moot.root / "docs" / "council-log").glob("*.md"))) == 1


def test_a_quick_council_writes_the_quick_report(moot):
    moot.judge("judge-1", moot.verdict("PASS"))
    report = moot.sit(moot.plan(quick=True, modes=("quick",)))
    assert report.stem == "2026-03-01-quick-the-prices"
    assert "# Council Quick Check" in moot.written()
    assert "\n## Recommendation\n" in moot.written()
