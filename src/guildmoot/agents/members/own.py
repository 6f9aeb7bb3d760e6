"""Members that a class asks itself for and does not have, in PHP, scripts and Rust. Pure.

All classes of a file count as one. Told is what the file had before and no file of the repository declares now, and
what is new and stands nowhere else: where a class takes members from elsewhere, nobody can say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.plain_names import SCRIPTS
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.languages import language_of
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_MESSAGE = "`{}` is asked for here, and nothing declares it"
_MOST_USERS = 40
_INHERITS = lazy(r"\bimplements\b")
"""What gives a class constants."""
_OF_ALL = frozenset(
    (
        *(
            "constructor",
            "toString",
            "valueOf",
            "hasOwnProperty",
            "class",
            "isPrototypeOf",
            "toJSON",
        ),
        *("name", "value", "cases", "from", "tryFrom"),  # of enums in PHP
    )
)
_DECLARES = r"(?:function\*?|const|fn|static|get|set|case|var|public|private|protected|readonly)"


class _Form(NamedTuple):
    """How a language writes classes and what they ask themselves for."""

    classes: frozenset[str]
    declares: dict[str, str]
    """Kinds of nodes that declare a member, and the field that names it."""
    asks: dict[str, tuple[str, str]]
    """Kinds of nodes that ask for one: the fields of the owner and of the name."""
    owners: frozenset[str]
    takes: frozenset[str]
    """Kinds of nodes by which a class takes members from elsewhere."""
    opens: re.Pattern[str]
    """The same, in its text."""
    new: bool
    """Whether a new name that nothing declares is wrong for certain."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCRIPT = _Form(
    classes=_words("class_declaration class abstract_class_declaration"),
    declares={
        **dict.fromkeys(
            ("method_definition", "public_field_definition", "method_signature"), "name"
        ),
        "abstract_method_signature": "name",
        "field_definition": "property",
        **dict.fromkeys(("required_parameter", "optional_parameter"), "pattern"),
    },
    asks={"member_expression": ("object", "property")},
    owners=_words("this"),
    takes=_words("extends_clause decorator index_signature"),
    opens=lazy(
        r"\bclass\b[^{]*\bextends\b|Object\.\w+\(\s*this\b|\bthis\[|\bthis as\b|<any>this|\bmixin|\.prototype\b"
        r"|\bReflect\.|__proto__"
    ),
    new=True,
)
_FORMS = {
    **dict.fromkeys(SCRIPTS, _SCRIPT),
    "PHP": _Form(
        classes=_words("class_declaration enum_declaration trait_declaration anonymous_class"),
        declares={
            **dict.fromkeys(
                ("method_declaration", "property_element", "enum_case", "const_element"), "name"
            ),
            "property_promotion_parameter": "name",
        },
        asks={
            "member_access_expression": ("object", "name"),
            "member_call_expression": ("object", "name"),
            "nullsafe_member_access_expression": ("object", "name"),
            "nullsafe_member_call_expression": ("object", "name"),
            "scoped_call_expression": ("scope", "name"),
            "class_constant_access_expression": ("", ""),
            "scoped_property_access_expression": ("scope", "name"),
        },
        owners=_words("$this self static"),
        takes=_words("base_clause use_declaration trait_declaration"),
        opens=lazy(
            r"(?i)function\s+&?__(?:get|call|callStatic|set)\b|@(?:property|method|mixin)\b"
        ),
        new=True,
    ),
    "Rust": _Form(
        classes=_words("impl_item"),
        declares={
            **dict.fromkeys(("function_item", "field_declaration", "const_item"), "name"),
            **dict.fromkeys(("enum_variant", "function_signature_item", "type_item"), "name"),
        },
        asks={"field_expression": ("value", "field"), "scoped_identifier": ("path", "name")},
        owners=_words("self Self"),
        takes=_words(""),
        opens=lazy(r"\bDeref\b"),
        new=False,
    ),
}


class _Members(NamedTuple):
    declared: set[str]
    own: set[str]
    """Those of them that belong to no trait, which might have a form of its own for it."""
    asked: dict[str, int]
    """With the first line."""
    open: bool


def lost_members(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such member once."""
    form = _FORMS.get(language)
    if form is None:
        return
    now = _members(after, form)
    if not now.asked.keys() - now.declared:
        return
    then = _members(before, form)
    family = SCRIPTS if language in SCRIPTS else (language,)
    text = text_of(after)
    for name, line in now.asked.items():
        if (
            name in now.declared | _OF_ALL
            or now.open
            or (name.isupper() and _INHERITS.search(text))
        ):
            continue
        gone = name in then.own
        if not gone and (not form.new or name in then.asked or around.paths(name)):
            continue
        made = re.compile(
            rf"{_DECLARES}\s+\$?{re.escape(name)}\b|[.>$]{re.escape(name)}\s*(?:=[^=>]|\?\?=|:)"
            rf"|['\"]{re.escape(name)}['\"]"
        )
        alike = [each for each in around.paths(name) if language_of(each).name in family]
        if not any(made.search(each) for each in (text, *map(around.text, alike[:_MOST_USERS]))):
            yield name, line, _MESSAGE.format(name)


_IMPLEMENTS = lazy(r"(?m)^\s*(?:final\s+|readonly\s+)*class\s+\w+\s+implements\s+([\w\\\s,]+)\{")


def lost_duties(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Methods of PHP that a class no longer has, and an interface of the repository asks of it."""
    text = text_of(after)
    named = _IMPLEMENTS.search(text) if language == "PHP" else None
    if named is None or len(re.findall(r"(?m)^\s*(?:\w+ )*(?:class|trait|enum) \w", text)) != 1:
        return
    form = _FORMS["PHP"]
    then, now = (_members(root, form) for root in (before, after))
    gone = sorted(then.declared - now.declared) if not now.open else []
    for owner in re.findall(r"\w+(?=\s*(?:,|$))", named[1].strip()) if gone else ():
        asks = re.compile(rf"\binterface\s+{owner}\b")
        texts = [said for said in around.held(owner) if asks.search(said)]
        for name in gone if len(texts) == 1 else ():
            if re.search(rf"\bfunction\s+{name}\s*\(", texts[0]):
                line = text[: named.start(1)].count("\n") + 1
                yield name, line, f"`{owner}` asks for `{name}`, and the class has it no longer"


def _members(root: Node, form: _Form) -> _Members:
    declared, own, asked = set[str](), set[str](), dict[str, int]()
    opened = bool(form.opens.search(text_of(root)))
    for node in walk(root):
        if node.type in form.classes:
            inside = (node, *node.children, *(e for part in node.children for e in part.children))
            opened = opened or any(each.type in form.takes for each in inside)
        if node.type in form.declares:
            named = node.child_by_field_name(form.declares[node.type])
            names = {text_of(named).lstrip("$#")} if named is not None else set()
            declared |= names
            own |= names if not _is_of_trait(node) else set()
        if node.type in form.asks:
            of, member = (node.child_by_field_name(field) for field in form.asks[node.type])
            if node.type == "class_constant_access_expression":
                of, member = node.named_children[0], node.named_children[-1]
            if (
                of is None
                or member is None
                or text_of(of) not in form.owners
                or not _is_inside(of, form)
            ):
                continue
            name = text_of(member).lstrip("$#")
            if _is_set(node):
                declared.add(name)
                own.add(name)
            elif name.isidentifier():
                asked.setdefault(name, line_of(member))
    return _Members(declared, own, asked, opened)


def _is_of_trait(member: Node) -> bool:
    body = member.parent
    around = body.parent if body is not None else None
    return around is not None and around.child_by_field_name("trait") is not None


def _is_inside(node: Node, form: _Form) -> bool:
    """Whether the nearest that gives it a ``this`` is a class of the file."""
    around = node.parent
    while around is not None and around.type not in form.classes:
        if around.type in ("function_expression", "function_declaration", "object"):
            return False
        around = around.parent
    return around is not None


def _is_set(node: Node) -> bool:
    """Whether it stands on the left of an assignment, or in a list there."""
    around = node.parent
    while around is not None and around.type in (
        *(
            "array_pattern",
            "object_pattern",
            "pair_pattern",
            "list_literal",
            "subscript_expression",
        ),
        "array_element_initializer",
    ):
        node, around = around, around.parent
    if around is None:
        return False
    kinds = "assignment_expression augmented_assignment_expression reference_assignment_expression"
    return around.type in kinds.split() and around.child_by_field_name("left") == node
