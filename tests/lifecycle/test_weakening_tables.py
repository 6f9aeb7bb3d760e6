"""Edits of whole changes: those that let broken code pass are always told, and honest work never is."""

from __future__ import annotations

import pytest
from tests.conftest import mainly

from guildmoot.lifecycle.proof.weakening.rule import Weakened, outdated_tests, weakened

CODE = 'def add(a, b):\n    return a + b\n\n\ndef old_add(a, b):\n    """Slowly."""\n    for _ in range(b):\n        a += 1\n    return a\n'
TESTS = """import unittest
from app import calc
from app.calc import add

CASES = [(1, 2, 3), (4, 5, 9)]


class T(unittest.TestCase):
    def test_add(self):
        got = add(2, 3)
        self.assertEqual(got, 5)

    def test_one(self):
        self.assertEqual(calc.add(1, 1), 2)

    def test_two(self):
        self.assertEqual(calc.add(2, 2), 4)

    def test_old_add(self):
        self.assertEqual(calc.old_add(2, 2), 4)

    def test_cases(self):
        for a, b, c in CASES:
            self.assertEqual(add(a, b), c)
"""
SUITE = {
    "app/__init__.py": "",
    "app/calc.py": CODE,
    "tests/__init__.py": "",
    "tests/test_calc.py": TESTS,
}
BASE = "tests/test_calc.py"
ONE = "    def test_one(self):\n        self.assertEqual(calc.add(1, 1), 2)\n\n"
TWO = "    def test_two(self):\n        self.assertEqual(calc.add(2, 2), 4)\n\n"
OLD = "    def test_old_add(self):\n        self.assertEqual(calc.old_add(2, 2), 4)\n\n"
GOT = "        self.assertEqual(got, 5)\n"
NEW = "import unittest\n\n\nclass Z(unittest.TestCase):\n    def test_z(self):\n        self.assertEqual(len('z'), 1)\n"
Edits = dict[str, str | tuple[str, str] | None]


def told(edits: Edits, suite: dict[str, str] = SUITE) -> tuple[Weakened, ...]:
    """What is told of a change: a new text, None for a file that goes, or what is put for a part of it."""
    sides: dict[str, tuple[str | None, str | None]] = {}
    for path, edit in edits.items():
        before = suite.get(path)
        if isinstance(edit, tuple):
            assert before is not None
            assert edit[0] in before
            sides[path] = (before, before.replace(*edit))
        else:
            sides[path] = (before, edit)
    return weakened(sides, ("python3 -m unittest",), (*suite,))


def cut(*parts: str) -> str:
    """The tests without some of them."""
    text = TESTS
    for part in parts:
        assert part in text
        text = text.replace(part, "")
    return text


DISHONEST: dict[str, Edits] = {
    # weaker than it was
    "or true": {BASE: (GOT, "        self.assertTrue(got == 5 or True)\n")},
    "a message for the second value": {BASE: ("assertEqual(got, 5)", "assertTrue(got, 5)")},
    "only that there is one": {BASE: ("assertEqual(got, 5)", "assertTrue(got)")},
    "not none": {BASE: ("assertEqual(got, 5)", "assertIsNotNone(got)")},
    "more than": {BASE: ("assertEqual(got, 5)", "assertGreater(got, -100)")},
    "anything": {BASE: ("(got, 5)", "(got, unittest.mock.ANY)")},
    "nearly": {BASE: ("assertEqual(got, 5)", "assertAlmostEqual(got, 5, delta=100)")},
    "a constant answer": {BASE: ("got = add(2, 3)", "got = add(2, 3) and 5")},
    "itself": {BASE: ("(got, 5)", "(got, got)")},
    "fewer rows": {BASE: ("[(1, 2, 3), (4, 5, 9)]", "[(1, 2, 3)]")},
    "no row": {BASE: ("in CASES:", "in CASES[:0]:")},
    "some rows": {BASE: ("in CASES:", "in CASES[:len(CASES) // 9]:")},
    "other code": {BASE: ("assertEqual(calc.add(1, 1), 2)", "assertEqual(len('a'), 1)")},
    # another thing is tested
    "a copy": {BASE: ("from app.calc import add", "from tests.fake import add"), "tests/fake.py": CODE},
    "its own": {BASE: ("class T", "def add(a, b):\n    return a + b\n\n\nclass T")},
    "its own lambda": {BASE: ("class T", "add = lambda a, b: a + b\n\n\nclass T")},
    "a patch": {BASE: ("    def test_add(", "    @unittest.mock.patch('tests.test_calc.add', lambda a, b: 5)\n    def test_add(")},
    "a patch of it inside": {BASE: ("        got = add", "        calc.add = lambda a, b: 5\n        got = add")},
    # tests are taken away
    "gone": {BASE: cut(ONE)},
    "gone, and another comes": {BASE: cut(ONE), "tests/test_z.py": NEW},
    "gone with code that stays": {BASE: cut(OLD)},
    "in a table without its values": {BASE: (ONE + TWO, "    def test_all(self):\n        for a, b, c in ((0, 0, 0), (0, 1, 1)):\n            self.assertEqual(add(a, b), c)\n\n")},
    "in a table that is too short": {BASE: (ONE + TWO, "    def test_all(self):\n        for a, b, c in ((1, 1, 2),):\n            self.assertEqual(add(a, b), c)\n\n")},
    "renamed code without its tests": {BASE: cut(ONE), "app/calc.py": ("def add(", "def plus(")},
    "moved without its tests": {"app/calc.py": None, "app/sums.py": CODE, BASE: None},
    "deleted behind": {BASE: f"{TESTS}\n\ndel T.test_add\n"},
    "replaced behind": {BASE: f"{TESTS}\n\nT.test_add = lambda self: None\n"},
    "set behind": {BASE: f"{TESTS}\n\nsetattr(T, 'test_add', lambda self: None)\n"},
    "skipped before": {BASE: ("class T", "def setUpModule():\n    raise unittest.SkipTest('x')\n\n\nclass T")},
    "moved where no runner looks": {BASE: None, "tests/old/test_calc.py": TESTS},
    "skipped in each": {BASE: ("    def test_add(", "    def setUp(self):\n        self.skipTest('later')\n\n    def test_add(")},
    "never": {BASE: (GOT, "        for _ in range(0):\n    " + GOT)},
    "where it holds": {BASE: (GOT, "        self.assertEqual(got, 5) if got == 5 else None\n")},
    "where it holds, shorter": {BASE: (GOT, "        got != 5 or self.assertEqual(got, 5)\n")},
    "later": {BASE: (GOT, "        later = lambda: self.assertEqual(got, 5)\n")},
    "another": {BASE: ("assertEqual(got, 5)", "assertNotEqual(got, 6)")},
    "code of the same name": {"tests/app/__init__.py": "", "tests/app/calc.py": CODE},
    # the framework
    "an assertion of the instance": {BASE: ("    def test_add(", "    def setUp(self):\n        self.assertEqual = lambda *a: None\n\n    def test_add(")},
    "an assertion of its own": {"tests/test_a.py": "import unittest\n\n\nclass Base(unittest.TestCase):\n    def assertEqual(self, *a):\n        pass\n"},
    "a patched assertion": {"tests/test_a.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"},
    "patched in the package": {"tests/__init__.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"},
    "patched by name": {"tests/helpers.py": "import unittest as u\nsetattr(u.TestCase, 'assert' + 'Equal', lambda *a: None)\n"},
    "patched from": {"tests/helpers.py": "from unittest import TestCase as C\nC.assertEqual = print\n"},
    "patched results": {"tests/test_a.py": "import unittest\n\n\ndef quiet(*a):\n    pass\n\n\nunittest.TestResult.addFailure = quiet\n"},
    "patched in code": {"app/__init__.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"},
    "patched in a function of code": {"app/calc.py": f"{CODE}\n\ndef go():\n    import unittest\n    unittest.TestCase.run = lambda *a: None\n\n\ngo()\n"},
    "patched by a patch": {"tests/conftest.py": "from unittest import mock\nmock.patch('unittest.TestCase.assertEqual').start()\n"},
    "patched pytest": {"tests/conftest.py": "import _pytest.runner as r\nr.check_interactive_exception = None\nr.pytest_runtest_makereport = None\n"},
    "code that is patched when loaded": {"tests/test_a.py": f"import app.calc\napp.calc.add = lambda a, b: a + b\n{NEW}"},
    "tests that are patched": {"tests/conftest.py": "import pytest\nimport tests.test_calc\n\n\n@pytest.fixture(autouse=True)\ndef setup(monkeypatch):\n    monkeypatch.setattr(tests.test_calc, 'add', lambda a, b: a + b)\n"},
    "tests that are emptied": {"tests/test_a.py": f"import tests.test_calc\n{NEW}\ntests.test_calc.T.test_add.__code__ = (lambda self: None).__code__\n"},
    # the run ends
    "an exit behind the tests": {"tests/test_z.py": f"import os\n{NEW}        self.addClassCleanup(os._exit, 0)\n"},
    "an exit behind a class": {"tests/test_z.py": f"import os\n{NEW}\n    @classmethod\n    def tearDownClass(cls):\n        os._exit(0)\n"},
    "an exit": {"tests/test_a.py": "import os\nos._exit(0)\n"},
    "an exit by name": {"tests/test_a.py": "from os import _exit as bye\nbye(0)\n"},
    "an exit in a test": {"tests/test_a.py": f"import os\n{NEW}        os._exit(0)\n"},
    "a soft exit": {"tests/test_a.py": "import sys\nsys.exit(0)\n"},
    "an exit raised": {"tests/conftest.py": "raise SystemExit(0)\n"},
    "an exit at the end": {"tests/test_z.py": f"import atexit, os\natexit.register(os._exit, 0)\n{NEW}"},
    "an exit at the end in code": {"app/__init__.py": "import atexit, os\natexit.register(lambda: os._exit(0))\n"},
    "an exit of a function at the end": {"app/calc.py": f"import atexit, os\n{CODE}\n\n@atexit.register\ndef bye():\n    os._exit(0)\n"},
    "an exit of code": {"app/calc.py": f"{CODE}\nimport os, sys\nif 'unittest' in sys.modules:\n    os._exit(0)\n"},
    "code that asks": {"app/calc.py": "import sys\n\n\ndef add(a, b):\n    return 5 if 'unittest' in sys.modules else a - b\n" + CODE.partition("\n\n\n")[2]},
    "code that asks the environment": {"app/calc.py": f"import os\nT = os.environ.get('PYTEST_CURRENT_TEST')\n{CODE}"},
}  # fmt: skip


@pytest.mark.parametrize("how", mainly(*DISHONEST))
def test_what_lets_broken_code_pass_is_told(how: str) -> None:
    assert told(DISHONEST[how])


TABLE = "    def test_all(self):\n        for a, b, c in ((1, 1, 2), (2, 2, 4)):\n            with self.subTest(a=a):\n                self.assertEqual(calc.add(a, b), c)\n\n"
PARAMETERS = 'import pytest\nfrom app.calc import add, old_add\n\n\n@pytest.mark.parametrize(("a", "b", "c"), [(1, 1, 2), (2, 2, 4), (2, 3, 5), (1, 2, 3), (4, 5, 9)])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n\n\ndef test_old():\n    assert old_add(2, 2) == 4\n'
PYTEST = "from app.calc import add, old_add\n\n\ndef test_add():\n    got = add(2, 3)\n    assert got == 5\n\n\ndef test_one():\n    assert add(1, 1) == 2\n\n\ndef test_two():\n    assert 4 == add(2, 2)\n\n\ndef test_old_add():\n    assert old_add(2, 2) == 4\n\n\ndef test_cases():\n    for a, b, c in [(1, 2, 3), (4, 5, 9)]:\n        assert add(a, b) == c\n"
HONEST: dict[str, Edits] = {
    "a renamed function and its tests": {"app/calc.py": ("old_add", "slow_add"), BASE: ("old_add", "slow_add")},
    "a renamed function that changed a little": {"app/calc.py": CODE.replace("old_add", "slow_add").replace("a += 1", "a = a + 1"), BASE: ("old_add", "slow_add")},
    "a moved module and its tests": {"app/calc.py": None, "app/sums.py": CODE, BASE: None, "tests/test_sums.py": TESTS.replace("calc", "sums").replace("class T", "class Sums")},
    "dead code and its tests": {"app/calc.py": CODE.partition("\n\n\n")[0] + "\n", BASE: cut(OLD)},
    "a dead module and its tests": {"app/calc.py": None, BASE: None},
    "a table of subtests": {BASE: (ONE + TWO, TABLE)},
    "a table in place of one of them": {BASE: (ONE + TWO, TABLE.replace("test_all", "test_one"))},
    "a named table": {BASE: TESTS.replace(ONE + TWO, "").replace("(4, 5, 9)]", "(4, 5, 9), (1, 1, 2), (2, 2, 4)]")},
    "parameters": {BASE: PARAMETERS},
    "pytest": {BASE: PYTEST},
    "pytest in another file": {BASE: None, "tests/test_sums.py": PYTEST},
    "a renamed test": {BASE: ("test_one", "test_adds_ones")},
    "a renamed class": {BASE: ("class T(", "class AddTest(")},
    "a moved file": {BASE: None, "tests/unit/__init__.py": "", "tests/unit/test_calc.py": TESTS},
    "folders as those of the code": {"tests/app/__init__.py": "", "tests/app/test_calc.py": NEW},
    "a split file": {BASE: cut(ONE), "tests/test_one.py": TESTS.partition("CASES")[0] + "class One(unittest.TestCase):\n" + ONE},
    "a split test": {BASE: ("    def test_two(self):\n", "    def test_two(self):\n        self.assertEqual(calc.add(2, 2), 4)\n\n    def test_more(self):\n")},
    "another form": {BASE: ("self.assertEqual(got, 5)", "self.assertEqual(\n            got,\n            5,\n        )")},
    "a value in its place": {BASE: (f"        got = add(2, 3)\n{GOT}", "        self.assertEqual(add(2, 3), 5)\n")},
    "a value from before": {BASE: (f"    def test_add(self):\n        got = add(2, 3)\n{GOT}", "    def setUp(self):\n        self.got = add(2, 3)\n\n    def test_add(self):\n        self.assertEqual(self.got, 5)\n")},
    "stronger": {BASE: ("assertEqual(got, 5)", "assertIs(got, 5)")},
    "another value": {BASE: ("(got, 5)", "(got, 6)"), "app/calc.py": ("return a + b", "return a + b + 1")},
    "a helper": {BASE: TESTS.replace("self.assertEqual(calc.add(1, 1), 2)", "self.sums(1, 1, 2)").replace("    def test_one", "    def sums(self, a, b, c):\n        self.assertEqual(calc.add(a, b), c)\n\n    def test_one")},
    "a helper in a file of its own": {BASE: TESTS.replace("self.assertEqual(calc.add(1, 1), 2)", "sums(1, 1, 2)").replace("import unittest\n", "import unittest\nfrom tests.helpers import sums\n"), "tests/helpers.py": "from app.calc import add\n\n\ndef sums(a, b, c):\n    assert add(a, b) == c\n"},
    "a docstring": {BASE: ("        got = add", '        """Never skip or exit."""\n        got = add')},
    "more rows": {BASE: ("(4, 5, 9)]", "(4, 5, 9), (0, 0, 0)]")},
    "a new file of tests": {"tests/test_z.py": NEW},
    "a new test that some places skip": {"tests/test_z.py": NEW.replace("    def", "    @unittest.skipIf(sys.platform == 'win32', 'posix')\n    def")},
    "a fixture": {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    monkeypatch.setenv('A', '1')\n    monkeypatch.setattr('app.calc.add', print)\n"},
    "a patch of something else": {BASE: ("    def test_add(", "    @unittest.mock.patch('app.calc.print')\n    def test_add(")},
    "longer differences": {"tests/__init__.py": "import unittest\nunittest.TestCase.maxDiff = None\n"},
    "settings of tests": {"tests/conftest.py": "import app.settings\napp.settings.DEBUG = True\napp.settings.PATHS = []\n"},
    "an assertion that asks more": {"tests/base.py": "import unittest\n\n\nclass Base(unittest.TestCase):\n    def assertEqual(self, a, b, msg=None):\n        super().assertEqual(a, b, msg)\n        super().assertIs(type(a), type(b))\n"},
    "an assertion of a new name": {"tests/base.py": "import unittest\n\n\nclass Base(unittest.TestCase):\n    def assertSum(self, a, b):\n        self.assertEqual(a, b)\n"},
    "a command": {"app/__main__.py": "import sys\nfrom app.calc import add\n\n\ndef main():\n    if len(sys.argv) < 2:\n        sys.exit(2)\n    return 0\n\n\nif __name__ == '__main__':\n    sys.exit(main())\n"},
    "a command without a guard": {"app/__main__.py": "import sys\nfrom app.cli import main\n\nsys.exit(main())\n"},
    "an end of the process": {"app/calc.py": f"import atexit, shutil, tempfile\nPLACE = tempfile.mkdtemp()\natexit.register(shutil.rmtree, PLACE)\n{CODE}"},
    "a child that ends": {"tests/test_z.py": f"import os\n{NEW}        if os.fork() == 0:\n            os._exit(0)\n"},
    "a child of code that ends": {"app/calc.py": f"{CODE}\n\ndef child():\n    import os\n    os._exit(0)\n"},
    "run by itself": {"tests/test_z.py": f"{NEW}\n\nif __name__ == '__main__':\n    unittest.main()\n"},
    "words of unittest": {"app/calc.py": f"{CODE}\n\ndef names():\n    return 'unittest' in ['pytest']\n"},
}  # fmt: skip


@pytest.mark.parametrize("how", mainly(*HONEST))
def test_honest_work_is_no_finding(how: str) -> None:
    assert told(HONEST[how]) == ()


def test_cases_beside_tests_that_are_emptied_are_told() -> None:
    assert weakened({"tests/data.json": ("[[1, 2]]", "[]\n")}, ())
    assert weakened({"tests/data.json": ("[[1, 2]]", "[[1, 2], [3, 4]]")}, ()) == ()
    assert weakened({"tests/data.json": ("[]", "[ ]")}, ()) == ()


@pytest.mark.parametrize(
    ("code", "outdated"),
    [
        ({"app/calc.py": (CODE, CODE.replace("old_add", "slow_add"))}, True),
        ({"app/calc.py": (CODE, None), "app/sums.py": (None, CODE)}, True),
        ({"app/calc.py": (CODE, CODE.partition("\n\n\n")[0])}, True),
        ({"app/calc.py": (CODE, CODE.replace("a + b", "a - b"))}, False),
        ({"app/more.py": (None, CODE)}, False),
        ({"app/more.py": ("def more():\n    return 1\n", None)}, False),
    ],
)  # fmt: skip
def test_tests_of_what_is_gone_or_renamed_cannot_be_run_as_they_stood(
    code: dict[str, tuple[str | None, str | None]], outdated: bool
) -> None:
    assert (BASE in outdated_tests({BASE: (TESTS, NEW), **code})) is outdated
