"""What a section says beside the decisions that were read in it: sentences that nobody has read.

A sentence was read when a decision was made of it, or when one decision has nearly all of its words. What an engineer
says there of its own stand, that it moves or withdraws, a program reads; all else is for a clerk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guildmoot.reading.blocks import OWN, Line, read_title
from guildmoot.reading.list_items import bullet_text
from guildmoot.reading.stands.moves import read_move
from guildmoot.reading.stands.sentences import moved, read_sentence
from guildmoot.reading.stands.stated import KEYS, StatedDecision, one
from guildmoot.text.english import content_stems, stem, word_set

_SENTENCE = re.compile(r"(?<=[.!?])[*_]*\s+(?=[A-Z`\"'*(\d])")
_LABEL = re.compile(r"^[^:.?!]{1,60}:[*_]{0,3}\s+")
_RULE = re.compile(r"[\s|:-]+")
_COMMENT = re.compile(r"<!--.*?-->")
_COVERED = 0.8
"""Share of a sentence's words that one decision has, where it says that sentence again."""
_LEADS_UP, _SHORT = 8, 3
"""Words of a line that only leads up to what follows, and of one that says nothing ("My view.")."""
_FORM = frozenset(map(stem, word_set("""
    about above answer answers argument arguments begin below block board brief choice choices colleague colleagues
    comment comments conclusion conclusions considered decision decisions design detail details discussion earlier
    engineer engineers everybody everyone everything final first follow following follows form go good great happy hello
    helpful hi i idea ideas important in interesting know last later lay let like look looked made make me mine my new
    next note notes of on opinion opinions others out over part plan point points position positions previous
    proposal proposals propose question questions read reading reasons recommend recommendation recommendations repeat
    reply rest round rounds say said second section sections see set short shortly start sum summarise summarize
    summary take task thank thanks think third thought thoughts through today topic turn two up update updated
    useful view views vote well whiteboard word words work would write written
""")))  # fmt: skip
"""Words that speak of the board and its form, and of no thing that is to be built."""
_DENIES = re.compile(
    r"\b(?:no|not|never|without|against|don't|withdraw|drop|move)\b", re.IGNORECASE
)


class _Said(NamedTuple):
    """A sentence, or a row of a table with its cells."""

    text: str
    cells: tuple[str, ...] = ()
    """Without those of a column that gives reasons."""


def sentences(lines: Sequence[Line]) -> Iterator[str]:
    """What the author says in own words, without headings and the marks of lists and tables."""
    return (each.text for each in _said(lines))


def _said(lines: Sequence[Line]) -> Iterator[_Said]:
    part: list[str] = []
    reasons: set[int] = set()
    rows = [(_COMMENT.sub("", row).strip() if kind == OWN else "") for kind, row in lines]
    rows.append("")
    for bare, after in zip(rows, [*rows[1:], ""], strict=True):
        cells = [cell.strip() for cell in bare.strip("|").split("|")] if bare[:1] == "|" else []
        item, title = bullet_text(bare), read_title(bare)[0]
        if (not bare or cells or item or title) and part:
            yield from map(_Said, _SENTENCE.split(" ".join(part)))
            part = []
        if cells:
            if not (_RULE.fullmatch(bare) or (after[:1] == "|" and _RULE.fullmatch(after))):
                text = f"{cells[0]}: {' - '.join(filter(None, cells[1:]))}"
                bare_cells = [cell.strip(" *_`") for cell in cells]
                yield _Said(text, tuple(c for at, c in enumerate(bare_cells) if at not in reasons))
            elif not _RULE.fullmatch(bare):  # the head of a table
                names = [KEYS.get(cell.strip(" *_`").casefold()) for cell in cells]
                reasons = {at for at, name in enumerate(names) if name == "cited"}
        elif bare and not title:
            part.append(item or bare)


def _left(lines: Sequence[Line], found: Sequence[StatedDecision]) -> Iterator[str]:
    """Of what no decision may be made yet: all sentences, and of a row that was read the cells that decide more."""
    for said in _said(lines):
        about, *cells = said.cells or ("",)
        made = [each for each in found if about and _same_words(about, each.scope)]
        if any(_stands_in(each, cell) for each in made for cell in cells):
            more = (f"{cell[:1].upper()}{cell[1:]}" for cell in cells)
            yield from (cell for cell in more if read_sentence(cell))
        else:
            yield said.text


def _same_words(about: str, scope: str) -> bool:
    words = content_stems(about)
    return words <= content_stems(scope) if words else about.casefold() == scope.casefold()


def _stands_in(decision: StatedDecision, cell: str) -> bool:
    """Whether a decision was made of that cell: it has its words, but for "I move to"."""
    said = content_stems(decision.text) - content_stems("use")
    return bool(cell) and (said <= content_stems(cell) if said else decision.text in cell)


def beside(
    lines: Sequence[Line], found: Sequence[StatedDecision]
) -> tuple[list[StatedDecision], tuple[str, ...]]:
    """What is said beside decisions of the engineer's own stand, and the sentences that nobody read."""
    more: list[StatedDecision] = []
    unread: list[str] = []
    for sentence in _left(lines, found):
        said = sentence.strip(" *_")
        if not said or _is_idle(said) or _is_covered(said, found):
            continue
        move = read_move(said)
        made = moved(move) if move and (move.moves or move.gives_up) else None
        if made and move and move.moves and _has_choice(made, found):
            continue
        if made:
            more.append(made)
        else:
            unread.append(one(said))
    return more, tuple(unread)


def unread_of(lines: Sequence[Line], found: Sequence[StatedDecision]) -> tuple[str, ...]:
    """The sentences of a section without a block of which no decision was made."""
    texts = {each.text for each in found}
    unread = []
    for sentence in _left(lines, found):
        said = sentence.strip(" *_")
        words = (said, _LABEL.sub("", said))
        made = [each.text for text in words if text and (each := read_sentence(text))]
        known = any(text in texts for text in made) or any(_is_covered(e, found) for e in words)
        if said and not (known or _is_idle(said)):
            unread.append(one(said))
    return tuple(unread)


def _is_idle(said: str) -> bool:
    """Whether it decides nothing however it is meant."""
    count = len(said.split())
    if not (content_stems(said) - _FORM or _DENIES.search(said) or read_sentence(said)):
        return True
    leads_up = said.endswith(":") and count <= _LEADS_UP and not _DENIES.search(said)
    return leads_up or (count <= _SHORT and not read_sentence(said) and not _DENIES.search(said))


def _is_covered(said: str, found: Sequence[StatedDecision]) -> bool:
    words, denials, bare = content_stems(said), _denials(said), said.casefold().strip(" .!")
    return any(
        each.text.casefold().startswith(bare)
        or (
            words
            and len(words & _words(each)) >= _COVERED * len(words)
            and denials <= _denials(each.text)
        )
        for each in found
    )


def _denials(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _DENIES.findall(text))


def _words(decision: StatedDecision) -> frozenset[str]:
    parts = (decision.scope, decision.text, decision.answer, *decision.rejects, *decision.cited)
    return frozenset(content_stems(" ".join(parts)))


def _has_choice(made: StatedDecision, found: Sequence[StatedDecision]) -> bool:
    """Whether a decision says already where a sentence moves to."""
    words = content_stems(made.text) - content_stems("use")
    return any(each.stance == "adopt" and words <= _words(each) for each in found)
