"""Methods of Ruby."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.fit import Takes
from guildmoot.agents.members.sole.model import SoleCall, SoleFile, SoleForm, SoleLanguage
from guildmoot.agents.parsing.walk import line_of, text_of, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_OPEN = frozenset(("splat_argument", "hash_splat_argument", "forward_argument"))
_ANY_KIND = frozenset(("splat_parameter", "forward_parameter", "destructured_parameter"))


def _read(root: Node) -> SoleFile:
    forms: dict[str, list[SoleForm | None]] = {}
    calls = list[SoleCall]()
    for node in walk(root):
        if node.type in ("method", "singleton_method"):
            name = node.child_by_field_name("name")
            written = text_of(name) if name is not None else ""
            if written == "initialize":
                written = _class_of(node)
            forms.setdefault(written, []).append(_form(node))
        elif node.type == "call":
            calls += _call(node)
    return SoleFile(forms, calls)


def _class_of(method: Node) -> str:
    body = method.parent
    owner = body.parent if body is not None else None
    name = owner.child_by_field_name("name") if owner is not None else None
    return (
        text_of(name).rpartition("::")[2] if name is not None and name.type != "identifier" else ""
    )


def _form(method: Node) -> SoleForm | None:
    parameters = method.child_by_field_name("parameters")
    least = most = 0
    names, needed, opened = list[str](), set[str](), False
    for each in parameters.named_children if parameters is not None else ():
        name = each.child_by_field_name("name")
        if each.type == "identifier":
            least, most = least + 1, most + 1
        elif each.type == "optional_parameter":
            most += 1
        elif each.type == "keyword_parameter" and name is not None:
            names.append(text_of(name))
            if each.child_by_field_name("value") is None:
                needed.add(text_of(name))
        elif each.type == "hash_splat_parameter":
            opened = True
        elif each.type in _ANY_KIND:
            return None
    by_name = bool(names) or opened
    takes = Takes(least, most, tuple(names))
    return SoleForm(takes, frozenset(needed), opened, apart=by_name, bundles=not by_name)


def _call(node: Node) -> Iterator[SoleCall]:
    called, of = (node.child_by_field_name(each) for each in ("method", "receiver"))
    given = node.child_by_field_name("arguments")
    if called is None or called.type not in ("identifier", "constant") or node.has_error:
        return
    values = [e for e in (given.named_children if given is not None else ()) if e.type != "comment"]
    values = [each for each in values if each.type != "block_argument"]
    pairs = [each for each in values if each.type == "pair"]
    keys = [each.child_by_field_name("key") for each in pairs]
    if any(each.type in _OPEN or text_of(each) == "..." for each in values):
        return
    if any(key is None or key.type != "hash_key_symbol" for key in keys):
        return
    name, owner = text_of(called), text_of(of) if of is not None else ""
    if name == "new":
        if of is None or of.type not in ("constant", "scope_resolution"):
            return
        name, owner = owner.rpartition("::")[2], ""
    yield SoleCall(
        name=name,
        owner="" if owner == "self" else owner,
        line=line_of(node),
        given=len(values),
        named=frozenset(text_of(key) for key in keys if key is not None),
    )


def _may_be_other(name: str, text: str) -> bool:
    from guildmoot.agents.ruby.declares import declares

    word = re.escape(name)
    rest = re.sub(rf"\bdef\s+(?:self\.)?{word}\b(?![?!])", "", text)
    if name[:1].isupper():
        made = rf"\b{word}\s*=[^=~]|\bdef\s+self\.new\b|\bclass\s+(?:\w+::)*{word}\b[^\n]*\b(?:Struct|Data)\b"
        return re.search(made, text) is not None
    local = rf"\b{word}\s*=[^=~]|[|,]\s*{word}\s*[|,]|->\s*\(?[^)\n]*\b{word}\b"
    return declares(name, rest) or re.search(local, text) is not None


def _is_common(name: str) -> bool:
    from guildmoot.agents.ruby.given import is_known_member

    return is_known_member(name) or "_" not in name.strip("_?!")


RUBY = SoleLanguage("Ruby", ".rb", _read, _may_be_other, _is_common)
