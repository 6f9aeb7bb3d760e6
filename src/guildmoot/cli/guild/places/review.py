"""``guild review``: judge a pull request by its number, and print the review or post it as pending."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, given, listed, number
from guildmoot.cli.output import emit, show, tell

if TYPE_CHECKING:
    from guildmoot.places.review import PullReview

_SETTINGS = {
    "panel.model": "model",
    "panel.add": "add",
    "panel.fail_on": "fail_on",
    "budget.run_usd": "max_usd",
}
_FATES = {"fixed": "resolved", "still there": "still there", "new": "new"}


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "review",
        "Judge what a pull request changes, through your own gh, and print the review. Judged again\n"
        "after a push, it says what was resolved. Nothing is posted without --post, and what is posted\n"
        "is a pending review, which you look at and submit yourself.",
        "  guild review 12\n  guild review 12 --model claude\n  guild review 12 --post\n"
        "  guild review              the pull request of this branch",
    )
    add_options(
        parser,
        ("pr", "number, address or branch", {"nargs": "?", "default": "", "metavar": "PR"}),
        ("--post", "post it as a pending review", YES),
        ("--remote", "where its commits are fetched from (origin)", {"default": "origin"}),
        ("--model", "ask a model too", {"metavar": "M"}),
        ("--add", "these judges too", listed(default=None)),
        ("--fail-on", "advisories fail too, with 'warn'", {"choices": ("flagged", "warn")}),
        ("--max-usd", "refuse a run that may cost more", number(float, "USD")),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.places import review
    from guildmoot.practices.panel import PANEL

    cwd = Path.cwd()
    pull = review.find_pull(options.pr, cwd)
    found = asyncio.run(review.review(pull, cwd, given(options, _SETTINGS), options.remote))
    beside = review.post(found, cwd) if options.post else None
    if options.json:
        from guildmoot.reports.json import to_json

        data = {**to_json(found.report), "pull_request": pull._asdict(), "since": _since(found)}
        emit({**data, "posted": options.post}, as_json=True)
        return found.report.exit_code
    sys.stdout.write(f"#{pull.number} {pull.title} ({pull.head[:12]})\n")
    show(found.report, PANEL.reports(), as_json=False, details=False)
    for row in _since(found):
        sys.stdout.write(f"  {row['fate']}: {row['place']} {row['title']}\n")
    if beside is None:
        tell("nothing was posted; --post makes it a pending review")
    else:
        tell(f"posted as a pending review, {beside} findings beside their lines: {pull.url}")
    return found.report.exit_code


def _since(found: PullReview) -> list[dict[str, str]]:
    """What became of each finding of the last time, and what is new."""
    from guildmoot.reports.view import place

    rows = []
    for match in found.since.matches if found.since else ():
        shown = match.issue.representative
        where = place(shown) if shown.path else ""
        rows.append({"fate": _FATES.get(match.fate, match.fate), "place": where, "title": shown.title})  # fmt: skip
    return rows
