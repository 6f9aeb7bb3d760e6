"""Drafts by a model: entries for the open fields of a spec, scopes and criteria for the lanes of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from guildmoot.lifecycle import steps
from guildmoot.lifecycle.documents import read_markdown, read_yaml
from guildmoot.lifecycle.drafting.challenge import with_authors
from guildmoot.lifecycle.drafting.desk import DraftDesk
from guildmoot.lifecycle.drafting.prompts import (
    plan_question,
    read_fields,
    read_lanes,
    spec_question,
    spec_schema,
)
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.planning import LaneDraft
from guildmoot.lifecycle.spec import ASSUMPTIONS, answered, read_spec
from guildmoot.lifecycle.team.teams import read_team
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.view import document_text, look
from guildmoot.memory.codebase.codebase import Codebase, map_codebase

_LONGEST = 3_000


async def draft_spec(
    folder: WorkFolder, slug: str, desk: DraftDesk, terms: WorkTerms, today: str
) -> tuple[str, ...]:
    """Let the model fill in what nobody answered; each field that it wrote is told as an assumption."""
    text = document_text(folder, "spec", slug)
    open_fields = look(folder, slug).open_fields
    question = spec_question(
        text, open_fields, codebase_text(map_codebase(folder.root)), desk.mark("spec", slug)
    )
    found, problem = await desk.ask_json(
        "drafter", terms.model, question, partial(read_fields, allowed=open_fields),
        schema=spec_schema(open_fields), partly=True,
    )  # fmt: skip
    if not found:
        return (f"no draft by {terms.model}: {problem}",)
    known = answered(read_markdown(text), ASSUMPTIONS) or found.get(ASSUMPTIONS, "")
    fields = {**found, ASSUMPTIONS: with_authors(known, found, terms.model)}
    request = steps.SpecRequest(slug=slug, fields=tuple(fields.items()))
    steps.make_spec(folder, request, today, terms)
    names = ", ".join(found)
    told = f"drafted by {terms.model}, for you to check: {names}"
    return (told, f"not taken over: {problem}") if problem else (told,)


async def draft_lanes(
    folder: WorkFolder, slug: str, desk: DraftDesk, terms: WorkTerms
) -> tuple[Mapping[str, LaneDraft], tuple[str, ...]]:
    """Let the model say what each lane touches and how it is measured; nothing when it cannot."""
    text = document_text(folder, "spec", slug)
    team = read_team(read_yaml(document_text(folder, "team", slug)))
    members = {member.name: member.scope for member in team.members}
    commands = read_spec(read_markdown(text)).commands
    question = plan_question(
        text, members, codebase_text(map_codebase(folder.root)), desk.mark("plan", slug)
    )
    found, problem = await desk.ask_json(
        "drafter", terms.model, question, partial(read_lanes, owners=members, commands=commands)
    )
    if found is None:
        return {}, (f"no draft by {terms.model}: {problem}",)
    return found, (f"scopes and criteria drafted by {terms.model}, for you to check",)


def codebase_text(made: Codebase) -> str:
    """A codebase on half a page: languages, parts, where it begins, what needs care. Pure."""
    rows = [f"{name}: {files} files, {lines} lines" for name, files, lines in made.languages[:6]]
    rows += [f"{name}/: {files} files" for name, files, _ in made.modules[:30]]
    rows += [f"begins at {each}" for each in made.entry_points[:8]]
    rows += [f"needs care: {file.path}" for file in made.riskiest(8)]
    return "\n".join(rows)[:_LONGEST] or "there is no code yet"
