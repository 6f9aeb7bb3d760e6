"""Who does the work of a lane: agents of a host, agents at work."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    execute,
    git,
    project,
    script,
    starts,
    states,
)
from tests.lifecycle.samples import receipt

from guildmoot.lifecycle.execution.advisor import advice_trigger
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
ONE = {"T1-copywriter": ()}


def test_lanes_are_handed_out_to_a_host_and_their_receipts_collected(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    mode = {"work.agent_mode": "agent"}
    for task in TWO:
        report = execute(root, settings=mode)
        assert states(report)[task] == "running"
        here = root / ".guild" / "runs" / report.run
        (told,) = json.loads((here / "dispatch-plan.json").read_text())["dispatchPlan"]
        assert (told["name"], told["subagentType"]) == (task, task.partition("-")[2])
        assert (here / "UNRESOLVED.md").is_file()
        assert f"write `{told['receipt']}`:" in told["prompt"]
        command = script(root)  # as the host's agent would work
        env = {**os.environ, **told["env"]}
        subprocess.run(command, shell=True, cwd=told["cwd"], env=env, check=True)
    assert execute(root, settings=mode).status == "done"
    assert not (here / "UNRESOLVED.md").exists()
    assert not (here / "dispatch-plan.json").exists()
    assert starts(root) == ["T1-copywriter/1", "T2-seo/1"]


def test_a_receipt_that_an_agent_left_in_the_checkout_is_not_passed_over_in_silence(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", ONE)
    mode = {"work.agent_mode": "agent"}
    run = execute(root, settings=mode).run
    place = f".guild/runs/{run}/handoffs/copywriter-T1-copywriter.md"
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).write_text(receipt(b"x = 1\n"))
    report = execute(root, settings=mode)
    assert states(report) == {"T1-copywriter": "running"}
    assert any(f"{place} of your checkout is not taken" in note for note in report.notes)


@pytest.mark.parametrize("section", ["opens_for", "assumptions", "followups"])
def test_words_of_doubt_ask_the_advisor_wherever_a_lane_speaks(section: str) -> None:
    doubt = "It is unclear which audience is meant"
    said = receipt(b"x = 1\n")
    assert advice_trigger(said, ("unclear",)) is None
    head, _, tail = said.partition(f"## {section}\n")
    trigger = advice_trigger(f"{head}## {section}\n- {doubt}\n{tail}", ("unclear",))
    assert trigger
    assert (trigger.kind, trigger.question) == ("unclear", f"- {doubt}")


def test_an_agent_at_work_is_believed_as_far_as_its_files_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    root = project(tmp_path / "p", ONE)
    run = latest_run(WorkFolder(root), SLUG)
    place = f".guild/runs/{run}/handoffs/copywriter-T1-copywriter.md"
    said = receipt(b"x = 1\n", task_id="T1-copywriter").replace("T1-backend", "T1-copywriter")
    said = said.replace("specialist: backend", "specialist: copywriter")
    said = said.replace("python -m unittest", "true")
    lie = {"text": "All done!", "write": {place: said}}
    honest = {"text": "ok", "write": {place: said, "app/api.py": "x = 1\n"}}
    unsure = said.replace('"summary": "', '"summary": "I don\'t know which number; ')
    asks = {"text": "ok", "write": {place: unsure, "app/api.py": "x = 1\n"}}
    scripted(tmp_path, "broken", [{"fail": "429 too many requests"}])
    scripted(tmp_path, "maker", [lie, asks, honest])
    scripted(tmp_path, "adviser", [{"text": "Take the tracking number."}])
    settings = {
        "work.clients": True, "work.tiers": ("mid=broken",), "work.agent_mode": "subagent",
        "work.fallback": ("maker",), "work.advisor": "adviser",
    }  # fmt: skip
    report = execute(root, settings=settings)
    assert (report.status, report.lanes[0].attempts) == ("done", 3), report
    assert git(root, "show", f"{report.branch}:app/api.py") == "x = 1"
    assert any("429 too many requests): maker takes over" in note for note in report.notes)
    here = root / ".guild" / "runs" / run
    told = json.loads((here / "advisor" / "T1-copywriter-1.json").read_text())
    assert (told["trigger"], told["answer"]) == ("I don't know", "Take the tracking number.")
    third = here / "attempts" / "T1-copywriter-3" / "bundle.md"
    assert "Take the tracking number." in third.read_text()


def scripted(tmp_path: Path, name: str, replies: list[dict[str, object]]) -> None:
    """An agent of the user's that answers in turn."""
    agents = tmp_path / "home" / ".config" / "guildmoot" / "agents"
    agents.mkdir(parents=True, exist_ok=True)
    head = f"name: {name}\ndescription: works\nrole: implementer\nbackend: scripted\nreplies: {name}.json"
    (agents / f"{name}.md").write_text(f"---\n{head}\n---\nDo it.\n")
    (agents / f"{name}.json").write_text(json.dumps({"replies": {"*": replies}}))
