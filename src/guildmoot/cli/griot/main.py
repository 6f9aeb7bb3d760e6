"""Finds griot's verb; failures are one line of text, ``<verb>-error: ...``, with exit code 1."""

from __future__ import annotations

import json
import os
import sys

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CAPTURE = (
    "evaluator-finding", "evaluator-name", "code", "evidence", "file-line", "frequency-count", "slug",
    "from-checkin", "correction-text", "from-loom", "branch", "number", "remedy", "learning", "task",
)  # fmt: skip
VERBS: dict[str, tuple[str, str]] = {
    "init": ("init", "make the folders that learnings are kept in"),
    "doctor": ("doctor", "tell when learnings lie in two places, and what is broken"),
    "use": ("griot-use", "print the learnings that an agent should load"),
    "search": ("griot-search", "the learnings nearest to some words"),
    "capture": ("capture", "note a correction or an evaluator's finding"),
    "compact": ("griot-compact", "judge the notes; what helps becomes a learning"),
    "retire": ("griot-retire", "take a learning out of use, with the reason"),
    "mediate-panel": ("mediate-panel", "what judges' replies come to (JSON on standard input)"),
    "operator-checks": (
        "operator-checks",
        "verify-rubric or log-intervention (JSON on standard input)",
    ),
}
_USAGE = """usage: griot VERB [arguments]

Learnings from past work: captured as notes, judged by a panel before they count, loaded by agents.

{rows}
  griot use [--as=llm]
  griot search WORDS ... [--limit=N] [--json]
  griot capture --evaluator-finding=CLASS --evaluator-name=E --code=C --evidence=TEXT
                [--file-line=F:N] [--frequency-count=N] [--slug=S] [--remedy=TEXT]
                [--task=TEXT]     what to do to see whether it happens again
      CLASS: recurring (needs --frequency-count), generator-antipattern, catalog-gap,
      evaluator-conflict, sanctioned-exception
  griot capture --from-checkin=FILE.md [--correction-text=TEXT] [--slug=S]
  griot capture --from-loom=SLUG --branch=B --number=NN [--correction-text=TEXT]
  griot compact --model=M [--judge=TIER=M ...] [--subject=M] [--attempts=N]
                [--no-regression] [--dry-run] [--max-usd=N] [--json]
  griot compact --direct         recurring findings and people's decisions alone
  griot retire ID --why=TEXT
"""


def main(argv: list[str]) -> int:
    """Run one command line."""
    if not argv or "--help" in argv or "-h" in argv or argv[0] == "help":
        rows = "".join(f"  {name:<16}  {about}\n" for name, (_, about) in VERBS.items())
        sys.stdout.write(_USAGE.format(rows=rows))
        return 0
    if argv[0] not in VERBS:
        return _unknown(argv[0])
    prefix = VERBS[argv[0]][0]
    verb: Callable[[list[str]], int] = globals()[argv[0].replace("-", "_")]
    try:
        return verb(argv[1:])
    except RecordError as wrong:
        more = f" ({', '.join(wrong.candidates)})" if wrong.candidates else ""
        name = prefix if prefix.endswith("-error") else f"{prefix}-error"
        sys.stderr.write(f"{name}: {wrong.text}{more}\n")
        return 1
    except BrokenPipeError:
        raise
    except OSError as wrong:
        place = f"{wrong.filename}: " if wrong.filename else ""
        sys.stderr.write(f"{prefix}-error: {place}{wrong.strerror or wrong}\n")
        return 1


def _unknown(word: str) -> int:
    from difflib import get_close_matches

    near = get_close_matches(word, VERBS, n=3)
    hint = f"did you mean {near[0]}?" if near else "'griot --help' lists the verbs"
    message = f"unknown-verb: griot has no verb {word!r}; {hint}"
    error = {"error": "unknown-verb", "message": message, "candidates": near or sorted(VERBS)}
    sys.stderr.write(json.dumps(error, ensure_ascii=False) + "\n")
    return 1


def _flags(
    words: list[str], known: tuple[str, ...], switches: tuple[str, ...] = ()
) -> dict[str, str]:
    """``--name=value`` or ``--name value``; anything else is refused."""
    flags: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in (*known, *switches):
            raise RecordError(
                "", f"{word!r} is no argument of this verb; 'griot --help' lists them"
            )
        if not equals and name not in switches:
            given = next(rest, None)
            if given is None:
                raise RecordError("", f"--{name} needs a value")
            value = given
        flags[name] = value
    return flags


def _stdin() -> object:
    data = sys.stdin.buffer.read()
    if not data.strip():
        raise RecordError("", "empty input; give a JSON object on standard input")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as wrong:
        raise RecordError("", f"standard input is no JSON: {wrong}") from None


def _print(value: object, indent: int | None = 2) -> int:
    separators = None if indent else (",", ":")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators) + "\n"
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
    return 0


def init(words: list[str]) -> int:
    from guildmoot.projects.learnings.notes import init as make
    from guildmoot.projects.learnings.notes import learnings_folder

    _flags(words, ())
    sys.stdout.write(make(learnings_folder()) + "\n")
    return 0


def doctor(words: list[str]) -> int:
    from guildmoot.projects.learnings.doctor import examine
    from guildmoot.projects.learnings.notes import learnings_folder

    _flags(words, ())
    issues = examine(learnings_folder(), os.getcwd())
    sys.stdout.write(
        "".join(f"griot doctor: {issue}\n" for issue in issues) or "griot doctor: ok\n"
    )
    return 0


def use(words: list[str]) -> int:
    from guildmoot.projects.learnings.notes import learnings_folder
    from guildmoot.projects.learnings.rollup import use_text

    flags = _flags(words, ("as",))
    if flags.get("as", "llm") != "llm":
        raise RecordError("", f"--as={flags['as']} is not known; there is llm")
    sys.stdout.write(use_text(learnings_folder()))
    return 0


def search(words: list[str]) -> int:
    from guildmoot.projects.learnings.notes import learnings_folder
    from guildmoot.projects.learnings.rollup import search as find

    places = [word for word in words if not word.startswith("--")]
    flags = _flags([word for word in words if word.startswith("--")], ("limit",), ("json",))
    limit = flags.get("limit", "10")
    if not places or not limit.isdecimal():
        raise RecordError("", "give some words, and --limit as a whole number")
    found = find(learnings_folder(), " ".join(places), int(limit))
    if "json" in flags:
        return _print({"schema_version": 1, "query": " ".join(places), "results": found})
    for row in found:
        sys.stdout.write(f"{row['id']}  {row['score']:.2f}  {row['title']}\n")
    if not found:
        sys.stdout.write("griot search: nothing found\n")
    return 0


def capture(words: list[str]) -> int:
    from guildmoot.projects.learnings.notes import (
        checkin_capture,
        finding_capture,
        learnings_folder,
        record_capture,
        write_note,
    )
    from guildmoot.projects.slugs import stamp

    flags = _flags(words, _CAPTURE)
    modes = [name for name in ("evaluator-finding", "from-checkin", "from-loom") if name in flags]
    if len(modes) != 1:
        raise RecordError("", "give one of --evaluator-finding, --from-checkin and --from-loom")
    slug, wanted = flags.get("slug", ""), flags.get("correction-text", "")
    if modes == ["evaluator-finding"]:
        made = finding_capture(flags)
        source = f"evaluator {flags['evaluator-name']}"
    elif modes == ["from-checkin"]:
        made = checkin_capture(flags["from-checkin"], wanted, slug)
        source = flags["from-checkin"]
    else:
        made = record_capture(_checkin(flags), wanted, slug)
        source = f"loom {flags['from-loom']} {flags.get('branch')} {flags.get('number')}"
    place = write_note(learnings_folder(), made, {"source": source, "captured_at": stamp()})
    sys.stdout.write(f"griot capture: {made.classification} note written to {place}\n")
    return 0


def _checkin(flags: dict[str, str]) -> dict[str, object]:
    from guildmoot.projects.checkins import read_checkin
    from guildmoot.projects.slugs import find_project
    from guildmoot.projects.store import Project

    if not flags.get("branch") or not flags.get("number"):
        raise RecordError("", "--from-loom needs --branch and --number")
    values = Project(find_project(flags["from-loom"])).read()
    return read_checkin(values, flags["branch"], flags["number"])


def compact(words: list[str]) -> int:
    from guildmoot.cli.griot.compact import main as run

    return run(words)


def retire(words: list[str]) -> int:
    from guildmoot.projects.learnings.notes import learnings_folder
    from guildmoot.projects.learnings.rollup import retire as take_out

    flags = _flags(words[1:], ("why",))
    if not words or words[0].startswith("--") or not flags.get("why", "").strip():
        raise RecordError("", "give the id of a learning and --why")
    gone = take_out(learnings_folder(), words[0], flags["why"])
    sys.stdout.write(f"griot retire: {gone['id']} is out of use; it stays in retired.json\n")
    return 0


def mediate_panel(words: list[str]) -> int:
    from guildmoot.projects.learnings.panel import mediate

    return _print(mediate(_stdin()))


def operator_checks(words: list[str]) -> int:
    modes = ("verify-rubric", "log-intervention")
    if not words or words[0] not in modes:
        raise RecordError("", f"give one of {' and '.join(modes)}")
    value = _stdin()
    if not isinstance(value, dict):
        raise RecordError("", "standard input must be a JSON object")
    return _print((_verify if words[0] == modes[0] else _log)(value), None)


def _verify(value: dict[str, object]) -> object:
    """Whether a rubric is what it was: by its SHA-256, or by its text."""
    from hashlib import sha256

    path, expected = value.get("rubric_path"), value.get("expected")
    if not isinstance(path, str) or not isinstance(expected, str):
        raise RecordError("", "rubric_path and expected must be texts")
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as wrong:
        raise RecordError("", f"{path} cannot be read: {wrong.strerror}") from None
    actual = sha256(data).hexdigest()
    same = expected.lower() == actual or expected.encode() == data
    return {"ok": True} if same else {"ok": False, "actual": actual}


def _log(value: dict[str, object]) -> object:
    from guildmoot.system.files import append_rows

    path = value.get("log_path")
    if not isinstance(path, str) or not path or "record" not in value:
        raise RecordError("", "log_path and record must be given")
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    append_rows(path, [value["record"]], encode)
    return {"ok": True, "appended_to": path}
