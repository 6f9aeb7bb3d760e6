"""Finds the manifests of a project: ``.guild/hosts/<host-id>/capability.json``.

A manifest that is refused is never dropped silently: it comes back with its reason.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.hosts.manifest import Host, read_manifest
from guildmoot.agents.hosts.values import MAX_BYTES
from guildmoot.system.files import place_inside, read_inside

FILE = "capability.json"


class RefusedManifest(NamedTuple):
    """A manifest that says nothing that can be used."""

    host_id: str
    """What its folder is called."""
    path: str
    reasons: tuple[str, ...]


class Fleet(NamedTuple):
    """Every host of a project, by name, and every manifest that was refused."""

    hosts: tuple[Host, ...]
    refused: tuple[RefusedManifest, ...]


def hosts_folder(root: Path) -> Path:
    """Where a project keeps its manifests."""
    return place_inside(root, ".guild/hosts")


def load_hosts(root: Path) -> Fleet:
    """Read every manifest of the project; no link is followed, and what git tracks must be trusted.

    Hosts write their manifests anew all the time, so git does not track them; one that it tracks was
    written by whoever wrote the repository.
    """
    folder = hosts_folder(root)
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
    except FileNotFoundError:
        names = []
    return _fleet([_of_project(folder / name / FILE, root, name) for name in names])


def _of_project(path: Path, root: Path, name: str) -> Host | RefusedManifest:
    from guildmoot.guard.trust import is_brought, is_trusted

    data = read_inside(path, root, MAX_BYTES)[0]
    if is_brought(root, path) and not is_trusted(root, path.relative_to(root).as_posix(), data):
        why = "git tracks it and nobody trusted it here; `guild trust` shows it"
        return RefusedManifest(name, str(path), (why,))
    return read_file(path, root, name)


def read_manifests(paths: Sequence[Path]) -> Fleet:
    """The hosts of these files, wherever they are."""
    return _fleet([read_file(path) for path in paths])


def _fleet(read: Sequence[Host | RefusedManifest]) -> Fleet:
    hosts = tuple(each for each in read if isinstance(each, Host))
    return Fleet(hosts, tuple(each for each in read if isinstance(each, RefusedManifest)))


def read_file(path: Path, inside: Path | None = None, host_id: str = "") -> Host | RefusedManifest:
    """One manifest; ``inside`` is the folder that it must not leave."""
    data, problem = read_inside(path, inside, MAX_BYTES)
    if problem:
        return RefusedManifest(host_id or path.parent.name, str(path), (problem,))
    host, problems = read_manifest(data, host_id)
    return host or RefusedManifest(host_id or path.parent.name, str(path), tuple(problems))
