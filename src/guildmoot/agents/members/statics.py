"""Members of a type that are gone while other files ask the type for them by its name. Pure.

``Type.member`` in Java, ``Type::member`` in PHP and Rust. Only where the type stays and takes nothing from another, and
where no other file declares a member or a type that is called the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from guildmoot.agents.parsing.gone_names import Loss
from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_SIGNS = {"Java": r"\.", "PHP": "::", "Rust": "::"}
_TYPES = frozenset(
    ("class_declaration", "enum_declaration", "interface_declaration", "impl_item", "enum_item")
)
_MEMBERS = frozenset(
    (
        *("method_declaration", "const_element", "enum_case", "property_element", "enum_constant"),
        *("variable_declarator", "function_item", "const_item", "enum_variant"),
    )
)
_TAKES = re.compile(
    r"\A[^{]*\b(?:extends|implements|for)\b|(?m:^\s*use\s+[\w\\]+\s*[;{,])|__callStatic|\bDeref\b"
)
_MADE = re.compile(r"#\[|@[A-Z]\w+|\w!\s*[{(\[]")
"""What may make members: attributes, annotations, macros."""
_DECLARES = r"(?:function|fn|const|case|static|enum|final|public|private|protected|\w>?\]?)\s+&?\$?{0}\s*[(=;,{{]"
_MOST_USERS = 40

Members = Mapping[str, frozenset[str]]


def gone_statics(
    before: Mapping[str, str],
    after: Mapping[str, str],
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[tuple[str, Loss]]:
    """Each with the path that declared it."""
    for path, old in sorted(before.items()):
        language, new = language_of(path).name, after.get(path)
        if language not in _SIGNS or not new or len(_MADE.findall(new)) > len(_MADE.findall(old)):
            continue
        now = static_members(language, path, new)
        for owner, members in static_members(language, path, old).items():
            for name in sorted(members - now.get(owner, members)):
                held = dict.fromkeys((*users(name), *(p for p, t in after.items() if name in t)))
                others = [u for u in held if language_of(u).name == language and u != path]
                texts = {u: after.get(u, text(u)) for u in others[:_MOST_USERS]}
                declares = re.compile(_DECLARES.format(re.escape(name)))
                if any(map(declares.search, texts.values())) or len(others) > _MOST_USERS:
                    continue
                yield from _asked(path, owner, name, _SIGNS[language], texts)


def _asked(
    path: str, owner: str, name: str, sign: str, texts: Mapping[str, str]
) -> Iterator[tuple[str, Loss]]:
    asks = re.compile(rf"(?<![\w\\.:>$]){owner}{sign}\$?{re.escape(name)}\b")
    other = re.compile(rf"\b(?:class|enum|interface|trait|struct|type|as|record)\s+{owner}\b")
    for user, said in texts.items():
        found = None if other.search(said) else asks.search(_without_comments(said))
        if found:
            yield path, (name, user, said[: found.start()].count("\n") + 1)
            return


def _without_comments(text: str) -> str:
    """The same letters, with blanks for what is said in comments."""
    return re.sub(r"(?s)/\*.*?\*/|//[^\n]*", lambda found: re.sub(r"[^\n]", " ", found[0]), text)


@lru_cache(maxsize=32)
def static_members(language: str, path: str, text: str) -> dict[str, frozenset[str]]:
    """What each type of a file has itself; types that take from others are left out."""
    tree = parse(language, path, text.encode("utf-8", "surrogatepass")).tree
    found: dict[str, set[str]] = {}
    taking: set[str] = set()
    around: list[
        tuple[int, int, set[str]]
    ] = []  # the types a node stands in, by the bytes of their bodies
    for node in walk(tree.root_node) if tree is not None else ():
        at, kind = node.start_byte, node.type
        while around and around[-1][1] <= at:
            around.pop()
        if kind in _MEMBERS:
            name = _member(node)
            for start, _, names in around if name else ():
                if start <= at:
                    names.add(name)
        if kind not in _TYPES:
            continue
        named = node.child_by_field_name("name") or node.child_by_field_name("type")
        body = node.child_by_field_name("body")
        if named is None or body is None:
            continue
        owner = text_of(named).partition("<")[0]
        if _TAKES.search(text_of(node)):
            taking.add(owner)
        around.append((body.start_byte, body.end_byte, found.setdefault(owner, set())))
    return {owner: frozenset(names) for owner, names in found.items() if owner not in taking}


def _member(node: Node) -> str:
    """The name of what a type has itself."""
    if node.type == "const_element":
        return text_of(node.named_children[0])
    name = node.child_by_field_name("name")
    return text_of(name).lstrip("$") if name is not None else ""
