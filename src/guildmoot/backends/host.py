"""The agents of the coding agent that runs us: prompts are handed out, and replies are handed in.

Nothing is called. A prompt is written into the folder of its run, with the place for the reply beside it;
until that is filled the call counts as stopped, and the run can be gone on with. Whoever has agents of its
own (Claude Code, Codex, Gemini CLI) needs no key and no second client for this.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply
from guildmoot.named import NamedTuple
from guildmoot.system.files import put_in_place, read_own, write_atomic
from guildmoot.system.jsonio import dumps

MOST_BYTES = 16_000_000
"""Of one reply."""
_INDEX, _CLOSED = "open.json", "closed"
_HOSTS = {
    "CLAUDECODE": "claude",
    "GEMINI_CLI": "gemini",
    "CODEX_THREAD_ID": "codex",
    "CODEX_SANDBOX": "codex",
}


def host_name(env: Mapping[str, str] = os.environ) -> str:
    """The coding agent that runs this process; empty when it does not say."""
    named = env.get("GUILD_HOST", "").casefold()
    return named if named.isalnum() else next((n for key, n in _HOSTS.items() if env.get(key)), "")


class OpenCall(NamedTuple):
    """A prompt that waits for its reply."""

    id: str
    seat: str
    agent: str
    round: int
    attempt: int
    nonce: str
    """What the line of the vote must carry; empty when the reply has another form."""
    schema: dict[str, object] | None
    """Of the JSON object that is asked for, where one is; it stands in the prompt as well."""
    prompt_file: str
    reply_file: str


class HostBackend:
    """``host``: with a folder, what lies there answers; without one nobody can be asked."""

    name = "host"

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.open: list[OpenCall] = []

    def missing(self, agent: Agent) -> str:
        return ""

    async def call(self, call: Call) -> Reply:
        if self._folder is None:
            why = "prompts are handed out from the record of a run, and nothing is recorded here"
            return Reply(call.seat.name, "failed", error=why)
        prompt, reply = (self._folder / f"{_stem(call)}.{part}.md" for part in ("prompt", "reply"))
        text = read_own(reply, MOST_BYTES).decode("utf-8", "replace")
        if text.strip():
            return Reply(call.seat.name, "answered", text=text)
        if (self._folder / _CLOSED).is_file():
            return Reply(call.seat.name, "failed", error="no reply was handed in")
        self._folder.mkdir(exist_ok=True)
        put_in_place(prompt, call.prompt.encode("utf-8", "surrogatepass"))
        self.open.append(
            OpenCall(
                _stem(call), call.seat.name, call.agent.name, call.round, call.attempt,
                call.nonce or "", dict(call.schema) if call.schema else None, str(prompt), str(reply),
            )
        )  # fmt: skip
        return Reply(call.seat.name, "cancelled", error="it was handed out and is waited for")

    def close(self) -> None:
        """Leave word of what is waited for now."""
        if self._folder and (self.open or self._folder.is_dir()):
            write_atomic(self._folder / _INDEX, (dumps(self.open) + "\n").encode())


def hand_out_folder(root: Path, run_id: str) -> Path:
    """Where the prompts of a run lie."""
    return root / ".guild" / "runs" / run_id / "handed"


def open_calls(folder: Path) -> list[OpenCall]:
    """What is waited for, as the last session left word."""
    try:
        rows = json.loads(read_own(folder / _INDEX, MOST_BYTES) or b"[]")
        return [OpenCall(*row) if isinstance(row, list) else OpenCall(**row) for row in rows]
    except (ValueError, TypeError):
        return []


def close_calls(folder: Path) -> None:
    """Wait no longer: who has not answered is absent."""
    write_atomic(folder / _CLOSED, b"")


def _stem(call: Call) -> str:
    """The same for the same question, whichever process asks it."""
    said = "\0".join((call.seat.name, str(call.round), str(call.attempt), call.prompt))
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', call.seat.name)[:60]}-{digest}"


BACKEND = HostBackend()
