"""What a new session is told: pages that somebody vouched for, and after a compaction where the work stands."""

from __future__ import annotations

import subprocess
import sys

import pytest

from guildmoot.calls.pricing import estimate_tokens
from hooks_calls import before, call, environment, make_run, rows


def guild(home, project, *words, code=0, **more):
    done = subprocess.run(
        [sys.executable, "-m", "guildmoot", *words], cwd=project, env=environment(home, **more),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done.stdout


def start(home, project, source="startup", **env):
    event = {
        "hook_event_name": "SessionStart", "session_id": "s", "cwd": str(project), "source": source,
    }  # fmt: skip
    answer = call(home, event, **env)
    assert answer.code == 0, answer
    return answer.said["additionalContext"]


def put_in(home, project, name, text, category="concept"):
    (project / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    guild(home, project, "wiki", "ingest", f"{name}.md", "--category", category)


def test_only_pages_that_somebody_vouched_for_are_told_and_the_run_lists_them(home, project):
    run = make_run(project)
    put_in(home, project, "caching", "The product cache is cleared every night by the janitor job.")
    put_in(home, project, "ledger", "Payments are written to the ledger twice, before and after.")
    assert "caching" not in start(home, project, GUILD_RUN_ID="run-1")
    guild(home, project, "wiki", "promote", "caching")
    told = start(home, project, GUILD_RUN_ID="run-1")
    assert "concepts/caching.md" in told
    assert "janitor job" in told
    assert "ledger" not in told
    listed = [row for row in rows(run / "logs/v1.4-events.jsonl") if "pages" in row]
    assert [row["pages"] for row in listed] == [["concepts/caching.md"]]
    assert guild(home, project, "wiki", "brief").strip() in told
    # A page that was edited since is nobody's word any more; one that is retired is out.
    page = project / ".guild/wiki/concepts/caching.md"
    page.write_text(page.read_text() + "\nMore.\n")
    assert "caching" not in start(home, project)


def test_what_is_told_is_never_put_back_in_unasked(home, project):
    put_in(home, project, "caching", "The product cache is cleared every night by the janitor job.")
    guild(home, project, "wiki", "promote", "caching")
    (project / "answer.md").write_text("# Answer\n\n" + start(home, project))
    guild(home, project, "wiki", "ingest", "answer.md", "--category", "source", code=3)


@pytest.mark.slow  # forty pages, each by a command of its own
def test_the_bound_of_1200_tokens_holds_whatever_there_is(home, project):
    for number in range(40):
        words = " ".join(
            f"Sentence {number} and {each} tells of part {each} at length." for each in range(9)
        )
        put_in(home, project, f"page{number}", words, "standard")
        guild(home, project, "wiki", "promote", f"page{number}")
    told = start(home, project)
    assert told.count("standards/page") > 5
    assert estimate_tokens(told) <= 1_200


def test_pages_that_give_orders_or_are_private_or_out_of_date_are_not_told(home, project):
    for name, more in (
        ("secretive", ("--sensitivity", "confidential")),
        ("stale", ("--kind", "state", "--as-of", "2020-01-01")),
        ("fine", ()),
    ):
        (project / f"{name}.md").write_text(
            f"# {name}\n\nThe {name} thing is a thing of the project, says the team.\n"
        )
        guild(home, project, "wiki", "ingest", f"{name}.md", "--category", "concept", *more)
        guild(home, project, "wiki", "promote", name)
    told = start(home, project)
    assert "concepts/fine.md" in told
    assert "secretive" not in told
    assert "stale" not in told


def test_after_a_compaction_the_session_hears_run_phase_gate_and_approvals_in_400_tokens(
    home, project
):
    guild(home, project, "work", "brainstorm", "--help")
    guild(home, project, "run", "Shorten links for the shop with a command line tool", code=3)
    denied = call(home, before(project, "rm -rf /"))
    assert denied.code == 2
    run = make_run(project)
    told = start(home, project, "compact", GUILD_RUN_ID="run-1")
    assert f"Run: {run.name}." in told
    assert "Phase: brainstorm" in told
    assert "Next gate: spec." in told
    assert "1 approvals wait" in told
    assert estimate_tokens(told) <= 400


def test_a_broken_memory_or_none_changes_nothing(home, project):
    plain = start(home, project)
    assert "guild guard is on" in plain
    (project / ".guild/wiki").mkdir(parents=True)
    (project / ".guild/wiki/.provenance.jsonl").write_bytes(b"\xff{broken\n" * 3)
    (project / ".guild/spec").mkdir()
    (project / ".guild/spec/x.md").write_bytes(b"\x00\xff" * 1000)
    assert start(home, project) == plain
    assert "guild guard is on" in start(home, project, "compact")


def test_a_hook_before_a_call_loads_nothing_of_it(home, project):
    (project / ".guild").mkdir()
    code = (
        "import sys, json; from guildmoot.guard.hooks.handle import answer;"
        "answer(sys.stdin.buffer.read(), 'claude', {});"
        "print([m for m in sys.modules if m.startswith(('guildmoot.memory', 'guildmoot.lifecycle', 'guildmoot.api'))])"
    )
    import json

    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(before(project, "ls")).encode(),
        env=environment(home), capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == b"[]"
