"""Whether the links of Markdown files lead to something; addresses of the web are not visited."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from guildmoot.model.packet import PacketFile
from guildmoot.practices.reviews.checks.model import Checked, Look, some

NAME = "links resolve"
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_SPAN = re.compile(r"(`+)[^`].*?\1|<!--.*?-->")
_INLINE = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)?))")
_DEFINED = re.compile(r"^ {0,3}\[[^\]^\n]+\]:\s*<?([^\s<>]+)>?")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|\{|\$", re.IGNORECASE)


def check_links(files: Sequence[PacketFile], look: Look) -> Checked:
    """Every link to a file of the repository must lead to one."""
    pages = [file for file in files if file.path.lower().endswith((".md", ".markdown", ".mdx"))]
    if not pages:
        return Checked(NAME, "skipped", "no Markdown")
    shown = {file.path for file in files}
    seen, dead = 0, []
    for page in pages:
        for line, link in links(page.text):
            target = resolve(page.path, link)
            if target is None:
                continue
            seen += 1
            if target not in shown and not look.exists(target):
                dead.append(f"{page.path}:{line} {link}")
    if not seen:
        return Checked(NAME, "skipped", "no link to a file of the repository")
    if not dead:
        return Checked(NAME, "ok", f"all {seen} lead to something")
    more = tuple(f"dead link at {each}" for each in dead)
    return Checked(NAME, "warn", f"{len(dead)} of {seen} lead nowhere: {some(dead)}", more)


def links(text: str) -> Iterator[tuple[int, str]]:
    """Each link with its line, outside of code."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            plain = _SPAN.sub("", line)
            yield from ((number, a or b) for a, b in _INLINE.findall(plain) if a or b)
            if defined := _DEFINED.match(plain):
                yield number, defined[1]


def resolve(page: str, link: str) -> str | None:
    """The path that a link names, from the root; None for what is not in the repository."""
    if _ELSEWHERE.match(link):
        return None
    bare = unquote(re.split(r"[#?]", link, maxsplit=1)[0])
    if not bare:
        return None
    start = "" if bare.startswith("/") else posixpath.dirname(page)
    path = posixpath.normpath(posixpath.join(start, bare.lstrip("/")))
    return None if path == ".." or path.startswith("../") else path
