"""The actions on a board's file: init, detect-round, read-state, append, summary, decide.

Flags are read as the seeds' program reads them: ``--flag value`` or ``--flag=value``, and those that
are not known are passed over.
"""

from __future__ import annotations

import sys

from guildmoot.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.practices.whiteboard.boards import BoardWords
    from guildmoot.reading.board import BoardSection

_VALUES = ("topic", "round", "choice", "why")


class Line:
    """A command line, taken apart."""

    def __init__(
        self, paths: list[str], flags: dict[str, str], json: bool, words: BoardWords
    ) -> None:
        self.paths = paths
        self.flags = flags
        self.json = json
        self.words = words

    @property
    def path(self) -> str:
        """The board's path."""
        if not self.paths or not self.paths[0]:
            raise UsageError(f"missing {self.words.verb} path")
        return self.paths[0]

    def needed(self, flag: str) -> str:
        """A flag's value, which must say something."""
        value = self.flags.get(flag, "").strip()
        if not value:
            raise UsageError(f"missing {flag}", f'Give it with --{flag} "TEXT".')
        return value


def read_line(argv: list[str], words: BoardWords) -> Line:
    """Paths, flags that we know, and whether JSON is wanted."""
    paths: list[str] = []
    flags: dict[str, str] = {}
    rest = iter(argv)
    for word in rest:
        name, equals, value = word[2:].partition("=")
        if word == "--":
            paths += rest
        elif word[:2] == "--" and name in _VALUES:
            flags[name] = value if equals else next(rest, "")
        elif word[:1] != "-" or word == "-":
            paths.append(word)
    return Line(paths, flags, "--json" in argv, words)


def init(argv: list[str], words: BoardWords) -> int:
    """Make a board."""
    from guildmoot.practices.whiteboard.boards import init_board, shown_path

    line = read_line(argv, words)
    topic = line.needed("topic")
    init_board(line.path, topic, words)
    return _answer(line, {words.path_key: shown_path(line.path, words)}, "")


def detect_round(argv: list[str], words: BoardWords) -> int:
    """Print the number that the next round gets."""
    from guildmoot.practices.whiteboard.boards import next_round

    line = read_line(argv, words)
    number = next_round(line.path, words)
    return _answer(line, {"round": number}, f"{number}\n")


def read_state(argv: list[str], words: BoardWords) -> int:
    """Print the board as JSON, round by round, so that a large one is not held three times."""
    from guildmoot.practices.whiteboard.boards import read_bytes
    from guildmoot.reading.board import rounds
    from guildmoot.system.jsonio import pretty, write_text

    line = read_line(argv, words)
    data = read_bytes(line.path, words)
    out = sys.stdout.buffer
    write_text(_head(data, line.json) + '  "rounds": [', out)
    comma = ""
    for number, sections in rounds(data):
        row = {"number": number, "sections": [section._asdict() for section in sections]}
        write_text(f"{comma}\n    " + pretty(row, "\n    "), out)
        comma = ","
    write_text("\n  ]\n}\n" if comma else "]\n}\n", out)
    return 0


def _head(data: bytes, versioned: bool) -> str:
    """The keys before the rounds; a board without decisions has the seeds' shape."""
    from guildmoot.reading.board import preamble_end, read_decisions
    from guildmoot.system.jsonio import pretty

    head = '{\n  "schema_version": 1,\n' if versioned else "{\n"
    standing = [decision._asdict() for decision in read_decisions(data[: preamble_end(data)])[0]]
    if standing:
        head += '  "decisions": ' + pretty(standing, "\n  ") + ",\n"
    return head


def append(argv: list[str], words: BoardWords) -> int:
    """Write the sections on standard input as a round."""
    from guildmoot.practices.whiteboard.boards import add_round, shown_path

    line = read_line(argv, words)
    path, number = line.path, _number(line)
    sections = read_sections(_stdin())
    added = add_round(path, sections, words, round_number=number)
    told: dict[str, object] = {}
    if added.contradictions or added.possible:
        from guildmoot.reports.whiteboard import told_json

        told = told_json(added.contradictions, added.possible)
        if not line.json:  # the seeds' own answer has no field for what is possible
            told = {"contradictions": told["contradictions"]}
    result = {
        words.path_key: shown_path(path, words),
        "round": added.number,
        "sections": [section._asdict() for section in sections],
        "contradictions": [],
        **told,
        "agent_signals": [signal._asdict() for signal in added.signals],
    }
    write_json({"schema_version": 1, **result} if line.json else result)
    return 0


def summary(argv: list[str], words: BoardWords) -> int:
    """Print what a board comes to, and who holds what."""
    from guildmoot.cli.arguments import Parser, add_json

    parser = Parser(
        f"{words.verb} summary",
        "Print the decisions, contradictions and open questions on a board, who holds what, and "
        f"who moved. The words in brackets are IDs for 'guild {words.verb} decide'.",
        f"  guild {words.verb} summary board.md\n  guild {words.verb} summary board.md --json",
    )
    parser.add_argument("path", nargs="?", default="", metavar="PATH", help="the board")
    add_json(parser)
    options = parser.parse_args(argv)
    if not options.path:
        raise UsageError(f"missing {words.verb} path")
    from guildmoot.cli.output import emit
    from guildmoot.practices.whiteboard.minutes import summarise_board
    from guildmoot.reports.whiteboard import summary_json

    report = summarise_board(options.path, words)
    if options.json:
        return emit(summary_json(report), as_json=True)
    from guildmoot.reports.console import Console
    from guildmoot.reports.terminal import print_document
    from guildmoot.reports.whiteboard_view import board_document

    print_document(board_document(report), Console())
    return 0


def decide(argv: list[str], words: BoardWords) -> int:
    """Record a person's choice on the board."""
    from guildmoot.practices.whiteboard import boards

    line = read_line(argv, words)
    path, name = line.path, line.paths[1].strip() if len(line.paths) > 1 else ""
    if not name:
        raise UsageError("missing ID", f"'guild {words.verb} summary {path}' lists them.")
    why, choice = line.needed("why"), line.flags.get("choice", "").strip()
    decision, is_new = boards.decide(path, name, why, words, choice)
    where = {words.path_key: boards.shown_path(path, words), "recorded": is_new}
    said = "decision recorded\n" if is_new else "that is decided already\n"
    return _answer(line, {**where, **decision._asdict()}, said)


def read_sections(text: str) -> list[BoardSection]:
    """Engineer and section of every entry; UsageError says what is wrong with the input."""
    from guildmoot.reading.board import BoardSection

    return [BoardSection(*_entry(number, entry)) for number, entry in enumerate(_entries(text))]


def _entries(text: str) -> list[object]:
    import json

    if not text.strip():
        hint = "Pipe a JSON array of {engineer, section} to standard input."
        raise UsageError("standard input is empty", hint)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise UsageError(f"standard input is not valid JSON: {wrong}") from None
    if not isinstance(entries, list):
        raise UsageError("standard input must be a JSON array of {engineer, section}")
    return entries


def _entry(number: int, entry: object) -> tuple[str, str]:
    if not isinstance(entry, dict):
        raise UsageError(f"entry {number} is not an object")
    engineer, section = entry.get("engineer"), entry.get("section")
    if not isinstance(engineer, str) or not engineer:
        raise UsageError(f"entry {number} has no engineer; it must be text that is not empty")
    if not isinstance(section, str):
        raise UsageError(f"entry {number} has no section; it must be text")
    return engineer, section


def _number(line: Line) -> int | None:
    text = line.flags.get("round")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text)):
        raise UsageError(f"--round is a number from 1 on, not {text!r}")
    return int(text)


def _stdin() -> str:
    """All of standard input; a terminal is not waited for."""
    if not sys.stdin or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _answer(line: Line, data: dict[str, object], said: str) -> int:
    if line.json:
        write_json({"schema_version": 1, **data})
    else:
        sys.stdout.write(said)
    return 0


def write_json(value: object) -> None:
    """One JSON document on standard output."""
    from guildmoot.system.jsonio import pretty, write_text

    write_text(pretty(value) + "\n", sys.stdout.buffer)
