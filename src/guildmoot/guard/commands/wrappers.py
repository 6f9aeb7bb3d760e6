"""Programs that start other programs: which words, shell text or code of theirs is run."""

from __future__ import annotations

from guildmoot.guard.commands.editors import awk_program, editor_commands, sed_script
from guildmoot.guard.commands.interpreters import (
    INTERPRETERS,
    SHELLS,
    Nested,
    inline_code,
    shell_program,
    stdin_program,
    versioned,
)
from guildmoot.guard.commands.invocation import Arguments, Invocation
from guildmoot.guard.commands.words import ANY, STAR, literal, names, pattern_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HARMLESS = names(
    "time timeout nice nohup command builtin exec stdbuf env ionice setsid unbuffer caffeinate"
)
"""Wrappers that change nothing about what the command may do."""
_PLAIN: dict[str, tuple[str, int]] = {
    # the options that take a value, and how many operands stand before the command
    "sudo": ("-u -g -p -C -h -r -t -U -D -R -T --user --group --chdir", 0), "doas": ("-u -C", 0),
    "nohup": ("", 0), "setsid": ("", 0), "nice": ("-n --adjustment", 0), "ionice": ("-c -n -p", 0),
    "stdbuf": ("-i -o -e", 0), "timeout": ("-k -s --signal --kill-after", 1),
    "gtimeout": ("-k -s", 1), "command": ("", 0), "builtin": ("", 0), "exec": ("-a", 0),
    "time": ("-f -o --format --output", 0), "chrt": ("", 1), "taskset": ("", 1), "unbuffer": ("", 0),
    "strace": ("-e -o -p -s -P -u", 0), "ltrace": ("-e -o -p -s -u", 0), "caffeinate": ("-t -w", 0),
    "torsocks": ("", 0), "proxychains": ("-f", 0), "proxychains4": ("-f", 0), "firejail": ("", 0),
    "chroot": ("", 1), "unshare": ("", 0), "nsenter": ("-t", 0), "pkexec": ("--user", 0),
    "busybox": ("", 0), "toybox": ("", 0), "xvfb-run": ("-n -s -e -a -w", 0), "dbus-run-session": ("", 0),
    "cpulimit": ("-l -p", 0), "systemd-run": ("-p -u -E --unit --property", 0), "entr": ("", 0),
    "dotenv": ("-f -e", 0), "env-cmd": ("-f -e", 0), "cross-env": ("", 0), "catchsegv": ("", 0),
    "retry": ("-t -d -n", 0), "coproc": ("", 0), "noglob": ("", 0), "nocorrect": ("", 0), "-": ("", 0),
    "setpriv": ("--reuid --regid --groups", 0), "prlimit": ("-p", 0), "numactl": ("-N -m -C", 0), "gosu": ("", 1),
    "su-exec": ("", 1), "chpst": ("-u -e -m", 0), "arch": ("", 0), "screen": ("-S -t", 0), "watchexec": ("-w -e", 0),
    "npx": ("-p --package -c", 0), "bunx": ("", 0), "pnpx": ("", 0), "hyperfine": ("-r -w -n -p -c -m -M -S", 0), "valgrind": ("", 0), "wsl": ("-d -u --cd -e", 0), "rlwrap": ("", 0), "faketime": ("", 1),
}  # fmt: skip
_RUNNERS: dict[str, tuple[str, ...]] = {
    # a program whose sub-command starts the words behind it
    "poetry": ("run",), "uv": ("run",), "pipenv": ("run",), "pdm": ("run",), "rye": ("run",), "hatch": ("run",),
    "bundle": ("exec",), "conda": ("run",), "mamba": ("run",), "micromamba": ("run",), "pixi": ("run",),
    "doppler": ("run",), "op": ("run",), "infisical": ("run",), "aws-vault": ("exec",), "chamber": ("exec",),
    "direnv": ("exec",), "mise": ("exec", "x"), "asdf": ("exec",), "rbenv": ("exec",), "pyenv": ("exec",),
    "npm": ("exec", "x"), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"), "bun": ("x",), "railway": ("run",), "dotenvx": ("run",), "nvm": ("exec",), "pipx": ("run",),
}  # fmt: skip
_TAKES_NAME = names("aws-vault chamber direnv")


def nested(run: Invocation) -> list[Nested]:
    """What this program would start, as far as its words say; empty for one that starts nothing."""
    name = run.name.lower().removesuffix(".exe")
    words = run.words[1:]
    if name in SHELLS:
        return shell_program(run, words)
    language = INTERPRETERS.get(name) or versioned(name)
    if language:
        return [*inline_code(run, words, language), *_subcommand(run, name, words)]
    if name in _PLAIN:
        return _plain(name, words)
    special = _SPECIAL.get(name)
    if special:
        return list(special(run, words))
    return _subcommand(run, name, words)


def _words(words: list[str], remote: str = "") -> list[Nested]:
    return [Nested("words", words=words, remote=remote)] if words else []


def _plain(name: str, words: list[str]) -> list[Nested]:
    valued, skipped = _PLAIN[name]
    if name == "command" and words[:1] and words[0] in ("-v", "-V"):
        return []
    if name == "hyperfine":
        return [Nested("shell", word) for word in Arguments(words, valued.split()).operands]
    rest = Arguments(words, valued.split(), stop=True).rest[skipped:]
    while rest and "=" in rest[0] and rest[0].partition("=")[0].replace("_", "a").isalnum():
        rest = rest[1:]
    return _words(rest)


def _subcommand(_run: Invocation, name: str, words: list[str]) -> list[Nested]:
    """``poetry run X``, ``aws-vault exec PROFILE -- X``."""
    found = Arguments(words, stop=True).rest
    if not found or found[0] not in _RUNNERS.get(name, ()):
        return []
    rest = found[1:]
    if rest[:1] in (["-c"], ["--call"], ["--shell-mode"]) and name in ("npm", "pnpm"):
        return [Nested("shell", literal(rest[1]))] if rest[1:] else []
    valued = (
        "-n",
        "--name",
        "-p",
        "--python",
        "--with",
        "--group",
        "--extra",
        "--package",
        "-C",
        "--directory",
    )
    rest = Arguments(rest, valued, stop=True).rest
    rest = rest[1:] if name in _TAKES_NAME else rest
    if rest and rest[0].endswith(".py"):
        return [Nested("file", rest[0], language="python")]
    return _words(rest[1:] if rest[:1] == ["--"] else rest)


def _env(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    found = Arguments(words, ("-u", "-C", "-S", "--unset", "--chdir", "--split-string"), stop=True)
    text = found.options.get("-S") or found.options.get("--split-string")
    if text:
        yield Nested("shell", text)
    rest = found.rest
    while rest and "=" in rest[0]:
        rest = rest[1:]
    yield from _words(_behind_value(rest))


_ACTS = names(
    "rm git sh bash zsh dash python python3 node perl ruby awk nawk find dd mv shred kubectl docker terraform curl"
)


def _behind_value(words: list[str]) -> list[str]:
    """The words of the command where an option that nobody knows here took a value before it."""
    if words and words[0] not in _SPECIAL and words[1:2] and words[1] in _ACTS:
        plain = words[0].replace(".", "").replace("/", "").replace("_", "")
        return words[1:] if plain.isupper() or plain.isdigit() or "/" in words[0] else words
    return words


def _xargs(run: Invocation, words: list[str]) -> Iterator[Nested]:
    """The words that arrive on standard input are not known."""
    valued = names("-I -J -n -P -L -d -E -s -a -S -R --max-args --max-procs --delimiter --arg-file")
    found = Arguments(words, valued, stop=True)
    mark = (
        found.options.get("-I")
        or found.options.get("-J")
        or found.options.get("--replace")
        or ("{}" if found.has("-i", "--replace") else "")
    )
    rest = _behind_value(found.rest) or ["echo"]
    whole = found.has("-0", "--null", "-d", "--delimiter")
    known = (
        [run.stdin]
        if whole and run.stdin
        else run.stdin.split()
        if run.stdin and len(run.stdin) < 10_000
        else _printed_paths(run) or [ANY]
    )
    if not mark:
        yield Nested("words", words=[*rest, *known])
        return
    if known != [ANY] and run.stdin:
        known = run.stdin.splitlines()  # a mark takes a line, not a word
    for given in known[:8] if len(known) <= 8 else [ANY]:
        yield Nested("words", words=[word.replace(mark, given) for word in rest])


def _printed_paths(run: Invocation) -> list[str]:
    """What a find before the pipe prints: paths below the folders that it looks at."""
    feed = run.feeds[-1] if run.feeds else None
    if feed is None or feed.name not in ("find", "gfind"):
        return []
    roots, pattern = _roots(feed.words[1:]), _found(feed.words[1:])
    return [f"{root.rstrip('/')}/{pattern}" for root in roots or ["."]]


def _roots(words: list[str]) -> list[str]:
    roots: list[str] = []
    for word in words:
        if word.startswith(("-", "(", "!")):
            break
        roots.append(word)
    return roots


def _parallel(run: Invocation, words: list[str]) -> Iterator[Nested]:
    valued = ("-j", "-n", "-N", "-I", "-a", "--jobs", "--results", "--joblog", "-S", "--tmpdir")
    rest = _behind_value(Arguments(words, valued, stop=True).rest)
    head = rest[: rest.index(":::")] if ":::" in rest else rest
    values = [word for word in rest[len(head) :] if word[:3] != ":::"]
    values = values or (run.stdin or "").splitlines()
    for value in values[:8] if head and len(values) <= 8 else ():
        given = [word.replace("{}", value).replace("{1}", value) for word in head]
        yield Nested("words", words=[*given, value] if given == head else given)
    if head and not 0 < len(values) <= 8:
        yield Nested(
            "shell", " ".join(head).replace("{}", ANY) + ("" if "{}" in head else f" {ANY}")
        )


def _fd(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``fd PATTERN FOLDER -x COMMAND``: without a mark the path is the last word."""
    at = next((at for at, word in enumerate(words) if word in _FD_EXEC), len(words))
    valued = ("-e", "-t", "-d", "-E", "-j", "-c", "--extension", "--type", "--max-depth")
    for root in Arguments(words[:at], valued).operands[1:] or ["."]:
        found = f"{root.rstrip('/')}/{STAR}"
        rest = [word.replace("{}", found) for word in words[at + 1 :]]
        yield from _words(rest if rest != words[at + 1 :] or not rest else [*rest, found])


_FD_EXEC = ("-x", "-X", "--exec", "--exec-batch")


def _find(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """Each ``-exec`` with the places that it looks at."""
    roots = _roots(words)
    tests = [word for word in words if word.startswith("-")]
    narrowed = any(
        test in ("-name", "-iname", "-path", "-regex", "-type", "-empty") for test in tests
    )
    starts = [at for at, word in enumerate(words) if word in ("-exec", "-execdir", "-ok", "-okdir")]
    for start in starts:
        end = next((at for at in range(start, len(words)) if words[at] in (";", "+")), len(words))
        for root in roots or ["."]:
            found = f"{root.rstrip('/')}/{_found(words)}" if narrowed or root != "/" else "/"
            yield Nested(
                "words", words=[word.replace("{}", found) for word in words[start + 1 : end]]
            )


def _found(words: list[str]) -> str:
    """The name pattern of a find, so that what it finds can be told."""
    for at, word in enumerate(words[:-1]):
        if word in ("-name", "-iname") and words[at - 1] not in ("!", "-not"):
            return pattern_marks(words[at + 1])
    return STAR


def _option_text(*options: str) -> Callable[[Invocation, list[str]], Iterator[Nested]]:
    """Shell text is the value of an option: ``su -c``, ``script -c``, ``flock -c``, ``nix-shell --run``."""

    def found(_run: Invocation, words: list[str]) -> Iterator[Nested]:
        for at, word in enumerate(words[:-1]):
            bundled = "-c" in options and word[:1] == "-" and word[1:2] != "-" and word[-1:] == "c"
            if word in options or bundled:
                text = literal(words[at + 1])
                whole = "--run" in options and " " not in text  # nix develop -c NAME WORDS
                yield Nested("words", words=words[at + 1 :]) if whole else Nested("shell", text)
                return
        if "-c" in options:
            given = Arguments(words, ("-w", "-E", "-u"), stop=True)
            rest = given.rest if given.has("-u") else given.rest[1:]  # flock FILE COMMAND
            yield from _words(rest)

    return found


def _watch(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    rest = Arguments(words, ("-n", "--interval"), stop=True).rest
    if rest:
        yield Nested("shell", " ".join(rest))


def _ssh(run: Invocation, words: list[str]) -> Iterator[Nested]:
    valued = names("-p -i -l -o -F -J -L -R -D -W -b -c -E -S -m -w")
    found = Arguments(words, valued, stop=True)
    command = found.options.get("-o", "")
    if command.lower().startswith(("proxycommand", "localcommand")):
        yield Nested("shell", command[12:].lstrip("= "))
    if len(found.rest) > 1:
        yield Nested("shell", " ".join(literal(word) for word in found.rest[1:]), remote="ssh")
    elif run.stdin is not None:
        yield Nested("shell", run.stdin, remote="ssh")


_CONTAINER_VALUED = tuple(
    sorted(
        names("""-v --volume -e --env --env-file -p --publish --name -w --workdir -u --user --network --net --mount
    --entrypoint
    -h --hostname -l --label --cpus -m --memory --platform --add-host --gpus --device --ulimit --restart --tmpfs
    --shm-size --cap-add --cap-drop --security-opt --dns -f --file --project-name --profile --context -n --namespace
    -c --container --index --pull --ipc --pid --log-driver --volumes-from --health-cmd --stop-signal --scale""")
    )
)


def _container(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``docker run IMAGE X``, ``docker exec NAME X``, ``docker compose exec``, ``kubectl exec POD -- X``."""
    rest = Arguments(words, _CONTAINER_VALUED, stop=True).rest
    if rest[:1] == ["compose"]:
        rest = Arguments(rest[1:], _CONTAINER_VALUED, stop=True).rest
    if not rest or rest[0] not in ("run", "exec"):
        return
    rest = rest[1:]
    if "--" in rest:
        yield from _words(rest[rest.index("--") + 1 :], "container")
        return
    yield from _words(Arguments(rest, _CONTAINER_VALUED, stop=True).rest[1:], "container")


def _git(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``bisect run``, ``rebase --exec``, ``submodule foreach``, ``filter-branch --tree-filter``."""
    rest = Arguments(words, ("-C", "-c", "--git-dir", "--work-tree"), stop=True).rest
    if rest[:2] == ["bisect", "run"]:
        yield from _words(rest[2:])
    elif rest[:2] == ["submodule", "foreach"]:
        yield Nested("shell", " ".join(word for word in rest[2:] if not word.startswith("--")))
    elif rest[:1] == ["grep"]:
        yield from (
            Nested("shell", word[2:]) for word in rest if word.startswith("-O") and word[2:]
        )
    elif rest[:1] in (["rebase"], ["filter-branch"], ["difftool"]):
        for at, word in enumerate(rest[:-1]):
            if word in ("-x", "--exec", "--extcmd") or word.endswith("-filter"):
                yield Nested("shell", rest[at + 1])


def _pager(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``less '+!COMMAND'``."""
    yield from (Nested("shell", word[2:]) for word in words if word.startswith("+!"))


def _go(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``go run FILE``."""
    for word in words[1:] if words[:1] == ["run"] else ():
        if word.endswith(".go"):
            yield Nested("file", word, language="go")


def _make(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``make SHELL=FILE``: it runs every line of a recipe."""
    for word in words:
        name, _, value = word.partition("=")
        if name in ("SHELL", "CC", "CXX", "LD") and "/" in value.split(" ")[0]:
            yield from _words(value.split())


def _maven(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``mvn exec:exec -Dexec.executable=X -Dexec.args='...'``."""
    given = dict(word[7:].partition("=")[::2] for word in words if word.startswith("-Dexec."))
    if given.get("executable"):
        yield Nested("shell", f"{given['executable']} {given.get('args', '')}")


def _tmux(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    found = Arguments(words, ("-t", "-s", "-n", "-c", "-L", "-S", "-x", "-y", "-F", "-e"))
    if found.operands[:1] and found.operands[0] in (
        *(
            "send-keys",
            "send",
            "new-session",
            "new",
            "new-window",
            "neww",
            "split-window",
            "respawn-pane",
        ),
        *("splitw", "run-shell", "run", "if-shell"),
    ):
        typed = [word for word in found.operands[1:] if word not in ("Enter", "C-m", "KPEnter")]
        if typed:
            yield Nested("shell", " ".join(literal(word) for word in typed))


def _stdin_text(run: Invocation, _words_: list[str]) -> Iterator[Nested]:
    """``at`` and ``batch`` run what they are given."""
    yield from stdin_program(run, "shell")


def _cmd(_run: Invocation, words: list[str]) -> Iterator[Nested]:
    """``cmd /c TEXT`` of Windows."""
    at = next((at for at, word in enumerate(words) if word.lower() in ("/c", "/k", "//c")), -1)
    text = " ".join(literal(word) for word in words[at + 1 :]).replace("\\", "/")
    if at >= 0 and text:
        yield Nested("shell", text)


_SPECIAL: dict[str, Callable[[Invocation, list[str]], Iterator[Nested]]] = {
    "env": _env, "xargs": _xargs, "gxargs": _xargs, "parallel": _parallel, "find": _find, "gfind": _find,
    "fd": _fd, "fdfind": _fd, "su": _option_text("-c", "--command"), "runuser": _option_text("-c", "--command"),
    "script": _option_text("-c", "--command"), "flock": _option_text("-c", "--command"),
    "nix-shell": _option_text("--run", "--command"), "nix": _option_text("-c", "--command", "--run"),
    "concurrently": _option_text("-c"), "watch": _watch, "ssh": _ssh, "docker": _container, "podman": _container,
    "nerdctl": _container, "docker-compose": _container, "kubectl": _container, "oc": _container, "tmux": _tmux, "git": _git,
    "awk": awk_program, "gawk": awk_program, "mawk": awk_program, "nawk": awk_program, "at": _stdin_text, "batch": _stdin_text, "vim": editor_commands, "vi": editor_commands,
    "mvn": _maven, "mvnw": _maven, "mvnd": _maven, "make": _make, "gmake": _make, "cmd": _cmd, "go": _go, "less": _pager, "more": _pager, "sed": sed_script, "gsed": sed_script, "nvim": editor_commands, "ex": editor_commands, "gdb": editor_commands, "ed": editor_commands, "red": editor_commands,
}  # fmt: skip
