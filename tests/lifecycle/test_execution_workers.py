"""Who does the work of a lane: agents of a host, agents at work, the real clients in one team."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    approve_plan,
    execute,
    git,
    project,
    script,
    starts,
    states,
)
from tests.lifecycle.samples import receipt

from guildmoot.backends.programs import clients_folder, find_client
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run
from loopback import Rule, serving

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
        command = script(root)  # as the host's agent would work
        env = {**os.environ, **told["env"]}
        subprocess.run(command, shell=True, cwd=told["cwd"], env=env, check=True)
    assert execute(root, settings=mode).status == "done"
    assert not (here / "UNRESOLVED.md").exists()
    assert starts(root) == ["T1-copywriter/1", "T2-seo/1"]


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


TEAM = {
    "T1-copywriter": ("cheap", "claude", "claude-sonnet-4-5"),
    "T2-technical-writer": ("mid", "codex", "gpt-5.5"),
    "T3-copywriter": ("powerful", "gemini", "gemini-2.5-flash"),
}
CLIENTS = str(clients_folder(os.environ))


def writes(client: str, model: str, files: dict[Path, str]) -> list[Rule]:
    """The model of a client asks for its tool that writes, once a file, and is done."""
    name = {"claude": "Write", "gemini": "write_file", "codex": "exec_command"}[client]
    rules = []
    for file, text in files.items():
        how = {"file_path": str(file), "content": text}
        if client == "codex":
            how = {"cmd": f"mkdir -p {file.parent}; printf %s {shlex.quote(text)} > {file}"}
        rules.append(Rule(use=(name, how), model=model, times=1))
    return [*rules, Rule(text="done", model=model)]


@pytest.mark.skipif(
    not all(find_client(client, os.environ) for _, client, _ in TEAM.values()),
    reason="claude, codex and gemini are not installed; scripts/clients installs them",
)
def test_the_real_clients_do_lanes_in_one_team_against_a_provider_on_this_machine(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", dict.fromkeys(TEAM, ()))
    folder = WorkFolder(root)
    parts = folder.plan(SLUG).read_text().split("- tier: mid")
    tiers = [f"- tier: {tier}" for tier, _, _ in TEAM.values()]
    text = "".join(part + tier for part, tier in zip(parts, [*tiers, ""], strict=True))
    folder.plan(SLUG).write_text(text)
    approve_plan(folder)
    run = latest_run(folder, SLUG)
    with serving() as provider:
        provider.rules = []
        for task, (tier, client, model) in TEAM.items():
            owner, lane = task.partition("-")[2], root / ".guild" / "worktrees" / run / task
            said = receipt(b"x = 1\n", task_id=task, tier=tier).replace("T1-backend", task)
            said = said.replace("specialist: backend", f"specialist: {owner}")
            said = said.replace("app/api.py", f"app/{client}.py").replace(
                "python -m unittest", "true"
            )
            place = lane / ".guild" / "runs" / run / "handoffs" / f"{owner}-{task}.md"
            provider.rules += writes(
                client, model, {lane / "app" / f"{client}.py": "x = 1\n", place: said}
            )
        env = {
            "PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8",
            "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],  # whose approvals these are
            "GUILD_CLIENTS": CLIENTS, **provider.environment(),
            "GUILD_WORK_TIERS": ",".join(f"{tier}={client}:{model}" for tier, client, model in TEAM.values()),
        }  # fmt: skip
        words = ["work", "execute", SLUG, "--clients", "--mode", "subagent", "--yes", "--json"]
        ran = subprocess.run(
            [sys.executable, "-m", "guildmoot", *words], cwd=root, env=env, capture_output=True, text=True
        )  # fmt: skip
        assert ran.returncode == 0, (ran.stdout, ran.stderr)
        asked = {each.model for each in provider.requests}
        assert asked >= {model for _, _, model in TEAM.values()}
        assert all("How you hand over" in each.prompt for each in provider.requests[:1])
    told = json.loads(ran.stdout)
    for _, client, _ in TEAM.values():
        assert git(root, "show", f"{told['branch']}:app/{client}.py") == "x = 1"
