"""Reads Markdown tables of reasons; columns are known by their headings."""

from __future__ import annotations

from guildmoot.reading.items import Item, read_field

_RULE = set("-: ")
_COUNTERS = ("#", "no", "no.", "nr", "n")


def read_table(rows: list[str]) -> list[Item]:
    """One item for each row of the body."""
    cells = [_cells(row) for row in rows]
    rules = [number for number, row in enumerate(cells) if set("".join(row)) <= _RULE]
    headings = cells[rules[0] - 1] if rules and rules[0] else []
    body = cells[rules[0] + 1 :] if rules else cells
    return [item for row in body if (item := _item(headings, row)).text]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _item(headings: list[str], row: list[str]) -> Item:
    words: list[str] = []
    fields: dict[str, str] = {}
    for number, cell in enumerate(row):
        heading = headings[number].strip("*_` ").lower() if number < len(headings) else ""
        if not cell or heading in _COUNTERS or (not heading and cell.isdigit()):
            continue
        field = read_field(f"{heading}: {cell}")[0]
        if field and field != "text":
            fields.setdefault(field, cell)
        else:
            words.append(cell)
    item = Item(": ".join(words))
    item.fields.update(fields)
    return item
