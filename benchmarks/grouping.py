"""Measure grouping and the panel on labelled review findings: one command, all numbers.

    python benchmarks/grouping.py [DATA_FOLDER] [--seed N] [--resamples N] [--no-speed]

Everything learnt (thresholds, seat records, weights, the best single tool) is learnt on
the repositories other than the one measured.  Standard library only.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from evidence_model import fit, learn

from guildmoot.consensus.grouping import group_findings, note_of
from guildmoot.consensus.votes.evidence import Context, Logistic, SeatRecord, features
from guildmoot.text.similar import SOURCE_PENALTY, THRESHOLD, Linkage, profiles, twins
from guildmoot.text.similar.likeness import likeness_graph

Tally = tuple[int, int, int]  # right groups, reported groups, golden comments covered
GRID = [0.015 * (0.12 / 0.015) ** (k / 39) for k in range(40)]
SCORES = [k / 10 for k in range(-40, 31)]


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled finding in the shape `group_findings` reads."""

    seat: str
    title: str
    golden: tuple[str, ...] = field(default=(), compare=False)
    family: str = ""
    path: str = ""
    line: int = 0
    end_line: int = 0
    quote: str = ""
    why: str = ""
    fix: str = ""
    code: str = ""
    severity: str = "medium"
    blocking: bool = False
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    findings: dict[tuple[str, str], list[Row]]  # (matcher, pull request)
    golden: Counter[str]
    pairs: list[dict[str, str]]
    matchers: list[str]
    pulls: list[str]
    repositories: list[str]


def repository(pull: str) -> str:
    """The project of a pull request; forks named <project>-<someone> belong to it."""
    return pull.split("/")[4].split("-")[0]


def load(folder: Path) -> Data:
    def read(stem: str) -> list[dict[str, str]]:
        (path,) = sorted(folder.glob(f"{stem}*.csv"))
        with path.open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))

    findings: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in read("review_findings"):
        golden = (
            tuple(g.strip() for g in row["golden"].split(" || ")) if row["matched"] == "1" else ()
        )
        findings[row["matcher"], row["pr"]].append(
            Row(row["tool"], row["finding"], golden, row["tool"])
        )
    goldens = Counter(row["pr"] for row in read("review_golden"))
    pulls = sorted(goldens)
    return Data(
        dict(findings),
        goldens,
        read("review_same_issue_pairs"),
        sorted({matcher for matcher, _ in findings}),
        pulls,
        sorted({repository(pull) for pull in pulls}),
    )


# --- scores ---------------------------------------------------------------------------


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def prf(tally: Sequence[int], golden: int) -> tuple[float, float, float]:
    precision = tally[0] / tally[1] if tally[1] else 0.0
    recall = tally[2] / golden if golden else 0.0
    return precision, recall, f1(precision, recall)


def add(tallies: Sequence[Tally]) -> Tally:
    return (sum(t[0] for t in tallies), sum(t[1] for t in tallies), sum(t[2] for t in tallies))


def strict(reported: Sequence[tuple[str, ...]]) -> Tally:
    """Right groups, reported groups, goldens covered; a golden counts once."""
    covered: set[str] = set()
    right = 0
    for golden in reported:
        new = set(golden) - covered
        right += bool(new)
        covered |= new
    return right, len(reported), len(covered)


def smoothed_best(values: Sequence[float], reach: int = 2) -> int:
    """Index of the best value after averaging with its neighbours: the plateau, not the peak."""

    def mean(k: int) -> float:
        window = values[max(0, k - reach) : k + reach + 1]
        return sum(window) / len(window)

    return max(range(len(values)), key=lambda k: (mean(k), -k))


# --- pairs ----------------------------------------------------------------------------


def join_levels(rows: Sequence[Row]) -> Callable[[int, int], float]:
    """The level at which grouping joins two findings: the highest threshold that still does."""
    notes_order = sorted(range(len(rows)), key=lambda i: (note_of(rows[i]), rows[i].fix))
    notes, vectors = profiles([note_of(rows[i]) for i in notes_order])
    place = {index: number for number, index in enumerate(notes_order)}
    levels: dict[tuple[int, int], float] = {}

    class Recording(Linkage):
        def _join(self, left: int, right: int) -> None:
            level = self._link(left, right, self._sums[left][right])
            for a in self._members[left]:
                for b in self._members[right]:
                    levels[min(a, b), max(a, b)] = level
            super()._join(left, right)

    start = twins(notes)
    firsts = [group[0] for group in start]
    edges = likeness_graph([notes[n] for n in firsts], [vectors[n] for n in firsts])
    Recording(notes, start, edges, GRID[0] / 2, SOURCE_PENALTY).run()
    for group in start:
        levels.update({(a, b): 1.0 for a in group for b in group if a < b})

    def level(left: int, right: int) -> float:
        a, b = place[left], place[right]
        return levels.get((min(a, b), max(a, b)), 0.0)

    return level


def pair_scores(data: Data) -> tuple[list[float], list[float], list[bool], list[str]]:
    """For each labelled pair: cosine alone, joining level, label, repository."""
    cosine: list[float] = []
    level: list[float] = []
    by_pull: dict[str, tuple[dict[tuple[str, str], int], Callable[[int, int], float]]] = {}
    base: dict[str, list[list[float]]] = {}
    for pull in data.pulls:
        rows = list(data.findings.get(("gpt-5.2", pull), []))
        known = {(row.seat, row.title) for row in rows}
        for pair in data.pairs:
            for side in "ab":
                key = pair[f"tool_{side}"], pair[f"finding_{side}"]
                if pair["pr"] == pull and key not in known:
                    known.add(key)
                    rows.append(Row(*key))
        where = {(row.seat, row.title): i for i, row in enumerate(rows)}
        by_pull[pull] = where, join_levels(rows)
        base[pull] = naive_similarity([row.title for row in rows])
    for pair in data.pairs:
        where, level_of = by_pull[pair["pr"]]
        a, b = where[pair["tool_a"], pair["finding_a"]], where[pair["tool_b"], pair["finding_b"]]
        level.append(level_of(a, b))
        cosine.append(base[pair["pr"]][a][b])
    labels = [pair["same_golden"] == "1" for pair in data.pairs]
    return cosine, level, labels, [repository(pair["pr"]) for pair in data.pairs]


def pair_prf(predicted: Sequence[bool], labels: Sequence[bool]) -> tuple[float, float, float]:
    hit = sum(p and y for p, y in zip(predicted, labels))
    precision, recall = hit / max(1, sum(predicted)), hit / max(1, sum(labels))
    return precision, recall, f1(precision, recall)


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = [0.0] * len(scores)
    i = 0
    while i < len(order):
        j = i
        while j < len(order) and scores[order[j]] == scores[order[i]]:
            j += 1
        for k in order[i:j]:
            ranks[k] = (i + j + 1) / 2
        i = j
    positive = sum(labels)
    total = sum(rank for rank, label in zip(ranks, labels) if label)
    return (total - positive * (positive + 1) / 2) / (positive * (len(labels) - positive))


def left_out_pairs(
    scores: Sequence[float], labels: Sequence[bool], repos: Sequence[str], grid: Sequence[float]
) -> tuple[list[bool], dict[str, float]]:
    chosen: dict[str, float] = {}
    for repo in sorted(set(repos)):
        train = [k for k, r in enumerate(repos) if r != repo]
        curve = [
            pair_prf([scores[k] >= t for k in train], [labels[k] for k in train])[2] for t in grid
        ]
        chosen[repo] = grid[smoothed_best(curve)]
    return [s >= chosen[r] for s, r in zip(scores, repos)], chosen


def bench_pairs(data: Data) -> dict[str, float]:
    cosine, level, labels, repos = pair_scores(data)
    print("\n== Pairs: same issue or not, leave one repository out, pooled ==")
    print(f"{len(labels)} pairs, {sum(labels)} same")
    print("method                        P      R      F1     AUC    thresholds")
    fixed = [s >= THRESHOLD for s in level]
    predicted, chosen_base = left_out_pairs(cosine, labels, repos, [k / 200 for k in range(4, 80)])
    _pair_line("TF-IDF cosine (baseline)", predicted, labels, cosine, chosen_base)
    predicted, chosen = left_out_pairs(level, labels, repos, GRID)
    _pair_line("group_findings", predicted, labels, level, chosen)
    _pair_line(f"group_findings at {THRESHOLD}", fixed, labels, level, {})
    for repo in data.repositories:
        inside = [k for k, r in enumerate(repos) if r == repo]
        values = pair_prf([predicted[k] for k in inside], [labels[k] for k in inside])
        print(f"  held out {repo:10} P {values[0]:.3f} R {values[1]:.3f} F1 {values[2]:.3f}")
    curve = [
        f"{t}:{pair_prf([s >= t for s in level], labels)[2]:.3f}"
        for t in (0.03, 0.035, 0.04, 0.045, 0.05, 0.055, 0.06, 0.07)
    ]
    print("  plateau (whole set, F1 by threshold):", " ".join(curve))
    return chosen


def _pair_line(
    name: str,
    predicted: Sequence[bool],
    labels: Sequence[bool],
    scores: Sequence[float],
    chosen: dict[str, float],
) -> None:
    p, r, f = pair_prf(predicted, labels)
    where = " ".join(f"{repo}:{t:.3f}" for repo, t in chosen.items())
    print(f"{name:28} {p:.3f}  {r:.3f}  {f:.3f}  {auc(scores, labels):.3f}  {where}")


# --- the naive panel: TF-IDF, average linkage, medoid, least number of votes ------------

_TOKEN = re.compile(r"\b\w\w+\b")


def naive_similarity(texts: Sequence[str]) -> list[list[float]]:
    bags = []
    for text in texts:
        words = _TOKEN.findall(text.lower())
        bags.append(Counter(words + [f"{a} {b}" for a, b in zip(words, words[1:])]))
    seen = Counter(term for bag in bags for term in bag)
    vectors = []
    for bag in bags:
        vector = {t: n * (math.log((1 + len(bags)) / (1 + seen[t])) + 1) for t, n in bag.items()}
        norm = math.sqrt(sum(v * v for v in vector.values())) or 1.0
        vectors.append({t: v / norm for t, v in vector.items()})
    return [[grouping_dot(a, b) for b in vectors] for a in vectors]


def grouping_dot(a: dict[str, float], b: dict[str, float]) -> float:
    return sum(a[t] * b[t] for t in a.keys() & b.keys())


def average_linkage(similarity: Sequence[Sequence[float]], threshold: float) -> list[list[int]]:
    groups = [[i] for i in range(len(similarity))]
    link = [list(row) for row in similarity]
    alive = list(range(len(groups)))
    while len(alive) > 1:
        best, i, j = max((link[a][b], -a, -b) for n, a in enumerate(alive) for b in alive[n + 1 :])
        i, j = -i, -j
        if best < threshold:
            break
        ni, nj = len(groups[i]), len(groups[j])
        for k in alive:
            link[i][k] = link[k][i] = (ni * link[i][k] + nj * link[j][k]) / (ni + nj)
        groups[i] += groups[j]
        alive.remove(j)
    return [groups[i] for i in alive]


# --- panels ---------------------------------------------------------------------------

Outcomes = dict[tuple[str, str], Tally]  # (matcher, pull request)


@dataclass(frozen=True, slots=True)
class Judged:
    """An issue with what the panel knows of it and what the label says."""

    pull: str
    matcher: str
    seats: tuple[str, ...]
    context: Context
    golden: tuple[str, ...]
    cohesion: float


class Bench:
    def __init__(self, data: Data) -> None:
        self.data = data
        self._judged: dict[tuple[str, str, float], list[Judged]] = {}

    def train(self, repo: str) -> list[str]:
        return [p for p in self.data.pulls if repository(p) != repo]

    def test(self, repo: str) -> list[str]:
        return [p for p in self.data.pulls if repository(p) == repo]

    def rows(self, matcher: str, pull: str) -> list[Row]:
        return self.data.findings.get((matcher, pull), [])

    def golden(self, pulls: Sequence[str]) -> int:
        return sum(self.data.golden[p] for p in pulls)

    def judged(self, matcher: str, pull: str, threshold: float) -> list[Judged]:
        key = matcher, pull, threshold
        if key not in self._judged:
            rows = self.rows(matcher, pull)
            issues = group_findings(rows, threshold=threshold)
            context = Context(Counter(row.seat for row in rows), len(issues))
            self._judged[key] = [
                Judged(pull, matcher, i.seats, context, i.representative.golden, i.cohesion)
                for i in issues
            ]
        return self._judged[key]

    def single(self) -> tuple[Outcomes, dict[tuple[str, str], str]]:
        """Best single tool by matcher, chosen on the other repositories."""
        outcomes: Outcomes = {}
        chosen: dict[tuple[str, str], str] = {}
        tools = sorted({row.seat for rows in self.data.findings.values() for row in rows})
        for matcher in self.data.matchers:

            def tally(tool: str, pull: str, matcher: str = matcher) -> Tally:
                return strict([row.golden for row in self.rows(matcher, pull) if row.seat == tool])

            for repo in self.data.repositories:
                train = self.train(repo)
                best = max(
                    tools,
                    key=lambda t: prf(add([tally(t, p) for p in train]), self.golden(train))[2],
                )
                chosen[matcher, repo] = best
                for pull in self.test(repo):
                    outcomes[matcher, pull] = tally(best, pull)
        return outcomes, chosen

    def naive(self) -> Outcomes:
        """TF-IDF cosine, average linkage, medoid; threshold and votes chosen elsewhere."""
        choices = [(t, v) for t in (0.1, 0.12, 0.15, 0.18, 0.22, 0.26) for v in (2, 3, 4, 5)]
        outcomes: Outcomes = {}
        for matcher in self.data.matchers:
            table = {
                (p, c): tally
                for p in self.data.pulls
                for c, tally in self._naive_pull(matcher, p, choices).items()
            }
            for repo in self.data.repositories:
                train = self.train(repo)
                best = max(
                    choices,
                    key=lambda c: prf(add([table[p, c] for p in train]), self.golden(train))[2],
                )
                for pull in self.test(repo):
                    outcomes[matcher, pull] = table[pull, best]
        return outcomes

    def _naive_pull(
        self, matcher: str, pull: str, choices: Sequence[tuple[float, int]]
    ) -> dict[tuple[float, int], Tally]:
        rows = self.rows(matcher, pull)
        similarity = naive_similarity([row.title for row in rows])
        result = {}
        for threshold in {t for t, _ in choices}:
            groups = []
            for group in average_linkage(similarity, threshold):
                medoid = max(group, key=lambda i: sum(similarity[i][j] for j in group))
                groups.append((len({rows[i].seat for i in group}), rows[medoid].golden))
            groups.sort(key=lambda g: -g[0])
            for t, votes in choices:
                if t == threshold:
                    result[t, votes] = strict([golden for n, golden in groups if n >= votes])
        return result

    def record(self, pulls: Sequence[str]) -> SeatRecord:
        """Seat record from the labelled findings of these pull requests, all matchers."""
        rows = [row for m in self.data.matchers for p in pulls for row in self.rows(m, p)]
        return learn(rows, self.golden(pulls) * len(self.data.matchers))

    def votes(self, thresholds: dict[str, float]) -> Outcomes:
        """Our groups and representatives, but a plain least number of agreeing seats."""
        outcomes: Outcomes = {}
        for repo in self.data.repositories:

            def tally(matcher: str, pull: str, votes: int, t: float = thresholds[repo]) -> Tally:
                issues = sorted(self.judged(matcher, pull, t), key=lambda i: -len(i.seats))
                return strict([i.golden for i in issues if len(i.seats) >= votes])

            train = self.train(repo)
            best = max(
                (2, 3, 4, 5, 6),
                key=lambda v: sum(
                    prf(add([tally(m, p, v) for p in train]), self.golden(train))[2]
                    for m in self.data.matchers
                ),
            )
            for matcher in self.data.matchers:
                for pull in self.test(repo):
                    outcomes[matcher, pull] = tally(matcher, pull, best)
        return outcomes

    def panel(self, thresholds: dict[str, float], verbose: bool = False) -> Outcomes:
        """Groups scored by evidence; all fitted on the other repositories, all matchers pooled."""
        outcomes: Outcomes = {}
        for repo in self.data.repositories:
            train, threshold = self.train(repo), thresholds[repo]
            record = self.record(train)
            issues = [
                i for m in self.data.matchers for p in train for i in self.judged(m, p, threshold)
            ]
            model = fit(
                [features(i.seats, i.context, record) for i in issues],
                [bool(i.golden) for i in issues],
            )

            @cache
            def scored(
                matcher: str,
                pull: str,
                t: float = threshold,
                record: SeatRecord = record,
                model: Logistic = model,
            ) -> list[tuple[float, Judged]]:
                rows = [
                    (model.score(features(i.seats, i.context, record)), i)
                    for i in self.judged(matcher, pull, t)
                ]
                return sorted(rows, key=lambda row: -row[0])

            def tally(
                matcher: str,
                pull: str,
                cut: float,
                scored: Callable[[str, str], list[tuple[float, Judged]]] = scored,
            ) -> Tally:
                return strict([i.golden for s, i in scored(matcher, pull) if s >= cut])

            curve = [
                sum(
                    prf(add([tally(m, p, cut) for p in train]), self.golden(train))[2]
                    for m in self.data.matchers
                )
                for cut in SCORES
            ]
            cut = SCORES[smoothed_best(curve)]
            if verbose:
                weights = ", ".join(f"{w:.2f}" for w in model.weights)
                print(
                    f"  held out {repo:10} grouping threshold {threshold:.3f}, weights {weights}, cut {cut:+.1f}, train F1 {max(curve) / len(self.data.matchers):.3f}"
                )
            for matcher in self.data.matchers:
                for pull in self.test(repo):
                    outcomes[matcher, pull] = tally(matcher, pull, cut)
        return outcomes

    def score(
        self, outcomes: Outcomes, matcher: str, pulls: Sequence[str] | None = None
    ) -> tuple[float, float, float]:
        pulls = self.data.pulls if pulls is None else pulls
        return prf(add([outcomes[matcher, p] for p in pulls]), self.golden(pulls))


def interval(values: list[float]) -> str:
    values.sort()
    return f"[{values[int(0.025 * len(values))]:+.3f}, {values[int(0.975 * len(values)) - 1]:+.3f}]"


def bench_panel(data: Data, chosen: dict[str, float], seed: int, resamples: int) -> None:
    bench = Bench(data)
    print("\n== Panel: strict scoring, leave one repository out, pooled ==")
    single, tools = bench.single()
    print("best single tool chosen:", ", ".join(sorted(set(tools.values()))))
    lines = {
        "best single tool": single,
        "naive panel": bench.naive(),
        "ours, plain votes": bench.votes(chosen),
        "ours": bench.panel(chosen, verbose=True),
    }
    rng = random.Random(seed)
    draws = [[rng.choice(data.pulls) for _ in data.pulls] for _ in range(resamples)]
    for matcher in data.matchers:
        print(f"{matcher}\n  {'':22} P      R      F1     95% of F1          F1 - best single")
        for name, outcomes in lines.items():
            p, r, f = bench.score(outcomes, matcher)
            spread = interval([bench.score(outcomes, matcher, d)[2] for d in draws])
            gain = [
                bench.score(outcomes, matcher, d)[2] - bench.score(single, matcher, d)[2]
                for d in draws
            ]
            more = f - bench.score(single, matcher)[2]
            above = sum(g > 0 for g in gain) / len(gain)
            print(
                f"  {name:22} {p:.3f}  {r:.3f}  {f:.3f}  {spread}   {more:+.3f} {interval(gain)} P(>0) {above:.2f}"
            )
    print("\n  sensitivity: F1 by fixed grouping threshold (" + " / ".join(data.matchers) + ")")
    for threshold in (0.035, 0.04, 0.045, 0.05, 0.055, 0.06, 0.07):
        fixed = dict.fromkeys(data.repositories, threshold)
        outcomes, votes = bench.panel(fixed), bench.votes(fixed)
        print(
            f"  {threshold:.3f}  ours "
            + " / ".join(f"{bench.score(outcomes, m)[2]:.3f}" for m in data.matchers)
            + "   plain votes "
            + " / ".join(f"{bench.score(votes, m)[2]:.3f}" for m in data.matchers)
        )
    bench_agreement(data, bench)
    bench_small_panels(data, rng)


def bench_agreement(data: Data, bench: Bench) -> None:
    print(
        f"\n  precision by number of agreeing tools (representative right; threshold {THRESHOLD})"
    )
    for matcher in data.matchers:
        total: Counter[int] = Counter()
        right: Counter[int] = Counter()
        for pull in data.pulls:
            for issue in bench.judged(matcher, pull, THRESHOLD):
                seats = min(6, len(issue.seats))
                total[seats] += 1
                right[seats] += bool(issue.golden)
        print(
            f"  {matcher:11}"
            + "  ".join(
                f"{n}{'+' if n == 6 else ''}: {right[n] / max(1, total[n]):.2f} ({total[n]})"
                for n in sorted(total)
            )
        )


def bench_small_panels(data: Data, rng: random.Random) -> None:
    """Random panels of few seats at the shipped threshold: does it hold for small sets?"""
    tools = sorted({row.seat for rows in data.findings.values() for row in rows})
    print("\n  pair F1 of the shipped threshold in random panels of few seats (40 panels each)")
    for size in (2, 3, 5, 8):
        hit = said = true = 0
        for _ in range(40):
            seats = set(rng.sample(tools, size))
            pairs = [p for p in data.pairs if p["tool_a"] in seats and p["tool_b"] in seats]
            together: set[tuple[str, str, str]] = set()
            for pull in {p["pr"] for p in pairs}:
                rows = [row for row in data.findings["gpt-5.2", pull] if row.seat in seats]
                for issue in group_findings(rows):
                    together.update(
                        (pull, a.title, b.title) for a in issue.members for b in issue.members
                    )
            for p in pairs:
                same, label = (
                    (p["pr"], p["finding_a"], p["finding_b"]) in together,
                    p["same_golden"] == "1",
                )
                hit += same and label
                said += same
                true += label
        print(
            f"  {size} seats: P {hit / max(1, said):.3f} R {hit / max(1, true):.3f} F1 {2 * hit / max(1, said + true):.3f}"
        )


# --- speed ----------------------------------------------------------------------------


def synthetic(count: int, located: bool, seed: int = 7) -> list[Row]:
    rng = random.Random(seed)
    syllables = [
        "ba",
        "ce",
        "di",
        "fo",
        "gu",
        "ha",
        "je",
        "ki",
        "lo",
        "mu",
        "na",
        "pe",
        "qui",
        "ro",
        "su",
        "ta",
        "ve",
        "wi",
        "xo",
        "zu",
    ]
    words = ["".join(rng.choice(syllables) for _ in range(rng.randint(2, 4))) for _ in range(6000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    cumulative = [sum(weights[:1])]
    for weight in weights[1:]:
        cumulative.append(cumulative[-1] + weight)
    rows: list[Row] = []
    while len(rows) < count:
        core = rng.choices(words, cum_weights=cumulative, k=14)
        name = rng.choice(words) + rng.choice(words).title() + str(rng.randrange(200))
        path, line = (
            (f"src/module{rng.randrange(max(1, count // 20))}.py", rng.randrange(5, 800))
            if located
            else ("", 0)
        )
        for seat in rng.sample(range(12), rng.choice((1, 1, 1, 2, 3, 5))):
            text = [w for w in core if rng.random() < 0.6] + rng.choices(
                words, cum_weights=cumulative, k=10
            )
            rng.shuffle(text)
            text.insert(2, name)
            at = line + rng.randrange(-2, 3) if located else 0
            rows.append(
                Row(
                    f"s{seat}",
                    " ".join(text[:8]),
                    (),
                    f"f{seat % 5}",
                    path,
                    at,
                    at,
                    why=" ".join(text[8:]),
                )
            )
    rng.shuffle(rows)
    return rows[:count]


def speed_once(count: int, located: bool) -> None:
    rows = synthetic(count, located)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    wall, cpu = time.perf_counter(), time.process_time()
    issues = group_findings(rows)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {count:7} findings {'with' if located else 'without'} places: {len(issues)} issues, {wall:.2f} s wall, {cpu:.2f} s cpu, peak {peak:.0f} MB (input {before:.0f} MB)",
        flush=True,
    )


def bench_speed() -> None:
    print("\n== Speed (synthetic findings, one process each) ==", flush=True)
    for count in (10_000, 100_000):
        for located in (True, False):
            subprocess.run(
                [sys.executable, __file__, ".", "--speed-once", str(count), str(int(located))],
                check=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent / "data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--speed-once", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.speed_once:
        speed_once(options.speed_once[0], bool(options.speed_once[1]))
        return
    data = load(options.folder)
    chosen = bench_pairs(data)
    bench_panel(data, chosen, options.seed, options.resamples)
    if not options.no_speed:
        bench_speed()


if __name__ == "__main__":
    main()
