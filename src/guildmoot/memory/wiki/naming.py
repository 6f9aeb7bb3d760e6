"""What a source is called: its title, and a name for its page that no page of another source has."""

from __future__ import annotations

import hashlib
from pathlib import Path

from guildmoot.memory.wiki.capture import WikiSource
from guildmoot.memory.wiki.pages import make_slug, name_of, plain_title, read_page
from guildmoot.memory.wiki.places import WIKI, load_page
from guildmoot.text.clean import one_line

_LONGEST = 60


def title_of(text: str, source: WikiSource) -> str:
    """The title that its front matter tells, else its first heading, its first words, or the file's name."""
    page = read_page("sources/x.md", text)
    told = plain_title(page.fact("title")) or page.title
    if told != "x":
        return one_line(told)[:120]
    lines = (plain_title(line).strip("- ") for line in page.body[:20_000].split("\n"))
    return one_line(next(filter(None, lines), ""))[:80] or Path(source.name).stem


def free_slug(root: Path, folder: str, title: str, source: WikiSource) -> str:
    """The title's words; where the page of another source has that name, with the folder's, else with a mark."""
    slug = name_of(title, source.name)
    above = make_slug(Path(source.origin).parent.name)
    mark = hashlib.sha256(source.origin.encode("utf-8", "replace")).hexdigest()[:8]
    names = [slug, *([f"{above[:20]}-{slug}"[:_LONGEST].strip("-")] if above else [])]
    for name in names:
        if _is_free(root, f"{folder}/{name}.md", source):
            return name
    return f"{slug[: _LONGEST - 9]}-{mark}"


def _is_free(root: Path, path: str, source: WikiSource) -> bool:
    """Whether no page has the name, or one that was made of this very file."""
    if not (root / WIKI / path).exists():
        return True
    origin = f"\n- original: {one_line(source.origin)[:300]}"
    return load_page(root, path).body.rstrip("\n").endswith(origin)
