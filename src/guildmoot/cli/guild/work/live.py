"""What a run does, as it happens: at a terminal a picture that is drawn again, elsewhere a line a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TextIO

from guildmoot.cli.guild.work.show import wrapped
from guildmoot.text.clean import clean

if TYPE_CHECKING:
    from guildmoot.lifecycle.execution.looking import LaneSight
    from guildmoot.lifecycle.execution.values import RunState

    Look = Callable[[RunState], Mapping[str, LaneSight]]

_MARKS = {
    "pending": " ",
    "running": ">",
    "handed-over": "+",
    "done": "*",
    "failed": "x",
    "blocked": "?",
    "conflict": "!",
    "skipped": "-",
}
WIDTH = 80


class LiveView:
    """Draws lanes with state, time, cost and last line."""

    def __init__(self, out: TextIO, look: Look, *, quiet: bool = False) -> None:
        self._out, self._look, self._quiet = out, look, quiet
        self._drawn, self._why = 0, ""
        self._seen: dict[str, str] = {}
        self._alive = out.isatty() and not quiet

    def changed(self, state: RunState) -> None:
        """The state as it is now."""
        if self._quiet:
            return
        if state.why != self._why:
            self.end()
            self._why, self._drawn = state.why, 0
            self._out.writelines(f"{row}\n" for row in wrapped(state.why))
        if self._alive:
            self._draw(view_rows(state, self._look(state)))
            return
        for lane in state.lanes:
            if lane.status not in (self._seen.get(lane.task, "pending"), "pending"):
                self._out.write(f"{clean(f'{lane.task}: {lane.status}')}\n")
            self._seen[lane.task] = lane.status
        self._out.flush()

    def _draw(self, rows: list[str]) -> None:
        up = f"\x1b[{self._drawn}F" if self._drawn else ""
        self._out.write(up + "".join(f"\x1b[2K{row}\n" for row in rows))
        self._out.flush()
        self._drawn = len(rows)

    def end(self) -> None:
        """Take the picture away: the report follows."""
        if self._drawn:
            self._out.write(f"\x1b[{self._drawn}F\x1b[J")
            self._out.flush()


def view_rows(state: RunState, seen: Mapping[str, LaneSight]) -> list[str]:
    """The lanes as rows: mark, name indented by what it waits for, state, seconds, cost, last line. Pure."""
    depth: dict[str, int] = {}
    halted = "  paused" if state.paused else "  stopped" if state.stopped else ""
    rows = [clean(f"{state.run}{halted}")[:WIDTH]]
    for lane in state.lanes:
        depth[lane.task] = 1 + max((depth.get(name, 0) for name in lane.depends_on), default=-1)
        name = f"{'  ' * min(depth[lane.task], 6)}{lane.task}"
        sight = seen.get(lane.task)
        running = lane.status == "running" and sight is not None
        spent = f"{sight.seconds:4.0f}s" if running and sight else "     "
        cost = f"${sight.usd:.2f}" if sight and sight.usd is not None else ""
        said = " ".join(sight.lines[-1:]) if running and sight else lane.reason
        row = f"{_MARKS.get(lane.status, ' ')} {name:<22} {lane.status:<11} {spent} {cost:>6}  {said}"  # fmt: skip
        rows.append(clean(row)[:WIDTH].rstrip())
    return rows
