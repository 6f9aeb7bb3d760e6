"""Which folder a project's name means. A name can never lead out of the projects folder."""

from __future__ import annotations

import os
import re
import time

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])"
_FULL = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}-{_WORD}\Z")
_SUFFIX = re.compile(rf"{_WORD}\Z")
MANIFEST, PLAN = "manifest.toml", "PLAN.md"


def projects_root() -> str:
    """Where projects live: ``LOOM_PROJECTS_ROOT``, else ``projects`` below the current folder.

    Where there is none, the one of a folder above in the same work tree of git.
    """
    named = os.environ.get("LOOM_PROJECTS_ROOT")
    if named:
        return os.path.abspath(named)
    here = at = os.getcwd()
    while not os.path.isdir(os.path.join(at, "projects")):
        above = os.path.dirname(at)
        if above == at or os.path.lexists(os.path.join(at, ".git")):
            return os.path.join(here, "projects")
        at = above
    inside = at == here or _in_work_tree(at)
    return os.path.join(at if inside else here, "projects")


def _in_work_tree(folder: str) -> bool:
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def find_project(name: str, marker: str = MANIFEST) -> str:
    """The folder of the project that is meant; ``marker`` is the file that makes it one."""
    if name.startswith(("/", ".")):
        return _by_path(name)
    root = projects_root()
    for folder in (root, os.path.join(root, "archive")):
        if _FULL.match(name):
            if os.path.isfile(os.path.join(folder, name, marker)):
                return _inside(root, os.path.join(folder, name))
        elif _SUFFIX.match(name):
            found = [each for each in list_slugs(folder, marker) if each.endswith(f"-{name}")]
            if len(found) > 1:
                raise RecordError(
                    "slug-ambiguous", f"'{name}' could be {' or '.join(found)}; name one", found
                )
            if found:
                return _inside(root, os.path.join(folder, found[0]))
    known = list_slugs(root, marker)
    near = _near(name, known)
    hint = f"did you mean {near[0]}?" if near else "'loom project list' shows those there are"
    raise RecordError("project-not-found", f"there is no project {name!r} in {root}; {hint}", near)


def list_slugs(folder: str, marker: str = MANIFEST) -> list[str]:
    """The projects in a folder, by name."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [
        name
        for name in names
        if _FULL.match(name) and os.path.isfile(os.path.join(folder, name, marker))
    ]


def project_here() -> str:
    """The project whose folder holds the current one."""
    root, here = os.path.realpath(projects_root()), os.path.realpath(os.getcwd())
    for base in (os.path.join(root, "archive"), root):
        inner = os.path.relpath(here, base).split(os.sep)[0]
        folder = os.path.join(base, inner)
        if inner not in (".", "..", "archive") and os.path.isfile(os.path.join(folder, MANIFEST)):
            return folder
    raise RecordError(
        "not-in-project", "this folder belongs to no project; name one, or go into it"
    )


def new_slug(name: str) -> str:
    """The full slug for a new project of that name: today's date is put before it if it has none."""
    if _FULL.match(name):
        return name
    if _SUFFIX.match(name) and not re.match(r"\d{4}-\d{2}-\d{2}(-|\Z)", name):
        return f"{today()}-{name}"
    raise RecordError(
        "invalid-slug", f"{name!r} is no slug: lower-case letters, digits and hyphens, two at least"
    )


def slug_of_topic(topic: str) -> str:
    """A full slug made of a few words; a full slug stays, and the end of one that is there means it."""
    if _FULL.match(topic):
        return topic
    root = projects_root()
    found = {
        each
        for marker in (MANIFEST, PLAN)
        for each in list_slugs(root, marker)
        if _SUFFIX.match(topic) and each[11:] == topic
    }
    if len(found) == 1:
        return found.pop()
    return f"{today()}-{kebab(topic, 'invalid-topic')}"


def kebab(words: str, code: str) -> str:
    """Words as a file's name: lower case, joined by hyphens; RecordError when little is left."""
    plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if len(plain) < 2:
        raise RecordError(code, f"{words!r} has too few letters or digits to make a name of")
    return plain


def today() -> str:
    """Today's date in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def stamp() -> str:
    """Now, in UTC, to the millisecond."""
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"


def text_hash(text: str) -> str:
    """What a text is known by."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def numbered_files(folder: str) -> list[str]:
    try:
        return sorted(
            name
            for name in os.listdir(folder)
            if name[:4].isdecimal() and name[4:5] == "-" and name.endswith(".md")
        )
    except OSError:
        return []


def _by_path(name: str) -> str:
    folder = os.path.abspath(name)
    if not os.path.isdir(folder):
        raise RecordError("project-not-found", f"there is no folder {name}")
    return folder


def _inside(root: str, folder: str) -> str:
    """A folder that is a link out of the projects folder is none of its projects."""
    real = os.path.realpath(folder)
    if os.path.commonpath((real, os.path.realpath(root))) != os.path.realpath(root):
        raise RecordError("project-not-found", f"{folder} is a link that leads out of {root}")
    return folder


def _near(name: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches

    by_end = {each[11:]: each for each in known}
    return [by_end[end] for end in get_close_matches(name.split("-", 3)[-1], by_end, n=3)]
