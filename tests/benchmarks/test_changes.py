"""The changes that the panel is measured by are what they say, and a slice of them is judged here."""

import ast
import re
import sys
from pathlib import Path
from random import Random

import pytest

from conftest import mainly

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.changes import Judged, as_rows, as_text, found_by, ruff_findings  # noqa: E402
from benchmarks.mutations import BREAKING, HARMLESS, Mutation, mutators_of  # noqa: E402
from benchmarks.mutations.packages import CHOICE, HELD, SourcePackage, mutations_of  # noqa: E402

from guildmoot.text.languages import language_of  # noqa: E402

SAMPLES = ROOT / "benchmarks" / "mutations" / "samples"
TEXTS = {each.name: each.read_text() for each in sorted(SAMPLES.iterdir()) if each.is_file()}
UNDEFINED = ("import removed", "name changed in one place")


def mutated(path, kind, seed=1):
    mutator = mutators_of(language_of(path).name)[kind]
    return mutator(TEXTS[path], Random(seed))


@pytest.mark.parametrize("kind", [kind for kind in (*BREAKING, *HARMLESS) if "bump" not in kind])
def test_every_kind_changes_a_file_of_python_and_the_same_seed_gives_the_same(kind):
    after = mutated("shop.py", kind)
    assert after
    assert after != TEXTS["shop.py"]
    assert after == mutated("shop.py", kind)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_called_unparsable_is_and_all_else_still_parses(seed):
    with pytest.raises(SyntaxError):
        ast.parse(mutated("shop.py", "syntax broken", seed))
    for kind in mutators_of("Python"):
        if kind != "syntax broken":
            ast.parse(mutated("shop.py", kind, seed) or "")


@pytest.mark.parametrize("kind", UNDEFINED)
def test_what_is_called_undefined_is_so_for_ruff_too(kind):
    before = TEXTS["shop.py"]
    made = [
        Mutation("samples", "shop.py", "Python", kind, before, mutated("shop.py", kind, seed))
        for seed in range(20)
    ]
    assert all(found_by(made, ruff_findings))


def test_the_lists_for_choosing_and_for_measuring_share_no_package():
    def names(packages):
        return {each.replace("@", "==").split("==")[0] for each in packages}

    assert not names(CHOICE) & names(HELD)


def test_a_package_gives_as_many_changes_as_are_wanted():
    wanted = {("Python", "comment"): 1, ("JSON", "syntax broken"): 1, ("Go", "syntax broken"): 0}
    made = list(mutations_of(SourcePackage("samples", SAMPLES), wanted, Random(1)))
    assert {(each.language, each.kind) for each in made} == {
        ("Python", "comment"),
        ("JSON", "syntax broken"),
    }
    assert set(wanted.values()) == {0}


def test_the_figures_are_told_with_their_goals():
    broken = Mutation("p", "a.json", "JSON", "syntax broken", "{}", "{")
    sound = Mutation("p", "a.py", "Python", "comment", "x = 1\n", "# x\nx = 1\n")
    done = [Judged(broken, 2, ("does-not-parse",), 0, 0.5), Judged(sound, 3, (), 0, 0.7)]
    told = "\n".join(as_text("named", ["p"], done, missed=True))
    assert "unparsable or undefined, blocked: 1 of 1 = 100.0% (goal 97%)" in told
    assert "harmless, held up: 1 of 1 = 100.0% (goal 3% at most)" in told
    assert "- comment (Python) p a.py: exit 3" in told
    assert [row["exit_code"] for row in as_rows(done)] == [2, 3]


def judged(shop, changes):
    """The default verdict on one change of many files."""
    for path, text in TEXTS.items():
        shop.write(path, text)
    shop.commit()
    shop.git("checkout", "-q", "-b", "change")
    for path, text in changes.items():
        shop.write(path, text)
    shop.commit("a change")
    return shop.guild("validate", "--json", "--no-record")


@pytest.mark.parametrize("seed", mainly(0, 1, 2))
def test_no_file_that_stops_parsing_passes_the_default_panel(shop, seed):
    changes = {path: mutated(path, "syntax broken", seed) for path in TEXTS}
    ran = judged(shop, {path: text for path, text in changes.items() if text})
    assert ran.code == 2
    blocked = {each["path"] for each in ran.json["blocking_findings"]}
    assert blocked == {path for path, text in changes.items() if text}
    assert len(blocked) >= 14


@pytest.mark.parametrize("kind", UNDEFINED)
@pytest.mark.parametrize("path", ["shop.py", "cart.js"])
@pytest.mark.sample(3)
def test_a_name_that_is_no_longer_defined_is_flagged(shop, path, kind):
    ran = judged(shop, {path: mutated(path, kind)})
    assert ran.code == 2
    assert {each["path"] for each in ran.json["blocking_findings"]} == {path}


@pytest.mark.parametrize("kind", [kind for kind in HARMLESS if "bump" not in kind])
def test_harmless_changes_pass(shop, kind):
    able = [path for path in TEXTS if kind in mutators_of(language_of(path).name)]
    changes = {path: text for path in able if (text := mutated(path, kind))}
    ran = judged(shop, changes)
    assert ran.code == 0, ran.out


NAMED = {
    "Go": 'package a\n\nimport (\n\t"fmt"\n)\n\nfunc f() {\n\ttotal := 1\n\tfmt.Println(total)\n}\n',
    "Java": "import b.Foo;\n\nclass A {\n  int f() {\n    int total = 1;\n    return Foo.g(total);\n  }\n}\n",
    "Rust": "use b::Foo;\n\nfn f() -> u8 {\n    let total = 1;\n    Foo::g(total)\n}\n",
    "Kotlin": "import b.Foo\n\nfun f(): Int {\n    val total = 1\n    return Foo.g(total)\n}\n",
    "PHP": "<?php\nuse B\\Foo;\nfunction f() {\n    $total = 1;\n    return new Foo($total);\n}\n",
}


@pytest.mark.parametrize("language", NAMED)
def test_names_are_lost_in_other_languages_too(language):
    text = NAMED[language]
    removed = mutators_of(language)["import removed"](text, Random(1))
    assert removed
    assert len(removed.splitlines()) == len(text.splitlines()) - 1
    changed = mutators_of(language)["name changed in one place"](text, Random(1))
    assert changed
    assert len(re.findall(r"\btotal\b", changed)) == len(re.findall(r"\btotal\b", text)) - 1


def test_files_are_broken_whose_brackets_pair_up():
    text = TEXTS["Till.java"]
    made = {mutators_of("Java")["syntax broken"](text, Random(seed)) for seed in range(30)}
    signs = {tuple(each.count(sign) for sign in "()[]{}") for each in made if each}
    assert any(a == b and c == d and e == f for a, b, c, d, e, f in signs)
