"""Which file an import means, and which files a test is about. Pure: only names are looked at."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from guildmoot.memory.codebase.facts import FileFacts

_SCRIPT_ENDS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json")
_SCRIPT_INDEX = ("/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata)/|(?:^|/)test_[^/]+$|[._-](?:test|spec|tests)\.\w+$"
    r"|(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|swift|cs|groovy|php)$|_(?:test|spec)\.\w+$|(?:^|/)conftest\.py$"
)
_AFFIX = re.compile(r"^tests?_|[._-]?(?:tests?|spec|specs)$|(?:Tests?|Spec|IT)$")


def is_test(path: str) -> bool:
    """Whether a path is that of a test or of what tests use."""
    return bool(_TEST.search(path))


class ImportIndex:
    """Finds the file that an import means among those of the repository."""

    def __init__(self, paths: Iterable[str], go_module: str = "") -> None:
        self._paths = frozenset(paths)
        self._go = go_module
        self._folders: dict[str, list[str]] = defaultdict(list)
        self._by_suffix: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            self._folders[posixpath.dirname(path)].append(path)
            bare = posixpath.splitext(path)[0].removesuffix("/__init__").removesuffix("/mod")
            parts = bare.split("/")
            for depth in range(1, min(len(parts), 6) + 1):
                self._by_suffix["/".join(parts[-depth:])].append(path)

    def resolve(self, path: str, facts: FileFacts) -> set[str]:
        """The files of the repository that this one imports."""
        find = {
            "Python": self._python, "Go": self._go_package, "Rust": self._rust, "Ruby": self._ruby,
            "C": self._include, "C++": self._include, "Objective-C": self._include,
            "Java": self._dotted, "Kotlin": self._dotted, "Scala": self._dotted,
            "Groovy": self._dotted, "PHP": self._php,
        }.get(facts.language, self._script)  # fmt: skip
        found = {each for name in facts.imports for each in find(path, name)}
        return found - {path}

    def _suffix(self, name: str, ends: tuple[str, ...], near: str) -> list[str]:
        """The one file whose path ends so; of several those nearest, and none when that is not clear."""
        found = [each for each in self._by_suffix.get(name, ()) if each.endswith(ends)]
        if len(found) < 2:
            return found
        shared = {each: len(posixpath.commonprefix((each, near))) for each in found}
        best = [each for each in found if shared[each] == max(shared.values())]
        return best if len(best) == 1 else []

    def _python(self, path: str, written: str) -> list[str]:
        module, _, name = written.partition(":")
        dots = len(module) - len(module.lstrip("."))
        rest = module.lstrip(".").replace(".", "/")
        if dots:
            base = posixpath.dirname(path)
            for _ in range(dots - 1):
                base = posixpath.dirname(base)
            rest = posixpath.join(base, rest) if rest else base
            tries = [
                f"{rest}/{name}.py",
                f"{rest}/{name}/__init__.py",
                f"{rest}.py",
                f"{rest}/__init__.py",
            ]
            return [each for each in tries if each in self._paths][:1]
        deeper = self._suffix(f"{rest}/{name}", (".py",), path) if name else []
        return deeper or self._suffix(rest, (".py",), path)

    def _script(self, path: str, written: str) -> list[str]:
        if not written.startswith((".", "@/", "~/")):
            return []
        base = posixpath.dirname(path) if written.startswith(".") else "src"
        wanted = posixpath.normpath(
            posixpath.join(base, written.removeprefix("@/").removeprefix("~/"))
        )
        bare = re.sub(r"\.(?:js|mjs|cjs|jsx)$", "", wanted)
        tries = [wanted + end for end in _SCRIPT_ENDS] + [
            bare + end for end in (*_SCRIPT_ENDS, *_SCRIPT_INDEX)
        ]
        return [each for each in tries if each in self._paths][:1]

    def _go_package(self, _path: str, written: str) -> list[str]:
        if not self._go or not (written + "/").startswith(self._go + "/"):
            return []
        folder = written.removeprefix(self._go).strip("/")
        return [p for p in self._folders.get(folder, ()) if p.endswith(".go") and not is_test(p)]

    def _dotted(self, path: str, written: str) -> list[str]:
        name = written.removesuffix(".*").replace(".", "/")
        ends = (".java", ".kt", ".scala", ".groovy")
        return self._suffix(name, ends, path) or self._suffix(posixpath.dirname(name), ends, path)

    def _rust(self, path: str, written: str) -> list[str]:
        folder, name = posixpath.split(path)
        stem = posixpath.splitext(name)[0]
        inside = folder if stem in ("main", "lib", "mod") else posixpath.join(folder, stem)
        if written.startswith("mod:"):
            mod = written.removeprefix("mod:")
            tries = [f"{inside}/{mod}.rs", f"{inside}/{mod}/mod.rs"]
            return [each.lstrip("/") for each in tries if each.lstrip("/") in self._paths][:1]
        parts = [part for part in written.split("::") if part]
        if parts[0] == "crate":
            src = path[: path.rfind("src/") + 4] if "src/" in path else ""
            parts = parts[1:]
        else:
            src = posixpath.dirname(inside) + "/" if parts[0] == "super" else inside + "/"
            parts = parts[1:]
        for depth in range(len(parts), 0, -1):
            wanted = src + "/".join(parts[:depth])
            for each in (f"{wanted}.rs", f"{wanted}/mod.rs"):
                if each in self._paths:
                    return [each]
        return []

    def _ruby(self, path: str, written: str) -> list[str]:
        if written.startswith("./"):
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
            return [each for each in (wanted, f"{wanted}.rb") if each in self._paths][:1]
        return self._suffix(written.removesuffix(".rb"), (".rb",), path) if "/" in written else []

    def _include(self, path: str, written: str) -> list[str]:
        near = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
        if near in self._paths:
            return [near]
        bare, end = posixpath.splitext(posixpath.normpath(written))
        return self._suffix(bare, (end,), path) if end else []

    def _php(self, path: str, written: str) -> list[str]:
        if written.endswith(".php"):
            near = posixpath.normpath(posixpath.join(posixpath.dirname(path), written.lstrip("/")))
            return [near] if near in self._paths else []
        parts = written.strip("\\").split("\\")
        for start in range(len(parts)):
            found = self._suffix("/".join(parts[start:]), (".php",), path)
            if found:
                return found
        return []


def tests_by_file(
    imports: Mapping[str, Iterable[str]], paths: Iterable[str]
) -> dict[str, set[str]]:
    """The tests of each file: those that import it, and those that bear its name."""
    tests: dict[str, set[str]] = defaultdict(set)
    stems: dict[str, list[str]] = defaultdict(list)
    known = list(paths)
    for path in known:
        if not is_test(path):
            stems[_stem(path)].append(path)
    for path in known:
        if is_test(path):
            for about in imports.get(path, ()):
                if not is_test(about):
                    tests[about].add(path)
            named = stems.get(
                _AFFIX.sub("", posixpath.splitext(posixpath.basename(path))[0]).lstrip("_"), []
            )
            if about := _nearest(path, named):
                tests[about].add(path)
    return dict(tests)


def _nearest(test: str, named: list[str]) -> str:
    """The one file that a test is named after: of several the one whose folders are most alike; empty in doubt."""
    if len(named) < 2:
        return "".join(named)
    of = posixpath.dirname(test).split("/")

    def alike(path: str) -> tuple[bool, int, int]:
        parts = posixpath.dirname(path).split("/")
        same = posixpath.splitext(path)[1] == posixpath.splitext(test)[1]
        return same, _shared(of[::-1], parts[::-1]), _shared(of, parts)

    first, second = sorted(named, key=alike, reverse=True)[:2]
    return first if alike(first) > alike(second) and alike(first)[1] else ""


def _shared(one: list[str], other: list[str]) -> int:
    """How many parts two paths begin with together."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].lstrip("_")


def dependents(imports: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """Who imports each file, directly."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, targets in imports.items():
        for target in targets:
            found[target].add(path)
    return dict(found)


def reach(start: Iterable[str], by: Mapping[str, Iterable[str]]) -> set[str]:
    """All that depends on some files, however far away, the files themselves left out."""
    begun = set(start)
    found: set[str] = set()
    todo = list(begun)
    while todo:
        for each in by.get(todo.pop(), ()):
            if each not in found and each not in begun:
                found.add(each)
                todo.append(each)
    return found
