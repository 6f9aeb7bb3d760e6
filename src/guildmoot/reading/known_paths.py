"""The packet's own paths, searched for in what a judge wrote: ``a b/app.py``, ``src/app.py`` for ``app.py``.

A judge means a file however it writes the name: in other case, with a diff's ``b/`` before it, under an
absolute folder, with ``:12``, ``#L12``, ``(12)`` or "line 12 of" around it. The longest known tail counts. Whoever
wrote the file's name cannot make it one that no judge can cite: what is hidden in it is left out on both sides.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from urllib.parse import unquote

from guildmoot.model.verdict import Finding
from guildmoot.named import NamedTuple
from guildmoot.reading.places import MOST, find_anchor
from guildmoot.text.clean import UNSEEN
from guildmoot.text.patterns import lazy

_MOST_NAMED = 16
"""How often one name is looked at in a sentence."""
_HIDDEN = lazy(f"⟦U\\+[0-9A-Fa-f]{{4,6}}⟧|[{UNSEEN}\ufe0f]")
_TOKEN = lazy(r"[^\W⺀-\U0003ffff]+|[⺀-\U0003ffff]+")
_TO = r"(?:\s?(?:-|–|—|\.\.|to|through|and)\s?L?(\d{1,7}))?"
_AFTER = lazy(
    r"[`'\"”’*_\]]{0,4}(?:"
    r":{1,2}(?:\s?(?:lines?|ln)\s|L)?|#L?|@L?|[(\[](?:lines?\s|L)?|第"
    r"|,?\s?[-–—(\[@]?\s?(?:(?:at|on|in|near|around)\s)?(?:lines?\s|ln\.?\s?|L|第\s?)"
    rf")(\d{{1,7}}){_TO}",
    re.IGNORECASE,
)
_BEFORE = lazy(
    rf"(?:\b(?:lines?|ln\.?)\s?|\bL)(\d{{1,7}}){_TO}\s(?:of|in|from|at|inside)\s(?:the\s)?(?:file\s)?[`'\"*(]*\S*$",
    re.IGNORECASE,
)
_ABSENT = lazy(
    r"\b(?:missing|absent|lack(?:s|ing)?|no such|nowhere|never (?:added|created|committed)"
    r"|(?:not|n['’]t) (?:there|present|exist|included|found|committed|tracked|added|written)"
    r"|should (?:exist|be (?:added|there)))\b",
    re.IGNORECASE,
)
_BLANKS = lazy(r"[ \t\n]+")
_ESCAPE = lazy(r"\\(?=[_*\[\](){}#+.!~-])")
_ODD = lazy(r"[^\w./@+-]")
_NO_FOLDER = lazy(r"(?:^|[^\w./-])(?:\.{1,2}/|[ab]/)+$")


class KnownPlace(NamedTuple):
    """Where a text names a file of the packet."""

    paths: tuple[str, ...]
    """The files that it can mean; one, unless the name is too short to tell."""
    line: int
    end_line: int
    end: int
    """Where the place ends in the text that was searched."""


class _Known(NamedTuple):
    path: str
    folded: str


class KnownPaths:
    """The packet's paths, made ready to be looked for."""

    def __init__(self, files: Iterable[str]) -> None:
        self.files = frozenset(files)

    @cached_property
    def _tails(self) -> set[str]:
        return {path[at.end() :] for path in self.files for at in _ODD.finditer(path)}

    @cached_property
    def _names(self) -> dict[str, dict[str, list[_Known]]]:
        """By the longest word of a name; made when words are searched, for tools name files exactly."""
        found: dict[str, dict[str, list[_Known]]] = {}
        for path in sorted(self.files):
            for folded in _spellings(path):
                name = folded.rpartition("/")[2]
                core = max(_TOKEN.findall(name), key=len, default=name)
                found.setdefault(core, {}).setdefault(name, []).append(_Known(path, folded))
        return found

    def is_sure(self, path: str) -> bool:
        """A path of the packet, and not what is left of a longer one when it is cut at a blank."""
        return path in self.files and path not in self._tails

    def places(self, text: str) -> list[KnownPlace]:
        """Every place of the packet that the text names, in its order."""
        text = text[:MOST]
        ways = dict.fromkeys((text, unquote(text), _ESCAPE.sub("", text)))
        return next((found for way in ways if (found := self._search(tidy(way)))), [])

    def meant(self, path: str) -> tuple[str, ...]:
        """The files that a path can mean, which may have lost its beginning at a blank."""
        if not path or path in self.files:
            return (path,) if path else ()
        found = [place for place in self.places(path) if place.end == len(tidy(path))]
        cut = _fold(tidy(path))
        longer = {
            known.path
            for names in self._names.values()
            for name, all_known in names.items()
            if name.endswith(cut.rpartition("/")[2])
            for known in all_known
            if known.folded.endswith(cut) and not _is_path(known.folded[: -len(cut)][-1:])
        }
        return tuple(sorted({*longer, *(each for place in found for each in place.paths)}))

    def known(self, path: str) -> str:
        """The packet's path that is meant, if it is only one; else the path as it is."""
        meant = self.meant(path)
        return meant[0] if len(meant) == 1 else path

    def _search(self, text: str) -> list[KnownPlace]:
        folded = _fold(text)
        names = {
            name: known
            for token in set(_TOKEN.findall(folded))
            for name, known in self._names.get(token, {}).items()
        }
        found = [
            (place, begin)
            for name, known in names.items()
            for start in islice(_occurrences(name, folded), _MOST_NAMED)
            if (match := _longest(text, folded, start, name, known))
            for place, begin in [match]
        ]
        # `my file.py` also ends in `file.py`: of names that end together the longest is meant.
        longest: dict[int, tuple[KnownPlace, int]] = {}
        for place, begin in found:
            kept = longest.setdefault(place.end, (place, begin))
            if begin < kept[1]:
                longest[place.end] = (place, begin)
        return [longest[end][0] for end in sorted(longest)]


def _spellings(path: str) -> set[str]:
    """As it is, as the packet shows it, and without blanks at the ends of its names."""
    shown = {_fold(tidy(each)) for each in (path, json.dumps(path, ensure_ascii=False)[1:-1])}
    return shown | {"/".join(map(str.strip, each.split("/"))) for each in shown}


def tidy(text: str) -> str:
    """The text without what cannot be seen, in one spelling of each letter, and with single blanks."""
    return _BLANKS.sub(" ", _HIDDEN.sub("", unicodedata.normalize("NFKC", text)))


def _fold(text: str) -> str:
    """Lower case and forward slashes, character by character, so that places stay where they are."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return lower.replace("\\", "/")


def _occurrences(name: str, text: str) -> Iterator[int]:
    start = text.find(name)
    while start >= 0:
        after = text[start + len(name) : start + len(name) + 2]
        if not (_goes_on(after[:1], name[-1:]) or (after[:1] in "./" and _is_path(after[1:]))):
            yield start
        start = text.find(name, start + 1)


def _longest(
    text: str, folded: str, start: int, name: str, known: list[_Known]
) -> tuple[KnownPlace, int] | None:
    """The files with the longest tail before ``start`` and at it, and where that tail begins."""
    inside = folded[start - 1 : start] == "/"
    begins = [(_begin(folded, start, each.folded) if inside else start, each) for each in known]
    at = min(begin for begin, _ in begins)
    same = [each for begin, each in begins if begin == at]
    whole = [each for each in same if len(each.folded) == start - at + len(name)]
    before = folded[max(0, at - 24) : at]
    if before.endswith("/") and not _NO_FOLDER.search(before):
        same = whole  # more folders than the packet knows: of a checkout, or of somebody's memory
    elif _goes_on(before[-1:], folded[at]):
        return None
    meant = {each.path for each in whole or same}
    end = start + len(name)
    exact = {path for path in meant if text[at:end].endswith(path)}
    if not meant:
        return None
    line, end_line, end = _lines(text, at, end)
    return KnownPlace(tuple(sorted(exact if len(exact) == 1 else meant)), line, end_line, end), at


def _begin(text: str, start: int, path: str) -> int:
    """How far back the folders of the path stand in the text before its name."""
    for folder in reversed(path.split("/")[:-1]):
        begin = start - len(folder) - 1
        if begin < 0 or not text.startswith(f"{folder}/", begin):
            break
        if begin and text[begin - 1] != "/" and _goes_on(text[begin - 1], folder[:1]):
            break
        start = begin
    return start


def _lines(text: str, begin: int, end: int) -> tuple[int, int, int]:
    """First and last line that stand beside the name, and where that ends."""
    after = _AFTER.match(text, end)
    if after:
        first = int(after[1])
        return first, max(first, int(after[2] or 0)), after.end()
    before = _BEFORE.search(text[max(0, begin - 80) : begin])
    if before:
        first = int(before[1])
        return first, max(first, int(before[2] or 0)), end
    return 0, 0, end


def _goes_on(letter: str, beside: str) -> bool:
    """Whether the letter belongs to the same name; writing without blanks changes its script."""
    if letter >= "⺀" and beside < "⺀":
        return False
    return letter.isalnum() or (letter in ("_", "-", ".", "+", "@", "~") and letter != "")


def _is_path(letter: str) -> bool:
    return letter.isalnum() or (letter in ("_", "-", ".", "+", "@", "/") and letter != "")


def settle(finding: Finding, known: KnownPaths) -> Finding:
    """At the place of the packet that the finding names, if it names one.

    A token that only looks like a file (``node.js:18``), a name that several files have, or a file that is
    said to be missing is no place that could be wrong; a path in a folder with a line is.
    """
    path, title = finding.path, finding.title
    if finding.line and known.is_sure(path):
        return finding
    own = KnownPlace(known.meant(path), finding.line, finding.end_line, 0)
    said = [place for place in known.places(title) if place.line or not path]
    said.sort(key=lambda place: not place.line)
    from_title = bool(path) and path == find_anchor(title)[0]
    named = [each for each in ((*said, own) if from_title else (own, *said)) if each.paths]
    sure = next((each for each in named if len(each.paths) == 1), None)
    if sure:
        return finding._replace(path=sure.paths[0], line=sure.line, end_line=sure.end_line)
    if not named and "/" in path and finding.line and not _ABSENT.search(title):
        return finding
    note = f"{len(named[0].paths)} files have the name that it gives" if named else finding.note
    return finding._replace(path="", line=0, end_line=0, quote="", firm=False, note=note)
