"""What each host's settings say with the guard in them, and without. Pure: texts in, texts out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.hooks.events import SEED_EVENTS

Json = dict[str, object]
_SECONDS = 600
_MARK = "# guild guard"
_BOM = "\ufeff"
CLAUDE_EVENTS = (
    *SEED_EVENTS,
    "PostToolUseFailure",
    "PermissionDenied",
    "SessionEnd",
    "ConfigChange",
)
CODEX_EVENTS = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"),
    *("SubagentStop", "Stop", "SessionEnd"),
)
GEMINI_EVENTS = (
    *("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "PreCompress", "AfterAgent"),
    "SessionEnd",
)
CLAUDE_DENY = (
    *("Read(./.env)", "Read(./.env.*)", "Read(~/.ssh/**)", "Read(~/.aws/credentials)"),
    *("Edit(.git/hooks/**)", "Edit(~/.bashrc)", "Edit(~/.zshrc)", "Edit(~/.ssh/**)"),
    *("Bash(rm -rf /)", "Bash(rm -rf /*)", "Bash(rm -rf ~)", "Bash(rm -rf ~/)", "Bash(mkfs*)"),
)
"""The second layer: Claude Code's own rules, which count even where hooks do not run."""
GEMINI_POLICY = """# guild guard: a second layer beside the hook, made by guild guard install.
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["rm -rf /", "rm -rf ~", "mkfs", "dd of=/dev/"]
decision = "deny"
priority = 900
denyMessage = "guild guard: this destroys what nothing can bring back. Name files inside the project."

[[rule]]
toolName = ["write_file", "replace"]
argsPattern = "(\\\\.git/hooks/|\\\\.ssh/|\\\\.bashrc|\\\\.zshrc)"
decision = "deny"
priority = 900
denyMessage = "guild guard: this file starts programs or holds keys. A person changes it."
"""
CODEX_LINE = 'sandbox_mode = "workspace-write" # guild guard'


class SettingsFile(NamedTuple):
    """One file of a host, and what becomes of its text."""

    path: Path
    add: Callable[[str], str]
    """With the guard in it; UsageError when the text cannot be changed safely."""
    take_out: Callable[[str, str | None], str]
    """Without what we put in, whatever else changed since; empty when nothing else is in it. What the second
    text, of before the installation, had already is not ours; without one, only what names our handler is."""
    recorded: bool = True
    """Whether its old bytes are kept; ours may also be marked in the file itself."""


def settings_files(
    host: str, project: Path | None, home: Path, handler: Path
) -> list[SettingsFile]:
    """The files of a host: below ``project``, or the user's own."""
    base = project or home
    if host == "claude":
        name = "settings.local.json" if project else "settings.json"
        return [_json_file(base / ".claude" / name, _claude(handler), handler, CLAUDE_DENY)]
    if host == "codex":
        folder = base / ".codex"
        return [
            _json_file(folder / "hooks.json", _codex(handler), handler),
            SettingsFile(folder / "config.toml", _add_line, lambda text, _: _drop_line(text)),
        ]
    found = [_json_file(base / ".gemini" / "settings.json", _gemini(handler), handler)]
    if not project:  # Gemini does not read a project's policies
        policy = home / ".gemini" / "policies" / "guild-guard.toml"
        found.append(
            SettingsFile(
                policy,
                lambda text: GEMINI_POLICY + text.replace(GEMINI_POLICY, ""),
                lambda text, _: text.replace(GEMINI_POLICY, ""),
            )
        )
    return found


def exclude_file(path: Path, names: Sequence[str]) -> SettingsFile:
    """Git's own list of this working copy, so that no stash, clean or commit takes settings of ours along."""
    ours = {name: f"{_MARK}\n{name}\n" for name in names}

    def add(text: str) -> str:
        missing = [each for name, each in ours.items() if name not in text.splitlines()]
        gap = "\n" if missing and text and not text.endswith("\n") else ""
        return f"{text}{gap}{''.join(missing)}"

    def take_out(text: str, _before: str | None) -> str:
        for each in ours.values():
            text = text.replace(each, "")
        return text

    return SettingsFile(path, add, take_out, recorded=False)


def _claude(handler: Path) -> Json:
    entries: Json = {}
    for event in CLAUDE_EVENTS:
        hook: Json = {
            "type": "command",
            "command": str(handler),
            "args": ["claude"],
            "timeout": _SECONDS,
        }
        if event == "PreToolUse":
            hook["onFailure"] = "block"
        entries[event] = [{"hooks": [hook]}]
    return entries


def _codex(handler: Path) -> Json:
    hook = {"type": "command", "command": f"{shlex.quote(str(handler))} codex", "timeout": _SECONDS}
    brief = {**hook, "timeout": 3}  # codex gives the end of a session no more
    return {
        event: [{"hooks": [brief if event == "SessionEnd" else hook]}] for event in CODEX_EVENTS
    }


def _gemini(handler: Path) -> Json:
    hook = {
        "name": "guild-guard",
        "type": "command",
        "command": f"{shlex.quote(str(handler))} gemini",
        "timeout": _SECONDS * 1000,
    }
    return {event: [{"hooks": [hook]}] for event in GEMINI_EVENTS}


def _json_file(
    path: Path, entries: Json, handler: Path, deny: tuple[str, ...] = ()
) -> SettingsFile:
    def take_out(text: str, before: str | None) -> str:
        kept = deny_rules(before, str(path)) if before is not None else list(deny)
        return take_out_hooks(text, handler, [rule for rule in deny if rule not in kept], str(path))

    return SettingsFile(
        path, lambda text: add_hooks(text, entries, handler, deny, str(path)), take_out
    )


def add_hooks(text: str, entries: Json, handler: Path, deny: tuple[str, ...], where: str) -> str:
    """The settings with our hooks and rules; what was there stays, and ours stand there once."""
    table = _parsed(take_out_hooks(text, handler, (), where) or "{}", where)
    hooks = _table(table, "hooks", where)
    for event, groups in entries.items():
        known = hooks.get(event, [])
        if not isinstance(known, list) or not isinstance(groups, list):
            raise _odd(where, f"hooks.{event} is no list")
        hooks[event] = [*known, *groups]
    table["hooks"] = hooks
    if deny:
        permissions = _table(table, "permissions", where)
        rules = permissions.get("deny", [])
        if not isinstance(rules, list):
            raise _odd(where, "permissions.deny is no list")
        permissions["deny"] = [*rules, *(rule for rule in deny if rule not in rules)]
        table["permissions"] = permissions
    if text.strip() and table == _parsed(text, where):
        return text
    return _text(table, text)


def take_out_hooks(text: str, handler: Path, rules: Sequence[str], where: str) -> str:
    """The settings without what names our handler and without these deny rules; empty when that was all.

    What is the user's own stays as it is written, an empty table of theirs too.
    """
    if not text.strip():
        return ""
    table = _parsed(text, where)
    hooks = table.get("hooks")
    if isinstance(hooks, dict):
        kept = {event: _without(groups, str(handler)) for event, groups in hooks.items()}
        kept = {event: left for event, left in kept.items() if left != [] or not hooks[event]}
        table["hooks"] = kept
        if hooks and not kept:
            del table["hooks"]
    ours = [rule for rule in deny_rules(text, where) if rule in rules]
    if ours:
        permissions = _table(table, "permissions", where)
        permissions["deny"] = [rule for rule in deny_rules(text, where) if rule not in ours]
        if not permissions["deny"]:
            del permissions["deny"]
        table["permissions"] = permissions
        if not permissions:
            del table["permissions"]
    if table == _parsed(text, where):
        return text
    return _text(table, text) if table else ""


def deny_rules(text: str, where: str) -> list[object]:
    """The deny rules that stand in settings."""
    permissions = _parsed(text, where).get("permissions") if text.strip() else None
    rules = permissions.get("deny") if isinstance(permissions, dict) else None
    return rules if isinstance(rules, list) else []


def layers_without_hooks(project: Path | None, home: Path) -> list[Path]:
    """The settings of Claude Code, of every layer, that say that no hook is run."""
    paths = [home / ".claude/settings.json", Path("/etc/claude-code/managed-settings.json")]
    paths.append(Path("/Library/Application Support/ClaudeCode/managed-settings.json"))
    if project:
        paths += [project / ".claude/settings.json", project / ".claude/settings.local.json"]
    return [path for path in paths if hooks_are_off(_text_of(path))]


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def hooks_are_off(text: str) -> bool:
    """Whether settings of Claude Code say that no hook is run at all."""
    try:
        table = json.loads(text.removeprefix(_BOM))
    except (ValueError, RecursionError):
        return False
    return isinstance(table, dict) and table.get("disableAllHooks") is True


def _without(groups: object, handler: str) -> object:
    if not isinstance(groups, list):
        return groups
    kept = []
    for group in groups:
        inner = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(inner, list):
            kept.append(group)
            continue
        left = [hook for hook in inner if not _is_ours(hook, handler)]
        if left or not inner:
            kept.append({**group, "hooks": left})
    return kept


def _is_ours(hook: object, handler: str) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and (
        command == handler or command.startswith(f"{shlex.quote(handler)} ")
    )


def _parsed(text: str, where: str) -> Json:
    try:
        table = json.loads(text.removeprefix(_BOM))
    except (ValueError, RecursionError) as wrong:
        raise _odd(where, f"it is no JSON: {wrong}") from None
    if not isinstance(table, dict):
        raise _odd(where, "it is no JSON object")
    return table


def _table(table: Mapping[str, object], name: str, where: str) -> Json:
    held = table.get(name, {})
    if not isinstance(held, dict):
        raise _odd(where, f"{name} is no object")
    return dict(held)


def _odd(where: str, why: str) -> UsageError:
    return UsageError(f"{where} cannot be changed safely: {why}.", "Mend it, then run this again.")


def _text(table: Json, like: str) -> str:
    """As the file is written: its indentation, its line ends, its last newline, its mark of Unicode."""
    rows = like.splitlines()
    second = rows[1] if len(rows) > 1 else "  "
    indent = second[: len(second) - len(second.lstrip())] or "  "
    end = "\n" if not like or like.endswith("\n") else ""
    made = json.dumps(table, indent=indent, ensure_ascii=False) + end
    made = made.replace("\n", "\r\n") if "\r\n" in like else made
    return _BOM + made if like.startswith(_BOM) else made


def _add_line(text: str) -> str:
    """Codex's own sandbox, unless somebody chose one."""
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise _odd("config.toml of codex", str(wrong)) from None
    return text if "sandbox_mode" in table else f"{CODEX_LINE}\n{text}"


def _drop_line(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() != CODEX_LINE)
