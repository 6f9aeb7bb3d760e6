"""What a plan says of the repository, checked against it: files, lines and how long they are.

A file that the plan is going to make need not be there yet; when the work is done, it must be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guildmoot.practices.repository import RepositoryView
from guildmoot.practices.reviews.checks import CheckResult, some

CLAIMS = "plan's claims"
DELIVERED = "plan delivered"
VERIFIED = "plan says how it is checked"
_ENDINGS = (
    "py|pyi|js|jsx|ts|tsx|mjs|go|rs|rb|java|kt|cs|c|h|cc|cpp|php|swift|scala|ex|sh|sql|md|rst|txt"
    "|toml|yaml|yml|json|jsonl|ini|cfg|html|css|proto|tf|lock"
)
_PATH = re.compile(
    rf"`(?P<path>(?:\./)?[\w.@+-]+(?:/[\w.@+-]+)*(?:\.(?:{_ENDINGS})|/))(?::(?P<line>\d+)"
    rf"(?:-(?P<end>\d+))?)?`(?P<rest>[^`\n]*)"
)
_LENGTH = re.compile(r"^\W{0,3}(?:has |is |of |with )?(?P<about>~|about |some )?(?P<n>\d+) lines")
_TO_MAKE = re.compile(
    r"\b(?:new|creates?|creating|adds?|adding|introduces?|will (?:be|have|hold)|writes?|generates?"
    r"|to be (?:made|added|written))\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6} ")
_PROOF = re.compile(
    r"\b(?:tests?|tested|testing|verif\w+|acceptance|assert\w*|benchmark\w*|CI|check(?:s|ed|list)?)\b",
    re.IGNORECASE,
)


class PlanClaim(NamedTuple):
    """A file that a plan names."""

    path: str
    at: int
    """Line of the plan."""
    line: int = 0
    """The furthest line of the file that it names; 0 for none."""
    length: int = 0
    """How many lines the file is said to have; 0 when nothing is said."""
    to_make: bool = False


def check_claims(plan: str, repository: RepositoryView) -> CheckResult:
    """Before the work: what the plan takes for given must be there."""
    named = list(claims(plan))
    if not named:
        return CheckResult(CLAIMS, "skipped", "the plan names no file")
    made = {each.path for each in named if each.to_make}
    wrong = [
        f"line {each.at}: {why}"
        for each in named
        if each.path not in made and (why := _wrong(each, repository))
    ]
    return _result(CLAIMS, wrong, len({each.path for each in named}), "are as the plan says")


def check_delivered(plan: str, repository: RepositoryView) -> CheckResult:
    """After the work: every file that the plan names must be there."""
    named = sorted({each.path for each in claims(plan)})
    if not named:
        return CheckResult(DELIVERED, "skipped", "the plan names no file")
    missing = [f"{path} is not there" for path in named if not _is_there(path, repository)]
    return _result(DELIVERED, missing, len(named), "are there")


def check_verified(plan: str) -> CheckResult:
    """A plan must say how somebody could tell that it is done."""
    if _PROOF.search(plan):
        return CheckResult(VERIFIED, "ok", "it speaks of tests or checks")
    return CheckResult(VERIFIED, "warn", "it names no test, check or acceptance criterion")


def claims(plan: str) -> Iterator[PlanClaim]:
    """Every file that stands in backticks; what is said of it on the same line, or by its heading."""
    heading = ""
    for number, text in enumerate(plan.split("\n"), 1):
        heading = text if _HEADING.match(text) else heading
        to_make = bool(_TO_MAKE.search(text) or _TO_MAKE.search(heading))
        for found in _PATH.finditer(text):
            length = _LENGTH.match(found["rest"])
            exact = int(length["n"]) if length and not length["about"] else 0
            line = int(found["end"] or found["line"] or 0)
            path = found["path"].removeprefix("./")
            yield PlanClaim(path, number, line, exact, to_make)


def _wrong(claim: PlanClaim, repository: RepositoryView) -> str:
    if not _is_there(claim.path, repository):
        return f"{claim.path} is not there"
    if not claim.line and not claim.length:
        return ""
    there = repository.count_lines(claim.path)
    if there is None:
        return ""
    if claim.line > there:
        return f"{claim.path} has {there} lines, not {claim.line}"
    if claim.length and claim.length != there:
        return f"{claim.path} has {there} lines, not {claim.length}"
    return ""


def _is_there(path: str, repository: RepositoryView) -> bool:
    """A bare name may lie in any folder."""
    if repository.has(path.rstrip("/")):
        return True
    return "/" not in path and any(each.endswith(f"/{path}") for each in repository.files())


def _result(name: str, wrong: Sequence[str], seen: int, well: str) -> CheckResult:
    if not wrong:
        return CheckResult(name, "ok", f"all {seen} files {well}")
    return CheckResult(name, "warn", f"{len(wrong)} do not hold: {some(wrong, 3)}", tuple(wrong))
