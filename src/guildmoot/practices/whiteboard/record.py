"""What lasts of a run beside the board: what was asked of whom, every reply, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from guildmoot.config import Config, Origin, Value, check_value
from guildmoot.errors import UsageError
from guildmoot.model.agent import Roster
from guildmoot.model.call import Reply, Usage
from guildmoot.practices.whiteboard.boards import PLAN, WHITEBOARD
from guildmoot.practices.whiteboard.prompts import Manners
from guildmoot.practices.whiteboard.request import Plan, WhiteboardRequest
from guildmoot.runs.panel_record import PanelRecord
from guildmoot.runs.record import RunRecord, new_run, read_part, read_replies
from guildmoot.version import __version__

_KEPT_SETTINGS = ("panel.model", "panel.degrade", "panel.timeout", "panel.deadline", "panel.limit")
"""Settings that can change what is asked or answered; a run that is made again uses its own."""


class BoardRecord:
    """Writes one run's folder; without one it keeps nothing."""

    def __init__(self, run: RunRecord | None) -> None:
        self._run = run
        self._panel = PanelRecord(run)
        self._problem = ""
        self.run_id = run.run_id if run else ""
        self.replies: dict[str, Reply] = _earlier(run.folder) if run else {}

    @classmethod
    def begin(cls, root: Path | None, now: datetime) -> BoardRecord:
        """A new record under ``root``, or none at all."""
        return cls(new_run(root, now) if root else None)

    @property
    def root(self) -> Path | None:
        """The repository that keeps the run."""
        return self._run.root if self._run else None

    @property
    def problem(self) -> str:
        """What could not be kept, and why; empty when the record is whole."""
        return self._problem or self._panel.problem

    def asked(
        self, plan: Plan, config: Config, manifest: dict[str, object], roster: Roster
    ) -> None:
        """What was asked of whom, before anyone answers; enough to make the run again."""
        settings = {key: config.values[key].value for key in _KEPT_SETTINGS}
        request = {**_plain(plan), "settings": settings}
        self._panel.asked(
            request, config, manifest, roster.seats, roster.agents, roster.passed_over
        )

    def heard(self, replies: Sequence[Reply]) -> None:
        """The replies of one round, beside those of the rounds before."""
        self.replies.update({reply.seat: reply for reply in replies})
        self._panel.answered(tuple(self.replies.values()))

    def finish(self, result: dict[str, object], *, interrupted: bool) -> None:
        """Write the result; the state comes last, and marks the record as whole."""
        if not self._run:
            return
        try:
            self._run.put("result", result)
            state = "interrupted" if interrupted else "complete"
            self._run.put("state", {"schema_version": 1, "state": state})
        except OSError as error:  # the board has everything by now; a full disk must not hide it
            self._problem = f"the record of this run is incomplete: {error.strerror}"
        self._run.let_go()


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


def recorded_config(folder: Path, config: Config) -> Config:
    """The settings in force, with those of the recorded run where they could change its answers."""
    kept = read_part(folder, "request").get("settings")
    found: dict[str, Value] = {
        key: check_value(key, value, "the recorded run")
        for key, value in (kept.items() if isinstance(kept, dict) else ())
        if key in _KEPT_SETTINGS and config.values[key].source != "command line"
    }
    values = {key: Origin(value, "the recorded run") for key, value in found.items()}
    return config._replace(values={**config.values, **values})


def _plain(plan: Plan) -> dict[str, object]:
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


def _earlier(folder: Path) -> dict[str, Reply]:
    """The replies that a run kept before it was stopped."""
    found = {}
    for entry, text in read_replies(folder):
        usage = entry.get("usage")
        kept = {
            key: value
            for key, value in entry.items()
            if key in Reply._fields and key not in ("text", "usage")
        }
        reply = Reply(**kept)._replace(  # type: ignore[arg-type]
            text=text, usage=Usage(**usage) if isinstance(usage, dict) else None
        )
        found[reply.seat] = reply
    return found


def _int(value: object) -> int:
    return int(str(value))
