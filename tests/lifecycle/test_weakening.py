"""What makes tests weaker is told by name, and what mends or moves them is not."""

from __future__ import annotations

import pytest
from tests.conftest import mainly

from guildmoot.lifecycle.proof.weakening.rule import Weakened, weakened

TESTS = """import unittest
import pytest
from app import add, words


def same(a, b):
    assert a == b
    assert type(a) is type(b)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_add(n):
    assert add(n, 1) == n + 1
    assert add(1, n) == n + 1


def test_helped():
    same(words("a b"), ["a", "b"])


def test_runs():
    words("a")


class TestWords(unittest.TestCase):
    def test_none(self):
        self.assertEqual(words(""), [])
        with self.assertRaises(TypeError):
            words(None)
"""
WEAKER = {
    "a test is deleted": ("def test_runs():\n    words(\"a\")\n", "", "test_runs is gone"),
    "a test is renamed away": ("def test_helped", "def nope_helped", "test_helped is gone"),
    "a class is renamed away": ("class TestWords(unittest.TestCase)", "class Words", "test_none is gone"),
    "an assertion is deleted": ("    assert add(1, n) == n + 1\n", "", "test_add checks less: 2 before, 1 now"),
    "a body is emptied": ('    words("a")\n', "    pass\n", "test_runs is empty"),
    "a body is emptied of checks": ('    same(words("a b"), ["a", "b"])\n', '    words("a b")\n', "test_helped checks less"),
    "a helper checks less": ("    assert type(a) is type(b)\n", "", "test_helped checks less"),
    "a skip": ("def test_runs", "@pytest.mark.skip\ndef test_runs", "test_runs has @pytest.mark.skip now"),
    "a skip with a reason": ("def test_runs", '@unittest.skipIf(True, "x")\ndef test_runs', "@unittest.skipIf"),
    "an xfail": ("def test_runs", "@pytest.mark.xfail(strict=False)\ndef test_runs", "xfail"),
    "a mark that deselects": ("def test_runs", "@pytest.mark.slow\ndef test_runs", "@pytest.mark.slow"),
    "a decorator of its own": ("def test_runs", "@later\ndef test_runs", "@later"),
    "a skip inside": ('    words("a")', '    pytest.skip("no")\n    words("a")', "pytest.skip()"),
    "a raised skip": ('    words("a")', "    raise unittest.SkipTest", "unittest.SkipTest()"),
    "a class that is skipped": ("class TestWords", '@unittest.skip("x")\nclass TestWords', "test_none has @unittest.skip"),
    "a module that is skipped": ("import pytest\n", "import pytest\npytestmark = pytest.mark.skip\n", "pytestmark"),
    "a module that ends": ("import pytest\n", "import pytest\npytest.importorskip('nothing')\n", "importorskip"),
    "it ends the run": ("import pytest\n", "import pytest, os\nos._exit(0)\n", "os._exit()"),
    "an early return": ("def test_add(n):\n", "def test_add(n):\n    return\n", "test_add checks less"),
    "a condition that never holds": (
        "    assert add(n, 1) == n + 1\n", "    if False:\n        assert add(n, 1) == n + 1\n", "checks less"
    ),
    "a condition": (
        "    assert add(n, 1) == n + 1\n", "    if n > 9:\n        assert add(n, 1) == n + 1\n", "under a condition"
    ),
    "a caught failure": (
        "    assert add(n, 1) == n + 1\n",
        "    try:\n        assert add(n, 1) == n + 1\n    except AssertionError:\n        pass\n", "checks less",
    ),
    "a suppressed failure": (
        "    assert add(n, 1) == n + 1\n",
        "    with contextlib.suppress(Exception):\n        assert add(n, 1) == n + 1\n", "checks less",
    ),
    "an assertion of nothing": ("assert add(n, 1) == n + 1", "assert True", "checks less"),
    "an assertion of itself": ("assert add(n, 1) == n + 1", "assert add(n, 1) == add(n, 1)", "checks less"),
    "a tuple is true": ("assert add(n, 1) == n + 1", 'assert (add(n, 1) == n + 1, "x")', "checks less"),
    "or true": ("assert add(n, 1) == n + 1", "assert add(n, 1) == n + 1 or True", "checks less"),
    "unittest of nothing": ('self.assertEqual(words(""), [])', "self.assertTrue(True)", "checks less"),
    "fewer cases": ("[1, 2, 3]", "[1]", "has fewer cases: 3 before, 1 now"),
    "it is taken away behind": ("class TestWords", "test_runs = None\nclass TestWords", "test_runs is gone"),
    "it is deleted behind": ("class TestWords", "del test_runs\nclass TestWords", "test_runs is gone"),
    "it is defined anew": ("class TestWords", "def test_add(n):\n    pass\nclass TestWords", "test_add"),
    "it is not to be run": ("class TestWords", "test_runs.__test__ = False\nclass TestWords", "__test__"),
    "it is loaded otherwise": ("class TestWords", "def load_tests(*a):\n    return None\nclass TestWords", "load_tests"),
    "a coroutine": ("def test_runs", "async def test_runs", "coroutine"),
    "no Python": ("import pytest\n", "import (pytest\n", "cannot be read as Python"),
}  # fmt: skip


def found(sides: dict[str, tuple[str | None, str | None]], *commands: str) -> tuple[Weakened, ...]:
    return weakened(sides, commands, ("tests", "tests/test_app.py"))


@pytest.mark.parametrize("how", mainly(*WEAKER))
def test_python_tests_that_are_made_weaker_are_told(how: str) -> None:
    old, new, said = WEAKER[how]
    assert TESTS.count(old) == 1
    told = found({"tests/test_app.py": (TESTS, TESTS.replace(old, new))})
    assert [each.path for each in told] == ["tests/test_app.py"]
    assert said in told[0].text, told


FAIR = {
    "nothing": ("", ""),
    "another value": ("n + 1\n    assert add(1", "1 + n\n    assert add(1"),
    "more": ("def test_runs", "def test_more():\n    assert words('') == []\n\n\ndef test_runs"),
    "a new name": ("def test_helped", "def test_splits_words"),
    "a comment": ("def test_runs", "# once more\ndef test_runs"),
    "more cases": ("[1, 2, 3]", "[1, 2, 3, 4]"),
    "a helper of its own": (
        "    assert add(n, 1) == n + 1\n    assert add(1, n) == n + 1\n",
        "    both(n)\n\n\ndef both(n):\n    assert add(n, 1) == n + 1\n    assert add(1, n) == n + 1\n",
    ),
    "a patch": ("def test_runs", "@patch('app.clock')\ndef test_runs"),
    "a mark that runs it": ("import pytest\n", "import pytest\npytestmark = [pytest.mark.django_db]\n"),
    "run by itself": ("class TestWords", "if __name__ == '__main__':\n    import sys\n    sys.exit(1)\n\n\nclass TestWords"),
    "a new test that skips": ("def test_runs", "@pytest.mark.skip\ndef test_later():\n    assert 0\n\n\ndef test_runs"),
}  # fmt: skip


@pytest.mark.parametrize("how", mainly(*FAIR))
def test_python_tests_that_are_as_strong_as_before_are_no_finding(how: str) -> None:
    old, new = FAIR[how]
    assert found({"tests/test_app.py": (TESTS, TESTS.replace(old, new) if old else TESTS)}) == ()


@pytest.mark.parametrize(
    "path", ["tests.py", "shop/tests.py", "test.py", "shop/testWords.py", "app/words_test.py"]
)
def test_tests_are_known_by_the_names_that_runners_look_for(path: str) -> None:
    assert (
        "test_runs is gone"
        in found({path: (TESTS, TESTS.replace("def test_runs", "def runs"))})[0].said
    )


def test_a_file_of_tests_may_move_and_be_split_but_not_go() -> None:
    head, _, behind = TESTS.partition("class TestWords")
    split = {
        "tests/test_app.py": (TESTS, None),
        "tests/test_add.py": (None, head),
        "tests/unit/test_words.py": (None, f"import unittest\nclass TestWords{behind}"),
    }
    assert found(split) == ()
    gone = found({"tests/test_app.py": (TESTS, None)})
    assert "test_add is gone; test_helped is gone" in gone[0].said
    away = found({"tests/test_app.py": (TESTS, None), "tests/old/app_tests.py.txt": (None, TESTS)})
    assert [each.path for each in away] == ["tests/test_app.py"]
    assert found({"tests/__init__.py": ("", None)})[0].path == "tests/__init__.py"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("collect_ignore = ['test_app.py']\n", "collect_ignore"),
        ("def pytest_collection_modifyitems(items):\n    items.clear()\n", "pytest_collection_modifyitems"),
        ("import os\nos._exit(0)\n", "os._exit()"),
        ("import pytest\n@pytest.fixture(autouse=True)\ndef no():\n    pytest.skip()\n", "pytest.skip()"),
    ],
)  # fmt: skip
def test_a_conftest_that_keeps_tests_from_running_is_told(text: str, said: str) -> None:
    for before in (None, "import pytest\n"):
        told = found({"tests/conftest.py": (before, f"{before or ''}{text}")})
        assert said in told[0].said
    assert found({"tests/conftest.py": (None, "def shop():\n    return 1\n")}) == ()


OTHERS = {
    "a.test.js": (
        "test('adds', () => { expect(add(1, 1)).toBe(2); });\nit('none', () => {\n  expect(add()).toBe(0);\n});\n",
        {
            "it('none', () => {\n  expect(add()).toBe(0);\n});\n": "",
            "test('adds'": "test.skip('adds'", "it('none'": "xit('none'", "expect(add()).toBe(0);": "",
            "expect(add()).toBe(0)": "expect(true).toBe(true)", "  expect(add())": "  // expect(add())",
        },
    ),
    "add_test.go": (
        "func TestAdd(t *testing.T) {\n\tif add(1, 1) != 2 {\n\t\tt.Errorf(\"no\")\n\t}\n}\n",
        {"TestAdd": "Add", "t.Errorf": "t.Logf", "\tif add": "\tt.Skip()\n\tif add"},
    ),
    "tests/add.rs": (
        "#[test]\nfn adds() {\n    assert_eq!(add(1, 1), 2);\n}\n",
        {"#[test]\n": "", "#[test]": "#[test]\n#[ignore]", "assert_eq!(add(1, 1), 2)": "add(1, 1)"},
    ),
    "src/test/java/AddTest.java": (
        "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(2, add(1, 1));\n  }\n}\n",
        {"@Test": "", "@Test\n": "@Test @Disabled\n", "assertEquals(2, add(1, 1));": "", "@Test\n  ": "// @Test\n  "},
    ),
    "spec/add_spec.rb": (
        "it 'adds' do\n  expect(add(1, 1)).to eq(2)\nend\n",
        {"it 'adds'": "xit 'adds'", "expect(add(1, 1)).to eq(2)": "add(1, 1)", "  expect": "  # expect"},
    ),
    "tests/AddTest.php": (
        "class AddTest {\n  public function testAdd() {\n    $this->assertSame(2, add(1, 1));\n  }\n}\n",
        {"testAdd": "add", "$this->assertSame(2, add(1, 1));": "$this->markTestSkipped();"},
    ),
    "tests/AddTests.cs": (
        "[Fact]\npublic void Adds() {\n  Assert.Equal(2, Add(1, 1));\n}\n",
        {"[Fact]\n": "", "[Fact]": '[Fact(Skip = "x")]', "Assert.Equal(2, Add(1, 1));": ""},
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", OTHERS)
def test_tests_of_other_languages_are_counted(path: str) -> None:
    text, changes = OTHERS[path]
    for old, new in changes.items():
        assert old in text
        assert found({path: (text, text.replace(old, new))}), (old, new)
    assert found({path: (text, f"{text}\n{text}")}, f"run {path}") == ()
    name = path.rpartition("/")[2]
    place = f"tests/moved/{name}" if not name.endswith(".rs") else f"tests/more_{name}"
    assert found({path: (text, None), place: (None, text)}) == ()
    assert found({path: (text, None)})


SETTINGS = [
    ("pytest.ini", None, "[pytest]\naddopts = --co\n"),
    ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-q'\n", "[tool.pytest.ini_options]\naddopts = '--co'\n"),
    ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'a'\n[tool.pytest.ini_options]\ntestpaths = ['x']\n"),
    ("pyproject.toml", "[project]\nname = 'a'\n", "[project\n"),
    ("setup.cfg", "[metadata]\nname = a\n", "[metadata]\nname = a\n[tool:pytest]\naddopts = -k nothing\n"),
    ("tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = true\n"),
    ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "true"}}'),
    ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest", "pretest": "rm -r tests"}}'),
    ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest"}, "jest": {"testMatch": []}}'),
    ("Makefile", "test:\n\tpytest\n", "test:\n\t-pytest\n"),
    ("Makefile", "test:\n\tpytest\n", "SHELL = /bin/true\ntest:\n\tpytest\n"),
    ("Makefile", "P = pytest\ntest:\n\t$(P)\n", "P = true\ntest:\n\t$(P)\n"),
    ("jest.config.js", "module.exports = {}", "module.exports = {testMatch: []}"),
    ("scripts/check.sh", "pytest\n", "exit 0\n"),
    ("run", "#!/bin/sh\npytest\n", "#!/bin/sh\n"),
    ("tools/accept.py", "import app\nassert app.add(1, 1) == 2\n", "print('fine')\n"),
    ("ci/smoke.mjs", "if (add(1, 1) !== 2) throw 1;\n", "\n"),
    ("tests/run.sh", "python -m app | grep 2\n", "exit 0\n"),
    ("tests/check.py", "import app\nassert app.add(1, 1) == 2\n", "print('fine')\n"),
    ("pytest.py", None, ""),
    ("unittest/__init__.py", None, ""),
    ("sitecustomize.py", None, "import os\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after"), SETTINGS)
def test_what_changes_which_tests_a_command_runs_is_told(
    path: str, before: str | None, after: str
) -> None:
    told = found(
        {path: (before, after)},
        "sh scripts/check.sh && sh tests/run.sh",
        "python tests/check.py",
        "./run",
        "cd ci && node smoke.mjs",
        "bash -c 'python tools/accept.py -v'",
        "python app/main.py",
    )
    assert [(each.path, each.kind) for each in told] == [(path, "setting")]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'a'\ndependencies = ['b']\n"),
        ("pyproject.toml", "[project]\n", "[project]\n[tool.pytest.ini_options]\nmarkers = ['slow']\n"),
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest", "start": "node ."}}'),
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest"}, "dependencies": {"a": "1"}}'),
        ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest\n\nbuild:\n\tpip wheel .\n"),
        ("app/main.py", "print(1)\n", "print(2)\n"),
        ("scripts/new.sh", None, "exit 0\n"),
        ("docs/tests.md", "# It tests\n", ""),
    ],
)  # fmt: skip
def test_other_changes_of_such_files_are_no_finding(
    path: str, before: str | None, after: str
) -> None:
    assert found({path: (before, after)}, "sh scripts/check.sh", "python app/main.py") == ()
