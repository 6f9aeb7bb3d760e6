"""``guild learn``: what imports what in a dozen languages, tests and history, and only what changed is read again."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import commands
from guildmoot.memory.codebase import graph
from guildmoot.memory.codebase.codebase import map_codebase, plain
from guildmoot.memory.codebase.facts import facts_of
from guildmoot.memory.codebase.graph import dependents, is_test, reach
from guildmoot.memory.codebase.history import parse_log

IMPORTS = [
    ("src/app/pages.py", "from app.store import load\n", "src/app/store.py"),
    ("src/app/pages.py", "from .store import load\n", "src/app/store.py"),
    ("src/app/pages.py", "from . import store\n", "src/app/store.py"),
    ("src/app/deep/x.py", "from ..store import load\n", "src/app/store.py"),
    ("src/app/pages.py", "import app.store as s, os\n", "src/app/store.py"),
    ("src/app/pages.py", "from app import (store, other)\n", "src/app/store.py"),
    ("web/page.ts", "import { a } from './store'\n", "web/store.ts"),
    ("web/page.js", "const a = require('./lib')\n", "web/lib/index.js"),
    ("web/page.ts", "const a = await import('./store.js')\n", "web/store.ts"),
    ("web/page.ts", "export * from '../web/store'\n", "web/store.ts"),
    (
        "cmd/main.go",
        'package main\nimport (\n\t"fmt"\n\ts "shop.io/x/store"\n)\n',
        "store/store.go",
    ),
    ("cmd/main.go", 'package main\nimport "shop.io/x/store"\n', "store/store.go"),
    ("j/src/a/Page.java", "import a.b.Store;\n", "j/src/a/b/Store.java"),
    ("j/src/a/Page.java", "import static a.b.Store.load;\n", "j/src/a/b/Store.java"),
    ("r/src/main.rs", "mod store;\n", "r/src/store.rs"),
    ("r/src/page.rs", "use crate::store::load;\n", "r/src/store.rs"),
    ("rb/lib/shop/page.rb", "require_relative 'store'\n", "rb/lib/shop/store.rb"),
    ("rb/lib/shop/page.rb", "require 'shop/store'\n", "rb/lib/shop/store.rb"),
    ("c/page.c", '#include "store.h"\n', "c/store.h"),
    ("c/page.c", '#include "inc/util.h"\n', "c/inc/util.h"),
    ("p/src/Page.php", "<?php\nuse Shop\\Data\\Store;\n", "p/src/Data/Store.php"),
]
TARGETS = sorted({target for *_, target in IMPORTS})


def git(root: Path, *words: str) -> None:
    command = ["git", "-c", "user.name=Ann", "-c", "user.email=a@b", *words]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def put(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    put(tmp_path, "go.mod", "module shop.io/x\n")
    for target in TARGETS:
        put(tmp_path, target, "x\n")
    return tmp_path


@pytest.mark.parametrize(("path", "text", "target"), IMPORTS)
def test_an_import_is_the_file_it_means(project, path, text, target):
    put(project, path, text)
    assert map_codebase(project, keep=False).files[path].imports == (target,)


def test_a_name_that_could_mean_two_files_means_none(project):
    put(project, "a/util.py")
    put(project, "b/util.py")
    put(project, "main.py", "import util\n")
    assert map_codebase(project, keep=False).files["main.py"].imports == ()


def test_tests_are_found_by_name_and_by_what_they_import(project):
    put(project, "tests/test_store.py", "import os\n")
    put(project, "tests/test_all.py", "from app.store import load\n")
    put(project, "web/store.test.ts", "import { a } from './store'\n")
    files = map_codebase(project, keep=False).files
    assert files["src/app/store.py"].tests == ("tests/test_all.py",)
    assert files["web/store.ts"].tests == ("web/store.test.ts",)


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/a.py", True),
        ("src/test_a.py", True),
        ("a/b.spec.ts", True),
        ("x_test.go", True),
        ("src/ShopTest.java", True),
        ("src/latest.py", False),
        ("src/contest/a.py", False),
        ("attestation.go", False),
    ],
)
def test_tests_are_known_by_their_place_or_name(path, test):
    assert is_test(path) == test


def test_history_owners_and_risk_come_from_git(project):
    branchy = "def f(a):\n" + "    if a: pass\n" * 20
    put(project, "src/app/hot.py", branchy)
    put(project, "src/app/calm.py", "A = 1\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    for n in range(4):
        put(project, "src/app/hot.py", branchy + f"B = {n}\n")
        git(project, "commit", "-qam", str(n))
    made = map_codebase(project, keep=False)
    hot = made.files["src/app/hot.py"]
    assert (hot.history.commits, hot.history.owners) == (5, (("Ann", 5),))
    assert made.riskiest()[0] == hot
    put(project, "tests/test_hot.py", "from app.hot import f\n")
    assert map_codebase(project, keep=False).files["src/app/hot.py"].risk == pytest.approx(
        hot.risk / 2, abs=0.1
    )
    assert made.files["src/app/calm.py"].risk < hot.risk
    map_codebase(project)
    put(project, "src/app/hot.py", branchy)
    git(project, "commit", "-qam", "more")
    kept, anew = map_codebase(project), map_codebase(project, keep=False)
    (project / ".guild/indexes/codebase-facts.json").unlink()
    assert plain(kept) == plain(anew) == plain(map_codebase(project))
    assert kept.files["src/app/hot.py"].history.commits == 6


def test_only_what_changed_is_read_again_and_the_map_is_the_same_without_its_cache(project):
    put(project, "src/app/pages.py", "from app.store import load\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    first = map_codebase(project)
    again = map_codebase(project)
    assert (first.read, again.read) == (len(first.files), 0)
    put(project, "src/app/pages.py", "import os\n")
    changed = map_codebase(project)
    assert (changed.read, changed.files["src/app/pages.py"].imports) == (1, ())
    (project / ".guild/indexes/codebase-facts.json").write_text("{broken")
    assert plain(map_codebase(project)) == plain(changed)


def test_links_and_binaries_are_not_followed_nor_read(project, tmp_path):
    secret = tmp_path.parent / "outside.py"
    secret.write_text("import app.store\n")
    (project / "src/app/link.py").symlink_to(secret)
    (project / "src/app/data.py").write_bytes(b"\0" * 100)
    files = map_codebase(project, keep=False).files
    assert "src/app/link.py" not in files
    assert files["src/app/data.py"].facts.lines == 0


def test_a_log_is_read_piece_by_piece():
    pieces = [
        "\x01100\x02Ann\n",
        "\n1\t2\ta.py",
        "-\t-\tpic.png",
        "\x0190\x02Bob\n",
        "\n3\t0\ta.py",
    ]
    found = parse_log(pieces)
    assert found["a.py"][:3] == (2, 2, 6)
    assert found["a.py"].owners == (("Ann", 1), ("Bob", 1))
    assert found["pic.png"].changed == 0


names = st.sampled_from("abcdef")


@given(st.dictionaries(names, st.sets(names)), st.sets(names))
def test_what_a_change_reaches_is_closed_and_leaves_the_change_out(imports, start):
    by = dependents(imports)
    found = reach(start, by)
    assert not found & start
    assert all(
        each in found or each in start for name in found | start for each in by.get(name, ())
    )


@given(st.sampled_from(["a.py", "a.ts", "a.go", "a.rs", "a.php", "a.c"]), st.text(max_size=400))
def test_any_text_can_be_read(path, text):
    facts_of(path, text)


@pytest.mark.parametrize(
    "piece", ["import ", "from a import (", 'require("', "use crate::", "a?b:c ", "x" * 5000 + "\n"]
)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.rs"])
def test_hostile_texts_are_read_in_a_moment(path, piece):
    began = time.process_time()
    facts_of(path, piece * (400_000 // len(piece)))
    assert time.process_time() - began < 2


def guild(root: Path, *words: str) -> tuple[int, str, str]:
    done = commands.run(["-m", "guildmoot", "learn", *words], cwd=root)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.slow
def test_the_command_tells_the_map_a_file_and_a_change(project):
    put(project, "src/app/pages.py", "from app.store import load\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    code, shown, _ = guild(project)
    assert (code, "Python" in shown) == (0, True)
    assert (project / ".guild/indexes/onboarding-tour.md").read_text().startswith("# A first walk")
    told = json.loads(guild(project, "explain", "src/app/store.py", "--json")[1])
    assert told["dependents"] == ["src/app/pages.py"]
    put(project, "src/app/store.py", "y\n")
    reached = json.loads(guild(project, "diff", "--json")[1])
    assert (reached["changed"], reached["reached"]) == (["src/app/store.py"], ["src/app/pages.py"])
    code, _, told = guild(project, "explain", "src/app/stor.py")
    assert (code, "Did you mean" in told) == (64, True)


@pytest.mark.slow
def test_what_the_map_calls_risky_is_shown_first_where_not_all_fits(shop):
    branching = "".join(f"    if n == {n}:\n        n += 1\n" for n in range(30))
    shop.write("a.py", "A = 1\n" * 60)
    shop.write("z.py", f"def z(n):\n{branching}    return n\n")
    shop.commit()
    for number in range(3):
        shop.write("z.py", f"def z(n):\n{branching}    return n + {number}\n")
        shop.commit()
    shop.settings("[packet]\nmax_bytes = 1200\n")
    assert left_out(shop) == ["z.py"]
    assert shop.guild("learn").code == 0
    assert left_out(shop) == ["a.py"]


def left_out(shop) -> list[str]:
    shop.guild("validate", ".", "--agents", "secrets", "--json")
    omitted = shop.guild("runs", "show", "last", "--part", "packet").json["omitted"]
    return [row["path"] for row in omitted if row["reason"] == "over-budget"]


def test_a_test_belongs_to_the_file_of_its_name_whose_folders_are_most_alike():
    files = ["core/app/models/shop/order.rb", "api/app/models/shop/order.rb", "web/src/order.ts"]
    tests = ["core/spec/models/shop/order_spec.rb", "else/spec/order_spec.rb"]
    assert graph.tests_by_file({}, [*files, *tests]) == {files[0]: {tests[0]}}
