"""All rules of a language on one file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.parsing.grammars import GRAMMARS, parser
from guildmoot.agents.rules import (
    cfamily,
    conditions,
    flow,
    golang,
    java,
    locks,
    rust,
    scripts,
    shell,
    terraform,
    texts,
    webscripts,
)
from guildmoot.agents.rules.dockerfiles import search_dockerfile
from guildmoot.agents.rules.lines import search_lines
from guildmoot.agents.rules.model import Defect, search
from guildmoot.agents.rules.statements import search_sql
from guildmoot.agents.rules.workflows import search_workflow
from guildmoot.grounding.harm import EXAMPLES, FIXTURES, TESTS
from guildmoot.text.globs import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Tree

_DOCUMENTS = {
    "Dockerfile": search_dockerfile,
    "GitHub workflow": search_workflow,
    "SQL": search_sql,
}
TREE_RULES = (
    *(
        *conditions.RULES,
        *flow.RULES,
        *locks.RULES,
        *scripts.RULES,
        *golang.RULES,
        *java.RULES,
        *cfamily.RULES,
    ),
    *(*rust.RULES, *webscripts.RULES, *shell.RULES, *terraform.RULES, *texts.RULES),
)
_RULED = frozenset[str]().union(*(rule.languages for rule in TREE_RULES))
_MOST = 1_000_000


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
_NO_EXAMPLE = re.compile(r"/(?:com|org|net)/example/")
_CPLUSPLUS = re.compile(
    rb"^\s*(?:namespace\b|template\s*<|class\s+\w+\s*[:{;]|using\s+\w)|\bstd::|\boperator\b",
    re.MULTILINE,
)


def defects(name: str, path: str, data: bytes, tree: Tree | None = None) -> list[Defect]:
    """What the rules find in a file that parses, in the order of its lines, each code once a line.

    Where only another reading of the file parses, the rules look at what of it the grammar understood.
    """
    if name == "C" and path.endswith(".h") and _CPLUSPLUS.search(data):
        name, tree = "C++", None
    found = {(each.line, each.code): each for each in _found(name, data, tree)}.values()
    quiet = matches(_NO_EXAMPLE.sub("/", path.lower()), _QUIET)
    return sorted(each for each in found if each.weight == "ERROR" or not quiet)


def _found(name: str, data: bytes, tree: Tree | None) -> Iterator[Defect]:
    text = data.decode("utf-8", "replace")
    if name in _DOCUMENTS:
        yield from _DOCUMENTS[name](text)
    yield from search_lines(name, text)
    if name in _RULED and name in GRAMMARS and len(data) <= _MOST and not _is_packed(data):
        tree = tree or parser(name).parse(data)
        yield from search(TREE_RULES, name, tree.root_node)


def _is_packed(data: bytes) -> bool:
    """Whether a program wrote it on a few long lines."""
    return len(data) > 5_000 and len(data) / (data.count(b"\n") + 1) > 500
