"""A short text of somebody about some place: what is compared, grouped and set against others."""

from __future__ import annotations

from guildmoot.named import NamedTuple


class Note(NamedTuple):
    """The fields stand in the order by which notes are sorted."""

    path: str = ""
    """The file, or whatever else it is about; empty when no place is named."""
    first: int = 0
    """First line, counted from 1; 0 when unknown."""
    last: int = 0
    title: str = ""
    detail: str = ""
    quote: str = ""
    code: str = ""
    """The rule of the program that wrote it."""
    source: str = ""
    """Who says so: two notes of one source rarely mean the same."""
    family: str = ""
    """Whose program or model the source is; empty when it is its own."""
    proven: bool = False
    """A program computed it."""

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line; (0, 0) when no line is named."""
        return self.first, max(self.first, self.last)
