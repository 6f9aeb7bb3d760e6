"""What a run teaches: proposals in four groups, with how much they matter. Pure, and nothing else is touched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from guildmoot.lifecycle.documents import SourceDocument
from guildmoot.lifecycle.proof.claims import LaneClaim
from guildmoot.lifecycle.results import BUCKETS, SIGNIFICANCE, least_significance
from guildmoot.text.clean import one_line

_ROLE = re.compile(
    r"(?i)\b(?:no|missing|needs? an?|lacks? an?)\s+([a-z][a-z-]{2,30})\s+specialist\b"
)


class Reflection(NamedTuple):
    """What is proposed, by group, with the words that led to it."""

    proposals: dict[str, tuple[str, ...]]
    significance: str
    why: tuple[str, ...]


def reflect(
    claims: Sequence[LaneClaim],
    dropped: Mapping[str, Sequence[str]],
    skills: Collection[str],
    gaps: Sequence[str],
    earlier: Sequence[SourceDocument],
) -> Reflection:
    """``dropped`` is what each bundle (owner and task) left out for its budget, ``gaps`` roles that nobody filled."""
    named: Counter[str] = Counter()
    backlog, why = [], []
    missing = list(gaps)
    for claim in claims:
        for text in (*claim.followups, *claim.assumptions):
            found = [
                name for name in skills if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
            ]
            named.update(found)
            missing += [match[1].casefold() for match in _ROLE.finditer(text)]
            why += [f"{claim.lane.task} names the skill {name}: {_line(text)}" for name in found]
        for text in claim.followups:
            backlog.append(f"{claim.lane.owner}/{claim.lane.task}")
            why.append(f"{claim.lane.task} left: {_line(text)}")
    cut = [name for name, lost in dropped.items() if lost]
    why += [f"the bundle of {name} left out {', '.join(dropped[name][:5])}" for name in cut]
    why += [f"nobody is a {role}" for role in dict.fromkeys(missing)]
    proposals = dict(
        zip(BUCKETS, (tuple(sorted(named)), tuple(dict.fromkeys(missing)), tuple(cut),
                      tuple(dict.fromkeys(backlog))), strict=True)
    )  # fmt: skip
    counts = {name: len(rows) for name, rows in proposals.items()}
    counts["followup_backlog"] = len(backlog)
    level = least_significance(counts)
    if any(_seen(name, earlier) >= 2 for name in named):
        level = SIGNIFICANCE[-1]
    return Reflection(proposals, level, tuple(why))


def _seen(skill: str, earlier: Sequence[SourceDocument]) -> int:
    """In how many earlier reflections a skill is proposed to be improved."""
    count = 0
    for document in earlier:
        proposals = document.data.get("proposals")
        rows = proposals.get("skill_improvement") if isinstance(proposals, dict) else None
        count += isinstance(rows, list) and skill in rows
    return count


def write_reflection(run: str, slug: str, day: str, found: Reflection) -> str:
    """``reflections/RUN.md``."""
    rows = ["---", f"run_id: {run}", f"date: {day}", f"task_slug: {slug}", "proposals:"]
    for name in BUCKETS:
        listed = ", ".join(f'"{each}"' for each in found.proposals[name])
        rows.append(f"  {name}: [{listed}]")
    rows += [f"significance: {found.significance}", "---", f"# What {slug} taught", ""]
    rows += [f"- {each}" for each in found.why] or ["Nothing that calls for a change."]
    return "\n".join(rows) + "\n"


def _line(text: str) -> str:
    return one_line(text)[:200]
