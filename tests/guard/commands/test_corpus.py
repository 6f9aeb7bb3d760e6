"""The corpus: what public reports tell of is caught, and a day's ordinary work passes.

The held half of the dangers was written by another pass and is counted, not tuned on: its bound is the goal.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from guildmoot.guard.commands.cases import GuardCase, passes, read_cases
from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.site import Site

DATA = Path(__file__).parents[2] / "data" / "guard"
SITE = Site("/home/u/proj", "/home/u/proj", "/home/u", git=True)


def cases(name: str) -> list[GuardCase]:
    return read_cases((DATA / name).read_text(), name)


def spread(text: str) -> list[str]:
    """Every choice of ``⟦a|b⟧``."""
    parts = re.split("⟦(.*?)⟧", text)
    choices = [[p] if n % 2 == 0 else re.split(r"(?<!\\)\|", p) for n, p in enumerate(parts)]
    return ["".join(one).replace("\\|", "|") for one in itertools.product(*choices)]


@pytest.mark.parametrize("case", cases("danger-chosen.txt"), ids=lambda case: f"line {case.line}")
def test_a_reported_danger_is_caught(case):
    assert case.holds(judge_command(case.command, SITE)), case.command


def test_the_held_dangers_are_caught():
    held = [*cases("danger-held.txt"), *cases("danger-fresh.txt")]
    missed = [case for case in held if not case.holds(judge_command(case.command, SITE))]
    let_go = [c.command for c in held if judge_command(c.command, SITE).action == "allow"]
    assert len(let_go) <= 0.03 * len(held), let_go
    assert [c.command for c in missed if c.labels["class"] == "catastrophic"] == []


def test_every_danger_has_a_class_and_a_source():
    rows = [*cases("danger-chosen.txt"), *cases("danger-held.txt"), *cases("danger-fresh.txt")]
    assert len(rows) >= 400
    assert len({case.command for case in rows}) == len(rows)
    counted = Counter(case.labels["class"] for case in rows)
    assert counted.keys() == {"catastrophic", "destructive", "leak", "tamper"}
    assert all(case.labels["source"] for case in rows)


def test_every_denial_names_another_way():
    for case in cases("danger-chosen.txt"):
        decision = judge_command(case.command, SITE)
        assert decision.reason, case.command
        assert decision.instead, case.command


def test_ordinary_work_is_not_held_up():
    commands = [one for case in cases("benign.txt") for one in spread(case.command)]
    assert len(commands) >= 1_900
    held_up = [one for one in commands if not passes(judge_command(one, SITE))]
    assert held_up == []


FULL = Site("/home/u/proj", "/home/u/proj", "/home/u", git=True, holds=lambda _path: True)
"""Where every file that a command names is there and may be overwritten."""


def test_a_stranger_s_dangers_are_caught_and_their_day_is_not_held_up():
    dangers, ordinary = cases("danger-stranger.txt"), cases("benign-stranger.txt")
    assert (len(dangers), len(ordinary)) == (240, 400)
    missed = [c.command for c in dangers if judge_command(c.command, FULL).action == "allow"]
    held_up = [c.command for c in ordinary if not passes(judge_command(c.command, FULL))]
    assert len(missed) <= 3, missed
    assert held_up == []


def test_a_second_stranger_s_dangers_are_caught_and_their_day_is_not_held_up():
    dangers, ordinary = cases("danger-second.txt"), cases("benign-second.txt")
    assert (len(dangers), len(ordinary)) == (376, 306)
    found = [(case, judge_command(case.command, FULL)) for case in dangers]
    missed = [case.command for case, decision in found if decision.action == "allow"]
    milder = [c.command for c, d in found if c.expected == "deny" and d.action != "deny"]
    held_up = [c.command for c in ordinary if not passes(judge_command(c.command, FULL))]
    assert len(missed) <= 1, missed
    assert len(milder) <= 3, milder
    assert held_up == []


def test_a_third_table_s_dangers_are_caught_and_its_day_is_not_held_up():
    dangers, ordinary = cases("danger-third.txt"), cases("benign-third.txt")
    assert (len(dangers), len(ordinary)) == (338, 212)
    missed = [c.command for c in dangers if judge_command(c.command, SITE).action == "allow"]
    held_up = [c.command for c in ordinary if not passes(judge_command(c.command, SITE))]
    assert missed == []
    assert held_up == []


OWN = Site(
    *("/home/u/proj", "/home/u/proj", "/home/u"),
    git=True, holds=lambda _path: True, guarded=("/home/u/.local/share/guildmoot",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "count"),
    [("danger-fourth.txt", 231), ("danger-around.txt", 143), ("danger-fifth.txt", 198)],
)
def test_later_strangers_dangers_and_ways_around_are_caught(name, count):
    dangers = cases(name)
    assert len(dangers) == count
    assert [c.command for c in dangers if judge_command(c.command, OWN).action == "allow"] == []


@pytest.mark.parametrize(("name", "count"), [("benign-fourth.txt", 232), ("benign-fifth.txt", 75)])
def test_later_strangers_days_are_not_held_up(name, count):
    ordinary = cases(name)
    assert len(ordinary) == count
    assert [c.command for c in ordinary if not passes(judge_command(c.command, SITE))] == []
