"""Methods of C#, and what makes its classes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.fit import ANY, Takes
from guildmoot.agents.members.sole.model import SoleCall, SoleFile, SoleForm, SoleLanguage
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARES = frozenset(("method_declaration", "local_function_statement", "constructor_declaration"))
_OWNERS = frozenset(("this", "base"))


def _read(root: Node) -> SoleFile:
    forms: dict[str, list[SoleForm | None]] = {}
    calls = list[SoleCall]()
    for node in walk(root):
        if node.type in _DECLARES:
            name = node.child_by_field_name("name")
            forms.setdefault(text_of(name) if name is not None else "", []).append(_form(node))
        elif node.type in ("invocation_expression", "object_creation_expression"):
            calls += _call(node)
    return SoleFile(forms, calls)


def _form(node: Node) -> SoleForm | None:
    parameters = node.child_by_field_name("parameters")
    if parameters is None or re.match(r"\(\s*(?:\[[^\]]*\]\s*)?this\s", text_of(parameters)):
        return None
    least = most = 0
    names, many = list[str](), re.search(r"[(,]\s*params\s", text_of(parameters)) is not None
    for each in parameters.named_children:
        name = each.child_by_field_name("name")
        if each.type != "parameter" or name is None:
            continue
        most += 1
        least += not any(part.type == "=" for part in each.children)
        names.append(text_of(name))
    return SoleForm(Takes(0 if many else least, ANY if many else most, tuple(names)))


def _call(node: Node) -> Iterator[SoleCall]:
    called = node.child_by_field_name("function") or node.child_by_field_name("type")
    given = node.child_by_field_name("arguments")
    if called is None or given is None or node.has_error:
        return
    owner = ""
    if called.type == "member_access_expression":
        of, called = called.child_by_field_name("expression"), called.child_by_field_name("name")
        owner = text_of(of) if of is not None else ""
    if called is not None and called.type == "generic_name":
        called = called.named_children[0]
    if called is None or called.type != "identifier":
        return
    values = [each for each in given.named_children if each.type == "argument"]
    named = (each.child_by_field_name("name") for each in values)
    yield SoleCall(
        name=text_of(called),
        owner="" if owner in _OWNERS else owner,
        line=line_of(node),
        given=len(values),
        named=frozenset(text_of(each) for each in named if each is not None),
    )


def _may_be_other(name: str, text: str) -> bool:
    word = re.escape(name)
    held = rf"[\w>\]?]\s+{word}\s*(?:[;=,)]|\{{)|\bdelegate\b[^;]*\s{word}\s*[<(]"
    typed = rf"\b(?:record|struct|interface)\s+{word}\b|\bclass\s+{word}\s*(?:<[^>]*>)?\s*\("
    return re.search(f"{held}|{typed}", text) is not None


CSHARP = SoleLanguage(
    "C#", ".cs", _read, _may_be_other, lambda name: not re.search(r"[a-z][A-Z]", name)
)
