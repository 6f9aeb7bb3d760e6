"""The text of a pull request as its reviewer reads it: what changed, what proved it, what was left out and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from guildmoot.text.clean import one_line

if TYPE_CHECKING:
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.values import LoopReport, Quarantine
    from guildmoot.projects.manifest import Record

_NAMED = 100
"""Files or items that are named one by one."""


def pull_text(
    place: PhasePlace, verify: Sequence[str], told: LoopReport, checkins: Sequence[str], notes: Sequence[str]
) -> str:  # fmt: skip
    """Markdown, from what the branch proves; ``notes`` are what a stop left undecided."""
    plan = f"`{place.inner}/PLAN.md`"
    lines = [
        f"> Part of **{place.slug[11:]}** ({plan}), phase {place.number}: {_plain(place.name)}",
        "", "## What changed", "", _plain(place.goal), "", *_counted(told), "",
    ]  # fmt: skip
    if notes:
        lines += ["## Not settled", "", *(f"- {_plain(note)}" for note in notes), ""]
    lines += ["## What proved it", ""]
    lines += [
        f"- [x] `{_plain(command)}` passed for every unit" for command in _passed(verify, told)
    ]
    lines += ["", "| Commit | Tier | Files | Lines | Judged |", "|---|---|---|---|---|"]
    lines += [_unit(row) for row in told.proof if row["files"]]
    gone = [path for row in told.proof for path in row["deleted"]]
    lines += ["", *_listed("Deleted", [f"`{_plain(path)}`" for path in gone])]
    lines += _refused("Left out, and why", told.quarantined)
    lines += _refused("Flagged by the panel, not part of this", told.flagged)
    lines += _listed("Left to a person", [f"`{_plain(path)}`" for path in told.routed])
    numbers = ",".join(checkins)
    return "\n".join((*lines, f"<!-- loom-pr-checkins: {numbers} -->", ""))


def _counted(told: LoopReport) -> Iterator[str]:
    """What became of every item."""
    plus, minus = (sum(row[name] for row in told.proof) for name in ("insertions", "deletions"))
    left = len(told.quarantined) + len(told.flagged)
    for count, words in (
        (len(told.landed), f"changed (+{plus} -{minus} lines)"), (len(told.unchanged), "needed no change"),
        (left, "left out"), (len(told.routed), "left to a person"),
    ):  # fmt: skip
        if count:
            yield f"- {count} {'file' if count == 1 else 'files'} {words}"


def _passed(verify: Sequence[str], told: LoopReport) -> list[str]:
    """The commands that passed for every unit that changed something."""
    ran = [{each["command"] for each in row["commands"]} for row in told.proof if row["files"]]
    return [command for command in verify if ran and all(command in each for each in ran)]


def _unit(row: Record) -> str:
    judged = f"{_plain(row['panel'])}, run `{row['run']}`, check-in {row['checkin']}"
    since = "" if row["as_judged"] else "; rewritten since"
    lines = f"+{row['insertions']} -{row['deletions']}"
    cells = (f"{row['commit'][:12]}", row["tier"], len(row["files"]), lines, f"{judged}{since}")
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    if not rows:
        return []
    more = [f"- and {len(rows) - _NAMED} more"] if len(rows) > _NAMED else []
    return [f"## {title}", "", *(f"- {row}" for row in rows[:_NAMED]), *more, ""]


def _refused(title: str, left_out: Sequence[Quarantine]) -> list[str]:
    rows = []
    for each in left_out:
        seen = [line for line in each.evidence.splitlines() if not line.startswith("all of it: ")]
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", each.evidence)), default=0))
        block = [f"  {fence}", *(f"  {line}" for line in seen), f"  {fence}"] if any(seen) else []
        rows.append("\n".join((f"`{_plain(each.item)}`: {_plain(each.reason)}", *block)))
    return _listed(title, rows)


def _plain(text: str) -> str:
    return one_line(text)
