"""``guild lint``: valid documents pass, and each way to break one has its own code at its own line."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.agents.plainyaml import FrontMatterError
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.graph import ancestors, cycle
from guildmoot.lifecycle.lint import lint
from guildmoot.lifecycle.plan import check_plan, read_plan
from guildmoot.lifecycle.spec import vague_word
from guildmoot.lifecycle.team.roles import implied_roles
from lifecycle.samples import (
    BUNDLE,
    ENVELOPE,
    PLAN,
    PLAN_HEAD,
    REFLECTION,
    REVIEW,
    SKILL,
    SPEC,
    TEAM,
    VERIFY,
    codes,
    git,
    lane,
    put,
    receipt,
    write_project,
)


def test_valid_documents_of_every_kind_pass(tmp_path):
    write_project(tmp_path)
    files = [str(path) for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    found = lint(files, tmp_path)
    assert [(file.kind, file.problems) for file in found if file.problems] == []
    assert {file.kind for file in found} == {
        *("spec", "team", "plan", "bundle", "review", "verify", "reflection", "skill"),
    }


SPECS = [
    ("type: spec", "type: plan", "bad-value", 2),
    ("confidence: medium", "confidence: sure", "bad-value", 4),
    ("created_at: 2026-11-01", "created_at: soon", "bad-value", 6),
    ("# Parcel tracker\n", "", "missing-title", None),
    ("## Non-goals\n- accounts\n", "", "missing-section", None),
    ("- accounts\n", "", "empty-section", 17),
    ("- `python -m unittest discover tests` exits 0\n- `python -m unittest discover tests` exits 0 within 30 s\n",
     "it runs\n", "no-criteria", 14),
    ("- `python -m unittest discover tests` exits 0 within 30 s", "- pages are fast", "vague-criterion", 16),
    ("- forbidden: the network in tests\n", "", "missing-policy", 21),
    ("-> revert the commit", "is bad", "no-rollback", 26),
    ("(agreed by the user)", "", "untagged-assumption", 28),
    ("one number", "one number, a blocking unknown", "confidence-too-high", 4),
    ("## Constraints\n", "## Non-goals\n- x\n## Constraints\n", "duplicate-section", 19),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "line"), SPECS)
def test_a_spec_that_lacks_something_is_refused_where_it_lacks_it(tmp_path, old, new, code, line):
    assert old in SPEC
    name = put(tmp_path / ".guild/spec/parcels.md", SPEC.replace(old, new, 1))
    (found,) = lint([str(name)], tmp_path)
    assert [each.code for each in found.problems] == [code]
    assert line is None or found.problems[0].line == line


TEAMS = [
    ("spec: .guild/spec/parcels.md\n", "", "missing-key"),
    ("backend: subagent", "backend: carrier-pigeon", "bad-value"),
    ("coverage_flags: []", "colour: red", "unknown-key"),
    ("  - name: qa\n", "  - name: wizard\n", "unknown-role"),
    ("  - name: qa\n", "  - name: backend\n", "duplicate"),
    ("depends-on: [backend]", "depends-on: [architect]", "unknown-dependency"),
    ("depends-on: []", "depends-on: [qa]", "cycle"),
    ('    scope: "Storage and pages"\n', "", "missing-scope"),
    ("    implied-by: backend-present", "    implied-by: magic", "bad-value"),
    ("    implied-by: backend-present", "    shoe_size: 9", "unknown-key"),
    ("    implied-by: backend-present", "    capability_scope: ['Fly(me)']", "bad-scope"),
    ("spec: .guild/spec/parcels.md", "spec: ../../../etc/passwd", "wrong-path"),
    ("spec: .guild/spec/parcels.md", "spec: .guild/spec/other.md", "wrong-path"),
]


@pytest.mark.parametrize(("old", "new", "code"), TEAMS)
def test_a_team_that_cannot_work_is_refused(tmp_path, old, new, code):
    assert old in TEAM
    write_project(tmp_path)
    name = put(tmp_path / ".guild/team/parcels.yaml", TEAM.replace(old, new, 1))
    assert code in codes(tmp_path, str(name))


def test_the_work_implies_roles_unless_a_person_decided_otherwise(tmp_path):
    write_project(tmp_path)
    spec = SPEC.replace("where their parcel is", "where their parcel is after OAuth login")
    put(tmp_path / ".guild/spec/parcels.md", spec)
    name = str(tmp_path / ".guild/team/parcels.yaml")
    assert codes(tmp_path, name) == ["missing-security"]
    settled = "gaps_resolved: [{proposed_role: security, resolution: B, notes: later}]"
    put(Path(name), TEAM.replace("gaps_resolved: []", settled))
    assert codes(tmp_path, name) == []
    assert codes(tmp_path, str(put(Path(name), TEAM.split("  - name: qa")[0]))) == [
        "missing-qa",
        "missing-security",
    ]


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("the author writes an authoritative page", []),
        ("no passwords are kept, works without tokens", []),
        ("users sign-in with a password", ["security"]),
        ("calls a third-party service", ["security"]),
        ("an api, a worker and a dashboard", ["architect"]),
        ("an http api and a web page for it", ["architect"]),
        ("a command-line tool beside the service", ["architect"]),
        ("an http api with a database and its endpoints", []),
        ("a service without a web page", []),
        ("a page in the api docs", []),
    ],
)
def test_words_imply_a_role_only_as_whole_words_that_are_not_denied(text, roles):
    assert [each.role for each in implied_roles(text, ())] == roles


TWO = lane("T1-backend", "backend") + lane("T2-qa", "qa", "[T1-backend]")
PLANS = [
    (PLAN.replace("approved: false", "approved: maybe"), "bad-value"),
    (PLAN_HEAD, "no-lanes"),
    (PLAN.replace("[T1-backend]", "[T9-backend]"), "unknown-dependency"),
    (PLAN.replace("- depends-on: []", "- depends-on: [T2-qa]"), "cycle"),
    (PLAN.replace("- owner: qa", "- owner: seo"), "unknown-owner"),
    (PLAN.replace("- owner: qa", "- owner: qa, backend"), "bad-value"),
    (PLAN.replace("T2-qa", "T1-backend"), "duplicate"),
    (PLAN.replace("- task-id: T2-qa", "- task-id: second"), "bad-value"),
    (PLAN.replace("- scope: Pages below app/.\n", "", 1), "missing-scope"),
    (PLAN.replace("  - `python -m unittest` exits 0\n", "", 1), "no-criteria"),
    (PLAN.replace("`python -m unittest` exits 0", "robust code", 1), "vague-criterion"),
    (PLAN.replace("  - requires confirmation: migrations\n", "", 1), "missing-policy"),
    (PLAN.replace("tier: mid", "tier: huge", 1), "bad-value"),
    (PLAN.replace("complexity_score: 2", "complexity_score: much", 1), "bad-value"),
    (PLAN.replace("loops_applicable: full", "loops_applicable: l5", 1), "bad-value"),
    (PLAN.replace("- tier: mid", "- tear: mid", 1), "unknown-key"),
    (PLAN.replace("[T1-backend]", "[]"), "order"),
    (PLAN_HEAD + lane("T1-backend", "backend"), "missing-qa"),
    (PLAN.replace("Pages below app/.", "Pages and auth.", 1), "missing-security"),
]


@pytest.mark.parametrize(("text", "code"), PLANS)
def test_a_plan_that_cannot_be_carried_out_is_refused(tmp_path, text, code):
    write_project(tmp_path)
    assert code in codes(tmp_path, str(put(tmp_path / ".guild/plan/parcels.md", text)))


def test_lanes_in_code_fences_do_not_count(tmp_path):
    write_project(tmp_path)
    fenced = f"{PLAN}\n```markdown\n{lane('T9-seo', 'seo')}```\n"
    assert codes(tmp_path, str(put(tmp_path / ".guild/plan/parcels.md", fenced))) == []
    assert len(read_plan(read_markdown(fenced)).lanes) == 2


def test_seven_lanes_need_the_word_of_the_team_file(tmp_path):
    write_project(tmp_path)
    lanes = TWO + "".join(lane(f"T{n}-backend", "backend") for n in range(3, 8))
    lanes = lanes.replace(
        "[T1-backend]", "[T1-backend, T3-backend, T4-backend, T5-backend, T6-backend, T7-backend]"
    )
    name = str(put(tmp_path / ".guild/plan/parcels.md", PLAN_HEAD + lanes))
    assert codes(tmp_path, name) == ["too-many"]
    larger = TEAM.replace("allow_larger: false", "allow_larger: true")
    put(tmp_path / ".guild/team/parcels.yaml", larger)
    assert codes(tmp_path, name) == []


def test_agents_of_the_project_can_own_lanes_and_proposed_ones_cannot(tmp_path):
    write_project(tmp_path)
    team = put(
        tmp_path / ".guild/team/parcels.yaml", TEAM.replace("name: qa", "name: cartographer")
    )
    put(tmp_path / ".guild/agents/proposed/cartographer.md", "x")
    assert "unknown-role" in codes(tmp_path, str(team))
    plan = put(
        tmp_path / ".guild/plan/parcels.md", PLAN.replace("owner: qa", "owner: cartographer")
    )
    assert "unknown-owner" in codes(tmp_path, str(plan))
    put(tmp_path / ".guild/agents/cartographer.md", "x")
    assert "unknown-role" not in codes(tmp_path, str(team))


def test_a_task_of_two_lanes_is_told_as_that_and_does_not_wait_for_itself(tmp_path):
    write_project(tmp_path)
    twice = PLAN.replace("T2-qa", "T1-backend").replace("[T1-backend]", "[]")
    plan = put(tmp_path / ".guild/plan/parcels.md", twice)
    assert codes(tmp_path, str(plan)) == ["duplicate"]


def test_a_receipt_is_believed_where_git_shows_the_same(worktree):
    name = str(put(worktree / ".guild/runs/run-1/handoffs/b.md", receipt(b"PAGES = 1\n")))
    assert codes(worktree, name) == []
    (worktree / "app/api.py").write_text("PAGES = 2\n")
    assert codes(worktree, name) == ["wrong-hash"]
    git(worktree, "add", "app")
    git(worktree, "commit", "-qm", "two")
    assert codes(worktree, name) == ["not-changed"]
    git(worktree, "rm", "-q", "app/api.py")
    assert codes(worktree, name) == ["wrong-change"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"colour": "red"}, "unknown-key"),
        ({"tier": None}, "missing-key"),
        ({"tier": "huge"}, "bad-value"),
        ({"status": "finished"}, "bad-value"),
        ({"status": "escalate"}, "no-escalate-reason"),
        ({"summary": "x" * 601}, "bad-value"),
        ({"summary": " "}, "bad-value"),
        ({"notes": "x" * 201}, "bad-value"),
        ({"artifacts": "app"}, "bad-value"),
        ({"injection_clean": "yes"}, "bad-value"),
    ],
)
def test_an_envelope_has_exactly_its_keys_and_values(worktree, changes, code):
    text = receipt(b"PAGES = 1\n", **changes)
    if changes.get("status") == "escalate":
        text = text.replace("status: completed", "status: escalated")
    assert codes(worktree, str(put(worktree / "handoffs/b.md", text))) == [code]


def test_a_receipt_needs_one_envelope_and_five_sections_that_say_something(worktree):
    whole = receipt(b"PAGES = 1\n")
    fence = f"```guild.handoff.v2\n{json.dumps(ENVELOPE)}\n```\n"
    name = worktree / "handoffs/b.md"
    assert codes(worktree, str(put(name, whole + fence))) == ["two-envelopes"]
    assert codes(worktree, str(put(name, whole.split("```")[0]))) == ["no-envelope"]
    assert codes(worktree, str(put(name, whole.replace("- T2-qa\n", "")))) == ["empty-section"]
    gone = whole.replace("## opens_for\n- T2-qa\n", "")
    assert codes(worktree, str(put(name, gone))) == ["missing-section"]
    bare = whole.replace("- `python -m unittest` exit code 0", "none")
    assert codes(worktree, str(put(name, bare))) == ["no-evidence"]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("context/run-1/b.md", BUNDLE.replace("## Role", "## Roll"), "missing-section"),
        ("context/run-1/b.md", BUNDLE.replace("Pages.", "word " * 9_000), "too-large"),
        ("context/run-1/b.md", BUNDLE.replace("token_estimate", "tokens"), "missing-key"),
        ("runs/r/review.md", REVIEW.replace("overall_verdict: pass", "overall_verdict: fine"),
         "bad-value"),
        ("runs/r/review.md", REVIEW.split("| spec")[0], "no-table"),
        ("runs/r/verify.md", VERIFY.replace("## Check 3\npass: exit code 0\n", ""),
         "missing-section"),
        ("runs/r/verify.md", VERIFY.replace("pass: exit code 0", "fine", 1), "no-result"),
        ("runs/r/verify.md", VERIFY.replace("pass: exit code 0", "fail : exit 1", 1),
         "wrong-status"),
        ("reflections/r.md", REFLECTION.replace("missing_specialist: []",
                                                "missing_specialist: [dba]"), "wrong-significance"),
        ("reflections/r.md", REFLECTION.replace("  context_issues: []\n", ""), "bad-value"),
    ],
)  # fmt: skip
def test_what_comes_after_the_work_is_checked_too(tmp_path, name, text, code):
    assert code in codes(tmp_path, str(put(tmp_path / ".guild" / name, text)))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("name: parcel-pages", "name: Parcel", "wrong-name"),
        ("Use when a page", "Maybe a page", "no-trigger"),
        (" Do not use for APIs.", "", "no-boundary"),
        ("Writes pages.", "Writes pages." * 100, "too-long"),
        ("Write the page.\n", "", "empty"),
    ],
)
def test_a_skill_says_when_it_applies_and_when_not(tmp_path, old, new, code):
    assert old in SKILL
    name = put(tmp_path / "skills/parcel-pages/SKILL.md", SKILL.replace(old, new, 1))
    assert code in codes(tmp_path, str(name))


def test_cases_of_a_skill_are_counted(tmp_path):
    name = put(tmp_path / "skills/parcel-pages/SKILL.md", SKILL)
    cases = {"should_trigger": ["a", "b", "c"], "should_not_trigger": ["d", "e", "a"]}
    put(tmp_path / "skills/parcel-pages/evals.json", json.dumps(cases))
    assert codes(tmp_path, str(name)) == ["both-ways"]
    put(tmp_path / "skills/parcel-pages/evals.json", "[]")
    assert codes(tmp_path, str(name)) == ["few-cases", "few-cases"]


def test_what_cannot_be_read_is_told_and_stops_nothing(tmp_path):
    put(tmp_path / "a.md", "no front matter")
    (tmp_path / "b.md").write_bytes(b"---\ntype: spec\n---\n\xff")
    put(tmp_path / "c.md", "---\nkey: value\n---\n")
    found = lint(["a.md", "b.md", "c.md"], tmp_path)
    assert [file.problems[0].code for file in found] == [
        *("unreadable", "unreadable", "unknown-kind"),
    ]


def test_the_command_prints_an_object_a_file_and_exits_with_2_when_one_is_wrong(tmp_path):
    write_project(tmp_path)
    words = [sys.executable, "-m", "guildmoot", "lint", ".guild/spec/parcels.md"]
    done = subprocess.run([*words, "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, json.loads(done.stdout)) == (
        0,
        {"file": words[-1], "kind": "spec", "problems": []},
    )
    put(tmp_path / ".guild/plan/parcels.md", PLAN.replace("- owner: qa", "- owner: seo"))
    words.append(".guild/plan/parcels.md")
    strange = [*words, "a\nb.md"]
    done = subprocess.run(strange, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "a\\nb.md:1: missing-file" in done.stdout) == (2, True)
    assert ".guild/plan/parcels.md:24: unknown-owner: T2-qa: seo is not in" in done.stdout
    words += ["gone.md", "--json"]
    gone = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    told = [json.loads(row) for row in gone.stdout.splitlines()]
    assert (gone.returncode, [len(each["problems"]) for each in told]) == (2, [0, 2, 1])
    assert told[2]["problems"][0]["code"] == "missing-file"


names = st.integers(0, 7).map(lambda n: f"T{n}")
graphs = st.dictionaries(names, st.lists(names, max_size=3), max_size=8)


@given(graphs)
def test_a_cycle_is_found_exactly_when_somebody_waits_for_himself(edges):
    loop = cycle(edges)
    waits = any(name in ancestors(edges, name) for name in edges)
    assert bool(loop) == waits
    if loop:
        assert loop[0] == loop[-1]
        assert all(after in edges[name] for name, after in pairwise(loop))


@given(st.text(max_size=300))
@settings(deadline=2_000)
def test_any_text_is_read_or_refused(text):
    try:
        document = read_markdown(f"---\ntype: plan\n---\n{text}")
    except FrontMatterError:
        return
    check_plan(document, (), None, None)


@pytest.mark.parametrize("piece", ["## Lane: a\n", "- x:\n", "```\n", "  - [", "- a: b\n  - c\n"])
def test_large_documents_take_no_more_than_a_moment(piece):
    text = "---\ntype: plan\n---\n" + piece * (60_000 // len(piece))
    began = time.process_time()
    check_plan(read_markdown(text), (), None, "auth")
    assert time.process_time() - began < 2


def test_a_measure_makes_a_criterion_one():
    assert vague_word("the page is fast and robust") == "fast"
    assert vague_word("the page is fast: below 20 ms") == ""
    assert vague_word("`pytest -q` exits 0 and is good") == ""
    assert vague_word("author pages open") == ""
    for said in ("all pages are always fast", "fast on Python 3.12", "the v2 page is fast"):
        assert vague_word(said) == "fast", said
    for said in ("none", "Python", "tests pass"):
        assert vague_word(said) == said


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PLAN.replace("spec: .guild/spec/parcels.md", "spec: ../../../etc/passwd"), "wrong-path"),
        (PLAN.replace("team/parcels.yaml", "team/other.yaml"), "wrong-path"),
    ],
)
def test_a_plan_belongs_to_its_own_spec_and_team(tmp_path, text, code):
    write_project(tmp_path)
    assert codes(tmp_path, str(put(tmp_path / ".guild/plan/parcels.md", text))) == [code]


def test_several_lanes_need_a_team_file(tmp_path):
    (write_project(tmp_path) / ".guild/team/parcels.yaml").unlink()
    assert codes(tmp_path, str(tmp_path / ".guild/plan/parcels.md")) == ["no-team"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"task_id": "T1-backend"', '"task_id": "T9-qa"', "contradiction"),
        ("status: completed", "status: blocked", "contradiction"),
        ("exit code 0", "exit code 1", "contradiction"),
        ("app/api.py:1-2", "../../etc/passwd", "contradiction"),
        ('"tier": "mid"', '"tier": "mid", "tier": "cheap"', "bad-envelope"),
        ("## changed_files\n- app/api.py", "## changed_files\n- app/x.py", "contradiction"),
        ("change: added", "change: modified", "wrong-change"),
        ("status: completed", "status: completed\nwat: 1", "unknown-key"),
        ("specialist: backend", "specialist: backend\nhost: {independence: total}", "bad-value"),
        ("- `python -m unittest` exit code 0", "- it works", "no-evidence"),
        ("## evidence\n- `python -m unittest` exit code 0\n", "", "missing-section"),
    ],
)
def test_a_receipt_that_contradicts_itself_is_refused(worktree, old, new, code):
    text = receipt(b"PAGES = 1\n")
    assert old in text
    name = str(put(worktree / ".guild/runs/run-1/handoffs/b.md", text.replace(old, new)))
    assert codes(worktree, name) == [code]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("pass | fail", ["wrong-verdict"]),
        ("fail | pass", ["wrong-stage", "wrong-verdict"]),
        ("pass | pass", []),
    ],
)
def test_no_review_passes_over_a_lane_that_fails(tmp_path, row, found):
    text = REVIEW.replace("pass | pass", row)
    name = str(put(tmp_path / ".guild/runs/run-1/review.md", text))
    assert sorted(codes(tmp_path, name)) == found


def test_a_gap_is_decided_by_one_of_four_letters(tmp_path):
    gap = "gaps_resolved:\n  - proposed_role: legal\n    resolution: Z\n"
    text = TEAM.replace("gaps_resolved: []\n", gap)
    write_project(tmp_path)
    assert codes(tmp_path, str(put(tmp_path / ".guild/team/parcels.yaml", text))) == ["bad-value"]


@pytest.mark.parametrize("words", ["users log in", "a log-in page", "they sign in"])
def test_signing_in_implies_security(words):
    assert [each.role for each in implied_roles(words, ())] == ["security"]


def test_lanes_in_comments_do_not_count():
    hidden = f"{PLAN}<!--\n{lane('T3-seo', 'seo')}-->\n"
    assert len(read_plan(read_markdown(hidden)).lanes) == 2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("it has no bugs", "no bugs"),
        ("Production ready", "production ready"),
        ("customers are delighted", "delighted"),
        ("no bugs: `make test` exits 0", ""),
    ],
)
def test_a_phrase_can_be_vague(text, word):
    assert vague_word(text) == word


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("capability_scope: [Read(../../x)]", "bad-scope"),
        ("capability_scope: Read", "bad-scope"),
        ("capability_scope: [Read, Fly(me)]", "bad-scope"),
        ("model: 7", "bad-value"),
        ("name: other", "wrong-name"),
    ],
)
def test_an_agent_file_says_what_it_is(tmp_path, row, code):
    head = "" if row.startswith("name") else "name: painter\n"
    text = f"---\n{head}description: Paints. Use when walls are bare.\n{row}\n---\nPaint.\n"
    assert code in codes(tmp_path, str(put(tmp_path / ".guild/agents/painter.md", text)))
