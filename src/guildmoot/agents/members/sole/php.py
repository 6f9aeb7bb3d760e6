"""Functions of PHP, which takes more arguments than a function has and none too few."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.fit import ANY, Takes
from guildmoot.agents.members.sole.model import SoleCall, SoleFile, SoleForm, SoleLanguage
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {
    "function_call_expression": "function",
    "member_call_expression": "name",
    "nullsafe_member_call_expression": "name",
    "scoped_call_expression": "name",
    "object_creation_expression": "",
}
_OWN = frozenset(("$this", "self", "static"))


def _read(root: Node) -> SoleFile:
    forms: dict[str, list[SoleForm | None]] = {}
    calls = list[SoleCall]()
    for node in walk(root):
        if node.type in ("function_definition", "method_declaration"):
            name = node.child_by_field_name("name")
            written = _made(node) or (text_of(name) if name is not None else "")
            forms.setdefault(written, []).append(_form(node))
        elif node.type in _CALLS:
            calls += _call(node)
    return SoleFile(forms, calls)


def _made(function: Node) -> str:
    """The class that a constructor makes."""
    name, body = function.child_by_field_name("name"), function.parent
    owner = body.parent if body is not None else None
    if name is None or text_of(name) != "__construct" or owner is None:
        return ""
    named = owner.child_by_field_name("name")
    return text_of(named) if named is not None and owner.type == "class_declaration" else ""


def _form(function: Node) -> SoleForm | None:
    parameters, body = (function.child_by_field_name(each) for each in ("parameters", "body"))
    if parameters is None or (body is not None and "func_get_arg" in text_of(body)):
        return None
    least, names = 0, list[str]()
    for each in parameters.named_children:
        name = each.child_by_field_name("name")
        if name is None:
            continue
        plain = (
            each.type != "variadic_parameter" and each.child_by_field_name("default_value") is None
        )
        least += plain
        names.append(text_of(name).lstrip("&$"))
    return SoleForm(Takes(least, ANY, tuple(names)), open="..." in text_of(parameters))


def _call(node: Node) -> Iterator[SoleCall]:
    given = node.child_by_field_name("arguments") or next(
        (each for each in node.named_children if each.type == "arguments"), None
    )
    named = (
        node.child_by_field_name(_CALLS[node.type]) if _CALLS[node.type] else node.named_children[0]
    )
    if (
        given is None
        or named is None
        or named.type not in ("name", "qualified_name")
        or node.has_error
    ):
        return
    if "..." in text_of(given):
        return
    of = node.child_by_field_name("object") or node.child_by_field_name("scope")
    owner = text_of(of) if of is not None else ""
    values = [each for each in given.named_children if each.type == "argument"]
    by_name = (each.child_by_field_name("name") for each in values)
    yield SoleCall(
        name=text_of(named).rpartition("\\")[2],
        owner="" if owner in _OWN else owner,
        line=line_of(node),
        given=len(values),
        named=frozenset(text_of(each) for each in by_name if each is not None),
    )


def _may_be_other(name: str, text: str) -> bool:
    word = re.escape(name)
    return (
        re.search(rf"@method\b[^\n]*\b{word}\s*\(|\bas\s+(?:\w+\s+)?{word}\b|\${word}\s*\(", text)
        is not None
    )


PHP = SoleLanguage(
    "PHP", ".php", _read, _may_be_other, lambda name: not re.search(r"[a-z][A-Z_]", name)
)
