"""The probe bank and the calibration record: readable files that survive kills, hands and hurry."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.consensus.votes.history import CastVote, Disposition
from guildmoot.errors import UsageError
from guildmoot.memory.calibration import Removal, append, read, record_path
from guildmoot.model.packet import Omission, Section
from guildmoot.packet.egress import Draft, release
from guildmoot.practices.probe.suites import Expected, GoldCase, add_case, read_bank, remove_case

VOTE = CastVote(
    "r1", "typo", "hash", True, "kind", "kind", "us", "m1", "flagged", True, True, ts="2026"
)


def packet(files, sections=(), **more):
    draft = Draft("/", "t", files, sections)
    return release(draft._replace(**more))


def case(name="typo", text="a = b\n", **more):
    return GoldCase(name, "flagged", packet([("a.py", text)]), **more)


def test_a_probe_comes_back_as_it_was_put_in(tmp_path):
    put = GoldCase(
        "race",
        "flagged",
        packet(
            [("a.py", "one\r\ntwo"), ("b/c.py", "")],
            [Section("diff", "v1..v2", "+one\n")],
            omitted=[Omission("big.bin", "binary")],
            changed={"a.py": ((1, 2),)},
        ),
        (Expected("a.py", 2, "F821", "misspelt"),),
        "known from an outage",
    )
    add_case(tmp_path / "bank", put)
    [got] = read_bank(tmp_path / "bank", tmp_path)
    assert got == put._replace(packet=put.packet._replace(root=str(tmp_path)))


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_survives_the_bank(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("bank")
    put = case(text=text)
    add_case(folder, put)
    [got] = read_bank(folder, folder)
    assert got.packet.files == put.packet.files


def test_every_line_of_a_text_is_a_line_of_the_file(tmp_path):
    path = add_case(tmp_path, case(text="first\nsecond\n"))
    lines = [line.strip() for line in path.read_text().splitlines()]
    assert {'"first",', '"second",'} <= set(lines)


def test_a_probe_is_never_replaced(tmp_path):
    add_case(tmp_path, case())
    with pytest.raises(UsageError, match="already a probe 'typo'"):
        add_case(tmp_path, case(text="other\n"))
    assert read_bank(tmp_path, tmp_path)[0].packet.files[0].text == "a = b\n"


@pytest.mark.parametrize("name", ["", "../up", ".hidden", "a/b", "with space", "x" * 81])
def test_a_name_that_is_no_file_name_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="cannot name a probe"):
        add_case(tmp_path, case(name))


def test_removing_what_is_not_there_names_the_nearest(tmp_path):
    add_case(tmp_path, case())
    with pytest.raises(UsageError) as caught:
        remove_case(tmp_path, "typ")
    assert "typo" in caught.value.hint
    remove_case(tmp_path, "typo")
    assert read_bank(tmp_path, tmp_path) == []


def test_a_secret_written_into_the_bank_by_hand_is_not_shown_to_judges(tmp_path):
    path = add_case(tmp_path, case())
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path.write_text(path.read_text().replace("a = b", f"token = '{token}'"))
    [got] = read_bank(tmp_path, tmp_path)
    assert token not in got.packet.files[0].text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"schema_version": 2}, "schema_version"),
        ({"name": "other"}, "its name is 'other'"),
        ({"gold": {"verdict": "perhaps"}}, "none of approved, flagged"),
        ({"gold": {"verdict": "approved", "findings": [{"path": "a.py"}]}}, "and an approval"),
        ({"gold": None}, "gold: None is not an object"),
        ({"files": [{"path": "../x", "lines": []}]}, "leads out"),
        ({"files": [{"path": "a.py", "lines": [1]}]}, r"files\[0\].lines\[0\]: 1 is not a text"),
        ({"files": [{"path": "a.py", "lines": ["\ud800"]}]}, "surrogates"),
        ({"files": []}, "nothing in it"),
        ({"omitted": [{"path": "x", "reason": "boredom"}]}, "boredom"),
        ({"changed": [{"path": "a.py", "ranges": [[1]]}]}, r"ranges\[0\]: 1 entries in place of 2"),
    ],
)
def test_a_broken_probe_is_named_with_its_reason(tmp_path, change, why):
    path = add_case(tmp_path, case())
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(UsageError, match=why) as caught:
        read_bank(tmp_path, tmp_path)
    assert str(path) in caught.value.message


def test_the_record_gives_back_what_was_appended(tmp_path):
    said = Disposition("id1", "dismissed", "by design", ("kind",), ("us",), line=3, title="é\u2028")
    append(tmp_path, [VOTE])
    append(tmp_path, [said])
    assert read(tmp_path) == ((VOTE,), (said,), 0)


def test_an_empty_record_is_empty(tmp_path):
    append(tmp_path, [])
    assert not record_path(tmp_path).exists()
    assert read(tmp_path) == ((), (), 0)


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
    assert read(tmp_path) == ((VOTE,), (), 1)


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
