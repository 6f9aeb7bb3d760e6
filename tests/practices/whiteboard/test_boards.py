"""Boards on disk: nothing lost among many writers, nothing half-written, links and permissions kept."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from guildmoot.errors import UsageError
from guildmoot.practices.whiteboard.boards import (
    PLAN,
    WHITEBOARD,
    append_round,
    init_board,
    read_board,
    record_decision,
)
from guildmoot.reading.board import Board, BoardDecision, BoardSection

ONE = [BoardSection("a", "x")]
CHOICE = BoardDecision("c1", "A queue", "It drains", "2026-01-01")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return tmp_path / "board.md"


def others(path: Path) -> list[str]:
    """What stands beside the board."""
    return [file.name for file in path.parent.iterdir() if file != path]


def test_a_new_board_carries_the_words_of_its_verb_and_both_read_both(board: Path) -> None:
    init_board(board, " How? ", WHITEBOARD)
    init_board(board, "Other", PLAN)
    assert append_round(board, ONE, PLAN) == 1
    assert board.read_text() == "# Whiteboard: How?\n\n## Round 1\n\n### From a\n\nx\n\n"
    assert read_board(board, PLAN) == read_board(board, WHITEBOARD)
    assert read_board(board, PLAN).topic == "How?"
    append_round(board.parent / "new.md", [], WHITEBOARD)
    assert (board.parent / "new.md").read_text() == "# Whiteboard\n\n## Round 1\n\n"


def test_a_missing_board_is_read_as_an_empty_one(board: Path) -> None:
    board.write_text("")
    for path in (board, board.parent / "none.md", board / "under-a-file.md"):
        assert read_board(path, PLAN) == Board("", ())


@pytest.mark.slow  # 32 processes
def test_32_processes_at_once_write_32_rounds_and_lose_nothing(board: Path) -> None:
    program = (
        "import sys; from guildmoot.practices.whiteboard.boards import PLAN, append_round; "
        "from guildmoot.reading.board import BoardSection; "
        "append_round(sys.argv[1], [BoardSection(sys.argv[2], sys.argv[2] * 5000)], PLAN)"
    )
    names = [f"e{number}" for number in range(32)]
    writers = [subprocess.Popen([sys.executable, "-c", program, str(board), n]) for n in names]
    assert [writer.wait() for writer in writers] == [0] * 32
    rounds = read_board(board, PLAN).rounds
    assert [round_.number for round_ in rounds] == list(range(1, 33))
    written = [section for round_ in rounds for section in round_.sections]
    assert sorted(written) == sorted(BoardSection(name, name * 5000) for name in names)
    assert others(board) == []


def test_processes_that_run_one_round_again_merge_into_it(board: Path) -> None:
    program = (
        "import sys; from guildmoot.practices.whiteboard.boards import PLAN, append_round; "
        "from guildmoot.reading.board import BoardSection; "
        "append_round(sys.argv[1], [BoardSection(sys.argv[2], 'x')], PLAN, round_number=1)"
    )
    names = [f"e{number}" for number in range(8)]
    writers = [subprocess.Popen([sys.executable, "-c", program, str(board), n]) for n in names]
    assert [writer.wait() for writer in writers] == [0] * 8
    (round_,) = read_board(board, PLAN).rounds
    assert sorted(section.engineer for section in round_.sections) == names


KILLED = """
import os, signal, sys
from guildmoot.reading.board import BoardSection
from guildmoot.practices.whiteboard.boards import PLAN, append_round

board = sys.argv[1]
with open(board, "rb") as stream:
    old = stream.read()
new = old + b"## Round 2\\n\\n### From b\\n\\n" + b"y" * 70_000 + b"\\n\\n"

def run(moment):
    seen = 0
    def trace(frame, event, argument):
        nonlocal seen
        ours = frame.f_code.co_filename.endswith("system/files.py")
        if ours and event == "line":
            seen += 1
            if seen == moment:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    append_round(board, [BoardSection("b", "y" * 70_000)], PLAN)
    os._exit(0)

outcomes = []
for moment in range(1, 1000):
    with open(board, "wb") as stream:
        stream.write(old)
    child = os.fork()
    if not child:
        run(moment)
    _, status = os.waitpid(child, 0)
    with open(board, "rb") as stream:
        found = stream.read()
    assert found in (old, new), moment
    outcomes.append(found == new)
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL, status
print(outcomes.count(False), outcomes.count(True))
"""


def test_killed_at_any_line_the_old_board_or_the_new_one_is_there(board: Path) -> None:
    append_round(board, ONE, PLAN)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(board)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    old, new = map(int, done.stdout.split())
    assert old > 10
    assert new > 2
    assert append_round(board, ONE, PLAN) == 3
    assert others(board) == []  # what a dead writer left is cleared away by the next


def test_behind_a_link_the_target_changes_and_the_link_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "deep" / "real.md", tmp_path / "link.md"
    link.symlink_to("deep/real.md")
    append_round(link, ONE, PLAN)
    append_round(link, ONE, PLAN)
    assert link.is_symlink()
    assert len(read_board(target, PLAN).rounds) == 2
    assert others(target) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_are_kept(board: Path, mode: int) -> None:
    init_board(board, "t", PLAN)
    board.chmod(mode)
    append_round(board, ONE, PLAN)
    record_decision(board, CHOICE, PLAN)
    assert stat.S_IMODE(board.stat().st_mode) == mode


def test_a_round_that_says_nothing_new_does_not_touch_the_file(board: Path) -> None:
    append_round(board, ONE, PLAN, round_number=4)
    before = board.stat().st_ino
    assert append_round(board, ONE, PLAN, round_number=4) == 4
    assert board.stat().st_ino == before


def test_a_decision_is_recorded_once_and_its_history_kept(board: Path) -> None:
    append_round(board, ONE, PLAN)
    assert record_decision(board, CHOICE, PLAN)
    assert not record_decision(board, CHOICE, PLAN)
    assert record_decision(board, CHOICE._replace(choice="A log"), PLAN)
    found = read_board(board, PLAN)
    assert [decision.choice for decision in found.decisions] == ["A log"]
    assert found.superseded == (CHOICE,)
    assert len(found.rounds) == 1


def test_no_board_no_decision(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no plan"):
        record_decision(tmp_path / "sub" / "none.md", CHOICE, PLAN)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_or_a_pipe_is_no_board(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, kind in ((tmp_path, "a folder"), (pipe, "no ordinary file")):
        for act in (
            lambda path: read_board(path, PLAN),
            lambda path: append_round(path, ONE, PLAN),
            lambda path: init_board(path, "t", PLAN),
            lambda path: record_decision(path, CHOICE, PLAN),
        ):
            with pytest.raises(UsageError, match=kind):
                act(path)


@pytest.fixture
def common_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def as_nobody(act: Callable[[], object]) -> str:
    """What the act raises for a user without rights; root gives its own away first."""
    read, write = os.pipe()
    if not (child := os.fork()):
        if os.geteuid() == 0:
            os.setgroups([])
            os.setuid(65534)
        try:
            act()
        except OSError as wrong:
            os.write(write, f"{type(wrong).__name__} {wrong.filename}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read().decode()


def test_what_may_not_be_written_stays_and_the_board_is_named(common_folder: Path) -> None:
    board = common_folder / "board.md"
    append_round(board, ONE, PLAN)
    before = board.read_bytes()
    board.chmod(0o444)
    said = f"PermissionError {board.resolve()}"
    common_folder.chmod(0o777)
    assert as_nobody(lambda: append_round(board, ONE, PLAN)) == said
    board.chmod(0o666)
    common_folder.chmod(0o555)
    assert as_nobody(lambda: append_round(board, ONE, PLAN)) == said
    assert as_nobody(lambda: init_board(common_folder / "new.md", "t", PLAN)).endswith("/new.md")
    common_folder.chmod(0o755)
    assert board.read_bytes() == before
    assert others(board) == []


def test_where_a_folder_cannot_be_locked_a_file_in_it_is(
    board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fcntl.flock

    def as_nfs_does(handle: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        real(handle, operation)

    monkeypatch.setattr(fcntl, "flock", as_nfs_does)
    assert [append_round(board, ONE, PLAN) for _ in range(2)] == [1, 2]
    assert others(board) == [".guild-lock"]


def test_a_thousand_rounds_of_100_kb_fit_in_little_memory(board: Path) -> None:
    text = "a line of the design, with some words in it\n" * 2300
    with board.open("w") as stream:
        for number in range(1, 1001):
            stream.write(f"## Round {number}\n\n### From a\n\n{text}\n\n")
    program = (
        "import re, sys; from guildmoot.practices.whiteboard.boards import PLAN, append_round; "
        "from guildmoot.reading.board import BoardSection; "
        "print(append_round(sys.argv[1], [BoardSection('b', 'x')], PLAN), "
        "re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(board)], capture_output=True, text=True, check=True
    )
    number, peak = map(int, done.stdout.split())
    assert number == 1001
    unit = 1 if sys.platform == "darwin" else 1024
    assert peak * unit < board.stat().st_size * 1.5
