"""The verbs of the wiki as functions: put in, ask, show, list, check, vouch, take out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from guildmoot.errors import GuildmootError, UndecidedError, UsageError
from guildmoot.guard.injection import Injection, find_injections
from guildmoot.memory.federation import sub_projects
from guildmoot.memory.recall.query import Memory, WikiAnswer, WikiQuery
from guildmoot.memory.recall.recall import Recall
from guildmoot.memory.wiki import catalogue, lint
from guildmoot.memory.wiki.brief import WikiBrief, make_brief
from guildmoot.memory.wiki.capture import WikiSource
from guildmoot.memory.wiki.facts import page_flags
from guildmoot.memory.wiki.ingest import (
    Answer,
    Ingested,
    IngestOptions,
    decide_paused,
    foresee,
    ingest,
)
from guildmoot.memory.wiki.keeping import retire, vouch
from guildmoot.memory.wiki.lint import WikiLint
from guildmoot.memory.wiki.pages import KINDS, WikiPage, category_folder
from guildmoot.memory.wiki.paused import PausedText, list_paused
from guildmoot.memory.wiki.places import (
    WIKI,
    all_pages,
    find_page,
    load_page,
    memory_root,
    wiki_lock,
    write_text,
)
from guildmoot.memory.wiki.provenance import Provenance, Register, page_hash
from guildmoot.memory.wiki.sources import fetch_source, file_source, folder_sources
from guildmoot.practices.dispositions import user_name
from guildmoot.system.files import read_own

if TYPE_CHECKING:
    from guildmoot.memory.wiki.model_summary import ModelSummary

T = TypeVar("T")


class IngestRequest(NamedTuple):
    """What is to be put into the wiki: one of a path, a text or an address."""

    options: IngestOptions
    path: Path | None = None
    """A file, or a folder of documents."""
    text: bytes | None = None
    url: str = ""
    cwd: Path = Path()
    model: str = ""
    """Who writes the summary, ``provider:model``; without one it is made of the source's own sentences."""
    max_usd: float | None = None
    """The most that the model may cost."""


class FailedIngest(NamedTuple):
    """A document of a folder that could not be put in."""

    origin: str
    problem: str


class IngestReport(NamedTuple):
    """What became of everything that was to be put in."""

    done: tuple[Ingested, ...]
    failed: tuple[FailedIngest, ...] = ()


class ShownPage(NamedTuple):
    """One page, and how far it is trusted."""

    page: WikiPage
    provenance: Provenance
    flags: tuple[str, ...]
    injections: tuple[Injection, ...]


async def _in_memory(cwd: Path, work: Callable[[Path], T]) -> T:
    return await asyncio.to_thread(lambda: work(memory_root(cwd)))


async def wiki_ingest(
    request: IngestRequest, told: Callable[[Ingested], None] = lambda _: None
) -> IngestReport:
    """Capture sources and make pages of them, or pause for a person; ``told`` hears of each when it is done."""
    given = [request.path is not None, request.text is not None, bool(request.url)]
    if sum(given) != 1:
        raise UsageError("give one thing to put in: a file, a folder, - or --url ADDRESS")

    if request.path and (request.cwd / request.path).is_dir():
        if request.model:
            raise UsageError("--model summarises one source, and a folder holds several")
        return await _in_memory(request.cwd, lambda root: _ingest_folder(root, request, told))
    root = await _in_memory(request.cwd, lambda root: root)
    source = await asyncio.to_thread(_source, request, root)
    summary = await _summary(root, source, request) if request.model else None
    done = await asyncio.to_thread(
        lambda: ingest(root, source, request.options, user_name(root), summary=summary)
    )
    told(done)
    return IngestReport((done,))


async def _summary(root: Path, source: WikiSource, request: IngestRequest) -> ModelSummary | None:
    """By a model, once it is certain that a page will be made; a confidential source is shown to none."""
    if request.options.sensitivity in ("confidential", "secret"):
        raise UsageError(
            f"a source that is {request.options.sensitivity} is sent to no model",
            "Leave --model out: the summary is then made of the source's own sentences.",
        )
    from guildmoot.config import Origin
    from guildmoot.guard.settings import settings_for
    from guildmoot.memory.wiki.model_summary import ask_summary

    text = await asyncio.to_thread(foresee, root, source, request.options)
    if not text:
        return None
    config = settings_for(root)
    if request.max_usd is not None:
        limit = {"budget.run_usd": Origin(request.max_usd, "--max-usd")}
        config = config._replace(values={**config.values, **limit})
    return await ask_summary(root, text, request.model, config)


def _source(request: IngestRequest, root: Path) -> WikiSource:
    if request.url:
        return fetch_source(request.url)
    if request.path is None:
        return WikiSource(request.text or b"", "pasted", "standard input")
    return _file(root, _place(request))


def _place(request: IngestRequest) -> Path:
    """Where the file or folder lies; a path that leads up and out of the project lies outside of it."""
    return Path(os.path.abspath(request.cwd / (request.path or "")))


def _file(root: Path, path: Path) -> WikiSource:
    """A file; inside of the project it is named by its path there, and no link is followed."""
    if not path.is_relative_to(root):
        return file_source(path, None)
    return file_source(path, root)._replace(origin=path.relative_to(root).as_posix())


def _ingest_folder(
    root: Path, request: IngestRequest, told: Callable[[Ingested], None]
) -> IngestReport:
    if request.options.slug or request.options.title:
        raise UsageError("--slug and --title name one page, and a folder holds several")
    done, failed, by = [], [], user_name(root)
    recall = Recall(root, stay=True)
    try:
        for path in folder_sources(_place(request)):
            try:
                done.append(ingest(root, _file(root, path), request.options, by, recall))
                told(done[-1])
            except GuildmootError as wrong:
                failed.append(FailedIngest(str(path), f"{wrong.message}. {wrong.hint}".strip(". ")))
    finally:
        recall.close()
        with wiki_lock(root):
            catalogue.rebuild_index(root)
    return IngestReport(tuple(done), tuple(failed))


async def wiki_answer(paused_id: str, answer: Answer, cwd: Path = Path()) -> Ingested:
    """Say what becomes of a text that waits: supersede, skip or keep."""
    return await _in_memory(
        cwd, lambda root: decide_paused(root, paused_id, answer, user_name(root))
    )


async def wiki_query(query: WikiQuery, cwd: Path = Path()) -> WikiAnswer:
    """The pages that answer a question, and which of them contradict each other."""

    def work(root: Path) -> WikiAnswer:
        with Memory(root) as memory:
            return memory.ask(query)

    return await _in_memory(cwd, work)


async def wiki_show(name: str, cwd: Path = Path()) -> ShownPage:
    """One page by its path or name, and how far it is trusted."""

    def work(root: Path) -> ShownPage:
        project, mark, inner = name.partition(
            ":"
        )  # as a question's answer names a sub-project's page
        roots = {each.name: each.root for each in sub_projects(root)} if mark else {}
        root = roots.get(project, root)
        path = find_page(root, inner if project in roots else name)
        page = load_page(root, path)
        if page.problem:
            raise UsageError(f"{path} cannot be shown: {page.problem}", "Mend the file.")
        digest = page_hash(read_own(root / WIKI / path))
        vouched = Register(root).provenance(path, digest)
        return ShownPage(page, vouched, page_flags(root, page), find_injections(page.body))

    return await _in_memory(cwd, work)


async def wiki_list(category: str = "", since: str = "", cwd: Path = Path()) -> list[ShownPage]:
    """Every page, by path."""
    kind = KINDS[category_folder(category)] if category else ""

    def work(root: Path) -> list[ShownPage]:
        register = Register(root)
        return [
            ShownPage(
                page,
                register.provenance(page.path, page_hash(read_own(root / WIKI / page.path))),
                page_flags(root, page),
                (),
            )
            for page in all_pages(root)
            if (not kind or page.category == kind) and page.fact("updated_at")[:10] >= since
        ]

    return await _in_memory(cwd, work)


async def wiki_paused(cwd: Path = Path()) -> list[PausedText]:
    """The texts that wait for a person."""
    return await _in_memory(cwd, list_paused)


async def wiki_lint(fix: bool = False, keep: bool = True, cwd: Path = Path()) -> WikiLint:
    """The eight checks; ``fix`` writes index.md and log.md anew first, ``keep`` a report beside the pages."""

    def work(root: Path) -> WikiLint:
        now = datetime.now(UTC)
        when = now.isoformat(timespec="seconds").replace("+00:00", "Z")
        if not (root / WIKI).is_dir():
            return WikiLint(0, ())
        if fix:
            with wiki_lock(root):
                catalogue.rebuild_index(root)
                catalogue.mend_log(root)
        found = lint.lint_wiki(root, now.date())
        if keep:
            write_text(root, WIKI / f"lint-{when}.md", lint.lint_report(found, when))
        return found

    return await _in_memory(cwd, work)


async def wiki_promote(name: str, cwd: Path = Path(), *, yes: bool = False) -> WikiPage:
    """Vouch for a page's very words; of one that speaks to a model only with ``yes``."""

    def work(root: Path) -> WikiPage:
        path = find_page(root, name)
        for hit in () if yes else find_injections(load_page(root, path).body):
            raise UndecidedError(
                f"{path} speaks to a model ({hit.kind}): {hit.text[:120]}",
                f"Read it; 'guild wiki promote {path} --yes' vouches for it all the same.",
            )
        return vouch(root, path, user_name(root))

    return await _in_memory(cwd, work)


async def wiki_retire(name: str, cwd: Path = Path()) -> WikiPage:
    """Take a page out of recall; its file stays."""
    return await _in_memory(cwd, lambda root: retire(root, find_page(root, name), user_name(root)))


async def wiki_brief(cwd: Path = Path()) -> WikiBrief:
    """What a coding agent is told of the memory when a session starts."""
    return await _in_memory(cwd, make_brief)


async def wiki_log(cwd: Path = Path()) -> list[str]:
    """What was done to the wiki, oldest first."""
    return await _in_memory(cwd, catalogue.log_lines)
