"""What a change takes away from the tests that judge it, file by file, in words. Pure.

A lane that makes its tests weaker can make them pass: that is a person's to agree to, whatever the commands say.
"""

from __future__ import annotations

import ast
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from guildmoot.lifecycle.named_places import is_inside
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.claims import may_places, scope_places
from guildmoot.lifecycle.proof.weakening.code_names import CodeNames, code_names
from guildmoot.lifecycle.proof.weakening.other_compare import weaker_others
from guildmoot.lifecycle.proof.weakening.other_rigging import SCRIPTS, own_names, rigged_script
from guildmoot.lifecycle.proof.weakening.other_tests import count_tests
from guildmoot.lifecycle.proof.weakening.outdated import outdated
from guildmoot.lifecycle.proof.weakening.places import is_emptied, is_hidden, shadowed
from guildmoot.lifecycle.proof.weakening.python_compare import (
    said_marks,
    weaker_helpers,
    weaker_tests,
)
from guildmoot.lifecycle.proof.weakening.python_tests import is_collected, parsed, read_python
from guildmoot.lifecycle.proof.weakening.python_walk import Function
from guildmoot.lifecycle.proof.weakening.rigging import rigged
from guildmoot.lifecycle.proof.weakening.settings import (
    changed_setting,
    is_script,
    is_setting,
)
from guildmoot.memory.codebase.graph import is_test
from guildmoot.text.clean import clean, one_line
from guildmoot.text.patterns import lazy

Sides = Mapping[str, tuple[str | None, str | None]]
"""The text of a file before and after; None where it is not there."""
_NAMED = 3
_TEST_NAME = lazy(r"(?:^|/)(?:tests?\.\w+|test[A-Z]\w*\.py)$")
"""Names that runners look for, beside those of a test folder."""
_NO_TESTS = (
    ".md",
    ".txt",
    ".json",
    ".yaml",
    ".yml",
    ".toml",
    ".csv",
    ".xml",
    ".html",
    ".snap",
    ".lock",
)


_CODE = (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".kt", ".rb", ".php", ".cs", ".c",
         ".cc", ".cpp", ".h", ".swift", ".pm", ".sh")  # fmt: skip


class Weakened(NamedTuple):
    """What a change does to one file that judges."""

    path: str
    said: str
    kind: Literal["tests", "setting"]

    @property
    def text(self) -> str:
        """As a person reads it."""
        return one_line(clean(f"{self.path}: {self.said}"))


def is_looked_at(path: str, commands: Iterable[str]) -> bool:
    """Whether a file may judge the work: a test, what it tests, what says which are run, what a command names."""
    judges = _is_test(path) or is_setting(path) or path.endswith(_CODE)
    return judges or bool(_command_of(path, _named_files(commands)))


def _is_test(path: str) -> bool:
    return is_test(path) or bool(_TEST_NAME.search(path))


def weakened(
    sides: Sides, commands: Sequence[str], tree: Iterable[str] = ()
) -> tuple[Weakened, ...]:
    """What a change takes away from tests, of which the repository may hold more (``tree``)."""
    named = _named_files(commands)
    tests = {path: texts for path, texts in sides.items() if _is_test(path)}
    judged = any(_is_test(each) for each in tree) or any(before for before, _ in tests.values())
    code = [t for p, t in sides.items() if p.endswith(".py") and p not in tests]
    names = code_names((t for t, _ in code if t), (t for _, t in code if t))
    there = {*tree, *(path for path, (_, after) in sides.items() if after is not None)}
    seen = _found_by_runners(tests, there, commands)
    found = [
        *_python(
            {p: t for p, t in seen.items() if p.endswith(".py")}, names, there if tree else ()
        ),
        *_others(
            {p: t for p, t in seen.items() if not p.endswith((".py", *_NO_TESTS))},
            {p: t for p, t in sides.items() if p not in tests and p.endswith(_CODE[1:])},
        ),
        *(Weakened(p, "it is empty now", "tests") for p, t in tests.items() if is_emptied(p, *t)),
    ]
    for path, (before, after) in tests.items():
        if before is None and after is not None and (code_path := shadowed(path, there)):
            found.append(Weakened(path, f"it may take the place of {code_path}", "tests"))
    told = {each.path for each in found}
    found += [each for each in _rigged(sides) if each.path not in told]
    told |= {each.path for each in found} | {
        p for p, (text, _) in tests.items() if _has_tests(p, text)
    }
    for path, (before, after) in sides.items():
        if before == after:
            continue
        if is_setting(path) and (before is not None or judged):
            said = changed_setting(path, before, after)
            found += [Weakened(path, said, "setting")] if said else []
        elif before is not None and path not in told and is_script(path):
            command = _command_of(path, named)
            said = f"`{command}` runs it, and it changed"
            found += [Weakened(path, said, "setting")] if command else []
    parsed.cache_clear()
    return tuple(dict.fromkeys(found))


def outdated_tests(sides: Sides) -> frozenset[str]:
    """Tests whose subject a change takes away, moves or calls otherwise: as they stood they cannot be run."""
    tests = {path: texts for path, texts in sides.items() if _is_test(path)}
    code = {p: t for p, t in sides.items() if p not in tests and p.endswith(_CODE)}
    return outdated(tests, code)


def not_agreed(
    found: Iterable[Weakened], lane: Lane, allowed: Sequence[str] = ()
) -> tuple[tuple[Weakened, ...], tuple[Weakened, ...]]:
    """What nobody agreed to, and what somebody did: a person of the place, or the plan of this very file.

    A scope says where a lane works; that it may make tests weaker there only what it may do without asking says.
    """
    sure = {each.removeprefix("./") for each in may_places(lane)}
    scope = sure | {each.removeprefix("./") for each in scope_places(lane)}
    asked: list[Weakened] = []
    agreed: list[Weakened] = []
    for each in found:
        fine = each.path in (sure if each.kind == "tests" else scope)
        by_person = any(is_inside(each.path, place) for place in allowed)
        (agreed if fine or by_person else asked).append(each)
    return tuple(asked), tuple(agreed)


def _has_tests(path: str, text: str | None) -> bool:
    """Whether tests were found in a file, so that a change of it is known by them."""
    if path.endswith(".py"):
        return bool((read := read_python(path, text or "")) and read.tests)
    other = count_tests(path, text or "")
    return bool(other.tests or (path.endswith((".sh", ".bash")) and other.checks))


def _named_files(commands: Iterable[str]) -> dict[str, str]:
    """The words of commands that may be files, each with its command."""
    found: dict[str, str] = {}
    for command in commands:
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        parts = (
            part for word in words for part in (word, *word.split())
        )  # of `sh -c "..."` as well
        found |= {part.removeprefix("./"): command for part in parts if not part.startswith("-")}
    return found


def _command_of(path: str, named: Mapping[str, str]) -> str:
    """The command that names a file, from where it lies or from the top; empty where none does."""
    name = path.rpartition("/")[2]
    return named.get(path, "") or (named.get(name, "") if "." in name else "")


def _found_by_runners(tests: Sides, tree: Collection[str], commands: Sequence[str]) -> Sides:
    """Tests without new files in which a runner that found those that are gone finds none."""
    gone = [path for path, (_, after) in tests.items() if after is None]
    if not gone:
        return tests
    return {
        path: (before, after)
        for path, (before, after) in tests.items()
        if before is not None or not is_hidden(path, gone, tree, commands)
    }


def _python(sides: Sides, names: CodeNames, tree: Collection[str]) -> list[Weakened]:
    earlier = _functions(text for text, _ in sides.values())
    later = _functions(text for _, text in sides.values())
    had = {
        path: read_python(path, text, names.renamed, earlier)
        for path, (text, _) in sides.items()
        if text is not None
    }
    has = {
        path: read_python(path, text, {}, later)
        for path, (_, text) in sides.items()
        if text is not None
    }
    told = weaker_tests(had, has, names.lost, tree)
    for path, before in had.items():
        if before is None:
            continue
        after, there = has.get(path), sides[path][1] is not None
        if after is None and there and (before.tests or before.helpers):
            told[path] = ["it cannot be read as Python any more"]
        elif after is not None:
            told[path] += [*weaker_helpers(before, after), *said_marks(before.marks, after.marks)]
        elif not told[path] and not there and path.endswith(("/__init__.py", "conftest.py")):
            told[path] = ["it is gone, and tests may not be found or run without it"]
    for path, file in has.items():
        if file and path not in had:
            marks = {} if is_collected(path) else file.marks
            told[path] = said_marks(Counter(), Counter(marks))
    return [Weakened(path, _some(each), "tests") for path, each in told.items() if each]


def _functions(texts: Iterable[str | None]) -> dict[str, Function]:
    """The functions of some files, which others of them may import."""
    modules = [parsed(text) for text in texts if text]
    rows = [row for module in modules if module for row in module.body]
    return {
        row.name: row for row in rows if isinstance(row, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def _rigged(sides: Sides) -> list[Weakened]:
    """What makes a run of tests end well whatever the code does, where it was not before."""
    found = []
    for path, (before, after) in sides.items():
        if after is None or not path.endswith((".py", *SCRIPTS)):
            continue
        test, look = _is_test(path), rigged if path.endswith(".py") else rigged_script
        had = look(path, before or "", test=test)
        told = [f"it holds {each}" for each in look(path, after, test=test) - had]
        if test and before and look is rigged_script:
            told += own_names(path, before, after)
        found += [Weakened(path, _some(told), "tests")] if told else []
    return found


def _others(tests: Sides, code: Sides) -> list[Weakened]:
    told = weaker_others(tests, code)
    return [Weakened(path, _some(each), "tests") for path, each in told.items() if each]


def _some(told: Sequence[str]) -> str:
    more = len(told) - _NAMED
    return "; ".join(told[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
