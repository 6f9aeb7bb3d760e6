"""Every hostile change of the table is tried on the real program; none may be approved or run anything."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conftest import Ran, Shop
from security.pull_requests import (
    BASE,
    HARMLESS,
    HIDDEN,
    OWN_COURT,
    File,
    Link,
    Program,
    PullRequest,
)

pytestmark = pytest.mark.slow  # a process or more for each row of a long table

_ORACLE = """---
name: oracle
description: flags the open door wherever it is shown
backend: command
command: [{python}, {script}]
---
Judge it.
"""
_SCRIPT = """import re, sys
shown = sys.stdin.read()
nonce = re.findall(r"VERDICT ([0-9a-f]+):", shown)
line = f"VERDICT {nonce[-1]}:" if nonce else "VERDICT:"
if "anybody may enter" in shown:
    print("Reasons:\\n- BLOCKING: open-door: anybody may enter\\n")
    print(line, "flagged")
else:
    print(line, "approved")
"""


def judge(shop: Shop, row: PullRequest) -> Ran:
    """The base on main, the change on a branch, judged as a reviewer would."""
    add_oracle(shop)
    write(shop.root, {**BASE, **row.base})
    shop.git("add", "-fA")
    shop.git("commit", "-q", "-m", "base")
    shop.git("checkout", "-q", "-b", "change")
    write(shop.root, row.change)
    shop.git("add", "-fA")
    shop.git("commit", "-q", "-m", "change")
    return shop.guild("validate", "--diff", "main...HEAD", *row.flags)


def add_oracle(shop: Shop) -> None:
    folder = shop.home / ".config/guildmoot/agents"
    folder.mkdir(parents=True)
    script = shop.home / "oracle.py"
    script.write_text(_SCRIPT)
    (folder / "oracle.md").write_text(_ORACLE.format(python=sys.executable, script=script))


def write(root: Path, files: dict[str, File]) -> None:
    for name, content in files.items():
        file = root / os.fsdecode(os.fsencode(name))
        file.parent.mkdir(parents=True, exist_ok=True)
        if content is None or file.is_symlink() or isinstance(content, Link):
            file.unlink(missing_ok=True)
        if isinstance(content, Link):
            file.symlink_to(content.to)
        elif isinstance(content, Program):
            file.write_text(content.text)
            file.chmod(0o755)
        elif content is not None:
            file.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("row", [*HIDDEN, *OWN_COURT], ids=lambda row: row.name)
def test_is_not_approved_and_runs_nothing(shop: Shop, row: PullRequest) -> None:
    done = judge(shop, row)

    assert done.code in (2, 3), done.out + done.err
    assert not list(shop.root.parent.rglob("BOOBY")), "it ran a program of the change"


@pytest.mark.parametrize("row", HARMLESS, ids=lambda row: row.name)
def test_harmless_change_is_approved(shop: Shop, row: PullRequest) -> None:
    done = judge(shop, row)

    assert done.code == 0, done.out + done.err
