"""Programs that lie in files: a script, the recipe of a Makefile, a script of package.json.

A file has branches that may not be taken and values that nobody knows here, so it is judged more mildly than a
command: what no script has to do is denied, other denials are asked, and what would be asked passes, after a
snapshot where the text removes something.
"""

from __future__ import annotations

from guildmoot.guard.commands.invocation import Arguments
from guildmoot.guard.commands.words import ANY, has_marks, names
from guildmoot.guard.rules.rulings import ruling
from guildmoot.guard.site import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.decision import Decision
    from guildmoot.guard.site import Site

_NEVER = names(
    """delete-system delete-home delete-above delete-project delete-git delete-keys disk guard-off guard-files
    send-secrets backdoor history-hide git-hooks shell-startup keys"""
)
_OWN = names("secrets secrets-likely runs-later git-runs machine-change system-config")
"""What a program of the project may do itself."""
_REMOVES = (
    *("rm ", "rmdir", "unlink", "rmtree", "remove", "delete", "truncate", "shred", "git reset", "git clean"),
    *("git checkout", "git restore", "git stash", "rmSync", "rimraf", " mv ", "del "),
)  # fmt: skip
_CODE_HINTS = (
    "rm",
    "unlink",
    "remove",
    "delete",
    "system",
    "subprocess",
    "exec",
    "spawn",
    "approvals",
    "command",
)
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MOST_TARGETS = 40


class Script:
    """A text that would be run, and the folder that it starts in."""

    __slots__ = ("cwd", "file", "language", "text", "words")

    def __init__(self, file: str, language: str, text: str, cwd: str, words: list[str]) -> None:
        self.file = file
        self.language = language
        self.text = text
        self.cwd = cwd
        self.words = words


def scripts_of(run: Invocation, files: list[tuple[str, str]], site: Site) -> Iterator[Script]:
    """What a program would run from files; ``files`` are those that an interpreter was given."""
    if run.remote or not run.words or ANY in run.cwd:
        return
    for path, language in files:
        text = _text(path, run, site)
        if text and (language == "shell" or any(hint in text.lower() for hint in _CODE_HINTS)):
            yield Script(
                path,
                language,
                text,
                run.cwd,
                run.words[run.words.index(path) :] if path in run.words else [],
            )
    name = run.words[0]
    if "/" in name:
        text = _text(name, run, site)
        if text and (text.startswith("#!") or name.endswith(".sh")):
            first = text.partition("\n")[0]
            language = "python" if "python" in first else "js" if "node" in first else "shell"
            yield Script(name, language, text, run.cwd, list(run.words))
    if run.name in _BUILD_FILES:
        yield from _whole(run, site)
    elif name in ("make", "gmake"):
        yield from _make(run, site)
    elif name in ("npm", "yarn", "pnpm", "bun", "composer", "deno"):
        yield from _package(run, site)
    elif name in ("just", "task"):
        yield from _recipes(run, site)


def softened(script: Script, decision: Decision, site: Site) -> Decision | None:
    """What a decision about a line means where the line stands in a file."""
    where = f"in {script.file}: {decision.part}"[:200]
    if decision.action == "allow" or decision.code in _OWN:
        return None
    if decision.code == "overwrite" and ANY in "".join(decision.paths):
        return None  # what a program of the project writes under a name that it makes up
    decision.part = where
    if decision.action == "snapshot" or decision.code in _NEVER:
        return decision
    if decision.action == "deny" and not decision.code.startswith(("too-", "not-")):
        decision.action = "ask"
        return decision
    if any(word in script.text for word in _REMOVES):
        return ruling("discard-script", script.file, part=where, folders=(site.tree(script.cwd),))
    return None


def _text(path: str, run: Invocation, site: Site) -> str:
    return "" if has_marks(path) else site.read(absolute(path, run.cwd))


# make


def _make(run: Invocation, site: Site) -> Iterator[Script]:
    found = Arguments(run.words[1:], ("-C", "-f", "-I", "-o", "-W", "--directory", "--file"))
    if found.has("-n", "--dry-run", "--just-print", "-q"):
        return
    folder = absolute(found.options.get("-C") or found.options.get("--directory") or ".", run.cwd)
    given = (
        found.options.get("-f") or found.options.get("--file") or found.options.get("--makefile")
    )
    text = next(
        (
            text
            for name in ([given] if given else _MAKEFILES)
            if (text := site.read(absolute(name, folder)))
        ),
        "",
    )
    given_text = [word[7:] for word in run.words if word.startswith("--eval=")]
    if given in ("-", "/dev/stdin") and run.stdin:
        given_text.append(run.stdin)
    text = "\n".join((text, *given_text))
    variables, rules = _rules(text)
    for word in found.operands:
        name, equals, value = word.partition("=")
        if equals:
            variables[name.rstrip(":?+")] = value
    wanted = [word for word in found.operands if "=" not in word]
    default = next((name for name in rules if not name.startswith(".")), "")
    seen: dict[str, None] = {}
    left = wanted or [default]
    while left and len(seen) < _MOST_TARGETS:
        target = left.pop(0)
        if target in seen or target not in rules:
            continue
        seen[target] = None
        needs, recipe = rules[target]
        left += _expanded(needs, variables).split()
        for line in recipe:
            shell = _expanded(line.lstrip("@-+ "), variables | {"@": target})
            if shell.strip():
                yield Script(f"the Makefile's {target}", "shell", shell, folder, [])


def _rules(text: str) -> tuple[dict[str, str], dict[str, tuple[str, list[str]]]]:
    variables: dict[str, str] = {"RM": "rm -f", "MAKE": "make", "CURDIR": "."}
    rules: dict[str, tuple[str, list[str]]] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            current.append(line[1:])
            continue
        plain = line.partition("#")[0]
        head, equals, value = plain.partition("=")
        name = head.rstrip(":?+! ").removeprefix("export ").strip()
        if equals and name and " " not in name and ":" not in name:
            variables[name] = value.strip()
            continue
        targets, colon, needs = plain.partition(":")
        if colon and targets.strip():
            needs, _, inline = needs.lstrip(":").partition(";")
            current = [inline] if inline.strip() else []
            for target in targets.split():
                earlier, recipe = rules.get(target, ("", current))
                rules[target] = (f"{earlier} {needs}", recipe)
                current = recipe
    return variables, rules


def _expanded(text: str, variables: dict[str, str]) -> str:
    """Make's variables put in; what it does not set is the environment's."""
    for _ in range(8):
        at = text.find("$(")
        at = text.find("${") if at < 0 else at
        if at < 0 or len(text) > 10_000:
            break
        end = text.find(")" if text[at + 1] == "(" else "}", at)
        if end < 0:
            break
        name = text[at + 2 : end]
        if name.startswith("shell "):
            value = f"\x02({name[6:]})"
        elif name in variables:
            value = variables[name]
        else:
            value = f"\x02{{{name}}}" if name.replace("_", "a").isalnum() else "x"
        text = text[:at] + value + text[end + 1 :]
    text = text.replace("$$", "\x02").replace("$@", variables.get("@", "x"))
    return text.replace("$<", "x").replace("$^", "x").replace("\x02", "$")


# programs of a build, read whole: which part of it a target runs is known to nobody but itself

_BUILD_FILES = {
    "rake": ("ruby", "Rakefile", "rakefile", "Rakefile.rb"), "fastlane": ("ruby", "fastlane/Fastfile"),
    **dict.fromkeys(("gradle", "gradlew"), ("groovy", *(f"{name}.gradle{end}" for name in ("build", "settings") for end in ("", ".kts")))), "invoke": ("python", "tasks.py"),
    "inv": ("python", "tasks.py"), "fab": ("python", "fabfile.py"), "nox": ("python", "noxfile.py"),
    "doit": ("python", "dodo.py"), "scons": ("python", "SConstruct"), "waf": ("python", "wscript"),
    "gulp": ("js", "gulpfile.js", "gulpfile.mjs"), "grunt": ("js", "Gruntfile.js"), "jake": ("js", "Jakefile.js"),
}  # fmt: skip
_LISTS = ("-T", "-P", "-l", "-n", "--tasks", "--list", "--dry-run", "--version", "--help", "-h")


def _whole(run: Invocation, site: Site) -> Iterator[Script]:
    language, *files = _BUILD_FILES[run.name]
    gradle = run.name.startswith("gradle")
    valued = ("-f", "-b", "-I", "--rakefile", "--init-script", "-c", "--build-file")
    more_valued = ("-p", "--project-dir", "-x", "--tests") if gradle else ()
    found = Arguments(run.words[1:], (*valued, *more_valued))
    if found.has(*(_LISTS if not gradle else ("--dry-run", "--version", "--help", "-h", "-m"))):
        return
    folder = found.options.get("-p") or found.options.get("--project-dir") if gradle else ""
    given = [found.options.get(each, "") for each in ("-f", "-b", "--rakefile", "--build-file")]
    more = [found.options.get(each, "") for each in ("-I", "--init-script")]
    files = [f"{folder}/{name}" for name in files] if folder else files
    for path in filter(None, (*(given if any(given) else files), *more)):
        text = _text(path, run, site)
        if language == "ruby":  # rake and fastlane call it sh
            text = text.replace(" sh ", " system ").replace(" sh(", " system(")
        if text:
            yield Script(path, language, text, run.cwd, [])


# just, task

_RECIPES = ("justfile", "Justfile", ".justfile", "Taskfile.yml", "Taskfile.yaml", "taskfile.yml")


def _recipes(run: Invocation, site: Site) -> Iterator[Script]:
    """Indented lines below ``NAME ...:``; in a Taskfile those behind a dash."""
    found = Arguments(run.words[1:], ("-f", "--justfile", "-d", "-t", "--taskfile", "--dir"))
    if found.has("-l", "--list", "-n", "--dry-run", "--dry", "--summary", "--show"):
        return
    texts = ((name, site.read(f"{run.cwd}/{name}")) for name in _RECIPES)
    file, text = next(((name, text) for name, text in texts if text), ("", ""))
    for wanted in found.operands[:4] if text else ():
        inside, deep = False, 0
        for line in text.split("\n"):
            indent = len(line) - len(line.lstrip())
            head = line.strip().partition(":")[0].split(" ")[0].lstrip("@")
            if inside and line.strip() and indent <= deep:
                inside = False
            if ":" in line and head == wanted:
                inside, deep = True, indent
            elif inside and (shell := _recipe_line(line, file)):
                yield Script(f"{file}'s {wanted}", "shell", shell, run.cwd, [])


def _recipe_line(line: str, file: str) -> str:
    shell = line.strip()
    if "askfile" in file:
        key, _, value = shell.lstrip("- ").partition(": ")
        shell = value if key in ("cmd", "sh") else shell[2:] if shell.startswith("- ") else ""
    return shell.lstrip("@-").replace("{{", "${").replace("}}", "}").strip("\"'")


# package.json

_SHORT = names("test start stop restart t")
_VERBS = names(
    "install i ci add remove exec x dlx publish run run-script why up upgrade init create info cache config"
)


def _package(run: Invocation, site: Site) -> Iterator[Script]:
    found = Arguments(
        run.words[1:], ("--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F")
    )
    words = found.operands
    folder = next(
        (
            found.options[name]
            for name in ("--prefix", "-C", "--dir", "--cwd")
            if found.options.get(name)
        ),
        ".",
    )
    chosen = _wanted(run.name, words)
    if not chosen:
        return
    import json

    folder = absolute(folder, run.cwd)
    name = _MANIFESTS.get(run.name, "package.json")
    try:
        kept = json.loads(site.read(f"{folder}/{name}") or "{}")
    except (ValueError, RecursionError):
        return
    key = "tasks" if run.name == "deno" else "scripts"
    listed = kept.get(key) if isinstance(kept, dict) else None
    if not isinstance(listed, dict):
        return
    for each in chosen:
        text = listed.get(each)
        for line in text if isinstance(text, list) else (text,):
            if isinstance(line, str):
                yield Script(f"{name}'s {each}", "shell", line, folder, [])


_MANIFESTS = {"composer": "composer.json", "deno": "deno.json"}
_INSTALLS = names("install i ci")


def _wanted(tool: str, words: list[str]) -> tuple[str, ...]:
    """The scripts that a tool would run by their names, those before and after them included."""
    if words[:1] in (["run"], ["run-script"], ["task"]):
        words = words[1:]
    elif words and words[0] in _INSTALLS and tool != "composer" and not words[1:]:
        return ("preinstall", "install", "postinstall", "prepare")
    elif not words or (tool == "npm" and words[0] not in _SHORT) or words[0] in _VERBS:
        return ()
    if not words or (tool == "deno" and words[0].endswith((".ts", ".js"))):
        return ()
    name = "test" if words[0] == "t" else words[0]
    return (f"pre{name}", name, f"post{name}")
