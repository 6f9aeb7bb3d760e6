"""The map itself: every file with what it imports, who imports it, its tests, its history and how risky it is.

It is made from the files that git knows, read once each: what a file tells is kept by its content under
``.guild/indexes``, and deleting that costs nothing but time.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from guildmoot.guard.scrub import write_durable
from guildmoot.memory.codebase.facts import FileFacts, facts_of
from guildmoot.memory.codebase.graph import ImportIndex, dependents, is_test, reach, tests_by_file
from guildmoot.memory.codebase.history import FileHistory, History, read_history
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import (
    folder_inside,
    keep_out_of_git,
    place_inside,
    read_inside,
    read_own,
    write_atomic,
)
from guildmoot.system.git import Git, GitError

VERSION = 1
"""Of what is told of a file; another one makes all of it be read again."""
LARGEST = 1_000_000
"""Bytes above which a file is data."""
MOST_FILES = 50_000
_CACHE = os.path.join(".guild", "indexes", "codebase-facts.json")
_MAP = os.path.join(".guild", "indexes", "codebase-map.json")
_TOUR = os.path.join(".guild", "indexes", "onboarding-tour.md")
_NO_HISTORY = FileHistory()
_SETTINGS = ("GitHub workflow", "Dockerfile")
_NOT_OURS = frozenset(("node_modules", "vendor", "third_party", "dist", "build", ".git"))


class MappedFile(NamedTuple):
    """One file in its surroundings."""

    path: str
    facts: FileFacts
    imports: tuple[str, ...]
    dependents: tuple[str, ...]
    tests: tuple[str, ...]
    history: FileHistory
    risk: float
    """0 to 100: churn by branching, more where no test is known."""


class Codebase(NamedTuple):
    """A repository, mapped."""

    files: dict[str, MappedFile]
    entry_points: tuple[str, ...]
    left_out: int
    """Files above the most that are mapped."""
    read: int
    """Files that had to be read, the others being known by their content."""

    @property
    def languages(self) -> list[tuple[str, int, int]]:
        """Name, files and lines of each language of code, the largest first."""
        files: Counter[str] = Counter()
        lines: Counter[str] = Counter()
        for file in self.files.values():
            if file.facts.kind == "code":
                files[file.facts.language] += 1
                lines[file.facts.language] += file.facts.lines
        return [(name, files[name], count) for name, count in lines.most_common()]

    @property
    def modules(self) -> list[tuple[str, int, int]]:
        """Folder, files and lines of code, two levels deep at most, the largest first."""
        files: Counter[str] = Counter()
        lines: Counter[str] = Counter()
        for path, file in self.files.items():
            if file.facts.kind == "code" and not is_test(path):
                folder = "/".join(path.split("/")[:-1][:3]) or "."
                files[folder] += 1
                lines[folder] += file.facts.lines
        return [(name, files[name], count) for name, count in lines.most_common()]

    def riskiest(self, most: int = 10) -> list[MappedFile]:
        """The files that most need care."""
        risky = [file for file in self.files.values() if file.risk > 0]
        return sorted(risky, key=lambda file: (-file.risk, file.path))[:most]

    def blast_radius(self, paths: Iterable[str]) -> set[str]:
        """All that depends on some files."""
        return reach(paths, {path: file.dependents for path, file in self.files.items()})


def map_codebase(root: Path, *, keep: bool = True) -> Codebase:
    """Read what changed since the last time, and put it together."""
    git = Git(root)
    blobs, left_out = _blobs(git, root)
    known, counted = _known(root)
    facts: dict[str, FileFacts] = {}
    read = 0
    for path, blob in blobs.items():
        found = known.get(f"{blob} {path.rpartition('/')[2]}")
        if found is None:
            found, read = _facts(root, path), read + 1
        facts[path] = found
    index = ImportIndex(facts, _go_module(root))
    imports = {path: index.resolve(path, found) for path, found in facts.items() if found.imports}
    past = read_history(git, counted)
    history = past.files
    users, tests = dependents(imports), tests_by_file(imports, facts)
    files = {
        path: MappedFile(
            path,
            found,
            tuple(sorted(imports.get(path, ()))),
            tuple(sorted(users.get(path, ()))),
            tuple(sorted(tests.get(path, ()))),
            history.get(path, _NO_HISTORY),
            risk(
                found,
                history.get(path, _NO_HISTORY),
                tested=found.tests_itself or bool(tests.get(path)),
                test=is_test(path),
            ),
        )
        for path, found in sorted(facts.items())
    }
    made = Codebase(files, _entry_points(root, facts), left_out, read)
    if keep:
        _keep(root, made, blobs, past)
    return made


def risk(facts: FileFacts, history: FileHistory, *, tested: bool, test: bool) -> float:
    """How likely a change here goes wrong unseen: recent churn by branching, doubled without a test."""
    if facts.kind != "code" or facts.language in _SETTINGS or test or not history.commits:
        return 0.0
    churn = math.log2(1 + history.recent * 2 + history.commits)
    weight = math.log2(1 + facts.branches)
    return round(min(100.0, churn * weight * (1 if tested else 2)), 1)


def _blobs(git: Git, root: Path) -> tuple[dict[str, str], int]:
    """Files of the work tree by path, with the hash of their content; and how many are too many."""
    try:
        staged = git.names("ls-files", "-s", "-z")
        other = set(git.names("ls-files", "-m", "-o", "--exclude-standard", "-z"))
    except GitError:
        staged, other = [], {_inner(root, path) for path in root.rglob("*") if path.is_file()}
    blobs = {}
    for row in staged:
        mode, blob, rest = row.split(" ", 2)
        path = rest.partition("\t")[2]
        if mode.startswith("100") and path not in other:
            blobs[path] = blob
    for path in other:
        data, problem = read_inside(root / path, root, LARGEST)
        if not problem:
            blobs[path] = hashlib.sha256(data).hexdigest()
    wanted = sorted(path for path in blobs if not _NOT_OURS & set(path.split("/")[:-1]))
    return {path: blobs[path] for path in wanted[:MOST_FILES]}, max(0, len(wanted) - MOST_FILES)


def _inner(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _facts(root: Path, path: str) -> FileFacts:
    data, problem = read_inside(root / path, root, LARGEST)
    if problem or b"\0" in data[:8_000]:
        return FileFacts("", "other", 0, 0, ())
    return facts_of(path, data.decode("utf-8", "replace"))


def _go_module(root: Path) -> str:
    data, _ = read_inside(root / "go.mod", root, LARGEST)
    rows = data.decode("utf-8", "replace").splitlines()
    return next(
        (row.split()[1] for row in rows if row.startswith("module ") and len(row.split()) > 1), ""
    )


_ENTRIES = (
    "__main__.py", "manage.py", "wsgi.py", "asgi.py", "main.go", "main.rs", "main.py", "app.py",
    "cli.py", "index.js", "index.ts", "main.ts", "main.js", "server.js", "server.ts", "Main.java",
)  # fmt: skip


def _entry_points(root: Path, facts: Mapping[str, FileFacts]) -> tuple[str, ...]:
    """Where programs begin: what manifests name, then files of a telling name; the nearest to the root first."""
    named: list[str] = []
    data, _ = read_inside(root / "pyproject.toml", root, LARGEST)
    try:
        import tomllib

        scripts = (
            tomllib.loads(data.decode("utf-8", "replace")).get("project", {}).get("scripts", {})
        )
        named += [f"{name} = {target}" for name, target in scripts.items()]
    except (ValueError, AttributeError):
        pass
    data, _ = read_inside(root / "package.json", root, LARGEST)
    try:
        package = json.loads(data or b"{}")
        given = package.get("bin") or package.get("main") or ()
        named += [
            str(each) for each in (given.values() if isinstance(given, dict) else [given]) if each
        ]
    except (ValueError, AttributeError, RecursionError):
        pass
    files = [path for path in facts if path.rpartition("/")[2] in _ENTRIES and not is_test(path)]
    files.sort(key=lambda path: (path.count("/"), path))
    return tuple(dict.fromkeys((*named, *files[:12])))


def _known(root: Path) -> tuple[dict[str, FileFacts], History]:
    """What earlier files told, by content and name, and the commits that were counted; nothing if unreadable."""
    try:
        data = json.loads(read_own(place_inside(root, _CACHE)) or b"{}")
        if data.get("version") != VERSION:
            return {}, History()
        facts = {
            key: FileFacts(str(a), str(b), int(c), int(d), tuple(e), bool(f))
            for key, (a, b, c, d, e, f) in data["facts"].items()
        }
        files = {
            path: FileHistory(int(a), int(b), int(c), tuple((str(n), int(k)) for n, k in by))
            for path, (a, b, c, by) in data["history"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}, History()
    return facts, History(str(data.get("head", "")), files)


def _keep(root: Path, made: Codebase, blobs: Mapping[str, str], past: History) -> None:
    folder_inside(root, Path(_CACHE).parent)
    keep_out_of_git(root / ".guild", COMMITTED)
    facts = {
        f"{blobs[path]} {path.rpartition('/')[2]}": list(file.facts)
        for path, file in made.files.items()
    }
    kept = {"version": VERSION, "facts": facts, "head": past.head, "history": dict(past.files)}
    text = json.dumps(kept, ensure_ascii=False)
    write_atomic(place_inside(root, _CACHE), text.encode("utf-8", "replace"))
    write_atomic(
        place_inside(root, _MAP),
        json.dumps(plain(made), ensure_ascii=False).encode("utf-8", "replace"),
    )
    write_durable(place_inside(root, _TOUR), tour(made))


def known_risks(root: Path) -> dict[str, float]:
    """The risk of each file by the map that ``guild learn`` kept; none where a repository brought it along."""
    try:
        if not (root / _MAP).is_file() or Git(root).tracked(_MAP):
            return {}
        files = json.loads(read_own(place_inside(root, _MAP)) or b"{}")["files"]
        return {path: float(file["risk"]) for path, file in files.items()}
    except (GitError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def plain(made: Codebase) -> dict[str, object]:
    """The map as JSON holds it."""
    return {
        "schema_version": "guild.codebase_map.v1",
        "languages": [
            {"name": name, "files": files, "lines": lines} for name, files, lines in made.languages
        ],
        "modules": [
            {"folder": name, "files": files, "lines": lines} for name, files, lines in made.modules
        ],
        "entry_points": list(made.entry_points),
        "files": {
            path: {
                "language": file.facts.language or None,
                "lines": file.facts.lines,
                "branches": file.facts.branches,
                "imports": list(file.imports),
                "dependents": len(file.dependents),
                "tests": list(file.tests),
                "commits": file.history.commits,
                "recent_commits": file.history.recent,
                "owners": [name for name, _ in file.history.owners],
                "risk": file.risk,
            }
            for path, file in made.files.items()
            if file.facts.kind == "code"
        },
        "left_out": made.left_out,
    }


def tour(made: Codebase) -> str:
    """A first walk through the codebase, for people: what it is made of, where it begins, where to be careful."""
    rows = ["# A first walk through this codebase", "", "## What it is made of"]
    rows += [
        f"- {name}: {files} files, {lines:,} lines" for name, files, lines in made.languages[:8]
    ]
    rows += ["", "## Where it begins", *(f"- `{each}`" for each in made.entry_points[:8])]
    rows += ["", "## The largest parts"]
    rows += [
        f"- `{name}/`: {files} files, {lines:,} lines" for name, files, lines in made.modules[:8]
    ]
    most = sorted(made.files.values(), key=lambda file: (-len(file.dependents), file.path))[:8]
    rows += ["", "## What most of it stands on"]
    rows += [
        f"- `{file.path}`: used by {len(file.dependents)} files" for file in most if file.dependents
    ]
    rows += ["", "## Where to be careful"]
    rows += [f"- `{file.path}`: {_why(file)}" for file in made.riskiest(8)]
    return "\n".join(rows) + "\n"


def _why(file: MappedFile) -> str:
    tests = f"{len(file.tests)} tests know it" if file.tests else "no test is known"
    who = f", mostly by {file.history.owners[0][0]}" if file.history.owners else ""
    return f"changed {file.history.commits} times{who}, {file.facts.branches} branches, {tests}"
