"""Races of the ledger that no kill at a known place can show: late processes, clearing, read-only disks."""

from __future__ import annotations

import errno
import json
import threading
import time
from datetime import UTC, datetime

import pytest

from account import Clock, spent
from builders import packet, paid_call
from durability.harness import FAIL_FROM, KILL_BEFORE, Fault
from durability.practices import PANEL, Template
from durability.survey import survey
from guildmoot.calls.keys import call_key
from guildmoot.calls.ledger.base import Job, Terms
from guildmoot.calls.ledger.budget import GRACE, Budget
from guildmoot.calls.ledger.ledger import Claim, Ledger, holder_name
from guildmoot.calls.ledger.packets import keep_packet, load_packet
from guildmoot.calls.ledger.store import Store
from guildmoot.model.call import Reply
from guildmoot.model.packet import PacketFile
from guildmoot.runs.gc import StillUsed, clear_unused
from guildmoot.runs.record import is_running, new_run

CALL = paid_call()
JOB = Job(call_key(CALL), CALL._replace(most_usd=0.5), lambda reply: 0.1)
SAME = PacketFile("a", "the same", "sha")
LEASE = 10.0 + GRACE


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / ".guild" / "ledger.sqlite3")
    yield opened
    opened.close()


def ledger(store: Store, run: str, clock: Clock, **limits: float) -> Ledger:
    return Ledger(store, Budget(store, Terms(run, **limits), clock), clock)


def taken_over(store: Store) -> tuple[Ledger, Claim, Ledger, Claim]:
    """A process that slept through its lease, and the one that makes its call instead."""
    clock = Clock()
    late, heir = ledger(store, "late", clock), ledger(store, "heir", clock)
    first = late.claim(JOB)
    clock.now += LEASE
    second = heir.claim(JOB)
    assert isinstance(first, Claim)
    assert isinstance(second, Claim)
    return late, first, heir, second


def test_the_first_answer_stands_when_two_processes_made_the_call(store):
    late, first, heir, second = taken_over(store)
    mine = Reply("judge", "answered", "the heir's")
    assert heir.finish(second, mine, 0.1) == mine
    told = late.finish(first, Reply("judge", "answered", "too late"), 0.2)
    assert (told.text, told.kept) == ("the heir's", "heir")
    assert late.claim(JOB).text == "the heir's"
    assert spent(store, "late", Clock()).day_usd == pytest.approx(0.3), "both are paid"


@pytest.mark.parametrize("end", ["abandoned", "failed"])
def test_a_late_process_that_fails_does_not_undo_anothers_answer(store, end):
    late, first, heir, second = taken_over(store)
    heir.finish(second, Reply("judge", "answered", "the heir's"), 0.1)
    if end == "abandoned":
        late.abandon(first)
    else:
        assert late.finish(first, Reply("judge", "failed", error="no"), 0.0).text == "the heir's"
    assert heir.claim(JOB).text == "the heir's"


def test_a_late_answer_counts_while_its_heir_is_still_waiting(store):
    late, first, heir, second = taken_over(store)
    late.finish(first, Reply("judge", "answered", "late, but first"), 0.1)
    assert heir.finish(second, Reply("judge", "answered", "second"), 0.1).text == "late, but first"


def test_what_is_set_aside_for_a_dead_call_does_not_refuse_its_own_repetition(store):
    clock = Clock()
    ledger(store, "dead", clock).claim(JOB)
    with store.transaction() as connection:
        gone = f"{holder_name().rsplit(':', 2)[0]}:4194305:1"  # a number that no process can have
        connection.execute("UPDATE calls SET holder = ?", (gone,))
    assert isinstance(ledger(store, "next", clock, day_usd=0.6).claim(JOB), Claim)


def test_a_clock_that_goes_back_neither_frees_a_live_call_nor_loses_an_answer(store):
    clock = Clock()
    one = ledger(store, "one", clock)
    claim = one.claim(JOB)
    clock.now -= 86_400
    assert not isinstance(ledger(store, "two", clock).claim(JOB), Claim)
    one.finish(claim, Reply("judge", "answered", "yes"), 0.1)
    assert ledger(store, "two", clock).claim(JOB).text == "yes"


def test_clearing_while_others_keep_packets_takes_no_text_that_one_of_them_needs(tmp_path):
    """Two writers keep packets of one text, over and over, while a third clears all but the last."""
    file, ended, lost = tmp_path / "ledger.sqlite3", threading.Event(), []

    def clear() -> None:
        store = Store(file)
        while not ended.is_set():
            clear_unused(store, lambda: StillUsed([], []))
            store.shrink()
        store.close()

    def keep(name: str) -> None:
        store = Store(file)
        for number in range(60):
            keep_packet(store, packet([SAME], hash=f"{name}-{number}"))
            try:
                load_packet(store, f"{name}-{number}", tmp_path)
            except KeyError:
                lost.append(number)
        store.close()

    clearing = threading.Thread(target=clear)
    keeping = [threading.Thread(target=keep, args=(name,)) for name in "ab"]
    for thread in (clearing, *keeping):
        thread.start()
    for thread in keeping:
        thread.join()
    ended.set()
    clearing.join()
    assert lost == []


def test_a_run_that_begins_while_old_ones_are_cleared_keeps_its_answers(store):
    """What is left is asked for when nobody can write any more, so it has every run that asked."""
    clock = Clock()
    fresh = ledger(store, "fresh", clock)
    fresh.finish(fresh.claim(JOB), Reply("judge", "answered", "yes"), 0.1)
    asked = []

    def left() -> StillUsed:
        asked.append(store._lock.locked())
        return StillUsed(["fresh"], [])

    assert clear_unused(store, left) == (0, 0, 0)
    assert asked == [True]
    keep_packet(store, packet([SAME], hash="young"), clock)
    assert clear_unused(store, left, before=clock.now).packets == 0
    assert clear_unused(store, left, before=clock.now + 1).packets == 1


def test_who_lists_runs_at_that_moment_does_not_keep_a_run_from_being_held(tmp_path):
    run = new_run(tmp_path, datetime.now(UTC))
    run.release()
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            is_running(run.folder)
            time.sleep(0)  # let the other one try

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(200):
            assert run.acquire()
            run.release()
    finally:
        ended.set()
        looking.join()


@pytest.mark.parametrize("at", ["the end", "a kill"])
def test_a_run_can_be_replayed_where_nothing_may_be_written(bench, yard, at):
    """Also one that was killed, whose last answers SQLite has not put into its main file yet."""
    template = Template(PANEL, yard)
    bench.learn(template.place, *PANEL.argv)
    place = template.place()
    _, changes = bench.changes(template.place(), *PANEL.argv)
    index = next(each.number for each in changes if each.path.endswith("replies.json"))
    fault = Fault(KILL_BEFORE, index) if at == "a kill" else Fault()
    bench.run(place, *PANEL.argv, fault=fault)
    before = survey(place.folder, place.root)
    [run] = (place.root / ".guild" / "runs").glob("2*")
    denied = Fault(FAIL_FROM, 1, errno.EACCES)
    ended = bench.run(place, "replay", run.name, "--json", fault=denied)
    assert ended.code in (2, 4), ended.out + ended.err
    assert "error" not in json.loads(ended.out), ended.out
    statuses = {seat["name"]: seat["status"] for seat in ended.json["roster"]["seats"]}
    assert statuses["critic"] == "answered"
    assert survey(place.folder, place.root) == before
