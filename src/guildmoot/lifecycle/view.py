"""Where a piece of work stands: reads its documents, approvals and run, and says what comes next. Writes nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.lifecycle.commands import command_notes, drafted_notes
from guildmoot.lifecycle.documents import FrontMatterError, SourceDocument, read_markdown
from guildmoot.lifecycle.drafting.loop_files import read_loops
from guildmoot.lifecycle.drafting.plan_review import read_review, review_notes
from guildmoot.lifecycle.drafting.rounds import Loop, waits_for_person
from guildmoot.lifecycle.execution.journal import is_at_work, read_run
from guildmoot.lifecycle.execution.looking import WorkCost, cost_of
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.gates import (
    GATES,
    Gate,
    GateAnswer,
    answers,
    approval_of,
    brought_answers,
    content_hash,
    refusal_of,
    refusal_words,
)
from guildmoot.lifecycle.lint import LintedFile, lint
from guildmoot.lifecycle.places import WorkFolder, check_slug
from guildmoot.lifecycle.plan import Plan, overlaps, read_plan
from guildmoot.lifecycle.planning import single_lane
from guildmoot.lifecycle.policy import repository_tree, unread_lines, widening_lines
from guildmoot.lifecycle.proof.commits import result_words
from guildmoot.lifecycle.proof.expectations import unread_part
from guildmoot.lifecycle.proof.said_no import GateRefusal, review_refusal, verify_refusal
from guildmoot.lifecycle.receipt import TREE_CODES
from guildmoot.lifecycle.scoring import Price, no_price
from guildmoot.lifecycle.spec import CRITERIA, commands_of, drafted_by, read_spec
from guildmoot.lifecycle.standing import WorkFile, WorkStanding, WorkState, standing
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.work_runs import latest_run
from guildmoot.system.files import read_text_inside
from guildmoot.text.clean import one_line

_BY_RULE = WorkTerms()
_SETTLED = ("done", "skipped")
"""Of a lane that the scheduler has: its receipt counts once it is merged."""
MOST = 1_000_000
"""Bytes of a document."""


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
    """The plan; of one-lane work the lane that the spec asks for."""
    command: str
    """What goes on from here; empty when all is done."""
    notes: tuple[str, ...] = ()
    """What a person should know before saying yes, and that stops nothing."""
    run: str = ""
    cost: WorkCost = WorkCost()
    open_fields: tuple[str, ...] = ()
    """Fields of the spec that nobody answered."""
    price: Price = no_price
    """What a lane's tokens cost at a tier."""
    unreviewed: bool = False
    """The settings ask for a pre-mortem of the plan, and none was held."""

    @property
    def one_lane(self) -> str:
        """Who does all of it; empty when there is a team."""
        return self.plan.lanes[0].owner if self.state.one_lane and self.plan else ""


def known_slugs(folder: WorkFolder) -> list[str]:
    """Every piece of work with a spec or a plan, the one that was touched last first."""
    places = (folder.guild / "spec", folder.guild / "plan")
    found = [path for each in places for path in each.glob("*.md") if path.is_file()]
    rows = sorted(found, key=lambda p: (-p.stat().st_mtime_ns, p.name))
    return list(dict.fromkeys(path.stem for path in rows))


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
            f"Name one: guild run --slug {still_open[0]}, guild status {still_open[0]},"
            f" guild lane show --run {still_open[0]}",
        )
    return (still_open or slugs)[0]


def look(folder: WorkFolder, slug: str, terms: WorkTerms = _BY_RULE) -> WorkView:
    """Where a piece of work stands."""
    check_slug(slug)
    given = answers(folder.root, folder.gates(slug))
    files: dict[str, Path] = {}
    problems: list[LintedFile] = []
    artefacts: dict[Gate, WorkFile] = {}
    texts: dict[Gate, str] = {}
    for gate in GATES:
        path = document_path(folder, gate, slug)
        if not path.is_file():
            artefacts[gate] = WorkFile(was_approved=_was_approved(given, gate))
            continue
        files[gate] = path
        texts[gate], _ = read_text_inside(path, folder.root, MOST)
        (linted,) = lint([os.path.relpath(path, folder.root)], folder.root)
        problems += [linted] if linted.problems else []
        artefacts[gate] = WorkFile(
            exists=True,
            problems=len(linted.problems),
            approved=approval_of(given, gate, texts[gate]) is not None,
            was_approved=_was_approved(given, gate),
            refused=refusal_words(refusal_of(given, gate, texts[gate])),
        )
    spec = _markdown(texts.get("spec", ""))
    alone = read_spec(spec).one_lane if spec else ""
    plan = single_lane(slug, spec) if spec and alone else _plan(texts.get("plan", ""))
    tree = repository_tree(folder.root) if spec else frozenset[str]()
    plan = plan.among(tree) if plan else None
    unanswered = read_spec(spec).open_fields if spec else ()
    lanes = len(plan.lanes) if plan else int("spec" in texts)
    run = latest_run(folder, slug, content_hash(texts.get("spec" if alone else "plan", "")))
    later = _later(folder, run, plan)
    problems += later.refused
    state = WorkState(
        *(artefacts["spec"], artefacts["team"], artefacts["plan"], bool(alone), lanes),
        *later[:5],
        open_fields=len(unanswered),
        undecided=_undecided(folder, slug, texts),
        invalid=tuple(each.file for each in later.refused),
    )
    found = standing(state)
    command = command_of(found, slug)
    done = (read_run(folder, run) if run else RunState("", slug))._replace(slug=slug)
    if found.step == "execute":
        command, why = _at_execute(folder, done, f"{command} {who_works(done, terms)}".rstrip())
        found = found._replace(why=why or found.why)
    elif no := _refusal(folder, done, found.step):
        command, found = no.command, found._replace(why=no.why, blockers=(no.why,))
    if found.step == "done" and (where := result_words(folder.root, done)):
        found = found._replace(why=f"every step is done; {where}")
    return WorkView(
        slug, found, state, files, tuple(problems), tuple(given), plan, command,
        notes=(
            *(
                ("approvals that you did not give on this machine count for nobody here",)
                if not given and brought_answers(folder.root, folder.gates(slug))
                else ()
            ),
            *_notes(folder, spec, plan),
            *(() if artefacts["spec"].approved else unproven_notes(spec)),
            *(() if artefacts["spec"].approved else unread_lines("spec", spec, None, tree)),
            *(() if artefacts["plan"].approved or alone else unread_lines("plan", spec, plan, tree)),
            *(() if artefacts["plan"].approved or not plan else widening_lines(plan)),
            *(() if artefacts["spec"].approved else drafted_commands("spec", spec, None)),
            *(() if artefacts["plan"].approved else drafted_commands("plan", spec, plan)),
            *(() if artefacts["plan"].approved else _reviewed(folder, slug, texts)),
            *terms.notices,
        ),
        run=run,
        cost=cost_of(folder, slug),
        open_fields=unanswered,
        price=terms.price,
        unreviewed=found.step == "approve plan"
        and terms.review != "off"
        and read_review(folder, slug) is None,
    )  # fmt: skip


def _was_approved(given: Sequence[GateAnswer], gate: Gate) -> bool:
    return any(each.gate == gate and each.decision == "approved" for each in given)


def _notes(folder: WorkFolder, spec: SourceDocument | None, plan: Plan | None) -> list[str]:
    notes = command_notes(read_spec(spec).commands, folder.root) if spec else []
    if spec and read_spec(spec).criteria and not read_spec(spec).commands:
        notes.append(
            "no criterion names a command in back-ticks, so nothing can prove that it is done"
        )
    if plan:
        notes += [
            f"{one} and {other} both reach {place}: let one wait for the other, or they run in turn"
            for one, other, place in overlaps(plan)
        ]
        notes += [
            f"{lane.task} has no tier: it is not dispatched without one"
            for lane in plan.lanes
            if not lane.tier
        ]
    return notes


def unproven_notes(spec: SourceDocument | None) -> list[str]:
    """Criteria that no command can prove, beside some that one can, and parts of them. Pure."""
    known = read_spec(spec) if spec else None
    if known is None or not known.commands:
        return []
    rows = enumerate(known.criteria, 1)
    bare = [f"criterion {at}" for at, line in rows if not commands_of(line.text)]
    person = "so a person says at the verification whether it holds"
    notes = [f"{', '.join(bare)}: names no command, {person}"] if bare else []
    for at, line in enumerate(known.criteria, 1):
        if beside := unread_part(line.text):
            notes.append(f"criterion {at}: no command shows {one_line(beside)[:120]!r}, {person}")
    return notes


def drafted_commands(gate: Gate, spec: SourceDocument | None, plan: Plan | None) -> list[str]:
    """Commands that no person wrote as far as can be told: criteria of a model, and those of the plan alone. Pure."""
    if spec is None:
        return []
    known = read_spec(spec).commands
    if gate == "spec":
        by = drafted_by(spec, CRITERIA)
        return drafted_notes(known, (), f"the draft of {by}") if by else []
    lanes = plan.lanes if plan else ()
    drafted = (each for lane in lanes for text in lane.criteria for each in commands_of(text))
    return drafted_notes(drafted, known, "the plan, and not the spec,")


def _reviewed(folder: WorkFolder, slug: str, texts: dict[Gate, str]) -> list[str]:
    """What a pre-mortem says, as long as the plan is not approved."""
    digest = content_hash(texts["plan"]) if "plan" in texts else ""
    return review_notes(read_review(folder, slug), digest) if digest else []


def _undecided(
    folder: WorkFolder, slug: str, texts: dict[Gate, str]
) -> tuple[tuple[str, str], ...]:
    gates: tuple[tuple[Gate, Loop], ...] = (("spec", "clarify"), ("plan", "plan-review"))
    states = read_loops(folder, slug)
    return tuple(
        (gate, why)
        for gate, loop in gates
        if gate in texts and (state := states.get(loop))
        and (why := waits_for_person(state, content_hash(texts[gate])))
    )  # fmt: skip


def _at_execute(folder: WorkFolder, done: RunState, command: str) -> tuple[str, str]:
    """What goes on with a run whose lanes are not all merged, and why; without a reason nothing held it up."""
    asked = [lane for lane in done.lanes if lane.answer]
    how = "is paused" if done.paused else "was stopped" if done.stopped else ""
    if done.run and is_at_work(folder, done.run):
        return "guild lane show --follow", f"{done.run} is being carried out"
    if how:
        why = f"{done.run} {how}: {done.halt or 'nobody said why'}"
        return f"guild resume {done.slug}", why
    if asked:
        waits = (f"{lane.task} is {lane.status}: {lane.reason}" for lane in asked[:3])
        return asked[0].answer, "; ".join(waits)
    return command, next(filter(None, (lane.done_again for lane in done.lanes)), "")


def _refusal(folder: WorkFolder, done: RunState, step: str) -> GateRefusal | None:
    """Why the gate that the work stands at said no to it, where it did."""
    if step not in ("review", "verify"):
        return None
    path = folder.run(done.run) / f"{step}.md"
    document = _markdown(read_text_inside(path, folder.root, MOST)[0])
    read = review_refusal if step == "review" else verify_refusal
    return read(document, done.slug, done.tip) if document else None


class _Later(NamedTuple):
    bundles: int = 0
    receipts: int = 0
    assumptions: bool = False
    review: bool = False
    verify: bool = False
    refused: tuple[LintedFile, ...] = ()
    """What is there and cannot be believed."""


def _later(folder: WorkFolder, run: str, plan: Plan | None) -> _Later:
    """Bundles, receipts, assumptions, review and verification of a run: what is there and ``guild lint`` accepts.

    Whether the work tree still shows what a receipt claims is not asked: the work may be committed since.
    """
    if not run or not plan:
        return _Later()
    here, names = folder.run(run), [f"{lane.owner}-{lane.task}.md" for lane in plan.lanes]
    bundles = [folder.context(run) / name for name in names]
    receipts = [here / "handoffs" / name for name in names]
    others = [here / f"{name}.md" for name in ("assumptions", "review", "verify")]
    shown = [os.path.relpath(p, folder.root) for p in (*bundles, *receipts, *others) if p.is_file()]
    linted = [
        each._replace(problems=tuple(p for p in each.problems if p.code not in TREE_CODES))
        for each in lint(shown, folder.root)
    ]
    good = {folder.root / each.file for each in linted if not each.problems}
    done = read_run(folder, run)
    lanes = {lane.task: lane.status for lane in done.lanes}
    return _Later(
        sum(path in good for path in bundles),
        sum(
            lanes.get(lane.task, "done") in _SETTLED
            and (path in good or lanes.get(lane.task) == "skipped")
            for lane, path in zip(plan.lanes, receipts, strict=True)
        ),
        others[0] in good,
        others[1] in good and _says(others[1], "overall_verdict", ("pass", "follow-up"), done.tip),
        others[2] in good and _says(others[2], "status", ("PASS",), done.tip),
        tuple(each for each in linted if each.problems),
    )


def _says(path: Path, key: str, wanted: tuple[str, ...], tip: str) -> bool:
    """Whether a valid document lets the work go on: it says yes, and to the result as it is now."""
    document = _markdown(read_text_inside(path, None, MOST)[0])
    if document is None:
        return False
    return document.data.get(key) in wanted and document.data.get("commit", tip) == tip


def document_path(folder: WorkFolder, gate: Gate, slug: str) -> Path:
    """Where the document of a gate lies."""
    places = {"spec": folder.spec, "team": folder.team, "plan": folder.plan}
    return places[gate](slug)


def document_text(folder: WorkFolder, gate: Gate, slug: str) -> str:
    """What a document says; UsageError where it cannot be read."""
    text, problem = read_text_inside(document_path(folder, gate, slug), folder.root, MOST)
    if problem:
        raise UsageError(f"the {gate} of {slug} cannot be read: {problem}")
    return text


def _markdown(text: str) -> SourceDocument | None:
    try:
        return read_markdown(text) if text else None
    except FrontMatterError:
        return None


def _plan(text: str) -> Plan | None:
    document = _markdown(text)
    return read_plan(document) if document else None


def command_of(found: WorkStanding, slug: str) -> str:
    """What a script runs next; empty when all is done."""
    if found.step == "done":
        return ""
    if found.step == "execute":
        return f"guild work execute {slug}"
    if found.step == "brainstorm" and found.blockers:
        return f"guild work brainstorm {slug} --answer FIELD=TEXT"
    if found.step in ("team", "plan") and found.blockers:
        return f"guild lint .guild/{found.step}/{slug}.{'yaml' if found.step == 'team' else 'md'}"
    verb, _, gate = found.step.partition(" ")
    if gate and found.blockers:
        return f"guild work challenge {gate} {slug} --decide force-pass"
    return f"guild work approve {gate} {slug} --yes" if gate else f"guild work {verb} {slug}"


def who_works(run: RunState, terms: WorkTerms) -> str:
    """What ``guild work execute`` must be told beside the work: nothing where the run or the settings know it. Pure."""
    known = run.worker or run.clients or run.mode in ("hosts", "agent")
    return "" if terms.has_worker or known else "--worker CMD"
