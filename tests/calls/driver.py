"""A program that spawns in the foreground, for tests that send it signals.

Usage: driver.py FOLDER SHELL_SCRIPT. One seat answers at once, one runs the script in the folder;
what came of both is printed as JSON.
"""

import json
import sys
from pathlib import Path

from guildmoot.calls import run_foreground, spawn
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call
from guildmoot.system import process

folder, script = Path(sys.argv[1]), sys.argv[2]
process.GRACE = 60.0  # only a second signal can end a stubborn child sooner
(folder / "replies.txt").write_text("said at once")
quick = Agent("quick", "", "", "quick.md", backend="scripted", replies=str(folder / "replies.txt"))
busy = Agent("busy", "", "", "busy.md", backend="command", command=("sh", "-c", script))
calls = [
    Call(Seat(agent.name, agent.name, agent.backend, "test"), agent, "", str(folder))
    for agent in (quick, busy)
]
spawned = run_foreground(spawn(calls))
told = [[reply.seat, reply.status, reply.text] for reply in spawned.replies]
print(json.dumps({"interrupted": spawned.interrupted, "replies": told}))
