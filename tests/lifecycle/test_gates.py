"""From a sentence to an approved plan: the order of steps, approvals bound to content, and where it goes on."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import GuildmootError, UndecidedError, UsageError
from guildmoot.lifecycle import approval, steps, view
from guildmoot.lifecycle.gates import Gate, GateAnswer, content_hash, mark_plan
from guildmoot.lifecycle.interview import sort_text, write_spec
from guildmoot.lifecycle.lint import lint
from guildmoot.lifecycle.places import WorkFolder, check_slug, find_work, slug_of
from guildmoot.lifecycle.scoring import LaneSignals, ScoreTerms, Thresholds, score
from guildmoot.lifecycle.standing import STEPS, WorkFile, WorkState, standing
from guildmoot.lifecycle.team.compose import compose
from guildmoot.lifecycle.team.roles import ROLES
from guildmoot.lifecycle.team.roster import roster, shipped
from lifecycle.samples import PLAN, SPEC, TEAM, put

YES = GateAnswer("", "", "approved", "Ann", "2026-11-01T10:00:00+00:00", "user")
INTENT = "A parcel tracker: an HTTP API with SQLite storage and tests"


@pytest.fixture
def folder(tmp_path: Path) -> WorkFolder:
    for gate, text in (("spec", SPEC), ("team", TEAM), ("plan", PLAN)):
        end = "yaml" if gate == "team" else "md"
        put(tmp_path / ".guild" / gate / f"parcels.{end}", text)
    return WorkFolder(tmp_path)


def approve(folder: WorkFolder, *gates: Gate) -> None:
    for gate in gates:
        approval.approve(folder, gate, "parcels", YES)


def test_work_goes_on_at_the_first_thing_that_is_not_approved(folder):
    seen = [view.look(folder, "parcels").standing.step]
    for gate in ("spec", "team", "plan"):
        approve(folder, gate)
        seen.append(view.look(folder, "parcels").standing.step)
    assert seen == ["approve spec", "approve team", "approve plan", "context"]
    assert "approved: true\napproved_at: 2026-11-01" in folder.plan("parcels").read_text()


@pytest.mark.parametrize("gate", ["spec", "team", "plan"])
def test_a_document_that_changed_is_approved_by_nobody(folder, gate):
    approve(folder, "spec", "team", "plan")
    path = view.document_path(folder, gate, "parcels")
    path.write_text(path.read_text() + "\n")
    found = view.look(folder, "parcels").standing
    assert (found.step, "changed since it was approved" in found.why) == (f"approve {gate}", True)


def test_the_word_approved_in_a_plan_is_no_approval(folder):
    approve(folder, "spec", "team")
    path = folder.plan("parcels")
    path.write_text(path.read_text().replace("approved: false", "approved: true"))
    assert view.look(folder, "parcels").standing.step == "approve plan"


@pytest.mark.parametrize("gone", ["spec", "team", "plan"])
def test_without_a_document_the_work_is_back_at_its_step(folder, gone):
    approve(folder, "spec", "team", "plan")
    view.document_path(folder, gone, "parcels").unlink()
    step = {"spec": "brainstorm"}.get(gone, gone)
    assert view.look(folder, "parcels").standing.step == step


def test_an_invalid_document_cannot_be_approved_nor_one_before_its_turn(folder):
    path = folder.spec("parcels")
    path.write_text(
        SPEC.replace("`python -m unittest discover tests` exits 0 within 30 s", "it is quick")
    )
    with pytest.raises(approval.InvalidDocumentError, match="cannot be measured") as wrong:
        approve(folder, "spec")
    assert wrong.value.exit_code == 2
    path.write_text(SPEC)
    with pytest.raises(UndecidedError, match="the team waits for the spec"):
        approve(folder, "team")


def test_a_criterion_that_only_a_person_can_prove_is_told_before_the_spec_is_approved(folder):
    path = folder.spec("parcels")
    assert not any("names no command" in note for note in view.look(folder, "parcels").notes)
    path.write_text(SPEC.replace("## Non-goals", "- a page is there within 3 s\n## Non-goals"))  # fmt: skip
    told = [each for each in view.look(folder, "parcels").notes if "names no command" in each]
    assert [each.partition(":")[0] for each in told] == ["criterion 3"]
    approve(folder, "spec")
    assert not any("names no command" in note for note in view.look(folder, "parcels").notes)


def test_what_changed_while_a_person_looked_is_not_approved(folder):
    seen = content_hash(SPEC)
    folder.spec("parcels").write_text(SPEC + "- more (agreed by the user)\n")
    with pytest.raises(UndecidedError, match="changed while"):
        approval.approve(folder, "spec", "parcels", YES, seen)
    assert view.look(folder, "parcels").approvals == ()


def test_a_no_takes_an_earlier_yes_away(folder):
    approve(folder, "spec")
    approval.approve(folder, "spec", "parcels", YES._replace(decision="rejected"))
    assert view.look(folder, "parcels").standing.step == "approve spec"


@given(st.text(max_size=60), st.sampled_from(["true", "false"]))
def test_approving_a_plan_does_not_change_what_is_approved(body, said):
    text = f"---\ntype: plan\napproved: {said}\n---\n{body}"
    marked = mark_plan(text, "2026-11-01")
    assert content_hash(marked) == content_hash(text)
    assert content_hash(mark_plan(marked, "")) == content_hash(text)
    assert content_hash(text + "x") != content_hash(text)


GOOD = WorkFile(True, 0, True, True)


@given(
    st.tuples(*[st.builds(WorkFile, st.booleans(), st.integers(0, 2), st.booleans())] * 3),
    st.tuples(*[st.booleans()] * 3),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_the_first_missing_thing_decides_whatever_comes_after(documents, later, bundles, receipts):
    state = WorkState(*documents, False, 2, bundles, receipts, *later)
    found = standing(state)
    worst = next(
        (at for at, d in enumerate(documents) if not d.exists or d.problems or not d.approved), None
    )
    if worst is not None:
        assert found.step in STEPS[2 * worst : 2 * worst + 2]
        same_start = WorkState(
            *documents[: worst + 1], *[GOOD] * (2 - worst), False, 2, 2, 2, True, True, True
        )
        assert standing(same_start).step == found.step
    else:
        order = [bundles < 2, receipts < 2 or not later[0], not later[1], not later[2], True]
        assert found.step == STEPS[6 + order.index(True)]


def test_one_lane_needs_neither_team_nor_plan():
    state = WorkState(GOOD, WorkFile(), WorkFile(), one_lane=True, lanes=1)
    assert standing(state).step == "context"


@pytest.mark.parametrize(
    ("signals", "tier"),
    [
        (LaneSignals(0), "cheap"),
        (LaneSignals(1), "mid"),
        (LaneSignals(0, "moderate"), "mid"),
        (LaneSignals(1, "high"), "powerful"),
        (LaneSignals(2, contract=True), "powerful"),
        (LaneSignals(2, security=True), "powerful"),
        (LaneSignals(1, escalated=True), "mid"),
    ],
)
def test_the_score_decides_the_tier(signals, tier):
    assert score(signals).tier == tier


@given(st.sampled_from([0, 1, 2]), st.sampled_from(["low", "moderate", "high"]), st.booleans())
def test_a_pin_keeps_the_raw_score_and_more_is_never_less(work, blast, contract):
    plain = score(LaneSignals(work, blast, contract))
    assert score(LaneSignals(work, blast, contract), pin="cheap")[:2] == (plain.score, "cheap")
    assert score(LaneSignals(work, blast, True)).score >= plain.score
    assert score(LaneSignals(work, blast), ScoreTerms(Thresholds(99, 100))).tier == "cheap"


def test_a_team_is_composed_by_words_and_each_seat_is_explained(tmp_path):
    specialists, problems = roster(tmp_path)
    assert (problems, {each.name for each in specialists}) == ((), set(ROLES))
    proposal = compose("an http api with oauth and a react page", specialists)
    taken = {match.specialist.name: match for match in proposal.taken}
    assert set(taken) == {"architect", "security", "backend", "frontend", "qa"}
    assert taken["qa"].implied_by == "backend-present"
    assert taken["backend"].why == "named: api"
    assert compose("paint the wall", specialists).taken == ()
    assert len(compose(" ".join(w for s in shipped() for w in s.triggers), specialists).taken) == 6


def test_a_command_that_proves_the_work_does_not_seat_a_tester():
    asks = "Customers want their orders as CSV.\n`pytest -q tests/export` exits 0"

    def taken(text: str) -> list[str]:
        return [match.specialist.name for match in compose(text, shipped()).taken]

    assert taken(asks) == ["backend", "qa"]  # code of nobody's domain
    assert taken(f"{asks}\nmore tests") == ["qa"]
    assert taken("Customers want their orders as CSV.") == []


def test_agents_of_the_project_come_first_and_proposed_ones_never(tmp_path):
    agents = tmp_path / ".guild/agents"
    put(agents / "qa.md", "---\nname: qa\ndescription: ours\ntriggers: [walls]\n---\n")
    put(agents / "proposed/painter.md", "---\nname: painter\ntriggers: [paint]\n---\n")
    specialists, _ = roster(tmp_path)
    (match,) = compose("paint the walls", specialists).taken
    assert (match.specialist.name, match.specialist.definition) == ("qa", ".guild/agents/qa.md")
    put(agents / "bad.md", "no front matter")
    folder = WorkFolder(tmp_path)
    put(folder.spec("parcels"), SPEC)
    with pytest.raises(UsageError, match=r"bad\.md:1"):
        steps.propose_team(folder, "parcels", steps.TeamRequest())


def test_a_text_is_sorted_into_fields_and_nothing_is_made_up():
    text = "Track parcels\n\n## Out of scope\n- accounts\n\nAcceptance criteria:\n- `make test` exits 0\n"
    fields = sort_text(text)
    assert fields == {
        "Goal & outcome": "Track parcels",
        "Non-goals": "- accounts",
        "Success criteria": "- `make test` exits 0",
    }
    spec = write_spec("Parcels", fields, "2026-11-01")
    assert (spec.count("(not answered)"), "confidence: low" in spec) == (5, True)


def test_names_cannot_lead_out():
    for name in ("../x", "a/b", ".", "", "A", "x" * 70, "a b"):
        with pytest.raises(UsageError):
            check_slug(name)


@given(st.text(max_size=200))
def test_every_intent_has_a_name(intent):
    assert check_slug(slug_of(intent))


def git(root: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def test_a_linked_work_tree_finds_the_work_of_the_main_checkout(tmp_path):
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "one")
    git(main, "worktree", "add", "-q", "../linked")
    (tmp_path / "linked/deep").mkdir()
    assert find_work(tmp_path / "linked/deep").root == main.resolve()


def guild(root: Path, *words: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "guildmoot", *words]
    done = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL, **more}
    return subprocess.run(command, cwd=root, **done)


def test_a_script_goes_from_a_sentence_to_an_approved_plan(tmp_path):
    git(tmp_path, "init", "-q")
    begun = guild(tmp_path, "run", INTENT)
    assert (begun.returncode, "is open: answer it" in begun.stdout) == (3, True)
    slug = "parcel-tracker-http-api-sqlite"
    criteria = "criteria=- `python -m unittest` exits 0"
    guild(tmp_path, "work", "brainstorm", slug, "--answer", criteria, "--proceed")
    waits = guild(tmp_path, "run")
    assert waits.returncode == 3
    assert f"next: guild work approve spec {slug} --yes" in waits.stdout
    done = guild(tmp_path, "run", "--auto-approve", "spec,plan")
    assert (done.returncode, done.stderr) == (3, ""), "nobody is named who does the lanes"
    state = json.loads(guild(tmp_path, "status", "--json").stdout)
    assert (state["step"], state["problems"]) == ("execute", [])
    assert [lane["task"] for lane in state["lanes"]] == ["T1-backend", "T2-qa"]
    assert all(row["source"] == "auto-approve-mode" for row in state["approvals"])
    assert git(tmp_path, "add", "-A") is None
    tracked = subprocess.run(["git", "ls-files"], cwd=tmp_path, capture_output=True, text=True)
    assert "spec" not in tracked.stdout


@pytest.mark.slow
def test_every_refusal_has_its_own_message_and_code(tmp_path):
    assert "there is no work here yet" in guild(tmp_path, "status").stderr
    for words, code, message in (
        (("work", "brainstorms"), 64, "there is no step brainstorms"),
        (("work", "approve", "plan", "x"), 64, "there is no plan of x yet"),
        (("work", "brainstorm", "--answer", "mood=good"), 64, "names no field"),
        (("work", "brainstorm", "../x", "--intent", "y"), 64, "is no name"),
        (("run", "--auto-approve", "quality"), 64, "knows no quality"),
    ):
        done = guild(tmp_path, *words)
        assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    for name in ("one", "two"):
        put(tmp_path / f".guild/spec/{name}.md", SPEC)
    both = guild(tmp_path, "run")
    assert (both.returncode, "2 pieces of work are open" in both.stderr) == (64, True)
    state = json.loads(guild(tmp_path, "status", "--json").stdout)
    assert {each["slug"]: each["step"] for each in state["work"]} == dict.fromkeys(
        ("one", "two"), "approve spec"
    )


def typed(root: Path, said: str, *words: str) -> tuple[int, str]:
    """What the command prints on a terminal where a person types a line when one is asked for."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "guildmoot", *words]
    process = subprocess.Popen(command, cwd=root, stdin=follower, stdout=subprocess.PIPE)
    lines, output = said.splitlines(keepends=True), b""
    assert process.stdout
    while more := os.read(process.stdout.fileno(), 65_536):
        output += more
        if lines and output.endswith((b"> ", b"? ")):
            os.write(leader, lines.pop(0).encode())
    process.stdout.close()
    code = process.wait(timeout=60)
    os.close(leader)
    os.close(follower)
    return code, output.decode()


@pytest.mark.parametrize(
    ("said", "step"),
    [("ok\nsounds fine\nabort\n", "approve spec"), ("ok\nyes\nabort\n", "approve team")],
)
def test_only_an_explicit_yes_counts(folder, said, step):
    typed(folder.root, said, "run", "--slug", "parcels")
    assert view.look(folder, "parcels").standing.step == step


def test_who_comes_back_is_asked_for_what_is_open_and_for_nothing_else(tmp_path):
    git(tmp_path, "init", "-q")
    begun = "Write a tutorial for new users"
    code, shown = typed(tmp_path, "Newcomers\n\n" + "\n" * 20, "run", begun, "--slug", "tour")
    assert (code, "So: Audience / operator: Newcomers." in shown) == (3, True)
    rest = "it is nice\n\n`ls docs` exits 0\n\nnone\n\nnone\n\ndocs/\n\nnone\n\nnone\n\n"
    rest += "wrong words -> revert\n\nnone\n\napproved\n"
    code, shown = typed(tmp_path, rest, "run")
    assert code == 3, "all is approved, and nobody is named who does it"
    assert "Who uses it" not in shown
    assert "'nice' cannot be measured" in shown
    assert view.look(WorkFolder(tmp_path), "tour").standing.step == "execute"


def test_begin_anew_puts_everything_aside(folder):
    approve(folder, "spec", "team", "plan")
    done = guild(folder.root, "run", "A new wish", "--restart", "--slug", "parcels")
    assert done.returncode == 3
    assert folder.spec("parcels").read_text() == SPEC
    guild(folder.root, "run", "A new wish", "--restart", "--yes", "--slug", "parcels")
    (aside,) = (folder.guild / "archive").iterdir()
    assert (aside / "spec-parcels.md").read_text() == SPEC
    assert view.look(folder, "parcels").standing.step == "brainstorm"


def test_a_link_in_the_way_is_refused(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    project = tmp_path / "project"
    (project / ".guild").mkdir(parents=True)
    (project / ".guild/spec").symlink_to(outside)
    with pytest.raises(GuildmootError):
        steps.make_spec(WorkFolder(project), steps.SpecRequest(INTENT), "2026-11-01")
    assert list(outside.iterdir()) == []


def test_every_shipped_specialist_has_triggers_a_scope_and_its_own_file():
    for each in shipped():
        assert each.triggers
        assert each.scope
        assert "principles" in each.skills
    texts = [trigger for each in shipped() for trigger in each.triggers]
    assert len(set(texts)) == len(texts)


def test_what_is_drafted_is_valid_for_every_pair_of_words(tmp_path):
    words = [each.triggers[0] for each in shipped()]
    for first, second in list(product(words, words))[::7]:
        root = tmp_path / f"{words.index(first)}-{words.index(second)}"
        folder = WorkFolder(root)
        wish = f"We need {first} and {second}"
        steps.make_spec(
            folder, steps.SpecRequest(wish, "work", proceed=True, one_lane="team"), "2026-11-01"
        )
        approval.approve(folder, "spec", "work", YES)
        steps.make_team(folder, steps.TeamRequest("work"))
        approval.approve(folder, "team", "work", YES)
        steps.make_plan(folder, steps.PlanRequest("work"), "2026-11-01")
        (found,) = lint([str(folder.plan("work"))], root)
        assert found.problems == (), (first, second, found)
