"""``loom plan|revise-plan|parse-plan|research|adr|decision|runbook``."""

from __future__ import annotations

import os

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.cli.loom.main import Words


def _commits(words: Words) -> bool:
    return "no-commit" not in words.switches


def plan(words: Words) -> object:
    from guildmoot.projects.documents import write_plan

    topic = words.place(0, "the project's slug or topic")
    plan_file, interview = words.required("plan-file", "interview-file")
    return write_plan(topic, plan_file, interview, _commits(words), "no-loom" not in words.switches)


def revise_plan(words: Words) -> object:
    from guildmoot.projects.documents import revise_plan as revise

    name = words.place(0, "the project's slug")
    revision, rationale = words.required("revision-file", "rationale")
    return revise(name, revision, rationale.strip(), _commits(words))


def parse(words: Words) -> object:
    from guildmoot.projects.phases import read_plan
    from guildmoot.projects.plan import parse_plan
    from guildmoot.projects.slugs import PLAN, find_project

    folder = find_project(words.place(0, "the project's slug"), PLAN)
    return parse_plan(read_plan(os.path.join(folder, PLAN)))


def research_init(words: Words) -> object:
    from guildmoot.projects.documents import start_research

    topic = words.place(0, "the project's slug or topic")
    research, notes = words.required("research-file", "notes-file")
    adopt = "no-loom" not in words.switches
    return start_research(topic, research, notes, _commits(words), adopt)


def research_append(words: Words) -> object:
    from guildmoot.projects.documents import append_research

    name = words.place(0, "the project's slug")
    section, fact, citing = words.required("section", "fact-file", "citing")
    phase = words.number("phase", "invalid-phase", 1)
    return append_research(name, section, fact, citing, phase, _commits(words))


def research_show(words: Words) -> object:
    from guildmoot.projects.documents import show_research

    return show_research(words.place(0, "the project's slug"), words.flag("section"))


def adr(words: Words) -> object:
    from guildmoot.projects.documents import write_adr

    title = words.place(0, "the title")
    return write_adr(
        title, words.flag("body-file"), words.flag("status") or "accepted", _commits(words)
    )


def decision(words: Words) -> object:
    from guildmoot.projects.documents import list_decisions, write_decision

    if words.places[:1] == ["list"]:
        return list_decisions(words.place(1, "the project's slug"))
    project, title = words.place(0, "the project's slug"), words.place(1, "the title")
    status, scope = words.flag("status") or "accepted", words.flag("scope") or "project scope"
    return write_decision(project, title, words.flag("body-file"), status, scope, _commits(words))


def runbook_scan(words: Words) -> object:
    from guildmoot.projects.runbook import scan

    if len(words.places) > 1:
        raise RecordError("missing-args", "one folder at a time")
    return scan(words.places[0] if words.places else ".", words.flag("dict"))
