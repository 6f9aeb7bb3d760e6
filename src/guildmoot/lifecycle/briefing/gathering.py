"""Makes the bundles of a run: gathers pages, hand-overs and files for each lane, and writes them."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UndecidedError, UsageError
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.briefing.bundles import (
    BundlePage,
    BundleRequest,
    ContextBundle,
    assemble,
)
from guildmoot.lifecycle.briefing.reach import (
    files_about,
    files_tested,
    named_files,
    names_order,
)
from guildmoot.lifecycle.documents import SourceDocument, read_markdown
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane, Plan
from guildmoot.lifecycle.planning import one_line
from guildmoot.lifecycle.project.initiatives import initiative_of
from guildmoot.lifecycle.skill import SHIPPED
from guildmoot.lifecycle.spec import (
    ASSUMPTIONS,
    CONSTRAINTS,
    GOAL,
    NON_GOALS,
    NOTES,
    RISKS,
    assumed_unknowns,
    read_spec,
)
from guildmoot.lifecycle.team.roles import group_of
from guildmoot.lifecycle.team.roster import roster
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.work_runs import begin_run, note_assumed
from guildmoot.memory.codebase.codebase import map_codebase
from guildmoot.memory.recall.recall import Recall
from guildmoot.memory.wiki.places import WIKI, load_page, read_bytes
from guildmoot.memory.wiki.provenance import Register, page_hash
from guildmoot.system.files import folder_inside, read_own, read_text_inside

_UNIVERSAL = ("context/project-overview.md", "context/goals.md")
_STANDARDS = {
    "engineering": ("coding-standards",),
    "content": ("writing-voice", "branding"),
    "commercial": ("branding", "pricing-policy"),
}
_MORE_STANDARDS = {"seo": ("seo-rules",), "social-media": ("seo-rules",)}
_CATEGORIES = ("decision", "concept", "product", "source")
_ENTITIES, _REFS, _NEARBY = 4, 5, 20
_MOST, _MOST_NOTES = 1_000_000, 3_000
_BY_RULE = WorkTerms()


def _places(lane: Lane) -> str:
    """The words of a lane that say where it works."""
    free = (line.text.partition(":")[2] for line in lane.policy if line.text.startswith("may act"))
    return " ".join((lane.scope, *free))


class LaneBundle(NamedTuple):
    """The bundle of one lane, where it was written."""

    lane: Lane
    path: Path
    bundle: ContextBundle


class RunContext(NamedTuple):
    """All bundles of one run."""

    run: str
    lanes: tuple[LaneBundle, ...]
    warnings: tuple[str, ...]


def make_context(
    folder: WorkFolder,
    slug: str,
    plan: Plan,
    approved: str,
    terms: WorkTerms = _BY_RULE,
    now: datetime | None = None,
) -> RunContext:
    """Write a bundle for every lane; the run of this very content is gone on with.

    ``approved`` is the hash of what a person said yes to: the plan, or the spec of one-lane work.
    """
    spec_text, problem = read_text_inside(folder.spec(slug), folder.root, _MOST)
    if problem:
        raise UsageError(f"the spec of {slug} cannot be read: {problem}")
    spec = read_markdown(spec_text)
    run = begin_run(folder, slug, approved, now)
    note_assumed(folder, run, assumed_unknowns(spec))
    gathered = _Gathered(folder, run, slug, spec, terms)
    made = []
    try:
        requests = [gathered.request(lane, slug, plan) for lane in plan.lanes]
        bundles = [assemble(each) for each in requests]  # all of them, before one is written
    finally:
        gathered.close()
    for lane, bundle in zip(plan.lanes, bundles, strict=True):
        path = folder.context(run) / f"{lane.owner}-{lane.task}.md"
        folder_inside(folder.root, path.parent.relative_to(folder.root))
        write_durable(path, bundle.text)
        made.append(LaneBundle(lane, path, bundle))
    warnings = tuple(gathered.warnings)
    if warnings:
        write_durable(
            folder.run(run) / "context-warnings.md", "".join(f"- {each}\n" for each in warnings)
        )
    return RunContext(run, tuple(made), warnings)


def lane_bundle(
    folder: WorkFolder, slug: str, plan: Plan, run: str, lane: Lane, terms: WorkTerms = _BY_RULE
) -> LaneBundle:
    """Write the bundle of one lane anew, with what the lanes before it handed over since."""
    spec_text, problem = read_text_inside(folder.spec(slug), folder.root, _MOST)
    if problem:
        raise UsageError(f"the spec of {slug} cannot be read: {problem}")
    gathered = _Gathered(folder, run, slug, read_markdown(spec_text), terms)
    try:
        bundle = assemble(gathered.request(lane, slug, plan))
    finally:
        gathered.close()
    path = folder.context(run) / f"{lane.owner}-{lane.task}.md"
    folder_inside(folder.root, path.parent.relative_to(folder.root))
    write_durable(path, bundle.text)
    return LaneBundle(lane, path, bundle)


def _asked_for(slug: str, spec: SourceDocument, lane: Lane) -> BundlePage:
    """What the approved spec says to every lane beside what stands in the lane itself."""
    read = read_spec(spec)
    told = one_line(read.goal) in one_line(lane.text)
    rows = [read.title, *([] if told else [f"{GOAL}:", read.goal])]
    for name in (NON_GOALS, CONSTRAINTS, RISKS, ASSUMPTIONS, NOTES):
        section = spec.section(name)
        if section and not section.is_empty and not section.says_none:
            rows += [f"{name}:", section.text[:_MOST_NOTES]]
    text = "\n".join(rows)
    return BundlePage(
        f".guild/spec/{slug}.md", text, "reviewed", hashlib.sha256(text.encode()).hexdigest()
    )


class _Gathered:
    """Pages, hand-overs and files for the lanes of one run."""

    def __init__(
        self, folder: WorkFolder, run: str, slug: str, spec: SourceDocument, terms: WorkTerms
    ) -> None:
        self._folder, self._run, self._terms = folder, run, terms
        self._goal, self._spec = one_line(read_spec(spec).goal), spec
        self._register = Register(folder.root)
        self._recall = Recall(folder.root)
        self._codebase = map_codebase(folder.root)
        limits = spec.section(CONSTRAINTS)
        self._limits = limits.text if limits else ""
        self._roster, _ = roster(folder.root)
        self.warnings: list[str] = []
        principles = read_markdown(
            (SHIPPED / "core/principles/SKILL.md").read_text(encoding="utf-8")
        )
        steps = principles.section("Steps")
        rules = steps.text if steps else ""
        self._universal = (
            BundlePage("principles", rules, "operator", hashlib.sha256(rules.encode()).hexdigest()),
            *(page for path in _UNIVERSAL if (page := self._page(path))),
        )

    def close(self) -> None:
        self._recall.close()

    def request(self, lane: Lane, slug: str, plan: Plan) -> BundleRequest:
        """All that goes into the bundle of one lane."""
        return BundleRequest(
            run=self._run,
            lane=lane,
            spec=f".guild/spec/{slug}.md",
            plan=f".guild/plan/{slug}.md" if plan.team else f".guild/spec/{slug}.md",
            universal=self._universal,
            role=(
                *self._definition(lane.owner),
                *self._standards(lane.owner),
                *self._pages((self._goal,), ("entity",), _ENTITIES),
            ),
            refs=(_asked_for(slug, self._spec, lane), *self._refs(lane)),
            upstream=tuple(self._upstream(lane)),
            nearby=self._nearby(lane),
            initiative=goal.paragraph if (goal := initiative_of(self._folder, slug)) else "",
        )

    def _page(self, path: str) -> BundlePage | None:
        data = read_bytes(self._folder.root, path)
        if not data:
            return None
        digest = page_hash(data)
        page = load_page(self._folder.root, path)
        trust = self._register.provenance(path, digest).trust
        return BundlePage(os.path.join(WIKI, path), page.body, trust, digest)

    def _definition(self, owner: str) -> list[BundlePage]:
        """How the specialist works: a shipped one as it is, one of the project as text of the project."""
        who = next((each for each in self._roster if each.name == owner), None)
        if who is None or not who.body:
            return []
        digest = hashlib.sha256(who.body.encode()).hexdigest()
        trust = "untrusted" if who.definition else "operator"
        return [BundlePage(who.definition or f"specialists/{owner}", who.body, trust, digest)]

    def _standards(self, owner: str) -> list[BundlePage]:
        names = (*_STANDARDS[group_of(owner)], *_MORE_STANDARDS.get(owner, ()))
        found = []
        for name in names:
            page = self._page(f"standards/{name}.md")
            if page:
                found.append(page)
            else:
                self._warn(f"there is no standards/{name}.md in the wiki, which {owner} would get")
        return found

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def _pages(
        self, questions: tuple[str, ...], categories: tuple[str, ...], most: int
    ) -> list[BundlePage]:
        """The pages that answer any of the questions best."""
        if not self._terms.recall_first:
            return []
        hits = [
            hit
            for question in dict.fromkeys(questions)
            for name in categories
            for hit in self._recall.ask(question, most, name)
        ]
        best = sorted(
            (hit for hit in hits if hit.score >= self._terms.recall_score),
            key=lambda hit: (-hit.score, hit.path),
        )
        paths = list(dict.fromkeys(hit.path for hit in best))[:most]
        return [page for path in paths if (page := self._page(path))]

    def _refs(self, lane: Lane) -> tuple[BundlePage, ...]:
        """Pages that the lane names, then those that answer its scope or the goal of the whole."""
        words = {
            word.strip("`'\"(),.")
            for word in lane.text.split()
            if word.count("/") and ".md" in word
        }
        named = [page for word in sorted(words) if (page := self._named(word))]
        found = self._pages((lane.scope, self._goal), _CATEGORIES, _REFS)
        unique = {page.path: page for page in (*named, *found)}
        return tuple(unique.values())[:_REFS]

    def _named(self, word: str) -> BundlePage | None:
        inner = word.removeprefix(".guild/wiki/")
        parts = inner.split("/")
        safe = len(parts) == 2 and ".." not in parts and not inner.startswith("/")
        return self._page(inner) if safe else None

    def _upstream(self, lane: Lane) -> list[tuple[str, str]]:
        handoffs = self._folder.run(self._run) / "handoffs"
        given = []
        for task in lane.depends_on:
            for path in sorted(handoffs.glob(f"*-{task}.md")) if handoffs.is_dir() else ():
                text, problem = read_text_inside(path, self._folder.root, _MOST)
                if not problem:
                    given.append((task, text))
        return given

    def _nearby(self, lane: Lane) -> tuple[str, ...]:
        """Files whose tests must pass, then those that the lane names, else the spec, else those that fit the goal."""
        files = self._codebase.files
        named = named_files(_places(lane), files) or named_files(self._limits, files)
        about = files_about(self._goal, self._codebase, 4 * _NEARBY)
        close = [path for path in about if path in named] if named else about
        tested = files_tested(" ".join(lane.criteria), self._codebase)
        found = list(dict.fromkeys((*tested, *close, *named)))[: 4 * _NEARBY]
        plain = [path for path in found if not names_order(path)]
        if len(plain) < len(found):
            self._warn("names of files that give orders to a model were left out")
        return tuple(plain[:_NEARBY])


def why_in_bundle(folder: WorkFolder, run: str, lane: str, path: str) -> str:
    """Whether a page is in a lane's bundle, and why or why not."""
    text = bundle_text(folder, run, lane)
    document = read_markdown(text)
    for key, said in (
        ("quarantined", "it was withheld, because it gives orders to a model"),
        ("dropped_for_budget", "it was dropped or shortened to keep within the tokens"),
        ("sources", "it is in the bundle"),
    ):
        rows = document.data.get(key)
        named = [str(row) for row in rows if path in str(row)] if isinstance(rows, list) else []
        if named:
            return f"{said}: {named[0]}"
    if not any((folder.root / place / path).is_file() for place in ("", WIKI)):
        return f"it is not in the bundle: there is no file {path} here"
    return "it is not in the bundle: neither the lane nor the goal led to it with a score of work.recall_score"


def bundle_text(folder: WorkFolder, run: str, lane: str) -> str:
    """The bundle of a lane, by task or by owner and task."""
    if run == "last":
        run = read_own(folder.guild / "runs" / "current-run-id", 1_000).decode().strip() or run
    if "/" in run or ".." in run:
        raise UsageError(f"{run!r} is no run")
    place = folder.context(run)
    found = sorted(
        path for path in place.glob("*.md") if path.stem == lane or path.stem.endswith(f"-{lane}")
    )
    if not found:
        raise UndecidedError(
            f"there is no bundle of {lane} in {run}", "guild work context makes them."
        )
    text, problem = read_text_inside(found[0], folder.root, _MOST)
    if problem:
        raise UsageError(f"{found[0].name} cannot be read: {problem}")
    return text
