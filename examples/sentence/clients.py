"""The real claude, codex and gemini as specialists, against a provider on this machine. No key, no network.

The provider says what a model would: which tool to use and with what. The clients are what they are anywhere: headless,
held to the tools of their specialist, behind the fence, in the worktree of their lane.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from specialist import files_of, receipt_of

from guildmoot.backends.programs import clients_folder

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from loopback import Provider, Rule, serving


class Member(NamedTuple):
    """Who does a lane: a client, by the tier of the lane."""

    client: str
    model: str
    tier: str
    tool: str
    """What it writes files with; empty: a command."""


TEAM = {
    "T1-backend": Member("claude", "claude-sonnet-4-5", "mid", "Write"),
    "T2-qa": Member("codex", "gpt-5.5", "powerful", ""),
    "T3-technical-writer": Member("gemini", "gemini-2.5-flash", "cheap", "write_file"),
}
_LANE = "How you hand over"
"""What stands in the prompt of a lane, and of no judge."""


def provider() -> AbstractContextManager[Provider]:
    """A provider that listens on this machine, and speaks as all three vendors do."""
    return serving()


def environment(provider: Provider, home: Path) -> dict[str, str]:
    """All that the commands see: an empty home, the provider and keys that open nothing."""
    home.mkdir(parents=True)
    tiers = ",".join(f"{each.tier}={each.client}:{each.model}" for each in TEAM.values())
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
        "GUILD_CLIENTS": str(clients_folder(os.environ)), "GUILD_WORK_TIERS": tiers,
        **provider.environment(),
    }  # fmt: skip


def set_tiers(plan: Path) -> None:
    """Edit the plan before it is approved: a tier for each lane, so that each has another client."""
    rows, task = [], ""
    for row in plan.read_text(encoding="utf-8").splitlines():
        task = row.removeprefix("- task-id: ") if row.startswith("- task-id: ") else task
        rows.append(f"- tier: {TEAM[task].tier}" if row.startswith("- tier: ") else row)
    plan.write_text("\n".join((*rows, "")), encoding="utf-8")


def rules(root: Path, proof: str) -> list[Rule]:
    """What the models say: in a lane which file to write next, then that it is done; as a judge that it is fine."""
    run = (root / ".guild" / "runs" / "current-run-id").read_text(encoding="utf-8").strip()
    lanes = [_lane(root, run, task, member, proof) for task, member in TEAM.items()]
    return [*(rule for lane in lanes for rule in lane), Rule()]


def _lane(root: Path, run: str, task: str, member: Member, proof: str) -> list[Rule]:
    role = task.partition("-")[2]
    worktree, files = root / ".guild" / "worktrees" / run / task, files_of(role)
    evidence = f"- `{proof}` exit code 0" if role == "qa" else f"- {len(files)} files, exit code 0"
    receipt = receipt_of(task, role, member.tier, evidence)
    place = f".guild/runs/{run}/handoffs/{role}-{task}.md"
    rows = [_writes(worktree / path, text, member) for path, text in files.items()]
    if role == "qa":
        rows.append(_runs(f"PYTHONDONTWRITEBYTECODE=1 {proof}", member))
    rows += [_writes(worktree / place, receipt, member)]
    return [*rows, Rule(text="done", match=_LANE, model=member.model)]


def _writes(path: Path, text: str, member: Member) -> Rule:
    if not member.tool:
        where = shlex.quote(str(path))
        made = f"mkdir -p $(dirname {where}) && printf %s {shlex.quote(text)} > {where}"
        return _runs(made, member)
    how = {"file_path": str(path), "content": text}
    return Rule(use=(member.tool, how), match=_LANE, model=member.model, times=1)


def _runs(command: str, member: Member) -> Rule:
    return Rule(use=("exec_command", {"cmd": command}), match=_LANE, model=member.model, times=1)
