"""``guild spawn``: any number of agents at once on one brief; prints what each said, in order."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from guildmoot.cli.arguments import (
    HAND_OUT,
    Parser,
    add_json,
    add_options,
    given,
    handed_flags,
    listed,
    number,
    read_stdin,
    text,
)
from guildmoot.cli.output import tell
from guildmoot.errors import UsageError
from guildmoot.system.jsonio import dumps


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "spawn",
        "Run agents at once on one brief. Prints {agents, outputs: [{agent, output}]} in the order\n"
        "of the input; a call that failed has its error as output. With --hand-out your own agents\n"
        "are asked, and 'guild collect' prints it when they have replied.",
        "  guild spawn --agents planner,sceptic --brief 'How should retries work?'\n"
        '  guild spawn --agents a,b --brief @b.md --context \'{"a": "you own the API"}\'',
    )
    add_options(
        parser,
        ("--agents", "whom to ask", listed()),
        ("--brief", "what every agent is told", text("TEXT|@FILE|-")),
        ("--context", "more for some: {agent: text}", {"default": "{}", "metavar": "JSON"}),
        ("--model", "what agents run on whose files leave it open", {"metavar": "M"}),
        HAND_OUT,
        ("--timeout", "seconds for one agent", {**number(float, "S"), "default": 120.0}),
        ("--deadline", "seconds for all of them", number(float, "S")),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.ask import spawn
    from guildmoot.api.handed import waiting
    from guildmoot.calls import Watch, run_foreground
    from guildmoot.practices.spawn import SpawnRequest, result_json

    settings = {**given(options, {"panel.model": "model"}), **handed_flags(options, "panel.model")}
    request = SpawnRequest(
        agents=options.agents,
        brief=_text(options.brief),
        context=_context(options.context),
        timeout=options.timeout,
        deadline=options.deadline,
        settings=settings,
    )
    result = run_foreground(spawn(request, Watch(on_note=tell)))
    if result.interrupted and (handed := waiting(result.run_id)):
        from guildmoot.cli.guild.places.collect import show_handed

        return show_handed(handed, options)
    sys.stdout.write(dumps(result_json(result)) + "\n")
    return result.exit_code


def _text(value: str) -> str:
    if value == "-":
        return read_stdin().decode("utf-8", "replace")
    if not value.startswith("@"):
        return value
    from guildmoot.system.git import refuse_brought_link

    refuse_brought_link(Path(value[1:]), Path.cwd())
    return Path(value[1:]).read_text(encoding="utf-8")


def _context(text: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"guild-spawn-error: --context is not JSON: {error}") from None
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise UsageError("guild-spawn-error: --context must be an object of agent: text")
    return value
