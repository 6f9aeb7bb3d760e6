"""What a session of work came to, and what was learnt after a tier or at the end."""

from __future__ import annotations

import os
import re

from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import note_event
from guildmoot.projects.manifest import RETRO_CATEGORIES, check_known, check_record, check_word
from guildmoot.projects.toml import check_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import Project, RecordChange

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_LETTER = re.compile(r"[a-z]+\Z")
_RETRO_FILE = re.compile(r"(?:phase-(\d+)-tier-(\d+)|project)\.json\Z")


def write_session(project: Project, session: object) -> Record:
    """Put a session down; one of the same day and letter is never replaced."""
    if not isinstance(session, dict) or session.get("schema_version") != 1:
        raise RecordError("invalid-session", "a session is one JSON object with schema_version 1")
    check_values(session, "the session")
    try:
        check_record("sessions", session, "the session")
    except RecordError as wrong:
        raise RecordError("invalid-session", wrong.text) from None
    if not _DATE.match(session["date"]) or not _LETTER.match(session["letter"]):
        raise RecordError("invalid-session", "date is written 2025-03-08, letter a, b, c ...")
    check_known("sessions", session, "the session")
    name = f"{session['date']}-{session['letter']}.json"

    def make(draft: RecordChange) -> Record:
        if any(session_name(each) == name for each in draft.values["sessions"]):
            raise RecordError("session-already-exists", f"{name} is written already; it is kept")
        place = draft.add("sessions", session)
        note_event(draft, "session-saved", {"filename": name})
        return {"path": place, "filename": name}

    return project.change(make)


def session_name(session: Record) -> str:
    """The name that a session is asked for by."""
    return f"{session['date']}-{session['letter']}.json"


def read_session(values: Record, name: str) -> Record:
    """One session."""
    for each in values["sessions"]:
        if session_name(each) == name:
            return dict(each)
    raise RecordError("session-not-found", f"there is no session {name}")


def corrections(values: Record, since: str = "") -> list[Record]:
    """What people had to correct, by check-in."""
    return [
        {"text": text, "checkin": row["number"], "branch": row["branch"]}
        for row in values["checkins"]
        if not since or row["number"] >= since
        for text in row["execution"]["corrections"]
    ]


def write_retro(project: Project, retro: object, *, again: bool = False) -> Record:
    """Put a retrospective down: one for each tier of a phase, one for the project; ``again``: after a tier that was
    run again, whose newest one counts."""
    record = _checked_retro(retro)
    key = retro_key(record)

    def make(draft: RecordChange) -> Record:
        before = [each for each in draft.values["retros"] if retro_key(each) == key]
        if before and not again:
            raise RecordError("retro-already-exists", f"{_retro_name(key)} is written already")
        draft.add("retros", record)
        place: Record = {name: record[name] for name in ("phase", "tier") if name in record}
        note_event(draft, "retro-written", {"type": record["type"], **place})
        return {"section": "retros", "type": record["type"], **place}

    return project.change(make)


def _checked_retro(retro: object) -> Record:
    if not isinstance(retro, dict) or retro.get("schema_version") != 1:
        raise RecordError("invalid-retro", "a retro is one JSON object with schema_version 1")
    check_values(retro, "the retro")
    try:
        check_record("retros", retro, "the retro")
    except RecordError as wrong:
        raise RecordError("invalid-retro", wrong.text) from None
    check_word("invalid-retro", "type", retro["type"], ("session", "project"))
    for finding in retro["findings"]:
        check_word("invalid-retro", "a finding's category", finding["category"], RETRO_CATEGORIES)
    if retro["type"] == "session" and not {"phase", "tier"} <= retro.keys():
        raise RecordError("invalid-retro", "a session's retro needs phase and tier, whole numbers")
    check_known("retros", retro, "the retro")
    return dict(retro)


def retro_key(retro: Record) -> tuple[str, int, int]:
    """What there is one retro of."""
    if retro["type"] == "project":
        return ("project", 0, 0)
    return ("session", retro.get("phase", 0), retro.get("tier", 0))


def newest_retros(values: Record) -> dict[tuple[str, int, int], Record]:
    """What was learnt last of each tier, and of the project."""
    rows = sorted(values["retros"], key=lambda each: str(each["created"]))
    return {retro_key(each): each for each in rows}


def list_retros(project: Project, kind: str = "") -> list[Record]:
    """The retros on record, and those that an older version left as files."""
    rows: list[Record] = [
        {"filename": _retro_name(key), "type": key[0], "source": "manifest"}
        for key in newest_retros(project.read())
    ]
    known = {row["filename"] for row in rows}
    for name in _old_retros(project.folder):
        if name not in known:
            path = os.path.join(project.folder, "retros", name)
            old = "project" if name == "project.json" else "session"
            rows.append({"filename": name, "type": old, "path": path, "source": "file"})
    return [row for row in rows if not kind or row["type"] == kind]


def read_retro(project: Project, key: tuple[str, int, int]) -> Record:
    """One retro, the newest of its name, from the record or from an older version's file."""
    if found := newest_retros(project.read()).get(key):
        return dict(found)
    name = _retro_name(key)
    if name in _old_retros(project.folder):
        import json

        try:
            with open(os.path.join(project.folder, "retros", name), encoding="utf-8") as stream:
                old = json.load(stream)
        except (OSError, ValueError) as wrong:
            raise RecordError("invalid-retro", f"retros/{name} cannot be read: {wrong}") from None
        if isinstance(old, dict):
            return old
    raise RecordError("retro-not-found", f"there is no {name}")


def _retro_name(key: tuple[str, int, int]) -> str:
    return "project.json" if key[0] == "project" else f"phase-{key[1]}-tier-{key[2]}.json"


def _old_retros(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(os.path.join(folder, "retros")))
    except OSError:
        return []
    return [name for name in names if _RETRO_FILE.match(name)]
