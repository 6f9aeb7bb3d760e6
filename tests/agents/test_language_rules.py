"""What a change of one language costs: the rules of another are not even loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from guildmoot.agents.parsing.changed_code import ChangedCode
from guildmoot.agents.parsing.changed_names import lost_names
path, before, after = sys.argv[1:]
change = ChangedCode({path: before}, {path: after}, lambda path: "", lambda word: [], None)
list(lost_names(change))
print(*(name.removeprefix("guildmoot.agents.") for name in sys.modules))
"""
OWN = ("php.", "ruby.", "members.typed.java", "members.typed.scripts", "scopes.java", "scopes.rust")


def loaded(path: str, before: str, after: str) -> list[str]:
    argv = [sys.executable, "-c", SCRIPT, path, before, after]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return [name for name in said.split() if name.startswith(OWN)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.go", "package main\n\nfunc main() {}\n"),
        ("main.js", "export const a = 1;\n"),
    ],
)
def test_rules_of_other_languages_are_not_loaded(path: str, text: str) -> None:
    assert not loaded(path, text, text + "\n\n")


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("a.php", "<?php\nfunction a() { return 1; }\n", "php.losses"),
        ("a.rb", "def a\n  1\nend\n", "ruby.losses"),
        ("A.java", "class A { int a; }\n", "members.typed.java"),
    ],
)
def test_rules_of_the_own_language_are(path: str, text: str, rule: str) -> None:
    assert rule in loaded(path, text, text + "\n\n")
