"""What files of Java, PHP and Rust import from their own project. Pure.

Only where the project decides: its own packages in Java, what ``composer.json`` says of namespaces in PHP, the
modules of the crate in Rust. What builds may write is never missed.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.references.java_libraries import is_shared
from guildmoot.agents.references.tree import BothTrees, Reference, Tree, line_at
from guildmoot.text.patterns import lazy

# Java

_JAVA_IMPORT = lazy(r"(?m)^[ \t]*import[ \t]+(static[ \t]+)?([\w.]+)[ \t]*;")
_JAVA_PACKAGE = lazy(r"(?m)^[ \t]*package[ \t]+([\w.]+)")
_JVM = (".java", ".kt", ".scala", ".groovy")
_SCHEMAS = (".proto", ".g4", ".xsd", ".thrift", ".avsc", ".wsdl", ".jj", ".jjt", ".flex", ".fbs")
_WRITTEN = lazy(
    r"R|BuildConfig|Q[A-Z]\w*|(?:AutoValue|Dagger|Immutable)\w*|\w*_\w*|\w+(?:Grpc|Proto|Binding|Parser|Lexer)"
)
"""Types that builds write."""


def java_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Types of packages that lie in the project."""
    own = _JAVA_PACKAGE.search(text)
    if own is None:
        return
    for hit in _JAVA_IMPORT.finditer(text):
        parts = hit[2].split(".")
        first = next((at for at, part in enumerate(parts) if part[:1].isupper()), 0)
        if not first or first < 2:
            continue
        package, name = "/".join(parts[:first]), parts[first]
        targets = tuple(f"**/{package}/{name}{ending}" for ending in _JVM)
        written = ".".join(parts[: first + 1])
        sure = _is_ours(package, where.now) and not _WRITTEN.fullmatch(name)
        sure = sure and not where.now.holds_any(targets)  # those that are there need no more looks
        sure = sure and not is_shared(package, where.now, where.text)
        yield Reference(line_at(text, hit.start(2)), written, targets, sure)


def _is_ours(package: str, tree: Tree) -> bool:
    """Whether the package lies here in plain Java, or below the one package that holds all of the project."""
    packages, root = _java_packages(tree)
    if packages is None:
        return False
    below = root.count("/") >= 1 and package.startswith(f"{root}/")
    return packages.get(package, below)


@lru_cache(maxsize=2)
def _java_packages(tree: Tree) -> tuple[dict[str, bool] | None, str]:
    """The packages, and whether they are of Java alone; with what all of them begin with."""
    found: dict[str, bool] = {}
    for folder, names in tree.folders.items():
        for root in ("java", "kotlin", "scala", "groovy"):
            inside = f"/{folder}/".partition(f"/{root}/")[2].rstrip("/")
            code = [name for name in names if name.endswith(_JVM)]
            if inside and code:
                plain = all(name.endswith(".java") for name in code)
                found[inside] = found.get(inside, True) and plain
        if any(name.endswith(_SCHEMAS) for name in names):
            return None, ""
    return found, posixpath.commonpath(found) if found else ""


# PHP

_PHP_USE = lazy(r"(?m)^use[ \t]+(?!function\b|const\b)\\?([\w\\]+)(?:[ \t]+as[ \t]+\w+)?[ \t]*;")


def php_classes(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Classes of namespaces that ``composer.json`` gives to a folder."""
    roots = _namespaces(where.text("composer.json"))
    for hit in _PHP_USE.finditer(text):
        name = hit[1]
        ours = [(space, folder) for space, folder in roots if name.startswith(space)]
        if not ours:
            continue
        stems = [
            posixpath.normpath(posixpath.join(folder, name[len(space) :].replace("\\", "/")))
            for space, folder in ours
        ]
        known = any(where.now.holds(f"{posixpath.dirname(stem)}/") for stem in stems)
        targets = (*(f"{stem}.php" for stem in stems), *(f"{stem}/" for stem in stems))
        yield Reference(line_at(text, hit.start(1)), name, targets, known)


@lru_cache(maxsize=8)
def _namespaces(text: str) -> tuple[tuple[str, str], ...]:
    """Namespaces and their folders; none where classes are listed in another way, too."""
    try:
        told = json.loads(text)
        loads = [told.get("autoload", {}), told.get("autoload-dev", {})]
        if any("classmap" in each or "psr-0" in each for each in loads[:1]):
            return ()
        rows = [row for each in loads for row in each.get("psr-4", {}).items()]
        return tuple(
            (space, folder)
            for space, folders in rows
            for folder in ([folders] if isinstance(folders, str) else folders)
            if space
        )
    except (ValueError, AttributeError, TypeError):
        return ()


# Rust

_RUST_USE = lazy(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?use[ \t]+(crate::[^;]+);")
_RUST_OPEN = lazy(r"macro_rules!|\binclude!|\buse\s[^;]*\*|^\w+!\s*[({]|#\[path", re.MULTILINE)


def rust_imports(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """``use crate::a::b``: each part stands in the file of the module before it."""
    root = _crate_root(path, where.now)
    if not root:
        return
    for hit in _RUST_USE.finditer(text):
        guarded = text[: hit.start()].rstrip().endswith("]") and "cfg" in text[: hit.start()][-80:]
        for parts in _paths("", re.sub(r"\s+", " ", hit[1])):
            missing = None if guarded else _missing(parts.split("::")[1:], root, where)
            if missing:
                place, part = missing
                yield Reference(
                    line_at(text, hit.start(1)),
                    parts,
                    (f"{place}/{part}",),
                    sure=True,
                    unless=(place, part),
                )


def _missing(parts: list[str], root: str, where: BothTrees) -> tuple[str, str] | None:
    """The file and the part of a path that does not stand in it."""
    place, folder = root, posixpath.dirname(root)
    if len(parts) == 1 and parts[0][:1] in "_abcdefghijklmnopqrstuvwxyz":
        return None  # a macro may stand in whatever file
    for part in parts:
        if part in ("*", "self", "super") or not part.isidentifier():
            return None
        text = where.text(place)
        if not text or _RUST_OPEN.search(text):
            return None
        if not re.search(rf"\b{part}\b", text):
            return place, part
        stem = posixpath.join(folder, part)
        place = next(
            (each for each in (f"{stem}.rs", f"{stem}/mod.rs") if each in where.now.files), ""
        )
        folder = stem
        if not place:
            return None
    return None


def _crate_root(path: str, tree: Tree) -> str:
    """The file that the crate of a file begins with; empty where several may be meant."""
    folder = posixpath.dirname(path)
    while True:
        names = tree.folders.get(folder, frozenset())
        found = names & {"lib.rs", "main.rs"}
        if found:
            return posixpath.join(folder, min(found)) if len(found) == 1 else ""
        if not folder or "Cargo.toml" in names:
            return ""
        folder = posixpath.dirname(folder)


def _paths(above: str, text: str) -> Iterator[str]:
    """Each path of an import, without what it is called here."""
    head, brace, rest = text.partition("{")
    if not brace:
        yield f"{above}{text.partition(' as ')[0]}".replace(" ", "")
        return
    depth, part = 0, ""
    for letter in rest.rpartition("}")[0] + ",":
        if letter == "," and not depth:
            if part.strip():
                yield from _paths(f"{above}{head}".replace(" ", ""), part.strip())
            part = ""
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        part += letter
