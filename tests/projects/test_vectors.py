"""What the seeds' own programs answered to our inputs; ``loom`` and ``griot`` must hold the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data" / "records"
VECTORS = [
    json.loads(line)
    for file in sorted(DATA.glob("*.jsonl"))
    for line in file.read_bytes().splitlines()
]
NAMES = {
    f"GIT_{who}_{what}": "t@e" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def normal(text: str, folder: Path) -> str:
    text = text.replace(os.path.realpath(folder), "{CWD}").replace(str(folder), "{CWD}")
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "{ISO}", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?!\d)", "{TS}", text)
    return text.replace(time.strftime("%Y-%m-%d", time.gmtime()), "{TODAY}")


def holds(want: object, have: object) -> bool:
    """The same data; keys beyond it are allowed."""
    if isinstance(want, dict) and isinstance(have, dict):
        return all(key in have and holds(value, have[key]) for key, value in want.items())
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(map(holds, want, have))
    return want == have


def same(want: str, have: str, name: str = "") -> bool:
    if want == have:
        return True
    load = tomllib.loads if name.endswith(".toml") else json.loads
    try:
        return holds(load(want), load(have))
    except ValueError:
        return False


def files_of(folder: Path) -> dict[str, str]:
    return {
        normal(str(file.relative_to(folder)), folder): normal(
            file.read_text("utf-8", "replace"), folder
        )
        for file in folder.rglob("*")
        if file.is_file() and ".git" not in file.parts
    }


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
@pytest.mark.sample(4)
def test_the_answer_is_that_of_the_seeds(vector: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for name, content in vector["files"].items():
        target = folder / name
        (target if name.endswith("/") else target.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            target.write_bytes(content.replace("{CWD}", str(folder)).encode())
            target.chmod(0o755 if name.startswith("bin/") else 0o644)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), **NAMES}
    for command in vector.get("setup", ()):
        subprocess.run(
            command, shell=True, cwd=folder, env=environment, check=True, capture_output=True
        )
    for key, value in vector.get("env", {}).items():
        value = value.replace("{CWD}", str(folder))
        environment[key] = (
            value.replace("/usr/bin:/bin", environment["PATH"]) if key == "PATH" else value
        )
    start = f"from guildmoot.cli.main import {vector['cli']} as main; raise SystemExit(main())"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            start,
            *(word.replace("{CWD}", str(folder)) for word in vector["argv"]),
        ],
        cwd=folder / vector.get("cwd", "."),
        env=environment,
        input=vector["stdin"].encode("latin1" if "stdin_encoding" in vector else "utf-8"),
        capture_output=True,
    )
    out, err = (
        normal(each.decode("utf-8", "replace"), folder) for each in (done.stdout, done.stderr)
    )
    assert done.returncode == vector["exit_code"], err
    assert same(vector["stdout"], out), out
    assert (vector["stderr_class"] or "") in err
    after = files_of(folder)
    for name, want in vector["files_after"].items():
        if want == "<deleted>":
            assert name not in after
        elif want != "<empty-dir>":
            assert same(want, after[name], name), after[name]
