"""The coverage receipt, and the packet as a folder for programs."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import stat

import pytest

from guildmoot.errors import InfrastructureError
from guildmoot.model.packet import PacketFile
from guildmoot.packet import REASONS, manifest, materialise


@pytest.fixture
def packet(repo):
    repo.commit(a__py="1\n2\n", yarn__lock="x\n", b__png="\0", c__png="\0")
    repo.write("sub dir/é\n.py", "ü")
    repo.write("old.c", "caf\xe9\n".encode("latin-1"))
    return repo.packet(".", ask="why")


def test_the_receipt_counts_what_was_reviewed_and_what_was_left_out(packet):
    receipt = manifest(packet)
    assert receipt["hash"] == packet.hash
    assert receipt["reviewed"] == {"files": 3, "lines": 4, "bytes": 4 + 7 + 2}
    assert receipt["left_out"] == {"binary": 2, "generated": 1}
    assert receipt["partly_shown"] == 1
    assert {item["reason"] for item in receipt["omitted"]} <= set(REASONS)
    first = receipt["files"][0]
    assert first == {
        "path": "a.py", "sha256": hashlib.sha256(b"1\n2\n").hexdigest(), "lines": 2, "bytes": 4,
    }  # fmt: skip


def test_the_receipt_is_json_and_does_not_tell_where_the_repository_lies(packet):
    text = json.dumps(manifest(packet))
    assert json.loads(text) == manifest(packet)
    assert packet.root not in text


def test_the_folder_holds_exactly_the_files_read_only(packet, tmp_path):
    files, listing = materialise(packet, tmp_path / "out")
    written = {
        os.path.relpath(os.path.join(folder, name), files)
        for folder, _, names in os.walk(files)
        for name in names
    }
    assert written == {file.path for file in packet.files}
    for file in packet.files:
        assert (files / file.path).read_bytes() == file.text.encode()
        assert not stat.S_IMODE((files / file.path).stat().st_mode) & 0o222
    assert json.loads(listing.read_text()) == manifest(packet)


@pytest.mark.parametrize("path", ["../up.py", "/etc/x", "a/../../b", "", "a//b", "./a"])
def test_a_path_that_leads_out_of_the_folder_is_never_written(packet, tmp_path, path):
    bad = packet._replace(files=(PacketFile(path, "x", ""),))
    with pytest.raises(InfrastructureError, match="leads out"):
        materialise(bad, tmp_path / "deep" / "out")
    assert [p for p in tmp_path.rglob("*.py") if "repo" not in p.parts] == []


def test_a_link_that_lies_in_the_way_is_not_written_through(packet, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (out / "files").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InfrastructureError, match="could not be written"):
        materialise(packet, out)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_full_disk_is_an_infrastructure_failure(packet, tmp_path):
    # A limit on the size of files stands in for a full disk: the system refuses the write.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, before[1]))
    try:
        with pytest.raises(InfrastructureError, match="could not be written"):
            materialise(packet, tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
