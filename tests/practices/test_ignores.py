"""What somebody accepted is set aside, listed, and never by the word of the change itself."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builders import finding
from guildmoot.api.findings import decide_finding
from guildmoot.api.judge import validate
from guildmoot.grounding.inline import PragmaLines
from guildmoot.model.report import RunReport
from guildmoot.packet import PacketRequest
from guildmoot.practices.dispositions import DispositionRequest
from guildmoot.practices.panel import PanelRequest
from guildmoot.reports import render
from guildmoot.reports.json import to_json

SHELL = "import subprocess\n\n\ndef run(x):\n    {before}subprocess.run(x, shell=True, check=True){after}\n"
NAME = "def run(x):\n    launch(x){after}\n"
TOKEN = "ghp_" + "".join(chr(97 + n * 7 % 26) + str(n % 10) for n in range(18))
Commit = Callable[[dict[str, str]], None]


@pytest.fixture
def commit(tmp_path: Path) -> Commit:
    def git(*words: str) -> None:
        own = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *own, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("config", "user.name", "Ada")

    def make(files: dict[str, str]) -> None:
        write(tmp_path, files)
        git("add", ".")
        git("commit", "-q", "-m", "work")

    return make


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def judged(root: Path, *targets: str) -> RunReport:
    """The whole where targets are named, else what is not committed."""
    packet = PacketRequest(targets=targets, cwd=root, diff=None if targets else "")
    return asyncio.run(validate(PanelRequest(packet)))


def codes(report: RunReport) -> set[str]:
    return {finding.code for finding in report.blocking}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "  # guild: ignore[S602] our own table of commands"),
        ("# guild: ignore[S602] our own table of commands\n    ", ""),
        ("", "  # noqa: S602"),
        ("", "  # nosec"),
        ("", "  # nosec B602"),
    ],
)
def test_a_comment_in_the_base_counts_and_is_listed(
    tmp_path: Path, commit: Commit, before: str, after: str
) -> None:
    commit({"m.py": SHELL.format(before=before, after=after)})
    report = judged(tmp_path, ".")
    assert "S602" not in codes(report)
    listed = [(each.finding.code, each.by) for each in report.ignored]
    assert ("S602", "inline") in listed
    assert all(each.why for each in report.ignored)


def test_a_comment_without_a_reason_does_not_count_and_is_told(
    tmp_path: Path, commit: Commit
) -> None:
    commit({"m.py": NAME.format(after="  # guild: ignore[F821]")})
    (found,) = judged(tmp_path, ".").blocking
    assert "gives no reason" in found.note


@pytest.mark.parametrize(
    "after", ["  # guild: ignore[S602] trust me", "  # noqa: S602", "  # noqa", "  # nosec B602"]
)
def test_a_change_does_not_silence_its_judges(tmp_path: Path, commit: Commit, after: str) -> None:
    commit({"m.py": "import subprocess\n"})
    write(tmp_path, {"m.py": SHELL.format(before="", after=after)})
    report = judged(tmp_path)
    assert report.exit_code == 2
    (found,) = report.blocking
    assert "not heeded in a change" in found.note


def test_a_secret_that_the_change_allows_itself_blocks(tmp_path: Path, commit: Commit) -> None:
    commit({"m.py": "A = 1\n"})
    write(tmp_path, {"m.py": f'A = 1\nKEY = "{TOKEN}"  # pragma: allowlist secret\n'})
    report = judged(tmp_path)
    assert "secret" in codes(report)
    commit({})
    write(tmp_path, {"other.py": "B = 2\n"})
    assert "secret" not in codes(judged(tmp_path, "."))


def test_a_line_put_under_an_accepted_comment_blocks(tmp_path: Path, commit: Commit) -> None:
    above = "# guild: ignore[S602] our own table of commands\n    "
    commit({"m.py": SHELL.format(before=above, after="")})
    more = above + "subprocess.run(y, shell=True, check=False)\n    "
    write(tmp_path, {"m.py": SHELL.format(before=more, after="").replace("(x)", "(x, y)")})
    notes = [each.note for each in judged(tmp_path).blocking if each.code == "S602"]
    assert any("not heeded in a change" in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("run(x, shell", "run( x,  shell", set()),
        (
            "check=True",
            "check=True, env=x",
            {"S602"},
        ),  # a grave call that changed is new
    ],
)
def test_a_line_keeps_the_comment_that_it_had_while_its_call_is_the_same(
    tmp_path: Path, commit: Commit, old: str, new: str, told: set[str]
) -> None:
    text = SHELL.format(before="", after="  # noqa: S602")
    commit({"m.py": text})
    write(tmp_path, {"m.py": text.replace(old, new)})
    assert codes(judged(tmp_path)) == told


def test_a_dismissal_holds_on_the_next_run(tmp_path: Path, commit: Commit) -> None:
    commit({"m.py": NAME.format(after="")})
    first = judged(tmp_path, ".")
    (found,) = [each for each in first.blocking if each.code == "F821"]
    request = DispositionRequest(found.id, "dismissed", "our own table of commands")
    asyncio.run(decide_finding(request, tmp_path))
    write(tmp_path, {"m.py": "# one line more\n" + NAME.format(after="")})
    again = judged(tmp_path, ".")
    assert codes(again) == set()
    (gone,) = [each for each in again.ignored if each.by == "dismissed"]
    assert (gone.who, gone.why) == ("Ada", "our own table of commands")
    assert gone.when
    asyncio.run(decide_finding(request._replace(decision="accepted"), tmp_path))
    assert codes(judged(tmp_path, ".")) == {"F821"}


def test_a_dismissal_is_for_one_finding(tmp_path: Path, commit: Commit) -> None:
    text = NAME.format(after="")
    commit({"m.py": text})
    (found,) = judged(tmp_path, ".").blocking
    asyncio.run(decide_finding(DispositionRequest(found.id, "dismissed", "ours"), tmp_path))
    write(tmp_path, {"m.py": text + "    launch(x)\n"})
    assert codes(judged(tmp_path, ".")) == {"F821"}


def test_every_report_tells_what_is_ignored(tmp_path: Path, commit: Commit) -> None:
    commit({"m.py": NAME.format(after="  # guild: ignore[F821] made at run time")})
    report = judged(tmp_path, ".")
    for form in (".md", ".html"):
        text = render(report, form)
        assert "Ignored 1 finding: 1 by comments in the work; 1 of them would block." in text
        assert "made at run time" in text
    (row,) = to_json(report)["ignored_findings"]  # type: ignore[misc]
    assert (row["code"], row["ignored_by"]) == ("F821", "inline")  # type: ignore[index]


@pytest.mark.slow  # two seconds of nothing but that
def test_a_file_full_of_comments_takes_no_time() -> None:
    lines = ['x = """ # noqa: S1'] * 20_000
    known = PragmaLines(lines)
    began = time.process_time()
    for line in range(1, 20_001):
        known.ignore_of(finding("ruff", "F821", path="a.py", line=line, family="ruff"))
    assert time.process_time() - began < 10
