"""``loom project|phase|events|checkin|session|retro|findings``."""

from __future__ import annotations

import json

from guildmoot.projects.errors import RecordError
from guildmoot.projects.slugs import find_project
from guildmoot.projects.store import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.cli.loom.main import Words


def _project(words: Words, code: str = "missing-args") -> Project:
    return Project(find_project(words.place(0, "the project's slug", code)))


def _json_file(path: str, unreadable: str, invalid: str) -> object:
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except OSError as wrong:
        raise RecordError(unreadable, f"{path} cannot be read: {wrong.strerror}") from None
    except (ValueError, RecursionError) as wrong:
        raise RecordError(invalid, f"{path} holds no JSON: {wrong}") from None


def project_read(words: Words) -> object:
    from guildmoot.projects.folders import read_project

    return read_project(_project(words, "missing-slug"))


def project_list(words: Words) -> object:
    from guildmoot.projects.folders import list_projects

    return list_projects("archived" in words.switches)


project_ls = project_list


def project_status(words: Words) -> object:
    from guildmoot.projects.folders import project_status

    return project_status()


def project_scaffold(words: Words) -> object:
    from guildmoot.projects.folders import scaffold

    name = words.place(0, "the project's slug")
    return scaffold(name, *words.required("plan-file", "config-file", "manifest-init-file"))


def project_adopt(words: Words) -> object:
    from guildmoot.projects.folders import adopt

    name = words.place(0, "the project's slug")
    return adopt(name, *words.required("config-file", "manifest-init-file"))


def project_archive(words: Words) -> object:
    from guildmoot.projects.folders import archive

    return archive(words.place(0, "the project's slug", "missing-slug"))


def phase_read(words: Words) -> object:
    from guildmoot.projects.phases import find_phase, read_number

    words.place(1, "the phase's number")
    number = read_number(words.places[1])
    values = _project(words).read()
    return values["phases"][find_phase(values, number)]


def phase_list(words: Words) -> object:
    return _project(words).read()["phases"]


def phase_ready(words: Words) -> object:
    from guildmoot.projects.phases import ready_phases

    return ready_phases(_project(words))


def phase_update(words: Words) -> object:
    from guildmoot.projects.phases import read_number, update_phase

    if {"pr", "url", "pr-state"} & (words.flags.keys() | words.switches):
        raise RecordError(
            "pr-flags-unsupported",
            "a pull request's state is never stored; 'loom pr discover' asks for it",
        )
    words.place(1, "the phase's number")
    (status,) = words.required("status")
    number = read_number(words.places[1])
    return update_phase(_project(words), number, status, words.flag("branch"), words.flag("reason"))


def phase_add(words: Words) -> object:
    from guildmoot.projects.phases import add_phase, read_number

    number, name = words.required("number", "name")
    status = words.flag("status") or "not-started"
    return add_phase(_project(words), read_number(number), name, status, words.flag("branch"))


def events_read(words: Words) -> object:
    from guildmoot.projects.events import select

    limit = words.number("limit", "invalid-limit")
    events = _project(words).read()["events"]
    return select(events, words.flag("event"), words.flag("since"), limit)


def events_latest(words: Words) -> object:
    from guildmoot.projects.events import select

    found = select(_project(words).read()["events"], words.flag("event"), limit=1)
    if not found:
        raise RecordError("no-events", "there is no such event yet")
    return found[0]


def events_append(words: Words) -> object:
    from guildmoot.projects.events import append_event, check_name

    (name,) = words.required("event")
    check_name(name)
    try:
        detail = json.loads(words.flags.get("detail", "{}"))
    except (ValueError, RecursionError) as wrong:
        raise RecordError("invalid-detail", f"--detail is no JSON: {wrong}") from None
    if not isinstance(detail, dict):
        raise RecordError("invalid-detail", "--detail must be a JSON object")
    return append_event(_project(words), name, detail, words.flag("key"))


def events_aggregate(words: Words) -> object:
    from guildmoot.projects.events import aggregate

    limit = words.number("limit", "invalid-limit")
    return aggregate(words.flag("event"), words.flag("since"), limit)


def checkin_write(words: Words) -> object:
    from guildmoot.projects.checkins import write_checkin

    (path,) = words.required("checkin-file")
    project = _project(words)
    value = _json_file(path, "checkin-file-unreadable", "invalid-checkin")
    return write_checkin(project, value, words.flag("run"))


def checkin_list(words: Words) -> object:
    from guildmoot.projects.checkins import list_checkins

    project = _project(words)
    rows = list_checkins(project.read(), words.flag("branch"))
    return [
        {"number": row["number"], "branch": row["branch"], "path": project.path} for row in rows
    ]


def checkin_read(words: Words) -> object:
    from guildmoot.projects.checkins import read_checkin

    branch, number = words.required("branch", "number")
    return read_checkin(_project(words).read(), branch, number)


def checkin_latest(words: Words) -> object:
    from guildmoot.projects.checkins import latest_checkin

    return latest_checkin(_project(words).read(), words.flag("branch"))


def session_write(words: Words) -> object:
    from guildmoot.projects.sessions import write_session

    (path,) = words.required("session-file")
    project = _project(words)
    return write_session(project, _json_file(path, "session-file-unreadable", "invalid-session"))


def session_list(words: Words) -> object:
    from guildmoot.projects.sessions import session_name

    project = _project(words)
    return [
        {"filename": session_name(each), "path": project.path}
        for each in project.read()["sessions"]
    ]


def session_read(words: Words) -> object:
    from guildmoot.projects.sessions import read_session

    (name,) = words.required("filename")
    return read_session(_project(words).read(), name)


def session_corrections(words: Words) -> object:
    from guildmoot.projects.sessions import corrections

    return corrections(_project(words).read(), words.flag("since-checkin"))


def retro_write(words: Words) -> object:
    from guildmoot.projects.sessions import write_retro

    (path,) = words.required("retro-file")
    project = _project(words)
    return write_retro(project, _json_file(path, "retro-file-unreadable", "invalid-retro"))


def retro_list(words: Words) -> object:
    from guildmoot.projects.sessions import list_retros

    return list_retros(_project(words), words.flag("type"))


def retro_read(words: Words) -> object:
    from guildmoot.projects.sessions import read_retro

    (kind,) = words.required("type")
    if kind == "project":
        return read_retro(_project(words), ("project", 0, 0))
    words.required("phase", "tier")
    phase, tier = (words.number(name, "invalid-phase") or 0 for name in ("phase", "tier"))
    return read_retro(_project(words), ("session", phase, tier))


def findings_harvest(words: Words) -> object:
    from guildmoot.projects.findings import harvest

    return harvest(_project(words), words.flag("branch"), words.flag("unit"))
