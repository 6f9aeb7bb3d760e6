"""Which packages a manifest names, so that a change of its version is no new dependency. Pure."""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from guildmoot.text.patterns import lazy

_NEW = lazy(r"(?i)\b(?:new|add\w*|more|further|extra)\b")
_NAMED = lazy(r"(?i)dependenc|^requires$")
_ORIGINS = frozenset((
    "overrides", "resolutions", "catalog", "catalogs", "patch", "replace", "source", "packages", "dev-packages",
))  # fmt: skip
"""What names packages at the top of a manifest, or says where one comes from instead."""
_RESOLVERS = frozenset(("uv", "poetry", "pdm"))
_SOURCES = frozenset(("source", "sources", "index", "extras", "resolution"))
_LANGUAGE = frozenset((
    "tool poetry dependencies python", "requires python_version", "requires python_full_version", "require php",
))  # fmt: skip
_SETUP = frozenset(
    ("install_requires", "extras_require", "setup_requires", "tests_require", "dependency_links")
)
_GO = frozenset(("require", "replace", "tool"))
_ABOUT = lazy(
    r"""end|group(?: :\w+,?)+ do|(?:ruby|version|group|description|(?:source|target)Compatibility)\b\s*=?\s*"""
    r"""(?:"[^"]*"|'[^']*'|[\w.]+)"""
)
"""Lines of a build file in code that name no package."""
_POM = lazy(r"(?s)<(dependency|plugin|parent|extension|repository|pluginRepository)>.*?</\1>")
_PROPERTY = lazy(r"\$\{([\w.-]+)\}")
_PROJECT = lazy(
    r"(?s)<((?:Package|Project|DotNetCliTool)?Reference|PackageVersion|Import)\b[^>]*?(?:/>|>.*?</\1>)"
)
_XML_COMMENT = lazy(r"(?s)<!--.*?-->")


class PackageChange(NamedTuple):
    """What a change does to the packages that a manifest names."""

    added: bool = False
    """One that was not there, or of another version or origin."""
    gone: bool = False

    def is_meant(self, line: str) -> bool:
        """Whether a line of a policy that speaks of dependencies means it: a new one, or any change."""
        return self.added or (self.gone and not _NEW.search(line))


UNREAD = PackageChange(added=True, gone=True)


def is_manifest(path: str) -> bool:
    """Whether a file names packages, going by its name."""
    return _reader(path) is not None


def package_change(path: str, before: str | None, after: str | None) -> PackageChange:
    """What a change of a manifest does to its packages; of one that cannot be read, anything."""
    read = _reader(path)
    if read is None:
        return PackageChange()
    if after == "":  # empty, or too long to be read
        return UNREAD
    try:
        had, has = (frozenset(read(text)) if text else frozenset() for text in (before, after))
    except (ValueError, SyntaxError, configparser.Error, RecursionError, MemoryError):
        return UNREAD
    return PackageChange(bool(has - had), bool(had - has))


def _reader(path: str) -> Callable[[str], Iterator[str]] | None:
    name = path.rpartition("/")[2]
    return next((read for shape, read in _READERS.items() if fnmatchcase(name, shape)), None)


def _toml(text: str) -> Iterator[str]:
    yield from _table(tomllib.loads(text), ())


def _json(text: str) -> Iterator[str]:
    yield from _table(json.loads(text), ())


def _composer(text: str) -> Iterator[str]:
    data = json.loads(text)
    for key in ("require", "require-dev", "repositories", "replace"):
        yield from _leaves(data.get(key) if isinstance(data, dict) else None, (key,))


def _table(value: object, place: tuple[str, ...]) -> Iterator[str]:
    """The entries of every table or list that names packages, each with its value."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        here = (*place, str(key))
        origin = key in _ORIGINS and place in ((), ("pnpm",))
        source = len(here) == 3 and here[0] == "tool" and here[1] in _RESOLVERS and key in _SOURCES
        if _NAMED.search(str(key)) or origin or source:
            yield from _leaves(inner, here)
        else:
            yield from _table(inner, here)


def _leaves(value: object, place: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if " ".join((*place, str(key))) not in _LANGUAGE:
                yield from _leaves(inner, (*place, str(key)))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, place)
    elif value is not None:
        yield f"{' '.join(place)} {value}"


def _ini(text: str) -> Iterator[str]:
    reader = configparser.RawConfigParser(strict=False)
    reader.read_string(text)
    for section in reader.sections():
        for key, value in reader[section].items():
            if section == "options.extras_require" or (section == "options" and key in _SETUP):
                yield from (f"{section} {key} {each.strip()}" for each in value.splitlines())


def _setup(text: str) -> Iterator[str]:
    """The packages that a call names literally; where code makes them, all of the file."""
    tree = ast.parse(text)
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
    told = [each for call in calls for each in call.keywords if each.arg in (*_SETUP, None)]
    try:
        found = [(each.arg, ast.literal_eval(each.value)) for each in told if each.arg]
    except ValueError:
        found = []
    if len(found) < len(told):
        yield ast.dump(tree)
    for name, value in found:
        yield from _leaves(list(value) if isinstance(value, tuple) else value, (str(name),))


def _lines(text: str) -> Iterator[str]:
    yield from (row for line in text.splitlines() if (row := line.partition("#")[0].strip()))


def _build(text: str) -> Iterator[str]:
    """A build file in code: every line may name one that does not plainly speak of the project itself."""
    for line in text.splitlines():
        row = re.sub(r"\s+(?:#|//).*", "", line).strip()
        if row and not row.startswith(("#", "//", "*", "/*")) and not _ABOUT.fullmatch(row):
            yield row


def _go(text: str) -> Iterator[str]:
    block = ""
    for line in text.splitlines():
        row = " ".join(line.partition("//")[0].replace("(", " ( ").split())
        verb, _, said = row.partition(" ")
        if row == ")":
            block = ""
        elif said == "(":
            block = verb
        elif row and (block or verb) in _GO:
            yield f"{block} {row}" if block else row


def _pom(text: str) -> Iterator[str]:
    text = _XML_COMMENT.sub("", text)
    for found in _POM.finditer(text):
        yield "".join(found[0].split())
        for name in _PROPERTY.findall(found[0]):
            value = re.search(rf"<{re.escape(name)}>(.*?)</", text)
            yield f"{name} {value[1] if value else ''}"


def _project(text: str) -> Iterator[str]:
    for found in _PROJECT.finditer(_XML_COMMENT.sub("", text)):
        yield "".join(found[0].split())


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "pyproject.toml": _toml, "Cargo.toml": _toml, "Pipfile": _toml, "package.json": _json,
    "composer.json": _composer, "requirements*.txt": _lines, "go.mod": _go, "Gemfile": _build,
    "build.gradle*": _build, "pom.xml": _pom, "*.csproj": _project, "setup.py": _setup,
    "setup.cfg": _ini,
}  # fmt: skip
