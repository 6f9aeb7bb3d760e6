"""A spec from what people say: questions in groups, a text that is sorted into fields, and the document. Pure.

No field is ever filled by guessing: what was not said stays open, or becomes an assumption when a person says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from guildmoot.lifecycle.spec import (
    ASSUMPTIONS,
    AUDIENCE,
    AUTONOMY,
    CONSTRAINTS,
    CRITERIA,
    GOAL,
    NON_GOALS,
    OPEN,
    RISKS,
    SECTIONS,
    commands_of,
)
from guildmoot.text.patterns import lazy


class SpecQuestion(NamedTuple):
    """What is asked for one field."""

    field: str
    text: str
    example: str


CLUSTERS: tuple[tuple[SpecQuestion, ...], ...] = (
    (
        SpecQuestion(GOAL, "What will be different for whom when this is done?",
                 "Customers see where their parcel is."),
        SpecQuestion(AUDIENCE, "Who uses it, and who runs it?", "Customers; one dispatcher."),
    ),
    (
        SpecQuestion(CRITERIA, "How is it measured? One per line; a command in back-ticks is run.",
                 "`pytest -q` exits 0"),
        SpecQuestion(NON_GOALS, "What is not part of it?", "accounts"),
    ),
    (
        SpecQuestion(CONSTRAINTS, "What is given: stack, time, budget, platform, law?",
                 "stack: Python 3.12, SQLite"),
        SpecQuestion(AUTONOMY, "What may be done without asking; what needs a yes; what is forbidden?",
                 "may act without asking: files below app/"),
    ),
    (
        SpecQuestion(RISKS, "What can go wrong, and how is it undone?",
                 "a wrong place is shown -> revert the commit"),
        SpecQuestion(ASSUMPTIONS, "What is assumed?", "a parcel has one number (agreed by the user)"),
    ),
)  # fmt: skip

_NAMES = {
    GOAL: ("goal", "goal & outcome", "goals", "outcome", "summary", "objective", "problem", "what"),
    AUDIENCE: ("audience", "audience / operator", "users", "user", "operator", "who", "stakeholders"),
    CRITERIA: ("success criteria", "acceptance criteria", "acceptance", "done when", "criteria",
               "definition of done", "acceptance tests", "requirements"),
    NON_GOALS: ("non-goals", "non goals", "out of scope", "not in scope", "won't do"),
    CONSTRAINTS: ("constraints", "stack", "limits", "technical constraints"),
    AUTONOMY: ("autonomy policy", "autonomy", "permissions"),
    RISKS: ("risks & rollback", "risks", "rollback", "risk"),
    ASSUMPTIONS: ("assumptions (from brainstorm)", "assumptions", "open questions", "unknowns"),
}  # fmt: skip
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names}
_HEADING = lazy(r"\s*(?:#{1,6}\s+)?\**([A-Za-z][A-Za-z &/'()-]{2,40}?)\**\s*:?\**\s*")
_LABELLED = lazy(r"\s*(?:[-*+]\s+)?\**([A-Za-z][A-Za-z &/'-]{2,30}?)\**\s*:\**\s+(\S.*)")
_TAG = "(inferred, low-significance)"


def sort_text(text: str) -> dict[str, str]:
    """What a brief or an issue says, by field: under headings of a known name, after labels, else its beginning."""
    fields: dict[str, list[str]] = {}
    field = ""
    for row in text.replace("\r\n", "\n").split("\n"):
        heading, labelled = _HEADING.fullmatch(row), _LABELLED.fullmatch(row)
        if heading and heading[1].strip().casefold() in _FIELD_OF:
            field = _FIELD_OF[heading[1].strip().casefold()]
        elif row.lstrip().startswith("#"):
            field = ""
        elif labelled and labelled[1].strip().casefold() in _FIELD_OF:
            found = _FIELD_OF[labelled[1].strip().casefold()]
            fields.setdefault(found, []).append(labelled[2].strip())
        elif row.strip():
            fields.setdefault(field, []).append(row.rstrip())
    loose = fields.pop("", [])
    if GOAL not in fields and loose:
        fields[GOAL] = [row for row in loose if not row.lstrip().startswith(("-", "*"))][
            :6
        ] or loose[:3]
    if CRITERIA not in fields:
        measured = [row.strip() for row in loose if commands_of(row)]
        if measured:
            fields[CRITERIA] = measured
    return {field: "\n".join(rows).strip() for field, rows in fields.items() if rows}


def write_spec(
    title: str, fields: Mapping[str, str], today: str, refs: tuple[str, ...] = ()
) -> str:
    """The document; what nobody answered is told as open, and makes the confidence low."""
    missing = [name for name in SECTIONS if not fields.get(name, "").strip()]
    assumed = fields.get(ASSUMPTIONS, "")
    low = missing or "blocking unknown" in assumed
    confidence = "low" if low else "medium" if _TAG in assumed else "high"
    rows = [
        *("---", "type: spec", "owner: orchestrator", f"confidence: {confidence}"),
        f"source_refs: [{', '.join(refs)}]",
        *(f"created_at: {today}", f"updated_at: {today}", "---", f"# {title}"),
    ]
    for name in SECTIONS:
        said = fields.get(name, "").strip()
        rows += [f"## {name}", _as_bullets(said) if said and name != GOAL else said or OPEN]
    return "\n".join(rows) + "\n"


def assume(fields: Mapping[str, str]) -> dict[str, str]:
    """'Proceed anyway': every open field becomes an assumption that is told as one."""
    filled = dict(fields)
    gaps = [name for name in SECTIONS if not fields.get(name, "").strip() and name != ASSUMPTIONS]
    notes = [f"- a blocking unknown was assumed: {name} {_TAG}" for name in gaps]
    for name in gaps:
        filled[name] = _NEUTRAL[name]
    said = fields.get(ASSUMPTIONS, "").strip()
    filled[ASSUMPTIONS] = "\n".join([said, *notes]).strip() or "none"
    return filled


_NEUTRAL = {
    GOAL: "not said",
    AUDIENCE: "not said",
    CRITERIA: "- a person looks at the result and says yes: 1 of 1",
    NON_GOALS: "none",
    CONSTRAINTS: "none",
    AUTONOMY: (
        "- may act without asking: none\n- requires confirmation: every change\n- forbidden: whatever"
        " cannot be undone"
    ),
    RISKS: "- anything is wrong -> do not merge the branch",
}


def _as_bullets(text: str) -> str:
    rows = [row for row in text.split("\n") if row.strip()]
    if len(rows) == 1 and rows[0].strip().casefold() == "none":
        return "none"
    return "\n".join(
        row if row.lstrip().startswith(("-", "*", "+")) or row[0].isspace() else f"- {row.strip()}"
        for row in rows
    )
