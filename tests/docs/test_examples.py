"""Every ``console`` block in the README and the docs is run, and must print what it shows.

A page is one shell session in a fresh git repository. Three dots stand for any text.
Times, run ids and hashes differ from run to run and are compared by their shape.
``python tests/docs/test_examples.py PAGE`` prints what a page's commands really say.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import mainly

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "\x1eend of command\x1e"
SHAPES = [
    (re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}"), "RUN"),
    (re.compile(r"\b\d+\.\d+ s\b"), "SECONDS"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "HASH"),
    (re.compile(r" +"), " "),
]


def commands(page: Path) -> list[tuple[str, str]]:
    """Each command of the page with the output that it shows."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            command = [lines.pop(0)]
            while command[-1].endswith("\\") or (lines and re.match(r"> |>$", lines[0])):
                command.append(re.sub(r"^> ?", "", lines.pop(0)))
            found.append(("\n".join(command), "\n".join(lines).strip()))
    return found


def run(lines: list[str], folder: Path) -> list[str]:
    """What each command really prints, in one shell."""
    script = "\n".join(f"{line}\nstatus=$?; printf '%s' '{MARK}'; (exit $status)" for line in lines)
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "COLUMNS": "80",
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "t", f"GIT_{role}_EMAIL": "t@example.org"}
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>/dev/null\n{script}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.stdout.split(MARK)[:-1]


def shape(text: str) -> str:
    for pattern, name in SHAPES:
        text = pattern.sub(name, text)
    return "\n".join(line.strip() for line in text.strip().splitlines())


def matches(shown: str, real: str) -> bool:
    parts = [re.escape(part.strip("\n")) for part in shape(shown).split("...")]
    return re.fullmatch(r"\n?.*?\n?".join(parts), shape(real), re.DOTALL) is not None


@pytest.mark.parametrize("page", mainly(*PAGES), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_its_commands_print(page, tmp_path):
    shown = commands(page)
    folder = tmp_path / "shop"
    real = run([command for command, _ in shown], folder) if shown else []
    assert len(real) == len(shown)
    for (command, expected), printed in zip(shown, real, strict=True):
        assert matches(expected, printed), f"$ {command}\n{printed}"


def test_the_readme_has_a_transcript():
    assert any("guild validate" in command for command, _ in commands(ROOT / "README.md"))


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        lines = [command for command, _ in commands(Path(sys.argv[1]))]
        for line, output in zip(lines, run(lines, Path(scratch) / "shop"), strict=True):
            print(f"$ {line}\n{output}", end="")
