"""Whose classes may lie in a package of the project: what the build files of a Java project take from outside. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from functools import lru_cache

from guildmoot.agents.references.tree import Tree
from guildmoot.text.patterns import lazy

_BUILDS = (
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "libs.versions.toml",
    "build.sbt",
    "ivy.xml",
)
_MOST_BUILDS = 400
_PARENT = lazy(r"(?s)<parent>(.*?)</parent>")
_DEPENDENCY = lazy(r"(?s)<(dependency|plugin|extension|annotationProcessorPath|path)>(.*?)</\1>")
_GROUP = lazy(r"<groupId>\s*([\w.-]+)")
_ARTIFACT = lazy(r"<artifactId>\s*([\w.-]+)")
_INNER = lazy(r"(?s)<(parent|dependencies|dependencyManagement|build|profiles)>.*?</\1>")
_COORDINATES = lazy(r"[\"']([A-Za-z][\w-]*(?:\.[\w-]+)+)[\"']?\s*(?::|%%?)\s*[\"']?([\w.-]+)")
_ORGANISATION = lazy(
    r"\b(?:group|org)\s*[:=]\s*[\"']([\w.-]+)[\"']\s*,\s*(?:name|module)\s*[:=]\s*[\"']([\w.-]+)"
)
_MAKES_CODE = lazy(
    r"(?i)codegen|generat(?:or|ed[-_]?sources)|xjc|jaxb|jooq|avro|antlr|wsdl2java|querydsl|\bkapt\b|\bksp\b"
)


def is_shared(package: str, tree: Tree, read: Callable[[str], str]) -> bool:
    """Whether a library that the build names may hold classes of a package, or a program may write them.

    A library's group and the packages in it mostly begin with the same two words. A module of the project itself is
    no library; where there are more build files than can be read, nothing is known.
    """
    builds = [path for path in tree.files if posixpath.basename(path) in _BUILDS]
    if len(builds) > _MOST_BUILDS:
        return True
    groups, makes_code = _groups(tuple(sorted(builds)), read)
    return makes_code or ".".join(package.split("/")[:2]) in groups


@lru_cache(maxsize=2)
def _groups(builds: tuple[str, ...], read: Callable[[str], str]) -> tuple[frozenset[str], bool]:
    """The first two words of all groups from outside, and whether code is made."""
    taken, own, makes_code = set[tuple[str, str]](), set[str](), False
    for path in builds:
        text = read(path)
        makes_code = makes_code or _MAKES_CODE.search(text) is not None
        own.add(posixpath.basename(posixpath.dirname(path)))
        if path.endswith(".xml"):
            name = _ARTIFACT.search(_INNER.sub("", text))
            own |= {name[1]} if name else set()
        pieces = [*_PARENT.findall(text), *(inside for _, inside in _DEPENDENCY.findall(text))]
        for piece in pieces:
            group, artifact = _GROUP.search(piece), _ARTIFACT.search(piece)
            taken |= {(group[1], artifact[1] if artifact else "")} if group else set()
        taken |= {*_COORDINATES.findall(text), *_ORGANISATION.findall(text)}
    own.discard("")
    outside = {group for group, artifact in taken if artifact not in own}
    return frozenset(".".join(group.split(".")[:2]) for group in outside), makes_code
