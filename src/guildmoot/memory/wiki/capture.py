"""A source kept as it is, with its checksum, and the text of the page that is made of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from guildmoot.memory.wiki.keeping import now
from guildmoot.memory.wiki.pages import read_page
from guildmoot.memory.wiki.places import RAW, write_text
from guildmoot.memory.wiki.summary import NOTE, key_points, summarise
from guildmoot.system.files import folder_inside, read_own, write_atomic
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import one_line

if TYPE_CHECKING:  # who asks no model loads none of it
    from guildmoot.memory.wiki.model_summary import ModelSummary

MOST_QUOTED = 400_000
"""Characters of a source that its page holds, and that are found; the capture has all of them."""


class WikiSource(NamedTuple):
    """What is to be put in."""

    data: bytes
    kind: Literal["file", "pasted", "url"]
    origin: str
    """Path or address as it was given."""
    name: str = "source.txt"


def capture_source(
    root: Path, slug: str, source: WikiSource, text: str, by: str
) -> tuple[str, str]:
    """Keep the source as it is, but for its secrets; a changed one gets a folder of its own."""
    data = text.encode()
    checksum = hashlib.sha256(data).hexdigest()
    name, at = slug, 2
    while (root / RAW / name).exists():
        meta = read_own(root / RAW / name / "metadata.json", 100_000)
        if checksum.encode() in meta:
            return name, checksum
        name, at = f"{slug}-{at}", at + 1
    folder = folder_inside(root, RAW / name)
    ending = Path(source.name).suffix[:10] or ".txt"
    write_atomic(folder / f"original{ending}", data, more=True)
    meta_row = {
        "slug": name, "source_type": source.kind, "url": source.origin if source.kind == "url" else None,
        "path": source.origin if source.kind == "file" else None, "original_file": f"original{ending}",
        "checksum_sha256": checksum, "captured_at": now(), "captured_by": by,
    }  # fmt: skip
    write_text(root, RAW / name / "metadata.json", dumps(meta_row) + "\n")
    return name, checksum


def page_body(
    title: str, text: str, source: WikiSource, raw: str, checksum: str, summary: ModelSummary | None
) -> str:
    """The text of a page: summary, key points, the source's own text, and where it comes from."""
    page = read_page("sources/x.md", text)
    body = page.body if not page.problem else text
    points = [point for point in key_points(body) if point != title]
    sentences, note = summarise(body), NOTE
    if summary and summary.sentences:
        sentences = list(summary.sentences)
        note = f"_Written by {summary.model}; nobody checked it against the source._"
    quoted = body[:MOST_QUOTED]
    lines = [f"# {title}", "", "## Summary", "", note, "", *(f"- {each}" for each in sentences)]
    if points:
        lines += ["", "## Key points", "", *(f"- {point} [{raw}]" for point in points)]
    cut = f" (the first {MOST_QUOTED:,} characters)" if len(body) > MOST_QUOTED else ""
    lines += ["", f"## Text{cut}", "", *_demoted(quoted), "", "## Source", ""]
    lines += [
        f"- capture: {RAW.as_posix()}/{raw}", f"- checksum: {checksum}",
        f"- captured: {now()}", f"- original: {one_line(source.origin)[:300]}",
    ]  # fmt: skip
    return "\n".join(lines)


def _demoted(text: str) -> list[str]:
    """Headings of the source two levels down, so that the page's own stay the page's."""
    fenced, lines = False, []
    for line in text.strip("\n").split("\n"):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        lines.append(f"##{line}" if line.startswith("#") and not fenced else line)
    return lines
