"""The probe bank: readable files that survive hands and hurry."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.errors import UsageError
from guildmoot.model.packet import Omission, Section
from guildmoot.packet.egress import Draft, release
from guildmoot.practices.probe.suites import Expected, GoldCase, add_case, read_bank, remove_case


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
