"""A real migration through the whole confidence loop, without a model: ``python examples/migrate/migrate.py``.

Downloads the source archive of Pygments 2.19.2 (2,682 files, hash checked), commits it in a scratch repository, and
lets ``guild loop confidence`` sort and clear the imports of 338 modules with ruff, ``noqa`` comments disregarded.
Some of those imports are the modules' public names, so the package's own 4,596 tests fail without them: the loop
finds which files are to blame, lands the others, and ends on a branch whose clean checkout passes the tests.

``--implementer`` lets a scripted implementer make the changes in place of ruff; it says that all is well whatever
it did, and in one file it does more than it was asked. ``--short`` is a small part of it, for CI.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

Report = dict[str, Any]

ARCHIVE = "pygments==2.19.2 --hash=sha256:636cb2477cec7f8952536970bc533bc43743542f70392ae026374600add5b887"
TOOLS = ("pytest==9.2.0", "pytest-xdist==3.8.0", "wcag-contrast-ratio==0.9")
SLUG = "2026-01-05-imports"
PLAN = """# Imports

## Phase 1 — Sort and clear

**Goal**: imports are sorted, and none is there that nobody uses
**Exit**: the package's own tests pass on a clean checkout
"""
HERE, BIN = Path(__file__).resolve().parent, Path(sys.executable).parent


class Scope(NamedTuple):
    """How much of the package is migrated, and by which of its tests it is proven."""

    pattern: str
    tests: str


WHOLE = Scope("pygments/**/*.py", "-n 2 tests")
SHORT = Scope(
    "pygments/lexers/[tw]*.py", "tests/test_guess.py tests/test_templates.py tests/test_theorem.py"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--work",
        type=Path,
        help="folder to work in; a second run goes on in it (default: a new one)",
    )
    parser.add_argument(
        "--implementer", action="store_true", help="a scripted implementer in place of ruff"
    )
    parser.add_argument(
        "--short", action="store_true", help="27 of the lexers, proven by 695 tests"
    )
    parser.add_argument(
        "--tests", help="which of the package's tests prove each unit (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print what came of it as one object")
    options = parser.parse_args()
    work = (options.work or Path(tempfile.mkdtemp(prefix="migrate-"))).resolve()
    scope = SHORT if options.short else WHOLE
    scope = scope._replace(tests=options.tests or scope.tests)
    repository, python = prepare(work)
    verify = f"{python} -B -m pytest -qq -p no:cacheprovider --disable-warnings -x {scope.tests}"
    # one of its tests draws its input at random, and now and then never ends: that is no proof
    verify += " -k 'not random_input'"
    started = time.monotonic()
    report = migrate(repository, scope.pattern, transform(options.implementer), verify)
    proven = passes_when_cloned(repository, report["branch"], verify, work)
    seconds = round(time.monotonic() - started)
    if options.json:
        print(json.dumps({**report, "seconds": seconds, "proven": proven}))
    else:
        tell(report, repository, proven, seconds)
    return 0 if report["status"] == "completed" and proven else 2


def prepare(work: Path) -> tuple[Path, Path]:
    """The package in a repository of its own, and a Python that has what its tests need."""
    repository, environment = work / "package", work / "environment"
    if not (environment / "done").exists():
        say("making an environment for the package's tests")
        run([sys.executable, "-m", "venv", "--clear", str(environment)])
        run([str(environment / "bin/python"), "-m", "pip", "install", "-q", *TOOLS])
        (environment / "done").touch()
    if not (repository / "projects").exists():
        shutil.rmtree(repository, ignore_errors=True)
        unpack(download(work), repository)
        run(["git", "init", "-q", "-b", "main"], repository)
        (work / "plan.md").write_text(PLAN, encoding="utf-8")
        plan = [f"--plan-file={work}/plan.md", f"--interview-file={work}/plan.md", "--no-commit"]
        run([str(BIN / "loom"), "plan", SLUG, *plan], repository)
        run(["git", "add", "-A"], repository)
        run(["git", "commit", "-q", "-m", "Pygments 2.19.2 as it was released"], repository)
    return repository, environment / "bin/python"


def download(work: Path) -> Path:
    """The source archive; pip refuses one whose hash is another."""
    say("downloading the source archive")
    (work / "archive.txt").write_text(f"{ARCHIVE}\n", encoding="utf-8")
    words = ["download", "-q", "--no-deps", "--no-binary", "pygments", "--require-hashes"]
    run([sys.executable, "-m", "pip", *words, "-r", "archive.txt", "-d", "archive"], work)
    (archive,) = (work / "archive").glob("*.tar.gz")
    return archive


def unpack(archive: Path, repository: Path) -> None:
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder, tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
        (only,) = Path(folder).iterdir()
        only.rename(repository)


def transform(implementer: bool) -> str:
    if implementer:
        return f"{sys.executable} {HERE / 'implementer.py'} {{files}}"
    rules = "--isolated --target-version py39 --select I001,F401 --ignore-noqa --unsafe-fixes"
    return f"{BIN / 'ruff'} check -q {rules} --fix --exit-zero {{files}}"


def migrate(repository: Path, pattern: str, change: str, verify: str) -> Report:
    """The loop; what it reports."""
    words = ["loop", "confidence", "imports", "1", "--yes", "--json"]
    words += [
        f"--pattern={pattern}",
        f"--transform={change}",
        f"--verify={verify}",
        "--timeout=900",
    ]
    say(f"guild {shlex.join(words)}")
    done = subprocess.run(
        [str(BIN / "guild"), *words], cwd=repository, env=surroundings(), stdout=subprocess.PIPE
    )
    if not done.stdout.strip():
        raise SystemExit(f"the loop ended with {done.returncode} and said nothing; see above")
    report: Report = json.loads(done.stdout)
    return report


def passes_when_cloned(repository: Path, branch: str, verify: str, work: Path) -> bool:
    """Whether the verification passes on a clean checkout of the branch that the loop left."""
    say(f"verifying a clean checkout of {branch}")
    checkout = work / "checkout"
    shutil.rmtree(checkout, ignore_errors=True)
    run(["git", "clone", "-q", "--branch", branch, str(repository), str(checkout)], work)
    done = subprocess.run(shlex.split(verify), cwd=checkout, stdout=sys.stderr, env=surroundings())
    return done.returncode == 0


def tell(report: Report, repository: Path, proven: bool, seconds: int) -> None:
    print(f"{report['status'].upper()} in {seconds} s: {repository}, branch {report['branch']}")
    print(f"  {len(report['landed'])} files changed, {len(report['unchanged'])} needed no change")
    print(f"  {report['trials']} runs of the tests looked for who is to blame")
    for each in report["quarantined"]:
        seen = each["evidence"].partition("\n")[0]
        print(f"  left out: {each['item']}\n    {each['reason']}\n    {seen[-160:]}")
    for path in report["routed"]:
        print(f"  left to a person: {path}")
    print(f"  a clean checkout {'passes' if proven else 'FAILS'} the package's tests")


def surroundings() -> dict[str, str]:
    """No settings of the user's: the result is the same everywhere."""
    names = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
             for part, value in (("NAME", "example"), ("EMAIL", "example@localhost"))}  # fmt: skip
    return {**os.environ, **names, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}


def run(words: list[str], folder: Path | None = None) -> None:
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(words, cwd=folder, env=surroundings(), stdout=sys.stderr)
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)} ended with {done.returncode}")


def say(line: str) -> None:
    print(f"-- {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
