"""What the default ``guild validate`` makes of changes to real packages: breaking ones and harmless ones.

    python benchmarks/changes.py                          both lists, about ten minutes
    python benchmarks/changes.py --packages choice --per-kind 3
    python benchmarks/changes.py --packages pypi:attrs==23.2.0,npm:debug@4.3.5,folder:../gin --json
    python benchmarks/changes.py --semgrep-rules RULES    semgrep too, with a folder of its rules

Each change is one commit on a branch of a scratch repository that holds the whole package. Packages come by
name from PyPI and npm and are kept in ``~/.cache/guildmoot/packages``; nothing of them is run. ``choice`` may be
looked at when rules are chosen, ``held`` is only counted. Beside guild stand ruff alone and semgrep: a change
counts as caught by them when it brings a finding that the file did not have before.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.mutations import BREAKING, HARMLESS, Mutation
from benchmarks.mutations.packages import CHOICE, HELD, SourcePackage, fetch_package, mutations_of

PER_KIND, SEED, JOBS = 4, 13, 2
GOAL_CAUGHT, GOAL_HELD_UP = 0.97, 0.03
LISTS = {"choice": CHOICE, "held": HELD}
_SCRIPTS = ("JavaScript", "TypeScript")
_OTHERS = (
    *(
        "JSON",
        "YAML",
        "TOML",
        "TSX",
        "Go",
        "Rust",
        "Java",
        "Kotlin",
        "C",
        "C++",
        "C#",
        "Ruby",
        "PHP",
    ),
    *("Shell", "CSS", "SCSS", "XML", "Terraform", "Dockerfile", "GitHub workflow", "SQL"),
    *("Scala", "Swift", "Objective-C", "Lua", "Perl"),
)


class Judged(NamedTuple):
    """One change, and what everybody made of it."""

    mutation: Mutation
    exit_code: int
    codes: tuple[str, ...]
    """Of what blocks."""
    advised: int
    seconds: float
    said: str = ""
    ruff: bool = False
    semgrep: bool | None = None

    @property
    def caught(self) -> bool:
        return self.exit_code == 2

    @property
    def held_up(self) -> bool:
        return self.exit_code != 0


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    names = given.packages.split(",")
    lists = {name: LISTS[name] for name in names if name in LISTS}
    if rest := tuple(name for name in names if name not in LISTS):
        lists["named"] = rest
    results = {}
    for name, packages in lists.items():
        made = list(make_mutations(packages, given.per_kind, Random(given.seed)))
        if given.kinds:
            made = [each for each in made if each.kind in given.kinds.split(",")]
        results[name] = judge_all(made, given.jobs, given.semgrep_rules)
        if not given.json:
            print("\n".join(as_text(name, packages, results[name], given.missed)), flush=True)
    if given.json:
        print(json.dumps({name: as_rows(done) for name, done in results.items()}, indent=2))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--packages", default="choice,held", help="lists or packages, with commas")
    parser.add_argument("--per-kind", type=int, default=PER_KIND, help="changes of each kind")
    parser.add_argument("--kinds", default="", help="only these kinds, with commas")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--semgrep-rules", type=Path, help="measure semgrep with these, too")
    parser.add_argument("--missed", action="store_true", help="name what was missed or held up")
    parser.add_argument("--json", action="store_true")
    return parser


def make_mutations(names: Sequence[str], per_kind: int, rng: Random) -> Iterator[Mutation]:
    """As many of each kind, spread over the packages; other languages get half as many."""
    packages = [fetch_package(name) for name in names]
    rng.shuffle(packages)
    wanted = wanted_kinds(per_kind)
    for turn in (1, per_kind):
        for package in packages:
            share = {key: min(turn, left) for key, left in wanted.items()}
            yielded = list(mutations_of(package, share, rng))
            for each in yielded:
                language = "" if each.kind == "dependency bump" else each.language
                wanted[language, each.kind] -= 1
            yield from yielded


def wanted_kinds(per_kind: int) -> dict[tuple[str, str], int]:
    """By language and kind; the least understood languages are asked for syntax and comments only."""
    kinds = (*BREAKING, *HARMLESS)
    wanted = {(lang, kind): per_kind for lang in ("Python", "JavaScript") for kind in kinds}
    few = max(1, per_kind // 2)
    wanted |= {(lang, kind): few for lang in _OTHERS for kind in ("syntax broken", "comment")}
    lost = ("import removed", "name changed in one place")
    wanted |= {(lang, kind): few for lang in _OTHERS for kind in lost}
    wanted |= {("TypeScript", kind): few for kind in kinds}
    wanted["", "dependency bump"] = per_kind
    for name in ("Python", *_SCRIPTS):
        wanted[name, "dependency bump"] = 0
    return wanted


# --- judging --------------------------------------------------------------------------------------


def judge_all(made: Sequence[Mutation], jobs: int, rules: Path | None) -> list[Judged]:
    """What guild, ruff and semgrep make of the changes."""
    by_package: dict[str, list[Mutation]] = {}
    for each in made:
        by_package.setdefault(each.package, []).append(each)
    with ThreadPoolExecutor(jobs) as pool:
        done = pool.map(judge_package, by_package, by_package.values())
        judged = [each for part in done for each in part]
    mutations = [each.mutation for each in judged]
    ruff = found_by(mutations, ruff_findings)
    judged = [each._replace(ruff=new) for each, new in zip(judged, ruff)]
    if rules:
        semgrep = found_by(mutations, lambda root: semgrep_findings(root, rules))
        judged = [each._replace(semgrep=new) for each, new in zip(judged, semgrep)]
    return judged


def judge_package(name: str, made: Sequence[Mutation]) -> list[Judged]:
    """The changes of one package, one after the other in one scratch repository."""
    package: SourcePackage = fetch_package(name)
    with tempfile.TemporaryDirectory(prefix="guild-changes-") as scratch:
        root = Path(scratch) / "work"
        shutil.copytree(package.root, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        env = _environment(Path(scratch))
        _git(root, env, "init", "-q", "-b", "main")
        _git(root, env, "add", "-A", "-f")
        _git(root, env, "commit", "-q", "-m", "as published")
        return [judge_change(root, env, each) for each in made]


def judge_change(root: Path, env: dict[str, str], mutation: Mutation) -> Judged:
    """One commit on a branch, before the default panel."""
    _git(root, env, "checkout", "-q", "-f", "-B", "change", "main")
    (root / mutation.path).write_bytes(mutation.after.encode())
    _git(root, env, "commit", "-q", "-a", "-m", "a change")
    command = [sys.executable, "-m", "guildmoot", "validate", "--json", "--no-record"]
    started = time.perf_counter()
    ran = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    try:
        said = json.loads(ran.stdout)
    except ValueError:
        return Judged(mutation, ran.returncode, (), 0, seconds, (ran.stderr or ran.stdout).strip())
    return Judged(
        mutation,
        ran.returncode,
        tuple(sorted({str(each["code"]) for each in said.get("blocking_findings", ())})),
        len(said.get("advisory_findings", ())),
        seconds,
        "; ".join(said.get("reasons", ())),
    )


def _environment(scratch: Path) -> dict[str, str]:
    """A home without settings of its own, so that the default panel sits."""
    home = scratch / "home"
    home.mkdir()
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    who = {
        f"GIT_{role}_{key}": "nobody@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for key in ("NAME", "EMAIL")
    }
    return {**kept, **who, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


def _git(root: Path, env: dict[str, str], *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, env=env, check=True, capture_output=True)


# --- the others -----------------------------------------------------------------------------------

Found = Iterable[tuple[str, str, int]]
"""File, rule and line of each finding."""


def found_by(made: Sequence[Mutation], run: object) -> list[bool]:
    """Whether each change brings a finding that the file did not have: by rule and text of the line."""
    assert callable(run)
    with tempfile.TemporaryDirectory(prefix="guild-changes-") as scratch:
        counts = []
        for side in ("before", "after"):
            root = Path(scratch) / side
            for number, each in enumerate(made):
                path = root / str(number) / Path(each.path).name
                path.parent.mkdir(parents=True)
                path.write_text(getattr(each, side), encoding="utf-8")
            counts.append(_counted(root, run(root)))
        before, after = counts
        return [bool(after[str(n)] - before[str(n)]) for n in range(len(made))]


def _counted(root: Path, found: Found) -> dict[str, Counter[tuple[str, str]]]:
    counted = {each.name: Counter[tuple[str, str]]() for each in root.iterdir()}
    for path, rule, line in found:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        counted[Path(path).parent.name][rule, text] += 1
    return counted


def ruff_findings(root: Path) -> Found:
    """ruff as it comes, with its own choice of rules."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--output-format",
        "json",
        ".",
    ]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    for each in json.loads(ran.stdout):
        yield each["filename"], each["code"] or "invalid-syntax", each["location"]["row"]


def semgrep_findings(root: Path, rules: Path) -> Found:
    """semgrep with a folder of rules; a file that it cannot parse counts as a finding."""
    command = ["semgrep", "scan", "--config", str(rules), "--json", "--quiet", "--metrics", "off"]
    command += ["--disable-version-check", "--no-git-ignore", "."]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    said = json.loads(ran.stdout)
    for each in said["results"]:
        yield str(root / each["path"]), each["check_id"], each["start"]["line"]
    for each in said["errors"]:
        if each.get("path"):
            yield str(root / each["path"]), "error", 0


# --- telling --------------------------------------------------------------------------------------


def as_text(name: str, packages: Sequence[str], done: Sequence[Judged], missed: bool) -> list[str]:
    """The tables, the two goals, and what was missed if asked."""
    bad, good = [j for j in done if j.mutation.breaks], [j for j in done if not j.mutation.breaks]
    lines = [f"## {name}: {len(done)} changes of {', '.join(packages)}", ""]
    lines += _table("Breaking change", "Blocked", BREAKING, bad, "caught")
    broken = [j for j in bad if j.mutation.kind == "syntax broken"]
    languages = sorted({j.mutation.language for j in broken})
    lines += _table("Syntax broken", "Blocked", languages, broken, "caught", by="language")
    lines += _table("Harmless change", "Held up", HARMLESS, good, "held_up")
    certain = [j for j in bad if j.mutation.certain]
    caught, stopped = sum(j.caught for j in certain), sum(j.held_up for j in good)
    approved = sum(not j.held_up for j in broken)
    lines.append(
        f"unparsable or undefined, blocked: {_share(caught, len(certain))} (goal {GOAL_CAUGHT:.0%})"
    )
    lines.append(f"unparsable and approved: {_share(approved, len(broken))} (goal 0)")
    lines.append(
        f"harmless, held up: {_share(stopped, len(good))} (goal {GOAL_HELD_UP:.0%} at most)"
    )
    flagged = sum(j.caught for j in good)
    lines.append(f"of these flagged: {flagged}, undecided or stopped: {stopped - flagged}")
    lines.append(f"median time of one judgement: {median(j.seconds for j in done):.2f} s")
    if missed:
        lines += [
            "",
            *(_told(j) for j in bad if not j.caught),
            *(_told(j) for j in good if j.held_up),
        ]
    return [*lines, ""]


def _table(
    title: str, word: str, keys: Sequence[str], done: Sequence[Judged], test: str, by: str = "kind"
) -> list[str]:
    rows = [f"| {title} | Changes | {word} | Undecided | Advised | ruff alone | semgrep |"]
    rows.append("|---|---|---|---|---|---|---|")
    for key in keys:
        some = [j for j in done if getattr(j.mutation, by) == key]
        if not some:
            continue
        told = sum(not j.held_up and j.advised > 0 for j in some)
        semgrep = str(sum(bool(j.semgrep) for j in some)) if some[0].semgrep is not None else "-"
        figures = (sum(getattr(j, test) for j in some), sum(j.exit_code == 3 for j in some), told)
        rows.append(
            f"| {key} | {len(some)} | {' | '.join(map(str, figures))} | {sum(j.ruff for j in some)} | {semgrep} |"
        )
    return [*rows, ""]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} = {part / whole:.1%}" if whole else "none"


def _told(judged: Judged) -> str:
    each = judged.mutation
    where = f"{each.kind} ({each.language}) {each.package} {each.path}"
    return f"- {where}: exit {judged.exit_code} {' '.join(judged.codes)} {judged.said[:160]}"


def as_rows(done: Sequence[Judged]) -> list[dict[str, object]]:
    """One row for each change, without its text."""
    kept = ("package", "path", "language", "kind", "breaks", "certain")
    return [
        {key: getattr(j.mutation, key) for key in kept}
        | {key: getattr(j, key) for key in ("exit_code", "codes", "advised", "ruff", "semgrep")}
        | {"seconds": round(j.seconds, 3)}
        for j in done
    ]


if __name__ == "__main__":
    sys.exit(main())
