"""Read one clause of a remedy: what is to be done, or not to be done, to what.

Reviewers tell ("remove X"), ask ("could we remove X?") and state ("X should be removed"). A clause
that says what the code does now ("it uses X instead of Y") is no instruction and is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.text.english import INSTRUCTION_STOP_WORDS, PREPOSITIONS, stem
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.classes import classes
from guildmoot.text.opposed.clauses import Clause, Word, known_verbs
from guildmoot.text.opposed.topics import Topic, keys, topic

Tails = list[tuple[str, list[Word]]]
"""Each preposition with the words after it."""

LINKS = PREPOSITIONS | {"as", "using", "against"}
OWNING = frozenset(
    ["of", "on", "in", "at", "from", "for", "around", "before", "after", "during", "inside", "over"]
)
"""Prepositions that say what a thing belongs to, rather than what becomes of it."""


ARTICLES = frozenset(["the", "a", "an", "all", "its", "these", "this", "every"])
_MANNER = frozenset(["after", "as", "at", "by", "to", "via", "with"])
"""Prepositions that say how, when or where to, and never what: "round to even", "commit after each row"."""
_NOUN_REACH = 3
"""Words after an article that are a noun's: "the bad records"."""


class Instruction(NamedTuple):
    """A clause taken apart."""

    verb: str
    sign: int
    """-1 when it is not to be done."""
    core: list[Word]
    """What it is done to."""
    tails: Tails
    subject: list[Word]
    condition: frozenset[str]
    case: frozenset[str] = frozenset()
    """The condition where it stands for what is missing: "abort if the upload fails"."""

    def about(self) -> Topic:
        """The thing it is done to, with what that belongs to."""
        adds = any(axis == "presence" for axis, _ in lexicon.verb_axes().get(stem(self.verb), ()))
        around = [
            w
            for prep, tail in self.tails
            if prep in OWNING or (adds and prep == "to")
            for w in tail
        ]
        return topic(self.core or self.subject, [*around, *(self.subject if self.core else ())])

    def said(self) -> str:
        """The action, for the explanation."""
        return self.verb if self.sign > 0 else f"not {self.verb}"


def read(clause: Clause) -> Instruction | None:
    """The instruction in a clause, or None when there is none."""
    words, sign = _skip_lead(_restated(clause.words))
    at = _modal_at(words)
    condition = keys(clause.condition)
    if at > 0 and _names_something(words[0]):
        found = _statement(words, at, sign, condition)
    elif words and _directs(words, sign, asked=len(words) < len(clause.words)):
        found = _imperative(words, sign, condition)
    else:
        return None
    if found and not found.core and not found.subject and clause.condition:
        return found._replace(core=list(clause.condition), condition=frozenset(), case=condition)
    return found


def _restated(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Other ways to ask for a thing, as "X must ..." and "add X": "let X fail", "no lock", "a lock is needed"."""
    while words and words[0].text in lexicon.THERE:
        words = words[1:]
    first = words[0].text if words else ""
    if first in lexicon.AMOUNTS:
        return (Word(lexicon.AMOUNTS[first]), *words[1:])
    if first in ("let", "have", "make") and not words[0].ident:
        for at in range(2, len(words) - (first == "make")):
            before = words[at - 1].text
            if not words[at].ident and before not in ARTICLES and _is_act(words[at].text):
                return (*words[1:at], Word("must"), *words[at:])
    for at, word in enumerate(words):
        if word.text == "be" and words[at - 1].text != "would":
            break
        if at and not word.ident and word.text in ("is", "are", "be", "isn't", "aren't"):
            return _judged(words, at) or words
    if first == "no" and len(words) > 1:
        rest = [w for w in words[1:] if w.text not in ("need", "needed", "necessary", "required")]
        if rest and rest[0].text in ("for", "of"):  # "no need for a lock"
            rest = rest[1:]
        return (Word("not"), Word("add"), *rest)
    return words


def _judged(words: tuple[Word, ...], at: int) -> tuple[Word, ...]:
    """Reads "X is (not) needed for Y" as "(not) add X for Y"; nothing where no judgement follows."""
    to = at + 1
    while to < len(words) and words[to].text in ("not", "the", "a", "much", "more"):
        to += 1
    verb = lexicon.JUDGED.get(words[to].text) if to < len(words) and not words[to].ident else None
    if verb is None:
        return ()
    denied = words[at].text.endswith("n't") or any(w.text == "not" for w in words[at:to])
    thing = tuple(w for w in words[:at] if w.text not in ("would", "could"))
    return (*([Word("not")] if denied else []), Word(verb), *thing, *words[to + 1 :])


def _is_act(text: str) -> bool:
    root = stem(text)
    plain = not text.endswith(("ed", "ing", "s"))
    return (
        plain
        and root in known_verbs() | {"be", "go"}
        and root not in lexicon.state_axes()
        and text not in classes()
    )


def noun_phrase(words: Sequence[Word]) -> tuple[list[Word], Tails]:
    """The words up to the first preposition, then each preposition with its words."""
    core: list[Word] = []
    tails: Tails = []
    for word in words:
        opened = not tails or tails[-1][1]
        part = tails[-1][1] if tails else core
        if word.text == "by" and len(part) > 1 and part[-1].text.endswith("ed"):
            part.pop()  # "the error returned by f"
            tails.append(("from", []))
        elif not word.ident and word.text in LINKS and (opened or word.text != "outside"):
            tails.append((word.text, []))
        else:
            part.append(word)
    return core, tails


def _skip_lead(words: Sequence[Word]) -> tuple[Sequence[Word], int]:
    """Drop polite openings; each negation turns the sign."""
    sign, i = 1, 0
    while i < len(words) - 1 and not words[i].ident:
        text, gerund = words[i].text, words[i + 1].text.endswith("ing")
        if text in ("not", "never") or (text in lexicon.NEGATIONS and gerund):
            sign = -sign
        elif text not in lexicon.LEADS and not (i == 0 and text == "only"):
            break
        i += 1
    only = [word for word in words[:i] if word.text == "only"]
    return [*words[i:], *only], sign


def _modal_at(words: Sequence[Word]) -> int:
    for i, word in enumerate(words):
        if i and not word.ident and word.text in lexicon.MODALS:
            return i
    return -1


def _names_something(word: Word) -> bool:
    return word.ident or stem(word.text) not in known_verbs() or _third_person(word.text)


def _third_person(verb: str) -> bool:
    return verb.endswith("s") and not verb.endswith("ss") and verb != "focus"


def _directs(words: Sequence[Word], sign: int, *, asked: bool) -> bool:
    """Whether the clause tells somebody to do something, rather than what the code does now."""
    for at, word in enumerate(words[1:], 1):
        if word.text in ("that", "to"):
            break
        noun = not ARTICLES.isdisjoint(each.text for each in words[max(at - _NOUN_REACH, 0) : at])
        noun = noun or words[at - 1].text in PREPOSITIONS
        noun = noun and word.text not in ("is", "are", "was", "were", "has")
        if not word.ident and not noun and word.text in lexicon.DESCRIBING:
            return False
    verb = words[0].text
    if sign < 0 or asked:
        return True
    plain = not verb.endswith(("ing", "ed")) and not _third_person(verb)
    return plain and (stem(verb) in known_verbs() or _takes_object(words))


def _takes_object(words: Sequence[Word]) -> bool:
    """Reads "regenerate the lock file": what stands before an article at the beginning is a verb."""
    verb, small = words[0], INSTRUCTION_STOP_WORDS | PREPOSITIONS | lexicon.NO_VERBS
    if verb.ident or verb.text in small or not verb.text.replace("-", "").isalpha():
        return False
    if lexicon.undone(verb.text):
        return True
    if len(words) == 1:
        return False
    if words[0].capital and not any(_is_finite(word) for word in words[1:]):
        return True
    after = words[1].text
    articles = ("the", "a", "an", "all", "this", "its", "every", "it", "them")
    return after in articles or after in PREPOSITIONS or after[:1].isdigit() or words[1].ident


def _is_finite(word: Word) -> bool:
    """A word that may say what somebody does now: then the clause begins with who does it."""
    return not word.ident and (word.text in lexicon.DESCRIBING or word.text in lexicon.MODALS)


def _imperative(words: Sequence[Word], sign: int, condition: frozenset[str]) -> Instruction | None:
    if words[0].ident or words[0].text in INSTRUCTION_STOP_WORDS - {"do"}:
        return None
    verb, rest = words[0].text, words[1:]
    if rest and (verb, rest[-1].text) in lexicon.PARTICLES:
        verb, rest = lexicon.PARTICLES[verb, rest[-1].text], rest[:-1]
    core, tails = noun_phrase(rest)
    apart = next(
        (tail for tail in tails if not tail[1] and (verb, tail[0]) in lexicon.PARTICLES), None
    )
    if apart and core:  # "leave X out of Y"
        verb = lexicon.PARTICLES[verb, apart[0]]
        tails.remove(apart)
    if not core and tails and tails[0][0] not in _MANNER:
        at = next((i for i, (_, tail) in enumerate(tails) if tail), 0)
        core, tails = tails[at][1], [*tails[:at], *tails[at + 1 :]]
    act = [w.text for w in core if w.text not in ARTICLES]
    if verb in ("write", "do", "run") and len(act) == 1 and act[0] in lexicon.ACT_NOUNS and tails:
        return Instruction(act[0], sign, [], tails, [], condition)  # "write the log to X"
    return Instruction(verb, sign, core, tails, [], condition)


def _statement(
    words: Sequence[Word], at: int, sign: int, condition: frozenset[str]
) -> Instruction | None:
    """Reads "X should be removed", "X must stay public", "X needs an example"."""
    subject, rest = list(words[:at]), list(words[at + 1 :])
    if words[at].text in ("need", "needs") and rest and rest[0].text in ("a", "an"):
        return Instruction("add", sign, noun_phrase(rest)[0], [("to", subject)], [], condition)
    passive = False
    while (
        rest
        and not rest[0].ident
        and rest[0].text in ("be", "not", "never", "been", "to", "always", "still", "also")
    ):
        passive |= rest[0].text == "be"
        sign = -sign if rest[0].text in ("not", "never") else sign
        rest.pop(0)
    if not rest:
        return None
    nouns, owners = noun_phrase(subject)
    if rest[0].text in PREPOSITIONS:  # "X belongs in Y"
        if sign < 0:
            return Instruction("add", sign, nouns, [*owners, *noun_phrase(rest)[1]], [], condition)
        return Instruction("move", sign, nouns, [*owners, *noun_phrase(rest)[1]], [], condition)
    if [w.text for w in rest[1:2]] == ["to"] and lexicon.is_on("permission", rest[0].text):
        return Instruction(rest[0].text, sign, rest[2:], [("for", nouns)], [], condition)
    if passive and not _is_participle(rest[0].text):
        return Instruction("be", sign, *noun_phrase(rest), subject, condition)
    core, tails = noun_phrase(rest[1:])
    if core and not passive:
        return Instruction(rest[0].text, sign, core, tails, subject, condition)
    become = [("as", core)] if core else []
    return Instruction(rest[0].text, sign, nouns, [*owners, *become, *tails], [], condition)


def _is_participle(text: str) -> bool:
    """Something is done to the subject; "required" and "frozen" rather say how it is."""
    if stem(text) in lexicon.state_axes() or text in classes():
        return False
    return text.endswith(("ed", "en")) or stem(text) in known_verbs()
