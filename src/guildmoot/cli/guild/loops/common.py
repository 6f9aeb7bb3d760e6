"""What both loops share at the command line: the options of the proof, and the fields that the router reads."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, TypeVar

from guildmoot.cli.arguments import add_options, many, number

if TYPE_CHECKING:
    from guildmoot.api.loops import InteractiveReport, LoopReport

_Report = TypeVar("_Report", "LoopReport", "InteractiveReport")
_CAUSES = {"infrastructure": "infrastructure", "stopped": "interrupted"}
"""Ends that are no word of the loop's on the work: the router hears 'aborted', and why."""


def add_proof(parser: argparse.ArgumentParser) -> None:
    """What proves a unit."""
    judges = "who judges each unit; else the panel that the files call for"
    add_options(
        parser,
        ("--verify", "command that must pass; several may be given", many("CMD", str)),
        ("--with", "ignored folder that it needs, copied for it: .venv", many("PATH", str)),
        ("--agents", judges, many("A", str)),
        ("--timeout", "seconds for one command", {**number(float, "S"), "default": 600.0}),
        title="what proves it",
    )


def router_fields(report: LoopReport | InteractiveReport) -> dict[str, object]:
    """What every end of a loop tells the router."""
    url = str(report.pull.get("url") or "") if report.pull else ""
    return {
        "status": "aborted" if report.status in _CAUSES else report.status,
        "cause": _CAUSES.get(report.status, ""), "phase": report.phase, "branch": report.branch,
        "last_checkin": report.last_checkin, "last_pr_update": url or "none", "pull_request": report.pull,
        "pr_subscription": "unavailable" if url else "n.a.", "reason": report.reason,
        "next_action": report.next_action,
    }  # fmt: skip


def router_lines(report: LoopReport | InteractiveReport, tiers: str) -> Iterator[str]:
    """The same for people, in the order in which it is read: status, phase, what was run, what comes next."""
    told = router_fields(report)
    yield from field("Status", str(told["status"]))
    yield from field("Phase", f"{report.phase['number']} {report.phase['name']}")
    yield from field("Branch", report.branch)
    label, _, value = tiers.partition(": ")
    yield from field(label, value)
    yield from field("Last checkin", report.last_checkin or "none")
    yield from field("Last PR update", str(told["last_pr_update"]))
    if report.pull and not report.pull.get("url"):
        yield from indented([str(report.pull.get("note"))])
        if report.pull.get("body_file"):
            yield f"  its text: {report.pull['body_file']}"
    yield from field("PR subscription", str(told["pr_subscription"]))
    if report.reason:
        yield from field("Reason", report.reason)
    yield f"Next action: {report.next_action}"


def field(name: str, value: str) -> list[str]:
    """One field, on more than one line where it must be."""
    return _fit(f"{name}: {value}", "", "  ")


def indented(lines: Iterable[str], by: int = 2) -> Iterator[str]:
    """Prose that fits the terminal."""
    for line in lines:
        own = " " * (by + len(line) - len(line.lstrip()))
        yield from _fit(line.lstrip(), own, f"{own}  ")


def _fit(text: str, first: str, later: str) -> list[str]:
    """In lines of 79; a long word, such as a path, stays whole."""
    return wrap(
        text, 79, initial_indent=first, subsequent_indent=later,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def write_reports(
    reports: Sequence[_Report], as_json: bool,
    plain: Callable[[_Report], Mapping[str, object]], lines: Callable[[_Report], Iterator[str]],
) -> int:  # fmt: skip
    """The reports of a stack of phases, the last one last; its exit code."""
    if as_json:
        from guildmoot.system.jsonio import dumps

        below = [plain(report) for report in reports[:-1]]
        told = {**plain(reports[-1]), **({"below": below} if below else {})}
        sys.stdout.write(dumps(told) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for report in reports for line in lines(report))
    return reports[-1].exit_code
