"""``guild baseline``: accept what a whole repository holds, so that later runs tell what is new."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, watch_run
from guildmoot.text.clean import clean, count

if TYPE_CHECKING:
    from guildmoot.memory.baseline import Baseline

_FILE = ".guild/baseline.json"
_CODES = 12


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "baseline",
        "Judge the whole repository and accept what is found: later runs set it aside, list it in\n"
        f"their reports and tell what is new. It is kept in {_FILE}, which you can commit;\n"
        "others use it once they trust it ('guild trust'), and CI where the base branch holds it.",
        "  guild baseline               draw the line here, for the whole repository\n"
        "  guild baseline src           the same for a folder alone\n"
        "  guild baseline show          what it holds\n"
        "  guild baseline clear         take it away\n"
        "  guild validate . --no-baseline   judge as if there were none",
    )
    parser.add_argument("targets", nargs="*", metavar="show|clear|TARGET", help="see the examples")
    add_json(parser)
    options = parser.parse_args(argv)
    if options.targets == ["show"]:
        return _show(as_json=options.json)
    if options.targets == ["clear"]:
        return _clear(as_json=options.json)
    return _draw(tuple(options.targets) or (".",), as_json=options.json)


def _draw(targets: tuple[str, ...], *, as_json: bool) -> int:
    from guildmoot.api.baseline import draw_baseline
    from guildmoot.calls import run_foreground

    with watch_run(quiet=as_json) as watch:
        drawn = run_foreground(draw_baseline(targets, watch=watch))
    held = drawn.found.prints.total()
    rows = [
        f"{count(held, 'finding')} accepted in {_FILE}, {drawn.blocking:,} of which would block.",
        f"Commit it (git add -f {_FILE}); 'guild baseline show' tells what it holds.",
    ]
    return emit({**_plain(drawn.found), "blocking": drawn.blocking}, rows, as_json=as_json)


def _show(*, as_json: bool) -> int:
    from guildmoot.api.baseline import show_baseline

    found = asyncio.run(show_baseline())
    return emit(_plain(found), _rows(found), as_json=as_json)


def _clear(*, as_json: bool) -> int:
    from guildmoot.api.baseline import clear_baseline

    done = asyncio.run(clear_baseline())
    row = f"{_FILE} is gone; what it held is told again." if done else "There is no baseline here."
    return emit({"cleared": done}, [row], as_json=as_json)


def _rows(found: Baseline) -> Iterator[str]:
    if found.notice:
        yield found.notice
    if not found.prints:
        yield "No baseline counts here: 'guild baseline' draws one."
        return
    by = f" by {clean(found.who)}" if found.who else ""
    yield f"{count(found.prints.total(), 'finding')} accepted {clean(found.when)}{by}:"
    for code, number in found.codes.most_common(_CODES):
        yield f"  {number:,} × {clean(code)}"
    if len(found.codes) > _CODES:
        yield f"  and {count(len(found.codes) - _CODES, 'other code')}"


def _plain(found: Baseline) -> dict[str, object]:
    return {
        "file": _FILE,
        "findings": found.prints.total(),
        "codes": dict(found.codes.most_common()),
        "when": found.when or None,
        "who": found.who or None,
        "notice": found.notice or None,
    }
