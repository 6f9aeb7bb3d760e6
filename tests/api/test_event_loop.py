"""A server shares its event loop with the verbs: none of them may hold it up."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

import guildmoot
from guildmoot.practices import panel
from guildmoot.system.threads import off_loop
from judges import add_judge

SLOW = 0.6
"""Seconds that each call of git takes, and each answer: far more than a tick may be late."""
MOST = 2 * SLOW
"""Seconds that a busy machine may take from the loop; two calls of git there would take more."""


class Heartbeat:
    """Ticks on the loop while work goes on there."""

    def __init__(self):
        self.gaps = []

    async def beat(self):
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.02)
            now = time.monotonic()
            self.gaps.append(now - last)
            last = now

    @property
    def lost(self):
        """Seconds in which the loop stood still, each time as long as a call of git takes."""
        return sum(gap for gap in self.gaps if gap >= SLOW)

    async def during(self, *work):
        task = asyncio.ensure_future(self.beat())
        await asyncio.sleep(0)
        try:
            return await asyncio.gather(*work)
        finally:
            task.cancel()


@pytest.fixture
def slow_git(shop, tmp_path, monkeypatch):
    """A git that takes its time, first on the path."""
    real = Path(shop.git("--exec-path").strip()) / "git"
    folder = tmp_path / "slow"
    folder.mkdir()
    program = folder / "git"
    program.write_text(f'#!/bin/sh\nsleep {SLOW}\nexec {real} "$@"\n')
    program.chmod(0o755)
    for name, value in {**shop.env, "PATH": f"{folder}:{shop.env['PATH']}"}.items():
        monkeypatch.setenv(name, value)


def _write(shop, numbers):
    for number in numbers:
        shop.write(f"src/part{number % 60}/file{number}.py", f"VALUE_{number} = {number}\n")


@pytest.fixture
def work(shop):
    """Many files and a judge that takes its time."""
    _write(shop, range(180))
    reply = {"text": "VERDICT: approved\n", "delay": SLOW}
    add_judge(shop, "slow", reply)
    shop.commit()
    return guildmoot.PanelRequest(guildmoot.PacketRequest(("src",), shop.root), agents=("slow",))


@pytest.mark.slow  # sleeps, as the next two, and writes thousands of files
def test_a_panel_over_thousands_of_files_does_not_hold_up_the_loop(shop, work, slow_git):
    _write(shop, range(180, 3000))
    heart = Heartbeat()
    [report] = asyncio.run(heart.during(guildmoot.validate(work)))
    assert (report.verdict, report.header.files_reviewed) == ("approved", 3000)
    assert heart.lost < MOST, sorted(heart.gaps)[-5:]


@pytest.mark.slow  # sleeps as long as what it is the measure of
def test_the_heartbeat_sees_work_that_does_hold_up_the_loop(shop, work, slow_git):
    heart = Heartbeat()
    asyncio.run(heart.during(panel.validate(work)))
    assert heart.lost > MOST


@pytest.mark.slow
def test_several_runs_at_once_do_not_hold_up_the_loop(shop, work, slow_git):
    heart, one = Heartbeat(), work._replace(packet=work.packet._replace(targets=("src/part1",)))
    council = guildmoot.CouncilRequest(
        guildmoot.CouncilOptions(words=("validate", "src/part2")),
        guildmoot.PacketRequest(cwd=shop.root),
        settings={"council.agents": ("slow",)},
    )
    verbs = [guildmoot.validate(one) for _ in range(3)]
    *panels, sat = asyncio.run(heart.during(*verbs, guildmoot.council(council)))
    assert [report.verdict for report in panels] == ["approved"] * 3
    assert len({report.run_id for report in panels}) == 3
    assert sat.judges
    assert heart.lost < MOST, sorted(heart.gaps)[-5:]


def test_a_watch_is_told_on_the_callers_loop_and_before_the_report_is_there(
    shop, work, monkeypatch
):
    for name, value in shop.env.items():
        monkeypatch.setenv(name, value)
    seen, loops = [], set()

    def on_begin(seats, heading):
        loops.add(asyncio.get_running_loop())
        seen.append(tuple(seats))

    def on_event(event):
        loops.add(asyncio.get_running_loop())
        seen.append((event.seat, event.kind))

    async def run():
        one = work._replace(packet=work.packet._replace(targets=("src/part1",)))
        await guildmoot.validate(one, guildmoot.Watch(on_begin, on_event))
        return asyncio.get_running_loop()

    assert {asyncio.run(run())} == loops
    assert seen == [("slow",), ("slow", "started"), ("slow", "finished")]


def test_cancelling_a_verb_stops_its_run_and_keeps_what_was_answered(shop, work, monkeypatch):
    for name, value in shop.env.items():
        monkeypatch.setenv(name, value)
    add_judge(shop, "slow", {"text": "", "delay": 300})
    began = asyncio.Event()

    async def run():
        one = work._replace(packet=work.packet._replace(targets=("src/part1",)))
        watch = guildmoot.Watch(on_event=lambda event: began.set())
        task = asyncio.ensure_future(guildmoot.validate(one, watch))
        await began.wait()
        task.cancel()
        return await task

    report = asyncio.run(run())
    assert (report.outcome, report.exit_code) == ("interrupted", 130)


def test_work_that_does_not_survive_its_cancellation_is_cancelled():
    began, ended = threading.Event(), []

    async def work():
        began.set()
        try:
            await asyncio.sleep(300)
        finally:
            ended.append("in order")

    async def run():
        task = asyncio.ensure_future(off_loop(work()))
        await asyncio.to_thread(began.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert ended == ["in order"]


def test_an_error_comes_out_where_the_work_is_awaited():
    async def work():
        raise guildmoot.GuildmootError("it broke")

    with pytest.raises(guildmoot.GuildmootError, match="it broke"):
        asyncio.run(off_loop(work()))
