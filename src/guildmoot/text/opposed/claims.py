"""What a remedy asks for, as claims.

A claim is an axis ("presence"), a side of it (add or remove) or a value, and the thing it is about.
What is not understood makes no claim, so whatever is built on this leans towards "no conflict".
Whether two remedies pull apart is told in ``opposition``.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guildmoot.text.english import INSTRUCTION_STOP_WORDS, PREPOSITIONS, stem
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.clauses import Clause, Word, clauses, known_verbs
from guildmoot.text.opposed.instructions import Instruction, noun_phrase, read
from guildmoot.text.opposed.topics import EMPTY, Topic, keys, setting, topic

_MOST = 2_000
"""Characters of a remedy that are read; what a reviewer asks for stands in its first sentences."""


class RemedyClaim(NamedTuple):
    """One thing that a remedy wants."""

    axis: str
    side: int
    """+1 or -1; 0 for a value."""
    topic: Topic
    action: str
    """In the reviewer's words, for the explanation."""
    value: frozenset[str] = EMPTY
    condition: frozenset[str] = EMPTY


@functools.lru_cache(maxsize=32768)
def claims(remedy: str) -> tuple[RemedyClaim, ...]:
    """Everything that a remedy asks for, as far as it is understood."""
    found: list[RemedyClaim] = []
    before: list[Word] = []
    told = False
    for clause in clauses(remedy[:_MOST]):
        if clause.joined and not told:
            continue
        more, before = _clause_claims(clause, before)
        told = bool(more)
        found += more
    return tuple(dict.fromkeys(found))


def _clause_claims(clause: Clause, before: list[Word]) -> tuple[list[RemedyClaim], list[Word]]:
    """The claims of a clause, and what "it" will mean in the next one."""
    instruction = read(clause)
    if instruction is None:
        return [], [w for w in clause.words if w.ident] or before
    if instruction.core and all(w.text in ("it", "them", "this", "that") for w in instruction.core):
        instruction = instruction._replace(core=before)
    found = [
        *_verb_claims(instruction),
        *_state_claims(instruction),
        *_value_claims(instruction, clause.contrast),
        *_bound_claims(instruction),
        *_order_claims(instruction),
        *_contrast_claims(instruction, clause.contrast),
    ]
    return found, instruction.core or before


def _verb_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """What the verb itself says; an unlisted verb at least opposes its own negation."""
    root, what, said = stem(r.verb), r.about(), r.said()
    if root in ("be", "mak", "set", "mark", "let"):
        return
    for axis, side in lexicon.verb_axes().get(root, ()):
        yield RemedyClaim(axis, side * r.sign, what, said, condition=r.condition)
    if root in lexicon.stems(lexicon.KEEPERS):
        yield RemedyClaim("change", -r.sign, what, said, condition=r.condition)
        return
    yield RemedyClaim(f"do:{root}", r.sign, what, said, condition=r.condition)
    if root in lexicon.stems(lexicon.CHANGERS):
        yield RemedyClaim("change", r.sign, what, said, condition=r.condition)
    yield from _noun_claims(r, root, said)


def _noun_claims(r: Instruction, root: str, said: str) -> Iterator[RemedyClaim]:
    """Things that a verb brings about: "lock X" wants a lock, "extract X into f" wants ``f``."""
    if root in ("extract", "factor", "pull"):
        made = next((tail for prep, tail in r.tails if prep in ("into", "to")), [])
        yield RemedyClaim("structure", r.sign, topic(made), said, condition=r.condition)
    if root not in lexicon.verb_axes() and r.core:
        yield RemedyClaim(
            "presence", r.sign, topic([Word(r.verb)], r.core), said, condition=r.condition
        )
    if root == "go" and not r.tails:
        yield RemedyClaim("presence", -r.sign, r.about(), said, condition=r.condition)
        yield RemedyClaim("change", r.sign, r.about(), said, condition=r.condition)


# --- states ---------------------------------------------------------------------------------------

BECOMING = frozenset(["make", "be", "keep", "leave", "stay"])
STATING = BECOMING | {"set", "mark", "remain", "default", "use"}


def _is_state(word: Word) -> bool:
    return stem(word.text) in lexicon.state_axes()


def _plain(words: Sequence[Word]) -> list[Word]:
    return [w for w in words if w.text not in INSTRUCTION_STOP_WORDS]


def _state_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "make X private", "X must stay nullable", "load X lazily", "leave X unsorted"."""
    tail = [w for _, words in r.tails for w in words]
    core = _plain(r.core)
    flat = [*core, *_plain(tail)]
    for i, word in enumerate(flat):
        last = i + 1 in (len(core), len(flat))
        if word.ident or not (last or r.verb in STATING):
            continue
        if ends := _state_ends(word, becoming=last and r.verb in BECOMING):
            what = _held(r, word, tail)
            said = word.text if r.sign > 0 else f"not {word.text}"
            for axis, side in ends:
                yield RemedyClaim(axis, side * r.sign, what, said, condition=r.condition)


def _state_ends(word: Word, *, becoming: bool) -> Sequence[tuple[str, int]]:
    """The axes that a state is on, and which end of them it is."""
    root = stem(word.text)
    if listed := lexicon.state_axes().get(root):
        return listed
    if word.text.startswith("un") and word.text.endswith("ed") and len(word.text) > 7:
        return [(f"do:{stem(word.text[2:])}", -1)]
    return [(f"state:{root}", 1)] if becoming else ()


def _held(r: Instruction, word: Word, tail: Sequence[Word]) -> Topic:
    """What is in the state; the verb itself when nothing is named ("match case-insensitively")."""
    held = r.subject or [w for w in r.core if not _is_state(w)]
    held = held if keys(held) else [Word(r.verb)]
    return topic((w for w in held if w is not word), (w for w in tail if not _is_state(w)))


# --- values ---------------------------------------------------------------------------------------

VALUE_WORDS = frozenset(["to", "with", "by", "into", "at", "as", "after"])
FAMILIES = {"renam": "name", "call": "name", "mov": "place"}


def _value_claims(r: Instruction, contrast: tuple[Word, ...]) -> Iterator[RemedyClaim]:
    """Reads "set X to 5", "rename X to Y", "use A for X", "use A instead of X", "make X a Y"."""
    root = stem(r.verb)
    if r.sign < 0:
        return
    yield from _means_claims(r, root)
    yield from _setting_claims(r)
    if root == "use":
        target = next((tail for prep, tail in r.tails if prep == "for"), list(contrast))
        if target:
            yield RemedyClaim("value", 0, topic(target), f"use {_say(r.core)}", keys(r.core))
        return
    if root in ("mak", "be", "stay", "turn"):
        yield from _become_claims(r)
    tail = next(((p, t) for p, t in r.tails if p in VALUE_WORDS), None)
    if tail and root in lexicon.stems(lexicon.SETTERS) and (value := keys(tail[1])):
        owners = [w for p, t in r.tails if (p, t) != tail and p in ("of", "for", "in") for w in t]
        what, said = topic(r.core or r.subject, owners), f"{r.verb} to {_say(tail[1])}"
        yield RemedyClaim(FAMILIES.get(root, "value"), 0, what, said, value, r.condition)


def _become_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "make X a Y"."""
    at = next((i for i, w in enumerate(r.core) if w.text in ("a", "an")), -1)
    subject = r.core[: max(at, 0)] or r.subject
    if at >= 0 and subject:
        value = r.core[at + 1 :]
        yield RemedyClaim("value", 0, topic(subject), f"{r.verb} {_say(value)}", keys(value))


def _means_claims(r: Instruction, root: str) -> Iterator[RemedyClaim]:
    """Reads "hash X with A", "store X in A", "wrap X in A", "switch X from A"."""
    for prep, tail in r.tails:
        said = f"{r.verb} {prep} {_say(tail)}"
        if root in lexicon.stems(lexicon.WRAPPERS) and prep in ("in", "with", "as"):
            yield RemedyClaim("presence", 1, topic(tail, r.core), r.verb, condition=r.condition)
        elif prep in ("with", "using") and root not in lexicon.stems(lexicon.SETTERS):
            yield RemedyClaim(f"with:{root}", 0, topic(r.core), said, keys(tail))
        elif prep in ("in", "from", "into") and root in lexicon.stems(lexicon.PLACERS):
            yield RemedyClaim("place", 0, topic(r.core), said, keys(tail))
        elif prep == "from" and root in ("switch", "migrat", "chang"):
            yield RemedyClaim("change", 1, topic(tail, r.core), r.verb)


def _setting_claims(r: Instruction) -> Iterator[RemedyClaim]:
    for word in r.core:
        if word.ident and (found := setting(word.text)):
            name = frozenset([found[0]])
            said = f"{r.verb} {word.text}"
            yield RemedyClaim("value", 0, Topic(name, name), said, frozenset([found[1]]))


def _bound_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "at least 5" and "at most 5"."""
    flat = [*r.core, *(w for _, tail in r.tails for w in tail)]
    if not any(w.text in ("atleast", "atmost") for w in flat):
        return
    for word, after in itertools.pairwise(flat):
        if word.text in ("atleast", "atmost") and after.text[:1].isdigit():
            rest = [w for w in flat if w not in (word, after)]
            what, said = topic(r.subject or rest, rest), f"{word.text[:2]} {word.text[2:]}"
            side = 1 if word.text == "atleast" else -1
            yield RemedyClaim("bound", side, what, f"{said} {after.text}", frozenset([after.text]))


def _order_claims(r: Instruction) -> Iterator[RemedyClaim]:
    for prep, tail in r.tails:
        if prep in ("before", "after") and keys(tail):
            side = 1 if prep == "before" else -1
            what = topic(r.core or r.subject, tail)
            yield RemedyClaim(f"order:{stem(r.verb)}", side, what, f"{r.verb} {prep}")


def _say(words: Sequence[Word]) -> str:
    return " ".join(w.text for w in words if w.text not in ("a", "an", "the"))


# --- contrasts ------------------------------------------------------------------------------------


def _contrast_claims(main: Instruction, contrast: tuple[Word, ...]) -> Iterator[RemedyClaim]:
    """Reads "... rather than deleting it": the opposite of the contrasted instruction."""
    while len(contrast) > 1 and contrast[0].text in PREPOSITIONS:
        contrast = contrast[1:]
    if not contrast:
        return
    first = contrast[0]
    if first.ident or not (first.text.endswith("ing") or stem(first.text) in known_verbs()):
        core, tails = noun_phrase(contrast)
        what = topic(core, [w for _, tail in tails for w in tail])
        yield RemedyClaim("presence", -1, what, f"not {_say(core)}")
        return
    core, tails = noun_phrase(contrast[1:])
    if not keys(core):
        yield RemedyClaim("change", main.sign, topic([first]), f"not {first.text}")
        core = main.core
    yield from _verb_claims(Instruction(first.text, -main.sign, core, tails, [], EMPTY))
