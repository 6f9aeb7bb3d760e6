"""What the guard refused, asked for and was overruled on, in the user's own state: the evidence to tune a policy by.

What it let pass unasked is counted in runs alone (``guard.hooks.record``): a write on every call is too dear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.guard.hooks.approvals import list_questions, now_text
from guildmoot.guard.hooks.places import guard_folder
from guildmoot.guard.hooks.record import rotate
from guildmoot.guard.scrub import append_telemetry
from guildmoot.guard.telemetry import CALLS, SECURITY, read_log
from guildmoot.system.files import read_rows

if TYPE_CHECKING:
    from guildmoot.guard.decision import Decision
    from guildmoot.guard.hooks.events import HookEvent

FILE = "decisions.jsonl"


def log_decision(event: HookEvent, action: str, decision: Decision, override: str = "") -> str:
    """Keep one decision; a warning where it could not be kept."""
    folder = Path(guard_folder(event.env))
    row = {
        "ts": now_text(),
        "action": action,
        "code": decision.code,
        "host": event.host,
        "tool": event.own_tool,
        "part": decision.part[:300],
        "folder": event.cwd,
        **({"override": override} if override else {}),
    }
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        rotate(folder / FILE)
    except OSError as wrong:
        return str(wrong)
    return append_telemetry(folder / FILE, [row])


class RuleUse(NamedTuple):
    """How one rule fared."""

    code: str
    denied: int
    asked: int
    approved: int
    """Questions and refusals that a person answered with yes."""
    refused: int
    """That a person answered with no."""
    overrides: int
    """Calls that passed on a person's word."""
    example: str


class GuardReport(NamedTuple):
    """What the guard did."""

    since: str
    rules: tuple[RuleUse, ...]
    waiting: int
    runs: int
    calls: int
    """Calls that runs have on record."""
    security: Mapping[str, int]
    """Security events of those runs, by type."""


def guard_report(env: Mapping[str, str], project: Path | None = None) -> GuardReport:
    """Read what is on record; lines that cannot be read are left out."""
    rows = [row for row in read_rows(Path(guard_folder(env)) / FILE) if row]
    questions = list_questions(env)
    told: dict[str, str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        code, action = str(row.get("code")), str(row.get("action"))
        counts[code, "override" if row.get("override") else action] += 1
        told.setdefault(code, str(row.get("part", "")))
    for each in questions:
        if each.answer:
            counts[each.code, each.answer] += 1
            told.setdefault(each.code, each.call)
    rules = [
        RuleUse(
            code,
            denied=counts[code, "deny"],
            asked=counts[code, "ask"],
            approved=counts[code, "approved"],
            refused=counts[code, "denied"],
            overrides=counts[code, "override"],
            example=example,
        )
        for code, example in told.items()
    ]
    rules.sort(key=lambda rule: (-rule.denied - rule.asked, rule.code))
    since = min((str(row.get("ts")) for row in rows), default="")
    waiting = sum(each.state == "waiting" for each in questions)
    runs, calls, security = _runs(project)
    return GuardReport(since, tuple(rules), waiting, runs, calls, security)


def _runs(project: Path | None) -> tuple[int, int, Mapping[str, int]]:
    runs = calls = 0
    security: Counter[str] = Counter()
    for folder in _run_folders(project):
        rows = [row for row in read_log(folder, SECURITY) if row]
        ended = [row for row in read_log(folder, CALLS) if row]
        runs += bool(rows or ended)
        calls += sum(row.get("event") == "tool_call" for row in ended)
        security.update(str(row.get("event_type")) for row in rows)
    return runs, calls, security


def _run_folders(project: Path | None) -> Iterator[Path]:
    place = project / ".guild/runs" if project else None
    if place and place.is_dir() and not place.is_symlink():
        yield from sorted(
            each for each in place.iterdir() if each.is_dir() and not each.is_symlink()
        )
