"""What a page's facts come to: is it out of date, did the files it speaks of change, which of two stands."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from guildmoot.memory.wiki.pages import WikiPage, is_date
from guildmoot.memory.wiki.statements import contradiction
from guildmoot.system.files import read_inside
from guildmoot.text.clean import one_line

STATE_DAYS = 30
"""Days for which a fact about the state of things holds."""
CUT = "cut"
"""How the flag begins of a page that does not hold all of its source."""
PRIVATE = ("confidential", "secret")
"""Sensitivities of which whoever repeats a page is told."""
_MOST_ANCHOR = 16 * 1024 * 1024


class PageConflict(NamedTuple):
    """Two pages that cannot both be right."""

    newer: str
    older: str
    stands: str
    """The one that the rule upholds."""
    why: str
    said: str = ""
    """The newer one's sentence."""


def page_flags(root: Path, page: WikiPage, today: date | None = None) -> tuple[str, ...]:
    """What whoever reads the page should know: ``expired``, ``anchor changed: FILE`` ..."""
    today = today or datetime.now(UTC).date()
    flags = ["expired"] if is_expired(page, today) else []
    if page.fact("sensitivity") in PRIVATE:
        flags.append(page.fact("sensitivity"))
    if page.fact("cut"):
        flags.append(f"{CUT}: it holds {one_line(page.fact('cut'))[:80]}")
    for anchor in page.several("anchors"):
        path, _, mark = anchor.rpartition("@")
        if path and mark != anchor_mark(root, path):
            flags.append(f"anchor changed: {path}")
    return tuple(flags)


def is_expired(page: WikiPage, today: date) -> bool:
    """Past its date; what tells the state of things holds for thirty days."""
    expires, as_of = page.fact("expires_at"), page.fact("as_of") or page.fact("updated_at")
    if expires and is_date(expires):
        return date.fromisoformat(expires[:10]) < today
    if page.fact("kind") == "state" and is_date(as_of):
        return date.fromisoformat(as_of[:10]) + timedelta(days=STATE_DAYS) < today
    return False


def anchor_mark(root: Path, path: str) -> str:
    """By which a file of the project is known again; ``missing`` when it cannot be read."""
    data, problem = read_inside(root / path, root, _MOST_ANCHOR)
    return "missing" if problem else hashlib.sha256(data).hexdigest()[:12]


def upheld(
    one: WikiPage, two: WikiPage, why: str, said: tuple[str, str] = ("", "")
) -> PageConflict:
    """Newer wins, unless the older is of high confidence and the newer is not; both are always shown."""
    newer, older = sorted((one, two), key=lambda page: (_day(page), page.path), reverse=True)
    sure = older.fact("confidence") == "high" != newer.fact("confidence")
    stands = older if sure else newer
    rule = "the older is of high confidence and the newer is not" if sure else "the newer stands"
    quote = said[0] if newer is one else said[1]
    return PageConflict(newer.path, older.path, stands.path, f"{why}; {rule}", quote)


def _day(page: WikiPage) -> str:
    return page.fact("as_of") or page.fact("updated_at")


def conflicts(pages: Sequence[WikiPage]) -> list[PageConflict]:
    """Pairs among some pages that cannot both be right: one name twice, or statements that oppose each other."""
    from itertools import combinations

    found = []
    for one, two in combinations(pages, 2):
        if two.slug in _superseded_by(one) or one.slug in _superseded_by(two):
            continue
        if one.slug == two.slug:
            found.append(upheld(one, two, f"both are named {one.slug}"))
            continue
        pair = contradiction(one.said[:20_000], two.said[:20_000])
        if pair:
            found.append(upheld(one, two, f"{pair[0]!r} against {pair[1]!r}", pair))
    return found


def _superseded_by(page: WikiPage) -> list[str]:
    return [name.rpartition("/")[2].removesuffix(".md") for name in page.several("supersedes")]
