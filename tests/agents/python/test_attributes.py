"""What a change asks of modules and classes of its own repository must be there."""

from __future__ import annotations

import pytest

from guildmoot.agents.python.changes import ChangedPython, compare

FLAGS = "def make(version):\n    return version\n\n\nLIMIT = 3\n"
IMPORTS = [
    ("from app.borg import flags", "flags"),
    ("from app.borg import flags as f", "f"),
    ("import app.borg.flags", "app.borg.flags"),
    ("import app.borg.flags as f", "f"),
    ("from . import flags", "flags"),
]
STATUS = "import enum\n\n\nclass Status(enum.Enum):\n    OK = 1\n    WARNING = 2\n\n    def good(self):\n        return self is Status.OK\n"


def brought(
    before: dict[str, str], after: dict[str, str], others: dict[str, str] | None = None
) -> list[tuple[str, int, str]]:
    others = others or {}
    found = compare(
        ChangedPython(
            before,
            {**before, **after},
            {path: path for path in before},
            dict.fromkeys(after, ((1, 10000),)),
            frozenset({*before, *after}),
            lambda path: others.get(path, ""),
            lambda word: [path for path, text in others.items() if word in text],
        )
    )
    return [(each.path, each.line, each.code) for each in found if each.grave]


def user(line: str, name: str, asked: str) -> str:
    return f"{line}\n\n\ndef create(version):\n    return {name}.{asked}\n"


@pytest.mark.parametrize(("line", "name"), IMPORTS)
def test_a_renamed_function_or_constant_is_still_asked_of_its_module(line: str, name: str) -> None:
    there, here = "app/borg/flags.py", "app/borg/create.py"
    for old, new, asked in (("make", "build", "make(version)"), ("LIMIT", "MOST", "LIMIT")):
        renamed = {there: FLAGS.replace(old, new)}
        caller = {here: user(line, name, asked)}
        assert brought({there: FLAGS}, renamed, caller) == [(here, 5, "name-is-gone")]
        assert brought({there: FLAGS, **caller}, renamed) == [(here, 5, "member-is-gone")]
        follows = {here: user(line, name, asked.replace(old, new))}
        assert brought({there: FLAGS, **caller}, {**renamed, **follows}) == []


@pytest.mark.parametrize(("line", "name"), IMPORTS)
def test_a_name_that_a_module_never_had_cannot_be_asked_of_it(line: str, name: str) -> None:
    here, flags = "app/borg/create.py", {"app/borg/flags.py": FLAGS}
    wrong, right = (user(line, name, asked) for asked in ("makes(version)", "make(version)"))
    assert brought({}, {here: wrong}, flags) == [(here, 5, "member-is-gone")]
    assert brought({here: right}, {here: wrong}, flags) == [(here, 5, "member-is-gone")]
    assert brought({}, {here: right}, flags) == []
    assert brought({here: wrong}, {here: f"{wrong}\n"}, flags) == []


@pytest.mark.parametrize(
    "flags",
    [
        f"{FLAGS}\ndef __getattr__(name): ...\n",
        f"from elsewhere import *\n{FLAGS}",
        f"{FLAGS}\nglobals().update(makes=make)\n",
        f"{FLAGS}\nexec('makes = make')\n",
        f"import sys\n{FLAGS}\nsetattr(sys.modules[__name__], 'makes', make)\n",
        f"{FLAGS}\ntry:\n    from fast import makes\nexcept ImportError:\n    makes = make\n",
        f"{FLAGS}\ndef start():\n    global makes\n    makes = make\n",
    ],
)
def test_a_module_that_may_have_more_names_is_left_alone(flags: str) -> None:
    here = {"app/borg/create.py": user("from app.borg import flags", "flags", "makes(version)")}
    assert brought({}, here, {"app/borg/flags.py": flags}) == []


@pytest.mark.parametrize(
    "text",
    [
        "from app import flags\n\nif hasattr(flags, 'makes'):\n    flags.makes(1)\n",
        "from app import flags\n\ntry:\n    flags.makes(1)\nexcept AttributeError:\n    pass\n",
        "from app import flags\n\nwith pytest.raises(AttributeError):\n    flags.makes(1)\n",
        "from app import flags\n\nflags = object()\nflags.makes(1)\n",
        "from app import flags\n\n\ndef f(flags):\n    flags.makes(1)\n",
        "from app import flags\n\nflags.makes = len\nflags.makes(1)\n",
        "try:\n    from app import flags\nexcept ImportError:\n    flags = None\nflags.makes(1)\n",
        "from app import flags\n\nflags.__name__\n",
    ],
)
def test_what_may_be_missing_or_is_set_here_is_left_alone(text: str) -> None:
    assert brought({}, {"app/create.py": text}, {"app/flags.py": FLAGS}) == []


def test_what_may_mean_another_module_is_left_alone() -> None:
    asks = {"app/create.py": "from app import flags\n\nflags.makes(1)\n"}
    flags = {"app/flags.py": FLAGS}
    assert brought({}, asks, flags) == [("app/create.py", 3, "member-is-gone")]
    for other in (
        {"app/__init__.py": "from .other import flags\n"},
        {"app/flags/__init__.py": "makes = len\n"},
        {"app/flags.pyi": "def makes(): ...\n"},
        {"app/plugins.py": "from app import flags\n\nflags.makes = len\n"},
    ):
        assert brought({}, asks, {**flags, **other}) == []
    outside = {"app/a.py": "import redis\n\nredis.Redis()\n"}
    assert brought({}, outside, {"app/redis.py": FLAGS}) == []
    usual = {"app/a.py": "import types\n\ntypes.FunctionType\n"}
    assert brought({}, usual, {"types.py": FLAGS}) == []


def test_a_package_may_hold_more_than_its_file_says() -> None:
    asks = {"main.py": "import app\n\napp.start()\n"}
    assert brought({}, asks, {"app/__init__.py": "stop = 1\n"}) == []
    had = {"app/__init__.py": "def start(): ...\n"}
    gone = {"app/__init__.py": "def begin(): ...\n"}
    assert brought(had, gone, asks) == [("main.py", 3, "name-is-gone")]
    assert brought(had, {**gone, "app/start.py": "x = 1\n"}, asks) == []


@pytest.mark.parametrize(
    "kind",
    [
        STATUS,
        STATUS.replace("import enum", "from enum import Enum").replace("enum.Enum", "Enum"),
        STATUS.replace("(enum.Enum)", ""),
        STATUS.replace("(enum.Enum)", "(str, enum.Enum)"),
        STATUS.replace("class", "@enum.unique\nclass"),
        STATUS.replace("(enum.Enum)", "(Above)").replace("class", "class Above: ...\n\nclass"),
    ],
)
def test_members_of_a_class_are_asked_where_it_stands_and_elsewhere(kind: str) -> None:
    asks = "\n\ndef check(code):\n    return Status.WARNING\n"
    renamed = kind.replace("WARNING", "WARN")
    line = kind.count("\n") + 4
    here = {"ex.py": kind + asks}
    assert brought(here, {"ex.py": renamed + asks}) == [("ex.py", line, "member-is-gone")]
    assert brought(here, {"ex.py": renamed + asks.replace("WARNING", "WARN")}) == []
    invented = kind + asks.replace("WARNING", "FINE")
    assert brought(here, {"ex.py": invented}) == [("ex.py", line, "member-is-gone")]
    for said in ("from ex import Status\n\nStatus.WARNING\n", "import ex\n\nex.Status.WARNING\n"):
        assert brought({"ex.py": kind}, {"ex.py": renamed}, {"a.py": said}) == [
            ("a.py", 3, "name-is-gone")
        ]


@pytest.mark.parametrize(
    "text",
    [
        f"{STATUS}\nStatus.__members__, Status.OK.name, Status.good, Status.mro()\n",
        f"{STATUS}\nStatus.FINE = 3\nStatus.FINE\n",
        f"{STATUS}\nsetattr(Status, word, 3)\nStatus.FINE\n",
        f"{STATUS}\ndef f(Status):\n    return Status.FINE\n",
        f"{STATUS}\nwith pytest.raises(AttributeError):\n    Status.FINE\n",
        "from elsewhere import Base\n\n\nclass A(Base):\n    x = 1\n\n\nA.objects\n",
        "class A(metaclass=Registry):\n    x = 1\n\n\nA.objects\n",
        "@register\nclass A:\n    x = 1\n\n\nA.objects\n",
        "class B:\n    def run(self): ...\n\n\nclass A(B):\n    x = 1\n\n\nA.run\n",
        "from typing import NamedTuple\n\n\nclass A(NamedTuple):\n    x: int\n\n\nA.x, A._fields, A._make\n",
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass A:\n    x: int = 0\n\n\nA.x\n",
        "class A:\n    @classmethod\n    def load(cls):\n        cls.cache = {}\n\n\nA.cache\n",
        "class A(dict):\n    x = 1\n\n\nA.fromkeys('a')\n",
        "class A:\n    def __init_subclass__(cls): ...\n\n\nclass B(A): ...\n\n\nB.made\n",
    ],
)
def test_what_a_class_may_have_by_other_means_is_left_alone(text: str) -> None:
    assert brought({}, {"a.py": text}) == []
