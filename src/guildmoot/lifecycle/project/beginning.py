"""``guild work init``: what a project is, for whoever works on it. Writes only what is not there yet.

The overview is made from the codebase and is believed by nobody until a person promotes it; what a person says of the
goals is theirs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.config import PROJECT_FILES, SETTINGS
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.briefing.reach import names_order
from guildmoot.lifecycle.places import WorkFolder, slug_of
from guildmoot.memory.codebase.codebase import Codebase, map_codebase
from guildmoot.memory.wiki.keeping import put_page, today, vouch
from guildmoot.memory.wiki.pages import Fact, write_page
from guildmoot.memory.wiki.places import WIKI, wiki_lock
from guildmoot.runs.record import COMMITTED
from guildmoot.system.files import folder_inside, keep_out_of_git, write_atomic
from guildmoot.text.patterns import lazy

OVERVIEW, GOALS = "context/project-overview.md", "context/goals.md"
Shape = Literal["new or sparse", "one project", "several projects", "has guild records"]
_MANIFESTS = frozenset(
    (
        "pyproject.toml",
        "package.json",
        "go.mod",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "composer.json",
    )
)
_FEW = 5
_PLAIN_NAME = lazy(r"(?:[\w@+.-]{1,40}/){0,12}[\w@+.:-]{1,60}")


class ProjectBeginning(NamedTuple):
    """What was found and what was written."""

    shape: Shape
    written: tuple[str, ...]
    """Files, from the project's folder."""
    kept: tuple[str, ...]
    """Files that were there already."""
    missing: tuple[str, ...]
    """What a person should still say."""
    files: int


def begin_project(
    folder: WorkFolder, by: str, *, about: str = "", goals: str = ""
) -> ProjectBeginning:
    """Write the first pages of the wiki, the map, a file for settings and what init found."""
    codebase = map_codebase(folder.root)
    folder_inside(folder.root, folder.guild.relative_to(folder.root))
    keep_out_of_git(folder.guild, COMMITTED)
    written, kept = [".guild/indexes/codebase-map.json"], list[str]()
    pages = (
        (OVERVIEW, "What this project is", overview(about, codebase), bool(about)),
        (GOALS, "Goals", goals.strip(), True),
    )
    for path, title, body, said in pages:
        if (folder.root / WIKI / path).is_file():
            kept.append((WIKI / path).as_posix())
        elif body:
            _put(folder.root, path, title, body, by, vouched=said)
            written.append((WIKI / path).as_posix())
    settings = folder.root / PROJECT_FILES[0]
    if settings.exists():
        kept.append(PROJECT_FILES[0])
    else:
        write_atomic(settings, settings_scaffold().encode())
        written.append(PROJECT_FILES[0])
    found = ProjectBeginning(
        shape_of(folder, codebase),
        tuple(written),
        tuple(kept),
        tuple(
            said
            for path, said in (
                (OVERVIEW, "--about 'what this is'"),
                (GOALS, "--goals 'what it is for'"),
            )
            if not (folder.root / WIKI / path).is_file()
        ),
        len(codebase.files),
    )
    name = f"init/{slug_of(folder.root.name)}.md"
    place = folder.guild / name
    folder_inside(folder.root, place.parent.relative_to(folder.root))
    write_durable(place, _result(found))
    return found._replace(written=(*found.written, f".guild/{name}"))


def _put(root: Path, path: str, title: str, body: str, by: str, *, vouched: bool) -> None:
    facts: dict[str, Fact] = {
        "type": "context", "title": title, "owner": by if vouched else "guild",
        "confidence": "high" if vouched else "medium", "source_refs": [],
        "created_at": today(), "updated_at": today(), "expires_at": None, "supersedes": None,
        "sensitivity": "internal",
    }  # fmt: skip
    with wiki_lock(root):
        put_page(root, path, write_page(facts, f"# {title}\n\n{body.strip()}\n"), "ingested", by)
    if vouched:
        vouch(root, path, by)


def overview(about: str, codebase: Codebase) -> str:
    """A project in a few lines; empty where there is nothing to tell. Pure."""
    rows = [about.strip(), ""] if about.strip() else []
    rows += [
        f"- {name}: {files} files, {lines:,} lines" for name, files, lines in codebase.languages[:4]
    ]
    parts = [each for each in codebase.modules if is_plain_name(each[0])]
    rows += [f"- part `{name}/`: {files} files" for name, files, _ in parts[:6]]
    starts = [each for each in codebase.entry_points if is_plain_name(each)]
    rows += [f"- begins at `{each}`" for each in starts[:4]]
    return "\n".join(rows).strip()


def is_plain_name(path: str) -> bool:
    """Whether a name of the codebase can stand in a page that is believed: short words, and no order to a model."""
    return bool(_PLAIN_NAME.fullmatch(path)) and not names_order(path)


def shape_of(folder: WorkFolder, codebase: Codebase) -> Shape:
    """What kind of folder this is."""
    if (folder.guild / "spec").is_dir() or (folder.guild / "runs").is_dir():
        return "has guild records"
    manifests = {
        path.rpartition("/")[0] for path in codebase.files if path.rpartition("/")[2] in _MANIFESTS
    }
    code = sum(file.facts.kind == "code" for file in codebase.files.values())
    if code < _FEW:
        return "new or sparse"
    return "several projects" if len(manifests) > 2 and "" not in manifests else "one project"


def settings_scaffold() -> str:
    """A settings file in which nothing is set: every setting of work, with what it is for. Pure."""
    rows = [
        "# Settings of this project; 'guild config show --sources' tells what holds.",
        "",
        "# [work]",
    ]
    for key, setting in SETTINGS.items():
        section, _, name = key.partition(".")
        if section == "work":
            value = list(setting.default) if isinstance(setting.default, tuple) else setting.default
            rows.append(f"# {name} = {json.dumps(value)}  # {setting.help}")
    return "\n".join(rows) + "\n"


def _result(found: ProjectBeginning) -> str:
    rows = ["# What init found", "", f"- shape: {found.shape}", f"- files: {found.files}"]
    rows += [f"- written: {each}" for each in found.written]
    rows += [f"- there already: {each}" for each in found.kept]
    rows += [f"- still to say: guild work init {each}" for each in found.missing]
    return "\n".join(rows) + "\n"
