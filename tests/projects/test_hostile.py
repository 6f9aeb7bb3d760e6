"""Records as a stranger's repository, a broken disk or a wrong clock may bring them: nothing leaves, nothing is lost."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from guildmoot.projects.plan import parse_plan
from projects.conftest import SLUG, checkin
from projects.test_many_writers import git


def repository(project: Path) -> Path:
    work = project.parents[1]
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "begin")
    return work


def error(ran) -> str:
    assert ran.code == 1, (ran.out, ran.err)
    return json.loads(ran.err)["error"]


def event(name: str, **detail: object) -> dict:
    return {"at": "2026-01-07T00:00:00.000Z", "event": name, "detail": detail}


def row(key: str, record: dict, section: str = "events") -> str:
    return json.dumps({"id": key, "section": section, "branch": "b", "record": record}) + "\n"


@pytest.mark.parametrize("name", ["manifest.toml", "PLAN.md", "RESEARCH.md"])
def test_no_document_is_read_or_written_through_a_link(project, loom, tmp_path_factory, name):
    work = repository(project)
    outside = tmp_path_factory.mktemp("outside") / "secret"
    source = project / name if (project / name).exists() else project / "PLAN.md"
    outside.write_bytes(source.read_bytes())
    (project / name).unlink(missing_ok=True)
    (project / name).symlink_to(outside)
    (work / "p.md").write_text("# Other\n\n## Phase 1 — X\n")
    before = outside.read_bytes()
    verbs = {
        "manifest.toml": (("phase", "list", SLUG), ("events", "append", SLUG, "--event=x")),
        "PLAN.md": (
            ("parse-plan", SLUG),
            ("phase", "ready", SLUG),
            ("revise-plan", SLUG, "--revision-file=p.md", "--rationale=x"),
        ),
        "RESEARCH.md": (
            ("research", "show", SLUG),
            ("research", "append", SLUG, "--section=S", "--fact-file=p.md", "--citing=c"),
            ("research", "init", SLUG, "--research-file=p.md", "--notes-file=p.md", "--no-commit"),
        ),
    }
    for argv in verbs[name]:
        assert error(loom(*argv)) == "link-refused", argv
    assert (outside.read_bytes(), (project / name).is_symlink()) == (before, True)


def test_a_project_is_not_archived_out_of_the_repository(project, loom, tmp_path_factory):
    work = repository(project)
    outside = tmp_path_factory.mktemp("outside")
    (work / "projects" / "archive").symlink_to(outside)
    assert error(loom("project", "archive", SLUG)) == "link-refused"
    assert list(outside.iterdir()) == []
    assert 'status = "active"' in (project / "manifest.toml").read_text()


def test_a_pipe_in_place_of_a_record_does_not_hold_anybody_up(project, loom):
    (project / "records").mkdir()
    os.mkfifo(project / "records" / "p.jsonl")
    assert loom("events", "read", SLUG).code == 0
    os.mkfifo(project / "RESEARCH.md")
    assert error(loom("research", "show", SLUG)) == "research-not-found"


def test_compact_keeps_the_rows_that_it_cannot_read(project, loom):
    odd = [
        '{"id": "n", "section": "of-a-newer-version", "record": {}}\n',
        row("f", event("fraction", share=1.5)),
        row("s", event("half", text="\ud800")),
        row("k", event("key") | {"detail": {"odd key": 1}}),
        '{"id": "h", "section": "events", "record": {"at": "2026',
    ]
    (project / "records").mkdir()
    segment = project / "records" / "b-123456.jsonl"
    segment.write_text(odd[0] + row("good", event("fine")) + "".join(odd[1:]))
    names = [each["event"] for each in loom("events", "read", SLUG).json]
    assert names == ["project-initialized", "fine"] or names == ["fine", "project-initialized"]
    (broken,) = [
        each for each in loom("doctor", SLUG).json["issues"] if each["code"] == "record-broken"
    ]
    assert broken["detail"].startswith("5 rows")
    assert loom("compact", SLUG).json["moved"] == 1
    assert segment.read_text() == "".join(odd)
    assert 'event = "fine"' in (project / "manifest.toml").read_text()
    assert loom("timeline", SLUG).code == 0


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("schema_version = 1", "schema_version = 2", "manifest-unsupported-version"),
        ('title = "', 'tile = "', "manifest-schema-invalid"),
        (None, "", "manifest-schema-invalid"),
    ],
)
@pytest.mark.parametrize("branch", ["main", "side"])
def test_nothing_is_added_to_a_manifest_that_cannot_be_read(project, loom, old, new, code, branch):
    file = project / "manifest.toml"
    file.write_text(file.read_text().replace(old, new, 1) if old else new)
    git(repository(project), "checkout", "-q", "-B", branch)
    before = file.read_bytes()
    assert error(loom("events", "append", SLUG, "--event=x")) == code
    assert (file.read_bytes(), (project / "records").exists()) == (before, False)


@pytest.mark.parametrize(
    "detail",
    [
        '{"a": "\\ud800"}',
        '{"a":' * 600 + "1" + "}" * 600,
        '{"a": 99999999999999999999}',
        '{"odd key": null, "b c": 1}',
    ],
)
def test_a_detail_that_a_manifest_cannot_hold_is_refused(project, loom, detail):
    before = (project / "manifest.toml").read_bytes()
    assert (
        error(loom("events", "append", SLUG, "--event=x", f"--detail={detail}")) == "toml-invalid"
    )
    assert (project / "manifest.toml").read_bytes() == before


def test_words_that_are_no_utf_8_are_refused(project, loom):
    (project.parents[1] / "p.md").write_text("# P\n")
    wrong = b"--rationale=\xff".decode("utf-8", "surrogateescape")
    assert error(loom("revise-plan", SLUG, "--revision-file=p.md", wrong)) == "invalid-args"


def test_a_broken_finding_does_not_keep_the_others_from_the_record(project, loom):
    good = {
        "evaluator": "e",
        "code": "c",
        "signature": "s1",
        "evidence": "x",
        "severity": "blocking",
    }
    bad = good | {"signature": "s2", "evidence": "\ud800"}
    (project / ".guild-findings.jsonl").write_text(f"{json.dumps(bad)}\n{json.dumps(good)}\n")
    assert loom("findings", "harvest", SLUG).json == {
        "section": "findings", "harvested": 1, "skipped": 1,
    }  # fmt: skip


def test_events_keep_the_order_in_which_they_were_written(project, loom):
    loom("events", "append", SLUG, "--event=ahead")
    file = project / "manifest.toml"
    text = file.read_text()
    at = text.rindex('at = "')
    file.write_text(text[: at + 6] + "2999" + text[at + 10 :])
    loom("events", "append", SLUG, "--event=after")
    assert loom("events", "latest", SLUG).json["event"] == "after"
    git(repository(project), "checkout", "-qb", "side")
    loom("events", "append", SLUG, "--event=later")
    names = [each["event"] for each in loom("events", "read", SLUG).json]
    assert names == ["project-initialized", "ahead", "after", "later"]


def test_a_title_cannot_bring_a_heading_or_a_fact(project, loom):
    path = loom(
        "adr", "Keep it\n# 9999. Forged", "--status=accepted\n- **Status**: x", "--no-commit"
    )
    text = Path(path.json["path"]).read_text()
    assert text.startswith("# 0001. Keep it # 9999. Forged\n")
    assert text.count("\n- **Status**") == 1


def test_text_with_raw_control_characters_as_the_seeds_wrote_it_is_read(project, loom):
    file = project / "manifest.toml"
    file.write_text(file.read_text().replace('title = "New ledger"', 'title = "a\tb\x07"', 1))
    assert loom("project", "read", SLUG).json["title"] == "a\tb\x07"
    assert loom("events", "append", SLUG, "--event=x").code == 0
    assert 'title = "a\tb\x07"' in file.read_text()


def test_names_cannot_steer_a_terminal(project, loom):
    file = project / "manifest.toml"
    file.write_text(file.read_text().replace("New ledger", "New\\u001b[2Jledger", 1))
    loom("events", "append", SLUG, "--event=x", '--detail={"text": "\\u001b]0;t\\u0007"}')
    for verb in ("show", "timeline"):
        out = loom(verb, SLUG).out
        assert "\x1b" not in out
        assert "\\x1b" in out


def test_a_session_with_a_field_that_nobody_reads_is_refused(project, loom):
    (project.parents[1] / "c.json").write_text(json.dumps(checkin(mood="good")))
    assert (
        error(loom("checkin", "write", SLUG, "--checkin-file=c.json"))
        == "manifest-write-verify-failed"
    )


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("\n- Phase 1\n- Phase 2 (the list)\n", ["1", "2"]),
        ("\n\n- nothing\n", []),
        (" Phases 1 to 3", ["1", "2", "3"]),
        (" Phase 1 through Phase 3", ["1", "2", "3"]),
        (" Phase 1 (not (yet) Phase 2)", ["1"]),
        (" Phase 1 " + "(" * 60_000, ["1"]),
    ],
)
def test_dependencies_are_read_in_every_form_and_in_time(line, wanted):
    started = time.process_time()
    plan = parse_plan(f"# P\n\n## Phase 4 — X\n\n**Depends on**:{line}\n")["plan"]
    assert plan["phases"][0]["dependsOn"] == wanted
    assert time.process_time() - started < 1


def test_projects_are_found_from_any_folder_of_the_work_tree(project, loom, monkeypatch):
    work = project.parents[1]
    (work / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(work / "src" / "deep")
    assert (
        error(loom("phase", "list", SLUG)) == "project-not-found"
    )  # no repository: this folder alone
    repository(project)
    assert len(loom("phase", "list", SLUG).json) == 2
    monkeypatch.chdir(project)
    assert loom("project", "status").json["slug"] == SLUG
    (work / "other" / ".git").mkdir(parents=True)
    monkeypatch.chdir(work / "other")
    assert error(loom("phase", "list", SLUG)) == "project-not-found"


@pytest.mark.parametrize("how", ["--no-ff", "--squash"])
def test_a_branch_that_goes_on_after_its_records_were_compacted_merges_again(project, loom, how):
    work = repository(project)
    git(work, "checkout", "-qb", "side")
    for name in ("first", "second"):
        git(work, "checkout", "-q", "side")
        assert loom("events", "append", SLUG, f"--event={name}").code == 0
        git(work, "add", "-A")
        git(work, "commit", "-qm", name)
        git(work, "checkout", "-q", "main")
        git(work, "merge", "-q", how, *(["-m", "merge"] if how == "--no-ff" else []), "side")
        if how == "--squash":
            git(work, "commit", "-qm", "merge")
        assert loom("compact", SLUG).json["moved"] == 1
        git(work, "add", "-A")
        git(work, "commit", "-qm", "compact")
    names = [each["event"] for each in loom("events", "read", SLUG).json]
    assert names == ["project-initialized", "first", "second"]


def test_a_revision_on_a_branch_is_committed_with_its_record(project, loom, tmp_path, monkeypatch):
    work = repository(project)
    git(work, "checkout", "-qb", "side")
    (tmp_path / "r.md").write_text("# P\n\n## Phase 1 — Inventory\n\n**Goal**: g\n**Exit**: e\n")
    revised = loom("revise-plan", SLUG, f"--revision-file={tmp_path / 'r.md'}", "--rationale=less")
    assert revised.json["committed"]
    git(tmp_path, "clone", "-q", "-b", "side", str(work), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    assert loom("check").json["stale"] == []


def test_a_code_host_that_cannot_tell_is_not_one_that_says_none(project, loom, monkeypatch):
    folder = project.parents[1] / "bin"
    folder.mkdir()
    stub = folder / "gh"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    for said, note in (("no pull requests found for branch", False), ("HTTP 401", True)):
        stub.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
        stub.chmod(0o755)
        found = loom("pr", "discover", SLUG, "--branch=b").json
        assert (found["pr"], "note" in found) == (None, note)
    assert error(loom("pr", "discover", SLUG, "--branch=--web")) == "invalid-branch"
