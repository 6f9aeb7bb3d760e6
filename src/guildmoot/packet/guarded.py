"""Findings of our own about a change: what it does to the files that choose judges, rules or what is shown.

None of it counts for the judging of this change; but once it is merged it may, so somebody has to see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from guildmoot.config import flatten, project_table
from guildmoot.errors import ConfigError
from guildmoot.guard.secrets import mask
from guildmoot.guard.trust import PLACES, SETTINGS_FILES, files_at
from guildmoot.model.verdict import Finding
from guildmoot.packet.diff import Entry
from guildmoot.system.git import Git
from guildmoot.text.clean import one_line
from guildmoot.text.patterns import lazy

SEAT = "guild"
"""Who says so: the program itself."""
_MOST, _WIDEST, _MOST_FILES = 6, 80, 40
_IGNORE, _ATTRIBUTES = ".guildignore", ".gitattributes"
_RECORDS = (".guild/calibration.jsonl", ".guild/probes")
_WATCHED = tuple(place.casefold() for place in (*PLACES, *_RECORDS))
_SHOWN_LINES = lazy(r"\s*(?:backend|command|model|endpoint)\s*:")
_DONE = {"A": "adds", "D": "removes"}
_FIX = (
    "See whether it is wanted. It does not count in this judgement; once merged it counts for those"
    " who trust it with `guild trust`, and in CI."
)


def watched(path: str) -> bool:
    """Whether a file at this path has a say in who judges, how, or what is shown to judges."""
    name = path.casefold()
    if name.rpartition("/")[2] in (_IGNORE, _ATTRIBUTES):
        return True
    return any(name == place or name.startswith(f"{place}/") for place in _WATCHED)


def guarded_changes(
    git: Git, base: str, entries: Sequence[Entry], untracked: Sequence[str]
) -> tuple[Finding, ...]:
    """One finding for each such file that the change touches."""
    statuses = dict.fromkeys(untracked, "A")
    statuses |= {entry.old: "D" for entry in entries if entry.old != entry.path}
    statuses |= {entry.path: entry.status for entry in entries}
    touched = {path: status for path, status in statuses.items() if watched(path)}
    if not touched:
        return ()
    shown = {path: touched[path] for path in sorted(touched, key=_rank)[:_MOST_FILES]}
    before = files_at(git.root, base, list(shown))
    after = _after(git, [entry for entry in entries if entry.path in shown], list(shown))
    found = [
        finding
        for path, status in shown.items()
        for finding in _finding(path, status, before.get(path, b""), after.get(path, b""))
    ]
    if len(touched) > len(shown):
        more = f"this change touches {len(touched) - len(shown)} more files of the kind"
        found.append(_said(more))
    return tuple(found)


def _after(git: Git, entries: Sequence[Entry], touched: Sequence[str]) -> dict[str, bytes]:
    """The new contents, from git where it has them, else from the working tree."""
    stored = {e.path: e.oid for e in entries if e.oid.strip("0") and e.mode.startswith("100")}
    sizes = git.sizes(list(stored.values()))
    with git.blob_reader() as read:
        found = {path: read(oid) for path, oid in stored.items() if sizes.get(oid, 0) < 1_000_000}
    known = {entry.path for entry in entries if entry.path in stored or entry.status == "D"}
    return found | files_at(git.root, "", [path for path in touched if path not in known])


def _finding(path: str, status: str, before: bytes, after: bytes) -> Iterator[Finding]:
    told, line = _told(path, before, after)
    if told is None:
        return
    done = _DONE.get(status, "alters")
    title = f"this change {done} {one_line(path)}, {_about(path)}{': ' if told else ''}{told}"
    yield _said(mask(title, path)[0], path, line if after else 0)


def _said(title: str, path: str = "", line: int = 0) -> Finding:
    return Finding(
        seat=SEAT,
        code="guarded-change",
        title=title,
        severity="high",
        blocking=False,
        path=path,
        line=line,
        end_line=line,
        fix=_FIX,
        family=SEAT,
        proven=True,
        grounding="grounded",
    )


def _rank(path: str) -> tuple[bool, bool, str]:
    """Settings first, then what chooses judges: those of a hundred folders must not hide them."""
    name = path.casefold()
    return name not in SETTINGS_FILES, name.endswith((_IGNORE, _ATTRIBUTES)), path


def _about(path: str) -> str:
    name = path.casefold()
    if name.endswith((_IGNORE, _ATTRIBUTES)):
        return "which can keep files from judges"
    if name in SETTINGS_FILES:
        return "the settings by which work is judged"
    if "/agents/" in name:
        return "an agent of this repository"
    return "which has a say in who judges, or in what a report shows"


def _told(path: str, before: bytes, after: bytes) -> tuple[str | None, int]:
    """What is new there, in a few words, and the line; None when nothing that concerns us is."""
    name = path.casefold()
    if name in SETTINGS_FILES:
        return _settings(name, before, after)
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    if name.endswith(_ATTRIBUTES):
        old, new = ([line for line in lines if "linguist-" in line] for lines in (old, new))
        if old == new:
            return None, 0
    had, has = set(old), set(new)
    added = [line for line in new if line.strip() and line not in had]
    removed = [f"no longer {line}" for line in old if line.strip() and line not in has]
    if "/agents/" in name:
        added = [line for line in added if _SHOWN_LINES.match(line)]
        removed = []
    whole = after.decode("utf-8", "replace").splitlines()
    at = whole.index(added[0]) + 1 if added else 1
    return _listed([*added, *removed]), at


def _settings(name: str, before: bytes, after: bytes) -> tuple[str | None, int]:
    old, new = _flat(name, before), _flat(name, after)
    if old is None or new is None:
        which = "it cannot be read any more" if new is None else "it could not be read before"
        concerns = name != SETTINGS_FILES[1] or b"guildmoot" in before + after
        return (which if concerns and before != after else None), 1
    keys = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    if not keys:
        return None, 0
    told = [f"{key} from {_value(old, key)} to {_value(new, key)}" for key in keys]
    return _listed(told), _line_of(next((key for key in keys if key in new), ""), after)


def _flat(name: str, data: bytes) -> dict[str, object] | None:
    try:
        found = project_table({name: data}) if data else None
        return dict(flatten(found[1])) if found else {}
    except (ConfigError, RecursionError):
        return None


def _value(table: Mapping[str, object], key: str) -> str:
    return one_line(repr(table[key]))[:_WIDEST] if key in table else "unset"


def _line_of(key: str, data: bytes) -> int:
    last = re.escape(key.rpartition(".")[2])
    found = re.compile(rf"""(?:^|[\s.,"'{{]){last}["']?\s*=""")
    lines = data.decode("utf-8", "replace").splitlines()
    return next((at for at, line in enumerate(lines, 1) if key and found.search(line[:4000])), 1)


def _listed(words: Sequence[str]) -> str:
    rest = len(words) - _MOST
    shown = "; ".join(one_line(word)[: 3 * _WIDEST] for word in words[:_MOST])
    return shown + (f" and {rest} more" if rest > 0 else "")
