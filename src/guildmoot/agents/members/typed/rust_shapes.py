"""The types of a file of Rust: what they have themselves, what their traits give them, what a macro may add."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guildmoot.agents.members.fit import Forms, Takes
from guildmoot.agents.members.typed.model import MORE, Gives, Shape
from guildmoot.agents.members.typed.rust_names import FUTURE, parts_of, words, written
from guildmoot.agents.parsing.walk import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = frozenset(("struct_item", "enum_item", "union_item", "trait_item", "type_item"))
_PLAIN_TRAITS = words(
    """Debug Display Clone Copy PartialEq Eq PartialOrd Ord Hash Default Send Sync Sized Unpin From Into TryFrom
    TryInto FromStr Drop AsRef AsMut Borrow BorrowMut ToString Error Serialize Deserialize Parser Args Subcommand
    ValueEnum Add Sub Mul Div Rem Neg Not AddAssign SubAssign MulAssign DivAssign BitOr BitAnd BitXor BitOrAssign
    BitAndAssign Index IndexMut IntoIterator FromIterator Extend Sum Termination UnwindSafe RefUnwindSafe"""
)
"""Traits whose methods are listed below or stand in what implements them."""
_OF_ALL = """clone clone_from eq ne partial_cmp lt le gt ge cmp max min clamp hash default from into try_from try_into
from_str to_string to_owned borrow borrow_mut as_ref as_mut fmt drop source description cause type_id clone_into
serialize deserialize parse parse_from try_parse try_parse_from command into_app from_arg_matches augment_args
augment_subcommands update_from value_variants to_possible_value group_id has_subcommand into_iter from_iter extend
add sub mul div rem neg not as_any report"""
_PLAIN_ATTRIBUTES = words(
    """derive cfg doc allow deny warn expect forbid must_use non_exhaustive repr deprecated inline cold track_caller
    serde clap arg command structopt value error test rustfmt default automatically_derived async_trait"""
)


def shapes_of(root: Node) -> dict[str, Shape]:
    """Each type once; one that is declared twice may be anything."""
    found: dict[str, Shape] = {}
    for node in _items(root):
        if node.type in _TYPES:
            name = named(node)
            known = found.get(name)
            shape = _declared(node)
            if known is not None:
                shape = shape._replace(open=shape.open or known.declared)
            found[name] = _joined(known, shape)
        elif node.type == "impl_item":
            owner, shape = _implemented(node)
            found[owner] = _joined(found.get(owner), shape)
    macros = _macros(root)
    return {name: _made(macros, name, shape) for name, shape in found.items() if name}


def _joined(one: Shape | None, other: Shape) -> Shape:
    if one is None:
        return other
    return Shape(
        merged((*one.members.items(), *other.members.items())),
        (*one.takes, *other.takes),
        one.open or other.open,
        one.declared or other.declared,
        traits=(*one.traits, *other.traits),
        narrow=one.narrow or other.narrow,
    )


def merged(members: Iterable[tuple[str, Gives]]) -> dict[str, Gives]:
    """Members that are there more than once give what nobody can say."""
    found: dict[str, Gives] = {}
    for name, gives in members:
        known = found.get(name, _GUESSED)
        if known != _GUESSED and gives != _GUESSED:
            types = gives.types if known.types == gives.types else ()
            gives = Gives(types, gives.called, gives.takes if known.takes == gives.takes else None)
        found[name] = known if gives == _GUESSED else gives
    return found


def _macros(root: Node) -> str:
    """The text of macros that make items: they may give members to types that they name."""
    found: list[str] = []
    for node in _items(root):
        macro = node.named_children[0] if node.type == "expression_statement" else node
        if macro.type in ("macro_definition", "macro_invocation"):
            found.append(text_of(macro))
    return "\n".join(found)


def _made(macros: str, name: str, shape: Shape) -> Shape:
    if name not in macros or not re.search(rf"\b{re.escape(name)}\b", macros):
        return shape
    return shape._replace(members={**shape.members, MORE: Gives(())})


def _items(root: Node) -> Iterator[Node]:
    """What stands at the top of a file and of its modules."""
    for node in root.named_children:
        yield node
        body = node.child_by_field_name("body") if node.type == "mod_item" else None
        if body is not None:
            yield from _items(body)


def functions_of(root: Node) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for node in _items(root):
        if node.type == "function_item":
            found.setdefault(named(node), []).append(node)
    return found


def named(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None else ""


def parameters(node: Node | None) -> set[str]:
    """Names of types that what stands around is told."""
    found = set[str]()
    while node is not None:
        listed = node.child_by_field_name("type_parameters")
        found |= {named(each) for each in listed.named_children} if listed is not None else set()
        node = node.parent
    return found


def owner_of(node: Node) -> str:
    """What ``Self`` is here; empty in a trait."""
    around: Node | None = node
    while around is not None and around.type not in ("impl_item", "trait_item"):
        around = around.parent
    if around is None or around.type == "trait_item":
        return ""
    return type_text(around.child_by_field_name("type"))


def type_text(node: Node | None) -> str:
    """A type as it is written, without what only its users know."""
    if node is None:
        return ""
    text = text_of(node)
    unknown = parameters(node)
    if re.search(r"\bSelf\b", text):
        text = re.sub(r"\bSelf\b(?!::)", owner_of(node) or "_", text)
    if unknown:
        text = re.sub(rf"\b(?:{'|'.join(map(re.escape, unknown))})\b", "_", text)
    return written(text)


def children(node: Node | None) -> list[Node]:
    """Without comments."""
    kept = node.named_children if node is not None else ()
    return [each for each in kept if "comment" not in each.type]


def taken(function: Node) -> Forms | None:
    """How many arguments it takes besides ``self``."""
    listed = children(function.child_by_field_name("parameters"))
    kinds = [each.type for each in listed]
    if {"attribute_item", "variadic_parameter"} & {*kinds} or _is_conditional(function):
        return None
    count = len(kinds) - kinds.count("self_parameter")
    return (Takes(count, count),)


def _is_conditional(node: Node) -> bool:
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        if text_of(before).startswith("#[cfg"):
            return True
        before = before.prev_named_sibling
    return False


def _held(variant: Node) -> Forms | None:
    """How many values a variant holds that is made as a function is called."""
    body = variant.child_by_field_name("body")
    if body is None or body.type != "ordered_field_declaration_list":
        return None
    if any(each.type == "attribute_item" for each in body.named_children):
        return None
    count = len(body.children_by_field_name("type"))
    return (Takes(count, count),)


def returned(function: Node) -> str:
    found = type_text(function.child_by_field_name("return_type"))
    head = function.named_children[0] if function.named_children else None
    is_async = head is not None and "async" in text_of(head).split()
    return f"{FUTURE}<{found}>" if found and is_async else found


def _declared(node: Node) -> Shape:
    if node.type == "type_item":
        return Shape({}, open=True)
    if node.type == "trait_item":
        bounds = node.child_by_field_name("bounds")
        kinds = bounds.named_children if bounds is not None else ()
        takes = [_trait(each) for each in kinds if each.type != "lifetime"]
        members = merged(_associated(node))
        return Shape(members, tuple(each for each in takes if each not in _PLAIN_TRAITS))
    members = {
        f"{before}{each}{after}": Gives(()) for each in words(_OF_ALL) for before, after in _FORMS
    }
    members |= dict(_fields(node)) | _added(node)
    return Shape(members, narrow=False)


_FORMS = (("", "()"), ("::", ""))
_GUESSED = Gives(())
"""What a trait of the library may give."""


def _fields(node: Node) -> Iterator[tuple[str, Gives]]:
    body = node.child_by_field_name("body")
    for each in body.named_children if body is not None else ():
        if each.type == "field_declaration":
            yield named(each), Gives((type_text(each.child_by_field_name("type")),))
        elif each.type == "enum_variant":
            yield f"::{named(each)}", Gives((named(node),), takes=_held(each))


def _added(node: Node) -> dict[str, Gives]:
    """What attributes may add, which are macros unless they are known."""
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        if before.type == "attribute_item" and not _is_plain(before):
            return {MORE: Gives(())}
        before = before.prev_named_sibling
    return {}


def _is_plain(attribute: Node) -> bool:
    words = re.findall(r"[\w:]+", re.sub(r'"[^"]*"', "", text_of(attribute)))
    if words[0] == "cfg_attr" and "derive" in words:
        words = words[words.index("derive") :]
    if words[0] == "derive":
        return all(each.rpartition("::")[2] in _PLAIN_TRAITS for each in words[1:])
    return words[0] in _PLAIN_ATTRIBUTES or words[0] == "cfg_attr"


def _trait(node: Node) -> str:
    return parts_of(text_of(node))[0].rpartition("::")[2]


def _implemented(node: Node) -> tuple[str, Shape]:
    kind = parts_of(type_text(node.child_by_field_name("type")))[
        0
    ]  # also where it has a known name
    owner = kind.rpartition(".")[2]
    trait = node.child_by_field_name("trait")
    name = _trait(trait) if trait is not None else ""
    given = (type_text(trait),) if trait is not None and name not in _PLAIN_TRAITS else ()
    shape = Shape(
        merged(_associated(node)) | _added(node),
        open=name in ("Deref", "DerefMut"),
        declared=False,
        traits=given,
        narrow=False,
    )
    return owner, shape


def _associated(node: Node) -> Iterator[tuple[str, Gives]]:
    """Functions, constants and types of a trait or of what implements it."""
    body = node.child_by_field_name("body")
    for each in body.named_children if body is not None else ():
        name = named(each)
        if each.type in ("function_item", "function_signature_item"):
            listed = each.child_by_field_name("parameters")
            takes, types = taken(each), (returned(each),)
            is_method = any(part.type == "self_parameter" for part in children(listed))
            if is_method:
                yield f"{name}()", Gives(types, called=True, takes=takes)
            more = takes and (Takes(takes[0].least + is_method, takes[0].most + is_method),)
            yield f"::{name}", Gives(types, called=True, takes=more)
        elif each.type in ("const_item", "type_item", "associated_type"):
            yield f"::{name}", Gives((type_text(each.child_by_field_name("type")),))
        elif each.type == "macro_invocation" or each.type == "expression_statement":
            yield MORE, Gives(())
