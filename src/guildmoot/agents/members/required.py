"""Names that a script no longer exports while another takes them by ``require``. Pure.

Only what is written as ``exports.name =``, or as a key of the object that is exported, is known to have been there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from guildmoot.agents.parsing.gone_names import Loss
from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.named import NamedTuple
from guildmoot.text.languages import language_of
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ENDINGS = (".js", ".cjs", ".jsx", ".ts")
_WHOLE = ("module.exports", "exports")
_OPENS = lazy(
    r"\bexports\s*\[|Object\.\w+\(\s*(?:module\.)?exports\b|\bexports\s*=\s*(?:require|Object|new)\b"
)
_REQUIRE = r"""require\(\s*['"](\.[^'"\n]*)['"]\s*\)"""
_NAMED = lazy(rf"([\w$]+)\s*=\s*{_REQUIRE}(?![.\[(])")
_TAKEN = lazy(rf"\{{([^{{}}]*)\}}\s*=\s*{_REQUIRE}(?![.\[(])")
_DIRECT = lazy(rf"{_REQUIRE}\.([\w$]+)")
_MOST_USERS = 40


class _Exports(NamedTuple):
    names: frozenset[str]
    open: bool


def gone_required(
    before: Mapping[str, str],
    after: Mapping[str, str],
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[tuple[str, Loss]]:
    """Each with the path that exported it."""
    for path, old in sorted(before.items()):
        new = after.get(path)
        if not new or not path.endswith(_ENDINGS) or "exports" not in old:
            continue
        now = _exports(path, new)
        for name in sorted(_exports(path, old).names - now.names) if not now.open else ():
            if re.search(rf"\.{re.escape(name)}\s*=[^=]|['\"]{re.escape(name)}['\"]", new):
                continue
            for user in dict.fromkeys((*after, *users(name)[:_MOST_USERS])):
                said = after[user] if user in after else "" if user in before else text(user)
                line = _asking(user, said, name, path) if user != path else 0
                if line:
                    yield path, (name, user, line)
                    break


def _exports(path: str, text: str) -> _Exports:
    tree = parse(language_of(path).name, path, text.encode("utf-8", "surrogatepass")).tree
    names, opened = set[str](), bool(_OPENS.search(text)) or tree is None
    for node in walk(tree.root_node) if tree is not None else ():
        left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
        if left is None:
            continue
        owner, _, name = text_of(left).rpartition(".")
        if text_of(left) in _WHOLE:
            keys = list(_keys(node.child_by_field_name("right")))
            opened = opened or "..." in keys
            names |= {*keys}
        elif owner in _WHOLE:
            names.add(name)
    return _Exports(frozenset(names), opened)


def _keys(value: Node | None) -> Iterator[str]:
    for each in value.named_children if value is not None and value.type == "object" else ():
        key = each.child_by_field_name("key") or each.child_by_field_name("name") or each
        yield "..." if each.type == "spread_element" else text_of(key)


def _asking(user: str, text: str, name: str, path: str) -> int:
    """The line on which a file asks that very path for the name; 0 when it does not."""
    if not user.endswith(_ENDINGS) or name not in text:
        return 0
    for taken in _TAKEN.finditer(text):
        names = {part.partition(":")[0].partition("=")[0].strip() for part in taken[1].split(",")}
        if name in names and _leads_to(user, taken[2], path):
            return text[: taken.start()].count("\n") + 1
    for direct in _DIRECT.finditer(text):
        if direct[2] == name and _leads_to(user, direct[1], path):
            return text[: direct.start()].count("\n") + 1
    for named in _NAMED.finditer(text):
        if _leads_to(user, named[2], path):
            return _used(named[1], name, text)
    return 0


def _used(owner: str, name: str, text: str) -> int:
    """The line that asks a module for a name, where the file does not give it one."""
    if len(re.findall(rf"\b{re.escape(owner)}\s*=[^=]", text)) != 1:
        return 0
    asks = list(re.finditer(rf"(?<![\w$.]){re.escape(owner)}\.{re.escape(name)}(?![\w$])", text))
    if not asks or any(re.match(r"\s*=[^=]", text[each.end() :]) for each in asks):
        return 0
    return text[: asks[0].start()].count("\n") + 1


def _leads_to(user: str, written: str, path: str) -> bool:
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(user), written))
    bare = re.sub(r"\.[cm]?[jt]sx?$", "", path)
    return re.sub(r"\.[cm]?jsx?$", "", wanted) in (bare, bare.removesuffix("/index"))
