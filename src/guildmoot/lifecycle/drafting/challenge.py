"""Runs a challenge: one model asks, another mends the document, until all is answered or a person must decide."""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.errors import UndecidedError, UsageError
from guildmoot.guard.injection import find_injections
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle import steps
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.drafting.desk import DraftDesk
from guildmoot.lifecycle.drafting.loop_files import earlier_turns, keep_state, keep_turn, read_loops
from guildmoot.lifecycle.drafting.prompts import (
    Dismissed,
    answer_question,
    as_text,
    challenge_question,
    read_dismissed,
    read_fields,
    read_lanes,
)
from guildmoot.lifecycle.drafting.rounds import (
    ChallengeReply,
    ChallengeState,
    Loop,
    after_round,
    decide_loop,
    read_challenge,
    waits_for_person,
)
from guildmoot.lifecycle.gates import Gate, content_hash
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane, read_plan
from guildmoot.lifecycle.planning import LaneDraft
from guildmoot.lifecycle.spec import ASSUMPTIONS, SECTIONS, answered
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.view import choose_slug, document_path, document_text, look
from guildmoot.lifecycle.work_runs import begin_run, latest_run, note_assumed
from guildmoot.memory.wiki.decisions import RecordedDecision
from guildmoot.memory.wiki.decisions import decide as record_decision

_GATE: dict[Loop, Gate] = {"clarify": "spec", "plan-review": "plan"}
_ROLES: dict[Loop, tuple[str, str]] = {
    "clarify": ("architect", "researcher"),
    "plan-review": ("architect", "security"),
}
LOOP_OF: dict[str, Loop] = {"spec": "clarify", "plan": "plan-review"}


class ChallengeReport(NamedTuple):
    """What a challenge came to."""

    loop: Loop
    slug: str
    state: ChallengeState | None
    """None when nobody could be asked."""
    notes: tuple[str, ...] = ()


class _Answered(NamedTuple):
    """A writer's answer that was read."""

    fields: dict[str, str]
    lanes: dict[str, LaneDraft]
    dismissed: tuple[Dismissed, ...]


def loop_run(folder: WorkFolder, slug: str) -> str:
    """The run that a challenge belongs to: the newest of the work, else one that is begun for it."""
    return latest_run(folder, slug) or begin_run(folder, slug)


async def challenge(
    folder: WorkFolder, slug: str, loop: Loop, desk: DraftDesk, terms: WorkTerms, today: str
) -> ChallengeReport:
    """Go on with a challenge from where it stands; a person's decision is never made here."""
    run, notes = loop_run(folder, slug), list[str]()
    state = standing_state(folder, slug, loop, terms)
    writer, challenger = _ROLES[loop]
    while not state.ended:
        document = document_text(folder, _GATE[loop], slug)
        mark = desk.mark(loop, slug, str(state.rounds))
        asked = challenge_question(loop, document, earlier_turns(folder, run, loop), mark)
        said = await desk.ask(challenger, terms.challenger, asked, round=state.rounds + 1)
        if said.problem:
            notes.append(f"{terms.challenger} asks nothing: {said.problem}")
            return ChallengeReport(loop, slug, state if state.rounds else None, tuple(notes))
        keep_turn(folder, run, state, challenger, said.text)
        reply = read_challenge(said.text)
        if reply.kind == "questions":
            mark = desk.mark(loop, slug, str(state.rounds), "answer")
            question = answer_question(loop, document, reply.questions, mark)
            turn = (question, reply.questions, run, state, writer, today)
            notes += await _mend(folder, slug, loop, desk, terms, turn)
        subject = content_hash(document_text(folder, _GATE[loop], slug))
        state = after_round(state, reply, subject)
        keep_state(folder, run, state, tuple(notes))
    return ChallengeReport(loop, slug, state, tuple(notes))


def standing_state(folder: WorkFolder, slug: str, loop: Loop, terms: WorkTerms) -> ChallengeState:
    """Where a challenge stands; one that was ended and whose document changed since begins anew."""
    state = read_loops(folder, slug).get(loop)
    if state is None:
        return ChallengeState(loop, terms.loop_cap)
    changed = state.subject != content_hash(document_text(folder, _GATE[loop], slug))
    anew = state.ended and changed and not state.needs_person
    return ChallengeState(loop, terms.loop_cap) if anew else state


async def _mend(
    folder: WorkFolder,
    slug: str,
    loop: Loop,
    desk: DraftDesk,
    terms: WorkTerms,
    turn: tuple[str, tuple[str, ...], str, ChallengeState, str, str],
) -> list[str]:
    """Let the writer answer, and put in place what can stand; why not is told."""
    question, questions, run, state, writer, today = turn
    owners = [lane.owner for lane in _lanes(folder, slug)] if loop == "plan-review" else []

    def read(value: object) -> tuple[_Answered, str]:
        told = value if isinstance(value, dict) else {}
        dismissed = read_dismissed(told)
        fields: dict[str, str] = {}
        lanes: dict[str, LaneDraft] = {}
        problem = ""
        if loop == "clarify" and told.get("fields"):
            fields, problem = read_fields(told, SECTIONS)
        elif loop == "plan-review" and told.get("lanes"):
            lanes, problem = read_lanes(told, owners)
        elif not dismissed:
            problem = "it mends nothing and dismisses nothing"
        return _Answered(fields, lanes, dismissed), problem

    found, problem = await desk.ask_json(
        writer, terms.model, question, read, round=state.rounds + 1
    )
    if found is None:
        open_rows = tuple(f"nobody answered: {_harmless(each, loop)}" for each in questions)
        note_assumed(folder, run, open_rows)
        return [f"round {state.rounds + 1}: the answer could not be used: {problem}", *open_rows]
    keep_turn(folder, run, state, writer, as_text(
        {"fields": found.fields, "lanes": {name: each._asdict() for name, each in found.lanes.items()},
         "dismissed": [each._asdict() for each in found.dismissed]}
    ))  # fmt: skip
    if found.fields:
        return _mend_spec(folder, slug, found.fields, terms, today)
    return _mend_plan(folder, slug, found.lanes, terms, today) if found.lanes else []


def _lanes(folder: WorkFolder, slug: str) -> tuple[Lane, ...]:
    return read_plan(read_markdown(document_text(folder, "plan", slug))).lanes


def _mend_spec(
    folder: WorkFolder, slug: str, fields: dict[str, str], terms: WorkTerms, today: str
) -> list[str]:
    before = document_text(folder, "spec", slug)
    said = dict(fields)
    said[ASSUMPTIONS] = with_authors(
        said.get(ASSUMPTIONS) or answered(read_markdown(before), ASSUMPTIONS), fields, terms.model
    )
    steps.make_spec(folder, steps.SpecRequest(slug=slug, fields=tuple(said.items())), today, terms)
    return _or_back(folder, "spec", slug, before)


def with_authors(assumed: str, fields: dict[str, str], model: str) -> str:
    """The assumptions with a line for each field that a model wrote. Pure."""
    rows = [row for row in assumed.split("\n") if row.strip() and row.strip().casefold() != "none"]
    for name in fields:
        line = f"- {name} was drafted by {model} (inferred, low-significance)"
        if name != ASSUMPTIONS and line not in rows:
            rows.append(line)
    return "\n".join(rows) or "none"


def _mend_plan(
    folder: WorkFolder, slug: str, lanes: dict[str, LaneDraft], terms: WorkTerms, today: str
) -> list[str]:
    before = document_text(folder, "plan", slug)
    plan = read_plan(read_markdown(before))
    drafts = {lane.owner: LaneDraft(lane.scope, lane.criteria) for lane in plan.lanes}
    for owner, draft in lanes.items():
        known = drafts[owner]
        drafts[owner] = LaneDraft(draft.scope or known.scope, draft.criteria or known.criteria)
    steps.make_plan(folder, steps.PlanRequest(slug, True, drafts=drafts), today, terms)
    return _or_back(folder, "plan", slug, before)


def _or_back(folder: WorkFolder, gate: Gate, slug: str, before: str) -> list[str]:
    """Take back what made a document invalid that was valid."""
    wrong = [
        each for file in look(folder, slug).problems for each in file.problems if gate in file.file
    ]
    if not wrong:
        return []
    write_durable(document_path(folder, gate, slug), before)
    return [f"what was written was taken back: {wrong[0].message}"]


def challenge_by_file(
    folder: WorkFolder, slug: str, loop: Loop, text: str, terms: WorkTerms
) -> ChallengeReport:
    """One round that a person, or an agent of another program, wrote down."""
    slug = choose_slug(folder, slug)
    run, state = loop_run(folder, slug), standing_state(folder, slug, loop, terms)
    subject = content_hash(document_text(folder, _GATE[loop], slug))
    if state.ended and (why := waits_for_person(state, subject)):
        raise _undecided(_GATE[loop], slug, why)
    if state.ended:
        state = ChallengeState(loop, max(state.cap, terms.loop_cap))
    keep_turn(folder, run, state, _ROLES[loop][1], text)
    reply: ChallengeReply = read_challenge(text)
    after = after_round(state, reply, subject)
    keep_state(folder, run, after)
    notes = (f"it could not be read: {reply.why}",) if reply.kind == "malformed" else ()
    return ChallengeReport(loop, slug, after, notes)


def decide(folder: WorkFolder, slug: str, loop: Loop, word: str, who: str) -> ChallengeReport:
    """Record a person's answer to a challenge that cannot go on by itself."""
    slug = choose_slug(folder, slug)
    state = read_loops(folder, slug).get(loop)
    subject = content_hash(document_text(folder, _GATE[loop], slug))
    if state is None or not waits_for_person(state, subject):
        raise UsageError(
            f"the challenge of {slug}'s {_GATE[loop]} asks nobody",
            f"guild work challenge {_GATE[loop]} {slug} begins one.",
        )
    after = decide_loop(state, word)
    note = f"{after.ended or f'up to {after.cap} rounds'}, decided by {who}"
    run = loop_run(folder, slug)
    if after.ended == "force-passed":
        _assume(folder, run, state, who)
    keep_state(folder, run, after, (note,))
    return ChallengeReport(loop, slug, after, (note,))


def _assume(folder: WorkFolder, run: str, state: ChallengeState, who: str) -> None:
    """What was passed over is an assumption of the run, in words that a person can dispute at the end."""
    for question in state.questions or (f"the {state.loop} challenge had no end: {state.why}",):
        told = _harmless(question, state.loop)
        record_decision(
            folder.root,
            RecordedDecision(told, "passed over (force-pass)", significance="low", run=run),
            who,
        )


def _harmless(question: str, loop: Loop) -> str:
    """The question, as long as it does not speak to whoever reads the assumptions later."""
    return (
        f"a question of the {loop} challenge that speaks to a model"
        if find_injections(question)
        else question
    )


def check_decided(folder: WorkFolder, slug: str, gate: Gate) -> None:
    """UndecidedError when a challenge of this document waits for a person."""
    loop = LOOP_OF.get(gate)
    state = read_loops(folder, slug).get(loop) if loop else None
    if state is None:
        return
    if why := waits_for_person(state, content_hash(document_text(folder, gate, slug))):
        raise _undecided(gate, slug, why)


def _undecided(gate: Gate, slug: str, why: str) -> UndecidedError:
    return UndecidedError(
        f"the challenge of the {gate} waits for a person: {why}",
        f"guild work challenge {gate} {slug} --decide force-pass|extend-cap=4|rework",
    )
