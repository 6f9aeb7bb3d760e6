"""Changes of a manifest's text that leave all else as it stands: comments, order, unknown sections.

A change is made on the text, read back and compared with what was meant. Where the text is written in
a way that these edits do not know, tomlkit makes the change.
"""

from __future__ import annotations

import re

from guildmoot.projects.errors import RecordError
from guildmoot.projects.manifest import LISTS
from guildmoot.projects.toml import read, write_table, write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from guildmoot.projects.manifest import Record

_HEADING = re.compile(r"^\[", re.MULTILINE)
_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"')


class Addition:
    """One record more in a section."""

    def __init__(self, section: str, record: Record) -> None:
        self.section, self.record = section, record

    def on_values(self, values: Record) -> None:
        values.setdefault(self.section, []).append(self.record)

    def on_text(self, text: str) -> str:
        block = f"[[{self.section}]]\n" + write_table(self.record)
        text = _without_leaf(text, self.section)
        last = _last_block(text, self.section)
        if last is None:
            kept = text.rstrip("\n")
            return f"{kept}\n\n{block}" if kept else block
        end = _block_end(text, last)
        return text[:end] + "\n" + block + text[end:]

    def on_document(self, document: Record) -> None:
        import tomlkit

        rows = document.get(self.section)
        if not rows:
            document.pop(self.section, None)
            rows = document[self.section] = tomlkit.aot()
        if isinstance(rows, tomlkit.items.AoT):
            rows.append(tomlkit.item(self.record))
        else:
            row = tomlkit.inline_table()
            row.update(self.record)
            rows.append(row)


class FieldEdit:
    """Other values for some fields of one table; None takes a field away."""

    def __init__(self, section: str, index: int | None, fields: Record) -> None:
        self.section, self.index, self.fields = section, index, fields

    def on_values(self, values: Record) -> None:
        table = values[self.section] if self.index is None else values[self.section][self.index]
        for name, value in self.fields.items():
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value

    def on_text(self, text: str) -> str:
        heading = f"[{self.section}]" if self.index is None else f"[[{self.section}]]"
        starts = [
            found.start() for found in re.finditer(f"^{re.escape(heading)}", text, re.MULTILINE)
        ]
        start = starts[self.index or 0]
        end = _block_end(text, start)
        lines = text[start:end].split("\n")
        for name, value in self.fields.items():
            lines = _set_line(lines, name, value)
        return text[:start] + "\n".join(lines) + text[end:]

    def on_document(self, document: Record) -> None:
        self.on_values(document)


def apply(text: str, changes: Sequence[Addition | FieldEdit]) -> str:
    """The text after the changes; RecordError ``manifest-write-verify-failed`` when it would say more."""
    import copy

    before = read(text)
    meant = copy.deepcopy(before)
    for change in changes:
        change.on_values(meant)
    try:
        changed = _on_text(text, changes)
        if _same(read(changed), meant):
            return changed
    except (IndexError, RecordError):
        pass  # written in another way than these edits know
    changed = _by_library(text, changes)
    if not _same(read(changed), meant):
        raise RecordError(
            "manifest-write-verify-failed",
            "the change cannot be written so that it reads back the same; nothing was written",
        )
    return changed


def add_unread(text: str, change: Addition) -> str:
    """One record more in a long manifest that is known to be sound: only the record is read back."""
    block = write_table(change.record)
    if read(block) != change.record:
        raise RecordError(
            "manifest-write-verify-failed", f"the record does not read back: {block[:200]!r}"
        )
    return _on_text(text, [change])


def _on_text(text: str, changes: Sequence[Addition | FieldEdit]) -> str:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for change in changes:
        text = change.on_text(text)
    return _with_leaves(text if text.endswith("\n") else text + "\n")


def _with_leaves(text: str) -> str:
    """Lists that are empty stand at the top, as the seeds' tools write them."""
    first = _HEADING.search(text)
    head = text[: first.start()] if first else text
    leaves = "".join(
        f"{section} = []\n"
        for section in LISTS
        if not re.search(rf"^{section}[ \t]*=", head, re.MULTILINE)
        and f"\n[[{section}]]" not in text
        and not text.startswith(f"[[{section}]]")
    )
    return f"{leaves}\n{text}" if leaves and not head.strip() else leaves + text


def _by_library(text: str, changes: Sequence[Addition | FieldEdit]) -> str:
    import tomlkit

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    for change in changes:
        change.on_document(document)
    return tomlkit.dumps(document)


def _same(one: Record, other: Record) -> bool:
    """Equal but for lists that are empty in one and absent in the other."""
    keys = one.keys() | other.keys()
    return all((one.get(key) or []) == (other.get(key) or []) for key in keys)


def _without_leaf(text: str, section: str) -> str:
    """An empty list at the top, ``events = []``, makes room for ``[[events]]``."""
    first = _HEADING.search(text)
    end = first.start() if first else len(text)
    head = re.sub(
        rf"^{section}[ \t]*=[ \t]*\[[ \t]*\][ \t]*(?:#.*)?\n", "", text[:end], flags=re.MULTILINE
    )
    return head.lstrip("\n") + text[end:]


def _last_block(text: str, section: str) -> int | None:
    at = text.rfind(f"\n[[{section}]]")
    if at >= 0:
        return at + 1
    return 0 if text.startswith(f"[[{section}]]") else None


def _block_end(text: str, start: int) -> int:
    """Behind the last line of a table that is no comment: what follows belongs to the next one."""
    following = _HEADING.search(text, start + 1)
    end = following.start() if following else len(text)
    lines = text[start:end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        end -= len(lines.pop())
    return end


def _set_line(lines: list[str], name: str, value: object) -> list[str]:
    known = re.compile(rf"[ \t]*{re.escape(name)}[ \t]*=")
    at = next((number for number, line in enumerate(lines) if known.match(line)), None)
    if at is None:
        if value is None:
            return lines
        last = len(lines) - (not lines[-1])
        return [*lines[:last], f"{name} = {write_value(value)}", *lines[last:]]
    if value is None:
        return lines[:at] + lines[at + 1 :]
    return [*lines[:at], f"{name} = {write_value(value)}{_comment(lines[at])}", *lines[at + 1 :]]


def _comment(line: str) -> str:
    blank = _STRINGS.sub(lambda found: "x" * len(found.group()), line)
    at = blank.find("#")
    return "" if at < 0 else "  " + line[at:]
