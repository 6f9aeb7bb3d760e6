"""The review of each lane: stage 1 by code, stage 2 by judges, and what is written about both. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from guildmoot.lifecycle.proof.claims import LaneClaim, forbidden_files, out_of_scope
from guildmoot.lifecycle.proof.lane_rounds import LaneFinding
from guildmoot.lifecycle.spec import Spec
from guildmoot.text.clean import one_line
from guildmoot.text.patterns import lazy

Stage = Literal["pass", "fail", "follow-up", "undecided", "not run"]
_UNMET = lazy(
    r"(?i)\b(?:not (?:yet )?(?:done|met|implemented|built|covered)|unmet|missing|still to do|left out)\b"
)
_WORD = lazy(r"[\w./-]{4,}")


class LaneJudge(NamedTuple):
    """Who judged a lane, and by what."""

    name: str
    model: str = ""
    """The model, or the client whose own model it is."""
    command: bool = False
    """A command of the user's answers for it: whether that asks a model, only they know."""

    @property
    def words(self) -> str:
        """As people call it."""
        by = "a command" if self.command else self.model
        return f"{self.name} ({by})" if by else self.name


class LaneReview(NamedTuple):
    """What the two stages say about a lane."""

    task: str
    owner: str
    receipt: str
    stage1: Stage
    stage2: Stage = "not run"
    failing: tuple[str, ...] = ()
    """What failed, for the fix brief and the report."""
    followups: tuple[str, ...] = ()
    run: str = ""
    """The run of the judges."""
    judges: tuple[LaneJudge, ...] = ()
    findings: tuple[LaneFinding, ...] = ()
    """What its challenges found, met or not."""
    challenger: str = ""
    """Who challenged it; empty where nobody did."""
    restart: bool = False
    """A challenge found something grave: the lane starts over, however often it was sent back before."""

    @property
    def status(self) -> Stage:
        """Both stages in one word."""
        return "fail" if self.stage1 == "fail" else self.stage2

    @property
    def passed(self) -> bool:
        """Whether nothing keeps the lane from verification."""
        return self.stage1 == "pass" and self.stage2 in ("pass", "follow-up")


def first_stage(claim: LaneClaim, spec: Spec) -> LaneReview:
    """Three questions: is what changed in scope, within what it may decide alone, and is nothing asked for left?"""
    named = forbidden_files(claim.lane, claim.files, claim.packages)
    forbidden = {path: line for path, line in named if line.startswith("forbidden")}
    failing = [
        f"{path} was changed, and the policy says: {line}" for path, line in forbidden.items()
    ]
    strays = [path for path in out_of_scope(claim.lane, claim.files) if path not in forbidden]
    failing += [f"a follow-up names what the spec asks for: {_line(text)}" for text in claim.followups
                if _names_unmet(text, spec)]  # fmt: skip
    told = [f"{path} is outside of the lane's scope" for path in strays]
    told += [f"{path} was changed, and its receipt does not say so" for path in claim.unclaimed]
    told += claim.agreed
    told += (
        ["its receipt was flagged: it gives orders to a model, or claims a person's approval"]
        if claim.flagged
        else []
    )
    # Without a person's word such a lane hands nothing over, so somebody agreed.
    told += [f"{path} was changed; {line}" for path, line in named if path not in forbidden]
    return LaneReview(
        claim.lane.task, claim.lane.owner, claim.receipt, "fail" if failing else "pass",
        failing=tuple(map(one_line, failing)),
        followups=(*map(one_line, told), *(_line(text) for text in claim.followups)),
    )  # fmt: skip


def left_open(found: LaneReview, claim: LaneClaim) -> LaneReview:
    """A follow-up that blocks is no fault to mend in another round: a person does it, or lets it stand."""
    if not claim.blocking:
        return found
    told = (f"it left open: {_line(each)}" for each in claim.blocking)
    stage: Stage = "undecided" if found.passed else found.stage2
    return found._replace(stage2=stage, failing=(*found.failing, *told))


def fix_brief(found: LaneReview) -> str:
    """What a lane that goes back is told: what is in the way, then what else was found."""
    rows = [f"- {_line(each)}" for each in found.failing]
    more = [f"- {_line(e.words)}" for e in found.findings if not e.addressed and not e.blocks]
    rows += ["", "Found as well, and in nobody's way:", "", *more] if more else []
    return "\n".join(
        ("The review sent your work back. Mend this and hand over again:", "", *rows, "")
    )


def _names_unmet(text: str, spec: Spec) -> bool:
    """Whether a follow-up says of a criterion that it is not met."""
    if not _UNMET.search(text):
        return False
    words = set(_WORD.findall(text.casefold()))
    wanted = [set(_WORD.findall(line.text.casefold())) for line in spec.criteria]
    return any(each and len(each & words) * 3 >= len(each) * 2 for each in wanted)


def overall(lanes: Sequence[LaneReview]) -> str:
    """``pass``, ``follow-up`` or ``fail``; a lane that was not decided is no pass."""
    if not all(lane.passed for lane in lanes):
        return "fail"
    return "follow-up" if any(lane.stage2 == "follow-up" for lane in lanes) else "pass"


def write_review(
    about: tuple[str, str, str], when: str, reviewer: str, lanes: Sequence[LaneReview],
    told: Sequence[str] = (),
    conflicts: Sequence[str] = (),
) -> str:  # fmt: skip
    """``review.md``: a row for each lane, what is in the way, what is left to do.

    ``about`` are the run, the work and the commit that was looked at; ``told`` is what a person decided otherwise
    than the plan.
    """
    stage = "2" if any(lane.stage2 != "not run" for lane in lanes) else "1"
    run, slug, commit = about
    who = reviewer_words(reviewer, lanes)
    rows = ["---", f"run_id: {run}", f"slug: {slug}", f"review_stage: {stage}", f"reviewed_at: {when}",
            f"reviewer: {who}", f"overall_verdict: {overall(lanes)}", f"commit: {commit}", "---",
            f"# Review of {slug}", "",
            "| specialist | task-id | stage 1 | stage 2 | failing check |", "|---|---|---|---|---|"]  # fmt: skip
    rows += [
        f"| {lane.owner} | {lane.task} | {lane.stage1} | {lane.stage2} | {_cell(lane.failing)} |"
        for lane in lanes
    ]
    blockers = [
        f"- {lane.task}: {_line(each)} ({lane.receipt})" for lane in lanes for each in lane.failing
    ]
    left = [f"- {lane.task}: {_line(each)}" for lane in lanes for each in lane.followups]
    rows += [
        "",
        "## Blockers",
        "",
        *(blockers or ["none"]),
        "",
        "## Follow-ups",
        "",
        *(left or ["none"]),
    ]
    found = [
        f"- {lane.task}: {_line(each.words)} ({'met' if each.addressed else 'open'})"
        for lane in lanes
        for each in lane.findings
    ]
    rows += ["", "## Findings of the challenges", "", *found] if found else []
    rows += ["", "## A person decided", "", *(f"- {_line(each)}" for each in told)] if told else []
    rows += (
        ["", "## Conflicts", "", *(f"- {_line(each)}" for each in conflicts)] if conflicts else []
    )
    runs = [
        f"- {lane.task}: {lane.run}, by {', '.join(each.words for each in lane.judges) or 'nobody'}"
        for lane in lanes
        if lane.run
    ]
    rows += ["", "## Judged in", "", *runs] if runs else []
    return "\n".join(rows) + "\n"


def reviewer_words(reviewer: str, lanes: Sequence[LaneReview]) -> str:
    """Who looked at the lanes, and whether a model was among them."""
    judges = dict.fromkeys(each for lane in lanes for each in lane.judges)
    by = ", ".join(dict.fromkeys(lane.challenger for lane in lanes if lane.challenger))
    challenged = f"; challenged by {by}" if by else ""
    if not judges:
        return f"{reviewer} (rules alone, nobody judged){challenged}"
    asked = any(each.model or each.command for each in judges)
    words = f"{reviewer} of {', '.join(each.words for each in judges)}"
    return f"{words}{'' if asked else ', no model'}{challenged}"


def _cell(texts: Sequence[str]) -> str:
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    return f"{_line(texts[0])[:120]}{more}".replace("|", "/") if texts else "none"


def _line(text: str) -> str:
    return one_line(text)[:300]
