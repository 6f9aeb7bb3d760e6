"""Links, pipes and files in the place of our own: nothing is read or written through what a repository brought.

A row of ``WRITES`` is where the link lies, where it leads (``OUT`` is a folder of the user's) and what is run; the
run must refuse it before anything is written, here or there. A row of ``PLANS`` is a place where plans are looked
for, and the link that lies there; the words of the user's file must not reach a judge.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import Shop
from judges import add_council_judge, add_judge, verdict

pytestmark = pytest.mark.slow  # a process or more for each row of a long table

OUT = "@outside"
PANEL = ("validate", "app.py", "--agents", "kind")
COUNCIL = ("council", "validate", "app.py", "--agents", "calm")
BOARD = ("whiteboard", "run", "--engineers", "kind", "--brief", "x", "--board")

WRITES = [
    (".guild", OUT, PANEL),
    (".guild", "docs", PANEL),
    (".guild", ".guild", PANEL),
    (".guild", "nowhere", PANEL),
    (".guild", "/nowhere/at/all", PANEL),
    (".guild", OUT, COUNCIL),
    (".guild", OUT, ("runs", "list")),
    (".guild", OUT, ("resume",)),
    (".guild", OUT, ("probe", "add", "p", "app.py", "--expect", "approved")),
    (".guild/runs", OUT, PANEL),
    (".guild/runs", "../docs", PANEL),
    (".guild/runs", OUT, ("runs", "gc")),
    (".guild/ledger.sqlite3", f"{OUT}/new", PANEL),
    (".guild/ledger.sqlite3", f"{OUT}/diary.md", PANEL),
    (".guild/ledger.sqlite3", f"{OUT}/new", COUNCIL),
    (".guild/ledger.sqlite3-wal", f"{OUT}/diary.md", PANEL),
    (".guild/ledger.sqlite3-shm", f"{OUT}/new", PANEL),
    (".guild/ledger.sqlite3-journal", f"{OUT}/diary.md", PANEL),
    (".guild/ledger.sqlite3.lock", f"{OUT}/new", PANEL),
    (".guild/calibration.jsonl", f"{OUT}/diary.md", PANEL),
    (".guild/probes", OUT, ("probe", "add", "p", "app.py", "--expect", "approved")),
    (".agents", OUT, COUNCIL),
    (".agents/council", OUT, COUNCIL),
    (".agents/council/extraction-candidates.jsonl", f"{OUT}/diary.md", COUNCIL),
    (".agents/council/predictions.jsonl", f"{OUT}/new", COUNCIL),
    ("docs/council-log", OUT, (*COUNCIL, "--commit-ready")),
    ("board.md", f"{OUT}/diary.md", (*BOARD, "board.md")),
    ("board.md", f"{OUT}/new", ("whiteboard", "init", "board.md", "--topic", "x")),
    ("boards", OUT, (*BOARD, "boards/b.md")),
    ("out", OUT, (*PANEL, "--report", "out/r.html")),
    ("r.html", f"{OUT}/diary.md", (*PANEL, "--report", "r.html")),
    ("projects", OUT, ("findings", "append", "--slug", "s", "--evaluator", "e", "--code", "c", "--evidence", "x")),
]  # fmt: skip
DIARY = "dear diary, nobody may read this"
PLANS = [
    ("PLAN.md", f"{OUT}/diary.md"),
    ("spec.md", f"{OUT}/diary.md"),
    ("plans/one.md", f"../{OUT}/diary.md"),
    ("plans", OUT),
    (".agents/plans/one.md", f"{OUT}/diary.md"),
    (".agents/plans", OUT),
    (".agents", OUT),
    (".guild/plan/one.md", f"{OUT}/diary.md"),
    (".guild/plan", OUT),
    ("docs/design-x.md", f"{OUT}/diary.md"),
    ("PLAN.md", "linked/diary.md"),
]


@pytest.fixture
def trap(shop: Shop) -> Path:
    """A shop with a judge, and a folder of the user's beside it that must stay as it is."""
    outside = shop.root.parent / "outside"
    for folder in (outside, outside / "plans", outside / "s"):
        folder.mkdir()
    for file in ("diary.md", "plans/plan.md"):
        (outside / file).write_text(DIARY)
    shop.write("app.py", "x = 1\n")
    shop.write("docs/readme.md", "# Read me\n")
    add_judge(shop, "kind", "VERDICT: approved")
    add_council_judge(shop, "calm", verdict("PASS"))
    shop.commit()
    return outside


def link(shop: Shop, name: str, to: str, outside: Path) -> None:
    place = shop.root / name
    place.parent.mkdir(parents=True, exist_ok=True)
    to = f"{outside}{to.partition(OUT)[2]}" if OUT in to else to
    place.symlink_to(to)
    shop.git("add", "-fA")
    shop.git("commit", "-qm", "a link")


def tree(folder: Path) -> dict[str, bytes]:
    """Every file and folder below, with what the files hold."""
    return {
        str(path): path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        for path in sorted(folder.rglob("*"))
        if ".git" not in path.parts
    }


@pytest.mark.parametrize(("name", "to", "argv"), WRITES)
def test_nothing_is_written_through_a_link_of_the_repository(shop, trap, name, to, argv):
    link(shop, name, to, trap)
    before = tree(shop.root), tree(trap)
    ran = shop.guild(*argv)
    assert "is a link" in ran.err, ran
    assert ran.code in (1, 64), ran
    assert (tree(shop.root), tree(trap)) == before


@pytest.mark.parametrize(("name", "to"), PLANS)
@pytest.mark.parametrize("verb", ["vibe", "post-mortem"])
def test_no_plan_is_read_through_a_link_of_the_repository(shop, trap, verb, name, to):
    heard = shop.home / "heard"
    shop.agent("ear.md", "---\nname: ear\ndescription: d\nbackend: command\nreply: council\n"
               f"command: [sh, -c, \"cat >> '{heard}'\"]\n---\nJudge.\n")  # fmt: skip
    (shop.root.parent / "linked").symlink_to(trap)
    link(shop, name, f"{trap}/diary.md" if "linked" in to else to, trap)
    shop.write("app.py", "x = 2\n")
    ran = shop.guild(verb, "--agents", "ear")
    assert DIARY not in ran.out + ran.err
    assert not heard.exists() or DIARY not in heard.read_text()


@pytest.mark.parametrize("name", [".guild", ".guild/runs", ".guild/ledger.sqlite3"])
@pytest.mark.parametrize("kind", ["pipe", "file", "folder"])
def test_what_stands_in_the_place_of_our_records_is_refused_and_never_waited_for(
    shop, trap, name, kind
):
    place = shop.root / name
    place.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "file":
        place.write_text("not ours")
    else:
        place.mkdir()
    ran = shop.guild(*PANEL)
    fine = (kind == "folder") != name.endswith("sqlite3")
    assert ran.code == 0 if fine and kind == "folder" else ran.code in (4, 64), ran
    assert "Traceback" not in ran.err


def test_a_spec_that_the_user_names_may_be_a_link(shop, trap):
    (shop.root / "mine.md").symlink_to(trap / "diary.md")
    assert shop.guild(*PANEL, "--spec", "mine.md").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("validate", "app.py", "--agents", "kind", "--spec", "docs/SPEC.md"),
        ("validate", "app.py", "--agents", "kind", "--decisions", "docs/SPEC.md"),
        ("validate", "app.py", "--agents", "kind", "--evidence", "@docs/SPEC.md"),
        ("validate", "app.py", "--agents", "kind", "--spec", "linked/diary.md"),
        ("whiteboard", "run", "--engineers", "kind", "--brief", "docs/SPEC.md"),
    ],
)
def test_a_named_file_is_not_read_through_a_link_that_the_repository_brought(shop, trap, words):
    (shop.root / "docs").mkdir(exist_ok=True)
    (shop.root / "docs/SPEC.md").symlink_to(trap / "diary.md")
    (shop.root / "linked").symlink_to(trap)
    shop.git("add", "docs/SPEC.md", "linked")
    ran = shop.guild(*words)
    assert ran.code in (1, 64)
    assert "link" in ran.err + ran.out, ran


def test_a_repository_behind_the_users_own_link_works(shop, trap):
    (shop.root.parent / "work").symlink_to(shop.root)
    shop.root = shop.root.parent / "work"
    assert shop.guild(*PANEL, "--report", "r.html").code == 0
    assert (shop.root / "r.html").is_file()
