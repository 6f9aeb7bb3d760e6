"""What a run that was carried out left behind: its receipts, its commits, its assumptions. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UndecidedError
from guildmoot.lifecycle.documents import FrontMatterError, SourceDocument, read_markdown
from guildmoot.lifecycle.execution.checking import classify
from guildmoot.lifecycle.execution.finish import receipt_digest
from guildmoot.lifecycle.execution.journal import is_at_work, read_run
from guildmoot.lifecycle.execution.person import with_places
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.named_places import is_inside
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.claims import LaneClaim, read_claim
from guildmoot.lifecycle.proof.commits import kept_name, lane_files
from guildmoot.lifecycle.proof.leaks import leaked_by_lane
from guildmoot.lifecycle.proof.weakening.rule import Weakened, not_agreed
from guildmoot.lifecycle.proof.weakening.sides import changed_packages, weakened_by
from guildmoot.lifecycle.spec import Spec, read_spec
from guildmoot.lifecycle.standing import STEPS, Step
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.view import MOST, WorkView, choose_slug, document_text, look
from guildmoot.system.files import read_text_inside
from guildmoot.system.git import GitError

_BY_RULE = WorkTerms()
_ENDED = ("done", "handed-over")


class CarriedOut(NamedTuple):
    """A run whose lanes handed over."""

    folder: WorkFolder
    slug: str
    spec: Spec
    state: RunState
    claims: tuple[LaneClaim, ...]
    """In the order of the plan, without lanes that a person skipped."""
    view: WorkView

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.state.run

    def change(self, task: str) -> tuple[str, str]:
        """The commits around what a lane did; of one that was sent back, with all that it did before."""
        return _change(self.state, task)

    @property
    def told(self) -> tuple[str, ...]:
        """What a person decided otherwise than the plan: lanes that were skipped, places that were allowed."""
        left = (
            f"{e.task} was skipped: {e.reason}" for e in self.state.lanes if e.status == "skipped"
        )
        return (*left, *self.state.clarified)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What all lanes assumed, with the lane."""
        return tuple(f"{c.lane.task}: {text}" for c in self.claims for text in c.assumptions)


def gather(folder: WorkFolder, slug: str, least: Step, terms: WorkTerms = _BY_RULE) -> CarriedOut:
    """The run of a piece of work that stands at a step or behind it; UndecidedError for one that does not."""
    slug = choose_slug(folder, slug)
    view = look(folder, slug, terms)
    if STEPS.index(view.standing.step) < STEPS.index(least) or not view.plan:
        raise UndecidedError(
            f"{slug} is not there yet: {view.standing.why}", f"Next: {view.command or 'guild run'}"
        )
    state = read_run(folder, view.run)
    if is_at_work(folder, view.run):
        raise InfrastructureError(f"{view.run} is being carried out", "Wait for it: guild status.")
    if not state.tip:
        raise UndecidedError(
            f"{view.run} was not carried out here: it has receipts and no commits",
            f"Next: guild work execute {slug}",
        )
    skipped = {lane.task for lane in state.lanes if lane.status == "skipped"}
    claims, changed = [], _files(folder, state)
    spec = read_spec(read_markdown(document_text(folder, "spec", slug)))
    accepted = {lane.task: lane.receipt for lane in state.lanes if lane.status in _ENDED}
    allowed = {lane.task: lane.allowed for lane in state.lanes}
    for planned in (each for each in view.plan.lanes if each.task not in skipped):
        place = folder.run(view.run) / "handoffs" / f"{planned.owner}-{planned.task}.md"
        shown = place.relative_to(folder.root).as_posix()
        if accepted.get(planned.task, "") not in ("", receipt_digest(place)):
            raise UndecidedError(
                f"{shown} is not the receipt that was accepted",
                f"guild work execute {slug} puts it back.",
            )
        lane = with_places(planned, allowed.get(planned.task, ()))
        document = _document(folder, shown)
        claim = read_claim(lane, document, shown, changed.get(lane.task, ()))
        flagged = classify(document, document.body) == "flagged"
        claim = claim._replace(let_stand=state.let_stand, flagged=flagged)
        claims.append(
            _with_weakened(_with_leaked(claim, folder, state), folder, state, planned, spec)
        )
    problem = RunRepository(folder, view.run).point_branch(state.branch, state.tip, state.base)
    if problem:
        state = state._replace(branch=kept_name(view.run))
    return CarriedOut(folder, slug, spec, state, tuple(claims), view)


def _change(state: RunState, task: str) -> tuple[str, str]:
    lane = state.lane(task)
    return state.base if lane.by in ("merge", "review") else lane.base, lane.commit


def _with_weakened(
    claim: LaneClaim, folder: WorkFolder, state: RunState, planned: Lane, spec: Spec
) -> LaneClaim:
    """The claim with what its lane took away from the tests that judge it, and did to packages."""
    criteria = [line.text for line in spec.criteria]
    change = _change(state, planned.task)
    if not all(change):
        return claim
    found = weakened_by(folder.root, change, claim.files, planned, criteria)
    asked, agreed = not_agreed(found, planned, state.lane(planned.task).allowed)
    return claim._replace(
        weakened=tuple(each.text for each in asked),
        agreed=tuple(_agreement(each, state.lane(planned.task).allowed) for each in agreed),
        packages=changed_packages(folder.root, change, claim.files),
    )  # fmt: skip


def _with_leaked(claim: LaneClaim, folder: WorkFolder, state: RunState) -> LaneClaim:
    """The claim with the secrets that a commit of its lane added."""
    allowed, task = state.lane(claim.lane.task).allowed, claim.lane.task
    found = leaked_by_lane(folder.root, (state.base, state.tip), state.run, task, allowed)
    return claim._replace(leaked=found)


def _agreement(found: Weakened, allowed: Sequence[str]) -> str:
    """Whose word lets it stand: a plan that was approved by a rule is no person's."""
    person = any(is_inside(found.path, place) for place in allowed)
    return f"{'a person allowed' if person else 'the plan lets be changed'}: {found.text}"


def _document(folder: WorkFolder, shown: str) -> SourceDocument:
    text, problem = read_text_inside(folder.root / shown, folder.root, MOST)
    try:
        if not problem:
            return read_markdown(text)
    except FrontMatterError as wrong:
        problem = wrong.reason
    raise UndecidedError(f"{shown} cannot be read: {problem}", f"guild lint {shown}")


def _files(folder: WorkFolder, state: RunState) -> dict[str, tuple[str, ...]]:
    """What each lane changed, by git."""
    try:
        return lane_files(folder.root, state.base, state.tip, state.run)
    except GitError as wrong:
        raise InfrastructureError(f"the commits of {state.run} cannot be read: {wrong}") from None
