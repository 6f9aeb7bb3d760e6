"""``loom`` as its users call it: what is kept, what is refused, and what people see."""

from __future__ import annotations

import json
import os
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from guildmoot.projects.edits import Addition, FieldEdit, apply
from guildmoot.projects.errors import RecordError
from guildmoot.projects.manifest import new_manifest
from guildmoot.projects.plan import parse_plan, read_dependencies
from guildmoot.projects.toml import read, write_table
from projects.conftest import PLAN, SLUG, checkin
from projects.test_many_writers import git

WORDS = some.text(some.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
VALUES = some.recursive(
    some.booleans() | some.integers(-(2**53), 2**53) | WORDS,
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(
            some.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True), inner, max_size=3
        )
    ),
    max_leaves=8,
)


def error(ran) -> str:
    assert ran.code == 1
    return json.loads(ran.err)["error"]


# The manifest's text.


@given(some.dictionaries(some.from_regex(r"[a-z_]{1,8}", fullmatch=True), VALUES, max_size=4))
def test_whatever_is_written_is_standard_toml_and_reads_back_the_same(values):
    text = write_table(values)
    assert tomllib.loads(text) == values
    assert read(text) == values


@given(some.text(some.sampled_from("ab=[]{}\",\\#\n 01-_.truefals'x\t\r"), max_size=60))
def test_whatever_is_read_means_the_same_in_all_of_toml(text):
    try:
        values = read(text)
    except RecordError:
        return
    assert tomllib.loads(text.replace("\r\n", "\n")) == values


TEXT = """\
# why we do this
checkins = []

[meta]  # the head
schema_version = 1
title = "A # B"
slug = "s"
started = "d"
status = "active"
strategy = "x"

[config]
base_branch = "main"
reviewers = []
labels = []
verification = []
worker_bindings = {}

# the first phase
[[phases]]
number = 1
name = "One"
status = "blocked"   # since Monday
blocked_reason = "x"

# somebody else's
[[widgets]]
a = 1

[[events]]
at = "t"
event = "e"
detail = {}
"""


@given(WORDS, some.dictionaries(some.sampled_from(["a", "b"]), VALUES, max_size=2))
def test_a_change_leaves_comments_and_sections_that_nobody_knows(name, detail):
    event = {"at": "u", "event": name, "detail": detail}
    edit = FieldEdit("phases", 0, {"status": "completed", "branch": name, "blocked_reason": None})
    changed = apply(TEXT, [Addition("events", event), edit, Addition("checkins", checkin())])
    values = tomllib.loads(changed)
    assert values["widgets"] == [{"a": 1}]
    assert values["events"][-1] == event
    assert values["phases"][0] == {
        "number": 1,
        "name": "One",
        "status": "completed",
        "branch": name,
    }
    for comment in (
        "# why we do this",
        "# the head",
        "# the first phase",
        "# since Monday",
        "# somebody else's",
    ):
        assert comment in changed


def test_lists_that_are_written_in_line_are_changed_too():
    text = TEXT.replace(
        "checkins = []", 'checkins = []\nsessions = []\nreplies = [{ comment_id = 1, body = "b" }]'
    )
    reply = {"comment_id": 2, "body": "c", "branch": "x", "created": "y"}
    values = tomllib.loads(apply(text, [Addition("replies", reply)]))
    assert [row["comment_id"] for row in values["replies"]] == [1, 2]


@pytest.mark.parametrize(
    "line",
    [
        "x = 'y'",
        'x = """\ny"""',
        "x = [\n1\n]",
        "a.b = 1",
        "[a.b]\nc = 1",
        'x = "\\u00e9"',
        "x = 1\nx = 2",
        "x",
    ],
)
def test_what_older_readers_cannot_read_is_refused_with_its_line(line):
    with pytest.raises(RecordError, match=r"toml-invalid: line \d+"):
        read(f"{line}\n")


@pytest.mark.parametrize("size", [2_000, 200_000])
def test_a_broken_manifest_is_refused_in_time(size):
    start = time.process_time()
    for text in (
        "[" * size,
        "x = " + "[" * size,
        "=" * size,
        '"' * size,
        "a = {" * size,
        "\\" * size,
    ):
        with pytest.raises(RecordError):
            read(text)
    assert time.process_time() - start < 5


# Plans.


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nothing", []), ("None.", []), ("Phase 1", ["1"]), ("Phase 1, 2, 3", ["1", "2", "3"]),
        ("Phases 1-3, 5", ["1", "2", "3", "5"]), ("Phases 2–4 and 7", ["2", "3", "4", "7"]),
        ("Phase 1 and Phase 2.5", ["1", "2.5"]), ("Phase 1 (the list), Phase 4.", ["1", "4"]),
        ("1, 2", ["1", "2"]), ("phase 3 & phase 3", ["3"]), ("Phase 1 - done in June", ["1"]),
        ("the tooling of Phase 2 being ready", ["2"]), ("Phases 9-1", ["9", "1"]),
    ],
)  # fmt: skip
def test_dependencies_are_read_in_every_form(text, found):
    assert read_dependencies(text) == found


def test_headings_in_fences_are_no_phases_and_a_number_twice_is_told():
    text = "# T\n\n## Phase 1 — A\n\n```md\n## Phase 9 — Not one\n```\n\n## Phase 1 — B\n\n**Goal:** g\n**Exit**:\n\n1. one\n2. two\n"
    parsed = parse_plan(text)
    assert [phase["name"] for phase in parsed["plan"]["phases"]] == ["A", "B"]
    assert parsed["plan"]["phases"][1]["goal"] == "g"
    assert parsed["plan"]["phases"][1]["exitCriteria"] == ["one", "two"]
    assert "plan-duplicate-phase" in [each["code"] for each in parsed["diagnostics"]]


@pytest.mark.parametrize(
    "piece", ["#", "**", "## Phase 1 — ", "**Depends on**: Phase 1,", "`", "1-", "(", "a "]
)
def test_any_plan_is_read_in_time(piece):
    start = time.process_time()
    text = "# T\n" + piece * 20_000 + "\n" + "**Depends on**: " + piece * 20_000 + "\n"
    parse_plan(text)
    read_dependencies(piece * 20_000)
    assert time.process_time() - start < 2


def test_five_hundred_phases_are_parsed_at_once():
    text = "# T\n" + "".join(
        f"\n## Phase {n} — N{n}\n\n**Goal**: g\n**Exit**:\n- a\n- b\n**Depends on**: Phases 1-{n}\n"
        for n in range(1, 501)
    )
    start = time.process_time()
    assert len(parse_plan(text)["plan"]["phases"]) == 500
    assert time.process_time() - start < 0.6


# Names and places.


@pytest.mark.parametrize(
    "name", ["../x", "..", "a/../../b", "x\0y", "", "-", "2026-01-05-new-ledger/..", "UPPER"]
)
@pytest.mark.parametrize(
    "verb", [("project", "read"), ("events", "append"), ("project", "archive")]
)
def test_no_name_leads_out_of_the_projects_folder(project, loom, name, verb):
    ran = loom(*verb, name, "--event=x")
    assert error(ran) in ("project-not-found", "missing-slug", "missing-args", "manifest-missing")
    assert sorted(os.listdir(project.parents[1])) == ["projects"]


def test_a_folder_that_is_a_link_out_is_no_project(project, loom, tmp_path):
    outside = tmp_path / "outside"
    project.rename(outside)
    project.symlink_to(outside)
    before = (outside / "manifest.toml").read_bytes()
    assert error(loom("events", "append", SLUG, "--event=x")) == "project-not-found"
    assert (outside / "manifest.toml").read_bytes() == before


def test_a_part_of_a_name_is_enough_where_it_means_one_project(project, loom):
    assert loom("project", "read", "ledger").json["slug"] == SLUG
    (project.parent / "2026-02-02-old-ledger").mkdir()
    (project.parent / "2026-02-02-old-ledger" / "manifest.toml").write_text(
        (project / "manifest.toml").read_text()
    )
    ran = loom("project", "read", "ledger")
    assert error(ran) == "slug-ambiguous"
    assert json.loads(ran.err)["candidates"] == [SLUG, "2026-02-02-old-ledger"]


# Mistakes.


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("zap",), "unknown-verb"), (("--zap",), "unknown-verb"), (("phase",), "missing-verb"),
        (("phase", "zap"), "unknown-verb"), (("phase", "read", SLUG, "x"), "invalid-phase"),
        (("phase", "read", SLUG, "-1"), "invalid-phase"), (("phase", "update", SLUG, "1", "--status=meh"), "invalid-status"),
        (("phase", "update", SLUG, "1", "--status=blocked"), "missing-args"),
        (("phase", "add", SLUG, "--number=3", "--name=x", "--status=meh"), "invalid-status"),
        (("events", "append", SLUG, "--event=x", "--detail=[1]"), "invalid-detail"),
        (("events", "append", SLUG, "--event=x", '--detail={"a": 1.5}'), "toml-invalid"),
        (("events", "read", SLUG, "--limit=x"), "invalid-limit"), (("events", "latest", SLUG, "--event=zap"), "no-events"),
        (("checkin", "write", SLUG, "--checkin-file"), "missing-args"),
        (("checkin", "latest", SLUG), "no-checkins"), (("project", "status"), "not-in-project"),
        (("session", "read", SLUG, "--filename=../../x"), "session-not-found"),
        (("research", "show", SLUG), "research-not-found"), (("runbook", "scan", "nowhere"), "scan-root-not-found"),
    ],
)  # fmt: skip
def test_a_mistake_has_a_code_a_sentence_and_changes_nothing(project, loom, argv, code):
    before = (project / "manifest.toml").read_bytes()
    ran = loom(*argv)
    assert error(ran) == code
    assert json.loads(ran.err)["message"].startswith(f"{code}: ")
    assert ran.out == ""
    assert (project / "manifest.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("verdict", {"result": "maybe", "reasons": []}, "invalid-checkin"),
        ("unit", None, "manifest-schema-invalid"), ("scope", "src", "manifest-schema-invalid"),
        ("phase", {"number": 1.5, "name": "x"}, "toml-invalid"), ("number", 1, "invalid-checkin"),
    ],
)  # fmt: skip
def test_a_checkin_that_is_not_whole_is_refused(project, loom, field, value, code):
    (project.parents[1] / "c.json").write_text(json.dumps(checkin(**{field: value})))
    assert error(loom("checkin", "write", SLUG, "--checkin-file=c.json")) == code


def test_a_retro_of_an_unknown_category_is_refused(project, loom):
    retro = {
        "schema_version": 1,
        "type": "project",
        "created": "t",
        "findings": [{"category": "meh", "description": "d"}],
    }
    (project.parents[1] / "r.json").write_text(json.dumps(retro))
    assert error(loom("retro", "write", SLUG, "--retro-file=r.json")) == "invalid-retro"


def test_a_manifest_that_ends_in_the_middle_of_a_line_is_told_and_kept(project, loom):
    file = project / "manifest.toml"
    file.write_bytes(file.read_bytes()[:-10])
    before = file.read_bytes()
    assert error(loom("events", "append", SLUG, "--event=x")) == "toml-invalid"
    assert file.read_bytes() == before


def test_a_clock_that_went_back_is_told_and_the_event_kept(project, loom):
    file = project / "manifest.toml"
    file.write_text(file.read_text().replace('at = "20', 'at = "29', 1))
    ran = loom("events", "append", SLUG, "--event=x")
    assert ran.code == 0
    assert "clock" in ran.err
    assert loom("events", "read", SLUG, "--event=x").json


def test_a_place_that_cannot_be_written_is_told(project, loom):
    loom("events", "append", SLUG, "--event=x")
    (project / "records").write_text("a file where a folder belongs")
    assert error(loom("events", "append", SLUG, "--event=x")) == "io-error"
    assert len(loom("events", "read", SLUG, "--event=x").json) == 1


# What verbs do.


def test_a_phase_that_goes_on_is_no_longer_blocked(project, loom):
    loom("phase", "update", SLUG, "1", "--status=blocked", "--reason=no access")
    phase = loom("phase", "update", SLUG, "1", "--status=in-progress").json
    assert "blocked_reason" not in phase
    loom("phase", "update", SLUG, "1", "--status=blocked", "--reason=no access")
    assert len(loom("events", "read", SLUG, "--event=phase-blocked").json) == 2


def test_a_limit_keeps_the_newest(project, loom):
    for number in range(5):
        loom("events", "append", SLUG, "--event=note", f'--detail={{"n": {number}}}')
    assert [
        each["detail"]["n"]
        for each in loom("events", "read", SLUG, "--event=note", "--limit=2").json
    ] == [3, 4]


def test_findings_without_a_branch_are_harvested(project, loom, monkeypatch):
    from datetime import UTC, datetime

    from guildmoot.projects.findings import FindingRow, append

    append(project.parents[1], FindingRow(SLUG, "e", "c", "evidence"), datetime.now(UTC))
    assert loom("findings", "harvest", SLUG).json["harvested"] == 1
    assert loom("findings", "harvest", SLUG).json == {
        "section": "findings",
        "harvested": 0,
        "skipped": 1,
    }


def test_archiving_tells_and_keeps_what_is_still_open(project, loom):
    loom("phase", "update", SLUG, "1", "--status=blocked", "--reason=no access")
    done = loom("project", "archive", SLUG).json
    assert done["deferred"] == ["phase 1 Inventory: blocked"]
    kept = loom("events", "latest", SLUG).json
    assert kept["detail"]["deferred"] == done["deferred"]


def test_a_plan_that_git_does_not_hold_is_kept_when_it_is_replaced(project, loom):
    work = project.parents[1]
    (work / "p.md").write_text("# other\n")
    (work / "i.md").write_text("# talk\n")
    done = loom("plan", SLUG, "--plan-file=p.md", "--interview-file=i.md", "--no-commit").json
    with open(done["kept"]) as stream:
        assert stream.read() == PLAN
    git(work, "init", "-q")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "x")
    assert (
        error(loom("plan", SLUG, "--plan-file=p.md", "--interview-file=i.md"))
        == "plan-exists-committed"
    )


def test_verbs_that_commit_commit_their_own_files_only(project, loom):
    work = project.parents[1]
    git(work, "init", "-q", "-b", "main")
    git(work, "config", "user.name", "t")
    git(work, "config", "user.email", "t@e")
    (work / "mine.txt").write_text("staged by hand")
    git(work, "add", "mine.txt")
    done = loom("adr", "Use one ledger").json
    assert done["committed"] is True
    assert git(work, "show", "--name-only", "--format=%s", "HEAD").split("\n")[:3] == [
        "[loom] adr 0001: Use one ledger", "", "projects/adr-log/0001-use-one-ledger.md",
    ]  # fmt: skip
    assert "mine.txt" in git(work, "diff", "--cached", "--name-only")


def test_without_a_code_host_the_body_goes_to_a_file_and_says_so(
    project, loom, monkeypatch, tmp_path
):
    work = project.parents[1]
    git(work, "init", "-q")
    (work / "c.json").write_text(json.dumps(checkin()))
    loom("checkin", "write", SLUG, "--checkin-file=c.json")
    body = loom("pr", "compose", SLUG, "--branch=ledger.inventory").out
    assert "<!-- loom-pr-checkins: 01 -->" in body
    (work / "b.md").write_text(body)
    done = loom("pr", "open", SLUG, "--title=T", "--body-file=b.md").json
    assert (done["pr"], done["url"]) == (None, None)
    assert "no remote" in done["note"]
    assert (project / "PULL-REQUEST.md").read_text() == body
    assert loom("pr", "discover", SLUG, "--branch=ledger.inventory").json["checkins"] == [1]


def host(tmp_path, monkeypatch, name: str, script: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_gitlab_is_asked_through_glab(project, loom, monkeypatch, tmp_path):
    work = project.parents[1]
    git(work, "init", "-q")
    git(work, "remote", "add", "origin", "https://gitlab.example/o/r.git")
    answer = '{"iid": 4, "web_url": "https://gitlab.example/o/r/-/merge_requests/4", "description": "", "state": "opened"}'
    host(
        tmp_path,
        monkeypatch,
        "glab",
        f"case $2 in view) echo '{answer}';; create) echo https://gitlab.example/o/r/-/merge_requests/4;; esac",
    )
    assert loom("pr", "discover", SLUG, "--branch=x").json["pr"]["state"] == "OPEN"
    (work / "b.md").write_text("b")
    assert loom("pr", "open", SLUG, "--title=T", "--body-file=b.md", "--branch=x").json["pr"] == 4


def test_people_see_phases_as_a_tree_and_what_happened(project, loom):
    loom("phase", "update", SLUG, "1", "--status=in-progress", "--branch=ledger.inventory")
    (project.parents[1] / "c.json").write_text(json.dumps(checkin()))
    loom("checkin", "write", SLUG, "--checkin-file=c.json")
    shown = loom("show", SLUG, "--offline").out
    assert "▶ 1 Inventory  in-progress" in shown
    assert "check-in 01 List callers: approved" in shown
    assert "· 2 Replace  not-started  after 1" in shown
    assert (
        loom("show", SLUG, "--json", "--offline").json["phases"][0]["last_checkin"]["number"]
        == "01"
    )
    told = loom("timeline", SLUG).out
    assert told.index("project-initialized") < told.index("phase-started")
    assert loom("timeline", SLUG, "--json").json


def test_help_names_every_namespace_and_its_verbs(loom):
    from guildmoot.cli.loom.main import NAMESPACES
    from guildmoot.cli.loom.usage import USAGE

    assert USAGE.keys() == NAMESPACES.keys()
    for name, (_, _, verbs, _) in NAMESPACES.items():
        text = loom(name, "--help").out
        assert all(f"loom {name} {verb}" in text for verb in verbs if verb != "ls")
        assert max(map(len, text.splitlines())) <= 86


def test_a_new_manifest_reads_back(project):
    text = new_manifest({"title": "t"}, {"labels": []}, [], {"at": "t", "event": "e", "detail": {}})
    assert tomllib.loads(text)["events"][0]["event"] == "e"


def test_the_end_of_a_name_that_is_there_starts_no_second_project(project, loom):
    work = project.parents[1]
    for name in ("r.md", "n.md"):
        (work / name).write_text("# R\n")
    done = loom(
        "research", "init", "new-ledger", "--research-file=r.md", "--notes-file=n.md", "--no-commit"
    ).json
    assert done["slug"] == SLUG


def test_a_flag_that_nobody_knows_is_told(project, loom):
    ran = loom("events", "append", SLUG, "--event=note", '--detial={"text": "lost"}')
    assert (ran.code, "did you mean --detail?" in ran.err) == (0, True)


def test_a_revision_tells_what_is_amiss_with_it(project, loom):
    (project.parents[1] / "r.md").write_text(
        "# T\n\n## Phase 1 — A\n\n## Phase 1 — B\n\n**Depends on**: Phase 9\n"
    )
    warnings = loom(
        "revise-plan", SLUG, "--revision-file=r.md", "--rationale=why", "--no-commit"
    ).json["warnings"]
    assert any("is there already" in each for each in warnings)
    assert any("unknown phase 9" in each for each in warnings)
    assert "phase 2 Replace is no longer in the plan" in warnings
