"""What our own pages, skills and scripts tell people and agents to run passes our own guard: nothing is denied."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.site import Site

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
SITE = Site("/home/u/guildmoot", "/home/u/guildmoot", "/home/u", git=True)
BLOCK = re.compile(r"^ *```(console|bash|sh|shell)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src" / "guildmoot").rglob("*.md")),
]
SCRIPTS = [
    path for path in (*sorted((ROOT / "scripts").iterdir()), ROOT / ".ci" / "run") if path.is_file()
]


def commands(page: Path) -> list[str]:
    """What a page shows to be run."""
    found = []
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind != "console":
            found.append(block)
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            command = [lines.pop(0)]
            while command[-1].endswith("\\") or (lines and re.match(r"> |>$", lines[0])):
                command.append(re.sub(r"^> ?", "", lines.pop(0)))
            found.append("\n".join(command))
    return found


def test_there_is_something_to_look_at():
    assert sum(len(commands(page)) for page in PAGES) > 100
    assert len(SCRIPTS) > 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_command_of_a_page_or_skill_is_denied(page):
    denied = [(one, judge_command(one, SITE)) for one in commands(page)]
    assert [(one, found) for one, found in denied if found.action == "deny"] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_script_is_denied(script):
    assert judge_command(script.read_text(encoding="utf-8"), SITE).action != "deny"
