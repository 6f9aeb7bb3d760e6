"""``.guild/baseline.json``: what a repository held when somebody drew a line; later runs tell what is new.

A finding is known by its fingerprint, as often as it was there. The file is meant to be committed. It can
quieten every judge, so one that git tracks counts when it is trusted, and in a change as it was before it.
One that git does not track may have come with a patch: it counts when this user drew or trusted it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from guildmoot.errors import UsageError
from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.records import is_tracked
from guildmoot.guard.trust import Trust, brought_files
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import Finding
from guildmoot.named import NamedTuple
from guildmoot.system.files import folder_inside, read_inside, write_atomic
from guildmoot.system.git import Git, GitError
from guildmoot.system.tree import read_tree

FILE = ".guild/baseline.json"
_SHORT = 16
"""Digits of a fingerprint that are kept."""
_MOST_BYTES = 1_000_000
"""More is not read from a repository."""


class Baseline(NamedTuple):
    """What was accepted at once."""

    prints: Counter[str]
    """Fingerprint, shortened, to how often it was there."""
    codes: Counter[str]
    when: str = ""
    who: str = ""
    notice: str = ""
    """Why the repository's own is not used."""

    def holds(self, finding: Finding, used: Counter[str]) -> bool:
        """Whether it has one more like this; ``used`` counts those that were met before."""
        if not self.prints or not finding.path:
            return False
        name = fingerprint(finding)[:_SHORT]
        used[name] += 1
        return used[name] <= self.prints[name]


NO_BASELINE = Baseline(Counter(), Counter())


def read_baseline(root: Path, base: str = "") -> Baseline:
    """What counts here; of a change, what counted in its ``base``."""
    if not (root / FILE).exists() and not (base and _had(root, base)):
        return NO_BASELINE
    if not is_tracked(root, FILE):
        data, problem = read_inside(root / FILE, root, _MOST_BYTES)
        return NO_BASELINE if problem else _own(root, data)
    brought = brought_files(root, (FILE,), base)
    found = _parsed(brought.trusted.get(FILE, b""))
    return found._replace(notice=found.notice or brought.notice)


def _had(root: Path, base: str) -> bool:
    try:
        return FILE in read_tree(Git(root), base).files
    except GitError:
        return False


def write_baseline(root: Path, findings: Iterable[Finding], when: str, who: str) -> Baseline:
    """Keep these as accepted; whoever draws the line trusts it."""
    rows: dict[str, dict[str, list[str]]] = {}
    for finding in findings:
        if finding.path:
            codes = rows.setdefault(finding.path, {})
            codes.setdefault(finding.code, []).append(fingerprint(finding)[:_SHORT])
    ordered = {
        path: {code: sorted(prints) for code, prints in sorted(codes.items())}
        for path, codes in sorted(rows.items())
    }
    plain = {"schema_version": 1, "when": when, "who": who, "findings": ordered}
    trust = Trust(root)
    known = bool(trust.first_commit[0])
    if not known:  # trust is kept by the first commit
        plain[PROOF] = make_proof(plain)
    data = json.dumps(plain, indent=1).encode() + b"\n"
    if len(data) > _MOST_BYTES:
        raise UsageError(
            f"{sum(len(p) for c in rows.values() for p in c.values()):,} findings are too many",
            "Name the folders that matter, or leave some out with .guildignore.",
        )
    write_atomic(folder_inside(root, Path(FILE).parent) / Path(FILE).name, data)
    if known:
        trust.add({FILE: data})
    return _parsed(data)


def clear_baseline(root: Path) -> bool:
    """Take the file away; False when there is none."""
    file = folder_inside(root, Path(FILE).parent) / Path(FILE).name
    if not file.exists():
        return False
    file.unlink()
    return True


def _own(root: Path, data: bytes) -> Baseline:
    """One that git does not track, as far as this user vouches for it."""
    found = _parsed(data)
    if not found.prints or Trust(root).covers(FILE, data) or is_proven(json.loads(data)):
        return found
    return NO_BASELINE._replace(
        notice=f"{FILE}: not used, you did not draw it; `guild baseline` does"
    )


def _parsed(data: bytes) -> Baseline:
    """What the file says; a damaged one holds nothing, and says so."""
    if not data:
        return NO_BASELINE
    prints, codes = Counter[str](), Counter[str]()
    try:
        found = json.loads(data)
        for by_code in found["findings"].values():
            for code, names in by_code.items():
                prints.update(str(name) for name in names)
                codes[str(code)] += len(names)
        return Baseline(prints, codes, str(found.get("when", "")), str(found.get("who", "")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return NO_BASELINE._replace(notice=f"{FILE} cannot be read and is not used")
