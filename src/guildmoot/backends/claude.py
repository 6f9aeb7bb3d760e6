"""Claude Code: ``claude -p`` without settings, memory, plugins or session files; a judge has no tools.

With a key it runs ``--bare`` in a scratch home, and the request holds our text alone. A login lives in
the user's home (or keychain), which ``--bare`` does not read; then the home is the user's, with every
source of settings and memory switched off. File mentions are off in both: otherwise ``@/etc/passwd`` in
the work under review would be read and sent.

It prints events as they come, so what was spent is known even when it is killed: the same numbers as
in a session log, without leaving one. The session's id is made from the call, so that a call made twice
can be seen at the provider. Costs are left out: it prices a model that it does not know as another one.

At work it is not ``--bare``, which would leave it three tools. ``--restricted`` keeps its tools for files
inside the folder; a command that its rules allow is run as the user. Behind a fence it keeps its state in the scratch
home, into which a login is linked; without one it sees the user's home on a login.
"""

from __future__ import annotations

import json
import os
import sys
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
from guildmoot.backends.http.dialects.base import ending_of
from guildmoot.backends.programs import home_of
from guildmoot.backends.providers import PROVIDERS
from guildmoot.backends.work import PAID_OUT, rules_of, tools_of
from guildmoot.model.call import Call, Usage, Work
from guildmoot.system.process import ProcessResult

_FLAGS = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
    *("--include-partial-messages", "--setting-sources", ""),
    *("--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"),
)
_ANSWER = " There is one exception, StructuredOutput: give your answer through it."
_ENVIRONMENT = {
    "CLAUDE_CODE_MAX_RETRIES": str(ATTEMPTS - 1),
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",  # it differs with the text, before all that is cached
    **{
        f"CLAUDE_CODE_DISABLE_{what}": "1"
        for what in (
            *("NONESSENTIAL_TRAFFIC", "FILE_MENTIONS", "ATTACHMENTS", "CLAUDE_MDS", "AUTO_MEMORY"),
            # Each of these would ask again, or ask another model, without a word.
            *("NONSTREAMING_FALLBACK", "REFUSAL_FALLBACK", "MODEL_ACCESS_FALLBACK"),
        )
    },
}
_OAUTH = "CLAUDE_CODE_OAUTH_TOKEN"
_PAID_OUT = "error_max_budget_usd"
_COUNTED = (
    *("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
)


class ClaudeBackend(ClientBackend):
    """``backend: claude``."""

    name = "claude"
    package = "@anthropic-ai/claude-code"
    folder = ".claude"
    keys = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", _OAUTH)
    provider = PROVIDERS["anthropic"]
    login = "run `claude` once and type /login"
    tools = ()

    def logins(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home_of(environ), self.folder)
        return (Path(folder, ".credentials.json"),)

    def logged_in(self, environ: Mapping[str, str]) -> bool:
        return sys.platform == "darwin" or super().logged_in(environ)  # there it is in the keychain

    def start(self, call: Call, scratch: ScratchFolders, access: Access) -> Launch:
        model = model_of(call)
        arguments = [*_FLAGS, *(_work_flags(call.work) if call.work else _judge_flags(call))]
        env = {**_ENVIRONMENT, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(call.max_output)}
        if call.effort:
            env["CLAUDE_CODE_EFFORT_LEVEL"] = call.effort
        if model:
            arguments += ["--model", model]
        if call.schema is not None:
            arguments += ["--json-schema", json.dumps(call.schema)]
        if access.base_url:
            env[self.provider.url_variable] = access.base_url
        if access.key:
            env[access.key_name] = access.key
        if call.work and call.work.fence:  # behind it the user's home is read-only
            folder = scratch.home / self.folder
            folder.mkdir()
            env |= {"CLAUDE_CONFIG_DIR": str(folder), "CLAUDE_CODE_TMPDIR": str(scratch.tmp)}
            link_logins(() if access.key else self.logins(os.environ), folder)
        elif not access.key or access.key_name == _OAUTH:
            env |= {
                name: os.environ[name]
                for name in ("HOME", "CLAUDE_CONFIG_DIR")
                if name in os.environ
            }
        elif not call.work:  # it would take most tools away
            arguments.append("--bare")
        return Launch(arguments, env, _message(call) + "\n")

    def step(self, event: Event, before: str) -> str:
        if event.get("type") != "system" or event.get("subtype") == "compact_boundary":
            return ""
        return text_of(event.get("status")) if event.get("subtype") == "status" else before

    def read(self, result: ProcessResult, scratch: ScratchFolders) -> ClientOutput:
        return read_events(events(result.stdout))


def _judge_flags(call: Call) -> list[str]:
    prompt = INSTRUCTIONS if call.schema is None else INSTRUCTIONS + _ANSWER
    return ["--tools", "", "--session-id", session_id(call), "--system-prompt", prompt]


def _work_flags(work: Work) -> list[str]:
    """What the rules do not allow is denied, and the tools for files stay inside the folder."""
    flags = ["--restricted", "--permission-prompts", "none", "--tools", ",".join(tools_of(work))]
    if work.max_usd is not None:
        flags += ["--max-budget-usd", str(work.max_usd)]
    if work.anchor:
        flags += ["--append-system-prompt", work.anchor]
    return [*flags, "--allowedTools", *rules_of(work)]


def session_id(call: Call) -> str:
    """The same for the same call of the same seat, and for no other."""
    from uuid import NAMESPACE_URL, uuid5  # slow to load

    ours = uuid5(NAMESPACE_URL, "guildmoot:claude")
    return str(uuid5(ours, json.dumps([call.seat.name, model_of(call), call.prompt])))


def read_events(stream: Sequence[Event]) -> ClientOutput:
    """What Claude Code's events say. ``is_error`` decides; its ``subtype`` says success either way."""
    usage, model = _spent(stream)
    result: Event = next((each for each in reversed(stream) if each.get("type") == "result"), {})
    output = ClientOutput(usage=usage, model=model)
    if not result:
        return output
    text = text_of(result.get("result"))
    if result.get("is_error") or result.get("subtype") != "success":
        why = text or "; ".join(map(str, result.get("errors") or ())) or str(result.get("subtype"))
        if result.get("subtype") == _PAID_OUT:
            return output._replace(error=f"{PAID_OUT}: {why}", ending=PAID_OUT)
        refused = any(each.get("error") == "authentication_failed" for each in stream)
        return output._replace(error=why, refused=refused)
    if usage is None:
        return output._replace(
            error=f"it took the prompt for a command and asked no model ({text})"
        )
    form = result.get("structured_output")
    if form is not None:  # given through a tool, and checked by the client
        return output._replace(text=json.dumps(form))
    stops = [inside(each, "event", "delta").get("stop_reason") for each in stream]
    told = [stop for stop in (*stops, result.get("stop_reason")) if stop]
    return output._replace(text=text, ending=ending_of(told[-1:]) if told else "")


def _spent(stream: Sequence[Event]) -> tuple[Usage | None, str]:
    """What the provider told of every message, begun or finished, and which model it named last."""
    messages: list[dict[str, int]] = []
    model = ""
    for each in stream:
        event = inside(each, "event")
        if event.get("type") == "message_start":
            messages.append(dict.fromkeys(_COUNTED, 0))
            model = text_of(inside(event, "message").get("model")) or model
        counts = inside(event, "message", "usage") or inside(event, "usage")
        if messages:
            for name in _COUNTED:
                messages[-1][name] = max(messages[-1][name], number(counts.get(name)))
    if not messages:
        return None, model
    fresh, output, read, written = (sum(each[name] for each in messages) for name in _COUNTED)
    return Usage(fresh + read + written, output, read, written, len(messages)), model


def _message(call: Call) -> str:
    """One message; what all seats share is a block of its own, which the provider may cache."""
    prompt = call.prompt.encode("utf-8", errors="backslashreplace").decode()
    shared = len(call.prompt[: call.shared].encode("utf-8", errors="backslashreplace").decode())
    blocks: list[dict[str, object]] = [{"type": "text", "text": prompt}]
    if shared and prompt[shared:].strip():
        blocks = [
            {"type": "text", "text": prompt[:shared], "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": prompt[shared:]},
        ]
    return json.dumps({"type": "user", "message": {"role": "user", "content": blocks}})


BACKEND = ClaudeBackend()
