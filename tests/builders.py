"""Made-up values of the model: each has what it must have, and the fields that a test gives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import commands
from guildmoot.backends import get_backend
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.packet import Packet, PacketFile
from guildmoot.model.verdict import Finding, Issue, Judgement

SEVERITIES = ("critical", "high", "medium", "low")


def agent(name: str = "judge", **fields: Any) -> Agent:
    return Agent(name, "a judge", "", f"agents/{name}.md")._replace(**fields)


def call(backend: str, prompt: str = "", seat: str | Seat = "judge", **fields: Any) -> Call:
    """A call of one agent; keywords name fields of the agent or of the call."""
    of_call = {key: fields.pop(key) for key in list(fields) if key in Call._fields}
    who = agent(**{"backend": backend, **fields})
    chair = Seat(seat, who.name, backend, "test") if isinstance(seat, str) else seat
    return Call(chair, who, prompt, timeout=20)._replace(**of_call)


def paid_call(name: str = "judge", prompt: str = "?", **fields: Any) -> Call:
    """A call of a model that is paid for each token."""
    model = "openai:gpt-5"
    seat = Seat(name, "judge", "api", "openai", model)
    return call("api", prompt, seat, **{"model": model, "body": "body", "timeout": 10.0, **fields})


def ask(asked: Call) -> Reply:
    """What the backend of that call answers."""
    return asyncio.run(get_backend(asked.agent.backend).call(asked))


def finding(
    seat: str = "a", code: str = "bad", title: str = "it is wrong", **fields: Any
) -> Finding:
    return Finding(seat, code, title, **fields)


def issue(*members: Finding, **fields: Any) -> Issue:
    """The members as one issue, named by the code of the first; it is as severe as the worst."""
    made = Issue(
        id=members[0].code,
        representative=members[0],
        members=members,
        families=tuple(sorted({each.family or each.seat for each in members})),
        seats=tuple(sorted({each.seat for each in members})),
        severity=min((each.severity for each in members), key=SEVERITIES.index),
        blocking=any(each.blocking for each in members),
    )
    return made._replace(**fields)


def judgement(seat: str, *findings: Finding, **fields: Any) -> Judgement:
    """It flags if anything of it blocks, and its family is its own."""
    outcome = "flagged" if any(each.blocking for each in findings) else "approved"
    return Judgement(seat, outcome, findings, family=seat)._replace(**fields)


def packet(files: Sequence[PacketFile] = (), **fields: Any) -> Packet:
    made = Packet("/r", "t", tuple(files), (), (), (), (), checkout=True, hash="")
    return made._replace(**fields)


def run_tool(name: str, *words: str, cwd: Path | None = None) -> tuple[int, list[Any], str]:
    """One of the package's tool judges in a process of its own: code, diagnostics, complaints."""
    done = commands.run(["-P", "-m", f"guildmoot.agents.tools.{name}", *words], cwd=cwd)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, found, done.stderr.decode()
