"""What an instruction wants to come out in a case: a value, a failure, or that the work goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.text.english import stem
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.clauses import Word
from guildmoot.text.opposed.instructions import Instruction
from guildmoot.text.opposed.topics import RemedyClaim, Topic, keys

_LITERALS = frozenset(["true", "false", "none", "null", "nil", "undefined", "empty"])
_SERVING = lexicon.stems(
    frozenset(["serve", "use", "fallback", "continue", "keep", "show", "default"])
)
"""Verbs of what is done all the same, where another would fail."""
_RETURNING = lexicon.stems(frozenset(["return", "answer", "respond", "reply", "exit"]))


def result_claims(r: Instruction, core: Sequence[Word]) -> Iterator[RemedyClaim]:
    """What is returned in a case; without a case only what is written as a literal.

    "Return 404", "respond with 403" and "reply with a 404" say one act.
    """
    root, said_with = stem(r.verb), [w for prep, tail in r.tails if prep == "with" for w in tail]
    told = frozenset[str]()
    if root in _RETURNING and said_with:  # what stands before it is the case, or who is answered
        core, told = said_with, keys(core)
    value = keys(core)
    ends = [side for axis, side in lexicon.verb_axes().get(root, ()) if axis == "failure"]
    on = next((keys(tail) for prep, tail in r.tails if prep == "on"), frozenset[str]())
    if (ends or root in _SERVING | _RETURNING) and (
        case := r.condition or r.case or on or (keys(r.core) if root == "fallback" else on)
    ):
        end = frozenset(["fail" if ends and ends[0] > 0 else "go on"])
        yield RemedyClaim("outcome", 0, Topic(case), r.verb, end)
    if root not in _RETURNING or not value:
        return
    literal = [w for w in core if w.text[:1].isdigit() or w.text in _LITERALS]
    whose = keys(
        [*r.subject, *(w for prep, tail in r.tails if prep in ("from", "in") for w in tail)]
    )
    at = next((i for i, (prep, _) in enumerate(r.tails) if prep == "for"), len(r.tails))
    which = keys(w for prep, tail in r.tails[at:] if prep in ("for", "of") for w in tail)
    case = r.condition or on or (which if literal else on) or whose or told or frozenset(["return"])
    if case != {"return"} or literal:
        value = keys(literal) if literal else value
        yield RemedyClaim(
            "result", 0, Topic(case), f"{r.verb} {' '.join(w.text for w in core)}", value
        )
