"""The ledger: finished calls are answered, unfinished ones are made again, and nobody makes one twice."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import commands
from account import spent
from builders import packet, paid_call
from counted import Counting, engine, job, ledger, perform
from guildmoot.calls.ledger.base import Terms
from guildmoot.calls.ledger.budget import GRACE
from guildmoot.calls.ledger.ledger import Busy, Claim, holder_name, is_alive, pack, unpack
from guildmoot.calls.ledger.local import LocalEngine, Replayer
from guildmoot.calls.ledger.packets import keep_packet, load_packet
from guildmoot.calls.ledger.store import Store
from guildmoot.errors import BudgetError
from guildmoot.model.call import Call, FileLook, Reply, Usage
from guildmoot.model.packet import Masking, Omission, Packet, PacketFile, Section
from guildmoot.runs.gc import StillUsed, clear_unused


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".guild" / "ledger.sqlite3"


def test_a_finished_call_is_answered_with_the_same_bytes_and_not_made_again(file):
    backend = Counting()
    first = perform(engine(file, backend), job(paid_call()))
    again = perform(engine(file, backend, "later"), job(paid_call()))
    assert backend.calls == 1
    assert again == first._replace(kept="run")


def test_a_failed_call_is_made_again(file):
    backend = Counting(fails=1)
    assert perform(engine(file, backend), job(paid_call())).status == "failed"
    assert perform(engine(file, backend), job(paid_call())).text == "answer 2"


def test_what_another_run_had_costs_this_one_nothing(file):
    backend = Counting()
    perform(engine(file, backend), job(paid_call()))
    used = engine(file, backend, "later", run_usd=0.01)
    asyncio.run(used.perform(job(paid_call())))
    assert spent(used.budget._store, used.budget.run_id).run_usd == 0
    used.close()


def test_a_call_that_cannot_be_paid_is_not_made(file):
    backend = Counting()
    used = engine(file, backend, run_usd=0.4)
    with pytest.raises(BudgetError):
        perform(used, job(paid_call()))
    assert backend.calls == 0


def test_a_replay_tells_what_was_answered_and_what_failed_and_makes_nothing(file):
    backend = Counting(fails=1)
    perform(engine(file, backend), job(paid_call("bad")))
    perform(engine(file, backend), job(paid_call("good")))
    before = file.read_bytes()
    told = [
        perform(Replayer(file, Terms("run")), job(paid_call(name)))
        for name in ("bad", "good", "new")
    ]
    assert [reply.status for reply in told] == ["failed", "answered", "missing"]
    assert backend.calls == 2
    assert file.read_bytes() == before


def test_a_cancelled_call_is_set_down_as_spent_and_may_be_made_again(file):
    class Endless(Counting):
        async def call(self, made: Call) -> Reply:
            await asyncio.sleep(60)
            raise AssertionError

    async def cut_off(used: LocalEngine) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(used.perform(job(paid_call())), 0.05)

    used = engine(file, Endless())
    asyncio.run(cut_off(used))
    assert spent(used.budget._store, used.budget.run_id).run_usd == 0.5
    used.close()
    assert perform(engine(file, Counting()), job(paid_call())).text == "answer 1"


def test_two_who_ask_at_once_do_not_both_make_the_call(file):
    first, second = ledger(file), ledger(file, "other")
    claim = first.claim(job(paid_call()))
    assert isinstance(claim, Claim)
    assert isinstance(second.claim(job(paid_call())), Busy)
    first.finish(claim, Reply("judge", "answered", "yes"), 0.1)
    told = second.claim(job(paid_call()))
    assert isinstance(told, Reply)
    assert (told.text, told.kept) == ("yes", "run")


def test_sixteen_processes_make_one_call_between_them(file, tmp_path):
    program = (
        "import asyncio, sys, time\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[3])\n"
        "from builders import paid_call\n"
        "from counted import Counting, engine, job, perform\n"
        "class Slow(Counting):\n"
        "    async def call(self, made):\n"
        "        with open(sys.argv[2], 'a') as out: out.write('x')\n"
        "        await asyncio.sleep(0.3)\n"
        "        return await super().call(made)\n"
        "print(perform(engine(Path(sys.argv[1]), Slow(), sys.argv[4]), job(paid_call())).text)\n"
    )
    count = tmp_path / "count"
    argv = ["-c", program, str(file), str(count), str(Path(__file__).parents[1])]
    with ThreadPoolExecutor(16) as pool:
        done = list(pool.map(lambda n: commands.run([*argv, f"run-{n}"]), range(16)))
    assert [process.stdout for process in done] == [b"answer 1\n"] * 16, done
    assert count.read_text() == "x"


def test_what_a_dead_process_claimed_is_free_at_once_and_its_money_too(file):
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from builders import paid_call\n"
        "from counted import job, ledger\n"
        "from guildmoot.calls.ledger.ledger import Claim\n"
        "assert isinstance(ledger(Path(sys.argv[1]), 'dead').claim(job(paid_call())), Claim)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    argv = ["-c", program, str(file), str(Path(__file__).parents[1])]
    assert commands.run(argv).returncode == -9
    used = engine(file, Counting(), "next", day_usd=0.6)
    assert asyncio.run(used.perform(job(paid_call()))).text == "answer 1"
    assert spent(used.budget._store, used.budget.run_id).day_usd == 0.1
    used.close()


def test_a_claim_of_another_machine_stands_until_its_time_is_up(file):
    held = ledger(file)
    held.claim(job(paid_call()))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE calls SET holder = 'elsewhere:1:1'")
    connection.close()
    assert isinstance(ledger(file, "other").claim(job(paid_call())), Busy)
    late = 1000.0 + 10 + GRACE
    assert isinstance(ledger(file, "other", lambda: late).claim(job(paid_call())), Claim)


def test_a_process_is_told_apart_from_an_earlier_one_of_its_number():
    name = holder_name()
    assert is_alive(name)
    host_and_pid, _, _ = name.rpartition(":")
    assert not is_alive(f"{host_and_pid}:0")


def test_a_run_of_another_version_goes_on_by_place_though_its_words_have_changed(file):
    perform(engine(file, Counting()), job(paid_call(prompt="old words", packet="p")))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE calls SET version = '0.0.1'")
    connection.close()
    backend = Counting()
    told = perform(engine(file, backend), job(paid_call(prompt="new words", packet="p")))
    assert (told.text, backend.calls) == ("answer 1", 0)
    for other in (
        paid_call(prompt="new words", packet="q"),
        paid_call(prompt="new", packet="p", round=1),
    ):
        perform(engine(file, backend), job(other))
    assert backend.calls == 2


text = st.text(st.characters())  # lone surrogates included: a program may print anything


@given(
    st.builds(
        Reply,
        seat=text,
        status=st.sampled_from(["answered", "failed", "timeout"]),
        text=text,
        error=text,
        exit_code=st.none() | st.integers(-9, 255),
        seconds=st.floats(0, 1e6),
        usage=st.none() | st.builds(Usage, st.integers(0, 9), cost_usd=st.none() | st.floats(0, 9)),
        model=text,
        looks=st.lists(st.builds(FileLook, text, text, id=text, shown=text), max_size=2).map(tuple),
    )
)
def test_replies_come_back_as_they_were(reply):
    assert unpack(pack(reply), "run") == reply._replace(kept="run")


def test_long_replies_are_packed():
    assert len(pack(Reply("s", "answered", "x" * 100_000))) < 1_000


def full_packet(files: dict[str, str], digest: str = "h") -> Packet:
    return packet(
        [PacketFile(path, text, f"sha-{hash(text)}") for path, text in files.items()],
        sections=(Section("spec", "spec.md", "do\r\nit"),),
        omitted=(Omission("b.bin", "binary", "x"),),
        masked=(Masking("a.py", 3, "key", True),),
        changed=(("a.py", ((1, 2), (5, 5))),),
        hash=digest,
    )


def test_a_packet_comes_back_whole_under_another_root(file, tmp_path):
    store = Store(file)
    kept = full_packet({f"f{n}.py": f"text {n} \ud800" for n in range(1200)})
    keep_packet(store, kept)
    keep_packet(store, kept)
    assert load_packet(store, "h", tmp_path) == kept._replace(root=str(tmp_path))
    assert load_packet(store, "other", tmp_path) is None
    store.close()


def test_clearing_takes_what_only_forgotten_runs_had_and_leaves_what_was_spent(file, tmp_path):
    perform(engine(file, Counting(), "old"), job(paid_call("a", packet="h1")))
    perform(engine(file, Counting(), "old"), job(paid_call("both", packet="h2")))
    perform(engine(file, Counting(), "new"), job(paid_call("both", packet="h2")))
    store = Store(file)
    keep_packet(store, full_packet({"a": "one", "b": "two"}, "h1"))
    keep_packet(store, full_packet({"a": "two"}, "h2"))
    keep_packet(store, full_packet({"a": "three"}, "h3"))
    assert clear_unused(store, lambda: StillUsed(["new"], ["h3"])) == (1, 1, 1)
    assert load_packet(store, "h1", tmp_path) is None
    assert load_packet(store, "h2", tmp_path)
    assert load_packet(store, "h3", tmp_path)
    assert spent(store, "old").run_usd == 0.2
    store.close()
    backend = Counting()
    assert perform(engine(file, backend, "new"), job(paid_call("both", packet="h2"))).kept == "old"


def test_the_file_holds_no_prompt(file):
    perform(engine(file, Counting()), job(paid_call(prompt="a very private prompt")))
    assert b"private" not in json.dumps(Path(file).read_bytes().decode("latin-1")).encode()
