"""Headers that are included with angle brackets: of the repository only if its own file was meant. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from guildmoot.agents.members.c_standard import is_standard
from guildmoot.agents.references.tree import BothTrees, Reference
from guildmoot.text.globs import matches
from guildmoot.text.patterns import lazy

MADE_HEADER = re.compile(r"(?:^|/)\w*(?:config|version|defs|export|generated|gen)\w*\.h\w*$")
"""Headers that builds write."""
_ROOTS = ("include", "inc", "src", "")
"""Folders from which headers are named without one."""
_OF_OTHERS = (
    *("vendor/", "vendored/", "third_party/", "thirdparty/", "3rdparty/", "external/", "extern/"),
    *("deps/", "dependencies/", "contrib/", "subprojects/", "compat/"),
)
"""Where copies lie that a system may have as well."""
_BUILDS = (
    *("CMakeLists.txt", "meson.build", "conanfile.txt", "conanfile.py", "vcpkg.json"),
    *("MODULE.bazel", "WORKSPACE", "configure.ac", ".gitmodules", "xmake.lua"),
)
_ASKS = lazy(r"(?i)find|fetch|require|depend|pkg|external|cpm|submodule|\"name\"|package|url|check")
_MOST_BUILDS = 30


def angled_include(written: str, line: int, where: BothTrees, *, firm: bool) -> Iterator[Reference]:
    """``#include <x/m.h>``, where the base has a file that this may mean."""
    tail = posixpath.normpath(written)
    homes = [path for path in where.then.ending(tail) if "/" in tail or _is_root(path)]
    if not homes or is_standard(written) or tail.startswith(("/", "..", "sys/")):
        return
    sure = (
        firm and MADE_HEADER.search(written) is None and not matches(homes[0].lower(), _OF_OTHERS)
    )
    if sure and not where.now.holds(f"**/{tail}"):
        stays = where.now.folders.get(posixpath.dirname(homes[0]), frozenset())
        sure = any(posixpath.splitext(tail)[1] == posixpath.splitext(name)[1] for name in stays)
        sure = sure or not _is_brought(tail, where)
    targets = (homes[0], f"**/{tail}", f"**/{tail}.in")
    yield Reference(line, written, targets, False, sure)


def _is_root(path: str) -> bool:
    return posixpath.basename(posixpath.dirname(path)) in _ROOTS


def _is_brought(tail: str, where: BothTrees) -> bool:
    """Whether a build may take it from elsewhere now, as a library that lies here no longer."""
    word = tail.partition("/")[0].partition(".")[0].lower()
    builds = (path for path in sorted(where.now.files) if posixpath.basename(path) in _BUILDS)
    for _, path in zip(range(_MOST_BUILDS), builds, strict=False):
        asked = (each.lower() for each in where.text(path).split("\n") if _ASKS.search(each))
        if any(word in each for each in asked):
            return True
    return False
