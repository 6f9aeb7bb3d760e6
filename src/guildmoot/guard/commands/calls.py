"""What inline code asks of the machine: files that go, programs that start, keys that leave; by the calls of a language."""

from __future__ import annotations

from guildmoot.guard.commands.words import ANY, names
from guildmoot.guard.rules.carried import grave
from guildmoot.guard.rules.databases import ALL_ROWS, dangerous_sql
from guildmoot.guard.rules.files import loss, lost_text
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


def opened(path: str, writes: bool, run: Invocation, site: Site) -> Iterator[Decision]:
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
             "rmdirSync(", "FileUtils.remove_dir", "Deno.remove(", "fs.promises.rm(", "rm_rf"),
    "file": ("os.remove(", "unlinkSync(", "fs.unlink(", "File.delete", "unlink(", "unlink ", "os.unlink("),
    "start": ("execSync(", "exec(", "spawn(", "spawnSync(", "system(", "shell_exec(", "passthru(", "popen(", "execFileSync(", "os.execute(",
              "do shell script ", "qx(", "Kernel.system", "system ", "exec ", "subprocess.", "Deno.Command(", "Bun.spawn(", "$`"),
    "send": ("fetch(", "http.request(", "https.request(", "axios.post(", "net.connect(", "Net::HTTP", "LWP::", "IO::Socket", "fsockopen(", "curl_exec("),
}  # fmt: skip


def other_language(
    run: Invocation, language: str, text: str, site: Site, judge: Judge
) -> Iterator[Decision]:
    for kind in ("tree", "file"):
        for call in _CALLS[kind]:
            for argument in _arguments(text, call, site.home):
                if argument == "'" and language == "perl":
                    continue
                yield from lost(argument or ANY, kind == "tree", run, site)
    for call in (
        "readFileSync(",
        "readFile(",
        "File.read(",
        "file_get_contents(",
        "createReadStream(",
    ):
        for argument in _arguments(text, call):
            yield from opened(argument, False, run, site)
    for call in (
        "writeFileSync(",
        "writeFile(",
        "appendFileSync(",
        "File.write(",
        "file_put_contents(",
    ):
        for argument in _arguments(text, call):
            yield from opened(argument, True, run, site)
    for call in _CALLS["start"]:
        if (
            call == "exec("
            and language == "js"
            and ".exec(" in text
            and "child_process" not in text
        ):
            continue
        for argument in _arguments(text, call):
            yield from started(argument or ANY, judge)
    for text_in in _strings(text) if any(word in text for word in _CAN_START) else ():
        yield from literal(text_in, judge)
    if any(call in text for call in ALL_ROWS):
        yield ruling("database")
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


def _strings(text: str) -> Iterator[str]:
    """Every quoted text, and what stands in brackets of a language that quotes by them."""
    for quote in ("'", '"', "`"):
        yield from text.split(quote)[1:80:2]
    for start in ("%x(", "%x{", "qx(", "qx{", "%x[", "system "):
        for piece in text.split(start)[1:20]:
            yield piece.partition(")")[0].partition("}")[0].partition("]")[0]


_HOMES = ("homedir()", "Dir.home", "process.env.HOME", "ENV['HOME']", 'ENV["HOME"]', "$ENV{HOME}")


def _arguments(text: str, call: str, home: str = "") -> Iterator[str]:
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
            found = rest[1:end] if end > 0 else ""
            named = rest[:60].partition(",")[0].partition(";")[0]
            yield home if home and any(each in named for each in _HOMES) else found
        at = text.find(call, at + len(call))
