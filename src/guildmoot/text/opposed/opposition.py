"""Whether two remedies ask for opposite things of the same thing.

Which numbers disagree: two targets for one knob ("set X to 10", "set X to 20") are opposed, since it
can have one value only; two bounds are opposed only when they leave nothing between them.
"Replace X with Y" and "remove X" agree that X goes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.text.english import stem
from guildmoot.text.opposed import lexicon
from guildmoot.text.opposed.claims import claims, loose_claims
from guildmoot.text.opposed.rivals import CLASS, IS
from guildmoot.text.opposed.topics import EMPTY, RemedyClaim, Topic
from guildmoot.text.opposed.values import COUNTS

NONE, WEAK, STRONG = 0, 1, 2

PLAIN_AXES = frozenset(["presence", "change", "permission", "failure", "structure", "care"])
"""Axes on which agreement about the same thing casts doubt on an opposition."""

_RIVAL = ("amount:", "slot:", "outcome")
"""Axes on which one act is done in two ways: only where nothing says that they are two occasions."""
ANYTHING = frozenset(["anyth", "noth"])
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PARTICULAR = lexicon.stems(lexicon.OTHER_VERBS | {"retry", "skip", "cache"}) - lexicon.stems(
    lexicon.HARMLESS | lexicon.SETTERS | lexicon.LIGHT
)
_COUNTED = {stem(word): number for word, number in COUNTS.items()}


class Opposition(NamedTuple):
    """Why two remedies cannot both be applied."""

    certain: bool
    """Otherwise they pull apart, but perhaps not on the same thing: for an arbiter."""
    axis: str
    actions: tuple[str, str]
    """Sorted, so that the order of the remedies does not matter."""
    topic: str
    """What both are about."""


@functools.lru_cache(maxsize=4096)
def opposed(remedy_a: str, remedy_b: str) -> Opposition | None:
    """Why the two remedies cannot both be applied, or None; the same whichever comes first."""
    if remedy_a.strip() == remedy_b.strip():
        return None
    first, second = loose_claims(remedy_a), loose_claims(remedy_b)
    found = sorted(
        _oppositions(first, second),
        key=lambda o: (not o.certain, o.axis.startswith(("do:", IS)), *o[1:]),
    )
    if not found:
        return None
    if found[0].certain and _agree(first, second):
        sure = [each for each in found if each.certain and each.axis not in PLAIN_AXES]
        return sure[0] if sure else found[0]._replace(certain=False)
    return found[0]


def agree(remedy_a: str, remedy_b: str) -> bool:
    """Whether the two remedies plainly want the same of the same thing."""
    return _agree(claims(remedy_a), claims(remedy_b))


def _agree(first: tuple[RemedyClaim, ...], second: tuple[RemedyClaim, ...]) -> bool:
    return any(
        a.axis == b.axis
        and a.axis in PLAIN_AXES
        and a.side == b.side
        and (a.axis, a.side) != ("change", 1)
        and same_topic(a.topic, b.topic) == STRONG
        for a in first
        for b in second
    )


def _oppositions(
    first: tuple[RemedyClaim, ...], second: tuple[RemedyClaim, ...]
) -> Iterator[Opposition]:
    for a in first:
        for b in second:
            if a.axis == b.axis and _pull_apart(a, b) and (sure := _sureness(a, b)):
                low, high = sorted((a.action, b.action))
                what = " ".join(sorted(a.topic.core & b.topic.core))
                yield Opposition(sure == STRONG, a.axis, (low, high), what)


# --- is it one thing? -----------------------------------------------------------------------------


def same_topic(a: Topic, b: Topic) -> int:
    """How surely two claims are about one thing: NONE, WEAK or STRONG."""
    shared = a.core & b.core
    names = shared & (a.names | b.names)
    if not shared or (not names and a.names and b.names):
        return NONE
    if _apart(a, b):
        return WEAK
    if names:
        return STRONG
    around = a.around & b.around if a.around <= b.around or b.around <= a.around else EMPTY
    if len(shared | around) >= 2:
        close = _nested(a, b) or len(shared) > 2
        return STRONG if close and 2 * len(shared) >= min(len(a.core), len(b.core)) else WEAK
    telling = shared - lexicon.stems(lexicon.GENERIC)
    return STRONG if telling and shared in (a.core, b.core) else WEAK


def _apart(a: Topic, b: Topic) -> bool:
    """They belong to different things: "the index on orders", "the index on notes"."""
    if not (a.around and b.around):
        return False
    return not (a.around <= b.around | b.core or b.around <= a.around | a.core)


def _nested(a: Topic, b: Topic) -> bool:
    """One names the thing as closely as the other, or more closely; "reset links", "login links" do not."""
    return a.core <= b.core or b.core <= a.core


def _class_sureness(a: RemedyClaim, b: RemedyClaim) -> int:
    """Two members of a class, at one place: rivals unless they are said of two things, cases or phases."""
    first, second = a.topic, b.topic
    whole, other = first.core | first.around, second.core | second.around
    nested = first.core <= other or second.core <= whole
    if "!" in a.axis:
        one = nested or not first.core & second.core
    else:
        one = nested and (bool(whole & other) or not whole or not other)
    phases = -1 not in (a.phase, b.phase) and a.phase != b.phase
    apart = _apart(first, second) or a.condition != b.condition or phases
    return NONE if not one else WEAK if apart else STRONG


def _sureness(a: RemedyClaim, b: RemedyClaim) -> int:
    if a.axis.startswith((CLASS, IS)):
        return _class_sureness(a, b)
    sure = same_topic(a.topic, b.topic)
    if sure and a.side == 0:
        return _value_sureness(a, b, sure)
    if not sure and a.axis not in PLAIN_AXES and not (a.topic.core and b.topic.core):
        vague = a.axis.startswith(("do:", "company:")) or (
            a.side == 0 and a.topic.core != b.topic.core
        )
        sure = WEAK if vague else STRONG  # "it", in one place
    if a.axis == "failure" and _one_failure(a, b):
        return STRONG
    if a.axis == "change" and sure and not _apart(a.topic, b.topic):
        kept, gone = (a, b) if a.side < 0 else (b, a)
        sure = STRONG if kept.topic.core <= gone.topic.core else sure  # "keep the flag": that one
    if a.axis.startswith(("do:", "company:")):
        return _ban_sureness(*((a, b) if a.side < 0 else (b, a)), sure)
    if a.axis.startswith("order:") and not a.topic.around & b.topic.around:
        return NONE
    if a.topic.core == b.topic.core and a.axis != "presence" and not _apart(a.topic, b.topic):
        sure = STRONG  # "the flag" and "the flag", in one place
    return min(sure, WEAK) if _other_case(a, b) else sure


def _one_failure(a: RemedyClaim, b: RemedyClaim) -> bool:
    """Whether one failure is meant, wherever it is named: "skip bad rows", "abort at the first bad row"."""
    first, second = (claim.topic.core | claim.topic.around | claim.condition for claim in (a, b))
    shared = first & second
    telling = shared - lexicon.stems(lexicon.GENERIC)
    if len(telling) > 1:
        return 2 * len(telling) >= min(len(first), len(second))
    return bool(telling) and len(shared) > 1 and shared in (first, second)


def _other_case(a: RemedyClaim, b: RemedyClaim) -> bool:
    """They hold under different conditions."""
    nested = a.condition <= b.condition or b.condition <= a.condition
    return a.condition != b.condition and not (nested and a.condition & b.condition)


def _ban_sureness(ban: RemedyClaim, wish: RemedyClaim, sure: int) -> int:
    """For "do not rotate the key" and "rotate the key": the verb itself already agrees."""
    if ban.topic.core <= ANYTHING:
        return STRONG
    act = ban.axis.removeprefix("do:")
    vague = ban.topic.core <= lexicon.stems(lexicon.GENERIC) and not ban.topic.around
    if not sure and vague and act in _PARTICULAR:
        return WEAK if ban.condition else STRONG  # "do not retry this call", at one place
    if sure and _nested(ban.topic, wish.topic) and not _apart(ban.topic, wish.topic):
        sure = STRONG
    if ban.condition and _other_case(ban, wish):  # a plain ban covers the wish's condition as well
        return min(sure, WEAK)
    return sure


def _value_sureness(a: RemedyClaim, b: RemedyClaim, sure: int) -> int:
    """One thing can have one value only, so an equal name is enough even when it is a common one."""
    if a.axis.startswith(("with:", "slot:with:")) and max(len(a.value), len(b.value)) > 1:
        return sure if a.value & b.value else WEAK
    if a.condition and b.condition and not a.condition & b.condition:
        return WEAK
    if a.axis.endswith("!") and a.topic != b.topic:
        return (
            WEAK  # nothing is named but the act: "sort by name", "sort by date in the other view"
        )
    if a.axis.startswith(_RIVAL) and (
        _apart(a.topic, b.topic) or a.condition != b.condition or not _nested(a.topic, b.topic)
    ):
        return WEAK
    return STRONG if a.topic.core == b.topic.core else sure


# --- do they pull apart? --------------------------------------------------------------------------


def _pull_apart(a: RemedyClaim, b: RemedyClaim) -> bool:
    if a.axis == "bound":
        return a.side != b.side and _bounds_clash(*((a, b) if a.side > 0 else (b, a)))
    return a.side == -b.side if a.side else _values_differ(a.value, b.value)


def _numbers(value: frozenset[str]) -> frozenset[str]:
    told = (_COUNTED.get(key, key) for key in value)
    return frozenset(key for key in told if _NUMBER.match(key))


def _values_differ(a: frozenset[str], b: frozenset[str]) -> bool:
    """Different enough that only one of them can be: no word in common, or other numbers."""
    first, second = _numbers(a), _numbers(b)
    if first or second:
        return bool(first and second) and not first & second
    return not a <= b and not b <= a


def _bounds_clash(low: RemedyClaim, high: RemedyClaim) -> bool:
    least, most = (_NUMBER.match(min(claim.value)) for claim in (low, high))
    return bool(least and most and float(least[0]) > float(most[0]))
