"""Whether an answer comes from where an agent works: a person's terminal is not started by one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_MARKS = (
    *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI"),
    *("CURSOR_AGENT", "GUILD_RUN_ID", "GUILD_TASK_ID", "GUILD_LANE_ID", "GUILD_CAPABILITY_SCOPE"),
)
"""Variables that hosts set for what their agents start."""
_AGENTS = ("claude", "codex", "gemini", "cursor-agent", "aider", "opencode", "goose", "amp")
_MOST_ABOVE = 64


def agent_above(env: Mapping[str, str], proc: Path = Path("/proc")) -> str:
    """What shows that an agent started this process; empty where nothing does.

    It finds an agent that does not hide. One that empties the environment and leaves its process tree is not found.
    """
    found = next((name for name in _MARKS if env.get(name)), "")
    return f"{found} is set" if found else next(_above(proc), "")


def _above(proc: Path) -> Iterator[str]:
    pid = os.getppid()
    for _ in range(_MOST_ABOVE):
        try:
            words = (proc / str(pid) / "cmdline").read_bytes().split(b"\0")
            stat = (proc / str(pid) / "stat").read_text(errors="replace")
        except OSError:
            return
        names = [os.path.basename(os.fsdecode(word)).removesuffix(".js") for word in words[:2]]
        name = next((each for each in names if each in _AGENTS), "")
        if name:
            yield f"{name} (process {pid}) started it"
        pid = int(stat.rpartition(")")[2].split()[1])
