"""Work and replies made to hang, fill or crash the program: each ends in time, with a sentence.

The bounds are those that a user would put up with, several times what an idle machine takes.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Callable

import pytest

from conftest import Shop, mainly
from guildmoot.calls import fanout
from guildmoot.model.call import Call
from guildmoot.reading.reply import read_reply
from guildmoot.text.opposed.claims import claims
from judges import add_judge

ROWS, FILES = 1_000, 50


@pytest.mark.slow
def test_fifty_thousand_findings_are_told_within_seconds(shop: Shop) -> None:
    flags = ["VERDICT: flagged", "", "Reasons:"]
    for number in range(FILES):
        shop.write(f"app{number}.py", "".join(f"value = call_{n}({n})\n" for n in range(ROWS)))
        flags += [
            f"- BLOCKING: bad-call: app{number}.py:{n + 1} `value = call_{n}({n})`: call {n} is wrong"
            for n in range(ROWS)
        ]
    add_judge(shop, "many", "\n".join(flags))
    shop.commit()

    began = sum(os.times()[2:4])
    argv = shop.argv("validate", ".", "--agents", "many")
    done = subprocess.run(argv, cwd=shop.root, env=shop.env, capture_output=True, text=True)
    took = sum(os.times()[2:4]) - began

    assert done.returncode == 2
    assert "49,800 more like these; --report out.html or --json" in " ".join(done.stdout.split())
    assert done.stdout.count("✗ app") == 200
    assert took < 40, f"{took:.1f} s of processor time"  # 12 where nothing else runs


@pytest.mark.parametrize(
    "verb", mainly(("validate", "."), ("vibe", "recent"), ("council", "validate", "."))
)
def test_a_tree_a_thousand_folders_deep_is_left_out_by_name(shop: Shop, verb: tuple[str]) -> None:
    shop.write("app.py", "print(1)\n")
    folder = os.open(shop.root, os.O_RDONLY)
    for _ in range(1_000):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open("deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    shop.commit()

    done = shop.guild(*verb, "--json")
    subprocess.run(["rm", "-rf", "d"], cwd=shop.root, check=True)  # Python itself cannot

    assert "too-deep" in done.out + done.err
    assert "internal error" not in done.err


def plant_tree(shop: Shop, depth: int) -> None:
    """A branch ``change`` with ten files to the power of ``depth``, of a few small objects."""
    blob = put(shop, "x", "hash-object", "-w", "--stdin")
    tree = put(shop, "".join(f"100644 blob {blob}\tf{n}\n" for n in range(10)), "mktree")
    for _ in range(depth - 1):
        tree = put(shop, "".join(f"040000 tree {tree}\td{n}\n" for n in range(10)), "mktree")
    shop.git("branch", "change", put(shop, "", "commit-tree", tree, "-p", "HEAD", "-m", "x"))


def put(shop: Shop, text: str, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    done = subprocess.run(
        ("git", *who, *words), cwd=shop.root, input=text, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow  # a hundred thousand files
def test_more_files_than_anybody_judges_are_undecided(shop: Shop) -> None:
    shop.write("app.py", "print(1)\n")
    shop.commit()
    plant_tree(shop, 5)

    done = shop.guild("validate", "--diff", "HEAD..change")

    assert done.code == 3, done.err
    assert "100,001 files changed" in done.out + done.err


@pytest.mark.slow
def test_tree_without_end_is_undecided_before_the_memory_is_full(shop: Shop) -> None:
    shop.write("app.py", "print(1)\n")
    shop.commit()
    plant_tree(shop, 10)

    done = shop.guild("validate", "--diff", "HEAD..change")

    assert done.code in (3, 4), done.err
    assert "without end" in done.out + done.err


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
@pytest.mark.parametrize("verb", [("validate", "--diff"), ("validate", "."), ("vibe",)])
def test_pipe_in_place_of_rules_is_told_at_once(shop: Shop, name: str, verb: tuple[str]) -> None:
    shop.write("app.py", "print(1)\n")
    shop.commit()
    os.mkfifo(shop.root / name)

    done = shop.guild(*verb)

    assert done.code == 64, done.out + done.err
    assert "is a pipe" in done.err


@pytest.mark.parametrize("unit", ["and ", "use a and ", "remove x, ", "`a` or ", "not ", "_", "a"])
def test_remedies_are_read_in_time(unit: str) -> None:
    began = time.process_time()

    claims(unit * (80_000 // len(unit)))

    assert time.process_time() - began < 1


def test_a_reply_without_end_is_no_whole_reply(make_call: Callable[..., Call]) -> None:
    endless = make_call("command", command=("python3", "-c", "print('VERDICT: approved' + ' ' * 17_000_000)"))  # fmt: skip

    reply = asyncio.run(fanout.make_call(endless))

    assert len(reply.text) == fanout.MOST_CHARACTERS
    assert reply.ending == "cut off: it has 17,000,018 characters in 1 lines"
    assert read_reply(reply, endless).outcome == "absent"


def test_a_reply_of_a_million_lines_is_cut_too(make_call: Callable[..., Call]) -> None:
    endless = make_call("command", command=("python3", "-c", "print('- a\\n' * 1_000_000)"))

    reply = asyncio.run(fanout.make_call(endless))

    assert reply.text.count("\n") == fanout.MOST_LINES - 1
    assert "1,000,001 lines" in reply.ending
