"""Names that a change asks another file of the project for, and that are not there. Pure.

What a script imports from a relative path, and what a file of Go asks a package of its own module for.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from guildmoot.agents.parsing.package_names import go_import_names
from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.references.import_paths import meant_path
from guildmoot.named import NamedTuple
from guildmoot.text.languages import language_of
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_OPEN = lazy(
    r"(?m)^\s*export\s*(?:type\s*)?\*|module\.exports|\bexports\.|\bexport\s*=|@flow|declare module"
)
_EXPORTS = lazy(r"(?m)^\s*export\b")
_COMPILED = lazy(r"\.[cm]?jsx?$")
_MOST = 60


class AskedName(NamedTuple):
    """What a file asks for, and of whom."""

    name: str
    line: int
    of: str
    """The file or folder."""


class AroundChange(NamedTuple):
    """How to look at the rest of the repository, as it is after the change."""

    text: Callable[[str], str]
    holds: Callable[[str], list[str]]
    """Files that hold a word."""


def asked_in_vain(path: str, before: str, after: str, around: AroundChange) -> Iterator[AskedName]:
    """What a changed file newly asks for in vain."""
    if path.endswith(_ENDINGS):
        known = (
            {(each.name, each.of) for each in _imports(path, before, around.text)}
            if before
            else set()
        )
        for each in _imports(path, after, around.text):
            found = _module(each.of, around.text) if (each.name, each.of) not in known else None
            if found and not _gives(found[1], each.name):
                yield each._replace(of=found[0])
    elif path.endswith(".go"):
        yield from _go(path, before, after, around)


# Scripts


def _imports(path: str, text: str, read: Callable[[str], str]) -> Iterator[AskedName]:
    """Names of imports from the repository, with the path that is meant."""
    for node in _nodes(path, text):
        source = node.child_by_field_name("source") if node.type == "import_statement" else None
        written = text_of(source).strip("\"'") if source is not None else ""
        whole = meant_path(path, written, read) if written else ""
        if not whole:
            continue
        for each in walk(node):
            name = each.child_by_field_name("name") if each.type == "import_specifier" else None
            if name is not None and text_of(name) != "default":
                yield AskedName(text_of(name), line_of(name), whole)


def _module(whole: str, text: Callable[[str], str]) -> tuple[str, str] | None:
    """The one file that a path means, with its text."""
    bare = _COMPILED.sub("", whole)
    stems = [bare, f"{bare}/index"] if bare == whole else [bare]
    places = [whole] if whole.endswith(_ENDINGS) else []
    places += [f"{stem}{ending}" for stem in stems for ending in _ENDINGS]
    found = {place: said for place in places if (said := text(place))}
    return next(iter(found.items())) if len(found) == 1 else None


def _gives(text: str, name: str) -> bool:
    """Whether a module may export the name."""
    if _OPEN.search(text) or not _EXPORTS.search(text):
        return True
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if not re.search(word, text):
        return False
    groups = re.findall(r"(?s)\bexport\s*(?:type\s*)?\{(.*?)\}", text)
    listed = {each.split(" as ")[-1].strip() for group in groups for each in group.split(",")}
    words = "function|const|let|var|class|interface|type|enum|namespace|import"
    declared = rf"(?m)^\s*export\b(?:\s+\w+)*?\s+(?:{words})\b\*?(?:[^\n]*,)?\s*{word}"
    spread = re.search(r"(?m)^\s*export\s+(?:const|let|var)\s*[\[{]", text)
    return bool(spread or re.search(declared, text)) or name in listed


# Go


def _go(path: str, before: str, after: str, around: AroundChange) -> Iterator[AskedName]:
    """Exported names of packages of the own module that no file of theirs holds."""
    module = _go_module(path, around.text)
    packages: dict[str, str] = {}
    told: set[str] = set()
    for node in _nodes(path, after):
        if node.type == "import_spec":
            written = text_of(node.child_by_field_name("path") or node).strip('"`')
            if module and written.startswith(f"{module[1]}/"):
                folder = posixpath.join(module[0], written[len(module[1]) + 1 :])
                packages |= dict.fromkeys(go_import_names(node), folder)
        elif node.type in ("selector_expression", "qualified_type") and packages:
            first, *_, last = node.named_children
            name, of = text_of(last), packages.get(text_of(first))
            if of is None or name in told or not name[:1].isupper():
                continue
            told.add(name)
            if re.search(rf"\b{name}\b", before):
                continue
            holders = [each for each in around.holds(name) if each.endswith(".go")]
            if all(posixpath.dirname(each) != of for each in holders) and _is_plain(of, around):
                yield AskedName(f"{text_of(first)}.{name}", line_of(node), of)


def _is_plain(folder: str, around: AroundChange) -> bool:
    """Whether the package lies there, and nothing says that more of it is written by a build."""
    name = posixpath.basename(folder)
    here = [each for each in around.holds(name) if posixpath.dirname(each) == folder]
    texts = [around.text(each) for each in here[:_MOST] if each.endswith(".go")]
    return bool(texts) and not any("//go:generate" in text for text in texts)


def _go_module(path: str, text: Callable[[str], str]) -> tuple[str, str] | None:
    folder = posixpath.dirname(path)
    while True:
        found = re.search(r"(?m)^module\s+\"?([^\s\"]+)", text(posixpath.join(folder, "go.mod")))
        if found or not folder:
            return (folder, found[1]) if found else None
        folder = posixpath.dirname(folder)


def _nodes(path: str, text: str) -> Iterator[Node]:
    tree = parse(language_of(path).name, path, text.encode("utf-8", "surrogatepass")).tree
    return walk(tree.root_node) if tree is not None else iter(())


def each_asked(
    before: Mapping[str, str], after: Mapping[str, str], around: AroundChange
) -> Iterator[tuple[str, AskedName]]:
    """Of every changed file."""
    for path, text in sorted(after.items()):
        for found in asked_in_vain(path, before.get(path, ""), text, around):
            yield path, found
