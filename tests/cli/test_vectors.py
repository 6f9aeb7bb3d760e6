"""The answers that the seeds' own program gave to our inputs; ours must hold the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data" / "vectors"
VECTORS = [
    json.loads(line)
    for file in sorted(DATA.glob("*.jsonl"))
    for line in file.read_bytes().splitlines()
]


def normal(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "{ISO}", text)


def holds(want: object, have: object) -> bool:
    """The same data; keys beyond it are allowed."""
    if isinstance(want, dict) and isinstance(have, dict):
        return all(key in have and holds(value, have[key]) for key, value in want.items())
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(map(holds, want, have))
    return want == have


def same(want: str, have: str) -> bool:
    if want == have:
        return True
    try:
        return holds(json.loads(want), json.loads(have))
    except ValueError:
        return False


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_answer_is_that_of_the_seeds(
    vector: dict[str, Any], guild: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in vector["files"].items():
        target = tmp_path / name
        (target if name.endswith("/") else target.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            target.write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ran = guild(*vector["argv"], stdin=vector["stdin"].encode())
    assert ran.code == vector["exit_code"], ran.err
    assert same(vector["stdout"], normal(ran.out))
    assert (vector["stderr_class"] or "") in ran.err
    for name, want in vector["files_after"].items():
        assert same(want, normal((tmp_path / name).read_text(encoding="utf-8")))


def test_the_vectors_are_there() -> None:
    assert len(VECTORS) == 87
