"""What surely cannot both be followed: two values of one key.

The key is the scope together with the words of the statement, or with a question that both answer. Its values are
amounts of one kind, members of one class of words, yes and no, for and against, or an answer that the other rules
out by name. All else may be one thing in two wordings or two things side by side, and is only possible.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from guildmoot.consensus.board.answers import YES_NO
from guildmoot.consensus.board.positions import (
    ROLE,
    BoardPosition,
    affirmed,
    instructed,
    one_wording,
    scope_stems,
    side,
    tells_apart,
)
from guildmoot.text.amounts import Amount, split_amounts
from guildmoot.text.english import stem, word_set
from guildmoot.text.opposed.classes import members
from guildmoot.text.opposed.clauses import known_verbs
from guildmoot.text.opposed.denial import aside, denies
from guildmoot.text.opposed.lexicon import KEEPERS, PLACERS

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|%")
_IDLE = word_set(
    "a an the our it in on into for with as of at to use adopt choose pick go add should"
)
"""Words that a statement has or leaves out without another meaning."""
_EMPTY = frozenset(map(stem, word_set(
    "it they them we our us be is are was been do does not no never must shall will each every all"
)))  # fmt: skip
"""What says nothing beside an answer."""
_VERBS = KEEPERS | PLACERS
_LIMIT = re.compile(
    r"\b(?:only|but|except|unless|until|if|when|while|where|before|after|during|for|in|on|at|per|from|inside|outside)\b",
    re.IGNORECASE,
)
"""Words that say of what, where or when a statement holds."""
_REASON = re.compile(
    r"\s*(?:(?:[;.](?=\s+\S+\s+\S)|\.\s*$|\((?=[^)]*(?:\w[./]\w|\b(?:see|round)\b)))"
    rf"(?!.*{_LIMIT.pattern})|,?\s(?:because|since|so\s+that)\b(?!.*\b(?:only|but|except|unless|until|if|when|while)\b)).*",
    re.IGNORECASE | re.DOTALL,
)
"""What follows a statement and takes nothing back."""
_CAUSE = re.compile(r",?\s(?:because|since|so\s+that)\b[^.;]*", re.IGNORECASE)
_HOME = re.compile(
    r"store\s+(?P<what>\S+(?:\s+\S+){0,3}?)\s+(?:only\s+)?(?:in|on|into|inside)\s+(?P<where>\S+(?:\s+\S+){0,3}?)\.?",
    re.IGNORECASE,
)
"""One thing, and the one place where it is kept."""
_ENOUGH = 2
"""Words that two statements under two scopes share at the least, to be one statement."""
_FRAME = frozenset(
    stem(word)
    for word in word_set(
        "store storage store storing live lives place home where which what how when policy policies strategy approach"
        " handling choice setting limit rule kept keep"
    )
)
"""Words of a scope that name no thing."""


class _Key(NamedTuple):
    """A statement without its values, and these."""

    words: tuple[str, ...]
    amounts: tuple[Amount, ...]
    chosen: tuple[tuple[str, str], ...]
    """Members of classes, each with its class."""

    @property
    def bare(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word != "#")


def firm(a: BoardPosition, b: BoardPosition) -> str:
    """Why the two surely contradict each other; empty where that is not certain."""
    if not (a.takes_side and b.takes_side):
        return ""
    if a.scope != b.scope:
        return _firm_across(a, b)
    if a.answer and b.answer and (why := _answers_apart(a, b)):
        return why
    if any(YES_NO.sub("", e.answer).strip() for e in (a, b) if YES_NO.match(e.answer)):
        return ""  # "yes, for reads"
    asked = [_key(each.answer, a.scope) for each in (a, b)]
    if asked[0].amounts and asked[1].amounts and asked[0].words != asked[1].words:
        return ""  # "one for typos"
    if (
        a.stance == b.stance == "adopt"
        and denies(a.text, b.text, exactly=True)
        and not _limited(a, b)
    ):
        return "one adopts what another rejects"
    one, other = (_key(affirmed(each.text), a.scope) for each in (a, b))
    if side(a) != side(b):
        denied = _denies(a, one, b, other) if side(a) < 0 else _denies(b, other, a, one)
        return "one adopts what another rejects" if denied else ""
    return (_values_apart(one, other) or _homes_apart(a, b)) if side(a) == 1 else ""


def _firm_across(a: BoardPosition, b: BoardPosition) -> str:
    """The same of two scopes, of which neither says anything that the two statements do not say themselves."""
    said = scope_stems(a.text) | scope_stems(b.text)
    telling = any(scope_stems(each.own_scope) - said - _FRAME for each in (a, b))
    if telling or tells_apart(a.scope, b.scope):
        return ""
    one, other = (_key(affirmed(each.text), "") for each in (a, b))
    if len(set(one.bare) & set(other.bare) - {"="}) < _ENOUGH:
        return _homes_apart(a, b) if side(a) == side(b) == 1 else ""
    if side(a) != side(b):
        return "one adopts what another rejects" if _is_denied(a, one, other) else ""
    return (_values_apart(one, other) or _homes_apart(a, b)) if side(a) == 1 else ""


def _is_denied(a: BoardPosition, one: _Key, other: _Key) -> bool:
    ban, wish = (one, other) if side(a) < 0 else (other, one)
    clear = not (ban.amounts and wish.amounts) or ban.amounts == wish.amounts
    return ban.bare == wish.bare and ban.chosen == wish.chosen and clear


def _denies(ban: BoardPosition, banned: _Key, wish: BoardPosition, wanted: _Key) -> bool:
    """Whether what is ruled out is just what the other wants, or all that the scope is about."""
    if not banned.bare and not banned.chosen:
        first, *_ = [*_TOKEN.findall(wish.text.casefold()), ""]
        return not wanted.bare or stem(first) in scope_stems(ban.scope)
    return _is_denied(ban, banned, wanted)


def _answers_apart(a: BoardPosition, b: BoardPosition) -> str:
    one, other = (_key(each.answer, a.scope) for each in (a, b))
    yes_no = [YES_NO.match(each.answer) for each in (a, b)]
    if one == other:
        sure = a.stance != b.stance and (not all(yes_no) or _beside(a) == _beside(b))
        return "one adopts what another rejects" if sure else ""
    if a.stance == b.stance == "adopt":
        ruled_out = (
            (_key(each, a.scope) for each in a.rejects),
            (_key(each, a.scope) for each in b.rejects),
        )
        if other in ruled_out[0] or one in ruled_out[1]:
            return "one chooses what another rules out"
        if not _answer_one_thing(a, b):
            return ""
        if yes_no[0] and yes_no[1]:
            return "yes or no" if yes_no[0].lastgroup != yes_no[1].lastgroup else ""
        return _values_apart(one, other)
    return ""


def _limited(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether what follows the main clause may be that in which the two differ."""
    one, other = (_REASON.sub("", aside(each.text)).strip(" .") for each in (a, b))
    return one != other


def _answer_one_thing(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether no word besides tells their answers apart: not debug logs for 30 days, audit logs for a year."""
    beside = _beside(a), _beside(b)
    if beside[0] == beside[1]:
        return True
    for one, more, other in ((a, beside[0], b), (b, beside[1], a)):
        answer, text = other.answer.casefold(), other.text.casefold()
        afterthought = text.startswith(answer) and text[len(answer) :][:1] in (*",;:.(",)
        said = YES_NO.match(one.answer)
        if not any(more) and (said.lastgroup == "no" if said else afterthought):
            return (
                True  # "no" to "yes, one in ten", "a year" to "14 days, the law asks for no more"
            )
    return False


def _beside(position: BoardPosition) -> tuple[frozenset[object], ...]:
    """What it says beside its question and its answer: of what, where, for whom, under which condition."""
    given, text = position.answer, YES_NO.sub("", position.text)
    if YES_NO.match(given):
        text, given = f"{text} {YES_NO.sub('', given)}", ""
    first, _, rest = affirmed(text.strip(" ,.;:")).partition(" ")
    said = rest if stem(first.casefold()) in known_verbs() else f"{first} {rest}"
    known, told = (
        _key(given, position.scope),
        _key(_CAUSE.sub("", said), position.scope, whole=True),
    )
    return (
        frozenset(told.bare) - {*known.bare} - _EMPTY,
        frozenset(told.amounts) - {*known.amounts},
        frozenset(told.chosen) - {*known.chosen},
    )


def _values_apart(one: _Key, other: _Key) -> str:
    """Why two statements in the same words differ in a value; empty where they do not, or in more than one."""
    if one.words != other.words:
        return ""
    if one.chosen == other.chosen and one.amounts != other.amounts:
        kinds = [each.kind for each in one.amounts]
        apart = sum(x != y for x, y in zip(one.amounts, other.amounts, strict=False))
        same = kinds == [each.kind for each in other.amounts] and apart == 1
        return f"another amount ({kinds[0]})" if same else ""
    pairs = list(zip(one.chosen, other.chosen, strict=False))
    apart_in = [(x, y) for x, y in pairs if x != y]
    if (
        one.amounts == other.amounts
        and len(apart_in) == 1
        and apart_in[0][0][0] == apart_in[0][1][0]
    ):
        return f"{apart_in[0][0][1]} or {apart_in[0][1][1]}"
    return ""


def _homes_apart(a: BoardPosition, b: BoardPosition) -> str:
    """Why one thing cannot be where both keep it, or one part not be played by both; empty where it can."""
    one, other = (_home(_REASON.sub("", each.text)) for each in (a, b))
    if not (one and other) or _key(one[0], "") != _key(other[0], ""):
        return ""
    if any(_LIMIT.search(where) or "(" in where for _, where in (one, other)):
        return ""
    places = [{word[:5] for word in _key(where, "").words} for _, where in (one, other)]
    apart = places[0] and places[1] and places[0].isdisjoint(places[1])
    return f"{one[1]} or {other[1]}" if apart else ""


def _home(text: str) -> tuple[str, str] | None:
    """A thing and the one place where it is kept, or a part and what plays it."""
    if role := ROLE.fullmatch(text.strip()):
        return role["role"], role["what"]
    found = _HOME.fullmatch(one_wording(instructed(text)))
    return (found["what"], found["where"]) if found else None


@functools.lru_cache(maxsize=4096)
def _key(text: str, scope: str, *, whole: bool = False) -> _Key:
    text = text.casefold() if whole else _REASON.sub("", text.casefold())
    said = [word.replace(",", "") for word in _TOKEN.findall(text)]
    if said and said[0] in _VERBS:
        del said[0]
    chosen: list[tuple[str, str]] = []
    for where, meant in reversed(list(members(said))):
        sole = [each for each in meant if each[0].endswith("!")]
        if sole:
            chosen.append(sole[0])
            said[where.start : where.stop] = ["="]
    left, amounts = split_amounts(said)
    about = scope_stems(scope)
    kept = (word if word in "=#" else stem(word) for word in left if word not in _IDLE)
    return _Key(tuple(word for word in kept if word not in about), amounts, tuple(chosen))
