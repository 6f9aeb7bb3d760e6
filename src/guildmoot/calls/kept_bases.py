"""What a tool of ours said of a change's base is kept: the change is judged again and again, its base stays.

It is kept masked, as the ledger keeps it, in the user's cache folder, for one state of the files, the tool and
its settings. The files of the change itself are read by the tool each time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from importlib.util import find_spec

from guildmoot.backends.programs import RUFF_SETTINGS, program_of
from guildmoot.model.call import BEFORE, Call, Reply
from guildmoot.system.cache import code_version, recall, remember

_MODULE = "guildmoot.agents.tools.languages"
_ROOMS = (
    *("agents/tools", "agents/parsing", "agents/rules", "agents/scopes", "agents/references"),
    "text",
)
_MOST_FILES = 200
_SLOTS = 32
"""Files in the cache for each tool: bases with other files take turns."""
_PLACE = "\0the folder\0"


class BaseAnswer:
    """The place in the cache for one call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._place = self._found() if _is_kept(call) else ("", "")

    def recalled(self) -> Reply | None:
        """The reply to the same question before; None where it must be asked."""
        name, key = self._place
        data = recall(name, key) if name else None
        if data is None:
            return None
        text, error, code = json.loads(data)
        text = text.replace(_PLACE, self._call.workdir)
        return Reply(self._call.seat.name, "answered", text, error, code)

    def keep(self, reply: Reply) -> Reply:
        """The reply, for the next time too."""
        name, key = self._place
        if name and reply.status == "answered":
            text = reply.text.replace(self._call.workdir, _PLACE)
            remember(name, key, json.dumps([text, reply.error, reply.exit_code]).encode())
        return reply

    def _found(self) -> tuple[str, str]:
        """The name and the key, where it can be told what the answer depends on."""
        call = self._call
        try:
            paths = sorted(_files(call.workdir))
            if len(paths) > _MOST_FILES:
                return "", ""
            names = hashlib.sha256("\0".join(paths).encode("utf-8", "surrogateescape"))
            found = hashlib.sha256(json.dumps([call.agent.command, paths, _tool(call)]).encode())
            settings = os.path.join(os.path.dirname(call.manifest), RUFF_SETTINGS)
            for path in (*(os.path.join(call.workdir, each) for each in paths), settings):
                found.update(_digest(path))
        except OSError:
            return "", ""
        slot = names.digest()[0] % _SLOTS
        return f"base-{call.agent.name}-{slot}", found.hexdigest()


def _is_kept(call: Call) -> bool:
    agent = call.agent
    ours = agent.origin == "package" and agent.run_in == "packet" and call.manifest
    known = agent.command[:1] == ("ruff",) or _MODULE in agent.command
    return bool(ours and known and call.seat.name.endswith(BEFORE))


def _tool(call: Call) -> list[object]:
    """Another one whenever the tool may answer otherwise."""
    if _MODULE not in call.agent.command:
        program = program_of(call.agent)
        facts = os.stat(program)
        return [program, facts.st_mtime_ns, facts.st_size]
    grammars = find_spec("tree_sitter")
    place = os.path.dirname(grammars.origin or "") if grammars else ""
    # Whatever is installed or removed changes the folder of packages.
    return [code_version(*_ROOMS), place, os.stat(os.path.dirname(place) or ".").st_mtime_ns]


def _files(folder: str, inner: str = "") -> Iterator[str]:
    for entry in os.scandir(os.path.join(folder, inner)):
        path = os.path.join(inner, entry.name)
        if entry.is_dir(follow_symlinks=False):
            yield from _files(folder, path)
        else:
            yield path


def _digest(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).digest()
    except FileNotFoundError:
        return b""
