"""How far the verdict on whole repositories can be relied on: pinned source archives, judged by the default.

    python benchmarks/real_repositories.py [--half NAME] [--only NAME ...] [--cache FOLDER] [--clones FOLDER] [--show]

Downloads the archives that data/real_repositories.json pins from PyPI, npm and Debian, checks their hashes (what only
git has is cloned, or taken from a folder of clones), runs `guild validate .` on each, and compares what blocks
with data/labels.jsonl, where somebody who read it says whether it is a defect. Nothing in the archives is run.
Fails below the precision that is aimed at, or when something blocks that nobody has read. The rules were mended
by `tuning` first; each later set was judged once before anybody looked, and `last` after all rules stood;
`applications` are homework, scripts and small applications, by which rules were mended afterwards. `typical`, `further`
and `latest` are what people keep in public (web and mobile applications, bots, theses, competitions, firmware, dotfiles,
infrastructure), each named before it was fetched and judged once, then mended by before the next was drawn. `registries` and `fresh` are
libraries by name and applications drawn later; what was read there is counted in grounding/measured.py, `fresh second`
was judged once after that.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
PROJECTS, LABELS = HERE / "data/real_repositories.json", HERE / "data/labels.jsonl"
GOAL = 0.8
HALVES = (
    *("tuning", "held", "second", "last", "applications", "typical", "further", "latest"),
    *("registries", "fresh", "fresh second"),
)
_GIT = ("git", "-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "gc.auto=0")
Row = dict[str, Any]


class Measured(NamedTuple):
    """What the default said of one project."""

    project: Row
    files: int
    seconds: float
    advisories: int
    labels: Counter[str]


def main(words: list[str]) -> int:
    """Prints the figures."""
    options = _options(words)
    known = {key_of(row["project"], row): row["label"] for row in _rows(LABELS)}
    chosen = [
        row
        for row in json.loads(PROJECTS.read_text())
        if options.half in ("", row["half"])
        and (not options.only or row["project"] in options.only)
    ]
    done = []
    for project in chosen:
        folder = prepare(project, options.cache, options.clones)
        result, seconds = judge(folder)
        blocking = result["blocking_findings"]
        labels = Counter(
            known.get(key_of(project["project"], found), "unlabelled") for found in blocking
        )
        if options.show:
            _show(project, [f for f in blocking if key_of(project["project"], f) not in known])
        files = len(result["coverage"])
        advisories = len(result["advisory_findings"])
        done.append(Measured(project, files, seconds, advisories, labels))
        print(_line(done[-1]), flush=True)
    return max([_total(half, done) for half in HALVES], default=0)


def prepare(project: Mapping[str, str], cache: Path, clones: Path | None = None) -> Path:
    """The project's files in a repository of one commit."""
    name = f"{project['project'].replace('/', '+')}-{project['version']}"
    outer = cache / "unpacked" / name
    if project["registry"] == "git":
        _take_commit(project, outer, clones)
    else:
        _unpack(project, outer, cache)
    inner = [*outer.iterdir()]
    folder = inner[0] if len(inner) == 1 else outer
    if not (folder / ".git").exists():
        for step in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-q", "-m", "pinned")):
            subprocess.run([*_GIT, *step], cwd=folder, check=True)
    return folder


def _take_commit(project: Mapping[str, str], outer: Path, clones: Path | None) -> None:
    """What git has at one commit."""
    if outer.exists():
        return
    source = clones / project["project"] if clones else outer.with_suffix(".clone")
    if not source.exists():
        subprocess.run(["git", "clone", "-q", project["url"], str(source)], check=True)
    outer.mkdir(parents=True)
    command = ["git", "-C", str(source), "archive", project["commit"]]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as ran,
        tarfile.open(fileobj=ran.stdout, mode="r|") as held,
    ):
        held.extractall(outer, filter=_plain_files)


def _unpack(project: Mapping[str, str], outer: Path, cache: Path) -> None:
    """What a registry has, if it is what was pinned."""
    archive = cache / project["url"].rpartition("/")[2]
    if not archive.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(project["url"], timeout=120) as answer:
            archive.write_bytes(answer.read())
    if hashlib.sha256(archive.read_bytes()).hexdigest() != project["sha256"]:
        raise SystemExit(f"{archive} is not what was pinned")
    if not outer.exists():
        with tarfile.open(archive) as held:
            held.extractall(outer, filter=_plain_files)


def _plain_files(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Links stay out: some archives hold absolute ones."""
    return tarfile.data_filter(member, folder) if member.isfile() or member.isdir() else None


def judge(folder: Path) -> tuple[Row, float]:
    """What `guild validate .` says, with nothing of the user's own."""
    own = {"XDG_CONFIG_HOME": "/nonexistent", "GUILD_RUNS_KEEP": "false"}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "guildmoot", "validate", ".", "--json"],
        cwd=folder,
        env={**os.environ, **own},
        capture_output=True,
        check=False,
    )
    seconds = time.monotonic() - began
    try:
        result: Row = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{folder}: {done.stderr.decode()[-500:]}") from None
    return result, seconds


def key_of(project: str, row: Mapping[str, Any]) -> tuple[str, str, int, str]:
    """What a label and a finding have in common."""
    return project, row["path"], row["line"], row["code"]


def _total(half: str, done: list[Measured]) -> int:
    """The line of one half; 1 when it misses the goal or somebody has to read first."""
    own = [one for one in done if one.project["half"] == half]
    if not own:
        return 0
    labels = sum((one.labels for one in own), Counter[str]())
    files, advisories = sum(one.files for one in own), sum(one.advisories for one in own)
    read = labels["true"] + labels["false"]
    precision = labels["true"] / read if read else 1.0
    languages = len({one.project["language"] for one in own})
    print(
        f"{half}: {len(own)} projects in {languages} languages, {files:,} files; blocking {labels.total()}:"
        f" {labels['true']} true, {labels['false']} false, {labels['unlabelled']} unlabelled,"
        f" precision {precision:.0%} (goal {GOAL:.0%}); {1000 * advisories / max(files, 1):.0f} advisories in 1,000 files"
    )
    return int(precision < GOAL or labels["unlabelled"] > 0)


def _line(one: Measured) -> str:
    name = f"{one.project['project']} {one.project['version']}"
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(one.labels.items()))
    return (
        f"{one.project['half']:7}{one.project['language']:11}{name:36}{one.files:6} files {one.seconds:6.1f} s"
        f" {one.advisories:6} advisories; blocking: {kinds or 'none'}"
    )


def _show(project: Row, findings: list[Row]) -> None:
    """What has to be read, as lines that only need a label."""
    for found in findings:
        named = {key: found[key] for key in ("path", "line", "code")}
        quote = found["quote"].split("\n")[0].strip()[:160]
        row = {"project": project["project"], "version": project["version"], **named}
        print(json.dumps({**row, "title": found["evidence"][:120], "quote": quote}))


def _rows(file: Path) -> Iterator[Row]:
    for line in file.read_text().splitlines() if file.exists() else ():
        yield json.loads(line)


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=HALVES, default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/guildmoot-benchmarks")
    parser.add_argument("--clones", type=Path, help="a folder of clones, for what only git has")
    parser.add_argument("--show", action="store_true", help="print what nobody has labelled")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
