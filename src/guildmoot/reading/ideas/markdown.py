"""Reads options and facets from Markdown, for judges that answer in prose: headings, lists, bold names.

A heading says what stands under it. Known words open a section (options, pros, cons, a technique's
lens); any other heading names an option in a brainstorm, kept when
something speaks for or against it or an options section holds it, and a facet in a research.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from guildmoot.reading.blocks import SPACE, columns_before, read_title
from guildmoot.reading.list_items import bullet_text

_NAMED = re.compile(r"^(?:\*\*|__)(.+?)(?:\*\*|__)\s*(?:[:：–—-]\s*)?(.*)$")
_SIDES = (
    r"pros?|cons?|for|against|advantages?|disadvantages?|benefits?|drawbacks?|risks?"
    r"|upsides?|downsides?|strengths?|weaknesses|good|bad"
)
_LABEL = re.compile(
    rf"^[*_]{{0,2}}\s*({_SIDES})\s*[*_]{{0,2}}\s*[:：]\s*[*_]{{0,2}}\s*(.*)$",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"^[*_]{0,2}(?:(?P<pro>[✅✔✓👍➕🟢])|(?P<con>[❌✖✗👎➖🔴⚠]))\ufe0f?\s*(?P<said>.*)$"
)
_NEXT_SIDE = re.compile(
    rf"\s+(?=(?:\*\*|__)(?i:{_SIDES})\s*(?:[:：](?:\*\*|__)|(?:\*\*|__)\s*[:：]))"
    rf"|(?<=[.;!?,)])\s+(?=[A-Z])(?=(?i:{_SIDES})\s*[:：])"
)
_AGAINST = ("bad", "con", "against", "disadv", "drawback", "risk", "downside", "weak")
_GROUP = re.compile(r"^[IVX]{1,4}[.)]\s+(?=\S)")
"""A heading that counts parts of the answer; with a list of names below it, those are the options."""
_NUMBERED = re.compile(r"^\d{1,2}[.)]\s+(?=\S)")
_OPTION = re.compile(
    r"^(?:option|approach|alternative|idea)\s+(?:\d+|[A-Z])\b\s*[:.)–—-]?\s*(.*)$", re.IGNORECASE
)
_SECTIONS = (
    ("cons", re.compile(r"^(?:cons?|against|disadvantages?|drawbacks?|risks?)\b", re.IGNORECASE)),
    ("pros", re.compile(r"^(?:pros?|for|advantages?|benefits?)$", re.IGNORECASE)),
    (
        "options",
        re.compile(r"^(?:the )?(?:options|approaches|alternatives|ideas)\b", re.IGNORECASE),
    ),
    (
        "lens",
        re.compile(
            r"^(?:substitute|combine|adapt|modify|put to other uses?|eliminate|reverse)\b"
            r"|^(?:the )?(?:white|red|black|yellow|green|blue) hat\b"
            r"|^(?:ways to make it worse|inverted)\b",
            re.IGNORECASE,
        ),
    ),
)
_OF_OPTIONS = ("option", "options", "pros", "cons")


class Idea(NamedTuple):
    """One option as a judge gives it."""

    title: str
    summary: str = ""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()


class Listed(NamedTuple):
    """A facet and its findings, or a lens and its ideas."""

    title: str
    items: tuple[str, ...]


class IdeasReading(NamedTuple):
    """What was read, or why nothing was."""

    options: tuple[Idea, ...] = ()
    facets: tuple[Listed, ...] = ()
    lenses: tuple[Listed, ...] = ()
    questions: tuple[str, ...] = ()
    recommendation: str = ""
    how: Literal["json", "repaired", "markdown", ""] = ""
    warnings: tuple[str, ...] = ()
    failure: str = ""
    """Why there is nothing in it; may be put to the judge when it is asked again."""

    @property
    def has_ideas(self) -> bool:
        """Whether it proposes or finds anything; a recommendation alone does neither."""
        return bool(self.options or self.lenses or any(each.items for each in self.facets))

    @property
    def is_empty(self) -> bool:
        said = (self.options, self.facets, self.lenses, self.questions, self.recommendation)
        return not any(said)


class _Named:
    """One named thing while its lines are read."""

    def __init__(self, title: str, listed: bool) -> None:
        self.title = title
        self.listed = listed
        """An options section holds it."""
        self.text: list[str] = []
        self.pros: list[str] = []
        self.cons: list[str] = []


def read_markdown(rows: Sequence[str], task: str) -> IdeasReading:
    """What the judge's own lines say."""
    reader = _Reader(task)
    for number, row in enumerate(rows):
        below = next((each for each in rows[number + 1 : number + 4] if each.strip()), "")
        reader.take(row, groups=bool(named(bullet_text(below.strip(SPACE)))))
    return reader.result()


class _Reader:
    def __init__(self, task: str) -> None:
        self._research = task == "research"
        self._mode = ""
        self._options_level = 0
        self._edge: int | None = None
        self._options: list[_Named] = []
        self._facets: list[_Named] = []
        self._lenses: list[_Named] = []

    def take(self, row: str, groups: bool = False) -> None:
        """One line; ``groups`` where a list of names stands below it."""
        level, title = read_title(row)
        item = bullet_text(row.strip(SPACE))
        if level and groups and not self._research and _GROUP.match(bare(title)):
            self._options_level, self._mode, self._edge = level, "options", None
        elif level:
            self._head(level, bare(title))
        elif item:
            first, *more = sides(item)
            self._item(columns_before(row), first)
            for said in more:
                self._line(said)
        elif row.strip():
            for said in sides(row.strip()):
                self._line(said)

    def _head(self, level: int, title: str) -> None:
        kind = next((name for name, words in _SECTIONS if words.search(title)), "")
        numbered = _OPTION.match(title)
        if numbered and not kind.startswith(("pros", "cons")):
            self._open(numbered[1] or title, listed=True)
        elif kind in ("pros", "cons"):
            self._mode = kind if self._options else ""
        elif kind == "lens":
            self._lenses.append(_Named(title, False))
            self._mode = kind
        elif kind == "options":
            self._options_level, self._mode, self._edge = level, kind, None
        else:
            inside = bool(self._options_level) and level > self._options_level
            self._options_level = self._options_level if inside else 0
            name = _NUMBERED.sub("", title)
            self._open(name, listed=inside or (name != title and not self._research))

    def _open(self, title: str, listed: bool) -> None:
        if self._research and not listed:
            self._facets.append(_Named(title, False))
            self._mode = "facet"
        else:
            self._options.append(_Named(title, listed))
            self._mode = "option"

    def _item(self, indent: int, said: str) -> None:
        label = read_label(said)
        if label and self._options and self._mode in _OF_OPTIONS:
            self._mode = "cons" if is_against(label[0]) else "pros"
            if label[1]:
                self._point(bare(label[1]))
        elif self._begins_option(indent):
            named = _NAMED.match(said)
            title, rest = (named[1], named[2]) if named else parted(said)
            self._mode = "options"
            self._options.append(_Named(bare(title), True))
            self._options[-1].text += [rest] if rest.strip() else []
        else:
            self._line(said)

    def _begins_option(self, indent: int) -> bool:
        """A list of options goes on at its left edge; what is said of them stands deeper."""
        if not self._options_level or self._mode not in ("options", "pros", "cons"):
            return False
        if self._mode == "options" and self._edge is None:
            self._edge = indent
        return self._edge is not None and indent <= self._edge

    def _line(self, said: str) -> None:
        label = read_label(said)
        option = _OPTION.match(bare(said))
        if label and self._options and self._mode in _OF_OPTIONS:
            self._mode = "cons" if is_against(label[0]) else "pros"
            said = label[1]
        elif option and option[1] and not self._research:
            self._open(option[1], listed=True)
            return
        said = bare(said)
        if not said:
            return
        if self._mode in ("pros", "cons"):
            self._point(said)
        else:
            self._about(said)

    def _about(self, said: str) -> None:
        """A line about what was named last; before anything was named, nobody's."""
        about = {
            "option": self._options,
            "options": self._options,
            "facet": self._facets,
            "lens": self._lenses,
        }.get(self._mode)
        if about:
            about[-1].text.append(said)

    def _point(self, said: str) -> None:
        option = self._options[-1]
        (option.cons if self._mode == "cons" else option.pros).append(said)

    def result(self) -> IdeasReading:
        kept = [each for each in self._options if each.listed or each.pros or each.cons]
        return IdeasReading(
            options=tuple(
                Idea(o.title, " ".join(o.text), tuple(o.pros), tuple(o.cons))
                for o in kept
                if o.title
            ),
            facets=tuple(
                Listed(f.title, tuple(f.text)) for f in self._facets if f.title and f.text
            ),
            lenses=tuple(Listed(f.title, tuple(f.text)) for f in self._lenses if f.text),
            how="markdown",
        )


def read_label(said: str) -> tuple[str, str] | None:
    """``Pros: fast`` or ``✅ fast`` as label and text; None when it is neither for nor against."""
    signed = _SIGNED.match(said)
    if signed:
        return ("pro" if signed["pro"] else "con"), bare(signed["said"])
    found = _LABEL.match(said)
    return (found[1], found[2].strip()) if found else None


def sides(said: str) -> list[str]:
    """A line cut before each label in it: ``Fast. **Pros:** cheap. **Cons:** stale.``"""
    return _NEXT_SIDE.split(said)


def named(said: str) -> tuple[str, str] | None:
    """A bold name and what is said of it."""
    found = _NAMED.match(said)
    return (found[1], found[2]) if found else None


def is_against(label: str) -> bool:
    """Whether a label announces what speaks against something."""
    return label.lower().startswith(_AGAINST)


def parted(said: str) -> tuple[str, str]:
    """The name of an option and what is said of it: before and after the first colon or dash."""
    found = re.match(r"(.{2,80}?)(?::\s|\s[-–—]\s)(.*)", said, re.DOTALL)
    return (found[1], found[2]) if found else (said, "")


def bare(text: str) -> str:
    """Without the marks that only make it bold."""
    return re.sub(r"\*\*|__", "", text).strip().strip(":：").strip()
