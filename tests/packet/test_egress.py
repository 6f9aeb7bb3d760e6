"""Nothing leaves unseen: whatever secret is planted, and wherever, no judge ever gets to see it."""

from __future__ import annotations

import json
import random
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guildmoot.errors import TargetError
from guildmoot.model.packet import Packet
from guildmoot.packet import EvidenceResult, manifest, materialise, render

ALNUM = string.ascii_letters + string.digits


def secret(rng: random.Random) -> str:
    """A token of one of the families, as a service would issue it."""
    prefix, size = rng.choice(
        [
            ("ghp_", 36),
            ("github_pat_", 82),
            ("sk-ant-", 80),
            ("AKIA", 16),
            ("glpat-", 20),
            ("npm_", 36),
        ]
    )
    alphabet = string.ascii_uppercase + string.digits if prefix == "AKIA" else ALNUM
    return prefix + "".join(rng.choices(alphabet, k=size))


def everything_shown(packet: Packet) -> str:
    """All that a judge, a tool or the record can get hold of."""
    with tempfile.TemporaryDirectory() as folder:
        files, listing = materialise(packet, Path(folder) / "out")
        written = [path.read_text() for path in files.rglob("*") if path.is_file()]
        names = [str(path.relative_to(files)) for path in files.rglob("*")]
        listed = listing.read_text()
    parts = [render(packet), json.dumps(manifest(packet)), repr(packet), listed, *written, *names]
    return "\n".join(parts)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10**9))
def test_planted_secrets_appear_nowhere(repo, seed):
    rng = random.Random(seed)
    keys = [secret(rng) for _ in range(12)]
    filler = ["import os", "x = 1", "", "def f():", "    return 'é'"]

    def text(*planted: str) -> str:
        lines = [rng.choice(filler) for _ in range(rng.randrange(2, 30))]
        for key in planted:
            lines.insert(
                rng.randrange(len(lines)), rng.choice(['k = "{}"', "# {}", "{}"]).format(key)
            )
        return "\n".join(lines) + "\n"

    repo.write("a.py", text(keys[0]))
    repo.write("conf.yaml", text(keys[1]))
    repo.commit()
    repo.write("a.py", text(keys[2]))
    repo.write("new file.md", text(keys[3]))
    repo.write("plan.md", text(keys[4]))
    repo.write("adr.md", text(keys[5]))
    repo.write("log.txt", text(keys[6]))
    repo.write(f"src/{keys[7]}.py")
    beside = {
        "spec": (Path("plan.md"),),
        "decisions": (Path("adr.md"),),
        "evidence": (f"note {keys[8]}", "@log.txt"),
        "evidence_results": (EvidenceResult(f"curl {keys[9]}", 0, f"ok {keys[10]}\n"),),
        "ask": f"use {keys[11]}",
    }
    for packet in (
        repo.packet(".", "-", stdin=text(keys[11]).encode(), **beside),
        repo.packet(diff="", **beside),
        repo.packet("recent", **beside),
    ):
        shown = everything_shown(packet)
        for key in keys:
            assert key not in shown
            assert key[-14:] not in shown
    repo.git("rm", "-q", "-r", "--cached", ".")


def test_a_masked_secret_is_listed_with_its_place(repo):
    repo.write("a.py", 'x = 1\nTOKEN = "ghp' + '_0123456789abcdefghijABCDEFGHIJ012345"\n')
    packet = repo.packet(".")
    assert packet.files[0].text == 'x = 1\nTOKEN = "[masked:github-token]"\n'
    assert packet.masked == ((("a.py", 2, "github-token", True, False, False)),)


def test_key_files_are_left_out_of_folders_and_refused_by_name(repo, left_out):
    repo.write("a.py")
    repo.write(".env", "A=1\n")
    repo.write("deploy/server.pem", "x\n")
    packet = repo.packet(".")
    assert left_out(packet) == {".env": "key-file", "deploy/server.pem": "key-file"}
    for target in (".env", "deploy", "*.pem"):
        with pytest.raises(TargetError, match="key-file") as error:
            repo.packet(target)
        assert "never" in error.value.hint


def test_a_template_of_a_key_file_is_shown_with_its_values_masked(repo):
    repo.write(".env.example", "PASSWORD=changeme\nAPI_TOKEN=a1b2c3d4e5f6\n")
    text = repo.packet(".").files[0].text
    assert text == "PASSWORD=changeme\nAPI_TOKEN=[masked:secret]\n"


def test_key_files_are_cut_out_of_diffs_also_when_renamed(repo, left_out):
    repo.commit(a__py="1\n", __env="FIRST=alpha\n" * 9)
    repo.git("mv", ".env", "settings.txt")
    repo.write("a.py", "2\n")
    repo.write(".env.local", "SECOND=beta\n")
    repo.git("add", "-A")
    packet = repo.packet(staged=True)
    assert left_out(packet) == {"settings.txt": "key-file", ".env.local": "key-file"}
    assert "alpha" not in everything_shown(packet)
    assert "beta" not in everything_shown(packet)
    assert "+2" in packet.sections[-1].text


def test_a_private_key_is_masked_in_a_diff_without_breaking_it(repo):
    rng = random.Random(1)
    key = ["".join(rng.choices(ALNUM, k=64)) for _ in range(5)]
    block = "\n".join(["-----BEGIN PRIVATE KEY-----", *key, "-----END PRIVATE KEY-----"])
    repo.commit(a__txt=f"top\n{block}\nend\n")
    repo.write("a.txt", "top\nend\n")
    packet = repo.packet(diff="")
    diff = packet.sections[-1].text
    assert not any(line[-20:] in diff for line in key)
    assert diff.count("\n-[masked:private-key]") == 5  # the markers tell nothing
    assert {item.path for item in packet.masked} == {"diff"}


def test_the_line_of_a_masking_in_the_diff_points_into_the_diff(repo):
    repo.commit(a__py="1\n", b__py="1\n")
    repo.write("a.py", "2\n")
    repo.write("b.py", "x = 'AKIA" + "Z3MFODNN7QWERTYU'\n")
    packet = repo.packet(diff="")
    place = next(item.line for item in packet.masked if item.path == "diff")
    assert "[masked:aws-key]" in packet.sections[-1].text.split("\n")[place - 1]


def test_bytes_that_are_no_text_in_notes_are_carried_as_replaced(repo):
    repo.write("a.py")
    packet = repo.packet("a.py", ask="caf\udce9", evidence=("\udcff\ud800",))
    assert render(packet).encode()
    assert packet.sections[0].text == "caf\ufffd"
