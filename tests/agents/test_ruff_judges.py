"""The shipped ruff judge with real ruff: it finds what it is for; only real defects block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from builders import packet
from guildmoot.agents.registry import load_agents
from guildmoot.agents.ruff_settings import ruff_settings
from guildmoot.model.call import Reply
from guildmoot.model.packet import PacketFile
from guildmoot.model.verdict import Judgement
from guildmoot.reading.tool import read_tool

AGENTS = load_agents(None, Path("nowhere")).agents


def judge(folder: Path) -> Judgement:
    """Run the judge's own command in the folder, with what the project says, and read what it printed."""
    agent = AGENTS["ruff"]
    paths = [path for path in folder.rglob("*") if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
    settings = folder.with_name(f"{folder.name}.toml")
    made = packet([PacketFile(*file, "") for file in files.items()], root=str(folder))
    settings.write_text(ruff_settings(made), encoding="utf-8")
    words = [word.replace("{ruff_settings}", str(settings)) for word in agent.command]
    program = str(Path(sys.executable).with_name(words[0]))
    done = subprocess.run(
        [program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    reply = Reply("ruff", "answered", done.stdout, done.stderr, done.returncode)
    return read_tool(reply, agent, list(files), str(folder))


def findings(folder: Path, file: str, text: str) -> list[tuple[str, int, bool]]:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")
    found = judge(folder).findings
    assert {finding.path for finding in found} <= {file}
    return [(finding.code, finding.line, finding.blocking) for finding in found]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("def f():\n    return nmae\n", "F821", 2),
        ("def f(:\n", "invalid-syntax", 1),
        ("'%s %s' % ('one',)\n", "F507", 1),
        ("def f(x):\n    assert (x, 'never fails')\n", "F631", 2),
        ("def f():\n    raise NotImplemented\n", "F901", 2),
        ("def f():\n    break\n", "F701", 2),
        ("import subprocess\nsubprocess.run(f'ls {x}', shell=True)\n", "S602", 2),
        (
            "import requests\nrequests.get('u', verify=False, timeout=1)\n",
            "S501",
            2,
        ),
        ("import yaml\nyaml.load(open('x'), Loader=yaml.Loader)\n", "S506", 2),
        ("x = 'a\u202eb'\n", "PLE2502", 1),
        ("def f(x):\n    if x:\n        ValueError('x')\n", "PLW0133", 3),
        ("try:\n    f()\nexcept A or B:\n    raise\n", "PLW0711", 3),
        ("raise 'text'\n", "B016", 1),
        ("import time\nasync def f():\n    time.sleep(1)\n", "ASYNC251", 3),
    ],
)
def test_a_real_defect_blocks(tmp_path: Path, text: str, code: str, line: int) -> None:
    assert (code, line, True) in findings(tmp_path, "src/work.py", text)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("import os\n", "F401", 1),
        ("def f(x=[]):\n    return x\n", "B006", 1),
        ("x = eval(y)\n", "S307", 1),
        ("import requests\nrequests.get('u')\n", "S113", 2),
        ("try:\n    f()\nexcept Exception:\n    pass\n", "S110", 3),
        ("def f():\n    x = open('x')\n    return x.read()\n", "SIM115", 2),
    ],
)
def test_a_doubt_only_advises(tmp_path: Path, text: str, code: str, line: int) -> None:
    assert (code, line, False) in findings(tmp_path, "src/work.py", text)


@pytest.mark.parametrize(
    "text",
    [
        "class bad_name: ...\n",
        "def f(a, b, c, d, e, g, h, i, j): ...\n",
        "out = []\nfor x in [1]:\n    out.append(x * 2)\n",
        "try:\n    print()\nexcept KeyError:\n    raise ValueError()\n",
        "TOKEN = 'host'\n",
    ],
)
def test_taste_is_not_told(tmp_path: Path, text: str) -> None:
    assert findings(tmp_path, "src/work.py", text) == []


def test_a_test_that_tests_nothing_blocks(tmp_path: Path) -> None:
    text = "def test_x(mock):\n    assert mock.called_once()\n    assert 'always true'\n"
    found = findings(tmp_path, "tests/deep/test_x.py", text)
    assert found == [("PGH005", 2, True), ("PLW0129", 3, True)]


def test_tests_are_not_judged_for_security_but_for_shells(tmp_path: Path) -> None:
    text = "import pickle\nimport subprocess\n\npickle.loads(b'')\nsubprocess.run('x', shell=True, check=True)\n"
    for file in ("src/work.py", "tests/help.py", "pkg/test_it.py", "conftest.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    found = judge(tmp_path).findings
    assert {finding.path for finding in found if finding.code == "S301"} == {"src/work.py"}
    assert sum(finding.code == "S602" for finding in found) == 4


def test_sound_code_is_approved(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        '"""Sums."""\n\n\ndef total(numbers: list[int]) -> int:\n    return sum(numbers)\n',
        encoding="utf-8",
    )
    assert judge(tmp_path) == Judgement("ruff", "approved", family="ruff", computed=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project]\nrequires-python = '>=3.9'\n"),
        ("pyproject.toml", "[tool.poetry.dependencies]\npython = '^3.9'\n"),
        ("ruff.toml", "target-version = 'py39'\n"),
        ("setup.cfg", "[options]\npython_requires = ~=3.9\n"),
        ("setup.py", "import s\n\ns.setup(python_requires='>=3.9,<4')\n"),
    ],
)
def test_what_the_least_python_cannot_read_blocks(tmp_path: Path, name: str, text: str) -> None:
    work = "try:\n    pass\nexcept ValueError, TypeError:\n    print()\n"
    assert findings(tmp_path, "work.py", work) == []
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert ("invalid-syntax", 3, True) in findings(tmp_path, "work.py", work)


def test_the_version_of_a_folder_holds_in_that_folder(tmp_path: Path) -> None:
    for folder, version in (("old", "3.9"), ("new", "3.14")):
        (tmp_path / folder).mkdir()
        told = f"[project]\nrequires-python = '>={version}'\n"
        (tmp_path / folder / "pyproject.toml").write_text(told, encoding="utf-8")
        (tmp_path / folder / "a.py").write_text("match 1:\n    case 1: ...\n", encoding="utf-8")
    assert [finding.path for finding in judge(tmp_path).findings] == ["old/a.py"]


def test_scripts_and_windowed_programs_are_read(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("bin/tool", "a.pyw"):
        (tmp_path / name).write_text("#!/usr/bin/env python3\nprint(nmae)\n", encoding="utf-8")
    assert {finding.path for finding in judge(tmp_path).findings} == {"bin/tool", "a.pyw"}


def test_the_work_under_review_cannot_switch_its_judge_off(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("[lint]\nselect = []\nexclude = ['*']\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nexclude = ['*']\n", encoding="utf-8")
    for ignored in (".gitignore", ".ignore", ".rgignore"):
        (tmp_path / ignored).write_text("*\n", encoding="utf-8")
    for file in ("build/a.py", "dist/b.py", ".hidden/c.py", "venv/d.py", "@e.py", "-f.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("print(nmae)\n", encoding="utf-8")
    found = {finding.path for finding in judge(tmp_path).findings}
    assert found == {"build/a.py", "dist/b.py", ".hidden/c.py", "venv/d.py", "@e.py", "-f.py"}


def test_a_comment_does_not_keep_the_judge_from_telling(tmp_path: Path) -> None:
    text = "import subprocess\nsubprocess.run('ls', shell=True, check=True)  # noqa: S602\n"
    assert ("S602", 2, True) in findings(tmp_path, "work.py", text)


def test_notebooks_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("not even JSON", encoding="utf-8")
    assert judge(tmp_path).outcome == "approved"
