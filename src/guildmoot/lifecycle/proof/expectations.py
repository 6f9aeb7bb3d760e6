"""What a criterion expects of the commands that it names: how each ends, and what it prints. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from guildmoot.lifecycle.spec import command_spans
from guildmoot.loops.values import CommandResult
from guildmoot.text.patterns import lazy

_ENDS = lazy(
    r"(?i)\b(?:exit(?:s|ed)?|end(?:s|ed)?|return(?:s|ed)?)(?: with)?(?: an?)?(?: exit)?(?: code| status)?"
    r"(?: of)?[ :=]+(\d{1,3})\b"
)
_NON_ZERO = lazy(r"(?i)\b(?:fails(?! to\b)|non-?zero|exits with an error)\b")
_PASSES = lazy(r"(?i)\b(?:exits|passes|pass|succeeds|is green|ends well)\b")
_PRINTS = lazy(r"(?i)\b(?:prints|outputs|shows|says|displays|emits)\b[ \t]*:?[ \t]*")
_LINE_WITH = lazy(
    r"(?i)(?:at least )?(?:a|one) line (?:with|containing|holding|that (?:contains|holds|has|says|reads))[ \t]+"
    r"(?:the words? )?"
)
_QUOTED = lazy(r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|“([^”\n]+)”")
_CLAUSE = lazy(r"[,;]|\.(?=\s|$)|\s(?:and|or|but|when|for|on|to|within|in|below|under|after)\s")
_DESCRIBED = lazy(
    r"(?i)(?:an?(?=\s+\w)|the|its?|all|each|every|one|two|three|\d+ \w+|nothing|no|how|what)\b"
)
_DENIED = lazy(
    r"(?i)\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|unless|except|instead|rather than"
    r"|other than|(?:fail|refuse|cease|stop)\w* to|(?:avoid|prevent|forbid|prohibit)\w*"
    r"|free (?:of|from)|(?:wrong|false|untrue|bug|mistake|error) (?:if|that|when|for))\b|n['’]t\b"
)
"""What turns round what is said of a command where it stands before that, and asks for more where it stands behind."""
_WHEN = lazy(r"(?i)\b(?:when|if|where|while|for|on|until|once)\b")
"""Begins what says of which case something holds."""
_PART = lazy(r"[,;:(]|\.(?=\s|$)")
_OR = lazy(r"(?i)(?:\s*,\s*\d{1,3}\b)*\s*,?\s*or\s+(?:with\s+)?(\d{1,3})\b")
_RANGE = lazy(
    r"(?i)\s*(?:or|to|-|–|through|\+)\s*(?:\w+\s+)?(?:\d|higher|lower|more|less|above|below|greater)|\+"
)
_OTHER = lazy(
    r"(?i)\bexit\w*(?: with| an?| any| exit| code| status| something| anything)*"
    r" (?:other than|except|but|between|above|below|greater|less|at least|at most|one of|any)\b"
)
_TURNED = lazy(r"(?i)\b(?:not|never|no longer|without|nothing)\b|n't\b")
_JOINED = lazy(r"(?i)[\s,]*(?:and|nor)?\s*")
_MORE = lazy(
    r"(?i)\b(?:lists?|returns?|writes?|creates?|contains?|holds?|produces?|answers?|leaves?|removes?|reports?|says|deletes?)\b"
)


class Expectation(NamedTuple):
    """What a criterion says of one command."""

    command: str
    code: int | None = 0
    """How it ends; None: anything but 0."""
    prints: tuple[str, ...] = ()
    """What its output holds, to the letter."""
    unclear: str = ""
    """What is said of it that no rule reads: a person must look."""
    others: tuple[int, ...] = ()
    """Codes with which it may end as well."""
    any_end: bool = False
    """No rule reads how it must end."""

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
    for start, stop, command in reversed(spans):
        said = " ".join(criterion[stop:end].split())
        behind = behind if _JOINED.fullmatch(said) else said  # "`a b` and `c d` exit 0"
        found.append(_expectation(command, behind, _part_before(criterion[:start])))
        end = start
    return tuple(reversed(found))


def expected_endings(criteria: tuple[str, ...]) -> dict[str, Expectation]:
    """How each command of several criteria must end; the first that names one decides."""
    found: dict[str, Expectation] = {}
    for text in criteria:
        for each in expectations(text):
            found.setdefault(each.command, each)
    return found


def _part_before(text: str) -> str:
    """What stands before a command in its part of the sentence, up to the last command before it."""
    return _PART.split(text.rpartition("`")[2])[-1].strip()


def _expectation(command: str, said: str, lead: str) -> Expectation:
    ends, prints = _ENDS.search(said), _PRINTS.search(said)
    endings = [each for each in (ends, _NON_ZERO.search(said), _PASSES.search(said)) if each]
    verbs = [each.start() for each in (*endings, prints) if each]
    either = _OR.match(said, ends.end()) if ends else None
    odd = bool(_RANGE.match(said, ends.end()) and not either if ends else _OTHER.search(said))
    if odd or (verbs and _DENIED.search(f"{lead} {said[: min(verbs)]}")):
        spoken = odd or bool(endings)
        words = " ".join(filter(None, (lead, said)))
        return Expectation(command, None if spoken else 0, (), words, (), spoken)
    others = tuple(map(int, re.findall(r"\d+", either[0]))) if either else ()
    found = _read(command, said, ends, prints)
    return found._replace(others=others)


def _read(
    command: str, said: str, ends: re.Match[str] | None, prints: re.Match[str] | None
) -> Expectation:
    code = int(ends[1]) if ends else None if _NON_ZERO.search(said) else 0
    if prints:
        before, behind = said[: prints.start()], said[prints.end() :]
        texts = () if _TURNED.search(before) else _texts(behind)
        return Expectation(command, code, texts, "" if texts else said)
    told = ends or code is None or _PASSES.search(said)
    words = said.strip(" .,;:()-")
    rest = said[ends.end() :] if ends else said
    more = _MORE.search(rest) or _DENIED.search(_WHEN.split(rest)[0])
    unclear = words if words and (not told or more) else ""
    return Expectation(command, code, (), unclear)


def _texts(said: str) -> tuple[str, ...]:
    """What must be printed to the letter; none where it is only described."""
    line = _LINE_WITH.match(said)
    said = said[line.end() :] if line else said
    quoted = tuple(next(filter(None, each)) for each in _QUOTED.findall(said))
    if quoted:
        return quoted
    plain = _CLAUSE.split(said, maxsplit=1)[0].strip(" .:")
    return () if not plain or _DESCRIBED.match(plain) else (plain,)
