"""Scopes and policies name places as people write them, and what cannot be read is refused before it is approved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, approve_plan, execute, git, project, script

from guildmoot.lifecycle.approval import InvalidDocumentError
from guildmoot.lifecycle.documents import TextLine, read_markdown
from guildmoot.lifecycle.execution.person import with_places
from guildmoot.lifecycle.named_places import is_inside, places_of, tree_of, unread_policy
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane, Plan, read_plan
from guildmoot.lifecycle.policy import widening_lines
from guildmoot.lifecycle.proof.claims import forbidden_files, out_of_scope
from lifecycle.samples import PLAN

TREE = tree_of((
    "Rakefile", "Gemfile", "license", "index.js", "table.gemspec", "lib/terminal-table/a.rb", "lib/x.ts", "docs/a.md",
    ".github/workflows/ci.yml", "tests/a.py",
))  # fmt: skip
FILES = (
    *("Rakefile", "license", "index.js", "table.gemspec", "lib/terminal-table/a.rb", "lib/x.ts"),
    *("docs/a.md", ".github/ci.yml", "src/new.ts", "package.json"),
)


def lane(may: str, forbidden: str, scope: str = "A cache.") -> Lane:
    made = read_plan(read_markdown(PLAN)).lanes[0]
    lines = (f"may act without asking: {may}", f"forbidden: {forbidden}")
    policy = tuple(TextLine(1, text) for text in lines)
    return made._replace(scope=scope, policy=policy, tree=TREE)


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("`Rakefile`", {"Rakefile"}),
        ("Rakefile", {"Rakefile"}),
        ("the license and Gemfile", {"license"}),
        ("`lib/terminal-table`", {"lib/terminal-table/a.rb"}),
        ("lib/terminal-table", {"lib/terminal-table/a.rb"}),
        ("anything below lib", {"lib/terminal-table/a.rb", "lib/x.ts"}),
        ("`lib`, docs", {"lib/terminal-table/a.rb", "lib/x.ts", "docs/a.md"}),
        ("*.gemspec", {"table.gemspec"}),
        ("any *.ts file", {"lib/x.ts", "src/new.ts"}),
        ("`**/*.ts`", {"lib/x.ts", "src/new.ts"}),
        (".github", {".github/ci.yml"}),
        (".github/**", {".github/ci.yml"}),
        ("`src/new`", set()),
        ("`src`", {"src/new.ts"}),
        ("package.json.", {"package.json"}),
        ("the network and/or e.g. Node.js services", set()),
        ("LICENSE", set()),
    ],
)
def test_what_a_policy_forbids_is_read_with_the_tree_of_the_repository(said, held):
    assert {path for path, _ in forbidden_files(lane("none", said), FILES, {})} == held


def test_what_may_be_changed_is_read_the_same_way():
    may = lane("files below lib/ and docs/, and `index.js`", "none")
    assert set(FILES) - set(out_of_scope(may, FILES)) == {
        "lib/terminal-table/a.rb", "lib/x.ts", "docs/a.md", "index.js"
    }  # fmt: skip
    more = with_places(may, ("byhand.js", "NEWS"))
    assert out_of_scope(more, ("byhand.js", "NEWS", "other.js")) == ("other.js",)


def test_a_policy_widens_no_scope_and_that_is_told():
    narrow = lane("files below lib/ and docs/", "none", scope="The pages in docs/.")
    assert out_of_scope(narrow, ("docs/a.md", "lib/x.ts")) == ("lib/x.ts",)
    (told,) = widening_lines(Plan("", "", "", True, (narrow,)))
    assert "may not change lib: its policy names that and its scope does not" in told
    assert out_of_scope(with_places(narrow, ("lib/x.ts",)), ("docs/a.md", "lib/x.ts")) == ()
    alone = narrow._replace(whole=True)
    assert (
        out_of_scope(alone, ("lib/x.ts",)),
        widening_lines(Plan("", "", "", True, (alone,))),
    ) == ((), [])


def test_a_word_of_a_sentence_is_no_place_though_a_folder_is_called_so():
    assert places_of("A cache, its docs and tests, in Node.js", TREE) == ()
    assert places_of("Code in lib, the Rakefile and `docs`", TREE) == ("lib", "Rakefile", "docs")


@pytest.mark.parametrize(
    ("line", "unread"),
    [
        ("forbidden: LICENSE", True),
        ("forbidden: Rakefile, Procfile", True),
        ("forbidden: changing how it is called", True),
        ("forbidden: Rakefile, the license", False),
        ("forbidden: the network in tests", False),
        ("forbidden: whatever cannot be undone", False),
        ("forbidden: none", False),
        ("may act without asking: the slug code", True),
        ("may act without asking: anything in this repository", False),
        ("may act without asking: none", False),
        ("may act without asking: files below lib", False),
        ("requires confirmation: every change", False),
    ],
)
def test_a_line_that_holds_nobody_to_anything_is_told(line, unread):
    assert bool(unread_policy([line], TREE)) == unread


def test_patterns_cover_files_at_any_depth():
    assert is_inside("src/a.ts", "src/**/*.ts")
    assert is_inside("src/a/b.ts", "src/**/*.ts")
    assert not is_inside("src/a.tsx", "*.ts")


def test_such_a_line_is_refused_at_the_gate_with_how_to_write_it(tmp_path: Path):
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    folder = WorkFolder(root.resolve())
    text = folder.plan(SLUG).read_text()
    assert "forbidden: touching auth/" in text
    folder.plan(SLUG).write_text(text.replace("forbidden: touching auth/", "forbidden: Procfile"))
    with pytest.raises(InvalidDocumentError, match="no place could be read from 'Procfile'"):
        approve_plan(folder)


def test_a_lane_is_held_to_a_bare_name_of_its_policy(tmp_path: Path):
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    (root / "Rakefile").write_text("task\n")
    git(root, "add", "Rakefile")
    git(root, "commit", "-q", "-m", "rake")
    folder = WorkFolder(root.resolve())
    text = folder.plan(SLUG).read_text()
    folder.plan(SLUG).write_text(text.replace("forbidden: touching auth/", "forbidden: Rakefile"))
    approve_plan(folder)
    act = {"files": {"Rakefile": "mine\n"}, "modified": ["Rakefile"]}
    (found,) = execute(root, script(root, T1=act)).lanes
    assert (found.status, found.attempts) == ("failed", 2)
    assert "the policy says: forbidden: Rakefile" in found.reason
