"""What a remedy wants of the words that exclude each other: members of ``classes``, wanted or not.

The verb hardly matters ("load it lazily", "fetch this eagerly"), so these claims are compared by what they are
about and not by the act. Whether two of them pull apart is told in ``opposition``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.text.english import stem
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.classes import members
from guildmoot.text.opposed.clauses import Word
from guildmoot.text.opposed.instructions import Instruction
from guildmoot.text.opposed.topics import RemedyClaim, Topic, topic
from guildmoot.text.opposed.values import COUNTS

CLASS, IS = "class:", "is:"
_CASES = frozenset(["for", "of", "about", "against", "before", "after"])
"""Prepositions after which stands what a thing is for, and not how it is to be."""


def class_claims(r: Instruction, contrast: tuple[Word, ...]) -> Iterator[RemedyClaim]:
    """Each member of a class that an instruction wants, or does not want."""
    tails = [w for prep, tail in r.tails if prep not in _CASES for w in (Word(prep), *tail)]
    cases = [[Word(prep), *tail] for prep, tail in r.tails if prep in _CASES]
    subject = [w for w in r.subject if not w.ident]
    wanted = [*_found([*subject, Word(r.verb)]), *_found([*_values(r.core), *tails])]
    wanted += [each for words in cases for each in _found(words) if each[2][0] is words[0]]
    unwanted = list(_found(contrast))
    used = {id(word) for _, _, words in (*wanted, *unwanted) for word in words}
    named = () if r.case else r.core  # a condition stands there for what is missing
    core = [w for w in (*r.subject, *named) if id(w) not in used]
    around = [
        w
        for _, tail in r.tails
        for w in tail
        if id(w) not in used and w.text not in COUNTS and not w.text.isdigit()
    ]
    what, phase = topic(core, around), lexicon.phase(r.verb)
    goes = any(end == ("presence", -1) for end in lexicon.verb_axes().get(stem(r.verb), ()))
    for name, member, words in wanted:
        gone = goes and any(word is each for word in words for each in r.core)
        sign = -r.sign if gone else r.sign
        yield from _claims(name, member, sign, r, words, what, phase)
    for name, member, words in unwanted:
        yield from _claims(name, member, -1, r, words, what, phase)


def _claims(
    name: str,
    member: str,
    sign: int,
    r: Instruction,
    words: Sequence[Word],
    what: Topic,
    phase: int,
) -> Iterator[RemedyClaim]:
    said = " ".join(word.text for word in words)
    said, when = said if sign > 0 else f"not {said}", r.condition or r.case
    if sign > 0:
        value = frozenset([member])
        yield RemedyClaim(f"{CLASS}{name}", 0, what, said, value, when, phase)
    yield RemedyClaim(f"{IS}{name}:{member}", sign, what, said, condition=when, phase=phase)


def _values(core: Sequence[Word]) -> Sequence[Word]:
    """The words without a name that begins them: in "make `left` optional" only the last is a value."""
    named = len(core) > 1 and core[0].ident and core[0].text.isalpha() and not core[0].capital
    return core[1:] if named else core


def _found(words: Sequence[Word]) -> Iterator[tuple[str, str, Sequence[Word]]]:
    for at, meanings in members([word.text for word in words]):
        for name, member in meanings:
            yield name, member, words[at.start : at.stop]


def unambiguous(claims: Sequence[RemedyClaim]) -> Iterator[RemedyClaim]:
    """The claims of a remedy without those on a class of which it wants two members ("here and there")."""
    wanted: dict[str, set[frozenset[str]]] = {}
    for claim in claims:
        if claim.axis.startswith(CLASS):
            wanted.setdefault(claim.axis, set()).add(claim.value)
    yield from (claim for claim in claims if len(wanted.get(claim.axis, ())) < 2)
