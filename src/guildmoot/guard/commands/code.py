"""Inline code of interpreters: looked into for removed files, started programs and data that is sent away."""

from __future__ import annotations

from guildmoot.guard.commands.calls import literal, lost, moved, opened, other_language, started
from guildmoot.guard.commands.words import ANY, names
from guildmoot.guard.rules.databases import ALL_ROWS, dangerous_sql
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.decision import Decision

    Judge = Callable[[str], Decision]

_REMOVES = names(
    "remove unlink rmdir removedirs rmtree rmSync unlinkSync rmdirSync rm rimraf delete"
)
_TREE = names("rmtree rmSync rimraf removedirs rm_rf rm_r remove_dir_all")
_STARTS = names(
    "execve execvpe execl execlp posix_spawn posix_spawnp system popen run call check_call check_output Popen getoutput getstatusoutput spawn execv execvp spawnv"
)
_START_MODULES = names("os subprocess commands asyncio pty")
_SENDS = (
    "requests.post",
    "requests.put",
    "urlopen",
    "http.client",
    "socket.socket",
    "httpx.post",
    "smtplib",
    "ftplib",
    "aiohttp",
)

_HANDS_OVER = ("dup2", "pty.spawn", "/bin/sh", "/bin/bash", "cmd.exe", "STDIN->fdopen", ">&S")
"""Next to a socket: a shell is given to whoever is at the other end."""


def judge_code(
    run: Invocation, language: str, text: str, site: Site, judge: Judge
) -> Iterator[Decision]:
    """``judge`` says what a shell command inside the code would be."""
    if not text.strip() or text == ANY:
        if text == ANY:
            yield ruling("unknown-program")
        return
    if "socket" in text.lower() and any(mark in text for mark in _HANDS_OVER):
        yield ruling("backdoor")
    if language == "powershell":
        from guildmoot.guard.rules.windows import judge_powershell

        yield from judge_powershell(text, judge)
    elif language == "python":
        yield from _python(run, text, site, judge)
    elif language == "sed":
        from guildmoot.guard.commands.editors import sed_effects

        for kind, given in sed_effects((text,)):
            yield from started(given, judge) if kind == "e" else opened(given, True, run, site)
    else:
        yield from other_language(run, language, text, site, judge)


# Python


def _python(run: Invocation, text: str, site: Site, judge: Judge) -> Iterator[Decision]:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip("\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from other_language(run, "python", text, site, judge)
        return
    if _only_shows(tree):
        return
    if any(call in text for call in ALL_ROWS) and "test" not in text and ":memory:" not in text:
        yield ruling("database")
    known: dict[str, str] = {}
    aliases: dict[str, str] = {}
    shown = sends = reads = False
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ):
            known[node.targets[0].id] = _text(node.value, known, run, site)
            if isinstance(node.value, ast.Attribute):
                aliases[node.targets[0].id] = _dotted(node.value, aliases)
        elif isinstance(node, ast.ImportFrom):
            aliases.update(
                {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
            )
        elif isinstance(node, ast.Import):
            aliases.update({name.asname: name.name for name in node.names if name.asname})
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found = list(_call(node, known, aliases, run, site, judge))
            yield from found
            name = _dotted(node.func, aliases)
            sends = sends or any(part in name for part in _SENDS)
            shown = (
                shown
                or any(one.code.startswith("secrets") for one in found)
                or name.endswith("environ.items")
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from literal(node.value, judge)
    sends = sends and "localhost" not in text and "127.0.0.1" not in text
    if sends and ("environ" in text or shown):
        yield ruling("send-secrets")
    elif sends and reads:
        yield ruling("code-sends")


_HARMLESS_MODULES = names("re json string textwrap math collections itertools datetime difflib")
_HARMLESS_CALLS = names(
    """print len str int float bool list dict set tuple sorted sum min max repr range enumerate zip count replace split
    join strip lstrip rstrip upper lower format startswith endswith find index splitlines encode decode hex ord chr
    dumps loads match search findall fullmatch sub Counter dedent indent group groups items keys values append"""
)


def _only_shows(tree: ast.Module) -> bool:
    """Nothing but texts that are counted, changed and printed: no call that could start or reach anything."""
    import ast

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            fine = all(name.name in _HARMLESS_MODULES for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            fine = (node.module or "") in _HARMLESS_MODULES
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "?")
            fine = name in _HARMLESS_CALLS and not node.keywords
        else:
            fine = not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Delete)
        if not fine:
            return False
    return True


_FIRST = ("path", "args", "command", "cmd", "src", "file")
"""What the first argument of such calls is named."""


def _call(
    node: ast.Call,
    known: dict[str, str],
    aliases: dict[str, str],
    run: Invocation,
    site: Site,
    judge: Judge,
) -> Iterator[Decision]:
    import ast

    name = _dotted(node.func, aliases)
    module, _, function = name.rpartition(".")
    named = next((each.value for each in node.keywords if each.arg in _FIRST), None)
    first = _text(node.args[0] if node.args else named, known, run, site)
    first = first if node.args or named else ""
    if function in ("exec", "eval", "compile") and not module:
        if ANY in first:
            yield ruling("code-runs")
        else:
            yield from _python(run, first, site, judge)
    elif name.startswith("?.") or (
        function == "getattr()" and "?" in _dotted(node.args[0], aliases)
    ):
        yield ruling("code-runs")  # of a module whose name is not known
    elif function == "?" or (name.startswith("getattr()") and first):
        yield from literal(first, judge)
    elif function in _STARTS and module.partition(".")[0] in _START_MODULES:
        listed = function.startswith(("exec", "posix_", "spawnv")) and len(node.args) > 1
        yield from started(_text(node.args[1], known, run, site) if listed else first, judge)
    elif function == "system":
        yield from started(first, judge)
    elif name.endswith(("all().delete", "requests.delete")):
        yield ruling("database" if "all" in name else "cloud-change")
    elif function in _REMOVES and (
        module in ("os", "shutil") or function in ("rmtree", "removedirs")
    ):
        yield from lost(first, function in _TREE, run, site)
    elif function in ("unlink", "rmdir") and isinstance(node.func, ast.Attribute):
        yield from lost(_text(node.func.value, known, run, site), False, run, site)
    elif function in ("open", "write_text", "write_bytes", "read_text", "read_bytes"):
        owner = (
            node.func.value if isinstance(node.func, ast.Attribute) and function != "open" else None
        )
        path = _text(owner, known, run, site) if owner is not None else first
        mode = _text(node.args[1], known, run, site) if len(node.args) > 1 else ""
        yield from opened(
            path, function.startswith("write") or mode[:1] in ("w", "a", "x"), run, site
        )
    elif (
        function in ("rename", "replace", "renames", "move", "copy", "copyfile", "copytree")
        and len(node.args) > 1
        and module in ("os", "shutil")
    ):
        if not function.startswith("copy"):
            yield from moved(first, run, site)
        yield from opened(_text(node.args[1], known, run, site), True, run, site)
    elif name in ("os.truncate", "runpy.run_path", "importlib.import_module"):
        if name == "os.truncate":
            yield from opened(first, True, run, site)
        elif ANY in first:
            yield ruling("code-runs")
    elif function in ("execute", "executescript") and dangerous_sql(first):
        yield ruling("database")


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    import ast

    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, aliases)}.{node.attr}"
    if isinstance(node, ast.Call):
        called = _dotted(node.func, aliases)
        if called in ("__import__", "importlib.import_module") and node.args:
            return _constant(node.args[0]) or "?"
        if called == "getattr" and len(node.args) > 1 and _constant(node.args[1]):
            return f"{_dotted(node.args[0], aliases)}.{_constant(node.args[1])}"
        return f"{called}()"
    return "?"


def _constant(node: ast.expr) -> str:
    """A text, also one that is put together: ``'rm' + 'tree'``. Empty where it is not known."""
    import ast

    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _constant(node.left), _constant(node.right)
        return left + right if left and right else ""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _text(node: ast.expr | None, known: dict[str, str], run: Invocation, site: Site) -> str:
    """An expression as text, as far as it is constant."""
    import ast

    if isinstance(node, ast.Constant):
        if isinstance(node.value, bytes):
            return node.value.decode("utf-8", "replace")
        return node.value if isinstance(node.value, str) else ANY
    if isinstance(node, ast.Name):
        return known.get(node.id, ANY)
    if isinstance(node, ast.List | ast.Tuple):
        return " ".join(_quoted(_text(one, known, run, site)) for one in node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        slash = "/" if isinstance(node.op, ast.Div) else ""
        return _text(node.left, known, run, site) + slash + _text(node.right, known, run, site)
    if isinstance(node, ast.JoinedStr):
        parts = (
            value.value if isinstance(value, ast.FormattedValue) else value for value in node.values
        )
        return "".join(_text(part, known, run, site) for part in parts)
    if isinstance(node, ast.Call):
        name = _dotted(node.func, {})
        first = _text(node.args[0], known, run, site) if node.args else ""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_PATH:
            owner = _text(node.func.value, known, run, site)
            if not node.args and owner != ANY:  # Path('~/x').expanduser()
                return owner
            if node.func.attr == "joinpath":
                return "/".join((owner, *(_text(one, known, run, site) for one in node.args)))
        if name.endswith(("expanduser", "Path", "realpath", "abspath", "str", "PurePath")):
            return first.replace("~", site.home, 1) if first.startswith("~") else first
        if name.endswith(("Path.home", "home")):
            return site.home
        if name.endswith(("getcwd", "Path.cwd")):
            return run.cwd
        if name.endswith(("mkdtemp", "mkstemp")):
            return f"{site.temporary[0]}/t{ANY}"
        if name.endswith("gettempdir"):
            return f"{site.temporary[0]}/{ANY}"
        if name.endswith("path.join"):
            return "/".join(_text(one, known, run, site) for one in node.args)
    return ANY


_SAME_PATH = names("expanduser resolve absolute as_posix joinpath strip encode decode")


def _quoted(word: str) -> str:
    return (
        word
        if word == ANY or word.replace("-", "").replace("/", "").isalnum()
        else "'" + word.replace("'", "'\\''") + "'"
    )
