"""What a pattern finds in a repository, and what is known of each file: size, hits, who depends on it, churn."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from guildmoot.errors import UsageError
from guildmoot.loops.tiers import Signals
from guildmoot.loops.workshop import git

_COMMITS = 200
_LOOKED_UP = 400  # items whose dependents are looked for; above that the list itself is the risk


def find_items(root: Path, pattern: str, leave_out: str) -> dict[str, int]:
    """The tracked files that a pattern means, with how often it is in each."""
    kind, _, rest = pattern.partition(":")
    if kind == "grep" and rest:
        return _kept(_grep(root, rest), leave_out)
    if kind == "cmd" and rest:
        return _kept(_command(root, rest), leave_out)
    if kind == "ast":
        raise UsageError(
            "ast: patterns need ast-grep", "Use cmd:'ast-grep run -p PATTERN --files-with-matches'."
        )
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
    out = git(root, "grep", "-c", "-z", "-I", "-E", "-e", expression, fine=(0, 1))
    rows = (line.partition("\0") for line in out.splitlines() if "\0" in line)
    return {path: int(count) for path, _, count in rows if count.isdecimal()}


def _command(root: Path, command: str) -> dict[str, int]:
    done = subprocess.run(
        ["/bin/sh", "-c", command],  # the user's own
        cwd=root,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise UsageError(f"{command!r} failed: {done.stderr.strip()[-200:]}")
    tracked = set(git(root, "ls-files", "-z").split("\0"))
    found = Counter(line.strip().removeprefix("./") for line in done.stdout.splitlines())
    return {path: hits for path, hits in found.items() if path in tracked}


def measure(root: Path, items: Mapping[str, int]) -> dict[str, Signals]:
    """The signals of every item."""
    tracked = [name for name in git(root, "ls-files", "-z").split("\0") if name]
    churn = Counter(
        git(root, "log", f"-{_COMMITS}", "--name-only", "--format=", fine=(0, 128)).splitlines()
    )
    dependents = _dependents(root, list(items)) if len(items) <= _LOOKED_UP else {}
    tests = {Path(name).stem.lower() for name in tracked if "test" in name.lower()}
    return {
        path: Signals(
            _lines(root / path), hits, dependents.get(path, 0), _has_test(path, tests), churn[path]
        )
        for path, hits in items.items()
    }


def _lines(file: Path) -> int:
    try:
        return file.read_bytes().count(b"\n")
    except OSError:
        return 0


def _has_test(path: str, tests: set[str]) -> bool:
    stem = Path(path).stem.lower().strip("_")
    if "test" in path.lower() or not re.search(
        r"\.(py|js|ts|tsx|jsx|go|rs|rb|java|php|c|cc|cpp)\Z", path
    ):
        return True
    return any(stem in name for name in tests)


def _dependents(root: Path, paths: Sequence[str]) -> dict[str, int]:
    """How many other files name a module, in one look through the tree."""
    stems = {path: Path(path).stem for path in paths if len(Path(path).stem) > 3}
    if not stems:
        return {}
    words = sorted(set(stems.values()))
    counts: Counter[str] = Counter()
    for start in range(0, len(words), 100):
        arguments = [word for stem in words[start : start + 100] for word in ("-e", stem)]
        out = git(root, "grep", "-o", "-I", "-w", "-h", "-F", *arguments, fine=(0, 1))
        counts.update(out.split())
    return {path: max(0, counts[stem] - 1) for path, stem in stems.items()}
