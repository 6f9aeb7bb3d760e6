"""``guild undo``: brings back what a command discarded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, shorten
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.text.clean import count, one_line

if TYPE_CHECKING:
    from guildmoot.guard.undo.model import Snapshot

_WORDS = ("list", "show", "restore", "keep")
_SHOWN = 20


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "undo",
        "Before the guard lets a command pass that may discard work, it keeps the index, the"
        " working tree and untracked files under refs/guild/undo. A restore brings them back as"
        " they were, with branch and commit, after keeping what is there now.",
        "  guild undo                       the snapshots of this repository\n"
        "  guild undo show                  what restoring the last one would change\n"
        "  guild undo restore               bring the last one back\n"
        "  guild undo restore 20261117      the one whose name begins so\n"
        "  guild undo restore last src/a.py only this file of it\n"
        "  guild undo keep                  take one now",
    )
    parser.add_argument("what", nargs="?", default="list", metavar="list|show|restore|keep")
    parser.add_argument("name", nargs="?", default="", help="a snapshot; the last one without it")
    parser.add_argument("paths", nargs="*", help="only these files or folders of it")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api import undo as api

    if options.what not in _WORDS:
        raise UsageError(
            f"'guild undo' cannot {options.what!r}",
            did_you_mean(options.what, _WORDS, "It can list, show, restore and keep."),
        )
    if options.what == "list":
        found = asyncio.run(api.list_snapshots())
        return emit({"snapshots": [_plain(s) for s in found]}, _rows(found), as_json=options.json)
    if options.what == "keep":
        kept = asyncio.run(api.keep_snapshot("guild undo keep"))
        row = f"kept as {kept.id}: {count(kept.changed, 'changed file')}"
        return emit(_plain(kept), [row, *_left_out(kept)], as_json=options.json)
    if options.what == "show":
        one, changes = asyncio.run(api.show_snapshot(options.name))
        data = {**_plain(one), "changes": changes}
        return emit(data, _details(one, changes), as_json=options.json)
    done = asyncio.run(api.restore_snapshot(options.name, options.paths))
    rows = [
        (
            f"{done.snapshot.id} is back: {count(len(done.written), 'file')} written,"
            f" {len(done.removed)} removed"
        ),
        f"before that: 'guild undo restore {done.before.id}'",
        *_left_out(done.snapshot),
    ]
    data = {
        "restored": done.snapshot.id,
        "before": done.before.id,
        "written": list(done.written),
        "removed": list(done.removed),
    }
    return emit(data, rows, as_json=options.json)


def _rows(found: list[Snapshot]) -> Iterator[str]:
    if not found:
        yield "No snapshot here: the guard takes one before work could be lost."
    for one in found:
        tree = f"  of {one_line(one.folder)}" if len({each.folder for each in found}) > 1 else ""
        yield shorten(f"{one.id}  {count(one.changed, 'file')}{tree}  {one_line(one.why)}")


def _details(one: Snapshot, changes: list[str]) -> Iterator[str]:
    yield f"{one.id}  taken {one.taken[:19].replace('T', ' ')} UTC"
    yield shorten(f"before  {one_line(one.why) or '(nothing said)'}")
    branch = one.branch.removeprefix("refs/heads/") or "no branch"
    where = f"at      {branch}, {one.head[:12] or 'no commit yet'}"
    yield "of      these files alone" if one.only else where
    yield from _left_out(one)
    yield "a restore would change nothing" if not changes else "a restore would"
    for change in changes[:_SHOWN]:
        yield shorten(f"  {one_line(change)}")
    if len(changes) > _SHOWN:
        yield f"  and {len(changes) - _SHOWN} more (--json lists them)"


def _left_out(one: Snapshot) -> Iterator[str]:
    for path in one.left_out[:5]:
        yield shorten(f"not kept: {one_line(path)}")


def _plain(one: Snapshot) -> dict[str, object]:
    return {
        "id": one.id,
        "ref": one.ref,
        "folder": one.folder,
        "taken": one.taken,
        "why": one.why or None,
        "head": one.head or None,
        "branch": one.branch or None,
        "changed": one.changed,
        "left_out": list(one.left_out),
    }
