"""The shipped ruff judges with real ruff: each finds what it is for; only real defects block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.agents.registry import load_agents
from guildmoot.model.call import Reply
from guildmoot.model.verdict import Judgement
from guildmoot.reading.tool import read_tool

AGENTS = load_agents(None, Path("nowhere")).agents
RUFF = [name for name in AGENTS if name.startswith("ruff-")]


def judge(name: str, folder: Path) -> Judgement:
    """Run the judge's own command in the folder and read what it printed."""
    agent = AGENTS[name]
    program = str(Path(sys.executable).with_name(agent.command[0]))
    done = subprocess.run(
        [program, *agent.command[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    reply = Reply(name, "answered", done.stdout, done.stderr, done.returncode)
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*.py")]
    return read_tool(reply, agent, files, str(folder))


def findings(name: str, folder: Path, file: str, text: str) -> list[tuple[str, int, bool]]:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")
    found = judge(name, folder).findings
    assert {finding.path for finding in found} <= {file}
    return [(finding.code, finding.line, finding.blocking) for finding in found]


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("ruff-correctness", "def f():\n    return nmae\n", "F821", 2),
        ("ruff-correctness", "def f(:\n", "invalid-syntax", 1),
        ("ruff-correctness", "'%s %s' % ('one',)\n", "F507", 1),
        ("ruff-correctness", "def f(x):\n    assert (x, 'never fails')\n", "F631", 2),
        ("ruff-correctness", "def f():\n    raise NotImplemented\n", "F901", 2),
        ("ruff-correctness", "def f():\n    break\n", "F701", 2),
        ("ruff-security", "import subprocess\nsubprocess.run(f'ls {x}', shell=True)\n", "S602", 2),
        (
            "ruff-security",
            "import requests\nrequests.get('u', verify=False, timeout=1)\n",
            "S501",
            2,
        ),
        ("ruff-security", "import yaml\nyaml.load(open('x'), Loader=yaml.Loader)\n", "S506", 2),
        ("ruff-security", "x = 'a\u202eb'\n", "PLE2502", 1),
        ("ruff-error-paths", "def f(x):\n    if x:\n        ValueError('x')\n", "PLW0133", 3),
        ("ruff-error-paths", "try:\n    f()\nexcept A or B:\n    raise\n", "PLW0711", 3),
        ("ruff-error-paths", "raise 'text'\n", "B016", 1),
        ("ruff-performance", "import time\nasync def f():\n    time.sleep(1)\n", "ASYNC251", 3),
    ],
)
def test_a_real_defect_blocks(tmp_path: Path, name: str, text: str, code: str, line: int) -> None:
    assert (code, line, True) in findings(name, tmp_path, "src/work.py", text)


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("ruff-correctness", "import os\n", "F401", 1),
        ("ruff-correctness", "def f(x=[]):\n    return x\n", "B006", 1),
        ("ruff-correctness", "import os  # noqa\n", "PGH004", 1),
        ("ruff-security", "x = eval(y)\n", "S307", 1),
        ("ruff-security", "import requests\nrequests.get('u')\n", "S113", 2),
        ("ruff-error-paths", "try:\n    f()\nexcept Exception:\n    pass\n", "S110", 3),
        ("ruff-error-paths", "try:\n    f()\nexcept KeyError:\n    raise A()\n", "B904", 4),
        ("ruff-performance", "out = []\nfor x in y:\n    out.append(x * 2)\n", "PERF401", 3),
        ("ruff-complexity", "def f(a, b, c, d, e, g, h, i, j): ...\n", "PLR0913", 1),
        ("ruff-naming", "def f():\n    l = 1\n    return l\n", "E741", 2),
        ("ruff-naming", "class bad_name: ...\n", "N801", 1),
    ],
)
def test_a_doubt_only_advises(tmp_path: Path, name: str, text: str, code: str, line: int) -> None:
    assert (code, line, False) in findings(name, tmp_path, "src/work.py", text)


def test_a_test_that_tests_nothing_blocks(tmp_path: Path) -> None:
    text = "def test_x(mock):\n    assert mock.called_once()\n    assert 'always true'\n"
    found = findings("ruff-tests", tmp_path, "tests/deep/test_x.py", text)
    assert found == [("PGH005", 2, True), ("PLW0129", 3, True)]


def test_only_tests_are_judged_as_tests_and_only_the_rest_for_security(tmp_path: Path) -> None:
    text = "import subprocess\nsubprocess.run('x', shell=True)\nassert 'x'\n"
    for file in ("src/work.py", "tests/help.py", "pkg/test_it.py", "conftest.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    security = {finding.path for finding in judge("ruff-security", tmp_path).findings}
    tests = {finding.path for finding in judge("ruff-tests", tmp_path).findings}
    assert security == {"src/work.py"}
    assert tests == {"tests/help.py", "pkg/test_it.py", "conftest.py"}


@pytest.mark.parametrize("name", RUFF)
def test_sound_code_is_approved(tmp_path: Path, name: str) -> None:
    (tmp_path / "work.py").write_text(
        '"""Sums."""\n\n\ndef total(numbers: list[int]) -> int:\n    return sum(numbers)\n',
        encoding="utf-8",
    )
    assert judge(name, tmp_path) == Judgement(name, "approved", family="ruff", computed=True)


def test_only_one_judge_blocks_on_a_syntax_error(tmp_path: Path) -> None:
    (tmp_path / "test_work.py").write_text("def f(:\n", encoding="utf-8")
    assert [name for name in RUFF if judge(name, tmp_path).outcome == "flagged"] == [
        "ruff-correctness"
    ]


def test_the_work_under_review_cannot_switch_its_judge_off(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("[lint]\nselect = []\nexclude = ['*']\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nexclude = ['*']\n", encoding="utf-8")
    for ignored in (".gitignore", ".ignore", ".rgignore"):
        (tmp_path / ignored).write_text("*\n", encoding="utf-8")
    for file in ("build/a.py", "dist/b.py", ".hidden/c.py", "venv/d.py", "@e.py", "-f.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("print(nmae)\n", encoding="utf-8")
    found = {finding.path for finding in judge("ruff-correctness", tmp_path).findings}
    assert found == {"build/a.py", "dist/b.py", ".hidden/c.py", "venv/d.py", "@e.py", "-f.py"}


def test_an_accepted_exception_with_its_code_is_respected(tmp_path: Path) -> None:
    text = "import subprocess\nsubprocess.run('ls', shell=True)  # noqa: S602\n"
    assert findings("ruff-security", tmp_path, "work.py", text) == []


def test_notebooks_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("not even JSON", encoding="utf-8")
    assert judge("ruff-correctness", tmp_path).outcome == "approved"
