"""The plan: lanes with one owner each, what they wait for, how they are measured. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from guildmoot.lifecycle.documents import (
    Checker,
    MarkdownSection,
    Problem,
    SourceDocument,
    TextLine,
)
from guildmoot.lifecycle.graph import ancestors, cycle
from guildmoot.lifecycle.named_places import places_of
from guildmoot.lifecycle.spec import policy_problems, vague_word
from guildmoot.lifecycle.team.roles import LARGEST_TEAM, TIERS, group_of
from guildmoot.lifecycle.team.teams import Team, missing_roles
from guildmoot.text.patterns import lazy

LOOPS = ("none", "l3-only", "l4-only", "both", "full")
_KEYS = (
    *("task-id", "owner", "depends-on", "complexity_score", "tier", "model_tier"),
    *("loops_applicable", "scope", "success-criteria", "autonomy-policy", "estimate"),
)
_BACKENDS = ("subagent", "agent-team", "auto")
_LANE = lazy(r"(?i)lane:\s*(\S.*)")
_FIELD = lazy(r"(?s)([A-Za-z][\w-]*)\s*:[ \t]*(.*)")
_TASK = lazy(r"T\d+[a-z]?(?:-[A-Za-z0-9][A-Za-z0-9_-]*)?")
_INNER = lazy(r"\s*[-*+]\s+")


class Lane(NamedTuple):
    """One piece of work with one owner."""

    task: str
    owner: str
    depends_on: tuple[str, ...]
    scope: str
    criteria: tuple[str, ...]
    policy: tuple[TextLine, ...]
    tier: str
    score: int | None
    loops: str
    line: int
    fields: frozenset[str]
    text: str
    """The lane as it stands in the plan, heading included."""
    tree: frozenset[str] = frozenset()
    """What the repository holds, so that a place can be told from a word."""
    whole: bool = False
    """It does all of the work alone: the policy of the spec says where, as its goal does."""


class Plan(NamedTuple):
    """What later steps take from a plan."""

    title: str
    spec: str
    team: str
    approved: bool
    lanes: tuple[Lane, ...]

    @property
    def edges(self) -> dict[str, tuple[str, ...]]:
        """What each task waits for."""
        return {lane.task: lane.depends_on for lane in self.lanes}

    def among(self, tree: frozenset[str]) -> Plan:
        """The plan of a repository that holds these files and folders."""
        return self._replace(lanes=tuple(lane._replace(tree=tree) for lane in self.lanes))


def read_plan(document: SourceDocument) -> Plan:
    """The values of a plan, valid or not."""
    title = next((each.title for each in document.sections if each.level == 1), "")
    data = document.data
    spec, team, approved = data.get("spec"), data.get("team"), data.get("approved")
    return Plan(
        title=title.removeprefix("Plan:").strip(),
        spec=spec if isinstance(spec, str) else "",
        team=team if isinstance(team, str) else "",
        approved=approved == "true",
        lanes=tuple(
            _lane(section)
            for section in document.sections
            if section.level == 2 and _LANE.fullmatch(section.title)
        ),
    )


def _lane(section: MarkdownSection) -> Lane:
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for bullet in section.bullets():
        found = _FIELD.fullmatch(bullet.text)
        if found:
            values.setdefault(found[1], found[2].strip())
            lines.setdefault(found[1], bullet.number)
    score = values.get("complexity_score", "")
    return Lane(
        task=values.get("task-id", ""),
        owner=values.get("owner", ""),
        depends_on=_listed(values.get("depends-on", "")),
        scope=values.get("scope", ""),
        criteria=_inner(values.get("success-criteria", "")),
        policy=tuple(
            TextLine(lines["autonomy-policy"], text.replace("**", ""))
            for text in _inner(values.get("autonomy-policy", ""))
        ),
        tier=values.get("tier", "") or values.get("model_tier", ""),
        score=int(score) if score.isdecimal() else None,
        loops=values.get("loops_applicable", "").partition("#")[0].strip(),
        line=section.line,
        fields=frozenset(values),
        text=f"## {section.title}\n{section.text}",
    )


def _listed(text: str) -> tuple[str, ...]:
    """``[a, b]``, ``a, b``, ``none`` or bullets below."""
    words = text.replace("\n", ",").strip("[] \t").split(",")
    names = (_INNER.sub("", word).strip().strip("[]'\"") for word in words)
    return tuple(name for name in names if name and name.casefold() != "none")


def _inner(text: str) -> tuple[str, ...]:
    """The bullets below a bullet; a text on the line itself is one."""
    rows = (row.strip() for row in text.split("\n"))
    return tuple(_INNER.sub("", row, count=1) for row in rows if row)


def overlaps(plan: Plan) -> list[tuple[str, str, str]]:
    """Lanes that may run at once although one place is in the scope of both, with that place."""
    edges, found = plan.edges, []
    before = {lane.task: ancestors(edges, lane.task) for lane in plan.lanes}
    for at, one in enumerate(plan.lanes):
        for other in plan.lanes[at + 1 :]:
            if one.task in before[other.task] or other.task in before[one.task]:
                continue
            shared = [
                max(here, there, key=len)
                for here in places_of(one.scope, one.tree)
                for there in places_of(other.scope, other.tree)
                if here == there or here.startswith(f"{there}/") or there.startswith(f"{here}/")
            ]
            found += [(one.task, other.task, shared[0])] if shared else []
    return found


def check_plan(
    document: SourceDocument,
    known: Collection[str],
    team: Team | None,
    asks: str | None,
    foreign: Collection[str] = (),
) -> list[Problem]:
    """All that is wrong with a plan.

    ``team`` is the team file beside it and ``asks`` what the spec wants; ``None`` when it cannot be read.
    ``foreign`` are those of the keys spec and team that name no file of this project.
    """
    check = Checker(document)
    check.word("type", ("plan",))
    for key in foreign:
        why = f"{key} must name the {key} file of this work, below .guild/{key}/"
        check.tell(document.line_of(key), "wrong-path", why)
    check.text("spec")
    check.text("team")
    check.word("backend", _BACKENDS, needed=False)
    check.day("created_at")
    check.word("approved", ("true", "false"))
    plan = read_plan(document)
    if not plan.lanes:
        check.tell(document.end, "no-lanes", "there is no lane: add '## Lane: OWNER'")
    for lane in plan.lanes:
        _check_lane(check, lane)
        _owner(check, lane, known, team)
    _graph(check, plan)
    _order(check, plan, team)
    _whole(check, plan, team, asks)
    return check.problems


def _check_lane(check: Checker, lane: Lane) -> None:
    name = lane.task or "this lane"
    if not lane.task:
        check.tell(lane.line, "missing-key", "the lane lacks '- task-id: T1-owner'")
    elif not _TASK.fullmatch(lane.task):
        check.tell(
            lane.line, "bad-value", f"task-id {lane.task} must look like T2-backend or T3a-backend"
        )
    for key in sorted(lane.fields - set(_KEYS)):
        check.tell(lane.line, "unknown-key", f"{name}: {key} is no key of a lane: remove it")
    if not lane.scope:
        check.tell(lane.line, "missing-scope", f"{name} lacks its scope: one or two sentences")
    if not lane.criteria:
        check.tell(lane.line, "no-criteria", f"{name} lacks success-criteria: at least one bullet")
    for text in lane.criteria:
        word = vague_word(text)
        if word:
            check.tell(
                lane.line, "vague-criterion", f"{name}: '{word}' in '{text}' cannot be measured"
            )
    check.problems += policy_problems(lane.policy, lane.line, f"{name}'s autonomy-policy")
    if "complexity_score" in lane.fields and lane.score is None:
        check.tell(lane.line, "bad-value", f"{name}: complexity_score must be a whole number")
    for key, value, allowed in (
        ("tier", lane.tier, TIERS),
        ("loops_applicable", lane.loops, LOOPS),
    ):
        if value and value not in allowed:
            check.tell(
                lane.line, "bad-value", f"{name}: {key} must be one of: {', '.join(allowed)}"
            )
    if lane.owner == "security" and not lane.loops:
        check.tell(
            lane.line, "missing-key", f"{name}: a security lane must say its loops_applicable"
        )


def _owner(check: Checker, lane: Lane, known: Collection[str], team: Team | None) -> None:
    name = lane.task or "this lane"
    if not lane.owner:
        check.tell(lane.line, "missing-key", f"{name} lacks its owner: exactly one specialist")
    elif "," in lane.owner or " " in lane.owner:
        check.tell(lane.line, "bad-value", f"{name}: a lane has one owner, not '{lane.owner}'")
    elif team is not None and lane.owner not in team.names:
        check.tell(
            lane.line,
            "unknown-owner",
            f"{name}: {lane.owner} is not in the team file; the team is: {', '.join(team.names)}",
        )
    elif lane.owner not in known:
        why = f"{name}: nobody is called {lane.owner} (those in proposed/ do not count)"
        check.tell(lane.line, "unknown-owner", why)


def _graph(check: Checker, plan: Plan) -> None:
    seen: dict[str, int] = {}
    for lane in plan.lanes:
        if lane.task in seen and lane.task:
            check.tell(
                lane.line, "duplicate", f"{lane.task} is also on line {seen[lane.task]}: rename one"
            )
        seen.setdefault(lane.task, lane.line)
    for lane in plan.lanes:
        for name in lane.depends_on:
            if name not in seen:
                check.tell(
                    lane.line,
                    "unknown-dependency",
                    f"{lane.task} waits for {name}, which is no task of this plan",
                )
    loop = cycle(plan.edges)
    if loop:
        check.tell(
            seen[loop[0]],
            "cycle",
            f"the lanes wait for each other: {' -> '.join(loop)}; take one of these edges away",
        )


def _order(check: Checker, plan: Plan, team: Team | None) -> None:
    """Who must come before whom, by the rules of the domains and by the team's own edges."""
    before: list[tuple[str, Sequence[str]]] = [("qa", ("backend", "devops"))]
    if team is not None:
        before += [(member.name, member.depends_on) for member in team.members]
    builders = [
        lane.owner
        for lane in plan.lanes
        if group_of(lane.owner) == "engineering" and lane.owner not in ("architect", "researcher")
    ]
    before += [(owner, ("architect",)) for owner in dict.fromkeys(builders)]
    edges = plan.edges
    told: set[tuple[str, str]] = set()
    for later, earlier in before:
        firsts = [lane for lane in plan.lanes if lane.owner in earlier and lane.owner != later]
        for lane in (lane for lane in plan.lanes if lane.owner == later):
            waits = ancestors(edges, lane.task)
            for first in firsts:
                if first.task in (*waits, lane.task) or (lane.task, first.task) in told:
                    continue
                told.add((lane.task, first.task))
                turned = lane.task in ancestors(edges, first.task)
                check.tell(
                    lane.line,
                    "order",
                    f"{lane.task} must wait for {first.task}"
                    + (", not the other way round" if turned else ": add it to depends-on"),
                )


def _whole(check: Checker, plan: Plan, team: Team | None, asks: str | None) -> None:
    if len(plan.lanes) > LARGEST_TEAM and not (team and team.allow_larger):
        check.tell(
            plan.lanes[LARGEST_TEAM].line,
            "too-many",
            f"{len(plan.lanes)} lanes are more than {LARGEST_TEAM}: join some, or write"
            " 'allow_larger: true' into the team file",
        )
    if len(plan.lanes) > 1 and team is None:
        why = "several lanes need a team file that can be read: guild work team writes it"
        check.tell(check.document.line_of("team"), "no-team", why)
    owners = {lane.owner for lane in plan.lanes}
    words = "\n".join([asks or "", *(lane.scope for lane in plan.lanes)]).casefold()
    settled = team.settled if team else frozenset[str]()
    check.problems += missing_roles(
        owners, words, settled, plan.lanes[0].line if plan.lanes else 1, "the plan"
    )
