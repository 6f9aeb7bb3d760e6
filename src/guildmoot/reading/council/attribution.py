"""Whether a chair's sentence says of a judge or a vendor what it did: raise an issue, alone or with others, how grave.

Who raises what was counted, and stands beside the chair's words. So a sentence that names somebody may only repeat it;
whatever else it makes of a name is dropped, for nobody could tell it from what is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from guildmoot.reading.council.standing import IssueStanding

_CLAUSE = re.compile(
    r"[,;](?=\s)|(?<!-\d)(?<!body)(?<! one)(?<!none)\s(?:and|but|while|whereas|though|although)\s"
)
_VOTES = re.compile(r"\b(?:[Vv]ot(?:e|es|ed|ing)|[Vv]erdicts?|PASS|WARN|FAIL)\b")
"""What is said of votes is compared elsewhere."""
_NUMBERED = re.compile(r"\bjudges? (?=\d{1,2}\b)", re.IGNORECASE)
_CROWD = re.compile(
    r"(?i)\b(?:half|majority|minority|united|unanim\w+|lone|dissent\w*|consensus|panel|council|every(?:body|one)"
    r"|nearly all|(?:most|many|some|few|none) of the (?:judges|seats|reviewers|vendors))\b"
)
_SIDES = re.compile(
    r"\b(?P<many>both|all|every|each|neither|no|one|two|three|four|most|several|different)"
    r"(?: of)?(?: the)?(?: \w+)? (?P<whom>vendor|provider|famil)(?:s|y|ies)?\b",
)
_ALL = ("both", "all", "every", "each")
_NONE = ("neither", "no")
_NUMBERS = {"one": 1, "two": 2, "both": 2, "three": 3, "four": 4}
_ONLY = re.compile(r"\b(?:only|alone|solely|just|except|nobody but|no one but|none but|single)\b")
_WIDE = re.compile(r"\b(?:both|all|every|each|most|several|one|two|three|four|five|six)\b")
_SILENT = re.compile(
    r"\b(?:miss(?:ed|es)?|overlook\w*|disagree\w*|disput\w*|den(?:y|ies|ied)|doubt\w*|silent|unaware|reject\w*"
    r"|neither|nor|none of|not (?:see|raise|mention|report|find|notice)|(?:did|does|do) not|without)\b|n't\b"
)
_MAKES = (("anthropic", "claude"), ("openai", "codex", "gpt", "chatgpt"), ("google", "gemini"))
_GRADES = {
    "critical": "critical critically blocker severe",
    "significant": "significant major serious high",
    "minor": "minor trivial cosmetic low nit",
}
_GRADE_OF = {word: grade for grade, words in _GRADES.items() for word in words.split()}
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def misattributed(
    sentence: str, words: str, named: Sequence[IssueStanding], sides: Mapping[str, str]
) -> str:
    """What the sentence says of judges or vendors that was not counted so; empty where nothing.

    ``words`` are those of the issues it rests on, ``sides`` the vendor of every judge that reads the whole work.
    """
    if not sides:
        return ""
    if _CROWD.search(sentence):
        return "counts judges in words that nobody checks"
    clauses = _CLAUSE.split(_NUMBERED.sub("judge-", sentence))
    left = [each for each in clauses if not _VOTES.search(each)]
    text = " ; ".join(left).casefold()
    raisers = {judge for each in named for judge in each.by}
    called = _called(sides, words.casefold())
    meant = {word: called[word] for word in _WORD.findall(text) if word in called}
    if meant:
        if any(raisers.isdisjoint(judges) for judges in meant.values()):
            return "names a judge or vendor that does not raise it"
        if _SILENT.search(text):
            return "says of a judge or vendor that it did not raise what it did"
        if _ONLY.search(text) and not raisers <= {one for each in meant.values() for one in each}:
            return "names one judge or vendor alone, and others raise it too"
        if _is_wide(text, meant, named):
            return "counts other judges of a vendor than raise it"
        if not _graded(text, words.casefold(), meant, named):
            return "gives a judge another severity than it gave"
    return _miscounts_sides(text, words.casefold(), named, sides)


def _called(sides: Mapping[str, str], words: str) -> dict[str, frozenset[str]]:
    """Every name of a judge or a vendor, and whom it means; a word of the issues themselves names nobody."""
    found = {judge: frozenset((judge,)) for judge in sides}
    for vendor in set(sides.values()):
        theirs = frozenset(judge for judge, side in sides.items() if side == vendor)
        makes = next((each for each in _MAKES if vendor in each), (vendor,))
        found |= dict.fromkeys(makes, theirs)
    for makes in _MAKES:  # who does not sit raises nothing
        found = {**dict.fromkeys(makes, frozenset()), **found}
    spoken = {*_WORD.findall(words)}
    return {name: who for name, who in found.items() if name in sides or name not in spoken}


def _is_wide(
    text: str, meant: Mapping[str, frozenset[str]], named: Sequence[IssueStanding]
) -> bool:
    """Whether a clause counts judges beside a vendor's name otherwise than they are."""
    for clause in text.split(" ; "):
        here = [who for name, who in meant.items() if name in _WORD.findall(clause)]
        many = _WIDE.search(clause)
        one_judge = len(here) == 1 and len(here[0]) == 1  # of one, such words tell something else
        if not here or not many or one_judge or _SIDES.search(clause):
            continue
        if len(here) > 1:  # "both openai and claude": those named, each of which raises it
            wrong = _NUMBERS.get(many[0], len(here)) != len(here)
        else:
            raise_it = [len(here[0] & {*each.by}) for each in named]
            number = _NUMBERS.get(many[0], len(here[0]))
            wrong = any(each != number for each in raise_it)
            wrong = wrong or (many[0] == "both" and len(here[0]) != number)
        if wrong:
            return True
    return False


def _graded(
    text: str,
    words: str,
    meant: Mapping[str, frozenset[str]],
    named: Sequence[IssueStanding],
) -> bool:
    """Whether every severity beside a name is the one that was given."""
    known = {*_WORD.findall(words)}
    grades = {word: grade for word, grade in _GRADE_OF.items() if word not in known}
    for who, grade in _pairs([w for w in _WORD.findall(text) if w in meant or w in grades], grades):
        given = {each.by[judge] for each in named for judge in meant[who] & {*each.by}}
        if grade is None or given != {grade}:
            return False
    return True


def _pairs(said: Sequence[str], grades: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Each name with its severity: the one behind it where names come first, else the one before it."""
    if not any(word in grades for word in said):
        return
    order = said if said[0] in grades else [*reversed(said)]
    grade: str | None = None
    for word in order:
        if word in grades:
            grade = grades[word]
        else:
            yield word, grade


def _miscounts_sides(
    text: str, words: str, named: Sequence[IssueStanding], sides: Mapping[str, str]
) -> str:
    told = _SIDES.search(text)
    if not told or told["whom"] in words:
        return ""
    many, able = told["many"], {*sides.values()}
    for issue in named:
        raised = len({sides[judge] for judge in issue.by if judge in sides})
        wrong = many in _NONE or (many in _ALL and raised != len(able))
        wrong = wrong or _NUMBERS.get(many, raised) != raised
        wrong = wrong or (many in ("several", "different", "most") and raised < 2)
        if wrong:
            return f"counts other vendors than the {raised} that raise it"
    return ""
