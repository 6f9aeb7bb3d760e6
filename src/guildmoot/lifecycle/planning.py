"""A plan from a spec and a team: a lane for each specialist, in order, and how it is drawn. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from guildmoot.lifecycle.documents import SourceDocument, read_markdown
from guildmoot.lifecycle.graph import ancestors
from guildmoot.lifecycle.plan import Lane, Plan, read_plan
from guildmoot.lifecycle.scoring import (
    LaneEstimate,
    Price,
    ScoreTerms,
    estimate,
    no_price,
    score,
    signals_of,
)
from guildmoot.lifecycle.spec import AUTONOMY, Spec, commands_of, read_spec
from guildmoot.lifecycle.team.lane_scopes import WRITER, whole_scope
from guildmoot.lifecycle.team.roles import TIERS
from guildmoot.lifecycle.team.teams import Member, Team

_LOOPS = {
    **dict.fromkeys(("backend", "frontend", "mobile", "devops", "security"), "full"),
    **dict.fromkeys(("qa", "technical-writer", "copywriter", "social-media"), "l4-only"),
}


class LaneDraft(NamedTuple):
    """What somebody who looked at the codebase says of a lane; empty: as the team file and the spec have it."""

    scope: str = ""
    criteria: tuple[str, ...] = ()


class PlanTerms(NamedTuple):
    """What a plan is made by, beside spec and team."""

    scoring: ScoreTerms = ScoreTerms()
    price: Price = no_price
    pin: str = ""
    """The tier of every lane, whatever its score."""
    reach: Callable[[str], int | None] = lambda scope: None
    """How many files of the codebase a scope reaches; None where it names none."""
    drafts: Mapping[str, LaneDraft] = {}
    """By specialist."""
    about: str = ""
    """What the map of the codebase says of the whole."""
    tests: tuple[str, ...] = ("tests/",)
    """Where whoever tests may write, beside what the scope and the policy name."""
    tree: Collection[str] = ()
    """What the repository holds."""


_BY_RULE = PlanTerms()


def write_plan(
    slug: str, spec: Spec, team: Team, policy: str, today: str, terms: PlanTerms = _BY_RULE
) -> str:
    """The plan file, not approved; ``policy`` are the three lines of the spec's autonomy policy."""
    members = in_order(team.members)
    tasks = {member.name: f"T{at}-{member.name}" for at, member in enumerate(members, 1)}
    rows = [
        *("---", "type: plan", f"spec: .guild/spec/{slug}.md", f"team: .guild/team/{slug}.yaml"),
        *("backend: subagent", f"created_at: {today}", "approved: false", "---"),
        f"# Plan: {spec.title}",
        *([terms.about] if terms.about else []),
    ]
    for member in members:
        rows += ["", *_lane(member, tasks, spec, policy, terms)]
    return "\n".join(rows) + "\n"


def single_lane(slug: str, document: SourceDocument) -> Plan:
    """The plan of work that one specialist does alone: made from the spec, and approved with it."""
    spec = read_spec(document)
    policy = document.section(AUTONOMY)
    scope = " ".join(spec.goal.split())
    team = Team(
        f".guild/spec/{slug}.md", (Member(spec.one_lane, scope, (), 1),), False, frozenset()
    )
    text = write_plan(slug, spec, team, policy.text if policy else "", "")
    made = read_plan(read_markdown(text))
    return made._replace(team="", lanes=tuple(lane._replace(whole=True) for lane in made.lanes))


def in_order(members: Sequence[Member]) -> list[Member]:
    """Each after all that it waits for, else as they stand; members of a cycle come last."""
    done: list[Member] = []
    left = list(members)
    names = {member.name for member in members}
    while left:
        settled = {member.name for member in done}
        ready = [m for m in left if set(m.depends_on) & names <= settled] or left
        done.append(ready[0])
        left.remove(ready[0])
    return done


def _lane(
    member: Member, tasks: dict[str, str], spec: Spec, policy: str, terms: PlanTerms
) -> list[str]:
    waits = [tasks[name] for name in member.depends_on if name in tasks]
    draft = terms.drafts.get(member.name, LaneDraft())
    scope = draft.scope or member.scope
    made = not draft.scope or member.name in ("qa", WRITER)
    by = (spec, policy, terms.tests, terms.tree)
    whole = whole_scope(member.name, scope, *by) if made else scope
    # What it may change beside its task makes that no harder; tests are the task of who tests.
    task = whole if member.name == "qa" else scope
    signals = signals_of(member.name, task, bool(waits), terms.reach(task))
    found = score(signals, terms.scoring, terms.pin)
    if not terms.pin and member.tier in TIERS:  # the team's word is the least
        found = found._replace(tier=max(found.tier, member.tier, key=TIERS.index))
    criteria = draft.criteria or _criteria(member.name, spec)
    return [
        f"## Lane: {member.name}",
        f"- task-id: {tasks[member.name]}",
        f"- owner: {member.name}",
        f"- depends-on: [{', '.join(waits)}]",
        f"- complexity_score: {found.score}",
        f"- tier: {found.tier}",
        f"- estimate: {estimate(found.tier, terms.price)}",
        f"- loops_applicable: {_LOOPS.get(member.name, 'none')}",
        f"- scope: {one_line(whole)}",
        "- success-criteria:",
        *(f"  - {one_line(text)}" for text in criteria),
        "- autonomy-policy:",
        *(f"  {line}" for line in policy.split("\n") if line.strip()),
    ]


def _criteria(owner: str, spec: Spec) -> list[str]:
    """Commands go to whoever builds or tests; those who write or look get what is said in words, where there is any."""
    texts = [line.text for line in spec.criteria]
    worded = [text for text in texts if not commands_of(text)]
    builds = owner in ("backend", "frontend", "mobile", "devops", "qa")
    return texts if builds or not worded else worded


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def draw_tree(plan: Plan, price: Price = no_price) -> list[str]:
    """The lanes as a tree: each below the lane that it waits for longest; what else it waits for is told beside it.

    Lanes that wait for each other stand at the outer level.
    """
    edges = plan.edges
    depth = {lane.task: len(ancestors(edges, lane.task)) for lane in plan.lanes}
    below: dict[str, list[Lane]] = {}
    for lane in plan.lanes:
        known = [name for name in lane.depends_on if name in depth]
        stuck = lane.task in ancestors(edges, lane.task)
        above = "" if stuck else max(known, key=lambda name: depth[name], default="")
        below.setdefault(above, []).append(lane)
    rows: list[str] = []

    def draw(above: str, before: str) -> None:
        lanes = below.pop(above, [])
        for at, lane in enumerate(lanes):
            last = at == len(lanes) - 1
            told = {above, *ancestors(edges, above)}
            others = [name for name in lane.depends_on if name not in told]
            waits = f"  {'also ' if above else ''}after {', '.join(others)}" if others else ""
            branch = ("└─ " if last else "├─ ") if above else ""
            rows.append(
                f"{before}{branch}{lane.task}  {lane.tier or 'no tier'},"
                f" {estimate(lane.tier, price)}{waits}"
            )
            draw(lane.task, before + (("   " if last else "│  ") if above else ""))

    draw("", "")
    return rows


def draw_mermaid(plan: Plan) -> str:
    """The same as a Mermaid graph."""
    rows = ["graph TD"]
    ids = {lane.task: f"L{at}" for at, lane in enumerate(plan.lanes, 1)}
    rows += [f'  {ids[lane.task]}["{_label(lane)}"]' for lane in plan.lanes]
    rows += [
        f"  {ids[name]} --> {ids[lane.task]}"
        for lane in plan.lanes
        for name in lane.depends_on
        if name in ids
    ]
    return "\n".join(rows) + "\n"


def _label(lane: Lane) -> str:
    return "".join(c if c.isalnum() or c in " -_.:" else " " for c in f"{lane.task} {lane.tier}")


def whole_estimate(plan: Plan, price: Price = no_price) -> LaneEstimate:
    """Tokens and money of all lanes together, and the minutes of the longest way through them."""
    edges = plan.edges
    taken = {lane.task: estimate(lane.tier, price) for lane in plan.lanes}
    longest: dict[str, int] = {}
    for lane in sorted(plan.lanes, key=lambda lane: len(ancestors(edges, lane.task))):
        before = max((longest.get(name, 0) for name in lane.depends_on), default=0)
        longest[lane.task] = before + taken[lane.task].minutes
    costs = [each.usd for each in taken.values()]
    known = [usd for usd in costs if usd is not None]
    return LaneEstimate(
        sum(each.tokens for each in taken.values()),
        max(longest.values(), default=0),
        sum(known) if len(known) == len(costs) else None,
    )
