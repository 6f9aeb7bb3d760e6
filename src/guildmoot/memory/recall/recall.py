"""Answers questions from the wiki's pages, which are read again where they changed.

Up to 500 pages are read straight into memory; above that ``.guild/index.sqlite`` is kept beside them. The same scorer
ranks both, so the answers are the same; ``GUILD_INDEX=off`` and ``GUILD_WIKI_THRESHOLD`` say which is used.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.injection import find_injections
from guildmoot.memory.recall.memory_index import LoadedIndex, page_terms
from guildmoot.memory.recall.rows import PageRow
from guildmoot.memory.recall.scoring import rank
from guildmoot.memory.recall.snippets import MOST_LOOKED_AT, beginnings, snippet
from guildmoot.memory.recall.store import StoredIndex, open_database
from guildmoot.memory.recall.watch import FolderWatch
from guildmoot.memory.wiki.facts import CUT, page_flags
from guildmoot.memory.wiki.pages import WikiPage, read_page
from guildmoot.memory.wiki.places import (
    INDEX,
    WIKI,
    PageFile,
    list_pages,
    load_page,
    read_bytes,
)
from guildmoot.memory.wiki.provenance import Register, page_hash
from guildmoot.system.files import place_inside
from guildmoot.text.clean import one_line

THRESHOLD = 500
"""Pages above which an index is kept on disk."""
WITHHELD = "[withheld: this text gives orders to a model; 'guild wiki show' has it]"
CLOSED = ("superseded", "retired")
MOST_FOUND = 400_000
"""Characters of a page that are searched; a longer one is flagged."""
_MANY = 2_000
"""Changes at once that are quicker indexed all together."""


class Recalled(NamedTuple):
    """One page of an answer."""

    path: str
    title: str
    category: str
    score: float
    """From 0 to 1."""
    snippet: str
    confidence: str
    updated_at: str
    trust: str
    """``reviewed``, ``synthesized`` or ``untrusted``, by who vouched for these very words."""
    source_refs: tuple[str, ...]
    reason: str
    """Why it is trusted so far."""
    flags: tuple[str, ...] = ()
    """``expired``, ``anchor changed: src/a.py``, ``quarantined`` ..."""
    source: str = ""
    """The sub-project that it is from; empty for the project itself."""


class Recall:
    """The pages of one project, ready for questions; not to be shared between threads at once."""

    def __init__(self, root: Path, *, stay: bool = False) -> None:
        """``stay`` where many questions follow: changes are then told by the system."""
        self.root = root
        self.notices: list[str] = []
        self.left_out: dict[str, str] = {}
        """Pages that cannot be read, and why."""
        self._stay = stay
        self._watch: FolderWatch | None = None
        self._register = Register(root)
        self._orders: dict[str, bool] = {}
        self._filters: dict[int, tuple[str, str]] | None = None
        self._index: LoadedIndex | StoredIndex = self._open()

    @property
    def lit(self) -> bool:
        """Whether the index on disk is used."""
        return isinstance(self._index, StoredIndex)

    def _open(self) -> LoadedIndex | StoredIndex:
        if not _is_wanted(self.root):
            return LoadedIndex()
        file = place_inside(self.root, INDEX)
        try:
            return StoredIndex(open_database(file))
        except (sqlite3.Error, OSError) as wrong:
            self.notices.append(
                f"{INDEX} cannot be used ({wrong}); the pages were read one by one instead"
            )
            return LoadedIndex()

    def close(self) -> None:
        """Let go of files."""
        if self._watch:
            self._watch.close()
        if isinstance(self._index, StoredIndex):
            self._index.database.close()

    def ask(
        self,
        question: str,
        limit: int = 10,
        category: str = "",
        since: str = "",
        *,
        near: bool = False,
    ) -> list[Recalled]:
        """The pages that answer best, best first; nothing where none does, unless what is ``near`` is wanted."""
        self.refresh()
        hits = rank(self._index, question, limit, self._wanted(category, since), near=near)
        if not hits:
            return []
        floor = hits[: limit + 10]
        rows = [(hit, self._index.row(hit.page)) for hit in floor]
        rows.sort(key=lambda each: each[1].path)
        rows.sort(key=lambda each: each[1].updated, reverse=True)
        rows.sort(key=lambda each: -round(each[0].score, 6))
        starts = beginnings(question)
        return [self._recalled(hit.score, row, starts) for hit, row in rows[:limit]]

    def _wanted(self, category: str, since: str) -> Callable[[int], bool] | None:
        if not category and not since:
            return None
        index = self._index
        if self._filters is None:
            self._filters = {number: (where, day) for number, where, day in index.filters()}
        filters, nothing = self._filters, ("", "")

        def wanted(page: int) -> bool:
            where, day = filters.get(page, nothing)
            return bool(where) and (not category or where == category) and day >= since

        return wanted

    def _recalled(self, score: float, row: PageRow, starts: list[str]) -> Recalled:
        told = json.loads(row.told)
        page = load_page(self.root, row.path, head=True)
        text = snippet(page.quoted, starts)
        vouched = self._register.provenance(row.path, row.hash)
        flags = page_flags(self.root, page)
        if row.size > 4 * MOST_FOUND or len(page.body) > MOST_FOUND:
            flags += (f"{CUT}: only its first {MOST_FOUND:,} characters are searched",)
        if self._gives_orders(row.hash, f"{told['title']}\n\n{page.body[:MOST_LOOKED_AT]}"):
            text, flags = WITHHELD, (*flags, "quarantined")
        return Recalled(
            row.path, told["title"], row.category, round(score, 4), text, told["confidence"],
            row.updated, vouched.trust, tuple(told["refs"]), vouched.reason, flags,
        )  # fmt: skip

    def _gives_orders(self, digest: str, text: str) -> bool:
        """Whether any of what could be shown of a page speaks to a model; a snippet may begin inside of it."""
        known = self._orders.get(digest)
        if known is None:
            known = self._orders[digest] = bool(find_injections(text))
        return known

    # What changed.

    def refresh(self) -> None:
        """Read the pages that changed since the last question."""
        watched = self._watch.changed() if self._watch else None
        if watched is None:
            self._start_watch()
            self._look_at_all()
        elif watched:
            paths = (os.path.relpath(path, self.root / WIKI) for path in watched)
            self._change(sorted(path for path in paths if path.endswith(".md")))
        if isinstance(self._index, StoredIndex):
            self._index.refresh_if_changed()

    def _start_watch(self) -> None:
        """Before all is looked at, so that nothing falls in between."""
        if self._watch:
            self._watch.close()
            self._watch = None
        if self._stay:
            folders = [str(self.root / WIKI)]
            for above, inner, _ in os.walk(self.root / WIKI):
                inner[:] = [name for name in inner if not name.startswith(".")]
                folders += [os.path.join(above, name) for name in inner]
            self._watch = FolderWatch(folders) if (self.root / WIKI).is_dir() else None

    def _look_at_all(self) -> None:
        files = {page.path: page for page in list_pages(self.root)}
        known = self._index.known_files()
        changed = [
            path
            for path, page in files.items()
            if path not in known or (known[path].changed, known[path].size) != page[1:]
        ]
        changed += [path for path in known if path not in files]
        index = self._index
        if isinstance(index, StoredIndex) and (
            not known or len(changed) > max(_MANY, len(known) // 2)
        ):
            self._build(index, files.values(), len(known))
        elif changed:
            self._change(sorted(changed))
        if isinstance(index, StoredIndex) and index.is_due():
            self._fold(index)

    def _build(self, index: StoredIndex, files: Iterable[PageFile], known: int) -> None:
        self._filters = None
        if not self._begin():
            return
        try:
            others = len(index.known_files()) != known
            if not others:
                index.build(row for row in map(self._read, sorted(files)) if row)
            index.commit()
        except BaseException:
            index.rollback()
            raise
        index.loaded()
        if others:  # another process built it while this one waited
            self._look_at_all()

    def _fold(self, index: StoredIndex) -> None:
        try:
            index.begin()
        except (
            sqlite3.OperationalError
        ):  # another process holds it, and what is not folded is found as well
            return
        try:
            if index.is_due():
                index.fold()
            index.commit()
        except BaseException:
            index.rollback()
            raise
        index.loaded()

    def _change(self, paths: list[str]) -> None:
        """Take in some pages; one whose words are the same costs no more than its hash."""
        self._filters = None
        if not self._begin():
            return
        try:
            for path in paths:
                self._take_in(path)
            self._index.commit()
        except BaseException:
            self._index.rollback()
            raise

    def _begin(self) -> bool:
        """Be the one who writes; where another process is, the pages themselves answer instead."""
        try:
            self._index.begin()
        except sqlite3.OperationalError as wrong:
            self._give_up(str(wrong))
            return False
        return True

    def _take_in(self, path: str) -> None:
        file = _page_file(self.root, path)
        known = self._index.known_file(path)
        if file is None:
            self._index.drop(path)
            self.left_out.pop(path, None)
            return
        if known and (known.changed, known.size) == file[1:]:
            return
        row = self._read(file)
        if row is None:
            self._index.drop(path)
        elif known and known.hash == row.hash:
            self._index.touch(path, row.changed, row.size)
        else:
            self._index.put(row)

    def _give_up(self, why: str) -> None:
        """Another process holds the index: answer from the pages themselves, which is slow and right."""
        self.notices.append(f"{INDEX} is in use ({why}); the pages were read one by one instead")
        if isinstance(self._index, StoredIndex):
            self._index.database.close()
        self._index = LoadedIndex()
        self._change(sorted(page.path for page in list_pages(self.root)))

    def _read(self, file: PageFile) -> PageRow | None:
        """A page as the index keeps it; None where it was taken away since."""
        data = read_bytes(self.root, file.path)
        if not data and file.size:
            self.left_out[file.path] = "it cannot be read, or is larger than 64 MB"
            return _empty_row(file, "")
        digest = page_hash(data)
        try:
            page = read_page(file.path, data.decode("utf-8"))
        except UnicodeDecodeError as wrong:
            page = WikiPage(file.path, {}, "", f"it is not UTF-8 at byte {wrong.start}")
        if page.problem:
            self.left_out[file.path] = page.problem
            return _empty_row(file, digest)
        self.left_out.pop(file.path, None)
        title = one_line(page.title)[:200]
        told = {
            "title": title, "confidence": page.fact("confidence"), "refs": page.several("source_refs"),
        }  # fmt: skip
        row = _empty_row(file, digest)._replace(
            category=page.category, updated=page.fact("updated_at")[:10], told=json.dumps(told)
        )
        if page.fact("status") in CLOSED:
            return row
        terms, titled = page_terms(title, page.said[:MOST_FOUND])
        return row._replace(titled=titled, terms=terms)


def _empty_row(file: PageFile, digest: str) -> PageRow:
    told = json.dumps({"title": file.path, "confidence": "", "refs": []})
    return PageRow(file.path, file.changed, file.size, digest, "", "", told, 0, b"")


def _page_file(root: Path, path: str) -> PageFile | None:
    """The file of a page that the system says was changed."""
    import stat

    try:
        known = os.lstat(root / WIKI / path)
    except OSError:
        return None
    regular = stat.S_ISREG(known.st_mode) and not os.path.basename(path).startswith(".")
    from guildmoot.memory.wiki.pages import KINDS

    if not regular or path.partition("/")[0] not in KINDS or "/" not in path:
        return None
    return PageFile(path, known.st_ctime_ns, known.st_size)


def _is_wanted(root: Path) -> bool:
    """Whether the wiki is large enough for an index on disk, and nobody switched it off."""
    if os.environ.get("GUILD_INDEX", "").strip().casefold() in ("off", "0", "false", "no"):
        return False
    told = os.environ.get("GUILD_WIKI_THRESHOLD", "")
    if told and not told.isdecimal():
        raise UsageError(f"GUILD_WIKI_THRESHOLD={told} is no number of pages", "e.g. 500")
    threshold = int(told) if told else THRESHOLD
    return sum(1 for _ in islice(list_pages(root), threshold + 1)) > threshold
