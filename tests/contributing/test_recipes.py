"""The recipes of CONTRIBUTING.md, followed word by word in a copy of the package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from conftest import Ran, Shop, mainly

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^( *)```\w*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
BAD = "def pay():\n    return 1  # TODO: the other half\n"


def blocks(title: str) -> list[str]:
    """The code blocks of one recipe, in order, without the indentation of their list."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = re.search(rf"^## {title}.*?\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert section, f"CONTRIBUTING.md has no recipe {title!r}"
    return [
        "\n".join(line.removeprefix(indent) for line in body.split("\n"))
        for indent, body in BLOCK.findall(section[1])
    ]


class Copy:
    """A copy of the package, and a repository to use it on."""

    def __init__(self, folder: Path, shop: Shop) -> None:
        self.package = folder / "src" / "guildmoot"
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src" / "guildmoot", self.package, ignore=skip)
        self.shop = shop
        shop.write("pay.py", BAD)
        shop.commit()

    def add_line(self, file: str, table: str, line: str) -> None:
        """Add a line at the top of a table."""
        path = self.package / file
        text, count = re.subn(
            rf"^({table}\b.* = [({{])\n",
            rf"\1\n{line}",
            path.read_text(),
            count=1,
            flags=re.MULTILINE,
        )
        assert count == 1, f"{file} has no table {table}"
        path.write_text(text)

    def run(self, *argv: str) -> Ran:
        done = subprocess.run(
            [sys.executable, *argv],
            cwd=self.shop.root,
            env={**self.shop.env, "PYTHONPATH": str(self.package.parent)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def guild(self, *argv: str) -> Ran:
        return self.run("-m", "guildmoot", *argv)


@pytest.fixture
def copy(tmp_path: Path, shop: Shop) -> Copy:
    made = Copy(tmp_path / "copy", shop)
    where = made.run("-c", "import guildmoot; print(guildmoot.__file__)")
    assert where.out.strip() == str(made.package / "__init__.py")
    return made


def test_add_an_agent(copy: Copy) -> None:
    (agent,) = blocks("Add an agent")
    copy.shop.agent("no-todo.md", agent)
    checked = copy.guild("agents", "check")
    assert checked.code == 0, checked
    ran = copy.guild("validate", "pay.py", "--agents", "no-todo", "--json")
    assert ran.code == 2, ran
    assert "TODO: the other half" in ran.out


JUDGE = "---\nname: kind\ndescription: approves\nbackend: lenient\n---\nBe kind.\n"
CLUSTER = """
import json
from guildmoot.calls.cluster.needs import capabilities, lacking, needs_of
from guildmoot.calls.keys import is_shared
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call
call = Call(Seat("kind", "kind", "lenient", "x"), Agent("kind", "", "", "k", backend="lenient"), "p")
needs = needs_of(call)
print(json.dumps([needs.queue, lacking(needs, capabilities()), is_shared(call)]))
"""


@pytest.mark.parametrize(
    "traits", mainly("", 'Traits("lenient"),', 'Traits("lenient", pure=True),')
)
@pytest.mark.slow  # a copy of the package, and whole runs of it
def test_add_a_backend(copy: Copy, traits: str) -> None:
    """Followed as it is written, and with other traits in the one line."""
    code, line = blocks("Add a backend")
    (copy.package / "backends" / "lenient.py").write_text(code)
    copy.add_line("backends/registry.py", "_ENTRIES", f"    {traits}\n" if traits else line)
    copy.shop.agent("kind.md", JUDGE)
    checked = copy.guild("agents", "check")
    assert checked.code == 0, checked
    ran = copy.guild("validate", "pay.py", "--agents", "kind", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "approved"), ran
    assert ran.json["roster"]["seats"][0]["family"] == "lenient"
    dry = copy.guild("validate", "pay.py", "--agents", "kind", "--dry-run", "--json")
    (seat,) = dry.json["seats"]
    assert (seat["usd_at_most"], seat["leaves"]) == ((None, "yes") if traits else (0, "no"))
    queue, lacks, shared = json.loads(copy.run("-c", CLUSTER).out)
    assert (queue, lacks, shared) == ("lenient", "", "pure" in traits)
    assert "lenient" in copy.guild("doctor").out
    asked = copy.guild("council", "validate", "pay.py", "--agents", "kind", "--dry-run")
    assert asked.code == 0, asked


def test_a_backend_without_its_line_is_refused(copy: Copy) -> None:
    (copy.package / "backends" / "lenient.py").write_text(blocks("Add a backend")[0])
    copy.shop.agent("kind.md", JUDGE)
    checked = copy.guild("agents", "check")
    assert checked.code != 0
    assert "backend must be tool, command" in checked.out + checked.err


def test_add_a_policy(copy: Copy) -> None:
    rule, line = blocks("Add a policy")
    path = copy.package / "consensus" / "policies.py"
    text = path.read_text()
    above = text.index("POLICIES: dict")
    path.write_text(text[:above] + textwrap.dedent(rule) + "\n\n" + text[above:])
    copy.add_line("model/settings.py", "POLICIES", line)
    assert "only what a program proved blocks" in copy.guild("policies").out
    ran = copy.guild("validate", "pay.py", "--policy", "proof", "--json")
    assert ran.code in (0, 2), ran
    assert ran.json["policy"] == "proof"


POLL = """
import asyncio
from guildmoot.calls import Watch
from guildmoot.guard.settings import settings_for
from guildmoot.packet import PacketRequest
from guildmoot.practices.poll import PollRequest
from guildmoot.runs.practice import practice
from pathlib import Path
asked = PollRequest(PacketRequest(("pay.py",)), ("kind",))
print(asyncio.run(practice("poll").run(asked, settings_for(Path()), Watch())).said)
"""
SAYS = """---
name: kind
description: says one thing, and counts how often it was asked
backend: command
command: [sh, -c, "echo x >> {counter}; echo fine by me"]
---
"""


@pytest.mark.slow  # a copy of the package, and whole runs of it
def test_add_a_practice(copy: Copy) -> None:
    code, line = blocks("Add a practice")
    (copy.package / "practices" / "poll.py").write_text(code)
    copy.add_line("runs/practice.py", "PRACTICES", line)
    counter = copy.package.parent / "asked"
    copy.shop.agent("kind.md", SAYS.replace("{counter}", str(counter)))
    first = copy.run("-c", POLL)
    assert first.out == "('fine by me',)\n", first
    (row,) = copy.guild("runs", "list", "--kind", "poll", "--json").json["runs"]
    assert (row["kind"], row["verdict"], row["state"]) == ("poll", "1 said something", "complete")
    again = copy.guild("replay", "last")
    assert (again.code, again.out) == (0, "fine by me\n"), again
    (copy.shop.root / ".guild" / "runs" / row["run_id"] / "state.json").unlink()
    resumed = copy.guild("resume")
    assert (resumed.code, resumed.out) == (0, "fine by me\n"), resumed
    assert counter.read_text() == "x\n", "a finished call is not made again"
    refused = copy.guild("rerun", "last", "--seat", "kind")
    assert (refused.code, "nothing to rerun" in refused.err) == (64, True), refused
