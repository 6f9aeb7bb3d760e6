"""The whole thing under fire: workers killed, the database restarted, a cable cut; nothing lost or repeated."""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from calls.cluster.scene import VERB, environment, job, querying, until
from guildmoot.calls.cluster.caller import ClusterEngine
from guildmoot.calls.ledger.base import Terms
from guildmoot.model.agent import Agent

CALLS = 300
LIMIT = 12
LEASE = 5.0
"""Long enough that a busy machine is not taken for a dead one."""
TAKES = 0.6
"""Seconds that the judge takes for one request."""
HERE = Path(__file__).parents[3]

# The judge notes when each request began and ended, also when it was told to end; a record at a
# time, so that lines stay whole.
JUDGE = """#!{python}
import os, signal, sys, time
prompt = sys.stdin.read()
def note(word):
    line = f"{{word}} {{prompt}} {{time.time():.6f}} {{os.getppid()}}\\n"
    descriptor = os.open("{log}", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, line.encode())
    os.close(descriptor)
def ended(*_):
    note("end")
    os._exit(1)
signal.signal(signal.SIGTERM, ended)
note("begin")
time.sleep({takes})
note("end")
print("VERDICT: approved", prompt)
"""


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_finished_is_repeated(postgres, tmp_path):
    with ExitStack() as stack:
        server = stack.enter_context(own_server())
        cables = stack.enter_context(networks(3))
        crew = stack.enter_context(workers(server, cables, tmp_path))
        done = threading.Event()
        hands = stack.enter_context(ThreadPoolExecutor(1))
        trouble = hands.submit(make_trouble, server, crew, cables, done)
        try:
            replies = asyncio.run(ask_all(server.url, judge(tmp_path)))
        finally:
            done.set()
        trouble.result()
        with querying(server.url) as sql:
            answered = sql(
                "SELECT call::json->>'prompt', extract(epoch FROM ended) FROM guild.calls WHERE state = 'answered'"
            )
    assert crew.killed >= 3
    assert (server.restarts, cables.cuts) == (2, 1)
    assert [reply.text for reply in replies] == [
        f"VERDICT: approved {number}\n" for number in range(CALLS)
    ]
    requests = read_requests(tmp_path / "log")
    committed = {int(prompt): float(ended) for prompt, ended in answered}
    assert len(committed) == CALLS
    repeated = [begin for begin in requests["begin"] if begin.at > committed[begin.prompt]]
    assert repeated == []
    assert most_at_once(requests) <= LIMIT


def judge(folder):
    program = folder / "judge"
    program.write_text(JUDGE.format(python=sys.executable, log=folder / "log", takes=TAKES))
    program.chmod(0o755)
    return Agent("judge", "", "", "judge.md", backend="command", command=(str(program),))


async def ask_all(url, agent):
    engine = ClusterEngine(url, Terms("chaos"), patience=60.0)
    try:
        return await asyncio.gather(
            *(engine.perform(job(agent, str(number))) for number in range(CALLS))
        )
    finally:
        engine.close()


def make_trouble(server, crew, cables, done):
    """A worker dies every few seconds; twice the database restarts, and once a cable is cut for long."""
    began = time.monotonic()
    cable = None
    for turn in range(1000):
        if done.wait(3.0):
            break
        if turn in (2, 5):
            server.restart()
        elif turn == 3:
            cable = cables.cut(crew)
        else:
            crew.replace_one()
        if cable is not None and turn >= 7:
            cable = cables.mend(crew)
    if cable is not None:
        cables.mend(crew)
    assert time.monotonic() - began < 150


class Server:
    """A Postgres of this test's own, because it is restarted."""

    def __init__(self, folder):
        self.env = {
            **os.environ,
            "GUILD_POSTGRES_DATA": str(folder / "db"),
            "GUILD_POSTGRES_LISTEN": "*",
        }
        self.restarts = 0
        started = self.run("start")
        self.url = started.strip().partition("=")[2]

    def run(self, word):
        done = subprocess.run(
            [HERE / "scripts/postgres", word], env=self.env, capture_output=True, text=True
        )
        assert done.returncode == 0, done
        return done.stdout

    def restart(self):
        self.run("restart")
        self.restarts += 1


@contextmanager
def own_server():
    from guildmoot.calls.cluster import database, schema

    with tempfile.TemporaryDirectory(prefix="guildmoot-") as folder:
        os.chmod(folder, 0o755)  # the server runs as another user
        server = Server(Path(folder))
        try:
            engine = database.connect(server.url, 2)
            schema.migrate(engine, server.url, LEASE)
            engine.dispose()
            yield server
        finally:
            server.run("stop")


class Crew:
    """Three workers at any time; who dies is replaced by a new one on the same machine."""

    def __init__(self, server, cables, folder):
        self.server, self.cables, self.folder = server, cables, folder
        self.killed = 0
        self.seats = []
        for place in range(3):
            self.seats.append(self.start(place, f"w{place}-0"))

    def start(self, place, name):
        prefix, url = self.cables.of(place, self.server.url)
        log = open(self.folder / "workers.log", "ab")  # noqa: SIM115 - the worker writes to it
        argv = [
            *prefix,
            sys.executable,
            "-c",
            VERB,
            "worker",
            "--engine",
            url,
            "--name",
            name,
            "--limit",
            f"command={LIMIT}",
        ]
        process = subprocess.Popen(
            argv, env=environment(self.folder), stderr=log, stdout=log, cwd=self.folder
        )
        log.close()
        return process

    def replace_one(self):
        place = self.killed % 2  # the third is the one whose cable is cut
        self.seats[place].kill()
        self.seats[place].wait()
        self.killed += 1
        self.seats[place] = self.start(place, f"w{place}-{self.killed}")


@contextmanager
def workers(server, cables, folder):
    crew = Crew(server, cables, folder)
    try:
        with querying(server.url) as sql:
            until(lambda: len(sql("SELECT 1 FROM guild.workers")) == 3)
        yield crew
    finally:
        for process in crew.seats:
            process.kill()
            process.wait()


class Cables:
    """A network namespace and a cable for every machine, where we may; otherwise plain processes."""

    def __init__(self, count):
        self.cuts = 0
        self.made = []
        self.mark = os.getpid() % 200 + 20
        if _ip("netns", "add", f"gm{os.getpid()}x", check=False):
            _ip("netns", "del", f"gm{os.getpid()}x")
            for place in range(count):
                self.plug(place)

    def plug(self, place):
        space, here, there = (
            f"gm{os.getpid()}-{place}",
            f"gm{self.mark}h{place}",
            f"gm{self.mark}t{place}",
        )
        _ip("netns", "add", space)
        self.made.append(space)
        _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", space)
        _ip("addr", "add", f"10.{self.mark}.{place}.1/24", "dev", here)
        _ip("link", "set", here, "up")
        for words in (
            ("addr", "add", f"10.{self.mark}.{place}.2/24", "dev", there),
            ("link", "set", there, "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-n", space, *words)

    def of(self, place, url):
        if not self.made:
            return (), url
        far = url.replace("127.0.0.1", f"10.{self.mark}.{place}.1") + "?sslmode=disable"
        return ("ip", "netns", "exec", self.made[place]), far

    def cut(self, crew):
        self.cuts += 1
        if self.made:
            _ip("link", "set", f"gm{self.mark}h2", "down")
        else:
            crew.seats[2].send_signal(19)  # as good as a cut cable: nobody hears of it
        return 2

    def mend(self, crew):
        if self.made:
            _ip("link", "set", f"gm{self.mark}h2", "up")
        else:
            crew.seats[2].send_signal(18)

    def close(self):
        for space in self.made:
            _ip("netns", "del", space, check=False)


@contextmanager
def networks(count):
    cables = Cables(count)
    try:
        yield cables
    finally:
        cables.close()


def _ip(*words, check=True):
    try:
        done = subprocess.run(["ip", *words], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    assert not check or done.returncode == 0, done.stderr
    return done.returncode == 0


class Request:
    """One line of the judge's log."""

    def __init__(self, prompt, at, parent):
        self.prompt, self.at, self.parent = int(prompt), float(at), int(parent)

    def is_of(self, other):
        return (self.prompt, self.parent) == (other.prompt, other.parent)

    def __repr__(self):
        return f"{self.prompt} at {self.at}"


def read_requests(log):
    requests = {"begin": [], "end": []}
    for line in log.read_text().splitlines():
        word, prompt, at, parent = line.split()
        requests[word].append(Request(prompt, at, parent))
    return requests


def most_at_once(requests):
    """The most requests that ran at once; one that was ended with its worker counts in full."""
    moments = []
    for each in requests["begin"]:
        # A worker that was cut off makes the same request again when it is back.
        ends = [end.at for end in requests["end"] if end.is_of(each) and end.at >= each.at]
        moments += [(each.at, 1), (min(ends, default=each.at + TAKES), -1)]
    most = now = 0
    for _, step in sorted(moments):
        now += step
        most = max(most, now)
    return most


def test_the_log_of_the_judge_is_read_right(tmp_path):
    log = tmp_path / "log"
    log.write_text(
        "begin 1 1.0 7\nbegin 2 1.5 7\nend 1 2.0 7\nbegin 3 3.0 8\nend 2 4.0 7\nend 3 5.0 8\nbegin 3 6.0 8\nend 3 7.0 8\n"
    )
    requests = read_requests(log)
    assert most_at_once(requests) == 2
