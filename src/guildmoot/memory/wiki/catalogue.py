"""``index.md`` and ``log.md`` of the wiki, which code keeps: what pages there are, and what was done when."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from guildmoot.guard.scrub import operator_scrubber
from guildmoot.memory.wiki.pages import FOLDERS, WikiPage
from guildmoot.memory.wiki.places import WIKI, all_pages, write_text
from guildmoot.system.files import place_inside, read_own
from guildmoot.text.clean import one_line

INDEX_FILE = WIKI / "index.md"
LOG_FILE = WIKI / "log.md"


def index_text(pages: Iterable[WikiPage]) -> str:
    """The catalogue: a section for every category, a line for every page that stands."""
    lines = ["# Wiki", ""]
    known = list(pages)
    for kind, folder in FOLDERS.items():
        lines += [f"## {folder}", ""]
        mine = [page for page in known if page.category == kind]
        lines += [
            f"- [{_title(page)}]({page.path}){_closed(page)}"
            for page in sorted(mine, key=lambda page: page.path)
        ] or ["(none)"]
        lines.append("")
    return "\n".join(lines)


def _title(page: WikiPage) -> str:
    return one_line(page.title).replace("[", "(").replace("]", ")")[:120]


def _closed(page: WikiPage) -> str:
    status = page.fact("status")
    return f" ({status})" if status in ("superseded", "retired") else ""


def rebuild_index(root: Path) -> bool:
    """Write the catalogue anew where it is not what the pages say; whether it was."""
    text = index_text(all_pages(root))
    if read_own(root / INDEX_FILE).decode("utf-8", "replace") == text:
        return False
    write_text(root, INDEX_FILE, text)
    return True


def add_to_index(root: Path, page: WikiPage) -> None:
    """Put one page into the catalogue without reading the others; a catalogue that is not ours is made anew."""
    text = read_own(root / INDEX_FILE).decode("utf-8", "replace")
    section = f"## {FOLDERS[page.category]}\n\n"
    if section not in text:
        rebuild_index(root)
        return
    head, _, rest = text.partition(section)
    rows, _, tail = rest.partition("\n\n")
    line = f"- [{_title(page)}]({page.path}){_closed(page)}"
    kept = [row for row in rows.split("\n") if f"]({page.path})" not in row and row != "(none)"]
    kept = sorted([*filter(None, kept), line], key=lambda row: row.partition("](")[2])
    write_text(root, INDEX_FILE, head + section + "\n".join(kept) + "\n\n" + tail)


def log_lines(root: Path) -> list[str]:
    """The headings of the log, oldest first."""
    text = read_own(root / LOG_FILE).decode("utf-8", "replace")
    return [line[3:] for line in text.split("\n") if line.startswith("## ")]


def add_to_log(root: Path, day: str, what: str) -> None:
    """One more heading; the caller holds the lock. A line that a killed writer cut short is ended first."""
    file = place_inside(root, LOG_FILE)
    line = operator_scrubber().text(f"## [{day}] {one_line(what)}").text
    with file.open("ab") as stream:
        start = "# Log\n" if stream.tell() == 0 else ""
        stream.write(f"{start}\n{line}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())


def mend_log(root: Path) -> None:
    """Give a log that is missing or not ours its heading; what stands in it stays."""
    text = read_own(root / LOG_FILE).decode("utf-8", "replace")
    if not text.startswith("# Log\n"):
        write_text(root, LOG_FILE, f"# Log\n\n{text.lstrip()}".rstrip() + "\n")
