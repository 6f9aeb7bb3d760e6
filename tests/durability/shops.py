"""Small repositories with agents that leave a mark each time they are asked."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

GOOD = "def price(x: int) -> int:\n    return x\n"
UNREAD = "You have judged this already"
"""What only the question for a repair says."""
MARK = 'printf "{letter}" >> "$HOME/calls/{name}"'


def new_shop(folder: Path) -> Path:
    """An empty repository with one file in it, as a template to copy; its folder."""
    root = folder / "shop"
    root.mkdir(parents=True)
    (folder / "home" / "calls").mkdir(parents=True)
    (root / "a.py").write_text(GOOD)
    git(folder, "init", "-q", "-b", "main", "--template=")
    git(folder, "add", "a.py")
    git(folder, "commit", "-q", "-m", "a file")
    return folder


def git(folder: Path, *argv: str) -> None:
    who = {
        f"GIT_{role}_{part}": "t@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), **who}
    subprocess.run(["git", *argv], cwd=folder / "shop", env=environment, check=True)


def add_agent(folder: Path, name: str, script: str, **front: str) -> None:
    """An agent that is a shell script; it finds its prompt in ``$asked``."""
    lines = "".join(f"{key}: {value}\n" for key, value in front.items())
    command = json.dumps(["sh", "-c", f"asked=$(cat); {script}"])
    file = folder / "home" / ".config/guildmoot/agents" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f"---\nname: {name}\ndescription: judges\nbackend: command\n{lines}"
        f"command: {command}\n---\nJudge it.\n"
    )


def says(name: str, text: str, letter: str = "1") -> str:
    """The part of a script that leaves a mark and answers."""
    return f"{MARK.format(letter=letter, name=name)}; printf '%s' '{text}'"


def add_judge(folder: Path, name: str, text: str = "VERDICT: approved") -> None:
    """An agent that always says the same."""
    add_agent(folder, name, says(name, text))


def add_mumbler(folder: Path, name: str) -> None:
    """An agent that has to be asked twice."""
    again = says(name, "VERDICT: approved", "2")
    first = says(name, "I found no problems that matter, though some of it is odd.")
    add_agent(folder, name, f'case "$asked" in *"{UNREAD}"*) {again};; *) {first};; esac')
