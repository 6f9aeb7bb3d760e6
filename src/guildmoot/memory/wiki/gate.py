"""What stops a text before it becomes a page: orders to a model, copies, our own words coming back. Pure.

No threshold on likeness decides: the nearest pages are only shown. A text is stopped where it gives orders, where nine
tenths of its words stand in a page or an instruction file already, or nine tenths of such a page in it, or where it
carries the mark of a recall.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from guildmoot.guard.injection import Injection, as_read, find_injections
from guildmoot.text.patterns import lazy

CONTAINED = 0.9
_RUN = 4
"""Words in a row that must be the same."""
_WORD = lazy(r"\w+")
_MARK = lazy(r"recall-([0-9a-f]{8})\b")
_ANSWER = lazy(
    r"(?m)^[ \t>*-]{0,8}(?:0\.\d\d|1\.00)  "
    r"(?:context|standards|products|entities|concepts|decisions|sources)/[^\s/]+\.md\b"
    r"|^[ \t>*-]{0,12}(?:synthesized|reviewed|untrusted): "
    r"(?:\w+ by [^\n]{1,80} on \d{4}-\d\d-\d\d|nobody vouched for these words)"
)
"""How answers of this wiki are laid out, which is known again without their mark."""
_MOST_WORDS = 200_000
_WHOLE_PAGE = 50
"""Words of a page from which on a text that holds all of it is a copy with more around it."""

PauseReason = Literal["directive", "copy", "instructions", "recalled", "proposal", "reviewed"]


class NearPage(NamedTuple):
    """One of the pages that a text is nearest to."""

    path: str
    score: float


class Pause(NamedTuple):
    """Why a text does not become a page by itself."""

    reason: PauseReason
    detail: str
    """For people."""
    page: str = ""
    """The page or file that it is a copy of."""


def contained(text: str, other: str) -> float:
    """The share of a text's words that stand in another, in runs of four at least."""
    return _covered(_words(text), _words(other))


def _covered(mine: Sequence[str], theirs: Sequence[str]) -> float:
    run = min(_RUN, len(mine))
    if not run or len(theirs) < run:
        return 0.0
    known = {tuple(theirs[at : at + run]) for at in range(len(theirs) - run + 1)}
    covered = bytearray(len(mine))
    for at in range(len(mine) - run + 1):
        if tuple(mine[at : at + run]) in known:
            covered[at : at + run] = b"\1" * run
    return sum(covered) / len(mine)


def _words(text: str) -> list[str]:
    return _WORD.findall(as_read(text))[:_MOST_WORDS]


def pauses(
    text: str, pages: Mapping[str, str], instructions: Mapping[str, str], mark: str
) -> list[Pause]:
    """Every reason to stop a text, beside the bodies of its nearest pages and the instruction files."""
    found = [_directive(hit) for hit in find_injections(text)[:5]]
    found += _copies("copy", text, pages)
    found += _copies("instructions", text, instructions)
    if mark in _MARK.findall(text):
        found.append(Pause("recalled", "it carries the mark of an answer that came from this wiki"))
    elif _ANSWER.search(text):
        found.append(Pause("recalled", "it is laid out as an answer that came from this wiki"))
    return found


def _directive(hit: Injection) -> Pause:
    return Pause("directive", f"it speaks to a model ({hit.kind}): {hit.text[:120]}")


def _copies(reason: PauseReason, text: str, others: Mapping[str, str]) -> Iterable[Pause]:
    mine, known = _words(text), {path: _words(other) for path, other in others.items()}
    shares = {path: _covered(mine, theirs) for path, theirs in known.items()}
    whole = [path for path, share in shares.items() if share >= CONTAINED]
    for path in whole:
        yield Pause(reason, f"{shares[path]:.0%} of its words stand in {path}", path)
    for path, theirs in known.items():
        if path in whole or len(theirs) < _WHOLE_PAGE:
            continue
        inside = _covered(theirs, mine)
        if inside >= CONTAINED:
            whole.append(path)
            yield Pause(reason, f"{inside:.0%} of the words of {path} stand in it", path)
    if whole or len(others) < 2:
        return
    # An answer that was put together of several pages brings nothing new either.
    together = _covered(mine, [word for theirs in known.values() for word in theirs])
    if together >= CONTAINED:
        best = sorted(shares, key=lambda path: (-shares[path], path))[:3]
        detail = f"{together:.0%} of its words stand in {', '.join(best)} together"
        yield Pause(reason, detail, best[0])
