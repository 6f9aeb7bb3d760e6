"""Who takes part: specialists whose words stand in the spec, and the roles that these imply. Pure, and explained."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from guildmoot.lifecycle.roles import LARGEST_TEAM, ROLES, implied_roles
from guildmoot.lifecycle.roster import Specialist

_AFTER = {"qa": ("backend", "devops"), "security": ()}


class RoleMatch(NamedTuple):
    """Whether a specialist takes part, and why."""

    specialist: Specialist
    taken: bool
    why: str
    implied_by: str = ""


class TeamProposal(NamedTuple):
    """A team as the spec asks for it."""

    matches: tuple[RoleMatch, ...]
    """Every specialist, those taken first."""
    left_out: tuple[str, ...]
    """Notes on roles that would fit and do not sit."""
    gap: str
    """Why nobody fits; empty when somebody does."""

    @property
    def taken(self) -> tuple[RoleMatch, ...]:
        """Those who take part, in the order in which they begin."""
        return tuple(match for match in self.matches if match.taken)


def compose(
    asks: str,
    specialists: Sequence[Specialist],
    wanted: Collection[str] = (),
    unwanted: Collection[str] = (),
    most: int = LARGEST_TEAM,
) -> TeamProposal:
    """The team for what a spec asks; ``wanted`` sit whatever it says, ``unwanted`` never."""
    found = {each.name: _words(asks, each) for each in specialists}
    chosen = {
        each.name: f"named: {', '.join(found[each.name][:4])}"
        for each in specialists
        if found[each.name] and each.name not in unwanted
    }
    chosen |= dict.fromkeys(wanted, "asked for")
    rules: dict[str, str] = {}
    for _ in range(2):  # an implied role may imply another
        for implied in implied_roles(asks, chosen):
            if implied.role not in chosen and implied.role not in unwanted:
                chosen[implied.role] = implied.why
                rules[implied.role] = implied.rule
    strength = {name: len(found.get(name, ())) for name in chosen}
    kept = sorted(
        chosen, key=lambda name: (name not in wanted, name not in rules, -strength[name], name)
    )[:most]
    left = tuple(
        f"{name} would fit ({chosen[name]}), and a team has {most} at most"
        for name in chosen
        if name not in kept
    )
    by_name = {each.name: each for each in specialists}
    taken = [
        RoleMatch(by_name[name], True, chosen[name], rules.get(name, ""))
        for name in sorted((name for name in kept if name in by_name), key=_place)
    ]
    rest = [
        RoleMatch(
            each,
            False,
            "none of its words stands in the spec" if not found[each.name] else "left out",
        )
        for each in specialists
        if each.name not in kept
    ]
    gap = "" if taken else "no specialist's words stand in the spec's goal or criteria"
    return TeamProposal((*taken, *rest), left, gap)


def waits_for(name: str, team: Collection[str]) -> tuple[str, ...]:
    """Whom a specialist waits for in a team, by the rules of the domains."""
    first = ("architect",) if ROLES.get(name, "engineering") == "engineering" else ()
    earlier = (*first, *_AFTER.get(name, ()))
    return tuple(each for each in earlier if each in team and each != name and name != "researcher")


def write_team(slug: str, goal: str, proposal: TeamProposal) -> str:
    """The team file."""
    names = [match.specialist.name for match in proposal.taken]
    rows = [
        f"spec: .guild/spec/{slug}.md",
        "backend: subagent",
        f"allow_larger: {'true' if len(names) > LARGEST_TEAM else 'false'}",
        "specialists:",
    ]
    for match in proposal.taken:
        who = match.specialist
        rows += [
            f"  - name: {who.name}",
            f"    scope: {_quoted(f'{who.task}: {goal}')}",
            f"    depends-on: [{', '.join(waits_for(who.name, names))}]",
            *([f"    implied-by: {match.implied_by}"] if match.implied_by else []),
            f"    default_tier: {who.tier}",
            f"    capability_scope: [{', '.join(map(_quoted, who.scope))}]",
            *([f"    definition: {who.definition}"] if who.definition else []),
        ]
    flags = ", ".join(map(_quoted, proposal.left_out))
    return "\n".join([*rows, "gaps_resolved: []", f"coverage_flags: [{flags}]"]) + "\n"


def _words(asks: str, specialist: Specialist) -> list[str]:
    text = asks.casefold()
    return [
        word
        for word in specialist.triggers
        if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)
    ]


def _place(name: str) -> tuple[int, str]:
    order = ("researcher", "architect", "security", "backend", "frontend", "mobile", "devops", "qa")
    return (order.index(name) if name in order else len(order), name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
