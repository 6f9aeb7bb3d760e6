"""Print how well conflicts are told from findings that merely meet, and how fast.

    python benchmarks/conflicts.py [pairs.jsonl]

The pairs were written before the rules. Their groups (remedies that share a place) are divided by a
hash of the group: 60 % to tune on, 40 % held out.

Then the pairs of statements, remedies and decisions of engineers, every second one held out: what code alone
tells, and what it tells with a clerk that is right 95 times of 100 and quotes both sides; it is asked again
where it says other than the words told, as a panel does, and errs afresh or in the same way. A pair counts
for a clerk only if code puts it to one. Last, remedies in the words of reviewers of Go, Java, Terraform, SQL, React
and others: ``dev`` to mend by, ``second`` counted once before it was mended by, ``held`` counted only.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from guildmoot.consensus.board.contradictions import find_contradictions
from guildmoot.consensus.board.contradictions import propose_pairs as board_pairs
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.consensus.board.scopes import align
from guildmoot.consensus.conflicts import find_conflicts, propose_pairs, ruled
from guildmoot.model.verdict import Finding
from guildmoot.practices.clerk import differs, said_twice
from guildmoot.reading.clerk.pairs import AskedPair, read_rulings
from guildmoot.text.opposed.opposition import opposed

DATA = Path(__file__).parent.parent / "tests" / "data" / "consensus"
PAIRS, STATEMENTS = DATA / "conflict_pairs.jsonl", DATA / "statement_pairs.jsonl"
REVIEWERS = DATA / "reviewer_pairs.jsonl"
HELD = Path(__file__).parent / "data" / "remedy_pairs_held.jsonl"
DRAWS = 20
"""Draws of what a clerk answers."""
NATURAL = HELD.with_name("remedy_pairs_natural.jsonl")
SLOTS = HELD.with_name("remedy_pairs_slots.jsonl")


def part(pair_id: str) -> str:
    digest = hashlib.sha256(pair_id.split("-")[0].encode()).hexdigest()
    return "dev" if int(digest, 16) % 10 < 6 else "held-out"


def finding(side: dict[str, Any], seat: str) -> Finding:
    return Finding(seat, **{name: side[name] for name in ("code", "title", "path", "fix")},
                   line=side["line"], end_line=side["end_line"])  # fmt: skip


def score(pairs: list[dict[str, Any]]) -> str:
    hit = wrong = missed = unsure = 0
    for pair in pairs:
        findings = [finding(pair["a"], "one"), finding(pair["b"], "two")]
        report = find_conflicts(findings)
        real = pair["label"] == "conflict"
        hit += bool(report.conflicts) and real
        wrong += bool(report.conflicts) and not real
        missed += not report.conflicts and real
        asked = not report.conflicts and propose_pairs(findings, report, 20)
        unsure += bool(asked) and real
    precision, recall = hit / (hit + wrong), hit / (hit + missed)
    f1 = 2 * precision * recall / (precision + recall)
    with_clerk = (hit + unsure) / (hit + missed)
    return (
        f"{len(pairs):4} pairs  precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}"
        f"  told or put to a clerk {with_clerk:.3f}"
    )


def crowd(pairs: list[dict[str, Any]], count: int, files: int, lines: int) -> list[Finding]:
    """Findings with distinct wording, so that nothing comes from a cache."""
    rng = random.Random(7)
    sides = [pair[key] for pair in pairs for key in ("a", "b")]
    found = []
    for i in range(count):
        side, line = rng.choice(sides), rng.randint(1, lines)
        found.append(Finding(
            f"seat{i % 12}", side["code"], side["title"], path=f"src/f{rng.randrange(files)}.py",
            line=line, end_line=line + rng.randrange(4),
            fix=side["fix"].replace("`", f"`m{rng.randrange(300)}_", 1) + f" See note {i}.",
        ))  # fmt: skip
    return found


def clerk(asked: Sequence[AskedPair], truth: bool, rng: random.Random) -> str:
    """A clerk's answer that is right 95 times of 100."""
    right = rng.random() < 0.95
    answer = "contradict" if truth == right else "compatible"
    rows = [
        {"number": n, "answer": answer, "quote_a": each.text_a, "quote_b": each.text_b}
        for n, each in enumerate(asked, 1)
    ]
    return json.dumps({"pairs": rows})


def told(pair: dict[str, Any], rng: random.Random, steady: bool = False) -> tuple[bool, bool]:
    """Whether a pair of statements is told as a contradiction: by code alone, and with a clerk."""
    a, b = pair["a"], pair["b"]
    truth = pair["label"] == "contradict"
    asked = [AskedPair(a["scope"], a["text"], b["scope"], b["text"])]
    if pair["kind"] == "remedy":
        findings = [placed(a, "one"), placed(b, "two")]
        report = find_conflicts(findings)
        pairs = propose_pairs(findings, report, 20)
        known = [bool(report.conflicts)]
        rulings = list(twice(asked, truth, rng, known, steady))
        with_clerk = ruled(report, pairs, rulings[: len(pairs)]) if pairs else report
        return bool(report.conflicts), bool(with_clerk.conflicts)
    said = align([BoardPosition(e, 1, pair[e]["scope"], "adopt", pair[e]["text"]) for e in "ab"])
    alone = bool(find_contradictions(said).contradictions)
    if alone or not board_pairs(said)[:20]:
        return alone, alone
    [ruling] = twice(asked, truth, rng, [False], steady)
    return alone, bool(ruling)


def twice(
    asked: Sequence[AskedPair], truth: bool, rng: random.Random, known: Sequence[bool], steady: bool
) -> Iterator[bool | None]:
    """The rulings as a panel takes them: what differs from what words told has to be said twice.

    A steady clerk says the same again, errors too.
    """
    first = read_rulings(clerk(asked, truth, rng), asked)
    ask_again = differs(first, known) and not steady
    again = read_rulings(clerk(asked, truth, rng), asked) if ask_again else first
    return said_twice(first, again, known)


def placed(side: dict[str, str], seat: str) -> Finding:
    path, _, lines = side["scope"].partition(":")
    first, _, last = lines.partition("-")
    return Finding(seat, "x", "wrong", path=path, line=int(first), end_line=int(last or first),
                   fix=side["text"])  # fmt: skip


def statements(path: Path) -> None:
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for part in ("dev", "second", "held"):
        for kind in ("remedy", "decision"):
            chosen = [p for p in pairs if p["part"] == part and p["kind"] == kind]
            if not chosen:
                continue
            by_code = [(p["label"] == "contradict", told(p, random.Random(0))[0]) for p in chosen]
            real = sum(truth for truth, _ in by_code)
            fresh, same = (with_clerk(chosen, steady) for steady in (False, True))
            print(
                f"{part:7}{kind:9} {real} of {len(chosen)} contradict: by code {rates([by_code])},"
                f" with a clerk {fresh}, with one that repeats its errors {same}"
            )


def with_clerk(pairs: list[dict[str, Any]], steady: bool) -> str:
    draws = []
    for seed in range(DRAWS):
        rng = random.Random(seed)
        draws.append([(p["label"] == "contradict", told(p, rng, steady)[1]) for p in pairs])
    return rates(draws)


def rates(draws: list[list[tuple[bool, bool]]]) -> str:
    """Recall at precision, over all draws."""
    flat = [row for draw in draws for row in draw]
    hit, real, said = (sum(map(f, flat)) for f in (all, lambda r: r[0], lambda r: r[1]))
    return f"{hit / real:.3f} at {hit / max(1, said):.3f}"


def unrelated(pairs: list[dict[str, Any]]) -> str:
    """How often remedies for different places, which have nothing to do with each other, seem to conflict."""
    rng = random.Random(3)
    fixes = [(p["id"].split("-")[0], p[key]["fix"]) for p in pairs for key in "ab" if p[key]["fix"]]
    drawn = [pair for _ in range(20_000) if (pair := rng.sample(fixes, 2))[0][0] != pair[1][0]]
    wrong = sum(bool((o := opposed(a, b)) and o.certain) for (_, a), (_, b) in drawn)
    return f"{len(drawn)} pairs of remedies for different things: {wrong} taken for conflicts"


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for name in ("dev", "held-out"):
        print(f"{name:9}", score([pair for pair in pairs if part(pair["id"]) == name]))
    statements(STATEMENTS)
    print("in the words of reviewers")
    statements(REVIEWERS)
    print("by another hand, in many languages, counted only")
    statements(HELD)
    print("120 more, written before the classes of words were: half to mend by, half counted once")
    statements(NATURAL)
    print("128 on values, negations and places, written to mend by")
    statements(SLOTS)
    print(unrelated(pairs))
    for name, files, lines in (("spread", 200, 2000), ("dense", 5, 200), ("one line", 1, 1)):
        findings = crowd(pairs, 10_000, files, lines)
        start = time.process_time()
        report = find_conflicts(findings)
        seconds = time.process_time() - start
        print(
            f"10,000 findings, {name}: {seconds:.2f} s, {len(report.conflicts)} conflicts,"
            f" {len(report.undecided)} undecided"
        )


if __name__ == "__main__":
    main()
