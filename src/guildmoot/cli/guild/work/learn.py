"""``guild learn``: a map of the codebase, without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit
from guildmoot.errors import UsageError
from guildmoot.text.clean import clean, count

if TYPE_CHECKING:
    from guildmoot.api.learn import ChangeReach
    from guildmoot.memory.codebase.codebase import Codebase, MappedFile


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "learn",
        "Maps the codebase without a model: languages, parts, imports, tests, history, and the files that"
        " most need care. Kept below .guild/indexes and made anew by what changed.",
        "  guild learn                       the map, and a tour for newcomers\n"
        "  guild learn onboard               the tour: what it is, where to be careful\n"
        "  guild learn explain src/app.py    one file: who uses it, tests, owners\n"
        "  guild learn diff [REVISION]       what depends on what is changed here",
    )
    parser.add_argument("what", nargs="?", default="map", metavar="map|onboard|explain|diff")
    parser.add_argument("target", nargs="?", default="")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.learn import explain_file, learn, reach_of_change

    cwd = Path.cwd()
    if options.what == "map":
        from guildmoot.memory.codebase.codebase import plain

        made = asyncio.run(learn(cwd))
        return emit(plain(made), _rows(made), as_json=options.json)
    if options.what == "onboard":
        from guildmoot.memory.codebase.codebase import tour

        text = tour(asyncio.run(learn(cwd)))
        return emit({"tour": text}, text.splitlines(), as_json=options.json)
    if options.what == "explain" and options.target:
        file = asyncio.run(explain_file(options.target, cwd))
        return emit(_plain_file(file), _file_rows(file), as_json=options.json)
    if options.what == "diff":
        reached = asyncio.run(reach_of_change(options.target or "HEAD", cwd))
        data = {"schema_version": "guild.diff_understanding.v1", **reached._asdict()}
        return emit(data, _reach_rows(reached), as_json=options.json)
    raise UsageError(
        "explain needs a file" if options.what == "explain" else f"learn knows no {options.what}",
        "'guild learn --help' shows what there is.",
    )


def _rows(made: Codebase) -> Iterator[str]:
    yield f"{count(len(made.files), 'file')}, {made.read} read anew"
    if made.left_out:
        yield f"left out: {made.left_out} files above the most that are mapped"
    yield "languages"
    yield from (
        f"  {name:<14} {files:>6} files {lines:>9,} lines"
        for name, files, lines in made.languages[:8]
    )
    yield "largest parts"
    yield from (
        f"  {clean(name):<34} {files:>5} files {lines:>9,} lines"
        for name, files, lines in made.modules[:8]
    )
    if made.entry_points:
        yield "begins at"
        yield from (f"  {clean(each)}" for each in made.entry_points[:8])
    risky = made.riskiest(8)
    if risky:
        yield "needs care (changed often, branches much, doubled where no test is known)"
        yield from (
            f"  {file.risk:>5} {clean(file.path)}  {file.history.commits} commits, "
            f"{count(len(file.tests), 'test')}"
            for file in risky
        )
    yield "a tour: .guild/indexes/onboarding-tour.md"


def _file_rows(file: MappedFile) -> Iterator[str]:
    yield f"{clean(file.path)}: {file.facts.language}, {file.facts.lines} lines, risk {file.risk}"
    for title, names in (
        ("imports", file.imports),
        ("used by", file.dependents),
        ("tests", file.tests),
    ):
        yield f"  {title}: {len(names)}"
        yield from (f"    {clean(name)}" for name in names[:12])
        if len(names) > 12:
            yield f"    and {len(names) - 12} more"
    who = ", ".join(f"{clean(name)} ({times})" for name, times in file.history.owners)
    yield f"  changed {file.history.commits} times" + (f", by {who}" if who else "")


def _plain_file(file: MappedFile) -> dict[str, object]:
    return {
        "path": file.path,
        "language": file.facts.language or None,
        "lines": file.facts.lines,
        "imports": list(file.imports),
        "dependents": list(file.dependents),
        "tests": list(file.tests),
        "commits": file.history.commits,
        "owners": [{"name": name, "commits": times} for name, times in file.history.owners],
        "risk": file.risk,
    }


def _reach_rows(reached: ChangeReach) -> Iterator[str]:
    changed, far = count(len(reached.changed), "file"), count(len(reached.reached), "file")
    yield f"{changed} changed, {far} depend on them: risk {reached.risk}"
    yield from (f"  reaches {clean(name)}" for name in reached.reached[:20])
    yield from (f"  no test is known of {clean(name)}" for name in reached.untested[:10])
