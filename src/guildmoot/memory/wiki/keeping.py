"""Every change of a page that stands: written, closed, vouched for, retired; each in index, log and register."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from guildmoot.errors import UsageError
from guildmoot.memory.wiki.catalogue import add_to_index, add_to_log
from guildmoot.memory.wiki.pages import WikiPage, write_page
from guildmoot.memory.wiki.places import WIKI, load_page, wiki_lock, write_text
from guildmoot.memory.wiki.provenance import record_deed
from guildmoot.system.files import read_own


def put_page(
    root: Path,
    path: str,
    text: str,
    deed: Literal["ingested", "decided"],
    by: str,
    *,
    listed: bool = True,
) -> None:
    """Write a page with its entry in the register and, unless that follows, in the catalogue; under the lock."""
    write_text(root, WIKI / path, text)
    data = read_own(root / WIKI / path)
    record_deed(root, deed, path, data, by, now())
    if listed:
        add_to_index(root, load_page(root, path))


def close_page(
    root: Path, path: str, status: Literal["superseded", "retired"], by: str, by_slug: str = ""
) -> None:
    """Mark a page as superseded or retired; its words stay as they are."""
    page = load_page(root, path)
    if page.problem:
        raise UsageError(f"{path} cannot be changed: {page.problem}")
    facts = {**page.facts, "status": status, "updated_at": today()}
    if by_slug:
        facts["superseded_by"] = by_slug
    before = read_own(root / WIKI / path)
    write_text(root, WIKI / path, write_page(facts, page.body))
    data = read_own(root / WIKI / path)
    record_deed(root, status, path, data, by, now(), before=before)
    add_to_index(root, load_page(root, path))


def vouch(root: Path, path: str, by: str) -> WikiPage:
    """Promote a page: a person vouches for its very words."""
    with wiki_lock(root):
        page = load_page(root, path)
        if page.problem:
            raise UsageError(f"{path} cannot be promoted: {page.problem}", "Mend it first.")
        record_deed(root, "promoted", path, read_own(root / WIKI / path), by, now())
        add_to_log(root, today(), f"promoted {page.slug}")
    return page


def retire(root: Path, path: str, by: str) -> WikiPage:
    """Take a page out of recall; its file stays."""
    with wiki_lock(root):
        close_page(root, path, "retired", by)
        page = load_page(root, path)
        add_to_log(root, today(), f"retired {page.slug}")
    return page


def now() -> str:
    """The time, as records have it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def today() -> str:
    """The day."""
    return now()[:10]
