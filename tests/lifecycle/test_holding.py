"""What a person said holds, and what nobody can believe does not count as done."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time

import pytest

from guildmoot.errors import UndecidedError, UsageError
from guildmoot.guard.trust import Trust
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.drafting.challenge import challenge_by_file, check_decided, decide
from guildmoot.lifecycle.drafting.rounds import SENTINEL, read_challenge
from guildmoot.lifecycle.gates import GATES, GateAnswer
from guildmoot.lifecycle.interview import assume, hold_interview, sort_text, write_spec
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import read_plan
from guildmoot.lifecycle.planning import draw_tree
from guildmoot.lifecycle.spec import NOTES, SECTIONS, answered, check_spec
from guildmoot.lifecycle.standing import next_action
from guildmoot.lifecycle.team.compose import compose, write_team
from guildmoot.lifecycle.team.roster import roster, untrusted_agents
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.work_runs import assumed_before
from lifecycle.samples import (
    PLAN_HEAD,
    REVIEW,
    SPEC,
    VERIFY,
    lane,
    put,
    receipt,
    write_project,
)

YES = GateAnswer("", "", "approved", "Ann", "2026-11-01T10:00:00+00:00", "user")
NO = YES._replace(decision="rejected")


@pytest.fixture
def folder(tmp_path):
    return WorkFolder(write_project(tmp_path))


def test_only_what_lint_accepts_counts_as_done(folder):
    for gate in GATES:
        approval.approve(folder, gate, "parcels", YES)
    _, made = steps.make_bundles(folder, "parcels")
    here = folder.run(made.run)
    seen = []

    def steps_with(name: str, bad: str, good: str) -> None:
        for text in (bad, good):
            put(here / name, text)
            found = view.look(folder, "parcels")
            seen.append((found.standing.step, len(found.state.invalid)))

    good = receipt(b"")
    put(here / "handoffs/qa-T2-qa.md", good.replace("T1-backend", "T2-qa"))
    put(here / "assumptions.md", "# Assumptions\n")
    bundle = made.lanes[0].path
    whole = bundle.read_text()
    bundle.write_text("a brief")
    assert view.look(folder, "parcels").standing.step == "context"
    bundle.write_text(whole)
    steps_with("handoffs/backend-T1-backend.md", "lgtm", good)
    steps_with("assumptions.md", "\0", "# Assumptions\n")
    steps_with("review.md", "fine", REVIEW)
    steps_with("verify.md", "---\nstatus: PASS\n---\n", VERIFY)
    assert seen == [
        *[("execute", 1), ("review", 0), ("execute", 1), ("review", 0)],
        *[("review", 1), ("verify", 0), ("verify", 1), ("done", 0)],
    ]


def test_each_answer_is_kept_at_once():
    kept, asked = [], []

    def ask(question, problem):
        asked.append(question.field)
        if len(asked) == 7:
            raise KeyboardInterrupt
        return "`ls` exits 0"

    with pytest.raises(KeyboardInterrupt):
        hold_interview(SECTIONS, ask, lambda said: None, lambda said: kept.append(dict(said)))
    assert list(kept[-1]) == list(SECTIONS[:5])


def test_who_is_killed_in_an_interview_finds_the_answers_again(tmp_path):
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "guildmoot", "run", "Write a tutorial", "--slug", "tour"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=follower, stdout=subprocess.DEVNULL)
    os.write(leader, b"Newcomers\n\n")
    spec = tmp_path / ".guild/spec/tour.md"
    for _ in range(300):
        if spec.is_file() and "Newcomers" in spec.read_text():
            break
        time.sleep(0.1)
    process.kill()
    process.wait()
    os.close(leader)
    os.close(follower)
    assert "- Newcomers" in spec.read_text()


def test_only_the_three_answers_end_an_escalation(folder):
    terms = WorkTerms(loop_cap=1)
    told = challenge_by_file(folder, "parcels", "clarify", "Who pays?", terms)
    assert told.state
    assert told.state.ended == "escalated"
    path = folder.spec("parcels")
    path.write_text(path.read_text() + "\n")
    with pytest.raises(UndecidedError, match="waits for a person"):
        challenge_by_file(folder, "parcels", "clarify", SENTINEL, terms)
    with pytest.raises(UndecidedError, match="waits for a person"):
        check_decided(folder, "parcels", "spec")
    decide(folder, "parcels", "clarify", "force-pass", "Ann")
    check_decided(folder, "parcels", "spec")


def test_an_open_question_blocks_the_approval_and_stands_in_the_status(folder):
    challenge_by_file(folder, "parcels", "clarify", "- Who pays?", WorkTerms())
    with pytest.raises(UndecidedError, match=r"Who pays\?"):
        approval.approve(folder, "spec", "parcels", YES)
    found = view.look(folder, "parcels")
    assert "Who pays?" in found.standing.why
    assert next_action(found.standing, found.state, {"spec"}, person=False) == "stop"
    challenge_by_file(folder, "parcels", "clarify", SENTINEL, WorkTerms())
    assert approval.approve(folder, "spec", "parcels", YES).standing.step == "approve team"


def test_the_end_inside_a_code_fence_is_none():
    assert read_challenge(f"Who pays?\n```\n{SENTINEL}\n```\n").kind == "questions"
    assert read_challenge(f"```\nls\n```\n{SENTINEL}\n").kind == "done"


def test_no_setting_overrules_a_persons_no(folder):
    approval.approve(folder, "spec", "parcels", YES)
    approval.approve(folder, "spec", "parcels", NO)
    found = view.look(folder, "parcels")
    assert found.standing.why == "the spec was refused by Ann on 2026-11-01 10:00"
    assert next_action(found.standing, found.state, {"spec"}, person=False) == "stop"
    auto = YES._replace(source="auto-approve-mode")
    with pytest.raises(UndecidedError, match="refused by Ann"):
        approval.approve(folder, "spec", "parcels", auto)
    path = folder.spec("parcels")
    path.write_text(path.read_text() + "- more (agreed by the user)\n")
    assert approval.approve(folder, "spec", "parcels", auto).standing.step == "approve team"


def test_a_file_with_other_line_ends_can_be_approved(folder, monkeypatch, capsys):
    from guildmoot.cli.guild.work.run import ask_gate

    path = folder.spec("parcels")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    monkeypatch.setattr("sys.stdin", __import__("io").StringIO("yes\n"))
    answer, seen = ask_gate(view.look(folder, "parcels"), "spec")
    assert answer == "approve"
    assert approval.approve(folder, "spec", "parcels", YES, seen).state.spec.approved


def test_any_role_can_be_named_as_a_gap_unless_it_sits(folder):
    ask = {"painter": "C:backend", "chemist": "A"}
    made = steps.propose_team(folder, "parcels", steps.TeamRequest(gaps=ask))
    assert [(gap.role, gap.resolution) for gap in made.gaps] == [("painter", "C"), ("chemist", "A")]
    assert "Pages. Covers painter as well." in write_team("parcels", "Pages.", made)
    with pytest.raises(UsageError, match="it sits in this team"):
        steps.propose_team(
            folder, "parcels", steps.TeamRequest(gaps={"backend": "B"}, wanted=("backend",))
        )


def test_who_is_named_sits_before_who_is_implied(tmp_path):
    specialists, _ = roster(tmp_path)
    taken = compose("an http api with oauth and a react page", specialists, most=2).taken
    assert {match.specialist.name for match in taken} == {"backend", "frontend"}


def test_the_tier_of_the_team_file_is_the_least(folder):
    for gate in ("spec", "team"):
        path = view.document_path(folder, gate, "parcels")
        text = path.read_text()
        path.write_text(
            text.replace("  - name: qa\n", "  - name: qa\n    default_tier: powerful\n")
        )
        approval.approve(folder, gate, "parcels", YES)
    found = steps.make_plan(folder, steps.PlanRequest("parcels", replace=True), "2026-11-01").plan
    assert found
    assert {lane.owner: lane.tier for lane in found.lanes}["qa"] == "powerful"


def test_unknowns_that_were_assumed_stand_in_the_assumptions_of_the_run(tmp_path):
    folder = WorkFolder(tmp_path)
    wish = steps.SpecRequest("Write a tutorial", "tour", proceed=True)
    steps.make_spec(folder, wish, "2026-11-01")
    (file,) = (folder.guild / "runs").glob("*/assumptions.md")
    text = file.read_text()
    assert text.startswith("# Assumptions\n\n## brainstorm\n\n- a blocking unknown was assumed: ")
    approval.approve(folder, "spec", "tour", YES)
    _, made = steps.make_bundles(folder, "tour")
    assert (folder.run(made.run) / "assumptions.md").read_text() == text
    assert view.look(folder, "tour").standing.step == "execute"
    assert "\n".join(assumed_before(folder, made.run)) in text + "\n"
    file.write_text("# Assumptions\n")
    assert assumed_before(folder, made.run) == []


def test_an_agent_that_git_brought_sits_only_once_it_is_trusted(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "project"
    agent = "---\nname: chemist\ndescription: Models molecules. Do not use for pages.\n---\nMix.\n"
    put(root / ".guild/agents/chemist.md", agent)
    asks = "a drawing of a molecule"

    def taken() -> list[str]:
        specialists, _ = roster(root)
        return [match.specialist.name for match in compose(asks, specialists).taken]

    assert taken() == ["chemist"]
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b",
                                                "commit", "-qm", "x"]):  # fmt: skip
        subprocess.run(["git", *words], cwd=root, check=True)
    assert (taken(), untrusted_agents(root)) == ([], ("chemist",))
    put(root / ".guild/spec/parcels.md", SPEC)
    with pytest.raises(UsageError, match="nobody trusted it"):
        steps.propose_team(WorkFolder(root), "parcels", steps.TeamRequest(wanted=("chemist",)))
    Trust(root).add({".guild/agents/chemist.md": agent.encode()})
    assert taken() == ["chemist"]


def test_a_plan_is_drawn_as_a_tree():
    lanes = (
        ("T1-architect", "[]"), ("T2-backend", "[T1-architect]"), ("T3-devops", "[T1-architect]"),
        ("T4-qa", "[T1-architect, T2-backend, T3-devops]"), ("T5-seo", "[]"),
    )  # fmt: skip
    text = PLAN_HEAD + "".join(lane(task, task[3:], waits) for task, waits in lanes)
    rows = [
        row.split("  mid")[0] + row.partition("min")[2]
        for row in draw_tree(read_plan(read_markdown(text)))
    ]
    assert rows == [
        *("T1-architect", "├─ T2-backend", "│  └─ T4-qa  also after T3-devops", "└─ T3-devops"),
        "T5-seo",
    ]
    ring = PLAN_HEAD + lane("T1-qa", "qa", "[T2-qa]") + lane("T2-qa", "qa", "[T1-qa]") * 9
    assert len(draw_tree(read_plan(read_markdown(ring)))) == 10


def test_what_a_brief_says_beside_the_fields_is_kept():
    brief = (
        "# Export\n\nOne.\n\n## Background\nOld story.\n```sh\n# no heading\nmake\n```\n"
        "## Acceptance\n- `make` exits 0\n"
    )
    fields = sort_text(brief)
    assert fields[NOTES] == "### Background\nOld story.\n```sh\n# no heading\nmake\n```"
    document = read_markdown(write_spec("Export", assume(fields), "2026-11-01"))
    assert (check_spec(document), answered(document, NOTES)) == ([], fields[NOTES])
    open_fence = sort_text("One.\n```\ncode\n")
    assert check_spec(read_markdown(write_spec("x", assume(open_fence), "2026-11-01"))) == []
