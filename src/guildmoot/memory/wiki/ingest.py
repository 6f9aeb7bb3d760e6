"""Puts a text into the wiki: captured as it is, held against what is known, then a page, or a pause for a person.

What a source says is data. It is captured with its checksum and never changed; the page quotes it below a summary,
and nobody is told to follow it. Whoever promotes the page later vouches for its words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.scrub import operator_scrubber
from guildmoot.memory.recall.recall import Recall
from guildmoot.memory.recall.words import words
from guildmoot.memory.wiki.capture import MOST_QUOTED, WikiSource, capture_source, page_body
from guildmoot.memory.wiki.catalogue import add_to_log
from guildmoot.memory.wiki.facts import anchor_mark
from guildmoot.memory.wiki.gate import NearPage, Pause, pauses
from guildmoot.memory.wiki.keeping import close_page, now, put_page, today
from guildmoot.memory.wiki.naming import free_slug, title_of
from guildmoot.memory.wiki.pages import (
    CONFIDENCES,
    KINDS,
    SENSITIVITIES,
    Fact,
    category_folder,
    check_slug,
    name_of,
    write_page,
)
from guildmoot.memory.wiki.paused import (
    PausedText,
    end_pause,
    find_paused,
    pause,
    waiting_for,
    words_hash,
)
from guildmoot.memory.wiki.places import WIKI, find_page, load_page, page_file, wiki_lock
from guildmoot.memory.wiki.provenance import Register, page_hash, recall_mark
from guildmoot.system.files import read_own

if TYPE_CHECKING:  # who asks no model loads none of it
    from guildmoot.memory.wiki.model_summary import ModelSummary

MOST_SOURCE = 50 * 1024 * 1024
_INSTRUCTIONS = (
    *("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules"),
    *(".github/copilot-instructions.md", ".claude/CLAUDE.md"),
)
_NEAREST = 3
_COMPARED = 8
Answer = Literal["supersede", "skip", "keep"]


class IngestOptions(NamedTuple):
    """How it is to be put in."""

    category: str
    slug: str = ""
    title: str = ""
    sensitivity: str = "internal"
    confidence: str = "medium"
    kind: str = "durable"
    """``state`` for what holds for a month at most."""
    as_of: str = ""
    supersedes: str = ""
    anchors: tuple[str, ...] = ()
    """Files of the project that the text speaks of; the page is flagged when they change."""
    tags: tuple[str, ...] = ()
    proposed_by: str = ""
    """The model that wrote it: a person must keep it before it is a page."""
    taken_from: str = ""
    """The file that a proposal rests on, perhaps with its lines: ``docs/a.md:10-20``."""


class Ingested(NamedTuple):
    """What became of it."""

    status: Literal["written", "paused", "unchanged", "skipped"]
    path: str
    checksum: str
    nearest: tuple[NearPage, ...] = ()
    pauses: tuple[Pause, ...] = ()
    paused_id: str = ""
    assumptions: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    """Kinds of secrets that were masked in it."""


def ingest(
    root: Path, source: WikiSource, options: IngestOptions, by: str, among: Recall | None = None,
    summary: ModelSummary | None = None,
) -> Ingested:  # fmt: skip
    """Capture a source and make a page of it, or pause; UsageError when it cannot be one.

    ``among`` many sources the pages are read once, and the caller writes the catalogue at the end. A
    ``summary`` by a model stands in place of the one that is made of the source's own sentences.
    """
    with wiki_lock(root):
        found = _examine(root, source, options, among)
        if found.done:
            return found.done
        if found.pauses:
            return _paused(root, source, options, found)
        return _written(root, source, options, by, found, listed=not among, summary=summary)


def foresee(root: Path, source: WikiSource, options: IngestOptions) -> str:
    """The text that a page would be made of; empty when it would pause, or is there already."""
    found = _examine(root, source, options, None)
    return "" if found.done or found.pauses else found.text


class _Examined(NamedTuple):
    """A source held against what is known."""

    text: str
    title: str
    path: str
    checksum: str
    nearest: tuple[NearPage, ...] = ()
    pauses: tuple[Pause, ...] = ()
    done: Ingested | None = None
    """What becomes of it where nothing is left to decide."""


def _examine(
    root: Path, source: WikiSource, options: IngestOptions, among: Recall | None
) -> _Examined:
    folder = _checked(options)
    text = _text_of(source)
    title = operator_scrubber().text(options.title or title_of(text, source), "title").text
    if options.supersedes:  # the new page may have the old one's name
        slug = options.slug or name_of(title, source.name)
    else:
        slug = options.slug or free_slug(root, folder, title, source)
    path = f"{folder}/{check_slug(slug)}.md"
    checksum = hashlib.sha256(source.data).hexdigest()
    base = _Examined(text, title, path, checksum)
    waiting = waiting_for(root, path, text)
    if waiting:
        done = Ingested("paused", waiting.path, checksum, (), waiting.reasons, waiting.id)
        return base._replace(done=done)
    recall = among or Recall(root)
    try:
        nearest, near = _nearest(root, recall, title, text)
    finally:
        if not among:
            recall.close()
    known = root / WIKI / path
    if known.exists():
        old = load_page(root, path)
        masked = operator_scrubber().text(text, source.name).text  # as it was captured
        if hashlib.sha256(masked.encode()).hexdigest() in old.body:
            return base._replace(done=Ingested("unchanged", path, checksum, nearest))
        if not options.supersedes:
            raise UsageError(
                f"there is a page {path} already, and it says something else",
                f"--slug NAME puts this one beside it; --supersedes {Path(path).stem} closes the old one.",
            )
    found = pauses(text, near, _instructions(root), recall_mark(root))
    if options.proposed_by:
        found.append(_proposal(root, options))
    if options.supersedes:
        found = [each for each in found if _is_not(each, options.supersedes)]
        found += _vouched(root, options.supersedes)
    return base._replace(nearest=nearest, pauses=tuple(found))


def _proposal(root: Path, options: IngestOptions) -> Pause:
    """What a model wrote rests on a file, whose hash and lines are kept, or on nothing."""
    told = re.fullmatch(r"(.+?)(?::(\d+)-(\d+))?", options.taken_from)
    if not told:
        raise UsageError(
            "what does the proposal rest on?", "--from FILE or --from FILE:FIRST-LAST names it."
        )
    path, first, last = told.groups()
    mark = anchor_mark(root, path)
    lines = len(read_own(root / path).splitlines()) if mark != "missing" else 0
    if mark == "missing" or (first and not 1 <= int(first) <= int(last) <= lines):
        raise UsageError(f"--from {options.taken_from}: there is no such file or line here")
    span = f" lines {first}-{last}" if first else ""
    return Pause(
        "proposal", f"proposed by {options.proposed_by} from {path}{span} (sha256 {mark})", path
    )


def _vouched(root: Path, name: str) -> list[Pause]:
    """Whether what is to be closed was vouched for: a person must say so then."""
    path = find_page(root, name)
    if path.startswith("decisions/"):
        raise UsageError(
            f"{path} is a decision, and only a later decision closes one",
            f"guild decide QUESTION --answer TEXT --supersedes {Path(path).stem}",
        )
    known = Register(root).provenance(path, page_hash(read_own(root / WIKI / path)))
    if known.trust != "reviewed":
        return []
    return [Pause("reviewed", f"it would close {path}, {known.reason}", path)]


def _is_not(found: Pause, supersedes: str) -> bool:
    return found.reason != "copy" or Path(found.page).stem != Path(supersedes).stem


def decide_paused(root: Path, name: str, answer: Answer, by: str) -> Ingested:
    """Say what becomes of a text that waits."""
    with wiki_lock(root):
        waiting = find_paused(root, name)
        checksum = hashlib.sha256(waiting.text.encode()).hexdigest()
        if answer == "skip":
            end_pause(root, waiting)
            add_to_log(root, today(), f"skipped {Path(waiting.path).stem}")
            return Ingested("skipped", waiting.path, checksum)
        if not waiting.ours:
            raise UsageError(
                f"{waiting.id} was changed since it was paused, or somebody else wrote it",
                f"--answer {waiting.id} --as skip takes it away; then put the text in anew.",
            )
        page_file(root, waiting.path)
        options = _options(waiting.options)
        told = sorted(waiting.reasons, key=lambda each: each.reason != "reviewed")
        copied = [each.page for each in told if each.reason in ("reviewed", "copy")]
        if answer == "supersede":
            if not copied:
                raise UsageError(
                    "it is a copy of no page and was to close none, so there is nothing to supersede",
                    "Answer keep or skip.",
                )
            options = options._replace(supersedes=Path(copied[0]).stem)
        path = _free_path(root, waiting.path)
        kind: Literal["pasted"] = "pasted"
        source = WikiSource(waiting.text.encode(), kind, waiting.origin)
        title = options.title or title_of(waiting.text, source)
        kept = _Examined(waiting.text, title, path, checksum)
        done = _written(root, source, options, by, kept)
        end_pause(root, waiting)
        return done


def _free_path(root: Path, path: str) -> str:
    stem, at = path.removesuffix(".md"), 2
    while (root / WIKI / path).exists():
        path, at = f"{stem[:56]}-{at}.md", at + 1
    return path


def _options(told: Mapping[str, str]) -> IngestOptions:
    """As they were asked for when the text was paused; what it was to supersede is answered anew."""
    return IngestOptions(
        told["category"], told.get("slug", ""), told.get("title", ""), told["sensitivity"],
        told["confidence"], told["kind"], told.get("as_of", ""), "",
        tuple(filter(None, told.get("anchors", "").split(","))),
        tuple(filter(None, told.get("tags", "").split(","))),
    )  # fmt: skip


def _checked(options: IngestOptions) -> str:
    folder = category_folder(options.category)
    if folder == "decisions":
        raise UsageError(
            "decisions are written by 'guild decide' alone", "guild decide --help tells how."
        )
    for name, value, known in (
        ("sensitivity", options.sensitivity, SENSITIVITIES),
        ("confidence", options.confidence, CONFIDENCES),
        ("kind", options.kind, ("durable", "state")),
    ):
        if value not in known:
            raise UsageError(f"--{name} {value!r} is none of {', '.join(known)}")
    return folder


def _text_of(source: WikiSource) -> str:
    if len(source.data) > MOST_SOURCE:
        raise UsageError(
            f"{source.origin} is larger than {MOST_SOURCE >> 20} MB",
            "Put in the part that matters.",
        )
    try:
        text = source.data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise UsageError(
            f"{source.origin} is not UTF-8 text: {wrong.reason} at byte {wrong.start}",
            "Convert it first, e.g. iconv -f latin1 -t utf-8, or pdftotext for a PDF.",
        ) from wrong
    if "\0" in text or not text.strip():
        raise UsageError(f"{source.origin} holds no text")
    return text.replace("\r\n", "\n")


def _nearest(
    root: Path, recall: Recall, title: str, text: str
) -> tuple[tuple[NearPage, ...], dict[str, str]]:
    """The pages nearest to a text, and the bodies of those that it may be a copy of."""
    from collections import Counter

    counts = Counter(words(text[:100_000]))
    telling = [word for word, _ in counts.most_common(400) if not word.startswith("=")]
    middle = telling[:: max(1, len(telling) // 24)][:24]
    found = {
        each.path: each for each in recall.ask(f"{title} {' '.join(middle)}", _COMPARED, near=True)
    }
    for each in recall.ask(text[:600], _COMPARED, near=True):
        known = found.get(each.path)
        if known is None or known.score < each.score:
            found[each.path] = each
    best = sorted(found.values(), key=lambda each: (-each.score, each.path))
    near = tuple(NearPage(each.path, each.score) for each in best[:_NEAREST])
    return near, {each.path: load_page(root, each.path).said for each in best}


def _instructions(root: Path) -> dict[str, str]:
    found = {}
    for name in _INSTRUCTIONS:
        data = read_own(root / name, 2_000_000)
        if data:
            found[name] = data.decode("utf-8", "replace")
    return found


def _paused(root: Path, source: WikiSource, options: IngestOptions, found: _Examined) -> Ingested:
    told = {
        name: ",".join(value) if isinstance(value, tuple) else value
        for name, value in options._asdict().items()
    }
    text, words_of = found.text, words_hash(found.text)
    waiting = PausedText(
        words_of[:8], found.path, words_of, text, source.origin, told, found.pauses, now()
    )
    pause(root, waiting)
    return Ingested("paused", found.path, found.checksum, found.nearest, found.pauses, waiting.id)


def _written(
    root: Path, source: WikiSource, options: IngestOptions, by: str, found: _Examined, *,
    listed: bool = True, summary: ModelSummary | None = None,
) -> Ingested:  # fmt: skip
    clean = operator_scrubber().text(found.text, source.name)
    title, path = found.title, found.path
    slug = Path(path).stem
    raw, checksum = capture_source(root, slug, source, clean.text, by)
    day = today()
    supersedes = _close_old(root, options.supersedes, slug, by) if options.supersedes else None
    facts: dict[str, Fact] = {
        "type": KINDS[path.partition("/")[0]], "title": title, "owner": by,
        "confidence": options.confidence, "source_refs": [raw], "created_at": day,
        "updated_at": day, "expires_at": None, "supersedes": supersedes,
        "sensitivity": options.sensitivity, "kind": options.kind, "as_of": options.as_of or day,
    }  # fmt: skip
    if options.anchors:
        facts["anchors"] = [f"{name}@{anchor_mark(root, name)}" for name in options.anchors]
    if options.tags:
        facts["tags"] = list(options.tags)
    cut = f"the first {MOST_QUOTED:,} of {len(clean.text):,} characters"
    is_cut = len(clean.text) > MOST_QUOTED
    if is_cut:
        facts["cut"] = cut
    body = page_body(title, clean.text, source, raw, checksum, summary)
    put_page(root, path, write_page(facts, body), "ingested", by, listed=listed)
    add_to_log(root, day, f"ingested {slug} into {path.partition('/')[0]}")
    assumed = ["sensitivity: internal"] if options.sensitivity == "internal" else []
    if is_cut:
        assumed.append(f"text: {cut} are in the page and found; split the source for the rest")
    if summary and summary.problem:
        assumed.append(f"summary: the source's own sentences, for {summary.problem}")
    return Ingested("written", path, checksum, found.nearest, (), "", tuple(assumed), clean.kinds)


def _close_old(root: Path, name: str, slug: str, by: str) -> str:
    """Mark the page that is replaced, and say by which; it stays where it is."""
    path = find_page(root, name)
    close_page(root, path, "superseded", by, slug)
    return load_page(root, path).slug
