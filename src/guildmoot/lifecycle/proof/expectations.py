"""What a criterion expects of the commands that it names: how each ends, and what it prints. Pure."""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.lifecycle.spec import command_spans
from guildmoot.loops.values import CommandResult
from guildmoot.text.patterns import lazy

_ENDS = lazy(
    r"(?i)\b(?:exit(?:s|ed)?|end(?:s|ed)?|return(?:s|ed)?)(?: with)?(?: an?)?(?: exit)?(?: code| status)?"
    r"(?: of)?[ :=]+(\d{1,3})\b"
)
_NON_ZERO = lazy(r"(?i)\b(?:fails|non-?zero|exits with an error)\b")
_PASSES = lazy(r"(?i)\b(?:exits|passes|pass|succeeds|is green|ends well)\b")
_PRINTS = lazy(r"(?i)\b(?:prints|outputs|shows|says|displays|emits)\b[ \t]*:?[ \t]*")
_LINE_WITH = lazy(
    r"(?i)(?:at least )?(?:a|one) line (?:with|containing|holding|that (?:contains|holds|has|says|reads))[ \t]+"
    r"(?:the words? )?"
)
_QUOTED = lazy(r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|“([^”\n]+)”")
_CLAUSE = lazy(r"[,;]|\.(?=\s|$)|\s(?:and|or|but|when|for|on|to|within|in|below|under|after)\s")
_DESCRIBED = lazy(
    r"(?i)(?:an?|the|its?|all|each|every|one|two|three|\d+ \w+|nothing|no|how|what)\b"
)
_DENIED = lazy(r"(?i)\b(?:not|never|no longer|without|nothing)\b|n't\b")
_JOINED = lazy(r"(?i)[\s,]*(?:and)?\s*")
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

    def ends_so(self, ran: CommandResult) -> bool:
        """Whether a command ended as it should."""
        if self.code is None:
            return ran.code not in (0, None) and not ran.cannot_run
        return ran.code == self.code

    @property
    def ending(self) -> str:
        """In words."""
        return "exits with an error" if self.code is None else f"exits {self.code}"


def expectations(criterion: str) -> tuple[Expectation, ...]:
    """Each command of a criterion with what stands behind it, up to the next command."""
    spans, behind = command_spans(criterion), ""
    end, found = len(criterion), []
    for start, stop, command in reversed(spans):
        said = " ".join(criterion[stop:end].split())
        behind = behind if _JOINED.fullmatch(said) else said  # "`a b` and `c d` exit 0"
        found.append(_expectation(command, behind))
        end = start
    return tuple(reversed(found))


def expected_endings(criteria: tuple[str, ...]) -> dict[str, Expectation]:
    """How each command of several criteria must end; the first that names one decides."""
    found: dict[str, Expectation] = {}
    for text in criteria:
        for each in expectations(text):
            found.setdefault(each.command, each)
    return found


def _expectation(command: str, said: str) -> Expectation:
    ends, prints = _ENDS.search(said), _PRINTS.search(said)
    code = int(ends[1]) if ends else None if _NON_ZERO.search(said) else 0
    if prints:
        before, behind = said[: prints.start()], said[prints.end() :]
        texts = () if _DENIED.search(before) else _texts(behind)
        return Expectation(command, code, texts, "" if texts else said)
    told = ends or code is None or _PASSES.search(said)
    words = said.strip(" .,;:()-")
    rest = said[ends.end() :] if ends else said
    unclear = words if words and (not told or _MORE.search(rest)) else ""
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
