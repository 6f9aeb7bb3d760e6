"""Whether a chair's sentence takes back what its issues say: it denies or excuses what none of them does.

Only words that the issues hold may be denied, and only as they deny them. What this drops without need costs a
sentence: what blocks stands there in the judges' own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.text.english import content_stems, word_set
from guildmoot.text.opposed.opposition import agree, opposed

_CLAUSE = re.compile(
    r"[,;:.](?=\s|$)|\s[–—-]\s|\s(?:and|but|yet|while|whereas|because|since|so|although|though|or)\s"
)
_WORD = re.compile(r"[a-z0-9_][\w-]*")
_NEGATORS = word_set("not no never none nothing nobody neither nor without hardly")
_UNDONE_BY = word_set("not never")
_NO_ACT: frozenset[str] = frozenset()
_NEAR = 4
"""Words behind a denial, or before one that nothing follows, that may be what it denies."""
_COUNTS = word_set("judge judges agree raise raises mention vote votes differ all both every other")
"""Behind a denial these are told of the judges, whom others count."""
_GRADES = (
    r"(?:serious|grave|critical|severe|urgent|important|significant|dangerous|problems?|risks?|issues?|bugs?|"
    r"concerns?|worr(?:y|ies)|matters?|wrong|defects?|faults?)"
)
_BELITTLES = re.compile(rf"\b(?:nothing|no|not|none|neither|nobody|never|hardly)\b.*\b{_GRADES}\b")
_EXCUSES = (
    r"(?:fine|good|right|correct|sound|secure|ok|okay|safe|intended|intentional|deliberate|expected|wanted|desired|"
    r"harmless|acceptable|tolerable|normal|unproblematic|minor|trivial|enough|sufficient|strong|robust|solid|a feature"
    r"|(?:an? )?(?:theoretical|academic|hypothetical))"
)
_EXCUSED = re.compile(
    r"\b(?:is|are|was|were|be|been|looks?|seems?|remains?|stays?|works?|counts? as|as)"
    rf"\s(?:\w+ly\s|quite\s)?{_EXCUSES}\b"
    r"|\b(?:intended|intentional(?:ly)?|deliberate(?:ly)?|by design|on purpose|harmless|false alarm|as it should)\b"
)
_GO_ON = re.compile(
    r"(?<!not )(?<!before )(?<!until )(?<!never )\b(?:merge|ship|release|deploy)"
    r"\s(?:it|this|that|them|now|anyway|as is|away)\b"
)
_AFFIRMS = re.compile(
    r"\b(?:must|should|can|may|do|does|will)\snot\s(?:be\s)?"
    r"(?:merged?|shipped|ship|released?|deploy(?:ed)?|go in|pass)\b"
    rf"|\b(?:not|never|hardly)\s(?:a\s)?(?:\w+ly\s)?{_EXCUSES}\b"
    r"|\b(?:holds? \w+ up|blocks?)\snothing\b|\bnot\sblock\w*\b"
)
"""What denies and takes nothing back: a refusal, a denied excuse, and whether it blocks, which others compare."""
_UNDONE = re.compile(r"(?:un|non-?|in|im)(?=\w{4})")


def contrary(sentence: str, words: str) -> str:
    """What the sentence takes back of what its issues say in ``words``, a line for each; empty where nothing."""
    said, theirs = _plain(sentence), _plain(words.replace("None", "nil"))
    if _GO_ON.search(said):
        return "advises to go on"
    left = _AFFIRMS.sub(" ", said)
    against = (_takes_back(clause, theirs) for clause in _CLAUSE.split(left))
    if found := next(filter(None, against), ""):
        return found
    own = set(_WORD.findall(theirs))
    fresh = {_UNDONE.sub("", word, count=1): word for word in set(_WORD.findall(left)) - own}
    if any(bare in own and word != bare for bare, word in fresh.items()):
        return "denies what its issues say"
    return "asks for the contrary" if _asks_otherwise(left, words) else ""


def _takes_back(clause: str, theirs: str) -> str:
    """An excuse, a belittlement or a denial that stands in no issue."""
    excuse = _EXCUSED.search(clause)
    if excuse and excuse[0] not in theirs:
        return f"says {excuse[0]!r}, which no judge said"
    if _BELITTLES.search(clause) and not _BELITTLES.search(theirs):
        return "makes less of an issue than the judges do"
    parts = (part for line in theirs.split("\n") for part in _CLAUSE.split(line))
    denied = {each for part in parts for near, _ in _denied(part) for each in near}
    asked = {each for line in theirs.split("\n") for each in content_stems(line.partition(" ")[0])}
    if any(near.isdisjoint(denied) and act.isdisjoint(asked) for near, act in _denied(clause)):
        return "denies what no issue denies"
    return ""


def _plain(text: str) -> str:
    small = text.casefold().replace("’", "'").replace("cannot", "can not")
    return small.replace("won't", "will not").replace("can't", "can not").replace("n't", " not")


def _denied(clause: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """For each denial in a clause the stems of what it denies, and of the act that is not done.

    What is said of the judges denies nothing; an act that a remedy begins with may be told as not done.
    """
    words = _WORD.findall(clause)
    for at, word in enumerate(words):
        if word in _NEGATORS and _COUNTS.isdisjoint(words[at + 1 : at + 3]):
            behind = content_stems(" ".join(words[at + 1 : at + 1 + _NEAR]))
            act = content_stems(" ".join(words[at + 1 : at + 2])) if word in _UNDONE_BY else _NO_ACT
            yield behind or content_stems(" ".join(words[max(0, at - _NEAR) : at])), act


def _asks_otherwise(sentence: str, words: str) -> bool:
    """Whether what the sentence asks for cannot be done beside what a judge asks for, and none asks for it."""
    lines = words.split("\n")
    apart = any((found := opposed(sentence, line)) and found.certain for line in lines)
    return apart and not any(agree(sentence, line) for line in lines)
