"""The default policy: a command in, one decision out. Pure: nothing is run, nothing is read but its facts.

A command that cannot be understood counts as what it could be: it is asked for, and denied under a scope.
"""

from __future__ import annotations

from guildmoot.guard.commands.interpreters import INTERPRETERS, SHELLS
from guildmoot.guard.commands.shell import MOST_BYTES, Shell, understand
from guildmoot.guard.commands.words import STAR, has_marks, names
from guildmoot.guard.decision import GuardPolicy, worst
from guildmoot.guard.rules import files
from guildmoot.guard.rules.rulings import ruling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from guildmoot.guard.commands.invocation import Invocation
    from guildmoot.guard.commands.scripts import Script
    from guildmoot.guard.decision import Decision
    from guildmoot.guard.scopes.rules import Scope
    from guildmoot.guard.site import Site

    Rule = Callable[[Invocation, Site], Iterator[Decision]]

_DEFAULT = GuardPolicy()
_MOST_NESTED = 60
_NOT_UNDERSTOOD = names(
    "not-shell unknown-command unknown-program delete-unknown remote-code code-runs code-text code-sends"
)


def judge_command(
    text: str | bytes, site: Site, scope: Scope | None = None, policy: GuardPolicy = _DEFAULT
) -> Decision:
    """What is to be done with a shell command."""
    unreadable = _unreadable(text)
    if unreadable:
        return unreadable
    command = text if isinstance(text, str) else text.decode()
    try:
        shell = understand(command, site)
        decision = worst(judgements(shell, site))
        if (
            "\\\n" in command
        ):  # a word that goes on in the next line; a comment does not, so both are looked at
            joined = understand(command.replace("\\\n", ""), site)
            decision = worst((decision, worst(judgements(joined, site))))
    except RecursionError:
        return ruling("too-deep", part=command[:60])
    if scope is not None:
        from guildmoot.guard.scopes.check import check_shell

        decision = bound(decision, check_shell(shell, scope, site))
    return settle(decision, policy)


def bound(decision: Decision, outside: Decision | None) -> Decision:
    """Under a scope nobody is asked about what is not understood: it is denied."""
    if outside is not None and decision.action != "deny":
        return outside
    if decision.action == "ask" and decision.code in _NOT_UNDERSTOOD:
        decision.action = "deny"
    return decision


def settle(decision: Decision, policy: GuardPolicy) -> Decision:
    """The user's own policy on top of the rules."""
    if (
        decision.action == "snapshot"
        and decision.then == "ask"
        and policy.after_snapshot == "allow"
    ):
        decision.then = "allow"
    if decision.action == "ask" and policy.strict:
        decision.action = "deny"
    return decision


def _unreadable(text: str | bytes) -> Decision | None:
    """Size and form are looked at first, so that nothing costs time that cannot be decided anyway."""
    if len(text) > MOST_BYTES:
        return ruling("too-large", part=f"{len(text):,} bytes")
    if isinstance(text, bytes):
        try:
            text.decode()
        except UnicodeDecodeError:
            return ruling("not-text")
        text = text.decode()
    if "\x00" in text:
        return ruling("not-text")
    if (
        text.count("$(") + text.count("`") + text.count("<(") > _MOST_NESTED
        and _depth(text) > _MOST_NESTED
    ):
        return ruling("too-deep", part=text[:60])
    return None


def _depth(text: str) -> int:
    deepest = depth = 0
    for char in text:
        if char == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif char == ")" and depth:
            depth -= 1
    return deepest


def judgements(shell: Shell, site: Site, depth: int = 0) -> Iterator[Decision]:
    """What every rule says of every part."""
    fetched: set[str] = set()
    new_remote = unignored = False
    """Whether files that git ignored until now may be unknown ones by then."""
    if shell.written:
        site = site.with_files(shell.written)

    def judge(text: str) -> Decision:
        if depth > 3:
            return ruling("too-deep", part=text[:60])
        return worst(judgements(understand(text, site), site, depth + 1))

    for run in shell.runs:
        if depth < _MOST_FILES and (
            run.assigns
            or run.stdin
            or _has_text(run.words)
            or _STARTERS & {*run.words[1:]}
            or _WRAPPED & {*run.words[1:2]}
        ):
            from guildmoot.guard.rules.carried import carried

            yield from carried(run, _rules(), judge)
        if _answers(run):
            yield ruling("guard-off", part=run.source[:200])
        for decision in _of(run, site):
            decision.part = decision.part or run.source[:200]
            if unignored and decision.code == "discard-untracked" and not decision.paths:
                decision.paths = tuple(f"{folder}/{STAR}" for folder in decision.folders)
            yield decision
        unignored = unignored or _changes_ignored(run)
        if new_remote and run.name == "git" and "push" in run.words[1:4]:
            yield ruling("push-elsewhere", part=run.source[:200])
        new_remote = new_remote or _sets_remote(run)
        if fetched and _runs_fetched(run, fetched):
            yield ruling("remote-code", part=run.source[:200])
        if run.name in ("curl", "wget", "aria2c"):
            from guildmoot.guard.rules.network import downloads

            fetched.update(downloads(run))
    for name, value, written, given in shell.kept:
        for decision in _assigned(name, value) if given else ():
            decision.part = written[:200]
            yield decision
    for code, part in shell.problems:
        yield ruling(code, part=part[:200])
    yield from _from_files(shell, site, depth)
    if shell.code:
        from guildmoot.guard.commands.code import judge_code

        for run, language, text in shell.code:
            for decision in judge_code(run, language, text, site, judge):
                decision.part = decision.part or run.source[:200]
                yield decision


_TURNS = names("rm checkout switch reset restore stash merge pull rebase")


def _changes_ignored(run: Invocation) -> bool:
    """``git rm -rf .`` takes .gitignore along, and what it named is no longer safe from a clean."""
    if run.name == "git":
        return bool(_TURNS & {*run.words[1:6]})
    return any(word.endswith(".gitignore") for word in (*run.words, *run.outputs))


def _sets_remote(run: Invocation) -> bool:
    """``git remote add backup URL``: what is pushed there goes where nobody has looked. A first origin is as usual."""
    verb = [word for word in run.words[1:] if word[:1] != "-"]
    added = verb[:2] == ["remote", "add"] and verb[2:3] not in (["origin"], ["upstream"])
    return run.name == "git" and (added or verb[:2] == ["remote", "set-url"])


def _has_text(words: list[str]) -> bool:
    joined = "".join(words)
    return any(mark in joined for mark in (" ", "(", "_all", "=["))


_STARTERS = names("-- -c -e -x --exec --command --cmd --run exec run")
"""Behind these words a program may be given another one."""
_WRAPPED = names("rm git dd shred mkfs terraform kubectl bash sh sudo")
"""By one of these as its first word a wrapper that nobody knows gives itself away."""
_FILES = names(
    """make gmake npm yarn pnpm bun composer deno just task rake fastlane gradle gradlew invoke inv fab nox doit scons waf gulp
    grunt jake"""
)
_MOST_FILES = 3


def _from_files(shell: Shell, site: Site, depth: int) -> Iterator[Decision]:
    """What scripts, recipes and package scripts on the disk would do."""
    given: dict[int, list[tuple[str, str]]] = {}
    for run, path, language in shell.files:
        given.setdefault(id(run), []).append((path, language))
    for run in shell.runs if depth < _MOST_FILES else ():
        files = given.get(id(run), [])
        if not files and run.name not in _FILES and "/" not in "".join(run.words[:1]):
            continue
        from guildmoot.guard.commands.scripts import scripts_of, softened

        for script in scripts_of(run, files, site):
            for decision in _of_script(script, run, site, depth):
                found = softened(script, decision, site)
                if found:
                    yield found


def _of_script(script: Script, run: Invocation, site: Site, depth: int) -> Iterator[Decision]:
    def judge(text: str) -> Decision:
        return worst(judgements(understand(text, site, script.cwd), site, depth + 1))

    try:
        if script.language == "shell":
            inner = understand(script.text, site, script.cwd, script.words)
            yield from judgements(inner, site, depth + 1)
        else:
            from guildmoot.guard.commands.code import judge_code

            yield from judge_code(run, script.language, script.text, site, judge)
    except RecursionError:
        yield ruling("too-deep", part=script.file)


_TELLS = names(
    "echo printf grep egrep fgrep rg ag ack sed awk cat git gh man less head tail read : true test ["
)
"""Programs to which their words are data."""


def _answers(run: Invocation) -> bool:
    """Whether a program, whichever it is, is given the words that answer the guard's questions."""
    given = run.source if run.stdin is None else f"{run.source} {run.stdin}"
    at = given.find("approvals")
    if at < 0 or run.name in _TELLS:
        return False
    behind = given[at + 9 : at + 40].lstrip("\"', \t\\")
    return behind.startswith(("approve", "deny")) and "guild" in given


def _of(run: Invocation, site: Site) -> Iterator[Decision]:
    for path in (*run.outputs, *run.inputs):
        if "/dev/tcp/" in path or "/dev/udp/" in path:
            from guildmoot.guard.rules.network import is_socket

            if is_socket(path):
                yield ruling("backdoor", path)
    for path in run.outputs:
        yield from files.write(path, run, site)
    for path in run.inputs:
        yield from files.show(path, run, site)
    yield from files.overwritten(run, site)
    for name, value in run.assigns:
        yield from _assigned(name, value)
    name = run.name
    if not name:
        return
    if has_marks(name):
        yield from _unknown(run)
        return
    low = name.lower().removesuffix(".exe")
    if low.startswith(("mkfs", "newfs", "mke2fs")) and any(
        word.startswith("/dev/") or has_marks(word) or "." not in word for word in run.words[-1:]
    ):
        yield ruling("disk")
    rules = _rules().get(low)
    found = [decision for rule in rules or () for decision in rule(run, site)]
    yield from found
    if rules is None or (not found and low in _by_verb):
        from guildmoot.guard.rules.verbs import by_verb

        yield from by_verb(run)
    if len(run.words) > 1:
        from guildmoot.guard.rules.reached import given_files

        yield from given_files(run, site)


_OTHER_SETTINGS = names("CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME CLAUDE_CODE_SIMPLE")
"""Variables that give an agent other settings, in which no guard stands."""


_GIT_RUNS = (
    *("alias.", "core.sshcommand", "core.hookspath", "core.fsmonitor", "core.pager", "core.editor"),
    *("diff.external", "filter.", "include", "credential.helper", "gpg.program"),
)


def _assigned(name: str, value: str) -> Iterator[Decision]:
    """A variable that makes the program load or run something else."""
    if (
        name in ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND") and value
    ) or (
        name in ("GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF") and not value.startswith("ssh")
    ):
        yield ruling("runs-later", name)
    elif name == "GIT_CONFIG_PARAMETERS" or (
        name.startswith("GIT_CONFIG_KEY_") and value.lower().startswith(_GIT_RUNS)
    ):
        yield ruling("git-runs", name)
    elif name in _OTHER_SETTINGS or (
        name.startswith("GUILD_") and name.endswith(("GUARD", "SCOPE", "OFF"))
    ):
        yield ruling("guard-off", name)


_TOOLS = (
    "$CC",
    "$CXX",
    "$PYTHON",
    "$PY",
    "$GO",
    "$NODE",
    "$NPM",
    "$MAKE",
    "$EDITOR",
    "$BROWSER",
    "$CARGO",
    "$PIP",
    "$JAVA",
)


def _unknown(run: Invocation) -> Iterator[Decision]:
    """A program whose name comes from the environment: the customary names of tools are let go."""
    written = run.text.replace("{", "").replace("}", "").replace('"', "").split(" ")[0]
    folder, _, name = run.words[0].rpartition("/")
    asks = len(run.words) == 2 and run.words[1] in ("--help", "--version", "-h", "-V")
    if asks or written.partition(":")[0] in _TOOLS or (folder and not has_marks(name)):
        return
    yield ruling("unknown-command", part=run.source[:200])


def _runs_fetched(run: Invocation, fetched: set[str]) -> bool:
    """Whether a file that this same command fetched is started."""
    name = run.words[0].rpartition("/")[2] if run.words else ""
    if name in fetched and "/" in run.words[0]:
        return True
    starts = name in INTERPRETERS or name in SHELLS or name in ("source", ".", "sudo")
    return starts and any(word.rpartition("/")[2] in fetched for word in run.words[1:3])


_table: dict[str, tuple[Rule, ...]] = {}
_by_verb: set[str] = set()
"""Programs of which rules know a few words alone: the verb tells of the others."""


def _rules() -> dict[str, tuple[Rule, ...]]:
    """Every program that has rules."""
    if not _table:
        from guildmoot.guard.rules import (
            brought,
            databases,
            effects,
            git,
            infrastructure,
            machine,
            network,
            publishing,
            reached,
            windows,
        )

        for module in (
            *(
                files,
                git,
                network,
                publishing,
                infrastructure,
                databases,
                machine,
                effects,
                reached,
                brought,
                windows,
            ),
        ):
            for name, rules in module.RULES.items():
                _table[name] = (*_table.get(name, ()), *rules)
        _by_verb.update(name for name, rules in _table.items() if rules == (effects.known,))
    return _table
