"""Unpacks the archives in which offices send their sheets."""

from __future__ import annotations

import hashlib
import hmac
import tarfile
import tempfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> list[Path]:
    """The sheets of an archive; members that lead out of the folder are refused."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return sorted(folder.rglob("*.csv"))


def is_genuine(archive: Path, signature: str, key: bytes) -> bool:
    """Whether the office signed this archive with its key."""
    expected = hmac.new(key, archive.read_bytes(), hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)


def scratch() -> Path:
    """A private folder to unpack in."""
    return Path(tempfile.mkdtemp(prefix="report-"))
