"""``guild collect``: read the replies of agents that prompts were handed to, and go on with the run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_options, read_stdin, text
from guildmoot.cli.output import add_output, emit, judge
from guildmoot.errors import EXIT_OK, EXIT_UNDECIDED

if TYPE_CHECKING:
    from guildmoot.api.handed import HandOut


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "collect",
        "Go on with a run whose prompts were handed out (--hand-out of validate, council, vibe,\n"
        "pre-mortem, post-mortem, whiteboard run and spawn): read the replies, hand out again what could\n"
        "not be read or follows from them, and print the verdict when nothing is missing. RUN is\n"
        "an id, the start of one, or 'last'; without it, the newest run that waits.",
        "  guild collect                       replies are in the files that were named\n"
        "  guild collect last --replies out/   files named SEAT.md\n"
        '  echo \'{"SEAT": "its reply"}\' | guild collect --replies -\n'
        "  guild collect --close               who has not answered is absent\n\n"
        "exit codes: those of the run's own verb; 3 while replies are waited for",
    )
    add_options(
        parser,
        ("run", "the run", {"nargs": "?", "metavar": "RUN"}),
        ("--replies", "a folder of replies, or - for JSON", text("FOLDER|-")),
        ("--close", "wait no longer for who has not answered", YES),
    )
    add_output(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.handed import CollectRequest, collect, find_waiting, read_replies
    from guildmoot.api.runs import practice_for

    said = options.replies
    request = CollectRequest(
        options.run or "",
        Path(said) if said and said != "-" else None,
        read_replies(read_stdin().decode("utf-8", "replace")) if said == "-" else None,
        options.close,
    )
    practice = practice_for(find_waiting(request))
    return judge(options, practice, lambda watch: collect(request, watch))


def show_handed(handed: HandOut, options: argparse.Namespace) -> int:
    """Print what is waited for: whole prompts as JSON, for people and agents where they lie."""
    data = {
        "result": "waiting",
        "run_id": handed.run_id,
        "kind": handed.kind,
        "road": "handed out to the agents of the host",
        "host": handed.host or None,
        "independence": "one family: agreement among them is coverage, not independent votes",
        "waves": handed.waves,
        "calls": [
            {**call._asdict(), "prompt": Path(call.prompt_file).read_text("utf-8", "replace")}
            for call in handed.calls
        ],
        "next": f"guild collect {handed.run_id}",
    }
    emit(data, _rows(handed), as_json=options.json)
    return EXIT_OK if getattr(options, "hand_out", False) else EXIT_UNDECIDED


def _rows(handed: HandOut) -> list[str]:
    by_id = {call.id: call for call in handed.calls}
    many = len(handed.calls)
    who = "1 reply of an agent" if many == 1 else f"{many} replies of agents"
    rows = [f"{handed.run_id} waits for {who} of yours."]
    rows += ["Give each agent this task and nothing else, all of a wave at once:"]
    for number, wave in enumerate(handed.waves, 1):
        rows.append(f"wave {number}")
        for name in wave:
            call = by_id[name]
            again = ", once more: its reply could not be counted" if call.attempt else ""
            rows.append(f"  {call.seat}{again}")
            rows.append(f"    Read {call.prompt_file}")
            rows.append(f"    and do what it says. Write your whole reply to {call.reply_file}")
    return [*rows, f"Then: guild collect {handed.run_id}"]
