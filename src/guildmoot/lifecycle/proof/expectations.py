"""What a criterion expects of the commands that it names: how each ends, and what it prints. Pure.

A few plain forms are read, each whole: whatever of a criterion stands outside of them is not shown by any command, and
a person must look at it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from guildmoot.lifecycle.spec import command_spans
from guildmoot.loops.values import CommandResult
from guildmoot.text.patterns import lazy

BOUND = lazy(
    r"(?i)(?:\b(?P<no>not|never|no)\s+)?(?:\b(?P<word>below|under|less than|fewer than|at most|within|up to|at least"
    r"|more than|above|over|exceeds?)\s+|(?P<sign><=|>=|≤|≥|<|>)\s*)"
    r"(?P<number>\d[\d,_]*(?:\.\d+)?)\s*(?P<unit>%|[^\W\d_]+)?"
    r"|(?P<number2>\d[\d,_]*(?:\.\d+)?)\s*(?P<unit2>%|[^\W\d_]+)\s+or\s+(?P<way>less|fewer|faster|more|better)\b"
)
"""A limit and its number."""
_JOINER = lazy(r"(?i)[,;.:()–—-]+|(?:and|but|then|it|still|also|now|must|should|will|shall)\b")
_CODE = lazy(
    r"(?i)(?:(?:exit(?:s|ed)?|end(?:s|ed)?|fail(?:s|ed)?|terminates?|finishes)(?: with)?(?: an?| the)?(?: exit)?"
    r"(?: code| status)?(?: of)?|returns?(?: an?| the)?(?: exit)?(?: code| status))[ :=]+(?P<code>\d{1,3})\b"
    r"(?P<others>(?:\s*,\s*\d{1,3}\b)*\s*,?\s*or\s+(?:with\s+)?\d{1,3}\b)?"
)
_FAILS = lazy(
    r"(?i)(?:exits?|ends?|fails?|returns?)(?: with)?(?: an?)? (?:non-?zero|error)(?:(?: exit)? (?:code|status))?\b"
    r"|fails?\b|non-?zero\b"
)
_PASSES = lazy(
    r"(?i)(?:(?:exits?|ends?|runs?|completes?)(?: successfully| cleanly| well| through)|exits|pass(?:es)?|succeeds?"
    r"|(?:is|are|stays?) green|runs? without (?:an? )?errors?)\b"
)
_PRINTS = lazy(
    r"(?i)(?:(?:its |the )?output (?:contains|holds|has|is)|prints?|outputs?|shows|says|displays|emits)\b\s*:?\s*"
    r"(?P<only>(?:exactly|only|just)\s+)?(?:(?:at least )?(?:a|one) line (?:with|containing|holding"
    r"|that (?:contains|holds|has|says|reads))\s+)?(?:(?:the )?words? )?"
)
_QUOTE = r"(?:`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+'|“[^”\n]+”)"
_QUOTES = lazy(rf"{_QUOTE}(?:(?:\s*,\s*|\s*,?\s*and\s+){_QUOTE})*")
_QUOTED = lazy(r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|“([^”\n]+)”")
_PLAIN = lazy(
    r"(?!(?:any\w*|some\w*|only|exactly|at|not|neither|either|more|less|an?|the|its?|all|each|every|one|two"
    r"|three|nothing|no|how|what)\b)[^\s,;`\"']+(?: [^\s,;`\"']+)?"
)
_NEXT = lazy(
    r"(?i)\s(?:and|or|but|when|if|for|on|to|with|within|in|below|under|above|after|at)(?=\s)|[,;:.)](?=\s|$)"
)
_CASE = lazy(
    r"(?i)(?:when|if|where|given|for|in case)\s+(?P<case>[^,;:.()`]*?)(?=\s*(?:[,;:()]|\.(?:\s|$)|$)"
    r"|(?:\s+(?:and|but|then|it))*\s+(?:exits?|fails?|ends?|prints?|passes|shows)\b)"
)
_WITH = lazy(
    r"(?i)with\s+(?P<case>[^,;:.()`]*?)\s+(?=(?:exits?|fails?|ends?|prints?|passes|shows)\b)"
)
"""What a command is given; behind an ending it would be what comes of it."""
_BROAD = frozenset((
    "any", "all", "every", "each", "both", "only", "even", "same", "as", "than", "always", "and",
    "or", "before", "after", "again", "ever", "whatever",
))  # fmt: skip
"""What makes a case more than the one that a command sets up."""
_MOST_CASE, _MOST_WORDS, _MOST_BEHIND = 10, 6, 3
_STRANGE = frozenset((
    "on", "for", "after", "before", "as", "also", "even", "if", "when", "unless", "any", "every", "each", "not",
    "never", "no", "than", "only", "because", "until", "while", "both", "or", "but", "from", "without", "and", "by",
))  # fmt: skip
"""What does not name a thing that is measured."""
_LEAD = lazy(
    r"(?i)(?:(?:the|an?|this|that|then|running|calling|executing|run|call|command|script|program|output|of|to)\b\s*)*"
)
_LABEL = lazy(r"(?P<claim>(?:(?!\.\s|[;:()]|\d|%).)*)[:(]")
"""``Exports as CSV: `CMD` exits 0``: what a criterion itself says that its command shows."""
_MORE_CLAIMED = frozenset((
    "not", "never", "without", "on", "under", "for", "with", "within", "during",
    "while", "until", "against", "any", "all", "every", "each", "both", "only", "even", "than", "always", "after",
    "before", "again",
))  # fmt: skip
"""What makes a claim more than one that a command's ending may stand for: where, for whom, how, how often."""
_BY = lazy(r"(?i)(?P<claim>.*?)\s*(?:\b(?:by|in|with|from|under|when running)\b\s*)?")
_TESTS = lazy(
    r"(?i)(?:all |the |all the |every )?(?:\w+ )?tests? (?:still )?(?:pass(?:es)?|succeeds?|(?:is|are) green)"
    r"|no test fails"
)
_OF_ENDING = lazy(r"(?i)\b(?:exit|end|fail|pass|succeed|return|code|status|error|non-?zero)\w*\b")
_JOINED = lazy(r"(?i)[\s,]*(?:and)?\s*")
_Taken = tuple[int, dict[str, object]] | None


class Expectation(NamedTuple):
    """What a criterion says of one command."""

    command: str
    code: int | None = 0
    """How it ends; None: anything but 0."""
    prints: tuple[str, ...] = ()
    """What its output holds, to the letter."""
    unclear: str = ""
    """What is said beside it that no rule reads: a person must look."""
    others: tuple[int, ...] = ()
    """Codes with which it may end as well."""
    any_end: bool = False
    """No rule reads how it must end."""
    only: bool = False
    """Its output is that and nothing else."""
    case: str = ""
    """Of which case it is said: that the command is this case nobody checks."""
    claim: str = ""
    """What it is to show, in other words than those of tests: that it does nobody checks."""

    def ends_so(self, ran: CommandResult) -> bool:
        """Whether a command ended as it should."""
        if self.any_end or ran.code in self.others:
            return True
        if self.code is None:
            return ran.code not in (0, None) and not ran.cannot_run
        return ran.code == self.code

    @property
    def ending(self) -> str:
        """In words."""
        codes = " or ".join(map(str, (self.code, *self.others)))
        return "exits with an error" if self.code is None else f"exits {codes}"

    @property
    def passes(self) -> bool:
        """Whether nothing but exit code 0 is right."""
        return self.code == 0 and not self.others and not self.any_end


def expectations(criterion: str) -> tuple[Expectation, ...]:
    """Each command of a criterion with what stands behind it, up to the next command."""
    spans, behind = command_spans(criterion), ""
    end, found = len(criterion), []
    for number, (start, stop, command) in reversed([*enumerate(spans)]):
        said = " ".join(criterion[stop:end].split())
        behind = behind if _JOINED.fullmatch(said) else said  # "`a b` and `c d` exit 0"
        lead = "" if number else " ".join(criterion[:start].split())
        found.append(_expectation(command, behind, lead))
        end = start
    return tuple(reversed(found))


def unread_part(criterion: str) -> str:
    """What a criterion says beside how its commands end and what they print; empty where nothing, or it names none."""
    return next((each.unclear for each in expectations(criterion) if each.unclear), "")


def expected_endings(criteria: tuple[str, ...]) -> dict[str, Expectation]:
    """How each command of several criteria must end; the first that names one decides."""
    found: dict[str, Expectation] = {}
    for text in criteria:
        for each in expectations(text):
            found.setdefault(each.command, each)
    return found


def _expectation(command: str, said: str, lead: str) -> Expectation:
    """By reading form after form; what no form takes is unclear, and all behind it."""
    want, at, ended, glued = Expectation(command), 0, False, False
    while at < len(said):
        if said[at].isspace():
            at += 1
            continue
        taken = next(filter(None, (form(said[at:]) for form in _FORMS)), None)
        if taken is None:
            break
        length, says = taken
        at, glued = at + length, "code" in says
        ended = ended or glued
        want = want._replace(**says)  # type: ignore[arg-type]
    rest = said[at:].strip()
    case = _case_before(lead)
    before = "" if case or _leads(lead) else lead
    unsure = bool(before) or (
        bool(rest) and (glued or (not ended and bool(_OF_ENDING.search(rest))))
    )
    unclear = (
        " ".join(filter(None, (before and said and f"{before} ... {said}", rest)))
        if before
        else rest
    )
    label = _LABEL.fullmatch(lead)
    claim = label["claim"].strip(" *_") if label and not before else ""
    return want._replace(
        claim="" if _TESTS.fullmatch(claim) else claim,
        unclear=unclear or before,
        any_end=unsure,
        case=want.case or case,
        code=None if unsure else want.code,
    )


def _leads(lead: str) -> bool:
    """Whether what stands before a command only says what it is, or is a claim that the command is to show."""
    if _LEAD.fullmatch(lead):
        return True
    if label := _LABEL.fullmatch(lead):
        words = {word.strip("*_,").casefold() for word in label["claim"].split()}
        return _MORE_CLAIMED.isdisjoint(words) or bool(
            _TESTS.fullmatch(label["claim"].strip(" *_"))
        )
    claim = _BY.fullmatch(lead)
    said = claim["claim"] if claim else lead
    taken = _limit(said)
    return bool(_TESTS.fullmatch(said)) or bool(taken and taken[0] == len(said))


def _case_before(lead: str) -> str:
    found = _CASE.match(lead)
    ends = found and lead[found.end() :].strip() in (",", ":")
    return _one_case(found["case"]) if found and ends else ""


def _joiner(said: str) -> _Taken:
    found = _JOINER.match(said)
    return (found.end(), {}) if found else None


def _code(said: str) -> _Taken:
    found = _CODE.match(said)
    if not found or int(found["code"]) > 255:
        return None
    others = tuple(map(int, re.findall(r"\d+", found["others"] or "")))
    return found.end(), {"code": int(found["code"]), "others": others}


def _fails(said: str) -> _Taken:
    found = _FAILS.match(said)
    return (found.end(), {"code": None}) if found else None


def _passes(said: str) -> _Taken:
    found = _PASSES.match(said)
    return (found.end(), {"code": 0}) if found else None


def _prints(said: str) -> _Taken:
    verb = _PRINTS.match(said)
    if not verb:
        return None
    rest = said[verb.end() :]
    only = bool(verb["only"])
    if quotes := _QUOTES.match(rest):
        texts = tuple(next(filter(None, each)) for each in _QUOTED.findall(quotes[0]))
        return verb.end() + quotes.end(), {"prints": texts, "only": only}
    if BOUND.match(rest):
        return verb.end(), {}
    clause = _NEXT.split(rest, maxsplit=1)[0].rstrip(" .:")
    plain = _PLAIN.fullmatch(clause)
    return (verb.end() + len(clause), {"prints": (clause,), "only": only}) if plain else None


def _limit(said: str) -> _Taken:
    """A limit with a few words for what is measured."""
    found = BOUND.search(said)
    if not found:
        return None
    before = said[: found.start()].split()
    if len(before) > _MOST_WORDS or any(_no_word(each) for each in before):
        return None
    end = found.end()
    for _ in range(_MOST_BEHIND):
        word = re.match(r"\s+[^\W\d_][\w-]*(?=[\s,;:.)]|$)", said[end:])
        if not word or _no_word(word[0].strip()):
            break
        end += word.end()
    return end, {}


def _no_word(word: str) -> bool:
    return word.casefold() in _STRANGE or bool(re.search(r"[,;:()`.]", word))


def _case(said: str) -> _Taken:
    found = _CASE.match(said) or _WITH.match(said)
    case = _one_case(found["case"]) if found else ""
    return (found.end(), {"case": f"{found[0].strip()}"}) if found and case else None


def _one_case(case: str) -> str:
    words = case.casefold().split()
    return case if 0 < len(words) <= _MOST_CASE and _BROAD.isdisjoint(words) else ""


_FORMS: tuple[Callable[[str], _Taken], ...] = (_joiner, _code, _fails, _passes, _prints, _limit, _case)  # fmt: skip
