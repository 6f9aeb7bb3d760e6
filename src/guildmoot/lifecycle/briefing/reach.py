"""Which files of the codebase a piece of work is about: those that it names, else those whose names fit. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from guildmoot.guard.commands.words import names
from guildmoot.guard.injection import find_injections
from guildmoot.lifecycle.named_places import places_of
from guildmoot.memory.codebase.codebase import Codebase
from guildmoot.memory.codebase.graph import is_test
from guildmoot.text.clean import count, one_line
from guildmoot.text.patterns import lazy

_WORD = lazy(r"[a-z]{3,}|[A-Z][a-z]+")
_PLAIN = names("""add adds all and any are can for from has have how into its lists make makes new not now one our out
    page pages read see should show shows that the their them then they this use used user users want what when which
    who will with work works write you your""")
"""Words that say nothing of where the work is."""
_FEWEST, _RARE, _TOLD = 2, 8, 4
_TEST_FOLDERS = ("tests", "test", "specs", "spec", "__tests__", "e2e")
_PLACES = 4
"""Places of tests that a lane is given at most."""
_PARTING = lazy(r"[-_./\\+]+|(?<=[a-z])(?=[A-Z])")


def names_order(path: str) -> bool:
    """Whether the name of a file or folder gives orders to a model, written with spaces or with dashes."""
    return bool(find_injections(path) or find_injections(_PARTING.sub(" ", path)))


def named_files(text: str, files: Iterable[str]) -> list[str]:
    """Files that a text names, or that lie below a folder it names."""
    words = (word.strip("`'\"(),.;:") for word in text.split())
    places = {word.rstrip("/*") for word in words if "/" in word or "." in word} - {""}
    return [path for path in files if not places.isdisjoint(_above(path))] if places else []


def _above(path: str) -> Iterable[str]:
    """The file, and each folder that it lies in."""
    yield path
    while path := path.rpartition("/")[0]:
        yield path


def files_tested(text: str, codebase: Codebase) -> list[str]:
    """Files whose tests a text names, as the command of a criterion does."""
    tests = set(named_files(text, filter(is_test, codebase.files)))
    return [path for path, file in codebase.files.items() if not tests.isdisjoint(file.tests)]


def places_of_tests(commands: Iterable[str], files: Iterable[str]) -> tuple[str, ...]:
    """Where tests lie or are to lie: by the commands that run them, else by those that are there, else ``tests/``."""
    known = [path for path in files if is_test(path)]
    words = [word.strip("'\"") for command in commands for word in command.split()]
    named = [word.removeprefix("./") for word in words if not word.startswith("-")]
    asked = [word for word in named if "/" in word or word in ("tests", "specs")]
    shown = [_test_place(path) for path in asked if _test_place(path)]
    there = [_test_place(path) or _test_pattern(path) for path in known]
    common = [place for place, _ in Counter(there).most_common(_PLACES)]
    return tuple(dict.fromkeys((*shown, *common)))[:_PLACES] or ("tests/",)


def _test_place(path: str) -> str:
    """The part of a path up to the folder of tests; empty where it names none."""
    parts = path.rstrip("/").split("/")
    at = next((at for at, part in enumerate(parts) if part in _TEST_FOLDERS), None)
    return "" if at is None else "/".join(parts[: at + 1]) + "/"


def _test_pattern(path: str) -> str:
    """The names of tests that lie beside the code."""
    name, dot, ending = path.rpartition("/")[2].rpartition(".")
    for mark in ("_test", ".test", ".spec", "_spec", "Tests", "Test", "Spec"):
        if name.endswith(mark):
            return f"*{mark}{dot}{ending}"
    return f"*test_*{dot}{ending}"


def files_about(text: str, codebase: Codebase, most: int) -> list[str]:
    """Files whose names hold several telling words of a text, or one that few names hold; the nearest first.

    A word weighs more the fewer names hold it; what weighs less than half of the nearest is none; tests come last.
    """
    asked = _stems(text)
    code = [path for path, file in codebase.files.items() if file.facts.kind == "code"]
    shared = {path: words for path in code if (words := asked & _stems(path))}
    common = Counter(word for words in shared.values() for word in words)
    weight = {word: math.log2(1 + len(code) / held) for word, held in common.items()}
    near = {
        path: sum(weight[word] for word in words)
        for path, words in shared.items()
        if len(words) >= _FEWEST or any(common[word] <= _RARE for word in words)
    }
    least = max(near.values(), default=0) / 2
    kept = [path for path, weighs in near.items() if weighs >= least]
    kept.sort(key=lambda path: (is_test(path), -near[path], -codebase.files[path].risk, path))
    return kept[:most]


def _stems(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return {word.removesuffix("s").removesuffix("e") for word in words if word not in _PLAIN}


def files_reached(codebase: Codebase) -> Callable[[str], int | None]:
    """How many files a scope reaches: those that it names, and what depends on them."""

    def reach(scope: str) -> int | None:
        named = named_files(" ".join(places_of(scope)), codebase.files)
        return len({*named, *codebase.blast_radius(named)}) if named else None

    return reach


def reach_words(bounds: str, goal: str, codebase: Codebase) -> str:
    """What a plan tells of the codebase: the files in question, what depends on them, where care is due."""
    named = named_files(bounds, codebase.files)
    about = named or files_about(goal, codebase, len(codebase.files))
    plain = [path for path in about if not names_order(path)]
    if not plain:
        return ""
    after = codebase.blast_radius(plain) - set(plain)
    ranked = sorted(plain, key=lambda path: (-codebase.files[path].risk, path))
    risky = [
        f"{one_line(path)} ({codebase.files[path].risk:g}, {count(len(codebase.files[path].tests), 'test')})"
        for path in ranked[:_TOLD]
        if codebase.files[path].risk
    ]
    many = count(len(plain), "file")
    how = f"The spec names {many}" if named else f"By their names {many} may be meant"
    told = f"{how}; what depends on them: {count(len(after), 'file')}."
    return f"{told} Most at risk: {', '.join(risky)}." if risky else told
