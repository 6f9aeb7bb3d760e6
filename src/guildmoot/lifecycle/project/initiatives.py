"""Initiatives: goals that outlive one piece of work. Nobody has one unless they ask for it.

Files below ``.guild/initiatives/active/ID/``: ``initiative.yaml``, ``goals.md``, ``definition-ledger.md`` and
``activity.jsonl``; an archived one lies below ``archived/``.
"""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.errors import UndecidedError, UsageError, did_you_mean
from guildmoot.guard.scrub import append_durable, write_durable
from guildmoot.lifecycle.documents import FrontMatterError, read_yaml
from guildmoot.lifecycle.places import WorkFolder, check_slug, slug_of
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, read_rows, read_text_inside
from guildmoot.text.clean import one_line

InitiativeState = Literal["active", "archived", "closed"]
_MOST = 1_000_000
_SHOWN = 600


class Initiative(NamedTuple):
    """One goal that outlives a piece of work."""

    id: str
    title: str
    state: InitiativeState
    goal: str
    created_at: str
    work: tuple[str, ...] = ()
    """Pieces of work that belong to it."""
    folder: Path = Path()

    @property
    def paragraph(self) -> str:
        """What a bundle says of it."""
        return one_line(f"{self.title}. {self.goal}")[:_SHOWN]


class InitiativeClosing(NamedTuple):
    """What shows that an initiative is done."""

    release: str = ""
    """A tag, a version or a file that was released."""
    documents: str = ""
    """Where the documents say so."""


def list_initiatives(folder: WorkFolder) -> list[Initiative]:
    """Every initiative, active ones first, each by its id."""
    found = []
    for state in ("active", "archived"):
        here = folder.guild / "initiatives" / state
        found += [
            _read(folder, path)
            for path in (sorted(here.iterdir()) if here.is_dir() else ())
            if (path / "initiative.yaml").is_file() and not path.is_symlink()
        ]
    return found


def find_initiative(folder: WorkFolder, name: str) -> Initiative:
    """An initiative by its id; UsageError with the nearest when there is none."""
    known = {each.id: each for each in list_initiatives(folder)}
    if name in known:
        return known[name]
    hint = did_you_mean(name, known) or "'guild initiative new TITLE' begins one."
    raise UsageError(f"there is no initiative {name!r}", hint)


def new_initiative(folder: WorkFolder, title: str, goal: str, by: str) -> Initiative:
    """Begin one; UsageError when its name is taken."""
    name = slug_of(title)
    if any(each.id == name for each in list_initiatives(folder)):
        raise UsageError(
            f"there is an initiative {name} already", f"guild initiative status {name}"
        )
    here = folder.guild / "initiatives" / "active" / name
    folder_inside(folder.root, here.relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
    made = Initiative(name, one_line(title), "active", goal.strip(), _now(), (), here)
    write_durable(here / "goals.md", f"# {made.title}\n\n{made.goal or '(not said yet)'}\n")
    write_durable(
        here / "definition-ledger.md", f"# What was settled\n\n- {_now()[:10]} begun by {by}\n"
    )
    _write(made)
    note_activity(made, by, "begun")
    return made


def update_initiative(
    folder: WorkFolder, name: str, by: str, *, goal: str = "", settled: str = ""
) -> Initiative:
    """Say the goal anew, or add a line to what was settled."""
    found = _of_state(folder, name, "active")
    if not goal.strip() and not settled.strip():
        raise UsageError("nothing was said", "--goal TEXT, or --settled TEXT")
    if goal.strip():
        found = found._replace(goal=goal.strip())
        write_durable(found.folder / "goals.md", f"# {found.title}\n\n{found.goal}\n")
        note_activity(found, by, "goal changed")
    if settled.strip():
        ledger = found.folder / "definition-ledger.md"
        before, _ = read_text_inside(ledger, folder.root, _MOST)
        write_durable(ledger, f"{before.rstrip()}\n- {_now()[:10]} {one_line(settled)} ({by})\n")
        note_activity(found, by, f"settled: {one_line(settled)}")
    _write(found)
    return found


def add_work(folder: WorkFolder, name: str, slug: str, by: str) -> Initiative:
    """A piece of work belongs to it."""
    found = _of_state(folder, name, "active")
    if check_slug(slug) in found.work:
        return found
    found = found._replace(work=(*found.work, slug))
    _write(found)
    note_activity(found, by, f"work {slug}")
    return found


def initiative_of(folder: WorkFolder, slug: str) -> Initiative | None:
    """The active initiative that a piece of work belongs to."""
    mine = (
        each for each in list_initiatives(folder) if slug in each.work and each.state == "active"
    )
    return next(mine, None)


def move_initiative(
    folder: WorkFolder, name: str, to: Literal["active", "archived"], by: str
) -> Initiative:
    """Archive one, or bring it back."""
    found = _of_state(folder, name, "archived" if to == "active" else "active")
    target = folder.guild / "initiatives" / to / found.id
    folder_inside(folder.root, target.parent.relative_to(folder.root))
    if target.exists():
        raise UsageError(f"there is something in its place: {target}")
    shutil.move(os.fspath(found.folder), os.fspath(target))
    moved = found._replace(state=to, folder=target)
    _write(moved)
    note_activity(moved, by, "archived" if to == "archived" else "restored")
    return moved


def close_initiative(
    folder: WorkFolder, name: str, by: str, proof: InitiativeClosing
) -> Initiative:
    """It is done: UndecidedError unless a release and the documents that tell of it are named and there."""
    found = _of_state(folder, name, "active")
    if not proof.release.strip() or not proof.documents.strip():
        raise UndecidedError(
            f"{name} is not closed: a release and the documents that tell of it must be named",
            f"guild initiative close {name} --release v1.2 --documents CHANGELOG.md",
        )
    text, problem = read_text_inside(folder.root / proof.documents, folder.root, _MOST)
    if problem:
        raise UsageError(f"{proof.documents} cannot be read: {problem}")
    if proof.release not in text:
        raise UndecidedError(
            f"{proof.documents} does not speak of {proof.release}", "Write it down there first."
        )
    closed = found._replace(state="closed")
    _write(closed)
    note_activity(closed, by, f"closed by {proof.release}, told in {proof.documents}")
    target = folder.guild / "initiatives" / "archived" / found.id
    folder_inside(folder.root, target.parent.relative_to(folder.root))
    shutil.move(os.fspath(found.folder), os.fspath(target))
    return closed._replace(folder=target)


def activity(found: Initiative, most: int = 20) -> list[dict[str, object]]:
    """What happened to it, the last things."""
    return [row for row in read_rows(found.folder / "activity.jsonl") if row][-most:]


def note_activity(found: Initiative, by: str, what: str) -> None:
    """Keep what happened."""
    append_durable(found.folder / "activity.jsonl", [{"when": _now(), "who": by, "what": what}])


def _of_state(folder: WorkFolder, name: str, state: InitiativeState) -> Initiative:
    found = find_initiative(folder, name)
    if found.state != state:
        raise UsageError(f"{name} is {found.state}, not {state}")
    return found


def _read(folder: WorkFolder, path: Path) -> Initiative:
    text, problem = read_text_inside(path / "initiative.yaml", folder.root, _MOST)
    try:
        if problem:
            raise FrontMatterError(1, problem)
        data = read_yaml(text).data
    except FrontMatterError as wrong:
        shown = os.path.relpath(path, folder.root)
        raise UsageError(
            f"{shown}/initiative.yaml:{wrong.line}: {wrong.reason}", "Mend it."
        ) from None
    work = data.get("work")
    states: tuple[InitiativeState, ...] = ("active", "archived", "closed")
    return Initiative(
        path.name,
        str(data.get("title") or path.name),
        next((each for each in states if each == data.get("state")), "active"),
        str(data.get("goal") or ""),
        str(data.get("created_at") or ""),
        tuple(map(str, work)) if isinstance(work, list) else (),
        path,
    )


def _write(found: Initiative) -> None:
    rows = [
        f"id: {found.id}",
        f"title: {_quoted(found.title)}",
        f"state: {found.state}",
        f"goal: {_quoted(found.goal)}",
        f"created_at: {found.created_at}",
        f"work: [{', '.join(found.work)}]",
    ]
    write_durable(found.folder / "initiative.yaml", "\n".join(rows) + "\n")


def _quoted(text: str) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
