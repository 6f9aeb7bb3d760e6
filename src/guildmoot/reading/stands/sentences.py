"""One sentence of an engineer: what it recommends, advises against, asks or lays down.

An order ("Use cursors"), advice ("I'd put it into the header"), a duty ("sessions must expire") and what is laid down
in the present tense ("Sessions live in Redis", "The table is partitioned by day") are positions. What tells of the
present state, of a feeling or of a reason is none.
"""

from __future__ import annotations

import re

from guildmoot.reading.stands.moves import OwnMove, read_move
from guildmoot.reading.stands.stated import Stance, StatedDecision, make_decision
from guildmoot.text.english import stem, word_set

_LEADS: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("reject", re.compile(
        r"^(?:(?:I|we)\s+(?:would|should|must|do|will)\s*(?:not|n't)|(?:I|we)\s+(?:advise|argue)\s+against|"
        r"(?:I|we)'d\s+not|(?:we|you)\s+(?:shouldn't|mustn't)|I\s+wouldn't|do\s+not|don't|avoid|never|"
        r"let(?:'s|\s+us)\s+not)\s+", re.IGNORECASE)),
    ("adopt", re.compile(
        r"^(?:(?:so|therefore|thus|instead|finally|first|second|third),?\s+)?(?:(?:my|the)\s+"
        r"recommendation\s+is\s+(?:to\s+)?|let(?:'s|\s+us)\s+|(?:(?:I|we)\s+would|(?:I|we)'d)\s+"
        r"(?:rather\s+)?(?!be\b|like\b|love\b|say\b|expect\b|think\b|guess\b|have\b|argue\b|need\b|"
        r"want\b|recommend\b|propose\b|suggest\b|prefer\b|also\b|only\b|still\b|not\b|\w+ly\b)|"
        r"(?:I|we)\s+want\s+(?!to\b|you\b|it\b)|(?:I|we)\s+(?:would\s+|strongly\s+)?(?:recommend|propose|"
        r"suggest|prefer|should|must|need\s+to)\s+(?:that\s+we\s+|to\s+|we\s+)?)", re.IGNORECASE)),
)  # fmt: skip
_FRONT = re.compile(
    r"^(?:for|as|in|on|with|at|to)\s[^,.;?]{2,60}?\s(?=(?:I|we)(?:'d|\s+would|\s+should)\s)",
    re.IGNORECASE,
)
"""What stands before advice without a comma: "For rendering I would take ..."."""
_RULES = re.compile(
    r"^(?:no|only|every|each|all|at\s+most|at\s+least)\s+(?!(?:(?:further|other|more|new|real|big)\s+)?(?:objections?|"
    r"doubts?|comments?|changes?|concerns?|contradictions?|questions?|ideas?|opinions?|reasons?|needs?|options?|answers?|"
    r"proposals?|problems?|one|of|the|this|that|these)\b)\S+\s+\S",
    re.IGNORECASE,
)
"""A rule without a verb in front: "Only one voucher per order."."""
_ORDERS = word_set("""
    announce answer authenticate authorize back begin boost buy chain charge collect deliver deploy end go
    guarantee host issue launch measure model monitor offer own page park partition quarantine queue rank
    represent rerun resize respond review revoke roll route sample scale schedule seed ship watch""")
_NO_ORDER = word_set("""ask assume compare consider include let read say""")
_RESULT = re.compile(r"^[^?]{3,120}?,\s+(?:so|hence|therefore|thus)\s+(?!that\b)", re.IGNORECASE)
"""What comes before the choice: "Nobody reads it, so ..."."""
_CASE = re.compile(
    r"^(?:to|while|when|once|after|before|if|on|in|at|for|during|until|with|as\s+long\s+as)\s[^,?]{2,80},\s+",
    re.IGNORECASE,
)
_NO_CHOICE = re.compile(
    r"\b(?:already|currently|today|now|was|were|had|been|has|have|seems?|feels?|thinks?|guess|hopes?|worr\w+|fear\w*|"
    r"probably|perhaps|maybe|might|could|would|likely|because|however|although|means|matters?|costs?|wants?|"
    r"prefers?|likes?|knows?|believes?|agrees?|disagrees?|argues?|depends|everyone\s+knows)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"(?:I|you|he|she|it|they|this|that|these|those|there|here|who|what|which|how|why|nobody|somebody|everybody|"
    r"nothing|everything|both|neither|my|your|his|her|and|but|or|yes|no\s+one|also|not)\b",
    re.IGNORECASE,
)
_JUDGES = word_set("""
    fine slow slower fast faster simple simpler hard harder good bad better best worse expensive cheap cheaper
    important likely clear late small large big easy easier tricky risky safe safer wrong right true false not a
    great nice painful rare common known unclear unknown possible impossible useful useless""")
_PLAIN_VERBS = word_set("""
    answer approve arrive authenticate begin belong carry come decide deploy emit end exceed expire fit get
    go happen hold issue land live own pay publish receive rely remain reside run score see send
    ship sign sit speak stand start stay suffice suspend talk travel use write""")
_DUTY = re.compile(
    r"^(?!(?:I|we|you|they|he|she|it|this|that|these|those|there|one|who|what|which|nobody|somebody|if|when|"
    r"while|because|since|although|though|unless|until|whether|as|for|in|on|at|by|to)\b)"
    r"(?P<subject>[\w`'./ -]{2,60}?)\s+(?:should|must|shall|ought\s+to|ha(?:s|ve)\s+to|needs?\s+to)\s+\S",
    re.IGNORECASE,
)
_UNREAL = re.compile(r"\b(?:if|unless)\s+\w+(?:\s+\w+)?\s+(?:were|was|had)\b", re.IGNORECASE)
"""What would be, and is not: "I would move to a queue if it were cheaper"."""
_ASIDE = re.compile(r"\s*(?:[:;]|\s-+|\s?[\u2013\u2014])\s.*")
_CODE = re.compile(r"`([^`\n]{2,60})`")


_BASES = {
    (f"{verb.removesuffix('e')}ing" if verb not in ("let", "put") else f"{verb}ting"): verb
    for verb in word_set(
        "allow hold keep leave let maintain make preserve put retain save store take use write"
    )
}
"""Verbs that an order begins with, by what "I move to" has of them."""
_SETTLES = word_set("gets get may must will never cannot needs need")
_LAYING = frozenset(map(stem, _PLAIN_VERBS | _ORDERS))


def read_sentence(sentence: str) -> StatedDecision | None:
    """The position that the sentence takes, or None."""
    if sentence.endswith("?"):
        return make_decision(name_scope(sentence), "open", sentence)
    return _led(sentence) or _ordered(sentence) or _laid_down(sentence)


def _led(sentence: str) -> StatedDecision | None:
    """What words of advice or duty lead: "I'd rather", "we should not", "sessions must"."""
    if _UNREAL.search(sentence):
        return None
    for stance, lead in _LEADS:
        if found := lead.match(sentence):
            # What follows "do not do it:" is what to do instead.
            said = _ASIDE.sub("", sentence[found.end() :]) if stance == "reject" else ""
            said = (said or sentence[found.end() :]).strip().rstrip(".")
            if said.casefold().startswith(("withdraw ", "retract ")):
                return None
            return make_decision(name_scope(said), stance, said)
    if move := read_move(sentence):
        return moved(move)
    if found := _DUTY.match(sentence):
        return make_decision(
            name_scope(found["subject"]) or found["subject"], "adopt", sentence.rstrip(".")
        )
    return None


def _laid_down(sentence: str) -> StatedDecision | None:
    """What is laid down in the present tense, with what leads up to it left out."""
    said = _RESULT.sub("", sentence.strip()).rstrip(" .!")
    main = _FRONT.sub("", _CASE.sub("", said))
    if said != sentence.strip().rstrip(" .!") or main != said:
        head = main[:1].upper() + main[1:]
        if found := _led(head) or _ordered(head):
            turns = found.moves or found.stance == "withdraw"
            return None if turns else found  # "if the bill doubles, I move to ..." is no move yet
    if _NO_CHOICE.search(main.split(";")[0]):
        return None
    if _RULES.match(main):
        return make_decision(name_scope(said), "adopt", said)
    if _NO_SUBJECT.match(main):
        return None
    return make_decision(name_scope(said), "adopt", said) if _is_laid_down(main) else None


def _is_laid_down(main: str) -> bool:
    """Whether a verb in the present tense stands after the subject, and no mere judgement after "is"."""
    words = main.split()
    for at, word in enumerate(words[1:9], 1):
        bare = word.casefold().strip("`,;:()")
        if bare in ("is", "are"):
            after = words[at + 1].casefold().strip(",;") if at + 1 < len(words) else ""
            return after not in _JUDGES
        if bare in _SETTLES:
            return True
        if at < 6 and at + 1 < len(words) and _is_verb(bare):
            return True
    return False


def _is_verb(word: str) -> bool:
    from guildmoot.text.opposed.clauses import known_verbs  # few boards are prose

    if not word.isalpha() or word.endswith(("ing", "ed")):
        return False
    plain = stem(word)
    return plain in _LAYING or plain in known_verbs()


def moved(move: OwnMove, scope: str = "") -> StatedDecision | None:
    """Where an engineer moves, or stays, or what it gives up."""
    said = move.said
    if move.gives_up:
        what = said or "what I held before"
        return make_decision(scope or name_scope(what), "withdraw", what, move.cited)
    first, _, rest = said.partition(" ")
    if first.endswith("ing") and rest:  # "letting the environment override the file"
        said = f"{_BASES.get(first, first).capitalize()} {rest}"
    elif not (move.clause or _is_order(said) or " should " in said or " belong" in said):
        said = f"Use {said}"
    made = make_decision(scope or name_scope(said), "adopt", said, move.cited)
    return made._replace(moves=move.moves) if made else None


def _ordered(sentence: str) -> StatedDecision | None:
    """An imperative: "Use cursor-based pagination." """
    said = sentence.strip().rstrip(".!")
    if not said[:1].isupper() or not _is_order(said):
        return None
    return make_decision(name_scope(said), "adopt", said)


def _is_order(said: str) -> bool:
    from guildmoot.text.opposed.clauses import known_verbs  # few boards are prose

    verb, _, rest = said.casefold().partition(" ")
    plain = verb.isalpha() and not verb.endswith(("ing", "ed", "s")) and verb not in _NO_ORDER
    return plain and bool(rest) and (verb in _ORDERS or stem(verb) in known_verbs())


def name_scope(text: str) -> str:
    """The first name in backticks; without one the decision's own words are its scope."""
    found = _CODE.search(text)
    return found[1] if found else ""
