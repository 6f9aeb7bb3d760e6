"""Money that runs out while the real clients work: the run pauses, and its own next command goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, project
from tests.lifecycle.test_execution_clients import CLIENTS, INSTALLED, does_its_lane, team
from tests.lifecycle.test_execution_clients import pytestmark as pytestmark

from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run
from loopback import Provider, serving

BEGIN = ("work", "execute", SLUG, "--clients", "--mode", "subagent", "--yes")
GPT = '[prices."openai:gpt-5.5"]\ninput = 5.0\noutput = 20.0\ncache_read = 0.5\n'
A_LANE_OF_GPT = "1.80"
"""What a lane of the middle tier may cost at that price."""
CHEAP = '[prices."anthropic:claude-sonnet-4-5"]\ninput = 0.001\noutput = 0.001\n'


def guild(
    root: Path, provider: Provider, *words: str, prices: str = "", **settings: str
) -> tuple[int, str]:
    """A command with nothing in its environment but the provider, the clients and these settings."""
    place = root.parent / "home" / ".config" / "guildmoot" / "guild.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(prices)
    tiers = ",".join(f"{each.tier}={name}:{each.model}" for name, each in CLIENTS.items())
    env = {
        "PATH": os.environ["PATH"], "HOME": str(root.parent / "home"), "LANG": "C.UTF-8",
        "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"], "GUILD_CLIENTS": INSTALLED,
        **provider.environment(), "GUILD_WORK_TIERS": tiers, "GUILD_WORK_JOBS": "1", **settings,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "guildmoot", *words], cwd=root, env=env, capture_output=True,
        text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, " ".join(f"{done.stdout} {done.stderr}".split())


def state_of(root: Path) -> RunState:
    return read_run(WorkFolder(root), latest_run(WorkFolder(root), SLUG))


def test_a_lane_that_the_rest_does_not_pay_for_waits_and_resume_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "p"
    tasks = team(root, "claude", "codex")
    with serving() as provider:
        provider.rules = [
            rule for name, task in tasks.items() for rule in does_its_lane(root, name, task)
        ]
        short = {"GUILD_BUDGET_RUN_USD": A_LANE_OF_GPT}
        code, said = guild(root, provider, *BEGIN, prices=GPT, **short)
        state = state_of(root)
        assert (code, [lane.status for lane in state.lanes]) == (3, ["done", "pending"]), said
        assert state.lanes[0].usd > 0
        assert "a lane may cost $1.80" in said
        assert not any(each.model == CLIENTS["codex"].model for each in provider.requests)
        code, said = guild(root, provider, "status", prices=GPT, **short)
        assert f"next: guild resume {SLUG}" in said
        recovery = WorkFolder(root).run(state.run) / "RECOVERY-STATUS.json"
        command = json.loads(recovery.read_text())["resume_from"].split()[1:]
        code, said = guild(root, provider, *command, prices=GPT, GUILD_BUDGET_RUN_USD="4")
        assert code == 0, said
    assert [lane.status for lane in state_of(root).lanes] == ["done", "done"]


def test_a_client_that_stops_because_its_money_is_spent_asks_a_person(tmp_path: Path) -> None:
    root = tmp_path / "p"
    tasks = team(root, "claude")
    with serving() as provider:
        provider.rules = does_its_lane(root, "claude", tasks["claude"])
        code, said = guild(root, provider, *BEGIN, prices=CHEAP)
        (lane,) = state_of(root).lanes
        assert (code, lane.status) == (3, "blocked"), said
        assert lane.reason.startswith("budget: ")
        assert "its money is spent" in lane.reason
        recovery = WorkFolder(root).run(state_of(root).run) / "RECOVERY-STATUS.json"
        told = json.loads(recovery.read_text())
        assert (told["failed_lanes"], told["asking_lanes"]) == ([], [lane.task])
        guild(root, provider, "lane", "retry", lane.task, "--why", "more money")
    with serving() as provider:
        provider.rules = does_its_lane(root, "claude", tasks["claude"])
        code, said = guild(root, provider, "run")
    assert state_of(root).lanes[0].status == "done", said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"GUILD_WORK_TIERS": "mid=codex:gpt-unheard", "GUILD_BUDGET_RUN_USD": "5"},
         "no price of codex:gpt-unheard is known, so budget.run_usd cannot hold it: give it under [prices]"),
        ({"GUILD_BUDGET_DAY_USD": "0.001"}, "T1-copywriter may cost $1.8; of this day's limit"),
    ],
)  # fmt: skip
def test_where_nobody_can_be_paid_nobody_is_asked_and_nothing_is_spent(
    settings: dict[str, str], said: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ()})
    with serving() as provider:
        code, told = guild(root, provider, *BEGIN, prices=GPT, **settings)
        assert (code, said in told) == (3, True), told
        assert not provider.requests
        assert "nothing spent" in guild(root, provider, "status")[1]
