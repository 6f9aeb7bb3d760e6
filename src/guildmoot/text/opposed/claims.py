"""What a remedy asks for, as claims.

A claim is an axis ("presence"), a side of it (add or remove) or a value, and the thing it is about.
What is not understood makes no claim, so whatever is built on this leans towards "no conflict".
Whether two remedies pull apart is told in ``opposition``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from guildmoot.text.english import INSTRUCTION_STOP_WORDS, PREPOSITIONS, stem
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.clauses import Clause, Word, clauses, known_verbs
from guildmoot.text.opposed.instructions import Instruction, noun_phrase, read
from guildmoot.text.opposed.restated import restated
from guildmoot.text.opposed.rivals import CLASS, IS, class_claims, unambiguous
from guildmoot.text.opposed.topics import EMPTY, RemedyClaim, Topic, act_key, keys, root_of, topic
from guildmoot.text.opposed.values import (
    COUNTS,
    bound_claims,
    order_claims,
    rival_claims,
    say,
    value_claims,
)

_MOST = 2_000
"""Characters of a remedy that are read; what a reviewer asks for stands in its first sentences."""


@functools.lru_cache(maxsize=32768)
def claims(remedy: str) -> tuple[RemedyClaim, ...]:
    """Everything that a remedy asks for, as far as it is understood."""
    found: list[RemedyClaim] = []
    before: list[Word] = []
    told = False
    for clause in clauses(restated(remedy[:_MOST])):
        if clause.joined and not told:
            continue
        more, before = _clause_claims(clause, before)
        told = bool(more)
        found += more
    return tuple(dict.fromkeys(unambiguous(found)))


def loose_claims(remedy: str) -> tuple[RemedyClaim, ...]:
    """The claims, and for a remedy without a verb what it names: "descending by id, please"."""
    if found := claims(remedy):
        return found
    used = claims(f"use {remedy[:1].lower()}{remedy[1:_MOST]}")
    return tuple(claim for claim in used if claim.axis.startswith((CLASS, IS)))


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
        *value_claims(instruction, clause.contrast),
        *bound_claims(instruction),
        *order_claims(instruction),
        *rival_claims(instruction),
        *_company_claims(instruction),
        *class_claims(instruction, clause.contrast),
        *_contrast_claims(instruction, clause.contrast),
    ]
    stays = instruction.verb in BECOMING and instruction.subject
    return found, (instruction.subject if stays else instruction.core) or before


_BEING = frozenset(["be", "mak", "set", "mark", "let"])
"""Stems of verbs that say nothing without what follows them."""


def _verb_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """What the verb itself says; an unlisted verb at least opposes its own negation."""
    root, what, said = stem(r.verb), r.about(), r.said()
    if root == "set":
        yield RemedyClaim("presence", r.sign, what, said, condition=r.condition)
    if root in _BEING:
        return
    if root == "return" and any(w.text in ("error", "errors", "exception") for w in r.core):
        yield RemedyClaim("failure", r.sign, what, said, condition=r.condition)
    if root == "replac" and any(prep in ("with", "by") for prep, _ in r.tails):
        yield RemedyClaim("presence", -r.sign, what, said, condition=r.condition)
    for axis, side in lexicon.verb_axes().get(root, ()):
        about = _parts(r) if axis == "unity" else what
        about = topic(r.subject) if axis == "failure" and r.subject else about
        yield RemedyClaim(axis, side * r.sign, about, said, condition=r.condition)
        if (axis, side * r.sign) == ("presence", -1):
            yield RemedyClaim("means", -1, about, said, condition=r.condition)
    if undone := lexicon.undone(r.verb):
        yield RemedyClaim(f"do:{root_of(undone)}", -r.sign, what, said, condition=r.condition)
    whole = [w for w in r.core if w.text == "untouched"]
    if whole and root in lexicon.stems(lexicon.KEEPERS):  # "leave the commits as they are"
        r.core.remove(whole[0])
        what = r.about()
        yield RemedyClaim("touch", -r.sign, what, f"{said} as it is", condition=r.condition)
    elif r.sign > 0 and root not in lexicon.stems(lexicon.HARMLESS | lexicon.KEEPERS):
        yield RemedyClaim("touch", 1, what, said, condition=r.condition)
    if root in lexicon.stems(lexicon.KEEPERS):
        become = [w for prep, tail in r.tails if prep == "as" for w in tail]
        what = topic(r.subject) if r.subject else what if what.core else topic(become)
        yield RemedyClaim("change", -r.sign, what, said, condition=r.condition)
        return
    yield RemedyClaim(f"do:{act_key(r.verb)}", r.sign, what, said, condition=r.condition)
    if root in lexicon.stems(lexicon.CHANGERS) or any(prep == "into" for prep, _ in r.tails):
        yield RemedyClaim("change", r.sign, what, said, condition=r.condition)
    yield from _noun_claims(r, root, said)


def _parts(r: Instruction) -> Topic:
    """What is split or merged, with what it becomes: "split X into A and B", "merge A and B into X"."""
    into = [w for prep, tail in r.tails if prep in ("into", "to", "from") for w in tail]
    return topic(w for w in (*(r.core or r.subject), *into) if w.text not in _HOW_FAR)


_HOW_FAR = frozenset([*COUNTS, "up", "further", "both", "again", "back"])
_COMPANY = {
    "without": -1,
    **dict.fromkeys(
        ("with", "behind", "under", "in", "into", "from", "at", "on", "through", "via"), 1
    ),
}
"""Whether a thing is done with what follows a preposition, or not with it."""


def _company_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "ship it behind a flag", "read X without the lock": what goes with it, and what does not."""
    for prep, tail in r.tails:
        side = _COMPANY.get(prep, 0)
        words = tail[1:] if tail and tail[0].text.endswith("ing") else tail
        if side and keys(words):
            said = f"{'not ' if r.sign < 0 else ''}{r.verb} {prep} {say(words)}"
            what = topic(words, r.core)
            axis = f"company:{lexicon.family(stem(r.verb))}"
            yield RemedyClaim(axis, side * r.sign, what, said, condition=r.condition)
            for axis, end in lexicon.state_axes().get(stem(words[0].text), ()):
                yield RemedyClaim(axis, end * side * r.sign, topic(r.core), said)
            if prep in ("in", "into", "to") and words[-1].text in lexicon.ACT_NOUNS and r.core:
                act = f"do:{act_key(words[-1].text)}"  # "it must not be in the log"
                yield RemedyClaim(act, r.sign, topic(r.core), said, condition=r.condition)
            if prep in ("with", "using", "via", "without"):
                yield RemedyClaim("means", side * r.sign, what, said, condition=r.condition)
            if side < 0 or prep == "behind":
                yield RemedyClaim("presence", side * r.sign, what, said, condition=r.condition)


def _noun_claims(r: Instruction, root: str, said: str) -> Iterator[RemedyClaim]:
    """Things that a verb brings about: "lock X" wants a lock, "extract X into f" wants ``f``."""
    if root in ("extract", "factor", "pull"):
        made = next((tail for prep, tail in r.tails if prep in ("into", "to")), [])
        yield RemedyClaim("structure", r.sign, topic(made), said, condition=r.condition)
    if any(
        w.text in ("own", "separate")
        for prep, tail in r.tails
        if prep in ("into", "to", "in")
        for w in tail
    ):
        yield RemedyClaim("structure", r.sign, r.about(), said, condition=r.condition)
    if root in lexicon.stems(lexicon.LIGHT) and r.core:
        yield RemedyClaim("presence", r.sign, topic(r.core), said, condition=r.condition)
    sides = [side for axis, side in lexicon.verb_axes().get(root, ()) if axis == "presence"]
    core = [w for w in r.core if keys([w])]
    one = bool(r.core) and r.core[0].text in ("a", "an")
    if (sides or one or root in lexicon.stems(lexicon.LIGHT)) and core and not core[-1].ident:
        act, side = act_key(core[-1].text), r.sign * (sides or [1])[0]
        about = topic([*core[:-1], *(w for _, tail in r.tails for w in tail)])
        of = any(prep == "of" for prep, _ in r.tails)
        if side == 1 or r.sign < 0 or of or keys(core[:-1]):
            yield RemedyClaim(f"do:{act}", side, about, said, condition=r.condition)
    if root == "go" and not any(prep in ("to", "into", "in") for prep, _ in r.tails):
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
    if r.verb in ("mark", "declare", "define"):
        for word in (words[-1] for prep, words in r.tails if prep == "as" and words):
            yield RemedyClaim(f"state:{stem(word.text)}", r.sign, topic(r.core), r.said())
    flat = [*core, *_plain(tail)]
    for i, word in enumerate(flat):
        last = i + 1 in (len(core), len(flat))
        if word.ident or not (last or r.verb in STATING or word.text.endswith("ly")):
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
        return [(f"do:{act_key(word.text[2:])}", -1)]
    if becoming and word.text.endswith("ed"):
        return [(f"do:{act_key(word.text)}", 1)]
    return [(f"state:{root}", 1)] if becoming else ()


def _held(r: Instruction, word: Word, tail: Sequence[Word]) -> Topic:
    """What is in the state; the verb itself when nothing is named ("match case-insensitively")."""
    held = r.subject or [w for w in r.core if not _is_state(w)]
    held = held if keys(held) or r.verb in STATING else [Word(r.verb)]
    return topic((w for w in held if w is not word), (w for w in tail if not _is_state(w)))


# --- contrasts ------------------------------------------------------------------------------------


def _contrast_claims(main: Instruction, contrast: tuple[Word, ...]) -> Iterator[RemedyClaim]:
    """Reads "... rather than deleting it": the opposite of the contrasted instruction."""
    where = bool(contrast) and contrast[0].text in PREPOSITIONS
    while len(contrast) > 1 and contrast[0].text in PREPOSITIONS:
        contrast = contrast[1:]
    if where:  # "in the view, not in the model"
        axis, what = f"company:{lexicon.family(stem(main.verb))}", topic(contrast, main.core)
        yield RemedyClaim(axis, -main.sign, what, f"not {say(contrast)}")
    if not contrast:
        return
    first = contrast[0]
    for axis, side in lexicon.state_axes().get(stem(first.text), ()):
        yield RemedyClaim(axis, -side, topic(main.core or main.subject), f"not {first.text}")
    if first.ident or not (first.text.endswith("ing") or stem(first.text) in known_verbs()):
        core, tails = noun_phrase(contrast)
        what = topic(core, [w for _, tail in tails for w in tail])
        yield RemedyClaim("presence", -1, what, f"not {say(core)}")
        if stem(main.verb) not in _BEING:  # "return an option rather than a result"
            yield RemedyClaim(f"do:{act_key(main.verb)}", -main.sign, what, f"not {say(core)}")
        if core and not core[-1].ident:
            yield RemedyClaim(
                f"do:{act_key(core[-1].text)}", -1, topic(core[:-1]), f"not {say(core)}"
            )
        return
    core, tails = noun_phrase(contrast[1:])
    if not keys(core):
        yield RemedyClaim("change", main.sign, topic([first]), f"not {first.text}")
        core = main.core
    yield from _verb_claims(Instruction(first.text, -main.sign, core, tails, [], EMPTY))
