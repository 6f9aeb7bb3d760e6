"""The tests as they stood before a run, beside the code that the run came to.

Who changes code may change what judges it, in more ways than a rule can list. The tests of the base are out of reach.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.named_places import is_inside
from guildmoot.lifecycle.proof.claims import LaneClaim, may_places, scope_places
from guildmoot.lifecycle.proof.commits import lane_lines
from guildmoot.lifecycle.proof.weakening.sides import outdated_by
from guildmoot.memory.codebase.graph import is_test
from guildmoot.system.git import Git

_NAMED = 3
_NOBODY = ("-c", "user.name=guild", "-c", "user.email=guild@localhost")


class StoodTests(NamedTuple):
    """A commit of a result with the tests of its base."""

    commit: str
    changed: tuple[str, ...]
    """Tests that read otherwise in the result, are new there or gone."""
    before: frozenset[str]
    """All tests of the base."""

    @property
    def shown(self) -> str:
        """The first of them, and how many more."""
        more = len(self.changed) - _NAMED
        return ", ".join(self.changed[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def as_they_stood(root: Path, base: str, tip: str, free: Sequence[str]) -> StoodTests | None:
    """The result with the tests of its base; None where that is the result.

    Not where they may change freely, nor where what they are about is gone or called otherwise: there new ones count.
    """
    before, after = _tests(root, base), _tests(root, tip)
    changed = tuple(
        path
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path) and not any(is_inside(path, each) for each in free)
    )
    if changed and (gone := outdated_by(root, (base, tip))):
        changed = tuple(path for path in changed if path in before and path not in gone)
    if not changed or not before:
        return None
    rows = (f"{before.get(path) or _gone(after[path])}\t{path}\0" for path in changed)
    with tempfile.TemporaryDirectory(prefix="guild-stood-") as place:
        git = Git(root, index=Path(place) / "index")
        git.run("read-tree", tip)
        told = "".join(rows).encode("utf-8", "surrogateescape")
        git.run("update-index", "-z", "--index-info", stdin=told)
        tree = git.run("write-tree").decode().strip()
        words = (*_NOBODY, "commit-tree", tree, "-p", tip, "-m", "The tests as they stood")
        return StoodTests(git.run(*words).decode().strip(), changed, frozenset(before))


def rewritten_for_others(root: Path, state: RunState, claims: Sequence[LaneClaim]) -> list[str]:
    """Tests of one lane of the run from which another took lines: the base has none of them to be run as they stood."""
    before, writers = _tests(root, state.base), dict[str, str]()
    free = {
        each.lane.task: places_agreed([each], {each.lane.task: state.lane(each.lane.task).allowed})
        for each in claims
    }
    found = []
    for task, lines in lane_lines(root, state.base, state.tip, state.run):
        for path, gone in lines.items():
            if path in before or not is_test(path):
                continue
            writer = writers.setdefault(path, task)
            agreed = any(is_inside(path, place) for place in free.get(task, ()))
            if gone and writer != task and not agreed:
                found.append(
                    f"{task} took lines out of {path}, a test that {writer} wrote in this run."
                    f" Look at it, then: guild work accept {state.slug} tests --why WHY"
                )
    return list(dict.fromkeys(found))


def places_agreed(claims: Iterable[LaneClaim], allowed: Mapping[str, Sequence[str]]) -> list[str]:
    """Where tests may say something else: files that the plan names one by one, and places that a person allowed."""
    found: list[str] = []
    for claim in claims:
        named = (*scope_places(claim.lane), *may_places(claim.lane))
        found += [each.removeprefix("./") for each in named if "." in each.rpartition("/")[2]]
        found += allowed.get(claim.lane.task, ())
    return found


def _tests(root: Path, commit: str) -> dict[str, str]:
    """Mode and object of each test of a commit."""
    listed = Git(root).run("ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
    rows = (row.partition("\t")[::2] for row in listed.split("\0") if row)
    found = {path: head.split() for head, path in rows if is_test(path)}
    return {path: f"{mode} {oid}" for path, (mode, kind, oid) in found.items() if kind == "blob"}


def _gone(entry: str) -> str:
    """What takes a file out of an index."""
    return f"0 {'0' * len(entry.rpartition(' ')[2])}"
