"""A spec from what people say: questions in groups, a text that is sorted into fields, and the document. Pure.

No field is ever filled by guessing: what was not said stays open, or becomes an assumption when a person says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from guildmoot.lifecycle.commands import command_problem
from guildmoot.lifecycle.spec import (
    ASSUMPTIONS,
    AUDIENCE,
    AUTONOMY,
    CONSTRAINTS,
    CRITERIA,
    GOAL,
    NON_GOALS,
    NOTES,
    OPEN,
    POLICY,
    RISKS,
    SECTIONS,
    commands_of,
    has_tag,
    has_way_back,
    measure_of,
    vague_word,
)
from guildmoot.text.patterns import lazy


class SpecQuestion(NamedTuple):
    """What is asked for one field."""

    field: str
    text: str
    example: str
    label: str = ""
    """The line of the field that the answer is; empty: the whole field."""


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
        SpecQuestion(AUTONOMY, "What may be done without asking?", "files below app/ and tests/",
                     POLICY[0]),
        SpecQuestion(AUTONOMY, "What needs a yes first?", "new dependencies", POLICY[1]),
        SpecQuestion(AUTONOMY, "What is forbidden?", "the network in tests", POLICY[2]),
    ),
    (
        SpecQuestion(RISKS, "What can go wrong, and how is it undone?",
                 "a wrong place is shown -> revert the commit"),
        SpecQuestion(ASSUMPTIONS, "What is assumed?", "a parcel has one number"),
    ),
)  # fmt: skip


def open_clusters(open_fields: Collection[str]) -> tuple[tuple[SpecQuestion, ...], ...]:
    """The groups of questions about fields that nobody answered; groups without one are left out."""
    groups = (tuple(each for each in group if each.field in open_fields) for group in CLUSTERS)
    return tuple(group for group in groups if group)


def answer_problem(question: SpecQuestion, text: str) -> str:
    """Why an answer cannot stand, with what would make it stand; empty when it can."""
    rows = [row.strip().lstrip("-*+ ") for row in text.split("\n") if row.strip()]
    if question.field == CRITERIA:
        for row in rows:
            if word := vague_word(row):
                return f"'{word}' cannot be measured: say {measure_of(word)}"
            for command in commands_of(row):
                if why := command_problem(command):
                    return f"`{command}` cannot be run: {why}"
    if question.field == RISKS and rows and rows[0].casefold() != "none":
        bare = [row for row in rows if not has_way_back(row)]
        return f"say how it is undone: '{bare[0][:40]} -> what undoes it'" if bare else ""
    return ""


def with_answer(fields: Mapping[str, str], question: SpecQuestion, text: str) -> dict[str, str]:
    """The fields with one answer more; what a person says to be assumed is agreed by them."""
    said = text.strip()
    if question.label:
        line = f"- {question.label}: {'; '.join(said.split(chr(10))) or 'none'}"
        said = "\n".join(filter(None, [fields.get(question.field, ""), line]))
    elif question.field == ASSUMPTIONS and said.casefold() != "none":
        said = "\n".join(
            row if has_tag(row) else f"{row.rstrip()} (agreed by the user)"
            for row in said.split("\n") if row.strip()
        )  # fmt: skip
    return {**fields, question.field: said} if said else dict(fields)


def said_back(group: Sequence[SpecQuestion], fields: Mapping[str, str]) -> str:
    """What was understood of a group of answers, in one sentence; empty when nothing was said."""
    names = dict.fromkeys(question.field for question in group)
    said = [
        f"{name}: {', '.join(fields[name].splitlines())[:60]}" for name in names if fields.get(name)
    ]
    return f"So: {'; '.join(said)}." if said else ""


def hold_interview(
    open_fields: Collection[str],
    ask: Callable[[SpecQuestion, str], str],
    tell: Callable[[str], None],
    keep: Callable[[Mapping[str, str]], object] = lambda fields: None,
) -> dict[str, str]:
    """Ask for what is open, group by group, and say each group back; what is left empty stays open.

    ``ask`` is given a question and what was wrong with the last answer to it.
    ``keep`` is given all that was said after each answer, so that who stops loses nothing; the autonomy policy
    is kept when its three lines are there.
    """
    fields: dict[str, str] = {}
    for group in open_clusters(open_fields):
        for question in group:
            problem = ""
            for _ in range(_TRIES):
                said = ask(question, problem)
                problem = answer_problem(question, said)
                if not problem:
                    fields = with_answer(fields, question, said)
                    whole = {n: t for n, t in fields.items() if n != AUTONOMY or _policy_said(t)}
                    if said.strip() and whole:
                        keep(whole)
                    break
        if fields.get(AUTONOMY) == _NO_POLICY:
            del fields[AUTONOMY]  # three empty answers are none
        if understood := said_back(group, fields):
            tell(understood)
    return fields


def _policy_said(text: str) -> bool:
    return text != _NO_POLICY and all(f"- {label}:" in text for label in POLICY)


_TRIES = 3
_NO_POLICY = "\n".join(f"- {label}: none" for label in POLICY)
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
_FENCE = lazy(r"\s*(```|~~~)")
_HIGH = lazy(r"^ {0,3}#{1,2}(?=\s)\s*")
_TITLE = lazy(r"#{1,6}\s+\S")
_TAG = "(inferred, low-significance)"


def sort_text(text: str) -> dict[str, str]:
    """What a brief or an issue says, by field: under headings of a known name, after labels, else its beginning.

    What fits no field goes to the notes; nothing that was said is lost but the title.
    """
    fields: dict[str, list[str]] = {}
    field, fence, titled = "", "", False
    for row in text.replace("\r\n", "\n").split("\n"):
        bare = row.lstrip()
        heading, labelled = _HEADING.fullmatch(row), _LABELLED.fullmatch(row)
        mark = _FENCE.match(row)
        if fence or mark:
            fence = fence if not mark else "" if fence == mark[1] else fence or mark[1]
            fields.setdefault(field, []).append(row.rstrip())
        elif heading and heading[1].strip().casefold() in _FIELD_OF:
            field = _FIELD_OF[heading[1].strip().casefold()]
        elif bare.startswith("# ") and not titled and not any(fields.values()):
            titled = True  # the name of the whole
        elif bare.startswith("#") and _TITLE.match(bare):
            field = NOTES
            fields.setdefault(NOTES, []).append(f"### {bare.strip('# ')}")
        elif labelled and labelled[1].strip().casefold() in _FIELD_OF:
            found = _FIELD_OF[labelled[1].strip().casefold()]
            fields.setdefault(found, []).append(labelled[2].strip())
        elif row.strip():
            fields.setdefault(field, []).append(row.rstrip())
    loose = fields.pop("", [])
    rest = fields.pop(NOTES, [])
    if GOAL not in fields and (loose or rest):
        words = list(takewhile(lambda row: not _FENCE.match(row), loose or rest))
        plain = [row for row in words if not row.lstrip().startswith(("-", "*", "#"))]
        fields[GOAL] = plain[:6] or words[:3]
    if CRITERIA not in fields:
        measured = [row.strip() for row in (*loose, *rest) if commands_of(row)]
        if measured:
            fields[CRITERIA] = measured
    used = {row.strip() for rows in fields.values() for row in rows}
    kept = [row for row in (*loose, *rest) if row.strip() not in used]
    if any(not row.startswith("### ") for row in kept):
        fields[NOTES] = kept
    return {field: said for field, rows in fields.items() if (said := "\n".join(rows).strip())}


def write_spec(
    title: str,
    fields: Mapping[str, str],
    today: str,
    refs: tuple[str, ...] = (),
    *,
    begun: str = "",
    one_lane: str = "",
) -> str:
    """The document; what nobody answered is told as open, and makes the confidence low.

    ``begun`` is the day of an earlier draft; ``one_lane`` who does all of it.
    """
    rows = [
        *("---", "type: spec", "owner: orchestrator", f"confidence: {confidence_of(fields)}"),
        f"source_refs: [{', '.join(refs)}]",
        *(f"created_at: {begun or today}", f"updated_at: {today}"),
        *([f"one_lane: {one_lane}"] if one_lane else []),
        *("---", f"# {title}"),
    ]
    for name in SECTIONS:
        said = fields.get(name, "").strip()
        rows += [f"## {name}", _as_bullets(said) if said and name != GOAL else said or OPEN]
    if notes := fields.get(NOTES, "").strip():
        rows += [f"## {NOTES}", _below(notes)]
    return "\n".join(rows) + "\n"


def _below(notes: str) -> str:
    """Notes in which no heading ends the section, and no fence stays open."""
    rows, fence = [], ""
    for row in notes.split("\n"):
        found = _FENCE.match(row)
        if found:
            fence = "" if fence == found[1] else fence or found[1]
        rows.append(row if fence or found else _HIGH.sub("### ", row))
    return "\n".join([*rows, *([fence] if fence else [])])


def confidence_of(fields: Mapping[str, str]) -> str:
    """``low`` where something is open or assumed, or a model set the criteria; ``medium`` where some was inferred."""
    missing = [name for name in SECTIONS if not fields.get(name, "").strip()]
    assumed = fields.get(ASSUMPTIONS, "").casefold()
    drafted = f"{CRITERIA} was drafted by".casefold() in assumed
    if missing or drafted or "blocking unknown" in assumed:
        return "low"
    return "medium" if "(inferred" in assumed else "high"


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
        "- may act without asking: none\n- requires confirmation: landing the result on a branch of yours\n"
        "- forbidden: whatever cannot be undone"
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
