"""The spec: what is wanted, for whom, how it is measured, what may be done without asking. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from guildmoot.lifecycle.commands import command_problem
from guildmoot.lifecycle.documents import Checker, Problem, SourceDocument, TextLine
from guildmoot.lifecycle.team.roles import implied_roles
from guildmoot.text.patterns import lazy

GOAL, AUDIENCE, CRITERIA = "Goal & outcome", "Audience / operator", "Success criteria"
NON_GOALS, CONSTRAINTS, AUTONOMY = "Non-goals", "Constraints", "Autonomy policy"
RISKS, ASSUMPTIONS = "Risks & rollback", "Assumptions (from brainstorm)"
SECTIONS = (GOAL, AUDIENCE, CRITERIA, NON_GOALS, CONSTRAINTS, AUTONOMY, RISKS, ASSUMPTIONS)
"""The eight fields, in order."""
NOTES = "Notes"
"""What a brief says beside the eight fields; kept as it is, and read by people and lanes."""
OPEN = "(not answered)"
"""What a draft says where nobody answered; such a spec is not valid."""
POLICY = ("may act without asking", "requires confirmation", "forbidden")
CONFIDENCE = ("low", "medium", "high")

_VAGUE = {
    "fast": "a time and how it is taken, e.g. 'p95 of GET / below 50 ms in bench.py'",
    "quick": "a time and how it is taken, e.g. 'starts in under 200 ms'",
    "quickly": "a time and how it is taken, e.g. 'starts in under 200 ms'",
    "slow": "a time and how it is taken",
    "performant": "a time or a rate and how it is taken",
    "efficient": "an amount of memory, money or time",
    "scalable": "a load, e.g. '1,000 requests a second on two cores'",
    "robust": "the faults it must survive, e.g. 'kill -9 at any write loses no row'",
    "reliable": "a rate or the faults it must survive",
    "stable": "a rate or the faults it must survive",
    "secure": "the attacks that must fail, or a command that tries them",
    "simple": "a count, e.g. 'two commands from a fresh clone'",
    "easy": "a count, e.g. 'three steps for a new user'",
    "intuitive": "a task and who must be able to do it unaided",
    "friendly": "a task and who must be able to do it unaided",
    "usable": "a task and who must be able to do it unaided",
    "clean": "a check, e.g. '`ruff check` exits 0'",
    "modern": "what exactly it must use",
    "nice": "what exactly can be seen",
    "beautiful": "what exactly can be seen",
    "good": "what would be counted",
    "great": "what would be counted",
    "better": "by how much, against what",
    "improved": "by how much, against what",
    "high-quality": "a check that a command can make",
    "well-tested": "a coverage or a command, e.g. '`pytest -q` exits 0'",
    "maintainable": "a check that a command can make",
    "seamless": "what must not be seen or asked",
    "smooth": "what must not be seen or asked",
    "appropriate": "which one",
    "reasonable": "a number",
    "delighted": "what they do, and how many of them",
    "snappy": "a time and how it is taken",
    "works": "a command or an input and what must come out",
}
_VAGUE_PHRASES = {
    "no bugs": "a command that must pass, e.g. '`pytest -q` exits 0'",
    "production ready": "the checks that must pass",
    "production-ready": "the checks that must pass",
    "state-of-the-art": "by how much, against what",
    "state of the art": "by how much, against what",
    "high quality": "a check that a command can make",
    "etc.": "the whole list",
}
_WORD = lazy(r"[A-Za-z]+(?:-[A-Za-z]+)*")
_MEASURE = lazy(
    r"`[^`]+`|\b(?:zero|two|three)\b"
    r"|(?<![\w.])(?<!python )(?<!node )(?<!java )(?<!version )(?<!phase )\d"
)
"""A command or a number; neither the version of something, nor a word such as 'all' or 'always'."""
_NO_WORDS = "what is run or seen, and what must come out, e.g. '`pytest -q` exits 0'"
_FEWEST_WORDS = 3
_COMMAND = lazy(
    r"`([^`\n]+)`(?=([ \t]+(?:exits|prints|outputs|passes|succeeds|returns \d|is green))?)"
)
_PRINTS = lazy(r"(?i)\b(?:prints|outputs|shows|says|displays|emits)\b")
_PRINTED = lazy(
    r"(?i)\b(?:prints?|outputs?|shows?|says|displays|emits|writes|reads|contains|holds)\b[\s:]*(?:(?:exactly|only|just)\s+)?$"
)
"""What stands right before something that is printed, and is no command."""
_JOINED = lazy(
    r"(?i)(?:[,;:.(]|\b(?:and|or|nor|then|runs?|running|calls?|calling|by|in|with the command))\s*$"
)
"""What stands before one command more."""
_IS_SAID = lazy(r"(?i)\s+(?:is|are|was|were|appears?|stands?)\b(?!\s+green)")
"""Behind what is told of, and so is no command: `` `larder 7.7` is what it reports``."""
_LABEL = lazy(r"(?s)(may act without asking|requires confirmation|forbidden)\s*:\s*(.*)")
_BACK = ("->", "→", "=>", ":")
_AGREED = lazy(r"(?i)\((?:[^()]*\b(?:agreed|confirmed|by the user)\b[^()]*|inferred[^()]*)\)")
_BLOCKING = lazy(r"(?i)\bblocking unknown\b")


class Spec(NamedTuple):
    """What later steps take from a spec."""

    title: str
    goal: str
    criteria: tuple[TextLine, ...]
    commands: tuple[str, ...]
    """The acceptance commands, in order."""
    confidence: str
    asks: str
    """Goal and criteria in small letters: what decides which roles are implied."""
    one_lane: str = ""
    """Who does all of it, so that neither team nor plan is needed; empty: a team does."""
    open_fields: tuple[str, ...] = ()
    """Fields that nobody answered."""


def read_spec(document: SourceDocument) -> Spec:
    """The values of a spec, valid or not."""
    goal, criteria = document.section(GOAL), document.section(CRITERIA)
    found = criteria.bullets() if criteria else ()
    title = next((each.title for each in document.sections if each.level == 1), "")
    confidence, alone = document.data.get("confidence"), document.data.get("one_lane")
    return Spec(
        title=title,
        goal=goal.text if goal else "",
        criteria=found,
        commands=tuple(command for line in found for command in commands_of(line.text)),
        confidence=confidence if isinstance(confidence, str) else "",
        asks="\n".join([goal.text if goal else "", *(line.text for line in found)]).casefold(),
        one_lane=alone if isinstance(alone, str) else "",
        open_fields=tuple(name for name in SECTIONS if not answered(document, name)),
    )


def answered(document: SourceDocument, field: str) -> str:
    """What a spec says to a field; empty where nobody answered."""
    section = document.section(field)
    return section.text if section and section.text != OPEN else ""


def assumed_unknowns(document: SourceDocument) -> tuple[str, ...]:
    """The blocking unknowns that somebody assumed through."""
    section = document.section(ASSUMPTIONS)
    rows = (line.text for line in section.bullets()) if section else ()
    return tuple(row for row in rows if _BLOCKING.search(row))


def drafted_by(document: SourceDocument, field: str) -> str:
    """The model that wrote a field, as the assumptions tell; empty where a person did."""
    section = document.section(ASSUMPTIONS)
    start = f"{field} was drafted by "
    rows = (line.text for line in section.bullets()) if section else ()
    return next((r[len(start) :].partition(" (")[0] for r in rows if r.startswith(start)), "")


def commands_of(text: str) -> list[str]:
    """What stands in back-ticks and reads like a command line rather than a name."""
    return [command for _, _, command in command_spans(text)]


def command_spans(text: str) -> list[tuple[int, int, str]]:
    """The commands of a text with where each begins and ends; what a command must print is none."""
    found: list[tuple[int, int, str]] = []
    for match in _COMMAND.finditer(text):
        before = text[found[-1][1] if found else 0 : match.start()]
        joined = not found or match[2] or _JOINED.search(before)
        printed = _PRINTS.search(before) if found and not match[2] else _PRINTED.search(before)
        program, *words = match[1].split() or [":"]
        words = [] if _IS_SAID.match(text, match.end()) else words
        if (match[2] or words) and joined and not printed and not program.endswith(":"):
            found.append((*match.span(), match[1]))
    return found


def without_commands(text: str) -> str:
    """A text without its command lines: that tests prove the work does not make it the work of a tester."""
    return _COMMAND.sub(lambda cut: "" if cut[2] or " " in cut[1].strip() else cut[0], text)


def check_spec(document: SourceDocument, known: Collection[str] = ()) -> list[Problem]:
    """All that is wrong with a spec; ``known`` are the roles that can be called."""
    check = Checker(document)
    check.word("type", ("spec",))
    check.text("owner")
    check.word("confidence", CONFIDENCE)
    check.words("source_refs")
    check.day("created_at")
    check.day("updated_at")
    if not any(section.level == 1 for section in document.sections):
        check.tell(document.end, "missing-title", "there is no title: add a line '# ...'")
    check.filled(SECTIONS)
    seen: set[str] = set()
    for section in document.sections:
        if section.title in seen and section.title in SECTIONS:
            why = f"'## {section.title}' stands there twice: join the two"
            check.tell(section.line, "duplicate-section", why)
        seen.add(section.title)
        if section.text == OPEN:
            check.tell(section.line, "unanswered", f"'## {section.title}' is open: answer it")
    _criteria(check)
    _policy(check)
    _risks(check)
    _assumptions(check)
    _alone(check, known)
    return check.problems


def _alone(check: Checker, known: Collection[str]) -> None:
    """Work of one lane: its owner can be called, and it touches nothing that needs a second look."""
    owner = check.text("one_lane", needed=False)
    line = check.document.line_of("one_lane")
    if owner and known and owner not in known:
        check.tell(line, "unknown-owner", f"one_lane: nobody is called {owner}")
    if not owner or owner == "security":
        return
    for each in implied_roles(read_spec(check.document).asks, (owner,)):
        if each.role == "security":
            check.tell(
                line,
                "missing-security",
                f"one lane is not enough, because {each.why}: take the line 'one_lane' away, so that"
                " there is a team",
            )


def _criteria(check: Checker) -> None:
    section = check.document.section(CRITERIA)
    if section is None or section.is_empty or section.text == OPEN:
        return
    bullets = section.bullets()
    if not bullets:
        check.tell(section.line, "no-criteria", "write each success criterion as a bullet '- ...'")
    for line in bullets:
        word = vague_word(line.text)
        if word:
            check.tell(
                line.number,
                "vague-criterion",
                f"'{word}' cannot be measured: say {measure_of(word)}",
            )
        for command in commands_of(line.text):
            if why := command_problem(command):
                check.tell(line.number, "bad-command", f"`{command}` cannot be run: {why}; mend it")


def measure_of(word: str) -> str:
    """What would make a vague word measurable."""
    return _VAGUE.get(word) or _VAGUE_PHRASES.get(word) or _NO_WORDS


def vague_word(criterion: str) -> str:
    """The word that makes a criterion a matter of taste, or all of one that says too little; else empty."""
    text = criterion.casefold()
    for phrase in _VAGUE_PHRASES:
        if phrase in text and not _MEASURE.search(text.replace(phrase, "")):
            return phrase
    if _MEASURE.search(text):
        return ""
    words = [word.casefold() for word in _WORD.findall(criterion)]
    bare = criterion.strip() if len(words) < _FEWEST_WORDS else ""
    return next((word for word in words if word in _VAGUE), bare)


def policy_problems(lines: tuple[TextLine, ...], line: int, what: str) -> list[Problem]:
    """What an autonomy policy lacks: each of its three lines, with something behind it."""
    said = {
        found[1].casefold(): found[2].strip()
        for each in lines
        if (found := _LABEL.fullmatch(each.text.replace("**", "")))
    }
    return [
        Problem(
            line,
            "missing-policy",
            f"{what} does not say '{label}': add a bullet '- {label}: ...' ('none' is an answer)",
        )
        for label in POLICY
        if not said.get(label)
    ]


def _policy(check: Checker) -> None:
    section = check.document.section(AUTONOMY)
    if section is not None and not section.is_empty and section.text != OPEN:
        check.problems += policy_problems(section.bullets(), section.line, "the autonomy policy")


def has_way_back(risk: str) -> bool:
    """Whether a risk says what undoes it."""
    return any(mark in risk for mark in _BACK)


def has_tag(assumption: str) -> bool:
    """Whether an assumption says whose it is."""
    return bool(_AGREED.search(assumption))


def _risks(check: Checker) -> None:
    section = check.document.section(RISKS)
    if section is None or section.is_empty or section.says_none:
        return
    for line in section.bullets():
        if not has_way_back(line.text):
            check.tell(
                line.number, "no-rollback", "a risk needs its way back: '- risk -> what undoes it'"
            )


def _assumptions(check: Checker) -> None:
    section = check.document.section(ASSUMPTIONS)
    if section is None or section.is_empty or section.says_none:
        return
    for line in section.bullets():
        if not has_tag(line.text):
            check.tell(
                line.number,
                "untagged-assumption",
                "say whose assumption it is: '(agreed by the user)' or '(inferred,"
                " low-significance)'",
            )
        if _BLOCKING.search(line.text) and check.document.data.get("confidence") != "low":
            check.tell(
                check.document.line_of("confidence"),
                "confidence-too-high",
                "a blocking unknown is assumed, so confidence must be low",
            )
