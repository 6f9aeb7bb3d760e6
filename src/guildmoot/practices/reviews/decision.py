"""The wrappers' words for a verdict. Pure: the same report always gives the same word.

    vibe          REFACTOR when the complexity check does not pass, else FIX when the work fails or
                  a significant issue or a check stands against it, else SHIP
    pre-mortem    PASS is PROCEED, WARN is ADDRESS, FAIL is RETHINK
    post-mortem   PASS is CLOSE, WARN is FOLLOW-UP, FAIL is REOPEN

Without a verdict there is no word: nobody decides on what was not judged.
"""

from __future__ import annotations

from guildmoot.model.council import CouncilReport
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.practices.reviews.checks.complexity import NAME as COMPLEXITY

_PRE_MORTEM: dict[CouncilWord, str] = {"PASS": "PROCEED", "WARN": "ADDRESS", "FAIL": "RETHINK"}
_POST_MORTEM: dict[CouncilWord, str] = {"PASS": "CLOSE", "WARN": "FOLLOW-UP", "FAIL": "REOPEN"}


def decide_vibe(report: CouncilReport) -> str:
    """SHIP, FIX or REFACTOR."""
    if not _is_judged(report):
        return ""
    against = {name for name, result, _ in report.checks if result in ("warn", "fail")}
    if COMPLEXITY in against:
        return "REFACTOR"
    grave = any(issue.severity != "low" for issue in report.issues)
    if report.verdict == "FAIL" or (report.verdict == "WARN" and (grave or against)):
        return "FIX"
    return "SHIP"


def decide_pre_mortem(report: CouncilReport) -> str:
    """PROCEED, ADDRESS or RETHINK."""
    return _PRE_MORTEM[report.verdict] if report.verdict and _is_judged(report) else ""


def decide_post_mortem(report: CouncilReport) -> str:
    """CLOSE, FOLLOW-UP or REOPEN."""
    return _POST_MORTEM[report.verdict] if report.verdict and _is_judged(report) else ""


def _is_judged(report: CouncilReport) -> bool:
    return report.outcome in ("PASS", "WARN", "FAIL", "DISAGREE")
