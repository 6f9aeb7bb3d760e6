"""Goes through the files that are meant, in a fair and fixed order, and keeps those to be judged.

Each file is first decided by its name, then by its size and the budget, then by its content; what
is not kept is listed with the reason. Secrets are not looked at here: that is for ``egress``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from guildmoot.guard.egress import admit
from guildmoot.model.packet import Omission
from guildmoot.packet.kinds import is_generated_name, is_generated_text, is_vendored, rank
from guildmoot.packet.reading import Refused, decode
from guildmoot.packet.targets import Pick

_SURROGATE = re.compile("[\ud800-\udfff]")  # how a byte that is no UTF-8 reaches us


class Source(Protocol):
    """Where contents come from: the working tree, or git's objects."""

    def size(self, path: str) -> int | Refused:
        """The size of a file that can be read, or why it cannot."""
        ...

    def read(self, path: str) -> bytes | Refused:
        """The content."""
        ...


class Known(NamedTuple):
    """What is known of the paths beyond their names."""

    tracked: frozenset[str]
    barred: frozenset[str]
    """Kept from judges by .guildignore."""
    attributes: Mapping[tuple[str, str], bool]


class Budget:
    """Bytes that may still be put before the judges."""

    def __init__(self, size: int) -> None:
        self.left = size

    def take(self, size: int) -> bool:
        """Take so many, if they are left."""
        if size > self.left:
            return False
        self.left -= size
        return True


class Collected(NamedTuple):
    """The texts that are kept, and what is not."""

    files: list[tuple[str, str]]
    omitted: list[Omission]


def refuse_name(path: str, pick: Pick, known: Known) -> Refused | None:
    """Why a file is not judged, as far as its name tells."""
    if not path.isascii() and _SURROGATE.search(path):
        return Refused("bad-name")
    if reason := admit(path):
        return Refused(reason, "tracked" if path in known.tracked else "untracked")
    if path in known.barred:
        return Refused("ignored")
    if pick.named:
        return None
    vendored = known.attributes.get((path, "vendored"))
    if vendored or (
        vendored is None and is_vendored(path, pick.base, tracked=path in known.tracked)
    ):
        return Refused("vendored")
    generated = known.attributes.get((path, "generated"))
    if generated or (generated is None and is_generated_name(path)):
        return Refused("generated")
    return None


def collect(picked: Mapping[str, Pick], source: Source, known: Known, budget: Budget) -> Collected:
    """The files to judge; named ones take from the budget first, then source, prose and data."""
    out = Collected([], [])
    for path in sorted(picked, key=lambda path: (not picked[path].named, rank(path), path)):
        pick = picked[path]
        text = refuse_name(path, pick, known) or _text(path, source, budget)
        if isinstance(text, Refused):
            out.omitted.append(_omission(path, _looked_into(path, text, source)))
            continue
        if not pick.named and _is_generated(path, text.text, known):
            out.omitted.append(Omission(path, "generated", "by its content"))
            budget.left += text.size
            continue
        if text.replaced:
            shown = f"shown, with {text.replaced} characters replaced"
            out.omitted.append(Omission(path, "not-utf8", shown))
        out.files.append((path, text.text))
    return out


def _looked_into(path: str, refused: Refused, source: Source) -> Refused:
    """A key file is never shown, but whether it really holds a private key decides how bad it is."""
    if refused.reason != "key-file":
        return refused
    size = source.size(path)
    data = source.read(path) if isinstance(size, int) else size
    holds = not isinstance(data, Refused) and b"PRIVATE KEY-----" in data
    return refused._replace(detail=f"{refused.detail}, holds a private key") if holds else refused


class _Text(NamedTuple):
    text: str
    replaced: int
    size: int


def _text(path: str, source: Source, budget: Budget) -> _Text | Refused:
    size = source.size(path)
    if isinstance(size, Refused):
        return size
    if not budget.take(size):
        return Refused("over-budget", f"{size} bytes")
    data = source.read(path)
    found = data if isinstance(data, Refused) else decode(data)
    if isinstance(found, Refused):
        budget.left += size
        return found
    return _Text(found.text, found.replaced, size)


def _is_generated(path: str, text: str, known: Known) -> bool:
    return known.attributes.get((path, "generated"), True) and is_generated_text(path, text)


def _omission(path: str, refused: Refused) -> Omission:
    name = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Omission(name.rstrip("/"), refused.reason, refused.detail)


def omissions(refused: Iterable[tuple[str, Refused]]) -> list[Omission]:
    """Refusals as they go into the packet's list."""
    return [_omission(path, why) for path, why in refused]
