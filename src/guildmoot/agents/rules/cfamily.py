"""Rules for C and C++: memory, formats, buffers."""

from __future__ import annotations

import re

from guildmoot.agents.rules.model import tree_rule
from guildmoot.agents.rules.nodes import (
    above,
    below,
    child,
    field,
    following,
    function_of,
    parts,
    text,
)
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_C = "C|C++"
_FORMATS = {"printf": 0, "fprintf": 1, "syslog": 1, "sprintf": 1, "snprintf": 2, "dprintf": 1}
_READS = lazy(r"\b(?:fgets|read|recv|recvfrom|getline|gets|scanf|getenv|fread)\s*\(")


def called(node: Node | None) -> str:
    """The name of what is called."""
    return text(field(node, "function"))


def given(node: Node | None) -> list[Node]:
    """The arguments of a call."""
    return parts(field(node, "arguments"))


def declaration(node: Node, name: str) -> Node | None:
    """The declarator of a local name or parameter: ``*p``, ``buf[10]``."""
    function = function_of(node)
    if function is None:
        return None
    found: list[Node] = []
    for each in below(function, "declaration", "parameter_declaration"):
        if each.type == "declaration" and each.start_byte > node.start_byte:
            continue
        for declarator in each.children_by_field_name("declarator"):
            if declarator.type == "init_declarator":
                declarator = field(declarator, "declarator") or declarator
            if (
                name in [text(one) for one in below(declarator, "identifier")]
                or text(declarator) == name
            ):
                found.append(declarator)
    kinds = {each.type for each in found}
    return found[-1] if len(kinds) == 1 else None


def is_parameter(declarator: Node | None) -> bool:
    """Whether it declares a parameter."""
    return declarator is not None and any(
        each.type == "parameter_declaration" for each in above(declarator)
    )


def is_pointer(declarator: Node | None) -> bool:
    """Whether it declares a pointer; an array as a parameter is one."""
    if declarator is None:
        return False
    array = declarator.type == "array_declarator" and is_parameter(declarator)
    return array or (declarator.type == "pointer_declarator" and "[" not in text(declarator))


def unbounded(node: Node) -> Node | None:
    """``gets`` and ``scanf("%s")`` write as much as comes."""
    if called(node) == "gets" and len(given(node)) == 1:
        return node
    form = {"scanf": 0, "fscanf": 1, "sscanf": 1}.get(called(node))
    if form in (None, 1) or form is None or len(given(node)) <= form:
        return None
    return node if re.search(r"%s|%\[", text(given(node)[form])) else None


def from_outside(node: Node) -> Node | None:
    """``strcpy(buffer, argv[1])``: as long as whoever calls likes."""
    if called(node) not in ("strcpy", "strcat", "sprintf", "vsprintf") or len(given(node)) < 2:
        return None
    into = given(node)[0]
    declared = declaration(node, text(into))
    if declared is None or declared.type != "array_declarator" or is_parameter(declared):
        return None
    rest = " ".join(text(each) for each in given(node)[1:])
    outside = re.search(r"\bargv\s*\[|\bgetenv\s*\(", rest)
    bounded = re.search(r"\bstrlen\b|%\.\d|%\.\*", text(function_of(node)))
    return node if outside and not bounded else None


def format_given(node: Node) -> Node | None:
    """A variable as a format: whoever fills it writes to memory."""
    at = _FORMATS.get(called(node))
    if at is None or len(given(node)) != at + 1:
        return None
    form = given(node)[at]
    if form.type == "subscript_expression" and text(form).startswith("argv"):
        return node
    if (
        form.type != "identifier"
        or re.search(r"(?i)fmt|form|msg_?id|usage|help", text(form))
        or text(form).isupper()
    ):
        return None
    declared = declaration(node, text(form))
    if declared is None or declared.type != "array_declarator" or is_parameter(declared):
        return None
    function = text(function_of(node))
    return (
        node if re.search(_READS.pattern + rf"[^;]*\b{re.escape(text(form))}\b", function) else None
    )


def format_parameter(node: Node) -> Node | None:
    """A parameter as a format with nothing to format: whoever fills it writes to memory."""
    at = {"printf": 0, "fprintf": 1, "syslog": 1}.get(called(node))
    if at is None or len(given(node)) != at + 1:
        return None
    form = given(node)[at]
    if (
        form.type != "identifier"
        or re.search(r"(?i)fmt|form|usage|help", text(form))
        or text(form).isupper()
    ):
        return None
    return node if is_parameter(declaration(node, text(form))) else None


def size_of_pointer(node: Node) -> Node | None:
    """``memset(p, 0, sizeof(p))`` with a pointer: its own size, not that of what it points to."""
    if called(node) not in ("memset", "memcpy", "memmove", "strncpy", "bzero", "snprintf", "fgets"):
        return None
    arguments = given(node)
    if len(arguments) < 2:
        return None
    for each in arguments[1:]:
        inside = re.fullmatch(r"sizeof\s*\(?\s*(\w+)\s*\)?", text(each))
        if inside and inside[1] == text(arguments[0]) and is_pointer(declaration(node, inside[1])):
            return each
    return None


def swapped_size(node: Node) -> Node | None:
    """``memset(p, n, 0)`` sets nothing."""
    own = given(node)
    return (
        node
        if called(node) == "memset"
        and len(own) == 3
        and text(own[2]) == "0"
        and text(own[1]) != "0"
        else None
    )


def own_local(node: Node) -> Node | None:
    """A local array, or the address of a local, that is returned: it is gone by then."""
    what = child(node)
    if what is None or any(each.type == "lambda_expression" for each in above(node)):
        return None
    function = function_of(node)
    if what.type == "identifier":
        declared = declaration(node, text(what))
        if declared is None or declared.type != "array_declarator" or is_parameter(declared):
            return None
        if function is None or not returns_pointer(function):
            return None
    elif what.type == "pointer_expression" and text(what).startswith("&"):
        inside = field(what, "argument")
        if inside is None or inside.type != "identifier":
            return None
        declared = declaration(node, text(inside))
        if declared is None or declared.type != "identifier" or is_parameter(declared):
            return None
    else:
        return None
    owner = next((each for each in above(declared) if each.type == "declaration"), None)
    return (
        None
        if owner is None
        or re.search(r"\b(?:static|extern|thread_local|_Thread_local)\b|__thread", text(owner))
        else node
    )


def returns_pointer(function: Node) -> bool:
    """Whether the function gives a pointer; a class may be made from an array."""
    declarator = field(function, "declarator")
    return declarator is not None and declarator.type == "pointer_declarator"


def after_free(node: Node) -> Node | None:
    """A pointer that the next statements follow or free once more."""
    call = child(node)
    if (
        call is None
        or call.type != "call_expression"
        or called(call) != "free"
        or len(given(call)) != 1
    ):
        return None
    freed = given(call)[0]
    if freed.type != "identifier":
        return None
    name = re.escape(text(freed))
    for after in list(following(node))[:6]:
        said = text(after)
        if "preproc" in after.type or after.type in (
            "return_statement",
            "goto_statement",
            "break_statement",
            "continue_statement",
        ):
            used = after.type == "return_statement" and re.search(
                rf"\b{name}\s*(?:->|\[)|\*\s*{name}\b", said
            )
            return after if used else None
        if after.type in ("case_statement", "labeled_statement"):
            return None
        if not re.search(rf"\b{name}\b", said):
            continue
        if after.type != "expression_statement":
            return None
        if re.match(rf"{name}\s*=[^=]", said) or "sizeof" in said:
            # ``p = p->next`` follows it before it is set.
            followed = re.match(rf"{name}\s*=[^=;]*\b{name}\s*->", said)
            return after if followed else None
        if re.search(rf"(?<![\w.>]){name}\s*(?:->|\[)", said) or re.fullmatch(
            rf"free\s*\(\s*{name}\s*\)\s*;", said
        ):
            return after
        return None
    return None


def text_compared(node: Node) -> Node | None:
    """``name == "x"`` in C compares addresses."""
    if text(field(node, "operator")) not in ("==", "!="):
        return None
    sides = [field(node, "left"), field(node, "right")]
    literal = any(
        each is not None and each.type in ("string_literal", "concatenated_string")
        for each in sides
    )
    return node if literal and not any("preproc" in each.type for each in above(node)) else None


def wrong_delete(node: Node) -> Node | None:
    """``delete p`` of what ``new T[n]`` made, or the other way round."""
    function = function_of(node)
    what = child(node)
    if function is None or what is None or what.type != "identifier":
        return None
    whole = "[" in text(node)[: what.start_byte - node.start_byte]
    made = [
        each
        for each in below(function, "init_declarator")
        if text(field(each, "declarator")).strip("* ") == text(what)
        and (value := field(each, "value")) is not None
        and value.type == "new_expression"
    ]
    if (
        len(made) != 1
        or len(re.findall(rf"\b{re.escape(text(what))}\s*=[^=]", text(function))) != 1
    ):
        return None
    is_array = field(field(made[0], "value"), "declarator") is not None
    return node if is_array != whole else None


def narrow_end(node: Node) -> Node | None:
    """``char c`` that takes getchar(): the end of the file looks like a letter, or never comes."""
    right, left = field(node, "right"), field(node, "left")
    if (
        called(right) not in ("getchar", "getc", "fgetc")
        or left is None
        or left.type != "identifier"
    ):
        return None
    declared = declaration(node, text(left))
    owner = (
        next(
            (
                each
                for each in above(declared)
                if each.type in ("declaration", "parameter_declaration")
            ),
            None,
        )
        if declared
        else None
    )
    if declared is None or declared.type != "identifier" or owner is None:
        return None
    compared = re.search(r"\bEOF\b", text(function_of(node)))
    return (
        node
        if compared and re.fullmatch(r"(?:unsigned |signed )?char", text(field(owner, "type")))
        else None
    )


def shell_outside(node: Node) -> Node | None:
    """``system`` with a command that was put together from what came in."""
    if called(node) not in ("system", "popen") or not given(node):
        return None
    name = text(given(node)[0])
    function = text(function_of(node))
    made = (
        re.search(
            rf"\b(?:sprintf|snprintf|strcat)\s*\(\s*{re.escape(name)}\b[^;]*\bargv\s*\[", function
        )
        if name.isidentifier()
        else None
    )
    return node if made or re.match(r"argv\s*\[|getenv\s*\(", name) else None


RULES = (
    tree_rule(_C, "unbounded-copy", "(call_expression) @x", unbounded,
              "it writes as much as comes, past the end of the buffer; give a size", "ERROR"),
    tree_rule(_C, "unbounded-copy", "(call_expression) @x", from_outside,
              "what the caller gives may be longer than the buffer; use snprintf", "ERROR"),
    tree_rule(_C, "format-from-input", "(call_expression) @x", format_given,
              'what was read is used as a format; write "%s" before it', "ERROR"),
    tree_rule(_C, "format-from-variable", "(call_expression) @x", format_parameter,
              'a parameter is used as a format; write "%s" before it'),
    tree_rule(_C, "size-of-pointer", "(call_expression) @x", size_of_pointer,
              "this is the size of the pointer, not of what it points to; use sizeof(*p) or a count", "ERROR"),
    tree_rule(_C, "swapped-size", "(call_expression) @x", swapped_size,
              "the size is the last argument, so nothing is set; swap the last two", "ERROR"),
    tree_rule(_C, "local-returned", "(return_statement) @x", own_local,
              "the local is gone when the caller looks at it; let the caller give the memory", "ERROR"),
    tree_rule(_C, "used-after-free", "(expression_statement) @x", after_free,
              "the memory was freed above; use it before, or set the pointer anew"),
    tree_rule("C", "text-compared", "(binary_expression) @x", text_compared,
              "this compares addresses, not texts; use strcmp", "ERROR"),
    tree_rule("C++", "wrong-delete", "(delete_expression) @x", wrong_delete,
              "`delete` and `delete[]` must match how it was made", "ERROR"),
    tree_rule(_C, "narrow-end", "(assignment_expression) @x", narrow_end,
              "a char cannot hold EOF beside every letter; use int"),
    tree_rule(_C, "shell-from-input", "(call_expression) @x", shell_outside,
              "a shell command is built from input; use execv with a list", "ERROR"),
)  # fmt: skip
