"""What a Python file imports from its own repository. Pure."""

from __future__ import annotations

import ast
import posixpath
import sys
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.python.modules import module_paths
from guildmoot.agents.references.tree import BothTrees, Reference, Tree
from guildmoot.text.patterns import lazy

_MADE = lazy(
    r"(?:^|\.)(?:\w+_(?:pb2|pb2_grpc|rc|ui|version|generated)|_*version|_build\w*|parsetab|generated)$"
)
"""Names that builds give to modules which they write."""
_COMPILED = (".c", ".cc", ".cpp", ".pyx", ".pxd", ".rs", ".f90", ".so", ".in", "meson.build")
_OPEN_ENDED = lazy(r"__path__|declare_namespace|__getattr__|sys\.modules|\bmeta_path\b")
_PLACED = lazy(r"sys\.path\b|\bsite\.addsitedir\b|importlib")


def python_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Its imports, those below ``try`` and conditions as what may be missing."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    placed = _PLACED.search(text) is not None
    for node, firm in _imports(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module(path, alias.name, node.lineno, firm, placed, where)
            continue
        module = "." * node.level + (node.module or "")
        if module.strip("."):
            yield from _module(path, module, node.lineno, firm, placed, where)
        for alias in node.names:
            if alias.name != "*":
                yield from _part(path, module, alias.name, node.lineno, firm, where)


def _imports(
    body: list[ast.stmt], *, firm: bool = True
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, firm
        elif isinstance(node, ast.Try | ast.TryStar):
            yield from _imports([*node.body, *node.orelse], firm=False)
            for handler in node.handlers:
                yield from _imports(handler.body, firm=False)
            yield from _imports(node.finalbody, firm=firm)
        elif isinstance(node, ast.With | ast.AsyncWith):  # also contextlib.suppress
            yield from _imports(node.body, firm=False)
        elif isinstance(node, ast.If):
            yield from _imports([*node.body, *node.orelse], firm=False)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from _imports(case.body, firm=False)
        elif hasattr(node, "body") and isinstance(node.body, list):
            yield from _imports([*node.body, *getattr(node, "orelse", ())], firm=firm)


def _module(
    path: str, module: str, line: int, firm: bool, placed: bool, where: BothTrees
) -> Iterator[Reference]:
    """A module by its whole name; it must be ours to be missed."""
    places = _places(path, module, where)
    if not places:
        return
    stems = [place.removesuffix(".py") for place in places if not place.endswith("/__init__.py")]
    targets = (*places, *(f"{stem}/" for stem in stems), *(f"{stem}.*" for stem in stems))
    relative = module.startswith(".")
    firm = firm and (relative or not _is_elsewhere(path, module, where))
    ours = relative or _is_ours(path, module, where)
    sure = ours and firm and not placed and not _is_made(module, where.now)
    yield Reference(line, module, targets, sure and (relative or "." in module), firm)


def _is_made(module: str, tree: Tree) -> bool:
    """Whether a build may write or compile it: what is compiled mostly begins with a line below."""
    if _MADE.search(module):
        return True
    return module.rpartition(".")[2].startswith("_") and _has_compiled(tree)


@lru_cache(maxsize=2)
def _has_compiled(tree: Tree) -> bool:
    return any(path.endswith(_COMPILED) for path in tree.files)


def _places(path: str, module: str, where: BothTrees) -> list[str]:
    """Where it may lie: a package that lies in another is not found by its own name alone."""
    places = module_paths(path, module)
    if module.startswith("."):
        return places
    if module.partition(".")[0] in sys.stdlib_module_names:
        return []
    tail = module.replace(".", "/")
    roots = {place: place[: place.rindex(tail)] for place in places}
    return [place for place in places if not where.known(f"{roots[place]}__init__.py")]


def _is_elsewhere(path: str, module: str, where: BothTrees) -> bool:
    """Whether its package went as a whole, as a copy does that is installed from now on."""
    inits = [
        p for p in _places(path, module.partition(".")[0], where) if p.endswith("/__init__.py")
    ]
    return where.then.holds_any(inits) and not where.now.holds_any(
        f"{posixpath.dirname(init)}/" for init in inits
    )


def _is_ours(path: str, module: str, where: BothTrees) -> bool:
    """Whether the package at the top of a name lies here whole: a plain one, which nothing extends."""
    first = module.partition(".")[0]
    files = [place for place in _places(path, first, where) if place.endswith("/__init__.py")]
    found = [place for place in files if place in where.now.files]
    if len(found) != 1:
        return False
    folder = posixpath.dirname(found[0])
    parts = module.split(".")[1:-1]
    inits = [found[0]]
    for part in parts:
        folder = f"{folder}/{part}"
        inits.append(f"{folder}/__init__.py")
    return all(
        init in where.now.files and not _OPEN_ENDED.search(where.text(init))
        for init in inits
        if posixpath.dirname(init) in where.now.folders
    )


def _part(
    path: str, module: str, name: str, line: int, firm: bool, where: BothTrees
) -> Iterator[Reference]:
    """``from package import name``, where the name was a module of it."""
    dot = "" if module.endswith(".") else "."
    places = _places(path, f"{module}{dot}{name}", where)
    init = next(
        (
            place
            for place in _places(path, module, where) if place in where.now.files
        ),
        "",
    )  # fmt: skip
    if not places or not where.then.holds_any(places):
        return
    stems = [place.removesuffix(".py") for place in places if not place.endswith("/__init__.py")]
    targets = (*places, *(f"{stem}/" for stem in stems), *(f"{stem}.*" for stem in stems))
    yield Reference(line, f"{module}{dot}{name}", targets, False, firm, (init, name))
