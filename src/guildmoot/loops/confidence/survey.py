"""What a pattern finds in a repository, and what is known of each file: size, hits, who depends on it, churn,
and how much of it tests cover."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.loops.confidence.tiers import Signals
from guildmoot.loops.workshop import git
from guildmoot.memory.codebase.codebase import MappedFile, map_codebase
from guildmoot.memory.codebase.graph import is_test
from guildmoot.system.files import read_own, read_text_inside

_MOST = 64 << 20  # bytes of a report of test coverage


def find_items(root: Path, pattern: str, leave_out: str, *, strict: bool = True) -> dict[str, int]:
    """The tracked files that a pattern means, with how often it is in each; ``strict`` bears no half of a list."""
    kind, _, rest = pattern.partition(":")
    if kind == "grep" and rest:
        return _kept(_grep(root, rest), leave_out)
    if kind == "cmd" and rest:
        return _kept(_command(root, rest, strict), leave_out)
    if kind == "ast" and rest:
        return _kept(_ast(root, rest), leave_out)
    names = git(root, "ls-files", "-z", "--", f":(glob){pattern}", fine=(0, 1, 128)).split("\0")
    if not any(names) and "/" not in pattern:
        names = git(root, "ls-files", "-z", "--", f":(glob)**/{pattern}").split("\0")
    return _kept({name: 1 for name in names if name}, leave_out)


def _kept(found: Mapping[str, int], leave_out: str) -> dict[str, int]:
    return {
        path: hits
        for path, hits in found.items()
        if not path.startswith((f"{leave_out}/", ".guild/"))
    }


def _grep(root: Path, expression: str) -> dict[str, int]:
    try:
        out = git(root, "grep", "-c", "-z", "-I", "-E", "-e", expression, fine=(0, 1))
    except InfrastructureError as wrong:
        raise UsageError(wrong.message, f"Is {expression!r} a regular expression?") from None
    rows = (line.partition("\0") for line in out.splitlines() if "\0" in line)
    return {path: int(count) for path, _, count in rows if count.isdecimal()}


_GRAMMARS = {
    ".py": "python", ".js": "javascript", ".jsx": "jsx", ".mjs": "javascript", ".ts": "typescript", ".tsx": "tsx",
    ".go": "go", ".rs": "rust", ".java": "java", ".rb": "ruby", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
    ".hpp": "cpp", ".cs": "csharp", ".kt": "kotlin", ".php": "php", ".sh": "bash", ".swift": "swift", ".scala": "scala",
    ".lua": "lua", ".css": "css", ".html": "html", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip


def _ast(root: Path, pattern: str) -> dict[str, int]:
    """Files in whose syntax tree a pattern of ast-grep is, e.g. ``assertEquals($A, $B)``."""
    try:
        from importlib import import_module

        tree = import_module("ast_grep_py").SgRoot  # an extra, which need not be installed
    except ImportError:
        raise UsageError(
            "ast: patterns need ast-grep", "pip install 'guildmoot[rewrite]', or use grep:REGEX."
        ) from None
    found = {}
    for name in filter(None, git(root, "ls-files", "-z").split("\0")):
        grammar, place = _GRAMMARS.get(Path(name).suffix), root / name
        if grammar is None or place.is_symlink() or not place.is_file():
            continue
        text = place.read_text(encoding="utf-8", errors="replace")
        try:
            hits = len(tree(text, grammar).root().find_all(pattern=pattern))
        except (RuntimeError, ValueError):  # no pattern in this language
            continue
        if hits:
            found[name] = hits
    return found


def _command(root: Path, command: str, strict: bool) -> dict[str, int]:
    """What a command prints, one path a line. Exit code 1 with not one word is what grep says of no match."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],  # the user's own
            cwd=root, capture_output=True, text=True, errors="replace", timeout=600, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UsageError(f"the pattern's command {command!r} did not end in 10 minutes") from None
    silent = done.returncode == 1 and not done.stdout.strip() and not done.stderr.strip()
    if strict and done.returncode and not silent:
        said = done.stderr.strip().splitlines()
        raise UsageError(
            f"the pattern's command {command!r} ended with exit code {done.returncode}"
            f"{f': {said[-1][:200]}' if said else ''}",
            "Part of a list is none: nothing was changed. Mend the command so that it ends with 0.",
        )
    tracked = set(git(root, "ls-files", "-z").split("\0"))
    lines = (line.strip().removeprefix(f"{root}/") for line in done.stdout.splitlines())
    found = Counter(line.removeprefix("./") for line in lines if line)
    unknown = [path for path in found if path not in tracked]
    if strict and unknown:
        raise UsageError(
            f"the pattern's command names {len(unknown)} of {len(found)} that git does not track:"
            f" {', '.join(unknown[:5])}",
            "It is run in a clone: print tracked files, one a line, from the top of the repository.",
        )
    return {path: hits for path, hits in found.items() if path in tracked}


def measure(
    root: Path, items: Mapping[str, int], reports: Path | None = None
) -> dict[str, Signals]:
    """The signals of every item, by the map of the code; ``reports`` is where test coverage may be told."""
    mapped = map_codebase(root, keep=False).files
    covered = read_coverage(reports or root)
    return {
        path: _signals(mapped.get(path), hits, covered.get(path), root / path)
        for path, hits in items.items()
    }


def _signals(file: MappedFile | None, hits: int, covered: float | None, place: Path) -> Signals:
    if file is None:  # too many files for a map, or no text
        return Signals(read_own(place).count(b"\n"), hits, coverage=covered)
    needs_test = file.facts.kind == "code" and not is_test(file.path)
    has_test = not needs_test or file.facts.tests_itself or bool(file.tests)
    return Signals(
        file.facts.lines, hits, len(file.dependents), has_test, file.history.recent, covered
    )


def read_coverage(root: Path) -> dict[str, float]:
    """How much of each file the last test run covered, by ``coverage.json``, ``coverage.xml`` or ``lcov.info``."""
    readers = (
        ("coverage.json", _coverage_json), ("coverage.xml", _coverage_xml), ("lcov.info", _lcov),
        ("coverage/lcov.info", _lcov),
    )  # fmt: skip
    for name, reader in readers:
        text, _ = (
            read_text_inside(root / name, root, _MOST) if (root / name).is_file() else ("", "")
        )
        if text:
            return reader(text)
    return {}


def _coverage_json(text: str) -> dict[str, float]:
    try:
        files = json.loads(text)["files"]
        return {path: float(row["summary"]["percent_covered"]) for path, row in files.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _coverage_xml(text: str) -> dict[str, float]:
    found = {}
    for tag in re.findall(r"<class [^>]{1,2000}>", text):
        name = re.search(r'\bfilename="([^"]+)"', tag)
        rate = re.search(r'\bline-rate="([0-9.]+)"', tag)
        if name and rate and rate.group(1).replace(".", "", 1).isdecimal():
            found[name.group(1)] = 100 * float(rate.group(1))
    return found


def _lcov(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    path, lines = "", 0
    for line in text.splitlines():
        word, _, value = line.partition(":")
        if word == "SF":
            path, lines = value.strip(), 0
        elif word == "LF" and value.strip().isdecimal():
            lines = int(value)
        elif word == "LH" and value.strip().isdecimal() and path and lines:
            found[path] = 100 * int(value) / lines
    return found
