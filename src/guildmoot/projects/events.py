"""A project's events: what happened, when, with which details."""

from __future__ import annotations

import os
import re
import sys

from guildmoot.projects.errors import RecordError
from guildmoot.projects.manifest import without_nulls
from guildmoot.projects.slugs import list_slugs, projects_root, stamp
from guildmoot.projects.store import Project
from guildmoot.projects.toml import check_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import RecordChange

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_AT = re.compile(r'^at = "([^"]*)"', re.MULTILINE)


def make_event(name: str, detail: Record, at: str = "") -> Record:
    """One event of now."""
    return {"at": at or stamp(), "event": name, "detail": detail}


def note_event(draft: RecordChange, name: str, detail: Record) -> None:
    """Put down what a verb did, in the same change."""
    draft.add("events", make_event(name, detail))


def append_event(project: Project, name: str, detail: Record, key: str = "") -> Record:
    """Put one event down; with a key that was used before, the event that has it is given back."""
    check_name(name)
    try:
        plain = {name: without_nulls(held) for name, held in detail.items() if held is not None}
    except RecursionError:
        raise RecordError("toml-invalid", "detail is nested too deeply") from None
    check_values(plain, "detail")

    def make(draft: RecordChange) -> Record:
        known = draft.find_key(key) if key else None
        if known is not None:
            return known
        event = make_event(name, plain)
        _tell_of_the_clock(draft.text, event["at"])
        draft.add("events", event, key)
        return {**event, "key": key} if key else event

    return project.change(make)


def check_name(name: str) -> None:
    """RecordError when an event's name is not lower-case words joined by hyphens."""
    if not _NAME.match(name):
        raise RecordError(
            "invalid-event-name", f"{name!r} is not lower-case words joined by single hyphens"
        )


def select(
    events: Iterable[Record], name: str = "", since: str = "", limit: int | None = None
) -> list[Record]:
    """The events of a name since a time; with a limit the newest of them, in their order."""
    found = [
        event
        for event in events
        if (not name or event["event"] == name) and (not since or event["at"] >= since)
    ]
    return found if limit is None else found[len(found) - limit :] if limit else []


def aggregate(name: str = "", since: str = "", limit: int | None = None) -> list[Record]:
    """How often each event occurred in each project, archived ones too; broken ones are left out."""
    root = projects_root()
    counts: dict[tuple[str, str], list[Any]] = {}
    for folder in (root, os.path.join(root, "archive")):
        for slug in list_slugs(folder):
            try:
                events = Project(os.path.join(folder, slug)).read()["events"]
            except (RecordError, OSError):
                continue
            for event in select(events, name, since):
                row = counts.setdefault((slug, event["event"]), [0, event["at"], event["at"]])
                row[0] += 1
                row[1], row[2] = min(row[1], event["at"]), max(row[2], event["at"])
    rows = [
        {"project": slug, "event": event, "count": count, "first_at": first, "last_at": last}
        for (slug, event), (count, first, last) in sorted(counts.items())
    ]
    return rows if limit is None else rows[:limit]


def _tell_of_the_clock(text: str, now: str) -> None:
    """The order of events is that of their lines; a clock that went back is only told."""
    at = text.rfind('\nat = "')
    last = _AT.search(text, at + 1) if at >= 0 else None
    if last and now < last.group(1) and last.group(1)[:4].isdigit():
        sys.stderr.write(
            f"loom: this machine's clock says {now}, and the last event is of {last.group(1)};"
            " the event is recorded after it all the same. Set the clock.\n"
        )
