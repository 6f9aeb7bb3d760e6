"""Where the memory lies, and how its files are read and written: below ``.guild/`` of the main checkout.

A path never leaves the wiki, nothing is read or written through a link, and every writer holds one lock.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.guard.scrub import write_durable
from guildmoot.memory.wiki.pages import KINDS, WikiPage, read_page
from guildmoot.system.files import Locked, folder_inside, keep_out_of_git, linked_part, read_own

GUILD = Path(".guild")
WIKI = GUILD / "wiki"
RAW = GUILD / "raw" / "sources"
INDEX = GUILD / "index.sqlite"
MOST_PAGE = 64 * 1024 * 1024
"""Bytes of a page that is read; a larger one is told and left out."""
_HEAD = 2 * 1024 * 1024
"""Bytes of a page that are read to show a part of it."""


class PageFile(NamedTuple):
    """A page's file, before it is read."""

    path: str
    """Below the wiki."""
    changed: int
    """When it was changed, in nanoseconds, as the system tells it: nobody can set that back."""
    size: int


def memory_root(cwd: Path) -> Path:
    """The folder whose ``.guild`` holds the memory: the main checkout's, also in a work tree of it."""
    from guildmoot.system.git import project_root

    root = project_root(cwd.absolute())
    link = root / ".git"
    if link.is_file():
        told = link.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
        folder = Path(root, told)
        main = folder.parent.parent
        if folder.parent.name == "worktrees" and main.name == ".git" and main.is_dir():
            return main.parent
    return root


def list_pages(root: Path) -> Iterator[PageFile]:
    """Every page, in no order; links and what is no regular file are passed over."""
    for folder in KINDS:
        if not linked_part(root, WIKI / folder):
            yield from _pages_in(os.path.join(root, WIKI, folder), folder)


def _pages_in(folder: str, name: str) -> Iterator[PageFile]:
    try:
        entries = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    with entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _pages_in(entry.path, f"{name}/{entry.name}")
            elif entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                try:
                    known = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # taken away since
                    continue
                yield PageFile(f"{name}/{entry.name}", known.st_ctime_ns, known.st_size)


def page_file(root: Path, path: str) -> Path:
    """The file of a page; UsageError when the path leaves the wiki or leads through a link."""
    inner = path.removeprefix("./").removeprefix(".guild/wiki/")
    parts = inner.split("/")
    outside = os.path.isabs(inner) or ".." in parts or "\\" in inner or "\0" in inner
    if outside or parts[0] not in KINDS or len(parts) < 2:
        raise UsageError(
            f"{path!r} is no page of the wiki", "'guild wiki list' names them: concepts/cache.md"
        )
    inner = inner if inner.endswith(".md") else f"{inner}.md"
    if linked_part(root, WIKI / inner):
        raise UsageError(f"{path!r} is, or lies behind, a link, and links are not followed")
    return root / WIKI / inner


def find_page(root: Path, name: str) -> str:
    """The path of a page by its path or by its name alone; UsageError when it is none or several."""
    if "/" in name.strip("/"):
        file = page_file(root, name)
        if not file.is_file():
            raise UsageError(f"there is no page {name!r}", "'guild wiki list' names them.")
        return file.relative_to(root / WIKI).as_posix()
    slug = name.removesuffix(".md")
    found = sorted(
        page.path for page in list_pages(root) if page.path.rpartition("/")[2] == f"{slug}.md"
    )
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{name!r} is the name of several pages", f"Say which: {', '.join(found)}")
    from guildmoot.errors import did_you_mean

    slugs = [page.path.rpartition("/")[2].removesuffix(".md") for page in list_pages(root)]
    hint = did_you_mean(slug, slugs, "'guild wiki list' names them.")
    raise UsageError(f"there is no page {name!r}", hint)


def read_bytes(root: Path, path: str) -> bytes:
    """A page's bytes; nothing when it is gone, too large or no regular file."""
    return read_own(root / WIKI / path, MOST_PAGE)


def load_page(root: Path, path: str, *, head: bool = False) -> WikiPage:
    """A page, read; one that is not UTF-8 or too large says so. ``head``: no more than its beginning is wanted."""
    file = root / WIKI / path
    data = read_own(file, MOST_PAGE, first=_HEAD) if head else read_own(file, MOST_PAGE)
    if len(data) == _HEAD:  # cut, perhaps within a letter
        data = data.decode("utf-8", "ignore").encode()
    if not data and file.is_file() and file.stat().st_size:
        return WikiPage(path, {}, "", f"it is larger than {MOST_PAGE >> 20} MB")
    try:
        return read_page(path, data.decode("utf-8"))
    except UnicodeDecodeError as wrong:
        return WikiPage(path, {}, "", f"it is not UTF-8: {wrong.reason} at byte {wrong.start}")


def all_pages(root: Path) -> list[WikiPage]:
    """Every page, read, by path."""
    return [load_page(root, page.path) for page in sorted(list_pages(root))]


def wiki_lock(root: Path) -> Locked:
    """Held by whoever writes; the system frees it when a writer dies."""
    folder = folder_inside(root, WIKI)
    keep_out_of_git(root / GUILD)
    return Locked(folder / ".lock")


def write_text(root: Path, inner: Path, text: str) -> None:
    """Write a file below ``.guild`` whole, its secrets masked; nothing when that cannot be done."""
    folder_inside(root, inner.parent)
    write_durable(root / inner, text)


def same_name(one: str, other: str) -> bool:
    """Whether some file system takes two names for one: case and composed letters do not count."""
    return _spelling(one) == _spelling(other)


def _spelling(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
