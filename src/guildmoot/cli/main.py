"""The top of every command: finds the verb, imports only its module, and turns errors into exit codes.

Nothing heavier than ``sys`` is imported here, because agents call these commands on every step.
"""

from __future__ import annotations

import sys

GUILD_VERBS: dict[str, tuple[str, str]] = {
    "validate": ("validate", "judge this branch, files or commits: one verdict"),
    "council": ("council", "several judges, perhaps a debate, one answer"),
    "vibe": ("council:vibe", "is this change ready: SHIP, FIX or REFACTOR"),
    "pre-mortem": ("council:pre_mortem", "is this plan ready: PROCEED, ADDRESS or RETHINK"),
    "post-mortem": ("council:post_mortem", "what did this work come to, as it was foretold"),
    "guard": ("hooks.guard", "stand before every call of a coding agent"),
    "audit": ("hooks.report:audit", "what this project brings for coding agents, and drift"),
    "loop": ("loop", "change many files in tiers, or one phase in pairs"),
    "run-phase": ("loops.router", "pick a project's next phase and call its loop"),
    "approvals": ("hooks.approvals", "answer what the guard asks a person"),
    "hook": ("hooks.hook", "answer a hook event of a coding agent"),
    "undo": ("hooks.undo", "bring back what a command discarded"),
    "run": ("work.run", "from a sentence to work that is proven done"),
    "work": ("work.work", "the steps of 'guild run', one at a time, for scripts"),
    "lane": ("work.lanes:lane", "look at a lane of a run; retry, skip or take it over"),
    "team": ("work.lanes:team", "show the panes of a run that is carried out in tmux"),
    "pause": ("work.lanes:pause", "start no more lanes of a run"),
    "stop": ("work.lanes:stop", "end the lanes of a run that are at work"),
    "status": ("work.work:status", "where the work stands, and what comes next"),
    "learn": ("work.learn", "map this codebase: parts, imports, tests, risky files"),
    "skills": ("work.skills", "list, show and check skills in the public format"),
    "context": ("work.context", "why a page is in a lane's bundle; what differs"),
    "initiative": ("work.initiative", "goals that outlive one piece of work"),
    "lint": ("work.lint", "check specs, teams, plans, receipts and the like"),
    "wiki": ("memory.wiki", "the project's memory: put texts in, ask it, see why"),
    "trace": ("memory.trace", "what happened in a run, what it cost; OpenTelemetry"),
    "decide": ("memory.decide", "record what was decided, for people and for judges"),
    "agents": ("setup:agents", "list, show and check who could judge"),
    "spawn": ("spawn", "run any number of agents at once on one brief"),
    "probe": ("probe", "measure the judges on cases whose right answer is known"),
    "whiteboard": ("whiteboard", "design by several engineers, in rounds on one board"),
    "plan": ("whiteboard:plan", "the whiteboard under its newer name"),
    "policies": ("setup:policies", "list the rules that turn judgements into a verdict"),
    "runs": ("runs", "list and show recorded runs; clear old ones away"),
    "resume": ("again:resume", "go on with a run that was stopped or killed"),
    "collect": ("places.collect", "read replies of agents that prompts were handed to"),
    "replay": ("again:replay", "weigh a recorded run by another rule, spending nothing"),
    "rerun": ("again:rerun", "ask some judges of a recorded run again"),
    "mcp": ("places.mcp", "serve the Model Context Protocol, for coding agents"),
    "plugin": ("places.plugin", "put guild's skills into Claude Code, Codex or Gemini"),
    "status-line": ("places.status_line", "one line about the work, for a status line"),
    "ci": ("places.ci", "the steps of a job on GitHub or GitLab"),
    "review": ("places.review", "judge a pull request by its number; --post posts it"),
    "pre-commit": ("places.commit_hook", "judge what is staged, once for the same files"),
    "pre-push": (
        "places.commit_hook:push",
        "judge what is pushed, since it left the default branch",
    ),
    "install-hook": ("places.commit_hook:install", "make one of these a hook of this repository"),
    "completion": ("places.completion", "teach bash, zsh or fish the verbs; the man page"),
    "worker": ("engine:worker", "make calls for everybody who shares an engine"),
    "engine": ("engine", "look at a shared engine, drain it, migrate its database"),
    "hosts": ("hosts", "list and check hosts; tell which of them takes a task"),
    "baseline": ("baseline", "accept what is here now; later runs tell what is new"),
    "trust": ("trust", "let a repository's own settings and agents count"),
    "config": ("setup:config", "show where each setting comes from; check the files"),
    "doctor": ("setup:doctor", "tell what could judge here, and what is missing"),
    "parse-and-aggregate": (
        "parse_and_aggregate",
        "read judges' outputs (JSON on stdin) to a result",
    ),
    "derive-panel": ("derive_panel", "name the evaluators for a list of changed files"),
    "recipe": ("recipe", "print the members of a named recipe"),
    "findings": ("findings", "accept or dismiss a finding"),
}

ABOUT = {
    "guild": "Judge a change before it is merged: tools, AI agents if you like, one verdict.",
}
_TASKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Judge a change or a repository", ("validate", "vibe", "council", "baseline")),
    ("Judge a plan, look back, design", ("pre-mortem", "post-mortem", "whiteboard")),
    ("Change many files at once", ("loop", "run-phase")),
    ("Guard a coding agent", ("guard", "undo", "approvals", "audit")),
    ("Remember", ("wiki", "decide", "trace")),
    (
        "Take work from an intent to proof",
        ("run", "status", "lane", "pause", "stop", "learn", "lint"),
    ),
    ("See what was judged, go on with it", ("runs", "findings", "resume", "replay", "rerun")),
    ("See who could judge, and how", ("doctor", "agents", "policies", "config", "trust", "probe")),
)
EXAMPLES = """Examples:
  guild validate                      this branch and uncommitted work
  guild validate .                    the whole repository
  guild validate --diff main...HEAD   what this branch changes
  guild validate recent --json        the last commit, for a program
  guild doctor                        what could judge, and what is missing

'guild VERB --help' explains a verb. Exit codes of judging verbs: 0 approved,
1 advisories with --fail-on warn, 2 flagged, 3 conflict or undecided,
4 infrastructure, 64 usage."""


def guild() -> int:
    """The ``guild`` command."""
    import gc

    gc.set_threshold(100_000, 20, 50)  # most of what a short command makes lives until it ends
    return _leave(run("guild", GUILD_VERBS, sys.argv[1:]))


def _leave(code: int) -> int:
    """End at once where threads were used: taking the interpreter apart is a tenth of a short run."""
    threading = sys.modules.get("threading")
    if threading is None or any(
        not thread.daemon and thread is not threading.main_thread()
        for thread in threading.enumerate()
    ):
        return code
    import atexit
    import os

    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # the reader is gone; the interpreter has its own word for it
        return code
    return os._exit(code)


def loom() -> int:
    """The ``loom`` command, which speaks JSON to programs."""
    return _records("loom", sys.argv[1:])


def griot() -> int:
    """The ``griot`` command."""
    return _records("griot", sys.argv[1:])


def _records(program: str, argv: list[str]) -> int:
    """Programs that find their verbs themselves and tell failures in the seeds' words."""
    return (
        _version(program) if argv[:1] == ["--version"] else _guarded(program, "main", ["", *argv])
    )


def run(program: str, verbs: dict[str, tuple[str, str]], argv: list[str]) -> int:
    """Dispatch one command line and return its exit code."""
    if not argv or argv[0] in ("-h", "--help", "help"):
        sys.stdout.write(_help(program, verbs))
        return 0
    if argv[0] in ("--version", "-V"):
        return _version(program)
    if argv[0] == "--engine" or argv[0].startswith("--engine="):
        return _on_engine(program, verbs, argv)
    if argv[0] not in verbs:
        return _unknown_verb(program, verbs, argv)
    return _guarded(program, verbs[argv[0]][0], argv)


def _version(program: str) -> int:
    from guildmoot.version import __version__

    sys.stdout.write(f"{program} {__version__}\n")
    return 0


def _on_engine(program: str, verbs: dict[str, tuple[str, str]], argv: list[str]) -> int:
    """``--engine URL`` before a verb is the setting ``engine.url`` for that one command."""
    word, equals, url = argv[0].partition("=")
    rest = argv[1:] if equals else argv[2:]
    url = url if equals else "".join(argv[1:2])
    if not url or not rest:
        sys.stderr.write(
            f"{program}: {word} needs an address and a verb, e.g. {word} URL validate .\n"
        )
        return 64
    from guildmoot.config import process_flag

    with process_flag("engine.url", url, "--engine"):
        return run(program, verbs, rest)


def _guarded(program: str, place: str, argv: list[str]) -> int:
    """Run a verb; whatever it raises becomes a message and an exit code, never a stack trace.

    ``place`` is a module, and after a colon its function where that is not ``main``.
    """
    module, _, name = place.partition(":")
    try:
        found = __import__(
            f"guildmoot.cli.{program}.{module}", fromlist=["main"]
        )  # importlib costs more
        code = int(getattr(found, name or "main")(argv[1:]))
        sys.stdout.flush()
    except BrokenPipeError:
        _close_stdout()
        return 141  # what a shell reports for a program ended by SIGPIPE
    except KeyboardInterrupt:
        sys.stderr.write(f"{program} {argv[0]}: stopped\n")
        return 130
    except Exception as error:  # noqa: BLE001 - a user must never meet a stack trace
        from guildmoot.cli.output import explain

        return explain(program, argv, error)
    return code


def _help(program: str, verbs: dict[str, tuple[str, str]]) -> str:
    lines = [f"usage: {program} VERB [arguments]", "", ABOUT[program], ""]
    for title, task in tasks(verbs):
        rows = [f"  {verb:<20}  {verbs[verb][1]}" for verb in task]
        lines += [f"{title}:", *rows, ""]
    if program == "guild":
        lines += [EXAMPLES, ""]
    return "\n".join(lines)


def tasks(verbs: dict[str, tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """The verbs by what people want, the others last."""
    named = {verb for _, task in _TASKS for verb in task}
    rest = tuple(verb for verb in verbs if verb not in named)
    groups = (*_TASKS, ("More, mostly for programs", rest))
    found = [(title, [verb for verb in task if verb in verbs]) for title, task in groups]
    return [(title, task) for title, task in found if task]


def _unknown_verb(program: str, verbs: dict[str, tuple[str, str]], argv: list[str]) -> int:
    """A sentence from ``guild``; ``loom`` and ``griot`` keep the seeds' JSON."""
    import json
    from difflib import get_close_matches

    near = get_close_matches(argv[0], verbs, n=3)
    if program == "guild":
        from guildmoot.cli.output import explain
        from guildmoot.errors import UsageError

        kind = "flag" if argv[0].startswith("-") else "verb"
        hint = f"Did you mean 'guild {near[0]}'? " if near else ""
        wrong = UsageError(f"there is no {kind} {argv[0]!r}", f"{hint}'guild --help' lists them.")
        return explain(program, ["", *argv[1:]], wrong)
    hint = f"did you mean {near[0]}?" if near else f"'{program} --help' lists the verbs"
    message = f"unknown-verb: {program} has no verb {argv[0]!r}; {hint}"
    error = {"error": "unknown-verb", "message": message, "candidates": near or sorted(verbs)}
    sys.stderr.write(json.dumps(error, ensure_ascii=False) + "\n")
    return 1


def _close_stdout() -> None:
    """The reader is gone: point stdout at nothing, so that the interpreter's own flush cannot fail."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
