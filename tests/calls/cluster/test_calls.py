"""One call through the cluster: asked once, kept, shared, tried again when it failed."""

import asyncio
import json
import signal
import subprocess
import sys

import pytest

from calls.cluster.scene import asked, counting, job, perform, until
from guildmoot.model.agent import Agent


def test_a_worker_answers_what_a_caller_asks(url, hire, tmp_path):
    hire()
    [reply] = perform(url, job(counting(tmp_path)))
    assert (reply.status, reply.text, reply.kept) == ("answered", "VERDICT: approved\n", "")
    assert reply.seat == "counting#0"
    assert reply.seconds > 0


def test_a_finished_call_is_never_made_again_and_names_the_run_that_got_it(url, hire, tmp_path):
    hire()
    first = perform(url, job(counting(tmp_path)), run="run-1")
    again = perform(url, job(counting(tmp_path)), run="run-2")
    assert again == [first[0]._replace(kept="run-1")]
    assert asked(tmp_path) == ["Is it right?"]


def test_two_callers_of_the_same_call_share_it(url, hire, tmp_path):
    hire()
    call = (
        "import sys; from pathlib import Path; from calls.cluster.scene import *\n"
        "folder = Path(sys.argv[2])\n"
        "[reply] = perform(sys.argv[1], job(counting(folder, 1.0)), run=sys.argv[3])\n"
        "print(reply.status, reply.kept or '-')"
    )
    callers = [
        subprocess.Popen([sys.executable, "-c", call, url, str(tmp_path), run], stdout=subprocess.PIPE, text=True,
                         env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"})
        for run in ("run-a", "run-b", "run-c")
    ]  # fmt: skip
    said = sorted(caller.communicate(timeout=60)[0].split()[1] for caller in callers)
    assert len(asked(tmp_path)) == 1
    assert said[0] == "-"
    assert said[1] == said[2] in ("run-a", "run-b", "run-c")


def test_the_workflow_has_the_name_of_the_call(url, hire, tmp_path, sql):
    hire()
    one = job(counting(tmp_path))
    perform(url, one)
    assert sql("SELECT workflow_uuid FROM guild_dbos.workflow_status") == [(one.key,)]


def test_a_failure_is_a_reply_and_the_next_who_asks_starts_another_try(url, hire, tmp_path, sql):
    hire()
    broken = tmp_path / "broken"
    broken.write_text('#!/bin/sh\necho once >>"$0.tries"\necho no luck >&2\nexit 3\n')
    broken.chmod(0o755)
    agent = Agent("broken", "", "", "broken.md", backend="command", command=(str(broken),))
    for _ in range(2):
        [reply] = perform(url, job(agent))
        assert reply.status == "failed"
        assert "no luck" in reply.error
    broken.write_text("#!/bin/sh\necho fine\n")
    [reply] = perform(url, job(agent))
    assert (reply.status, reply.text, reply.kept) == ("answered", "fine\n", "")
    assert len((tmp_path / "broken.tries").read_text().splitlines()) == 2
    key = job(agent).key
    names = [
        name for (name,) in sql("SELECT workflow_uuid FROM guild_dbos.workflow_status ORDER BY 1")
    ]
    assert names == [key, f"{key}.1", f"{key}.2"]


def test_what_a_backend_raises_is_a_failed_reply(url, hire, tmp_path):
    hire()
    agent = counting(tmp_path)._replace(command=(f"{tmp_path}/counting", "a{files}b"))
    [reply] = perform(url, job(agent))
    assert reply.status == "failed"
    assert "{files}" in reply.error


def test_a_caller_that_gives_up_calls_off_what_nobody_has_begun(url, hire, tmp_path, sql):
    from guildmoot.calls.cluster.caller import ClusterEngine
    from guildmoot.calls.ledger.base import Terms

    worker = hire()
    perform(url, job(counting(tmp_path), "so that the queue is served"))
    worker.send_signal(signal.SIGSTOP)

    async def give_up():
        engine = ClusterEngine(url, Terms("run-1"))
        task = asyncio.create_task(engine.perform(job(counting(tmp_path), "never mind", most=1.0)))
        while not sql("SELECT 1 FROM guild.calls WHERE state = 'asked'"):
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        engine.close()

    asyncio.run(give_up())
    assert sql("SELECT state FROM guild.calls WHERE state != 'answered'") == [("cancelled",)]
    assert sql("SELECT state FROM guild.spend WHERE micros = 1000000") == [("released",)]
    worker.send_signal(signal.SIGCONT)
    perform(url, job(counting(tmp_path), "something else"))
    assert "never mind" not in asked(tmp_path)


def test_a_call_that_is_under_way_outlives_its_caller(url, hire, tmp_path, sql):
    hire()
    call = "import sys; from pathlib import Path; from calls.cluster.scene import *\nperform(sys.argv[1], job(counting(Path(sys.argv[2]), 1.5)))"
    caller = subprocess.Popen(
        [sys.executable, "-c", call, url, str(tmp_path)],
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
    )
    until(lambda: asked(tmp_path))
    caller.kill()
    caller.wait()
    until(lambda: sql("SELECT 1 FROM guild.calls WHERE state = 'answered'"))
    [reply] = perform(url, job(counting(tmp_path, 1.5)), run="run-2")
    assert reply.kept == "run-1"
    assert len(asked(tmp_path)) == 1


def test_the_packet_travels_with_a_call_that_needs_its_files(url, hire, tmp_path):
    from guildmoot.model.packet import Packet, PacketFile
    from guildmoot.packet import materialise

    text = "x = 1\n"
    import hashlib

    files = (PacketFile("src/app.py", text, hashlib.sha256(text.encode()).hexdigest()),)
    packet = Packet("", "app", files, (), (), (), (), False, "0" * 64)
    folder, listing = materialise(packet, tmp_path / "packet")
    (folder / "notes.txt").write_text("not in the packet")
    agent = Agent(
        "lister",
        "",
        "",
        "lister.md",
        backend="tool",
        command=("find", ".", "-type", "f", "-printf", "%P %s\n"),
    )
    hire()
    [reply] = perform(
        url, job(agent, "", workdir=str(folder), manifest=str(listing), files=("src/app.py",))
    )
    assert (reply.status, reply.text) == ("answered", "src/app.py 6\n")


def test_long_calls_and_replies_are_kept_in_chunks(url, hire, tmp_path, sql):
    hire()
    agent = Agent("echo", "", "", "echo.md", backend="command", command=("cat",))
    prompt = "long words \u2603 \x00 and more. " * 40_000
    [reply] = perform(url, job(agent, prompt))
    assert reply.text == prompt
    [(call, kept)] = sql("SELECT length(call), length(reply) FROM guild.calls")
    assert (call, kept) == (65, 65)
    assert max(size for (size,) in sql("SELECT length(data) FROM guild.chunks")) <= 256 * 1024
    assert perform(url, job(agent, prompt))[0].text == prompt


def test_a_scripted_judge_answers_many_at_once(url, hire, script):
    hire()
    hire()
    agent = script(delay=0.2)
    replies = perform(url, *(job(agent, f"question {number}") for number in range(100)))
    assert {reply.status for reply in replies} == {"answered"}


def test_calls_read_back_as_they_were_written():
    from hypothesis import given
    from hypothesis import strategies as st

    from guildmoot.calls.cluster.codec import call_from_text, call_to_text
    from guildmoot.model.agent import Seat
    from guildmoot.model.call import Call

    words = st.text(max_size=20)

    @given(words, words, st.lists(words).map(tuple), st.integers(0, 9))
    def holds(prompt, name, command, attempt):
        agent = Agent(
            name, "", "", "a.md", command=command, exit_codes=((0, "clean"), (1, "findings"))
        )
        call = Call(
            Seat(name, name, "command", "f"),
            agent,
            prompt,
            files=command,
            attempt=attempt,
            schema={"a": [1]},
        )
        assert call_from_text(json.loads(json.dumps(call_to_text(call)))) == call

    holds()
