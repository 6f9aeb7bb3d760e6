"""A forked command line is what a started one is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import commands

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="forks nothing here")

TELL = """
import os, random, signal, sys, threading, time
umask = os.umask(0)
print(sorted(os.environ.items()), os.getcwd(), oct(umask), time.strftime("%z", time.localtime(0)))
print(sys.argv, sys.orig_argv, sys.path, sys.flags, sorted(os.listdir("/proc/self/fd")))
print(vars().keys() & {"server", "job", "work"}, __name__, sys.modules["__main__"].__name__)
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.encoding, stream.errors, stream.seekable(), stream.isatty(), stream.line_buffering)
print([signal.getsignal(each) for each in sorted(signal.valid_signals())], signal.pthread_sigmask(0, []))
print(threading.enumerate() == [threading.main_thread()], os.getpgid(0), os.getsid(0), os.nice(0))
print(len(sys.stdin.read()), file=sys.stderr)
"""


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **more}


def both(*argv: str, cwd: Path, stdin: bytes = b"", **env: str) -> list[commands.Ended[bytes]]:
    """The same line forked and started."""
    given = environment(PYTHONPATH=os.environ.get("PYTHONPATH", ""), **env)
    command = [sys.executable, *argv]
    started = subprocess.run(command, cwd=cwd, env=given, input=stdin, capture_output=True)
    return [commands.run(argv, cwd=cwd, env=given, stdin=stdin), started]


def ended(done: commands.Ended[bytes]) -> tuple[int, str, str]:
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_it_has_what_it_was_given_and_nothing_else(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        forked, started = both(
            *("-c", TELL, "a", "-b"), cwd=tmp_path, stdin=b"x" * 300_000, TZ="Asia/Tokyo", HOME="/h"
        )
    finally:
        os.umask(before)

    assert ended(forked) == ended(started)
    assert "+0900" in forked.stdout.decode()


@pytest.mark.parametrize(
    "program",
    [
        "raise SystemExit(3)",
        "raise SystemExit",
        "raise SystemExit('a sentence')",
        "raise SystemExit(True)",
        "raise SystemExit(-1)",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "import atexit; atexit.register(print, 'at the end'); print('first')",
        "import threading; threading.Timer(0.05, print, ['from a thread']).start()",
        "import sys; sys.stdout.close()",
        "import os; os.close(1); print('lost')",
        "import os; os._exit(9)",
        "import sys; sys.stderr.write('half a line')",
        "import os; os.write(1, b'x' * 300_000)",
        "import subprocess, sys; sys.exit(subprocess.run(['sh', '-c', 'cat; exit 7']).returncode)",
    ],
)
def test_it_ends_as_programs_do(program: str, tmp_path: Path) -> None:
    forked, started = both("-c", program, cwd=tmp_path, stdin=b"given")

    assert forked.returncode == started.returncode
    assert forked.stdout == started.stdout
    assert forked.stderr.splitlines()[-1:] == started.stderr.splitlines()[-1:]


def test_a_module_runs_as_the_program(tmp_path: Path) -> None:
    (tmp_path / "here.py").write_text(
        "import sys\nprint(__name__, __file__, __spec__.name, sys.argv, sys.path[0])\n"
    )
    forked, started = both("-m", "here", "x", cwd=tmp_path)

    assert ended(forked) == ended(started)


def test_with_p_what_lies_in_the_folder_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "here.py").write_text("print('from the folder')\n")
    forked, started = both("-P", "-c", "import sys; print(sys.path); import here", cwd=tmp_path)

    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert forked.returncode == 1


def test_nothing_of_one_is_seen_by_the_next(tmp_path: Path) -> None:
    spoil = "import guildmoot, os, json; guildmoot.spoilt = 1; os.environ['A'] = 'b'; os.chdir('/'); os.umask(0)"
    tell = "import guildmoot, os, random, uuid; print(hasattr(guildmoot, 'spoilt'), 'A' in os.environ, random.random())"
    commands.run(["-c", spoil], cwd=tmp_path, env=environment())
    first, second = (
        commands.run(["-c", tell], cwd=tmp_path, env=environment()).stdout.decode().split()
        for _ in range(2)
    )

    assert first[:2] == second[:2] == ["False", "False"]
    assert first[2] != second[2]


def test_what_python_reads_when_it_starts_is_read(tmp_path: Path) -> None:
    tell = "import sys; print(sys.flags.dont_write_bytecode, sys.stdout.encoding)"
    given = environment(PYTHONDONTWRITEBYTECODE="1", PYTHONIOENCODING="latin-1")

    assert commands.run(["-c", tell], cwd=tmp_path, env=given).stdout == b"1 iso8859-1\n"


def test_many_at_once_are_told_apart(tmp_path: Path) -> None:
    def one(number: int) -> tuple[int, bytes]:
        program = f"import sys, time; time.sleep(0.01 * ({number} % 3)); sys.stdout.write(sys.stdin.read()); sys.exit({number})"
        done = commands.run(
            ["-c", program], cwd=tmp_path, env=environment(), stdin=b"%d" % number * 20_000
        )
        return done.returncode, done.stdout

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(24))) == [(n, b"%d" % n * 20_000) for n in range(24)]


def test_one_that_takes_too_long_is_killed(tmp_path: Path, ends) -> None:
    program = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    with pytest.raises(subprocess.TimeoutExpired):
        commands.run(["-c", program], cwd=tmp_path, env=environment(), timeout=1)

    ends(int((tmp_path / "pid").read_text()))


def test_a_child_that_holds_the_output_is_waited_for(tmp_path: Path) -> None:
    program = "import subprocess; subprocess.Popen(['sh', '-c', 'sleep 0.2; echo later'])"

    assert commands.run(["-c", program], cwd=tmp_path, env=environment()).stdout == b"later\n"


def test_ctrl_c_reaches_it(tmp_path: Path) -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    forked, started = both("-c", program, cwd=tmp_path)

    assert forked.returncode == started.returncode == -signal.SIGINT
