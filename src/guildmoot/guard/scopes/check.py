"""Whether a call lies within a scope; the first part that does not is told."""

from __future__ import annotations

from guildmoot.guard.commands.interpreters import SHELLS
from guildmoot.guard.commands.words import literal, names
from guildmoot.guard.commands.wrappers import HARMLESS
from guildmoot.guard.commands.written import written_files
from guildmoot.guard.decision import Decision
from guildmoot.guard.rules.network import uses_network
from guildmoot.guard.scopes.rules import Scope, matches_glob
from guildmoot.guard.site import absolute, inside, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.commands.shell import Shell
    from guildmoot.guard.site import Site

_INERT = names(
    "true false : [ test [[ wait exit return set shift cd pushd popd echo printf pwd sleep"
)
"""Builtins that change nothing outside the shell; what they expand is looked at as parts of its own."""
_OPENED = names("eval xargs trap") | HARMLESS | SHELLS
"""Programs of which only what they start has to be allowed."""
_COVERS = names(
    """sudo doas npx bunx pnpx uv poetry pipenv pdm hatch rye bundle conda mise npm pnpm yarn python python3 xvfb-run
    strace dotenv cross-env hyperfine doppler op"""
)
"""Programs whose own words name what they start, so that a rule for them is one for it."""
_STANDARD = ("/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/usr/sbin/", "/sbin/")
_PLANNING = names(
    """TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet AskUserQuestion ExitPlanMode EnterPlanMode Skill
    ToolSearch BashOutput KillShell KillBash TaskOutput TaskStop update_plan write_todos save_memory"""
)
_NOWHERE = names("/dev/null /dev/stdout /dev/stderr /dev/tty")


def _out(reason: str, part: str, scope: Scope) -> Decision:
    allowed = ", ".join(repr(rule) for rule in (scope.rules or ())[:6])
    way = (
        f"Allowed here: {allowed}." if allowed else "Work within the scope, or ask for a wider one."
    )
    return Decision("deny", "scope-outside", reason, way, part[:200])


def each(scope: Scope | None) -> Iterator[Scope]:
    """The scope and those that have to allow a call with it."""
    while scope is not None:
        yield scope
        scope = scope.also


def check_shell(shell: Shell, scope: Scope, site: Site, tool: str = "Bash") -> Decision | None:
    """None when every part of a command is allowed."""
    for one in each(scope):
        if one.problem:
            return Decision(
                "deny",
                "scope-unreadable",
                one.problem,
                "Mend the scope; until then nothing is allowed.",
            )
        if one.operations is not None and "run" not in one.operations:
            return _out("shell commands are outside the scope", "", one)
        for run in shell.runs:
            found = _check_run(run, one, site, tool)
            if found:
                return found
        found = _check_kept(shell, one, tool)
        if found:
            return found
        found = _check_code(shell, one)
        if found:
            return found
    return None


_REACHES = (
    *(
        "open(",
        "write",
        "copy",
        "rename",
        "replace",
        "move",
        "remove",
        "unlink",
        "mkdir",
        "rmtree",
        "symlink",
    ),
    *(
        "url",
        "http",
        "socket",
        "fetch",
        "request",
        "connect",
        "system",
        "popen",
        "subprocess",
        "spawn",
        "exec",
    ),
    *(
        "eval",
        "import_module",
        "__import__",
        "getattr",
        "ctypes",
        "pty",
        "shutil",
        "truncate",
        ">",
        "|",
    ),
)


def _check_code(shell: Shell, scope: Scope) -> Decision | None:
    """Where writing or the network is bounded, inline code that could do either is outside."""
    bounded = scope.writes is not None or scope.network is False or scope.rules is not None
    limited = scope.operations is not None and not {"write", "network"} <= {*scope.operations}
    if not bounded and not limited:
        return None
    for run, _, text in shell.code:
        free = scope.rules is not None and scope.writes is None and scope.network is not False
        if free and run.name not in ("awk", "gawk", "mawk", "sed"):
            continue  # a rule for python is one for its code
        if any(word in text for word in _REACHES):
            return _out(
                "inline code that may write or use the network is outside the scope",
                run.source,
                scope,
            )
    return None


_HEEDED = names(
    "PATH IFS ENV BASH_ENV HOME SHELL CDPATH TMPDIR EDITOR PAGER PS4 PROMPT_COMMAND CC CXX"
)
_HEEDED_STARTS = (
    *("LD_", "DYLD_", "GIT_", "NODE_", "NPM_", "npm_", "PYTHON", "PERL", "RUBY", "JAVA_", "JDK_"),
    *("CARGO", "RUST", "GO", "PYTEST_", "MAKE", "UV_", "PIP_", "BASH_", "CLAUDE_", "GUILD_"),
)


def _check_kept(shell: Shell, scope: Scope, tool: str) -> Decision | None:
    """A variable that stays set changes what allowed programs do, as one before a command does."""
    rules = [rule for rule in scope.rules or () if rule.names(tool)]
    if scope.rules is None or any(rule.pattern in (None, "*") for rule in rules):
        return None
    for name, _, written, given in shell.kept:
        heeded = given or name in _HEEDED or name.startswith(_HEEDED_STARTS)
        if heeded and not any(rule.allows([written]) for rule in rules):
            return _out("a variable that stays set is outside the scope", written, scope)
    return None


def _sets(run: Invocation) -> bool:
    """``set -a``, ``printf -v NAME``, ``env NAME=value``: variables for the programs behind them."""
    words = run.words[1:]
    if run.name == "set":
        short = any(word[:1] == "-" and word[:2] != "--" and "a" in word for word in words[:1])
        return short or "allexport" in words
    if run.name == "printf":
        return "".join(words[:1]).startswith("-v")
    return run.name == "env" and any("=" in word for word in words[: len(words) - 1])


def _check_run(run: Invocation, scope: Scope, site: Site, tool: str) -> Decision | None:
    writes = [path for path in written_files(run) if path not in _NOWHERE]
    if scope.rules is not None and not _rule_allows(run, scope, site, tool, writes):
        return _out("this part is outside the scope", run.source, scope)
    reads_only = scope.operations is not None and "write" not in scope.operations
    if writes and reads_only and not run.remote:
        return _out(f"writing is outside the scope ({told(writes[0])})", run.source, scope)
    for path in writes if scope.writes is not None and not run.remote else ():
        wrong = outside_writes(absolute(path, run.cwd), scope, site)
        if wrong:
            return _out(wrong, run.source, scope)
    offline = scope.network is False or (
        scope.operations is not None and "network" not in scope.operations
    )
    if offline and scope.network is not True and uses_network(run):
        return _out("the network is outside the scope", run.source, scope)
    return None


def _rule_allows(run: Invocation, scope: Scope, site: Site, tool: str, writes: list[str]) -> bool:
    """Every redirect needs a rule for the file, and the words a rule for the command."""
    rules = [rule for rule in scope.rules or () if rule.names(tool)]
    if any(rule.pattern is None or rule.pattern == "*" for rule in rules):
        return True
    targets = [path for path in run.outputs if path not in _NOWHERE]
    if any(
        not _file_rule(absolute(path, run.cwd), ("Write", "Edit"), scope, site) for path in targets
    ):
        return False
    if not run.words:
        return bool(run.outputs) or not run.assigns
    if _sets(run):
        return any(rule.allows(_texts(run)) for rule in rules)
    if run.opened and (
        run.name in _OPENED or (run.words[0] == run.name and not run.via and run.local)
    ):
        return not run.assigns
    if run.name in _INERT and not run.assigns:
        inner = [path for path in writes if path not in targets]
        leaves = run.name in ("cd", "pushd") and not _stays(run, site)
        return not inner and not leaves
    texts = _texts(run)
    if any(rule.allows(texts) for rule in rules):
        return True
    parent = run.parent  # a rule for "uv run pytest" is one for the pytest in it
    return (
        parent is not None
        and parent.name in _COVERS
        and _rule_allows(parent, scope, site, tool, [])
    )


def _stays(run: Invocation, site: Site) -> bool:
    target = run.words[1] if len(run.words) > 1 else site.home
    return inside(site.real(absolute(target, run.cwd)), site.real(site.project))


def _texts(run: Invocation) -> list[str]:
    """The ways in which a rule may have written this command; variables before it belong to it."""
    prefix = "".join(f"{name}={value} " for name, value in run.assigns)
    words = list(run.words)
    for folder in _STANDARD:
        words[0] = words[0].removeprefix(folder)
    texts = [prefix + literal(" ".join(words))]
    if not run.via and not run.assigns:
        texts.append(run.text)
    return texts


def outside_writes(full: str, scope: Scope, site: Site) -> str:
    """Why a file may not be written, by its real path; empty when it may."""
    real = site.real(full)
    project = site.real(site.project)
    if not any(_within(real, pattern, project, site) for pattern in scope.writes or ()):
        return f"this path is outside the write scope ({told(full)})"
    if site.links(real) > 1:
        return f"this file has another name, which may lie outside the write scope ({told(full)})"
    return ""


def _within(real: str, pattern: str, project: str, site: Site) -> bool:
    home = site.home + pattern[1:] if pattern.startswith("~/") else pattern
    if "*" in home:
        place = home if home.startswith("/") else f"{project}/{home.removeprefix('./')}"
        return matches_glob(place, real)
    return inside(real, site.real(absolute(home, project)))


def _file_rule(full: str, tools: tuple[str, ...], scope: Scope, site: Site) -> bool:
    texts = path_texts(full, site)
    return any(
        rule.allows(texts)
        if rule.pattern is None
        else any(_path_matches(rule.pattern, t, site) for t in texts)
        for rule in scope.rules or ()
        if any(rule.names(tool) for tool in tools)
    )


def path_texts(full: str, site: Site) -> list[str]:
    """A path as a rule may write it: from the project folder, or absolute. Links are followed."""
    real, project = site.real(full), site.real(site.project)
    return [real[len(project) :].lstrip("/") or "."] if inside(real, project) else [real]


def _path_matches(pattern: str, text: str, site: Site) -> bool:
    if pattern.startswith("~/"):
        pattern = site.home + pattern[1:]
    project = site.real(site.project)
    if pattern.startswith(project + "/"):
        pattern = pattern[len(project) + 1 :]
    return matches_glob(pattern.removeprefix("./"), text)


def operation_of(tool: str) -> str:
    """The class of what a tool does; ``plan`` for those that touch nothing, empty for unknown ones."""
    from guildmoot.guard.tools import READ_TOOLS, SHELL_TOOLS, WEB_TOOLS, WRITE_TOOLS

    if tool.startswith(("mcp__", "mcp_")):
        return "mcp"
    for known, operation in ((SHELL_TOOLS, "run"), (WRITE_TOOLS, "write"), (WEB_TOOLS, "network")):
        if tool in known:
            return operation
    if tool in READ_TOOLS or tool in (
        "Grep",
        "Glob",
        "LS",
        "list_directory",
        "glob",
        "search_file_content",
    ):
        return "read"
    if tool in ("Task", "Agent"):
        return "agents"
    return "plan" if tool in _PLANNING else ""


def check_tool(
    tool: str, given: Mapping[str, object], paths: list[str], scope: Scope, site: Site
) -> Decision | None:
    """None when a call of a tool other than the shell is allowed."""
    for one in each(scope):
        if one.problem:
            return Decision(
                "deny",
                "scope-unreadable",
                one.problem,
                "Mend the scope; until then nothing is allowed.",
            )
        found = _check_tool(tool, given, paths, one, site)
        if found:
            return found
    return None


def _check_tool(
    tool: str, given: Mapping[str, object], paths: list[str], scope: Scope, site: Site
) -> Decision | None:
    operation = operation_of(tool)
    if scope.operations is not None and operation != "plan" and operation not in scope.operations:
        return _out(
            f"{tool} is outside the scope (operation {operation or 'unknown'})", tool, scope
        )
    if scope.network is False and operation == "network":
        return _out("the network is outside the scope", tool, scope)
    full = [
        absolute(site.home + path[1:] if path.startswith("~/") else path, site.cwd)
        for path in paths
    ]
    if scope.rules is not None and not _tool_rule(tool, given, full, scope, site):
        return _out(f"{tool} is outside the scope", " ".join((tool, *paths)), scope)
    for path in full if scope.writes is not None and operation in ("write", "mcp") else ():
        wrong = outside_writes(path, scope, site)
        if wrong:
            return _out(wrong, " ".join((tool, *paths)), scope)
    return None


def _tool_rule(
    tool: str, given: Mapping[str, object], full: list[str], scope: Scope, site: Site
) -> bool:
    rules = [rule for rule in scope.rules or () if rule.names(tool)]
    if any(rule.pattern is None for rule in rules):
        return True
    if full:
        return all(_file_rule(path, (tool,), scope, site) for path in full)
    import json

    pattern = given.get("pattern", given.get("url", given.get("query")))
    text = (
        pattern
        if isinstance(pattern, str)
        else json.dumps(given, sort_keys=True, ensure_ascii=False)
    )
    return any(rule.allows([text]) for rule in rules)
