"""Gemini CLI: one question in a scratch home that holds nothing but its settings; a judge has no tools.

Without a model it would ask a smaller one which to use, so the alias ``pro`` is named. A login by
Google account is linked in. Gemini CLI tells no cost; its exit code is the HTTP status cut to a byte, so
the error object that it prints is read instead.

It runs as in a folder that the user does not trust: otherwise it would obey ``.gemini/.env`` there and in
every folder above, which may name another server, and GEMINI.md, which no setting switches off. At work
the tools of the scope are allowed by a rule of ours; git and commands that it deems dangerous it refuses.
"""

from __future__ import annotations

import json
import os
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
    last_object,
    link_logins,
    model_of,
    number,
    text_of,
)
from guildmoot.backends.programs import home_of
from guildmoot.backends.providers import PROVIDERS
from guildmoot.backends.work import tools_of
from guildmoot.model.call import Call, Usage
from guildmoot.system.process import ProcessResult

_DEFAULT_MODEL = "pro"
_LOGIN_FILES = ("oauth_creds.json", "google_accounts.json", "gemini-credentials.json")
_TOOLS = {
    "Read": ("read_file", "read_many_files"),
    "Glob": ("glob", "list_directory"),
    "Grep": ("grep_search",),
    "Edit": ("replace",),
    "Write": ("write_file",),
    "Bash": ("run_shell_command",),
    "WebFetch": ("web_fetch",),
    "WebSearch": ("google_web_search",),
}
"""The program's own names for tools."""
_ALLOW = """\
[[rule]]
toolName = {tools}
decision = "allow"
priority = 900
allowRedirection = true
"""
"""Nobody is there to approve; which tools there are is the setting's to say."""
_PROJECT = "GOOGLE_CLOUD_PROJECT"
_REFUSED = (41, 401, 403)
_FLAGS = ("-o", "json", "--skip-trust=false")  # an old one that knows no trust stops at this
_ENVIRONMENT = {
    "GEMINI_CLI_NO_RELAUNCH": "true",
    "GEMINI_CLI_TRUST_WORKSPACE": "false",
    # What is set, even to nothing, cannot be set by a file.
    "GEMINI_SYSTEM_MD": "",
    "GEMINI_WRITE_SYSTEM_MD": "",
    "GOOGLE_VERTEX_BASE_URL": "",
    "CODE_ASSIST_ENDPOINT": "https://cloudcode-pa.googleapis.com",
    "GEMINI_CLI_CUSTOM_HEADERS": "",
}


class GeminiBackend(ClientBackend):
    """``backend: gemini``."""

    name = "gemini"
    package = "@google/gemini-cli"
    folder = ".gemini"
    keys = ("GEMINI_API_KEY",)
    provider = PROVIDERS["google"]
    login = "run `gemini` once and log in with Google"
    tools = tuple(_TOOLS)

    def logins(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        folder = Path(environ.get("GEMINI_CLI_HOME") or home_of(environ), self.folder)
        return tuple(folder / name for name in _LOGIN_FILES)

    def start(self, call: Call, scratch: ScratchFolders, access: Access) -> Launch:
        folder = scratch.home / self.folder
        folder.mkdir()
        how = "gemini-api-key" if access.key else "oauth-personal"
        named = tools_of(call.work) if call.work else ()
        tools = [each for name in named for each in _TOOLS[name]]
        (folder / "settings.json").write_text(json.dumps(settings(how, tools, call.max_output)))
        url = access.base_url or self.provider.base_url
        env = {**_ENVIRONMENT, self.provider.url_variable: url}
        if call.work:
            (folder / "policies").mkdir()
            (folder / "policies" / "work.toml").write_text(_ALLOW.format(tools=json.dumps(tools)))
        else:
            (folder / "system.md").write_text(INSTRUCTIONS)
            env["GEMINI_SYSTEM_MD"] = str(folder / "system.md")
        if access.key:
            env[access.key_name] = access.key
        else:
            link_logins(self.logins(os.environ), folder)
            env |= {_PROJECT: os.environ[_PROJECT]} if _PROJECT in os.environ else {}
        model = model_of(call) or _DEFAULT_MODEL
        return Launch([*_FLAGS, "-m", model], env, call.prompt)

    def read(self, result: ProcessResult, scratch: ScratchFolders) -> ClientOutput:
        output = read_output(result.stdout, result.stderr)
        if output.usage:
            return output
        logs = sorted((scratch.home / self.folder / "tmp").glob("*/chats/*.jsonl"))
        return output._replace(usage=read_log([row for log in logs for row in events(log.read_bytes())]))  # fmt: skip


def settings(how: str, tools: Sequence[str] = (), max_output: int = 0) -> dict[str, object]:
    """The whole configuration; ``how`` is one of the program's words for a way to log in."""
    off = {"enabled": False}
    limit = {"generateContentConfig": {"maxOutputTokens": max_output}}
    return {
        "security": {"auth": {"selectedType": how}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {
            "maxAttempts": ATTEMPTS,
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "topicUpdateNarration": False,
            "plan": off,
        },
        "tools": {"core": [*tools] or ["none"]},  # an allow-list; an empty one would allow all
        "experimental": {"enableAgents": False},
        "skills": off,
        "hooksConfig": off,
        "ide": off,
        "context": {"includeDirectoryTree": False, "fileName": []},
        "advanced": {"ignoreLocalEnv": True},
        "model": {"disableLoopDetection": True},
        "modelConfigs": {
            "customOverrides": [{"match": {"overrideScope": "core"}, "modelConfig": limit}]
        },
    }


def read_output(stdout: bytes, stderr: bytes) -> ClientOutput:
    """What the one object says: a response with its statistics, or an error on standard error."""
    printed = last_object(stdout) or last_object(stderr)
    models = inside(printed, "stats", "models")
    output = ClientOutput(usage=_spent(models), model=_main(models))
    error = inside(printed, "error")
    if error:
        why = _innermost(text_of(error.get("message"))) or "it failed without a reason"
        code = error.get("code")
        refused = code in _REFUSED or "API key not valid" in why
        return output._replace(error=f"{why} ({code})", refused=refused)
    response = printed.get("response")
    return output._replace(text=response) if isinstance(response, str) else output


def _spent(models: Event) -> Usage | None:
    """The sum over the models; prompts include what was cached, and thoughts are paid as output."""
    if not models:
        return None
    tokens = [inside(models, name, "tokens") for name in models]
    requests = [inside(models, name, "api").get("totalRequests") for name in models]
    return Usage(
        input_tokens=sum(number(each.get("prompt")) for each in tokens),
        output_tokens=sum(
            number(each.get("candidates")) + number(each.get("thoughts")) for each in tokens
        ),
        cache_read_tokens=sum(number(each.get("cached")) for each in tokens),
        requests=sum(map(number, requests)),
    )


def read_log(rows: Sequence[Event]) -> Usage | None:
    """What a session took so far: its program says it at the end alone, and is not always let to come there."""
    last = {text_of(row.get("id")): inside(row, "tokens") for row in rows if row.get("tokens")}
    if not last:
        return None
    told = list(last.values())  # a message is written again when its tools have answered
    return Usage(
        input_tokens=sum(number(each.get("input")) for each in told),
        output_tokens=sum(
            number(each.get("output")) + number(each.get("thoughts")) for each in told
        ),
        cache_read_tokens=sum(number(each.get("cached")) for each in told),
        requests=len(told),
    )


def _main(models: Event) -> str:
    """The model that answered; others may have helped."""
    return max(
        models,
        key=lambda name: number(inside(models, name, "roles", "main").get("totalRequests")),
        default="",
    )


def _innermost(message: str) -> str:
    """A provider's error arrives as JSON inside the message, sometimes more than once."""
    try:
        inner = inside(json.loads(message), "error").get("message")
    except ValueError:
        return message
    return _innermost(inner) if isinstance(inner, str) else message


BACKEND = GeminiBackend()
