"""The full list of what a phase changes, made before anything is changed: ``inventory.md``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from guildmoot.errors import UsageError

_ITEM = re.compile(r"- \[([ x!?-])\] (.+?) \(tier: (\d+|unassigned)\)(?: — (.*))?\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What ends a line, or tells a terminal what to do."""
OPEN, DONE, QUARANTINED, FLAGGED, UNCHANGED = " ", "x", "!", "?", "-"


class InventoryItem(NamedTuple):
    """One file or thing in scope."""

    path: str
    tier: int
    mark: str = OPEN
    note: str = ""
    """Why it has its tier, or why it is in quarantine."""


class Inventory(NamedTuple):
    """What a phase changes."""

    phase: int
    name: str
    pattern: str
    items: tuple[InventoryItem, ...]
    generated: str = ""
    hits: int = 0
    """How often the pattern was found in all of them."""

    def of_tier(self, tier: int) -> list[InventoryItem]:
        """The items of a tier that still wait."""
        return [item for item in self.items if item.tier == tier and item.mark == OPEN]

    def marked(self, paths: Iterable[str], mark: str, note: str = "") -> Inventory:
        """The same with some items ticked or put into quarantine."""
        chosen = set(paths)
        items = tuple(
            item._replace(mark=mark, note=note or item.note) if item.path in chosen else item
            for item in self.items
        )
        return self._replace(items=items)


def check_names(items: Iterable[InventoryItem]) -> None:
    """UsageError for a path that would be another one when the list is read again."""
    for item in items:
        row = _ITEM.match(f"- [ ] {item.path} (tier: 1) — x")
        if not row or row.group(2) != item.path or _CONTROL.search(item.path):
            raise UsageError(
                f"the name {item.path!r} cannot stand in the inventory",
                "Rename the file, or choose a --pattern that leaves it out.",
            )


def write_inventory(inventory: Inventory) -> str:
    """As Markdown, in the seeds' form."""
    stamp = inventory.generated or f"{datetime.now(UTC):%Y-%m-%d %H:%M}"
    lines = [
        f"# Scope inventory — Phase {inventory.phase} {inventory.name}", "",
        f"**Generated**: {stamp}", f"**Total items**: {len(inventory.items)}",
        f"**Pattern**: {inventory.pattern}",
        *([f"**Hits**: {inventory.hits}"] if inventory.hits else []),
        f"**Tiers**: {_tier_counts(inventory)}", "", "## Items", "",
    ]  # fmt: skip
    for item in inventory.items:
        note = f" — {' '.join(item.note.split())}" if item.note else ""
        lines.append(f"- [{item.mark}] {item.path} (tier: {item.tier}){note}")
    return "\n".join((*lines, ""))


def _tier_counts(inventory: Inventory) -> str:
    counts = Counter(item.tier for item in inventory.items)
    return ", ".join(f"{tier}: {count}" for tier, count in sorted(counts.items()))


def read_inventory(text: str) -> Inventory:
    """What a person may have edited since: tiers, order, ticks; UsageError for a line that is no item."""
    head = re.search(r"^# Scope inventory — Phase (\d+) (.*)$", text, re.MULTILINE)
    if not head:
        raise UsageError("the inventory has no heading '# Scope inventory — Phase N NAME'")
    found = {
        name: re.search(rf"^\*\*{name}\*\*: (.*)$", text, re.MULTILINE)
        for name in ("Generated", "Pattern", "Hits")
    }
    body = text.partition("## Items")[2]
    items = []
    for line in filter(str.strip, body.splitlines()):
        row = _ITEM.match(line.rstrip())
        if not row or row.group(3) == "unassigned":
            raise UsageError(
                f"the inventory's line {line.strip()!r} is no item with a tier",
                "Write '- [ ] path/to/file (tier: 2)'.",
            )
        items.append(
            InventoryItem(row.group(2), int(row.group(3)), row.group(1), row.group(4) or "")
        )
    values = {name: each.group(1).strip() if each else "" for name, each in found.items()}
    return Inventory(
        int(head.group(1)),
        head.group(2).strip(),
        values["Pattern"],
        tuple(items),
        values["Generated"],
        int(values["Hits"]) if values["Hits"].isdecimal() else 0,
    )


def vanished(inventory: Inventory, there: Sequence[str]) -> list[str]:
    """Items that are still to be done and are no longer there."""
    known = set(there)
    waiting = (item.path for item in inventory.items if item.mark in (OPEN, FLAGGED))
    return [path for path in waiting if path not in known]
