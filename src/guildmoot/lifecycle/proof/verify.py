"""The five checks before work is called done, each with what shows it. Pure: a gate reports, it never repairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from guildmoot.errors import UndecidedError
from guildmoot.lifecycle.proof.claims import LaneClaim, out_of_scope, scope_places
from guildmoot.lifecycle.proof.criteria import ending, show_criterion
from guildmoot.lifecycle.proof.expectations import Expectation, expected_endings
from guildmoot.lifecycle.spec import Spec
from guildmoot.loops.values import CommandResult
from guildmoot.text.clean import clean, one_line

CheckResult = Literal["pass", "fail", "undecided", "not run"]
NAMES = (
    "Acceptance commands", "Scope", "Success criteria", "Blocking follow-ups", "Assumptions"
)  # fmt: skip
TESTS = "tests"
"""By this word a person lets stand that tests say something else than before the run."""
DISPUTE = "dispute"
"""By this word a person takes back what they disputed."""


class DoneCheck(NamedTuple):
    """One of the five checks."""

    number: int
    name: str
    result: CheckResult
    evidence: tuple[str, ...]


class AssumptionsWaitError(UndecidedError):
    """All but the assumptions passes, and no person saw these."""

    def __init__(self, message: str, hint: str, checks: tuple[DoneCheck, ...]) -> None:
        super().__init__(message, hint)
        self.checks = checks


def unmade_checks(why: str) -> tuple[DoneCheck, ...]:
    """The five checks where none could be made."""
    return tuple(DoneCheck(at, name, "not run", (why,)) for at, name in enumerate(NAMES, 1))


class WorkResult(NamedTuple):
    """What the checks look at."""

    spec: Spec
    claims: tuple[LaneClaim, ...]
    ran: tuple[CommandResult, ...]
    """The acceptance commands as they ended in a clean checkout of the result."""
    assumptions: tuple[str, ...]
    disputed: tuple[str, ...] = ()
    acknowledged: str = ""
    """Who saw the assumptions and let them stand."""
    told: tuple[str, ...] = ()
    """What a person decided otherwise than the plan."""
    let_stand: tuple[str, ...] = ()
    """Criteria that nobody showed and a person let stand."""
    conflicts: tuple[str, ...] = ()
    """Where lanes met, and how that ended."""
    by_new_tests: tuple[str, ...] = ()
    """Acceptance commands that pass only with the tests as the run changed them."""
    slug: str = "SLUG"


def check_done(result: WorkResult) -> tuple[DoneCheck, ...]:
    """The five checks in order; behind the first that does not pass none is made."""
    rules: tuple[Callable[[WorkResult], tuple[CheckResult, Sequence[str]]], ...] = (
        _commands, _scope, _criteria, _followups, _assumptions
    )  # fmt: skip
    found: list[DoneCheck] = []
    for number, (name, rule) in enumerate(zip(NAMES, rules, strict=True), 1):
        if any(each.result != "pass" for each in found):
            found.append(DoneCheck(number, name, "not run", ("an earlier check did not pass",)))
            continue
        answer, evidence = rule(result)
        found.append(DoneCheck(number, name, answer, tuple(map(clean, evidence))))
    return tuple(found)


def _passed(fine: bool) -> CheckResult:
    return "pass" if fine else "fail"


def _commands(result: WorkResult) -> tuple[CheckResult, list[str]]:
    if not result.spec.commands:
        return "fail", [
            "the spec names no command that decides: write one into its success criteria"
        ]
    wanted = expected_endings(tuple(line.text for line in result.spec.criteria))
    told = [(wanted.get(each.command, Expectation(each.command)), each) for each in result.ran]
    rows = [
        ending(each) + ("" if want.ends_so(each) else f"; wanted: {want.ending}")
        for want, each in told
    ]
    if not all(want.ends_so(each) for want, each in told):
        return "fail", rows
    if TESTS in result.let_stand:
        return "pass", [*rows, *(f"a person's word: {each}" for each in result.by_new_tests)]
    return "undecided" if result.by_new_tests else "pass", [*rows, *result.by_new_tests]


def _scope(result: WorkResult) -> tuple[CheckResult, list[str]]:
    wrong = [
        f"{claim.lane.task} changed {path}, which its scope does not name"
        for claim in result.claims
        for path in out_of_scope(claim.lane, claim.files)
    ]
    files = sum(len(claim.files) for claim in result.claims)
    free = [claim.lane.task for claim in result.claims if not scope_places(claim.lane)]
    told = [f"{files} changed file{'s' * (files != 1)}, none outside of the scope of its lane"]
    told += [f"a person decided: {text}" for text in result.told]
    told += [
        f"{claim.lane.task} changed {path}, and its receipt does not say so"
        for claim in result.claims
        for path in claim.unclaimed
    ]
    told += [f"{claim.lane.task}: {text}" for claim in result.claims for text in claim.agreed]
    told += [f"the scope of {task} names no place, so no file is outside of it" for task in free]
    return _passed(not wrong), wrong or told


def _criteria(result: WorkResult) -> tuple[CheckResult, list[str]]:
    """Each is ticked by what was run here; one that no command shows waits for a person."""
    told: list[str] = []
    answer: CheckResult = "pass"
    for number, line in enumerate(result.spec.criteria, 1):
        found = show_criterion(line.text, result.ran)
        text = " ".join(line.text.split())
        if found.result == "shown":
            told.append(f"[x] {text}: {found.text}")
            continue
        if text in result.let_stand:
            told.append(f"[x] {text}: a person's word; {found.text}")
            continue
        refuted = found.result == "refuted"
        answer = "fail" if refuted or answer == "fail" else "undecided"
        why = "not so" if refuted else f"criterion {number} is not proven"
        told.append(f"[ ] {text}: {why}: {found.text}")
    return answer, told


def _followups(result: WorkResult) -> tuple[CheckResult, list[str]]:
    wrong = [
        f"{claim.lane.task} left open: {' '.join(text.split())[:300]}"
        for claim in result.claims
        for text in claim.blocking
    ]
    count = sum(len(claim.followups) for claim in result.claims)
    return _passed(not wrong), wrong or [
        f"{count} follow-up{'s' * (count != 1)}, none of them blocking"
    ]


def _assumptions(result: WorkResult) -> tuple[CheckResult, list[str]]:
    if result.disputed:
        how = f"to take it back: guild work accept {result.slug} {DISPUTE} --why WHY"
        return "fail", [f"disputed: {each}; {how}" for each in result.disputed]
    if not result.assumptions:
        return "pass", ["no lane assumed anything"]
    count = len(result.assumptions)
    return "pass", [f"{count} assumption{'s' * (count != 1)}, seen by {result.acknowledged}"]


def write_verification(
    run: str, slug: str, commit: str, when: str, checks: Sequence[DoneCheck], result: WorkResult
) -> str:
    """``verify.md``: the status, each check with its evidence, and what the run made."""
    passed = all(each.result == "pass" for each in checks)
    rows = ["---", f"run_id: {run}", f"slug: {slug}", f"status: {'PASS' if passed else 'FAIL'}",
            f"verified_at: {when}", f"commit: {commit}", "---", f"# Verification of {slug}", ""]  # fmt: skip
    for each in checks:
        rows += [f"## {each.number}. {each.name}: {each.result}", ""]
        rows += [f"- {_plain(text)}" for text in each.evidence] + [""]
    rows += ["## Run summary", ""]
    for claim in result.claims:
        files = ", ".join(claim.files) or "no file"
        rows += [f"- {claim.lane.task} ({claim.lane.owner}): {_plain(files)}"]
    rows += [f"- a person decided: {_plain(text)}" for text in result.told]
    rows += [f"- conflict: {_plain(text)}" for text in result.conflicts]
    rows += [f"- assumed: {_plain(text)}" for text in result.assumptions]
    rows += [f"- follow-up: {_plain(t)}" for claim in result.claims for t in claim.followups]
    return "\n".join(rows) + "\n"


def _plain(text: str) -> str:
    """A text as part of one line, which neither begins a heading nor a fence."""
    return one_line(text).replace("```", "'''")[:600]
