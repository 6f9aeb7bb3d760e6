"""Rules that look at the files beside: promises that nobody awaits, errors of Go functions that nobody takes."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

from guildmoot.agents.parsing.grammars import parser
from guildmoot.agents.parsing.walk import walk
from guildmoot.agents.rules.golang import left_open
from guildmoot.agents.rules.model import Defect
from guildmoot.agents.rules.nodes import below, child, field, flat, function_of, names, parts, text
from guildmoot.agents.rules.scripts import is_async
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

Read = Callable[[str], bytes]
"""The bytes of a file of the work; empty where there is none."""
Beside = Callable[[str], list[str]]
"""The files of a folder of the work."""

SCRIPTS = ("JavaScript", "TypeScript", "TSX")
_ENDINGS = ("", ".ts", ".tsx", ".js", ".mjs", ".jsx", "/index.ts", "/index.js")
_OF_PROMISES = ("then", "catch", "finally")
_MOST = 300_000
_DROPPED = "nobody waits for this promise, and what it throws is lost; await it"
_AS_ANSWER = (
    "this is a promise, not its value: it is always true and has none of its parts; await it"
)
_OPEN = "it is never closed; add `defer ... .Close()` after the check of the error"
_ERROR = "the error that this call gives is dropped; check it"
_COMMON = frozenset(
    [
        "Close",
        "Write",
        "Flush",
        "Print",
        "Sync",
        "Shutdown",
        "Stop",
        "Log",
        "Reset",
        "WriteString",
        "Execute",
        "Run",
        "Wait",
    ]
)


def search_across(name: str, path: str, root: Node, read: Read, beside: Beside) -> Iterator[Defect]:
    """What the files beside make plain."""
    if name in SCRIPTS:
        yield from _promises(name, path, root, read)
    elif name == "Go" and not path.endswith("_test.go"):
        yield from _errors(path, root, read, beside)


def _promises(name: str, path: str, root: Node, read: Read) -> Iterator[Defect]:
    known = promising(root) | _imported(path, root, read)
    if not known:
        return
    bound = Counter(_bound(root))
    known = {each for each in known if bound[each] <= 1}
    for call in (
        each for each in walk(root) if each.type == "call_expression" and not each.has_error
    ):
        if text(field(call, "function")) not in known:
            continue
        found = _misused(call)
        if found:
            yield found


def _misused(call: Node) -> Defect | None:
    around, line = call.parent, int(call.start_point[0]) + 1
    while around is not None and around.type in (
        "parenthesized_expression",
        "non_null_expression",
        "as_expression",
    ):
        around = around.parent
    if around is None:
        return None
    if around.type == "expression_statement":
        inside = is_async(function_of(call))
        return Defect(line, "promise-dropped", _DROPPED, "WARNING") if inside else None
    asked = around.type in ("if_statement", "while_statement") or (
        around.type in ("unary_expression", "binary_expression")
        and text(field(around, "operator")) in ("!", "==", "===", "!=", "!==", "<", ">", "+", "-")
    )
    if asked:
        return Defect(line, "promise-as-answer", _AS_ANSWER, "ERROR")
    if around.type == "member_expression" and text(field(around, "property")) not in _OF_PROMISES:
        return Defect(line, "promise-as-answer", _AS_ANSWER, "ERROR")
    return _kept(call, around, line) if around.type == "variable_declarator" else None


def _kept(call: Node, declarator: Node, line: int) -> Defect | None:
    """A promise in a variable that is used as if it were the value."""
    name, function = field(declarator, "name"), function_of(call)
    body = field(function, "body")
    if (
        name is None
        or body is None
        or not text(declarator.parent or declarator).startswith("const")
    ):
        return None
    if name.type == "object_pattern":
        keys = [text(each).partition(":")[0] for each in parts(name)]
        wrong = keys and not any(key in _OF_PROMISES for key in keys)
        return Defect(line, "promise-as-answer", _AS_ANSWER, "ERROR") if wrong else None
    wrong = False
    for use in names(body, text(name)):
        around = use.parent
        if around is None or use.start_byte <= declarator.end_byte:
            continue
        if around.type == "member_expression" and field(around, "object") == use:
            if text(field(around, "property")) in _OF_PROMISES:
                return None
            wrong = True
        elif around.type == "parenthesized_expression" and around.parent is not None:
            wrong = wrong or around.parent.type == "if_statement"
        elif around.type == "unary_expression" or (
            around.type == "binary_expression"
            and text(field(around, "operator")) in ("==", "===", "!=", "!==")
        ):
            wrong = wrong or text(around).startswith("!") or around.type == "binary_expression"
        else:
            return None  # it may be awaited wherever it goes
    return Defect(line, "promise-as-answer", _AS_ANSWER, "ERROR") if wrong else None


def promising(root: Node) -> set[str]:
    """Functions at the top of a file that give promises."""
    found = set()
    for each in parts(root):
        if each.type == "export_statement":
            each = field(each, "declaration") or each
        if each.type == "function_declaration" and _promises_value(each):
            found.add(text(field(each, "name")))
        elif each.type == "lexical_declaration":
            for one in parts(each):
                value = field(one, "value")
                if (
                    value is not None
                    and value.type in ("arrow_function", "function_expression")
                    and _promises_value(value)
                ):
                    found.add(text(field(one, "name")))
    return found - {""}


def _promises_value(function: Node) -> bool:
    generator = any(each.type == "*" for each in function.children)
    told = flat(field(function, "return_type")).startswith(":Promise<")
    return (is_async(function) or told) and not generator


def _bound(root: Node) -> Iterator[str]:
    """Names as often as the file binds them."""
    for node in walk(root):
        if node.type in ("function_declaration", "variable_declarator"):
            yield text(field(node, "name"))
        elif node.type in ("required_parameter", "optional_parameter"):
            yield text(field(node, "pattern"))
        elif node.type == "formal_parameters":
            yield from (text(each) for each in parts(node) if each.type == "identifier")
        elif node.type == "import_specifier":
            yield text(field(node, "alias") or field(node, "name"))
        elif node.type == "arrow_function":
            yield text(field(node, "parameter"))


def _imported(path: str, root: Node, read: Read) -> set[str]:
    found = set()
    for each in parts(root):
        source = text(field(each, "source")).strip("\"'")
        if each.type != "import_statement" or not source.startswith("."):
            continue
        there = _exported(posixpath.normpath(posixpath.join(posixpath.dirname(path), source)), read)
        for one in (node for node in walk(each) if node.type == "import_specifier"):
            if text(field(one, "name")) in there:
                found.add(text(field(one, "alias") or field(one, "name")))
    return found


def _exported(path: str, read: Read) -> frozenset[str]:
    stem = path.removesuffix(".js")
    for ending in _ENDINGS:
        whole = (path if not ending else stem) + ending
        name = language_of(whole).name
        data = read(whole) if name in SCRIPTS else b""
        if data:
            return _promising_file(name, data)
    return frozenset()


@lru_cache(maxsize=512)
def _promising_file(name: str, data: bytes) -> frozenset[str]:
    if len(data) > _MOST:
        return frozenset()
    return frozenset(promising(parser(name).parse(data).root_node))


def _errors(path: str, root: Node, read: Read, beside: Beside) -> Iterator[Defect]:
    folder = posixpath.dirname(path)
    gives: Counter[tuple[str, bool]] = Counter()
    opens: set[str] = set()
    for other in beside(folder):
        if other.endswith(".go") and not other.endswith("_test.go"):
            data = read(posixpath.join(folder, other))
            gives.update(_results(data))
            opens |= _openers(data)
    for node in (each for each in walk(root) if each.type == "short_var_declaration"):
        if opens and left_open(node, opens) is not None:
            yield Defect(int(node.start_point[0]) + 1, "left-open", _OPEN, "WARNING")
    for statement in (each for each in walk(root) if each.type == "expression_statement"):
        call = child(statement)
        if call is None or call.type != "call_expression":
            continue
        function = field(call, "function")
        is_method = function is not None and function.type == "selector_expression"
        name = text(field(function, "field")) if is_method else text(function)
        key = f"{'.' if is_method else ''}{name}"
        if name in _COMMON or not gives[key, True] or gives[key, False]:
            continue
        if is_method and not _is_own(text(field(function, "operand")), statement):
            continue
        yield Defect(int(call.start_point[0]) + 1, "error-dropped", _ERROR, "WARNING")


def _is_own(owner: str, node: Node) -> bool:
    """Whether the receiver is a variable or a part of one, not a package of others."""
    function = function_of(node)
    first = owner.partition(".")[0]
    while function is not None:
        if any(
            text(each) == first
            for part in ("receiver", "parameters")
            for each in below_of(function, part)
        ):
            return True
        function = function_of(function)
    return False


def below_of(function: Node, part: str) -> list[Node]:
    """The names in a part of a function's head."""
    found = field(function, part)
    return list(below(found, "identifier")) if found is not None else []


@lru_cache(maxsize=512)
def _openers(data: bytes) -> frozenset[str]:
    """Methods of a file that give something which must be closed."""
    if len(data) > _MOST or (b".File" not in data and b"Closer" not in data):
        return frozenset()
    found = set()
    for each in parts(parser("Go").parse(data).root_node):
        result = flat(field(each, "result"))
        if each.type == "method_declaration" and result in (
            "(*os.File,error)",
            "(io.ReadCloser,error)",
        ):
            found.add(text(field(each, "name")))
    return frozenset(found)


@lru_cache(maxsize=512)
def _results(data: bytes) -> tuple[tuple[str, bool], ...]:
    """Functions and methods of a file, each with whether an error is all that it gives."""
    if len(data) > _MOST or not data:
        return ()
    found = []
    for each in parts(parser("Go").parse(data).root_node):
        if each.type in ("function_declaration", "method_declaration"):
            dot = "." if each.type == "method_declaration" else ""
            result = flat(field(each, "result"))
            found.append(
                (f"{dot}{text(field(each, 'name'))}", result in ("error", "(error)", "(errerror)"))
            )
    return tuple(found)
