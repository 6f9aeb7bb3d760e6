"""Secrets that a change adds, certain and no example by the same rules as a review's: what is merged is history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.tools.secrets import secrets
from guildmoot.grounding.harm import excused
from guildmoot.guard.egress import KEY_FILE, admit
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.named_places import is_inside
from guildmoot.lifecycle.proof.commits import lane_commits
from guildmoot.lifecycle.proof.weakening.sides import read_sides
from guildmoot.model.verdict import Finding
from guildmoot.packet.collect import held_keys
from guildmoot.packet.contents import DecodedText, decode
from guildmoot.system.git import Git

_LARGE = 8_000_000
"""Nobody writes a longer file by hand."""
_LIKELY, _POSSIBLE = "likely-secret", "possible-secret"
_SQUASH = "it stays in the history of the branch: make it invalid, then merge with --squash"


class Leak(NamedTuple):
    """A secret that a change adds."""

    path: str
    said: str
    """Where, and of which kind; never the secret."""
    kind: str = ""
    sure: bool = True
    """Not in a document or a test, where it may be an example."""


def leaks(sides: Mapping[str, tuple[bytes | None, bytes | None]]) -> tuple[Leak, ...]:
    """What a change adds, of files as they were and are; what stood in one of them before is none of it. Pure."""
    old: set[str] = set()
    values: set[str] = set()
    for path, (before, _) in sides.items():
        text = _text(before)
        mask(text, path, values)
        old.update(text.split("\n"))
    found, texts = [], {}
    for path, (before, after) in sides.items():
        if after is None or before == after:
            continue
        texts[path] = _text(after)
        masked = _new_masks(path, texts[path], old, values)
        keys = [] if before is not None or admit(path) != KEY_FILE else [_key_file(path, after)]
        shown: list[dict[str, object]] = [{"path": path}]
        manifest = {"files": shown, "masked": masked, "omitted": keys}
        found += [
            Finding("secrets", each.code, each.message, path=path, line=each.line, proven=True)
            for each in secrets(manifest)
            if each.severity == "ERROR" or each.code in (_LIKELY, _POSSIBLE)
        ]
    kept = excused(found, lambda path: texts.get(path, ""), change=True)
    rows = (
        Leak(each.path, _said(each), each.title, each.code != _POSSIBLE)
        for each in kept
        if each.blocking or each.code == _POSSIBLE
    )
    return tuple(dict.fromkeys(rows))


def _new_masks(path: str, text: str, old: set[str], values: set[str]) -> list[dict[str, object]]:
    rows = text.split("\n")
    for value in values:
        text = text.replace(value, "_")
    found = mask(text, path)[1]
    return [each._asdict() for each in found if rows[each.line - 1] not in old]


def _key_file(path: str, data: bytes) -> dict[str, object]:
    detail = ", ".join(filter(None, ("tracked", held_keys(path, data))))
    return {"path": path, "reason": KEY_FILE, "detail": detail}


def _text(data: bytes | None) -> str:
    found = decode(data) if data else None
    return found.text if isinstance(found, DecodedText) else ""


def _said(found: Finding) -> str:
    place = f"{found.path}:{found.line}" if found.line else found.path
    return f"{place}: {found.title}"


def added_leaks(root: Path, change: tuple[str, str], files: Iterable[str]) -> tuple[Leak, ...]:
    """What a change adds, from a commit to a commit or tree."""
    asked = set(files)
    return leaks(read_sides(root, change, asked, _LARGE)) if asked else ()


def leaked_by_lane(
    root: Path, change: tuple[str, str], run: str, task: str, allowed: Sequence[str]
) -> tuple[str, ...]:
    """What each commit of a lane added between two commits, also where a later one took it out again.

    What may be an example is one while it stays: who took it out again says that it was none.
    """
    found = {}
    for commit in lane_commits(root, *change, run, task):
        words = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", f"{commit}^", commit)
        names = Git(root).run(*words).decode("utf-8", "surrogateescape").split("\0")
        paths = [each for each in names if each]
        for each in added_leaks(root, (f"{commit}^", commit), paths):
            if not each.sure and each.kind in {
                e.kind for e in added_leaks(root, change, [each.path])
            }:
                continue
            if not any(is_inside(each.path, place) for place in allowed):
                found[each] = f"its commit {commit[:12]} adds {each.said}; {_SQUASH}"
    return tuple(found.values())
