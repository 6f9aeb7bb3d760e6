"""Files that programs write: compared with the base and with their sources, for nobody reads them line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from guildmoot.model.packet import FileCheck, Omission
from guildmoot.packet.collect import LOCKS
from guildmoot.packet.contents import Blobs, DecodedText, WorkTree, decode
from guildmoot.packet.diff import GITLINK, LINK, Entry
from guildmoot.system.git import Git
from guildmoot.text.globs import matches
from guildmoot.text.languages import language_of

_MADE: Sequence[tuple[str, tuple[str, ...]]] = (
    (r"(.+)_pb2(?:_grpc)?\.pyi?$|(.+)\.pb\.(?:go|h|cc|dart)$|(.+)_grpc\.pb\.go$", (".proto",)),
    (r"(.+)\.min\.m?js$", (".js", ".ts", ".mjs", ".jsx", ".tsx")),
    (r"(.+)\.min\.css$", (".css", ".scss", ".less")),
    (r"(.+)\.(?:g|freezed)\.dart$", (".dart",)),
    (r"(.+)\.[dD]esigner\.cs$", (".resx", ".cs", ".settings")),
    (r"(.+)\.(?:js|css)\.map$", (".js", ".css", ".ts", ".scss")),
    (r"(.+)\.(?:snap|ambr)$", ("", ".py")),
)

_MOST_OF_A_KIND = 3
"""Findings of a lock file up to which each is told for itself."""


def check_generated(path: str, there: Iterable[str], changed: Iterable[str]) -> FileCheck | None:
    """A generated file changed: did its source? None when no source of it is known."""
    name = path.rpartition("/")[2]
    for shape, endings in _MADE:
        if match := re.match(shape, name):
            stem = next(filter(None, match.groups()))
            wanted = {stem + ending for ending in endings}
            sources = [each for each in there if each.rpartition("/")[2] in wanted and each != path]
            if not sources:
                return None
            if {*sources} & {*changed}:
                return FileCheck(path, f"its source {sources[0]} changed too", (), "")
            message = f"it changed, and its source {sources[0]} did not"
            return FileCheck(path, "", (("made-alone", "WARNING", message),), "")
    return None


def check_locks(
    git: Git,
    base: Mapping[str, str],
    entries: Sequence[Entry],
    source: WorkTree | Blobs,
    named: Collection[str],
) -> dict[str, Omission | FileCheck]:
    """The lock files among the entries, each with its check; what is none is missing here."""
    found: dict[str, Omission | FileCheck] = {}
    locks = [e for e in entries if matches(e.path, LOCKS) and e.mode not in (LINK, GITLINK)]
    if not locks:
        return found
    from guildmoot.packet.locks.compare import check_lock  # few changes need it
    from guildmoot.packet.locks.forms import asks_for

    changed = [entry.path for entry in entries]
    for entry in locks:
        if entry.path in named or entry.status in ("U", "T"):
            continue
        before = _text(git.run("cat-file", "blob", base[entry.old])) if entry.old in base else None
        after = before if entry.status == "D" else _text(source.read_media(entry.path))
        asked = asks_for(entry.path, changed)
        check = None if after is None else check_lock(entry.path, before, after, asked=asked)
        if check:
            gone = entry.status == "D"
            found[entry.path] = Omission(entry.path, "deleted") if gone else in_short(check)
    return found


def in_short(check: FileCheck) -> FileCheck:
    """With many findings of a kind as one that counts them: a mangled file has one at every entry."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for code, level, words in check.findings:
        kinds.setdefault((code, level), []).append(words)
    told = ((code, level, each) for (code, level), all_ in kinds.items() for each in _few(all_))
    return check._replace(findings=tuple(told))


def _few(said: list[str]) -> list[str]:
    if len(said) <= _MOST_OF_A_KIND:
        return said
    rest = len(said) - _MOST_OF_A_KIND
    return [f"{'; '.join(said[:_MOST_OF_A_KIND])}; and {rest:,} more of the kind"]


def check_data(omitted: Iterable[Omission]) -> list[FileCheck]:
    """Data by its content: the whole structure was walked, and no script is in it."""
    told = "whole from its first byte to its last, no script in it"
    return [FileCheck(i.path, f"{i.detail}, {told}") for i in omitted if i.reason == "data"]


def check_left_out(omitted: Iterable[Omission]) -> list[FileCheck]:
    """What a change of nothing else did: removed files, but for code, and what may be left out of it."""
    told = {"deleted": "it was removed: nothing of it is left to judge"}
    accepted = "it is left out, as floors.left_out says"
    return [
        FileCheck(item.path, told.get(item.reason, accepted))
        for item in omitted
        if not item.unseen_by
        and not (item.reason == "deleted" and language_of(item.path).kind == "code")
    ]


def check_sources(
    paths: Iterable[str], there: Collection[str], entries: Iterable[Entry]
) -> list[FileCheck]:
    """For each generated file whether what it is made from changed as well."""
    changed = [entry.path for entry in entries]
    found = (check_generated(path, there, changed) for path in paths)
    return [check for check in found if check]


def _text(data: bytes) -> str | None:
    found = decode(data)
    return found.text if isinstance(found, DecodedText) else None
