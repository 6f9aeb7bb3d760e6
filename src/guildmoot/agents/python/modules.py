"""A Python file by its names: what its top binds, once or often, and where what it imports lies."""

from __future__ import annotations

import ast
import posixpath
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Function | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
MOST_LETTERS = 4_000_000
"""As much as the grammars of other languages read."""
_AT_RUN_TIME = lazy(r"\bglobals\(\)|\bvars\(\)|\bsys\.modules\b|\b__all__\.append\b")
_DEEP = lazy(r"\bglobal\b|\bimport\s*\*")
"""Without these words nothing below the top binds a name there, nor brings names that nobody can list."""
_ROOTS = ("", "src/", "lib/", "python/")


class ImportedName(NamedTuple):
    """A name that an import binds: a module, or one thing of it."""

    module: str
    """With dots before it where it is relative."""
    name: str
    """Of the thing; empty where the module itself is meant."""
    line: int


class Module(NamedTuple):
    """What the top of a file binds."""

    path: str
    tree: ast.Module
    bound: Counter[str]
    """How often each name is bound at the top, in whatever way."""
    functions: dict[str, Function]
    classes: dict[str, ast.ClassDef]
    imports: dict[str, ImportedName]
    open: bool
    """It may hold names that nobody can list: it imports all of a module's, or sets them at run time."""


def read_module(path: str, text: str) -> Module | None:
    """The module, or None where it is no Python that this interpreter reads."""
    if len(text) > MOST_LETTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound = Counter(bound_names(tree.body))
    stars = False
    if _DEEP.search(text):
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                bound.update(node.names)
            elif isinstance(node, ast.ImportFrom):
                stars = stars or any(alias.name == "*" for alias in node.names)
    functions = {each.name: each for each in tree.body if isinstance(each, Function)}
    classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    open_ended = stars or _AT_RUN_TIME.search(text) is not None
    return Module(path, tree, bound, functions, classes, dict(_imports(tree.body)), open_ended)


@lru_cache(maxsize=512)
def set_attributes(tree: ast.Module) -> frozenset[str]:
    """Attributes that a file sets, of whatever object; it is walked once."""
    return frozenset(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )


def bound_names(body: Iterable[ast.AST]) -> Iterator[str]:
    """Each name as often as these statements bind it; what lies in scopes below them is theirs."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function | ast.ClassDef):
            yield node.name
            waiting += [*node.decorator_list]
            continue
        if isinstance(node, SCOPES):
            walrus = (each for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
            yield from (each.target.id for each in walrus)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        waiting += ast.iter_child_nodes(node)


def parameters(arguments: ast.arguments) -> list[str]:
    """The names of all parameters."""
    some = (arguments.vararg, arguments.kwarg)
    plain = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return [each.arg for each in (*plain, *filter(None, some))]


@lru_cache(maxsize=4096)
def class_names(kind: ast.ClassDef) -> frozenset[str]:
    """What the body of a class binds; many ask for the same one."""
    return frozenset(bound_names(kind.body))


@lru_cache(maxsize=16384)
def local_names(scope: Scope) -> frozenset[str]:
    """What a function, lambda or comprehension binds for itself."""
    if isinstance(scope, Function):
        outside = {
            n for each in ast.walk(scope) if isinstance(each, ast.Global) for n in each.names
        }
        return frozenset((*parameters(scope.args), *bound_names(scope.body))) - outside
    if isinstance(scope, ast.Lambda):
        return frozenset(parameters(scope.args))
    return frozenset(name for each in scope.generators for name in bound_names([each.target]))


def _imports(body: list[ast.stmt]) -> Iterator[tuple[str, ImportedName]]:
    for node in body:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                yield alias.asname or alias.name, ImportedName(module, alias.name, node.lineno)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname or "." not in alias.name:
                    yield alias.asname or alias.name, ImportedName(alias.name, "", node.lineno)


def module_paths(path: str, module: str) -> list[str]:
    """Where a module that a file imports may lie, the likeliest first; empty where it cannot be here."""
    bare = module.lstrip(".")
    level = len(module) - len(bare)
    tail = bare.replace(".", "/")
    folder = posixpath.dirname(path)
    if level:
        for _ in range(level - 1):
            if not folder:
                return []
            folder = posixpath.dirname(folder)
        return _files(posixpath.join(folder, tail) if tail else folder)
    first = bare.partition(".")[0]
    parts = folder.split("/") if folder else []
    above = ["/".join(parts[:at]) for at, name in enumerate(parts) if name == first]
    roots = [f"{root}/" if root else "" for root in reversed(above)]
    return [each for root in dict.fromkeys((*roots, *_ROOTS)) for each in _files(root + tail)]


def _files(stem: str) -> list[str]:
    return [f"{stem}.py", f"{stem}/__init__.py"] if stem else ["__init__.py"]


Read = Callable[[str], Module | None]
"""The module at a path of the repository, or None."""


def resolve(module: Module, name: str, read: Read, hops: int = 3) -> tuple[Module, str] | None:
    """The module that declares a name which this one binds once by an import, and its name there."""
    found = module.imports.get(name)
    if found is None or module.bound[name] != 1 or not hops:
        return None
    if not found.name:
        return None
    target = imported_module(module, found.module, read)
    if target is None:
        return None
    if found.name in target.imports:
        return resolve(target, found.name, read, hops - 1)
    return target, found.name


def imported_module(module: Module, name: str, read: Read) -> Module | None:
    """The file of the repository that a module's import means."""
    return next(filter(None, map(read, module_paths(module.path, name))), None)


def source_of(text: str, node: ast.expr) -> str:
    """What stands there: ``ast`` has a function for it that splits the whole file each time."""
    rows = _rows(text)[node.lineno - 1 : node.end_lineno]
    if rows:
        rows[-1] = rows[-1][: node.end_col_offset]
        rows[0] = rows[0][node.col_offset :]
    return b"".join(rows).decode("utf-8", "replace")


@lru_cache(maxsize=4)
def _rows(text: str) -> list[bytes]:
    return text.encode("utf-8", "replace").splitlines(keepends=True)
