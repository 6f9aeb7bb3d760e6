"""Skills in the public agent-skills format, with the cases that say when they apply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.lifecycle.documents import Checker, Problem, SourceDocument
from guildmoot.text.patterns import lazy

SHIPPED = Path(__file__).with_name("skills")
LONGEST_DESCRIPTION = 1_024
LONGEST_COMPATIBILITY = 500
FEWEST_CASES = 3
LONGEST_BODY = 500
_NAME = lazy(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_USE = lazy(
    r"(?i)\b(?:use (?:this |it )?(?:when|for|to|after|before)|trigger(?:s)? (?:on|when|for)|when )"
)
_NOT = lazy(
    r"(?i)\b(?:do not|don't|never) (?:use|trigger|take)\b(?: (?:this |it )?(?:when|for|to|on))?|\bnot for\b"
)
_KEYS = (
    *("name", "description", "license", "compatibility", "metadata", "allowed-tools"),
    *("when_to_use", "type", "argument-hint", "arguments", "model", "effort", "disallowed-tools"),
    *("disable-model-invocation", "user-invocable", "paths", "hooks", "context", "agent"),
    *("background", "shell"),
)


def check_skill(
    document: SourceDocument, folder: str, cases: Mapping[str, Sequence[str]] | None
) -> list[Problem]:
    """All that is wrong with a skill; ``folder`` is its folder's name, ``cases`` what its evals.json holds."""
    check = Checker(document)
    name = check.text("name")
    if name and (not _NAME.fullmatch(name) or len(name) > 64):
        check.tell(
            document.line_of("name"), "bad-value", "name must be kebab-case, at most 64 letters"
        )
    if name and folder and name != folder:
        check.tell(
            document.line_of("name"), "wrong-name", f"name is {name}, its folder {folder}: one name"
        )
    _description(check)
    compatibility = check.text("compatibility", needed=False)
    if len(compatibility) > LONGEST_COMPATIBILITY:
        check.tell(document.line_of("compatibility"), "too-long", "compatibility: 500 letters")
    for key in document.data:
        if key not in _KEYS:
            check.tell(document.line_of(key), "unknown-key", f"{key} is no key of a skill")
    if not document.body.strip():
        check.tell(document.end, "empty", "the skill says nothing: write what to do")
    elif document.body.count("\n") > LONGEST_BODY:
        check.tell(
            document.end, "too-long", f"more than {LONGEST_BODY} lines: move detail to files"
        )
    if cases is not None:
        _cases(check, cases)
    return check.problems


def _description(check: Checker) -> None:
    text = check.text("description")
    line = check.document.line_of("description")
    if len(text) > LONGEST_DESCRIPTION:
        check.tell(
            line, "too-long", f"description has {len(text)} characters, most {LONGEST_DESCRIPTION}"
        )
    if text and not _USE.search(_NOT.sub("", text)):
        check.tell(line, "no-trigger", "description must say when to use it: 'Use when ...'")
    if text and not _NOT.search(text):
        check.tell(line, "no-boundary", "description must say when not: 'Do not use for ...'")


def _cases(check: Checker, cases: Mapping[str, Sequence[str]]) -> None:
    for key in ("should_trigger", "should_not_trigger"):
        found = cases.get(key, ())
        if len(set(found)) < FEWEST_CASES:
            check.tell(
                1, "few-cases", f"evals.json needs at least {FEWEST_CASES} different {key} texts"
            )
    both = set(cases.get("should_trigger", ())) & set(cases.get("should_not_trigger", ()))
    if both:
        check.tell(1, "both-ways", f"evals.json has '{min(both)}' on both sides")


class Skill(NamedTuple):
    """A shipped skill."""

    name: str
    tier: str
    """``core``, ``workflow``, ``knowledge``, ``fallback`` or ``specialists``."""
    description: str
    path: Path


def shipped_skills() -> list[Skill]:
    """All of them, by tier and name."""
    found = []
    for path in sorted(SHIPPED.glob("*/*/SKILL.md")):
        description = parse(path.read_text(encoding="utf-8")).data.get("description")
        tier = path.parent.parent.name
        found.append(Skill(path.parent.name, tier, str(description), path))
    return found
