"""What a change of Python brings: calls that no longer fit, names that are gone, queries put together, returns lost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from guildmoot.agents.python.changes import ChangedPython, compare
from guildmoot.agents.tools.python_changes import find

AREA = "def area(width, height, *, unit='m'):\n    return width * height\n"


def brought(
    before: dict[str, str], after: dict[str, str], others: dict[str, str] | None = None
) -> list[tuple[str, int, str]]:
    """Path, line and code of what a change of whole files brings."""
    others = others or {}
    found = compare(
        ChangedPython(
            before,
            after,
            {path: path for path in after if path in before},
            dict.fromkeys(after, ((1, 10000),)),
            frozenset({*before, *after}),
            lambda path: others.get(path, ""),
            lambda word: [path for path, text in others.items() if word in text],
        )
    )
    return [(each.path, each.line, each.code) for each in found]


@pytest.mark.parametrize(
    ("call", "fits"),
    [
        ("area(1, 2)", True),
        ("area(1)", False),
        ("area()", False),
        ("area(1, 2, 3)", False),
        ("area(1, height=2)", True),
        ("area(width=1, height=2, unit='cm')", True),
        ("area(1, 2, units='cm')", False),
        ("area(1, 2, width=3)", False),
        ("area(*[1, 2, 3])", True),
        ("area(**{'width': 1})", True),
        ("(lambda area: area(1))(len)", True),
        ("[area(1) for area in (len,)]", True),
    ],
)
def test_a_call_must_fit_its_function_wherever_that_stands(call: str, fits: bool) -> None:
    here = {"pkg/a.py": f"{AREA}\n\ndef f():\n    return {call}\n"}
    assert bool(brought({}, here)) is not fits
    using = {"pkg/b.py": f"from .a import area\n\n\ndef f():\n    return {call}\n"}
    assert bool(brought({}, using, {"pkg/a.py": AREA})) is not fits
    package = {"pkg/__init__.py": "from .a import area\n", "pkg/a.py": AREA}
    far = {"tools/c.py": f"from pkg import area\n\n\ndef f():\n    return {call}\n"}
    assert bool(brought({}, far, package)) is not fits
    by_module = {
        "pkg/b.py": f"from . import a as shapes\n\nx = {call.replace('area(', 'shapes.area(')}\n"
    }
    if "lambda" not in call and "for" not in call:
        assert bool(brought({}, by_module, {"pkg/a.py": AREA})) is not fits


@pytest.mark.parametrize(
    "text",
    [
        f"import functools\n\n\n@functools.cache\n{AREA}\nx = area(1)\n",
        f"{AREA}\nif x:\n    area = len\ny = area(1)\n",
        "if x:\n    def area(a): ...\nelse:\n    def area(a, b): ...\ny = area(1)\n",
        f"from shapes import *\n{AREA}\ny = area(1)\n",
        f"{AREA}\n\ndef f(area):\n    return area(1)\n",
        f"{AREA}\n\ndef test():\n    with pytest.raises(TypeError):\n        area(1)\n",
        f"{AREA}\n\ntry:\n    area(1)\nexcept TypeError:\n    pass\n",
        "class A:\n    def run(self, job):\n        raise NotImplementedError\n    def go(self):\n        self.run()\n",
        "class A(Base):\n    def __init__(self, a): ...\n\nA()\n",
        "class A:\n    def __new__(cls): ...\n    def __init__(self, a): ...\n\nA()\n",
        "class A:\n    @property\n    def run(self):\n        return len\n    def go(self):\n        self.run(1)\n",
    ],
)
def test_what_may_have_another_signature_is_left_alone(text: str) -> None:
    assert brought({}, {"a.py": text}) == []


def test_methods_and_classes_are_called_as_they_are_made() -> None:
    owner = "class A:\n    def __init__(self, a):\n        self.a = a\n    def run(self, job):\n        return job\n"
    wrong = f"{owner}    def go(self):\n        return self.run()\n\n\nA()\nA(1).run()\n"
    assert brought({}, {"a.py": wrong}) == [
        ("a.py", 7, "call-does-not-fit"),
        ("a.py", 10, "call-does-not-fit"),
    ]
    assert (
        brought(
            {},
            {
                "a.py": f"{owner}    @staticmethod\n    def s(x):\n        return x\n    def go(self):\n        self.s(1)\n"
            },
        )
        == []
    )


def test_only_what_is_new_is_told() -> None:
    wrong = {"a.py": f"{AREA}\nx = area(1)\n"}
    assert brought(wrong, {"a.py": f"# moved\n{AREA}\n\nx = area(1)\n"}) == []
    assert brought(wrong, {"a.py": f"{AREA}\nx = area(1)\nx = area(1)\n"}) == [
        ("a.py", 5, "call-does-not-fit")
    ]


def test_a_changed_signature_must_fit_the_callers_that_the_change_leaves_alone() -> None:
    caller = {"pkg/b.py": "from pkg.a import area\n\nx = area(1, 2)\n"}
    more = AREA.replace("height,", "height, depth,")
    assert brought({"pkg/a.py": AREA}, {"pkg/a.py": more}, caller) == [
        ("pkg/a.py", 1, "call-does-not-fit")
    ]
    assert brought({"pkg/a.py": AREA}, {"pkg/a.py": more.replace("depth", "depth=1")}, caller) == []
    both = {"pkg/a.py": AREA, **caller}
    now = {"pkg/a.py": more, "pkg/b.py": caller["pkg/b.py"].replace("2)", "2, 3)")}
    assert brought(both, now) == []
    assert brought(both, {**both, "pkg/a.py": more}) == [("pkg/b.py", 3, "call-does-not-fit")]


def test_a_name_that_others_import_must_stay_or_be_brought_by_other_means() -> None:
    caller = {"pkg/b.py": "from pkg.a import area\n"}
    renamed = AREA.replace("area", "surface")
    assert brought({"pkg/a.py": AREA}, {"pkg/a.py": renamed}, caller) == [
        ("pkg/b.py", 1, "name-is-gone")
    ]
    for still in ("area = surface\n", "from .c import *\n", "def __getattr__(name): ...\n"):
        assert brought({"pkg/a.py": AREA}, {"pkg/a.py": renamed + still}, caller) == []
    assert brought({}, {"pkg/c.py": "from .a import surface\n"}, {"pkg/a.py": AREA}) == [
        ("pkg/c.py", 1, "import-of-nothing")
    ]
    assert (
        brought(
            {},
            {"pkg/c.py": "from .a import area\nfrom . import b\n"},
            {"pkg/a.py": AREA, "pkg/__init__.py": "x = 1\n"},
        )
        == []
    )


@pytest.mark.parametrize(
    ("call", "grave"),
    [
        ("c.execute(f\"SELECT a FROM b WHERE c = '{name}'\")", True),
        ("c.execute('DELETE FROM b WHERE c = ' + name)", True),
        ("c.execute(\"SELECT a FROM b WHERE c = '%s'\" % name)", True),
        ("c.execute(\"UPDATE b SET a = '{}' WHERE c = {}\".format(name, 1))", True),
        ("q = f'SELECT a FROM b WHERE c = {name}'\n    c.execute(q)", True),
        ("c.execute('SELECT a FROM b WHERE c = ?', (name,))", False),
        ("c.execute(f'SELECT a FROM {name}')", False),
        ("c.execute(f'SELECT a FROM b WHERE c = {LIMIT}')", False),
        ("c.execute(f'SELECT a FROM b WHERE c = {int(name)}')", False),
        ("c.execute(f\"SELECT a FROM b WHERE c IN ({','.join('?' * len(name))})\", name)", False),
        ("print(f'SELECT a FROM b WHERE c = {name}')", False),
    ],
)
def test_values_in_the_text_of_a_query_are_told_where_they_are_new(call: str, grave: bool) -> None:
    text = {"a.py": f"def f(c, name):\n    {call}\n"}
    assert [code for _, _, code in brought({}, text)] == ["sql-by-string"] * grave
    assert brought(text, {"a.py": f"# more\n{text['a.py']}"}) == []


LOST = [
    ("    if a:\n        return 1\n    return 2\n", "    if a:\n        return 1\n", "return-lost"),
    ("    return a\n", "    a.b()\n", "return-lost"),
    ("    return a\n", "    raise ValueError(a)\n", ""),
    ("    return a\n", "    yield a\n", ""),
    ("    print(a)\n", "    a.b()\n", ""),
    (
        "    try:\n        a()\n    except OSError as e:\n        raise Bad from e\n",
        "    try:\n        a()\n    except OSError as e:\n        pass\n",
        "failure-dropped",
    ),
    (
        "    try:\n        a()\n    except OSError:\n        pass\n",
        "    try:\n        b()\n    except OSError:\n        pass\n",
        "",
    ),
    (
        "    a.b()\n",
        "    try:\n        a.b()\n    except Exception:\n        pass\n",
        "failure-dropped",
    ),
    ("    a.b()\n", "    try:\n        a.b()\n    except OSError:\n        pass\n", ""),
    ("    a.b()\n", "    try:\n        a.c()\n    except Exception:\n        pass\n", ""),
    (
        "    with open(a) as f:\n        f.write('a')\n",
        "    f = open(a)\n    f.write('a')\n",
        "no-longer-closed",
    ),
    (
        "    with open(a) as f:\n        f.write('a')\n",
        "    f = open(a)\n    f.write('a')\n    f.close()\n",
        "",
    ),
]


@pytest.mark.parametrize(("before", "after", "code"), LOST)
def test_what_a_function_no_longer_does_is_told(before: str, after: str, code: str) -> None:
    found = brought({"a.py": f"def f(a):\n{before}"}, {"a.py": f"def f(a):\n{after}"})
    assert [each for _, _, each in found] == [code] * bool(code)
    assert brought({}, {"a.py": f"def f(a):\n{after}"}) == []


def test_a_file_that_nobody_can_close_is_told_where_a_function_begins_to_open_it() -> None:
    text = "def f(path):\n    return len(open(path).readlines())\n"
    assert brought({"a.py": "x = 1\n"}, {"a.py": text}) == [("a.py", 2, "left-open")]
    assert brought({"a.py": text}, {"a.py": text + "\n\nx = 1\n"}) == []
    held = "def f(path):\n    with open(path) as file:\n        return file.read()\n"
    assert brought({"a.py": "x = 1\n"}, {"a.py": held}) == []


def test_arguments_that_bear_each_others_names_are_advice() -> None:
    text = f"{AREA}\n\ndef f(width, height):\n    return area(height, width)\n"
    assert brought({}, {"a.py": text}) == [("a.py", 6, "arguments-swapped")]
    assert brought({}, {"a.py": text.replace("height, width)", "width, height)")}) == []


def test_a_large_file_costs_little() -> None:
    text = AREA + "".join(f"def f{n}(a):\n    return area(a, f{n}(a))\n\n\n" for n in range(1500))
    began = time.process_time()
    assert brought({"a.py": text}, {"a.py": text + "x = area(1)\n"}) == [
        ("a.py", text.count("\n") + 1, "call-does-not-fit")
    ]
    assert time.process_time() - began < 5


def test_the_gate_holds_up_a_change_whose_callers_break(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = (
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "init.defaultBranch=main",
        )
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/a.py").write_text(AREA)
    (tmp_path / "pkg/b.py").write_text("from pkg.a import area\n\nprint(area(1, 2))\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    (tmp_path / "pkg/a.py").write_text(AREA.replace("height,", "height, depth,"))
    command = [sys.executable, "-m", "guildmoot", "validate", "--json", "--no-record"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = json.loads(done.stdout)
    assert done.returncode == 2, done
    (blocks,) = said["blocking_findings"]
    assert blocks["code"] == "call-does-not-fit"
    assert "pkg/b.py:3" in json.dumps(blocks)


@pytest.mark.slow
def test_methods_that_call_each_other_cost_one_pass_of_the_file() -> None:
    body = "".join(
        f"    def m{n}(self, a):\n        self.b{n} = a\n        return self.m{n}(a) + self.m{n}(a)\n\n"
        for n in range(600)
    )
    text = f"class A:\n{body}"
    began = time.process_time()
    assert brought({"a.py": text}, {"a.py": text + "# more\n"}) == []
    assert time.process_time() - began < 2  # 4 s and more where each call walks the file anew


def test_a_file_of_any_size_is_compared_or_that_it_was_not_is_told(tmp_path: Path) -> None:
    text = AREA + "".join(f"# {'a long comment ' * 20}{n}\n" for n in range(1500))
    assert len(text) > 400_000
    lost = brought({"a.py": text}, {"a.py": text + "x = area(1)\n"})
    assert [code for _, _, code in lost] == ["call-does-not-fit"]
    (tmp_path / "huge.py").write_text("# " + "a" * 4_000_000)
    told = {"changed": {"huge.py": [[1, 1]]}, "renamed": {}, "touched": [], "root": ".", "base": ""}
    (tmp_path / "told.json").write_text(json.dumps(told))
    [found] = find([str(tmp_path / "told.json")], str(tmp_path))
    assert (found.code, found.path) == ("not-compared", "huge.py")
    told["changed"] = {f"a{n}.py": [[1, 1]] for n in range(301)}
    (tmp_path / "told.json").write_text(json.dumps(told))
    assert [each.code for each in find([str(tmp_path / "told.json")], str(tmp_path))] == [
        "not-compared"
    ]


def test_a_method_that_its_own_class_still_asks_for_is_missed():
    text = "class A:\n    def go(self):\n        return self.help()\n\n    def help(self):\n        return 1\n"
    after = text.replace("def help", "def aid")
    assert brought({"a.py": text}, {"a.py": after}) == [("a.py", 3, "member-is-gone")]
    for kept in (
        after.replace("class A:", "class A(Base):"),
        after + "\n    help = aid\n",
        after + "\n    def __getattr__(self, name):\n        return 1\n",
        after + "\n\nclass B(A):\n    def help(self):\n        return 2\n",
    ):
        assert brought({"a.py": text}, {"a.py": kept}) == []
    mixed = {"b.py": "class B(A):\n    def help(self):\n        return 2\n"}
    assert brought({"a.py": text}, {"a.py": after}, mixed) == []
