"""What it is worth to put a finding of one family to the others: drawn answers on real findings and on seeded defects.

    python benchmarks/second_look.py

No public data has answers to "is this right?", so answers are drawn: each judge is right so often, and half of the
time it answers as all others do, since judges err together. Findings, labels and defects are real; the rule is the
product's own, but for its bound on the size of the panel. On the public findings nothing tells how serious they are, so all of them are asked about.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from grouping import add, load, prf, strict
from seeded.cases import Case, load_cases
from worth import Found, Panels

from guildmoot.consensus.grouping import group_findings
from guildmoot.consensus.opinions import SecondLook, is_open, least_families, opinion_families
from guildmoot.consensus.policies import POLICIES, PolicyCase
from guildmoot.model.verdict import Finding, Judgement

SEED, TOGETHER = 5, 0.5
ACCURACIES = (None, 0.7, 0.8, 0.9)


def answers(rng: random.Random, truth: bool, judges: int, accuracy: float) -> list[bool]:
    """What so many judges say, who are right so often and err together half of the time."""
    shared = truth == (rng.random() < accuracy)
    return [
        shared if rng.random() < TOGETHER else truth == (rng.random() < accuracy)
        for _ in range(judges)
    ]


def kept(rng: random.Random, issue: Found, size: int, accuracy: float | None) -> bool:
    """Whether a public finding would block: as the product rules, with the answers that are drawn."""
    if len(issue.seats) > 1 or accuracy is None:
        return len(issue.seats) >= least_families(size)
    said = answers(rng, bool(issue.golden), size - 1, accuracy)
    hold = 1 + sum(said)
    return hold >= least_families(size) and hold > said.count(False)


def on_public_findings() -> None:
    panels = Panels(load(Path(__file__).parent / "data"))
    data = panels.data
    golden = sum(data.golden.values())
    print("== Public findings: strict F1 (mean of matchers) by accuracy of the answers ==")
    print("families   lone issues right   not asked    0.7    0.8    0.9")
    for size in (2, 3, 4, 5, 6, 8, 12):
        lone = [
            i for _, _, found in panels.all(size, data.pulls) for i in found if len(i.seats) == 1
        ]
        row = []
        for accuracy in ACCURACIES:
            rng, scores = random.Random(SEED), []
            for seats in panels.of_size[size]:
                for matcher in data.matchers:
                    tallies = [
                        strict([
                            i.golden for i in panels.issues(matcher, pull, seats)
                            if kept(rng, i, size, accuracy)
                        ])
                        for pull in data.pulls
                    ]  # fmt: skip
                    scores.append(prf(add(tallies), golden)[2])
            row.append(f"{sum(scores) / len(scores):.3f}")
        right = sum(bool(issue.golden) for issue in lone) / len(lone)
        print(f"{size:8}   {right:17.0%}   {row[0]:>9}  " + "  ".join(row[1:]), flush=True)


UNSURE = 0.3
"""Of the answers in the table for two families that say "cannot tell", or cannot be read."""


def of_two_families() -> None:
    """What becomes of a lone finding when the other family is asked: kept if confirmed, or unless denied."""
    panels = Panels(load(Path(__file__).parent / "data"))
    data, golden = panels.data, sum(panels.data.golden.values())

    def f1(accuracy: float, unsure: float, *, unless_denied: bool) -> str:
        rng, scores = random.Random(SEED), []

        def keeps(issue: Found) -> bool:
            said = bool(issue.golden) == (rng.random() < accuracy)
            return unless_denied if rng.random() < unsure else said

        for seats in panels.of_size[2]:
            for matcher in data.matchers:
                tallies = []
                for pull in data.pulls:
                    found = panels.issues(matcher, pull, seats)
                    tallies.append(
                        strict([i.golden for i in found if len(i.seats) > 1 or keeps(i)])
                    )
                scores.append(prf(add(tallies), golden)[2])
        return f"{sum(scores) / len(scores):.3f}"

    print(
        "\n== Two families: strict F1 by accuracy of the other's answers, 3 of 10 of which say nothing =="
    )
    print(f"any seat (panel) {f1(1, 1, unless_denied=True)}, both {f1(1, 1, unless_denied=False)}")
    print("accuracy       confirmed   unless denied")
    for accuracy in (0.5, 0.55, 0.6, 0.7, 0.8, 0.9):
        row = (f1(accuracy, UNSURE, unless_denied=each) for each in (False, True))
        print(f"{accuracy:8.2f}   " + "   ".join(f"{cell:>13}" for cell in row), flush=True)


# --- seeded defects ---------------------------------------------------------------------


def judged(rng: random.Random, case: Case, family: str, finds: float, alarms: float) -> Judgement:
    """A scripted judge: finds the defect so often, and raises a false alarm at some line so often."""
    said = []
    if case.defect and rng.random() < finds:
        place = case.defect.place
        said.append((place.path, place.first, case.defect.about))
    if rng.random() < alarms:
        path = rng.choice(sorted(case.files))
        rows = case.files[path].splitlines() or [""]
        line = rng.randrange(len(rows))
        said.append((path, line + 1, f"{family} dislikes {rows[line].strip()[:60]}"))
    findings = tuple(
        Finding(family, "bug", about, path=path, line=line, end_line=line, severity="high",
                blocking=True, family=family, grounding="grounded")
        for path, line, about in said
    )  # fmt: skip
    return Judgement(family, "flagged" if findings else "approved", findings, family=family)


def rule(
    rng: random.Random,
    case: Case,
    judgements: Sequence[Judgement],
    policy: str,
    accuracy: float | None,
) -> tuple[bool, int]:
    """Whether the defect blocks, and how many false alarms do."""
    issues = group_findings([f for each in judgements for f in each.findings])
    families = opinion_families(judgements)
    looks = {}
    for issue in issues:
        if accuracy is not None and is_open(issue, families):
            truth = _is_defect(issue.representative, case)
            others = [family for family in families if family not in issue.families]
            said = answers(rng, truth, len(others), accuracy)
            looks[issue.id] = tuple(
                SecondLook(family, "yes" if yes else "no")
                for family, yes in zip(others, said, strict=True)
            )
    ruled = POLICIES[policy].rule(PolicyCase(tuple(judgements), tuple(issues), looks=looks))
    blocking = [_is_defect(r.issue.representative, case) for r in ruled.rulings if r.blocks]
    return any(blocking), blocking.count(False)


def _is_defect(finding: Finding, case: Case) -> bool:
    return case.defect is not None and finding.title == case.defect.about


def on_seeded_defects() -> None:
    cases = load_cases()
    defects = sum(case.defect is not None for case in cases)
    print(
        f"\n== {defects} seeded defects, {len(cases) - defects} sound: scripted judges that find 4 of 10 =="
    )
    print("and raise a false alarm in 4 of 10; blocked defects, false alarms that block")
    print("families        panel    weighed, not asked    asked: 0.7          0.8          0.9")
    for size in (2, 3, 5):
        row = []
        for policy, accuracy in (("panel", None), *(("weighed", each) for each in ACCURACIES)):
            rng, found, alarms = random.Random(SEED), 0, 0
            for case in cases:
                said = [judged(rng, case, f"family-{n}", 0.4, 0.4) for n in range(size)]
                blocked, wrong = rule(rng, case, said, policy, accuracy)
                found, alarms = found + blocked, alarms + wrong
            row.append(f"{found:3}, {alarms:3}")
        print(f"{size:8}   " + "     ".join(f"{cell:>8}" for cell in row), flush=True)


if __name__ == "__main__":
    on_seeded_defects()
    on_public_findings()
    of_two_families()
