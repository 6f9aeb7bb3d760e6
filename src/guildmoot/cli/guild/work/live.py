"""What a run does, as it happens: at a terminal a picture that is drawn again, elsewhere a line a change."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TextIO

from guildmoot.text.clean import clean

if TYPE_CHECKING:
    from guildmoot.lifecycle.execution.values import RunState

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
    """Draws lanes with state, time and last line."""

    def __init__(self, out: TextIO, *, quiet: bool = False) -> None:
        self._out, self._quiet = out, quiet
        self._drawn = 0
        self._seen: dict[str, str] = {}
        self._began: dict[str, float] = {}
        self._alive = out.isatty() and not quiet

    def changed(self, state: RunState, lines: dict[str, str]) -> None:
        """The state as it is now, and the last line of each lane that is at work."""
        if self._quiet:
            return
        fresh = [each for each in state.lanes if self._seen.get(each.task) != each.status]
        for lane in fresh:
            self._seen[lane.task] = lane.status
            if lane.status == "running":
                self._began[lane.task] = time.monotonic()
        if self._alive:
            self._draw(view_rows(state, lines, self._elapsed()))
        else:
            shown = (lane for lane in fresh if lane.status != "pending")
            self._out.writelines(f"{clean(f'{each.task}: {each.status}')}\n" for each in shown)
            self._out.flush()

    def _elapsed(self) -> dict[str, float]:
        return {task: time.monotonic() - began for task, began in self._began.items()}

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


def view_rows(state: RunState, lines: dict[str, str], elapsed: dict[str, float]) -> list[str]:
    """The lanes as rows: mark, name indented by what it waits for, state, seconds, last line. Pure."""
    depth: dict[str, int] = {}
    rows = [clean(f"{state.run}{'  paused' if state.paused else ''}")[:WIDTH]]
    for lane in state.lanes:
        depth[lane.task] = 1 + max((depth.get(name, 0) for name in lane.depends_on), default=-1)
        name = f"{'  ' * min(depth[lane.task], 6)}{lane.task}"
        running = lane.status == "running"
        spent = f"{elapsed.get(lane.task, 0):4.0f}s" if running else "     "
        said = lines.get(lane.task, "") if running else lane.reason
        row = f"{_MARKS.get(lane.status, ' ')} {name:<26} {lane.status:<11} {spent}  {said}"
        rows.append(clean(row)[:WIDTH].rstrip())
    return rows
