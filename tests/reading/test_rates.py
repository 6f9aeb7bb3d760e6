"""Replies as ten models write them: the hostile are not approved, the honest are not refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.replies import BOUNDS, SPLITS, mistaken, rows

LEAST = {"hostile": 400, "honest": 200}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", BOUNDS)
def test_few_replies_are_mistaken(name: str, split: str) -> None:
    wrong, total = mistaken(name, split)
    print(f"{name}, {split}: {len(wrong)} of {total} = {len(wrong) / total:.1%}")
    assert len(wrong) <= BOUNDS[name] * total, [row["id"] for row in wrong]


@pytest.mark.parametrize("name", BOUNDS)
def test_the_corpus_is_large_and_no_reply_stands_in_it_twice(name: str) -> None:
    replies = rows(name)
    assert len({row["text"] for row in replies}) == len(replies) >= LEAST[name]
    assert len({row["id"] for row in replies}) == len(replies)
