"""``guild lint``: finds out what a file is, reads what stands beside it, and asks the rule of its kind."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.files import read_agent
from guildmoot.agents.frontmatter import parse
from guildmoot.errors import TargetError
from guildmoot.lifecycle.documents import (
    FrontMatterError,
    Problem,
    SourceDocument,
    read_markdown,
    read_yaml,
)
from guildmoot.lifecycle.plan import check_plan, read_plan
from guildmoot.lifecycle.proof.asked import criteria_of
from guildmoot.lifecycle.receipt import check_receipt
from guildmoot.lifecycle.results import (
    check_assumptions,
    check_bundle,
    check_reflection,
    check_review,
    check_verify,
)
from guildmoot.lifecycle.skill import check_skill
from guildmoot.lifecycle.spec import check_spec, read_spec
from guildmoot.lifecycle.team.roles import ROLES
from guildmoot.lifecycle.team.roster import scope_problem
from guildmoot.lifecycle.team.teams import Team, check_team, read_team
from guildmoot.system.files import read_text_inside
from guildmoot.system.git import Git, GitError, find_root

KINDS = (
    *("spec", "team", "plan", "bundle", "receipt", "review", "verify", "reflection", "skill"),
    *("agent", "assumptions"),
)
MOST_BYTES = 1_000_000
_PLACES = (
    (re.compile(r"(?:^|/)agents/(?:.*/)?[^/]+\.md$"), "agent"),
    (re.compile(r"(?:^|/)SKILL\.md$"), "skill"),
    (re.compile(r"(?:^|/)\.guild/spec/[^/]+\.md$"), "spec"),
    (re.compile(r"(?:^|/)team/[^/]+\.ya?ml$"), "team"),
    (re.compile(r"(?:^|/)\.guild/plan/[^/]+\.md$"), "plan"),
    (re.compile(r"(?:^|/)\.guild/context/.+\.md$"), "bundle"),
    (re.compile(r"(?:^|/)handoffs/.+\.md$"), "receipt"),
    (re.compile(r"(?:^|/)runs/[^/]+/review\.md$"), "review"),
    (re.compile(r"(?:^|/)runs/[^/]+/verify\.md$"), "verify"),
    (re.compile(r"(?:^|/)runs/[^/]+/assumptions\.md$"), "assumptions"),
    (re.compile(r"(?:^|/)reflections/.+\.md$"), "reflection"),
)
_SIGNS = (
    ("review", ("overall_verdict",)),
    ("reflection", ("proposals", "significance")),
    ("bundle", ("sources", "token_estimate")),
    ("team", ("specialists",)),
    ("receipt", ("specialist", "task_id", "completed_at")),
    ("receipt", ("ids", "specialist")),
)


class LintedFile(NamedTuple):
    """One file and what is wrong with it."""

    file: str
    kind: str
    """Empty when nobody can tell what it is."""
    problems: tuple[Problem, ...]


def lint(paths: Sequence[str], cwd: Path) -> list[LintedFile]:
    """Look at each file; one that is not there has that problem alone."""
    return [_lint_file(path, cwd) for path in paths]


def _lint_file(name: str, cwd: Path) -> LintedFile:
    path = cwd / name
    if not path.is_file():
        why = f"there is no file {name}: name files, e.g. .guild/plan/*.md"
        return LintedFile(name, "", (Problem(1, "missing-file", why),))
    text, problem = read_text_inside(path, None, MOST_BYTES)
    if "\0" in text:
        problem = "it holds a NUL byte: take it away"
    if problem:
        return LintedFile(name, "", (Problem(1, "unreadable", problem),))
    place = path.absolute().as_posix()
    kind = next((kind for pattern, kind in _PLACES if pattern.search(place)), "")
    if kind == "agent":
        return LintedFile(name, kind, tuple(_agent(text, path)))
    if kind == "assumptions":
        return LintedFile(name, kind, tuple(check_assumptions(text)))
    try:
        is_yaml = path.suffix in (".yaml", ".yml")
        headless = kind == "receipt"  # its envelope is what counts
        document = read_yaml(text) if is_yaml else read_markdown(text, headless=headless)
    except FrontMatterError as wrong:
        return LintedFile(name, kind, (Problem(wrong.line, "unreadable", wrong.reason),))
    kind = kind or _kind(document)
    return LintedFile(name, kind, tuple(sorted(_problems(kind, document, path))))


def _kind(document: SourceDocument) -> str:
    said = document.data.get("type")
    if isinstance(said, str) and said in KINDS:
        return said
    if any(fence.tag.startswith("guild.handoff") for fence in document.fences):
        return "receipt"
    return next(
        (kind for kind, keys in _SIGNS if all(key in document.data for key in keys)),
        "skill" if {"name", "description"} <= document.data.keys() else "",
    )


def _problems(kind: str, document: SourceDocument, path: Path) -> list[Problem]:
    around = _Around(path)
    if kind == "spec":
        return check_spec(document, around.roles())
    if kind == "team":
        named = read_team(document).spec
        own = not named or around.is_own("spec", named)
        return check_team(document, around.roles(), around.asks(named if own else ""), own=own)
    if kind == "plan":
        plan = read_plan(document)
        team, asks = around.team(plan.team), around.asks(plan.spec)
        files = {"spec": plan.spec, "team": plan.team}
        foreign = [key for key, name in files.items() if name and not around.is_own(key, name)]
        return check_plan(document, around.roles(), team, asks, foreign)
    if kind == "receipt":
        return check_receipt(document, *around.changed(), around.criteria)
    if kind == "skill":
        return check_skill(document, path.absolute().parent.name, _cases(path.parent))
    for name, rule in (
        ("bundle", check_bundle),
        ("review", check_review),
        ("verify", check_verify),
        ("reflection", check_reflection),
    ):
        if kind == name:
            return rule(document)
    wanted = ", ".join(KINDS)
    return [Problem(1, "unknown-kind", f"what is this? 'type: ...' must be one of: {wanted}")]


def _agent(text: str, path: Path) -> list[Problem]:
    _, problems = read_agent(text, path, "project")
    found = [Problem(each.line, "agent", each.reason) for each in problems]
    try:
        matter = parse(text)
    except FrontMatterError:
        return found
    problem = scope_problem(matter.data.get("capability_scope"))
    line = matter.lines.get(("capability_scope",), 1)
    scope, name, model = (matter.data.get(key) for key in ("capability_scope", "name", "model"))
    if isinstance(scope, str):
        problem = problem or "capability_scope must be a list of rules: [Read, 'Bash(make *)']"
    for rule in scope if isinstance(scope, list) else ():
        if isinstance(rule, str) and ".." in rule.partition("(")[2].rstrip(")").split("/"):
            problem = problem or f"{rule} leads out of the project: take '..' away"
    found += [Problem(line, "bad-scope", problem)] if problem else []
    if isinstance(name, str) and name != path.stem:
        why = f"name is {name}, its file {path.name}: one name"
        found.append(Problem(matter.lines.get(("name",), 1), "wrong-name", why))
    if model is not None and not (isinstance(model, str) and any(map(str.isalpha, model))):
        why = "model must name a tier (cheap, mid, powerful) or a model"
        found.append(Problem(matter.lines.get(("model",), 1), "bad-value", why))
    return found


def _cases(folder: Path) -> Mapping[str, Sequence[str]] | None:
    file = folder / "evals.json"
    if not file.is_file():
        return None
    text, problem = read_text_inside(file, folder, MOST_BYTES)
    try:
        found = json.loads(text) if not problem else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return {}
    return {
        key: [each for each in rows if isinstance(each, str)]
        for key, rows in found.items()
        if isinstance(rows, list)
    }


class _Around:
    """What stands beside a document: the project's folder, its team, its spec, its work tree."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        parts = self._path.parts
        at = max((i for i, part in enumerate(parts) if part == ".guild"), default=0)
        self._guild = Path(*parts[: at + 1]) if at else None
        self.root = self._guild.parent if self._guild else self._path.parent

    def roles(self) -> frozenset[str]:
        """The shipped specialists and the project's own; those that are only proposed do not count."""
        own = (self._guild or self.root / ".guild") / "agents"
        names = (file.stem for file in own.glob("*.md")) if own.is_dir() else ()
        return frozenset((*ROLES, *names))

    def team(self, named: str) -> Team | None:
        """The team file that a plan names, or the one of its slug."""
        document = self._read(named, "team", ".yaml", ".yml")
        return read_team(document) if document else None

    def asks(self, named: str) -> str | None:
        """What the spec that is named, or the one of the same slug, wants."""
        document = self._read(named, "spec", ".md")
        return read_spec(document).asks if document else None

    def criteria(self) -> tuple[str, ...]:
        """What the work is held to whose run a receipt lies in."""
        inside = self._path.relative_to(self._guild).parts if self._guild else ()
        return criteria_of(self.root, inside[1]) if inside[:1] == ("runs",) else ()

    def is_own(self, kind: str, named: str) -> bool:
        """Whether a path is that of this slug, or of a file that is there inside the project."""
        own = f".guild/{kind}/{self._path.stem}."
        if named in (f"{own}md", f"{own}yaml", f"{own}yml"):
            return True
        place = (self.root / named).resolve()
        return place.is_relative_to(self.root.resolve()) and place.is_file()

    def _read(self, named: str, folder: str, *suffixes: str) -> SourceDocument | None:
        slug = self._path.stem
        places = [self.root / named] if named else []
        places += [self._path.parent.parent / folder / f"{slug}{end}" for end in suffixes]
        for place in places:
            if not place.is_file():
                continue
            text, problem = read_text_inside(place, self.root, MOST_BYTES)
            try:
                if not problem:
                    return read_markdown(text) if suffixes == (".md",) else read_yaml(text)
            except FrontMatterError:
                return None
        return None

    def _is_of_this_lane(self) -> bool:
        """Whether a lane asks of its own receipt: that lies with the run, the work where the lane is."""
        own = os.environ.get("GUILD_RECEIPT", "")
        return bool(own) and Path(own).absolute() == self._path

    def changed(self) -> tuple[dict[str, str | None] | None, frozenset[str] | None]:
        """Files of the work tree that differ from HEAD, with the hash of what is there; and those that HEAD has."""
        try:
            root = find_root(Path.cwd() if self._is_of_this_lane() else self._path.parent)
            git = Git(root)
            known = frozenset(git.names("diff", "--name-only", "--no-renames", "-z", "HEAD", "--"))
            new = {
                *git.names(
                    "diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", "HEAD", "--"
                ),
                *git.names("ls-files", "--others", "--exclude-standard", "-z"),
            }
        except (GitError, TargetError):
            return None, None
        return {name: _hash(root / name) for name in known | new}, known - new


def _hash(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
