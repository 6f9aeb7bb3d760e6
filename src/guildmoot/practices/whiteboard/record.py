"""A whiteboard's request as the run's record keeps it, and back; and the replies that a run kept."""

from __future__ import annotations

from pathlib import Path

from guildmoot.codec import from_plain
from guildmoot.errors import UsageError
from guildmoot.model.call import Reply
from guildmoot.practices.whiteboard.boards import PLAN, WHITEBOARD
from guildmoot.practices.whiteboard.prompts import Manners
from guildmoot.practices.whiteboard.request import Plan, WhiteboardRequest
from guildmoot.runs.record import read_part, read_replies
from guildmoot.version import __version__


def read_plan(folder: Path) -> Plan:
    """The plan of a recorded run."""
    kept = read_part(folder, "request")
    if kept.get("practice") != "whiteboard":
        raise UsageError(
            f"{folder.name} is no run of a whiteboard", "'guild runs list' shows them."
        )
    manners = Manners(
        seed=_int(kept["seed"]),
        own_marked=kept["own"] == "marked",
        names_shown=kept["names"] == "shown",
    )
    engineers = kept["engineers"]
    request = WhiteboardRequest(
        brief=str(kept["brief"]),
        engineers=tuple(map(str, engineers)) if isinstance(engineers, list) else (),
        board=Path(str(kept["board"])),
        until_settled=kept["until"] == "settled",
        manners=manners,
        context=_int(kept["context"]),
        fresh=bool(kept["fresh"]),
        words=PLAN if kept["words"] == PLAN.verb else WHITEBOARD,
    )
    return Plan(request, str(kept["topic"]), _int(kept["first_round"]), _int(kept["last_round"]))


def plain_request(plan: Plan) -> dict[str, object]:
    request, manners = plan.request, plan.request.manners
    return {
        "practice": "whiteboard",
        "target": plan.topic,
        "topic": plan.topic,
        "brief": request.brief,
        "engineers": list(request.engineers),
        "board": str(request.board),
        "words": request.words.verb,
        "first_round": plan.first_round,
        "last_round": plan.last_round,
        "until": "settled" if request.until_settled else "",
        "seed": manners.seed,
        "own": "marked" if manners.own_marked else "anonymous",
        "names": "shown" if manners.names_shown else "hidden",
        "context": request.context,
        "fresh": request.fresh,
        "version": __version__,
    }


def earlier_replies(folder: Path) -> dict[str, Reply]:
    """The replies that a run kept before it was stopped, by seat and round."""
    found = [from_plain(Reply, {**entry, "text": text}) for entry, text in read_replies(folder)]
    return {reply.seat: reply for reply in found}


def _int(value: object) -> int:
    return int(str(value))
