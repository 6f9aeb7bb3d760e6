"""What a program of the command would start itself: functions, aliases, wrappers, scripts, and the builtins."""

from __future__ import annotations

from guildmoot.guard.commands.expand import Expander, State
from guildmoot.guard.commands.interpreters import (
    INTERPRETERS,
    SHELLS,
    Nested,
    preloaded_by,
    stdin_program,
)
from guildmoot.guard.commands.invocation import Invocation
from guildmoot.guard.commands.outputs import prints
from guildmoot.guard.commands.parsing import text_of
from guildmoot.guard.commands.words import ANY, BREAK
from guildmoot.guard.commands.wrappers import nested
from guildmoot.guard.site import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from guildmoot.guard.site import Site

MOST_DEPTH = 10


_INITS = frozenset(
    f"$({each}"
    for each in (
        *("pyenv init -", "pyenv init --path", "rbenv init -", "nodenv init -", "ssh-agent -s"),
        *("ssh-agent", "direnv hook bash", "direnv hook zsh", "direnv export bash", "fnm env"),
        *("fnm env --use-on-cd", "conda shell.bash hook", "brew shellenv", "mise activate bash"),
        *("minikube docker-env", "minikube -p minikube docker-env", "docker-machine env"),
        *("/opt/homebrew/bin/brew shellenv", "opam env", "starship init bash", "zoxide init bash"),
    )
)


class Io:
    """What flows into a statement, and the redirects around it."""

    __slots__ = ("appends", "feeds", "inputs", "outputs", "stdin", "words")

    def __init__(self, stdin: str | None = None, feeds: tuple[Invocation, ...] = ()) -> None:
        self.stdin = stdin
        self.feeds = feeds
        self.inputs: tuple[str, ...] = ()
        self.outputs: tuple[str, ...] = ()
        self.appends = False
        self.words: list[Node] = []
        """Words of the program that stand behind a redirect."""


class Starter(Expander):
    """Follows what programs start. ``Shell`` walks through the statements."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.runs: list[Invocation] = []
        self.code: list[tuple[Invocation, str, str]] = []
        """Inline code: who would run it, its language, its text."""
        self.files: list[tuple[Invocation, str, str]] = []
        """Programs in files: who would run it, the file, its language."""
        self.problems: list[tuple[str, str]] = []
        """A code and the part of the command."""
        self.written: dict[str, str] = {}
        """Files that the command itself writes, as far as their text is known."""
        self.traps: list[tuple[Invocation, State, str]] = []
        """What is run at the end, with the variables that are set by then."""
        self._depth = 0
        self._conditional = 0
        self._calls: list[str] = []
        self._via: tuple[str, ...] = ()
        self._remote = ""

    def give_up(self, part: str) -> None:
        self.problems.append(("too-large", part))

    def unclear(self, part: str) -> None:
        self.problems.append(("unknown-command", part))

    def script(self, text: str, state: State, io: Io | None = None) -> None:
        """Parse a text and walk through it."""
        raise NotImplementedError

    def visit(self, node: Node, state: State, io: Io) -> None:
        """Walk through one statement."""
        raise NotImplementedError

    def changes(self, run: Invocation, state: State) -> bool:
        """Builtins that change the shell itself; the same in every folder it may be in."""
        name, words = run.name, run.words[1:]
        while name in ("command", "builtin", "time") and words:
            name, words = ("" if words[0][:1] == "-" else words[0]) or name, words[1:]
        if name in ("cd", "pushd", "chdir"):
            self._cd(words, state)
        elif name == "popd":
            state.cwds = (ANY,)
        elif name == "set" and words and words[0][:1] == "-" and "e" in words[0]:
            state.stops = True
        elif name == "alias":
            for word in words:
                key, equals, value = word.partition("=")
                if equals:
                    state.aliases[key] = value
        elif name in ("read", "mapfile", "readarray", "getopts"):
            for word in words:
                if not word.startswith("-"):
                    state.variables[word] = (ANY,)
        elif name in ("export", "declare", "local", "readonly", "typeset"):
            for word in words:
                key, equals, value = word.partition("=")
                if equals:
                    state.variables[key] = (value,)
        elif name == "printf" and words[:1] == ["-v"] and len(words) > 2:
            state.variables[words[1]] = (ANY,)
        else:
            if name == "tee" and run.stdin is not None:
                self._keep(run, run.stdin, state, *words)
            elif run.outputs and run.stdin is not None and name in ("cat", ""):
                self._keep(run, run.stdin, state)
            elif run.outputs and name in ("echo", "printf"):
                self._keep(run, prints(run, self.site, run.cwd), state)
            return False
        return True

    def _keep(self, run: Invocation, text: str | None, state: State, *more: str) -> None:
        """Remember what the command itself writes to a file."""
        if text is not None and ANY not in text:
            for path in (*run.outputs, *more):
                full = absolute(path, run.cwd)
                state.files[full] = state.files.get(full, "") + text if run.appends else text

    def _cd(self, words: list[str], state: State) -> None:
        target = next(
            (word for word in words if word not in ("-P", "-L", "--", "-e")), self.site.home
        )
        old = state.cwds
        new = ANY if target == "-" else absolute(target, old[0])
        certain = state.stops and not self._conditional
        state.cwds = (new,) if certain or new == old[0] else (new, old[0])

    def start(self, run: Invocation, state: State) -> None:
        """Look at what the program itself would start."""
        if not run.words:
            return
        name = run.words[0]
        if name in state.functions and _call_id(name, state) not in self._calls:
            self._call(name, run, state)
            return
        if name in state.functions and ("|" in text_of(state.functions[name])):
            self.problems.append(("fork-bomb", run.source))
            return
        if name in state.aliases and name not in self._calls and self._depth < MOST_DEPTH:
            run.local = True
            self._calls.append(name)
            self._into(
                run,
                state,
                Nested("shell", " ".join([state.aliases[name], *map(_quote, run.words[1:])])),
            )
            self._calls.pop()
            return
        if name == "eval":
            given = run.text.removeprefix("eval").strip(" \"'")
            if given.endswith(")") and given[:-1].strip(' "') in _INITS:
                return  # tools that set up a shell; what they print is their own
            self._into(run, state, Nested("shell", " ".join(run.words[1:])))
            return
        if name == "trap" and len(run.words) > 2:
            self.traps.append((run, state, run.words[1]))
            return
        if name in ("source", ".") and len(run.words) > 1:
            self._into(run, state, Nested("file", run.words[1], language="shell"))
            return
        full = absolute(name, run.cwd)
        if "/" in name and full in state.files:
            self._into(run, state, Nested("file", name, language=_shebang(state.files[full])))
            return
        for variable, value in run.assigns:
            for found in preloaded_by(variable, value):
                self._into(run, state, found)
        for found in self._first_in_path(run, state):
            self._into(run, state, found)
        for found in nested(run):
            self._into(run, state, found)

    def _first_in_path(self, run: Invocation, state: State) -> Iterator[Nested]:
        """A text in a folder of the PATH that the command sets is started in place of the program."""
        name = run.words[0]
        given = dict(run.assigns).get("PATH") or "".join(state.variables.get("PATH", ())[:1])
        for folder in given.split(":") if given and "/" not in name else ():
            full = absolute(f"{folder}/{name}", run.cwd)
            if folder and ANY not in folder and (full in state.files or self.site.read(full)):
                yield Nested("words", words=[full, *run.words[1:]])

    def end(self) -> None:
        """Look at what is run when everything else was."""
        for run, state, text in self.traps:
            self._into(run, state, Nested("shell", text))

    def _call(self, name: str, run: Invocation, state: State) -> None:
        run.opened = run.local = True
        self._calls.append(_call_id(name, state))
        inner = state.copy()
        for at, word in enumerate(run.words[1:], 1):
            inner.variables[str(at)] = (word,)
        inner.variables["@"] = inner.variables["*"] = (BREAK.join(run.words[1:]),)
        flow = Io(run.stdin, run.feeds)
        self.visit(state.functions[name], inner, flow)
        state.cwds = inner.cwds
        self._calls.pop()

    def _into(self, run: Invocation, state: State, found: Nested) -> None:
        """What a wrapper, a shell or an interpreter would run."""
        if self._depth >= MOST_DEPTH:
            self.problems.append(("too-deep", run.text))
            return
        if found.kind == "words" and len(found.words) == 1 and " " in found.words[0]:
            found = Nested("shell", found.words[0], remote=found.remote)  # yarn exec 'rm -rf X'
        via, remote = self._via, self._remote
        self._depth += 1
        self._via = (*via, run.name)
        self._remote = found.remote or remote
        run.opened = run.opened or found.kind in ("words", "shell")
        if found.kind == "words":
            inner = run.like(found.words)
            inner.via, inner.remote, inner.outputs = self._via, self._remote, ()
            inner.parent = run
            inner.cwd = _folder(run, inner.cwd)
            self.runs.append(inner)
            self.start(inner, state)
        elif found.kind == "shell":
            own = (
                state
                if run.name in ("eval", "trap") or run.words[0] in state.aliases
                else state.copy()
            )
            own.variables.update({name: (value,) for name, value in run.assigns})
            own.variables.update({str(at): (word,) for at, word in enumerate(found.words)})
            self.script(found.text, own, Io(run.stdin, run.feeds))
        elif found.kind == "code":
            self.code.append((run, found.language, found.text))
        elif found.kind == "file":
            self._written_file(run, state, found)
        elif found.kind == "unknown":
            self.problems.append(("unknown-program", run.source))
        self._depth -= 1
        self._via, self._remote = via, remote

    def _written_file(self, run: Invocation, state: State, found: Nested) -> None:
        """A script that this same command wrote is known; another is somebody's file."""
        if found.text in ("/dev/stdin", "/dev/fd/0", "/dev/fd/63", "-") and (
            run.feeds or run.stdin
        ):
            for given in stdin_program(run, found.language):
                self._into(run, state, given)
            return
        text = state.files.get(absolute(found.text, run.cwd))
        if text is None:
            self.files.append((run, found.text, found.language))
            return
        if found.language == "shell":
            self.script(text, state.copy())
        else:
            self.code.append((run, found.language, text))


def _call_id(name: str, state: State) -> str:
    """A function that is defined anew under its own name is another one."""
    return f"{name}@{state.functions[name].id}"


def _folder(run: Invocation, cwd: str) -> str:
    """``env -C DIR`` and ``sudo -D DIR`` change the folder."""
    for at, word in enumerate(run.words[:-1]):
        if word in ("-C", "-D", "--chdir") and run.name in ("env", "sudo"):
            return absolute(run.words[at + 1], cwd)
    return cwd


def _quote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _shebang(text: str) -> str:
    first = text.partition("\n")[0]
    name = (
        first.replace("/env ", "/").rpartition("/")[2].split(" ")[0]
        if first.startswith("#!")
        else "sh"
    )
    return "shell" if name in SHELLS else INTERPRETERS.get(name, "shell")
