"""Reads every file by the grammar of its language: does it parse, and does it hold a certain defect.

    python -m guildmoot.agents.tools.languages FOLDER

Files are read in a process of their own, many in several. Nothing of the work is run, and no settings of it are read.
A parser that crashes takes its process along: that is no judgement, and never an approval.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.tools.rdjsonl import ToolFinding, refuse, write
from guildmoot.text.languages import depth_of, language_in, language_of, without_zeros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from tree_sitter import Tree

_MANY = 200
"""Files from which on a second process pays."""
_SECONDS = 5.0
"""Of the processor, for one file; the slowest of 35,000 real ones took 2."""
_MOST_BESIDE = 200_000
_FAMILIES = {"C": {"C", "C++"}, "C++": {"C", "C++"}}
_FAMILIES |= {name: set[str]() for name in ("JavaScript", "TypeScript", "TSX")}
"""Languages that share names; a script shares none with the one beside it."""
NOT_READ = "not-read"
_BROKEN = {True: ("does-not-parse", "ERROR"), False: ("may-not-parse", "WARNING")}


class ParserCrash(Exception):
    """A parser ended its process."""


def main(arguments: list[str]) -> int:
    """The program; returns its exit code."""
    if len(arguments) != 1 or not os.path.isdir(arguments[0]):
        return refuse("usage: python -m guildmoot.agents.tools.languages FOLDER")
    os.chdir(arguments[0])
    paths = sorted(_files("."))
    readers = min(os.cpu_count() or 1, 8) if len(paths) >= _MANY else 1
    from guildmoot.agents.parsing.grammars import missing_grammar

    lacking = missing_grammar({language_of(path).name for path in paths})
    if lacking:
        return refuse(lacking)
    try:
        begun = [Reader(paths[at::readers], few=len(paths) < _MANY) for at in range(readers)]
        return write(found for reader in begun for found in reader.findings())
    except ParserCrash as crash:
        return refuse(f"a parser crashed on {crash}, so the files were not all read")


class Reader:
    """A process that reads files one after the other, and can be ended by one of them."""

    def __init__(self, paths: list[str], *, few: bool) -> None:
        self._paths = paths
        self._few = few
        self._out = _scratch_file()
        self._pid = os.fork()
        if not self._pid:
            status = 1
            try:
                self._read()
                status = 0
            finally:
                os._exit(status)

    def findings(self) -> Iterator[ToolFinding]:
        """What it found; where a file took too long, that is told, and the rest is read by another."""
        _, status = os.waitpid(self._pid, 0)
        self._out.seek(0)
        lines = self._out.read().splitlines()
        self._out.close()
        for line in lines:
            yield from (ToolFinding(*each) for each in json.loads(line))
        if len(lines) == len(self._paths):
            return
        path, rest = self._paths[len(lines)], self._paths[len(lines) + 1 :]
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGPROF:
            raise ParserCrash(path)
        yield ToolFinding("takes too long to parse; it was not read", NOT_READ, "WARNING", path)
        yield from Reader(rest, few=self._few).findings()

    def _read(self) -> None:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for path in self._paths:
            signal.setitimer(signal.ITIMER_PROF, _SECONDS)
            found = json.dumps(judge(path, names=self._few)).encode()
            self._out.write(found + b"\n")
            self._out.flush()


def _scratch_file() -> IO[bytes]:
    """A file without a name, read when the process that writes it has ended."""
    make = getattr(os, "memfd_create", None)  # Linux has it
    if make:
        return os.fdopen(make("findings"), "w+b")
    import tempfile  # more than all else that a small file needs

    return tempfile.TemporaryFile()


def judge(path: str, *, names: bool = False) -> list[ToolFinding]:
    """What is wrong with one file; ``names`` looks for those that nothing declares, too."""
    try:
        with open(path, "rb") as file:
            data = without_zeros(file.read())
    except OSError:
        return []
    language = language_in(path, data.decode("utf-8", "replace"))
    if depth_of(language) == "scanned" or not data.strip():
        return []
    from guildmoot.agents.parsing.plain_names import SCRIPTS
    from guildmoot.agents.parsing.script_names import undefined_names
    from guildmoot.agents.parsing.syntax import parse, unread_lines
    from guildmoot.agents.rules.across import search_across
    from guildmoot.agents.rules.judge import defects

    try:
        parsed = parse(language.name, path, data)
    except RecursionError:
        return [ToolFinding("is nested too deep to be read", NOT_READ, "WARNING", path)]
    broken = list[ToolFinding]()
    if parsed.fault is not None:
        code, severity = _BROKEN[parsed.fault.sure]
        message = f"does not parse as {_spoken(language.name, path, data)}: {parsed.fault.reason}"
        broken = [ToolFinding(message, code, severity, path, parsed.fault.line)]
        if parsed.fault.sure:
            return broken
        for line, reason in unread_lines(language.name, data) if names else ():
            message = f"does not parse as {language.name}: {reason}"
            broken.append(ToolFinding(message, "unread-line", "WARNING", path, line))
    wrong = defects(language.name, path, data, parsed.tree)
    if names and parsed.tree is not None:
        wrong += search_across(language.name, path, parsed.tree.root_node, _read, _beside)
    harm = [ToolFinding(each.message, each.code, each.weight, path, each.line) for each in wrong]
    if parsed.tree is None:
        known = _unknown(path, language.name, parsed.partial) if names and parsed.partial else ()
        return [*broken, *harm, *known]
    undefined = list[ToolFinding]()
    if language.name in SCRIPTS:
        undefined = [
            ToolFinding(f"`{name}` is not defined", "undefined-name", "WARNING", path, line)
            for line, name in undefined_names(parsed.tree.root_node, data, language.name)
        ]
        if not names:  # an audit tells each once
            undefined = list({each.message: each for each in reversed(undefined)}.values())[::-1]
    told = {(each.line, each.message.split("`")[1]) for each in undefined}
    known = _unknown(path, language.name, parsed.tree) if names else ()
    rest = (each for each in known if (each.line, each.message.split("`")[1]) not in told)
    return [*harm, *undefined, *rest]


def _spoken(language: str, path: str, data: bytes) -> str:
    """The language as people call it: a header may be of either."""
    if language != "C" or path.endswith(".c"):
        return language
    from guildmoot.agents.members.c_trees import is_cpp

    return "C++" if is_cpp(data.decode("utf-8", "replace")) else language


def _unknown(path: str, language: str, tree: Tree) -> Iterator[ToolFinding]:
    """Names that nothing here declares; in a change they tell of an import that is gone."""
    from guildmoot.agents.parsing.names import unknown_names
    from guildmoot.agents.scopes.losses import LANGUAGES

    if language in LANGUAGES:  # changes of these are looked at scope by scope
        return
    others = (names for other, names in _declared(language, os.getcwd()).items() if other != path)
    beside: set[str] = set().union(*others)
    for each in unknown_names(language, tree.root_node, beside):
        message = f"`{each.name}` is used and nothing in the file declares or imports it"
        yield ToolFinding(message, "unbound-name", "WARNING", path, each.line)


def _read(path: str) -> bytes:
    if path.startswith(("..", "/")) or not os.path.isfile(path) or os.path.islink(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def _beside(folder: str) -> list[str]:
    return sorted(os.listdir(folder or "."))


@lru_cache(maxsize=16)
def _declared(language: str, folder: str) -> dict[str, set[str]]:
    """What each file of the language in this folder declares: a change may move a name from one to the other."""
    from guildmoot.agents.parsing.names import declared_names
    from guildmoot.agents.parsing.syntax import parse

    found = {}
    family = _FAMILIES.get(language, {language})
    for full in _files(folder):
        path = os.path.relpath(full, folder)
        name = language_of(path).name
        if name in family and os.path.getsize(path) < _MOST_BESIDE:
            with open(path, "rb") as file:
                parsed = parse(name, path, file.read())
            tree = parsed.tree or parsed.partial
            found[path] = declared_names(name, tree.root_node) if tree else set()
    return found


def _files(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        path = entry.path.removeprefix("./")
        if entry.is_dir(follow_symlinks=False):
            yield from _files(path)
        elif entry.is_file(follow_symlinks=False):
            yield path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
