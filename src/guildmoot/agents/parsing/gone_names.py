"""Types, functions of C and names of Go packages that a change takes away while untouched files use them. Pure.

Told only where the repository itself gave the name: no file of it declares the name any more, and the file that uses it
imports it from where it was, or shares its package.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache

from guildmoot.agents.members.c_trees import INCLUDED
from guildmoot.agents.parsing.package_names import go_import_names
from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.agents.scopes.type_uses import declares_value, is_sure, type_use
from guildmoot.text.languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_JVM = ("Java", "Kotlin")
_FAMILIES = {
    **dict.fromkeys(_JVM, _JVM),
    **dict.fromkeys(("C", "C++"), ("C", "C++")),
    **{name: (name,) for name in ("C#", "PHP", "Ruby")},
}
_TYPED = ("Java", "C#")
"""Languages whose trees tell a type from what is called as it is."""
_BY_PACKAGE = (_JVM, ("PHP",))
"""Families whose files say in which package they are, and from which they take a type."""
_TYPES = frozenset(
    (
        *("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"),
        *("struct_declaration", "object_declaration", "trait_declaration", "type_alias"),
        *("annotation_type_declaration", "delegate_declaration", "class", "module"),
    )
)
_KINDS = frozenset(("type_identifier", "identifier", "name", "constant"))
_HOME = re.compile(r"(?m)^\s*(?:package|namespace|module)\s+([\w.\\:]+)")
_SHORTEST = 4
_MOST_USERS = 40

Loss = tuple[str, str, int]
"""A name, and the file and line that still use it."""


def gone_types(
    before: Mapping[str, str],
    after: Mapping[str, str],
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[tuple[str, Loss]]:
    """Types of object languages, each with the path that declared it."""

    @cache
    def of_family(family: tuple[str, ...]) -> tuple[list[str], set[tuple[str, str]]]:
        """The texts of now, and the types they declare with their packages; once for all that ask."""
        now = {p: t for p, t in after.items() if language_of(p).name in family}
        kept = {(_home(t), name) for p, t in now.items() for name in _declared_types(p, t)}
        return list(now.values()), kept

    for path, old in sorted(before.items()):
        family = _FAMILIES.get(language_of(path).name, ())
        if not family or family == ("C", "C++"):
            continue
        now, kept = of_family(family)
        home = _home(old)
        for name in sorted(_declared_types(path, old)):
            moved = {there for there, each in kept if each == name}
            if len(name) < _SHORTEST or home in moved or (moved and family not in _BY_PACKAGE):
                continue
            if not moved and any(_has(t, f"class {name}") for t in now):
                continue
            others = [u for u in users(name) if language_of(u).name in family and u not in before]
            texts = {user: text(user) for user in others[:_MOST_USERS]}
            here = [t for t in texts.items() if family not in _BY_PACKAGE or _home(t[1]) == home]
            if any(name in _declared_types(user, t) for user, t in here):
                continue
            for user, t in texts.items():
                seen = _sees(t, home, name) and not any(_sees(t, each, name) for each in moved)
                line = _use(user, t, name, home) if seen else 0
                if line and not _is_value(user, t, name, (*now, *texts.values())):
                    yield path, (name, user, line)
                    break


def gone_functions(
    before: Mapping[str, str],
    after: Mapping[str, str],
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[tuple[str, Loss]]:
    """Functions of C that are neither defined nor declared any more, while another file calls them."""
    for path, old in sorted(before.items()):
        if language_of(path).name != "C" or after.get(path, "").count("##") > old.count("##"):
            continue
        now = [t for p, t in after.items() if _is_of_c(p)]
        for name in sorted(_functions(path, old) - _functions(path, after.get(path, ""))):
            own = name in _functions(path, old, _BODY) and _brings(path, old, after.get(path, ""))
            defined = (_defines(t, name) or name in _functions("a.c", t, _BODY) for t in now)
            if any(defined if own else (_has(t, name) for t in now)):
                continue
            held = [u for u in users(name) if u not in before]
            others = [u for u in held if language_of(u).name == "C"]
            texts = {user: text(user) for user in others[:_MOST_USERS]}
            parts = [text(u) for u in held if u.endswith(INCLUDED)]
            kinds = _BODY if own else _EITHER  # what is declared and defined nowhere is not there
            there = (*texts.items(), *(("a.c", part) for part in parts))
            if any(_defines(t, name) or name in _functions(u, t, kinds) for u, t in there):
                continue
            if own:  # callers beside it have no other, either
                made = re.compile(rf"(?m)^static\b[^;{{}}()]*\b{name}\s*\(")  # for itself alone now
                beside = {u: t for u, t in after.items() if language_of(u).name == "C"}
                texts |= {u: t for u, t in beside.items() if not made.search(t)}
            called = ((u, _call(u, t, name)) for u, t in texts.items())
            found = next(((u, line) for u, line in called if line), None)
            if found:
                yield path, (name, *found)


def gone_exports(
    before: Mapping[str, str],
    gone: Mapping[str, Mapping[str, str]],
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[tuple[str, Loss]]:
    """Exported names of Go packages, by folder and name to the file that had them, which other packages still call."""
    for folder, names in gone.items():
        for name, path in sorted(names.items()):
            if not name[:1].isupper():
                continue
            for user in users(name)[: _MOST_USERS * 2]:
                outside = user.endswith(".go") and posixpath.dirname(user) != folder
                line = (
                    _selected(user, text(user), folder, name, text)
                    if outside and user not in before
                    else 0
                )
                if line:
                    yield path, (name, user, line)
                    break


def _selected(user: str, text: str, folder: str, name: str, read: Callable[[str], str]) -> int:
    """The line on which a file of another package asks this very one for the name."""
    root = _tree(user, text)
    if root is None:
        return 0
    package = _import_path(folder, read)
    known: set[str] = set()
    for node in walk(root):
        if node.type == "import_spec" and package:
            path = node.child_by_field_name("path")
            if path is not None and text_of(path).strip('"`') == package:
                known |= go_import_names(node)
        elif node.type == "selector_expression" and known:
            operand, field = (node.child_by_field_name(part) for part in ("operand", "field"))
            if (
                operand is not None
                and field is not None
                and text_of(field) == name
                and text_of(operand) in known
            ):
                return line_of(node)
    return 0


def _import_path(folder: str, read: Callable[[str], str]) -> str:
    """Under which others import a folder, by the nearest go.mod above it."""
    above = folder
    while True:
        module = re.search(r"(?m)^module\s+\"?([^\s\"]+)", read(posixpath.join(above, "go.mod")))
        if module:
            inner = posixpath.relpath(folder or ".", above or ".")
            return module[1] if inner == "." else f"{module[1]}/{inner}"
        if not above:
            return ""
        above = posixpath.dirname(above)


@lru_cache(maxsize=512)
def _declared_types(path: str, text: str) -> frozenset[str]:
    root = _tree(path, text) if text else None
    names = (
        node.child_by_field_name("name") or node.child_by_field_name("type")  # of a typealias
        for node in (walk(root) if root is not None else ())
        if node.type in _TYPES
    )
    found = {text_of(name).rpartition("::")[2] for name in names if name is not None}
    return frozenset(found.union(_OF_FILE.findall(text)))


_OF_FILE = re.compile(r"@file\s*:\s*JvmName\(\s*\"(\w+)\"")
"""What a file of Kotlin is to those who take its functions from Java."""
_BODY = ("function_definition",)
_EITHER = ("function_definition", "declaration")


def _brings(path: str, old: str, new: str) -> bool:
    """Whether a file defines what it did not: then what is gone was renamed, and is no other's now."""
    return bool(new and _functions(path, new, _BODY) - _functions(path, old, _BODY))


@lru_cache(maxsize=1024)
def _functions(path: str, text: str, kinds: tuple[str, ...] = _EITHER) -> frozenset[str]:
    """What a file of C defines or declares as a function, but for those of its own alone."""
    root = _tree(path, text) if text else None
    found: set[str] = set()
    for node in walk(root) if root is not None else ():
        around = node.parent
        if node.type != "function_declarator" or around is None:
            continue
        while around is not None and around.type not in _EITHER:
            around = around.parent
        name = node.child_by_field_name("declarator")
        if name is None or around is None or text_of(around).startswith("static"):
            continue
        if name.type == "identifier" and around.type in kinds:
            found.add(text_of(name))
    return frozenset(found)


def _is_of_c(path: str) -> bool:
    return language_of(path).name in ("C", "C++") or path.endswith(INCLUDED)


def _defines(text: str, name: str) -> bool:
    return re.search(rf"(?m)^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}\b", text) is not None


def _call(path: str, text: str, name: str) -> int:
    root = _tree(path, text)
    for node in walk(root) if root is not None else ():
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and text_of(function) == name:
                return line_of(node)
    return 0


def _use(path: str, text: str, name: str, home: str) -> int:
    """The first line that names the type in code."""
    root = _tree(path, text)
    if root is not None and language_of(path).name in _TYPED:
        taken = re.search(rf"(?m)^import\s+(?:static\s+)?{re.escape(home)}\.{name}\b", text)
        at = text.count("\n", 0, taken.start()) + 1 if taken else 0
        return at or type_use(language_of(path).name, root, name)
    for node in walk(root) if root is not None else ():
        if node.type in _KINDS and text_of(node) == name and not _is_aside(node):
            return line_of(node)
    return 0


def _is_value(path: str, text: str, name: str, others: Iterable[str]) -> bool:
    """Whether all that a file says of the name may be of a value, which another file gives to it."""
    language = language_of(path).name
    root = _tree(path, text) if language in _TYPED else None
    if root is None or is_sure(language, root, name):
        return False
    trees = (_tree(path, each) for each in others if name in each)
    return any(declares_value(each, name) for each in trees if each is not None)


def _is_aside(node: Node) -> bool:
    """Whether it is a member of another thing, a label or a key, which may be called the same."""
    around = node.parent
    if around is None:
        return True
    if around.type in (
        "member_access_expression",
        "navigation_expression",
        "field_access",
        "scope_resolution",
        "user_type",
        "scoped_type_identifier",
    ):
        return around.named_children[0] != node
    return around.type in ("name_colon", "attribute")


def _sees(text: str, home: str, name: str) -> bool:
    """Whether a file reaches the package of the type: it is in it, imports the type from it, or all of it."""
    taken = re.search(rf"(?m)^\s*(?:import|using|use)\b[^\n]*?([\w.\\:]*)[.\\]{name}\b", text)
    if not home or (taken and taken[1] != home):
        return False
    own = _home(text)
    inner = own.startswith((f"{home}.", f"{home}::")) and not re.search(r"(?m)^\s*package\b", text)
    whole = rf"(?m)^\s*(?:import|using)\s+{re.escape(home)}(?:\.\*)?\s*;?\s*$"
    return taken is not None or own == home or inner or re.search(whole, text) is not None


def _home(text: str) -> str:
    found = _HOME.search(text)
    return found[1] if found else ""


def _has(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _tree(path: str, text: str) -> Node | None:
    found = parse(language_of(path).name, path, text.encode("utf-8", "surrogatepass"))
    tree = found.tree or found.partial
    return tree.root_node if tree is not None else None
