"""All rules of a language on one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.rules.lines import search_lines
from guildmoot.agents.rules.model import Defect, TreeRule, search
from guildmoot.text.globs import matches
from guildmoot.text.patterns import lazy
from guildmoot.text.places import EXAMPLES, FIXTURES, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Tree

# Loaded when a file of the language is there: each costs some milliseconds.
_SCRIPTS = ("conditions", "flow", "scripts", "texts")
_MODULES = {
    "JavaScript": _SCRIPTS,
    "TypeScript": _SCRIPTS,
    "TSX": _SCRIPTS,
    "Go": ("conditions", "flow", "locks", "golang", "texts"),
    "Java": ("conditions", "flow", "locks", "java", "texts"),
    "C": ("conditions", "flow", "locks", "cfamily"),
    "C++": ("conditions", "flow", "locks", "cfamily"),
    "Rust": ("conditions", "rust", "texts"),
    "PHP": ("conditions", "flow", "webscripts"),
    "Ruby": ("conditions", "flow", "locks", "webscripts"),
    "Shell": ("shell",),
    **dict.fromkeys(("C#", "Kotlin", "Swift", "Scala", "Elixir", "Lua", "PowerShell"), ("others",)),
    "Terraform": ("terraform",),
}
_DOCUMENTS = {"Dockerfile": "dockerfiles", "GitHub workflow": "workflows", "SQL": "statements"}
_DATA = {"YAML": "manifests"}
RULED = frozenset((*_MODULES, *_DOCUMENTS))
"""The languages that have rules."""
_MOST = 4_000_000
_LONG = 500
"""Letters from which on a program wrote a line, or somebody who hides what is on the others."""
_GRAVE = lazy(r".+-(?:from|of)-input|.+-injection")
"""What is told of such lines, too: programs that shorten code write odd conditions, but hand no input on."""


# Where advice is not wanted: tests do odd things on purpose, and others' code is not mended here.
_QUIET = (
    *(
        *TESTS,
        *EXAMPLES,
        *FIXTURES,
        "*test.*",
        "*tests.*",
        "vendor/",
        "vendored/",
        "third_party/",
        "node_modules/",
        "dist/",
    ),
    *(
        "deps/",
        "external/",
        "bower_components/",
        "*.min.js",
        "*.bundle.js",
        "_static/",
        "*_pb.js",
        "*.pb.go",
        "generated/",
    ),
)
_NO_EXAMPLE = lazy(r"/(?:com|org|net)/example/")
_CPLUSPLUS = lazy(
    rb"^[ \t]*(?:namespace\b|template\s*<|class\s+\w+\s*[:{;]|using\s+\w)|\bstd::|\boperator\b",
    re.MULTILINE,
)


def defects(name: str, path: str, data: bytes, tree: Tree | None = None) -> list[Defect]:
    """What the rules find in a file that parses, in the order of its lines, each code once a line.

    Where only another reading of the file parses, the rules look at what of it the grammar understood.
    """
    if name == "C" and path.endswith(".h") and _CPLUSPLUS.search(data):
        name, tree = "C++", None
    found = list({(each.line, each.code): each for each in _found(name, data, tree)}.values())
    if _is_packed(data):
        rows = [len(row) > _LONG for row in data.split(b"\n")]
        found = [d for d in found if _GRAVE.fullmatch(d.code) or not any(rows[d.line - 1 : d.line])]
    quiet = matches(_NO_EXAMPLE.sub("/", path.lower()), _QUIET)
    return sorted(each for each in found if each.weight == "ERROR" or not quiet)


@lru_cache(maxsize=32)
def tree_rules(name: str) -> tuple[TreeRule, ...]:
    """The rules on trees of a language."""
    every = (rule for module in _MODULES.get(name, ()) for rule in _module(module).RULES)
    return tuple(rule for rule in every if name in rule.languages)


def _module(name: str) -> ModuleType:
    return import_module(f"guildmoot.agents.rules.{name}")


def _found(name: str, data: bytes, tree: Tree | None) -> Iterator[Defect]:
    text = data.decode("utf-8", "replace")
    if module := _DOCUMENTS.get(name) or _DATA.get(name):
        yield from _module(module).search_text(text)
    yield from search_lines(name, text)
    if name in _MODULES and len(data) <= _MOST:
        tree = tree or parser(name).parse(data)
        yield from search(tree_rules(name), name, tree.root_node)


def _is_packed(data: bytes) -> bool:
    """Whether a program wrote it on a few long lines."""
    return len(data) > 5_000 and len(data) / (data.count(b"\n") + 1) > _LONG
