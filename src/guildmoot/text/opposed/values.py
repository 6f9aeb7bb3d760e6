"""The values that an instruction gives: settings, means, places, amounts, results, and words that exclude each other.

One thing can have one value only, so two instructions that do the same to the same thing with another
value cannot both be followed. Which verbs take one value, and which words exclude each other, is in
``lexicon``; whether two claims pull apart is told in ``opposition``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from guildmoot.text.english import INSTRUCTION_STOP_WORDS, stem, word_set
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.clauses import Word
from guildmoot.text.opposed.instructions import Instruction
from guildmoot.text.opposed.results import result_claims
from guildmoot.text.opposed.topics import RemedyClaim, Topic, keys, setting, topic

VALUE_WORDS = frozenset(["to", "with", "by", "into", "at", "as", "after"])
FAMILIES = {"renam": "name", "call": "name", "mov": "place", "cap": "cap", "limit": "cap"}


def value_claims(r: Instruction, contrast: tuple[Word, ...]) -> Iterator[RemedyClaim]:
    """Reads "set X to 5", "rename X to Y", "use A for X", "use A instead of X", "make X a Y"."""
    root = stem(r.verb)
    if r.sign < 0:
        return
    yield from _means_claims(r, root)
    yield from _setting_claims(r)
    if root == "use":
        targets = [tail for prep, tail in r.tails if prep in ("for", "as")] or [list(contrast)]
        about = [topic(target) for target in targets if target]
        if not about and any(w.text == "here" for w in r.core):
            about = [Topic(frozenset(["here"]))]
        for what in about:
            yield RemedyClaim("value", 0, what, f"use {say(r.core)}", keys(r.core))
        return
    if root in ("mak", "be", "stay", "turn", "keep", "leav"):
        yield from _become_claims(r)
    for words in (words for prep, words in r.tails if prep == "as" and words):
        if words[0].text in ("a", "an"):
            yield RemedyClaim("value", 0, topic(r.core), f"{r.verb} as {say(words)}", keys(words))
    if root in ("call", "nam") and r.core and r.core[0].text in ("it", "this", "them"):
        yield RemedyClaim("name", 0, Topic(), f"{r.verb} {say(r.core)}", keys(r.core))
    tail = next(((p, t) for p, t in r.tails if p in VALUE_WORDS), None)
    if (
        tail
        and (root, tail[0]) != ("pin", "by")
        and root in lexicon.stems(lexicon.SETTERS)
        and (value := keys(tail[1]))
    ):
        owners = [w for p, t in r.tails if (p, t) != tail and p in ("of", "for", "in") for w in t]
        what, said = topic(r.core or r.subject, owners), f"{r.verb} to {say(tail[1])}"
        yield RemedyClaim(FAMILIES.get(root, "value"), 0, what, said, value, r.condition)


def _become_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "make X a Y"."""
    at = next((i for i, w in enumerate(r.core) if w.text in ("a", "an")), -1)
    if at < 0 and r.subject and len(r.core) == 1 and r.core[0].ident:  # "X must be `Y`"
        yield RemedyClaim("value", 0, topic(r.subject), f"be {say(r.core)}", keys(r.core))
    subject = r.core[: max(at, 0)] or r.subject
    if at >= 0:
        value = r.core[at + 1 :]
        yield RemedyClaim("value", 0, topic(subject), f"{r.verb} {say(value)}", keys(value))


def _means_claims(r: Instruction, root: str) -> Iterator[RemedyClaim]:
    """Reads "hash X with A", "store X in A", "wrap X in A", "switch X from A"."""
    for prep, tail in r.tails:
        said = f"{r.verb} {prep} {say(tail)}"
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
            what = topic([], (w for _, tail in r.tails for w in tail))._replace(
                core=name, names=name
            )
            yield RemedyClaim("value", 0, what, said, frozenset([found[1]]))
            for axis, side in lexicon.state_axes().get(stem(found[1]), ()):
                yield RemedyClaim(axis, side * r.sign, what, said)


def bound_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "at least 5" and "at most 5"."""
    flat = [*r.core, *(w for _, tail in r.tails for w in tail)]
    if not any(w.text in ("atleast", "atmost") for w in flat):
        return
    for word, after in itertools.pairwise(flat):
        number = _AMOUNT.fullmatch(COUNTS.get(after.text, after.text))
        if word.text in ("atleast", "atmost") and number:
            rest = [w for w in flat if w not in (word, after)]
            what, said = topic(r.subject or rest, rest), f"{word.text[:2]} {word.text[2:]}"
            side = 1 if word.text == "atleast" else -1
            yield RemedyClaim("bound", side, what, f"{said} {after.text}", frozenset([number[1]]))


def order_claims(r: Instruction) -> Iterator[RemedyClaim]:
    for prep, tail in r.tails:
        if prep in ("before", "after") and keys(tail):
            side = 1 if prep == "before" else -1
            what = topic(r.core or r.subject, tail)
            yield RemedyClaim(f"order:{stem(r.verb)}", side, what, f"{r.verb} {prep}")


def say(words: Sequence[Word]) -> str:
    return " ".join(w.text for w in words if w.text not in ("a", "an", "the"))


# --- the same act with another value --------------------------------------------------------------

_SLOTS = {
    **dict.fromkeys(("in", "on", "into", "onto"), "in"),
    **{
        prep: prep
        for prep in ("at", "as", "with", "by", "via", "through", "from", "to", "using", "against")
    },
}
"""Prepositions after which a value stands; other ones say when, or of what."""
_AMOUNT = re.compile(r"(\d[\d_,]*(?:\.\d+)?)([a-z%]*)")
_SECONDS: dict[str, float] = {
    **dict.fromkeys(("ms", "millisecond"), 0.001),
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minut"), 60),
    **dict.fromkeys(("h", "hour"), 3600),
    **dict.fromkeys(("d", "day"), 86400),
    "week": 604800,
    "month": 2592000,
    "year": 31536000,
}
_BYTES: dict[str, float] = {
    "b": 1,
    "byt": 1,
    "kb": 1e3,
    "kib": 1e3,
    "mb": 1e6,
    "mib": 1e6,
    "gb": 1e9,
    "gib": 1e9,
}
COUNTS = {
    "single": "1",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "ten": "10",
    "twenty": "20",
    "thirty": "30",
    "sixty": "60",
    "hundred": "100",
}
_HAVING = frozenset(
    map(
        stem,
        word_set("""
allow be bump cut decrease deploy drop expire extend grow have increase keep last lengthen let
limit live lower make raise reduce restrict run scale set shorten stay use want
"""),
    )
)
"""Verbs after which a number says how many there are to be."""


def rival_claims(r: Instruction) -> Iterator[RemedyClaim]:
    """Reads "sort X in descending order", "keep X for 7 days", "log at INFO", "return 404 when Y"."""
    if r.sign < 0:
        return
    core, tails = r.core, r.tails
    yield from _amount_claims(r, core, tails)
    yield from _slot_claims(r, core, tails)
    yield from result_claims(r, core)


def _occasion(tails: Sequence[tuple[str, list[Word]]]) -> list[Word]:
    """What the tails tell of where and for what, and not of how long it takes."""
    return [
        w
        for prep, tail in tails
        if prep not in ("over", "within", "during", "by")
        for w in tail
        if stem(w.text) not in _SECONDS
    ]


def _amount_claims(
    r: Instruction, core: Sequence[Word], tails: Sequence[tuple[str, list[Word]]]
) -> Iterator[RemedyClaim]:
    """A number and its unit, said of what the instruction is about."""
    root = stem(r.verb)
    act = "have" if root in _HAVING else lexicon.family(root)
    parts = [("", core), *tails]
    for at, (prep, words) in enumerate(parts):
        for i, word in enumerate(words):
            found = _AMOUNT.fullmatch(_count(words, i))
            bound = i and words[i - 1].text in ("atleast", "atmost")
            if not found or bound:
                continue
            after = words[i + 1] if i + 1 < len(words) else Word("")
            small = after.ident or after.text in INSTRUCTION_STOP_WORDS
            unit = found[2] or ("" if small else stem(after.text))
            kind, number = _measure(found[1], unit)
            rest = [w for w in core if w is not word]
            if root in _HAVING and r.subject:
                rest = r.subject
            if kind in ("time", "size") and not found[2]:
                rest = [w for w in rest if w is not after]
            beside = _occasion([(p, t) for p, t in tails if p != prep])
            if not keys(rest):  # "keep 7 days of backups"
                rest, beside = (beside, []) if keys(beside) else ([Word(r.verb)], [])
            what = topic(rest, beside)
            said = f"{r.verb} {found[0]} {after.text}".strip()
            if (every := _rate(parts, at, i)) and not found[
                2
            ]:  # "50 per page", whatever it is said of
                axis = f"rate:{' '.join(sorted(every))}"
                yield RemedyClaim(axis, 0, Topic(), said, frozenset([number]), r.condition)
            if act == "have" and kind not in ("time", "size"):  # a number is its own bound
                for side in (1, -1):
                    yield RemedyClaim("bound", side, what, said, frozenset([number]), r.condition)
            yield RemedyClaim(
                f"amount:{kind}:{act}", 0, what, said, frozenset([number]), r.condition
            )


def _rate(parts: Sequence[tuple[str, Sequence[Word]]], at: int, i: int) -> frozenset[str]:
    """What follows "per", right after a number and at most one word."""
    near = i + 2 >= len(parts[at][1]) and at + 1 < len(parts) and parts[at + 1][0] == "per"
    return keys(parts[at + 1][1]) if near else frozenset()


def _count(words: Sequence[Word], i: int) -> str:
    """A word as a number: "three", and "a" before a unit of time."""
    text = words[i].text
    if text in ("a", "an") and i + 1 < len(words) and stem(words[i + 1].text) in _SECONDS:
        return "1"
    return COUNTS.get(text, text)


def _measure(number: str, unit: str) -> tuple[str, str]:
    """What a number counts, and how much it is in one unit of that."""
    amount = float(number.replace(",", "").replace("_", "") or 0)
    for kind, scales in (("time", _SECONDS), ("size", _BYTES)):
        if unit in scales:
            return kind, f"{amount * scales[unit]:.6g}"
    return unit, f"{amount:.6g}"


def _slot_claims(
    r: Instruction, core: Sequence[Word], tails: Sequence[tuple[str, list[Word]]]
) -> Iterator[RemedyClaim]:
    """What follows a preposition, for verbs that do a thing in one way only."""
    root = stem(r.verb)
    alone = "" if keys(core) else "!"
    core = core if keys(core) else [Word(r.verb)]
    if root in lexicon.stems(lexicon.MANIFOLD):
        return
    for slot in dict.fromkeys(_SLOTS[prep] for prep, _ in tails if prep in _SLOTS):
        tail = [w for prep, words in tails if _SLOTS.get(prep) == slot for w in words]
        if value := keys(tail):
            beside = _occasion([(p, t) for p, t in tails if _SLOTS.get(p) != slot])
            act, said = lexicon.family(root), f"{r.verb} {slot} {say(tail)}"
            yield RemedyClaim(
                f"slot:{slot}:{act}{alone}", 0, topic(core, beside), said, value, r.condition
            )
