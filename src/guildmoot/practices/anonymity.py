"""Peers without names: each viewer sees the others under titles and in an order of its own.

The titles of one viewer mean nothing to another, so they are turned back into names before anything that
was said reaches a report. A council's peers have letters, a whiteboard's numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_uppercase

from guildmoot.consensus.debate import peer_order

SHORTEST_NAME = 4
"""Names shorter than this are hidden on a whiteboard only in backticks: "a" is mostly a word."""


class Anonymity:
    """The peers of one viewer: the title of each, and from a title back to the name."""

    def __init__(
        self,
        role: str,
        titles: Mapping[str, str],
        marks: Mapping[str, str],
        mention: str,
        *,
        quoted: bool,
    ) -> None:
        """``marks`` are the letters or numbers by name; ``mention`` finds them in a text.

        With ``quoted`` names are written in backticks, so that short ones can be told from words.
        """
        self._role = role
        self.titles = titles
        self.order = tuple(titles)
        self.marks = marks
        self._names = {mark: name for name, mark in marks.items()}
        self._mention = re.compile(mention, re.IGNORECASE)
        self._quoted = quoted

    @classmethod
    def lettered(cls, role: str, seed: str, viewer: str, peers: Iterable[str]) -> Anonymity:
        """Peers as ``Judge A`` for the role ``Judge``, in an order drawn from the seed."""
        order = peer_order(seed, viewer, peers)
        marks = dict(zip(order, ascii_uppercase, strict=False))
        titles = {name: f"{role} {letter}" for name, letter in marks.items()}
        return cls(role, titles, marks, rf"\b{role}[ _-]?(?P<marks>[A-Z])(?!\w)", quoted=False)

    @classmethod
    def numbered(
        cls, role: str, order: Sequence[str], given: Mapping[str, str] | None = None
    ) -> Anonymity:
        """Peers as ``colleague 1`` for the role ``colleague``, but those with a title ``given``."""
        marks = {name: str(number) for number, name in enumerate(order, 1)}
        titles = {name: f"{role} {number}" for name, number in marks.items()} | dict(given or {})
        numbers = r"(?P<marks>\d+(?:(?:,|,?\sand|,?\sor)\s\d+)*)"
        return cls(role, titles, marks, rf"\b{role}s?\s{numbers}\b", quoted=True)

    def who(self, said: str) -> str:
        """The peer that is meant by ``Judge B`` or ``B``; empty when it is nobody."""
        alone = rf"(?:{self._role})?[\s_-]*(?P<marks>[A-Z])"
        match = re.fullmatch(alone, said.strip(" \t\n*_`'\".:"), re.IGNORECASE)
        found = match or self._mention.search(said)
        return self._names.get(found["marks"].upper(), "") if found else ""

    def named(self, text: str) -> str:
        """The text with every title of this viewer turned back into a name."""
        return self._mention.sub(self._renamed, text)

    def hide(self, text: str, also: Mapping[str, str] | None = None) -> str:
        """The text with titles in place of names; ``also`` are further names and their titles."""
        titles = {**self.titles, **(also or {})}
        names = sorted(titles, key=len, reverse=True)
        bare = [re.escape(n) for n in names if not self._quoted or len(n) >= SHORTEST_NAME]
        found = [f"`{re.escape(name)}`" for name in names if self._quoted]
        found += [rf"(?<![\w-])(?:{'|'.join(bare)})(?![\w-])"] if bare else []
        if not found:
            return text
        return re.sub("|".join(found), lambda match: _title(match[0], titles), text)

    def _renamed(self, found: re.Match[str]) -> str:
        known = {mark: f"`{name}`" if self._quoted else name for mark, name in self._names.items()}
        marks = re.findall(r"\w+", found["marks"].upper())
        if any(mark not in known for mark in marks if mark not in ("AND", "OR")):
            return found[0]
        return re.sub(r"\w+", lambda mark: known.get(mark[0].upper(), mark[0]), found["marks"])


def _title(name: str, titles: Mapping[str, str]) -> str:
    return titles[name] if name in titles else titles[name[1:-1]]
