"""What our own pages tell people and agents to run is never held up by our own guard."""

from __future__ import annotations

import re
from pathlib import Path

from guildmoot.guard.facts import site_at
from guildmoot.guard.tools import judge_tool

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands():
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            rows = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            defined = ""
            for row in rows:
                lines = row.split("\n")
                command = [lines.pop(0)]
                while command[-1].endswith("\\") or (lines and re.match(r"> |>$", lines[0])):
                    command.append(re.sub(r"^> ?", "", lines.pop(0)))
                yield page.name, defined + "\n".join(command)
                if re.match(r"\w+\(\) ", command[0]):  # the shell knows it from here on
                    defined += "\n".join(command) + "\n"
            if not rows:
                yield page.name, block


def test_no_command_of_our_pages_is_denied_or_asked_for(tmp_path):
    project = str(tmp_path / "code" / "project")
    site = site_at(project, project, {"HOME": str(tmp_path)}, ())
    told = list(commands())
    assert len(told) > 150
    held = [
        (page, command, decision.reason)
        for page, command in told
        if (decision := judge_tool("Bash", {"command": command}, site)).action in ("deny", "ask")
    ]
    assert held == []
