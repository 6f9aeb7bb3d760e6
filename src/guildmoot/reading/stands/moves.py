"""What an engineer says of their own stand in a later round: it moves to something, stays with it, or is given up."""

from __future__ import annotations

import re
from typing import NamedTuple

from guildmoot.text.english import stem

_LEAD = (
    r"^(?:(?:my\s+)?(?:new\s+)?position\s*:\s*)?(?:(?!if\b|when|unless|should\b|where)[^.,?]{1,80},\s+|"
    r"(?:after|given|with|following|thanks\s+to|because\s+of)\s[^.,?]{1,60}?\s)?"
    r"{who}(?:'m|\s+am|\s+have|'ve|'ll|\s+will)?\s+(?:now\s+|still\s+|therefore\s+|hereby\s+|also\s+)?"
)
_GO = r"(?:mov|switch|chang|shift|com)(?:e|ed|es|ing)?\s+"
_OWN = r"(?:my\s+(?:vote|position|view|stand|proposal)\s+)?"
_STAY = r"hold(?:ing)?(?:\s+(?:to|on\s+to))?|keep(?:ing)?|stay(?:ing)?\s+with|stick(?:ing)?\s+(?:with|to)"
_TAKE = (
    r"go(?:ing)?\s+with|choose|pick|favou?r|support|back|accept|adopt|vote\s+for|prefer|"
    r"agree\s+with\s+[^\s:;,.]+(?:\s+[^\s:;,.]+)?(?:\s*[:;,]|\s+that)"
)
_MIND = (
    r"(?:changed\s+(?:my|our)\s+minds?|was\s+wrong(?:\s+[^:;,.]{1,60})?|stand\s+corrected|concede)"
    r"\s*[:;,\u2013\u2014-]+"
)
_FROM = r"(?:away\s+)?(?:from\s+[^.;]{1,80}?\s+)?(?:over\s+|round\s+)?to"
_MOVES = re.compile(
    rf"{_LEAD.replace('{who}', '(?:I|we)')}(?:(?P<to>{_GO}{_OWN}{_FROM})|"
    rf"(?P<mind>{_MIND}(?:\s*and)?)|"
    rf"(?P<stay>{_STAY}|{_TAKE}))\s+(?P<said>\S.*)",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    rf"(?:{_LEAD.replace('{who}', '(?:I|we)')}(?:withdr[ae]wn?(?:ing)?|retract(?:ed|ing)?|rescind(?:ed)?)|"
    rf"{_LEAD.replace('{who}', 'I')}(?:abandon(?:ed)?|drop(?:ped)?|g(?:i|a)v(?:e|en|ing)\s+up(?:\s+on)?|"
    r"t(?:ake|ook|aken)\s+back|no\s+longer\s+(?:hold|want|ask\s+for|support|propose|recommend|favou?r|insist\s+on|"
    r"argue\s+for|stand\s+(?:by|behind)|back)))(?:\s+on)?(?=[\s.,;]|$)\s*"
    r"(?:(?:my|our|the)\s+(?:own\s+)?(?:earlier\s+|first\s+)?"
    r"(?:proposals?|positions?|recommendations?|ideas?|suggestions?|votes?|objections?|stand|choice|claim)"
    r"(?:\s+(?:to|that|for|of|on|about|against|in))*(?:\s+|$|(?=[.,;])))?(?P<said>.*)",
    re.IGNORECASE,
)
"""What "we drop" or "we no longer support" is part of a plan; said by one person it is their own stand."""
_SHORT = re.compile(
    rf"^(?:(?:moved|moving|switched|switching|changed|changing)\s+{_FROM}|"
    r"my\s+(?:position|mind|view|choice|vote)\s+(?:has\s+|is\s+)?(?:changed|moved|now)(?:\s+to)?\s*:?)\s+(?P<said>\S.*)",
    re.IGNORECASE,
)
"""The same without the person: "Moved to signed cookies"."""
_AFTER = re.compile(
    r"^(?P<said>\S.{1,120}?)\s*\((?:moved|switched|changed)\s+from\s[^)]*\)\.?$", re.IGNORECASE
)
_RIGHT = re.compile(
    r"^[^\s,.:;]+(?:\s[^\s,.:;]+)?(?:\s+is|'s)\s+right\s*[:;,]\s*(?:and\s+)?(?P<said>\S.*)",
    re.IGNORECASE,
)
_STRUCK = re.compile(
    r"^(?:(?:withdrawn|retracted|rescinded)\s*[:\u2013\u2014-]\s*(?P<said>\S.*)|~~(?P<struck>[^~]+)~~\.?)$",
    re.IGNORECASE,
)
_LETS = re.compile(r"^(?:so\s+)?(?:let's|let\s+us|we\s+should)\s+", re.IGNORECASE)
_INSTEAD = re.compile(
    r"[,;]?\s+(?:in\s+favou?r\s+of|and\s+(?:I\s+)?(?:now\s+)?(?:go|move|switch|change|support|take|adopt|choose|pick|back)"
    r"(?:\s+(?:with|to))?)\s+(?P<said>\S.*)",
    re.IGNORECASE,
)
"""What is chosen in the place of what is given up."""
_PLACE = re.compile(r"\s*\((?P<place>[^()\s]{1,80}:\d+[^()]{0,40}|round\s+\d+[^()]{0,60})\)\s*$")
_BECAUSE = re.compile(
    r"(?:[,;]?\s+(?:(?:because|since|given)\s+|(?=(?:after|now\s+that|so\s+that)\b))|[,;]\s+(?=as\b))(?P<why>\S.*)",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\s*(?:;|\s-+\s|\s?[\u2013\u2014]|:\s)\s*(?P<why>\S+\s+\S.*)")
"""What goes on after the choice: its reason, where it is no order."""
_POINTS_BACK = ("my", "your", "this", "these", "it", "what")


class OwnMove(NamedTuple):
    """What is said of one's own stand."""

    said: str
    """The choice, or what is given up; empty where only "my proposal" is."""
    moves: bool
    """Whether it replaces what was held before."""
    gives_up: bool = False
    clause: bool = False
    """Whether the choice is a whole statement: "that sessions live in Redis"."""
    cited: tuple[str, ...] = ()
    """The place or the reason that the sentence ends with: what it rests on."""


def read_move(sentence: str) -> OwnMove | None:
    """What the sentence says of its author's own stand, or None."""
    if given := _GIVES_UP.match(sentence):
        return _given_up(given["said"])
    if struck := _STRUCK.match(sentence.strip()):
        return _given_up(struck["said"] or struck["struck"])
    found = _MOVES.match(sentence)
    short = (
        None
        if found
        else _SHORT.match(sentence) or _AFTER.match(sentence) or _RIGHT.match(sentence)
    )
    if not (found or short):
        return None
    said, cited = _rest((found or short)["said"])  # type: ignore[index]
    clause = re.match(r"that\s+", said, re.IGNORECASE) or _LETS.match(said)
    said = said[clause.end() :] if clause else said
    if not said or said.split()[0].casefold() in _POINTS_BACK:
        return None
    whole = bool(clause or (found and found["mind"]) or (short and _RIGHT.match(sentence)))
    return OwnMove(said, not (found and found["stay"]), clause=whole, cited=cited)


def _given_up(text: str) -> OwnMove:
    said, cited = _rest(text)
    if instead := _INSTEAD.search(f" {said}"):
        return OwnMove(instead["said"].strip(), True, cited=cited)
    if (behind := _BEHIND.search(said)) and _orders(behind["why"]):
        return OwnMove(behind["why"], True, clause=True, cited=cited)
    return OwnMove(said, False, True, cited=cited)


def _rest(text: str) -> tuple[str, tuple[str, ...]]:
    """What is said without the place and the reason at its end, and these."""
    said = text.strip().rstrip(".")
    cited: tuple[str, ...] = ()
    if place := _PLACE.search(said):
        said, cited = said[: place.start()], (place["place"],)
    for reason in (_BEHIND, _BECAUSE):
        if (found := reason.search(said)) and not _orders(found["why"]):
            said, cited = said[: found.start()], (found["why"].strip(" ,;:."), *cited)
    return said.strip(" ,;:."), cited


def _orders(text: str) -> bool:
    """Whether it begins with an order, and so is no reason."""
    from guildmoot.text.opposed.clauses import known_verbs  # few boards are prose

    first = text.split()[0].casefold()
    return first in ("do", "let", "never", "not", "no", "we") or stem(first) in known_verbs()
