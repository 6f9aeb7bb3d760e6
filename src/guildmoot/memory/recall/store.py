"""The index of a large wiki on disk, ``.guild/index.sqlite``: a cache, which can be deleted at any time.

Pages that were indexed together lie in postings by term; what changed since lies beside them, is read into memory
when the index is opened, and is folded in when it has become much. So one changed page costs one small transaction.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from guildmoot.memory.recall.memory_index import MemoryIndex, head_of, term_counts
from guildmoot.memory.recall.rows import KnownFile, PageRow
from guildmoot.memory.recall.scoring import COMMON, PageTerms, Posting

_VERSION = 6
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE pages (
    number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, changed INTEGER, size INTEGER, hash TEXT,
    category TEXT, updated TEXT, told TEXT
);
CREATE TABLE words (number INTEGER PRIMARY KEY, titled INTEGER, terms BLOB);
CREATE TABLE postings (term INTEGER PRIMARY KEY, pages BLOB, often BLOB, head BLOB);
CREATE TABLE gone (number INTEGER PRIMARY KEY, titled INTEGER, terms BLOB);
"""
_FOLD = 256
"""Changes after which they are folded into the postings when the index is opened next."""
_CACHED = 4_000
_BUSY_SECONDS = 5.0


def open_database(file: Path) -> sqlite3.Connection:
    """The database, with its tables; a broken one or one of another version is made anew."""
    try:
        return _opened(file)
    except sqlite3.OperationalError as wrong:
        if "locked" in str(wrong) or "busy" in str(wrong):
            raise
        return _anew(file)
    except sqlite3.DatabaseError:
        return _anew(file)


def _anew(file: Path) -> sqlite3.Connection:
    for ending in ("", "-wal", "-shm", "-journal"):
        Path(f"{file}{ending}").unlink(missing_ok=True)
    return _opened(file)


def _opened(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(
        file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("PRAGMA mmap_size=1073741824")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version != _VERSION:
            database.execute("BEGIN IMMEDIATE")
            if database.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                ).fetchall():
                    database.execute(f'DROP TABLE "{name}"')
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version={_VERSION}")
            database.execute("COMMIT")
        else:
            database.execute("SELECT count(*) FROM facts").fetchone()
    except BaseException:
        database.close()
        raise
    return database


class StoredIndex:
    """The pages of a wiki as the scorer asks for them."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self._size = self._total = 0
        self._cache: OrderedDict[int, Posting | None] = OrderedDict()
        self._terms: OrderedDict[int, PageTerms] = OrderedDict()
        self._load()

    def _load(self) -> None:
        """What must be in memory: the lengths of all pages, and what changed since they were folded."""
        self._seen = self._version()
        self._cache.clear()
        self._terms.clear()
        self._last = self._fact("last", -1)
        blob = self._blob("lengths")
        self._lengths = array("I")
        self._lengths.frombytes(blob)
        self.recent = MemoryIndex()
        self._total = sum(self._lengths)
        self.gone: set[int] = set()
        self._gone_terms: Counter[int] = Counter()
        for number, titled, terms in self.database.execute(
            "SELECT number, titled, terms FROM gone"
        ):
            self._take_away(number, titled, terms)
        rows = "SELECT number, titled, terms FROM words WHERE number > ? ORDER BY number"
        for number, titled, terms in self.database.execute(rows, (self._last,)):
            self._add(number, terms, titled)
        self._size = int(self.database.execute("SELECT count(path) FROM pages").fetchone()[0])

    def _fact(self, name: str, otherwise: int) -> int:
        row = self.database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else otherwise

    def _blob(self, name: str) -> bytes:
        row = self.database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return bytes(row[0]) if row else b""

    def _version(self) -> int:
        return int(self.database.execute("PRAGMA data_version").fetchone()[0])

    def refresh_if_changed(self) -> None:
        """Read again what another process wrote."""
        if self._version() != self._seen:
            self._load()

    # What the scorer asks.

    def size(self) -> int:
        """How many pages there are."""
        return self._size

    def mean_length(self) -> float:
        """Terms of a page on average."""
        return self._total / max(self._size, 1)

    def lengths(self) -> Sequence[int]:
        """Terms of each page, by its number."""
        return self._lengths

    def count(self, term: int) -> int:
        """How many pages hold it."""
        posting = self._posting(term)
        kept = len(posting.pages) - self._gone_terms[term] if posting else 0
        return kept + self.recent.count(term)

    def postings(self, term: int) -> Iterable[Posting]:
        """Where it stands; pages that are gone may be among them."""
        posting = self._posting(term)
        if posting:
            yield posting
        yield from self.recent.postings(term)

    def terms_of(self, page: int) -> PageTerms:
        """A page's terms in order."""
        if page > self._last:
            return self.recent.terms_of(page)
        found = self._terms.get(page)
        if found is None:
            row = self.database.execute(
                "SELECT terms, titled FROM words WHERE number = ?", (page,)
            ).fetchone()
            found = self._terms[page] = PageTerms(*row) if row else PageTerms(b"", 0)
            if len(self._terms) > _CACHED:
                self._terms.popitem(last=False)
        return found

    def _posting(self, term: int) -> Posting | None:
        if term in self._cache:
            return self._cache[term]
        row = self.database.execute(
            "SELECT pages, often, head FROM postings WHERE term = ?", (term,)
        ).fetchone()
        found = None
        if row:
            pages, often, head = array("I"), array("B"), array("I")
            pages.frombytes(row[0])
            often.frombytes(row[1])
            head.frombytes(row[2])
            found = Posting(pages, often, head)
        self._cache[term] = found
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return found

    # What changes.

    def known_files(self) -> dict[str, KnownFile]:
        """Every page by its path."""
        rows = self.database.execute("SELECT path, number, changed, size, hash FROM pages")
        return {path: KnownFile(*rest) for path, *rest in rows}

    def known_file(self, path: str) -> KnownFile | None:
        """One page's."""
        row = self.database.execute(
            "SELECT number, changed, size, hash FROM pages WHERE path = ?", (path,)
        ).fetchone()
        return KnownFile(*row) if row else None

    def build(self, rows: Iterator[PageRow]) -> None:
        """Index all pages at once, in place of what was there; the caller has begun a transaction."""
        from collections import defaultdict

        for table in ("facts", "pages", "words", "postings", "gone"):
            self.database.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
        pages: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
        often: defaultdict[int, array[int]] = defaultdict(lambda: array("B"))
        lengths = array("I")

        for number, row in enumerate(rows):
            lengths.append(len(row.terms) // 4)
            for term, times in term_counts(row.terms, row.titled).items():
                pages[term].append(number)
                often[term].append(min(times, 255))
            self._insert(number, row)
        self.database.executemany(
            "INSERT INTO postings VALUES (?,?,?,?)",
            (
                (term, held.tobytes(), often[term].tobytes(), _head(held, often[term], lengths))
                for term, held in sorted(pages.items())
            ),
        )
        self._set_main(len(lengths) - 1, lengths)

    def _set_main(self, last: int, lengths: array[int]) -> None:
        facts = [("last", last), ("lengths", lengths.tobytes())]
        self.database.executemany("INSERT OR REPLACE INTO facts VALUES (?,?)", facts)

    def loaded(self) -> None:
        """To be called when a transaction that built or folded was committed."""
        self._load()

    def put(self, row: PageRow) -> None:
        """A page that is new or was changed; the caller has begun a transaction."""
        self.drop(row.path)
        highest = self.database.execute("SELECT max(number) FROM pages").fetchone()[0]
        number = max(-1 if highest is None else highest, self._last, len(self._lengths) - 1) + 1
        self._insert(number, row)
        self._add(number, row.terms, row.titled)
        self._size += 1

    def _insert(self, number: int, row: PageRow) -> None:
        *plain, titled, terms = row
        self.database.execute("INSERT INTO pages VALUES (?,?,?,?,?,?,?,?)", (number, *plain))
        self.database.execute("INSERT INTO words VALUES (?,?,?)", (number, titled, terms))

    def touch(self, path: str, changed: int, size: int) -> None:
        """The file is another, what it says is the same."""
        self.database.execute(
            "UPDATE pages SET changed = ?, size = ? WHERE path = ?", (changed, size, path)
        )

    def drop(self, path: str) -> None:
        """A page that is gone, if it was there."""
        row = self.database.execute(
            "SELECT number, titled, terms FROM words JOIN pages USING (number) WHERE path = ?",
            (path,),
        ).fetchone()
        if not row:
            return
        number, titled, terms = row
        self.database.execute("DELETE FROM pages WHERE number = ?", (number,))
        self.database.execute("DELETE FROM words WHERE number = ?", (number,))
        self._size -= 1
        if number > self._last:
            self._total -= len(terms) // 4
            self._lengths[number] = 0
            self.recent.remove(number)
            return
        self.database.execute("INSERT INTO gone VALUES (?,?,?)", (number, titled, terms))
        self._take_away(number, titled, terms)

    def _add(self, number: int, terms: bytes, titled: int) -> None:
        self.recent.add(number, terms, titled)
        self._lengths.extend([0] * (number + 1 - len(self._lengths)))
        self._lengths[number] = len(terms) // 4
        self._total += len(terms) // 4

    def _take_away(self, number: int, titled: int, terms: bytes) -> None:
        self.gone.add(number)
        self._total -= len(terms) // 4
        self._gone_terms.update(term_counts(terms, titled).keys())

    def is_due(self) -> bool:
        """Whether enough changed to fold it in."""
        return len(self.gone) + self.recent.size() > _FOLD

    def fold(self) -> None:
        """Put what changed into the postings; the caller has begun a transaction."""
        lengths = self._lengths[:]
        added: dict[int, list[tuple[int, int]]] = {}
        for number, (terms, titled) in sorted(self.recent.terms.items()):
            for term, times in term_counts(terms, titled).items():
                added.setdefault(term, []).append((number, min(times, 255)))
        for term in {*added, *self._gone_terms}:
            old = self._posting(term) or Posting(array("I"), array("B"))
            pairs = [
                (page, times)
                for page, times in zip(old.pages, old.often, strict=True)
                if page not in self.gone
            ] + added.get(term, [])
            held, often = array("I", (p for p, _ in pairs)), array("B", (t for _, t in pairs))
            if pairs:
                self.database.execute(
                    "INSERT OR REPLACE INTO postings VALUES (?,?,?,?)",
                    (term, held.tobytes(), often.tobytes(), _head(held, often, lengths)),
                )
            else:
                self.database.execute("DELETE FROM postings WHERE term = ?", (term,))
        for number in self.gone:  # numbers are never used again
            lengths[number] = 0
        self.database.execute("DELETE FROM gone")
        self._set_main(len(lengths) - 1, lengths)

    def row(self, number: int) -> PageRow:
        """What is known of a page."""
        row = self.database.execute(
            "SELECT path, changed, size, hash, category, updated, told, 0, x''"
            " FROM pages WHERE number = ?",
            (number,),
        ).fetchone()
        return PageRow(*row)

    def filters(self) -> Iterator[tuple[int, str, str]]:
        """Number, category and date of every page."""
        yield from self.database.execute("SELECT number, category, updated FROM pages")

    def begin(self) -> None:
        """Be the one writer, and know what others wrote."""
        self.database.execute("BEGIN IMMEDIATE")
        self.refresh_if_changed()

    def commit(self) -> None:
        """What was written counts."""
        self.database.execute("COMMIT")

    def rollback(self) -> None:
        """Nothing was written."""
        self.database.execute("ROLLBACK")
        self._load()

    def gone_pages(self) -> Collection[int]:
        """Pages that still stand in postings and are no longer there."""
        return self.gone


def _head(pages: array[int], often: array[int], lengths: Sequence[int]) -> bytes:
    return array("I", head_of(pages, often, lengths)).tobytes() if len(pages) >= COMMON else b""
