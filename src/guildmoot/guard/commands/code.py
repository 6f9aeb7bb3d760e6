"""Inline code of interpreters: looked into for removed files, started programs and data that is sent away."""

from __future__ import annotations

from guildmoot.guard.commands.databases import dangerous_sql
from guildmoot.guard.commands.files import loss, lost_text
from guildmoot.guard.commands.protected import holds_guard, protected, secret_level
from guildmoot.guard.commands.rulings import ruling
from guildmoot.guard.commands.words import ANY, names
from guildmoot.guard.site import Site, absolute, kind_of

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


def judge_code(
    run: Invocation, language: str, text: str, site: Site, judge: Judge
) -> Iterator[Decision]:
    """``judge`` says what a shell command inside the code would be."""
    if not text.strip() or text == ANY:
        yield ruling("unknown-program") if text else ruling("code-runs")
        return
    if language == "powershell":
        yield judge(text)
    elif language == "python":
        yield from _python(run, text, site, judge)
    else:
        yield from _other(run, language, text, site, judge)


# Python


def _python(run: Invocation, text: str, site: Site, judge: Judge) -> Iterator[Decision]:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip("\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _other(run, "python", text, site, judge)
        return
    known: dict[str, str] = {}
    aliases: dict[str, str] = {}
    opened = sends = reads = False
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
            opened = (
                opened
                or any(one.code.startswith("secrets") for one in found)
                or name.endswith("environ.items")
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _literal(node.value, judge)
    sends = sends and "localhost" not in text and "127.0.0.1" not in text
    if sends and ("environ" in text or opened):
        yield ruling("send-secrets")
    elif sends and reads:
        yield ruling("code-sends")


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
    first = _text(node.args[0], known, run, site) if node.args else ""
    if function in ("exec", "eval") and not module and ANY in first:
        yield ruling("code-runs")
    elif function in _STARTS and module.partition(".")[0] in _START_MODULES:
        listed = function.startswith(("exec", "posix_", "spawnv")) and len(node.args) > 1
        yield from _started(_text(node.args[1], known, run, site) if listed else first, judge)
    elif function == "system":
        yield from _started(first, judge)
    elif name.endswith(("all().delete", "requests.delete")):
        yield ruling("database" if "all" in name else "cloud-change")
    elif function in _REMOVES and (
        module in ("os", "shutil") or function in ("rmtree", "removedirs")
    ):
        yield from _lost(first, function in _TREE, run, site)
    elif function in ("unlink", "rmdir") and isinstance(node.func, ast.Attribute):
        yield from _lost(_text(node.func.value, known, run, site), False, run, site)
    elif function in ("open", "write_text", "write_bytes", "read_text", "read_bytes"):
        owner = (
            node.func.value if isinstance(node.func, ast.Attribute) and function != "open" else None
        )
        path = _text(owner, known, run, site) if owner is not None else first
        mode = _text(node.args[1], known, run, site) if len(node.args) > 1 else ""
        yield from _opened(
            path, function.startswith("write") or mode[:1] in ("w", "a", "x"), run, site
        )
    elif (
        function in ("rename", "replace", "move", "copy", "copyfile")
        and len(node.args) > 1
        and module in ("os", "shutil")
    ):
        yield from _opened(_text(node.args[1], known, run, site), True, run, site)
    elif function in ("execute", "executescript") and dangerous_sql(first):
        yield ruling("database")


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    import ast

    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, aliases)}.{node.attr}"
    if isinstance(node, ast.Call) and _dotted(node.func, aliases) == "__import__":
        constant = node.args[0] if node.args else None
        return str(constant.value) if isinstance(constant, ast.Constant) else "?"
    if isinstance(node, ast.Call):
        return f"{_dotted(node.func, aliases)}()"
    return "?"


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
        if name.endswith(("expanduser", "Path", "realpath", "abspath", "str", "PurePath")):
            return first.replace("~", site.home, 1) if first.startswith("~") else first
        if name.endswith(("Path.home", "home")):
            return site.home
        if name.endswith(("getcwd", "Path.cwd")):
            return run.cwd
        if name.endswith(("mkdtemp", "mkstemp", "gettempdir")):
            return f"{site.temporary[0]}/{ANY}"
        if name.endswith("path.join"):
            return "/".join(_text(one, known, run, site) for one in node.args)
    return ANY


def _quoted(word: str) -> str:
    return (
        word
        if word == ANY or word.replace("-", "").replace("/", "").isalnum()
        else "'" + word.replace("'", "'\\''") + "'"
    )


def _started(command: str, judge: Judge) -> Iterator[Decision]:
    if command.startswith(ANY) or not command:
        yield ruling("code-runs")
    else:
        yield judge(command)


def _lost(path: str, whole: bool, run: Invocation, site: Site) -> Iterator[Decision]:
    held = holds_guard(absolute(path, run.cwd), site) if path and not run.remote else None
    if held:
        yield held
    found = loss(kind_of(path or ANY, run.cwd, site), path, run, site, whole=whole)
    if found and not (found.code == "delete-unknown" and not whole):
        yield found
    elif found:
        yield ruling("delete-unknown")


def _opened(path: str, writes: bool, run: Invocation, site: Site) -> Iterator[Decision]:
    if not path or path.startswith(ANY):
        return
    full = absolute(path, run.cwd)
    if writes:
        wrong = protected(full, site)
        if wrong:
            yield wrong
        yield from lost_text(path, run, site)
    else:
        level = secret_level(full, site)
        if level:
            yield ruling(level, path)


def _literal(text: str, judge: Judge) -> Iterator[Decision]:
    """A dangerous command that only stands there as text: what becomes of it cannot be told."""
    if len(text) > 400 or not any(
        mark in text
        for mark in ("rm -", "mkfs", "git push", "DROP ", "dd if", "| sh", "|sh", "| bash")
    ):
        return
    if judge(text).action == "deny" or dangerous_sql(text):
        yield ruling("code-text", text[:60])


# other languages: by their calls, with the first text in the brackets

_CALLS = {
    "tree": ("rmtree(", "fs.rm(", "fs.rmSync(", "rmSync(", "rimraf(", "FileUtils.rm_rf", "FileUtils.rm_r", "fs.rmdirSync(", "remove_tree(",
             "rmdirSync(", "FileUtils.remove_dir", "Deno.remove(", "fs.promises.rm(", "rm_rf"),
    "file": ("os.remove(", "unlinkSync(", "fs.unlink(", "File.delete", "unlink(", "unlink ", "os.unlink("),
    "start": ("execSync(", "exec(", "spawn(", "spawnSync(", "system(", "shell_exec(", "passthru(", "popen(", "execFileSync(", "os.execute(",
              "do shell script ", "qx(", "Kernel.system", "system ", "exec ", "subprocess.", "Deno.Command(", "Bun.spawn(", "$`"),
    "send": ("fetch(", "http.request(", "https.request(", "axios.post(", "net.connect(", "Net::HTTP", "LWP::", "IO::Socket", "fsockopen(", "curl_exec("),
}  # fmt: skip


def _other(
    run: Invocation, language: str, text: str, site: Site, judge: Judge
) -> Iterator[Decision]:
    for kind in ("tree", "file"):
        for call in _CALLS[kind]:
            for argument in _arguments(text, call):
                if argument == "'" and language == "perl":
                    continue
                yield from _lost(argument or ANY, kind == "tree", run, site)
    for call in (
        "readFileSync(",
        "readFile(",
        "File.read(",
        "file_get_contents(",
        "createReadStream(",
    ):
        for argument in _arguments(text, call):
            yield from _opened(argument, False, run, site)
    for call in (
        "writeFileSync(",
        "writeFile(",
        "appendFileSync(",
        "File.write(",
        "file_put_contents(",
    ):
        for argument in _arguments(text, call):
            yield from _opened(argument, True, run, site)
    for call in _CALLS["start"]:
        if (
            call == "exec("
            and language == "js"
            and ".exec(" in text
            and "child_process" not in text
        ):
            continue
        for argument in _arguments(text, call):
            yield from _started(argument or ANY, judge)
    if "`" in text and language in ("perl", "ruby", "php"):
        yield from _started(text.split("`")[1] if text.count("`") > 1 else ANY, judge)
    sends = any(call in text for call in _CALLS["send"])
    local = "localhost" in text or "127.0.0.1" in text
    keys = any(
        word in text
        for word in (
            "process.env)",
            "JSON.stringify(process.env",
            ".ssh",
            ".env'",
            '.env"',
            "ENV.to_",
            "%ENV",
            "id_rsa",
        )
    )
    if sends and keys and not local:
        yield ruling("send-secrets")
    elif (
        sends
        and not local
        and any(
            word in text
            for word in ("readFile", "File.read", "file_get_contents", "createReadStream")
        )
    ):
        yield ruling("code-sends")
    elif keys and "readFile" in text:
        yield ruling("secrets-likely")


def _arguments(text: str, call: str) -> Iterator[str]:
    """The first text after each call of a function; empty where it is no text."""
    at = text.find(call)
    most = 50
    while at >= 0 and most > 0:
        most -= 1
        before = text[at - 1 : at]
        rest = text[at + len(call) : at + len(call) + 600].lstrip(" (")
        if not before or not (before.isalnum() or before in "_$"):
            quote = rest[:1]
            end = rest.find(quote, 1) if quote in ("'", '"', "`") else -1
            yield rest[1:end] if end > 0 else ""
        at = text.find(call, at + len(call))
