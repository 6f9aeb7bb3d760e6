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

from conftest import Shop
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
    assert took < 20, f"{took:.1f} s of processor time"


@pytest.mark.parametrize("verb", [("validate", "."), ("vibe",), ("council", "validate", ".")])
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
