"""An index in memory: all pages of a small wiki, and what changed since a large one was indexed."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from guildmoot.memory.recall.rows import KnownFile, PageRow
from guildmoot.memory.recall.scoring import COMMON, HEADS, TITLE_WEIGHT, PageTerms, Posting
from guildmoot.memory.recall.words import numbers

MOST_TERMS = 200_000
"""Terms of one page that count; a page of fifty megabytes is found by its first ones."""


def page_terms(title: str, body: str) -> tuple[bytes, int]:
    """A page's terms in order, and how many of them are its title's."""
    titled = numbers(title)
    return array("I", [*titled, *numbers(body)][:MOST_TERMS]).tobytes(), len(titled)


def term_counts(terms: bytes, titled: int) -> dict[int, int]:
    """How often each term counts."""
    held = array("I", terms)
    counts = Counter(held)
    for term in held[:titled]:
        counts[term] += TITLE_WEIGHT - 1
    return counts


def head_of(pages: Sequence[int], often: Sequence[int], lengths: Sequence[int]) -> list[int]:
    """The pages that hold a word most often, the shortest first among equals."""
    import heapq

    order = zip((-count for count in often), (lengths[page] for page in pages), pages, strict=True)
    return [page for _, _, page in heapq.nsmallest(HEADS, order)]


class MemoryIndex:
    """Pages by number, and their terms."""

    def __init__(self) -> None:
        self.terms: dict[int, PageTerms] = {}
        self._held: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._lengths: list[int] = []
        self._total = 0

    def add(self, page: int, terms: bytes, titled: int) -> None:
        """One more page; its number is higher than any before."""
        self.terms[page] = PageTerms(terms, titled)
        for term, often in term_counts(terms, titled).items():
            self._held[term][page] = often
        self._lengths += [0] * (page + 1 - len(self._lengths))
        self._lengths[page] = len(terms) // 4
        self._total += len(terms) // 4

    def remove(self, page: int) -> None:
        """The page is gone."""
        terms, titled = self.terms.pop(page)
        for term in term_counts(terms, titled):
            del self._held[term][page]
        self._total -= len(terms) // 4

    def size(self) -> int:
        """How many pages there are."""
        return len(self.terms)

    def mean_length(self) -> float:
        """Terms of a page on average."""
        return self._total / max(len(self.terms), 1)

    def gone_pages(self) -> Collection[int]:
        """Nothing that is gone is kept."""
        return ()

    def lengths(self) -> Sequence[int]:
        """Terms of each page, by its number."""
        return self._lengths

    def count(self, term: int) -> int:
        """How many pages hold it."""
        return len(self._held.get(term, ()))

    def postings(self, term: int) -> Iterable[Posting]:
        """Where it stands."""
        held = self._held.get(term)
        if not held:
            return []
        pages = array("I", sorted(held))
        often = array("B", (min(held[page], 255) for page in pages))
        head = head_of(pages, often, self._lengths) if len(pages) >= COMMON else ()
        return [Posting(pages, often, head)]

    def terms_of(self, page: int) -> PageTerms:
        """Its terms in order."""
        return self.terms[page]


class LoadedIndex(MemoryIndex):
    """All pages of a small wiki in memory, in the same shape as the index on disk."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[int, PageRow] = {}
        self._numbers: dict[str, int] = {}
        self._next = 0

    def known_files(self) -> dict[str, KnownFile]:
        """Every page by its path."""
        return {path: self._known(number) for path, number in self._numbers.items()}

    def known_file(self, path: str) -> KnownFile | None:
        """One page's."""
        number = self._numbers.get(path)
        return None if number is None else self._known(number)

    def _known(self, number: int) -> KnownFile:
        row = self._rows[number]
        return KnownFile(number, row.changed, row.size, row.hash)

    def put(self, row: PageRow) -> None:
        """A page that is new or was changed."""
        self.drop(row.path)
        self._rows[self._next], self._numbers[row.path] = row, self._next
        self.add(self._next, row.terms, row.titled)
        self._next += 1

    def touch(self, path: str, changed: int, size: int) -> None:
        """The file is another, what it says is the same."""
        number = self._numbers[path]
        self._rows[number] = self._rows[number]._replace(changed=changed, size=size)

    def drop(self, path: str) -> None:
        """A page that is gone, if it was there."""
        number = self._numbers.pop(path, None)
        if number is not None:
            del self._rows[number]
            self.remove(number)

    def row(self, number: int) -> PageRow:
        """What is known of a page."""
        return self._rows[number]

    def filters(self) -> Iterator[tuple[int, str, str]]:
        """Number, category and date of every page."""
        yield from ((number, row.category, row.updated) for number, row in self._rows.items())

    def begin(self) -> None:
        """Nothing to wait for."""

    def commit(self) -> None:
        """Nothing to write."""

    def rollback(self) -> None:
        """Nothing to take back: what was read stays read."""
