"""The calibration record: lines that survive kills, hands and many writers at once."""

import json
import os
import subprocess
import sys

import pytest

from guildmoot.consensus.votes.history import CastVote, Disposition
from guildmoot.memory.calibration import Removal, append, read, record_path

VOTE = CastVote(
    "r1", "typo", "hash", True, "kind", "kind", "us", "m1", "flagged", True, True, ts="2026"
)


def test_the_record_gives_back_what_was_appended(tmp_path):
    said = Disposition("id1", "dismissed", "by design", ("kind",), ("us",), line=3, title="é\u2028")
    append(tmp_path, [VOTE])
    append(tmp_path, [said])
    assert read(tmp_path) == ((VOTE,), (said,), 0, 0)


def test_an_empty_record_is_empty(tmp_path):
    append(tmp_path, [])
    assert not record_path(tmp_path).exists()
    assert read(tmp_path) == ((), (), 0, 0)


def test_half_a_line_of_a_killed_process_costs_that_line_only(tmp_path):
    append(tmp_path, [VOTE])
    whole = record_path(tmp_path).read_bytes()
    with record_path(tmp_path).open("ab") as stream:
        stream.write(whole[: len(whole) // 2])
    append(tmp_path, [VOTE._replace(run="r2")])
    ledger = read(tmp_path)
    assert [vote.run for vote in ledger.votes] == ["r1", "r2"]
    assert ledger.bad == 1


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        '{"kind": "vote"}',
        '{"kind": "song"}',
        json.dumps({"kind": "vote", **VOTE._asdict(), "gold": "yes"}),
        json.dumps({"kind": "vote", **VOTE._asdict(), "right": 1}),
        json.dumps({"kind": "vote", **VOTE._asdict(), "repeat": "one"}),
        json.dumps({"kind": "disposition", "issue": "x", "disposition": "loved", "why": "", "seats": []}),
        json.dumps({"kind": "disposition", "issue": "x", "disposition": "fixed", "why": "", "seats": [1]}),
        "[" * 100_000,
        "\ufffd\x00",
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_counted_and_passed_over(tmp_path, line):
    append(tmp_path, [VOTE])
    with record_path(tmp_path).open("a") as stream:
        stream.write(line + "\n")
    assert read(tmp_path) == ((VOTE,), (), 1, 0)


def test_what_was_answered_to_a_removed_probe_no_longer_counts(tmp_path):
    other = VOTE._replace(probe="race")
    append(tmp_path, [VOTE, other, Removal("typo"), VOTE._replace(run="r2")])
    assert [(vote.run, vote.probe) for vote in read(tmp_path).votes] == [
        ("r1", "race"),
        ("r2", "typo"),
    ]


def test_processes_that_append_at_once_lose_and_tear_nothing(tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from guildmoot.consensus.votes.history import Disposition\n"
        "from guildmoot.memory.calibration import append\n"
        "root, who = Path(sys.argv[1]), sys.argv[2]\n"
        "for n in range(15):\n"
        "    row = Disposition(f'{who}-{n}', 'fixed', 'w' * 5000, ('kind',))\n"
        "    append(root, [row, row._replace(issue=f'{who}-{n}b')])\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), who]) for who in "ab"
    ]
    assert [process.wait() for process in started] == [0, 0]
    ledger = read(tmp_path)
    assert (len(ledger.dispositions), ledger.bad) == (60, 0)
    issues = [item.issue for item in ledger.dispositions]
    # What was appended in one piece stays together.
    assert all(issues[at + 1] == f"{issues[at]}b" for at in range(0, 60, 2))
    assert os.listdir(tmp_path / ".guild") == ["calibration.jsonl"]
