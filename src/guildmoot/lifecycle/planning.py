"""A plan from a spec and a team: a lane for each specialist, in order, and how it is drawn. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.lifecycle.graph import ancestors
from guildmoot.lifecycle.plan import Lane, Plan
from guildmoot.lifecycle.scoring import LaneEstimate, estimate, score, signals_of
from guildmoot.lifecycle.spec import Spec, commands_of
from guildmoot.lifecycle.team import Member, Team

_LOOPS = {
    **dict.fromkeys(("backend", "frontend", "mobile", "devops", "security"), "full"),
    **dict.fromkeys(("qa", "technical-writer", "copywriter", "social-media"), "l4-only"),
}


def write_plan(slug: str, spec: Spec, team: Team, policy: str, today: str) -> str:
    """The plan file, not approved; ``policy`` are the three lines of the spec's autonomy policy."""
    members = in_order(team.members)
    tasks = {member.name: f"T{at}-{member.name}" for at, member in enumerate(members, 1)}
    rows = [
        *("---", "type: plan", f"spec: .guild/spec/{slug}.md", f"team: .guild/team/{slug}.yaml"),
        *("backend: subagent", f"created_at: {today}", "approved: false", "---"),
        f"# Plan: {spec.title}",
    ]
    for member in members:
        rows += ["", *_lane(member, tasks, spec, policy)]
    return "\n".join(rows) + "\n"


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


def _lane(member: Member, tasks: dict[str, str], spec: Spec, policy: str) -> list[str]:
    waits = [tasks[name] for name in member.depends_on if name in tasks]
    found = score(signals_of(member.name, member.scope, bool(waits)), pin="")
    criteria = _criteria(member.name, spec)
    return [
        f"## Lane: {member.name}",
        f"- task-id: {tasks[member.name]}",
        f"- owner: {member.name}",
        f"- depends-on: [{', '.join(waits)}]",
        f"- complexity_score: {found.score}",
        f"- tier: {found.tier}",
        f"- loops_applicable: {_LOOPS.get(member.name, 'none')}",
        f"- scope: {one_line(member.scope)}",
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


def draw_tree(plan: Plan) -> list[str]:
    """The lanes as rows, what waits below what it waits for; a lane that waits for several stands below the last."""
    depth: dict[str, int] = {}
    rows = []
    edges = plan.edges
    for lane in sorted(plan.lanes, key=lambda lane: (len(ancestors(edges, lane.task)), lane.line)):
        depth[lane.task] = 1 + max((depth.get(name, 0) for name in lane.depends_on), default=-1)
        waits = f"  after {', '.join(lane.depends_on)}" if lane.depends_on else ""
        taken = estimate(lane.tier)
        rows.append(
            f"{'   ' * depth[lane.task]}{'└─ ' if depth[lane.task] else ''}{lane.task}"
            f"  {lane.tier or 'no tier'}, ~{taken.tokens // 1000}k tokens, ~{taken.minutes} min{waits}"
        )
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


def whole_estimate(plan: Plan) -> LaneEstimate:
    """Tokens of all lanes together, and the minutes of the longest way through them."""
    edges, minutes = plan.edges, {lane.task: estimate(lane.tier).minutes for lane in plan.lanes}
    longest: dict[str, int] = {}
    for lane in sorted(plan.lanes, key=lambda lane: len(ancestors(edges, lane.task))):
        before = max((longest.get(name, 0) for name in lane.depends_on), default=0)
        longest[lane.task] = before + minutes[lane.task]
    tokens = sum(estimate(lane.tier).tokens for lane in plan.lanes)
    return LaneEstimate(tokens, max(longest.values(), default=0))
