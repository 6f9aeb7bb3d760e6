"""One hook event, whichever host sent it. Plain classes: this is imported on every call of a coding agent.

Events and tools go by Claude Code's names; what is not known keeps its own.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOSTS = ("claude", "codex", "gemini")
PRE, POST = "PreToolUse", "PostToolUse"
SEED_EVENTS = (
    *("SessionStart", "UserPromptSubmit", PRE, POST, "PreCompact", "SubagentStop", "Stop"),
    *("TaskCreated", "TaskCompleted", "TeammateIdle"),
)
"""The ten events of the lifecycle."""
KNOWN_EVENTS = frozenset((
    *SEED_EVENTS,
    *("PostToolUseFailure", "PostToolBatch", "PermissionRequest", "PermissionDenied", "SessionEnd"),
    *("UserPromptExpansion", "Setup", "StopFailure", "SubagentStart", "PostCompact", "Notification"),
    *("PreModelSwitch", "PostModelSwitch", "WorktreeCreate", "WorktreeRemove", "ConfigChange"),
    *("Elicitation", "ElicitationResult", "InstructionsLoaded", "CwdChanged", "FileChanged"),
    *("DirectoryAdded", "MessageDisplay", "PreModelRequest", "PostModelRequest", "Interrupt"),
    "BeforeToolSelection",
))  # fmt: skip
_GEMINI_EVENTS = {
    "BeforeTool": PRE,
    "AfterTool": POST,
    "BeforeAgent": "UserPromptSubmit",
    "AfterAgent": "Stop",
    "PreCompress": "PreCompact",
    "BeforeModel": "PreModelRequest",
    "AfterModel": "PostModelRequest",
    "BeforeToolSelection": "BeforeToolSelection",
}
_GEMINI_TOOLS = {
    "run_shell_command": "Bash",
    "write_file": "Write",
    "replace": "Edit",
    "read_file": "Read",
    "read_many_files": "Read",
    "list_directory": "LS",
    "glob": "Glob",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
}
_SHELLS = (
    "Bash",
    "bash",
    "shell",
    "local_shell",
    "exec_command",
    "unified_exec",
    "PowerShell",
    "Monitor",
)


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class MalformedEvent(Exception):
    """What came is no event; the message says why."""

    deep = False
    """Whether it could not be read because it is nested too deeply."""


class HookEvent:
    """One event."""

    __slots__ = (
        "cwd",
        "data",
        "env",
        "host",
        "known",
        "name",
        "own_name",
        "own_tool",
        "tool",
        "tool_input",
    )

    def __init__(self, data: Mapping[str, object], host: str, env: Mapping[str, str]) -> None:
        self.data = data
        self.env = env
        self.own_name = self.text("hook_event_name")
        self.name = _GEMINI_EVENTS.get(self.own_name) or _named(self.own_name)
        self.host = host or _host(self)
        self.known = self.name in KNOWN_EVENTS
        self.own_tool = self.text("tool_name")
        self.tool = _tool(self.own_tool)
        given = data.get("tool_input")
        self.tool_input: Mapping[str, object] = given if isinstance(given, dict) else {}
        self.cwd = self.text("cwd") or env.get("PWD", "")

    def text(self, name: str) -> str:
        """A field that is a text; empty for any other."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    @property
    def project(self) -> str:
        """The folder that the host names as its project."""
        names = ("GUILD_CWD", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
        return next((self.env[name] for name in names if self.env.get(name)), self.cwd)

    @property
    def command(self) -> str:
        """The shell command of the call; empty where it runs none."""
        if self.tool != "Bash":
            return ""
        given = self.tool_input.get("command", self.tool_input.get("cmd"))
        if isinstance(given, list):
            words = [str(word) for word in given]
            if len(words) == 3 and words[1] in ("-c", "-lc"):
                return words[2]
            return " ".join(map(_quoted, words))
        return given if isinstance(given, str) else ""

    @property
    def run_id(self) -> str:
        """The run that this belongs to, as the environment names it; empty for none."""
        return self.env.get("GUILD_RUN_ID", "")

    @property
    def digest(self) -> str:
        """Names one call of one session: host, session, tool, input, place."""
        import hashlib
        import json

        plain = json.dumps(dict(self.tool_input), sort_keys=True, default=str)
        told = "\0".join((self.host, self.text("session_id"), self.own_tool, self.cwd, plain))
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def question(self) -> str:
        """The id of the question whether this call may happen."""
        return self.digest[:8]

    def run_place(self) -> tuple[str, str] | None:
        """The folder in which ``GUILD_RUN_ID`` names an existing run, and the run's place in it; none behind a link."""
        name = self.run_id
        if not name or name[0] in ".-" or len(name) > 128 or not _LETTERS.issuperset(name):
            return None
        inner = f".guild/runs/{name}"
        for start in dict.fromkeys((self.project, self.cwd)):
            at = os.path.abspath(start) if start else ""
            while at:
                if os.path.isdir(os.path.join(at, inner)):
                    parts = (".guild", ".guild/runs", inner)
                    linked = any(os.path.islink(os.path.join(at, part)) for part in parts)
                    return None if linked else (at, inner)
                above = os.path.dirname(at)
                at = "" if above == at else above
        return None


def read_event(raw: bytes, host: str, env: Mapping[str, str]) -> HookEvent:
    """The event; MalformedEvent when it is none."""
    import json

    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as wrong:
        problem = MalformedEvent(f"it is no JSON: {wrong}")
        problem.deep = isinstance(wrong, RecursionError)
        raise problem from None
    if not isinstance(data, dict):
        raise MalformedEvent("it is no JSON object")
    event = HookEvent(data, host, env)
    if not event.own_name:
        raise MalformedEvent("it names no hook_event_name")
    if event.name == PRE and not event.own_tool:
        raise MalformedEvent("it names no tool_name")
    if event.name == PRE and not isinstance(data.get("tool_input"), dict):
        raise MalformedEvent("its tool_input is no object")
    return event


def _named(own: str) -> str:
    """An event's name whatever its case; a new one keeps its own."""
    low = own.lower()
    return next((name for name in KNOWN_EVENTS if name.lower() == low), own[:1].upper() + own[1:])


def _host(event: HookEvent) -> str:
    if event.own_name in _GEMINI_EVENTS:
        return "gemini"
    return "codex" if "turn_id" in event.data else "claude"


def _tool(own: str) -> str:
    if own in _SHELLS:
        return "Bash"
    if own == "apply_patch":
        return "Edit"
    return _GEMINI_TOOLS.get(own, own)


def _quoted(word: str) -> str:
    plain = word and all(char.isalnum() or char in "@%+=:,./-_" for char in word)
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"
