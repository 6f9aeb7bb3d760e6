"""A file piece by piece: where its grammar refuses one, the others are read all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from guildmoot.agents.parsing.balance import imbalance
from guildmoot.agents.parsing.data_forms import Fault
from guildmoot.agents.parsing.syntax import parse
from guildmoot.text.patterns import lazy

_BEGINS = lazy(r"[^\s)\]}]")
_MOST = 500_000


def newly_refused(name: str, path: str, before: str, after: str) -> Fault | None:
    """The first changed piece that its grammar refuses, where it took all that stood in its place before."""
    if len(before) + len(after) > _MOST:
        return None
    old, new = list(_pieces(before)), list(_pieces(after))
    known, kept = Counter(text for _, text in old), Counter(text for _, text in new)
    gone = [text for _, text in old if kept[text] < known[text]]
    if any(_fault(name, path, text) for text in gone):
        return None
    for line, text in new:
        fault = _fault(name, path, text) if kept[text] > known[text] else None
        if fault and not _is_cut(name, text, after):
            return fault._replace(line=line - 1 + fault.line)
    return None


def _is_cut(name: str, piece: str, whole: str) -> bool:
    """Whether a blank line parts what belongs together, as within a namespace: all of it pairs up."""
    texts = (text.encode("utf-8", "replace") for text in (piece, whole))
    here, there = (imbalance(name, text) for text in texts)
    return here is not None and there is None


def _fault(name: str, path: str, text: str) -> Fault | None:
    return parse(name, path, text.encode("utf-8", "replace")).fault


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """What stands between blank lines and begins in the first column, with its line."""
    rows = text.split("\n")
    starts = [
        at for at in range(1, len(rows)) if not rows[at - 1].strip() and _BEGINS.match(rows[at])
    ]
    for first, end in pairwise([0, *starts, len(rows)]):
        yield first + 1, "\n".join(rows[first:end]).rstrip() + "\n"
