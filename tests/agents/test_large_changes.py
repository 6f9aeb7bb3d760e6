"""A change of many files takes as much longer as it has more files, and not its square."""

from __future__ import annotations

import time

from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names

_METHODS = "".join(f"  int m{n}(int a) {{ return a + {n}; }}\n" for n in range(12))


def seconds(files: int) -> float:
    """Processor time of a change that touches so many files of one package."""
    before = {f"a/T{n}.java": f"package a;\nclass T{n} {{\n{_METHODS}}}\n" for n in range(files)}
    after = {path: text.replace("a + 3", "a - 3") for path, text in before.items()}
    began = time.process_time()
    assert not list(lost_names(ChangedCode(before, after, lambda path: "", lambda word: [])))
    return time.process_time() - began


def test_four_times_the_files_take_about_four_times_as_long() -> None:
    seconds(5)  # the grammar is loaded
    few = min(seconds(25) for _ in range(3))
    assert min(seconds(100) for _ in range(3)) < few * 8
