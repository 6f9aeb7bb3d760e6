"""A question to the memory: the project's pages and those of its sub-projects, with what contradicts what."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from guildmoot.errors import UsageError
from guildmoot.memory.federation import sub_projects
from guildmoot.memory.recall.recall import Recall, Recalled
from guildmoot.memory.wiki.facts import PageConflict, conflicts
from guildmoot.memory.wiki.pages import KINDS, category_folder
from guildmoot.memory.wiki.places import load_page
from guildmoot.memory.wiki.provenance import recall_mark

MOST = 200
_COMPARED = 10


class WikiQuery(NamedTuple):
    """What is asked."""

    text: str
    limit: int = 10
    category: str = ""
    """In the singular or the plural; empty is any."""
    since: str = ""
    """Pages changed on this day or later."""


class WikiAnswer(NamedTuple):
    """What was found."""

    query: str
    results: tuple[Recalled, ...]
    conflicts: tuple[PageConflict, ...]
    left_out: dict[str, str]
    """Pages that cannot be read, and why."""
    notices: tuple[str, ...]
    mark: str
    """What whoever repeats the answer should carry along: a text with it is never put back in unasked."""


class Memory:
    """The wikis of a project and its sub-projects, open for one question or many."""

    def __init__(self, root: Path, *, stay: bool = False) -> None:
        self._own = Recall(root, stay=stay)
        self._mark = f"recall-{recall_mark(root)}"
        named = sub_projects(root)
        self._others = [(each.name, Recall(each.root, stay=stay)) for each in named]
        self._missing = [
            f"the sub-project {each.name} was not asked: there is no folder {each.root.relative_to(root)}"
            for each in named
            if not each.root.is_dir()
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        wrong: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for recall in (self._own, *(recall for _, recall in self._others)):
            recall.close()

    def ask(self, query: WikiQuery, *, compare: bool = True) -> WikiAnswer:
        """The pages that answer; ``compare`` tells which of them contradict each other."""
        category = _checked(query)
        terms = (query.text, query.limit, category, query.since)
        found = self._own.ask(*terms)
        for name, recall in self._others:
            found += [each._replace(source=name) for each in recall.ask(*terms)]
        if self._others:
            found = sorted(found, key=lambda each: (-each.score, each.source, each.path))
        found = found[: query.limit]
        own = [each.path for each in found if not each.source][:_COMPARED]
        pairs = (
            conflicts([load_page(self._own.root, path, head=True) for path in own])
            if compare
            else []
        )
        notices = self._missing + [note for recall in self._recalls() for note in recall.notices]
        left = {path: why for recall in self._recalls() for path, why in recall.left_out.items()}
        return WikiAnswer(query.text, tuple(found), tuple(pairs), left, tuple(notices), self._mark)

    def _recalls(self) -> list[Recall]:
        return [self._own, *(recall for _, recall in self._others)]


def _checked(query: WikiQuery) -> str:
    if not query.text.strip():
        raise UsageError("the question is empty", "guild wiki query 'how are caches cleared'")
    if not 1 <= query.limit <= MOST:
        raise UsageError(f"--limit is from 1 to {MOST}, not {query.limit}")
    if query.since:
        try:
            date.fromisoformat(query.since)
        except ValueError as wrong:
            raise UsageError(f"{query.since!r} is no day", "e.g. --since 2026-11-01") from wrong
    return KINDS[category_folder(query.category)] if query.category else ""
