"""The documents of a project: its plan and their revisions, research, decisions."""

from __future__ import annotations

import json
import os
import re

from guildmoot.projects.commits import commit_files, is_committed
from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import note_event
from guildmoot.projects.folders import adopt_folder
from guildmoot.projects.phases import read_plan
from guildmoot.projects.places import read_held, refuse_link
from guildmoot.projects.plan import parse_plan
from guildmoot.projects.slugs import (
    MANIFEST,
    PLAN,
    find_project,
    kebab,
    numbered_files,
    projects_root,
    slug_of_topic,
    stamp,
    text_hash,
    today,
)
from guildmoot.projects.store import Project
from guildmoot.system.files import Locked, replace_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import RecordChange

RESEARCH, NOTES, INTERVIEW = "RESEARCH.md", "RESEARCH-NOTES.md", "INTERVIEW.md"
_LOG = "## Revision log"
_STUB = "## Context\n\n## Decision\n\n## Consequences"


def write_text(path: str, text: str) -> None:
    """Replace a document whole, under its folder's lock."""
    refuse_link(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Locked(os.path.dirname(path)):
        replace_locked(path, text.encode("utf-8", "surrogateescape"))


def read_source(path: str, code: str) -> str:
    """A file that the user named; RecordError with this code when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            return stream.read()
    except OSError as wrong:
        raise RecordError(code, f"{path} cannot be read: {wrong.strerror}") from None


# Plans.


def write_plan(
    topic: str, plan_file: str, interview_file: str, commit: bool, adopt: bool
) -> Record:
    """Put a new project's plan and interview in place; a plan that git holds is never replaced."""
    slug = slug_of_topic(topic)
    folder = os.path.join(projects_root(), slug)
    path, interview = os.path.join(folder, PLAN), os.path.join(folder, INTERVIEW)
    text, talk = (
        read_source(plan_file, "plan-write-failed"),
        read_source(interview_file, "plan-write-failed"),
    )
    if is_committed(path):
        raise RecordError(
            "plan-exists-committed", f"{path} is committed; 'loom revise-plan {slug}' changes it"
        )
    kept = _keep_aside(path, text)
    write_text(path, text)
    write_text(interview, talk)
    adopted = adopt and not os.path.isfile(os.path.join(folder, MANIFEST))
    if adopted:
        title = " ".join(word.capitalize() for word in slug[11:].split("-"))
        meta = {"title": title, "started": today(), "strategy": "interactive"}
        adopt_folder(folder, slug, meta, plan_phases(text), plan=text)
    written = [path, interview] + ([os.path.join(folder, MANIFEST)] if adopted else [])
    done = commit and commit_files(written, f"[loom plan] {slug}")
    answer: Record = {"slug": slug, "path": folder, "committed": done, "loom_adopted": adopted}
    return {**answer, "kept": kept} if kept else answer


def _keep_aside(path: str, text: str) -> str:
    """A plan that git does not hold is kept under another name before it is replaced."""
    from hashlib import sha256

    if not os.path.exists(path):
        return ""
    old = read_plan(path)
    if old == text:
        return ""
    place = f"{path}.{sha256(old.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
    write_text(place, old)
    return place


def plan_phases(text: str) -> list[Record]:
    """The phases of a plan as a manifest lists them: those with a whole number."""
    try:
        phases = parse_plan(text)["plan"]["phases"]
    except RecordError:
        return []
    seen: dict[int, Record] = {}
    for phase in phases:
        if phase["id"].isdecimal():
            number = int(phase["id"])
            seen.setdefault(
                number, {"number": number, "name": phase["name"], "status": "not-started"}
            )
    return list(seen.values())


def revise_plan(name: str, revision_file: str, rationale: str, commit: bool) -> Record:
    """Replace a plan, keep the states of its phases, and log why."""
    folder = find_project(name, PLAN)
    path, slug = os.path.join(folder, PLAN), os.path.basename(folder)
    text = read_source(revision_file, "revision-read-failed")
    before, revised = read_plan(path), _logged(text, rationale)
    project, written = Project(folder), [path]
    if os.path.isfile(project.path):
        project.change(lambda draft: _revise_phases(draft, text, before, revised))
        written += project.files()
    write_text(path, revised)
    done = commit and commit_files(written, f"[loom revise-plan] {slug}: {rationale}")
    answer: Record = {"slug": slug, "path": folder, "committed": done, "rationale": rationale}
    amiss = _amiss(text, before)
    return {**answer, "warnings": amiss} if amiss else answer


def _amiss(text: str, before: str) -> list[str]:
    """What a person should know of a revised plan: faults of its structure, and phases that are gone."""
    try:
        parsed = parse_plan(text)
    except RecordError as wrong:
        return [wrong.text]
    told = [
        f"line {each['line']}: {each['message']}"
        for each in parsed["diagnostics"]
        if each["severity"] == "structural" and each["line"]
    ]
    there = {phase["number"] for phase in plan_phases(text)}
    gone = [phase for phase in plan_phases(before) if phase["number"] not in there]
    return told + [
        f"phase {phase['number']} {phase['name']} is no longer in the plan" for phase in gone
    ]


def _revise_phases(draft: RecordChange, text: str, before: str, after: str) -> None:
    known = {phase["number"]: index for index, phase in enumerate(draft.values["phases"])}
    for phase in plan_phases(text):
        index = known.get(phase["number"])
        if index is None:
            draft.add_here("phases", phase)
        elif draft.values["phases"][index]["name"] != phase["name"]:
            draft.set_fields("phases", index, {"name": phase["name"]})
    seq = 1 + max((each["seq"] for each in draft.values["revisions"]), default=0)
    hashes = {"base": text_hash(before), "result": text_hash(after)}
    draft.add("revisions", {"timestamp": stamp(), "target": PLAN, "seq": seq, **hashes})


def _logged(text: str, rationale: str) -> str:
    line = f"- {today()} — {' '.join(rationale.split())}\n"
    found = re.search(rf"^{_LOG}[ \t]*\n(?:[ \t]*\n)*", text, re.MULTILINE)
    if found:
        return f"{text[: found.start()]}{_LOG}\n\n{line}{text[found.end() :]}"
    return f"{text}{'' if text.endswith(chr(10)) else chr(10) * 2}\n{_LOG}\n\n{line}"


# Research.


def start_research(
    topic: str, research_file: str, notes_file: str, commit: bool, adopt: bool
) -> Record:
    """Put research and its notes in place."""
    text = read_source(research_file, "research-file-not-found")
    notes = read_source(notes_file, "notes-file-not-found")
    slug = slug_of_topic(topic)
    folder = os.path.join(projects_root(), slug)
    path, notes_path = os.path.join(folder, RESEARCH), os.path.join(folder, NOTES)
    if is_committed(path):
        raise RecordError(
            "research-exists-committed", f"{path} is committed; 'loom research append' adds to it"
        )
    os.makedirs(folder, exist_ok=True)
    has_manifest = os.path.isfile(os.path.join(folder, MANIFEST))
    adopted = adopt and not has_manifest
    if adopted:
        title = " ".join(word.capitalize() for word in slug[11:].split("-"))
        adopt_folder(
            folder, slug, {"title": title, "started": today(), "strategy": "interactive"}, []
        )
    project, events = Project(folder), adopted or has_manifest
    if events:
        asked = {"slug": slug} if topic == slug else {"slug": slug, "topic": topic}
        project.change(lambda draft: note_event(draft, "research-started", asked))
    write_text(path, text)
    write_text(notes_path, notes)
    written = [path, notes_path] + (project.files() if events else [])
    done = commit and commit_files(written, f"[loom research] {slug}")
    if events:
        ended = {"slug": slug, "research_path": path, "notes_path": notes_path}
        project.change(lambda draft: note_event(draft, "research-completed", ended))
    return {
        "slug": slug, "path": folder, "committed": done, "loom_adopted": adopted,
        "events_emitted": events,
    }  # fmt: skip


def append_research(
    name: str, section: str, fact_file: str, citing: str, phase: int | None, commit: bool
) -> Record:
    """Add a section with where it comes from to a project's research."""
    fact = read_source(fact_file, "fact-file-not-found")
    folder = _documented(name)
    slug, path = os.path.basename(folder), os.path.join(folder, RESEARCH)
    old = _read_research(path)
    source: Record = {"slug": slug}
    if phase is not None:
        source["phase"] = phase
    source |= {"at": stamp(), "citing": citing}
    told = json.dumps(source, ensure_ascii=False, separators=(",", ":")).replace("-->", "--\\u003e")
    section = " ".join(section.split())
    block = f"\n## {section}\n<!-- loom:provenance\n{told}\n-->\n\n{fact.strip()}\n"
    write_text(path, old.rstrip("\n") + "\n" + block)
    done = commit and commit_files([path], f'[loom research] append "{section}" to {slug}')
    return {"slug": slug, "section": section, "path": path, "provenance": source, "committed": done}


def show_research(name: str, section: str = "") -> Record:
    """A project's research, or one section of it."""
    folder = _documented(name)
    path = os.path.join(folder, RESEARCH)
    text = _read_research(path)
    answer: Record = {"slug": os.path.basename(folder)}
    if section:
        answer["section"] = section
        text = _section(text, section)
    return {**answer, "path": path, "content": text}


def _read_research(path: str) -> str:
    try:
        return read_held(path).decode("utf-8", "surrogateescape")
    except OSError as wrong:
        raise RecordError(
            "research-not-found", f"{path} cannot be read: {wrong.strerror}"
        ) from None


def _documented(name: str) -> str:
    """A project by its manifest, or, where it has none, by its research."""
    try:
        return find_project(name)
    except RecordError:
        return find_project(name, RESEARCH)


def _section(text: str, title: str) -> str:
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.strip() == f"## {title}"), None)
    if start is None:
        titles = [line[3:].strip() for line in lines if line.startswith("## ")]
        raise RecordError("section-not-found", f"there is no section {title!r}", titles)
    end = start + 1
    while end < len(lines) and not lines[end].startswith("## ") and lines[end].strip() != "---":
        end += 1
    return "\n".join(lines[start:end]).rstrip() + "\n"


# Decisions.


def write_adr(title: str, body_file: str, status: str, commit: bool) -> Record:
    """The next numbered decision of all projects."""
    title, status, name = _line(title), _line(status), kebab(title, "invalid-title")
    body = read_source(body_file, "body-file-not-found").strip() if body_file else _STUB
    facts = (("Date", today()), ("Status", status))
    number, path = _write_numbered(
        os.path.join(projects_root(), "adr-log"), title, name, facts, body
    )
    done = commit and commit_files([path], f"[loom] adr {number}: {title}")
    return {"number": number, "slug": name, "path": path, "status": status, "committed": done}


def write_decision(
    project: str, title: str, body_file: str, status: str, scope: str, commit: bool
) -> Record:
    """The next numbered decision of one project."""
    folder = find_project(project)
    name, slug = kebab(title, "invalid-title"), os.path.basename(folder)
    title, status, scope = _line(title), _line(status), _line(scope)
    body = read_source(body_file, "body-file-not-found").strip() if body_file else _STUB
    facts = (("Status", status), ("Scope", scope), ("Date", today()))
    number, path = _write_numbered(os.path.join(folder, "decisions"), title, name, facts, body)
    done = commit and commit_files([path], f"[loom] decision {number}: {title}")
    return {
        "number": number, "slug": slug, "title_slug": name, "path": path, "status": status,
        "scope": scope, "committed": done,
    }  # fmt: skip


def _line(words: str) -> str:
    """Words as one line, so that they cannot be taken for a heading or another fact."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())


def list_decisions(project: str) -> Record:
    """The decisions of a project."""
    folder = find_project(project)
    names = numbered_files(os.path.join(folder, "decisions"))
    rows = [{"number": name[:4], "file": name} for name in names]
    return {"slug": os.path.basename(folder), "decisions": rows}


def _write_numbered(
    folder: str, title: str, name: str, facts: tuple[tuple[str, str], ...], body: str
) -> tuple[str, str]:
    refuse_link(os.path.join(folder, "x"))
    os.makedirs(folder, exist_ok=True)
    with Locked(folder):  # two at once get two numbers
        number = f"{1 + max((int(each[:4]) for each in numbered_files(folder)), default=0):04}"
        lines = "".join(f"- **{key}**: {value}\n" for key, value in facts)
        path = os.path.join(folder, f"{number}-{name}.md")
        text = f"# {number}. {title}\n\n{lines}\n{body}\n"
        replace_locked(path, text.encode("utf-8", "surrogateescape"))
    return number, path
