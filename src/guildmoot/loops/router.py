"""The router: looks where a project stands, picks the next phase and calls one loop. It does no work itself.

pre-flight (presence, records, freshness) ─▶ sync ─▶ orientation ─▶ message ─▶ next phase ─▶ dispatch
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import (
    EXIT_INFRASTRUCTURE,
    EXIT_OK,
    EXIT_UNDECIDED,
    InfrastructureError,
)
from guildmoot.loops.armed import DECISIONS
from guildmoot.loops.records import commit_own
from guildmoot.loops.routing import (
    DONE,
    MEANINGS,
    MessageKind,
    NextStep,
    RouteMessage,
    choose_loop,
    make_session,
    may_be_guessed,
    next_step,
    open_threads,
    read_message,
)
from guildmoot.loops.standing import (
    Understand,
    begun_elsewhere,
    feedback_units,
    is_all_done,
    is_merged_here,
    left_undecided,
    named_project,
    paired_standing,
    program_of,
    project_folder,
)
from guildmoot.loops.sync import RouteStop, sync
from guildmoot.loops.values import Question, nobody
from guildmoot.loops.workshop import git
from guildmoot.projects.doctor import examine
from guildmoot.projects.errors import RecordError
from guildmoot.projects.folders import archive
from guildmoot.projects.learnings.rollup import use_text
from guildmoot.projects.phases import read_plan, update_phase
from guildmoot.projects.plan import parse_plan
from guildmoot.projects.pulls import comments, discover, reviews, wait
from guildmoot.projects.sessions import write_session
from guildmoot.projects.slugs import PLAN, today
from guildmoot.projects.store import Project

if TYPE_CHECKING:
    from guildmoot.loops.values import Ask
    from guildmoot.projects.manifest import Record


class RouteRequest(NamedTuple):
    """Which project, and what somebody asks for."""

    root: Path
    slug: str = ""
    """Empty is the only active project."""
    message: str = ""
    yes: bool = False
    dirty: str = ""
    """What becomes of changes that are not committed: commit, continue or discard."""
    wait: float = 0.0
    """Seconds to wait for the merge of an open pull request."""
    auto: bool = False
    """Ask no person."""


class Dispatch(NamedTuple):
    """The one loop that is called."""

    loop: str
    slug: str
    phase: int
    why: str
    deliverables: tuple[str, ...] = ()
    """What comments of reviewers ask for."""


class RouteReport(NamedTuple):
    """Where the project stands, and what was done about it."""

    status: str
    """dispatched, parked, paused, saved, archived, finished, stopped, or infrastructure."""
    slug: str
    report: str
    """The dispatch report: one paragraph."""
    notes: tuple[str, ...] = ()
    dispatch: Dispatch | None = None
    next_action: str = ""
    threads: tuple[str, ...] = ()
    """What the last session left open."""
    learnings: str = ""
    """What ``griot use`` would tell whoever works on it."""

    @property
    def exit_code(self) -> int:
        if self.status == "infrastructure":
            return EXIT_INFRASTRUCTURE
        return EXIT_UNDECIDED if self.status == "stopped" else EXIT_OK


def route(request: RouteRequest, ask: Ask, understand: Understand | None = None) -> RouteReport:
    """Look, decide, and say which loop is to be called with what; at most one."""
    return _Router(request, ask, understand).run()


class _Router:
    def __init__(self, request: RouteRequest, ask: Ask, understand: Understand | None) -> None:
        slug, message = named_project(request.slug, request.message)
        request = request._replace(slug=slug, message=message)
        self.request, self._ask, self._understand = request, ask, understand
        self.notes: list[str] = []
        self._folder = project_folder(request.slug)
        self.slug = Path(self._folder).name
        self._threads: tuple[str, ...] = ()
        self._learnings = ""
        self._begun: dict[int, str] | None = None

    def run(self) -> RouteReport:
        try:
            self._preflight()
            base = str(self._values()["config"]["base_branch"]) or "main"
            asked = nobody if self.request.auto else self._ask
            self.notes += sync(self.request.root, base, self.request.dirty, asked)
            self._orient()
            dispatch = self._decide(self._read_message())
        except RouteStop as stop:
            return self._report(stop.status, stop.report, stop.action)
        except RecordError as wrong:
            return self._report("stopped", wrong.message, f"loom doctor {self.slug}")
        except InfrastructureError as wrong:
            return self._report("infrastructure", wrong.message, wrong.hint)
        goes = f"{self.slug}: phase {dispatch.phase} goes to the {dispatch.loop} loop"
        told = f"{goes}, because {dispatch.why}."
        words = [word for text in dispatch.deliverables for word in ("--deliverable", text)]
        called = ["guild", "loop", dispatch.loop, self.slug, str(dispatch.phase)]
        action = shlex.join([*called, *words])
        return self._report("dispatched", told, action)._replace(dispatch=dispatch)

    # Pre-flight, once for each dispatch; the loops trust it.

    def _preflight(self) -> None:
        missing = [name for name in ("loom", "guild", "griot") if not program_of(name)]
        if missing:
            raise RouteStop(
                "infrastructure", f"not installed: {', '.join(missing)}",
                "install guildmoot so that its commands are on the PATH",
            )  # fmt: skip
        issues = examine(Project(self._folder), self.slug)["issues"]
        for issue in issues:
            tier = "records" if issue["severity"] == "error" else "freshness"
            self.notes.append(f"{tier}: {issue['code']}: {issue['detail']}")

    # Where the project stands.

    def _orient(self) -> None:
        values = self._values()
        self._learnings = use_text(str(self.request.root / "learnings"))
        self._threads = open_threads(values)
        for phase in values["phases"]:
            if phase["status"] == "in-progress" and self._pull(phase) == "MERGED":
                left = left_undecided(self.request.root, self._inner(), phase, merged=True)
                if left:
                    raise RouteStop(
                        "stopped", f"phase {phase['number']} was merged, but is not finished: {left}",
                        f"read it; guild loop ... goes on, or take {left} away if it is settled",
                    )  # fmt: skip
                update_phase(Project(self._folder), phase["number"], "completed")
                message = f"[loom] phase {phase['number']} is completed: its branch is merged"
                commit_own(self.request.root, self._inner(), message)
                self.notes.append(message.removeprefix("[loom] "))

    def _pull(self, phase: Record) -> str:
        if not phase.get("branch"):
            return ""
        found = discover(Project(self._folder), str(phase["branch"]))
        if found.get("note"):
            if is_merged_here(self.request.root, self._values(), str(phase["branch"])):
                return "MERGED"
            told = f"pull request of phase {phase['number']}: {found['note']}"
            if "could not tell" in found["note"]:  # open or merged: nothing starts on a guess
                raise RouteStop("infrastructure", told, "mend that ('gh auth status'), then again")
            self.notes.append(told)
        return str((found.get("pr") or {}).get("state") or "")

    def _is_done(self, phase: Record) -> str:
        """Whether all of a phase is done on its branch, where no pull request tells more."""
        if not is_all_done(self.request.root, self._inner(), phase):
            return ""
        told = f"phase {phase['number']} is done on {phase['branch']}"
        self.notes.append(f"{told}, which is not merged yet")
        return DONE

    # What was asked for.

    def _read_message(self) -> RouteMessage:
        message = read_message(self.request.message)
        if message.kind != "unclear":
            return message
        guess = self.request.auto and may_be_guessed(self.request.message)
        if guess and self._understand is not None:
            meanings: Sequence[MessageKind] = tuple(MEANINGS)[: DECISIONS["router"]]
            for meaning in meanings:
                if self._understand(
                    f"The message {self.request.message!r} means: {MEANINGS[meaning]}."
                ):
                    return RouteMessage(meaning)
        raise RouteStop(
            "stopped", f"it is not clear what {self.request.message!r} asks for",
            "say exactly one of: 'continue', 'address feedback on #14', 'save session', 'archive',"
            " 'skip to phase 2', 'pause'",
        )  # fmt: skip

    def _decide(self, message: RouteMessage) -> Dispatch:
        if message.kind == "pause":
            raise RouteStop(
                "paused", f"{self.slug} is paused; nothing was changed", "guild run-phase"
            )
        if message.kind == "save":
            name = self._save_session()
            raise RouteStop("saved", f"the session is on record as {name}", "guild run-phase")
        if message.kind == "archive":
            self._archive()
        if message.kind == "feedback":
            return self._feedback(message.number)
        if message.kind == "skip":
            return self._skip(message.number)
        return self._next(again=True)

    def _next(self, again: bool) -> Dispatch:
        values = self._values()
        pulls = {
            p["number"]: self._pull(p) or self._is_done(p)
            for p in values["phases"]
            if p["status"] == "in-progress"
        }
        step = next_step(values["phases"], self._depends(), pulls)
        if step.kind == "run":
            return self._dispatch(step.phase, step.why)
        if step.kind == "wait":
            self._check_decided(step.phase)
        if step.kind == "wait" and self.request.wait and again and pulls[step.phase] != DONE:
            return self._wait(step)
        told = f"phase {step.phase}: {step.why}" if step.phase else step.why
        if step.kind == "wait":
            raise RouteStop("parked", told, f"merge it, then guild run-phase {self.slug}")
        if step.kind == "finished":
            raise RouteStop("finished", told, f"guild run-phase {self.slug} archive")
        action = (
            "look at why, then reopen it or 'loom phase update'"
            if step.kind == "investigate"
            else f"loom show {self.slug}"
        )
        raise RouteStop("stopped", told, action)

    def _check_decided(self, number: int) -> None:
        """A draft that an armed run left half done is not one to be merged."""
        left = left_undecided(self.request.root, self._inner(), self._phase(number), merged=False)
        if left:
            told = f"phase {number} stopped with something undecided: {left}"
            raise RouteStop("stopped", f"{told}; its pull request is not ready to be merged",
                            "read it, decide, and go on with the command that stands there")  # fmt: skip

    def _wait(self, step: NextStep) -> Dispatch:
        phase = next(p for p in self._values()["phases"] if p["number"] == step.phase)
        interval = min(30.0, self.request.wait)
        ended = wait(Project(self._folder), str(phase["branch"]), interval, self.request.wait, True)
        if ended["exitReason"] == "merged":
            self._orient()
            return self._next(again=False)
        told = f"phase {step.phase}: its pull request: {ended['exitReason']}"
        if ended["exitReason"] == "closed":
            raise RouteStop("stopped", told, "look at why it was closed without a merge")
        raise RouteStop("parked", told, f"guild run-phase {self.slug} --wait 30m")

    def _dispatch(self, number: int, why: str) -> Dispatch:
        phase = self._phase(number)
        planned = self._plan()
        override = next(
            (p.get("plan", "") for p in planned["phases"] if p["id"] == str(number)), ""
        )
        bindings = self._values()["config"]["worker_bindings"]
        loop, reason = choose_loop(override or planned.get("plan", ""), bindings, phase)
        paired = paired_standing(self.request.root, self._inner(), phase)
        if paired == "done":
            raise RouteStop(
                "parked", f"phase {number}: every deliverable is done on {phase['branch']}",
                f"loom pr compose {self.slug} --branch={phase['branch']}; merge it when it is reviewed",
            )  # fmt: skip
        if paired:
            loop, reason = "interactive", "it has begun the phase"
        return Dispatch(loop, self.slug, number, f"{why} ({loop}: {reason})")

    def _skip(self, number: int) -> Dispatch:
        phase = self._phase(number)
        if phase["status"] == "completed":
            raise RouteStop("stopped", f"phase {number} is completed already", "name another one")
        states = {str(p["number"]): p["status"] for p in self._values()["phases"]}
        needed = self._depends().get(str(number), [])
        waits = [each for each in needed if states.get(each) != "completed"]
        if waits:
            text = f"phase {number} needs phase {', '.join(waits)}, which is not completed. Skip to it?"
            if not self.request.yes and not (
                not self.request.auto and self._ask(Question(text, "--yes"))
            ):
                again = f"guild run-phase {self.slug} 'skip to phase {number}' --yes"
                raise RouteStop("stopped", text, again)
            self.notes.append(f"phase {number} starts before phase {', '.join(waits)} is completed")
        return self._dispatch(number, "you asked for it")

    def _feedback(self, pull: int) -> Dispatch:
        try:
            found = comments(Project(self._folder), pull)
        except RecordError as wrong:
            words = f"guild loop interactive {self.slug} PHASE --deliverable 'what it asks for'"
            told = f"what was written on #{pull} cannot be read: {wrong.text}"
            raise RouteStop("stopped", told, words) from None
        owner = next(
            (p for p in self._values()["phases"] if p.get("branch") == found["branch"]), None
        )
        if owner is None:
            raise RouteStop(
                "stopped", f"#{pull} is of the branch {found['branch']}, which no phase has", f"loom show {self.slug}"
            )  # fmt: skip
        said = [*found["comments"], *reviews(Project(self._folder), pull)]
        wanted = feedback_units(pull, said)
        if not wanted:
            raise RouteStop("finished", f"nobody wrote anything on #{pull}", "guild run-phase")
        count = "1 comment" if len(wanted) == 1 else f"{len(wanted)} comments"
        why = f"{count} on #{pull} asked for something on its branch"
        return Dispatch("interactive", self.slug, owner["number"], why, wanted)

    def _save_session(self) -> str:
        session = make_session(self._values(), self.request.message, today())
        name = str(write_session(Project(self._folder), session)["filename"])
        commit_own(self.request.root, self._inner(), f"[loom] session {name}")
        return name

    def _archive(self) -> None:
        open_ = [p for p in self._values()["phases"] if p["status"] != "completed"]
        if open_:
            told = ", ".join(f"{p['number']} {p['name']} ({p['status']})" for p in open_)
            raise RouteStop(
                "stopped", f"not every phase is completed: {told}", f"loom show {self.slug}"
            )
        inner = self._inner()
        done = archive(self.slug)
        target = Path(done["destination"]).resolve().relative_to(self.request.root.resolve())
        root = self.request.root
        git(root, "add", "-A", "--", str(inner), str(target))
        message = f"[loom] {self.slug} is archived"
        git(root, "commit", "-q", "-m", message, "--", str(inner), str(target))
        raise RouteStop("archived", f"{self.slug} is put away in {target}", "loom project list")

    # Small things.

    def _values(self) -> Record:
        """What is on record, with phases that are under way on branches that are not checked out."""
        values = Project(self._folder).read()
        if self._begun is None:
            self._begun = begun_elsewhere(self.request.root, self._inner(), values["phases"])
        for phase in values["phases"]:
            if phase["status"] == "not-started" and phase["number"] in self._begun:
                phase |= {"status": "in-progress", "branch": self._begun[phase["number"]]}
        return values

    def _inner(self) -> Path:
        return Path(self._folder).resolve().relative_to(self.request.root.resolve())

    def _plan(self) -> Record:
        plan: Record = parse_plan(read_plan(f"{self._folder}/{PLAN}"))["plan"]
        return plan

    def _depends(self) -> dict[str, list[str]]:
        return {phase["id"]: phase["dependsOn"] for phase in self._plan()["phases"]}

    def _phase(self, number: int) -> Record:
        for phase in self._values()["phases"]:
            if phase["number"] == number:
                return dict(phase)
        raise RouteStop("stopped", f"there is no phase {number}", f"loom phase list {self.slug}")

    def _report(self, status: str, report: str, action: str) -> RouteReport:
        notes = tuple(dict.fromkeys(self.notes))
        return RouteReport(
            status, self.slug, report, notes, None, action, self._threads, self._learnings
        )
