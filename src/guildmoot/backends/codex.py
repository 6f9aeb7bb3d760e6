"""Codex: ``codex exec`` in its sandbox; a judge may write nothing, and has no tools to read with.

All of its settings are a file in a scratch CODEX_HOME. Newer models keep a JavaScript tool that has
neither files nor network; its patches are refused by the sandbox. A login (``auth.json``) is linked in.
Codex tells no cost and not its model; the session log in the scratch home names the model, and holds
what was spent when there was no end to tell it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from guildmoot.backends.clients import (
    ATTEMPTS,
    INSTRUCTIONS,
    Access,
    ClientBackend,
    ClientOutput,
    Event,
    Launch,
    ScratchFolders,
    events,
    inside,
    link_logins,
    model_of,
    number,
    text_of,
)
from guildmoot.backends.programs import home_of
from guildmoot.backends.providers import PROVIDERS
from guildmoot.model.call import Call, Usage
from guildmoot.system.process import ProcessResult

_FLAGS = ("exec", "--json", "--skip-git-repo-check", "-s")
_OFF = (
    *("multi_agent", "apps", "hooks", "plugins", "skill_search", "tool_suggest", "sleep_tool"),
    *("image_generation", "goals", "unbounded_connection_retries"),
)
_OFF_FOR_JUDGES = ("shell_tool", "unified_exec", "shell_snapshot", "view_image")
_REFUSED = re.compile(r"status:? (?:401|403)\b")


_JUDGE = f"""\
instructions = {json.dumps(INSTRUCTIONS)}
include_permissions_instructions = false
include_environment_context = false
shell_environment_policy.inherit = "none\""""
_WORK = """\
approval_policy = "never"
sandbox_workspace_write.exclude_slash_tmp = true
shell_environment_policy.inherit = "all"
shell_environment_policy.ignore_default_excludes = false"""


class CodexBackend(ClientBackend):
    """``backend: codex``."""

    name = "codex"
    package = "@openai/codex"
    folder = ".codex"
    keys = ("CODEX_API_KEY", "OPENAI_API_KEY")
    provider = PROVIDERS["openai"]
    login = "run `codex login`"
    tools = ("Read", "Glob", "Grep", "Edit", "Write", "Bash")

    def logins(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        folder = environ.get("CODEX_HOME") or os.path.join(home_of(environ), self.folder)
        return (Path(folder, "auth.json"),)

    def start(self, call: Call, scratch: ScratchFolders, access: Access) -> Launch:
        folder = scratch.home / self.folder
        folder.mkdir()
        text = settings(
            access.base_url, works=call.work is not None, effort=call.effort,
            anchor=call.work.anchor if call.work else "",
        )  # fmt: skip
        (folder / "config.toml").write_text(text)
        env = {"CODEX_HOME": str(folder)}
        if access.key:
            env["CODEX_API_KEY"] = access.key
        else:
            link_logins(self.logins(os.environ), folder)
        arguments = [*_FLAGS, "workspace-write" if call.work and call.work.writes else "read-only"]
        if model := model_of(call):
            arguments += ["-m", model]
        if call.schema is not None:
            file = scratch.home / "schema.json"
            file.write_text(json.dumps(call.schema))
            arguments += ["--output-schema", str(file)]
        return Launch([*arguments, "-"], env, call.prompt)

    def step(self, event: Event, before: str) -> str:
        kind = text_of(inside(event, "item").get("type"))
        return "compacting" if event.get("type") == "item.started" and "compaction" in kind else ""

    def read(self, result: ProcessResult, scratch: ScratchFolders) -> ClientOutput:
        logs = sorted((scratch.home / self.folder / "sessions").rglob("*.jsonl"))
        return read_events(events(result.stdout), events(logs[0].read_bytes()) if logs else [])


def settings(base_url: str, *, works: bool = False, effort: str = "", anchor: str = "") -> str:
    """The whole configuration; a provider of our own, because that of the program retries without end.

    Commands of its work see what the program sees, except variables that are named like a secret.
    """
    url = f"base_url = {json.dumps(base_url)}" if base_url else ""
    think = f'model_reasoning_effort = "{effort}"' if effort else ""
    told = f"developer_instructions = {json.dumps(anchor)}" if anchor else ""
    off = "\n".join(f"{name} = false" for name in (*_OFF, *(() if works else _OFF_FOR_JUDGES)))
    return f"""\
model_provider = "guildmoot"
{_WORK if works else _JUDGE}
{think}
{told}
web_search = "disabled"
project_doc_max_bytes = 0
include_apps_instructions = false
include_collaboration_mode_instructions = false
check_for_update_on_startup = false
cli_auth_credentials_store = "file"
analytics.enabled = false
history.persistence = "none"
agents.enabled = false
skills.include_instructions = false
skills.bundled.enabled = false

[model_providers.guildmoot]
name = "OpenAI"
wire_api = "responses"
requires_openai_auth = true
request_max_retries = 0
stream_max_retries = {ATTEMPTS - 1}
{url}
[features]
{off}
"""


def read_events(stream: Sequence[Event], log: Sequence[Event]) -> ClientOutput:
    """What the events say, and the session log where they are silent."""
    contexts = (inside(each, "payload") for each in log if each.get("type") == "turn_context")
    model = text_of(next((each.get("model") for each in contexts), ""))
    output = ClientOutput(_last_message(stream), usage=_spent(stream, log), model=model)
    failure = next((each for each in reversed(stream) if each.get("type") == "turn.failed"), None)
    if failure is not None:
        why = text_of(inside(failure, "error").get("message")) or "the turn failed"
        return output._replace(error=why, refused=bool(_REFUSED.search(why)))
    if not any(each.get("type") == "turn.completed" for each in stream):
        return output._replace(text=None)
    return output


def _last_message(stream: Sequence[Event]) -> str | None:
    done = [inside(each, "item") for each in stream if each.get("type") == "item.completed"]
    texts = [text_of(item.get("text")) for item in done if item.get("type") == "agent_message"]
    return texts[-1] if texts else None


def _spent(stream: Sequence[Event], log: Sequence[Event]) -> Usage | None:
    """The turn's usage; input includes what was cached, and output what was reasoned."""
    records = [inside(each, "payload") for each in log if each.get("type") == "token_usage_record"]
    totals = [inside(each, "usage") for each in stream if each.get("type") == "turn.completed"]
    totals = totals or [inside(each, "turn_token_usage") for each in records]
    if not totals:
        return None
    total = totals[-1]
    return Usage(
        input_tokens=number(total.get("input_tokens")),
        output_tokens=number(total.get("output_tokens")),
        cache_read_tokens=number(total.get("cached_input_tokens")),
        cache_write_tokens=number(total.get("cache_write_input_tokens")),
        requests=len(records) or 1,
    )


BACKEND = CodexBackend()
