"""The team: who takes part, why, and what each may do. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from guildmoot.agents.plainyaml import Value
from guildmoot.lifecycle.documents import Checker, Problem, SourceDocument
from guildmoot.lifecycle.graph import cycle
from guildmoot.lifecycle.team.roles import LARGEST_TEAM, TIERS, implied_roles
from guildmoot.lifecycle.team.roster import scope_problem

_KEYS = (
    *("spec", "phase", "backend", "allow_larger", "user_approved_agent_team", "specialists"),
    *("gaps_resolved", "coverage_flags"),
)
_MEMBER_KEYS = (
    *("name", "scope", "depends-on", "implied-by", "default_tier", "capability_scope", "host"),
    *("retry", "definition", "definition_source"),
)
_BACKENDS = ("subagent", "agent-team")
_IMPLIED_BY = ("multi-component", "auth-touched", "backend-present")
_BACKOFF = ("immediate", "linear", "exponential")


class Member(NamedTuple):
    """One specialist of a team."""

    name: str
    scope: str
    depends_on: tuple[str, ...]
    line: int
    tier: str = ""
    capability_scope: tuple[str, ...] | None = None


class Team(NamedTuple):
    """What later steps take from a team file."""

    spec: str
    members: tuple[Member, ...]
    allow_larger: bool
    settled: frozenset[str]
    """Roles that a person decided to do without, or to fill otherwise."""

    @property
    def names(self) -> tuple[str, ...]:
        """The specialists, in order."""
        return tuple(member.name for member in self.members)


def read_team(document: SourceDocument) -> Team:
    """The values of a team file, valid or not."""
    rows = document.data.get("specialists")
    gaps = document.data.get("gaps_resolved")
    return Team(
        spec=_text(document.data.get("spec")),
        members=tuple(
            _member(row, document.line_of("specialists", at))
            for at, row in enumerate(rows if isinstance(rows, list) else [])
            if isinstance(row, dict)
        ),
        allow_larger=_text(document.data.get("allow_larger")) == "true",
        settled=frozenset(
            _text(row.get("proposed_role"))
            for row in (gaps if isinstance(gaps, list) else [])
            if isinstance(row, dict) and _text(row.get("resolution")) in ("B", "C", "D")
        ),
    )


def _member(row: dict[str, Value], line: int) -> Member:
    scope = row.get("capability_scope")
    return Member(
        name=_text(row.get("name")),
        scope=_text(row.get("scope")),
        depends_on=_texts(row.get("depends-on")),
        line=line,
        tier=_text(row.get("default_tier")),
        capability_scope=_texts(scope) if scope is not None else None,
    )


def check_team(
    document: SourceDocument, known: Collection[str], asks: str | None, *, own: bool = True
) -> list[Problem]:
    """All that is wrong with a team file.

    ``known`` are the roles that can be called, ``asks`` what the spec wants; ``None`` when it cannot be read.
    ``own`` is False where ``spec`` names no spec of this project.
    """
    check = Checker(document)
    check.text("spec")
    if not own:
        why = "spec must name the spec file of this work, below .guild/spec/"
        check.tell(document.line_of("spec"), "wrong-path", why)
    check.word("backend", _BACKENDS, needed=False)
    check.word("allow_larger", ("true", "false"), needed=False)
    for key in document.data:
        if key not in _KEYS:
            check.tell(
                document.line_of(key), "unknown-key", f"{key} is no key of a team file: remove it"
            )
    team = read_team(document)
    if not team.members:
        check.tell(
            document.line_of("specialists"), "no-specialists", "list at least one specialist"
        )
    gaps = document.data.get("gaps_resolved")
    for at, row in enumerate(gaps if isinstance(gaps, list) else []):
        said = _text(row.get("resolution")) if isinstance(row, dict) else ""
        if said not in ("A", "B", "C", "D"):
            line = document.line_of("gaps_resolved", at)
            check.tell(line, "bad-value", "resolution must be one of: A, B, C, D")
    _members(check, team, known)
    _size(check, team)
    if asks is not None:
        check.problems += missing_roles(team.names, asks, team.settled, 1, "the team")
    return check.problems


def missing_roles(
    names: Collection[str], asks: str, settled: Collection[str], line: int, what: str
) -> list[Problem]:
    """The roles that the work implies and that are not there."""
    return [
        Problem(
            line,
            f"missing-{each.role}",
            f"{what} needs {each.role}, because {each.why}: add it, or record under gaps_resolved"
            " who decided to do without",
        )
        for each in implied_roles(asks, names)
        if each.role not in names and each.role not in settled
    ]


def _members(check: Checker, team: Team, known: Collection[str]) -> None:
    rows = check.document.data.get("specialists")
    for at, row in enumerate(rows if isinstance(rows, list) else []):
        line = check.document.line_of("specialists", at)
        if isinstance(row, dict):
            _keys(check, row, at, line)
        else:
            check.tell(line, "bad-value", "a specialist is a group of 'name: ...' lines")
    seen: set[str] = set()
    for member in team.members:
        if not member.name:
            check.tell(member.line, "missing-key", "a specialist lacks its name")
        elif member.name in seen:
            check.tell(member.line, "duplicate", f"{member.name} is in the team twice")
        elif member.name not in known:
            check.tell(
                member.line,
                "unknown-role",
                f"nobody is called {member.name}: take one of {', '.join(sorted(known))},"
                f" or write .guild/agents/{member.name}.md (those in proposed/ do not count)",
            )
        seen.add(member.name)
        if not member.scope:
            check.tell(member.line, "missing-scope", f"{member.name} lacks its scope: one sentence")
        for name in member.depends_on:
            if name not in team.names:
                check.tell(
                    member.line,
                    "unknown-dependency",
                    f"{member.name} waits for {name}, who is not in the team",
                )
    loop = cycle({member.name: member.depends_on for member in team.members})
    if loop:
        check.tell(
            check.document.line_of("specialists"),
            "cycle",
            f"they wait for each other: {' -> '.join(loop)}; take one of these edges away",
        )


def _keys(check: Checker, row: dict[str, Value], at: int, line: int) -> None:
    for key in row:
        if key not in _MEMBER_KEYS:
            check.tell(
                check.document.line_of("specialists", at, key),
                "unknown-key",
                f"{key} is no key of a specialist: remove it",
            )
    for key, allowed in (("implied-by", _IMPLIED_BY), ("default_tier", TIERS)):
        word = _text(row.get(key))
        if word and word not in allowed:
            check.tell(line, "bad-value", f"{key} must be one of: {', '.join(allowed)}")
    if problem := scope_problem(row.get("capability_scope")):
        check.tell(
            check.document.line_of("specialists", at, "capability_scope"), "bad-scope", problem
        )
    retry = row.get("retry")
    if isinstance(retry, dict) and _text(retry.get("backoff")) not in ("", *_BACKOFF):
        check.tell(line, "bad-value", f"backoff must be one of: {', '.join(_BACKOFF)}")


def _size(check: Checker, team: Team) -> None:
    if len(team.members) > LARGEST_TEAM and not team.allow_larger:
        check.tell(
            check.document.line_of("specialists"),
            "too-many",
            f"{len(team.members)} specialists are more than {LARGEST_TEAM}: take some away, or write"
            " 'allow_larger: true'",
        )


def _text(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(filter(None, (word.strip() for word in value.strip("[]").split(","))))
    return tuple(_text(each) for each in value) if isinstance(value, list) else ()
