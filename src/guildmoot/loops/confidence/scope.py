"""The inventory of one phase as the loop holds it: surveyed, read back, ticked, and looked after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.loops.confidence.inventory import (
    DONE,
    FLAGGED,
    OPEN,
    QUARANTINED,
    UNCHANGED,
    Inventory,
    InventoryItem,
    check_names,
    read_inventory,
    vanished,
    write_inventory,
)
from guildmoot.loops.confidence.survey import find_items, measure
from guildmoot.loops.confidence.tiers import HIGHEST, assign
from guildmoot.loops.values import Boundary, LoopStop, Quarantine
from guildmoot.loops.workshop import git, tip_of
from guildmoot.system.files import place_inside

if TYPE_CHECKING:
    from guildmoot.loops.confidence.history import PhaseHistory
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.values import LoopRequest
    from guildmoot.loops.workshop import Workshop


class PhaseScope:
    """What a phase changes, and how far it has come."""

    def __init__(self, request: LoopRequest, place: PhasePlace, shop: Workshop) -> None:
        self._request, self._place, self._shop = request, place, shop
        self._inventory: Inventory | None = None
        self.in_checkout: tuple[InventoryItem, ...] = ()
        """The items as they were marked when the branch moved last."""
        self.fresh: tuple[str, ...] = ()
        """Files that the pattern finds and that came after the inventory was made."""

    def take(self, history: PhaseHistory) -> None:
        """What is on record, as far as it is proven; else what the pattern finds, with a tier for each and why."""
        file = self._file()
        if file.is_file():
            self._inventory = read_inventory(file.read_text(encoding="utf-8"))
            self._check_pattern(self._inventory.pattern)
            if history.items:
                self._inventory = self._inventory._replace(items=history.items)
            self.fresh = self._look_again()[1]
        else:
            self._inventory = self._survey()
        self._route_odd_ones()
        self.landed()

    def _check_pattern(self, pattern: str) -> None:
        """UsageError when another pattern is asked for than the one that the inventory was made by."""
        if self._request.pattern not in ("", pattern):
            raise UsageError(
                f"the inventory of this phase was made by {pattern!r}, not by this --pattern",
                f"Leave --pattern away; or delete {self._place.inventory} on {self._place.branch} and commit that.",
            )

    def _route_odd_ones(self) -> None:
        """A link or another repository is no text to change: a person looks at it, whatever tier it was given."""
        odd = set(self._shop.odd_ones())
        note = "a link or a submodule: not followed, not changed"
        items = tuple(
            item._replace(tier=max(item.tier, HIGHEST), note=note) if item.path in odd else item
            for item in self.items
        )
        self._inventory = self.inventory._replace(items=items)

    def _file(self) -> Path:
        """Where it is in the clone; UsageError when the repository has a link there."""
        place_inside(
            self._request.root, self._place.inventory
        )  # the clone has no links that lead out
        return place_inside(self._shop.folder, self._place.inventory)

    def landed(self) -> None:
        """What is marked now is in the checkout."""
        self.in_checkout = self.items

    def done(self, mark: str = DONE) -> tuple[str, ...]:
        """What had a mark when the branch moved last; without one, what was changed and is proven."""
        return tuple(item.path for item in self.in_checkout if item.mark == mark)

    def still_matching(self) -> tuple[str, ...]:
        """Items that the loop is through with and that the pattern finds still; what came later is noted too."""
        still, self.fresh = self._look_again()
        return still

    def _look_again(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        through = {item.path for item in self.items if item.mark in (DONE, UNCHANGED)}
        known = {item.path for item in self.items}
        own = str(self._place.inner.parts[0])
        found = sorted(find_items(self._shop.folder, self.inventory.pattern, own, strict=False))
        still = tuple(path for path in found if path in through)
        return still, tuple(path for path in found if path not in known)

    def _survey(self) -> Inventory:
        if not self._request.pattern:
            raise UsageError(
                "the loop needs --pattern", "A glob, grep:REGEX, ast:PATTERN or cmd:COMMAND."
            )
        folder, pattern = self._shop.folder, self._request.pattern
        found = find_items(folder, pattern, str(self._place.inner.parts[0]))
        signals = measure(folder, found, self._request.root)
        items = []
        for path in sorted(found):
            assigned = assign(path, signals[path], self._request.rules)
            items.append(InventoryItem(path, assigned.tier, OPEN, assigned.why))
        check_names(items)
        hits = sum(found.values()) if ":" in pattern else 0
        return Inventory(self._place.number, self._place.name, pattern, tuple(items), hits=hits)

    @property
    def inventory(self) -> Inventory:
        if self._inventory is None:
            raise InfrastructureError("there is no inventory yet")
        return self._inventory

    @property
    def items(self) -> tuple[InventoryItem, ...]:
        return self._inventory.items if self._inventory else ()

    @property
    def tiers(self) -> list[int]:
        """Those that the loop carries out, in order."""
        return sorted({item.tier for item in self.items if item.tier < HIGHEST})

    def waiting(self, tier: int = 0) -> list[str]:
        """What is still to be done, of one tier or of all."""
        return [
            item.path
            for item in self.items
            if item.mark == OPEN and item.tier < HIGHEST and tier in (0, item.tier)
        ]

    def routed(self) -> tuple[str, ...]:
        """Items of tier 4 and up, which are left to a person."""
        return tuple(i.path for i in self.items if i.tier >= HIGHEST and i.mark == OPEN)

    def counts(self) -> Counter[int]:
        """Items that wait, by tier."""
        return Counter(item.tier for item in self.items if item.mark == OPEN)

    def mark(self, paths: Iterable[str], mark: str, note: str = "") -> None:
        self._inventory = self.inventory.marked(paths, mark, note)

    def leave_out(self, bad: Iterable[Quarantine], mark: str = QUARANTINED) -> None:
        for each in bad:
            self.mark([each.item], mark, each.reason)

    def reopen(self) -> None:
        """What the panel flagged is tried again; where nothing changed and nothing waits, all the rest too."""
        again = (FLAGGED,) if self.done() else (FLAGGED, UNCHANGED)
        marks = again if self.done() or self.waiting() else (*again, QUARANTINED)
        self.mark([item.path for item in self.items if item.mark in marks], OPEN)

    def check_there(self) -> None:
        """LoopStop when an item that waits is gone: something moved under the loop."""
        tracked = [name for name in git(self._shop.folder, "ls-files", "-z").split("\0") if name]
        gone = vanished(self.inventory, tracked)
        if gone:
            named = ", ".join(gone[:5])
            reason = f"{len(gone)} items of the inventory are no longer there: {named}"
            mend = f"look what moved, then mend or delete {self._place.inventory}"
            raise LoopStop("gated", reason, mend)

    def boundary(self, kind: str) -> Boundary:
        """How far it has come, for whoever holds the loop to terms."""
        failing = (QUARANTINED, FLAGGED)
        return Boundary(
            kind, frozenset(item.path for item in self.items if item.mark == DONE),
            frozenset(item.path for item in self.items if item.mark in failing),
        )  # fmt: skip

    def put(self) -> bool:
        """Write it into the clone; whether that changed anything."""
        file = self._file()
        text = write_inventory(self.inventory)
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return True


def check_free(root: Path, branch: str) -> None:
    """LoopStop when a branch of that name holds commits of somebody else's: they would go into the pull request."""
    tip = tip_of(root, branch)
    if tip and git(root, "merge-base", "HEAD", tip, fine=(0, 1)).strip() != tip:
        raise LoopStop(
            "aborted", f"there is a branch {branch} already, with commits that the loop did not make",
            "rename or delete it, or give the project another name",
        )  # fmt: skip
