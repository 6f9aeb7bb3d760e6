"""What a module of Terraform declares in one file and uses in another. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from guildmoot.agents.references.compare import BrokenReference, ChangedTree, is_loose
from guildmoot.agents.references.tree import line_at

_BLOCK = re.compile(
    r'(?m)^[ \t]*(variable|module|resource|data)[ \t]+"([\w-]+)"(?:[ \t]+"([\w-]+)")?'
)
_LOCALS = re.compile(r"(?ms)^locals[ \t]*\{\n(.*?)^\}")
_LOCAL = re.compile(r"(?m)^  ([\w-]+)[ \t]*=")


def gone_declarations(change: ChangedTree, gone: Sequence[str]) -> Iterator[BrokenReference]:
    """Files that use what only a file beside them declared, which is gone."""
    lost: dict[str, dict[str, str]] = {}
    for path in gone:
        if path.endswith(".tf"):
            found = dict.fromkeys(_declared(change.before.get(path, "")), path)
            lost.setdefault(posixpath.dirname(path), {}).update(found)
    for folder, names in lost.items():
        beside = [posixpath.join(folder, each) for each in change.where.now.folders.get(folder, ())]
        texts = {path: change.where.text(path) for path in sorted(beside) if path.endswith(".tf")}
        kept = {name for text in texts.values() for name in _declared(text)}
        for path, text in texts.items():
            yield from _used(path, text, {n: at for n, at in names.items() if n not in kept})


def _declared(text: str) -> set[str]:
    """As they are written where they are used."""
    found = set()
    for kind, one, two in _BLOCK.findall(text):
        parts = {"variable": f"var.{one}", "module": f"module.{one}", "resource": f"{one}.{two}"}
        found.add(parts.get(kind, f"data.{one}.{two}"))
    locals_ = (name for block in _LOCALS.findall(text) for name in _LOCAL.findall(block))
    return found | {f"local.{name}" for name in locals_}


def _used(path: str, text: str, names: dict[str, str]) -> Iterator[BrokenReference]:
    for name, where in sorted(names.items()):
        hit = re.search(rf"(?m)^(?![ \t]*(?:#|//)).*?(?<![\w.-]){re.escape(name)}(?![\w-])", text)
        if hit:
            message = f"`{name}` is gone with {where}, and this file still uses it"
            grave = not is_loose(path)
            at = line_at(text, hit.end())
            yield BrokenReference(path, at, "type-gone", message, grave, subject=where)
            return
