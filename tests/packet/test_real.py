"""Tools of this machine read what is there; whatever leaves, prints or is kept is masked."""

from __future__ import annotations

import json
from pathlib import Path

from guildmoot.model.packet import Packet
from guildmoot.packet import held_back, materialise, with_real, without_secrets
from guildmoot.packet.egress import Draft, release

TOKEN = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
TEXT = f'import os\npassword = "Tr0ub4dor&3"\nx = "{TOKEN}"\n'


def made(folder: Path) -> Packet:
    return release(Draft(str(folder), "t", [("a.py", TEXT), ("b.py", "x = 1\n")]))


def test_a_tool_reads_what_is_there_and_others_what_was_masked(tmp_path: Path) -> None:
    packet = made(tmp_path)
    real, _ = materialise(packet, tmp_path / "real", real=True)
    shown, _ = materialise(packet, tmp_path / "shown")
    assert (real / "a.py").read_text() == TEXT
    assert TOKEN not in (shown / "a.py").read_text()
    assert TOKEN not in repr(packet)


def test_what_a_tool_repeats_is_masked_by_the_same_mark(tmp_path: Path) -> None:
    packet = made(tmp_path)
    printed = json.dumps({"text": f"found {TOKEN}, cut {TOKEN[:14]}", "also": "Tr0ub4dor&3"})
    said = json.loads(without_secrets(printed, held_back(packet)))
    assert said["also"] == "[masked:secret]"
    assert said["text"].startswith("found [masked:github-token], cut [masked:github-token]")


def test_a_word_that_was_taken_for_a_secret_spoils_no_paths_and_keys(tmp_path: Path) -> None:
    text = 'password = "forms-of-2024"\npassword = "results"\npassword = "F821"\n'
    files = [("a.py", text), ("forms-of-2024/b.py", "x = 1\n")]
    packet = release(Draft(str(tmp_path), "t", files))
    printed = json.dumps({"results": [{"ruleId": "F821", "uri": "forms-of-2024/b.py"}]})
    assert without_secrets(printed, held_back(packet)) == printed


def test_brackets_of_lines_that_were_held_back_whole_spoil_no_output(tmp_path: Path) -> None:
    crowd = "password=\n" * 30_000 + "    {\n"
    packet = release(Draft(str(tmp_path), "t", [("a.txt", crowd * 2)]))
    assert "[masked:crowded]" in packet.files[0].text
    printed = json.dumps({"runs": [{"results": []}]}, indent=2)
    assert without_secrets(printed, held_back(packet)) == printed


def test_lines_that_were_held_back_whole_change_texts_of_an_output_and_never_its_form(
    tmp_path: Path,
) -> None:
    line = " " * 16 + '"results": [{"ruleId": 1}], # a long line with many words'
    crowd = "password=\n" * 30_000
    packet = release(Draft(str(tmp_path), "t", [("a.py", f"{crowd}{line}\n{crowd}")]))
    for printed in (
        json.dumps({"runs": [{"results": [{"ruleId": 1}], "text": f"see\n{line}"}]}, indent=16),
        json.dumps({"results": [{"ruleId": 1}], "text": f"see\n{line}"}),
    ):
        said = without_secrets(printed + "\n", held_back(packet))
        assert "many words" not in said
        assert "results" in said
        json.loads(said)


def test_a_packet_from_the_record_takes_the_real_text_only_if_it_is_the_same(
    tmp_path: Path,
) -> None:
    kept = made(tmp_path)._replace(real=())
    assert with_real(kept).real == ()
    (tmp_path / "a.py").write_text(TEXT)
    assert with_real(kept).real == (("a.py", TEXT),)
    (tmp_path / "a.py").write_text(TEXT + "y = 2\n")
    assert with_real(kept).real == ()
