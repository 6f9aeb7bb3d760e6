"""What inline code asks of the machine: files that go, programs that start, keys that leave; by the calls of a language."""

from __future__ import annotations

from guildmoot.guard.commands.call_words import arguments, awk_files, commands_of, with_home
from guildmoot.guard.commands.words import ANY, names
from guildmoot.guard.rules.carried import grave
from guildmoot.guard.rules.databases import ALL_ROWS, dangerous_sql
from guildmoot.guard.rules.files import NEVER, loss, lost_text, unknown_text
from guildmoot.guard.rules.protected import holds_guard, protected, secret_level
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import Site, absolute, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.decision import Decision

    Judge = Callable[[str], Decision]

_ACTING = names(
    """rm sudo git dd mkfs shred find curl wget scp rsync bash sh zsh env chmod chown mv docker kubectl terraform aws
    dropdb psql mysql echo cat tar nc ssh python python3 node npx npm systemctl kill pkill killall crontab cd"""
)
"""A text that begins with one of them may be a command."""


def started(command: str, judge: Judge) -> Iterator[Decision]:
    if command.startswith(ANY) or not command:
        yield ruling("code-runs")
    else:
        yield judge(command)


def lost(path: str, whole: bool, run: Invocation, site: Site) -> Iterator[Decision]:
    held = holds_guard(absolute(path, run.cwd), site) if path and not run.remote else None
    if held:
        yield held
    found = loss(kind_of(path or ANY, run.cwd, site), path, run, site, whole=whole)
    if found and not (found.code == "delete-unknown" and not whole):
        yield found
    elif found:
        yield ruling("delete-unknown")


def moved(path: str, run: Invocation, site: Site) -> Iterator[Decision]:
    """What may not go may not be moved either."""
    if path and not path.startswith(ANY) and kind_of(path, run.cwd, site) in NEVER:
        yield from lost(path, True, run, site)


def opened(path: str, writes: bool, run: Invocation, site: Site) -> Iterator[Decision]:
    if not path or path.startswith(ANY):
        if path and writes and not run.remote and site.git is not False:
            yield unknown_text(run, site)
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


def literal(text: str, judge: Judge) -> Iterator[Decision]:
    """A dangerous command that only stands there as text: what becomes of it cannot be told."""
    if len(text) > 400 or " " not in text:
        return
    if dangerous_sql(text) or (_first(text) in _ACTING and grave(judge(text))):
        yield ruling("code-text", text[:60])


def _first(text: str) -> str:
    return text.lstrip(" !").partition(" ")[0].rpartition("/")[2]


# other languages: by their calls, with the first text in the brackets

_CALLS = {
    "tree": ("rmtree(", "fs.rm(", "fs.rmSync(", "rmSync(", "rimraf(", "FileUtils.rm_rf", "FileUtils.rm_r", "fs.rmdirSync(", "remove_tree(",
             "rmdirSync(", "FileUtils.remove_dir", "Deno.remove(", "Deno.removeSync(", "fs.promises.rm(", "rm_rf", "promises.rm(", "f.rm(", "RemoveAll(",
             "remove_dir_all(", "delete-directory ", "File.rm_rf!(", "FileUtils.deleteDirectory(", "deleteRecursively(", "file delete -force "),
    "file": ("os.remove(", "unlinkSync(", "fs.unlink(", "File.delete", "unlink(", "unlink ", "os.unlink(", "os.Remove(", "delete-file ",
             "File.rm!(", "File.rm(", "fs::remove_file(", "Files.delete(", "Files.deleteIfExists("),
    "start": ("execSync(", "exec(", "spawn(", "spawnSync(", "system(", "shell_exec(", "passthru(", "popen(", "execFileSync(", "os.execute(",
              "do shell script ", "qx(", "Kernel.system", "system ", "exec ", "subprocess.", "Deno.Command(", "Bun.spawn(", "$`", "execFile(",
              "exec.Command(", "Command::new(", "proc_open(", "Open3.", "shell-command ", "call-process ", "System.cmd(", "execa(", "IO.popen(", "Process.spawn("),
    "send": ("fetch(", "http.request(", "https.request(", "axios.post(", "net.connect(", "Net::HTTP", "LWP::", "IO::Socket", "fsockopen(", "curl_exec(",
             ".request(", "http.post(", "HttpClient", "file_get_contents('http", 'file_get_contents("http', "got.post("),
    "read": ("readFileSync(", "readFile(", "File.read(", "file_get_contents(", "createReadStream("),
    "write": ("writeFileSync(", "writeFile(", "appendFileSync(", "File.write(", "file_put_contents(", "appendFile(", "createWriteStream(",
              "File.open(", "copyFileSync(", "renameSync(", "os.WriteFile(", "Deno.writeTextFile(", "Bun.write("),
}  # fmt: skip
_OF_LANGUAGE: dict[str, dict[str, tuple[str, ...]]] = {
    "r": {"tree": ("unlink(",), "start": ("system2(",), "file": ("file.remove(",)},
    "julia": {"tree": ("rm(",), "start": ("run(",)},
    "perl": {"tree": ("rmtree ", "remove_tree "), "file": ("unlink;", "unlink}")}, "groovy": {"tree": ("new File(", "File(", "delete ", "delete("), "start": ("commandLine ", "commandLine(", "ProcessBuilder(", "exec(")}, "lua": {"file": ("os.remove(",), "start": ("io.popen(",)},
}  # fmt: skip
_NAMED = ('"unlink"', "'unlink'", '"rmdir"', "&method(:rm", "&File.method(:delete)", "File::delete")
"""A function that removes, given to another one that goes through a list."""


def calls_of(kind: str, language: str) -> tuple[str, ...]:
    return (*_CALLS[kind], *_OF_LANGUAGE.get(language, {}).get(kind, ()))


def other_language(
    run: Invocation, language: str, text: str, site: Site, judge: Judge
) -> Iterator[Decision]:
    text = with_home(text, site.home) + (";" if language == "perl" else "")
    for kind in ("tree", "file"):
        for call in calls_of(kind, language):
            if language == "groovy" and "delete" not in text:
                continue
            for argument in arguments(text, call):
                if argument == "'" and language == "perl":
                    continue
                if language == "groovy" and argument.startswith(ANY):
                    continue  # delete rootProject.buildDir, as every build has it
                argument = argument.replace("~", site.home, 1) if argument[:1] == "~" else argument
                yield from lost(argument or ANY, kind == "tree", run, site)
    if any(name in text for name in _NAMED):
        yield from lost(ANY, True, run, site)
    for kind in ("read", "write"):
        for call in _CALLS[kind]:
            for argument in arguments(text, call):
                yield from opened(argument, kind == "write" and _writes(text, call), run, site)
    for call in calls_of("start", language):
        if (
            call == "exec("
            and language == "js"
            and ".exec(" in text
            and "child_process" not in text
        ):
            continue
        for command in commands_of(text, call):
            yield from started(command, judge)
    if language == "perl":  # open F, ">>FILE"
        for name in _strings(text):
            if name[:1] == ">":
                yield from opened(name.lstrip("> "), True, run, site)
    for piece in text.split(".execute(")[:-1] if language == "groovy" else ():
        quoted = piece.rstrip(" )")  # "X".execute()
        if quoted[-1:] in ("'", '"'):
            yield from started(quoted[:-1].rpartition(quoted[-1])[2], judge)
    if language == "applescript" and ("delete " in text or "empty trash" in text):
        yield ruling("delete-unknown")
    if language == "awk":
        for path in awk_files(text):
            yield from opened(path, True, run, site)
        if any(f'| "{shell}"' in text.replace('|"', '| "') for shell in ("sh", "bash", "zsh")):
            yield ruling("unknown-program")  # what it prints is run
    for text_in in _strings(text) if any(word in text for word in _CAN_START) else ():
        yield from literal(text_in, judge)
    if any(call in text for call in ALL_ROWS):
        yield ruling("database")
    elif _removes_by_name(text):
        yield ruling("code-text", _removes_by_name(text))
    if "`" in text and language in ("perl", "ruby", "php"):
        yield from started(text.split("`")[1] if text.count("`") > 1 else ANY, judge)
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
            "$_ENV)",
            "getenv())",
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


_CAN_START = [
    "child_process",
    "exec",
    "spawn",
    "system",
    "Command",
    "popen",
    "run(",
    "`",
    "%x",
    "qx",
    "getline",
    ".execute(",
    "Process",
    "Runtime",
    ".cmd(",
    "print",
    "|",
    "open",
    "|",
    "passthru",
    "proc_open",
]


_NOUNS = (
    *(
        "index",
        "all",
        "database",
        "db",
        "collection",
        "table",
        "bucket",
        "objects",
        "stack",
        "cluster",
    ),
    *("instance", "project", "repo", "volume", "namespace", "queue", "topic", "account", "schema"),
)


def _removes_by_name(text: str) -> str:
    """``client.deleteIndex(``, ``api.destroy_project(``: a call that says what it takes away."""
    for verb in (".delete", ".drop", ".destroy", ".purge", ".clear", ".truncate"):
        for piece in text.split(verb)[1:10]:
            noun, bracket, _ = piece[:40].partition("(")
            low = noun.lower().lstrip("_")
            if bracket and noun.replace("_", "").isalpha() and low.startswith(_NOUNS):
                return f"{verb}{noun}("
    return ""


def _strings(text: str) -> Iterator[str]:
    """Every quoted text, and what stands in brackets of a language that quotes by them."""
    for quote in ("'", '"', "`"):
        yield from text.split(quote)[1:80:2]
    for start in ("%x(", "%x{", "qx(", "qx{", "%x[", "system "):
        for piece in text.split(start)[1:20]:
            yield piece.partition(")")[0].partition("}")[0].partition("]")[0]


def _writes(text: str, call: str) -> bool:
    """``File.open(x)`` alone reads."""
    if call != "File.open(":
        return True
    return any(mode in text for mode in ("'w", '"w', "'a", '"a', "'r+", '"r+'))
