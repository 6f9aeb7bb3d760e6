"""Cases of two releases of a public package around the fix of a bug: the earlier one has it, the later one is sound.

``releases.toml`` names package, versions, files and what was wrong; the archives are downloaded by name from PyPI and npm,
compared with their hashes, and kept in a folder. Nothing of them is part of this project, and nothing in them is run.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
import tomllib
import urllib.request
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from benchmarks.seeded.cases import HERE, Case, CaseError, Defect, Place

RELEASES = HERE / "releases.toml"
CACHE = Path.home() / ".cache/guildmoot-benchmarks"
_PYPI_HOST = "https://files.pythonhosted.org/packages/"


def load_releases(cache: Path) -> list[Case]:
    """Two cases for each fix: the sound release and the one before it."""
    return [case for row in read_rows() for case in of_release(row, cache)]


def read_rows() -> list[dict[str, Any]]:
    """What the file of releases says."""
    rows: list[dict[str, Any]] = tomllib.loads(RELEASES.read_text(encoding="utf-8"))["release"]
    return rows


def of_release(row: Mapping[str, Any], cache: Path) -> Iterator[Case]:
    """The sound case and the one with the bug, with the files that the fix changed."""
    package, bad, good = row["package"], row["bad"], row["good"]
    before = read_archive(fetch(row["registry"], package, bad, row["bad_sha256"], cache))
    after = read_archive(fetch(row["registry"], package, good, row["good_sha256"], cache))
    name = f"{row['registry']}-{package.replace('/', '-').removeprefix('@')}-{bad}"
    files = list(row["files"])
    for texts, version in ((before, bad), (after, good)):
        missing = [file for file in files if file not in texts]
        if missing:
            raise CaseError(f"{name}: {missing[0]} is not in {package} {version}")
    places = [place for file in files for place in _blocks(file, after[file], before[file])]
    if not places:
        raise CaseError(f"{name}: both releases have the same files")
    yield Case(f"{name}/sound", name, {file: after[file] for file in files})
    defect = Defect(row["kind"], row["severity"], row["about"], places[0], tuple(places[1:]))
    yield Case(f"{name}/bug", name, {file: before[file] for file in files}, defect)


def _blocks(path: str, sound: str, bad: str) -> Iterator[Place]:
    """Each block of the earlier text that the fix changed; where it only added lines, those beside the gap."""
    old, new = sound.splitlines(), bad.splitlines()
    for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal" and not _is_slight(old, new, start, end):
            first, last = (start + 1, end) if end > start else (start, start + 1)
            yield Place(path, max(first, 1), min(max(last, 1), len(new)))


def _is_slight(old: list[str], new: list[str], start: int, end: int) -> bool:
    """Whether a block holds the number of the version alone."""
    return end > start and all(re.search(r"(?i)version", line) for line in new[start:end])


def fetch(registry: str, package: str, version: str, sha256: str, cache: Path) -> bytes:
    """The archive of a release, from the folder or from its registry."""
    kept = cache / f"{package.replace('/', '-')}-{version}.{registry}.tgz"
    data = kept.read_bytes() if kept.exists() else _download(registry, package, version)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise CaseError(f"{package} {version} from {registry} is not the archive that was read")
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
    return data


def _download(registry: str, package: str, version: str) -> bytes:
    try:
        if registry == "npm":
            told = json.loads(_get(f"https://registry.npmjs.org/{package}/{version}"))
            return _get(told["dist"]["tarball"])
        told = json.loads(_get(f"https://pypi.org/pypi/{package}/json"))["releases"][version]
        urls = [
            each["url"]
            for each in told
            if each["packagetype"] == "sdist" and each["url"].endswith(".tar.gz")
        ]
        return _get(re.sub(r"^.*?packages/(?=[0-9a-f]{2}/[0-9a-f]{2}/)", _PYPI_HOST, urls[0]))
    except (OSError, KeyError, IndexError, ValueError) as wrong:
        raise CaseError(f"{package} {version} cannot be had from {registry}: {wrong}") from wrong


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as answer:
        data: bytes = answer.read()
    return data


def read_archive(data: bytes) -> dict[str, str]:
    """The texts of an archive by their paths below its one folder."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None and member.size < 1_000_000:
                path = member.name.partition("/")[2]
                found[path] = file.read().decode("utf-8", "replace")
    return found
