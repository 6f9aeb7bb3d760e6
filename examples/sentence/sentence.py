"""From a sentence to a merged branch whose acceptance tests pass, with scripted specialists. No key, no network.

    python examples/sentence/sentence.py [--clients] [--work FOLDER] [--json]

With --clients the real claude, codex and gemini do the lanes in one team, against a provider on this machine.

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
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path

import clients

HERE = Path(__file__).parent
SLUG = "links"
SENTENCE = "A link shortener: an API with SQLite storage and tests"
PROOF = "python3 -m unittest discover -s tests -t ."


class Example:
    """A project of its own, and what was typed in it."""

    def __init__(self, root: Path, out: object, env: Mapping[str, str]) -> None:
        self.root, self._out = root, out
        self._env = {**env, "PYTHONDONTWRITEBYTECODE": "1"}

    def type(self, *words: str, fine: tuple[int, ...] = (0,)) -> str:
        """Run a command in the project; stop where it fails."""
        print(f"$ {shlex.join(words)}", file=self._out, flush=True)  # type: ignore[call-overload]
        real = [sys.executable, "-m", "guildmoot", *words[1:]] if words[0] == "guild" else words
        done = subprocess.run(
            real,
            cwd=self.root,
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
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


def by_script(made: Example) -> list[str]:
    """A program stands where a model would."""
    script = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'specialist.py'))}"
    return ["--worker", script]


def run(
    made: Example, who: Callable[[Example], list[str]], *team: str,
    edit: Callable[[Path], None] = lambda plan: None,
) -> dict[str, object]:  # fmt: skip
    """Every step, and what came of it; ``who`` says who does the lanes once the plan is approved."""
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
            made.type(guild, "work", step, SLUG, *(team if step == "team" else ()))
        if step == "plan":
            edit(made.root / ".guild" / "plan" / f"{SLUG}.md")
        made.type(guild, "work", "approve", step, SLUG, "--yes")
    words = ("work", "execute", SLUG, *who(made), "--yes", "--json")
    told = json.loads(made.type(guild, *words))
    review = json.loads(made.type(guild, "work", "review", SLUG, "--yes", "--json", fine=(0, 3)))
    verify = json.loads(made.type(guild, "work", "verify", SLUG, "--yes", "--json"))
    made.type("git", "merge", "-q", "--no-edit", told["branch"])
    made.type("/bin/sh", "-c", PROOF)
    return {
        "run": told["run"], "branch": told["branch"], "lanes": told["lanes"],
        "review": review.get("status"), "verify": verify.get("status"),
        "checks": [f"{c['name']}: {c['result']}" for c in verify.get("checks", ())],
    }  # fmt: skip


def _run(root: Path, out: object, provider: clients.Provider | None) -> dict[str, object]:
    if provider is None:
        return run(Example(root, out, os.environ), by_script)

    def by_clients(made: Example) -> list[str]:
        made.type("guild", "work", "context", SLUG)
        provider.rules = clients.rules(made.root, PROOF)
        return ["--clients", "--mode", "subagent"]

    made = Example(root, out, clients.environment(provider, root.with_name("home")))
    return run(made, by_clients, "--with", "technical-writer", edit=clients.set_tiers)


def main() -> None:
    """Run it in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--work", help="make the project there, and leave it; else it is taken away"
    )
    parser.add_argument("--clients", action="store_true", help="let claude, codex and gemini do it")
    parser.add_argument("--json", action="store_true", help="print what came of it as JSON")
    options = parser.parse_args()
    out = sys.stderr if options.json else sys.stdout
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(options.work or scratch).resolve() / "links"
        with clients.provider() if options.clients else nullcontext() as provider:
            told = _run(root, out, provider)
    rows = [f"{lane['task']}: {lane['status']}" for lane in told["lanes"]]  # type: ignore[attr-defined]
    print(json.dumps(told) if options.json else "\n".join((*rows, f"verified: {told['verify']}")))


if __name__ == "__main__":
    main()
