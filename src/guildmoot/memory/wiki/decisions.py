"""Decisions: what was asked, why it matters, what there was to choose from, and what a person answered.

Low significance is one line among the assumptions; medium and high are pages that are only ever added. A later decision
closes the one it supersedes. Only decisions that this user recorded are put before judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.injection import find_injections
from guildmoot.guard.scrub import operator_scrubber
from guildmoot.memory.wiki.catalogue import add_to_log
from guildmoot.memory.wiki.keeping import close_page, now, put_page, today
from guildmoot.memory.wiki.pages import Fact, WikiPage, check_slug, name_of, read_page, write_page
from guildmoot.memory.wiki.places import (
    GUILD,
    WIKI,
    find_page,
    list_pages,
    load_page,
    wiki_lock,
    write_text,
)
from guildmoot.memory.wiki.provenance import Register, page_hash
from guildmoot.system.files import read_own
from guildmoot.text.clean import one_line
from guildmoot.text.globs import matches

CATEGORIES = ("architecture", "copy", "pricing", "data-model", "voice", "other")
SIGNIFICANCES = ("low", "medium", "high")
_MOST_SHOWN = 12


class RecordedDecision(NamedTuple):
    """What was decided."""

    question: str
    answer: str
    why: str = ""
    """Why it matters."""
    options: tuple[str, ...] = ()
    significance: str = ""
    """``low``, ``medium`` or ``high``; medium when nobody said."""
    category: str = "other"
    consequences: str = ""
    task: str = ""
    paths: tuple[str, ...] = ()
    """Globs of the files that it concerns."""
    supersedes: str = ""
    slug: str = ""
    run: str = ""
    """The run whose assumptions a low one belongs to."""


class Decided(NamedTuple):
    """Where it was put."""

    answer: str
    """Verbatim."""
    slug: str
    path: str
    """Below ``.guild``."""
    significance: str
    assumptions: tuple[str, ...] = ()


def decide(root: Path, decision: RecordedDecision, by: str) -> Decided:
    """Record a decision; UsageError when something is missing."""
    _check(decision)
    assumed = () if decision.significance else ("significance: medium, because none was given",)
    significance = decision.significance or "medium"
    with wiki_lock(root):
        if significance == "low":
            path = _assume(root, decision, by)
            return Decided(decision.answer, "", path, significance)
        return _write(root, decision, by, significance, assumed)


def _check(decision: RecordedDecision) -> None:
    for name, value in (("question", decision.question), ("answer", decision.answer)):
        if not value.strip():
            raise UsageError(f"the {name} is empty", "guild decide QUESTION --answer TEXT")
    said = (
        decision.question,
        decision.answer,
        decision.why,
        decision.consequences,
        *decision.options,
    )
    for hit in find_injections("\n\n".join(said)):
        raise UsageError(
            f"it speaks to a model ({hit.kind}), and every judge would read it: {hit.text[:120]}",
            "Say what was decided about the work, in other words.",
        )
    if decision.category not in CATEGORIES:
        raise UsageError(f"--category {decision.category!r} is none of {', '.join(CATEGORIES)}")
    if decision.significance and decision.significance not in SIGNIFICANCES:
        raise UsageError(
            f"--significance {decision.significance!r} is none of {', '.join(SIGNIFICANCES)}"
        )


def _assume(root: Path, decision: RecordedDecision, by: str) -> str:
    """One line among the assumptions of a run, or of the project."""
    if decision.supersedes:
        raise UsageError("what supersedes a decision is not of low significance")
    inner = GUILD / "assumptions.md"
    if decision.run:
        if not (root / GUILD / "runs" / decision.run).is_dir() or "/" in decision.run:
            raise UsageError(f"there is no run {decision.run!r}", "'guild runs list' names them.")
        inner = GUILD / "runs" / decision.run / "assumptions.md"
    text = read_own(root / inner).decode("utf-8", "replace") or "# Assumptions\n"
    row = f"- [{now()}] {by}: {one_line(decision.question)} -> {one_line(decision.answer)}"
    write_text(
        root,
        inner,
        f"{text.rstrip()}\n\n{row}\n" if text.endswith("s\n") else f"{text.rstrip()}\n{row}\n",
    )
    return inner.relative_to(GUILD).as_posix()


def _write(
    root: Path, decision: RecordedDecision, by: str, significance: str, assumed: tuple[str, ...]
) -> Decided:
    question = operator_scrubber().text(decision.question, "question").text
    slug = check_slug(decision.slug or name_of(question, ""))
    path = f"decisions/{slug}.md"
    if (root / WIKI / path).exists():
        raise UsageError(
            f"{path} is decided already, and decisions are only added",
            f"--slug NAME --supersedes {slug} records the new one and closes the old one.",
        )
    old = find_page(root, decision.supersedes) if decision.supersedes else ""
    if old and not old.startswith("decisions/"):
        raise UsageError(f"{old} is no decision")
    if old and load_page(root, old).fact("status") == "superseded":
        by_whom = load_page(root, old).fact("superseded_by")
        raise UsageError(
            f"{old} is superseded by {by_whom} already",
            f"Supersede the last of the chain: {by_whom}.",
        )
    facts: dict[str, Fact] = {
        "type": "decision", "title": one_line(decision.question)[:120], "owner": by,
        "confidence": significance, "source_refs": [], "created_at": today(), "updated_at": today(),
        "expires_at": None, "supersedes": Path(old).stem if old else None, "sensitivity": "internal",
        "date": today(), "asker": by, "task": decision.task or None, "category": decision.category,
        "significance": significance,
    }  # fmt: skip
    paths = list(decision.paths)
    if old and not paths:
        paths = load_page(root, old).several("paths")
        assumed += (f"paths: {', '.join(paths)}, as {Path(old).stem} has them",) if paths else ()
    if paths:
        facts["paths"] = paths
    put_page(root, path, write_page(facts, _body(decision)), "decided", by)
    if old:
        close_page(root, old, "superseded", by, slug)
    add_to_log(root, today(), f"decided {slug}")
    return Decided(decision.answer, slug, f"wiki/{path}", significance, assumed)


def _body(decision: RecordedDecision) -> str:
    options = [f"- {one_line(option)}" for option in decision.options] or ["(none were named)"]
    return "\n".join(
        [
            f"# {one_line(decision.question)}", "", "## Context", "", _quoted(decision.why or "(not told)"), "",
            "## Options considered", "", *options, "", "## Decision", "", _quoted(decision.answer), "",
            "## Consequences", "", _quoted(decision.consequences or "(not told)"),
        ]
    )  # fmt: skip


def _quoted(text: str) -> str:
    """A person's words, whose headings cannot pass for the page's own."""
    return "\n".join(
        f"\\{line}" if line.startswith("#") else line for line in text.strip().split("\n")
    )


class StandingDecision(NamedTuple):
    """A decision that binds, as it was recorded."""

    page: WikiPage
    edited: bool = False
    """Its page says something else now, or is gone."""


def decisions_for(root: Path, paths: Sequence[str]) -> list[StandingDecision]:
    """The decisions of this user that stand and concern some files: by their globs, or because they name one.

    What a page was turned into since counts only where somebody vouched for it: a change cannot take a
    decision away by editing it.
    """
    register = Register(root)
    recorded = register.decided()
    found = []
    for path in sorted({*recorded, *(file.path for file in list_pages(root))}):
        if not path.startswith("decisions/") or ".." in path:
            continue
        data = read_own(root / WIKI / path)
        trusted = register.provenance(path, page_hash(data)).trust == "reviewed"
        if not trusted and path not in recorded:
            continue
        page = load_page(root, path) if trusted else read_page(path, recorded[path])
        if page.problem or page.fact("status") in ("superseded", "retired"):
            continue
        if _concerns(page, paths):
            found.append(StandingDecision(page, not trusted))
    return found[:_MOST_SHOWN]


def _concerns(page: WikiPage, paths: Sequence[str]) -> bool:
    globs = page.several("paths")
    return any(matches(path, globs) or path in page.body for path in paths)
