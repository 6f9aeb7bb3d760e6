"""Names of Terraform and dependencies of Rust that a change leaves without a declaration. Pure.

Terraform reads all files of a folder as one: where one of them uses names that no file of the folder declares, others
are made or linked there, and nothing is said of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from guildmoot.agents.parsing.syntax import parse
from guildmoot.agents.parsing.walk import line_of, text_of, walk
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

Texts = Mapping[str, str]
Loss = tuple[str, int, str]
"""Path, line and what is wrong there."""
Name = tuple[str, str]
"""``var``, ``local`` or ``module``, and what it is called."""

TERRAFORM, CARGO = ".tf", "Cargo.toml"
_BLOCKS = {"variable": "var", "locals": "local", "module": "module"}
_BOUND = lazy(
    r"\bfor\s+(?:\w+\s*,\s*)?(?:var|local|module)\b|\b(?:var|local|module)\s*,\s*\w+\s+in\b"
)
_ITERATOR = lazy(r"\bdynamic\s+\"(?:var|local|module)\"|\biterator\s*=\s*(?:var|local|module)\b")
_KINDS = ("dependencies", "dev-dependencies", "build-dependencies")
_MOST_USERS = 60


def lost_settings(
    before: Texts,
    after: Texts,
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[Loss]:
    """What a change leaves without its declaration."""
    changed = {*before, *after}
    for folder in sorted({posixpath.dirname(path) for path in changed if path.endswith(TERRAFORM)}):
        yield from _folder(folder, before, after, text, users)
    for path in sorted(before.keys() & after.keys()):
        if posixpath.basename(path) == CARGO:
            yield from _crates(path, before, after, text, users)


# Terraform


def _folder(
    folder: str,
    before: Texts,
    after: Texts,
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[Loss]:
    then, now = (
        {p: t for p, t in texts.items() if p.endswith(TERRAFORM) and posixpath.dirname(p) == folder}
        for texts in (before, after)
    )
    declared, was = _all_declared(now.values()), _all_declared(then.values())
    asked = [(path, name, line) for path, t in sorted(now.items()) for name, line in _used(t)]
    missing = [each for each in asked if each[1] not in declared]
    gone = was - declared
    if not (missing or gone) or any(map(_is_link, now.values())):
        return
    beside = {
        path: text(path)
        for word in _BLOCKS
        for path in users(word)
        if posixpath.dirname(path) == folder and path not in before
    }
    if any(not path.endswith(TERRAFORM) for path in beside):
        return
    others = _all_declared(beside.values())
    told: set[Name] = set()
    for path, name, line in missing:
        known = name in was or _is_closed(name[0], path, then, was | others)
        if name in others | told or not known:
            continue
        told.add(name)
        yield path, line, f"`{'.'.join(name)}` is used, and no file of the folder declares it"
    for name in sorted(gone - others - told):
        for user in users(name[1])[:_MOST_USERS]:
            if posixpath.dirname(user) != folder or user in before:
                continue
            lines = [line for used, line in _used(text(user)) if used == name]
            if lines:
                path = next(p for p, t in then.items() if name in _declared(t))
                message = (
                    f"`{'.'.join(name)}` is gone from {path}, and {user}:{lines[0]} still uses it"
                )
                yield user, lines[0], message
                break


def _is_closed(kind: str, path: str, then: Texts, declared: set[Name]) -> bool:
    """Whether the file used names of the kind before the change, all declared where it can be seen."""
    used = {name for name, _ in _used(then.get(path, "")) if name[0] == kind}
    return bool(used) and used <= declared


def _is_link(text: str) -> bool:
    """Whether a file is a link, or nobody may see what is in it."""
    return not text or ("{" not in text and text.strip().endswith(TERRAFORM))


def _all_declared(texts: Iterable[str]) -> set[Name]:
    return {name for each in texts for name in _declared(each)}


@lru_cache(maxsize=64)
def _declared(text: str) -> frozenset[Name]:
    found: set[Name] = set()
    for block in (node for node in _nodes(text) if node.type == "block"):
        kind, *labels = (text_of(each).strip('"') for each in block.named_children[:2])
        if kind == "locals":
            body = (each for each in block.named_children if each.type == "body")
            rows = (row for each in body for row in each.named_children if row.type == "attribute")
            found.update(("local", text_of(row.named_children[0])) for row in rows)
        elif kind in _BLOCKS and labels:
            found.add((_BLOCKS[kind], labels[0]))
    return frozenset(found)


@lru_cache(maxsize=64)
def _used(text: str) -> tuple[tuple[Name, int], ...]:
    """The names that a file uses; none where it may call something of its own ``var``."""
    if _BOUND.search(text) or _ITERATOR.search(text):
        return ()
    found = []
    for node in _nodes(text):
        after = node.next_sibling
        if node.type == "variable_expr" and after is not None and after.type == "get_attr":
            kind, name = text_of(node), text_of(after).lstrip(".")
            if kind in _BLOCKS.values() and name:
                found.append(((kind, name), line_of(node)))
    return tuple(found)


def _nodes(text: str) -> Iterator[Node]:
    tree = parse("Terraform", "a.tf", text.encode("utf-8", "surrogatepass")).tree
    return walk(tree.root_node) if tree is not None else iter(())


# Rust


def _crates(
    path: str,
    before: Texts,
    after: Texts,
    text: Callable[[str], str],
    users: Callable[[str], list[str]],
) -> Iterator[Loss]:
    """Dependencies that are dropped while code of the package names them."""
    folder = posixpath.dirname(path)
    kept = _dependencies(after[path])
    for crate in sorted(_dependencies(before[path]) - kept - {""}):
        names = [*(user for user in users(crate) if user not in before), *after]
        own = [each for each in names if each.endswith(".rs") and _is_below(each, folder)]
        texts = {each: after[each] if each in after else text(each) for each in own[:_MOST_USERS]}
        declares = re.compile(
            rf"\b(?:mod|as)\s+{crate}\b|::\s*{crate}\b|[{{,]\s*{crate}\b|feature\s*=\s*\"{crate}\""
        )
        if _has_packages_below(folder, users) or any(map(declares.search, texts.values())):
            continue
        uses = re.compile(rf"(?m)^(?!\s*//)[^\"\n]*?(?<![\w:.])(?:{crate}::|use\s+{crate}\s*;)")
        for user, said in sorted(texts.items()):
            if hit := uses.search(said):
                line = said[: hit.end()].count("\n") + 1
                message = f"the dependency `{crate}` is gone, and {user}:{line} still uses it"
                yield path, 1, message
                break


def _dependencies(text: str) -> set[str]:
    """The names under which code knows the crates, and the package itself."""
    import tomli  # Cargo reads TOML 1.1

    try:
        told = tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError):
        return set()
    tables = [told, *_tables(told.get("target")).values()]
    found = {
        name for table in tables for kind in _KINDS for name in _tables(_tables(table).get(kind))
    }
    own = {_tables(told.get(key)).get("name") for key in ("package", "lib")}
    return {str(name).replace("-", "_") for name in found | own if name}


def _tables(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _has_packages_below(folder: str, users: Callable[[str], list[str]]) -> bool:
    """Whether other packages lie in the folder, whose code has dependencies of its own."""
    found = (each for each in users("package") if posixpath.basename(each) == CARGO)
    return any(posixpath.dirname(each) != folder and _is_below(each, folder) for each in found)
