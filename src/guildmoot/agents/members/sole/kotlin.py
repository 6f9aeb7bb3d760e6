"""Functions of Kotlin, and what makes its classes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.fit import ANY, Takes
from guildmoot.agents.members.sole.model import SoleCall, SoleFile, SoleForm, SoleLanguage
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_PARAMETERS = {
    "function_declaration": ("function_value_parameters", "parameter"),
    "class_declaration": ("class_parameters", "class_parameter"),
}


def _read(root: Node) -> SoleFile:
    forms: dict[str, list[SoleForm | None]] = {}
    calls = list[SoleCall]()
    for node in walk(root):
        if node.type in _PARAMETERS:
            name = node.child_by_field_name("name")
            if name is not None and text_of(name):
                forms.setdefault(text_of(name), []).append(_form(node))
        elif node.type in ("call_expression", "constructor_invocation"):
            calls += _call(node)
    return SoleFile(forms, calls)


def _form(node: Node) -> SoleForm | None:
    kind, inner = _PARAMETERS[node.type]
    if node.type == "class_declaration":
        made = next(
            (each for each in node.named_children if each.type == "primary_constructor"), None
        )
        if made is None or re.search(
            r"\bconstructor\s*\((?s:.*)\bconstructor\s*\(|\)\s*:\s*this\(", text_of(node)
        ):
            return None
        node = made
    parameters = next((each for each in node.named_children if each.type == kind), None)
    if parameters is None:
        return None
    least = most = 0
    names, many = list[str](), "vararg" in text_of(parameters)
    for each in parameters.named_children:
        if each.type != inner:
            continue
        after = each.next_sibling
        optional = any(part.type == "=" for part in each.children) or (
            after is not None and after.type == "="
        )
        name = next((part for part in each.named_children if part.type == "identifier"), None)
        names.append(text_of(name) if name is not None else "")
        most += 1
        least += not optional
    return SoleForm(Takes(0 if many else least, ANY if many else most, tuple(names)))


def _call(node: Node) -> Iterator[SoleCall]:
    if node.has_error or not node.named_children:
        return
    called = node.named_children[0]
    given = next((each for each in node.named_children if each.type == "value_arguments"), None)
    if given is None or "*" in text_of(given):
        return
    owner = ""
    if called.type == "navigation_expression":
        owner, called = text_of(called.named_children[0]), called.named_children[-1]
    elif called.type == "user_type":
        called = called.named_children[0]
    if called.type != "identifier":
        return
    values = [each for each in given.named_children if each.type == "value_argument"]
    named = [
        each.named_children[0] for each in values if any(part.type == "=" for part in each.children)
    ]
    around = node.parent
    behind = (
        around is not None and around.type == "call_expression" and around.named_children[0] == node
    )
    lambdas = [
        each
        for each in (around if behind and around else node).named_children
        if each.type == "annotated_lambda"
    ]
    yield SoleCall(
        name=text_of(called),
        owner="" if owner == "this" else owner,
        line=line_of(node),
        given=len(values) + len(lambdas),
        named=frozenset(map(text_of, named)),
    )


def _may_be_other(name: str, text: str) -> bool:
    word = re.escape(name)
    declared = (
        rf"\b(?:va[lr]|typealias|object|interface)\s+{word}\b|[(,]\s*{word}\s*:|\bas\s+{word}\b"
    )
    other = rf"{declared}|\b{word}\s*(?:,[^-\n]*)?->"
    made = name[:1].isupper() and re.search(
        r"\boperator\s+(?:\w+\s+)*fun\s+[\w.<>]*invoke\b|\bexpect\s|\bactual\s", text
    )
    return bool(made) or re.search(other, text) is not None


def _is_common(name: str) -> bool:
    return not re.search(r"[a-z][A-Z]", name)


KOTLIN = SoleLanguage("Kotlin", ".kt", _read, _may_be_other, _is_common)
