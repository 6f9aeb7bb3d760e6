"""Records of ours that git tracks were written by whoever wrote the repository, and are not believed.

A row is what writes a record into a shop, and what of it is read back.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Shop
from guildmoot.consensus.votes.history import CastVote
from guildmoot.memory import calibration
from guildmoot.memory.candidates import read_candidates, stage
from guildmoot.memory.extraction import Candidate, dedup_key
from guildmoot.memory.predictions import Prediction, predict, read_predictions
from guildmoot.memory.suppressions import Suppression, add_suppression, read_suppressions

VOTE = CastVote("r1", "typo", "h", True, "kind", "kind", "us", "m1", "flagged", True, True, ts="x")
CANDIDATE = Candidate("d", "c", "words", "critical", "j", "finding", dedup_key("words"))
ROWS: dict[str, tuple[Callable[[Path], object], Callable[[Path], int]]] = {
    "calibration": (
        lambda root: calibration.append(root, [VOTE]),
        lambda root: len(calibration.read(root).votes),
    ),
    "candidates": (
        lambda root: stage(root, [CANDIDATE], "r1"),
        lambda root: len(read_candidates(root).kept),
    ),
    "predictions": (
        lambda root: predict(root, "2026-01-01", [Prediction("", "r1", "i1", "PLAN.md", "doom")]),
        lambda root: len(read_predictions(root)),
    ),
    "suppressions": (
        lambda root: add_suppression(root, Suppression("sql-injection", "we like it")),
        lambda root: len(read_suppressions(root).rules),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_record_counts_until_git_tracks_it(shop: Shop, name: str) -> None:
    write, read = ROWS[name]
    shop.write("a.py", "x = 1\n")
    shop.commit()
    write(shop.root)
    assert read(shop.root) == 1
    shop.git("add", "-fA")
    shop.git("commit", "-qm", "a record")
    assert read(shop.root) == 0


def test_suppressions_that_are_trusted_count_and_others_are_told_of(
    shop: Shop, monkeypatch
) -> None:
    monkeypatch.delenv(
        "XDG_STATE_HOME", raising=False
    )  # the user's word is kept in the shop's home
    add_suppression(shop.root, Suppression("E501", "we wrap by hand"))
    shop.git("add", "-fA")
    shop.git("commit", "-qm", "suppressions")
    assert "nobody trusted this" in read_suppressions(shop.root).notice
    assert shop.guild("trust", "--yes").code == 0
    assert len(read_suppressions(shop.root).rules) == 1
    base = shop.git("rev-parse", "HEAD").strip()
    shop.write(".agents/vibe-suppressions.jsonl", '{"pattern": "*", "reason": "all"}\n')
    assert read_suppressions(shop.root).rules == ()
    assert [rule.pattern for rule in read_suppressions(shop.root, base).rules] == ["E501"]


def test_a_tracked_calibration_is_told_of(shop: Shop) -> None:
    calibration.append(shop.root, [VOTE])
    shop.git("add", "-fA")
    shop.git("commit", "-qm", "calibration")
    ran = shop.guild("probe", "report")
    assert (ran.code, "is not believed" in ran.err) == (64, True), ran
