"""The steps from an intent to an approved plan: reads what lies there, writes the next document, records approvals.

No step needs a model, none is done twice, and a step that cannot go on says what a person must do.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import TargetError, UndecidedError, UsageError
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.compose import TeamProposal, compose, write_team
from guildmoot.lifecycle.context import RunContext, latest_run, make_context
from guildmoot.lifecycle.documents import (
    FrontMatterError,
    SourceDocument,
    read_markdown,
    read_yaml,
)
from guildmoot.lifecycle.gates import (
    GATES,
    Gate,
    GateAnswer,
    answers,
    approval_of,
    content_hash,
    mark_plan,
    record,
)
from guildmoot.lifecycle.interview import assume, sort_text, write_spec
from guildmoot.lifecycle.lint import LintedFile, lint
from guildmoot.lifecycle.places import WorkFolder, check_slug, slug_of
from guildmoot.lifecycle.plan import Plan, read_plan
from guildmoot.lifecycle.planning import one_line, write_plan
from guildmoot.lifecycle.roster import roster
from guildmoot.lifecycle.spec import AUTONOMY, OPEN, SECTIONS, read_spec
from guildmoot.lifecycle.standing import WorkFile, WorkStanding, WorkState, standing
from guildmoot.lifecycle.team import read_team
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import Locked, folder_inside, keep_out_of_git, read_text_inside

_MOST = 1_000_000


class WorkView(NamedTuple):
    """One piece of work, where it stands, and what to do next."""

    slug: str
    standing: WorkStanding
    state: WorkState
    files: dict[str, Path]
    """Documents that are there, by name."""
    problems: tuple[LintedFile, ...]
    approvals: tuple[GateAnswer, ...]
    plan: Plan | None
    command: str
    """What goes on from here; empty when the bundles are made."""


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


class TeamRequest(NamedTuple):
    """Who must sit, who must not."""

    slug: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    most: int = 6
    replace: bool = False


def known_slugs(folder: WorkFolder) -> list[str]:
    """Every piece of work with a spec, the one that was touched last first."""
    specs = folder.guild / "spec"
    found = [path for path in specs.glob("*.md") if path.is_file()] if specs.is_dir() else []
    return [path.stem for path in sorted(found, key=lambda p: (-p.stat().st_mtime_ns, p.name))]


def choose_slug(folder: WorkFolder, named: str = "") -> str:
    """The work that is meant; UsageError when there is none, or several are open and none is named."""
    if named:
        return check_slug(named)
    slugs = known_slugs(folder)
    if not slugs:
        raise UsageError(
            "there is no work here yet", "Begin with a sentence: guild run 'what you want'"
        )
    still_open = [slug for slug in slugs if look(folder, slug).standing.step != "done"]
    if len(still_open) > 1:
        raise UsageError(
            f"{len(still_open)} pieces of work are open: {', '.join(still_open[:6])}",
            f"Name one: guild run --slug {still_open[0]}",
        )
    return (still_open or slugs)[0]


def look(folder: WorkFolder, slug: str) -> WorkView:
    """Where a piece of work stands; nothing is written."""
    check_slug(slug)
    given = answers(folder.gates(slug))
    files: dict[str, Path] = {}
    problems: list[LintedFile] = []
    artefacts: dict[Gate, WorkFile] = {}
    texts: dict[Gate, str] = {}
    for gate in GATES:
        path = _document(folder, gate, slug)
        if not path.is_file():
            artefacts[gate] = WorkFile()
            continue
        files[gate] = path
        texts[gate], _ = read_text_inside(path, folder.root, _MOST)
        (linted,) = lint([os.path.relpath(path, folder.root)], folder.root)
        problems += [linted] if linted.problems else []
        artefacts[gate] = WorkFile(
            exists=True,
            problems=len(linted.problems),
            approved=approval_of(given, gate, texts[gate]) is not None,
            was_approved=any(each.gate == gate and each.decision == "approved" for each in given),
        )
    plan = _plan(texts.get("plan", ""))
    lanes = len(plan.lanes) if plan else int("spec" in texts)
    run = latest_run(folder, slug, content_hash(texts.get("plan", "")))
    state = WorkState(
        *(artefacts["spec"], artefacts["team"], artefacts["plan"], _is_one_lane(texts), lanes),
        *_later(folder, run, plan),
    )
    found = standing(state)
    return WorkView(
        slug, found, state, files, tuple(problems), tuple(given), plan, _command(found, slug)
    )


def _later(folder: WorkFolder, run: str, plan: Plan | None) -> tuple[int, int, bool, bool, bool]:
    """Bundles, receipts, assumptions, review and verification of a run, as far as they are there."""
    if not run or not plan:
        return 0, 0, False, False, False
    here, names = folder.run(run), [f"{lane.owner}-{lane.task}.md" for lane in plan.lanes]
    return (
        sum((folder.context(run) / name).is_file() for name in names),
        sum((here / "handoffs" / name).is_file() for name in names),
        (here / "assumptions.md").is_file(),
        (here / "review.md").is_file(),
        (here / "verify.md").is_file(),
    )


def _document(folder: WorkFolder, gate: Gate, slug: str) -> Path:
    places = {"spec": folder.spec, "team": folder.team, "plan": folder.plan}
    return places[gate](slug)


def _plan(text: str) -> Plan | None:
    try:
        return read_plan(read_markdown(text)) if text else None
    except FrontMatterError:
        return None


def _is_one_lane(texts: dict[Gate, str]) -> bool:
    try:
        return bool(read_markdown(texts.get("spec", "")).data.get("one_lane"))
    except FrontMatterError:
        return False


def _command(found: WorkStanding, slug: str) -> str:
    if found.step in ("execute", "review", "verify", "done"):
        return ""
    if found.step == "brainstorm" and found.blockers:
        return f"guild work brainstorm {slug} --answer FIELD=TEXT (or --proceed), or edit the spec"
    verb, _, gate = found.step.partition(" ")
    return f"guild work approve {gate} {slug} --yes" if gate else f"guild work {verb} {slug}"


def make_spec(folder: WorkFolder, request: SpecRequest, today: str) -> WorkView:
    """Write the spec from what is known; open fields are told as open."""
    text = request.intent
    refs: tuple[str, ...] = ()
    if request.source:
        path = Path(request.source)
        text, problem = read_text_inside(path, None, _MOST)
        if problem:
            raise TargetError(f"{request.source} cannot be read: {problem}")
        refs = (request.source,)
        text = f"{request.intent}\n{text}".strip()
    title = next((row for row in text.split("\n") if row.strip()), "").strip("# ").strip()
    slug = check_slug(request.slug) if request.slug else slug_of(title)
    path = folder.spec(slug)
    fields = {**sort_text(text), **dict(request.fields)}
    if path.is_file() and not request.replace:
        known = read_markdown(_text(folder, "spec", slug))
        title = read_spec(known).title
        answered = {name: said for name in SECTIONS if (said := _answered(known, name))}
        fields = {**fields, **answered, **dict(request.fields)}
    if not fields:
        raise UsageError("nothing was said", "Say it: guild run 'what you want'")
    if request.proceed:
        fields = assume(fields)
    _write(folder, "spec", slug, write_spec(title[:120] or slug, fields, today, refs), replace=True)
    return look(folder, slug)


def _answered(document: SourceDocument, name: str) -> str:
    section = document.section(name)
    return section.text if section and section.text != OPEN else ""


def make_team(folder: WorkFolder, request: TeamRequest) -> tuple[WorkView, TeamProposal]:
    """Write the team that the approved spec asks for."""
    slug = choose_slug(folder, request.slug)
    _need(folder, slug, "team")
    proposal = propose_team(folder, slug, request)
    if not proposal.taken:
        raise UndecidedError(
            f"nobody fits: {proposal.gap}",
            f"Name who does: guild work team {slug} --with backend (or write .guild/agents/ROLE.md)",
        )
    goal = one_line(read_spec(read_markdown(_text(folder, "spec", slug))).goal)
    _write(folder, "team", slug, write_team(slug, goal, proposal), replace=request.replace)
    return look(folder, slug), proposal


def propose_team(folder: WorkFolder, slug: str, request: TeamRequest) -> TeamProposal:
    """Who would sit, and why; nothing is written."""
    specialists, problems = roster(folder.root)
    if problems:
        raise UsageError(
            f"an agent of the project cannot be read: {problems[0]}", "Mend it, or move it away."
        )
    names = {each.name for each in specialists}
    unknown = [name for name in (*request.wanted, *request.unwanted) if name not in names]
    if unknown:
        raise UsageError(f"nobody is called {unknown[0]}", f"There are: {', '.join(sorted(names))}")
    asks = read_spec(read_markdown(_text(folder, "spec", slug))).asks
    return compose(asks, specialists, request.wanted, request.unwanted, request.most)


def make_plan(folder: WorkFolder, slug: str, today: str, *, replace: bool = False) -> WorkView:
    """Write the plan for the approved team."""
    slug = choose_slug(folder, slug)
    _need(folder, slug, "plan")
    document = read_markdown(_text(folder, "spec", slug))
    team = read_team(read_yaml(_text(folder, "team", slug)))
    policy = document.section(AUTONOMY)
    text = write_plan(slug, read_spec(document), team, policy.text if policy else "", today)
    _write(folder, "plan", slug, text, replace=replace)
    return look(folder, slug)


def make_bundles(folder: WorkFolder, slug: str) -> tuple[WorkView, RunContext]:
    """Write the context of every lane of an approved plan."""
    slug = choose_slug(folder, slug)
    view = look(folder, slug)
    if not view.plan or not view.state.plan.approved:
        raise UndecidedError(
            f"bundles come after the plan: {view.standing.why}", f"First: {view.command}"
        )
    made = make_context(folder, slug, view.plan)
    return look(folder, slug), made


def approve(
    folder: WorkFolder, gate: Gate, slug: str, approval: GateAnswer, seen: str = ""
) -> WorkView:
    """Record a yes or a no for the document as it is; ``seen`` is the hash of what the person looked at.

    A yes to an invalid document is refused, and so is one to a document that changed meanwhile.
    """
    slug = choose_slug(folder, slug)
    path = _document(folder, gate, slug)
    if not path.is_file():
        raise UsageError(f"there is no {gate} of {slug} yet", f"Next: {look(folder, slug).command}")
    gates = folder.gates(slug)
    _own_folder(folder, gates.parent)
    with Locked(gates.with_suffix(".lock")):
        text = _text(folder, gate, slug)
        if seen and seen != content_hash(text):
            raise UndecidedError(
                f"the {gate} changed while it was being approved: nothing was recorded",
                f"Look at it again: {os.path.relpath(path, folder.root)}",
            )
        if approval.decision == "approved":
            (linted,) = lint([os.path.relpath(path, folder.root)], folder.root)
            if linted.problems:
                first = linted.problems[0]
                raise InvalidDocumentError(
                    f"the {gate} cannot be approved: {linted.file}:{first.line}: {first.message}",
                    f"guild lint {linted.file} shows all of it.",
                )
            _earlier_gates(folder, gate, slug)
        if gate == "plan":
            when = approval.when if approval.decision == "approved" else ""
            write_durable(path, mark_plan(text, when))
            text = _text(folder, gate, slug)
        record(gates, approval._replace(gate=gate, sha256=content_hash(text)))
    return look(folder, slug)


class InvalidDocumentError(UndecidedError):
    """A document that ``guild lint`` refuses was to be approved."""

    exit_code = 2


def _earlier_gates(folder: WorkFolder, gate: Gate, slug: str) -> None:
    given = answers(folder.gates(slug))
    for earlier in GATES[: GATES.index(gate)]:
        path = _document(folder, earlier, slug)
        if not path.is_file() or not approval_of(given, earlier, _text(folder, earlier, slug)):
            raise UndecidedError(
                f"the {gate} waits for the {earlier}, which nobody approved as it is now",
                f"First: guild work approve {earlier} {slug} --yes",
            )


def _need(folder: WorkFolder, slug: str, step: Gate) -> None:
    """A step is taken when all before it are done."""
    found = look(folder, slug).standing
    order = ("brainstorm", "approve spec", "team", "approve team", "plan")
    if found.step in order and order.index(found.step) < order.index(step):
        raise UndecidedError(f"{step} comes later: {found.why}", f"First: {_command(found, slug)}")


def restart(folder: WorkFolder, slug: str) -> Path:
    """Put the documents of a piece of work aside, so that it begins anew; nothing is deleted."""
    slug = choose_slug(folder, slug)
    aside = folder.guild / "archive" / f"{slug}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    aside.mkdir(parents=True)
    for path in (folder.spec(slug), folder.team(slug), folder.plan(slug), folder.gates(slug)):
        if path.is_file():
            os.replace(path, aside / f"{path.parent.name}-{path.name}")
    return aside


def _write(folder: WorkFolder, gate: Gate, slug: str, text: str, *, replace: bool) -> None:
    path = _document(folder, gate, slug)
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


def _text(folder: WorkFolder, gate: Gate, slug: str) -> str:
    text, problem = read_text_inside(_document(folder, gate, slug), folder.root, _MOST)
    if problem:
        raise UsageError(f"the {gate} of {slug} cannot be read: {problem}")
    return text
