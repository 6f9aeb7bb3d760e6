"""Tries a skill on its cases: a command of the user's runs once for each, and its exit code says whether it passed."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.lifecycle.evolution.flips import GradedCase, Grading

_LONGEST = 600
_CANNOT_RUN = (126, 127)


class SkillCase(NamedTuple):
    """A text, and whether the skill should be used for it."""

    id: str
    text: str
    expect: str


def cases_of(*places: Path) -> list[SkillCase]:
    """The cases of all versions together, so that none gets better by losing one."""
    texts: dict[tuple[str, str], None] = {}
    for place in places:
        try:
            told = json.loads((place / "evals.json").read_bytes())
            rows = [
                (key, row) for key in ("should_trigger", "should_not_trigger") for row in told[key]
            ]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        texts |= dict.fromkeys((key, row) for key, row in rows if isinstance(row, str))
    if not texts:
        raise UsageError(
            f"there are no cases in {places[0] / 'evals.json'}", "guild skills lint tells the form."
        )
    return [
        SkillCase(f"{key}-{at}", text, "use" if key == "should_trigger" else "leave")
        for at, (key, text) in enumerate(texts, 1)
    ]


def try_both(live: Path, proposed: Path, runner: str) -> Grading:
    """Both versions on the cases of both."""
    cases = cases_of(live, proposed)
    return Grading(
        tuple(try_case(live, case, runner) for case in cases),
        tuple(try_case(proposed, case, runner) for case in cases),
    )


def try_case(place: Path, case: SkillCase, runner: str) -> GradedCase:
    """One case; the runner may print ``{"tokens": N}`` as its last line."""
    told = {"GUILD_SKILL": str(place), "GUILD_CASE": case.text, "GUILD_EXPECT": case.expect}
    began = time.monotonic()
    try:
        done = subprocess.run(
            shlex.split(runner), env={**os.environ, **told}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, timeout=_LONGEST, check=False,
        )  # fmt: skip
    except (OSError, ValueError, IndexError) as wrong:
        raise UsageError(f"--runner {runner} cannot be run: {wrong}") from None
    except subprocess.TimeoutExpired:
        return GradedCase(case.id, False, ms=_LONGEST * 1000)
    if done.returncode in _CANNOT_RUN:
        raise UsageError(f"--runner {runner} ended with {done.returncode}: it cannot be run")
    ms = round((time.monotonic() - began) * 1000)
    return GradedCase(case.id, done.returncode == 0, _tokens(done.stdout), ms)


def _tokens(output: bytes) -> int:
    try:
        told = json.loads(output.strip().rpartition(b"\n")[2] or b"{}")
        return max(0, int(told["tokens"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
