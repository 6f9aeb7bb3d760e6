"""``guild lint``: what is wrong with the documents of the lifecycle, and how to mend it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.errors import EXIT_FLAGGED, EXIT_OK
from guildmoot.text.clean import clean, count, one_line

if TYPE_CHECKING:
    from guildmoot.lifecycle.lint import LintedFile


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "lint",
        "Checks spec, team, plan, context bundle, receipt, review, verify, reflection, skill and"
        " agent files, and says how to mend what is wrong. What a file is, is told by its place"
        " below .guild/ or by its front matter. Exit code 0 when nothing is wrong, else 2.",
        "  guild lint .guild/plan/shop.md         a plan, with team and spec beside it\n"
        "  guild lint --json .guild/spec/*.md     one JSON object a file, a line each",
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import lint

    found = asyncio.run(lint(options.files, Path.cwd()))
    if options.json:
        import json

        sys.stdout.writelines(f"{json.dumps(_plain(file))}\n" for file in found)
    else:
        sys.stdout.writelines(f"{row}\n" for row in _rows(found))
    return EXIT_FLAGGED if any(file.problems for file in found) else EXIT_OK


def _plain(file: LintedFile) -> dict[str, object]:
    return {
        "file": file.file,
        "kind": file.kind or None,
        "problems": [
            {"code": each.code, "line": each.line, "message": each.message}
            for each in file.problems
        ],
    }


def _rows(found: list[LintedFile]) -> Iterator[str]:
    for file in found:
        name = clean(file.file).replace("\n", "\\n")  # a name cannot write a line of its own
        for each in file.problems:
            yield f"{name}:{each.line}: {each.code}: {one_line(each.message)}"
        if not file.problems:
            yield f"{name}: {file.kind}, nothing wrong"
    wrong = sum(len(file.problems) for file in found)
    if wrong:
        yield f"{count(wrong, 'problem')} in {count(len(found), 'file')}"
