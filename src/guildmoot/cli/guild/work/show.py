"""How a piece of work is shown: which step, what is done and by whom, what is wrong, what comes next."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.output import emit
from guildmoot.errors import EXIT_OK
from guildmoot.text.clean import clean, count

if TYPE_CHECKING:
    from guildmoot.lifecycle.execution.looking import WorkCost
    from guildmoot.lifecycle.view import WorkView

WIDTH = 80


def show(
    view: WorkView,
    *,
    as_json: bool,
    rows: Sequence[str] = (),
    extra: Mapping[str, object] | None = None,
) -> int:
    """Print where the work stands."""
    emit({**plain_view(view), **(extra or {})}, [*rows, *view_rows(view)], as_json=as_json)
    return EXIT_OK


def plain_view(view: WorkView) -> dict[str, object]:
    """The same for programs."""
    return {
        "slug": view.slug,
        "step": view.standing.step,
        "why": view.standing.why,
        "next_gate": view.standing.gate or None,
        "blockers": list(view.standing.blockers),
        "next_command": view.command or None,
        "run": view.run or None,
        "one_lane": view.one_lane or None,
        "open_fields": list(view.open_fields),
        "files": {name: str(path) for name, path in view.files.items()},
        "problems": [
            {"file": file.file, "code": each.code, "line": each.line, "message": each.message}
            for file in view.problems
            for each in file.problems
        ],
        "notes": list(view.notes),
        "approvals": [each._asdict() for each in view.approvals],
        "cost": view.cost._asdict(),
        "lanes": list(_plain_lanes(view)),
    }


def _plain_lanes(view: WorkView) -> Iterator[dict[str, object]]:
    from guildmoot.lifecycle.scoring import estimate

    for lane in view.plan.lanes if view.plan else ():
        yield {"task": lane.task, "owner": lane.owner, "depends_on": list(lane.depends_on),
               "tier": lane.tier, "score": lane.score,
               "estimate": estimate(lane.tier, view.price)._asdict()}  # fmt: skip


def view_rows(view: WorkView) -> Iterator[str]:
    """Where the work stands, for people."""
    yield from wrapped(f"{view.slug}: {view.standing.why}")
    yield from _documents(view)
    for file in view.problems:
        for each in file.problems:
            yield from wrapped(f"  line {each.line}: {each.message}", "    ")
    yield from _lanes(view)
    for note in view.notes:
        yield from wrapped(f"  note: {note}", "    ")
    yield f"  step {view.standing.step}, next gate: {view.standing.gate or 'none'}, {cost_words(view.cost)}"
    if view.command:
        yield from next_rows(view)
    elif view.standing.step == "execute":
        yield from wrapped(
            f"The brief of each lane is below .guild/context/{view.run}; its agent hands over a receipt."
        )


def brief_rows(view: WorkView) -> Iterator[str]:
    """One of several pieces of work, in two or three lines."""
    yield from wrapped(f"{view.slug}: {view.standing.why}")
    yield f"  step {view.standing.step}, next gate: {view.standing.gate or 'none'}"
    if view.command:
        yield f"  next: {view.command}"


def next_rows(view: WorkView) -> Iterator[str]:
    """What goes on from here."""
    yield f"next: {view.command}"
    if view.open_fields:
        from guildmoot.cli.guild.work.work import FIELDS

        names = ", ".join(name for name, field in FIELDS.items() if field in view.open_fields)
        yield from wrapped(
            f"  FIELD is one of: {names}; 'guild run' at a terminal asks for each, --proceed turns what is"
            " open into assumptions",
            "  ",
        )


def _documents(view: WorkView) -> Iterator[str]:
    given = {each.gate: each for each in view.approvals}
    for name, artefact in (
        ("spec", view.state.spec), ("team", view.state.team), ("plan", view.state.plan),
    ):  # fmt: skip
        if not artefact.exists:
            continue
        last = given.get(name)
        said = "not approved"
        if artefact.problems:
            said = count(artefact.problems, "problem")
        elif artefact.approved and last:
            who = "auto-approve" if last.source != "user" else last.who
            said = f"approved by {who}, {last.when[:16].replace('T', ' ')}"
        elif artefact.refused:
            said = f"refused by {artefact.refused}"
        elif artefact.was_approved:
            said = "changed since it was approved"
        yield f"  {name}  {clean(said)}"
        yield f"        {short_path(view.files[name])}"
    if view.one_lane:
        yield f"  one lane: {view.one_lane} does all of it; no team, no plan"


def _lanes(view: WorkView) -> Iterator[str]:
    if not view.plan or not view.plan.lanes:
        return
    from guildmoot.lifecycle.planning import draw_tree, whole_estimate

    yield from (f"  {clean(row)}" for row in draw_tree(view.plan, view.price))
    if len(view.plan.lanes) > 1:
        whole = whole_estimate(view.plan, view.price)
        yield f"  together {whole}" + ("; no price is known" if whole.usd is None else "")


def cost_words(cost: WorkCost) -> str:
    """What was spent so far, and what lanes took by their own word."""
    said = []
    if cost.calls:
        more = f", {cost.unpriced} of unknown price" if cost.unpriced else ""
        said.append(f"spent ${cost.usd:.2f} ({count(cost.calls, 'call')}{more})")
    if cost.told_tokens or cost.told_usd:
        money = f", ${cost.told_usd:.2f}" if cost.told_usd else ""
        said.append(f"lanes told of {count(cost.told_tokens, 'token')}{money}")
    return "; ".join(said) or "nothing spent"


def short_path(path: Path) -> str:
    """A path from here where it lies below, else whole."""
    near = os.path.relpath(path, Path.cwd())
    return clean(near if not near.startswith("..") else str(path))


def wrapped(text: str, indent: str = "  ") -> Iterable[str]:
    """A sentence within the width of a terminal; names and commands are not broken."""
    return textwrap.wrap(
        clean(text), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
