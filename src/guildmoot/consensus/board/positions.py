"""One engineer's position, and how the judgement core reads it: its scope is the place, its words are
what is asked for there. Who contradicts whom is for ``positions``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from guildmoot.text.english import INSTRUCTION_STOP_WORDS, PREPOSITIONS, stem
from guildmoot.text.opposed.claims import claims
from guildmoot.text.opposed.classes import classes
from guildmoot.text.opposed.clauses import known_verbs

_NEGATIVE = re.compile(
    r"(?:please\s+)?(?P<lead>do\s+not\s+use|do\s+not|don't\s+use|don't|no|not|never|without)\s+"
    r"(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_DENIED = re.compile(
    r"^(?P<subject>[^;:,.(]{1,80}?)\s(?:(?P<helps>do|does|did)(?:\s+(?:not|never)|n't)"
    r"|(?P<verb>is|are|was|were|will|would|shall|should|must|may|might|has|have|can|could)(?:\s+(?:not|never)|n't|not)"
    r"|(?P<never>never))\s+(?!(?:exceed|last|take|need|be\s+(?:more|less|longer|larger|older|bigger|above|over))\b|only\b)"
    r"(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A statement with its "not" inside: "backups are not encrypted", "sessions don't live in Redis"."""
_NOUN = re.compile(r"(?:no|without)\s", re.IGNORECASE)
_TYPE = re.compile(r"[\s`*\"_-]+")
_ARTICLE = re.compile(r"^(?:the|a|an|our)\s+", re.IGNORECASE)
_ASIDE = re.compile(
    r"\s*(?:[;:(]|,\s|\b(?:so\s+that|because|since|which|while|until|unless)\b).*",
    re.IGNORECASE | re.DOTALL,
)
_CONTRAST = re.compile(r"[\s,;(]+(?:not|instead\s+of|rather\s+than)\b.*", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"[^\W_][\w.+#/-]*")
_STATED = re.compile(
    r"(?P<subject>(?!(?:there|it|this|that|we|i|you|they|what)\b)[A-Za-z][\w'-]*(?:\s+[\w'-]+){0,3}?)\s+"
    r"(?:(?P<verb>lives?|stays?|sits?|goe?s?|comes?|belongs?|expires?)\s+(?:only\s+)?"
    r"(?P<prep>in|on|to|from|at|into|after|with)|(?:is|are)(?!\s+not\b))\s+(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_VERBS = {
    "live": "keep", "stay": "keep", "sit": "keep", "go": "send", "come": "read",
    "belong": "keep", "expire": "expire",
}  # fmt: skip
IMPLIED = 8
"""Words of its own text that are the scope of a position that names none."""
ROLE = re.compile(
    r"(?:use|adopt|choose|pick|take)\s+(?P<what>\S.{0,120}?)\s+as\s+(?!an?\b)(?:(?:the|our)\s+)?"
    r"(?P<role>[\w -]{2,60})\.?",
    re.IGNORECASE,
)
"""Something in a part that only one can play: "use Redis as the cache"."""
_ELSEWHERE = re.compile(
    r",?\s+(?:and|but)\s+(?:never|not)\s+(?:in|on|into|at|to|from)\s[^.;]*", re.IGNORECASE
)
"""Where a thing is not to be, after where it is: "put it into X and never on Y"."""
_PUT = re.compile(
    r"^(?:hold|keep|persist|place|put|save)(?=\s+\S.{0,80}?\s(?:in|on|into|inside|within|under)\s)",
    re.IGNORECASE,
)


class BoardPosition(NamedTuple):
    """One engineer's stand on one scope, in one round."""

    engineer: str
    round: int
    scope: str
    stance: Literal["adopt", "reject", "option", "open", "withdraw"]
    text: str
    cited: tuple[str, ...] = ()
    answer: str = ""
    """The choice in a few words, where the engineer gave it apart."""
    rejects: tuple[str, ...] = ()
    """Other answers that the engineer rules out by name."""
    named: str = ""
    """The scope in the engineer's own words, where the board has another name for it."""
    moves: bool = False
    """Whether it takes the place of what its engineer held on the scope before."""

    @property
    def takes_side(self) -> bool:
        """Whether it is for or against something."""
        return self.stance in ("adopt", "reject")

    @property
    def names_scope(self) -> bool:
        """Whether the scope says more than the text itself."""
        return self.scope != self._implied

    @property
    def own_scope(self) -> str:
        """What the engineer calls it; empty for who names no scope."""
        own = self.named or self.scope
        return own if own != self._implied else ""

    @property
    def _implied(self) -> str:
        return " ".join(self.text.split()[:IMPLIED])


def remedies(position: BoardPosition) -> Iterator[str]:
    """What the position asks for, as an instruction; with its scope where the text names none."""
    said, noun = instructed(affirmed(position.text)), _NOUN.match(position.text.strip())
    asked = said if claims(said) and not noun else f"use {said}"
    if side(position) < 0:
        asked = f"do not {asked[:1].lower()}{asked[1:]}"
    yield asked
    main = _ASIDE.sub("", asked) or asked
    if position.own_scope and not re.search(r"\bfor\b", main):
        yield f"{main} for {plain(position.scope)}"


def instructed(text: str) -> str:
    """What a plan states, as an instruction: "the cart lives on the server" is "keep the cart on the server"."""
    text = _ELSEWHERE.sub("", text)
    if role := ROLE.fullmatch(text.strip()):
        return f"use {role['what']} for {role['role']}"
    found = _STATED.match(text.strip())
    if not found:
        return text
    subject, rest = found["subject"], found["rest"].rstrip(" .")
    done = (found["verb"] or "").casefold()
    if verb := next((_VERBS[key] for key in _VERBS if done.startswith(key)), ""):
        return f"{verb} {subject} {found['prep']} {rest}"
    first = rest.split()[0].casefold()
    bound = first in PREPOSITIONS or any(w in PREPOSITIONS for w in rest.casefold().split()[:3])
    return f"keep {subject} {rest}" if bound else f"use {rest} for {subject}"


def one_wording(text: str) -> str:
    """The text with one verb for all that put a thing somewhere: "keep it in X" is "store it in X"."""
    return _PUT.sub("store", text.strip(), count=1)


def tells_apart(a: str, b: str) -> bool:
    """Whether two scopes differ in words that exclude each other: "client timeout", "server timeout"."""
    groups = classes()
    sides = [
        {each for word in scope.casefold().split() for each in groups.get(word, ())}
        for scope in (a, b)
    ]
    axes = [{axis for axis, _ in side} for side in sides]
    return any(
        not {v for k, v in sides[0] if k == axis} & {v for k, v in sides[1] if k == axis}
        for axis in axes[0] & axes[1]
    )


def affirmed(text: str) -> str:
    """The text without its "do not", or the "not" inside."""
    if found := _NEGATIVE.match(text.strip()):
        return found["rest"]
    if inner := _DENIED.match(text.strip()):
        return " ".join(filter(None, (inner["subject"], inner["verb"], inner["rest"])))
    return text


def _is_negative(text: str) -> bool:
    return bool(_NEGATIVE.match(text.strip()) or _DENIED.match(text.strip()))


def side(position: BoardPosition) -> int:
    """+1 for, -1 against, 0 for what takes no side; "reject: do not add it" is against, once."""
    if not position.takes_side:
        return 0
    against = position.stance == "reject" or _is_negative(position.text)
    return -1 if against else 1


def side_text(position: BoardPosition) -> str:
    """The choice in words that tell whether it is against something."""
    return f"not: {position.text}" if told_stance(position) == "reject" else position.text


def told_stance(position: BoardPosition) -> str:
    """The stance for people: who rejects with "do not add it" decides just that, not its opposite."""
    denied = position.stance == "reject" and _is_negative(position.text)
    return "adopt" if denied else position.stance


def plain(scope: str) -> str:
    """A scope without what does not tell it apart: its type, its article, its last mark."""
    bare = _TYPE.sub(" ", scope).casefold().strip().rstrip(" .:?!")
    return _ARTICLE.sub("", bare) or bare


def choice(position: BoardPosition) -> frozenset[str]:
    """The words that tell the choice from another one on the same scope."""
    words = _WORD.findall(_CONTRAST.sub("", position.text))
    if len(words) > 1 and stem(words[0].casefold()) in known_verbs():
        words = words[1:]
    return scope_stems(" ".join(words)) - scope_stems(position.scope)


@functools.lru_cache(maxsize=8192)
def scope_stems(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, as stems."""
    words = (word.casefold().rstrip(".-/") for word in _WORD.findall(text))
    return frozenset(stem(w) for w in words if w not in INSTRUCTION_STOP_WORDS | PREPOSITIONS)


def names_subject_of(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether one's scope names what the other decides about: "address storage" and "store addresses as JSONB"."""
    if a.scope == b.scope or tells_apart(a.scope, b.scope):
        return False
    return any(
        len(named := scope_stems(one.scope)) > 1
        and all(any(_one_root(word, each) for each in scope_stems(other.text)) for word in named)
        for one, other in ((a, b), (b, a))
    )


def _one_root(a: str, b: str) -> bool:
    """``stor`` and ``storag``: the shorter begins the longer."""
    short, long = sorted((a, b), key=len)
    return len(short) > 3 and long.startswith(short)
