"""Files that a program or an enemy wrote are read in bounded time, and crash nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from conftest import mainly
from guildmoot.agents.tools.languages import judge

N = 4_000
HOSTILE = {
    "or.js": "f(" + " || ".join(f"c == {n}" for n in range(N)) + ")",
    "and.go": "package a\n\nfunc f(c int) bool { return " + " && ".join(f"c != {n}" for n in range(N)) + " }\n",
    "names.ts": "const A = 1\n" + "\n".join(f"g(h >= A && h < B{n})" for n in range(N)),
    "plus.js": "db.query(" + " + ".join(f"'a' + b{n}" for n in range(N)) + ")",
    "else.js": "if (a) {}" + "".join(f" else if (b{n}) {{}}" for n in range(N)),
    "calls.c": "void f(char *p) {\n" + "memset(p, 0, 3);\n" * 300 + "int x;\n" * 300 + "}\n",
    "err.go": "package a\n\nfunc f() {\n" + "a, err := g()\n" * N + "}\n",
    "lock.go": "package a\n\nfunc f() {\n" + "mu.Lock()\n" * N + "}\n",
    "blocks.tf": "".join(f'variable "a{n}" {{}}\n' for n in range(N)),
    "rows.sql": "INSERT INTO a (b) VALUES " + ", ".join(f"({n})" for n in range(N)) + ";\n" + "(" * N,
    "null.sql": "SELECT a FROM b WHERE " + " OR ".join(["c = NULL"] * N) + ";\n",
    "alter.sql": "ALTER TABLE a " + ", ".join(["ADD COLUMN b int"] * N) + ";\n",
    "update.sql": "UPDATE a SET " + ", ".join(["b = NULL"] * N),
    "text.js": "db.query(`" + "select a from b where c = d " * N + "${x}`)",
    "Dockerfile": "FROM a:1\n" + "RUN apt-get install \\\n" * N + "  b\n",
    ".github/workflows/a.yml": "on: push\njobs:\n  a:\n    steps:\n" + "      - run: echo ${{ steps.b.outputs.c }}\n" * N,
    "deep.rb": "x if " + "(" * 900 + "a == 1" + ")" * 900 + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", mainly(*HOSTILE))
def test_a_large_file_is_judged_within_the_time_of_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(HOSTILE[name])
    began = time.process_time()
    judge(name)
    assert time.process_time() - began < 4  # the judge gives a file five seconds
