"""The floor plan in figures, now and at an earlier commit.

    python benchmarks/house.py [COMMIT]

Counts what makes a tree hard to find one's way in. It reads source as text and syntax; only the row of
loaded modules runs the program, and only the present one.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BACKEND_TEST = re.compile(r"backend\)? *(==|!=|in|not in) [\"'(A-Z_]")
THIN = 130
"""Lines up to which a module with one importer in its own folder is half a story."""


def main() -> None:
    """Print the figures, beside those of an earlier commit when one is named."""
    columns = {"now": figures(ROOT)}
    if sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            packed = subprocess.run(
                ["git", "archive", sys.argv[1], "src"], cwd=ROOT, check=True, capture_output=True
            ).stdout
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(folder, filter="data")
            columns = {sys.argv[1][:12]: figures(Path(folder)), **columns}
    columns["now"]["modules that guild validate loads"] = str(loaded())
    print(" " * 58 + "".join(f"{name:>16}" for name in columns))
    for row in columns["now"]:
        print(f"{row:<58}" + "".join(f"{column.get(row, '-'):>16}" for column in columns.values()))


def figures(root: Path) -> dict[str, str]:
    """What can be counted without running anything."""
    sources = {path: path.read_text() for path in sorted((root / "src").rglob("*.py"))}
    names = class_names(sources)
    folders = Counter(path.parent.relative_to(root / "src/guildmoot") for path in sources)
    largest, files = folders.most_common(1)[0]
    council = root / "src/guildmoot/practices/council"
    twice = [name for name, count in names.items() if count > 1]
    outside = [text for path, text in sources.items() if "backends" not in path.parts]
    return {
        "lines of source": f"{sum(text.count(chr(10)) for text in sources.values()):,}",
        "files": str(len(sources)),
        "class names defined more than once": str(len(twice)),
        "of them public": str(sum(not name.startswith("_") for name in twice)),
        "files in the largest folder": f"{files} ({largest})",
        f"modules of at most {THIN} lines with one importer beside them": str(thin(root, sources)),
        "tests of a backend's name outside backends/": str(
            sum(len(BACKEND_TEST.findall(text)) for text in outside)
        ),
        "files in practices/council": str(len(list(council.rglob("*.py")))),
    }


def class_names(sources: dict[Path, str]) -> Counter[str]:
    """How often each name of a class at the top of a module is defined."""
    return Counter(
        node.name
        for text in sources.values()
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    )


def thin(root: Path, sources: dict[Path, str]) -> int:
    """Small modules that exactly one module imports, from the same folder."""
    modules = {module_name(root, path): path for path in sources}
    importers: dict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        for wanted in imports(sources[path], set(modules)):
            importers[wanted].add(module)
    return sum(
        len(who := importers[module]) == 1
        and modules[next(iter(who))].parent == path.parent
        and sources[path].count("\n") <= THIN
        and path.name != "__init__.py"
        for module, path in modules.items()
    )


def module_name(root: Path, path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(text: str, known: set[str]) -> Iterator[str]:
    """The modules of ours that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def loaded() -> int:
    """Modules of ours that one real ``guild validate`` imports."""
    program = (
        "import sys; from guildmoot.cli.main import guild\n"
        "sys.argv[1:] = ['validate', 'a.py', '--no-record', '--quiet', '--json']\n"
        "guild(); sys.stderr.write(str(sum(m.split('.')[0] == 'guildmoot' for m in sys.modules)))"
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        Path(folder, "a.py").write_text("A = 1\n")
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True
        )
    return int(done.stderr.split()[-1])


if __name__ == "__main__":
    main()
