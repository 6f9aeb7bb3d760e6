"""Every aggregator on real judges: ``python bench_votes.py DATA_DIR``, one to two minutes on two cores."""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from rival_rules import RIVALS

from guildmoot.consensus.votes.ballots import Aggregator, Probe, SeatMap
from guildmoot.consensus.votes.calibration import AGGREGATORS, error
from guildmoot.consensus.votes.counting import (
    effective_votes,
    error_correlation,
    krippendorff_alpha,
)

VENDORS = {
    "ChatGPT": "OpenAI",
    "ChatGPT-0301": "OpenAI",
    "GPT-4": "OpenAI",
    "PaLM2": "Google",
    "LLaMA2": "Meta",
}
#: Title and the start of the subsets' names.
SETS = {"LLMBar": "LLMBar/", "LLMEval^2": "Processed/LLMEval^2", "FairEval": "Processed/FairEval"}
RULES: dict[str, Aggregator] = {**AGGREGATORS, **RIVALS}
#: Refitted for every probe or in many rounds: fewer draws, which the table says.
SLOW = ("panel_record", "one_coin", "anchored_one_coin", "chosen by leave-one-out")
#: Figures known before this work, on the same data.
KNOWN = (
    "known at 20 probes: majority 76.1, weighted 90.1, pick best 90.8, best seat in hindsight 93.3"
)


class Votes(NamedTuple):
    """Items with answers, and the panel that judged them."""

    items: Sequence[Probe]
    panel: SeatMap


class Job(NamedTuple):
    """One column of a table."""

    votes: Votes
    probes: int
    draws: int
    slow_draws: int


def load(path: Path, prefix: str, strategy: str, orders: str = "01", vendors: bool = True) -> Votes:
    """Votes on the subsets named so, one seat per model and order; True stands for the second answer."""
    ballots: dict[str, dict[str, bool | None]] = {}
    answers: dict[str, bool] = {}
    judges: dict[str, str] = {}
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            if (
                row["subset"].startswith(prefix)
                and row["strategy"] == strategy
                and row["swap"] in orders
            ):
                seat = f"{row['model']}/{row['swap']}"
                judges[seat] = row["model"]
                answers[row["item"]] = row["gold"] == "2"
                ballots.setdefault(row["item"], {})[seat] = (
                    row["winner"] == "2" if row["winner"] else None
                )
    families = {
        seat: VENDORS.get(model, model) if vendors else model for seat, model in judges.items()
    }
    return Votes([(ballots[item], answers[item]) for item in answers], SeatMap(families, judges))


def accuracies(job: Job) -> dict[str, list[float]]:
    """Per cent right on the items outside each random draw of probes, ties counting half."""
    lots = random.Random(20)
    result: dict[str, list[float]] = {name: [] for name in RULES}
    for draw in range(job.draws):
        items = lots.sample(list(job.votes.items), len(job.votes.items))
        known, rest = items[: job.probes], items[job.probes :]
        for name, fit in RULES.items():
            if draw < job.slow_draws or name not in SLOW:
                rule = fit(known, [ballot for ballot, _ in rest], job.votes.panel)
                wrong = statistics.fmean(error(rule(ballot), gold) for ballot, gold in rest)
                result[name].append(100 * (1 - wrong))
    return result


def describe(title: str, votes: Votes) -> None:
    """Print what the counting functions say of the panel."""
    seats = sorted(votes.panel.judges)
    families = votes.panel.families
    pairs = [
        error_correlation(votes.items, a, b).phi
        for i, a in enumerate(seats)
        for b in seats[i + 1 :]
    ]
    right = [
        statistics.fmean(ballot.get(seat) == gold for ballot, gold in votes.items) for seat in seats
    ]
    alpha = krippendorff_alpha([ballot for ballot, _ in votes.items])
    print(
        f"\n{title}: {len(votes.items)} items, {len(seats)} seats, best seat in hindsight {100 * max(right):.1f} %"
    )
    phi = statistics.fmean(phi for phi in pairs if phi is not None)
    worth = effective_votes(seats, families), effective_votes(seats, families, votes.items)
    print(f"alpha {alpha or 0:.3f}, mean phi of errors {phi:.2f},", end=" ")
    print(f"effective votes {worth[0]:.1f} by families, {worth[1]:.1f} with the errors seen")


def table(columns: Mapping[int, Mapping[str, Sequence[float]]]) -> None:
    """Print accuracy, its standard deviation over draws, and the number of draws."""
    print("rule".ljust(26) + "".join(f"{f'{size} probes':>13}" for size in columns) + "   draws")
    for name in RULES:
        cells = [column[name] for column in columns.values()]
        text = "".join(
            f"{statistics.fmean(cell):7.1f} ±{statistics.pstdev(cell):4.1f}" for cell in cells
        )
        print(f"{name:26}{text}{max(map(len, cells)):8}")


def main() -> None:
    """Parse the command line and print one table for every set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", default=Path(__file__).parent / "data")
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument(
        "--slow-draws", type=int, default=30, help="draws of the rules that are slow to fit"
    )
    parser.add_argument("--probes", type=int, nargs="*", default=[5, 10, 20, 40])
    parser.add_argument("--strategy", default="Metrics_Reference")
    parser.add_argument("--orders", default="01", help="01 for both orders, 0 or 1 for one")
    parser.add_argument("--no-vendors", action="store_true", help="make every model its own family")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=["LLMBar", "LLMEval^2"])
    options = parser.parse_args()
    start, path = time.perf_counter(), options.data / "judge_votes_dev.csv"
    print(KNOWN)
    with ProcessPoolExecutor(max_workers=2) as pool:
        for title in options.sets:
            votes = load(
                path, SETS[title], options.strategy, options.orders, not options.no_vendors
            )
            describe(title, votes)
            jobs = [Job(votes, size, options.draws, options.slow_draws) for size in options.probes]
            table(dict(zip(options.probes, pool.map(accuracies, jobs), strict=True)))
    print(f"\nmean ± standard deviation over draws; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
