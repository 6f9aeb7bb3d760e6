"""Eight checks of the wiki, each finding with its file and line; reads alone, edits nothing."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.memory.wiki.catalogue import INDEX_FILE
from guildmoot.memory.wiki.facts import PageConflict, conflicts, is_expired
from guildmoot.memory.wiki.pages import (
    CONFIDENCES,
    KINDS,
    REQUIRED,
    SENSITIVITIES,
    WikiPage,
    is_date,
)
from guildmoot.memory.wiki.places import RAW, WIKI, all_pages
from guildmoot.memory.wiki.provenance import Register, page_hash
from guildmoot.system.files import linked_part, read_own

Gravity = Literal["blocking", "important", "nit"]
_DECISION_HEADINGS = ("Context", "Options considered", "Decision", "Consequences")
_MENTION = re.compile(r"\[\[([^\]\n]{3,60})\]\]")
_MOST_COMPARED = 400


class WikiFinding(NamedTuple):
    """Something that is wrong with a page."""

    check: str
    gravity: Gravity
    path: str
    line: int
    detail: str
    references: tuple[str, ...] = ()


class WikiLint(NamedTuple):
    """What all checks found."""

    pages: int
    findings: tuple[WikiFinding, ...]

    @property
    def exit_code(self) -> int:
        """2 where something blocks."""
        return 2 if any(each.gravity == "blocking" for each in self.findings) else 0


class _Wiki(NamedTuple):
    root: Path
    pages: list[WikiPage]
    texts: dict[str, str]
    today: date


def lint_wiki(root: Path, today: date) -> WikiLint:
    """Run every check."""
    pages = all_pages(root)
    texts = {
        page.path: read_own(root / WIKI / page.path).decode("utf-8", "replace") for page in pages
    }
    wiki = _Wiki(root, pages, texts, today)
    found = [finding for check in CHECKS.values() for finding in check(wiki)]
    return WikiLint(len(pages), tuple(found))


def _line(wiki: _Wiki, page: WikiPage, what: str) -> int:
    """The line of a key or heading; 1 where it is missing."""
    for number, line in enumerate(wiki.texts[page.path].split("\n"), 1):
        if line.startswith(what):
            return number
    return 1


def _front_matter(wiki: _Wiki) -> Iterator[WikiFinding]:
    for page in wiki.pages:
        if page.problem:
            told = re.match(r"line (\d+): ", page.problem)
            line = int(told[1]) if told else 1
            yield WikiFinding("front-matter", "blocking", page.path, line, page.problem)
            continue
        for name in REQUIRED:
            if name not in page.facts or page.facts[name] is None:
                yield WikiFinding("front-matter", "blocking", page.path, 1, f"{name} is missing")
        yield from _values(wiki, page)


def _values(wiki: _Wiki, page: WikiPage) -> Iterator[WikiFinding]:
    rules: dict[str, Callable[[str], bool]] = {
        "type": lambda value: value == page.category,
        "confidence": CONFIDENCES.__contains__,
        "sensitivity": SENSITIVITIES.__contains__,
        "created_at": is_date,
        "updated_at": is_date,
        "expires_at": is_date,
        "as_of": is_date,
        "kind": ("durable", "state").__contains__,
    }
    for name, fits in rules.items():
        value = page.fact(name)
        if value and not fits(value):
            detail = f"{name}: {value!r} is not valid here"
            yield WikiFinding(
                "front-matter", "blocking", page.path, _line(wiki, page, f"{name}:"), detail
            )


def _sources(wiki: _Wiki) -> Iterator[WikiFinding]:
    for page in wiki.pages:
        for ref in page.several("source_refs"):
            why = _source_problem(wiki.root, ref)
            if why:
                line = _line(wiki, page, "source_refs:")
                yield WikiFinding("sources", "blocking", page.path, line, f"{ref}: {why}", (ref,))


def _source_problem(root: Path, ref: str) -> str:
    if "/" in ref or ref in ("", ".", "..") or linked_part(root, RAW / ref):
        return "is no name of a capture"
    folder = root / RAW / ref
    if not folder.is_dir():
        return f"there is no capture {RAW.as_posix()}/{ref}"
    try:
        meta = json.loads(read_own(folder / "metadata.json", 1 << 20))
        name, checksum = str(meta["original_file"]), meta.get("checksum_sha256")
    except (ValueError, KeyError, TypeError):
        return "its metadata.json cannot be read"
    if "/" in name or not (folder / name).is_file():
        return f"its {name} is missing"
    import hashlib

    if checksum and hashlib.sha256(read_own(folder / name)).hexdigest() != checksum:
        return f"its {name} was changed: the checksum is another"
    return ""


def _expired(wiki: _Wiki) -> Iterator[WikiFinding]:
    for page in wiki.pages:
        if is_expired(page, wiki.today) and page.fact("status") not in ("superseded", "retired"):
            key = "expires_at:" if page.fact("expires_at") else "as_of:"
            told = page.fact("expires_at") or f"state as of {page.fact('as_of')}"
            line = _line(wiki, page, key)
            yield WikiFinding("expiry", "important", page.path, line, f"expired: {told}")


def _contradictions(wiki: _Wiki) -> Iterator[WikiFinding]:
    standing = [page for page in wiki.pages if page.fact("status") not in ("superseded", "retired")]
    by_slug = defaultdict(list)
    for page in standing:
        by_slug[page.slug].append(page)
    for pages in by_slug.values():
        for each in conflicts(pages) if len(pages) > 1 else ():
            yield _contradiction(wiki, each)
    same = [pages[0] for pages in by_slug.values()][:_MOST_COMPARED]
    titles = defaultdict(list)
    for page in same:
        for word in set(re.findall(r"\w{4,}", page.title.lower())):
            titles[word].append(page)
    seen = set()
    for pages in titles.values():
        if not 1 < len(pages) <= 20:
            continue
        for each in conflicts(pages):
            if (each.newer, each.older) not in seen:
                seen.add((each.newer, each.older))
                yield _contradiction(wiki, each)
    yield from _open_chains(wiki)


def _contradiction(wiki: _Wiki, found: PageConflict) -> WikiFinding:
    before = wiki.texts[found.newer].partition(found.said)[0] if found.said else ""
    line = before.count("\n") + 1
    return WikiFinding("contradictions", "important", found.newer, line, found.why, (found.older,))


def _open_chains(wiki: _Wiki) -> Iterator[WikiFinding]:
    known = defaultdict(list)
    for page in wiki.pages:
        known[page.slug].append(page)
    for page in wiki.pages:
        for name in page.several("supersedes"):
            slug = name.rpartition("/")[2].removesuffix(".md")
            line = _line(wiki, page, "supersedes:")
            if slug not in known:
                detail = f"supersedes {name}, and there is no such page"
                yield WikiFinding("contradictions", "blocking", page.path, line, detail)
            elif any(
                old.fact("status") not in ("superseded", "retired")
                for old in known[slug]
                if old.path != page.path
            ):
                detail = f"supersedes {name}, which still stands"
                paths = tuple(old.path for old in known[slug])
                yield WikiFinding("contradictions", "important", page.path, line, detail, paths)


def _orphans(wiki: _Wiki) -> Iterator[WikiFinding]:
    index = read_own(wiki.root / INDEX_FILE).decode("utf-8", "replace")
    referenced = {
        name.rpartition("/")[2].removesuffix(".md")
        for page in wiki.pages
        for name in re.findall(r"\]\(([^)\s]+\.md)\)|\[\[([^\]\n]+)\]\]", wiki.texts[page.path])
        for name in name
        if name
    }
    for page in wiki.pages:
        if f"({page.path})" not in index and page.slug not in referenced:
            detail = "neither in index.md nor referenced by a page; guild wiki lint --fix lists it"
            yield WikiFinding("orphans", "important", page.path, 1, detail)


def _missing_concepts(wiki: _Wiki) -> Iterator[WikiFinding]:
    slugs = {page.slug for page in wiki.pages} | {page.title.casefold() for page in wiki.pages}
    counts: Counter[str] = Counter()
    first: dict[str, WikiPage] = {}
    for page in wiki.pages:
        for name in {each.strip().casefold() for each in _MENTION.findall(wiki.texts[page.path])}:
            counts[name] += 1
            first.setdefault(name, page)
    for name, count in sorted(counts.items()):
        if count >= 3 and name not in slugs and name.replace(" ", "-") not in slugs:
            detail = f"[[{name}]] is named in {count} pages and has none"
            yield WikiFinding("concepts", "nit", first[name].path, 1, detail)


def _decision_shape(wiki: _Wiki) -> Iterator[WikiFinding]:
    register = Register(wiki.root)
    for path in sorted(register.decided()):
        known = register.provenance(path, page_hash(wiki.texts.get(path, "").encode()))
        if known.trust != "reviewed":
            detail = "it is not as it was decided: edited, or deleted, since"
            yield WikiFinding("decisions", "important", path, 1, detail)
    for page in wiki.pages:
        if page.category != "decision" or page.problem:
            continue
        for name in ("date", "asker", "category"):
            if not page.fact(name):
                yield WikiFinding("decisions", "blocking", page.path, 1, f"{name} is missing")
        for heading in _DECISION_HEADINGS:
            if not re.search(rf"(?m)^## {heading}\s*$", page.body):
                detail = f"the heading '## {heading}' is missing"
                yield WikiFinding("decisions", "blocking", page.path, 1, detail)


def _hygiene(wiki: _Wiki) -> Iterator[WikiFinding]:
    folder = wiki.root / WIKI
    for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
        name = entry.name
        if entry.is_symlink():
            yield WikiFinding("hygiene", "nit", name, 1, "is a link, which is not followed")
        elif entry.is_dir() and name not in KINDS and not name.startswith("."):
            yield WikiFinding("hygiene", "nit", name, 1, "is none of the seven categories")
        elif entry.is_file() and not (
            name in ("index.md", "log.md") or name.startswith((".", "lint-"))
        ):
            yield WikiFinding("hygiene", "nit", name, 1, "lies outside of the categories")
        elif name in KINDS:
            for inner in sorted(entry.rglob("*")):
                if inner.is_symlink():
                    path = inner.relative_to(folder).as_posix()
                    yield WikiFinding("hygiene", "nit", path, 1, "is a link, which is not followed")


CHECKS: dict[str, Callable[[_Wiki], Iterator[WikiFinding]]] = {
    "front-matter": _front_matter,
    "sources": _sources,
    "expiry": _expired,
    "contradictions": _contradictions,
    "orphans": _orphans,
    "concepts": _missing_concepts,
    "decisions": _decision_shape,
    "hygiene": _hygiene,
}


def lint_report(lint: WikiLint, when: str) -> str:
    """The report as Markdown: every check has its section."""
    counts = Counter(each.gravity for each in lint.findings)
    head = ", ".join(f"{name}: {counts[name]}" for name in ("blocking", "important", "nit"))
    lines = [f"# Wiki lint {when}", "", f"pages: {lint.pages}, {head}", ""]
    for check in CHECKS:
        lines += [f"## {check}", ""]
        mine = [each for each in lint.findings if each.check == check]
        lines += [
            f"- {each.path}:{each.line} {each.gravity}: {each.detail}"
            + (f" ({', '.join(each.references)})" if each.references else "")
            for each in mine
        ] or ["No findings."]
        lines.append("")
    return "\n".join(lines)
