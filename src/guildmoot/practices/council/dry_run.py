"""What a council would take and send, before anything is called."""

from __future__ import annotations

import tempfile
from pathlib import Path

from guildmoot.calls.estimate import DryRun, estimate
from guildmoot.calls.pricing import read_prices
from guildmoot.config import Config
from guildmoot.model.call import Call
from guildmoot.model.packet import Packet
from guildmoot.packet import PacketRequest
from guildmoot.practices.council.explorers import LONGEST_QUESTION, foreseen_calls
from guildmoot.practices.council.judge import council_calls
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.run import council_packet, seat
from guildmoot.practices.council.seats import PlannedCouncil, SeatedCouncil

SECOND_ROUND = "A second round would ask every judge twice more; it is not in these numbers."
THREE_ROUNDS = "A duel asks every expert three times; these numbers are for the first."


def dry_run(plan: CouncilPlan, request: PacketRequest | Packet, config: Config) -> DryRun:
    """What the council would take and send; nothing is called, recorded or spent."""
    packet = council_packet(plan, request)
    council = SeatedCouncil(PlannedCouncil(plan, ""), packet, seat(plan, packet).seats, config)
    calls: list[Call] = foreseen_calls(council, "?" * LONGEST_QUESTION)
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        calls += council_calls(council, Path(scratch), {}).to_make
    prices = read_prices(config.prices, "[prices]")
    found = estimate(calls, prices, int(config.number("budget.max_output")))
    settings = [f"  {name}: {value} ({source})" for name, value, source in plan.sources if value]
    notes = [f"  note: {note}" for note in plan.notes]
    return DryRun(
        found,
        packet,
        before=(f"COUNCIL {plan.task}: {plan.target}", *notes, "SETTINGS", *settings),
        after=_more(plan),
        more={
            "task": plan.task,
            "agents": plan.agents,
            "modes": list(plan.modes),
            "notes": [*plan.notes, *_more(plan)],
            "settings": [
                {"setting": name, "value": value, "source": source}
                for name, value, source in plan.sources
            ],
        },
    )


def _more(plan: CouncilPlan) -> tuple[str, ...]:
    if plan.task == "debate":
        return (THREE_ROUNDS,)
    return (SECOND_ROUND,) if plan.debate != "off" else ()
