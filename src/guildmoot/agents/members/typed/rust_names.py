"""How Rust writes types, and which file a name of a crate leads to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from guildmoot.agents.members.typed.model import View
from guildmoot.agents.parsing.walk import text_of, walk
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LISTS = words("Vec VecDeque HashSet BTreeSet IndexSet []")
MAPS = frozenset(("HashMap", "BTreeMap", "IndexMap"))
MAYBE = frozenset(("Option", "Result"))
FUTURE = "Future"
_KEPT = LISTS | MAPS | MAYBE | {FUTURE}
"""Types whose arguments are looked into."""
_SEEN_THROUGH = frozenset(("Box", "Rc", "Arc"))
_MARKS = re.compile(r"\A(?:[&\s(]|'\w+\b|mut\b|dyn\b|impl\b)+")
_TYPE = re.compile(r"([A-Za-z_][\w:.]*?)(?:::)?\s*(?:<(.*)>)?\s*(?:\+.*)?\)?\Z", re.DOTALL)
_CRATE = re.compile(r"\A(?:(.*?)/)?(?:src|tests|benches|examples)/")
_MOST_FILES = 60
OWN = frozenset(("crate", "self", "super"))
Module = tuple[str, ...]
Declares = Callable[[str, str], bool]
"""Whether a file declares a name."""


def parts_of(text: str) -> tuple[str, list[str]]:
    """The name of a type and its arguments, without references and boxes; empty where it has no plain name."""
    bare = _MARKS.sub("", text.strip())
    if bare.startswith("["):
        return "[]", [bare[1:].rpartition("]")[0].rpartition(";")[0] or bare[1:].rpartition("]")[0]]
    found = _TYPE.match(bare)
    if found is None:
        return "", []
    name, inner = found[1], _split(found[2] or "")
    return parts_of(inner[0]) if name in _SEEN_THROUGH and inner else (name, inner)


def _split(text: str) -> list[str]:
    """Arguments of a type, without lifetimes."""
    found, deep = [""], 0
    for sign in text:
        deep += (sign in "<([") - (sign in ">)]")
        if sign == "," and deep == 0:
            found.append("")
        else:
            found[-1] += sign
    return [each.strip() for each in found if each.strip() and not each.strip().startswith("'")]


def written(text: str) -> str:
    """A type as the other files of this package know it: a name with dots, with arguments where these count."""
    name, inner = parts_of(text)
    last = name.rpartition("::")[2]
    if last == "[]":
        return f"[{inner[0]}]"
    if last in _KEPT:
        return f"{last}<{', '.join(inner)}>"
    return name.replace("::", ".")


class Imports(NamedTuple):
    """What a file takes from elsewhere."""

    names: Mapping[str, Module]
    globs: tuple[Module, ...]


@lru_cache(maxsize=512)
def imports_of(root: Node) -> Imports:
    names: dict[str, Module] = {}
    globs: list[Module] = []
    for node in walk(root):
        if node.type == "use_declaration":
            for name, path in _imported(node.child_by_field_name("argument"), ()):
                if name == "*":
                    globs.append(path)
                else:
                    names[name] = path if names.get(name, path) == path else ()
    return Imports(names, tuple(globs))


def _imported(node: Node | None, above: Module) -> Iterator[tuple[str, Module]]:
    if node is None:
        return
    if node.type in ("use_list", "scoped_use_list"):
        path, inner = node.child_by_field_name("path"), node.child_by_field_name("list") or node
        whole = (*above, *module_of(path)) if path is not None else above
        for each in inner.named_children:
            yield from _imported(each, whole)
    elif node.type == "use_wildcard":
        yield "*", (*above, *(each for part in node.named_children for each in module_of(part)))
    elif node.type == "use_as_clause":
        path, alias = (node.child_by_field_name(each) for each in ("path", "alias"))
        if path is not None and alias is not None:
            yield text_of(alias), (*above, *module_of(path))
    else:
        path_ = above if node.type == "self" else (*above, *module_of(node))
        yield (path_[-1] if path_ else ""), path_


def module_of(node: Node) -> Module:
    return tuple(re.sub(r"\s|<.*>", "", text_of(node)).split("::"))


def crate_of(path: str) -> str:
    found = _CRATE.match(path)
    return (found[1] or "") if found else posixpath.dirname(path)


def is_own(first: str, path: str, view: View) -> bool:
    """Whether a path that begins so stays in the crate."""
    if first in OWN or f"mod {first}" in view.text(path):
        return True
    manifest = view.text(posixpath.join(crate_of(path), "Cargo.toml"))
    named = re.search(r'(?m)^name\s*=\s*"([\w-]+)"', manifest)
    return named is not None and named[1].replace("-", "_") == first


def home_of(name: str, path: str, view: View, declares: Declares) -> tuple[str, str]:
    """The file of the crate that declares what a file calls so, and how it is called there; empty if unsure."""
    root = view.root(path)
    if root is None or not name:
        return "", ""
    taken, parts = imports_of(root), tuple(name.split("."))
    if len(parts) == 1 and any(_is_variant(name, each[-1], path, view) for each in taken.globs):
        return "", ""
    if len(parts) == 1 and declares(path, name):
        return path, name
    if parts[0] in taken.names:
        parts = (*taken.names[parts[0]], *parts[1:])
        known = len(parts) > 1 and is_own(parts[0], path, view)
    elif len(parts) > 1:
        known = is_own(parts[0], path, view)
    else:
        known = any(is_own(each[0], path, view) for each in taken.globs)
    if not known:
        return "", ""
    return _picked(parts, path, view, declares), parts[-1]


def _is_variant(name: str, kind: str, path: str, view: View) -> bool:
    """Whether a file takes in the variants of an enum, and the name may be one of them."""
    if not kind[:1].isupper():
        return False
    shape = view.shapes(path).get(kind)
    return f"::{name}" in shape.members if shape is not None and shape.declared else True


def _picked(parts: Module, path: str, view: View, declares: Declares) -> str:
    name, crate = parts[-1], crate_of(path)
    files = [each for each in view.holds(name) if each.endswith(".rs") and crate_of(each) == crate]
    if len(files) > _MOST_FILES:
        return ""
    module = next((each for each in reversed(parts[:-1]) if each not in OWN), "")
    near = [each for each in files if module_name(each) == module]
    if any(_is_foreign(name, each, view) for each in near):
        return ""
    found = [each for each in files if declares(each, name)]
    if len(found) > 1:
        found = [each for each in found if each in near]
    return found[0] if len(found) == 1 else ""


def _is_foreign(name: str, path: str, view: View) -> bool:
    """Whether a module takes it from elsewhere itself."""
    root = view.root(path)
    taken = imports_of(root).names.get(name) if root is not None else None
    return taken is not None and not (taken and is_own(taken[0], path, view))


def module_name(path: str) -> str:
    base = posixpath.basename(path)
    return posixpath.basename(posixpath.dirname(path)) if base == "mod.rs" else base[:-3]
