"""What a council would take and send, before anything is called."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls.estimate import Estimate, estimate, estimate_json, estimate_rows
from guildmoot.calls.pricing import read_prices
from guildmoot.config import Config
from guildmoot.model.call import Call
from guildmoot.model.packet import Packet
from guildmoot.packet import Request, build_packet
from guildmoot.practices.council.explorers import LONGEST_QUESTION, foreseen_calls
from guildmoot.practices.council.judge import council_calls
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.run import seat, with_sections

SECOND_ROUND = "A second round would ask every judge twice more; it is not in these numbers."
THREE_ROUNDS = "A duel asks every expert three times; these numbers are for the first."


class Foretold(NamedTuple):
    """A council that was not convened."""

    plan: CouncilPlan
    estimate: Estimate
    packet: Packet


def dry_run(plan: CouncilPlan, request: Request, config: Config) -> Foretold:
    """What the council would take and send; nothing is called, recorded or spent."""
    packet = build_packet(with_sections(request, plan))
    seats = seat(plan, packet).seats
    question = "?" * LONGEST_QUESTION
    calls: list[Call] = foreseen_calls(seats, packet, plan, question)
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        calls += council_calls(seats, packet, plan, config, Path(scratch), {}).to_make
    prices = read_prices(config.prices, "[prices]")
    found = estimate(calls, prices, int(config.number("budget.max_output")))
    return Foretold(plan, found, packet)


def foretold_rows(found: Foretold) -> list[str]:
    """``--dry-run`` for people."""
    plan = found.plan
    head = [f"COUNCIL {plan.task}: {plan.target}", *(f"  note: {note}" for note in plan.notes)]
    settings = [f"  {name}: {value} ({source})" for name, value, source in plan.sources if value]
    return [
        *head,
        "SETTINGS",
        *settings,
        *estimate_rows(found.estimate, found.packet),
        *_more(plan),
    ]


def foretold_json(found: Foretold) -> dict[str, object]:
    """``--dry-run`` for programs."""
    plan = found.plan
    return {
        **estimate_json(found.estimate, found.packet),
        "task": plan.task,
        "agents": plan.agents,
        "modes": list(plan.modes),
        "notes": [*plan.notes, *_more(plan)],
        "settings": [
            {"setting": name, "value": value, "source": source}
            for name, value, source in plan.sources
        ],
    }


def _more(plan: CouncilPlan) -> list[str]:
    if plan.task == "debate":
        return [THREE_ROUNDS]
    return [SECOND_ROUND] if plan.debate != "off" else []
