"""Finds loom's namespace and verb, prints one JSON value, and turns every failure into one JSON line.

Flags that nobody knows are passed over, as the seeds' tools do; ``--help`` anywhere prints help.
"""

from __future__ import annotations

import json
import sys

from guildmoot.errors import UsageError
from guildmoot.projects.errors import RecordError
from guildmoot.projects.toml import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Verb = Callable[["Words"], object]

_DAMAGED = frozenset(("toml-invalid", "manifest-schema-invalid"))
_RECORDS, _PLANS, _PULLS, _LOOK = "records", "plans", "pulls", "look"
NAMESPACES: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "project": (_RECORDS, "project", ("read", "list", "ls", "status", "scaffold", "adopt", "archive"),
                "read, list, make, adopt and archive projects"),
    "phase": (_RECORDS, "phase", ("read", "list", "ready", "update", "add"), "a project's phases"),
    "events": (_RECORDS, "events", ("read", "latest", "append", "aggregate"), "what happened"),
    "checkin": (_RECORDS, "checkin", ("write", "list", "read", "latest"), "units of work, written once"),
    "session": (_RECORDS, "session", ("write", "list", "read", "corrections"), "what a session came to"),
    "retro": (_RECORDS, "retro", ("write", "list", "read"), "what was learnt"),
    "findings": (_RECORDS, "findings", ("harvest",), "take guild's findings into the record"),
    "plan": (_PLANS, "plan", (), "start a project from a plan"),
    "revise-plan": (_PLANS, "revise_plan", (), "replace a plan, and log why"),
    "parse-plan": (_PLANS, "parse", (), "a plan's phases as JSON"),
    "research": (_PLANS, "research", ("init", "append", "show"), "a project's research"),
    "adr": (_PLANS, "adr", (), "write the next architecture decision"),
    "decision": (_PLANS, "decision", (), "write or list a project's decisions"),
    "runbook": (_PLANS, "runbook", ("scan",), "find MIGRATE markers"),
    "pr": (_PULLS, "pr", ("discover", "open", "update", "comments", "respond", "wait", "compose"),
           "pull requests, through gh or glab"),
    "doctor": (_LOOK, "doctor", (), "find what is wrong with a project's records"),
    "check": (_LOOK, "check", (), "open work that overlaps, and stale bases"),
    "show": (_LOOK, "show", (), "a project as a tree"),
    "timeline": (_LOOK, "timeline", (), "what happened, in order"),
    "compact": (_LOOK, "compact", (), "move merged records into the manifest"),
    "identity": (_LOOK, "identity", (), "by what a project is known, wherever it is moved"),
}  # fmt: skip
_VALUES = """
base body-file branch checkin-file citing config-file detail dict event fact-file filename interval
interview-file key limit manifest-init-file name notes-file number phase plan-file pr pr-state
rationale reason research-file responses-file retro-file revision-file run scope section session-file
since since-checkin status tier timeout title type unit url
"""
VALUES = frozenset(_VALUES.split())
"""The flags that take a value."""
_SWITCHES = frozenset(
    ("archived", "draft", "json", "no-commit", "no-loom", "offline", "pretty", "quiet")
)


class Words:
    """The words behind a verb: places and flags."""

    def __init__(self, argv: list[str]) -> None:
        self.places: list[str] = []
        self.flags: dict[str, str] = {}
        self.switches: set[str] = set()
        self.exit_code = 0
        self.lines: list[str] | None = None
        rest = iter(argv)
        for word in argv:
            if not is_unicode(word):
                raise RecordError("invalid-args", f"{word!a} is no UTF-8")
        for word in rest:
            name, equals, value = word.removeprefix("--").partition("=")
            if not word.startswith("--"):
                self.places.append(word)
            elif equals:
                self.flags[name] = value
            elif name in VALUES:
                given = next(rest, None)
                if given is None:
                    raise RecordError("missing-args", f"--{name} needs a value")
                self.flags[name] = given
            else:
                self.switches.add(name)

    def place(self, index: int, name: str, code: str = "missing-args") -> str:
        """A place that must be given."""
        if index >= len(self.places) or not self.places[index].strip():
            raise RecordError(code, f"{name} is missing")
        return self.places[index]

    def flag(self, name: str) -> str:
        """A flag that may be left out."""
        return self.flags.get(name, "")

    def required(self, *names: str) -> list[str]:
        """Flags that must be given; all that are missing are named at once."""
        missing = [f"--{name}" for name in names if not self.flags.get(name, "").strip()]
        if missing:
            raise RecordError("missing-args", f"{' and '.join(missing)} must be given")
        return [self.flags[name] for name in names]

    def number(self, name: str, code: str, least: int = 0) -> int | None:
        """A flag that is a whole number; None when it is left out."""
        word = self.flags.get(name)
        if word is None:
            return None
        if not word.isascii() or not word.isdecimal() or int(word) < least:
            raise RecordError(
                code, f"--{name} is {word!r}; it must be a whole number from {least} on"
            )
        return int(word)


def main(argv: list[str]) -> int:
    """Run one command line."""
    if not argv or "--help" in argv or "-h" in argv or argv[0] == "help":
        sys.stdout.write(_help(argv))
        return 0
    try:
        return _run(argv)
    except RecordError as wrong:
        more = "; 'loom doctor PROJECT' looks at the whole record" if wrong.code in _DAMAGED else ""
        return _fail(wrong.code, wrong.message + more, wrong.candidates)
    except UsageError as wrong:
        return _fail("not-allowed", f"not-allowed: {wrong.message}. {wrong.hint}".strip())
    except BrokenPipeError:
        raise
    except OSError as wrong:
        place = f"{wrong.filename}: " if wrong.filename else ""
        text = f"{place}{wrong.strerror or wrong}; nothing was changed by this command"
        return _fail("io-error", f"io-error: {text}")


def _run(argv: list[str]) -> int:
    space = NAMESPACES.get(argv[0])
    if space is None:
        raise _unknown(argv[0], list(NAMESPACES), "loom")
    module, name, verbs, _ = space
    rest = argv[1:]
    if verbs:
        if not rest:
            raise RecordError(
                "missing-verb", f"loom {argv[0]} needs one of {', '.join(verbs)}", verbs
            )
        if rest[0] not in verbs:
            raise _unknown(rest[0], list(verbs), f"loom {argv[0]}")
        name, rest = f"{name}_{rest[0]}", rest[1:]
    found = __import__(f"guildmoot.cli.loom.{module}", fromlist=[name])
    words = Words(rest)
    _tell_unknown(words)
    verb: Verb = getattr(found, name)
    answer = verb(words)
    if words.lines is not None:
        sys.stdout.write("".join(f"{_shown(line)}\n" for line in words.lines))
        return words.exit_code
    if "pretty" in words.switches:
        text = json.dumps(answer, ensure_ascii=False, indent=2)
    else:
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
    return words.exit_code


def _shown(line: str) -> str:
    """A line for people: what steers a terminal is written out."""
    if line.isprintable():
        return line
    from guildmoot.text.clean import one_line

    lead = line[: len(line) - len(line.lstrip(" "))]
    return lead + one_line(line)


def _tell_unknown(words: Words) -> None:
    """A flag that nobody knows is passed over, and said so: it may be a slip."""
    unknown = sorted((words.flags.keys() - VALUES) | (words.switches - _SWITCHES - VALUES))
    for name in unknown:
        from difflib import get_close_matches

        near = get_close_matches(name, VALUES | _SWITCHES, n=1)
        hint = f"; did you mean --{near[0]}?" if near else ""
        sys.stderr.write(f"loom: --{name} is not known and was passed over{hint}\n")


def _unknown(word: str, known: list[str], program: str) -> RecordError:
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=3)
    hint = f"did you mean {near[0]}?" if near else f"'{program} --help' lists them"
    return RecordError("unknown-verb", f"{program} has no verb {word!r}; {hint}", near or known)


def _fail(code: str, message: str, candidates: tuple[str, ...] = ()) -> int:
    error: dict[str, object] = {"error": code, "message": message}
    if candidates:
        error["candidates"] = list(candidates)
    sys.stderr.write(json.dumps(error, ensure_ascii=False) + "\n")
    return 1


def _help(argv: list[str]) -> str:
    space = NAMESPACES.get(argv[0]) if argv else None
    if space is not None:
        from guildmoot.cli.loom.usage import USAGE

        return f"usage: loom {argv[0]}\n\n{space[3]}\n\n{USAGE[argv[0]]}"
    rows = "".join(f"  {name:<12}  {space[3]}\n" for name, space in NAMESPACES.items())
    return (
        "usage: loom NAMESPACE [VERB] [arguments] [--pretty]\n\n"
        "Project records: plans, phases, check-ins, events, decisions. Answers are JSON on\n"
        "standard output, failures one JSON line on standard error with exit code 1.\n\n"
        f"{rows}\n"
        "'loom NAMESPACE --help' shows the verbs. Projects lie in ./projects, or where\n"
        "LOOM_PROJECTS_ROOT says.\n"
    )
