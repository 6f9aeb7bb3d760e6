"""What breaks a Python file, and what does not."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random

from benchmarks.mutations import Mutator, typo
from benchmarks.mutations.added import ADDED_PYTHON, secret_line
from benchmarks.mutations.general import without_closing_line

Span = tuple[int, int]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_NAMING = Function | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar


class Source:
    """A parsed file whose nodes know where they stand in its bytes."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        with warnings.catch_warnings(action="ignore"):
            self.tree = ast.parse(text)
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.nodes = list(ast.walk(self.tree))
        self.functions = [each for each in self.nodes if isinstance(each, Function)]

    def span(self, node: ast.expr | ast.stmt) -> Span:
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0),
        )

    def lines(self, node: ast.stmt) -> Span:
        """All lines of a statement; empty where it shares one with another."""
        start, end = self.starts[node.lineno - 1], self.starts[node.end_lineno or 1]
        rest = self.data[self.span(node)[1] : end].strip()
        own = not self.data[start : self.span(node)[0]].strip() and (not rest or rest[:1] == b"#")
        return (start, end) if own else (0, 0)

    def put(self, *edits: tuple[Span, str]) -> str:
        data = self.data
        for (start, end), new in sorted(edits, reverse=True):
            data = data[:start] + new.encode() + data[end:]
        return data.decode()

    def said(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def bound(self) -> Counter[str]:
        """How often each name is bound, anywhere in the file."""
        return Counter(name for node in self.nodes for name in _bound_by(node))

    def taken(self) -> set[str]:
        words = set(re.findall(r"\w+", self.data.decode()))
        return words | set(dir(builtins)) | set(keyword.kwlist)

    def is_open(self) -> bool:
        """Names may come from where nobody can see."""
        star = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in self.nodes)
        odd = {"globals", "locals", "exec", "eval", "__getattr__"}
        return star or any(isinstance(n, ast.Name) and n.id in odd for n in self.nodes)

    def uses(self) -> list[ast.Name]:
        """Names that are read when the code runs: no annotations, nothing within f-strings."""
        hidden = {id(each) for node in self.nodes for each in _hidden(node)}
        return [
            node
            for node in self.nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if id(node) not in hidden
        ]


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, _NAMING) and node.name:
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names


def _hidden(node: ast.AST) -> Iterator[ast.AST]:
    parts: list[ast.AST | None] = []
    if isinstance(node, ast.JoinedStr):
        parts = [node]
    elif isinstance(node, ast.AnnAssign | ast.arg):
        parts = [node.annotation]
    elif isinstance(node, Function):
        parts = [node.returns]
    for part in parts:
        if part is not None:
            yield from ast.walk(part)


def _of(work: Callable[[Source, Random], str | None]) -> Mutator:
    def mutate(text: str, rng: Random) -> str | None:
        return work(Source(text), rng)

    return mutate


def _picked(rng: Random, places: Sequence[str | None]) -> str | None:
    found = [each for each in places if each]
    return rng.choice(found) if found else None


# --- names ----------------------------------------------------------------------------------------


def import_removed(source: Source, rng: Random) -> str | None:
    bound, used = source.bound(), {node.id for node in source.uses()}
    places = []
    for node in source.tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom) or source.lines(node) == (0, 0):
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        for alias in node.names:
            name = (alias.asname or alias.name).split(".")[0]
            if name in used and bound[name] == 1:
                places.append((node, alias))
    if not places or source.is_open():
        return None
    node, alias = rng.choice(places)
    rest = [each for each in node.names if each is not alias]
    if not rest:
        return source.put((source.lines(node), ""))
    node.names = rest
    return source.put((source.span(node), ast.unparse(node)))


def name_changed(source: Source, rng: Random) -> str | None:
    if source.is_open():
        return None
    bound, taken = source.bound(), source.taken()
    within = {
        id(n) for function in source.functions for part in function.body for n in ast.walk(part)
    }
    uses = [n for n in source.uses() if bound[n.id] and len(n.id) > 3 and id(n) in within]
    read = Counter(node.id for node in source.uses())
    made = [
        node
        for node in source.tree.body
        if isinstance(node, Function | ast.ClassDef) and bound[node.name] == 1 and read[node.name]
    ]
    if made and rng.random() < 0.3:
        node = rng.choice(made)
        new = typo(node.name, taken, rng)
        start, end = source.span(node)
        at = source.data.index(node.name.encode(), start, end)
        return source.put(((at, at + len(node.name.encode())), new)) if new else None
    if not uses:
        return None
    name = rng.choice(uses)
    new = typo(name.id, taken, rng)
    return source.put((source.span(name), new)) if new else None


def attribute_changed(source: Source, rng: Random) -> str | None:
    made = {each.name for each in source.functions}
    calls = [
        node.func
        for node in source.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "self"
        if node.func.attr in made and len(node.func.attr) > 3
    ]
    if not calls:
        return None
    call = rng.choice(calls)
    new = typo(call.attr, source.taken(), rng)
    end = source.span(call)[1]
    return source.put(((end - len(call.attr.encode()), end), new)) if new else None


# --- calls ----------------------------------------------------------------------------------------


def _plain_calls(source: Source, least: int) -> list[ast.Call]:
    """Calls of functions of the same file that give all arguments by place, and no more than needed."""
    required = {
        each.name: len(each.args.args) - len(each.args.defaults)
        for each in source.tree.body
        if isinstance(each, Function) and not each.decorator_list
        if not each.args.vararg and not each.args.posonlyargs
    }
    return [
        node
        for node in source.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords
        if len(node.args) >= least and required.get(node.func.id) == len(node.args)
        if not any(isinstance(arg, ast.Starred) for arg in node.args)
    ]


def argument_dropped(source: Source, rng: Random) -> str | None:
    calls = _plain_calls(source, 1)
    if not calls:
        return None
    call = rng.choice(calls)
    given = ", ".join(source.said(arg) for arg in call.args[:-1])
    return source.put((source.span(call), f"{source.said(call.func)}({given})"))


def argument_reordered(source: Source, rng: Random) -> str | None:
    calls = [c for c in _plain_calls(source, 2) if source.said(c.args[0]) != source.said(c.args[1])]
    if not calls:
        return None
    one, other = rng.choice(calls).args[:2]
    return source.put(
        (source.span(one), source.said(other)), (source.span(other), source.said(one))
    )


# --- statements -----------------------------------------------------------------------------------


def return_removed(source: Source, rng: Random) -> str | None:
    places = [
        (source.lines(last), len(each.body) == 1, last.col_offset)
        for each in source.functions
        if isinstance(last := each.body[-1], ast.Return) and last.value is not None
        if source.lines(last) != (0, 0)
    ]
    if not places:
        return None
    span, alone, indent = rng.choice(places)
    return source.put((span, " " * indent + "pass\n" if alone else ""))


def condition_inverted(source: Source, rng: Random) -> str | None:
    tests = [node.test for node in source.nodes if isinstance(node, ast.If)]
    if not tests:
        return None
    test = rng.choice(tests)
    return source.put((source.span(test), f"not ({source.said(test)})"))


def exception_swallowed(source: Source, rng: Random) -> str | None:
    handlers = [
        node
        for node in source.nodes
        if isinstance(node, ast.ExceptHandler) and source.lines(node.body[0]) != (0, 0)
        if any(isinstance(each, ast.Raise) for each in node.body)
    ]
    if handlers and rng.random() < 0.6:
        body = rng.choice(handlers).body
        span = source.starts[body[0].lineno - 1], source.starts[body[-1].end_lineno or 1]
        return source.put((span, " " * body[0].col_offset + "pass\n"))
    calls = [
        node
        for function in source.functions
        for node in function.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if source.lines(node) != (0, 0) and node.lineno == node.end_lineno
    ]
    if not calls:
        return None
    call = rng.choice(calls)
    pad, said = " " * call.col_offset, source.said(call)
    caught = f"{pad}try:\n{pad}    {said}\n{pad}except Exception:\n{pad}    pass\n"
    return source.put((source.lines(call), caught))


def resource_not_closed(source: Source, rng: Random) -> str | None:
    places = [
        node
        for node in source.nodes
        if isinstance(node, ast.With) and len(node.items) == 1 and node.items[0].optional_vars
        if isinstance(call := node.items[0].context_expr, ast.Call)
        if source.said(call.func).rpartition(".")[2] in ("open", "socket", "connect", "urlopen")
        if source.lines(node) != (0, 0)
    ]
    if not places:
        return _added("resource not closed")(source, rng)
    node = rng.choice(places)
    item, pad = node.items[0], " " * node.col_offset
    assert item.optional_vars
    opened = f"{pad}{source.said(item.optional_vars)} = {source.said(item.context_expr)}\n"
    body = source.data[source.starts[node.body[0].lineno - 1] : source.lines(node)[1]].decode()
    less = node.body[0].col_offset - node.col_offset
    inner = re.sub(rf"^ {{{less}}}", "", body, flags=re.MULTILINE)
    return source.put((source.lines(node), opened + inner))


def _added(kind: str) -> Callable[[Source, Random], str | None]:
    def add(source: Source, rng: Random) -> str | None:
        return source.data.decode().rstrip("\n") + "\n\n\n" + rng.choice(ADDED_PYTHON[kind])

    return add


def secret_added(source: Source, rng: Random) -> str | None:
    last = [n for n in source.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    at = source.starts[last[-1].end_lineno or 1] if last else len(source.data)
    return source.put(((at, at), "\n" + secret_line(rng) + "\n"))


# --- syntax ---------------------------------------------------------------------------------------


def syntax_broken(text: str, rng: Random) -> str | None:
    lines = text.splitlines(keepends=True)
    heads = [
        n for n, line in enumerate(lines) if re.match(r" *(if|for|while|def|class)\b.*:$", line)
    ]
    calls = [n for n, line in enumerate(lines) if re.search(r"\w\([^()'\"#]*\)\s*$", line)]
    texts = [
        n for n, line in enumerate(lines) if re.fullmatch(r"[^'\"#]*\"[^'\"#]+\"[^'\"#]*\n", line)
    ]
    ways: list[tuple[list[int], Callable[[str], str]]] = [
        (heads, lambda line: line.replace(":\n", "\n")),
        (heads, lambda line: ""),
        (calls, lambda line: "".join(line.rsplit(")", 1))),
        (texts, lambda line: "".join(line.rsplit('"', 1))),
    ]
    for _ in range(12):
        places, change = rng.choice(ways)
        if not places:
            continue
        at = rng.choice(places)
        after = "".join([*lines[:at], change(lines[at]), *lines[at + 1 :]])
        if not parses(after):
            return after
    lost = without_closing_line(text, rng)
    return lost if lost and not parses(lost) else None


def parses(text: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


# --- harmless -------------------------------------------------------------------------------------


def comment(source: Source, rng: Random) -> str | None:
    if not source.functions:
        return None
    first = rng.choice(source.functions).body[0]
    at = source.starts[first.lineno - 1]
    said = rng.choice(
        ("Kept simple on purpose.", "See the tests for examples.", "Order matters here.")
    )
    return source.put(((at, at), " " * first.col_offset + f"# {said}\n"))


def formatted(source: Source, rng: Random) -> str | None:
    """As a formatter writes it, the whole file or one blank line more."""
    if rng.random() < 0.7:
        command = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
        made = subprocess.run(command, input=source.data, capture_output=True, check=False)
        if made.returncode == 0 and made.stdout != source.data:
            return made.stdout.decode()
    places = [each for each in source.tree.body if isinstance(each, Function | ast.ClassDef)]
    if not places:
        return None
    node = rng.choice(places)
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    at = source.starts[first - 1]
    return source.put(((at, at), "\n"))


def renamed(source: Source, rng: Random) -> str | None:
    """A local variable under another name, wherever it stands."""
    places = []
    for function in source.functions:
        inner = [n for part in function.body for n in ast.walk(part)]
        odd = (ast.JoinedStr, ast.Global, ast.Nonlocal, ast.Lambda, ast.ClassDef, ast.ExceptHandler)
        if any(isinstance(n, (*odd, *Function.__args__)) for n in inner) or source.is_open():
            continue
        names = [n for n in inner if isinstance(n, ast.Name)]
        given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        made = {n.id for n in names if isinstance(n.ctx, ast.Store)} - given
        places += [
            (name, [n for n in names if n.id == name]) for name in sorted(made) if len(name) > 2
        ]
    if not places:
        return None
    name, nodes = rng.choice(places)
    new = f"{name}_value"
    return None if new in source.taken() else source.put(*((source.span(n), new) for n in nodes))


MUTATORS: dict[str, Mutator] = {
    "syntax broken": syntax_broken,
    "import removed": _of(import_removed),
    "name changed in one place": _of(name_changed),
    "attribute changed in one place": _of(attribute_changed),
    "argument dropped": _of(argument_dropped),
    "argument reordered": _of(argument_reordered),
    "return removed": _of(return_removed),
    "condition inverted": _of(condition_inverted),
    "exception swallowed": _of(exception_swallowed),
    "resource not closed": _of(resource_not_closed),
    "SQL built from input": _of(_added("SQL built from input")),
    "shell built from input": _of(_added("shell built from input")),
    "secret added": _of(secret_added),
    "comment": _of(comment),
    "format": _of(formatted),
    "rename everywhere": _of(renamed),
    "new function": _of(_added("new function")),
}
