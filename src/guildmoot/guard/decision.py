"""What the guard says of one tool call. Plain classes: this is imported on every call of a coding agent."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which costs more than this file to import
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    Action = Literal["allow", "snapshot", "ask", "deny"]
    Then = Literal["allow", "ask"]

_ORDER = {"allow": 0, "snapshot": 1, "ask": 3, "deny": 4}


class Decision:
    """One answer: what may happen, why, and what to do instead.

    ``snapshot`` means: uncommitted work of ``folders`` may be lost. Take a snapshot of it, then go on as
    ``then`` says; where there is nothing to lose, go on. Without a snapshot it must not proceed.
    """

    __slots__ = ("action", "code", "folders", "instead", "named", "part", "paths", "reason", "then")

    def __init__(
        self,
        action: Action = "allow",
        code: str = "",
        reason: str = "",
        instead: str = "",
        part: str = "",
        *,
        folders: tuple[str, ...] = (),
        then: Then = "allow",
    ) -> None:
        self.action = action
        self.code = code
        """A short, stable name of the rule; empty where nothing was found."""
        self.reason = reason
        self.instead = instead
        """An allowed way to the same end."""
        self.part = part
        """The part of the command that the rule is about."""
        self.folders = folders
        """Working trees of which a snapshot is needed."""
        self.paths: tuple[str, ...] = ()
        """What the command names in them: kept even where git ignores it."""
        self.named = True
        """Nothing is lost but what ``paths`` name."""
        self.then = then

    @property
    def weight(self) -> int:
        """How grave it is, to compare with others."""
        return _ORDER[self.action] + (self.action == "snapshot" and self.then == "ask")

    @property
    def sentence(self) -> str:
        """Reason and way out in one line, for a person or a model."""
        what = f"{self.reason}: {self.part}" if self.part else self.reason
        return f"{what}. {self.instead}".strip() if self.instead else what

    def plain(self) -> dict[str, object]:
        """As JSON tells it."""
        return {
            "action": self.action,
            "then": self.then if self.action == "snapshot" else None,
            "code": self.code or None,
            "reason": self.reason or None,
            "instead": self.instead or None,
            "part": self.part or None,
            "folders": list(self.folders),
        }

    def __repr__(self) -> str:
        then = f" then {self.then}" if self.action == "snapshot" else ""
        return f"<{self.action}{then} {self.code}: {self.part}>"


def worst(decisions: Iterable[Decision]) -> Decision:
    """The gravest of them, with every folder that needs a snapshot; nothing at all is allowed."""
    found = Decision()
    folders: dict[str, None] = {}
    paths: dict[str, None] = {}
    told: dict[str, Decision] = {}
    named = True
    for one in decisions:
        named = named and one.named and bool(one.paths or not one.folders)
        folders.update(dict.fromkeys(one.folders))
        paths.update(dict.fromkeys(one.paths))
        if one.weight > found.weight:
            found = one
            told = {}
        if one.weight == found.weight and one.action == "snapshot":
            told.setdefault(one.part, one)
    others = [one for one in told.values() if one is not found and one.part][:3]
    part = "; ".join((found.part, *(f"{one.reason}: {one.part}" for one in others)))
    if tuple(folders) != found.folders or part != found.part:
        found = Decision(
            *(found.action, found.code, found.reason, found.instead, part),
            folders=tuple(folders),
            then=found.then,
        )
    found.paths = tuple(paths)
    found.named = named
    return found


class GuardPolicy:
    """What a user may set. The defaults need no setting."""

    __slots__ = ("after_snapshot", "strict")

    def __init__(self, after_snapshot: Then = "ask", *, strict: bool = False) -> None:
        self.after_snapshot = after_snapshot
        """What follows the snapshot of a command that discards a whole tree."""
        self.strict = strict
        """What would be asked is denied, for runs where nobody can answer."""
