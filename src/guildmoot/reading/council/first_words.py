"""What a judge's first reply says of its own vote: who states no PASS there can be read as one only with care.

A verdict that is given when it is asked for once more is no reading of the first reply. So the question presumes
nothing, and a PASS counts only where the first reply leaves room for it: it denies approval in no field, and where it
speaks of approving or merging at all, one of those sentences does so plainly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from guildmoot.reading.blocks import OWN, Line, cut, lay_out
from guildmoot.reading.clerk.normal import normal_form
from guildmoot.reading.council.assent import doubts_in, lets_go, sentences_of
from guildmoot.reading.council.opposing import denied_field
from guildmoot.reading.council.read import prose_beside, read_council, stated_pass
from guildmoot.reading.council.review import AHEAD, is_review
from guildmoot.reading.council.statements import find_statements, stated
from guildmoot.reading.council.ticked import is_offered
from guildmoot.reading.json_repair import ParsedJson
from guildmoot.reading.refusal import not_a_vote
from guildmoot.reading.reply_json import BLANK, find_json, names_in
from guildmoot.reading.unsettled import is_yes, states_yes
from guildmoot.reading.verdict_line import without_nonce
from guildmoot.reading.words.doubts import denies_approval
from guildmoot.reading.words.tags import GAP, split_tags
from guildmoot.text.clean import one_line
from guildmoot.text.patterns import lazy

_SPEAKS = lazy(
    r"(?i)\b(?:pass(?:es|ed|ing)?|lgtm|approv\w+|merg\w+|ship(?:s|ped|ping)?|accept(?:ed|able|ance)?|looks good"
    r"|(?:good|ready|safe|fine) (?:to|for)|thumbs (?:up|down)|my (?:answer|blessing|vote|yes)"
    r"|sign(?:ed|ing)?\b.* off)\b|👍"
)
"""What a sentence about the vote itself holds."""
_POLITE = re.compile(
    r"(?i)\b(?:hello|hi|hey|thanks|thank you|what a (?:beautiful|lovely|great|nice|neat|wonderful))\b[^.!?\n]{0,30}"
    r"|\b(?:sure|of course|okay|ok|great|understood|got it|noted)\b|\b(?:happy|glad) to\b[^.!?\n]*"
)
_LABEL = re.compile(r"[^\W\d_][\w ]{1,24}[*_`]{0,3}\s?[:：][\s*_`]{0,4}(?=\S)")
_YES = re.compile(r"(?i)^yes[,.!: ]+|[,: ]+yes\W*$")
_DOING = (
    r"(?:merging|shipping|approving|accepting|landing|releasing|(?:a |the )?(?:merge|approval))"
)
_DONE = r"(?:merged|shipped|approved|accepted|landed|released|land|go in)"
_DO = r"(?:merge|ship|approve|accept|land|release)"
_WORK = r"(?: (?:it|this|that|(?:this|the) (?:work|change|changes|code|patch|file|module|diff|pr|pull request)))?"
_STANDS = (
    r"(?:,? (?:as (?:it )?(?:is|stands)|today|now|right away|at once|without (?:any )?changes))?\W*"
)
_GIVES = lazy(
    r"(?i)(?:(?:so|overall|therefore|thus),? )?(?:"
    rf"i(?: can| would|['’]d)?(?: happily| gladly)? (?:recommend|endorse|support)(?: of)? {_DOING}{_WORK}"
    rf"|i(?:['’]m| am) (?:fine|happy|comfortable|ok|okay) with {_DOING}{_WORK}"
    rf"|i(?:['’]d| would) be (?:glad|happy) to (?:see{_WORK} {_DONE}|{_DO}{_WORK})"
    rf"|i(?:['’]d| would|['’]ll| will)(?: happily| gladly)? {_DO}{_WORK}"
    rf"|(?:you|we) (?:can|may|should)(?: safely)? {_DO}{_WORK}"
    rf"|(?:it|this|(?:this|the) (?:work|change|code|patch|pr)) (?:can|may|should)(?: safely)? be {_DONE}"
    rf"|(?:i have |i see )?(?:nothing|no objections?)(?: speaks)? (?:against|to) {_DOING}{_WORK}"
    rf"|(?:please )?{_DO} away|(?:you have|(?:this|it) has) my (?:approval|blessing|vote|yes)|my answer is (?:a )?yes"
    rf"|(?:i(?:['’]m| am) )?(?:happy|glad) to sign(?: (?:this|it))? off(?: on (?:this|it))?){_STANDS}"
)
"""A permission or recommendation of the judge's own, whole: with a condition, a denial or anything else it is none."""
_THEN_GIVES = lazy(r"(?i)((?:the|this|it|all|every\w*|each|both|nothing|no|i) .*), (?:and|so) (.+)")
_MARKS = " \t-*#_>`|•"
_ASKED = frozenset(("verdict", "findings", "key_insight"))
"""Keys of the form that a judge is asked for."""
_LONGEST = 160


def states_pass(text: str) -> bool:
    """Whether the reply states PASS itself: in a form, behind the word verdict, or as the word that it begins with."""
    if _in_form(text):
        return True
    rows = [row for _, row in _own_lines(text) if any(map(str.isalnum, row))]
    first = next(iter(sentences_of(rows[0], 1)), "") if rows else ""
    return is_yes(first) or any(map(states_yes, rows))


def _in_form(text: str) -> bool:
    """Whether an object, a verdict line or a ticked box of the reply is a PASS."""
    if stated_pass(text).verdict:
        return True
    if verdict := read_council(untagged(text)).verdict:
        return verdict.verdict == "PASS"
    return any(said.word == "PASS" and not said.template for said in stated(_own_lines(text)))


def _own_lines(text: str) -> list[Line]:
    own = split_tags(without_nonce(untagged(text)))[0]
    return [line for line in lay_out(own)[0] if line[0] == OWN]


def declines(text: str) -> str:
    """The words in which a first reply denies its approval, or speaks of one and never plainly gives it; else empty.

    What is no review and says something else than manners, questions and plans gives none either, in any language.
    """
    said = text.strip(BLANK)
    told = (each for part in cut(said).counting for each in find_statements(part))
    objects = [e.value for e in told if not (e.is_echo or e.is_signal or e.cited)]
    others = [] if objects else _others(said)
    if field := denied_field(objects or others):
        return field
    if _in_form(text):
        return ""
    if others and not any(map(_says_yes, others)):
        return one_line(said)[:_LONGEST]
    sentences = list(_sentences(text))
    spoken = [each for each in sentences if _SPEAKS.search(each)]
    if spoken:
        return "" if any(map(_is_plain, spoken)) else spoken[0][:_LONGEST]
    if is_review(text) or not_a_vote(text):
        return ""
    if objects:  # of a form that nobody asked for, and not a yes in it
        return one_line(said)[:_LONGEST]
    return next((each[:_LONGEST] for each in sentences if _says_more(each)), "")


def _others(said: str) -> list[dict[str, object]]:
    """The objects of a reply that is nothing else, where they are of a form that nobody asked for."""

    def take(parsed: ParsedJson) -> list[dict[str, object]]:
        return [parsed.value] if isinstance(parsed.value, dict) else []

    if any(map(str.isalnum, prose_beside(said))):
        return []
    found = [each for part in cut(said).counting for each in find_json(part.text, take)]
    return [each for each in found if not _ASKED & {*names_in(each)}]


def _says_yes(value: dict[str, object]) -> bool:
    """Whether a field of such an object is a plain yes to the work: ``approve: true``, ``decision: approve``."""
    return any(
        denies_approval(name, "no") if each is True else isinstance(each, str) and is_yes(each)
        for name, each in value.items()
    )


def _says_more(sentence: str) -> bool:
    """Whether a sentence of what is no review is more than praise, manners, a question or what somebody will do."""
    rest = "" if sentence.endswith(":") else _POLITE.sub("", AHEAD.sub("", sentence))
    return any(map(str.isalnum, rest)) and not _is_plain(sentence)


def at_first(text: str) -> str:
    """The beginning of a reply on one line."""
    own = " ".join(islice(_sentences(text), 2)) or one_line(text)
    return own if len(own) <= _LONGEST else f"{own[: _LONGEST - 1]}…"


def asked_again(text: str) -> str:
    """How a PASS came about that the first reply did not state; empty where it did."""
    said = "" if states_pass(text) else at_first(text)
    told = f'it was asked again for its verdict and answered PASS; at first it said: "{said}"'
    return told if said else ""


def untagged(text: str) -> str:
    """The fields of a reply that is tags from end to end, as lines."""
    own, inside = split_tags(text)
    return normal_form(text, council=True) if inside and not own.strip(BLANK + GAP) else text


def _sentences(text: str) -> Iterator[str]:
    """The sentences of the judge's own lines, without boxes that it left empty."""
    for row in prose_beside(without_nonce(untagged(text))).split("\n"):
        if not is_offered(row):
            yield from (each.strip(_MARKS) for each in sentences_of(row.strip(_MARKS), 1))


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is a yes, or nothing but praise, also behind a label."""
    bare = _YES.sub("", _LABEL.sub("", sentence, count=1)) or sentence
    if _GIVES.fullmatch(bare) or _GIVES.fullmatch(sentence):
        return True
    if (then := _THEN_GIVES.fullmatch(bare)) and _GIVES.fullmatch(then[2]):
        return not any(doubts_in(then[1], 1))
    return any(
        is_yes(each) or lets_go(each) or not any(doubts_in(each, 1)) for each in (sentence, bare)
    )
