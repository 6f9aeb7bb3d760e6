"""What the default ``guild validate`` makes of ordinary commits, and of bug fixes turned round.

    python benchmarks/commits.py CLONE ... [--last 30] [--fixes 0] [--any] [--results FILE] [--show]

Each CLONE is a folder with a git repository and its history. Its last commits that change code (with ``--any``
whatever they change), without merges, are judged one by one, as a gate in CI would: ``guild validate --diff PARENT..COMMIT``. ``--fixes`` judges as many bug fixes from
behind as well: the change from the fix back to its parent brings a real bug, and whatever is said of it that
is not said of the fix may be useful. Nothing of the clones is run. What blocks is compared with
data/commit_labels.jsonl, where somebody who read it says whether it is a defect; what nobody read counts as wrong.
``--results`` keeps each judgement, so that a second run judges only what is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from guildmoot.text.languages import language_of

LABELS = Path(__file__).parent / "data/commit_labels.jsonl"
GOAL = 0.01
"""False alarms that block, for each ordinary commit."""
_FIX = re.compile(r"\b(?:fix(?:e[sd])?|bug|crash|regression|wrong|leak|race)\b", re.IGNORECASE)
_NO_BUG = re.compile(
    r"\b(?:typos?|docs?|documentation|readme|lint|ci|test|tests|flaky|build|spelling|format|workflows?|warnings?|deps)\b",
    re.IGNORECASE,
)
_MANY = 5
"""Files from which on a fix is taken for more than a fix."""
Row = dict[str, Any]


class Change(NamedTuple):
    """What one judgement is about."""

    project: str
    commit: str
    subject: str
    kind: str
    """``ordinary`` or ``bug``, the fix turned round."""

    @property
    def key(self) -> str:
        return f"{self.project} {self.commit} {self.kind}"


def main(words: Sequence[str] | None = None) -> int:
    """Prints the figures; 1 when the goal is missed."""
    given = _options(words)
    kept = {row["key"]: row for row in _rows(given.results)} if given.results else {}
    done = []
    for clone in given.clones:
        for change in changes_of(clone.resolve(), given):
            row = kept.get(change.key)
            if row is None:
                row = {"key": change.key, **change._asdict(), **judge(clone, change)}
                if given.results:
                    with given.results.open("a") as held:
                        held.write(json.dumps(row) + "\n")
            done.append(row)
        print(_line(clone.name, [row for row in done if row["project"] == clone.name]), flush=True)
    labels = {_place(row): row["label"] for row in _rows(LABELS)}
    if given.show:
        _show(done, labels)
    return _told(done, labels)


def changes_of(clone: Path, given: argparse.Namespace) -> Iterator[Change]:
    """The newest commits, and the newest that mend a bug in few files of code."""
    log = _git(clone, "log", "--no-merges", "--min-parents=1", "--format=%H %s", "-n2000")
    commits = [line.partition(" ")[::2] for line in log.splitlines()]
    ordinary, fixes = given.last, given.fixes
    for commit, subject in commits:
        if ordinary and (given.any or _changes_code(clone, commit)):
            ordinary -= 1
            yield Change(clone.name, commit, subject, "ordinary")
        is_fix = _FIX.search(subject) and not _NO_BUG.search(subject)
        if fixes and is_fix and _is_small(clone, commit):
            fixes -= 1
            yield Change(clone.name, commit, subject, "bug")
        if not (ordinary or fixes):
            return


def _changes_code(clone: Path, commit: str) -> bool:
    names = _git(clone, "diff", "--name-only", f"{commit}^", commit).splitlines()
    return any(language_of(name).kind == "code" for name in names)


def _is_small(clone: Path, commit: str) -> bool:
    """Whether it changes code that was there, and little else."""
    lines = _git(clone, "diff", "--name-status", f"{commit}^", commit).splitlines()
    names = [line.split("\t")[-1] for line in lines if line.startswith("M")]
    prose = re.compile(
        r"(?:^|/)(?:tests?|docs?|\.github)/|\.(?:md|rst|txt|lock|json|ya?ml)$", re.IGNORECASE
    )
    return 0 < len(lines) <= _MANY and any(not prose.search(name) for name in names)


def judge(clone: Path, change: Change) -> Row:
    """What the default panel says, with nothing of the user's own."""
    ends = (f"{change.commit}^", change.commit)
    old, new = ends if change.kind == "ordinary" else ends[::-1]
    command = [sys.executable, "-P", "-m", "guildmoot", "validate", "--diff", f"{old}..{new}"]
    began = time.monotonic()
    ran = subprocess.run(
        [*command, "--json", "--no-record"],
        cwd=clone,
        env={**os.environ, "XDG_CONFIG_HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = round(time.monotonic() - began, 2)
    try:
        said = json.loads(ran.stdout)
    except ValueError:
        reason = (ran.stderr or ran.stdout).strip()[-300:]
        return {"exit_code": ran.returncode, "reasons": [reason], "blocking": [], "advice": []}
    wanted = ("path", "line", "code", "evidence", "quote")
    blocking, advice = (
        [{key: found.get(key) for key in wanted} for found in said.get(f"{kind}_findings", ())]
        for kind in ("blocking", "advisory")
    )
    return {
        "exit_code": ran.returncode,
        "reasons": said.get("reasons", []),
        "blocking": blocking,
        "advice": advice,
        "seconds": seconds,
    }


def _place(row: Row) -> tuple[str, str, str, int, str]:
    """What a label and a finding have in common."""
    return row["project"], row["commit"], row["path"], row["line"], row["code"]


def _label(row: Row, labels: dict[tuple[str, str, str, int, str], str]) -> str:
    """Of a commit that is held up: true when any of what blocks is a defect."""
    found = {labels.get(_place({**row, **each}), "unlabelled") for each in row["blocking"]}
    return next((label for label in ("true", "unlabelled") if label in found), "false")


def _line(name: str, rows: list[Row]) -> str:
    counted = Counter((row["kind"], row["exit_code"]) for row in rows)
    figures = ", ".join(f"{n} {kind} exit {code}" for (kind, code), n in sorted(counted.items()))
    return f"{name:32}{figures}"


def _told(done: list[Row], labels: dict[tuple[str, str, str, int, str], str]) -> int:
    missed = 0
    for kind in ("ordinary", "bug"):
        rows = [row for row in done if row["kind"] == kind]
        if not rows:
            continue
        blocked = [row for row in rows if row["exit_code"] == 2]
        read = Counter(_label(row, labels) for row in blocked)
        undecided = sum(row["exit_code"] == 3 for row in rows)
        advised = sum(row["exit_code"] == 0 and bool(row["advice"]) for row in rows)
        stopped = sum(row["exit_code"] not in (0, 2, 3) for row in rows)
        print(
            f"{kind}: {len(rows)} changes of {len({row['project'] for row in rows})} projects;"
            f" blocked {len(blocked)} ({read['true']} true, {read['false']} false, {read['unlabelled']} unread),"
            f" undecided {_share(undecided, len(rows))}, approved with advice {_share(advised, len(rows))},"
            f" not judged {stopped}"
        )
        if kind == "ordinary":
            wrong = read["false"] + read["unlabelled"]
            print(f"blocking false alarms: {_share(wrong, len(rows))} (goal {GOAL:.0%} at most)")
            missed = int(wrong > GOAL * len(rows))
    return missed


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} = {part / whole:.1%}" if whole else "none"


def _show(done: list[Row], labels: dict[tuple[str, str, str, int, str], str]) -> None:
    """What has to be read, as lines that only need a label; and why commits stay undecided."""
    for row in done:
        own = {key: row[key] for key in ("project", "commit", "kind")}
        for found in row["blocking"]:
            place = {**own, **{key: found[key] for key in ("path", "line", "code")}}
            if _place(place) not in labels:
                quote = (found["quote"] or "").partition("\n")[0].strip()[:160]
                print(json.dumps({**place, "title": found["evidence"][:120], "quote": quote}))
        if row["exit_code"] not in (0, 2):
            print(json.dumps({**own, "exit_code": row["exit_code"], "reasons": row["reasons"]}))


def _rows(file: Path) -> Iterator[Row]:
    for line in file.read_text().splitlines() if file.exists() else ():
        yield json.loads(line)


def _git(clone: Path, *words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=clone, check=True, capture_output=True)
    return ran.stdout.decode(errors="replace")


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--last", type=int, default=30, help="ordinary commits of each")
    parser.add_argument("--fixes", type=int, default=0, help="bug fixes of each, turned round")
    parser.add_argument("--any", action="store_true", help="also commits that change no code")
    parser.add_argument("--results", type=Path, help="keep the judgements in this file")
    parser.add_argument("--show", action="store_true", help="print what nobody has labelled")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
