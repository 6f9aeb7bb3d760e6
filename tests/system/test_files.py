"""Files reach the disk whole or not at all, one writer at a time; whose holder died, a lock is free."""

import os
import subprocess
import sys

from guildmoot.system.files import Locked, write_atomic


def test_a_replaced_file_keeps_its_permissions_and_leaves_no_scraps(tmp_path):
    file = tmp_path / "x.json"
    write_atomic(file, b"one")
    file.chmod(0o640)
    write_atomic(file, b"two")
    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["x.json"]


def test_a_failed_write_leaves_the_old_file_whole(tmp_path):
    """The system itself refuses the write: this process may create no file above 10 bytes."""
    file = tmp_path / "x.json"
    file.write_bytes(b"old")
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from guildmoot.system.files import write_atomic\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "write_atomic(Path(sys.argv[1]), b'n' * 100)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True)
    assert b"File too large" in done.stderr
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.json"]


def test_many_processes_count_under_one_lock_without_losing_one(tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from guildmoot.system.files import Locked, write_atomic\n"
        "folder = Path(sys.argv[1])\n"
        "for _ in range(20):\n"
        "    with Locked(folder / 'lock'):\n"
        "        count = int((folder / 'count').read_text())\n"
        "        write_atomic(folder / 'count', str(count + 1).encode())\n"
    )
    (tmp_path / "count").write_text("0")
    argv = [sys.executable, "-c", program, str(tmp_path)]
    processes = [subprocess.Popen(argv) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert (tmp_path / "count").read_text() == "80"


def test_a_lock_whose_holder_was_killed_is_free(tmp_path):
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from guildmoot.system.files import Locked\n"
        "with Locked(Path(sys.argv[1])):\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    lock = tmp_path / "lock"
    assert subprocess.run([sys.executable, "-c", program, str(lock)]).returncode == -9
    with Locked(lock):
        pass
