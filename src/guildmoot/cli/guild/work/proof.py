"""``guild work review``, ``verify`` and ``reflect``: whether the work is done, and what it taught."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, listed, number, text
from guildmoot.cli.guild.work.execute import plain_checks, plain_lanes
from guildmoot.cli.guild.work.show import short_path, wrapped
from guildmoot.cli.guild.work.work import MODEL, model_flag
from guildmoot.cli.output import emit
from guildmoot.cli.person import not_in_a_lane
from guildmoot.errors import EXIT_FLAGGED, EXIT_OK, EXIT_UNDECIDED, UsageError

if TYPE_CHECKING:
    from guildmoot.api.lifecycle.proof import CleanRuns, LanesReviewed, WorkVerified

_MARKS = {"pass": "✓", "follow-up": "✓", "fail": "✗", "undecided": "?", "not run": "-"}
_RUNS = (
    ("--with", "copy what git ignores into the clean checkout, e.g. .venv",
     {"action": "append", "metavar": "PATH", "dest": "copies"}),
    ("--timeout", "seconds that one command may take (600)", number(float)),
)  # fmt: skip


def review(argv: list[str]) -> int:
    """Look at every lane in two stages."""
    parser = Parser(
        "work review",
        "Looks at what each lane handed over: by code (its scope, its policy, what it left open), then by"
        " judges, with the lane's own checks in a clean checkout as evidence. A lane that fails is sent"
        " back once with the findings: 'guild work execute' does it again.",
        "  guild work review link-shortener --yes --json",
    )
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser, ("--agents", "who judges instead of those that fit the files", listed("A,B")),
        *_RUNS, MODEL, ("--yes", "ask nothing", YES),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.lifecycle.proof import review_lanes

    runs = _clean_runs(options.copies, options.timeout)
    found = asyncio.run(
        review_lanes(
            options.slug, Path.cwd(), runs, tuple(options.agents),
            settings=model_flag(options.model),
        )
    )  # fmt: skip
    data = {
        "run": found.run, "status": found.status, "branch": found.branch, "file": str(found.file),
        "lanes": [
            {"task": lane.task, "owner": lane.owner, "status": lane.status,
             "reason": "; ".join(lane.failing), "stage1": lane.stage1, "stage2": lane.stage2,
             "failing": list(lane.failing), "followups": list(lane.followups),
             "run": lane.run, "judges": [each.words for each in lane.judges],
             "challenger": lane.challenger,
             "findings": [{**each._asdict(), "blocks": each.blocks} for each in lane.findings]}
            for lane in found.lanes
        ],
        "sent_back": list(found.sent_back),
    }  # fmt: skip
    emit(data, _review_rows(found), as_json=options.json)
    return {"fail": EXIT_FLAGGED, "undecided": EXIT_UNDECIDED}.get(found.status, EXIT_OK)


def _review_rows(found: LanesReviewed) -> Iterator[str]:
    for lane in found.lanes:
        yield f"{_MARKS.get(lane.status, '?')} {lane.task}: rules {lane.stage1}, judges {lane.stage2}"
        if lane.run:
            judges = ", ".join(each.words for each in lane.judges)
            yield from wrapped(f"    judged by {judges or 'nobody'}", "      ")
        if lane.challenger:
            yield from wrapped(f"    challenged by {lane.challenger}", "      ")
        for said in lane.failing:
            yield from wrapped(f"    {said}", "      ")
        for said in lane.followups[:5]:
            yield from wrapped(f"    later: {said}", "      ")
    yield f"review: {found.status}  {short_path(found.file)}"
    if found.sent_back:
        yield from wrapped(f"sent back with the findings: {', '.join(found.sent_back)}")
        yield "next: guild work execute"
    elif found.verdict != "fail":
        yield "next: guild work verify"


def verify(argv: list[str]) -> int:
    """Make the five checks on the result."""
    parser = Parser(
        "work verify",
        "Five checks on the result, up to the first that does not pass: the acceptance commands of the spec"
        " in a clean checkout, the files against the scopes, each criterion against what shows it, blocking"
        " follow-ups, and the assumptions, which a person lets stand or disputes.",
        "  guild work verify link-shortener --yes --json",
    )
    parser.add_argument("slug", nargs="?", default="")
    add_options(
        parser, ("--yes", "the assumptions were seen and stand", YES),
        ("--dispute", "an assumption that is wrong, until you take it back", {"action": "append", "metavar": "TEXT"}),
        *_RUNS,
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.lifecycle.proof import verify_work

    runs = _clean_runs(options.copies, options.timeout)
    found = asyncio.run(
        verify_work(
            options.slug, Path.cwd(), runs, accepted=options.yes, disputed=options.dispute or ()
        )
    )
    data = {
        "run": found.run, "status": found.status, "commit": found.commit,
        "branch": found.branch, "file": str(found.file), "assumptions": list(found.assumptions),
        "checks": plain_checks(found.checks),
        "lanes": plain_lanes(found.lanes),
    }  # fmt: skip
    emit(data, _verify_rows(found), as_json=options.json)
    return {"FAIL": EXIT_FLAGGED, "UNDECIDED": EXIT_UNDECIDED}.get(found.status, EXIT_OK)


def _verify_rows(found: WorkVerified) -> Iterator[str]:
    for each in found.checks:
        yield f"{_MARKS[each.result]} {each.number} {each.name}: {each.result}"
        for said in each.evidence:
            yield from wrapped(f"    {said}", "      ")
    yield f"verified: {found.status}  {short_path(found.file)}"
    if found.passed:
        yield from wrapped(
            f"the result is on {found.branch}; nothing is on your branch: git merge {found.branch}"
        )


def accept(argv: list[str]) -> int:
    """Let something stand by a person's word."""
    parser = Parser(
        "work accept",
        "Lets stand what a lane left open although it says that it blocks, or a criterion that no rule could"
        " decide, and takes back a dispute: your name and your reason are kept, and review.md and verify.md tell them.",
        "  guild work accept link-shortener 'criterion 2' --why 'I looked at the page'\n"
        "  guild work accept link-shortener T2-devops --why 'deployed by hand'",
    )
    parser.add_argument("slug")
    parser.add_argument(
        "item", help="'criterion N', tests, dispute, a lane, or words of what is meant"
    )
    add_options(parser, ("--why", "your reason; it is kept", text("TEXT")))
    add_json(parser)
    options = parser.parse_args(argv)
    not_in_a_lane("work accept")
    if not options.why.strip():
        raise UsageError("a reason is needed.", "Say it with --why TEXT: it is kept.")
    from guildmoot.api.lifecycle.proof import accept_item

    found = asyncio.run(accept_item(options.item, options.why, options.slug, Path.cwd()))
    rows = [row for each in found for row in wrapped(f"stands: {each}")]
    return emit({"accepted": list(found)}, [*rows, "next: guild run"], as_json=options.json)


def reflect(argv: list[str]) -> int:
    """Write what a run taught."""
    parser = Parser(
        "work reflect",
        "Writes what the run taught, as proposals: skills to improve, specialists that were missing, briefs"
        " that did not fit, what is left to do. Nothing else is changed.",
    )
    parser.add_argument("slug", nargs="?", default="")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.lifecycle.proof import reflect_on

    found, file = asyncio.run(reflect_on(options.slug, Path.cwd()))
    rows = [f"significance {found.significance}  {short_path(file)}"]
    rows += [row for said in found.why for row in wrapped(f"  {said}", "    ")]
    data = {
        "significance": found.significance, "file": str(file), "why": list(found.why),
        "proposals": {name: list(each) for name, each in found.proposals.items()},
    }  # fmt: skip
    return emit(data, rows, as_json=options.json)


def _clean_runs(copies: list[str] | None, timeout: float | None) -> CleanRuns:
    from guildmoot.api.lifecycle.proof import CleanRuns

    return CleanRuns(timeout or CleanRuns().timeout, tuple(copies or ()))
