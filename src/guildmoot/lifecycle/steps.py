"""The steps from an intent to an approved plan: each writes the next document, or says what a person must do.

No step needs a model, and none is done twice. ``view`` says where the work stands, ``approval`` records a yes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.errors import TargetError, UndecidedError, UsageError, did_you_mean
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.briefing.gathering import RunContext, make_context
from guildmoot.lifecycle.briefing.reach import files_reached, places_of_tests, reach_words
from guildmoot.lifecycle.documents import SourceDocument, read_markdown, read_yaml
from guildmoot.lifecycle.gates import Gate, content_hash
from guildmoot.lifecycle.interview import assume, sort_text, write_spec
from guildmoot.lifecycle.places import WorkFolder, check_slug, slug_of
from guildmoot.lifecycle.planning import LaneDraft, PlanTerms, one_line, write_plan
from guildmoot.lifecycle.policy import repository_tree
from guildmoot.lifecycle.spec import (
    AUTONOMY,
    CONSTRAINTS,
    GOAL,
    NOTES,
    SECTIONS,
    answered,
    assumed_unknowns,
    read_spec,
)
from guildmoot.lifecycle.team.compose import (
    RESOLUTIONS,
    TeamProposal,
    compose,
    proposed_agent,
    write_team,
)
from guildmoot.lifecycle.team.roster import Specialist, roster, untrusted_agents
from guildmoot.lifecycle.team.teams import read_team
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.view import (
    MOST,
    WorkView,
    choose_slug,
    command_of,
    document_path,
    document_text,
    known_slugs,
    look,
)
from guildmoot.lifecycle.work_runs import begin_run, latest_run, note_assumed
from guildmoot.memory.codebase.codebase import map_codebase
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, read_text_inside

_BY_RULE = WorkTerms()
TEAM = "team"
"""The word that asks for a team where one specialist would do."""


class SpecRequest(NamedTuple):
    """What is known of a wish."""

    intent: str = ""
    slug: str = ""
    source: str = ""
    """A file with a brief or an issue text."""
    fields: tuple[tuple[str, str], ...] = ()
    """Answers, by field; they go before what the text says."""
    proceed: bool = False
    """Turn what nobody answered into assumptions."""
    replace: bool = False
    """Forget the spec that is there; else only what is open in it is filled in."""
    one_lane: str = ""
    """Who does all of it; ``team`` asks for a team; empty: one lane where one specialist alone fits."""


class TeamRequest(NamedTuple):
    """Who must sit, who must not."""

    slug: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    most: int = 0
    """At most so many; 0 is as the settings say."""
    replace: bool = False
    gaps: Mapping[str, str] = MappingProxyType({})
    """What is done about a gap, by role: ``A``, ``B``, ``C:NAME`` or ``D``."""


class PlanRequest(NamedTuple):
    """How a plan is to be made."""

    slug: str = ""
    replace: bool = False
    tier: str = ""
    """Pins every lane; the scores stay as they are."""
    drafts: Mapping[str, LaneDraft] = MappingProxyType({})
    """Scopes and criteria by specialist, where somebody drafted them."""
    review: bool = True
    """Hold the pre-mortem that the settings ask for."""


def make_spec(
    folder: WorkFolder, request: SpecRequest, today: str, terms: WorkTerms = _BY_RULE
) -> WorkView:
    """Write the spec from what is known; open fields are told as open."""
    text, refs = _said(request)
    fields = {**sort_text(text), **dict(request.fields)}
    words = text.strip() or (dict(request.fields).get(GOAL, "") if not known_slugs(folder) else "")
    title = next((row for row in words.split("\n") if row.strip()), "").strip("# ").strip()
    slug = _free_slug(folder, title) if title else choose_slug(folder, request.slug)
    slug = check_slug(request.slug) if request.slug else slug
    begun, alone = "", ""
    if folder.spec(slug).is_file() and not request.replace:
        known = read_markdown(document_text(folder, "spec", slug))
        title, alone = read_spec(known).title, read_spec(known).one_lane
        begun = str(known.data.get("created_at") or "")
        refs = refs or tuple(_refs(known))
        earlier = {name: said for name in (*SECTIONS, NOTES) if (said := answered(known, name))}
        more = [fields.pop(NOTES, ""), earlier.pop(NOTES, "")]
        fields = {**fields, **earlier, **dict(request.fields)}
        notes = "\n".join(dict.fromkeys(row for said in reversed(more) for row in said.split("\n")))
        fields |= {NOTES: notes.strip()} if notes.strip() else {}
    if not fields:
        raise UsageError("nothing was said", "Say it: guild run 'what you want'")
    if request.proceed:
        fields = assume(fields)
    name = title[:120] or slug
    plain = write_spec(name, fields, today, refs, begun=begun)
    owner = _owner(folder, request.one_lane or alone, plain)
    made = write_spec(name, fields, today, refs, begun=begun, one_lane=owner)
    before = document_text(folder, "spec", slug) if folder.spec(slug).is_file() else ""
    changed = _undated(made) != _undated(before)
    if changed:  # the same words stay approved
        _write(folder, "spec", slug, made, replace=True)
    if assumed := assumed_unknowns(read_markdown(document_text(folder, "spec", slug))):
        run = "" if changed else latest_run(folder, slug)
        note_assumed(folder, run or begin_run(folder, slug), assumed)
    return look(folder, slug, terms)


def _free_slug(folder: WorkFolder, title: str) -> str:
    """The name of the work that began with these words, else one that no other wish has."""
    name, at = slug_of(title), 1
    slug = name
    while folder.spec(slug).is_file():
        known = read_spec(read_markdown(document_text(folder, "spec", slug)))
        if one_line(known.title) in (one_line(title[:120]), slug):
            break
        at += 1
        slug = f"{name}-{at}"
    return slug


def _undated(spec: str) -> list[str]:
    return [row for row in spec.split("\n") if not row.startswith("updated_at:")]


def _said(request: SpecRequest) -> tuple[str, tuple[str, ...]]:
    if not request.source:
        return request.intent, ()
    text, problem = read_text_inside(Path(request.source), None, MOST)
    if problem:
        raise TargetError(f"{request.source} cannot be read: {problem}")
    return f"{request.intent}\n{text}".strip(), (request.source,)


def _refs(known: SourceDocument) -> list[str]:
    refs = known.data.get("source_refs")
    return [str(each) for each in refs] if isinstance(refs, list) else []


def _owner(folder: WorkFolder, said: str, spec: str) -> str:
    """Who does all of it: as was said, else the only one whose words stand in the spec; empty for a team."""
    specialists, _ = roster(folder.root)
    if said:
        names = {each.name for each in specialists}
        if said not in (TEAM, *names):
            raise UsageError(f"nobody is called {said}", f"There are: {', '.join(sorted(names))}")
        return "" if said == TEAM else said
    proposal = compose(read_spec(read_markdown(spec)).asks, specialists)
    only = proposal.taken[0].specialist.name if len(proposal.taken) == 1 else ""
    return "" if proposal.gaps or proposal.left_out else only


def make_team(
    folder: WorkFolder, request: TeamRequest, terms: WorkTerms = _BY_RULE
) -> tuple[WorkView, TeamProposal]:
    """Write the team that the approved spec asks for."""
    slug = choose_slug(folder, request.slug)
    check_turn(folder, slug, "team")
    proposal = propose_team(folder, slug, request, terms)
    if not proposal.taken:
        raise UndecidedError(
            f"nobody fits: {proposal.gap}",
            f"Name who does: guild work team {slug} --with backend (or write .guild/agents/ROLE.md)",
        )
    goal = one_line(read_spec(read_markdown(document_text(folder, "spec", slug))).goal)
    _write(folder, "team", slug, write_team(slug, goal, proposal), replace=request.replace)
    for gap in proposal.gaps:
        path = folder.guild / "agents" / "proposed" / f"{gap.role}.md"
        if gap.resolution == "A" and not path.exists():
            _own_folder(folder, path.parent)
            write_durable(path, proposed_agent(gap))
    return look(folder, slug, terms), proposal


def propose_team(
    folder: WorkFolder, slug: str, request: TeamRequest, terms: WorkTerms = _BY_RULE
) -> TeamProposal:
    """Who would sit, and why; nothing is written."""
    specialists = read_roster(folder)
    names = {each.name for each in specialists}
    substitutes = [how[2:] for how in request.gaps.values() if how.startswith("C:")]
    strange = untrusted_agents(folder.root)
    for name in (*request.wanted, *request.unwanted, *terms.always_include, *substitutes):
        if name in strange and name not in names:
            raise UsageError(
                f"{name} is an agent that this repository brings, and nobody trusted it",
                "'guild trust' shows it; once trusted it can sit.",
            )
        if name not in names:
            raise UsageError(f"nobody is called {name}", f"There are: {', '.join(sorted(names))}")
    for role, how in request.gaps.items():
        check_slug(role)
        if (how not in RESOLUTIONS and not how.startswith("C:")) or how == "C":
            raise UsageError(
                f"--gap {role}={how} is no decision",
                "A proposes a specialist, B does without, C:NAME substitutes, D is by hand.",
            )
    asks = read_spec(read_markdown(document_text(folder, "spec", slug))).asks
    wanted = (*request.wanted, *(n for n in terms.always_include if n not in request.unwanted))
    most = request.most or terms.team_size
    proposal = compose(asks, specialists, wanted, request.unwanted, most, request.gaps)
    if seated := sorted(set(request.gaps) & {each.specialist.name for each in proposal.taken}):
        raise UsageError(
            f"--gap {seated[0]}: it sits in this team, so that is no gap",
            f"Leave it out first: --without {seated[0]}",
        )
    brought = (
        f"{name} is an agent that this repository brings; nobody trusted it ('guild trust')"
        for name in strange
    )
    return proposal._replace(left_out=(*proposal.left_out, *brought))


def read_roster(folder: WorkFolder) -> tuple[Specialist, ...]:
    """Who can be called; UsageError for an agent file of the project that cannot be read."""
    specialists, problems = roster(folder.root)
    if problems:
        raise UsageError(
            f"an agent of the project cannot be read: {problems[0]}", "Mend it, or move it away."
        )
    return specialists


def make_plan(
    folder: WorkFolder, request: PlanRequest, today: str, terms: WorkTerms = _BY_RULE
) -> WorkView:
    """Write the plan for the approved team."""
    slug = choose_slug(folder, request.slug)
    check_turn(folder, slug, "plan")
    document = read_markdown(document_text(folder, "spec", slug))
    team = read_team(read_yaml(document_text(folder, "team", slug)))
    policy, limits = document.section(AUTONOMY), document.section(CONSTRAINTS)
    codebase, spec = map_codebase(folder.root), read_spec(document)
    by = PlanTerms(
        terms.scoring, terms.price, request.tier, files_reached(codebase), request.drafts,
        reach_words(limits.text if limits else "", spec.goal, codebase),
        places_of_tests(spec.commands, codebase.files), repository_tree(folder.root),
    )  # fmt: skip
    text = write_plan(slug, spec, team, policy.text if policy else "", today, by)
    _write(folder, "plan", slug, text, replace=request.replace)
    return look(folder, slug, terms)


def make_bundles(
    folder: WorkFolder, slug: str, terms: WorkTerms = _BY_RULE
) -> tuple[WorkView, RunContext]:
    """Write the context of every lane of an approved plan."""
    slug = choose_slug(folder, slug)
    view = look(folder, slug, terms)
    gate: Gate = "spec" if view.state.one_lane else "plan"
    approved = view.state.spec if view.state.one_lane else view.state.plan
    if not view.plan or not approved.approved:
        raise UndecidedError(
            f"bundles come after the {gate}: {view.standing.why}", f"First: {view.command}"
        )
    read_roster(folder)
    digest = content_hash(document_text(folder, gate, slug))
    made = make_context(folder, slug, view.plan, digest, terms)
    return look(folder, slug, terms), made


def check_turn(folder: WorkFolder, slug: str, step: Gate) -> None:
    """A step is taken when all before it are done."""
    view = look(folder, slug)
    found = view.standing
    if view.one_lane:
        raise UsageError(
            f"{slug} is one lane of {view.one_lane}: it has no {step}",
            f"For a team: guild work brainstorm {slug} --lanes team",
        )
    order = ("brainstorm", "approve spec", "team", "approve team", "plan")
    if found.step in order and order.index(found.step) < order.index(step):
        raise UndecidedError(
            f"{step} comes later: {found.why}", f"First: {command_of(found, slug)}"
        )


def restart(folder: WorkFolder, slug: str) -> Path | None:
    """Put the documents of a piece of work aside, so that it begins anew; nothing is deleted.

    None where there is nothing to put aside.
    """
    if not known_slugs(folder):
        return None
    slug = choose_slug(folder, slug)
    if not folder.spec(slug).is_file():
        raise UsageError(
            f"there is no work {slug!r}", did_you_mean(slug, known_slugs(folder), "guild status")
        )
    aside = folder.guild / "archive" / f"{slug}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    _own_folder(folder, aside)
    for path in (folder.spec(slug), folder.team(slug), folder.plan(slug), folder.gates(slug)):
        if path.is_file():
            os.replace(path, aside / f"{path.parent.name}-{path.name}")
    return aside


def _write(folder: WorkFolder, gate: Gate, slug: str, text: str, *, replace: bool) -> None:
    path = document_path(folder, gate, slug)
    if path.exists() and not replace:
        shown = os.path.relpath(path, folder.root)
        raise UsageError(
            f"there is a {gate} already: {shown}", "Edit it, or write it anew with --replace."
        )
    _own_folder(folder, path.parent)
    write_durable(path, text)


def _own_folder(folder: WorkFolder, inner: Path) -> None:
    folder_inside(folder.root, inner.relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
