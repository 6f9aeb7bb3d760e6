"""What a call needs beside its prompt: the packet's files, or a checkout in the right state.

Only what the packet's manifest lists is sent, and only as the manifest has it: nothing else that
lies in the folder leaves the machine.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import NamedTuple

from guildmoot.backends import traits_of
from guildmoot.calls.cluster.codec import dumps, loads
from guildmoot.calls.cluster.needs import Repository
from guildmoot.codec import from_plain
from guildmoot.errors import InfrastructureError
from guildmoot.model.call import Call
from guildmoot.model.packet import Packet, PacketFile
from guildmoot.packet import materialise
from guildmoot.system.git import Git, GitError

_ALONE = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")


class Brought(NamedTuple):
    """What travels beside a call: the packet's files with their manifest, or which checkout it is."""

    manifest: str = ""
    files: Mapping[str, str] = MappingProxyType({})
    identity: str = ""
    state: str = ""


def pack(call: Call, checkout: Repository | None) -> str:
    """What travels beside the call, as text; empty when it needs nothing, or there is nothing."""
    if checkout is not None:
        return dumps({"identity": checkout.identity, "state": checkout.state})
    if not _is_program(call) or not call.workdir:
        return ""
    if not call.manifest or not os.path.isfile(call.manifest):
        return ""
    listing = Path(call.manifest).read_text(encoding="utf-8")
    files = {}
    for entry in json.loads(listing)["files"]:
        content = (Path(call.workdir) / entry["path"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise InfrastructureError(f"{entry['path']} changed while it was sent to the workers")
        files[entry["path"]] = content.decode()
    return dumps({"manifest": listing, "files": files})


@contextmanager
def unpacked(call: Call, packed: str, repositories: Iterable[str]) -> Iterator[Call]:
    """The call with its folders on this machine, for as long as it runs."""
    brought = from_plain(Brought, loads(packed)) if packed else Brought()
    if call.agent.run_in == "checkout":
        yield call._replace(workdir=_checkout(brought, repositories))
        return
    if not _is_program(call):
        yield call
        return
    with TemporaryDirectory(prefix="guildmoot-", ignore_cleanup_errors=True) as folder:
        yield _in_packet(call, brought, Path(folder)) if packed else call._replace(workdir=folder)


def _is_program(call: Call) -> bool:
    """Whether the judge is a program of the user's, which may look at files."""
    return traits_of(call.seat.backend).needs == "command"


def _in_packet(call: Call, brought: Brought, folder: Path) -> Call:
    files = tuple(PacketFile(path, text, "") for path, text in brought.files.items())
    root, listing = materialise(Packet("", "", files, (), (), (), (), False, ""), folder)
    listing.write_text(brought.manifest, encoding="utf-8")
    return call._replace(workdir=str(root), manifest=str(listing))


def _checkout(brought: Brought, repositories: Iterable[str]) -> str:
    """The folder of the checkout that the call is about, looked at now."""
    here = [repository_at(path) for path in repositories]
    for each in here:
        if (each.identity, each.state) == (brought.identity, brought.state):
            return each.path
    states = ", ".join(each.state[:12] for each in here if each.identity == brought.identity)
    raise InfrastructureError(
        f"the call is about a checkout at {brought.state[:12]}, and here it is at"
        f" {states or 'nothing'}"
    )


def repository_at(path: str) -> Repository:
    """The checkout at a path: which repository it is of, and in what state its files are."""
    git = Git(Path(path))
    try:
        first = git.run("rev-list", "--max-parents=0", "HEAD").decode().split()
        head = git.run("rev-parse", "HEAD").decode().strip()
        changed = git.run("diff", "--binary", *_ALONE, "HEAD")
        new = git.names("ls-files", "-z", "--others", "--exclude-standard")
    except GitError as error:
        raise InfrastructureError(f"the checkout at {path} cannot be read: {error}") from None
    new = sorted(name for name in new if not name.startswith(".guild/"))
    if not changed and not new:
        return Repository(min(first), head, path)
    state = hashlib.sha256(changed)
    for name in new:
        state.update(os.fsencode(name) + b"\0" + _content(Path(path) / name))
    return Repository(min(first), f"{head}+{state.hexdigest()[:16]}", path)


def _content(file: Path) -> bytes:
    if file.is_symlink():
        return os.fsencode(os.readlink(file))
    return file.read_bytes() if file.is_file() else b""
