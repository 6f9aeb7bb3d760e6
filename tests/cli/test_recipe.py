"""``guild recipe``: what ships, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_the_recipes_for_other_work_than_the_web_are_there(guild: Any) -> None:
    full = json.loads(guild("recipe", "reviewer-full").out)["members"]
    backend = json.loads(guild("recipe", "reviewer-backend").out)["members"]
    assert set(backend) < set(full)
    assert full[0] == "evaluator-contract-fit"


def test_an_unknown_recipe_names_those_that_exist(guild: Any) -> None:
    ran = guild("recipe", "nope")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("guild-recipe-error: recipe-not-found")
    assert "design-systems" in ran.err


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[[recipes]]\nname = 'a'\n", "phase"),
        ("[[recipes]]\nphase = 'plan'\npersonality = 'x'\ndomains = []\n", "name"),
        ("[[recipes]]\nname = 'a'\nphase = 'zz'\npersonality = 'x'\ndomains = ['b']\n", "zz"),
        ("recipes = 3\n", "recipes"),
        ("recipes = [3]\n", "recipe 1"),
    ],
)
def test_a_wrong_manifest_is_refused(
    guild: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("axes.toml").write_text(text)
    ran = guild("recipe", "a", "--manifest", "axes.toml")
    assert ran.code == 1
    assert word in ran.err


def test_a_manifest_that_is_not_there_is_refused(guild: Any, tmp_path: Path) -> None:
    ran = guild("recipe", "a", f"--manifest={tmp_path}/none.toml")
    assert ran.code == 1
    assert "cannot read" in ran.err
