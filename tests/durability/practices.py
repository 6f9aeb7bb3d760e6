"""The command lines that are struck: a panel, a council with a debate, a whiteboard of two rounds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from durability.harness import Bench, Ended, Place
from durability.shops import add_agent, add_judge, add_mumbler, new_shop, says
from durability.survey import RUN

CRITIC = "VERDICT: flagged\n\nReasons:\n- wrong: a.py:1 price is wrong\n"


class Practice(NamedTuple):
    """A command line, and the shop that it is run in."""

    name: str
    make: Callable[[Path], None]
    """Puts the agents into a new shop."""
    argv: tuple[str, ...]
    agents: Mapping[str, str] = {}
    """Which agent sits in which seat, where the two have different names."""


class Template:
    """A practice's shop, to be copied for each run."""

    def __init__(self, practice: Practice, folder: Path) -> None:
        self.argv = practice.argv
        self._folder = folder
        self._numbers = itertools.count(1)
        practice.make(new_shop(folder / "template"))

    def place(self) -> Place:
        """A fresh copy; threads may ask for one each."""
        name = f"place-{next(self._numbers)}"
        return Place.copy(self._folder / "template", self._folder / name)


def go_on(bench: Bench, place: Place, argv: tuple[str, ...]) -> Ended:
    """Resume the newest run; one that had asked nothing yet is simply made again."""
    runs = sorted((place.root / ".guild" / "runs").glob("*"))
    begun = [run for run in runs if RUN.fullmatch(run.name) and (run / "request.json").exists()]
    return bench.run(place, *(("resume", begun[-1].name, "--json") if begun else argv))


def _panel(folder: Path) -> None:
    add_judge(folder, "calm")
    add_judge(folder, "critic", CRITIC)
    add_mumbler(folder, "mumbler")


PANEL = Practice("panel", _panel, ("validate", "a.py", "--agents", "calm,critic,mumbler", "--json"))


APPROVED = Practice(
    "approved",
    lambda folder: add_judge(folder, "calm"),
    ("validate", "a.py", "--agents", "calm", "--json"),
)


def _verdict(word: str, *findings: dict[str, str]) -> str:
    answer = {
        "verdict": word,
        "confidence": "HIGH",
        "key_insight": f"it is a {word}",
        "findings": findings,
        "recommendation": "mend it",
        "schema_version": 4,
    }
    return json.dumps(answer)


_FINDING = {
    "severity": "critical",
    "category": "correctness",
    "description": "the price is not rounded",
    "location": "a.py:2",
    "recommendation": "round it",
    "fix": "return round(x)",
    "why": "every invoice is wrong",
    "ref": "a.py:2",
}


def _add_debater(folder: Path, name: str, verdict: str) -> None:
    """A judge of a council, who is asked for a verdict, for where it stands, and once more."""
    first, last = says(name, verdict, "1"), says(name, verdict, "3")
    stand = says(name, "I stand where I stood: a.py:2.", "2")
    script = (
        f'case "$asked" in *"Now the others."*) {last};; '
        f'*"Before you learn what anybody else"*) {stand};; *) {first};; esac'
    )
    add_agent(folder, name, script, reply="council", family=name)


def _council(folder: Path) -> None:
    _add_debater(folder, "kind", _verdict("PASS"))
    _add_debater(folder, "strict", _verdict("FAIL", _FINDING))


COUNCIL = Practice(
    "council", _council,
    ("council", "--debate", "--agents", "kind,strict", "validate", "a.py", "--json"),
    {"judge-1": "kind", "judge-2": "strict"},
)  # fmt: skip


def _whiteboard(folder: Path) -> None:
    for name, where in (("data", "Postgres"), ("api", "Redis")):
        plan = (
            f"Keep sessions in {where}.\n\n```decisions\n- scope: session storage\n  stance: adopt\n"
            f"  text: Store sessions in {where}\n  cited: none\n```\n"
        )
        later = f'*"Your task, round 2"*) {says(name, plan, "2")};;'
        add_agent(folder, name, f'case "$asked" in {later} *) {says(name, plan, "1")};; esac')


WHITEBOARD = Practice(
    "whiteboard", _whiteboard,
    ("whiteboard", "run", "--engineers", "data,api", "--brief", "Where are sessions kept?",
     "--board", "board.md", "--rounds", "2", "--json"),
)  # fmt: skip
