"""From a sentence to a merged branch whose acceptance tests pass, with scripted specialists. No key, no network.

    python examples/sentence/sentence.py [--work FOLDER] [--json]

Every step is a command that you could type; each is printed before it is run. Your own checkout is not touched: the
project is made in a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SLUG = "links"
SENTENCE = "A link shortener: an API with SQLite storage and tests"
PROOF = "python3 -m unittest discover -s tests -t ."


class Example:
    """A project of its own, and what was typed in it."""

    def __init__(self, root: Path, out: object) -> None:
        self.root, self._out = root, out

    def type(self, *words: str, fine: tuple[int, ...] = (0,)) -> str:
        """Run a command in the project; stop where it fails."""
        print(f"$ {shlex.join(words)}", file=self._out, flush=True)  # type: ignore[call-overload]
        real = [sys.executable, "-m", "guildmoot", *words[1:]] if words[0] == "guild" else words
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            real, cwd=self.root, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode not in fine:
            raise SystemExit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def begin(self) -> None:
        """A repository with one commit."""
        self.root.mkdir(parents=True)
        self.type("git", "init", "-q", "-b", "main")
        for name, value in (("user.name", "Example"), ("user.email", "example@localhost")):
            self.type("git", "config", name, value)
        self.type("git", "commit", "-q", "--allow-empty", "-m", "begin")


def run(root: Path, out: object) -> dict[str, object]:
    """Every step, and what came of it."""
    made = Example(root, out)
    made.begin()
    guild = "guild"
    made.type(
        guild, "work", "brainstorm", SLUG, "--intent", SENTENCE, "--lanes", "team", "--proceed",
        "--answer", f"criteria=`{PROOF}` exits 0",
        "--answer", "autonomy=- may act without asking: files below app/, tests/ and docs/\n"
        "- requires confirmation: new dependencies\n- forbidden: the network",
    )  # fmt: skip
    for step in ("spec", "team", "plan"):
        if step != "spec":
            made.type(guild, "work", step, SLUG)
        made.type(guild, "work", "approve", step, SLUG, "--yes")
    worker = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'specialist.py'))}"
    told = json.loads(
        made.type(guild, "work", "execute", SLUG, "--worker", worker, "--yes", "--json")
    )
    review = json.loads(made.type(guild, "work", "review", SLUG, "--yes", "--json", fine=(0, 3)))
    verify = json.loads(made.type(guild, "work", "verify", SLUG, "--yes", "--json", fine=(0, 3)))
    made.type("git", "merge", "-q", "--no-edit", told["branch"])
    made.type("/bin/sh", "-c", PROOF)
    return {
        "run": told["run"], "branch": told["branch"], "lanes": told["lanes"],
        "review": review.get("status"), "verify": verify.get("status"),
        "checks": [f"{c['name']}: {c['result']}" for c in verify.get("checks", ())],
    }  # fmt: skip


def main() -> None:
    """Run it in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--work", help="make the project there, and leave it; else it is taken away"
    )
    parser.add_argument("--json", action="store_true", help="print what came of it as JSON")
    options = parser.parse_args()
    out = sys.stderr if options.json else sys.stdout
    with tempfile.TemporaryDirectory() as scratch:
        told = run(Path(options.work or scratch) / "links", out)
    rows = [f"{lane['task']}: {lane['status']}" for lane in told["lanes"]]  # type: ignore[attr-defined]
    print(json.dumps(told) if options.json else "\n".join((*rows, f"verified: {told['verify']}")))


if __name__ == "__main__":
    main()
