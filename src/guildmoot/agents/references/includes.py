"""Headers that are included: of the repository only if its own file was meant. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from guildmoot.agents.members.c_standard import is_standard
from guildmoot.agents.references.tree import BothTrees, Reference, beside
from guildmoot.text.globs import matches
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near

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
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_FEWEST = 5
"""Letters of a name that is not like others by chance."""


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


def is_own_misspelt(path: str, written: str, named: frozenset[str], where: BothTrees) -> bool:
    """Whether a header in quotes that is not here stands for one of its folder, but for one letter.

    ``named`` are the names of all that the file includes: what stands there under its own name is not meant twice.
    """
    folder, name = posixpath.split(posixpath.normpath(written))
    stem, ending = posixpath.splitext(name)
    if ending not in _HEADERS or len(stem) < _FEWEST or is_standard(written):
        return False
    if MADE_HEADER.search(written) or where.now.holds(".gitmodules"):
        return False
    homes = {posixpath.dirname(beside(path, written))}
    if folder and not folder.startswith(".."):
        homes |= {each for each in where.now.folders if f"/{each}".endswith(f"/{folder}")}
    meant = {other for home in homes for other in where.now.folders.get(home, ())} - named
    likes = (posixpath.splitext(other) for other in meant)
    near = [like for like, end in likes if end == ending and _is_misspelt(stem, like)]
    if not any(folder or not _is_plural(stem, each) for each in near):
        return False  # and nothing may be here that a build makes it from
    return not any(posixpath.basename(p).partition(".")[0] == stem for p in where.now.files)


def _is_misspelt(stem: str, meant: str) -> bool:
    """Not the next of a row, and not what a library puts a letter before."""
    same = re.sub(r"\D", "", stem) == re.sub(r"\D", "", meant) and stem[0] == meant[0]
    return same and stem[-2] != "_" and is_near(stem, meant)


def _is_plural(one: str, other: str) -> bool:
    """Whether both may be there: a library's ``event.h`` beside an own ``events.h``."""
    return f"{one}s" == other or one == f"{other}s"
