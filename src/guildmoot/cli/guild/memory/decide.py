"""``guild decide``: records what a person decided. Parses, calls ``api.decide``, prints."""

from __future__ import annotations

from guildmoot.cli.arguments import Parser, add_json, add_options, many, text
from guildmoot.cli.output import emit


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "decide",
        "Record a decision. Low significance is a line among the assumptions; medium and high become a page "
        "under .guild/wiki/decisions that is never edited. Panels see those that concern their files with "
        "--decisions auto.",
        "  guild decide 'Which cache?' --why 'reads are slow' --option redis \\\n"
        "      --answer redis --significance high --path 'src/cache/**'\n"
        "  guild decide 'Which cache now?' --answer memory --supersedes which-cache",
    )
    parser.add_argument("question", metavar="QUESTION", help="what was asked")
    parser.add_argument("--answer", required=True, metavar="TEXT", help="what was decided")
    add_options(
        parser,
        ("--why", "why it matters", text("TEXT")),
        ("--option", "one of the options considered; several may be given", many("TEXT")),
        ("--significance", "low, medium or high (medium)", text("S")),
        ("--category", "architecture, copy, pricing, data-model, voice or other", {**text("C"), "default": "other"}),
        ("--consequences", "what follows from it", text("TEXT")),
        ("--path", "a glob of the files that it concerns; several may be given", many("GLOB")),
        ("--supersedes", "the decision that this one replaces", text("PAGE")),
        ("--task", "the task in which it came up", text("T")),
        ("--slug", "the page's name; without it the question's words", text("NAME")),
        ("--run", "the run whose assumptions a low one belongs to", text("RUN")),
    )  # fmt: skip
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.decide import decide
    from guildmoot.calls import run_foreground
    from guildmoot.memory.wiki.decisions import RecordedDecision

    decision = RecordedDecision(
        options.question, options.answer, options.why, tuple(options.option), options.significance,
        options.category, options.consequences, options.task, tuple(options.path), options.supersedes,
        options.slug, options.run,
    )  # fmt: skip
    done = run_foreground(decide(decision))
    rows = [
        f"decided: .guild/{done.path} ({done.significance})",
        *(f"  assumed  {each}" for each in done.assumptions),
    ]
    return emit(done._asdict(), rows, as_json=options.json)
