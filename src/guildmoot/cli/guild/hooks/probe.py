"""``guild guard probe``: is each way of an agent to act really covered?"""

from __future__ import annotations

import asyncio

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, shorten
from guildmoot.errors import EXIT_FLAGGED

_HOSTS = ("claude", "codex", "gemini")


def main(argv: list[str]) -> int:
    """Run the word."""
    parser = Parser(
        "guard probe",
        "Starts each installed agent in this project with a scripted model on loopback that asks for"
        " a harmless canary, which the guard denies. Says covered, not covered or unknown for each"
        " way to act. No key of yours is used and no network. Exit 2 when a way that the"
        " installation claims is open, 3 when it is not known or no agent is installed.",
        "  guild guard probe             every agent that is installed\n"
        "  guild guard probe --claude    only this one",
    )
    for host in _HOSTS:
        parser.add_argument(f"--{host}", action="store_true", help=f"only {host}")
    parser.add_argument("--timeout", type=float, default=90.0, metavar="S", help="seconds for each")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.guarding import probe_guard

    hosts = [host for host in _HOSTS if getattr(options, host)] or list(_HOSTS)
    found = asyncio.run(probe_guard(hosts, options.timeout))
    rows = [
        shorten(
            f"{each.coverage:<12} {each.host:<7} {each.surface}{f'  ({each.detail})' if each.detail else ''}"
        )
        for each in found
    ]
    emit(
        {"surfaces": [each._asdict() for each in found]},
        rows or ["No agent is installed here: claude, codex and gemini are looked for on PATH."],
        as_json=options.json,
    )
    claimed = [each.coverage for each in found if each.claimed]
    return (
        EXIT_FLAGGED if "not covered" in claimed else 3 if "unknown" in claimed or not found else 0
    )
