"""A secret that a lane adds is merged into nothing, and one in an earlier commit is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.lifecycle.executions import execute, git, project, script, starts, states

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.proof.commits import trailers
from guildmoot.lifecycle.proof.leaks import leaked_by_lane, leaks

TOKEN = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
ROW = f'TOKEN = "{TOKEN}"\n'
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join("MIIEow" + c * 58 for c in "abQ")
KEY += "\n-----END RSA PRIVATE KEY-----\n"
Files = dict[str, tuple[str | None, str | None]]


def told(files: Files) -> list[str]:
    sides = {
        path: (None if old is None else old.encode(), None if new is None else new.encode())
        for path, (old, new) in files.items()
    }
    found = leaks(sides)
    assert not any(TOKEN in each.said or "MIIEow" in each.said for each in found)
    return [each.path for each in found if each.sure]


@pytest.mark.parametrize(
    ("path", "text"),
    [("app/a.py", ROW), ("app/a.py", f'K = """\n{KEY}"""\n'), ("app/server.key", KEY), (".env", f"A_TOKEN={TOKEN}\n")],
)  # fmt: skip
def test_a_new_secret_is_told_by_its_place_and_never_shown(path: str, text: str) -> None:
    assert path in told({path: (None, text)})


@pytest.mark.parametrize(
    "files",
    [
        {"tests/test_a.py": (None, ROW)},
        {"docs/use.md": (None, ROW)},
        {"app/a.py": (None, 'KEY = "AKIAIOSFODNN7EXAMPLE"\n')},
        {"app/a.py": (None, 'TOKEN = os.environ["TOKEN"]\n')},
        {"app/a.py": (ROW, f"import os\n{ROW}")},
        {"app/a.py": (ROW, ROW.replace("TOKEN", "OTHER"))},
        {"app/a.py": (ROW, None), "app/b.py": (None, ROW)},
        {"app/a.py": (ROW, "")},
        {".env": (None, "DEBUG=1\n")},
    ],
)
def test_examples_and_what_stood_before_are_no_new_secrets(files: Files) -> None:
    assert told(files) == []


def test_a_secret_of_an_earlier_commit_of_a_lane_is_told_with_the_commit(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    base = git(root, "rev-parse", "HEAD")
    made = []
    for text in (ROW, "TOKEN = 1\n"):
        (root / "app" / "a.py").write_text(text)
        git(root, "add", "-A", "app")
        git(root, "commit", "-q", "-m", f"work\n\n{trailers('run-1', 'T1-copywriter')}")
        made.append(git(root, "rev-parse", "HEAD"))
    change = (base, made[-1])
    (said,) = leaked_by_lane(root, change, "run-1", "T1-copywriter", ())
    assert f"its commit {made[0][:12]} adds app/a.py:1: a secret (github-token)" in said
    assert "--squash" in said
    assert TOKEN not in said
    assert leaked_by_lane(root, change, "run-1", "T1-copywriter", ("app/a.py",)) == ()
    assert leaked_by_lane(root, change, "run-1", "T2-seo", ()) == ()


@pytest.mark.parametrize("path", ["docs/use.md", "tests/test_a.py"])
def test_what_may_be_an_example_was_none_where_a_later_commit_took_it_out(
    path: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    base = git(root, "rev-parse", "HEAD")
    (root / path).parent.mkdir(exist_ok=True)
    for number, text in enumerate((ROW, f"{ROW}more = 1\n", "TOKEN = 1\n")):
        (root / path).write_text(text)
        git(root, "add", "-A", path)
        git(root, "commit", "-q", "-m", f"work\n\n{trailers('run-1', 'T1-copywriter')}")
        change = (base, git(root, "rev-parse", "HEAD"))
        found = leaked_by_lane(root, change, "run-1", "T1-copywriter", ())
        assert bool(found) == (number == 2)


def test_an_address_with_a_password_is_a_secret_though_it_only_looks_like_one() -> None:
    row = 'DSN = "postgresql://app:xWUREVXXPHzGIz3q" + "@db.internal.net/app"\n'.replace(
        '" + "', ""
    )
    assert told({"app/db.py": (None, row)}) == ["app/db.py"]


@pytest.mark.slow
def test_a_secret_is_sent_back_before_it_is_history_and_a_person_may_know_better(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ()})
    leak = {"files": {"app/a.py": ROW}}
    mended = {"files": {"app/a.py": "TOKEN = 1\n"}}
    report = execute(root, script(root, T1=[leak, mended], T2=[{"files": {"app/b.py": ROW}}] * 2))
    assert states(report) == {"T1-copywriter": "done", "T2-seo": "failed"}
    assert sorted(starts(root)) == ["T1-copywriter/1", "T1-copywriter/2", "T2-seo/1", "T2-seo/2"]
    assert "app/b.py:1: a secret (github-token)" in report.lanes[1].reason
    asyncio.run(
        ask_of_run(
            "", ControlRequest("allow", "T2-seo", why="a sample", places=("app/b.py",)), root
        )
    )
    report = execute(root)
    assert states(report)["T2-seo"] == "done"
    assert "app/a.py" not in git(root, "log", "-S", TOKEN, "--name-only", report.branch)


@pytest.mark.slow
def test_what_a_worker_wrote_beside_its_receipt_is_kept_without_secrets(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    beat = f'echo "{{\\"step\\": \\"{TOKEN}\\"}}" > "$GUILD_HEARTBEAT"'
    act = {"assumes": f"- {TOKEN} works", "sh": beat}
    assert execute(root, script(root, T1=act)).status == "done"
    files = [each for each in (root / ".guild" / "runs").rglob("*") if each.is_file()]
    assert [each for each in files if "inbox-" in str(each) and each.suffix in (".md", ".json")]
    assert [each for each in files if TOKEN.encode() in each.read_bytes()] == []
