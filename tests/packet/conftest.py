"""A real git repository in a temporary folder, with the user's own git settings out of the way."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from guildmoot.model.packet import Packet
from guildmoot.packet import PacketRequest, build_packet

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")


class Repo:
    """Writes files, commits them, builds packets."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ("git", *WHO, "-c", "protocol.file.allow=always", *args),
            cwd=self.root,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode()

    def write(self, path: str, content: str | bytes = "x = 1\n") -> Path:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content.encode() if isinstance(content, str) else content)
        return full

    def commit(self, message: str = "work", **files: str) -> str:
        for name, text in files.items():
            self.write(name.replace("__", "."), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def packet(self, *targets: str, **more: object) -> Packet:
        request = PacketRequest(targets=targets, cwd=self.root)._replace(**more)
        return build_packet(request)


@pytest.fixture(autouse=True)
def clean_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def paths() -> Callable[[Packet], list[str]]:
    return lambda packet: [file.path for file in packet.files]


@pytest.fixture
def left_out() -> Callable[[Packet], dict[str, str]]:
    return lambda packet: {item.path: item.reason for item in packet.omitted}
