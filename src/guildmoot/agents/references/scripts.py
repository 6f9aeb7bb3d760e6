"""What a script imports by a relative path. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.references.tree import BothTrees, Reference, beside
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_WRITTEN_BY_BUILDS = re.compile(
    r"(?:^|/)(?:dist|build|out|lib|es|esm|cjs|umd|target|pkg|generated|__generated__|gen|node_modules|coverage|\.[\w-]+)/"
)
_COMPILED = re.compile(r"\.([cm]?)js(x?)$")
_LOADERS = ("require", "import", "require.resolve")


def script_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Its relative imports, exports and requires."""
    tree = parse(language_of(path).name, path, text.encode("utf-8", "surrogatepass")).tree
    if tree is None:
        return
    for node in walk(tree.root_node):
        if node.type in ("import_statement", "export_statement", "import_require_clause"):
            source = node.child_by_field_name("source")
            if source is not None:
                yield from _named(path, source, certain=True)
        elif node.type == "call_expression":
            called = node.child_by_field_name("function")
            given = node.child_by_field_name("arguments")
            if called is None or given is None or text_of(called) not in _LOADERS:
                continue
            first = given.named_children[:1]
            if len(given.named_children) == 1 and first[0].type == "string":
                yield from _named(path, first[0], certain=not _is_guarded(node))


def _is_guarded(node: Node) -> bool:
    """Whether somebody may catch its failure, or it may never be reached."""
    parent = node.parent
    while parent is not None:
        if parent.type in (
            *("try_statement", "if_statement", "ternary_expression", "catch_clause"),
            *("binary_expression", "function_declaration", "arrow_function", "method_definition"),
            *("function_expression", "function"),
        ):
            return True
        if parent.type == "call_expression" and "catch" in text_of(parent)[-400:]:
            return True
        parent = parent.parent
    return False


def _named(path: str, source: Node, *, certain: bool) -> Iterator[Reference]:
    written = text_of(source).strip("\"'`")
    bare = written.partition("?")[0]
    if not f"{bare}/".startswith(("./", "../")) or "$" in bare or "!" in bare:
        return
    whole = beside(path, bare)
    inside = whole in ("", ".")
    index = "index.*" if inside else f"{whole}/index.*"
    targets = [index, "package.json" if inside else f"{whole}/package.json"]
    if not inside:
        targets += [whole, f"{whole}.*"]
        if _COMPILED.search(whole):
            targets.append(_COMPILED.sub(".*", whole))
    sure = certain and not _WRITTEN_BY_BUILDS.search(f"{whole}/")
    yield Reference(line_of(source), written, tuple(targets), sure, certain)
