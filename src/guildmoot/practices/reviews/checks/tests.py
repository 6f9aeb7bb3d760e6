"""Whether the code that is judged has tests: by the names of files, or because a test mentions it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guildmoot.model.packet import PacketFile
from guildmoot.practices.reviews.checks.model import Checked, Look, some
from guildmoot.text.globs import matches

NAME = "tests present"
_CODE = (
    *("*.py", "*.js", "*.jsx", "*.ts", "*.tsx", "*.mjs", "*.go", "*.rs", "*.rb", "*.java", "*.kt"),
    *("*.cs", "*.c", "*.cc", "*.cpp", "*.php", "*.swift", "*.scala", "*.ex"),
)
_TESTS = (
    *("test_*.*", "*_test.*", "*_tests.*", "*.test.*", "*.spec.*", "*_spec.*", "conftest.py"),
    *("*Test.*", "*Tests.*", "test/", "tests/", "__tests__/", "spec/", "testdata/", "fixtures/"),
)
_NO_SUBJECT = ("__init__", "__main__", "__version__", "version", "setup", "conf", "settings")
_INSIDE = re.compile(r"#\[(?:cfg\()?test\)?\]|^\s*>>> ", re.MULTILINE)
"""Tests within the file itself: Rust's, and doctests."""


def is_test(path: str) -> bool:
    """Whether a file belongs to the tests, going by its name and folders."""
    return matches(path, _TESTS)


def check_tests(files: Sequence[PacketFile], look: Look) -> Checked:
    """Every code file among ``files`` needs a test somewhere in the repository."""
    subjects = [file for file in files if _is_subject(file.path)]
    if not subjects:
        return Checked(NAME, "skipped", "no code that would need tests")
    tests = [path for path in look.files if is_test(path)]
    stems = {stem for path in tests for stem in _subjects_of(path)}
    bare = [file.path for file in subjects if not _is_tested(file, stems, look)]
    if not bare:
        return Checked(NAME, "ok", f"all {len(subjects)} code files have tests")
    detail = f"{len(bare)} of {len(subjects)} code files have none: {some(bare)}"
    return Checked(NAME, "warn", detail, tuple(f"no test for {path}" for path in bare))


def _is_subject(path: str) -> bool:
    return matches(path, _CODE) and not is_test(path) and _stem(path) not in _NO_SUBJECT


def _is_tested(file: PacketFile, stems: set[str], look: Look) -> bool:
    stem = _stem(file.path)
    if stem.casefold() in stems or _INSIDE.search(file.text):
        return True
    return any(is_test(path) for path in look.mentions(stem))


def _subjects_of(path: str) -> set[str]:
    """What a test file is about, by its name: ``test_prices``, ``prices.spec``, ``PricesTest``."""
    stem = _stem(path)
    plain = re.sub(r"^test[_-]|[_.-](?:tests?|spec)$|(?<=[a-z0-9])Tests?$", "", stem)
    return {plain.casefold()} if plain != stem else set()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]
