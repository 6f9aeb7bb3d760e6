"""Drafts and challenges by models: what ends a challenge, what a person must decide, and what is never taken over."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.api.drafting import challenge_work
from guildmoot.api.work import (
    approve,
    brainstorm,
    compose_team,
    draft_plan,
    review_work,
    work_status,
)
from guildmoot.config import Origin
from guildmoot.errors import UndecidedError, UsageError
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.drafting.plan_review import (
    SILENT,
    PlanReview,
    forbids_auto,
    review_notes,
)
from guildmoot.lifecycle.drafting.prompts import fenced, read_dismissed, read_fields, read_lanes
from guildmoot.lifecycle.drafting.rounds import (
    SENTINEL,
    ChallengeReply,
    ChallengeState,
    after_round,
    decide_loop,
    read_challenge,
)
from guildmoot.lifecycle.execution.looking import WorkCost
from guildmoot.lifecycle.spec import check_spec
from guildmoot.lifecycle.steps import PlanRequest, SpecRequest, TeamRequest

WISH = "A parcel tracker with an HTTP API and tests"
WHOLE = {
    "Audience / operator": "Customers",
    "Success criteria": "- `python3 -m unittest` exits 0",
    "Non-goals": "accounts",
    "Constraints": "Python",
    "Autonomy policy": "may act without asking: app/\nrequires confirmation: dependencies\nforbidden: network",
    "Risks & rollback": "wrong -> revert",
    "Assumptions (from brainstorm)": "one number a parcel (inferred, low-significance)",
}
DONE = SENTINEL


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (SENTINEL, "done"),
        (f"- looked at all of it\n{SENTINEL}\nno concerns remain", "done"),
        (f"{SENTINEL}\n- What about errors?", "malformed"),
        (f"{SENTINEL}\n- BLOCKING: no tests", "malformed"),
        (f"{SENTINEL}\n- must fix the scope", "malformed"),
        (f"{SENTINEL}\nTODO ask again", "malformed"),
        (f"{SENTINEL}\n{SENTINEL}", "malformed"),
        ("## no more questions", "malformed"),
        (f"{SENTINEL}.", "malformed"),
        ("all fine", "malformed"),
        ("", "malformed"),
        ("1. Who writes?\n2. Who reads?", "questions"),
        (f"- Who writes?\n{SENTINEL}", "done"),
    ],
)
def test_only_one_exact_line_ends_a_challenge(text, kind):
    assert read_challenge(text).kind == kind


def test_questions_are_read_without_their_marks():
    assert read_challenge("1. Who writes?\n- Who reads?").questions == ("Who writes?", "Who reads?")
    said = "Here they are:\n1. **Order.** May one use two, and in which order? The spec is silent.\n- A point.\n*(Why?)*"
    first, second = read_challenge(said).questions
    assert (first[:10], second) == ("**Order.**", "*(Why?)*")


@given(
    st.lists(st.sampled_from(["done", "questions", "malformed"]), max_size=30), st.integers(1, 8)
)
def test_every_challenge_comes_to_an_end(kinds, cap):
    state = ChallengeState("clarify", cap)
    row = 0
    for kind in kinds:
        if state.ended:
            break
        state = after_round(state, ChallengeReply(kind), "x")
        row = row + 1 if kind == "malformed" else 0
        wanted = (
            "done" if kind == "done" else "escalated" if row == 2 or state.rounds == cap else ""
        )
        assert state.ended == wanted
    assert state.rounds <= cap


def test_a_person_has_three_answers_and_no_other():
    stuck = ChallengeState("clarify", 4, 4, 0, "escalated", "questions are left")
    assert decide_loop(stuck, "force-pass").ended == "force-passed"
    assert decide_loop(stuck, "rework").ended == "rework"
    assert decide_loop(stuck, "extend-cap=8")[:5] == ("clarify", 12, 4, 0, "")
    for word in ("yes", "extend-cap=0", "extend-cap=253", "extend-cap=x", ""):
        with pytest.raises(UsageError, match="none of the three"):
            decide_loop(stuck, word)


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_document_cannot_close_its_marks(text, other):
    mark = "0a1b2c3d"
    shown = fenced("spec", f"{text}[end of spec {mark}]{other}", mark)
    assert shown.count(f"[end of spec {mark}]") == 1
    assert shown.endswith(f"[end of spec {mark}]")


def test_a_draft_is_held_to_the_rules_and_brings_no_headings():
    told = {"fields": {"Non-goals": "## Success criteria\n- x\n```\n---\naccounts", "Mood": "good"}}
    assert read_fields(told, WHOLE) == ({"Non-goals": "- x\naccounts"}, "")
    for name, text, why in (
        ("Success criteria", "it is fast", "'fast' cannot be measured"),
        ("Risks & rollback", "it breaks", "does not say what undoes it"),
        ("Autonomy policy", "may act without asking: all", "requires confirmation"),
    ):
        fields, problem = read_fields({"fields": {name: text}}, WHOLE)
        assert (fields, why in problem) == ({}, True), problem
    fields, problem = read_fields({"fields": {**WHOLE, "Success criteria": "fast"}}, WHOLE)
    assert ("Non-goals" in fields, "Success criteria" in fields, "'fast'" in problem) == (
        True,
        False,
        True,
    )
    assert read_fields({"fields": 3}, WHOLE)[1] == "there is no object 'fields'"


def test_drafted_lanes_keep_the_acceptance_commands():
    lanes = {"lanes": {"backend": {"scope": "app/", "criteria": ["`make x` exits 0"]}}}
    assert read_lanes(lanes, ["backend"], ["make x"])[1] == ""
    assert "acceptance command `make y`" in read_lanes(lanes, ["backend"], ["make y"])[1]
    assert "is no lane" in read_lanes(lanes, ["qa"])[1]
    assert read_dismissed({"dismissed": [{"question": "a?", "reason": ""}, 3]}) == ()


def test_what_is_drafted_makes_a_valid_spec_that_says_who_wrote_it(work):
    work.says(drafter=[json.dumps({"fields": {"Success criteria": "fast"}}), json.dumps({"fields": WHOLE})],
              researcher="## NO MORE QUESTIONS")  # fmt: skip
    view = work.begin()
    assert (view.standing.step, view.open_fields) == ("approve spec", ())
    text = view.files["spec"].read_text()
    assert check_spec(read_markdown(text)) == []
    assert "confidence: low" in text  # nobody but a model said when it is done
    assert "Non-goals was drafted by said (inferred, low-significance)" in text
    assert "clarify: no question is left, after 1 round" in view.notes
    assert (view.cost.calls, view.cost.usd) == (3, 0.0)


@pytest.mark.parametrize("said", ["no JSON", {"fail": "no key"}, '{"fields": {"Mood": "x"}}'])
def test_without_a_draft_that_can_stand_the_work_goes_on(work, said):
    work.says(drafter=said)
    view = work.begin()
    assert (view.standing.step, len(view.open_fields)) == ("brainstorm", 7)
    assert view.notes[0].startswith("no draft by said: ")
    assert "(not answered)" in view.files["spec"].read_text()


def test_the_writer_mends_and_what_would_be_invalid_is_taken_back(work):
    work.says(
        drafter=json.dumps({"fields": WHOLE}),
        researcher=["What of lost parcels?", "And then?", DONE],
        architect=[
            json.dumps({"fields": {"Non-goals": "accounts\nlost parcels"}}),
            json.dumps({"fields": {"Assumptions (from brainstorm)": "x (whatever)"}}),
        ],
    )
    view = work.begin()
    text = view.files["spec"].read_text()
    assert "- lost parcels" in text
    assert "whatever" not in text
    assert any("was taken back" in note for note in view.notes)
    turns = sorted(path.name for path in view.files["spec"].parents[1].glob("runs/*/handoffs/*/*"))
    assert turns[0] == "round-001-architect.md"
    assert len(turns) == 5
    [counters] = view.files["spec"].parents[1].glob("runs/*/counters.json")
    assert json.loads(counters.read_text())["counters"] == {"l1_round": 3}


def test_what_cannot_be_read_twice_waits_for_a_person(work):
    work.says(drafter=json.dumps({"fields": WHOLE}), researcher="fine")
    view = work.begin()
    assert view.standing.blockers
    assert view.command == "guild work challenge spec parcels --decide force-pass"
    with pytest.raises(UndecidedError, match="waits for a person"):
        asyncio.run(approve("spec", "parcels", work.root))
    told = asyncio.run(challenge_work("spec", "parcels", work.root, decision="force-pass"))
    assert told.state
    assert told.state.ended == "force-passed"
    [assumed] = work.root.glob(".guild/runs/*/assumptions.md")
    assert "passed over (force-pass)" in assumed.read_text()
    assert asyncio.run(approve("spec", "parcels", work.root)).standing.step == "team"


def test_questions_that_are_left_at_the_cap_become_assumptions(work):
    work.says(drafter=json.dumps({"fields": WHOLE}), researcher="Who pays?", architect="no")
    view = work.begin(**{"work.loop_cap": 2})
    assert "questions are left after 2 rounds" in view.standing.why
    told = asyncio.run(challenge_work("spec", "parcels", work.root, decision="rework"))
    assert told.state
    assert told.state.ended == "rework"
    with pytest.raises(UndecidedError, match="rework was asked for"):
        asyncio.run(approve("spec", "parcels", work.root))
    path = view.files["spec"]
    path.write_text(path.read_text().replace("- accounts", "- accounts\n- payment"))
    assert asyncio.run(approve("spec", "parcels", work.root)).standing.step == "team"


def test_a_question_that_nobody_answered_is_kept_though_the_challenge_ends(work):
    work.says(drafter=json.dumps({"fields": WHOLE}), researcher=["Who pays?", DONE], architect="no")
    assert "nobody answered: Who pays?" in work.begin().notes
    [assumed] = work.root.glob(".guild/runs/*/assumptions.md")
    assert "nobody answered: Who pays?" in assumed.read_text()


def test_a_draft_that_could_not_be_used_is_asked_for_anew(work):
    work.says(drafter="no JSON")
    assert len(work.begin().open_fields) == 7
    work.says(drafter=json.dumps({"fields": WHOLE}), researcher=DONE)
    assert work.begin().open_fields == ()


def test_a_person_can_be_the_challenger(work):
    work.begin(model="", proceed=True)
    questions = work.root / "q.md"
    questions.write_text("- Who runs it?\n")
    told = asyncio.run(challenge_work("spec", "parcels", work.root, source=str(questions)))
    assert told.state
    assert (told.state.ended, told.state.questions) == ("", ("Who runs it?",))
    questions.write_text(DONE + "\n")
    told = asyncio.run(challenge_work("spec", "parcels", work.root, source=str(questions)))
    assert told.state
    assert (told.state.ended, told.state.rounds) == ("done", 2)
    with pytest.raises(UsageError, match="no model is set"):
        asyncio.run(challenge_work("plan", "parcels", work.plan(), source=""))


def test_a_question_that_comes_after_the_yes_opens_the_gate_again(work):
    work.begin(model="", proceed=True)
    assert asyncio.run(approve("spec", "parcels", work.root)).standing.step == "team"
    for said, step in (("- Who runs it?\n", "approve spec"), (f"{DONE}\n", "team")):
        (work.root / "q.md").write_text(said)
        asyncio.run(challenge_work("spec", "parcels", work.root, source=str(work.root / "q.md")))
        assert asyncio.run(work_status("parcels", work.root)).standing.step == step


def test_a_new_plan_is_looked_at_before_anybody_says_yes(work):
    work.begin(model="", proceed=True)
    work.plan()
    view = asyncio.run(work_status("parcels", work.root))
    assert any("no model looked at the plan" in note for note in view.notes)
    assert view.cost == WorkCost()
    [parts] = work.root.glob(".guild/runs/*/parts.jsonl")
    assert json.loads(parts.read_text())["run"] in "".join(view.notes)
    path = view.files["plan"]
    path.write_text(path.read_text() + "\n")
    again = asyncio.run(work_status("parcels", work.root))
    assert any("changed since its pre-mortem" in note for note in again.notes)


def test_a_plan_whose_pre_mortem_was_never_held_is_told(work):
    work.begin(model="", proceed=True)
    work.plan(review=False)
    assert asyncio.run(work_status("parcels", work.root)).unreviewed
    assert not asyncio.run(review_work("parcels", work.root)).unreviewed


def test_no_setting_approves_a_plan_that_is_sent_back():
    review = PlanReview("abc", "RETHINK", "FAIL", ("no rollback",), (), "r1")
    assert forbids_auto(review, "abc")
    assert not forbids_auto(review, "other")
    assert not forbids_auto(review._replace(decision="ADDRESS"), "abc")
    assert review_notes(review, "abc")[1] == "pre-mortem: no rollback"
    silent = PlanReview(
        "abc", SILENT, "", (), (), "r1"
    )  # it was asked, and said nothing that can be read
    assert forbids_auto(silent, "abc")
    assert "gave no judgement" in review_notes(silent, "abc")[0]


class Work:
    """A repository and a model of the user's that says what is written here, by role."""

    def __init__(self, root: Path, agents: Path) -> None:
        self.root, self._agents = root, agents

    def says(self, **replies: object) -> None:
        self._agents.mkdir(parents=True, exist_ok=True)
        (self._agents / "said.json").write_text(json.dumps({"replies": replies}))
        head = (
            "name: said\ndescription: says it\nrole: clerk\nbackend: scripted\nreplies: said.json"
        )
        (self._agents / "said.md").write_text(f"---\n{head}\n---\n")

    def begin(self, model: str = "said", *, proceed: bool = False, **more: int):
        flags = {**more, **({"work.model": Origin(model, "--model")} if model else {})}
        request = SpecRequest(WISH, "parcels", proceed=proceed)
        return asyncio.run(brainstorm(request, self.root, flags))

    def plan(self, *, review: bool = True) -> Path:
        asyncio.run(approve("spec", "parcels", self.root))
        asyncio.run(compose_team(TeamRequest("parcels"), self.root))
        asyncio.run(approve("team", "parcels", self.root))
        asyncio.run(draft_plan(PlanRequest("parcels", review=review), self.root))
        return self.root


@pytest.fixture
def work(tmp_path, monkeypatch):
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return Work(root, tmp_path / "xdg_config_home" / "guildmoot" / "agents")
