"""Tools other than the shell: judged by the files and addresses that their input names."""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Invocation
from guildmoot.guard.commands.policy import bound, judge_command, settle
from guildmoot.guard.commands.words import names
from guildmoot.guard.decision import GuardPolicy, worst
from guildmoot.guard.rules.databases import dangerous_sql
from guildmoot.guard.rules.files import loss
from guildmoot.guard.rules.protected import protected, secret_level
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import absolute, inside, kind_of, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guildmoot.guard.decision import Decision
    from guildmoot.guard.scopes.rules import Scope
    from guildmoot.guard.site import Site

SHELL_TOOLS = names(
    "Bash bash run_shell_command shell exec_command local_shell execute_command terminal PowerShell"
)
WRITE_TOOLS = names("""Write Edit MultiEdit NotebookEdit write_file replace edit_file create_file apply_patch
    str_replace str_replace_editor str_replace_based_edit_tool edit write""")
READ_TOOLS = names("Read NotebookRead read_file read_many_files read View view")
WEB_TOOLS = names("WebFetch web_fetch WebSearch google_web_search fetch web_search")
_PATHS = (
    "file_path",
    "path",
    "notebook_path",
    "absolute_path",
    "filePath",
    "filename",
    "target",
    "source",
    "destination",
)
_PATCH = (
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "+++ b/",
    "--- a/",
)
_METADATA = ("169.254.169.254", "metadata.google.internal", "fd00:ec2::254", "100.100.100.200")
_DEFAULT = GuardPolicy()


def judge_tool(
    tool: str,
    given: Mapping[str, object],
    site: Site,
    scope: Scope | None = None,
    policy: GuardPolicy = _DEFAULT,
) -> Decision:
    """What is to be done with one call of a tool. Tools that nobody knows are judged by their input."""
    command = shell_text(tool, given)
    if command is not None:
        return judge_command(command, site, scope, policy)
    decision = worst((*_judgements(tool, given, site), *_carried(tool, given, site)))
    if scope is not None:
        if tool in SHELL_TOOLS or _odd_paths(tool, given):
            return ruling("scope-malformed", part=tool)
        from guildmoot.guard.scopes.check import check_tool

        decision = bound(decision, check_tool(tool, given, named_paths(tool, given), scope, site))
    return settle(decision, policy)


_MOST_DEEP = 12
_COMMANDS = names("command cmd script shell bash commandline command_line shell_command commands")


def _carried(tool: str, given: Mapping[str, object], site: Site) -> Iterator[Decision]:
    """Commands in the fields of any tool, whatever it is called; settings and worktrees that a tool takes away."""
    todo: list[tuple[object, int]] = [(given, 0)]
    while todo:
        value, depth = todo.pop()
        if depth > _MOST_DEEP:
            yield ruling("too-deep", part=tool)
            return
        inner: list[object] = value if isinstance(value, list) else []
        if isinstance(value, dict):
            inner = list(value.values())
            if tool.startswith("mcp"):
                yield from (judge_command(text, site) for text in _commands(value))
        todo += [(one, depth + 1) for one in inner if isinstance(one, dict | list)]
    if tool == "Config" and "hooks" in str(dict(given)).lower():
        yield ruling("guard-off", part=tool)
    if tool == "ExitWorktree" and given.get("action") == "remove" and given.get("discard_changes"):
        yield ruling("worktree-loss", part=tool)


def _commands(given: Mapping[str, object]) -> Iterator[str]:
    for key, value in given.items():
        if key.lower() not in _COMMANDS:
            continue
        args = given.get("args", given.get("arguments"))
        more = [one for one in args if isinstance(one, str)] if isinstance(args, list) else []
        if isinstance(value, str) and value:
            yield " ".join((value, *map(_quoted, more), args if isinstance(args, str) else ""))
        elif isinstance(value, list):
            words = [one for one in value if isinstance(one, str)]
            yield " ".join(map(_quoted, words)) if key != "commands" else "\n".join(words)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _odd_paths(tool: str, given: Mapping[str, object]) -> bool:
    """Whether a call writes or reads a file and does not say which one in plain text."""
    paths = named_paths(tool, given)
    told = [given[key] for key in _PATHS if key in given]
    odd = any(not isinstance(one, str) or not one or "\0" in one for one in told)
    return odd or any("\0" in path for path in paths) or (tool in WRITE_TOOLS and not paths)


def shell_text(tool: str, given: Mapping[str, object]) -> str | None:
    """The shell command of a call, where it is one; a list of words is quoted again."""
    name = tool.rpartition("__")[2] if tool.startswith("mcp") else tool
    known = name in SHELL_TOOLS or (
        tool.startswith("mcp")
        and any(word in name.lower() for word in ("shell", "exec", "bash", "command", "terminal"))
    )
    if not known:
        return None
    if "args" in given:
        return next(_commands(given), None)
    command = given.get("command", given.get("cmd", given.get("script")))
    if isinstance(command, str) and command:
        return command
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return " ".join(_quoted(str(word)) for word in command)
    return None


def named_paths(tool: str, given: Mapping[str, object]) -> list[str]:
    """The files that a call names."""
    found = [value for key in _PATHS if isinstance(value := given.get(key), str) and value]
    for key in ("paths", "file_paths", "files"):
        listed = given.get(key)
        if isinstance(listed, list):
            found += [one for one in listed if isinstance(one, str)]
    if tool in ("apply_patch", "Edit") or tool.startswith("mcp"):
        for key in ("input", "patch", "command", "diff"):
            text = given.get(key)
            if isinstance(text, list):
                text = "\n".join(str(part) for part in text)
            if isinstance(text, str):
                found += list(_patched(text))
    return found


def _patched(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        for mark in _PATCH:
            if line.startswith(mark):
                yield line[len(mark) :].strip()


def _judgements(tool: str, given: Mapping[str, object], site: Site) -> Iterator[Decision]:
    name = tool.rpartition("__")[2] if tool.startswith("mcp") else tool
    writes = name in WRITE_TOOLS or (
        tool.startswith("mcp")
        and any(word in name for word in ("write", "edit", "delete", "create", "move", "remove"))
    )
    for path in named_paths(tool, given):
        shown = path.removeprefix("file://")
        full = absolute(_home(shown, site), site.cwd)
        if writes and any(word in name for word in ("delete", "remove", "move")):
            lost = loss(
                kind_of(full, site.cwd, site),
                full,
                Invocation([name], site.cwd, tool),
                site,
                whole=True,
            )
            if lost and lost.action == "deny":
                yield lost
        if writes:
            found = protected(full, site)
            if found:
                found.part = found.part or f"{tool} {told(path)}"
                yield found
        elif name in READ_TOOLS or tool.startswith("mcp"):
            level = secret_level(full, site)
            if level:
                yield ruling(level, part=f"{tool} {told(path)}")
    for key in ("sql", "query", "statement") if tool.startswith("mcp") else ():
        text = given.get(key)
        if isinstance(text, str) and dangerous_sql(text):
            yield ruling("database", part=f"{tool} {text[:80]}")
    url = given.get("url")
    if isinstance(url, str):
        yield from _address(tool, url, site)


def _home(path: str, site: Site) -> str:
    return site.home + path[1:] if path == "~" or path.startswith("~/") else path


def _address(tool: str, url: str, site: Site) -> Iterator[Decision]:
    low = url.lower()
    from guildmoot.guard.families import family_spans

    if any(span.certain for span in family_spans(url)):
        yield ruling("send-secrets", part=tool)
    if low.startswith("file:"):
        full = absolute("/" + url[5:].lstrip("/"), site.cwd)
        if not inside(full, site.project):
            yield ruling("local-address", part=f"{tool} {url}")
    elif any(host in low for host in _METADATA):
        yield ruling("cloud-metadata", part=f"{tool} {url}")
