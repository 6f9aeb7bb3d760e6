"""What files name by a path: headers, packages, modules, what images copy and workflows use. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.agents.references.includes import angled_include, is_own_misspelt
from guildmoot.agents.references.packages import java_references, php_classes, rust_imports
from guildmoot.agents.references.tree import BothTrees, Finder, Reference, beside, line_at
from guildmoot.text.patterns import lazy

_INCLUDE = lazy(
    r'(?m)^[ \t]*#[ \t]*(include|if\w*|endif|else|elif\w*)\b[ \t]*("[^"\n]+"|<[^>\n]+>)?'
)
_GO_IMPORTS = lazy(r'(?ms)^import[ \t]*(?:\((.*?)^\)|([\w.]+[ \t]+)?"([^"\n]+)")')
_GO_IMPORT = lazy(r'(?m)^[ \t]*(?:[\w.]+[ \t]+)?"([^"\n]+)"')
_GO_MODULE = lazy(r"(?m)^module[ \t]+\"?([^\s\"]+)")
_RUST_MODULE = lazy(
    r"(?m)((?:^[ \t]*#\[[^\n]*\][ \t]*\n)*)^(?:pub(?:\([^)\n]*\))?[ \t]+)?mod[ \t]+(?:r#)?(\w+)[ \t]*;"
)
_RUBY = lazy(
    r"(?m)^[ \t]*(require_relative|require|autoload\(?[ \t]*:\w+,)[ \t]*\(?[ \t]*[\"']([\w./-]+)[\"']"
)
_RUBY_ROOTS = ("lib", "test", "spec", "ext")
"""Folders from which names that are required are looked up."""
_PHP = lazy(
    r"(?m)\b(?:require|include)(?:_once)?[ \t]*\(?[ \t]*(__DIR__[ \t]*\.[ \t]*|dirname\(__FILE__\)[ \t]*\.[ \t]*)?"
    r"[\"']([\w./-]+\.(?:php|inc))[\"'][ \t]*\)?[ \t]*;"
)
_TERRAFORM = lazy(r'(?m)^[ \t]*source[ \t]*=[ \t]*"(\.\.?/[^"\n$]*)"')
_COPY = lazy(r"(?im)^[ \t]*(?:COPY|ADD)[ \t]+((?:[^\n\\]|\\\n|\\.)+)")
_USES = lazy(r"(?m)^[ \t]*(?:-[ \t]+)?uses:[ \t]*[\"']?\./([^\s\"'#@]*)")
_GUARDED_RUBY = lazy(r"rescue\s+(?:\w+,\s*)*LoadError")
_GUARDED_PHP = lazy(r"\b(?:file_exists|is_file|is_readable|class_exists)\s*\(")


def c_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """``#include "x.h"``: beside the file, or wherever the build looks; nothing where a library may have it."""
    depth, guard, first = 0, 0, True
    found = []
    for hit in _INCLUDE.finditer(text):
        word, written = hit[1], (hit[2] or "").strip('"')
        if word == "include" and written.startswith("<"):
            line, firm = line_at(text, hit.start()), depth <= guard
            yield from angled_include(written[1:-1].strip(), line, where, firm=firm)
            continue
        if word.startswith("if"):
            depth += 1
            guard = 1 if first and word == "ifndef" else guard
        elif word == "endif":
            depth -= 1
        elif word == "include" and written:
            name = posixpath.normpath(written)
            tail = name.lstrip("./") if name.startswith("..") else name
            targets = (
                beside(path, written),
                f"{beside(path, written)}.*",
                f"**/{tail}",
                f"**/{tail}.in",
            )
            found.append(
                Reference(line_at(text, hit.start()), written, targets, False, depth <= guard)
            )
        first = False
    named = frozenset(posixpath.basename(each.written) for each in found)
    for each in found:
        if where.now.holds_any(each.targets) or where.then.holds_any(each.targets):
            yield each
        elif each.firm and is_own_misspelt(path, each.written, named, where):
            yield each._replace(sure=True)


def go_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Packages of the module that the file belongs to."""
    folder, module = _go_module(path, where)
    if not module:
        return
    for block in _GO_IMPORTS.finditer(text):
        lines = _GO_IMPORT.finditer(text, block.start(1), block.end(1)) if block[1] else ()
        at = [(each.start(1), each[1]) for each in lines] or (
            [(block.start(3), block[3])] if block[3] else []
        )
        for start, name in at:
            if name == module or name.startswith(f"{module}/"):
                inside = posixpath.join(folder, name[len(module) + 1 :])
                if _nested(inside, folder, where):
                    continue
                target = f"{inside}/*.go" if inside else "*.go"
                yield Reference(line_at(text, start), name, (target,), sure=True)


def _go_module(path: str, where: BothTrees) -> tuple[str, str]:
    folder = posixpath.dirname(path)
    while True:
        place = posixpath.join(folder, "go.mod")
        if place in where.now.files:
            hit = _GO_MODULE.search(where.text(place))
            return (folder, hit[1]) if hit else ("", "")
        if not folder:
            return "", ""
        folder = posixpath.dirname(folder)


def _nested(inside: str, root: str, where: BothTrees) -> bool:
    """Whether the package may belong to another module, which lies below or beside this one."""
    while inside and inside != root:
        if where.known(posixpath.join(inside, "go.mod")):
            return True
        inside = posixpath.dirname(inside)
    return False


def rust_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """``mod x;``: the file of the module."""
    folder, name = posixpath.split(path)
    own = posixpath.join(folder, name.removesuffix(".rs"))
    yield from rust_imports(path, text, where)
    for hit in _RUST_MODULE.finditer(text):
        if "path" in hit[1] and re.search(r"\bpath\s*=", hit[1]):
            continue
        bases = dict.fromkeys((folder, own))
        targets = [
            posixpath.join(base, f"{hit[2]}{end}") for base in bases for end in (".rs", "/mod.rs")
        ]
        plain = "cfg" not in hit[1]
        yield Reference(line_at(text, hit.start(2)), f"mod {hit[2]}", tuple(targets), plain)


def ruby_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """``require_relative``, and ``require`` of what lies under a folder ``lib``."""
    safe = not _GUARDED_RUBY.search(text)
    for hit in _RUBY.finditer(text):
        firm = safe and not hit[1].startswith("autoload")  # which fails when it is used
        line, name = line_at(text, hit.start(2)), hit[2].removesuffix(".rb")
        if hit[1] == "require_relative":
            whole = beside(path, name)
            yield Reference(line, hit[2], (f"{whole}.*", whole), firm, firm)
        elif not name.startswith((".", "/")):
            top = name.partition("/")[0]
            ours = "/" in name and where.now.holds(f"lib/{top}.rb")
            # a bare name is as likely of the language or a gem: only where such a path begins it is a file
            roots = ("**/",) if "/" in name else ("", *(f"**/{root}/" for root in _RUBY_ROOTS))
            files = [f"{root}{name}{end}" for root in roots for end in (".rb", ".so")]
            yield Reference(line, hit[2], tuple(files), ours and firm, firm)


def php_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """``require`` of a path that is written out."""
    firm = not _GUARDED_PHP.search(text)
    yield from php_classes(path, text, where)
    for hit in _PHP.finditer(text):
        line, name = line_at(text, hit.start(2)), hit[2]
        if "vendor/" in name:
            continue
        near = beside(path, name.lstrip("/") if hit[1] else name)
        tail = posixpath.normpath(name).lstrip("./")
        targets = (near,) if hit[1] else (near, f"**/{tail}")
        yield Reference(line, name, targets, bool(hit[1]) and firm, firm)


def terraform_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Local modules."""
    for hit in _TERRAFORM.finditer(text):
        folder = beside(path, hit[1].partition("//")[0])
        targets = (
            ("*.tf", "*.tf.json") if folder == "." else (f"{folder}/*.tf", f"{folder}/*.tf.json")
        )
        yield Reference(line_at(text, hit.start(1)), hit[1], targets, sure=True)


def image_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """What a Dockerfile copies; which folder it is built from is not known, so none is missed that never was there."""
    for hit in _COPY.finditer(text):
        words = hit[1].replace("\\\n", " ").split()
        if any(word.startswith(("--from", "<<", "[")) for word in words):
            continue
        names = [word for word in words if not word.startswith("--")][:-1]
        for name in names:
            if not re.search(r"[$*?\[\"']|://", name) and name.strip("./"):
                yield _copied(path, name, line_at(text, hit.start()))


def _copied(path: str, name: str, line: int) -> Reference:
    targets, folder = [], posixpath.dirname(path)
    while True:
        whole = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
        targets += [whole, f"{whole}/"]
        if not folder:
            return Reference(line, name, tuple(targets))
        folder = posixpath.dirname(folder)


def workflow_references(path: str, text: str, where: BothTrees) -> Iterator[Reference]:
    """Actions and workflows of the same repository."""
    alone = "repository:" not in text
    for hit in _USES.finditer(text):
        whole = posixpath.normpath(hit[1]) if hit[1] else "."
        inside = "" if whole == "." else f"{whole}/"
        targets = (
            whole,
            *(f"{inside}{name}" for name in ("action.yml", "action.yaml", "Dockerfile")),
        )
        sure = alone and whole.startswith(".github/")
        yield Reference(line_at(text, hit.start(1)), f"./{hit[1]}", targets, sure, alone)


_BY_ENDING: dict[tuple[str, ...], Finder] = {
    (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".m", ".mm"): c_references,
    (".go",): go_references,
    (".java",): java_references,
    (".rs",): rust_references,
    (".rb", ".rake", ".gemspec"): ruby_references,
    (".php",): php_references,
    (".tf",): terraform_references,
}


@lru_cache(maxsize=4096)
def finder_of(path: str) -> Finder | None:
    """Who reads a file of this name; nobody where its kind names no paths."""
    name = posixpath.basename(path)
    if name == "Dockerfile" or name.startswith("Dockerfile.") or name.endswith(".Dockerfile"):
        return image_references
    if name.endswith((".yml", ".yaml")):
        known = path.startswith(".github/") or name in ("action.yml", "action.yaml")
        return workflow_references if known else None
    return next((find for endings, find in _BY_ENDING.items() if name.endswith(endings)), None)
