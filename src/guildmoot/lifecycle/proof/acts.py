"""Carries out review, verification and reflection, and writes what came of each. None of them repairs anything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.backends import traits_of
from guildmoot.errors import InfrastructureError, UndecidedError
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.commands import missing_programs
from guildmoot.lifecycle.documents import FrontMatterError, SourceDocument, read_markdown, read_yaml
from guildmoot.lifecycle.execution.dispatch import DIFFERENCE
from guildmoot.lifecycle.execution.journal import Journal
from guildmoot.lifecycle.execution.schedule import report_of
from guildmoot.lifecycle.execution.values import LaneResult
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.claims import LaneClaim
from guildmoot.lifecycle.proof.criteria import ending, show_command
from guildmoot.lifecycle.proof.expectations import expected_endings
from guildmoot.lifecycle.proof.gathering import CarriedOut
from guildmoot.lifecycle.proof.lane_rounds import LaneRounds
from guildmoot.lifecycle.proof.old_tests import OldTests, said_by_old_tests
from guildmoot.lifecycle.proof.reflect import Reflection, reflect, write_reflection
from guildmoot.lifecycle.proof.review import (
    LaneJudge,
    LaneReview,
    Stage,
    first_stage,
    fix_brief,
    left_open,
    overall,
    write_review,
)
from guildmoot.lifecycle.proof.stood import as_they_stood, places_agreed, rewritten_for_others
from guildmoot.lifecycle.proof.verify import (
    TESTS,
    AssumptionsWaitError,
    DoneCheck,
    WorkResult,
    check_done,
    write_verification,
)
from guildmoot.lifecycle.skill import shipped_skills
from guildmoot.lifecycle.spec import commands_of
from guildmoot.lifecycle.view import MOST, document_text
from guildmoot.loops.values import CommandResult, LoopStop
from guildmoot.loops.workshop import Workshop, copies_of
from guildmoot.model.agent import Seat
from guildmoot.model.report import RunReport, SeatReport
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, read_text_inside
from guildmoot.system.git import Git
from guildmoot.text.clean import clean

Judge = Callable[[tuple[str, str], LaneClaim, Sequence[str]], RunReport]
"""The panel's word on what a lane changed between two commits, with evidence."""
LaneChallenge = Callable[[Lane, str, str], LaneRounds]
"""The challenges of a lane's work, given its diff and its receipt."""
_MOST_FINDINGS = 20
_FINE = ("approved", "nothing-to-judge")


class CleanRuns(NamedTuple):
    """How commands are run in a clean checkout."""

    timeout: float = 600.0
    copies: tuple[str, ...] = ()
    """What git ignores and the commands need, e.g. ``.venv``."""


class LanesReviewed(NamedTuple):
    """What the review of a run came to."""

    run: str
    verdict: str
    lanes: tuple[LaneReview, ...]
    file: Path
    branch: str
    sent_back: tuple[str, ...] = ()
    """Lanes that the next execute does once more, with the findings."""

    @property
    def status(self) -> str:
        """The verdict; ``undecided`` where no lane fails and one waits for a person."""
        failed = any(lane.status == "fail" for lane in self.lanes)
        return "undecided" if self.verdict == "fail" and not failed else self.verdict


class WorkVerified(NamedTuple):
    """What the verification of a run came to."""

    run: str
    passed: bool
    commit: str
    branch: str
    checks: tuple[DoneCheck, ...]
    assumptions: tuple[str, ...]
    file: Path
    lanes: tuple[LaneResult, ...] = ()

    @property
    def status(self) -> str:
        """``PASS``, ``FAIL``, or ``UNDECIDED`` where it waits for a person."""
        return "PASS" if self.passed else "UNDECIDED" if self.undecided else "FAIL"

    @property
    def undecided(self) -> bool:
        """Nothing is refuted, and something is left to a person."""
        results = [each.result for each in self.checks]
        return "undecided" in results and "fail" not in results


def review(
    done: CarriedOut,
    judge: Judge,
    runs: CleanRuns,
    reviewer: str,
    challenge: LaneChallenge | None = None,
) -> LanesReviewed:
    """Look at every lane in two stages and write ``review.md``; a lane that fails is sent back, once."""
    lanes = []
    for claim in done.claims:
        found = first_stage(claim, done.spec)
        found = _second_stage(done, found, judge, runs) if found.stage1 == "pass" else found
        found = _challenged(done, found, challenge) if challenge and found.passed else found
        lanes.append(left_open(found, claim))
    file = done.folder.run(done.run) / "review.md"
    write_durable(
        file,
        write_review(
            (done.run, done.slug, done.state.tip),
            _now(),
            reviewer,
            lanes,
            done.told,
            done.state.settled,
        ),
    )
    sent_back = _send_back(done, [lane for lane in lanes if lane.status == "fail"])
    return LanesReviewed(done.run, overall(lanes), tuple(lanes), file, done.state.branch, sent_back)


def _second_stage(done: CarriedOut, found: LaneReview, judge: Judge, runs: CleanRuns) -> LaneReview:
    """The lane's own checks in a clean checkout of what it handed over, and the judges on its diff."""
    claim = next(each for each in done.claims if each.lane.task == found.task)
    change = done.change(found.task)
    commands = list(dict.fromkeys(c for text in claim.lane.criteria for c in commands_of(text)))
    ran = run_clean(done.folder.root, change[1], commands, runs)
    said = done.state.lane(found.task).commands
    wanted = expected_endings(claim.lane.criteria)

    def against(each: CommandResult) -> str:
        shown = show_command(wanted[each.command], (each,))
        return shown.text if shown.result == "refuted" else ""

    broken = [e for e in ran if e.command in said and not wanted[e.command].ends_so(e)]
    red = [ending(each) for each in broken]
    # What another lane makes pass is no fault of this one: it must hold on what all of them came to.
    later = [each.command for each in ran if each not in broken and against(each)]
    whole = run_clean(done.folder.root, done.state.tip, later, runs)
    red += [f"{text}, on the whole result" for each in whole if (text := against(each))]
    if not claim.files:  # there is nothing for judges
        idle: Stage = "fail" if red else "pass"
        idled = (*found.followups, "it changed no file")
        return found._replace(stage2=idle, failing=tuple(map(clean, red)), followups=idled)
    known = {*commands, *done.spec.commands}
    believed = dict.fromkeys(
        c for text in claim.evidence for c in commands_of(text) if c not in known
    )
    unseen = tuple(f"said to pass, and not run here: `{each}`" for each in believed)
    told = [f"$ {each.command}\nexit code {each.code}\n{each.output[-1500:]}" for each in ran]
    words = ("diff", "--name-only", "-z", "--no-renames", *change)
    now = Git(done.folder.root).run(*words).decode("utf-8", "surrogateescape").split("\0")
    left = tuple(each for each in claim.files if each in now)  # it may have taken a file back
    report = judge(change, claim._replace(files=left), told)
    blocking = [f"{f.path}:{f.line} {f.code}: {f.title}" for f in report.blocking[:_MOST_FINDINGS]]
    advice = tuple(f"{f.path}:{f.line} {f.title}" for f in report.advisory[:_MOST_FINDINGS])
    failing = (*red, *blocking)
    why: tuple[str, ...] = ()
    if not failing and report.verdict not in _FINE:
        why = tuple(report.header.reasons[:2]) or ("the judges did not decide",)
    stage: Stage = "fail" if failing else "undecided" if why else "follow-up" if advice else "pass"
    return found._replace(
        stage2=stage, failing=tuple(map(clean, (*failing, *why))),
        followups=tuple(map(clean, (*found.followups, *advice, *unseen))),
        run=report.run_id, judges=judges_of(report.seats),
    )  # fmt: skip


def judges_of(seats: Sequence[SeatReport]) -> tuple[LaneJudge, ...]:
    """Who judged, by what each seat really is: a rule's program has no model, whatever its file names."""
    return tuple(_judge(each.seat) for each in seats if each.status == "answered")


def _judge(seat: Seat) -> LaneJudge:
    traits = traits_of(seat.backend)
    if traits.free:
        return LaneJudge(seat.name)
    if traits.is_program:
        return LaneJudge(seat.name, command=True)
    return LaneJudge(seat.name, " ".join(filter(None, (seat.backend, seat.model))))


def _challenged(done: CarriedOut, found: LaneReview, challenge: LaneChallenge) -> LaneReview:
    """The lane's challenges, once judges let it pass."""
    claim = next(each for each in done.claims if each.lane.task == found.task)
    base, commit = done.change(found.task)
    words = ("diff", "--no-ext-diff", base, commit, "--", *claim.files)
    diff = Git(done.folder.root).run(*words)
    receipt, _ = read_text_inside(done.folder.root / claim.receipt, done.folder.root, MOST)
    ended = challenge(claim.lane, diff.decode("utf-8", "replace"), receipt)
    stands = done.state.let_stand
    told = tuple(e.words for e in ended.findings if not e.addressed and not e.blocks)
    found = found._replace(
        findings=ended.findings, challenger=ended.by, followups=(*found.followups, *told)
    )
    if told:
        found = found._replace(stage2="follow-up")
    if ended.ended == "restart":
        failing = tuple(each.words for each in ended.findings if each.blocks)
        return found._replace(stage2="fail", failing=failing, restart=True)
    left = [f"it left open: {each}" for each in ended.left if each not in stands]
    if left or not ended.ended:
        return found._replace(stage2="undecided", failing=tuple(left) or (ended.why,))
    return found


def _send_back(done: CarriedOut, failing: Sequence[LaneReview]) -> tuple[str, ...]:
    """One fix round: each lane that failed is to be done again with the findings, unless it was already."""
    again = [lane for lane in failing if lane.restart or done.state.lane(lane.task).by != "review"]
    if not again:
        return ()
    journal = Journal(done.folder, done.run)
    try:
        for lane in again:
            attempt = done.state.lane(lane.task).attempt
            place = done.folder.run(done.run) / "attempts" / f"{lane.task}-{attempt}"
            folder_inside(done.folder.root, place.relative_to(done.folder.root))
            write_durable(place / DIFFERENCE, fix_brief(lane), journal.scrubber)
            journal.add("returned", lane.task, by="review", reason="; ".join(lane.failing))
    finally:
        journal.close()
    return tuple(lane.task for lane in again)


def verify(done: CarriedOut, runs: CleanRuns, who: str, *, accepted: bool) -> WorkVerified:
    """Make the five checks and write ``verify.md``; UndecidedError while nobody looked at the assumptions."""
    tip = done.state.tip
    ran = run_clean(done.folder.root, tip, _commands(done), runs)
    result = WorkResult(
        done.spec,
        done.claims,
        ran,
        done.assumptions,
        done.state.disputed,
        who,
        done.told,
        done.state.let_stand,
        done.state.settled,
        (
            *_by_new_tests(done, ran, runs),
            *rewritten_for_others(done.folder.root, done.state, done.claims),
        ),
        done.slug,
    )
    checks = check_done(result)
    waiting = result.assumptions and not accepted and not result.disputed
    if waiting and checks[-1].result == "pass":
        count = len(result.assumptions)
        last = checks[-1]._replace(
            result="undecided", evidence=tuple(map(clean, result.assumptions))
        )
        raise AssumptionsWaitError(
            f"the first four checks pass; {count} assumption{'s' * (count > 1)} wait{'s' * (count == 1)}"
            " for a person: " + "; ".join(result.assumptions)[:600],
            f"Let them stand: guild work verify {done.slug} --yes, or --dispute TEXT",
            (*checks[:-1], last),
        )
    file = done.folder.run(done.run) / "verify.md"
    write_durable(file, write_verification(done.run, done.slug, tip, _now(), checks, result))
    passed = all(each.result == "pass" for each in checks)
    lanes = report_of(done.state).lanes
    branch = done.state.branch
    return WorkVerified(done.run, passed, tip, branch, checks, result.assumptions, file, lanes)


def _commands(done: CarriedOut) -> list[str]:
    """The acceptance commands, but for those that this machine lacks and a person's word stands in for."""
    rows = [(" ".join(line.text.split()), commands_of(line.text)) for line in done.spec.criteria]
    asked = {each for text, named in rows if text not in done.state.let_stand for each in named}
    return [each for each in done.spec.commands if each in asked or not missing_programs(each)]


def _by_new_tests(
    done: CarriedOut, ran: Sequence[CommandResult], runs: CleanRuns
) -> tuple[str, ...]:
    """Commands that pass on the result, and of which the tests as they stood before the run say otherwise."""
    root, base = done.folder.root, done.state.base
    allowed = {lane.task: lane.allowed for lane in done.state.lanes}
    stood = as_they_stood(root, base, done.state.tip, places_agreed(done.claims, allowed))
    green = [each.command for each in ran if each.code == 0]
    if not stood or not green:
        return ()
    red = {e.command: e for e in run_clean(root, stood.commit, green, runs) if e.code != 0}
    old = OldTests(stood.before, stood.changed)
    told = (
        (red[each.command], said_by_old_tests(old, red[each.command], each))
        for each in run_clean(root, base, list(red), runs)
    )
    return tuple(
        f"{ending(each)}, with the tests as they stood before the run, which it changed"
        f" ({stood.shown}): {why}. Look at them, then: guild work accept {done.slug} {TESTS} --why WHY"
        for each, why in told
        if why is not None
    )


def run_clean(
    root: Path, commit: str, commands: Sequence[str], runs: CleanRuns
) -> tuple[CommandResult, ...]:
    """Run commands one after the other in a clean checkout, each on the untouched tree."""
    if not commands:
        return ()
    shop = Workshop(root, "proof", threading.Event(), copies_of(root, runs.copies))
    shop.shut = True
    found, command = [], ""
    try:
        shop.open(commit)
        for command in dict.fromkeys(commands):
            shop.reset()
            ended = shop.run(command, runs.timeout)
            if ended.cannot_run and (lacking := missing_programs(command)):
                raise InfrastructureError(
                    f"`{command}` cannot be run: {lacking[0]} is not on this machine",
                    "A clean checkout has what git tracks; --with PATH copies more, e.g. --with .venv",
                )
            found.append(ended)
    except LoopStop as wrong:
        raise UndecidedError(
            f"`{command}` on {commit[:12]}: {wrong.reason}", f"{wrong.next_action}."
        ) from None
    finally:
        shop.end()
    return tuple(found)


def reflection(done: CarriedOut) -> tuple[Reflection, Path]:
    """Write what the run teaches; one file, and nothing else is touched."""
    folder = done.folder.guild / "reflections"
    earlier = [
        document
        for path in (sorted(folder.glob("*.md")) if folder.is_dir() else ())
        if path.stem != done.run and (document := _markdown(path, done.folder))
    ]
    dropped = {}
    for claim in done.claims:
        name = f"{claim.lane.owner}-{claim.lane.task}"
        document = _markdown(done.folder.context(done.run) / f"{name}.md", done.folder)
        rows = document.data.get("dropped_for_budget") if document else None
        dropped[f"{claim.lane.owner}/{claim.lane.task}"] = (
            [str(row) for row in rows] if isinstance(rows, list) else []
        )
    skills = [skill.name for skill in shipped_skills()]
    found = reflect(done.claims, dropped, skills, _open_gaps(done), earlier)
    folder_inside(done.folder.root, folder.relative_to(done.folder.root))
    keep_out_of_git(done.folder.guild, COMMITTED)
    file = folder / f"{done.run}.md"
    write_durable(file, write_reflection(done.run, done.slug, _now()[:10], found))
    return found, file


def _open_gaps(done: CarriedOut) -> list[str]:
    """Roles that the team did without, or left to a person."""
    if "team" not in done.view.files:
        return []
    rows = read_yaml(document_text(done.folder, "team", done.slug)).data.get("gaps_resolved")
    return [
        str(row.get("proposed_role"))
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and row.get("resolution") in ("B", "D")
    ]


def _markdown(path: Path, folder: WorkFolder) -> SourceDocument | None:
    text, problem = read_text_inside(path, folder.root, MOST)
    try:
        return read_markdown(text) if not problem else None
    except FrontMatterError:
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
