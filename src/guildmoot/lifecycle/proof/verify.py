"""The five checks before work is called done, each with what shows it. Pure: a gate reports, it never repairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from guildmoot.lifecycle.proof.claims import LaneClaim, out_of_scope, scope_places
from guildmoot.lifecycle.spec import Spec, commands_of
from guildmoot.loops.values import CommandResult
from guildmoot.text.patterns import lazy

CheckResult = Literal["pass", "fail", "not run"]
NAMES = (
    "Acceptance commands", "Scope", "Success criteria", "Blocking follow-ups", "Assumptions"
)  # fmt: skip
_WORD = lazy(r"[\w./-]{3,}")
_COMMON = frozenset(("the", "and", "for", "are", "with", "that", "from", "below", "above", "exits"))


class DoneCheck(NamedTuple):
    """One of the five checks."""

    number: int
    name: str
    result: CheckResult
    evidence: tuple[str, ...]


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


def check_done(result: WorkResult) -> tuple[DoneCheck, ...]:
    """The five checks in order; behind the first that fails none is made."""
    rules: tuple[Callable[[WorkResult], tuple[bool, Sequence[str]]], ...] = (
        _commands, _scope, _criteria, _followups, _assumptions
    )  # fmt: skip
    found: list[DoneCheck] = []
    for number, (name, rule) in enumerate(zip(NAMES, rules, strict=True), 1):
        if any(each.result == "fail" for each in found):
            found.append(DoneCheck(number, name, "not run", ("an earlier check did not pass",)))
            continue
        fine, evidence = rule(result)
        found.append(DoneCheck(number, name, "pass" if fine else "fail", tuple(evidence)))
    return tuple(found)


def _commands(result: WorkResult) -> tuple[bool, list[str]]:
    if not result.spec.commands:
        return False, [
            "the spec names no command that decides: write one into its success criteria"
        ]
    return all(each.passed for each in result.ran), [ending(each) for each in result.ran]


def ending(ran: CommandResult) -> str:
    """What was run, how it ended, and the last line that it printed."""
    end = "ran out of time" if ran.code is None else f"exited {ran.code}"
    last = next((row.strip() for row in reversed(ran.output.splitlines()) if row.strip()), "")
    return f"`{ran.command}` {end} in {ran.seconds:.1f} s" + (f": {last}" if last else "")


def _scope(result: WorkResult) -> tuple[bool, list[str]]:
    wrong = [
        f"{claim.lane.task} changed {path}, which its scope does not name"
        for claim in result.claims
        for path in out_of_scope(claim.lane, claim.files)
    ]
    files = sum(len(claim.files) for claim in result.claims)
    free = [claim.lane.task for claim in result.claims if not scope_places(claim.lane)]
    told = [f"{files} changed file{'s' * (files != 1)}, none outside of the scope of its lane"]
    told += [f"a person decided: {text}" for text in result.told]
    told += [f"the scope of {task} names no place, so no file is outside of it" for task in free]
    return not wrong, wrong or told


def _criteria(result: WorkResult) -> tuple[bool, list[str]]:
    """A criterion with a command is shown by that command, any other by evidence that names its words."""
    told, fine = [], True
    for line in result.spec.criteria:
        text = " ".join(line.text.split())
        shown = _shown_by(text, result)
        fine = fine and bool(shown)
        told.append(f"[{'x' if shown else ' '}] {text}: {shown or 'no evidence names it'}")
    return fine, told


def _shown_by(criterion: str, result: WorkResult) -> str:
    wanted = commands_of(criterion)
    if wanted:
        ran = [each for each in result.ran if each.command in wanted and each.passed]
        return ending(ran[0]) if len({each.command for each in ran}) == len(set(wanted)) else ""
    words = _words(criterion)
    for claim in result.claims:
        for text in claim.evidence:
            if words and len(words & _words(text)) * 3 >= len(words) * 2:
                return f"{claim.lane.task} shows: {' '.join(text.split())[:200]}"
    return ""


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if word not in _COMMON}


def _followups(result: WorkResult) -> tuple[bool, list[str]]:
    wrong = [
        f"{claim.lane.task} left open: {' '.join(text.split())[:300]}"
        for claim in result.claims
        for text in claim.blocking
    ]
    count = sum(len(claim.followups) for claim in result.claims)
    return not wrong, wrong or [f"{count} follow-up{'s' * (count != 1)}, none of them blocking"]


def _assumptions(result: WorkResult) -> tuple[bool, list[str]]:
    if result.disputed:
        return False, [f"disputed: {each}" for each in result.disputed]
    if not result.assumptions:
        return True, ["no lane assumed anything"]
    count = len(result.assumptions)
    return True, [f"{count} assumption{'s' * (count != 1)}, seen by {result.acknowledged}"]


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
    rows += [f"- assumed: {_plain(text)}" for text in result.assumptions]
    rows += [f"- follow-up: {_plain(t)}" for claim in result.claims for t in claim.followups]
    return "\n".join(rows) + "\n"


def _plain(text: str) -> str:
    """A text as part of one line, which neither begins a heading nor a fence."""
    return " ".join(text.split()).replace("```", "'''")[:600]
