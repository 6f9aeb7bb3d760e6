"""Files that git checks out as another text than the one it keeps: ``.gitattributes`` can say so.

What is judged of a commit is the text that git keeps. ``working-tree-encoding`` and ``ident`` put another one
into the folder, so it is worked out what that would be; where it reads differently, nobody has judged it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from guildmoot.packet.contents import MOST_MEDIA, DecodedText, Refusal, decode
from guildmoot.packet.diff import GITLINK, LINK, Entry
from guildmoot.system.git import Git, GitError
from guildmoot.text.patterns import lazy

ATTRIBUTES = ".gitattributes"
_ASKED = ("working-tree-encoding", "ident")
_NOTHING = (b"unspecified", b"unset", b"utf-8", b"utf8")
"""Values that change nothing: what git keeps is UTF-8, with its mark or without."""
_NAMED = lazy(b"working-tree-encoding|ident")
_WIDE = lazy(r"utf-?(?:16|32)(?:[lb]e)?(?:-bom)?|utf-?8", re.IGNORECASE)
_NARROW = lazy(
    r"(?:us-)?ascii|latin-?[1-9]|iso-?8859-\d+|(?:cp|windows-)125\d|koi8-[ru]", re.IGNORECASE
)
"""Encodings of one byte a letter in which no other letter is written like one of ASCII."""
_EXPANDED = lazy(r"\$Id:(?! ?[0-9a-f]{40,64} ?\$)[^$\n]*\$")
_COOKIE = lazy(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
_PLAIN = lazy(
    rb"utf[-_]?8(?:[-_]sig)?|(?:us[-_])?ascii|latin[-_]?1|iso[-_]?8859[-_]\d+|(?:cp|windows[-_])125\d"
    rb"|koi8[-_][ru]",
    re.IGNORECASE,
)

Rules = Mapping[str, bytes]
"""The attribute files of one state, by path."""


def refuse_coding(path: str, data: bytes) -> Refusal | None:
    """Why Python would read another text than the one that is shown: its first lines name a coding."""
    name = declared_coding(path, data)
    if not name or _PLAIN.fullmatch(name.encode()):
        return None
    return Refusal("re-encoded", f"it declares the coding {name}, in which other text stands")


def declared_coding(path: str, data: bytes) -> str:
    """The coding that the first two lines of a Python file name; empty where they name none."""
    first = data[:200].partition(b"\n")[0]
    if not path.lower().endswith((".py", ".pyw", ".pyi")) and not re.match(rb"#!.*python", first):
        return ""
    rows = re.split(rb"\r\n|\r|\n", data[:4000], maxsplit=2)[:2]
    named = [cookie[1] for cookie in map(_COOKIE.match, rows) if cookie]
    odd = [name for name in named if not _PLAIN.fullmatch(name)]
    return next(iter(odd or named), b"")[:40].decode("ascii", "replace")


def refuse_encoded(
    git: Git,
    base: Mapping[str, str],
    entries: Iterable[Entry],
    written: Mapping[str, bytes] | None = None,
) -> dict[str, Refusal]:
    """The changed paths that would be checked out as another text, each with the reason.

    ``base`` is from path to content, and ``written`` the attribute files of a working tree, whose other files
    are judged as they lie there.
    """
    changed = [entry for entry in entries if entry.mode not in (LINK, GITLINK)]
    moved = {name for e in changed for name in (e.path, e.old) if _is_rules(name)}
    moved |= {*(written or ())}
    old_oids = {path: oid for path, oid in base.items() if _is_rules(path)}
    if not moved and not old_oids:
        return {}
    now = {e.path: e.oid for e in changed if e.status not in "DU"} if written is None else {}
    with git.blob_reader() as read:
        old = {path: read(oid) for path, oid in old_oids.items()}
        new = {path: rule for path, rule in old.items() if path not in moved}
        new |= {path: read(now[path]) for path in moved if path in now} | {**(written or {})}
        if not any(_NAMED.search(rule) for rule in (*old.values(), *new.values())):
            return {}
        names = {name for entry in changed for name in (entry.path, entry.old)}
        rest = {path: oid for path, oid in base.items() if moved and path not in names}
        wanted = now | rest
        said = said_of(new, wanted)
        if old != new:
            said |= {path: value for path, value in said_of(old, now).items() if path not in said}
        sizes = git.sizes([wanted[path] for path in said]) if said else {}
        found = {}
        for path, (attribute, value) in said.items():
            if why := _differs(attribute, value, wanted[path], sizes, read):
                found[path] = Refusal("re-encoded", why)
    return _told(found, now, moved)


def _is_rules(path: str) -> bool:
    return path.rpartition("/")[2] == ATTRIBUTES


def _told(
    found: Mapping[str, Refusal], now: Mapping[str, str], moved: Iterable[str]
) -> dict[str, Refusal]:
    """What did not change itself is told of the attribute file that changed."""
    told = {path: why for path, why in found.items() if path in now}
    if others := sorted(path for path in found if path not in now):
        why = f"it has git check out {others[0]!r} as another text than the one that it keeps"
        told |= {path: Refusal("re-encoded", why) for path in moved}
    return told


def said_of(rules: Rules, paths: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Git itself answers, in a repository that holds these rules only."""
    asked = b"".join(os.fsencode(path) + b"\0" for path in sorted(paths))
    if not rules or not asked:
        return {}
    with tempfile.TemporaryDirectory(prefix="guildmoot-attributes-") as folder:
        scratch = Git(Path(folder))
        scratch.run("init", "-q", "--template=")
        for path, content in rules.items():
            write_rules(scratch.root, path, content)
        answer = scratch.run("check-attr", "-z", "--stdin", *_ASKED, stdin=asked).split(b"\0")
    said: dict[str, tuple[str, str]] = {}
    for told, name, value in zip(answer[0::3], answer[1::3], answer[2::3], strict=False):
        if value.lower() not in _NOTHING:
            said.setdefault(os.fsdecode(told), (name.decode(), value.decode("utf-8", "replace")))
    return said


def write_rules(root: Path, path: str, content: bytes) -> None:
    """Put a rule file of a state into a repository of ours."""
    folder, _, _ = path.rpartition("/")
    if {"", ".", "..", ".git"} & {*folder.lower().split("/")} - {""} or len(content) > 1_000_000:
        raise GitError(f"it holds rules that cannot be read: {path!r}")
    (root / folder).mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)


def _differs(
    attribute: str,
    value: str,
    oid: str,
    sizes: Mapping[str, int],
    read: Callable[[str], bytes],
) -> str:
    """Why what is checked out may read differently; empty when it does not."""
    if sizes.get(oid, MOST_MEDIA) >= MOST_MEDIA:
        return f"{ATTRIBUTES} sets {attribute} for it, and it is too large to tell what comes of it"
    kept = read(oid)
    if attribute == "ident":
        if _EXPANDED.search(kept.decode("utf-8", "replace")):
            return f"{ATTRIBUTES} sets ident, so that git replaces what stands after $Id"
        return ""
    return "" if _reads_alike(kept, value) else f"{ATTRIBUTES} sets {attribute}={value[:40]} for it"


def _reads_alike(kept: bytes, encoding: str) -> bool:
    """Whether the text, written in the encoding, still reads as itself to those who expect any text."""
    try:
        text = kept.decode()
        if _NARROW.fullmatch(encoding):
            return True
        if not _WIDE.fullmatch(encoding):
            return False
        name = encoding.lower().removesuffix("-bom")
        mark = "\ufeff" if encoding.lower().endswith("-bom") else ""
        found = decode((mark + text.removeprefix("\ufeff")).encode(name))
    except (UnicodeError, LookupError):
        return False
    return isinstance(found, DecodedText) and found.text.removeprefix("\ufeff") == text
