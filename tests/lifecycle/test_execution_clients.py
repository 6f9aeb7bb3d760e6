"""The real clients do lanes, against a provider on this machine: behind the fence, and within their tokens."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

import pytest
from tests.lifecycle.executions import SLUG, approve_plan, git, project
from tests.lifecycle.samples import receipt

from guildmoot.backends.programs import clients_folder, find_client
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run
from guildmoot.system import fence
from loopback import Provider, Rule, serving


class Client(NamedTuple):
    tier: str
    model: str
    write: str
    """Its tool that writes a file."""
    shell: tuple[str, str]
    """Its tool that runs a command, and what the command is called there."""


CLIENTS = {
    "claude": Client("cheap", "claude-sonnet-4-5", "Write", ("Bash", "command")),
    "codex": Client("mid", "gpt-5.5", "", ("exec_command", "cmd")),
    "gemini": Client(
        "powerful", "gemini-2.5-flash", "write_file", ("run_shell_command", "command")
    ),
}
INSTALLED = str(clients_folder(os.environ))
WRITER = "devops"
"""A specialist that may run commands."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(find_client(client, os.environ) for client in CLIENTS),
        reason="claude, codex and gemini are not installed; scripts/clients installs them",
    ),
]


def team(root: Path, *clients: str) -> dict[str, str]:
    """A project with a lane for each of these clients; their tasks."""
    tasks = {name: f"T{at}-{WRITER}" for at, name in enumerate(clients, 1)}
    folder = WorkFolder(project(root, dict.fromkeys(tasks.values(), ())))
    parts = folder.plan(SLUG).read_text().split("- tier: mid")
    tiers = [f"- tier: {CLIENTS[name].tier}" for name in clients]
    text = "".join(part + tier for part, tier in zip(parts, [*tiers, ""], strict=True))
    folder.plan(SLUG).write_text(text)
    approve_plan(folder)
    return tasks


def shell(client: str, command: str, times: int = 1) -> Rule:
    """The model asks for a command."""
    tool, key = CLIENTS[client].shell
    return Rule(use=(tool, {key: command}), model=CLIENTS[client].model, times=times)


def does_its_lane(root: Path, client: str, task: str) -> list[Rule]:
    """The model asks for its tool that writes, once a file, and is done."""
    found, run = CLIENTS[client], latest_run(WorkFolder(root), SLUG)
    lane = root / ".guild" / "worktrees" / run / task
    said = receipt(b"x = 1\n", task_id=task, tier=found.tier).replace("T1-backend", task)
    said = said.replace("specialist: backend", f"specialist: {WRITER}")
    said = said.replace("app/api.py", f"app/{client}.py").replace("python -m unittest", "true")
    place = lane / ".guild" / "runs" / run / "handoffs" / f"{WRITER}-{task}.md"
    rules = []
    for file, text in {lane / "app" / f"{client}.py": "x = 1\n", place: said}.items():
        command = f"mkdir -p {file.parent}; printf %s {shlex.quote(text)} > {file}"
        how = {"file_path": str(file), "content": text}
        use = Rule(use=(found.write, how), model=found.model, times=1)
        rules.append(use if found.write else shell(client, command))
    return [*rules, Rule(text="done", model=found.model)]


def work(root: Path, provider: Provider, **settings: str) -> tuple[int, dict[str, object]]:
    """``guild work execute`` with nothing in its environment but the provider and the clients."""
    tiers = ",".join(f"{each.tier}={name}:{each.model}" for name, each in CLIENTS.items())
    env = {
        "PATH": os.environ["PATH"], "HOME": str(root.parent / "home"), "LANG": "C.UTF-8",
        "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],  # whose approvals these are
        "GUILD_CLIENTS": INSTALLED, **provider.environment(),
        "GUILD_WORK_TIERS": tiers, **settings,
    }  # fmt: skip
    words = ["work", "execute", SLUG, "--clients", "--mode", "subagent", "--yes", "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "guildmoot", *words], cwd=root, env=env, capture_output=True, text=True
    )  # fmt: skip
    assert "lanes" in ran.stdout, (ran.stdout, ran.stderr)
    return ran.returncode, json.loads(ran.stdout)


def test_they_do_lanes_in_one_team_and_change_nothing_outside_of_them(tmp_path: Path) -> None:
    root = tmp_path / "p"
    tasks = team(root, *CLIENTS)
    other = tmp_path / "other"
    other.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    (home / ".bashrc").write_text("mine\n")
    with serving() as provider:
        provider.rules = []
        for client, task in tasks.items():
            places = (root, root / ".git", other, home, Path(gettempdir()))
            tries = "".join(f"touch {place}/EVIL-{client}\n" for place in places)
            file = (
                tmp_path / f"EVIL-{client}.sh"
            )  # a client may refuse what it can read of a command
            file.write_text(f"{tries}echo {client} >> {home}/.bashrc\necho tried\n")
            evil = shell(client, f"sh {file}")
            provider.rules += [evil, *does_its_lane(root, client, task)]
        code, told = work(root, provider)
        assert code == 0, told
        tried = [each for each in provider.requests if "EVIL" in json.dumps(each.body)]
        assert {each.model for each in tried} >= {each.model for each in CLIENTS.values()}
        assert "How you hand over" in provider.requests[0].prompt
        anchored = [each for each in tried if "gemini" not in each.model]
        assert all("Your whole brief is in" in json.dumps(each.body) for each in anchored)
        ran = {each.model for each in tried if "\\ntried" in json.dumps(each.body)}
        # It was the fence that held them; gemini's terminal may lose what a short command prints.
        assert ran >= {each.model for name, each in CLIENTS.items() if name != "gemini"}
    for client in CLIENTS:
        assert git(root, "show", f"{told['branch']}:app/{client}.py") == "x = 1"
    if fence.works(str(root), whole=True):
        for place in (root, root / ".git", other, home, Path(gettempdir())):
            assert not list(place.glob("EVIL*"))
        assert (home / ".bashrc").read_text() == "mine\n"
        assert "not fenced" not in str(told["why"])


def test_without_a_fence_the_ladder_says_so(tmp_path: Path) -> None:
    root = tmp_path / "p"
    tasks = team(root, "claude")
    with serving() as provider:
        provider.rules = does_its_lane(root, "claude", tasks["claude"])
        code, told = work(root, provider, GUILD_WORK_FENCE="false")
    assert code == 0, told
    assert "not fenced: work.fence is off" in str(told["why"])


@pytest.mark.parametrize("client", CLIENTS)
def test_one_that_takes_more_than_it_may_is_ended_while_it_works(
    client: str, tmp_path: Path
) -> None:
    root = tmp_path / "p"
    team(root, client)
    with serving() as provider:
        provider.rules = [shell(client, "cat app/base.py", times=40)._replace(delay=0.5)]
        code, told = work(root, provider, GUILD_WORK_LANE_TOKENS="2000")
        asked = sum(each.model == CLIENTS[client].model for each in provider.requests)
    (lane,) = told["lanes"]  # type: ignore[misc]
    assert (code, lane["status"]) == (3, "blocked"), told
    assert "budget: " in lane["reason"]
    assert "its tokens are spent" in lane["reason"]
    assert asked < 20
