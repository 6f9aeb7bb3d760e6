"""How well and how fast the memory finds, and how often its gate stops what it should not.

    python benchmarks/memory.py collection FOLDER...   nDCG@10 beside FTS5's bm25 and, where installed, bm25s
    python benchmarks/memory.py speed [--pages N]      a wiki of N pages (100,000): first index, questions, a change
    python benchmarks/memory.py gate FOLDER            documents of real projects: pauses of unrelated pages and of copies

A collection is a folder with documents.jsonl (id, title, text), queries.jsonl (id, text) and qrels.tsv (query,
document, grade). None is part of this repository: Cranfield, CISI and NPL are public.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from guildmoot.memory.recall.memory_index import MemoryIndex, page_terms
from guildmoot.memory.recall.recall import Recall
from guildmoot.memory.recall.scoring import rank
from guildmoot.memory.wiki.gate import pauses

FRONT = "---\ntype: source\nowner: b\nconfidence: medium\nsource_refs: []\ncreated_at: 2026-01-01\nupdated_at: 2026-01-01\nsensitivity: internal\n---\n\n"


def ndcg(runs, grades):
    total = []
    for query, wanted in grades.items():
        wanted = {name: grade for name, grade in wanted.items() if grade > 0}
        if wanted and query in runs:
            best = sorted(wanted.values(), reverse=True)[:10]
            ideal = sum(grade / math.log2(at + 2) for at, grade in enumerate(best))
            total.append(
                sum(
                    wanted.get(name, 0) / math.log2(at + 2)
                    for at, name in enumerate(runs[query][:10])
                )
                / ideal
            )
    return sum(total) / len(total)


def collection(folder: Path) -> None:
    documents = [json.loads(line) for line in (folder / "documents.jsonl").open()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    grades = defaultdict(dict)
    for line in (folder / "qrels.tsv").open():
        query, name, grade = line.split("\t")
        grades[query][name] = int(grade)
    names = [document["id"] for document in documents]
    figures = {"ours": ours(documents, queries, names), "fts5": fts5(documents, queries, names)}
    try:
        figures["bm25s"] = bm25s_runs(documents, queries, names)
    except ImportError:
        print("bm25s and PyStemmer are not installed: not compared", file=sys.stderr)
    empty = sum(not found for found in figures["ours"].values())
    told = ", ".join(f"{name} {ndcg(runs, grades):.4f}" for name, runs in figures.items())
    print(
        f"{folder.name}: {len(documents)} documents, {len(queries)} queries, nDCG@10: {told}; ours answered {empty} with nothing"
    )


def ours(documents, queries, names):
    index = MemoryIndex()
    for number, document in enumerate(documents):
        index.add(number, *page_terms(document["title"], document["text"]))
    return {
        query["id"]: [names[hit.page] for hit in rank(index, query["text"], 10)[:10]]
        for query in queries
    }


def fts5(documents, queries, names):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(title, text, tokenize='porter unicode61')")
    rows = [(number, d["title"], d["text"]) for number, d in enumerate(documents)]
    database.executemany("INSERT INTO t(rowid, title, text) VALUES (?,?,?)", rows)
    runs = {}
    for query in queries:
        match = " OR ".join(
            f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", query["text"].lower()))
        )
        found = database.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t, 3, 1) LIMIT 10", (match,)
        )
        runs[query["id"]] = [names[row[0]] for row in found]
    return runs


def bm25s_runs(documents, queries, names):
    import bm25s
    import Stemmer

    def tokens(texts):
        return bm25s.tokenize(
            texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False
        )

    model = bm25s.BM25()
    model.index(tokens([f"{d['title']} {d['text']}" for d in documents]), show_progress=False)
    runs = {}
    for query in queries:
        found, _ = model.retrieve(tokens(query["text"]), k=10, show_progress=False)
        runs[query["id"]] = [names[int(number)] for number in found[0]]
    return runs


def speed(pages: int, questions: int = 300) -> None:
    chance = random.Random(5)
    vocabulary = [
        "".join(chance.choices("bcdfglmnprst", k=2))
        + chance.choice("aeiou")
        + "".join(chance.choices("abdeilnorstu", k=chance.randint(1, 6)))
        for _ in range(60_000)
    ]
    weights = [1 / (at + 4) for at in range(len(vocabulary))]
    cumulative = list(accumulate(weights))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        subprocess.run(["git", "init", "-q", scratch], check=True)
        folder = root / ".guild/wiki/sources"
        folder.mkdir(parents=True)
        asked = []
        for number in range(pages):
            words = chance.choices(vocabulary, cum_weights=cumulative, k=chance.randint(60, 180))
            (folder / f"p{number:06d}.md").write_text(
                f"{FRONT}# {' '.join(words[:4])}\n\n{' '.join(words)}.\n"
            )
            if number % max(pages // questions, 1) == 0:
                asked.append(" ".join(chance.sample(words, 6)))
        begun, used = time.perf_counter(), time.process_time()
        recall = Recall(root, stay=True)
        recall.refresh()
        used = time.process_time() - used
        print(
            f"{pages} pages: first index {time.perf_counter() - begun:.1f} s ({used:.1f} s of processor time), {(root / '.guild/index.sqlite').stat().st_size >> 20} MB"
        )
        for turn in ("first", "second"):
            times, busy = [], []
            for question in asked:
                begun, used = time.perf_counter(), time.process_time()
                recall.ask(question)
                times.append(time.perf_counter() - begun)
                busy.append(time.process_time() - used)
            times.sort()
            busy.sort()
            print(
                f"questions, {turn} time: median {times[len(times) // 2] * 1e3:.1f} ms, p95 {times[int(len(times) * 0.95)] * 1e3:.1f} ms; of processor time "
                f"{busy[len(busy) // 2] * 1e3:.1f} and {busy[int(len(busy) * 0.95)] * 1e3:.1f} ms"
            )
        more = []
        for number in range(20):
            page = folder / f"p{number:06d}.md"
            page.write_text(page.read_text() + f"\nunseenword{number} otherunseen{number}\n")
            begun = time.perf_counter()
            found = recall.ask(f"unseenword{number} otherunseen{number}")
            more.append(time.perf_counter() - begun)
            assert found[0].path.endswith(page.name)
        print(
            f"a question after a change: median {sorted(more)[10] * 1e3:.1f} ms, worst {max(more) * 1e3:.1f} ms"
        )
        recall.close()
        begun = time.perf_counter()
        Recall(root).ask(asked[0])
        print(
            f"a question by a new process: {time.perf_counter() - begun:.2f} s and the start of Python"
        )


def gate(folder: Path, most: int = 520) -> None:
    """Each page is held against all others; then a copy of each with 5 % of its words changed."""
    chance = random.Random(9)
    texts = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".md", ".rst", ".txt") and path.is_file():
            text = path.read_text(errors="replace")
            if 400 < len(text) < 25_000:
                texts[str(path.relative_to(folder))] = text
    chosen = dict(chance.sample(sorted(texts.items()), min(most, len(texts))))
    index, names = MemoryIndex(), list(chosen)
    for number, name in enumerate(names):
        index.add(number, *page_terms(name, chosen[name]))

    def near(text: str, but: str = "") -> dict[str, str]:
        hits = rank(index, text[:600], 8, near=True)[:8]
        return {names[hit.page]: chosen[names[hit.page]] for hit in hits if names[hit.page] != but}

    stopped = {
        name: found
        for name, text in chosen.items()
        if (found := pauses(text, near(text, name), {}, "-"))
    }
    copies = caught = padded = 0
    for text in chosen.values():
        words = text.split()
        other = chosen[chance.choice(names)].split()
        chance.shuffle(other)
        more = f"{text}\n\n{' '.join(other)}"
        padded += any(each.reason == "copy" for each in pauses(more, near(more), {}, "-"))
        for at in chance.sample(range(len(words)), max(1, len(words) // 20)):
            words[at] = chance.choice(["alpha", "beta", "gamma", "delta", "epsilon"])
        copy = " ".join(words)
        copies += 1
        caught += any(each.reason == "copy" for each in pauses(copy, near(copy), {}, "-"))
    for name, found in stopped.items():
        print(f"  {name}: {found[0].reason}: {found[0].detail[:100]}")
    print(
        f"{len(chosen)} pages: {len(stopped)} paused ({len(stopped) / len(chosen):.2%}); copies with 5 % changed: {caught} of {copies} paused ({caught / copies:.1%}); with the words of another page behind: {padded} of {copies}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("collection", "speed", "gate"))
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--pages", type=int, default=100_000)
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.pages)
    for folder in options.folders:
        collection(folder) if options.what == "collection" else gate(folder)


if __name__ == "__main__":
    main()
