"""What a practice is: one object that says how it runs, is restored, summarised and shown.

The registry names each by its module, so that nothing here imports a practice before it is asked for.
A new practice is one object in a module of its own and one line in ``PRACTICES``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from guildmoot.errors import UsageError
from guildmoot.model.agent import Roster
from guildmoot.named import NamedTuple
from guildmoot.runs.record import PracticeRecord, read_part
from guildmoot.runs.rows import Summary, kind_of
from guildmoot.text.clean import clean

if TYPE_CHECKING:  # whoever lists runs calls nobody
    from guildmoot.calls import Watch
    from guildmoot.calls.session import ReusePolicy
    from guildmoot.config import Config, Value

PRACTICES: dict[str, str] = {
    "panel": "guildmoot.practices.panel:PANEL",
    "council": "guildmoot.practices.council.run:COUNCIL",
    "vibe": "guildmoot.practices.reviews.vibe:PRACTICE",
    "pre-mortem": "guildmoot.practices.reviews.pre_mortem:PRACTICE",
    "post-mortem": "guildmoot.practices.reviews.post_mortem:PRACTICE",
    "whiteboard": "guildmoot.practices.whiteboard.run:WHITEBOARD_RUN",
    "spawn": "guildmoot.practices.spawn:SPAWN",
    "probe": "guildmoot.practices.probe.run:PROBE",
}
"""The kind of a run, and where its practice stands."""

Again = Literal["resume", "replay", "rerun"]
"""What can be done with a recorded run."""


class Report(Protocol):
    """What every practice's report tells."""

    @property
    def run_id(self) -> str: ...
    @property
    def exit_code(self) -> int: ...


R = TypeVar("R", bound=Report)


class Restored(NamedTuple, Generic[R]):
    """A recorded run as it was begun."""

    roster: Roster
    proceed: Callable[[PracticeRecord, Watch, ReusePolicy], Awaitable[R]]
    """Asks what the ledger has no answer to, and makes the report."""
    ask: Callable[[PracticeRecord, Mapping[str, object]], None] = lambda record, more: None
    """For a rerun: puts the same request on a new record, with ``more`` in it."""


class Reports(NamedTuple, Generic[R]):
    """How a practice's report is shown."""

    to_json: Callable[[R], dict[str, object]]
    show: Callable[[R, Path, bool], None]
    """On standard output, for people; the path is the repository, the flag asks for all details."""
    render: Callable[[R, str], str] | None = None
    """The text of a report file with that suffix; None when there are none."""
    formats: tuple[str, ...] = ()
    """The suffixes that ``render`` knows."""


class Practice(NamedTuple, Generic[R]):
    """One way of putting work before agents."""

    name: str
    """The kind of its runs."""
    request: type
    """What ``run`` is given: everything about one run that is no setting."""
    run: Callable[[Any, Config, Watch], Coroutine[Any, Any, R]]
    summary: Callable[[Mapping[str, object]], Summary]
    """Of a recorded result."""
    reports: Callable[[], Reports[R]]
    """Imports what it shows with only when it is called."""
    restore: Callable[[Path, Path, Mapping[str, Value], datetime | None], Restored[R]]
    """From the repository, the run's folder, settings over the recorded ones, and for a rerun its time."""
    again: tuple[Again, ...] = ("resume", "replay", "rerun")
    """What can be done with a recorded run."""


def practice(kind: str) -> Practice[Any]:
    """The practice that makes runs of this kind; UsageError for one that this version does not have."""
    if kind not in PRACTICES:
        raise UsageError(
            f"this version makes no runs of the kind {clean(kind)}",
            f"It has {', '.join(PRACTICES)}; another version may have made the run.",
        )
    module, _, name = PRACTICES[kind].partition(":")
    found: Practice[Any] = getattr(import_module(module), name)
    return found


def practice_of(folder: Path) -> Practice[Any]:
    """The practice that made the run in ``folder``."""
    return practice(kind_of(read_part(folder, "request")))


def number(value: object) -> float:
    """A number of a result; 0 for what is none."""
    return float(value) if isinstance(value, int | float) else 0.0


def rows(value: object) -> list[dict[str, object]]:
    """The objects in a list of a result."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def run_usd(result: Mapping[str, object], seats: str) -> float | None:
    """What a recorded run cost in all, its clerk and chair too; of an older record what its ``seats`` did."""
    costs = result.get("costs")
    total = costs.get("total") if isinstance(costs, dict) else None
    if isinstance(total, dict):
        usd = total.get("cost_usd")
        return None if usd is None else number(usd)
    roster = result.get("roster")
    return total_usd(rows(roster.get(seats)) if isinstance(roster, dict) else ())


def total_usd(seats: Iterable[Mapping[str, object]]) -> float | None:
    """What all seats of a result cost; None when the price of one is not known."""
    costs = [seat.get("usd") for seat in seats]
    return None if None in costs else sum(map(number, costs))
