"""Who takes part: specialists whose words stand in the spec, and the roles that these imply. Pure, and explained."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from guildmoot.lifecycle.spec import commands_of, without_commands
from guildmoot.lifecycle.team.roles import LARGEST_TEAM, ROLES, implied_roles
from guildmoot.lifecycle.team.roster import Specialist

Resolution = Literal["A", "B", "C", "D"]
RESOLUTIONS: tuple[Resolution, ...] = ("A", "B", "C", "D")
DOMAINS: dict[str, tuple[str, ...]] = {
    "data-engineer": ("data pipeline", "etl", "data warehouse", "spark", "airflow", "data lake"),
    "ml-engineer": ("machine learning", "train a model", "fine-tune", "neural network", "inference",
                    "recommendation model", "embeddings"),
    "ux-designer": ("wireframe", "wireframes", "user research", "usability study", "design system",
                    "figma"),
    "legal": ("gdpr", "privacy policy", "terms of service", "licence review", "license review",
              "compliance review"),
    "game-developer": ("game", "unity", "unreal engine", "shader", "sprite"),
    "embedded-engineer": ("firmware", "microcontroller", "embedded device", "rtos"),
    "translator": ("translation", "translations", "localization", "localisation"),
    "finance": ("bookkeeping", "invoice reconciliation", "financial model", "tax"),
    "support": ("help desk", "support tickets", "customer support"),
}  # fmt: skip
"""Work that none of the shipped specialists is for, by the words that name it."""

_AFTER = {"qa": ("backend", "devops"), "security": ()}


class RoleMatch(NamedTuple):
    """Whether a specialist takes part, and why."""

    specialist: Specialist
    taken: bool
    why: str
    implied_by: str = ""


class TeamGap(NamedTuple):
    """A part of the work that nobody in the team covers, and what was decided about it."""

    role: str
    why: str
    resolution: Resolution = "B"
    """A: a new specialist is proposed. B: done without. C: somebody else covers it. D: composed by hand."""
    substitute: str = ""

    @property
    def note(self) -> str:
        """What the team file says of it."""
        told = {
            "A": f"proposed as .guild/agents/proposed/{self.role}.md; nobody sits until it is live",
            "B": f"nobody covers {self.role}",
            "C": f"{self.substitute} covers {self.role} beside its own scope",
            "D": "the team is composed by hand",
        }
        return f"{self.why}: {told[self.resolution]}"


class TeamProposal(NamedTuple):
    """A team as the spec asks for it."""

    matches: tuple[RoleMatch, ...]
    """Every specialist, those taken first."""
    left_out: tuple[str, ...]
    """Notes on roles that would fit and do not sit."""
    gap: str
    """Why nobody fits; empty when somebody does."""
    gaps: tuple[TeamGap, ...] = ()

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
    decided: Mapping[str, str] = MappingProxyType({}),
) -> TeamProposal:
    """The team for what a spec asks; ``wanted`` sit whatever it says, ``unwanted`` never.

    ``decided`` says of a gap's role ``A``, ``B``, ``C:NAME`` or ``D``; without a word it is done without.
    """
    wanted = (*wanted, *(how[2:] for how in decided.values() if how.startswith("C:")))
    found = {each.name: _words(asks, each) for each in specialists}
    chosen = {
        each.name: f"named: {', '.join(found[each.name][:4])}"
        for each in specialists
        if found[each.name] and each.name not in unwanted
    }
    chosen |= dict.fromkeys(wanted, "asked for")
    if not chosen and commands_of(asks) and "backend" in found and "backend" not in unwanted:
        chosen["backend"] = "nobody's words stand in the spec, and a command proves it: code"
    rules: dict[str, str] = {}
    for _ in range(2):  # an implied role may imply another
        for implied in implied_roles(asks, chosen):
            if implied.role not in chosen and implied.role not in unwanted:
                chosen[implied.role] = implied.why
                rules[implied.role] = implied.rule
    strength = {name: len(found.get(name, ())) for name in chosen}
    kept = sorted(
        chosen, key=lambda name: (name not in wanted, name in rules, -strength[name], name)
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
    gaps = tuple(_gaps(asks, kept, by_name, decided))
    return TeamProposal((*taken, *rest), left, gap, gaps)


def _gaps(
    asks: str,
    kept: Collection[str],
    known: Collection[str],
    decided: Mapping[str, str],
) -> Iterator[TeamGap]:
    """Implied roles that do not sit, and parts of the work that no specialist is for."""
    missing = {each.role: each.why for each in implied_roles(asks, kept) if each.role not in kept}
    for role, words in DOMAINS.items():
        named = [word for word in words if has_word(asks, word)]
        if named and role not in known:
            missing[role] = f"the spec speaks of {named[0]}"
    for role in decided:
        if role not in kept:
            missing.setdefault(role, "it was named as a part that nobody covers")
    for role, why in missing.items():
        how = decided.get(role, "B")
        resolution: Resolution = next((each for each in RESOLUTIONS if how.startswith(each)), "B")
        yield TeamGap(role, why, resolution, how[2:])


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
        also = [gap.role for gap in proposal.gaps if gap.substitute == who.name]
        covers = f" Covers {', '.join(also)} as well." if also else ""
        rows += [
            f"  - name: {who.name}",
            f"    scope: {_quoted(f'{who.task}: {goal}{covers}')}",
            f"    depends-on: [{', '.join(waits_for(who.name, names))}]",
            *([f"    implied-by: {match.implied_by}"] if match.implied_by else []),
            f"    default_tier: {who.tier}",
            *(
                [f"    capability_scope: [{', '.join(map(_quoted, who.scope))}]"]
                if who.scope
                else []
            ),
            *([f"    definition: {who.definition}"] if who.definition else []),
        ]
    rows.append("gaps_resolved:" + ("" if proposal.gaps else " []"))
    for gap in proposal.gaps:
        rows += [
            f"  - proposed_role: {gap.role}",
            f"    resolution: {gap.resolution}",
            f"    notes: {_quoted(gap.note)}",
        ]
    open_gaps = [gap.note for gap in proposal.gaps if gap.resolution in ("A", "B")]
    flags = ", ".join(map(_quoted, (*proposal.left_out, *open_gaps)))
    return "\n".join([*rows, f"coverage_flags: [{flags}]"]) + "\n"


def proposed_agent(gap: TeamGap) -> str:
    """The first draft of a specialist for a gap; it is nobody until a person moves it up."""
    return (
        f'---\nname: {gap.role}\ndescription: "Covers {gap.role}: {gap.why}. Use when the work asks for'
        f" {', '.join(DOMAINS.get(gap.role, (gap.role,))[:4])}. Do not use for what another specialist"
        f' owns."\nmodel: mid\ntools: Read, Glob, Grep\ntriggers:\n'
        + "".join(f'  - "{word}"\n' for word in DOMAINS.get(gap.role, (gap.role,)))
        + f"---\nYou are the {gap.role} of this run.\n\n## How you work\n- Say here what a good result needs.\n"
    )


def _words(asks: str, specialist: Specialist) -> list[str]:
    text = without_commands(asks.casefold())
    found = [word for word in specialist.triggers if has_word(text, word)]
    return found if len(found) >= specialist.fewest else []


def has_word(text: str, word: str) -> bool:
    """Whether a whole word or phrase, one or many of it, stands in a text of small letters."""
    one = word.removesuffix("s") if len(word) > 4 else word
    return bool(re.search(rf"(?<![\w-]){re.escape(one)}s?(?![\w-])", text))


def _place(name: str) -> tuple[int, str]:
    order = ("researcher", "architect", "security", "backend", "frontend", "mobile", "devops", "qa")
    return (order.index(name) if name in order else len(order), name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
